//! The ridge: given, or chosen along the path; and the solution at it.

use super::choose::EIGEN_UNKNOWNS;
use super::gather::Gathering;
use super::mixed::{Corrections, Mixed, Rounding, SURE};
use super::plan::Sizes;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap, reblock};
use crate::linalg::cg;
use crate::rows::{Batch, Rows, Weights};
use crate::solve::{
    Banded, Centred, LeftOut, PathPoint, Solution, Spectral, System, solve_in_place, solve_iterative,
};
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// For classes the largest ridge is taken whose error exceeds the smallest by less than this share: labels can be
/// interpolated, and then the errors of small ridges differ by rounding.
const ALIKE: f64 = 1e-4;
/// Systems up to this size are kept beside their factor, for eigenvalues where there is none.
pub(super) const KEPT_UNKNOWNS: usize = 1024;
/// Matrices that eigenvectors and their making take.
pub(super) const EIGENVECTORS: f64 = 5.8;
/// Ridges below this share of the largest of the path, 10⁻⁹ of the largest eigenvalue, are not looked at for classes: the
/// rounding of their errors would exceed that.
const RESOLVED: f64 = 1e-11;

/// Rounding of the centred moments: M ε of the largest before their mean was taken away. At a long lengthscale that is most
/// of them.
fn rounding(all: &Centred) -> f64 {
    let m = all.cc.nrows().min(all.mean_c.len());
    let whole = |k: usize| all.cc[(k, k)] + all.weight * all.mean_c[k] * all.mean_c[k];
    m as f64 * f64::EPSILON * (0..m).map(whole).fold(0.0, f64::max)
}

/// How the ridge is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ridge {
    /// By the largest evidence.
    #[default]
    Evidence,
    /// By generalised cross-validation.
    Gcv,
    /// By exact leave-one-out (nλ kept): one more pass over the rows; decomposable kernels with complete outputs.
    Loo,
    /// Given: λ of the mean loss (1/Σw)Σwℓ + λ‖θ‖².
    #[serde(untagged)]
    Given(f64),
}

/// nλ, which has to be a number.
pub(super) fn times_rows(ridge: f64, rows: f64) -> Result<f64> {
    let expected = || format!("a number ≥ 0, finite also when times {rows} rows");
    let all = rows * ridge;
    if all.is_finite() { Ok(all) } else { Err(Error::parameter("ridge", expected(), format!("{ridge:e}"))) }
}

/// The rows that were gathered, for those who read them again.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    pub rows: &'a dyn Rows,
    /// How much of each row's weight leave-one-out takes away; all of it unless this says otherwise. Who asks for parts
    /// wants the leverages, too, however few the rows are.
    pub part: Option<&'a (dyn Fn(&Batch) -> Vec<f64> + Sync)>,
}

impl<'a> Again<'a> {
    /// Rows that are left out as a whole.
    pub fn of(rows: &'a dyn Rows) -> Self {
        Again { rows, part: None }
    }
}

/// A solution, its ridge, the scores along the path and the reasons.
pub(super) struct Solved {
    pub solution: Solution,
    pub ridge: f64,
    pub path: Vec<PathPoint>,
    pub reasons: Vec<String>,
}

/// A ridge for which one factorisation is enough.
struct AtOnce {
    ridge: f64,
    path: Vec<PathPoint>,
    reasons: Vec<String>,
    /// Degrees of freedom of each output, where they are known.
    freedom: Option<Vec<f64>>,
}

impl AtOnce {
    fn given(ridge: f64) -> Self {
        AtOnce { ridge, path: Vec::new(), reasons: Vec::new(), freedom: None }
    }

    /// The best ridge of a system by a band; none where only eigenvalues tell it. With features in fixed point an error, where
    /// it may not be the one of double precision.
    fn chosen(system: &System, by: Ridge, rounding: f64, fixed: Option<Rounding>) -> Result<Option<Self>> {
        let band = Banded::new(system)?;
        let score = |p: &PathPoint| match by {
            Ridge::Gcv => 0.5 * system.observed * p.gcv.ln(),
            _ => -p.evidence,
        };
        let least = band.least(rounding.max(fixed.map_or(0.0, |f| f.least)));
        let path = band.path(least);
        let resolved = |p: &PathPoint| if p.ridge < least { f64::INFINITY } else { score(p) };
        let best = if band.tells() { band.minimise(&path, resolved).ok().flatten() } else { None };
        let best = best.filter(|best| best.ridge >= band.told());
        let mut words = criterion(by).to_string();
        if let Some(Rounding { deviation, .. }) = fixed {
            let doubt = best.and_then(|best| band.doubt(&best, deviation, resolved)).unwrap_or(f64::INFINITY);
            // another valley may begin where ridges cannot be told apart
            let below = path.iter().filter(|p| best.is_some_and(|best| p.ridge <= best.ridge));
            if !(doubt <= SURE && below.map(score).is_sorted_by(|a, b| a >= b)) {
                let why = "it cannot tell which ridge is the best";
                return Err(Error::numerical("mixed precision", why));
            }
            words += &format!(" of those from {least:.0e} on, which fixed point can tell");
        }
        let each = |best: &PathPoint| vec![best.freedom / system.components.len() as f64; system.components.len()];
        Ok(best.map(|best| AtOnce {
            ridge: best.ridge,
            path: best.among(path),
            reasons: vec![reason(&best, &words)],
            freedom: Some(system.freedom(&each(&best))),
        }))
    }
}

/// How a ridge was chosen, in words.
pub(super) fn criterion(by: Ridge) -> &'static str {
    if by == Ridge::Gcv { "smallest generalised cross-validation score" } else { "largest evidence" }
}

/// What is said where a band was not enough.
fn eigenvalues(unknowns: usize) -> String {
    let megabytes = 8e-6 * EIGENVECTORS * (unknowns * unknowns) as f64;
    format!("ridges near rounding are told apart by eigenvalues, which take about {megabytes:.0} MB")
}

fn reason(best: &PathPoint, by: &str) -> String {
    format!("ridge {:.3e}: {by}; {:.1} degrees of freedom", best.ridge, best.freedom)
}

impl Gathering {
    /// Solves for the ridge that was asked for. Leave-one-out reads the rows again.
    /// Only summaries are left of the data where they are enough. With rows as `mixed`, solutions are corrected for what
    /// moments lost to rounding.
    pub(super) fn solved(
        &self,
        data: &mut Vec<Centred>,
        metric: Option<&Mat<f64>>,
        again: Option<Again>,
        mixed: Option<Mixed>,
        watch: &mut dyn Watch,
    ) -> Result<Solved> {
        let (map, learner) = (&self.map, &self.learner);
        // outputs that are tied and have gaps are one system
        let unknowns = if System::splits(map, data) { map.characters() } else { map.unknowns() };
        let given = matches!(learner.ridge, Ridge::Given(_));
        // one factorisation in the place of the moments: less than the pass that made them took
        let direct = matches!(learner.ridge, Ridge::Given(ridge) if ridge > 0.0)
            && unknowns <= 4 * EIGEN_UNKNOWNS
            && data.len() == 1
            && Sizes::of(map.atoms()).even;
        if !direct && (unknowns > 2 * EIGEN_UNKNOWNS || (unknowns > EIGEN_UNKNOWNS && !given)) {
            return self.iterated(unknowns, data, metric, again, watch);
        }
        let rounding = data.iter().map(rounding).fold(0.0, f64::max);
        let mut system = if System::splits(map, data) {
            let summaries = data.iter().map(Centred::summary).collect();
            System::new(map, std::mem::replace(data, summaries), metric)?
        } else {
            System::new(map, &*data, metric)?
        };
        let fixed = mixed.and_then(|mixed| mixed.rounding(self, &system));
        let mut corrections = mixed.map(|mixed| Corrections::new(self, mixed, &system, &data[0]));
        let suits = fixed.is_some() || Banded::suits(&system);
        let at_once = match learner.ridge {
            Ridge::Given(ridge) if ridge > 0.0 && system.same_variance() => Some(AtOnce::given(ridge)),
            Ridge::Evidence | Ridge::Gcv if suits => AtOnce::chosen(&system, learner.ridge, rounding, fixed)?,
            _ => None,
        };
        watch.advance(0)?;
        if let Some(AtOnce { ridge, path, mut reasons, freedom }) = at_once {
            let posterior = learner.posterior && unknowns <= 2 * EIGEN_UNKNOWNS;
            let kept = (unknowns <= KEPT_UNKNOWNS).then(|| system.clone());
            let solution = solve_in_place(map, system, ridge, posterior, &mut |system, solutions| {
                corrections.as_mut().map_or(Ok(None), |c| c.next(system, solutions, ridge, watch))
            });
            match (solution, kept) {
                // a ridge lost to rounding beside the largest eigenvalue: eigenvalues hold it apart
                (Err(Error::Numerical { .. }), Some(kept)) if given || mixed.is_none() => system = kept,
                (solution, _) => {
                    let mut solution = solution?;
                    solution.freedom = solution.freedom.or(freedom);
                    reasons.extend(corrections.and_then(|c| c.reason()));
                    return Ok(Solved { solution, ridge, path, reasons });
                }
            }
        }
        let band = suits && matches!(learner.ridge, Ridge::Evidence | Ridge::Gcv);
        let room = if band { Some(eigenvalues(unknowns)) } else { None };
        let mut spectral = Spectral::new(system)?;
        watch.advance(0)?;
        let mut path: Vec<PathPoint> = spectral.path();
        // below that a score tells of rounding, not of rows
        let least = spectral.least(rounding);
        let resolved = |p: &PathPoint, score: f64| if p.ridge < least { f64::INFINITY } else { score };
        let (best, by) = match learner.ridge {
            Ridge::Given(ridge) => (spectral.at(ridge), None),
            Ridge::Evidence => (spectral.minimise(|p| resolved(p, -p.evidence))?, Some(criterion(learner.ridge))),
            Ridge::Gcv => (spectral.minimise(|p| resolved(p, p.gcv))?, Some(criterion(learner.ridge))),
            Ridge::Loo => {
                let [all] = &data[..] else { return Err(incomplete()) };
                let best = self.leave_one_out(map, all, again, &spectral, &mut path, watch)?;
                (best, Some(smallest(again)))
            }
        };
        let posterior = learner.posterior && unknowns <= EIGEN_UNKNOWNS;
        let solution = match &mut corrections {
            None => spectral.solve(map, best.ridge, posterior)?,
            Some(corrections) => {
                let mut next =
                    |system: &System, found: &[Vec<f64>]| corrections.next(system, found, best.ridge, watch);
                spectral.solve_corrected(map, best.ridge, posterior, &mut next)?
            }
        };
        let uncorrected = corrections.and_then(|corrections| corrections.reason());
        let path = best.among(path);
        Ok(Solved {
            solution,
            ridge: best.ridge,
            path,
            reasons: by.map(|by| reason(&best, by)).into_iter().chain(room).chain(uncorrected).collect(),
        })
    }

    /// Conjugate gradients, where there are too many unknowns for a factorisation.
    fn iterated(
        &self,
        unknowns: usize,
        data: &[Centred],
        metric: Option<&Mat<f64>>,
        again: Option<Again>,
        watch: &mut dyn Watch,
    ) -> Result<Solved> {
        let (ridge, reason) = match self.learner.ridge {
            Ridge::Given(0.0) => {
                return Err(Error::refused(
                    format!("ridge 0 with {unknowns} unknowns"),
                    format!("least-norm solutions need at most {EIGEN_UNKNOWNS}; lower features or give a ridge > 0"),
                ));
            }
            Ridge::Given(ridge) => (ridge, None),
            _ => {
                let (ridge, reason) = self.ridge_of_prefix(data, metric, again, watch)?;
                (ridge, Some(reason))
            }
        };
        let how = cg::Params { tol: self.learner.tolerance, max_iter: self.learner.iterations };
        let solution = solve_iterative(&self.map, data, metric, ridge, how, watch)?;
        Ok(Solved { solution, ridge, path: Vec::new(), reasons: reason.into_iter().collect() })
    }

    /// The ridge with the largest evidence (or smallest leave-one-out error) for the first atoms alone: their moments are
    /// a corner of the moments.
    fn ridge_of_prefix(
        &self,
        data: &[Centred],
        metric: Option<&Mat<f64>>,
        again: Option<Again>,
        watch: &mut dyn Watch,
    ) -> Result<(f64, String)> {
        let per_character = self.map.unknowns().div_ceil(self.map.characters());
        if data.len() > 1 && 32 * per_character > EIGEN_UNKNOWNS {
            return Err(Error::refused(
                format!("choosing the ridge of {} tied outputs with gaps from moments", data.len()),
                "give a ridge, or fit all rows at once with the solver rows",
            ));
        }
        let (small, keep) = self.map.prefix((1024 / per_character).max(32))?;
        let corner: Vec<Centred> = data.iter().map(|c| c.restricted(&keep)).collect();
        let spectral = Spectral::new(System::new(&small, &corner, metric)?)?;
        let (best, by) = match (self.learner.ridge, &corner[..]) {
            (Ridge::Loo, [all]) => {
                let mut path: Vec<PathPoint> = spectral.path();
                (self.leave_one_out(&small, all, again, &spectral, &mut path, watch)?, smallest(again))
            }
            (Ridge::Loo, _) => return Err(incomplete()),
            (Ridge::Gcv, _) => (spectral.minimise(|p| p.gcv)?, criterion(Ridge::Gcv)),
            _ => (spectral.minimise(|p| -p.evidence)?, criterion(Ridge::Evidence)),
        };
        let reason = format!("ridge {:.3e}: {by} of the first {} characters", best.ridge, keep.len());
        Ok((best.ridge, reason))
    }

    /// The point of the path with the smallest leave-one-out error of a map, whose moments are given.
    fn leave_one_out(
        &self,
        map: &FeatureMap,
        all: &Centred,
        again: Option<Again>,
        spectral: &Spectral,
        path: &mut [PathPoint],
        watch: &mut dyn Watch,
    ) -> Result<PathPoint> {
        let Some(Again { rows, part }) = again.filter(|a| a.rows.rereadable()) else { return Err(once()) };
        watch.stage("leave-one-out");
        let ridges: Vec<f64> = path.iter().map(|p| p.ridge).collect();
        let errors = spectral.leave_one_out(&all.mean_c, &ridges)?;
        let mut sums = vec![0.0; ridges.len()];
        let mut characters = Characters::new(map.characters());
        let mut row = 0;
        for block in reblock(rows, BLOCK_ROWS)? {
            let block = block?;
            let n = block.inputs.nrows();
            let (inputs, outputs, weights) = self.stage.prepare(&block, row + 1)?;
            map.fill(&inputs, &mut characters);
            let c = characters.as_mat();
            let y = Mat::from_fn(c.nrows(), outputs.ncols(), |i, t| outputs[(i, t)] - all.mean_y[t]);
            let weight = match weights {
                Some(Weights::Row(w)) => w,
                _ => vec![1.0; c.nrows()],
            };
            let left = part.map_or_else(|| weight.clone(), |part| part(&block));
            let rows = LeftOut { weight: &weight, left: &left, offset: self.learner.offset };
            errors.add(c, y.as_ref(), rows, &mut sums);
            row += n;
            watch.advance(n as u64)?;
        }
        let scale = 1.0 / (all.weight * all.mean_y.len() as f64);
        path.iter_mut().zip(&sums).for_each(|(p, s)| p.loo = Some(s * scale));
        let (alike, resolved) = if part.is_some() { (ALIKE, RESOLVED) } else { (0.0, 0.0) };
        let first = resolved * path.last().map_or(0.0, |p| p.ridge);
        let error = |p: &PathPoint| p.loo.filter(|_| p.ridge >= first).unwrap_or(f64::INFINITY);
        let most = (1.0 + alike) * path.iter().map(error).fold(f64::INFINITY, f64::min);
        let good = path.iter().rfind(|p| error(p) <= most && error(p).is_finite());
        good.copied().ok_or_else(|| Error::numerical("ridge", "no ridge gives a finite leave-one-out error"))
    }
}

/// What leave-one-out chose, in words.
fn smallest(again: Option<Again>) -> &'static str {
    match again {
        Some(Again { part: Some(_), .. }) => "largest with a leave-one-out error within 0.01 % of the smallest",
        _ => "smallest leave-one-out error",
    }
}

fn incomplete() -> Error {
    Error::refused("leave-one-out with missing outputs", "rows have no common leverage; use gcv")
}

/// Leave-one-out reads the rows again.
pub(super) fn once() -> Error {
    Error::refused(
        "leave-one-out from rows that are read once",
        "it needs a second pass; give a file, or choose the ridge by gcv or evidence",
    )
}
