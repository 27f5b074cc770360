//! Random numbers that are the same on every platform, for any number of threads and in every version: ChaCha8
//! streams, one per (seed, purpose, stream), and laws by inverse distribution functions.

use crate::special::normal_quantile;
use chacha20::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// One reproducible stream of random numbers.
///
/// Streams with different (seed, purpose, stream) are independent, so that what is drawn for atom j depends on
/// nothing but j: the first D atoms of 2D are the draw of D, whatever the number of threads.
///
/// ```
/// use orff::random::Stream;
/// let (mut a, mut b) = (Stream::new(7, 0, 3), Stream::new(7, 0, 3));
/// assert_eq!(a.uniform(), b.uniform());
/// assert_ne!(a.uniform(), Stream::new(7, 0, 4).uniform());
/// ```
#[derive(Debug)]
pub struct Stream {
    words: ChaCha8Rng,
}

impl Stream {
    /// The stream numbered `stream` of a purpose under a seed.
    pub fn new(seed: u64, purpose: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&purpose.to_le_bytes());
        key[16..].copy_from_slice(b"orff random v1\0\0");
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(stream);
        Stream { words }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.words.next_u64()
    }

    /// Uniform on the open interval (0, 1): an odd multiple of 2⁻⁵³, so neither u nor 1−u is ever 0 and both are exact.
    pub fn uniform(&mut self) -> f64 {
        open_unit(self.bits() >> 12)
    }

    /// Standard normal, by the inverse distribution function.
    pub fn normal(&mut self) -> f64 {
        normal_quantile(self.uniform())
    }

    /// +1 or −1.
    pub fn sign(&mut self) -> f64 {
        if self.bits() >> 63 == 0 { 1.0 } else { -1.0 }
    }

    /// Uniform on {0, …, n−1}, without bias; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        // Lemire 2019: the high word of bits·n, rejecting the 2⁶⁴ mod n low words that would be drawn once too often.
        let reject = if n == 0 { 0 } else { n.wrapping_neg() % n };
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            if wide as u64 >= reject {
                return (wide >> 64) as usize;
            }
        }
    }

    /// Puts so many of some items, drawn without repetition, to the front.
    ///
    /// ```
    /// let mut rows: Vec<usize> = (0..9).collect();
    /// orff::random::Stream::new(7, 0, 0).draw(&mut rows, 4);
    /// rows.sort();
    /// assert_eq!(rows, (0..9).collect::<Vec<_>>());
    /// ```
    pub fn draw<T>(&mut self, items: &mut [T], count: usize) {
        for k in 0..count.min(items.len()) {
            items.swap(k, k + self.below(items.len() - k));
        }
    }
}

/// The middle of the cell numbered by 52 bits: (bits + ½)·2⁻⁵², strictly inside (0, 1) and exact.
pub(crate) fn open_unit(bits: u64) -> f64 {
    (bits as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}
