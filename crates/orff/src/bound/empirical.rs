//! The error that is seen: atoms are drawn many times and compared with the exact kernel.

use super::Setting;
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, MapKind};
use crate::kernel::Kernel;
use crate::linalg;
use crate::random::Stream;
use crate::spectrum::{Draw, DrawKind};
use crate::watch::Watch;
use faer::{Mat, MatMut, MatRef, unzip, zip};
use rayon::prelude::*;
use serde::Serialize;

/// Purpose of the stream that draws points; other purposes are small numbers or their hashes.
const POINTS: u64 = 0x706f_696e_7473;
/// Pairs of points the largest error is searched among.
const PAIRS: usize = 512;
/// Atoms whose cosines are held at once.
const AT_ONCE: usize = 512;
/// Between the seeds of two draws: those of neighbouring seeds have none in common.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Atoms whose errors are measured, at most, and numbers of their frequencies.
const MOST_ATOMS: u64 = 1 << 20;
const MOST_NUMBERS: u64 = 1 << 28;
/// Multiplications of one measurement while the fewest atoms are searched, with as many draws as are usual.
const MOST_WORK: u64 = 1 << 35;
const USUAL_DRAWS: u64 = 20;
/// Atoms from whose errors those of more are guessed.
const FEW_ATOMS: u64 = 1 << 10;

/// Largest errors ‖K̂ − K‖ over pairs of points, one for each draw of the atoms, in ascending order.
#[derive(Clone, Debug, Serialize)]
pub struct Empirical {
    /// Number of atoms D.
    pub atoms: u64,
    /// Number of pairs of points.
    pub pairs: usize,
    /// The largest error of each draw.
    pub errors: Vec<f64>,
    /// ‖D·mean (K̂ − K)²‖ over the draws, at pairs of points 0, half the diameter and the diameter apart along the diagonal.
    pub variance: Vec<f64>,
}

impl Empirical {
    /// The smallest error that at most this share of the draws exceeds.
    pub fn quantile(&self, share: f64) -> f64 {
        let n = self.errors.len();
        let above = (share * n as f64).floor() as usize;
        self.errors[(n - 1).saturating_sub(above)]
    }

    /// The share of draws whose error reaches ε.
    pub fn exceeding(&self, epsilon: f64) -> f64 {
        let below = self.errors.partition_point(|e| *e < epsilon);
        (self.errors.len() - below) as f64 / self.errors.len() as f64
    }
}

/// Draws D independent atoms `draws` times and measures the largest operator norm of K̂ − K over pairs of points of the set:
/// differences of every length up to the diameter, in random directions. A lower bound of the supremum. Time draws·pairs·D·(d + p²).
pub fn measure(setting: &Setting, atoms: u64, draws: u64, seed: u64, watch: &mut dyn Watch) -> Result<Empirical> {
    watch.stage("measure");
    measure_until(setting, atoms, draws, seed, watch, &|_| false)
}

/// The same of the draws before the errors are enough to know.
fn measure_until(
    setting: &Setting,
    atoms: u64,
    draws: u64,
    seed: u64,
    watch: &mut dyn Watch,
    known: &dyn Fn(&[f64]) -> bool,
) -> Result<Empirical> {
    if atoms == 0 || atoms > MOST_ATOMS {
        let expected = format!("from 1 to {MOST_ATOMS} atoms where errors are measured");
        return Err(Error::parameter("features", expected, format!("{atoms} atoms")));
    }
    if atoms.saturating_mul(setting.inputs as u64) > MOST_NUMBERS {
        let most = MOST_NUMBERS / setting.inputs as u64;
        let expected = format!("at most {most} atoms of {} inputs where errors are measured", setting.inputs);
        return Err(Error::parameter("features", expected, format!("{atoms} atoms")));
    }
    if draws == 0 {
        return Err(Error::parameter("draws", "a whole number ≥ 1", draws));
    }
    let (pairs, fixed) = (Pairs::within(setting, seed)?, Pairs::across(setting)?);
    let mut errors = Vec::new();
    let mut squares: Vec<Mat<f64>> = fixed.exact.iter().map(|k| Mat::zeros(k.nrows(), k.ncols())).collect();
    for draw in 0..draws {
        let own = seed.wrapping_add(draw.wrapping_mul(STRIDE));
        let how = Draw { kind: DrawKind::Iid, measure: setting.measure, seed: own, purpose: 0 };
        let drawn = setting.kernel.draw(setting.inputs, atoms as usize, &how, setting.sum)?;
        let map = FeatureMap::of(drawn, setting.map, how.seed);
        errors.push(pairs.error(&map)?);
        fixed.errors(&map)?.iter().zip(&mut squares).for_each(|(e, sum)| *sum += e * e);
        watch.advance(1)?;
        if known(&errors) {
            break;
        }
    }
    let times = atoms as f64 / errors.len() as f64 * fixed.gamma.map_or(1.0, |gamma| gamma * gamma);
    errors.sort_by(f64::total_cmp);
    let variance = squares.iter().map(|sum| Ok(times * super::constants::spectral_norm(sum)?));
    Ok(Empirical { atoms, pairs: PAIRS, errors, variance: variance.collect::<Result<_>>()? })
}

/// What was found of the fewest atoms with an error.
#[derive(Clone, Debug)]
pub struct Needed {
    /// The errors of so many, or of the few that were tried where they are too many.
    pub seen: Empirical,
    /// About how many it would be in that case, as errors fall like 1/√D.
    pub about: Option<f64>,
}

/// The fewest atoms, to a sixteenth, whose measured error exceeds ε in at most this share of the draws. No more are tried than 2³⁵
/// multiplications of 20 draws allow, which is seconds.
pub fn needed(
    setting: &Setting,
    epsilon: f64,
    share: f64,
    draws: u64,
    seed: u64,
    watch: &mut dyn Watch,
) -> Result<Needed> {
    let terms = setting.kernel.terms().len() as u64;
    let most = most_atoms(setting)?.max(terms);
    let (mut low, mut high) = (0, terms.max(1));
    // draws that exceed ε are too many, whatever the others do
    let too_many = |errors: &[f64]| {
        let above = errors.iter().filter(|e| **e >= epsilon).count();
        above as f64 > share * draws as f64
    };
    watch.stage("measure");
    let mut at =
        |atoms: u64, known: &dyn Fn(&[f64]) -> bool| measure_until(setting, atoms, draws, seed, watch, known);
    let mut best = loop {
        let seen = at(high, &too_many)?;
        if seen.exceeding(epsilon) <= share {
            break seen;
        }
        let least = seen.errors.iter().find(|e| **e >= epsilon).map_or(0.0, |e| e / epsilon);
        // far too few: four times the atoms have half the error
        if high * 2 > most || (high >= FEW_ATOMS && high as f64 * least * least > 8.0 * most as f64) {
            let few = high.min(FEW_ATOMS.max(terms));
            let seen = at(few, &|_| false)?;
            let about = few as f64 * (seen.quantile(share) / epsilon).powi(2);
            return Ok(Needed { seen, about: Some(about.max(high as f64)) });
        }
        (low, high) = (high, high * 2);
    };
    while high - low > (high / 16).max(1) {
        let middle = low + (high - low) / 2;
        let seen = at(middle, &too_many)?;
        if seen.exceeding(epsilon) <= share {
            (high, best) = (middle, seen);
        } else {
            low = middle;
        }
    }
    Ok(Needed { seen: best, about: None })
}

/// Atoms that are tried where the fewest are searched: a cosine counts as sixteen multiplications.
fn most_atoms(setting: &Setting) -> Result<u64> {
    let zero = vec![0.0; setting.inputs];
    let p = match setting.kernel.separated() {
        Some(_) => 1,
        None => setting.kernel.eval(&zero, &zero)?.nrows(),
    };
    let each = USUAL_DRAWS * (PAIRS * (16 + setting.inputs + p * p)) as u64;
    Ok((MOST_WORK / each).clamp(1 << 8, MOST_ATOMS))
}

/// Pairs of points (x, z), one row each (n×d), with their exact kernels.
///
/// ```
/// use orff::bound::Pairs;
/// use orff::feature::{FeatureMap, MapKind};
/// use orff::kernel::{Kernel, SumDraw};
/// use orff::spectrum::{Draw, Gaussian};
/// let k = Kernel::curl_free(Gaussian { lengthscale: 1.0.into() }.into());
/// let at = |features| -> orff::Result<f64> {
///     let map = FeatureMap::draw(&k, 2, features, MapKind::Pairs, &Draw::default(), SumDraw::default())?;
///     Pairs::new(&k, faer::mat![[0.0, 0.0]], faer::mat![[0.3, 0.1]])?.error(&map)
/// };
/// assert!(at(20_000)? < at(20)?);
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Pairs {
    x: Mat<f64>,
    z: Mat<f64>,
    /// K(x, z), or k(x, z) where K = kΓ.
    exact: Vec<Mat<f64>>,
    /// ‖Γ‖ where K = kΓ.
    gamma: Option<f64>,
}

impl Pairs {
    /// Pairs of rows of x and z (n×d, at least one) in the coordinates of a resolved kernel.
    pub fn new(kernel: &Kernel, x: Mat<f64>, z: Mat<f64>) -> Result<Self> {
        if x.nrows() != z.nrows() || x.ncols() != z.ncols() || x.nrows() == 0 {
            let given = format!("{}×{} and {}×{}", x.nrows(), x.ncols(), z.nrows(), z.ncols());
            return Err(Error::shape("pairs of points", "two matrices of one shape with at least one row", given));
        }
        let separated = kernel.separated();
        let gamma = separated.as_ref().map(|(_, gamma)| super::constants::spectral_norm(gamma)).transpose()?;
        let kernel = separated.as_ref().map_or(kernel, |(scalar, _)| scalar);
        let row = |m: &Mat<f64>, i: usize| m.row(i).iter().copied().collect::<Vec<f64>>();
        let exact = (0..x.nrows()).map(|i| kernel.eval(&row(&x, i), &row(&z, i))).collect::<Result<_>>()?;
        Ok(Pairs { x, z, exact, gamma })
    }

    /// Pairs of rows of x and z (n×d) in the coordinates of atoms, whose kernel is the exact one: Σa cos⟨ω, x − z⟩.
    pub(super) fn of_atoms(map: FeatureMap, x: Mat<f64>, z: Mat<f64>) -> Result<Self> {
        let exact = vec![Mat::zeros(1, 1); x.nrows()];
        let none = Pairs { x, z, exact, gamma: Some(1.0) };
        let exact = none.errors(&map)?;
        Ok(Pairs { exact, ..none })
    }

    /// The first pair is one point twice; the others have differences of length uniform up to the diameter, about the origin.
    fn within(setting: &Setting, seed: u64) -> Result<Self> {
        let d = setting.inputs;
        let mut x = Mat::zeros(PAIRS, d);
        for i in 1..PAIRS {
            let mut stream = Stream::new(seed, POINTS, i as u64);
            let direction: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
            let norm = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
            let half = 0.5 * setting.diameter * stream.uniform() / norm;
            direction.iter().enumerate().for_each(|(k, v)| x[(i, k)] = half * v);
        }
        let z = faer::Scale(-1.0) * &x;
        Pairs::new(&setting.kernel, x, z)
    }

    /// Pairs about the origin, as far apart as variances are told at.
    fn across(setting: &Setting) -> Result<Self> {
        let differences = setting.distances().map(|distance| setting.across(distance));
        let half = |sign: f64| Mat::from_fn(3, setting.inputs, |i, k| 0.5 * sign * differences[i][k]);
        Pairs::new(&setting.kernel, half(1.0), half(-1.0))
    }

    /// The largest operator norm of K̂ − K over the pairs, for atoms of the kernel. Time n·D·(d + p²).
    pub fn error(&self, map: &FeatureMap) -> Result<f64> {
        let errors = self.errors(map)?;
        let norms = errors.par_iter().map(super::constants::spectral_norm).collect::<Result<Vec<f64>>>()?;
        Ok(self.gamma.unwrap_or(1.0) * norms.into_iter().fold(0.0, f64::max))
    }

    /// K̂ − K at each pair, or k̂ − k where K = kΓ.
    fn errors(&self, map: &FeatureMap) -> Result<Vec<Mat<f64>>> {
        let (n, d) = (self.x.nrows(), self.x.ncols());
        let p = self.exact[0].nrows();
        if map.atoms().inputs() != d {
            return Err(Error::shape("points", format!("{} coordinates", map.atoms().inputs()), d));
        }
        let mut sums = Mat::zeros(n, p * p);
        let mut row = vec![0.0; d];
        let differences = &self.x - &self.z;
        // made once: atoms are many
        let (mut omega, mut operators) = (Mat::zeros(d, AT_ONCE), Mat::zeros(AT_ONCE, p * p)); // aⱼAⱼ, or aⱼ, one row each
        let (mut waves, mut others, mut part) = (Mat::zeros(n, AT_ONCE), Mat::new(), Mat::zeros(n, p * p));
        for (b, block) in map.atoms().blocks.iter().enumerate() {
            for from in (0..block.count()).step_by(AT_ONCE) {
                let count = AT_ONCE.min(block.count() - from);
                for j in 0..count {
                    block.omega.row(from + j, &mut row);
                    (0..d).for_each(|k| omega[(k, j)] = row[k]);
                    if self.gamma.is_some() {
                        operators[(j, 0)] = block.weight[from + j];
                        continue;
                    }
                    let factor = block.factors.dense(from + j, &row);
                    let a = &factor * factor.transpose();
                    (0..p * p).for_each(|e| operators[(j, e)] = block.weight[from + j] * a[(e / p, e % p)]);
                }
                let omega = omega.subcols(0, count);
                match map.kind() {
                    MapKind::Pairs => cosines(waves.subcols_mut(0, count), &differences, omega, &[]),
                    MapKind::Phases => {
                        others.resize_with(n, AT_ONCE, |_, _| 0.0);
                        let phases = &map.phases(b)[from..from + count];
                        cosines(waves.subcols_mut(0, count), &self.x, omega, phases);
                        cosines(others.subcols_mut(0, count), &self.z, omega, phases);
                        zip!(waves.subcols_mut(0, count), others.subcols(0, count))
                            .for_each(|unzip!(x, z)| *x *= 2.0 * *z);
                    }
                }
                linalg::product_into(part.as_mut(), waves.subcols(0, count), operators.subrows(0, count));
                sums += &part;
            }
        }
        let error = |i: usize| Mat::from_fn(p, p, |s, t| sums[(i, s * p + t)] - self.exact[i][(s, t)]);
        Ok((0..n).map(error).collect())
    }
}

/// cos(⟨x, ω⟩ + phase), a row for each point (n×d) and a column for each frequency (d×D).
fn cosines(mut angles: MatMut<f64>, points: &Mat<f64>, omega: MatRef<f64>, phases: &[f64]) {
    linalg::product_into(angles.as_mut(), points.as_ref(), omega);
    angles.par_col_iter_mut().enumerate().for_each(|(j, column)| {
        let column = column.try_as_col_major_mut().expect("columns in one piece").as_slice_mut();
        column.iter_mut().for_each(|angle| *angle += phases.get(j).unwrap_or(&0.0));
        linalg::cos_in_place(column);
    });
}
