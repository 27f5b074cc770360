//! The ridge of losses without a closed form: a sample in folds, along a path of ridges that falls, each from the solution of
//! the one before. \[folds\]

use super::Sample;
use super::calibrate::{Judged, Link};
use super::coded::Coded;
use super::margin::Targets;
use crate::error::Result;
use crate::feature::{Basis, Characters, Design, FeatureMap, Seen, Visit};
use crate::linalg;
use crate::loss::{Loss, Named};
use crate::rows::{Inputs, Weights};
use crate::solve::risk::{self, Start};
use crate::solve::{Preconditioner, minimise_risk};
use crate::watch::Watch;
use faer::Mat;

/// Folds, rows and characters, at most.
const FOLDS: usize = 5;
const ROWS: usize = 4096;
const CHARACTERS: usize = 2048;
/// The path: its first ridge, the ratio of neighbours, the least ridge times rows.
const PATH: (f64, f64, f64) = (0.25, 0.25, 1e-5);
/// The path is followed so far at least, and then while one of the last three ridges was better than all before.
const SURE: usize = 6;
const PATIENCE: usize = 3;
/// Precision of the solutions: gap, or relative change of predictions; passes.
const ROUGH: (f64, f64, usize) = (1e-2, 1e-4, 500);
/// Rows times characters up to which solutions do not depend on rounding, and how far they are then solved.
const SMALL: usize = 1 << 14;
const EXACT: (f64, usize) = (1e-9, 2000);
/// Losses closer than this share are the same.
const ALIKE: f64 = 0.01;

/// The rows of one fold.
struct Part {
    /// n×M.
    characters: Mat<f64>,
    /// What the loss compares with.
    targets: Mat<f64>,
    weights: Weights,
    classes: Vec<usize>,
}

impl Part {
    fn weight(&self) -> f64 {
        match &self.weights {
            Weights::Row(w) => w.iter().sum(),
            Weights::Entry(_) => 0.0,
        }
    }
}

/// A sample in folds.
pub(super) struct Folds<'a> {
    coded: &'a Coded<'a>,
    loss: &'a Named,
    map: FeatureMap,
    parts: Vec<Part>,
    /// Whether these are all rows.
    pub whole: bool,
    /// The characters, where these are not all.
    characters: Option<usize>,
}

/// What was found along the path.
pub(super) struct Chosen {
    /// nλ.
    pub shift: f64,
    /// In words.
    pub reason: String,
    /// Each row as the fold without it predicts it.
    pub judged: Judged,
    score: Score,
}

/// Error and loss of the rows held out.
#[derive(Clone, Copy)]
struct Score {
    error: f64,
    loss: f64,
}

impl<'a> Folds<'a> {
    /// Deals the sampled rows, each class by itself, by what is in them: neither their order nor how often they are
    /// repeated matters, and copies of a row are never on both sides.
    pub fn of(targets: &Targets<'a>, map: &FeatureMap, sample: &Sample, watch: &mut dyn Watch) -> Result<Self> {
        watch.stage("fold");
        let (rows, n) = (&sample.rows, sample.rows.inputs.nrows());
        let some: Vec<usize> = (0..n.min(ROWS)).map(|i| i * n / n.min(ROWS)).collect();
        let picked = rows.pick(&some);
        // by the bits of the user, which no mean of rows has changed
        let digests: Vec<u64> = (0..some.len()).map(|i| digest(&picked.inputs, i)).collect();
        let coded = targets.coded.batch(picked)?;
        let classes = targets.coded.classes_of(&coded);
        let all = targets.of(coded, 0)?;
        let weight = |i: usize| match &all.weights {
            Some(Weights::Row(w)) => w[i],
            _ => 1.0,
        };
        let mut order: Vec<(usize, u64, usize)> =
            (0..some.len()).filter(|&i| weight(i) > 0.0).map(|i| (classes[i], digests[i], i)).collect();
        order.sort_unstable();
        // copies of a row are one row with their weight
        let copies: Vec<(usize, f64)> = order
            .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
            .map(|same| (same[0].2, same.iter().map(|&(_, _, i)| weight(i)).sum()))
            .collect();
        let mut folds = vec![Vec::new(); FOLDS];
        copies.into_iter().enumerate().for_each(|(dealt, row)| folds[dealt % FOLDS].push(row));
        let (map, characters) = if map.characters() > CHARACTERS {
            let (few, kept) = map.prefix(CHARACTERS)?;
            (few, Some(kept.len()))
        } else {
            (map.clone(), None)
        };
        let mut parts = Vec::new();
        for own in folds.iter().filter(|own| !own.is_empty()) {
            let rows: Vec<usize> = own.iter().map(|row| row.0).collect();
            let batch = all.pick(&rows);
            let mut characters = Characters::new(map.characters());
            map.fill(&batch.inputs, &mut characters);
            parts.push(Part {
                characters: characters.as_mat().to_owned(),
                targets: batch.outputs,
                weights: Weights::Row(own.iter().map(|row| row.1).collect()),
                classes: rows.iter().map(|&i| classes[i]).collect(),
            });
            watch.advance(own.len() as u64)?;
        }
        let whole = sample.total == Some(some.len());
        Ok(Folds { coded: targets.coded, loss: targets.loss, map, parts, whole, characters })
    }

    /// The best nλ of the path, or the one that is given; nothing where no fold leaves two classes to learn from. `by_loss`
    /// compares losses, else errors are, and losses where these are equal.
    pub fn along(
        &self,
        offset: bool,
        by_loss: bool,
        given: Option<f64>,
        watch: &mut dyn Watch,
    ) -> Result<Option<Chosen>> {
        let used: Vec<usize> = (0..self.parts.len()).filter(|&k| self.tells(k)).collect();
        if used.is_empty() {
            return Ok(None);
        }
        watch.stage("folds");
        let whole = Others { folds: self, out: None };
        let preconditioner = Preconditioner::new(&whole, risk::Params::default().rank, offset, &mut Within(watch))?;
        let total: f64 = self.parts.iter().map(Part::weight).sum();
        let rows: usize = self.parts.iter().map(|part| part.classes.len()).sum();
        let small = rows * self.map.characters() <= SMALL;
        let shifts: Vec<f64> = match given {
            Some(shift) => vec![shift],
            None => {
                let path = std::iter::successors(Some(PATH.0 * total), |shift| Some(PATH.1 * shift));
                path.take_while(|shift| *shift >= PATH.2).collect()
            }
        };
        let mut at: Vec<Option<Vec<f64>>> = vec![None; self.parts.len()];
        let (mut best, mut since, mut tried): (Option<Chosen>, usize, usize) = (None, 0, 0);
        for shift in shifts {
            let mut judged = Judged::new(self.coded, Link::Softmax);
            let mut losses = (0.0, 0.0);
            for &k in &used {
                let params = risk::Params {
                    ridge: shift / (total - self.parts[k].weight()),
                    offset,
                    gap: ROUGH.0,
                    tol: if small { EXACT.0 } else { ROUGH.1 },
                    settle: small,
                    max_passes: if small { EXACT.1 } else { ROUGH.2 },
                    ..risk::Params::default()
                };
                let start = Start { unknowns: at[k].as_deref(), preconditioner: Some(&preconditioner) };
                let design = Others { folds: self, out: Some(k) };
                let found = minimise_risk(&design, self.loss, params, start, &mut Within(watch))?;
                self.judge(&self.parts[k], &found, &mut judged, &mut losses);
                let mut x = found.theta;
                x.extend(found.offset.iter().filter(|_| offset));
                at[k] = Some(x);
                watch.advance(1)?;
            }
            tried += 1;
            let score = Score { error: judged.error(), loss: losses.0 / losses.1 };
            if best.as_ref().is_none_or(|best| score.better(best.score, by_loss)) {
                best = Some(Chosen { shift, reason: String::new(), judged, score });
                since = 0;
            } else {
                since += 1;
            }
            if tried >= SURE && since >= PATIENCE {
                break;
            }
        }
        Ok(best.map(|found| Chosen { reason: self.reason(found.score, used.len(), tried, by_loss), ..found }))
    }

    fn reason(&self, score: Score, folds: usize, tried: usize, by_loss: bool) -> String {
        let rows: usize = self.parts.iter().map(|p| p.classes.len()).sum();
        let (what, value) = match by_loss {
            true => ("smallest loss", format!("{:.4}", score.loss)),
            false => ("smallest error", format!("{:.2} %", 100.0 * score.error)),
        };
        let some = self.characters.map_or(String::new(), |m| format!(" with {m} characters"));
        format!("{what} ({value}) in {folds} folds of {rows} rows{some}, of {tried} ridges")
    }

    /// Whether at least two classes are left without fold k.
    fn tells(&self, k: usize) -> bool {
        let mut seen = vec![false; self.coded.classes()];
        let others = self.parts.iter().enumerate().filter(|(other, _)| *other != k);
        others.for_each(|(_, part)| part.classes.iter().for_each(|c| seen[*c] = true));
        seen.iter().filter(|seen| **seen).count() > 1
    }

    /// Adds what the others say of a part: scores, and the sum of losses with the sum of weights.
    fn judge(&self, part: &Part, found: &risk::Minimum, judged: &mut Judged, losses: &mut (f64, f64)) {
        let mut f = linalg::product(part.characters.as_ref(), found.table.as_ref());
        let p = f.ncols();
        (0..p).for_each(|t| f.as_mut().col_mut(t).iter_mut().for_each(|v| *v += found.offset[t]));
        judged.add(f.as_ref(), Some(&part.weights), &part.classes);
        let Weights::Row(weights) = &part.weights else { return };
        let mut slope = vec![0.0; p];
        for (i, w) in weights.iter().enumerate() {
            let row = |m: &Mat<f64>| -> Vec<f64> { m.row(i).iter().copied().collect() };
            losses.0 += w * self.loss.gradient(&row(&f), &row(&part.targets), 0.0, &mut slope);
            losses.1 += w;
        }
    }
}

impl Score {
    fn better(self, than: Score, by_loss: bool) -> bool {
        let same = (self.error - than.error).abs() <= 1e-9;
        if by_loss || same { self.loss < (1.0 - ALIKE) * than.loss } else { self.error < than.error }
    }
}

/// Watches a part of a stage: it may be stopped there, but is told of no stages and keeps nothing.
struct Within<'a>(&'a mut dyn Watch);

impl Watch for Within<'_> {
    fn advance(&mut self, _: u64) -> Result<()> {
        self.0.advance(0)
    }
}

/// The features of all parts but one.
struct Others<'a> {
    folds: &'a Folds<'a>,
    out: Option<usize>,
}

impl Design for Others<'_> {
    fn basis(&self) -> &dyn Basis {
        &self.folds.map
    }

    fn pass(&self, watch: &mut dyn Watch, visit: Visit) -> Result<()> {
        let mut first = 0;
        for (k, part) in self.folds.parts.iter().enumerate() {
            if Some(k) == self.out {
                continue;
            }
            let (characters, outputs) = (part.characters.as_ref(), part.targets.as_ref());
            visit(&Seen { first, characters, outputs, weights: Some(&part.weights) })?;
            first += part.classes.len();
            watch.advance(0)?;
        }
        Ok(())
    }
}

/// A number that says what is in row i.
pub(super) fn digest(inputs: &Inputs, i: usize) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |word: u64| {
        // the mixing of SplitMix64
        sum = (sum ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        sum = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        sum = (sum ^ (sum >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        sum ^= sum >> 31;
    };
    // −0 is 0
    let mut value = |k: usize, v: f64| {
        if v != 0.0 {
            add(k as u64);
            add(v.to_bits());
        }
    };
    match inputs {
        Inputs::Dense(x) => (0..x.ncols()).for_each(|k| value(k, x[(i, k)])),
        Inputs::Sparse(x) => x.row(i).for_each(|(k, v)| value(k, v)),
    }
    sum
}
