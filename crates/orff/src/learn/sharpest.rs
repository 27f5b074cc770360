//! Lengthscale of one-class machines: the shortest one at which rows held out leave the sets as often as ν says. \[level-sets\]
//!
//! A shorter one follows the rows more closely, until the sets hold them and little else; and features, which are waves, no longer
//! tell nowhere from somewhere. Both show without knowing an outlier: rows held out fall out too often, rows from nowhere in.

use super::pinball_path::features;
use crate::curve::CurveBasis;
use crate::error::Result;
use crate::feature::FeatureMap;
use crate::linalg;
use crate::model::Curves;
use crate::random::Stream;
use crate::rows::Inputs;
use crate::solve::one_class::{Levels, Minimum, Params, minimise};
use crate::watch::{Silent, Watch};
use faer::Mat;
use rayon::prelude::*;

/// Rows that are compared, at most, and folds.
const ROWS: usize = 600;
const FOLDS: usize = 3;
/// Octaves about the median distance, at most.
const LONGEST: i32 = 4;
const SHORTEST: i32 = -5;
/// How far each problem is solved.
const STOP: Params = Params { gap: 1e-2, iterations: 100 };
/// Levels at which the shares of rows that are out are compared with them; how far these may be apart beside their noise.
const LEVELS: [f64; 11] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const APART: f64 = 0.01;
/// Rows from nowhere, how many of them may be in the largest set, and how far they are away.
const NOWHERE: usize = 200;
const SEEMING: f64 = 0.05;
const AWAY: f64 = 1e3;
const DRAWN: u64 = 0x6e6f_7768_6572_65;

/// Knots of the functions of ν while lengthscales are compared, and the first and last of them.
const FEW: usize = 10;
const ENDS: (f64, f64) = (0.01, 0.99);

/// All levels by functions of them that are linear between so many knots.
pub(super) fn all_levels(count: usize) -> Levels {
    let knot = |k: usize| (k as f64 / (count - 1) as f64).clamp(ENDS.0, ENDS.1);
    Levels::all(CurveBasis::Hats { knots: (0..count).map(knot).collect() }, 3 * count)
}

/// Rows in the kernel's coordinates.
pub(super) struct Rough<'a> {
    pub inputs: &'a Inputs,
    pub weights: &'a [f64],
    pub seed: u64,
}

/// Levels at which rows with some features leave.
fn leaving(found: &Minimum, curves: &Curves, features: &Mat<f64>) -> Vec<f64> {
    let mut columns = linalg::product(features.as_ref(), found.table.as_ref());
    for (constant, column) in found.constants.iter().zip(columns.as_mut().col_iter_mut()) {
        column.iter_mut().for_each(|v| *v += constant);
    }
    curves.leaving(columns.as_ref(), found.spread)
}

/// What a lengthscale does to rows that are not learned from.
struct Judged {
    /// The largest distance of shares from levels, beyond one standard deviation of such shares.
    apart: f64,
    /// The share of rows from nowhere that are in the largest set.
    seeming: f64,
}

impl Rough<'_> {
    fn judge(&self, map: &FeatureMap, some: &[usize], levels: &Levels) -> Result<Judged> {
        let all = features(map, &self.inputs.pick(some));
        let columns = all.ncols();
        let mut stream = Stream::new(self.seed, DRAWN, 0);
        let away = Mat::from_fn(NOWHERE, self.inputs.ncols(), |_, _| AWAY * stream.normal());
        let away = features(map, &Inputs::Dense(away));
        let curves = Curves { basis: levels.basis.clone(), calibration: None, argument: None };
        let fold = |k: usize| -> Result<(Vec<(f64, f64)>, usize)> {
            let (fold, own): (Vec<usize>, Vec<usize>) = (0..some.len()).partition(|i| i % FOLDS == k);
            let pick = |rows: &[usize]| Mat::from_fn(rows.len(), columns, |i, c| all[(rows[i], c)]);
            let learned = pick(&own);
            let weight = |i: &usize| self.weights[some[*i]];
            let w: Vec<f64> = own.iter().map(weight).collect();
            let block = |from: usize, to: usize| Ok(learned.subrows(from, to - from).to_owned());
            let found = minimise(&block, (own.len(), columns), &w, levels, STOP, &mut Silent)?;
            let out = leaving(&found, &curves, &pick(&fold)).into_iter().zip(fold.iter().map(weight)).collect();
            Ok((out, leaving(&found, &curves, &away).iter().filter(|level| **level >= LEVELS[0]).count()))
        };
        let folds: Result<Vec<_>> = (0..FOLDS).into_par_iter().map(fold).collect();
        let folds = folds?;
        let held: Vec<(f64, f64)> = folds.iter().flat_map(|(out, _)| out.iter().copied()).collect();
        let total: f64 = held.iter().map(|(_, w)| w).sum();
        let apart = |nu: &f64| {
            let out: f64 = held.iter().filter(|(level, _)| level < nu).map(|(_, w)| w).sum();
            (out / total - nu).abs() - (nu * (1.0 - nu) / held.len() as f64).sqrt()
        };
        let seeming = folds.iter().map(|(_, in_set)| in_set).sum::<usize>() as f64 / (FOLDS * NOWHERE) as f64;
        Ok(Judged { apart: LEVELS.iter().map(apart).fold(0.0, f64::max), seeming })
    }
}

/// The lengthscale in the kernel's coordinates, and why.
pub(super) fn choose(
    rows: &Rough,
    map_at: &dyn Fn(f64) -> Result<FeatureMap>,
    median: f64,
    watch: &mut dyn Watch,
) -> Result<(f64, String)> {
    watch.stage("choose");
    let n = rows.inputs.nrows();
    let some: Vec<usize> = (0..n.min(ROWS)).map(|i| i * n / n.min(ROWS)).collect();
    if some.len() < 2 * FOLDS {
        return Ok((median, "median distance".into()));
    }
    let levels = all_levels(FEW);
    let at = |octave: i32| median * libm::exp2(f64::from(octave));
    let mut judge = |octave: i32| -> Result<Judged> {
        let judged = rows.judge(&map_at(at(octave))?, &some, &levels)?;
        watch.advance(1)?;
        Ok(judged)
    };
    let good = |judged: &Judged| judged.apart <= APART && judged.seeming <= SEEMING;
    let mut octave = 0;
    let mut here = judge(octave)?;
    if good(&here) {
        while octave > SHORTEST {
            let next = judge(octave - 1)?;
            if !good(&next) {
                break;
            }
            (octave, here) = (octave - 1, next);
        }
    } else {
        // longer ones, as long as they are better
        while octave < LONGEST && !good(&here) {
            let next = judge(octave + 1)?;
            if next.apart.max(next.seeming) >= here.apart.max(here.seeming) {
                break;
            }
            (octave, here) = (octave + 1, next);
        }
    }
    let words = match good(&here) {
        true => {
            "the shortest, in octaves of the median distance, at which rows held out leave the sets as often as ν says"
        }
        false => {
            "at no octave of the median distance rows held out leave the sets as often as ν says; here they come nearest"
        }
    };
    let apart = format!("{:.1} points beside noise, {FOLDS} folds of {} rows", 100.0 * here.apart, some.len());
    Ok((at(octave), format!("{words} ({apart})")))
}
