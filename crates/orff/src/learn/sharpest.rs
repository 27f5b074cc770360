//! Lengthscale of one-class machines: that of the smallest sets which rows held out leave as often as ν says. \[level-sets\]
//!
//! A longer one blurs the rows: the innermost sets lie between clouds. A shorter one follows the rows more closely, until the sets
//! hold them and little else; and features, which are waves, no longer tell nowhere from somewhere. All three show without knowing
//! an outlier: sets that hold rows held out are large, these rows fall out too often, rows from nowhere are in.

use super::pinball_path::features;
use super::volume::{above, even_rows};
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
/// Costs closer than this are the same.
const ALIKE: f64 = 0.002;
/// Rows from nowhere, how many of them may be in the largest set, and how far they are away.
const NOWHERE: usize = 200;
const SEEMING: f64 = 0.05;
const AWAY: f64 = 1e3;
const DRAWN: u64 = 0x6e6f_7768_6572_65;

/// Knots of the functions of ν while lengthscales are compared, and the first and last of them.
const FEW: usize = 10;
const ENDS: (f64, f64) = (0.01, 0.99);
/// Knots follow each other by a factor up to this level, where few rows are out and each of them counts, and by a step from there.
const BEND: f64 = 0.2;
/// Nodes of quadrature between two knots.
const NODES: usize = 3;

/// All levels by functions of them that are linear between so many knots.
pub(super) fn all_levels(count: usize) -> Levels {
    // 1 + ln(ν/bend), and ν/bend where that is more than 1
    let (first, last) = (1.0 + libm::log(ENDS.0 / BEND), ENDS.1 / BEND);
    let knot = |k: usize| {
        let place = first + (last - first) * k as f64 / (count - 1) as f64;
        (BEND * if place < 1.0 { libm::exp(place - 1.0) } else { place }).clamp(ENDS.0, ENDS.1)
    };
    Levels::all(CurveBasis::Hats { knots: (0..count).map(knot).collect() }, NODES)
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
    /// In octaves of the median distance.
    octave: f64,
    /// The largest distance of shares from levels, beyond one standard deviation of such shares.
    apart: f64,
    /// The share of rows from nowhere that are in the largest set.
    seeming: f64,
    /// The mean volume of the sets.
    volume: f64,
}

impl Judged {
    /// What is in the sets that should not be, and out of them that should be in.
    fn cost(&self) -> f64 {
        self.volume + (self.apart - APART).max(0.0)
    }

    fn told(&self) -> bool {
        self.seeming <= SEEMING
    }
}

impl Rough<'_> {
    fn judge(&self, octave: f64, map: &FeatureMap, some: &[usize], levels: &Levels) -> Result<Judged> {
        let own = self.inputs.pick(some);
        let all = features(map, &own);
        let columns = all.ncols();
        let mut stream = Stream::new(self.seed, DRAWN, 0);
        let away = Mat::from_fn(NOWHERE, self.inputs.ncols(), |_, _| AWAY * stream.normal());
        let away = features(map, &Inputs::Dense(away));
        let even = features(map, &Inputs::Dense(even_rows(&own.to_dense(), &mut stream)));
        let curves = Curves { basis: levels.basis.clone(), calibration: None, argument: None };
        let fold = |k: usize| -> Result<Fold> {
            let (fold, own): (Vec<usize>, Vec<usize>) = (0..some.len()).partition(|i| i % FOLDS == k);
            let pick = |rows: &[usize]| Mat::from_fn(rows.len(), columns, |i, c| all[(rows[i], c)]);
            let learned = pick(&own);
            let weight = |i: &usize| self.weights[some[*i]];
            let w: Vec<f64> = own.iter().map(weight).collect();
            let block = |from: usize, to: usize| Ok(learned.subrows(from, to - from).to_owned());
            let found = minimise(&block, (own.len(), columns), &w, levels, STOP, &mut Silent)?;
            let held = leaving(&found, &curves, &pick(&fold)).into_iter().zip(fold.iter().map(weight)).collect();
            let seeming = leaving(&found, &curves, &away).iter().filter(|level| **level >= LEVELS[0]).count();
            Ok(Fold { held, seeming, even: leaving(&found, &curves, &even) })
        };
        let folds: Result<Vec<_>> = (0..FOLDS).into_par_iter().map(fold).collect();
        let folds = folds?;
        let held: Vec<(f64, f64)> = folds.iter().flat_map(|fold| fold.held.iter().copied()).collect();
        let total: f64 = held.iter().map(|(_, w)| w).sum();
        let apart = |nu: &f64| {
            let out: f64 = held.iter().filter(|(level, _)| level < nu).map(|(_, w)| w).sum();
            (out / total - nu).abs() - (nu * (1.0 - nu) / held.len() as f64).sqrt()
        };
        let volume = folds.iter().map(|fold| above(&fold.held, &fold.even)).sum::<f64>() / total;
        let seeming = folds.iter().map(|fold| fold.seeming).sum::<usize>() as f64 / (FOLDS * NOWHERE) as f64;
        Ok(Judged { octave, apart: LEVELS.iter().map(apart).fold(0.0, f64::max), seeming, volume })
    }
}

/// What the machine of the other folds says of a fold's rows, with their weights, and of rows from nowhere and from everywhere.
struct Fold {
    held: Vec<(f64, f64)>,
    seeming: usize,
    even: Vec<f64>,
}

/// Where the cost is smallest among those that tell nowhere from somewhere, if any does; of costs that are alike, the shortest.
fn best(judged: &[Judged]) -> Option<&Judged> {
    let told = judged.iter().any(Judged::told);
    let counts = |j: &&Judged| j.told() == told;
    let least = judged.iter().filter(counts).map(Judged::cost).fold(f64::INFINITY, f64::min);
    let alike = judged.iter().filter(counts).filter(|j| j.cost() <= least + ALIKE);
    alike.min_by(|a, b| a.octave.total_cmp(&b.octave))
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
    let at = |octave: f64| median * libm::exp2(octave);
    let mut judge = |octave: f64| -> Result<Judged> {
        let judged = rows.judge(octave, &map_at(at(octave))?, &some, &levels)?;
        watch.advance(1)?;
        Ok(judged)
    };
    let mut judged = vec![judge(0.0)?];
    let least = |judged: &[Judged]| best(judged).map_or(f64::INFINITY, Judged::cost);
    // rows leave the sets of shorter ones more often, and sets are never smaller than nothing
    for octave in (SHORTEST..0).rev() {
        let next = judge(f64::from(octave))?;
        let on = next.told() && next.apart < least(&judged);
        judged.push(next);
        if !on {
            break;
        }
    }
    for octave in 1..=LONGEST {
        let next = judge(f64::from(octave))?;
        let on = !judged.iter().any(Judged::told) || next.cost() < least(&judged) - ALIKE;
        judged.push(next);
        if !on {
            break;
        }
    }
    for half in [-0.5, 0.5] {
        if let Some(here) = best(&judged).map(|here| here.octave).filter(|here| here.fract() == 0.0) {
            judged.push(judge(here + half)?);
        }
    }
    let Some(here) = best(&judged) else { return Ok((median, "median distance".into())) };
    let words =
        "the smallest sets, in half octaves of the median distance, which rows held out leave as often as ν says";
    let seen = format!("mean volume {:.3}, {:.1} points off beside noise", here.volume, 100.0 * here.apart);
    Ok((at(here.octave), format!("{words} ({seen}; {FOLDS} folds of {} rows)", some.len())))
}
