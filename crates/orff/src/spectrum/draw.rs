//! Drawing atoms: kind of draw × measure, written once for all laws.

use super::law::{Law, Sampling, infinite_moment};
use super::omega::Omega;
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::special::{gamma_tail_quantile, normal_quantile};
use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;
use std::fmt;
use std::str::FromStr;

/// An enum of names: kebab-case in files and on the command line.
macro_rules! names {
    ($(#[$meta:meta])* $Name:ident $what:literal { $($(#[$inner:meta])* $Variant:ident $name:literal $($alias:literal)?),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $Name { $($(#[$inner])* #[serde(rename = $name $(, alias = $alias)?)] $Variant),* }

        impl $Name {
            /// All names.
            pub const NAMES: &[&str] = &[$($name),*];
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($Name::$Variant => $name),* })
            }
        }

        impl FromStr for $Name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                match text {
                    $($name $(| $alias)? => Ok($Name::$Variant),)*
                    _ => Err(Error::parameter($what, format!("one of {}", Self::NAMES.join(", ")), text)),
                }
            }
        }
    };
}

names! {
    /// Which dependence the atoms have among each other; each alone always has the law.
    #[derive(Default)]
    DrawKind "draw" {
        /// Independent.
        #[default]
        Iid "iid",
        /// Blocks of d orthogonal directions: smaller error, for rotation-invariant laws.
        Orthogonal "orthogonal",
        /// Scrambled Sobol points through the quantiles: smaller error in few dimensions.
        QuasiMonteCarlo "quasi-monte-carlo" "qmc",
        /// Products of Hadamard and sign matrices: O(D log d) per row, for rotation-invariant laws and d ≥ 32.
        Structured "structured",
    }
}

names! {
    /// From which measure the atoms are drawn; the density ratio corrects for it.
    #[derive(Default)]
    Measure "measure" {
        /// ρ itself.
        #[default]
        Plain "plain",
        /// ‖ω‖²ρ/E‖ω‖²: bounded atoms for curl-free and divergence-free kernels.
        Trace "trace",
        /// N(0, 2ℓ⁻²) for the gaussian.
        Tilted "tilted",
    }
}

/// How atoms are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// Dependence among atoms.
    pub kind: DrawKind,
    /// The measure they are drawn from.
    pub measure: Measure,
    /// Seed.
    pub seed: u64,
    /// Separates independent draws under one seed, such as the two factors of a product.
    pub purpose: u64,
}

/// Atoms as drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Frequencies, D×d.
    pub omega: Omega,
    /// Density ratio dρ/dρ_drawn at each atom: E_ρ[f(ω)] is the mean of ratio·f(ω).
    pub ratio: Vec<f64>,
    /// What the user should know, such as a draw that was replaced by another.
    pub note: Option<String>,
}

/// Which streams of a (seed, purpose) serve what: the number of the atom, block or dimension is below.
pub(super) mod domain {
    pub const ATOM: u64 = 0;
}

/// A checked draw, before the number of atoms is known.
pub(super) struct Plan<'a> {
    name: &'static str,
    law: &'a dyn Law,
    scales: Vec<f64>,
    how: &'a Draw,
    /// E[ωₖ²] for trace, else empty.
    moments: Vec<f64>,
    /// T = ΣE[ωₖ²].
    trace: f64,
}

impl<'a> Plan<'a> {
    pub fn new(name: &'static str, law: &'a dyn Law, scales: Vec<f64>, how: &'a Draw) -> Result<Self> {
        let moments: Vec<f64> = match how.measure {
            Measure::Trace => scales.iter().map(|s| law.variance() / (s * s)).collect(),
            Measure::Plain | Measure::Tilted => Vec::new(),
        };
        let plan = Plan { name, law, trace: moments.iter().sum(), moments, scales, how };
        plan.check_measure()?;
        Ok(plan)
    }

    fn check_measure(&self) -> Result<()> {
        match (self.how.measure, self.law.sampling()) {
            (Measure::Trace, _) if self.law.variance().is_infinite() => {
                Err(infinite_moment(format!("measure trace for {}", self.name), self.name))
            }
            (Measure::Trace, Sampling::Mixture(Some(scale))) => scale.biased_exists(),
            (Measure::Tilted, sampling) if !matches!(sampling, Sampling::Mixture(None)) => Err(Error::refused(
                format!("measure tilted for {}", self.name),
                "the tilt by a wider normal law is bounded for gaussian only (use measure trace or plain)",
            )),
            _ => Ok(()),
        }
    }

    pub fn draw(&self, count: usize) -> Result<Drawn> {
        let d = self.scales.len();
        if count
            .checked_mul(d)
            .and_then(|size| size.checked_mul(8))
            .is_none_or(|bytes| bytes > isize::MAX as usize / 4)
        {
            return Err(Error::parameter("features", "fewer atoms", format!("{count} atoms of {d} inputs")));
        }
        match self.how.kind {
            DrawKind::Iid => Ok(self.iid(count)),
            kind => Err(Error::refused(kind.to_string(), "not yet")),
        }
    }

    fn iid(&self, count: usize) -> Drawn {
        let uniforms = self.uniforms();
        self.dense(count, |j, u| {
            let mut stream = Stream::new(self.how.seed, self.how.purpose, domain::ATOM << 56 | j as u64);
            u.resize(uniforms, 0.0);
            u.iter_mut().for_each(|u| *u = stream.uniform());
        })
    }

    /// How many uniforms make one atom: [scale] [coordinate that is size-biased] one per coordinate.
    fn uniforms(&self) -> usize {
        let scale = matches!(self.law.sampling(), Sampling::Mixture(Some(_)));
        usize::from(scale) + usize::from(self.how.measure == Measure::Trace) + self.scales.len()
    }

    /// Atoms from the uniforms that `fill` gives for each.
    fn dense(&self, count: usize, fill: impl Fn(usize, &mut Vec<f64>) + Sync) -> Drawn {
        let d = self.scales.len();
        let mut rows = vec![0.0; count * d]; // D×d, row-major
        let mut ratio = vec![1.0; count];
        rows.par_chunks_mut(d).zip(&mut ratio).enumerate().for_each_init(Vec::new, |u, (j, (row, ratio))| {
            fill(j, u);
            *ratio = self.atom(u, row);
        });
        Drawn { omega: Omega::Dense(Mat::from_fn(count, d, |j, k| rows[j * d + k])), ratio, note: None }
    }

    /// One atom from its uniforms: ω into `out`, the density ratio returned.
    fn atom(&self, u: &[f64], out: &mut [f64]) -> f64 {
        let trace = self.how.measure == Measure::Trace;
        let (common, u) = u.split_at(u.len() - out.len());
        let chosen = trace.then(|| self.choose(common[common.len() - 1]));
        for (k, (out, &u)) in out.iter_mut().zip(u).enumerate() {
            *out = match (self.law.sampling(), chosen == Some(k)) {
                (Sampling::Product(law), false) => law.quantile(u),
                (Sampling::Product(law), true) => law.biased(u),
                (Sampling::Mixture(_), false) => normal_quantile(u),
                (Sampling::Mixture(_), true) => biased_normal(u),
            };
        }
        if let Sampling::Mixture(Some(scale)) = self.law.sampling() {
            let s = if trace { scale.biased(common[0]) } else { scale.quantile(common[0]) };
            out.iter_mut().for_each(|z| *z *= s);
        }
        self.finish(out)
    }

    /// The coordinate k with probability E[ωₖ²]/T.
    fn choose(&self, u: f64) -> usize {
        let mut left = u * self.trace;
        self.moments
            .iter()
            .position(|moment| {
                left -= moment;
                left < 0.0
            })
            .unwrap_or(self.moments.len() - 1)
    }

    /// ζ → ω = ζ/ℓ and its density ratio.
    fn finish(&self, zeta: &mut [f64]) -> f64 {
        if self.how.measure == Measure::Tilted {
            zeta.iter_mut().for_each(|z| *z *= std::f64::consts::SQRT_2);
        }
        let log_tilt = 0.5 * LN_2 * zeta.len() as f64 - 0.25 * zeta.iter().map(|z| z * z).sum::<f64>();
        zeta.iter_mut().zip(&self.scales).for_each(|(z, s)| *z /= s);
        match self.how.measure {
            Measure::Plain => 1.0,
            Measure::Trace => self.trace / zeta.iter().map(|z| z * z).sum::<f64>(),
            Measure::Tilted => libm::exp(log_tilt),
        }
    }
}

/// Quantile of the density z²φ(z): a random sign times √χ²(3).
fn biased_normal(u: f64) -> f64 {
    super::law::symmetric(u, |tail| (2.0 * gamma_tail_quantile(tail, 1.5)).sqrt())
}
