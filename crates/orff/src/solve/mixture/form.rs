//! How the covariance of outputs follows from a component of k₀, and the slope of any linear function of it. \[spectral-mixture\]

use faer::Mat;

/// What the outputs of a row are of k₀.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Form {
    /// Functions by themselves, each with the covariance k₀.
    #[default]
    Scalar,
    /// A field with the covariance g H + h(tr H·I − H), H = −∇∇ᵀk₀: curl-free for h = 0, div-free for g = 0.
    Field {
        /// g.
        gradient: f64,
        /// h.
        rotation: f64,
    },
}

/// A component at one difference δ: w exp(−½Σs²δ²) cos⟨μ, δ⟩ = Re E, E = exp(ln w − ½Σs²δ² + i⟨μ, δ⟩).
///
/// ∂E/∂δ = zE with z = −r + iμ, r = s²δ, so that H = −Re[(zzᵀ − diag s²)E].
pub(super) struct Wave<'a> {
    mean: &'a [f64],
    square: &'a [f64],
    delta: &'a [f64],
    /// s²δ.
    r: Vec<f64>,
    /// The real and the imaginary part of E.
    even: f64,
    odd: f64,
}

impl<'a> Wave<'a> {
    /// ln w, μ and s² of the component.
    pub fn at((log, mean, square): (f64, &'a [f64], &'a [f64]), delta: &'a [f64]) -> Self {
        let r: Vec<f64> = delta.iter().zip(square).map(|(x, s)| x * s).collect();
        let size = libm::exp(log - 0.5 * dot(&r, delta));
        let phase = dot(mean, delta);
        Wave { mean, square, delta, r, even: size * libm::cos(phase), odd: size * libm::sin(phase) }
    }

    /// The covariance of outputs a and b of two rows.
    pub fn add(&self, form: Form, block: &mut Mat<f64>) {
        let d = self.mean.len();
        let Form::Field { gradient, rotation } = form else {
            block[(0, 0)] += self.even;
            return;
        };
        let h = |a: usize, b: usize| {
            let own = if a == b { self.square[a] } else { 0.0 };
            let (x, y) = (self.r[a] * self.r[b] - self.mean[a] * self.mean[b] - own, self.cross(a, b));
            -(x * self.even + y * self.odd)
        };
        let trace: f64 = (0..d).map(|a| h(a, a)).sum();
        for a in 0..d {
            for b in 0..d {
                block[(a, b)] += (gradient - rotation) * h(a, b) + if a == b { rotation * trace } else { 0.0 };
            }
        }
    }

    fn cross(&self, a: usize, b: usize) -> f64 {
        self.r[a] * self.mean[b] + self.r[b] * self.mean[a]
    }

    /// Adds the slopes of ΣG∘K, G symmetric (p×p), by ln w, μ and ln s.
    ///
    /// Of fields ΣG∘K = −Re[QE], Q = zᵀWz − Σ W_aa s_a² and W = (g − h)G + h tr G·I.
    pub fn slope(&self, form: Form, g: &Mat<f64>, sums: &mut [f64]) {
        let d = self.mean.len();
        // Q, and Wr, Wμ and diag W
        let (q, wr, wm, own) = match form {
            Form::Scalar => ((-g[(0, 0)], 0.0), vec![0.0; d], vec![0.0; d], vec![0.0; d]),
            Form::Field { gradient, rotation } => {
                let trace: f64 = (0..d).map(|a| g[(a, a)]).sum();
                let w = |a: usize, b: usize| {
                    (gradient - rotation) * g[(a, b)] + if a == b { rotation * trace } else { 0.0 }
                };
                let times = |v: &[f64]| (0..d).map(|a| (0..d).map(|b| w(a, b) * v[b]).sum()).collect::<Vec<f64>>();
                let (wr, wm): (Vec<f64>, Vec<f64>) = (times(&self.r), times(self.mean));
                let own: Vec<f64> = (0..d).map(|a| w(a, a)).collect();
                let real = dot(&self.r, &wr) - dot(self.mean, &wm) - dot(&own, self.square);
                ((real, -2.0 * dot(&self.r, &wm)), wr, wm, own)
            }
        };
        // −Re of a number times E
        let minus = |real: f64, imaginary: f64| imaginary * self.odd - real * self.even;
        sums[0] += minus(q.0, q.1);
        for c in 0..d {
            let x = self.delta[c];
            sums[1 + c] += minus(-2.0 * wm[c] - x * q.1, -2.0 * wr[c] + x * q.0);
            let by_square = minus(2.0 * x * wr[c] - own[c] - 0.5 * x * x * q.0, -2.0 * x * wm[c] - 0.5 * x * x * q.1);
            sums[1 + d + c] += 2.0 * self.square[c] * by_square;
        }
    }
}

impl Form {
    /// Outputs of a row that share a covariance.
    pub(super) fn size(self, d: usize) -> usize {
        if self == Form::Scalar { 1 } else { d }
    }

    /// The mean variance of an output under a component of weight 1.
    pub(super) fn gain(self, mean: &[f64], square: &[f64]) -> f64 {
        match self {
            Form::Scalar => 1.0,
            Form::Field { gradient, rotation } => {
                let d = mean.len() as f64;
                (gradient + (d - 1.0) * rotation) * (dot(mean, mean) + square.iter().sum::<f64>()) / d
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
