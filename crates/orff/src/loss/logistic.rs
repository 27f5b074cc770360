//! The logistic loss of any number of classes, on the simplex code. \[simplex\]

use super::{Loss, Nature, Simplex, check_class, class};
use crate::error::Result;

/// ℓ = log Σ_c exp⟨c − c_y, f⟩: minus the logarithm of the softmax of the scores at y. u = C(q − e_y) with the
/// probabilities q = e_y + (T−1)/T·Cᵀu, and ℓ* = Σ q log q where q ≥ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Logistic;

/// What rounding may leave outside the domain.
const ROUNDING: f64 = 1e-12;

impl Logistic {
    pub(super) fn check_parameter(&self) -> Result<()> {
        Ok(())
    }
}

impl Loss for Logistic {
    fn gradient(&self, f: &[f64], y: &[f64], _: f64, out: &mut [f64]) -> f64 {
        let Some(y) = class(y) else {
            out.fill(0.0);
            return 0.0;
        };
        let code = Simplex::new(f.len() + 1);
        let mut q = vec![0.0; f.len() + 1];
        code.scores(f, &mut q);
        let (top, own) = (q.iter().copied().fold(f64::NEG_INFINITY, f64::max), q[y]);
        q.iter_mut().for_each(|q| *q = libm::exp(*q - top));
        let total: f64 = q.iter().sum();
        q.iter_mut().for_each(|q| *q /= total);
        q[y] -= 1.0;
        code.combine(&q, out);
        top - own + libm::log(total)
    }

    fn conjugate(&self, u: &[f64], y: &[f64]) -> f64 {
        let Some(y) = class(y) else { return if u.iter().all(|u| *u == 0.0) { 0.0 } else { f64::INFINITY } };
        let shrink = u.len() as f64 / (u.len() + 1) as f64;
        let mut q = vec![0.0; u.len() + 1];
        Simplex::new(u.len() + 1).scores(u, &mut q);
        let mut sum = 0.0;
        for (c, q) in q.iter().enumerate() {
            let q = shrink * q + if c == y { 1.0 } else { 0.0 };
            // a NaN is outside as well
            if !(q >= -ROUNDING) {
                return f64::INFINITY;
            }
            sum += if q > 0.0 { q * libm::log(q) } else { 0.0 };
        }
        sum
    }

    fn nature(&self) -> Nature {
        Nature { smooth: true, by_output: false }
    }

    fn check(&self, y: &[f64], outputs: usize) -> Result<()> {
        check_class(y, outputs)
    }
}
