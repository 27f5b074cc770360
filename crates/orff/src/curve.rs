//! Functions of one argument t, of which the values of a function-valued function are made. \[curves\]
//!
//! f_x(t) = Σⱼ hⱼ(x) φⱼ(t): the hⱼ are learned from the inputs x, the φⱼ are given. A model of curves is a model with a
//! column for each hⱼ (those of the first output, then those of the second, …), and a [`CurveBasis`] that says what its
//! columns mean. Whatever is learned as a function of a level (all quantiles, all level sets) or of a time (curves as
//! outputs) shares this: a new set of functions is one variant here.

mod waves;

pub use waves::Waves;

use crate::error::{Error, Result};
use crate::special::{legendre, normal_quantile};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// φ₁, …, φ_m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CurveBasis {
    /// Of a level 0 < t < 1: 1, the normal quantile Φ⁻¹(t), and decayᵏ⁻¹√(2k+1) P_k(2t − 1) for k = 2, …, m − 1: the first
    /// two are the laws of location and scale, the others bend them (skewness, weight of the tails, …). They are
    /// the features of the kernel k_T(t, t′) = Σφⱼ(t)φⱼ(t′).
    Moments { count: usize, decay: f64 },
    /// Piecewise linear between knots in increasing order, constant beyond them: φⱼ is 1 at knot j and 0 at the others.
    Hats { knots: Vec<f64> },
    /// Of any argument: 1, and combinations of waves, the features of a shift-invariant kernel of the argument.
    Waves(Waves),
}

impl CurveBasis {
    /// Number m of functions.
    pub fn count(&self) -> usize {
        match self {
            CurveBasis::Moments { count, .. } => *count,
            CurveBasis::Hats { knots } => knots.len(),
            CurveBasis::Waves(waves) => waves.count(),
        }
    }

    /// Refuses what is no basis: of a file, or of parameters.
    pub fn check(&self) -> Result<()> {
        match self {
            CurveBasis::Moments { count, decay } => {
                if *count == 0 || *count > 64 {
                    return Err(Error::parameter("moments", "a whole number from 1 to 64", count));
                }
                if !(*decay > 0.0 && *decay <= 1.0) {
                    return Err(Error::parameter("decay", "a number > 0 and ≤ 1", decay));
                }
            }
            CurveBasis::Hats { knots } => {
                let rising = knots.windows(2).all(|k| k[0] < k[1]) && knots.iter().all(|k| k.is_finite());
                if knots.is_empty() || !rising {
                    return Err(Error::parameter("levels", "different numbers in increasing order", "others"));
                }
            }
            CurveBasis::Waves(waves) => waves.check()?,
        }
        Ok(())
    }

    /// φⱼ(tᵢ) at each argument (L×m).
    ///
    /// ```
    /// use orff::curve::CurveBasis;
    /// let basis = CurveBasis::Hats { knots: vec![0.1, 0.5, 0.9] };
    /// let at = basis.at(&[0.3, 0.95]);
    /// assert!((at[(0, 0)] - 0.5).abs() < 1e-15 && (at[(0, 1)] - 0.5).abs() < 1e-15 && at[(1, 2)] == 1.0);
    /// let sums: Vec<f64> = (0..2).map(|i| at.row(i).iter().sum()).collect();
    /// assert!(sums.iter().all(|s| (s - 1.0).abs() < 1e-15)); // constants are among the curves
    /// ```
    pub fn at(&self, arguments: &[f64]) -> Mat<f64> {
        let m = self.count();
        if let CurveBasis::Waves(waves) = self {
            let waves = waves.characters(arguments);
            return Mat::from_fn(arguments.len(), m, |i, j| if j == 0 { 1.0 } else { waves[(i, j - 1)] });
        }
        let mut out = Mat::zeros(arguments.len(), m);
        let mut row = vec![0.0; m];
        for (i, &t) in arguments.iter().enumerate() {
            match self {
                CurveBasis::Moments { decay, .. } => {
                    legendre(t, &mut row);
                    let mut gain = 1.0;
                    for (j, v) in row.iter_mut().enumerate() {
                        match j {
                            0 => {}
                            1 => *v = normal_quantile(t),
                            _ => {
                                gain *= decay;
                                *v *= gain;
                            }
                        }
                    }
                }
                CurveBasis::Hats { knots } => hats(knots, t, &mut row),
                CurveBasis::Waves(_) => {}
            }
            row.iter().enumerate().for_each(|(j, v)| out[(i, j)] = *v);
        }
        out
    }

    /// e (m) with Σeⱼφⱼ = 1: what a constant is among the curves.
    pub fn one(&self) -> Vec<f64> {
        match self {
            CurveBasis::Hats { knots } => vec![1.0; knots.len()],
            CurveBasis::Moments { .. } | CurveBasis::Waves(_) => {
                (0..self.count()).map(|j| if j == 0 { 1.0 } else { 0.0 }).collect()
            }
        }
    }
}

fn hats(knots: &[f64], t: f64, out: &mut [f64]) {
    out.fill(0.0);
    let after = knots.partition_point(|k| *k <= t);
    match after {
        0 => out[0] = 1.0,
        k if k == knots.len() => out[k - 1] = 1.0,
        k => {
            let share = (t - knots[k - 1]) / (knots[k] - knots[k - 1]);
            (out[k - 1], out[k]) = (1.0 - share, share);
        }
    }
}
