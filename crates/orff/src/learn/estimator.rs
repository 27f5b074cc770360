//! What every Python class takes beside the parameters of its learner.

crate::params! {
    /// Parameters of estimators in Python; the command has flags of its own for the same things.
    pub struct Estimator {
        /// Show progress and the choices made: 0 is silent.
        verbose / verbose: usize = 0, Kind::Count { min: 0, max: 1000 };
    }
}

crate::params! {
    /// Parameters of estimators that can go on learning from the moments of the rows so far.
    pub struct Gatherer {
        /// Keep the moments of a fit, and let the next fit reuse its choices: scales, lengthscale and frequencies.
        warm_start / warm_start: bool = false, Kind::Flag;
    }
}
