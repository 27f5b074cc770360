//! Models: what learning leaves behind. They predict, save themselves, and load.

mod affine;
mod alignment;
mod classes;
mod curves;
mod exact;
mod exact_file;
mod field;
mod parts;
mod file;
mod forecast;
mod grown;
mod held;
mod impulse;
mod levels;
mod linear;
mod one_step;
mod outliers;
mod posterior;
mod prepare;
mod project;
mod series;
mod waves;

pub use affine::{Affine, AffineSpread};
pub use alignment::{Alignment, Candidates, Learned};
pub use classes::{Calibration, Classes, Code, Labels};
pub use curves::{Argument, Curves, check_arguments, check_level};
pub use exact::{Exact, ExactPosterior, Span};
pub(crate) use forecast::path;
pub use forecast::{Ask, Forecast, Start};
pub use grown::Grown;
pub use held::{Held, Stored};
pub use impulse::Responses;
pub use linear::{Linear, Prediction, Query, Warp};
pub use outliers::Outliers;
pub use parts::{Energies, Parts};
pub use posterior::Posterior;
pub use prepare::Preparation;
pub use project::{LonLat, Projected};
pub use series::Dynamics;

use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::linalg::Real;
use crate::rows::Inputs;
use crate::solve::PathPoint;
use faer::Mat;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// What a model knows of how it came to be and what its outputs are; nothing here changes what it predicts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// The learner's name, as on the command line.
    pub learner: String,
    /// Its parameters as they were given.
    pub params: Value,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Whether a single output is a column (n×1) rather than n numbers, for whoever asks for arrays.
    #[serde(default)]
    pub column: bool,
    /// What the outputs say of classes, when they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Classes>,
    /// What the score says of outliers, when the one output is a score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Outliers>,
    /// How rows were read, for whoever reads the next ones; opaque here.
    pub encoding: Value,
    /// The training.
    pub training: Training,
}

/// A summary of the training.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Rows read.
    pub rows: usize,
    /// The kernel with nothing left open, in scaled coordinates.
    pub kernel: Option<Kernel>,
    /// The ridge.
    pub ridge: f64,
    /// Choices made, with their reasons.
    pub choices: Vec<String>,
    /// Scores along ridges.
    pub path: Vec<PathPoint>,
    /// A few training points (rows of numbers), for pictures.
    pub points: Vec<Vec<f64>>,
    /// Iterations of the solver; 1 for a factorisation.
    #[serde(default)]
    pub iterations: usize,
}

/// A model of any kind.
#[derive(Clone, Debug)]
pub enum Body {
    /// Linear in the characters.
    Linear(Box<Linear>),
    /// Kernel sections at stored points.
    Exact(Box<Exact>),
    /// Linear in the inputs themselves.
    Affine(Box<Affine>),
    /// Trees.
    Forest(Box<Grown>),
}

impl Body {
    /// Predicts n rows.
    pub fn predict(&self, x: &Inputs, query: Query) -> Result<Prediction> {
        match self {
            Body::Linear(linear) => linear.predict(x, query),
            Body::Exact(exact) => exact.predict(x, query),
            Body::Affine(affine) => affine.predict(x, query),
            Body::Forest(grown) => grown.predict(x, query),
        }
    }

    /// Number of columns: outputs, or those of their curves.
    pub fn outputs(&self) -> usize {
        match self {
            Body::Linear(linear) => linear.outputs(),
            Body::Exact(exact) => exact.outputs(),
            Body::Affine(affine) => affine.outputs(),
            Body::Forest(_) => 1,
        }
    }
}

/// A fitted model with its history.
#[derive(Clone, Debug)]
pub struct Model {
    /// What predicts.
    pub body: Body,
    /// Applied to the inputs before anything else.
    pub projection: Option<LonLat>,
    /// Where it comes from.
    pub info: Info,
    /// What makes forecasts of its predictions, when it was learned from a series.
    pub series: Option<Box<Dynamics>>,
    /// What makes curves of its columns, when it was learned as a function of a level (predictions are then medians, or the
    /// levels at which rows leave sets) or of another argument (they are values where it is usual).
    pub curves: Option<Box<Curves>>,
    /// How the weights of its atoms were learned, when they were.
    pub alignment: Option<Box<Alignment>>,
}

impl Model {
    /// Predicts n rows.
    pub fn predict(&self, x: &Inputs, query: Query) -> Result<Prediction> {
        let projected = self.projected(x)?;
        // why there are no error bars was said when the model was made
        let why = self.info.training.choices.iter().find_map(|line| line.strip_prefix("no error bars: "));
        if let Some(why) = why.filter(|_| (query.std || query.cov) && !self.has_posterior()) {
            return Err(Error::refused("uncertainty from this model", format!("it has no error bars: {why}")));
        }
        let found = self.body.predict(&projected, query)?;
        match &self.curves {
            None => Ok(found),
            Some(_) if self.info.outliers.is_some() => {
                let scores = self.leaving(found.mean.as_ref())?;
                Ok(Prediction { mean: Mat::from_fn(scores.len(), 1, |i, _| scores[i]), ..found })
            }
            Some(curves) => {
                let mean = match &curves.argument {
                    None => curves.quantiles(found.mean.as_ref(), &[0.5])?,
                    Some(argument) => curves.values(found.mean.as_ref(), &argument.values)?,
                };
                Ok(Prediction { mean, ..found })
            }
        }
    }

    /// Features of n rows (n×M), of a model with one output, row after row into `out`.
    pub fn features<T: Real>(&self, x: &Inputs, out: &mut [T]) -> Result<()> {
        self.linear()?.features(&*self.projected(x)?, out)
    }

    /// The inputs as the body of the model takes them.
    pub fn projected<'a>(&self, x: &'a Inputs) -> Result<Cow<'a, Inputs>> {
        Ok(match &self.projection {
            None => Cow::Borrowed(x),
            Some(by) => Cow::Owned(by.project(x, 1)?),
        })
    }

    /// The model as one that is linear in characters; the derivatives of others are not written down.
    pub fn linear(&self) -> Result<&Linear> {
        match &self.body {
            Body::Linear(linear) => Ok(linear),
            Body::Exact(_) | Body::Affine(_) | Body::Forest(_) => Err(Error::refused(
                "this of a model without random features",
                "derivatives and parts are known of models with random features; fit one of those",
            )),
        }
    }

    /// From the (projected) inputs to the kernel's coordinates.
    pub fn preparation(&self) -> &Preparation {
        match &self.body {
            Body::Linear(linear) => &linear.preparation,
            Body::Exact(exact) => &exact.preparation,
            Body::Affine(affine) => &affine.preparation,
            Body::Forest(grown) => &grown.preparation,
        }
    }

    /// Covariance of the noise (p×p).
    pub fn noise(&self) -> &Mat<f64> {
        match &self.body {
            Body::Linear(linear) => &linear.noise,
            Body::Exact(exact) => &exact.noise,
            Body::Affine(affine) => &affine.noise,
            Body::Forest(grown) => &grown.noise,
        }
    }

    /// Whether the model can say how sure it is.
    pub fn has_posterior(&self) -> bool {
        match &self.body {
            Body::Linear(linear) => linear.posterior.exists(),
            Body::Exact(exact) => exact.posterior.exists(),
            Body::Affine(affine) => affine.spread.is_some(),
            Body::Forest(_) => false,
        }
    }

    /// Number of inputs d.
    pub fn inputs(&self) -> usize {
        self.preparation().inputs
    }

    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        let columns = self.body.outputs();
        self.curves.as_ref().map_or(columns, |curves| curves.outputs(columns))
    }
}
