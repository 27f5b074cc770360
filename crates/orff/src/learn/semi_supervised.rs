//! Vector-valued semi-supervised learning with several views (M16 eq. 67–75). \[semi-supervised\]

use super::along::{Along, along, asked};
use super::begin::in_pool;
use super::declare::declare;
use super::problem::Problem;
use super::views::Views;
use super::{Fitted, FittedClasses, Ridge};
use crate::error::{Error, Result};
use crate::params::{Auto, Params};
use crate::rows::Rows;
use crate::watch::Watch;

declare! {
    /// Least squares with labelled and unlabelled rows and several views of them, combined by weights.
    pub struct SemiSupervised: kernel lengthscale_of_graph group drawn graph views ridge_of_graph posterior limits
}

declare! {
    /// Classes of labelled and unlabelled rows and several views of them, combined by weights.
    pub struct SemiSupervisedClassifier: kernel lengthscale_of_graph group drawn graph views classes limits
}

impl SemiSupervised {
    /// Learns from rows, of which those without outputs (NaN) count for the graph only: minimises
    /// (1/l)Σ‖yᵢ − Cf(xᵢ)‖² + γ_A‖f‖² + γ_I⟨f, Mf⟩, M the Laplacian of each view's graph and the disagreement of views.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Fitted> {
        self.check()?;
        let views = views(self.views.as_deref(), self.combination.as_deref(), rows.inputs())?;
        let strength = strength(self.intrinsic, self.ridge)?;
        let along = Along { strength, intrinsic: true, ..along!(self, features) };
        let along = along.with_posterior(self.posterior);
        in_pool(self.threads, || {
            let views = views.as_ref().map(|views| (views, self.agreement));
            Problem::begin(&along, views, None, rows, watch)?.regression(watch)
        })
    }
}

impl SemiSupervisedClassifier {
    /// Learns from rows whose one output is the number of a class, NaN where it is not known: minimises
    /// (1/l)ΣV(yᵢ, Cf(xᵢ)) + γ_A‖f‖² + γ_I⟨f, Mf⟩ for the loss V, f among the corners of a simplex.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedClasses> {
        self.check()?;
        let views = views(self.views.as_deref(), self.combination.as_deref(), rows.inputs())?;
        let strength = strength(self.intrinsic, self.ridge)?;
        let along = Along { strength, intrinsic: true, ..along!(self, features) };
        in_pool(self.threads, || {
            let views = views.as_ref().map(|views| (views, self.agreement));
            Problem::begin(&along, views, asked!(self), rows, watch)?.classification(self.loss, watch)
        })
    }
}

/// The views that were asked for.
fn views(views: Option<&str>, combination: Option<&str>, inputs: usize) -> Result<Option<Views>> {
    match views {
        None if combination.is_some() => {
            Err(Error::refused("a combination of one view", "say which inputs each view has"))
        }
        None => Ok(None),
        Some(text) => Views::read(text, combination, inputs).map(Some),
    }
}

/// γ_I/γ_A, where it is given.
fn strength(intrinsic: Auto<f64>, ridge: Ridge) -> Result<Auto<f64>> {
    match (intrinsic, ridge) {
        (Auto::Auto, _) => Ok(Auto::Auto),
        (Auto::Fixed(intrinsic), Ridge::Given(ridge)) => Ok(Auto::Fixed(intrinsic / ridge)),
        (Auto::Fixed(0.0), _) => Ok(Auto::Fixed(0.0)),
        _ => Err(Error::refused(
            "intrinsic without a ridge",
            "what matters is their ratio; give both, or leave both to be chosen",
        )),
    }
}
