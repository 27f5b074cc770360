//! The Python classes of learners and transformers, the functions of spectra, and the names of the package.

use anyhow::Result;
use orff::kernel::Kernel;
use orff::learn::{Estimator, FORECASTERS, Forecaster, Gatherer, LEARNERS, Learner, Role, TRANSFORMERS, Transformer};
use orff::params::{Kind, Param, Params};
use orff::spectrum::Spectrum;
use serde_json::{Map, Value};
use std::fmt::Write;

const MADE: &str = "# Made by `cargo xtask gen` from the declarations of the library: change those, not this file.\n";

/// What is written beside the declaration of a learner.
struct Class<'a> {
    name: &'a str,
    python: &'a str,
    about: &'a str,
    base: &'a str,
    gathers: bool,
    spec: Vec<Param>,
    defaults: Map<String, Value>,
    attributes: &'a str,
    example: &'a str,
}

impl<'a> Class<'a> {
    fn learner(learner: &'a Learner) -> Self {
        let (base, attributes, example) = match learner.role {
            Role::Regressor if learner.spec.iter().any(|p| p.name == "posterior") => {
                ("Regressor", REGRESSOR, REGRESSOR_EXAMPLE)
            }
            Role::Regressor => ("Regressor", REGRESSOR, BARE_EXAMPLE),
            Role::Field => ("Field", REGRESSOR, FIELD_EXAMPLE),
            Role::SemiSupervised => ("SemiSupervised", REGRESSOR, SEMI_SUPERVISED_EXAMPLE),
            Role::Classifier => ("Classifier", CLASSIFIER, CLASSIFIER_EXAMPLE),
            Role::AlignedClassifier if landmarks(learner.spec) => ("Landmarked", CLASSIFIER, CLASSIFIER_EXAMPLE),
            Role::AlignedClassifier => ("Aligned", CLASSIFIER, CLASSIFIER_EXAMPLE),
            Role::Quantiles => ("Quantiles", QUANTILES, QUANTILES_EXAMPLE),
            Role::Curves => ("Curves", CURVES, CURVES_EXAMPLE),
            Role::SemiSupervisedClassifier => ("PartlyLabelled", CLASSIFIER, PARTLY_LABELLED_EXAMPLE),
            Role::OutlierDetector => ("OutlierDetector", DETECTOR, DETECTOR_EXAMPLE),
            Role::LevelSets => ("LevelDetector", LEVEL_SETS, LEVEL_SETS_EXAMPLE),
        };
        let about = (learner.name, learner.python, learner.about);
        let defaults = (learner.defaults)();
        Class::new(about, learner.spec, defaults, learner.begin.is_some(), (base, attributes, example))
    }

    fn transformer(t: &'a Transformer) -> Self {
        let rest = match t.weighted {
            _ if landmarks(t.spec) => ("Similarities", TRANSFORMER, LANDMARK_EXAMPLE),
            _ if t.supervised => ("Learned", TRANSFORMER, LEARNED_EXAMPLE),
            true => ("Transformer", TRANSFORMER, TRANSFORMER_EXAMPLE),
            false => ("Warped", TRANSFORMER, WARPED_EXAMPLE),
        };
        Class::new((t.name, t.python, t.about), t.spec, (t.defaults)(), false, rest)
    }

    fn forecaster(f: &'a Forecaster) -> Self {
        let rest = ("Forecaster", FORECASTER, FORECASTER_EXAMPLE);
        Class::new((f.name, f.python, f.about), f.spec, (f.defaults)(), false, rest)
    }

    fn new(
        (name, python, about): (&'a str, &'a str, &'a str),
        spec: &[Param],
        mut defaults: Map<String, Value>,
        gathers: bool,
        (base, attributes, example): (&'a str, &'a str, &'a str),
    ) -> Self {
        for own in [serde_json::to_value(Estimator::default()), serde_json::to_value(Gatherer::default())] {
            if let Ok(Value::Object(own)) = own {
                defaults.extend(own);
            }
        }
        let gatherer = if gathers { Gatherer::SPEC } else { &[] };
        let spec = spec.iter().chain(gatherer).chain(Estimator::SPEC).copied().collect();
        Class { name, python, about, base, gathers, spec, defaults, attributes, example }
    }

    fn write(&self, out: &mut String) -> Result<()> {
        let (python, about) = (self.python, self.about);
        let gatherer = if self.gathers { "Gatherer, " } else { "" };
        writeln!(out, "\n\nclass {python}({gatherer}{}):", self.base)?;
        writeln!(out, "    \"\"\"{about}.\n\n    Parameters\n    ----------")?;
        for p in &self.spec {
            writeln!(out, "    {} : {}, default={}", p.python, takes(p), default(p, &self.defaults))?;
            paragraph(out, &format!("{}{}", p.text(), addition(p.python)), 8)?;
        }
        writeln!(out, "\n    Attributes\n    ----------")?;
        indented(out, self.attributes, 4)?;
        if matches!(self.base, "Landmarked" | "Similarities") {
            indented(out, LANDMARKS, 4)?;
        }
        if matches!(self.base, "Aligned" | "Learned" | "Landmarked" | "Similarities") {
            indented(out, ALIGNMENT, 4)?;
        }
        if self.gathers {
            indented(out, GATHERER, 4)?;
        }
        writeln!(out, "\n    Examples\n    --------")?;
        indented(out, &self.example.replace("CLASS", python), 4)?;
        writeln!(out, "    \"\"\"\n\n    _learner = \"{}\"\n", self.name)?;
        writeln!(out, "    def __init__(\n        self,")?;
        for (i, p) in self.spec.iter().enumerate() {
            if i == 1 {
                writeln!(out, "        *,")?;
            }
            writeln!(out, "        {}: {} = {},", p.python, annotation(p), default(p, &self.defaults))?;
        }
        writeln!(out, "    ):")?;
        for p in &self.spec {
            writeln!(out, "        self.{0} = {0}", p.python)?;
        }
        Ok(())
    }
}

/// Whether something has landmarks.
fn landmarks(spec: &[Param]) -> bool {
    spec.iter().any(|p| p.name == "landmarks")
}

fn classes() -> impl Iterator<Item = Class<'static>> {
    LEARNERS.iter().map(Class::learner).chain(TRANSFORMERS.iter().map(Class::transformer))
}

/// Those of series, whose rows are not those of scikit-learn's estimators.
fn forecasters() -> impl Iterator<Item = Class<'static>> {
    FORECASTERS.iter().map(Class::forecaster)
}

/// python/orff/_learners.py.
pub fn learners() -> Result<String> {
    let mut bases: Vec<&str> = classes().chain(forecasters()).map(|c| c.base).chain(["Gatherer"]).collect();
    bases.sort_unstable();
    bases.dedup();
    let mut out = format!("\"\"\"The estimators.\"\"\"\n\n{MADE}\nfrom __future__ import annotations\n\n");
    writeln!(out, "from collections.abc import Mapping, Sequence\nfrom typing import Literal\n")?;
    writeln!(out, "import numpy as np\nfrom numpy.typing import ArrayLike\n")?;
    for base in bases {
        writeln!(out, "from ._{} import {base}", base.to_lowercase())?;
    }
    writeln!(out, "from .kernels import Kernel")?;
    for class in classes().chain(forecasters()) {
        class.write(&mut out)?;
    }
    writeln!(out, "\n\nCLASSES = {{")?;
    for class in classes() {
        writeln!(out, "    \"{}\": {},", class.name, class.python)?;
    }
    writeln!(out, "}}\n\"\"\"The class of each learner by its name in model files.\"\"\"")?;
    writeln!(out, "\nFORECASTERS = {{")?;
    for class in forecasters() {
        writeln!(out, "    \"{}\": {},", class.name, class.python)?;
    }
    writeln!(out, "}}\n\"\"\"The same of learners of series.\"\"\"")?;
    Ok(out)
}

/// python/orff/_spectra.py.
pub fn spectra() -> Result<String> {
    let functions = Kernel::functions();
    let names: Vec<String> = Spectrum::NAMES.iter().map(|n| format!("\"{}\"", identifier(n))).collect();
    let mut out = format!("\"\"\"Scalar kernels.\"\"\"\n\n{MADE}\nfrom __future__ import annotations\n\n");
    writeln!(
        out,
        "from collections.abc import Sequence\n\nimport numpy as np\n\nfrom .kernels import Kernel, spectrum\n"
    )?;
    writeln!(out, "__all__ = [{}]", names.join(", "))?;
    for (name, formula) in Spectrum::NAMES.iter().zip(Spectrum::FORMULAS) {
        let usual = serde_json::to_value(Spectrum::from_name(name)?)?;
        let Some((_, fields)) = functions.iter().find(|(n, _)| n == name) else { continue };
        let mut arguments = Vec::new();
        for field in fields {
            let of = match field.as_str() {
                "lengthscale" => "str | float | Sequence[float] | np.ndarray",
                "components" => "int | Sequence[Sequence[float]] | np.ndarray",
                _ => "float",
            };
            arguments.push(format!("{field}: {of} = {}", literal(&usual[field])));
        }
        let given: Vec<String> = fields.iter().map(|f| format!("{f}={f}")).collect();
        writeln!(out, "\n\ndef {}({}) -> Kernel:", identifier(name), arguments.join(", "))?;
        writeln!(out, "    \"\"\"{formula}.\n\n    Examples\n    --------")?;
        let example = if *name == "spectral-mixture" { MIXTURE_EXAMPLE } else { SPECTRUM_EXAMPLE };
        indented(&mut out, &example.replace("NAME", &identifier(name)), 4)?;
        writeln!(out, "    \"\"\"")?;
        writeln!(out, "    return spectrum(\"{name}\", {})", given.join(", "))?;
    }
    Ok(out)
}

/// Where each name of the package is.
fn places() -> Vec<(String, &'static str)> {
    let mut places: Vec<(String, &str)> =
        classes().chain(forecasters()).map(|c| (c.python.to_string(), "_learners")).collect();
    // a sum is written with +
    let functions = Kernel::functions().into_iter().filter(|(name, _)| name != "sum");
    places.extend(functions.map(|(name, _)| (identifier(&name), "kernels")));
    places.extend([
        ("Kernel".to_string(), "kernels"),
        ("Moments".to_string(), "_gatherer"),
        ("ParameterError".to_string(), "_errors"),
        ("load".to_string(), "_base"),
    ]);
    places.sort();
    places
}

/// python/orff/_names.py.
pub fn names() -> Result<String> {
    let mut out = format!("\"\"\"Where the names of the package are.\"\"\"\n\n{MADE}\nPLACES = {{\n");
    for (name, place) in places() {
        writeln!(out, "    \"{name}\": \"{place}\",")?;
    }
    writeln!(out, "}}")?;
    Ok(out)
}

/// python/orff/__init__.pyi.
pub fn stub() -> Result<String> {
    let mut out = String::from(MADE);
    writeln!(out, "\nfrom . import bounds as bounds, kernels as kernels, plot as plot")?;
    for (name, place) in places() {
        writeln!(out, "from .{place} import {name} as {name}")?;
    }
    writeln!(out, "\n__version__: str")?;
    Ok(out)
}

fn identifier(name: &str) -> String {
    name.replace('-', "_")
}

/// What a parameter takes, in words.
fn takes(p: &Param) -> String {
    match p.python {
        "n_jobs" => "int or None".into(),
        "random_state" => "int, RandomState, Generator or None".into(),
        "views" => "two or more groups of columns, or None".into(),
        "combination" => "two or more numbers other than 0, one per view, or None".into(),
        _ => match p.kind {
            Kind::Kernel => "Kernel or str".into(),
            _ => p.kind.expected(),
        },
    }
}

/// What Python adds to a declaration.
fn addition(python: &str) -> &'static str {
    match python {
        "n_jobs" => " None and -1 mean all processors (or OMP_NUM_THREADS of them).",
        "random_state" => " None draws one from NumPy's global state, a RandomState or Generator from itself.",
        "views" => " Or lists of columns by index from 0 or by name, slices or masks, such as [[0, 1], slice(2, 4)].",
        "combination" => " Or a list of numbers.",
        _ => "",
    }
}

fn annotation(p: &Param) -> String {
    match p.python {
        "n_jobs" => "int | None".into(),
        "random_state" => "int | np.random.RandomState | np.random.Generator | None".into(),
        // any value may be a label
        "unlabeled" => "object".into(),
        "views" => "str | Sequence[Sequence[int] | Sequence[str] | slice | np.ndarray] | None".into(),
        "combination" => "str | Sequence[float] | np.ndarray | None".into(),
        _ => of_kind(&p.kind),
    }
}

fn of_kind(kind: &Kind) -> String {
    let words = |words: &[&str]| {
        format!("Literal[{}]", words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", "))
    };
    match kind {
        Kind::Count { .. } => "int".into(),
        Kind::Number { .. } => "float".into(),
        Kind::Amount => "int | float".into(),
        Kind::Choice(list) => words(list),
        Kind::Flag => "bool".into(),
        Kind::Auto(inner) => format!("Literal[\"auto\"] | {}", of_kind(inner)),
        Kind::WordOr(list, inner) => format!("{} | {}", words(list), of_kind(inner)),
        Kind::Several(inner) => format!("{0} | Sequence[{0}] | np.ndarray", of_kind(inner)),
        Kind::Text => "str | None".into(),
        Kind::Kernel => "Kernel | str | Mapping".into(),
        Kind::Form(form) if form.optional => "str | None".into(),
        Kind::Form(_) => "str".into(),
        Kind::Matrix => "ArrayLike | None".into(),
        Kind::ClassWeights => "Mapping | Literal[\"balanced\"] | None".into(),
    }
}

/// The default as Python writes it.
fn default(p: &Param, defaults: &Map<String, Value>) -> String {
    let value = defaults.get(p.name).unwrap_or(&Value::Null);
    match (p.python, &p.kind) {
        ("n_jobs", _) => "None".into(),
        (_, Kind::Kernel) => match serde_json::from_value::<Kernel>(value.clone()) {
            Ok(kernel) if !value.is_string() => format!("\"{kernel}\""),
            _ => literal(value),
        },
        _ => literal(value),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        // a default must not be changed by whoever gets it
        Value::Array(list) => format!("({},)", list.iter().map(literal).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// A paragraph in lines of at most 110 characters.
fn paragraph(out: &mut String, text: &str, indent: usize) -> Result<()> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + word.chars().count() + 1 > 110 {
            writeln!(out, "{:indent$}{line}", "")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{:indent$}{line}", "")?;
    Ok(())
}

fn indented(out: &mut String, text: &str, indent: usize) -> Result<()> {
    for line in text.lines() {
        if line.is_empty() { writeln!(out)? } else { writeln!(out, "{:indent$}{line}", "")? }
    }
    Ok(())
}

const REGRESSOR: &str = "\
alpha_ : float
    The ridge.
lengthscale_ : ndarray of shape (n_features_in_,) or None
    Lengthscale along each input, in its own units, of the first spectrum of the kernel.
kernel_ : Kernel
    The kernel with nothing left open, in scaled coordinates.
path_ : dict of ndarray
    Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
evidence_ : float
    Log evidence at the ridge; NaN when the ridge was given and so not compared.
choices_ : list of str
    What was chosen, with the reasons.
noise_ : ndarray of shape (n_outputs_, n_outputs_)
    Covariance of the noise.
n_iter_ : int
    Iterations of the solver; 1 for a factorisation.
n_features_in_, feature_names_in_, n_outputs_
    As in scikit-learn.
";

const CLASSIFIER: &str = "\
classes_ : ndarray of shape (n_classes,)
    The labels, sorted.
alpha_ : float
    The ridge.
lengthscale_ : ndarray of shape (n_features_in_,) or None
    Lengthscale along each input, in its own units, of the first spectrum of the kernel.
kernel_ : Kernel
    The kernel with nothing left open, in scaled coordinates.
path_ : dict of ndarray
    Scores along ridges: alpha, freedom, gcv, evidence, loo (NaN where it was not asked for).
choices_ : list of str
    What was chosen, with the reasons.
n_iter_ : int
    Iterations of the solver; 1 for a factorisation.
n_features_in_, feature_names_in_
    As in scikit-learn.
";

const DETECTOR: &str = "\
offset_ : float
    Rows whose score is below it are outliers.
feature_importances_ : ndarray of shape (n_features_in_,)
    The share of each input in what tells rows from outliers, where trees look for it.
choices_ : list of str
    What was chosen, with the reasons.
n_features_in_, feature_names_in_
    As in scikit-learn.
";

const LEVEL_SETS: &str = "\
offset_ : float
    Rows whose score is below it are outliers: the level of the set that tells them.
lengthscale_ : ndarray of shape (n_features_in_,) or None
    Lengthscale along each input, in its own units, of the first spectrum of the kernel.
kernel_ : Kernel
    The kernel of the inputs with nothing left open, in scaled coordinates.
choices_ : list of str
    What was chosen, with the reasons; the duality gap and why the solver stopped.
n_iter_ : int
    Iterations of the solver.
n_features_in_, feature_names_in_
    As in scikit-learn.
";

const QUANTILES: &str = "\
alpha_ : float
    The ridge.
lengthscale_ : ndarray of shape (n_features_in_,) or None
    Lengthscale along each input, in its own units, of the first spectrum of the kernel.
kernel_ : Kernel
    The kernel of the inputs with nothing left open, in scaled coordinates.
choices_ : list of str
    What was chosen, with the reasons; the duality gap and why the solver stopped.
n_iter_ : int
    Iterations of the solver.
n_features_in_, feature_names_in_, n_outputs_
    As in scikit-learn.
";

const CURVES: &str = "\
alpha_ : float
    The ridge.
lengthscale_ : ndarray of shape (n_features_in_,) or None
    Lengthscale along each input, in its own units, of the first spectrum of the kernel.
kernel_ : Kernel
    The kernel of the inputs with nothing left open, in scaled coordinates.
argument_lengthscale_ : float or None
    Lengthscale along the argument, in its own units.
argument_kernel_ : Kernel
    The kernel of the argument with nothing left open, in scaled coordinates.
grid_ : ndarray
    Where curves are predicted unless asked for elsewhere.
choices_ : list of str
    What was chosen, with the reasons; how it was solved.
n_iter_ : int
    Iterations of the solver; 1 in closed form.
n_features_in_, feature_names_in_, n_outputs_
    As in scikit-learn.
";

const GATHERER: &str = "\
moments_ : Moments
    The moments of the rows so far, after `partial_fit`, or `fit` with ``warm_start=True``.
";

const REGRESSOR_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X = np.linspace(0, 6, 60).reshape(-1, 1)
>>> Y = np.hstack([np.sin(X), np.cos(X)])
>>> model = CLASS().fit(X, Y)
>>> mean, std = model.predict(X, return_std=True)
>>> bool(np.abs(mean - Y).max() < 0.05)
True
";

const BARE_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X = np.linspace(0, 6, 60).reshape(-1, 1)
>>> Y = np.hstack([np.sin(X), np.cos(X)])
>>> model = CLASS().fit(X, Y)
>>> bool(np.abs(model.predict(X) - Y).max() < 0.05)
True
";

const SEMI_SUPERVISED_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
>>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
>>> y = np.where(first, 1.0, -1.0)
>>> model = CLASS().fit(X, np.where(np.arange(200) < 2, y, np.nan))  # one label for each
>>> bool((np.sign(model.predict(X)) == y).mean() > 0.97)
True
";

const PARTLY_LABELLED_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
>>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
>>> y = np.where(first, \"up\", \"down\")
>>> model = CLASS().fit(X, np.where(np.arange(200) < 2, y, \"\"))  # one label for each
>>> bool((model.predict(X) == y).mean() > 0.97)
True
";

const CLASSIFIER_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X = np.random.default_rng(0).normal(size=(200, 2))
>>> y = np.where(np.hypot(X[:, 0], X[:, 1]) < 1, \"inside\", \"outside\")
>>> model = CLASS().fit(X, y)
>>> model.predict([[0, 0], [2, 2]])
array(['inside', 'outside'], dtype='<U7')
>>> bool(model.predict_proba([[2, 2]])[0, 1] > 0.9)
True
";

const DETECTOR_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X = np.random.default_rng(0).normal(size=(500, 2))
>>> model = CLASS().fit(X)
>>> model.predict([[0, 0], [6, 6]])
array([ 1, -1])
>>> usual, unusual = model.score_samples([[0, 0], [6, 6]])
>>> bool(usual > model.offset_ > unusual)
True
";

const LEVEL_SETS_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X = np.random.default_rng(0).normal(size=(500, 2))
>>> model = CLASS().fit(X)
>>> model.predict([[0, 0], [6, 6]])
array([ 1, -1])
>>> model.predict([[0, 0], [1, 1]], nu=0.9)
array([ 1, -1])
>>> bool(abs((model.predict(X, nu=0.3) == -1).mean() - 0.3) < 0.02)
True
";

const QUANTILES_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> random = np.random.default_rng(0)
>>> X = random.uniform(0, 6, (300, 1))
>>> y = np.sin(X[:, 0]) + (0.1 + 0.1 * X[:, 0]) * random.normal(size=300)
>>> model = CLASS().fit(X, y)
>>> q = model.predict(X, levels=[0.1, 0.5, 0.9])
>>> q.shape, bool((np.diff(q) >= 0).all())
((300, 3), True)
>>> lower, upper = model.predict_interval(X, 0.8)
>>> bool(abs(((lower <= y) & (y <= upper)).mean() - 0.8) < 0.06)
True
";

const CURVES_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X, t = np.linspace(0, 3, 60).reshape(-1, 1), np.linspace(0, 1, 21)
>>> model = CLASS(grid=t).fit(X, np.sin(X + 4 * t))
>>> bool(abs(model.predict([[1.23]], at=0.51)[0] - np.sin(1.23 + 4 * 0.51)) < 1e-3)
True
>>> ragged = [(t[k % 3 :: 3], np.sin(x + 4 * t[k % 3 :: 3])) for k, x in enumerate(X[:, 0])]
>>> bool(CLASS().fit(X, ragged).score(X, ragged) > 0.999)
True
";

const FIELD_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
>>> Y = np.column_stack([X[:, 1], X[:, 0]])  # the gradient of x·y
>>> field = CLASS(kernel=\"curl-free\").fit(X, Y)
>>> bool(np.abs(field.curl(X)).max() < 1e-9)
True
>>> phi = field.potential(X)
>>> bool(np.ptp(phi - X[:, 0] * X[:, 1]) < 0.05)
True
";

const SPECTRUM_EXAMPLE: &str = "\
>>> import orff
>>> k = orff.NAME(lengthscale=0.5)([[0.0], [0.2]])[:, :, 0, 0]
>>> bool(abs(k[0, 0] - 1) < 1e-12 and 0 < k[0, 1] == k[1, 0] < 1)
True
";

const MIXTURE_EXAMPLE: &str = "\
>>> import numpy as np
>>> import orff
>>> k = orff.NAME([[1.0, 2 * np.pi, 0.1]], lengthscale=1)  # weight, mean and deviation: waves of length 1
>>> bool(k([[0.0]], [[1.0]])[0, 0, 0, 0] > 0.99 and k([[0.0]], [[0.5]])[0, 0, 0, 0] < -0.99)
True
>>> x = np.linspace(0, 6, 150)[:, None]
>>> y = np.sin(2 * np.pi * x[:, 0]) + np.sin(x[:, 0])
>>> learned = orff.OperatorRidge(kernel=orff.NAME(2)).fit(x, y)  # a number: the components are learned
>>> bool(np.abs(learned.predict([[6.5]]) - np.sin(6.5)) < 0.2)  # beyond the rows
True
";

const TRANSFORMER: &str = "\
n_components_ : int
    Number of features.
kernel_ : Kernel
    The kernel with nothing left open, in scaled coordinates.
lengthscale_ : ndarray of shape (n_features_in_,) or None
    Lengthscale along each input, in its own units, of the first spectrum of the kernel.
choices_ : list of str
    What was chosen, with the reasons.
n_features_in_, feature_names_in_
    As in scikit-learn.
";

const ALIGNMENT: &str = "\
candidates_ : ndarray of shape (n_candidates, n_features_in_)
    Frequencies that were weighed, in the units of the inputs; with landmarks one such table for each.
posterior_ : ndarray of shape (n_candidates,)
    Their learned probabilities; with landmarks one row for each.
prior_ : ndarray of the same shape
    Their probabilities before.
alignment_ : ndarray of the same shape
    Mean of λ cos⟨ω, x − x′⟩ over pairs of rows, λ = 1 for a common label, −1 otherwise: 1 minus twice the alignment loss.
bound_ : dict
    Bounds of the expected alignment loss of that posterior by their names, each failing with probability 0.05 at most.
";

const LANDMARKS: &str = "\
landmarks_ : ndarray of shape (n_landmarks, n_features_in_)
    The landmarks, in the units of the inputs.
";

const LANDMARK_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> from sklearn.svm import LinearSVC
>>> from sklearn.pipeline import make_pipeline
>>> X = np.random.default_rng(0).uniform(0, 6, size=(600, 2))
>>> y = np.where(np.sin(2 * X[:, 0]) > 0, \"crest\", \"trough\")  # the second input says nothing
>>> model = make_pipeline(CLASS(\"gaussian(0.7)\", n_landmarks=40), LinearSVC(C=100)).fit(X[:400], y[:400])
>>> bool(model.score(X[400:], y[400:]) > 0.85)
True
>>> psi = model[0].transform(model[0].landmarks_)
>>> bool(np.allclose(np.diag(psi), 1))  # a landmark is like itself
True
";

const LEARNED_EXAMPLE: &str = "\
>>> import numpy as np
>>> from orff import CLASS
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.pipeline import make_pipeline
>>> X = np.random.default_rng(0).uniform(0, 6, size=(600, 2))
>>> y = np.where(np.sin(2 * X[:, 0]) > 0, \"crest\", \"trough\")  # the second input says nothing
>>> model = make_pipeline(CLASS(\"gaussian(0.7)\", n_components=20), LogisticRegression(C=100)).fit(X[:400], y[:400])
>>> bool(model.score(X[400:], y[400:]) > 0.9)
True
>>> features = model[0]
>>> bool(features.posterior_ @ features.alignment_ > features.prior_ @ features.alignment_)
True
";

const TRANSFORMER_EXAMPLE: &str = "\
>>> import numpy as np
>>> import orff
>>> X = np.random.default_rng(0).normal(size=(100, 3))
>>> features = orff.CLASS(orff.matern(2.5, lengthscale=2.0), n_components=2000)
>>> Z = features.fit_transform(X)
>>> exact = orff.matern(2.5, lengthscale=2.0)(X)[:, :, 0, 0]
>>> bool(np.abs(Z @ Z.T - exact).max() < 0.05)
True
";

const WARPED_EXAMPLE: &str = "\
>>> import numpy as np
>>> import orff
>>> from sklearn.linear_model import Ridge
>>> t, first = np.random.default_rng(0).uniform(0, np.pi, 200), np.arange(200) % 2 == 0
>>> X = np.where(first, [np.cos(t), np.sin(t)], [1 - np.cos(t), 0.5 - np.sin(t)]).T  # two moons
>>> y = np.where(first, 1.0, -1.0)
>>> Z = orff.CLASS(n_components=600).fit_transform(X)
>>> model = Ridge(alpha=1e-3).fit(Z[:2], y[:2])  # one label for each
>>> bool((np.sign(model.predict(Z)) == y).mean() > 0.97)
True
";

const FORECASTER: &str = "\
lags : int
    Rows back: the order.
params : ndarray or DataFrame of shape (1 + m·p + e, p)
    Constant and coefficients of a linear model.
resid : ndarray of shape (r, p)
    Residuals of the last rows.
sigma_u : ndarray of shape (p, p)
    Covariance of the noise.
whiteness : dict
    Autocorrelations of the residuals, Ljung and Box's test of each variable and the portmanteau test of all.
choices_ : list of str
    What was chosen, with the reasons.
";

const FORECASTER_EXAMPLE: &str = "\
>>> import numpy as np, orff
>>> t = np.arange(200)
>>> Y = np.column_stack([np.sin(t / 5), np.cos(t / 5)])
>>> model = orff.CLASS('linear').fit(Y)
>>> found = model.forecast(24)
>>> bool(np.abs(found.mean[:, 0] - np.sin(np.arange(200, 224) / 5)).max() < 1e-6)
True
>>> bool(orff.CLASS(n_components=50).validate(Y, window=100).mse < 1e-3)
True
";
