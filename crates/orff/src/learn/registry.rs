//! Every learner by name: what the command line, Python and the reference pages are made from.

use super::{
    Classification, ExactLaplacian, ExactLaplacianClassifier, ExactRegression, Fitted, FittedClasses,
    FourierFeatures, Gathering, LaplacianClassifier, LaplacianFeatures, LaplacianRidge, Nystrom, Regression,
    SemiSupervised, SemiSupervisedClassifier,
};
use crate::error::{Error, Result};
use crate::model::{Body, Info, Linear, Model, Training};
use crate::params::{Param, Params};
use crate::rows::Rows;
use crate::watch::Watch;
use serde_json::{Map, Value, json};

/// What a learner's models are asked for: which base its Python class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Numbers for each row.
    Regressor,
    /// A vector at each point, with derivatives and potentials.
    Field,
    /// Numbers for each row, learned from rows with and without outputs.
    SemiSupervised,
    /// A class for each row, with probabilities.
    Classifier,
    /// The same, learned from rows with and without labels.
    SemiSupervisedClassifier,
}

impl Role {
    /// Whether the one output is a class.
    pub fn classifies(self) -> bool {
        matches!(self, Role::Classifier | Role::SemiSupervisedClassifier)
    }

    /// Whether rows without outputs are learned from.
    pub fn unlabelled(self) -> bool {
        matches!(self, Role::SemiSupervised | Role::SemiSupervisedClassifier)
    }
}

/// How a learner or a transformer learns: parameters over the defaults, rows, someone who watches.
pub type Fit = fn(&Map<String, Value>, &dyn Rows, &mut dyn Watch) -> Result<Model>;

/// How a learner begins to gather.
pub type Begin = fn(&Map<String, Value>, &dyn Rows, &mut dyn Watch) -> Result<Gathering>;

/// A learner: its name, what it is for, its parameters, and how it learns.
pub struct Learner {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its class in Python.
    pub python: &'static str,
    /// What its models are asked for.
    pub role: Role,
    /// One sentence about it.
    pub about: &'static str,
    /// Its parameters.
    pub spec: &'static [Param],
    /// Their defaults.
    pub defaults: fn() -> Map<String, Value>,
    /// Learns from rows with the given parameters over the defaults.
    pub fit: Fit,
    /// Fixes what is chosen before the pass, for learners whose rows can be added and merged.
    pub begin: Option<Begin>,
}

/// All learners.
pub const LEARNERS: &[Learner] = &[
    Learner {
        name: "regression",
        python: "OperatorRidge",
        role: Role::Regressor,
        about: "Several outputs by ridge regression with any operator-valued kernel",
        spec: Regression::SPEC,
        defaults: defaults::<Regression>,
        fit: |values, rows, watch| fit_regression("regression", values, rows, watch),
        begin: Some(|values, rows, watch| {
            Regression::from_values(&complete("regression", values)?)?.begin(rows, watch)
        }),
    },
    Learner {
        name: "field",
        python: "VectorField",
        role: Role::Field,
        about: "A vector field: curl-free, divergence-free or both, with potential and stream function",
        spec: Regression::SPEC,
        defaults: || {
            let mut values = defaults::<Regression>();
            values.insert("kernel".into(), json!("helmholtz"));
            values
        },
        fit: |values, rows, watch| {
            square(rows)?;
            fit_regression("field", values, rows, watch)
        },
        begin: Some(|values, rows, watch| {
            square(rows)?;
            Regression::from_values(&complete("field", values)?)?.begin(rows, watch)
        }),
    },
    Learner {
        name: "classification",
        python: "OperatorClassifier",
        role: Role::Classifier,
        about: "Classes by kernel ridge regression on the corners of a simplex, or by logistic and hinge losses, with probabilities",
        spec: Classification::SPEC,
        defaults: defaults::<Classification>,
        fit: |values, rows, watch| {
            let all = complete("classification", values)?;
            let found = Classification::from_values(&all)?.fit(rows, watch)?;
            Ok(classes("classification", all, rows, found, Body::Linear))
        },
        begin: None,
    },
    Learner {
        name: "exact",
        python: "ExactOperatorRidge",
        role: Role::Regressor,
        about: "Ridge regression with the kernel itself, without features: the reference, for a few thousand rows",
        spec: ExactRegression::SPEC,
        defaults: defaults::<ExactRegression>,
        fit: |values, rows, watch| {
            let all = complete("exact", values)?;
            let fitted = ExactRegression::from_values(&all)?.fit(rows, watch)?;
            Ok(model("exact", all, rows, Body::Exact(Box::new(fitted.model)), fitted.training))
        },
        begin: None,
    },
    Learner {
        name: "nystrom",
        python: "NystromRidge",
        role: Role::Regressor,
        about: "Ridge regression on kernel sections at landmarks, in one pass over the rows",
        spec: Nystrom::SPEC,
        defaults: defaults::<Nystrom>,
        fit: |values, rows, watch| {
            let all = complete("nystrom", values)?;
            let fitted = Nystrom::from_values(&all)?.fit(rows, watch)?;
            Ok(model("nystrom", all, rows, Body::Exact(Box::new(fitted.model)), fitted.training))
        },
        begin: None,
    },
    Learner {
        name: "laplacian",
        python: "LaplacianRidge",
        role: Role::SemiSupervised,
        about: "Ridge regression with a kernel warped by the graph of labelled and unlabelled rows",
        spec: LaplacianRidge::SPEC,
        defaults: defaults::<LaplacianRidge>,
        fit: |values, rows, watch| {
            let all = complete("laplacian", values)?;
            let fitted = LaplacianRidge::from_values(&all)?.fit(rows, watch)?;
            Ok(model("laplacian", all, rows, Body::Linear(Box::new(fitted.model)), fitted.training))
        },
        begin: None,
    },
    Learner {
        name: "exact-laplacian",
        python: "ExactLaplacianRidge",
        role: Role::SemiSupervised,
        about: "Ridge regression with the warped kernel itself, without features or error bars: the reference, for a few thousand rows",
        spec: ExactLaplacian::SPEC,
        defaults: defaults::<ExactLaplacian>,
        fit: |values, rows, watch| {
            let all = complete("exact-laplacian", values)?;
            let fitted = ExactLaplacian::from_values(&all)?.fit(rows, watch)?;
            Ok(model("exact-laplacian", all, rows, Body::Exact(Box::new(fitted.model)), fitted.training))
        },
        begin: None,
    },
    Learner {
        name: "semi-supervised",
        python: "SemiSupervisedRidge",
        role: Role::SemiSupervised,
        about: "Least squares with labelled and unlabelled rows and several views of them",
        spec: SemiSupervised::SPEC,
        defaults: defaults::<SemiSupervised>,
        fit: |values, rows, watch| {
            let all = complete("semi-supervised", values)?;
            let fitted = SemiSupervised::from_values(&all)?.fit(rows, watch)?;
            Ok(model("semi-supervised", all, rows, Body::Linear(Box::new(fitted.model)), fitted.training))
        },
        begin: None,
    },
    Learner {
        name: "laplacian-classification",
        python: "LaplacianClassifier",
        role: Role::SemiSupervisedClassifier,
        about: "Classes with a kernel warped by the graph of labelled and unlabelled rows",
        spec: LaplacianClassifier::SPEC,
        defaults: defaults::<LaplacianClassifier>,
        fit: |values, rows, watch| {
            let all = complete("laplacian-classification", values)?;
            let found = LaplacianClassifier::from_values(&all)?.fit(rows, watch)?;
            Ok(classes("laplacian-classification", all, rows, found, Body::Linear))
        },
        begin: None,
    },
    Learner {
        name: "exact-laplacian-classification",
        python: "ExactLaplacianClassifier",
        role: Role::SemiSupervisedClassifier,
        about: "Classes with the warped kernel itself, without features: the reference, for a few thousand rows",
        spec: ExactLaplacianClassifier::SPEC,
        defaults: defaults::<ExactLaplacianClassifier>,
        fit: |values, rows, watch| {
            let all = complete("exact-laplacian-classification", values)?;
            let found = ExactLaplacianClassifier::from_values(&all)?.fit(rows, watch)?;
            Ok(classes("exact-laplacian-classification", all, rows, found, Body::Exact))
        },
        begin: None,
    },
    Learner {
        name: "semi-supervised-classification",
        python: "SemiSupervisedClassifier",
        role: Role::SemiSupervisedClassifier,
        about: "Classes of labelled and unlabelled rows and several views of them",
        spec: SemiSupervisedClassifier::SPEC,
        defaults: defaults::<SemiSupervisedClassifier>,
        fit: |values, rows, watch| {
            let all = complete("semi-supervised-classification", values)?;
            let found = SemiSupervisedClassifier::from_values(&all)?.fit(rows, watch)?;
            Ok(classes("semi-supervised-classification", all, rows, found, Body::Linear))
        },
        begin: None,
    },
];

/// A transformer: features for other programs' models. It has no command of its own.
pub struct Transformer {
    /// Its name in model files.
    pub name: &'static str,
    /// Its class in Python.
    pub python: &'static str,
    /// One sentence about it.
    pub about: &'static str,
    /// Whether weights of rows count.
    pub weighted: bool,
    /// Its parameters.
    pub spec: &'static [Param],
    /// Their defaults.
    pub defaults: fn() -> Map<String, Value>,
    /// Draws features for rows with the given parameters over the defaults; outputs are not looked at.
    pub fit: Fit,
}

/// All transformers.
pub const TRANSFORMERS: &[Transformer] = &[
    Transformer {
        name: "fourier-features",
        python: "FourierFeatures",
        about: "Random Fourier features of a scalar kernel",
        weighted: true,
        spec: FourierFeatures::SPEC,
        defaults: scalar_defaults::<FourierFeatures>,
        fit: |values, rows, watch| {
            let all = over(scalar_defaults::<FourierFeatures>(), values);
            let (linear, training) = FourierFeatures::from_values(&all)?.fit(rows, watch)?;
            Ok(features("fourier-features", all, rows, linear, training))
        },
    },
    Transformer {
        name: "laplacian-features",
        python: "LaplacianFeatures",
        about: "Random Fourier features of a scalar kernel warped by the graph of the rows",
        weighted: false,
        spec: LaplacianFeatures::SPEC,
        defaults: scalar_defaults::<LaplacianFeatures>,
        fit: |values, rows, watch| {
            let all = over(scalar_defaults::<LaplacianFeatures>(), values);
            let (linear, training) = LaplacianFeatures::from_values(&all)?.fit(rows, watch)?;
            Ok(features("laplacian-features", all, rows, linear, training))
        },
    },
];

/// The defaults of a transformer, whose kernel has one output.
fn scalar_defaults<P: Params>() -> Map<String, Value> {
    let mut values = defaults::<P>();
    values.insert("kernel".into(), json!("gaussian"));
    values
}

fn over(mut defaults: Map<String, Value>, values: &Map<String, Value>) -> Map<String, Value> {
    defaults.extend(values.clone());
    defaults
}

fn features(name: &str, all: Map<String, Value>, rows: &dyn Rows, linear: Linear, training: Training) -> Model {
    let mut model = model(name, all, rows, Body::Linear(Box::new(linear)), training);
    model.info.outputs = vec!["none".into()];
    model
}

/// The transformer of that name, if there is one.
pub fn transformer(name: &str) -> Option<&'static Transformer> {
    TRANSFORMERS.iter().find(|t| t.name == name)
}

/// The learner of that name.
pub fn learner(name: &str) -> Result<&'static Learner> {
    LEARNERS.iter().find(|l| l.name == name).ok_or_else(|| {
        let names: Vec<_> = LEARNERS.iter().map(|l| l.name).collect();
        Error::parameter("learner", format!("one of {}", names.join(", ")), format!("{name:?}"))
    })
}

fn defaults<P: Params>() -> Map<String, Value> {
    match serde_json::to_value(P::default()) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// A field has a component along each coordinate.
fn square(rows: &dyn Rows) -> Result<()> {
    let (d, p) = (rows.inputs(), rows.outputs());
    if d == p {
        return Ok(());
    }
    let expected = "as many outputs as inputs (a vector with a component along each coordinate)";
    Err(Error::shape("field", expected, format!("{d} inputs and {p} outputs")))
}

/// The given values over the defaults.
fn complete(name: &str, values: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut all = (learner(name)?.defaults)();
    all.extend(values.clone());
    Ok(all)
}

fn fit_regression(name: &str, values: &Map<String, Value>, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
    let all = complete(name, values)?;
    let fitted = Regression::from_values(&all)?.fit(rows, watch)?;
    Ok(model(name, all, rows, Body::Linear(Box::new(fitted.model)), fitted.training))
}

fn classes<M>(
    name: &str,
    params: Map<String, Value>,
    rows: &dyn Rows,
    found: FittedClasses<M>,
    body: fn(Box<M>) -> Body,
) -> Model {
    let mut model = model(name, params, rows, body(Box::new(found.model)), found.training);
    model.info.classes = Some(found.classes);
    model
}

fn model(name: &str, params: Map<String, Value>, rows: &dyn Rows, body: Body, training: Training) -> Model {
    named(name, params, (rows.inputs(), rows.outputs()), body, training)
}

impl Learner {
    /// The model of what was gathered so far, from parameters as they were given to `begin`.
    pub fn solve(&self, values: &Map<String, Value>, gathering: &Gathering, watch: &mut dyn Watch) -> Result<Model> {
        self.gathered(values, gathering, gathering.solve(watch)?)
    }

    /// Learns from rows and keeps what was gathered, with the choices of an earlier fit where there is one: a warm start.
    pub fn fit_kept(
        &self,
        values: &Map<String, Value>,
        earlier: Option<&Gathering>,
        rows: &dyn Rows,
        watch: &mut dyn Watch,
    ) -> Result<(Gathering, Model)> {
        if self.begin.is_none() {
            return Err(Error::refused(
                format!("keeping moments of {}", self.name),
                "it learns from all rows at once",
            ));
        }
        if self.role == Role::Field {
            square(rows)?;
        }
        let (gathering, fitted) = match earlier {
            Some(earlier) => earlier.refit(rows, watch)?,
            None => Regression::from_values(&complete(self.name, values)?)?.fit_kept(rows, watch)?,
        };
        let model = self.gathered(values, &gathering, fitted)?;
        Ok((gathering, model))
    }

    fn gathered(&self, values: &Map<String, Value>, gathering: &Gathering, fitted: Fitted) -> Result<Model> {
        let sizes = (gathering.inputs(), gathering.outputs());
        let body = Body::Linear(Box::new(fitted.model));
        Ok(named(self.name, complete(self.name, values)?, sizes, body, fitted.training))
    }
}

fn named(name: &str, params: Map<String, Value>, (d, p): (usize, usize), body: Body, training: Training) -> Model {
    let info = Info {
        learner: name.into(),
        params: Value::Object(params),
        inputs: (1..=d).map(|k| format!("x{k}")).collect(),
        outputs: (1..=p).map(|t| format!("y{t}")).collect(),
        column: false,
        classes: None,
        encoding: Value::Null,
        training,
    };
    Model { body, projection: None, info, series: None }
}
