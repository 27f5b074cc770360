//! How large the noise of an output is, and the scale of its posterior. \[variances\]

/// What a fit leaves of an output and what it costs, in units of its observations of weight one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit {
    /// Weighted residual sum of squares.
    pub rss: f64,
    /// nλ‖θ‖².
    pub penalty: f64,
    /// Number of observations, less one for a constant.
    pub count: f64,
    /// Degrees of freedom that were spent beside the constant.
    pub spent: f64,
    /// Average weight of an observation: one, unless weights are precisions.
    pub weight: f64,
}

/// An output (a column of the table) beside its function, in scaled outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    /// The constant.
    pub constant: f64,
    /// Variance of the noise of an observation of average weight.
    pub noise: f64,
    /// σ² of the posterior: the variance of an observation of weight one if the prior is right.
    pub sigma2: f64,
}

impl Column {
    /// Of a constant beside a function whose noise is not known.
    pub fn of(constant: f64) -> Self {
        Column { constant, noise: 0.0, sigma2: 0.0 }
    }
}

impl Misfit {
    /// The posterior has the evidence's σ², (RSS + nλ‖θ‖²)/m, which stays right where nothing is left of the residuals.
    /// It is not known better than m observations tell: what is left is Student's t, whose variance is m/(m − 2) times as
    /// large (at most twice, for few). The noise is that of the residuals, and of one more observation that says σ².
    pub fn column(self, constant: f64) -> Column {
        let known = (self.count - 2.0).max(0.5 * self.count).max(0.5);
        let sigma2 = (self.rss + self.penalty) / known;
        let left = (self.count - self.spent).max(0.0);
        Column { constant, noise: (self.rss + sigma2) / (left + 1.0) / self.weight, sigma2 }
    }
}

/// Degrees of freedom of outputs whose trace is not known, from the misfit of each. At the largest evidence they are
/// m nλ‖θ‖²/(RSS + nλ‖θ‖²) of all together; at another ridge nothing is known of them, and none are counted.
pub(super) fn spent(all: &mut [Misfit], by_evidence: bool) {
    let penalty: f64 = all.iter().map(|m| m.penalty).sum();
    let whole: f64 = all.iter().map(|m| m.rss).sum::<f64>() + penalty;
    let share = if by_evidence && whole > 0.0 { penalty / whole } else { 0.0 };
    all.iter_mut().for_each(|m| m.spent = share * m.count);
}
