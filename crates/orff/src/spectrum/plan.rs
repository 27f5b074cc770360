//! Drawing atoms: kind of draw × measure, written once for all laws.

use super::draw::{Draw, DrawKind, Drawn, Measure};
use super::law::{Law, Sampling, Scale, infinite_moment, symmetric};
use super::omega::Omega;
use super::orthogonal::haar;
use super::sobol::Sobol;
use super::structured::Structured;
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::special::{gamma_quantile, gamma_tail_quantile, normal_quantile};
use faer::Mat;
use rayon::prelude::*;
use std::f64::consts::{LN_2, SQRT_2};

/// Below this dimension the directions of Hadamard products are visibly not uniform (bias −0.03 at d = 8).
const STRUCTURED_FROM: usize = 32;

/// What the streams of a (seed, purpose) serve; their number is the atom, block or dimension.
#[derive(Clone, Copy)]
enum Use {
    Atom = 0,
    Block = 1,
    Radius = 2,
    Scramble = 3,
}

/// A checked draw, before the number of atoms is known.
pub(super) struct Plan<'a> {
    name: &'static str,
    law: &'a dyn Law,
    /// ℓ, d.
    scales: Vec<f64>,
    how: &'a Draw,
    /// E[ωₖ²], d; used by the trace measure.
    moments: Vec<f64>,
    /// T = ΣE[ωₖ²].
    trace: f64,
}

impl<'a> Plan<'a> {
    pub fn new(name: &'static str, law: &'a dyn Law, scales: Vec<f64>, how: &'a Draw) -> Result<Self> {
        let moments: Vec<f64> = scales.iter().enumerate().map(|(k, s)| law.variance(k) / (s * s)).collect();
        let plan = Plan { name, law, trace: moments.iter().sum(), moments, scales, how };
        plan.check_measure()?;
        plan.check_kind()?;
        Ok(plan)
    }

    fn check_measure(&self) -> Result<()> {
        match (self.how.measure, self.law.sampling()) {
            (Measure::Trace, _) if self.trace.is_infinite() => {
                Err(infinite_moment(format!("measure trace for {}", self.name), self.name))
            }
            (Measure::Trace, Sampling::Mixture(Some(scale))) => scale.biased_exists(),
            (Measure::Tilted, sampling) if !matches!(sampling, Sampling::Mixture(None)) => Err(Error::refused(
                format!("measure tilted for {}", self.name),
                "the tilt by a wider normal law is for gaussian only (use measure trace or plain)",
            )),
            _ => Ok(()),
        }
    }

    fn check_kind(&self) -> Result<()> {
        let kind = self.how.kind;
        if !matches!(kind, DrawKind::Orthogonal | DrawKind::Structured) {
            return Ok(());
        }
        if matches!(self.law.sampling(), Sampling::Product(_) | Sampling::Components(_)) {
            return Err(Error::refused(
                format!("draw {kind} for {}", self.name),
                "its law is not rotation-invariant, so rotated directions would be biased (use draw iid or \
                 quasi-monte-carlo, or spectrum gaussian or matern)",
            ));
        }
        if self.how.measure == Measure::Trace && self.scales.iter().any(|s| *s != self.scales[0]) {
            return Err(Error::refused(
                format!("draw {kind} with measure trace and one lengthscale per input"),
                "the size-biased law is then not a scaled rotation-invariant one (use draw iid or \
                 quasi-monte-carlo, measure plain, or one common lengthscale)",
            ));
        }
        Ok(())
    }

    /// `count` atoms.
    pub fn draw(&self, count: usize) -> Result<Drawn> {
        let d = self.scales.len();
        if count.checked_mul(d).is_none_or(|size| size > isize::MAX as usize / 64) {
            let given = format!("{count} atoms of {d} inputs");
            return Err(Error::parameter("features", "as many as fit into memory", given));
        }
        let mut drawn = match self.how.kind {
            DrawKind::Iid => self.iid(count),
            DrawKind::QuasiMonteCarlo => self.sobol(count)?,
            DrawKind::Structured if d >= STRUCTURED_FROM => self.structured(count),
            DrawKind::Orthogonal | DrawKind::Structured => self.orthogonal(count),
        };
        drawn.note = self.note();
        Ok(drawn)
    }

    fn note(&self) -> Option<String> {
        let d = self.scales.len();
        if self.how.kind == DrawKind::Structured && d < STRUCTURED_FROM {
            return Some(format!(
                "draw structured is biased for fewer than {STRUCTURED_FROM} inputs: with {d} the draw is orthogonal"
            ));
        }
        // E[ratio²] = (4/3)^{d/2} under the tilted law.
        let useful = libm::pow(0.75, d as f64 / 2.0);
        (self.how.measure == Measure::Tilted && useful < 0.25).then(|| {
            let percent = 100.0 * useful;
            format!("measure tilted with {d} inputs: the atoms count as {percent:.2} % as many (measure trace has no such loss)")
        })
    }

    fn stream(&self, purpose: Use, number: u64) -> Stream {
        Stream::new(self.how.seed, self.how.purpose, (purpose as u64) << 56 | number)
    }

    fn iid(&self, count: usize) -> Drawn {
        self.dense(count, |j, u| {
            let mut stream = self.stream(Use::Atom, j as u64);
            u.extend((0..self.uniforms()).map(|_| stream.uniform()));
        })
    }

    fn sobol(&self, count: usize) -> Result<Drawn> {
        if u32::try_from(count).is_err() {
            return Err(Error::parameter("features", "at most 2³² quasi-monte-carlo atoms", count));
        }
        let net = Sobol::scrambled(self.uniforms(), |k| self.stream(Use::Scramble, k))?;
        Ok(self.dense(count, |j, u| u.extend(net.point(j as u32))))
    }

    /// How many uniforms make one atom: [scale or component] [coordinate to be size-biased] one per coordinate.
    fn uniforms(&self) -> usize {
        let scale = matches!(self.law.sampling(), Sampling::Mixture(Some(_)) | Sampling::Components(_));
        usize::from(scale) + usize::from(self.how.measure == Measure::Trace) + self.scales.len()
    }

    /// Atoms from the uniforms that `fill` appends for each.
    fn dense(&self, count: usize, fill: impl Fn(usize, &mut Vec<f64>) + Sync) -> Drawn {
        let d = self.scales.len();
        let mut rows = vec![0.0; count * d]; // D×d, row-major
        let mut ratio = vec![1.0; count];
        rows.par_chunks_mut(d).zip(&mut ratio).enumerate().for_each_init(Vec::new, |u, (j, (row, ratio))| {
            u.clear();
            fill(j, u);
            self.atom(u, row);
            *ratio = self.finish(row);
        });
        Drawn { omega: Omega::Dense(Mat::from_fn(count, d, |j, k| rows[j * d + k])), ratio, note: None }
    }

    /// ζ from its uniforms. Trace: ‖ω‖²ρ is the mixture over k, with weights E[ωₖ²], of the laws size-biased by ωₖ².
    fn atom(&self, u: &[f64], zeta: &mut [f64]) {
        let (common, u) = u.split_at(u.len() - zeta.len());
        if let Sampling::Components(mixture) = self.law.sampling() {
            let biased = (self.how.measure == Measure::Trace).then_some(self.scales.as_slice());
            return mixture.atom(common, u, biased, zeta);
        }
        let chosen = match self.how.measure {
            Measure::Trace => Some(self.choose(common[common.len() - 1])),
            Measure::Plain | Measure::Tilted => None,
        };
        for (k, (zeta, &u)) in zeta.iter_mut().zip(u).enumerate() {
            *zeta = match (self.law.sampling(), chosen == Some(k)) {
                (Sampling::Product(law), false) => law.quantile(u),
                (Sampling::Product(law), true) => law.biased(u),
                (Sampling::Mixture(_), false) => normal_quantile(u),
                (Sampling::Mixture(_), true) => biased_normal(u),
                (Sampling::Components(_), _) => unreachable!("drawn above"),
            };
        }
        if let Sampling::Mixture(Some(law)) = self.law.sampling() {
            let s = self.scale(law, common[0]);
            zeta.iter_mut().for_each(|z| *z *= s);
        }
    }

    fn scale(&self, law: &dyn Scale, u: f64) -> f64 {
        match self.how.measure {
            Measure::Trace => law.biased(u),
            Measure::Plain | Measure::Tilted => law.quantile(u),
        }
    }

    /// The coordinate k with probability E[ωₖ²]/T.
    fn choose(&self, u: f64) -> usize {
        let mut left = u * self.trace;
        let hit = self.moments.iter().position(|moment| {
            left -= moment;
            left < 0.0
        });
        hit.unwrap_or(self.moments.len() - 1)
    }

    /// ‖ζ‖ of atom j: ‖z‖² ~ χ²(d), or χ²(d+2) size-biased, times the scale of the mixture.
    fn radius(&self, j: u64) -> f64 {
        let mut stream = self.stream(Use::Radius, j);
        let biased = if self.how.measure == Measure::Trace { 1.0 } else { 0.0 };
        let gaussian = (2.0 * gamma_quantile(stream.uniform(), self.scales.len() as f64 / 2.0 + biased)).sqrt();
        match self.law.sampling() {
            Sampling::Mixture(Some(law)) => gaussian * self.scale(law, stream.uniform()),
            Sampling::Mixture(None) | Sampling::Product(_) | Sampling::Components(_) => gaussian,
        }
    }

    fn orthogonal(&self, count: usize) -> Drawn {
        let d = self.scales.len();
        let mut rows = vec![0.0; count * d]; // D×d, row-major
        let mut ratio = vec![1.0; count];
        let blocks = rows.par_chunks_mut(d * d).zip(ratio.par_chunks_mut(d)).enumerate();
        blocks.for_each(|(b, (rows, ratio))| {
            rows.copy_from_slice(&haar(ratio.len(), d, self.stream(Use::Block, b as u64)));
            for (i, (row, ratio)) in rows.chunks_exact_mut(d).zip(ratio).enumerate() {
                let radius = self.radius((b * d + i) as u64);
                row.iter_mut().for_each(|z| *z *= radius);
                *ratio = self.finish(row);
            }
        });
        Drawn { omega: Omega::Dense(Mat::from_fn(count, d, |j, k| rows[j * d + k])), ratio, note: None }
    }

    fn structured(&self, count: usize) -> Drawn {
        let tilt = if self.how.measure == Measure::Tilted { SQRT_2 } else { 1.0 };
        let radii: Vec<f64> = (0..count as u64).into_par_iter().map(|j| tilt * self.radius(j)).collect();
        let ratio = radii.iter().map(|r| self.ratio(r * r, r * r / (self.scales[0] * self.scales[0]))).collect();
        let omega = Structured::new(self.scales.clone(), radii, |b| self.stream(Use::Block, b));
        Drawn { omega: Omega::Structured(omega), ratio, note: None }
    }

    /// ζ → ω = ζ/ℓ (tilted: √2ζ/ℓ), and its density ratio.
    fn finish(&self, zeta: &mut [f64]) -> f64 {
        if self.how.measure == Measure::Tilted {
            zeta.iter_mut().for_each(|z| *z *= SQRT_2);
        }
        let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        let white = square(zeta);
        zeta.iter_mut().zip(&self.scales).for_each(|(z, s)| *z /= s);
        self.ratio(white, square(zeta))
    }

    /// dρ/dρ_drawn given ‖ζ‖² and ‖ω‖².
    fn ratio(&self, white: f64, square: f64) -> f64 {
        match self.how.measure {
            Measure::Plain => 1.0,
            Measure::Trace => self.trace / square,
            Measure::Tilted => libm::exp(0.5 * LN_2 * self.scales.len() as f64 - 0.25 * white),
        }
    }
}

/// Quantile of the density z²φ(z): a random sign times √χ²(3).
fn biased_normal(u: f64) -> f64 {
    symmetric(u, |tail| (2.0 * gamma_tail_quantile(tail, 1.5)).sqrt())
}
