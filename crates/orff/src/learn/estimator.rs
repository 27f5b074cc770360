//! What every Python class takes beside the parameters of its learner.

crate::params! {
    /// Parameters of estimators in Python; the command has flags of its own for the same things.
    pub struct Estimator {
        /// Show progress and the choices made: 0 is silent.
        verbose / verbose: usize = 0, Kind::Count { min: 0, max: 1000 };
    }
}
