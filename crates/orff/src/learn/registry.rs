//! Every learner by name: what the command line, Python and the reference pages are made from.

use super::{
    AlignedClassification, AlignedFeatures, Classification, Detector, ExactLaplacian, ExactLaplacianClassifier,
    ExactRegression, Fitted, FittedClasses, FourierFeatures, FourierOneClassSvm, FunctionalRidge, Gathering,
    IsolationForest, JointQuantiles, LandmarkClassification, LandmarkFeatures, LaplacianClassifier,
    LaplacianFeatures, LaplacianRidge, LevelSets, Nystrom, OneClassForest, QuantileFunction, Regression,
    RiskRegression, SemiSupervised, SemiSupervisedClassifier,
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
    /// The same with a kernel that is learned: a way of `orff fit classification --learn`.
    AlignedClassifier,
    /// A class for each row, learned from rows with and without labels.
    SemiSupervisedClassifier,
    /// How usual each row is, learned from rows without outputs: a method of `orff fit one-class`.
    OutlierDetector,
    /// The same at every level, in one fit.
    LevelSets,
    /// A quantile function for each row.
    Quantiles,
    /// A curve for each row.
    Curves,
}

impl Role {
    /// Whether the one output is a class.
    pub fn classifies(self) -> bool {
        matches!(self, Role::Classifier | Role::AlignedClassifier | Role::SemiSupervisedClassifier)
    }

    /// Whether the kernel is learned, too.
    pub fn aligns(self) -> bool {
        self == Role::AlignedClassifier
    }

    /// Whether rows have no outputs to learn.
    pub fn detects(self) -> bool {
        matches!(self, Role::OutlierDetector | Role::LevelSets)
    }

    /// Whether rows without outputs are learned from, beside others.
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
        name: "aligned-classification",
        python: "AlignedClassifier",
        role: Role::AlignedClassifier,
        about: "Classes with few random features of a kernel that is learned first, by alignment with the labels",
        spec: AlignedClassification::SPEC,
        defaults: defaults::<AlignedClassification>,
        fit: |values, rows, watch| {
            let all = complete("aligned-classification", values)?;
            let (found, alignment) = AlignedClassification::from_values(&all)?.fit(rows, watch)?;
            let mut model = classes("aligned-classification", all, rows, found, Body::Linear);
            model.alignment = Some(Box::new(alignment));
            Ok(model)
        },
        begin: None,
    },
    Learner {
        name: "landmark-classification",
        python: "LandmarkClassifier",
        role: Role::AlignedClassifier,
        about: "Classes by similarities to landmarks, each with a kernel that is learned by alignment with the labels",
        spec: LandmarkClassification::SPEC,
        defaults: scalar_defaults::<LandmarkClassification>,
        fit: |values, rows, watch| {
            let all = complete("landmark-classification", values)?;
            let (found, alignment) = LandmarkClassification::from_values(&all)?.fit(rows, watch)?;
            let mut model = classes("landmark-classification", all, rows, found, Body::Linear);
            model.alignment = Some(Box::new(alignment));
            Ok(model)
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
        name: "risk",
        python: "RiskRegressor",
        role: Role::Regressor,
        about: "Several outputs by any loss (huber, epsilon-insensitive, pinball, squared), over rows, by batches or row by row",
        spec: RiskRegression::SPEC,
        defaults: defaults::<RiskRegression>,
        fit: |values, rows, watch| {
            let all = complete("risk", values)?;
            let fitted = RiskRegression::from_values(&all)?.fit(rows, watch)?;
            Ok(model("risk", all, rows, fitted.body, fitted.training))
        },
        begin: None,
    },
    Learner {
        name: "quantiles",
        python: "QuantileFunction",
        role: Role::Quantiles,
        about: "Quantiles of every level in one fit, which never cross, with intervals of the right probability",
        spec: QuantileFunction::SPEC,
        defaults: scalar_defaults::<QuantileFunction>,
        fit: |values, rows, watch| quantile_model(complete("quantiles", values)?, rows, watch),
        begin: None,
    },
    Learner {
        name: "joint-quantiles",
        python: "JointQuantileRegression",
        role: Role::Quantiles,
        about: "Quantiles at given levels with the kernel itself, without features: the reference, for a few thousand rows",
        spec: JointQuantiles::SPEC,
        defaults: scalar_defaults::<JointQuantiles>,
        fit: |values, rows, watch| {
            let all = complete("joint-quantiles", values)?;
            let fitted = JointQuantiles::from_values(&all)?.fit(rows, watch)?;
            let mut model = model("joint-quantiles", all, rows, Body::Exact(Box::new(fitted.model)), fitted.training);
            model.curves = Some(Box::new(fitted.curves));
            Ok(model)
        },
        begin: None,
    },
    Learner {
        name: "functional",
        python: "FunctionalRidge",
        role: Role::Curves,
        about: "Curves as outputs, on a common grid or each at arguments of its own, predicted at any argument",
        spec: FunctionalRidge::SPEC,
        defaults: || {
            let mut values = scalar_defaults::<FunctionalRidge>();
            values.insert("argument_kernel".into(), json!("gaussian"));
            values
        },
        fit: |values, rows, watch| functional_model(complete("functional", values)?, rows, watch),
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
    Learner {
        name: "forest",
        python: "OneClassForest",
        role: Role::OutlierDetector,
        about: "Outliers by a one-class random forest, whose trees tell rows from outliers that nobody has seen",
        spec: OneClassForest::SPEC,
        defaults: defaults::<OneClassForest>,
        fit: |values, rows, watch| {
            let all = complete("forest", values)?;
            let found = OneClassForest::from_values(&all)?.fit(rows, watch)?;
            Ok(detector("forest", all, rows, found))
        },
        begin: None,
    },
    Learner {
        name: "isolation",
        python: "IsolationForest",
        role: Role::OutlierDetector,
        about: "Outliers by an isolation forest: how few random cuts set a row apart from others",
        spec: IsolationForest::SPEC,
        defaults: defaults::<IsolationForest>,
        fit: |values, rows, watch| {
            let all = complete("isolation", values)?;
            let found = IsolationForest::from_values(&all)?.fit(rows, watch)?;
            Ok(detector("isolation", all, rows, found))
        },
        begin: None,
    },
    Learner {
        name: "level-sets",
        python: "LevelSets",
        role: Role::LevelSets,
        about: "Sets that hold all rows but a share of them, for every share in one fit: a one-class support vector machine of all levels",
        spec: LevelSets::SPEC,
        defaults: scalar_defaults::<LevelSets>,
        fit: |values, rows, watch| level_model(complete("level-sets", values)?, rows, watch),
        begin: None,
    },
    Learner {
        name: "svm",
        python: "FourierOneClassSVM",
        role: Role::OutlierDetector,
        about: "Outliers by a one-class support vector machine of one level: the reference of level-sets",
        spec: FourierOneClassSvm::SPEC,
        defaults: scalar_defaults::<FourierOneClassSvm>,
        fit: |values, rows, watch| {
            let all = complete("svm", values)?;
            let found = FourierOneClassSvm::from_values(&all)?.fit(rows, watch)?;
            Ok(detector("svm", all, rows, found))
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
    /// Whether outputs are learned from.
    pub supervised: bool,
    /// Its parameters.
    pub spec: &'static [Param],
    /// Their defaults.
    pub defaults: fn() -> Map<String, Value>,
    /// Draws features for rows with the given parameters over the defaults.
    pub fit: Fit,
}

/// All transformers.
pub const TRANSFORMERS: &[Transformer] = &[
    Transformer {
        name: "fourier-features",
        python: "FourierFeatures",
        about: "Random Fourier features of a scalar kernel",
        weighted: true,
        supervised: false,
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
        supervised: false,
        spec: LaplacianFeatures::SPEC,
        defaults: scalar_defaults::<LaplacianFeatures>,
        fit: |values, rows, watch| {
            let all = over(scalar_defaults::<LaplacianFeatures>(), values);
            let (linear, training) = LaplacianFeatures::from_values(&all)?.fit(rows, watch)?;
            Ok(features("laplacian-features", all, rows, linear, training))
        },
    },
    Transformer {
        name: "aligned-features",
        python: "AlignedFeatures",
        about: "Random Fourier features of a kernel that is learned by alignment with labels or targets",
        weighted: true,
        supervised: true,
        spec: AlignedFeatures::SPEC,
        defaults: scalar_defaults::<AlignedFeatures>,
        fit: |values, rows, watch| {
            let all = over(scalar_defaults::<AlignedFeatures>(), values);
            let found = AlignedFeatures::from_values(&all)?.fit(rows, watch)?;
            let mut model = features("aligned-features", all, rows, found.model, found.training);
            model.alignment = Some(Box::new(found.alignment));
            Ok(model)
        },
    },
    Transformer {
        name: "landmark-features",
        python: "LandmarkFeatures",
        about: "Similarities to landmarks, each with a kernel that is learned by alignment with labels",
        weighted: false,
        supervised: true,
        spec: LandmarkFeatures::SPEC,
        defaults: scalar_defaults::<LandmarkFeatures>,
        fit: |values, rows, watch| {
            let all = over(scalar_defaults::<LandmarkFeatures>(), values);
            let found = LandmarkFeatures::from_values(&all)?.fit(rows, watch)?;
            let mut model = features("landmark-features", all, rows, found.model, found.training);
            model.alignment = Some(Box::new(found.alignment));
            Ok(model)
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

/// A model of quantiles from all its parameters.
pub(super) fn quantile_model(all: Map<String, Value>, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
    let fitted = QuantileFunction::from_values(&all)?.fit(rows, watch)?;
    let mut model = model("quantiles", all, rows, Body::Linear(Box::new(fitted.model)), fitted.training);
    model.curves = Some(Box::new(fitted.curves));
    Ok(model)
}

/// A model of curves from all its parameters.
pub(super) fn functional_model(all: Map<String, Value>, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
    let fitted = FunctionalRidge::from_values(&all)?.fit(rows, watch)?;
    let mut model = model("functional", all, rows, Body::Linear(Box::new(fitted.model)), fitted.training);
    if let Some(argument) = fitted.curves.argument.as_ref().filter(|_| rows.points()) {
        model.info.outputs = argument.values.iter().map(|t| format!("y_at{t}")).collect();
    }
    model.curves = Some(Box::new(fitted.curves));
    Ok(model)
}

/// A model of level sets from all its parameters.
pub(super) fn level_model(all: Map<String, Value>, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<Model> {
    let (found, curves) = LevelSets::from_values(&all)?.fit(rows, watch)?;
    let mut model = detector("level-sets", all, rows, found);
    model.curves = Some(Box::new(curves));
    Ok(model)
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

/// A model of outliers has one output, its score, whatever the rows had.
fn detector(name: &str, params: Map<String, Value>, rows: &dyn Rows, found: Detector) -> Model {
    let mut model = named(name, params, (rows.inputs(), 1), found.body, found.training);
    model.info.outputs = vec!["score".into()];
    model.info.outliers = Some(found.outliers);
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
        outliers: None,
        encoding: Value::Null,
        training,
    };
    Model { body, projection: None, info, series: None, curves: None, alignment: None }
}
