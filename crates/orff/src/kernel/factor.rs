//! The factors Bⱼ of atoms: A(ωⱼ) = BⱼBⱼᵀ, stored or given by a formula in ωⱼ.

use faer::Mat;

/// The factors of a block of atoms, each p×r.
#[derive(Clone, Debug, PartialEq)]
pub enum Factors {
    /// One constant B (decomposable kernels).
    Shared(Mat<f64>),
    /// B(ω) = [g·ω, h·‖ω‖Q(ω)], Q an orthonormal basis of ω⊥ by a Householder reflection; a part with zero
    /// coefficient has no column. Curl-free: (g, h) = (1, 0), r = 1. Div-free: (0, 1), r = d − 1. \[factors\]
    Differential { dimension: usize, gradient: f64, rotation: f64 },
    /// Bⱼ stored one below the other (D·p×r).
    Listed { outputs: usize, stacked: Mat<f64> },
}

impl Factors {
    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        match self {
            Factors::Shared(b) => b.nrows(),
            Factors::Differential { dimension, .. } => *dimension,
            Factors::Listed { outputs, .. } => *outputs,
        }
    }

    /// Number of columns r.
    pub fn columns(&self) -> usize {
        match self {
            Factors::Shared(b) => b.ncols(),
            Factors::Differential { dimension, gradient, rotation } => {
                (*gradient != 0.0) as usize + if *rotation != 0.0 { dimension - 1 } else { 0 }
            }
            Factors::Listed { stacked, .. } => stacked.ncols(),
        }
    }

    /// The constant factor, if it is one.
    pub fn shared(&self) -> Option<&Mat<f64>> {
        match self {
            Factors::Shared(b) => Some(b),
            _ => None,
        }
    }

    /// Whether they are given by a formula in ωⱼ.
    pub fn of_omega(&self) -> bool {
        matches!(self, Factors::Differential { .. })
    }

    /// out = Bⱼ t, with t of length r and out of length p; `omega` is ωⱼ.
    pub fn apply(&self, j: usize, omega: &[f64], t: &[f64], out: &mut [f64]) {
        match self {
            Factors::Shared(b) => multiply(b, 0, t, out),
            Factors::Listed { outputs, stacked } => multiply(stacked, j * outputs, t, out),
            Factors::Differential { gradient, rotation, .. } => {
                let mut t = t;
                out.fill(0.0);
                if *rotation != 0.0 {
                    let tail = &t[(*gradient != 0.0) as usize..];
                    out[1..].copy_from_slice(tail);
                    let norm = reflect(omega, out);
                    out.iter_mut().for_each(|v| *v *= rotation * norm);
                    t = &t[..(*gradient != 0.0) as usize];
                }
                if *gradient != 0.0 {
                    out.iter_mut().zip(omega).for_each(|(v, w)| *v += gradient * t[0] * w);
                }
            }
        }
    }

    /// out = Bⱼᵀ v, with v of length p and out of length r; the adjoint of `apply`.
    pub fn adjoint(&self, j: usize, omega: &[f64], v: &[f64], out: &mut [f64]) {
        match self {
            Factors::Shared(b) => multiply_transposed(b, 0, v, out),
            Factors::Listed { outputs, stacked } => multiply_transposed(stacked, j * outputs, v, out),
            Factors::Differential { gradient, rotation, .. } => {
                let split = (*gradient != 0.0) as usize;
                if split == 1 {
                    out[0] = gradient * v.iter().zip(omega).map(|(a, b)| a * b).sum::<f64>();
                }
                if *rotation != 0.0 {
                    let mut turned = v.to_vec();
                    let norm = reflect(omega, &mut turned);
                    out[split..].iter_mut().zip(&turned[1..]).for_each(|(o, t)| *o = rotation * norm * t);
                }
            }
        }
    }

    /// Bⱼ in full (p×r).
    pub fn dense(&self, j: usize, omega: &[f64]) -> Mat<f64> {
        let (p, r) = (self.outputs(), self.columns());
        let mut b = Mat::zeros(p, r);
        let (mut unit, mut column) = (vec![0.0; r], vec![0.0; p]);
        for k in 0..r {
            unit.fill(0.0);
            unit[k] = 1.0;
            self.apply(j, omega, &unit, &mut column);
            (0..p).for_each(|i| b[(i, k)] = column[i]);
        }
        b
    }

    /// The factors of the first `count` atoms.
    pub fn prefix(&self, count: usize) -> Factors {
        match self {
            Factors::Listed { outputs, stacked } => {
                Factors::Listed { outputs: *outputs, stacked: stacked.subrows(0, count * outputs).to_owned() }
            }
            other => other.clone(),
        }
    }
}

fn multiply(b: &Mat<f64>, from: usize, t: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (k, &tk) in t.iter().enumerate() {
        out.iter_mut().enumerate().for_each(|(i, o)| *o += b[(from + i, k)] * tk);
    }
}

fn multiply_transposed(b: &Mat<f64>, from: usize, v: &[f64], out: &mut [f64]) {
    for (k, o) in out.iter_mut().enumerate() {
        *o = v.iter().enumerate().map(|(i, vi)| b[(from + i, k)] * vi).sum();
    }
}

/// v ← H v for the Householder reflection H that takes e₁ to ∓ω/‖ω‖, so that columns 2…d of H span ω⊥; returns ‖ω‖.
fn reflect(omega: &[f64], v: &mut [f64]) -> f64 {
    let norm = omega.iter().map(|w| w * w).sum::<f64>().sqrt();
    if norm == 0.0 {
        return 0.0;
    }
    // u = ω + sign(ω₁)‖ω‖e₁ has ‖u‖² = 2‖ω‖(‖ω‖ + |ω₁|) without cancellation
    let head = omega[0] + norm.copysign(omega[0]);
    let square = 2.0 * norm * (norm + omega[0].abs());
    let dot = head * v[0] + omega[1..].iter().zip(&v[1..]).map(|(a, b)| a * b).sum::<f64>();
    let scale = 2.0 * dot / square;
    v[0] -= scale * head;
    v[1..].iter_mut().zip(&omega[1..]).for_each(|(x, w)| *x -= scale * w);
    norm
}
