//! Progress through files whose bytes are not read in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts the bytes of a file in proportion to its rows.
pub(crate) struct Meter {
    count: Arc<AtomicU64>,
    bytes: u64,
    rows: u64,
    done: u64,
    said: u64,
}

impl Meter {
    pub fn new(count: &Arc<AtomicU64>, bytes: u64, rows: u64) -> Self {
        Meter { count: count.clone(), bytes, rows: rows.max(1), done: 0, said: 0 }
    }

    pub fn add(&mut self, rows: usize) {
        self.done = (self.done + rows as u64).min(self.rows);
        let reached = (self.bytes as u128 * self.done as u128 / self.rows as u128) as u64;
        self.count.fetch_add(reached - self.said, Relaxed);
        self.said = reached;
    }
}
