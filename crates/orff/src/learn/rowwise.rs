//! Ridge over the observed entries, where moments of every output would be too much: conjugate gradients that go over the
//! rows again and again. \[entries\]

use super::begin::of_pairs;
use super::gather::Gathering;
use super::noise::{Misfit, spent};
use super::{Fitted, Ridge, sample};
use crate::error::Result;
use crate::feature::{BLOCK_ROWS, Characters, reblock};
use crate::linalg::cg;
use crate::rows::{Batch, Rows, Weights, pair};
use crate::solve::{Entry, EntryParams, Observed, OfOutput, Passes, Strength, solve_entries};
use crate::watch::Watch;
use std::cell::{Cell, RefCell};

/// The rows of a fit as blocks of characters and entries, kept between passes where there is room.
struct Sweep<'a> {
    gathering: &'a Gathering,
    rows: &'a dyn Rows,
    /// Bytes that blocks may take.
    room: usize,
    kept: RefCell<Vec<Observed>>,
    /// Whether all blocks are kept, and the number of rows, once known.
    whole: Cell<bool>,
    count: Cell<usize>,
}

impl Sweep<'_> {
    /// Characters and entries of a block of rows; `first` rows come before it.
    fn block(&self, block: &Batch, first: usize, long: bool, characters: &mut Characters) -> Result<Observed> {
        let stage = &self.gathering.stage;
        let mut entries = Vec::new();
        let inputs = if long {
            let p = stage.means.len();
            for i in 0..block.inputs.nrows() {
                let (output, value) = pair(block, i, p, first)?;
                let weight = match &block.weights {
                    None => 1.0,
                    Some(Weights::Row(w)) => w[i],
                    Some(Weights::Entry(w)) => w[(i, 1)],
                };
                let value = (value - stage.means[output]) / stage.scales[output];
                entries.push(Entry { output, row: i, value, weight });
            }
            sample::check(block, first).map_err(of_pairs)?;
            stage.preparation.prepare(&block.inputs, first + 1)?
        } else {
            sample::check(block, first)?;
            let (inputs, y, weights) = stage.prepare(block, first + 1)?;
            for output in 0..y.ncols() {
                let entry = |row: usize| {
                    let weight = super::begin::weight(weights.as_ref(), row, output);
                    Entry { output, row, value: y[(row, output)], weight }
                };
                entries.extend((0..y.nrows()).map(entry));
            }
            inputs
        };
        entries.retain(|e| e.value.is_finite() && e.weight > 0.0);
        self.gathering.map.fill(&inputs, characters);
        Ok(Observed::new(characters.as_mat(), entries))
    }
}

impl Passes for Sweep<'_> {
    fn pass(&self, each: &mut dyn FnMut(&Observed) -> Result<()>) -> Result<()> {
        if self.whole.get() {
            return self.kept.borrow().iter().try_for_each(each);
        }
        // views make several rows of one, each with its own input
        let pairs = self.rows.pairs().filter(|_| self.gathering.stage.preparation.views.is_empty());
        let mut characters = Characters::new(self.gathering.map.characters());
        let (mut kept, mut used, mut row) = (Vec::new(), 0, 0);
        for block in reblock(pairs.unwrap_or(self.rows), BLOCK_ROWS)? {
            let block = block?;
            let observed = self.block(&block, row, pairs.is_some(), &mut characters)?;
            each(&observed)?;
            row += block.inputs.nrows();
            used += observed.bytes();
            if used <= self.room {
                kept.push(observed);
            }
        }
        self.count.set(row);
        if used <= self.room {
            self.kept.replace(kept);
            self.whole.set(true);
        }
        Ok(())
    }
}

impl Gathering {
    /// The model of rows that are gone over again and again; `drawn` is a sample of them, from which the ridge is chosen.
    pub(super) fn fit_rows(mut self, rows: &dyn Rows, drawn: &Batch, watch: &mut dyn Watch) -> Result<Fitted> {
        let learner = self.learner.clone();
        let mut choices = std::mem::take(&mut self.choices);
        let strength = match learner.ridge {
            Ridge::Given(ridge) => Strength::Ridge(ridge),
            _ => {
                let (shift, reason) = self.shift(drawn, watch)?;
                choices.say(watch, reason);
                Strength::Shift(shift)
            }
        };
        let room = (0.25e6 * learner.memory as f64) as usize;
        let sweep = Sweep {
            gathering: &self,
            rows,
            room,
            kept: RefCell::default(),
            whole: Cell::new(false),
            count: Cell::new(0),
        };
        watch.stage("fit");
        let cg = cg::Params { tol: learner.tolerance, max_iter: learner.iterations };
        let expansion = self.stage.preparation.expansion();
        let metric = learner.metric.as_ref().map(|m| self.stage.scaled_metric(m.mat())).transpose()?;
        let params = EntryParams { strength, cg, offset: learner.offset, expansion, metric: metric.as_ref() };
        let found = solve_entries(&self.map, &sweep, params, watch)?;
        let count = sweep.count.get();
        choices.say(watch, format!("solved by {}", found.how));
        let relative = matches!(drawn.weights, Some(Weights::Entry(_)));
        let misfit = |o: &OfOutput| {
            let observations = if relative { o.points } else { o.weight };
            let count = observations - f64::from(u8::from(learner.offset));
            Misfit { rss: o.rss, penalty: o.penalty, count, spent: 0.0, weight: o.weight / observations }
        };
        let mut misfits: Vec<Misfit> = found.outputs.iter().map(misfit).collect();
        spent(&mut misfits, learner.ridge == Ridge::Evidence);
        let columns: Vec<_> = misfits.iter().zip(&found.outputs).map(|(m, o)| m.column(o.constant)).collect();
        let model = self.model(found.table, &columns, metric.as_ref(), None);
        self.rows = count;
        let iterations = found.report.iterations.max(1);
        Ok(Fitted { model, training: self.training(found.ridge, Vec::new(), choices, iterations) })
    }
}
