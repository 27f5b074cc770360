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
    /// The same with h = 1 − g and a g that is learned too: θ ends with its log-odds.
    Helmholtz,
}

/// ∂/∂g of the covariance with h = 1 − g: 2H − tr H·I.
const BY_SHARE: Form = Form::Field { gradient: 1.0, rotation: -1.0 };

/// A component at one difference δ: w exp(−½Σs²δ²) cos⟨μ, δ⟩ = Re E, E = exp(ln w − ½Σs²δ² + i⟨μ, δ⟩).
///
/// ∂E/∂δ = zE with z = −r + iμ, r = s²δ, so that H = −Re[(zzᵀ − diag s²)E].
pub(super) struct Wave<'a> {
    mean: &'a [f64],
    square: &'a [f64],
    delta: &'a [f64],
    /// s²δ, of fields.
    r: Vec<f64>,
    /// The real and the imaginary part of E.
    even: f64,
    odd: f64,
}

impl<'a> Wave<'a> {
    /// ln w, μ and s² of the component.
    pub fn at(form: Form, (log, mean, square): (f64, &'a [f64], &'a [f64]), delta: &'a [f64]) -> Self {
        let along = || delta.iter().zip(square).map(|(x, s)| x * s);
        let far: f64 = along().zip(delta).map(|(r, x)| r * x).sum();
        let (size, phase) = (libm::exp(log - 0.5 * far), dot(mean, delta));
        let r = if form == Form::Scalar { Vec::new() } else { along().collect() };
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

    /// ΣG∘∂K/∂g.
    pub fn by_share(&self, g: &Mat<f64>) -> f64 {
        let mut sums = vec![0.0; 1 + 2 * self.mean.len()];
        self.slope(BY_SHARE, g, &mut sums);
        sums[0]
    }

    /// Adds the slopes of ΣG∘K, G symmetric (p×p), by ln w, μ and ln s.
    ///
    /// Of fields ΣG∘K = −Re[QE], Q = zᵀWz − Σ W_aa s_a² and W = (g − h)G + h tr G·I.
    pub fn slope(&self, form: Form, g: &Mat<f64>, sums: &mut [f64]) {
        let d = self.mean.len();
        let Form::Field { gradient, rotation } = form else {
            let (even, odd) = (g[(0, 0)] * self.even, g[(0, 0)] * self.odd);
            sums[0] += even;
            for (c, x) in self.delta.iter().enumerate() {
                sums[1 + c] -= odd * x;
                sums[1 + d + c] -= even * x * x * self.square[c];
            }
            return;
        };
        let trace: f64 = (0..d).map(|a| g[(a, a)]).sum();
        let w = |a: usize, b: usize| (gradient - rotation) * g[(a, b)] + if a == b { rotation * trace } else { 0.0 };
        let times = |v: &[f64]| (0..d).map(|a| (0..d).map(|b| w(a, b) * v[b]).sum()).collect::<Vec<f64>>();
        let (wr, wm) = (times(&self.r), times(self.mean));
        let own: Vec<f64> = (0..d).map(|a| w(a, a)).collect();
        let q = (dot(&self.r, &wr) - dot(self.mean, &wm) - dot(&own, self.square), -2.0 * dot(&self.r, &wm));
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
    /// With nothing left open, from what stands in θ after the components: ln η, and the log-odds of g.
    pub(super) fn closed(self, rest: &[f64]) -> Form {
        match (self, rest.get(1)) {
            (Form::Helmholtz, odds) => {
                let gradient = 1.0 / (1.0 + libm::exp(-odds.copied().unwrap_or(0.0)));
                Form::Field { gradient, rotation: 1.0 - gradient }
            }
            (form, _) => form,
        }
    }

    /// Numbers in θ after the components.
    pub(super) fn rest(self) -> usize {
        if self == Form::Helmholtz { 2 } else { 1 }
    }

    /// Outputs of a row that share a covariance.
    pub(super) fn size(self, d: usize) -> usize {
        if self == Form::Scalar { 1 } else { d }
    }

    /// The mean variance of an output under a component of weight 1.
    pub(super) fn gain(self, mean: &[f64], square: &[f64]) -> f64 {
        let Form::Field { gradient, rotation } = self.closed(&[]) else { return 1.0 };
        let d = mean.len() as f64;
        (gradient + (d - 1.0) * rotation) * (dot(mean, mean) + square.iter().sum::<f64>()) / d
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
