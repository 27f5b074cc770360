//! The hinge loss on the simplex code: one margin for every wrong class. \[simplex\]

use super::{Loss, Nature, Simplex, check_class, class};
use crate::error::Result;

/// ℓ = Σ over classes c ≠ y of [1/(T−1) + ⟨c, f⟩]₊. The codes of the wrong classes are a basis: u = Σ a_c c with
/// a_c = (T−1)/T·⟨c − c_y, u⟩, and ℓ* = −Σ a_c/(T−1) for 0 ≤ a ≤ 1. With one output (T = 2) it is the hinge loss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimplexHinge;

/// What rounding may leave outside the domain.
const ROUNDING: f64 = 1e-12;

impl SimplexHinge {
    pub(super) fn check_parameter(&self) -> Result<()> {
        Ok(())
    }
}

impl Loss for SimplexHinge {
    fn gradient(&self, f: &[f64], y: &[f64], smoothing: f64, out: &mut [f64]) -> f64 {
        let Some(y) = class(y) else {
            out.fill(0.0);
            return 0.0;
        };
        let (code, margin) = (Simplex::new(f.len() + 1), 1.0 / f.len() as f64);
        let mut a = vec![0.0; f.len() + 1];
        code.scores(f, &mut a);
        let mut sum = 0.0;
        for (c, a) in a.iter_mut().enumerate() {
            let (value, slope) =
                if c == y { (0.0, 0.0) } else { super::entry::bent(margin + *a, 0.0, 1.0, smoothing) };
            sum += value;
            *a = slope;
        }
        code.combine(&a, out);
        sum
    }

    fn conjugate(&self, u: &[f64], y: &[f64]) -> f64 {
        let Some(y) = class(y) else { return if u.iter().all(|u| *u == 0.0) { 0.0 } else { f64::INFINITY } };
        let others = u.len() as f64;
        let mut scores = vec![0.0; u.len() + 1];
        Simplex::new(u.len() + 1).scores(u, &mut scores);
        let a = |score: f64| others / (others + 1.0) * (score - scores[y]);
        let mut sum = 0.0;
        for (_, score) in scores.iter().enumerate().filter(|(c, _)| *c != y) {
            let a = a(*score);
            if !(-ROUNDING..=1.0 + ROUNDING).contains(&a) {
                return f64::INFINITY;
            }
            sum -= a / others;
        }
        sum
    }

    fn nature(&self) -> Nature {
        Nature { smooth: false, by_output: false }
    }

    fn check(&self, y: &[f64], outputs: usize) -> Result<()> {
        check_class(y, outputs)
    }
}
