//! Rows that are held out of a first solution, to calibrate the probabilities of the second.

use super::calibrate::{Judged, Link, MOST};
use super::coded::Coded;
use super::sample::SAMPLE_ROWS;
use crate::error::Result;
use crate::model::{Calibration, Linear, Query};
use crate::random::Stream;
use crate::rows::{Batches, Rows};
use crate::watch::Watch;

/// Share of the rows held out, at most.
const SHARE: f64 = 0.1;
const HELD_OUT: u64 = 0x6865_6c64_206f_7574;

/// Rows that are held out of a first solution, by their number.
pub(super) struct Held<'a> {
    rows: &'a Coded<'a>,
    seed: u64,
    share: f64,
    inside: bool,
}

impl<'a> Held<'a> {
    /// At most a tenth of the rows, and not many more than can be used.
    pub fn new(rows: &'a Coded<'a>, seed: u64, total: Option<usize>) -> Self {
        let useful = SAMPLE_ROWS.min((MOST / rows.classes()).max(1000));
        let share = total.map_or(SHARE, |n| useful as f64 / n as f64).min(SHARE);
        Held { rows, seed, share, inside: true }
    }

    /// The other rows.
    pub fn rest(&self) -> Self {
        Held { inside: false, ..*self }
    }

    /// Calibrates by the predictions of a model that has learned from the other rows.
    pub fn calibrate(&self, model: &Linear, link: Link, watch: &mut dyn Watch) -> Result<Calibration> {
        watch.stage("calibrate");
        let coded = self.rows;
        let mut judged = Judged::new(coded, link);
        for batch in self.batches()? {
            let batch = batch?;
            let f = model.predict(&batch.inputs, Query::default())?.mean;
            judged.add(f.as_ref(), batch.weights.as_ref(), &coded.classes_of(&batch));
            watch.advance(batch.inputs.nrows() as u64)?;
        }
        judged.calibrate(watch)
    }
}

impl Rows for Held<'_> {
    fn inputs(&self) -> usize {
        self.rows.inputs()
    }

    fn outputs(&self) -> usize {
        self.rows.outputs()
    }

    fn batches(&self) -> Result<Batches<'_>> {
        let mut first = 0;
        Ok(Box::new(self.rows.batches()?.map(move |batch| {
            let batch = batch?;
            let n = batch.inputs.nrows();
            let held = |i: &usize| {
                let draw = Stream::new(self.seed, HELD_OUT, (first + i) as u64).uniform();
                (draw < self.share) == self.inside
            };
            let kept: Vec<usize> = (0..n).filter(held).collect();
            first += n;
            Ok(batch.pick(&kept))
        })))
    }

    fn single(&self) -> bool {
        self.rows.single()
    }
}
