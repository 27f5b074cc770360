//! Kernels that the unlabelled rows have warped: ridge regression and classification (LapRFKRR and LapRFSVM of I17).
//! \[warp\]

use super::along::{Along, along, asked};
use super::begin::in_pool;
use super::declare::declare;
use super::problem::Problem;
use super::{Fitted, FittedClasses};
use crate::error::Result;
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::watch::Watch;

declare! {
    /// Ridge regression with labelled and unlabelled rows: functions that vary along the graph of all rows cost more.
    pub struct LaplacianRidge: kernel lengthscale_of_graph group drawn graph strength ridge_of_graph posterior limits
}

declare! {
    /// Classes of labelled and unlabelled rows: functions that vary along the graph of all rows cost more.
    pub struct LaplacianClassifier: kernel lengthscale_of_graph group drawn graph strength classes limits
}

impl LaplacianRidge {
    /// Learns from rows, of which those without outputs (NaN) shape the kernel only: minimises the mean loss of labelled
    /// rows + λ(‖f‖² + α⟨f, L^c f⟩). Time N·M² + K³ and the search of neighbours, memory N·d + M² + K².
    ///
    /// ```
    /// use orff::generate::two_moons;
    /// use orff::learn::LaplacianRidge;
    /// use orff::model::Query;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let moons = two_moons(200, 0.05, 1)?;
    /// // one label for each moon
    /// let y = faer::Mat::from_fn(200, 1, |i, _| if i < 2 { moons.truth[(i, 0)] } else { f64::NAN });
    /// let fitted = LaplacianRidge::default().fit(&Table::new(moons.inputs.clone(), y)?, &mut Silent)?;
    /// let mean = fitted.model.predict(&Inputs::Dense(moons.inputs), Query::default())?.mean;
    /// let wrong = (0..200).filter(|&i| mean[(i, 0)] * moons.truth[(i, 0)] <= 0.0).count();
    /// assert!(wrong < 6);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        self.check()?;
        let along = along!(self, features);
        let along = Along { strength: self.strength, ..along }.with_posterior(self.posterior);
        in_pool(self.threads, || Problem::begin(&along, None, None, rows, watch)?.regression(watch))
    }
}

impl LaplacianClassifier {
    /// Learns from rows whose one output is the number of a class, NaN where it is not known: minimises the mean loss of
    /// labelled rows + λ(‖f‖² + α⟨f, L^c f⟩), f among the corners of a simplex. Time and memory as
    /// [`LaplacianRidge::fit`]; losses without a closed form go over the labelled rows some hundred times.
    ///
    /// ```
    /// use orff::generate::two_moons;
    /// use orff::learn::LaplacianClassifier;
    /// use orff::model::Query;
    /// use orff::rows::{Inputs, Table};
    /// use orff::watch::Silent;
    /// let moons = two_moons(200, 0.05, 1)?;
    /// let moon = |i: usize| if moons.truth[(i, 0)] > 0.0 { 0.0 } else { 1.0 };
    /// let y = faer::Mat::from_fn(200, 1, |i, _| if i < 2 { moon(i) } else { f64::NAN });
    /// let found = LaplacianClassifier::default().fit(&Table::new(moons.inputs.clone(), y)?, &mut Silent)?;
    /// let f = found.model.predict(&Inputs::Dense(moons.inputs.clone()), Query::default())?.mean; // 200×1
    /// let wrong = (0..200).filter(|&i| found.classes.code.decode(&[f[(i, 0)]], 2) as f64 != moon(i)).count();
    /// assert!(wrong < 6);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedClasses> {
        self.check()?;
        let along = Along { strength: self.strength, ..along!(self, features) };
        let begin = |watch: &mut dyn Watch| Problem::begin(&along, None, asked!(self), rows, watch);
        in_pool(self.threads, || begin(watch)?.classification(self.loss, watch))
    }
}
