//! Orff's errors as Python's, with the names that parameters have in Python.

use orff::Error;
use orff::params::Param;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyPermissionError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::io::ErrorKind;

/// What the rows of a learner are called in Python.
const ROWS: [(&str, &str); 7] = [
    ("inputs", "X"),
    ("outputs", "y"),
    ("weights", "sample_weight"),
    ("rows", "X, y"),
    ("rows to align with", "X, sample_weight"),
    ("field", "X, y"),
    ("exogenous", "exog"),
];

/// How sentences about data begin, and the arguments that they are about.
const ABOUT: [(&str, &str); 16] = [
    ("input ", "X"),
    ("output ", "y"),
    ("variable ", "Y"),
    ("exogenous ", "exog"),
    ("all rows are equal", "X"),
    ("a graph of one sample", "X"),
    ("no inputs or no outputs", "X, y"),
    ("no inputs:", "X"),
    ("no rows", "X"),
    ("no row counts: every weight is zero", "sample_weight"),
    ("no row counts: every label is missing", "sample_weight, y"),
    ("one class only", "y"),
    ("the argument of the curves", "y, grid"),
    ("the first window of ", "Y, window"),
    ("no row after a window", "Y, exog"),
    // "no 3 consecutive rows of the series are complete"
    ("no ", "Y"),
];

/// How refusals begin, and the parameters (by the library's names) or arguments that they are about.
const REFUSED: [(&str, &str); 31] = [
    ("curl-free ", "kernel"),
    ("div-free ", "kernel"),
    ("helmholtz ", "kernel"),
    ("a transformable kernel", "kernel"),
    ("a sum of a transformable", "kernel"),
    ("a multiple of a transformable", "kernel"),
    ("a product ", "kernel"),
    ("a bound for ", "kernel"),
    ("the variance of ", "kernel"),
    ("a graph with a transformable", "kernel"),
    ("the exact warped kernel", "kernel"),
    ("a curl-free, div-free or helmholtz kernel on the group", "group"),
    ("draw ", "draw"),
    ("a quasi-monte-carlo draw", "draw"),
    ("measure ", "measure"),
    ("solver ", "solver"),
    ("leave-one-out", "ridge"),
    ("ridge 0", "ridge"),
    ("choosing the ridge", "ridge"),
    ("this choice of the ridge", "ridge"),
    ("a metric", "metric"),
    ("an order", "order"),
    ("validating an order", "order"),
    ("this loss", "loss"),
    ("views with", "views"),
    ("weights of entries", "weights"),
    ("weights of rows", "weights"),
    ("sparse inputs", "inputs"),
    ("a projection of sparse inputs", "inputs"),
    ("a dense copy", "inputs"),
    ("merging gatherings", "other"),
];

/// How the size of atoms is told by Python's names.
const OF_ATOMS: [(&str, &str); 2] =
    [(", one per atom, got ", ", one per row of omega, got "), (" atoms, and at", " rows of omega, and at")];

/// What a kernel without terms is called.
const EMPTY_SUM: &str = "sum of kernels";

/// Parts of a kernel that have a size.
const PARTS: [&str; 6] =
    ["output matrix", "matrix of ", "omega of ", "view", "terms of a sum", "factors of a product"];

/// How columns of values that cannot be used are called, at their beginning or end, and the arguments that have them.
const COLUMNS: [(&str, &str); 10] = [
    // whatever a variable is called
    (" of the graph", "graph"),
    (" of the history", "history"),
    ("output", "y"),
    ("argument", "y"),
    ("class", "y"),
    ("weight", "sample_weight"),
    ("task", "task"),
    ("time", "time"),
    ("variable", "Y"),
    ("exogenous", "exog"),
];

/// What a computation that fails is called, where it is about one argument; the others are about the rows.
const COMPUTED: [(&str, &str); 1] = [("spectral mixture", "kernel")];

/// Parameters of kernels that are none of learners.
const INSIDE: [&str; 1] = ["components"];

/// Parts of a kernel with a column for each input.
const WIDE: [&str; 3] = ["matrix of K(T", "omega of ", "view "];

/// What the sizes of arguments follow from, by Python's names: those of an input and of an output, and other words.
pub struct Sizes {
    input: &'static str,
    output: &'static str,
    words: &'static [(&'static str, &'static str)],
}

const OF_ROWS: Sizes = Sizes {
    input: "column of X",
    output: "column of y",
    words: &[
        ("as there are inputs", "as X has columns"),
        ("groups of inputs from", "groups of columns of X from"),
        ("an argument for each output", "an argument for each column of y"),
        ("weights of the classes ", "weights of the classes of y: "),
    ],
};

const OF_SERIES: Sizes = Sizes {
    input: "input (lags of Y, and exog)",
    output: "column of Y",
    words: &[("rows to come", "rows to come (steps)")],
};

const OF_BOUNDS: Sizes = Sizes {
    input: "input (dimension, or delta)",
    output: "output (outputs)",
    words: &[(" inputs", " inputs (dimension)")],
};

/// Of a kernel that is evaluated.
pub const OF_POINTS: Sizes = Sizes { input: "column of X", output: "output (outputs)", words: &[] };

/// Words of the library and the command, and those of Python for the same.
const WORDS: [(&str, &str); 15] = [
    ("the ridge", "alpha"),
    ("a ridge", "an alpha"),
    ("no ridge", "no alpha"),
    ("ridge 0", "alpha 0"),
    ("lower features", "lower n_components"),
    ("give a file, or choose", "call fit, or choose"),
    ("use regression or nystrom", "use OperatorRidge or NystromRidge"),
    ("use random features, which leave", "use OperatorRidge, which leaves"),
    ("use random features or Nyström landmarks", "use OperatorRidge or NystromRidge"),
    ("n_components: an angle is not finite", "X: an angle is not finite"),
    ("exogenous: ", "exog: "),
    ("merging gatherings", "merging moments"),
    ("give every part an empty copy", "give every part moments_.empty()"),
    ("use laplacian, which", "use LaplacianRidge or LaplacianClassifier, which"),
    // as scikit-learn counts
    ("in one dimension is refused", "in one dimension (n_features = 1) is refused"),
];

/// An error about a size, with the argument that it follows from.
pub fn sized(error: Error, sizes: &Sizes) -> Error {
    let told = |what: &str, expected: String| {
        let wide = expected.ends_with(" columns") && WIDE.iter().any(|part| what.starts_with(part));
        let expected = if wide { expected + ", one per input" } else { expected };
        let each = [("per input", format!("per {}", sizes.input)), ("per output", format!("per {}", sizes.output))];
        let said = each.iter().fold(expected, |said, (own, python)| said.replace(own, python));
        sizes.words.iter().fold(said, |said, (own, python)| said.replace(own, python))
    };
    match error {
        Error::Parameter { name, expected, given } => {
            // that of a kernel is no other parameter
            let of_kernel = name == "lengthscale" && expected.ends_with("one per input");
            let name = if of_kernel { "kernel, lengthscale".into() } else { name };
            Error::Parameter { expected: told(&name, expected), name, given }
        }
        Error::Shape { what, expected, given } => Error::Shape { expected: told(&what, expected), what, given },
        other => other,
    }
}

/// Where the sizes of arguments beside these parameters come from.
fn sizes(spec: &[Param]) -> Option<&'static Sizes> {
    match spec {
        [] => None,
        _ if is_own("dimension", spec) => Some(&OF_BOUNDS),
        _ if is_own("order", spec) || is_own("steps", spec) => Some(&OF_SERIES),
        _ => Some(&OF_ROWS),
    }
}

/// The exception of an error of a learner with these parameters; one that belongs to no learner has none.
pub fn raise(py: Python<'_>, error: Error, spec: &[Param]) -> PyErr {
    let error = match sizes(spec) {
        Some(sizes) => sized(error, sizes),
        None => error,
    };
    match error {
        Error::Parameter { name, expected, given } => {
            let name = match name.as_str() {
                EMPTY_SUM => format!("{}: {name}", kernels(spec)),
                inside if INSIDE.contains(&inside) && is_own("kernel", spec) => format!("{}: {name}", kernels(spec)),
                _ => python_name(name, spec),
            };
            wrong(py, true, Error::Parameter { expected: takes(&name, expected), name, given }.to_string())
        }
        Error::Shape { what, expected, given } => {
            let own = is_own(&what, spec);
            let part = !own && PARTS.iter().any(|part| what.starts_with(part));
            let what = if part { format!("{}: {what}", kernels(spec)) } else { python_name(what, spec) };
            wrong(py, own || part, Error::Shape { what, expected, given }.to_string())
        }
        Error::Expression { .. } => wrong(py, true, error.to_string()),
        Error::Numerical { what, why } => {
            PyValueError::new_err(in_words(format!("{}: {why}", computed(&what, spec)), spec))
        }
        Error::Value { ref column, .. } if !spec.is_empty() => {
            let ends = |own: &str| if own.starts_with(' ') { column.ends_with(own) } else { column.starts_with(own) };
            let about = COLUMNS.iter().find(|(own, _)| ends(own)).map_or("X", |(_, python)| python);
            PyValueError::new_err(format!("{about}: {error}"))
        }
        Error::Data(sentence) => PyValueError::new_err(in_words(about(sentence, spec), spec)),
        Error::Refused { ref what, .. } => {
            let about =
                REFUSED.iter().find(|(own, _)| what.starts_with(own) && !spec.is_empty()).map(|(_, name)| *name);
            let name = about.map_or(String::new(), |name| python_name(name.into(), spec) + ": ");
            wrong(py, about.is_some_and(|name| is_own(name, spec)), name + &in_words(error.to_string(), spec))
        }
        Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::File { .. } => PyValueError::new_err(format!("path: {error}")),
        Error::Io { path, source } => {
            let kind = source.kind();
            let sentence = Error::Io { path, source }.to_string();
            match kind {
                ErrorKind::NotFound => PyFileNotFoundError::new_err(sentence),
                ErrorKind::PermissionDenied => PyPermissionError::new_err(sentence),
                _ => PyOSError::new_err(sentence),
            }
        }
        other => PyValueError::new_err(other.to_string()),
    }
}

/// The exception of a kernel that cannot be read, as the argument of that name.
pub fn refuse_kernel(py: Python<'_>, error: Error, name: &str) -> PyErr {
    let sentence = error.to_string();
    let about = match error {
        Error::Refused { .. } => Some(name),
        _ if sentence.starts_with(EMPTY_SUM) => Some(name),
        _ if sentence.starts_with("view ") => Some("views"),
        _ => None,
    };
    let sentence = OF_ATOMS.iter().fold(sentence, |said, (own, python)| said.replace(own, python));
    wrong(py, true, about.map_or(sentence.clone(), |name| format!("{name}: {sentence}")))
}

/// The error of a fit with weights: they may be why numbers fail, or why a class or an output has no row.
pub fn weighed(error: Error, weights: bool) -> Error {
    match error {
        Error::Numerical { what, why } if weights && what != "features" => {
            Error::Numerical { what: format!("weights, {what}"), why }
        }
        Error::Data(sentence)
            if weights && (sentence.starts_with("one class only") || sentence.ends_with("with a weight > 0")) =>
        {
            Error::Data(format!("sample_weight, y: {sentence}"))
        }
        other => other,
    }
}

/// What a computation that fails is called in Python, after the arguments that it is about.
fn computed(what: &str, spec: &[Param]) -> String {
    if let Some(what) = what.strip_prefix("weights, ") {
        return format!("sample_weight, {}", computed(what, spec));
    }
    let name = python_name(what.into(), spec);
    // what learns has a kernel
    if !is_own("kernel", spec) || name != what || is_own(what, spec) {
        return name;
    }
    let rows = match what {
        _ if is_own("order", spec) => "Y",
        "warp" if is_own("agreement", spec) => "X, y, kernel, intrinsic, agreement",
        "warp" => "X, y, kernel, strength",
        _ => "X, y, kernel",
    };
    let about = COMPUTED.iter().find(|(own, _)| *own == what).map_or(rows, |(_, python)| python);
    format!("{about}: {what}")
}

/// The parameters that are kernels.
fn kernels(spec: &[Param]) -> &'static str {
    if is_own("argument_kernel", spec) { "kernel, argument_kernel" } else { "kernel" }
}

/// Whether it is a parameter of the learner.
fn is_own(name: &str, spec: &[Param]) -> bool {
    spec.iter().any(|p| p.name == name)
}

/// A parameter, or the rows, of a learner by their names in Python.
fn python_name(name: String, spec: &[Param]) -> String {
    let rows = || ROWS.iter().find(|(own, _)| *own == name && !spec.is_empty()).map(|(_, python)| *python);
    spec.iter().find(|p| p.name == name).map(|p| p.python).or_else(rows).map_or(name.clone(), String::from)
}

/// What a parameter takes, in Python's values.
pub fn takes(python: &str, expected: String) -> String {
    // scikit-learn's words for all processors
    let jobs = "None, a negative number (-1: all processors, -2: all but one) or ";
    if python == "n_jobs" { expected.replacen("auto or ", jobs, 1) } else { expected.replace("1/ridge", "1/alpha") }
}

/// A sentence about data, with the argument of a learner that it is about.
fn about(sentence: String, spec: &[Param]) -> String {
    // "output covariance" is a part of a kernel, "output 2" one of y
    let begins = |own: &str| match sentence.strip_prefix(own) {
        Some(rest) => !own.ends_with(' ') || rest.starts_with(|c: char| c.is_ascii_digit()),
        None => false,
    };
    match ABOUT.iter().find(|(own, _)| begins(own) && !spec.is_empty()) {
        // either may be at fault
        Some((_, name)) if sentence.contains("no output was observed") => format!("{name}, y: {sentence}"),
        Some((_, name)) => format!("{name}: {sentence}"),
        None => sentence,
    }
}

/// A finished sentence about a learner in Python's words.
fn in_words(sentence: String, spec: &[Param]) -> String {
    let words = WORDS.iter().filter(|_| !spec.is_empty());
    words.fold(sentence, |said, (own, python)| said.replace(own, python))
}

/// A line about a choice, which begins with the name of what was chosen, as Python calls it.
pub fn in_python(line: &str, spec: &[Param]) -> String {
    match line.split_once(' ') {
        Some((name, rest)) => match spec.iter().find(|p| p.name == name) {
            Some(param) => format!("{} {rest}", param.python),
            None => line.into(),
        },
        None => line.into(),
    }
}

/// The exception of a sentence: about a parameter, or about data.
fn wrong(py: Python<'_>, parameter: bool, sentence: String) -> PyErr {
    if parameter { self::parameter(py, sentence).unwrap_or_else(|e| e) } else { PyValueError::new_err(sentence) }
}

/// An argument that cannot be used is both a ValueError and a TypeError, as in scikit-learn.
fn parameter(py: Python<'_>, sentence: String) -> PyResult<PyErr> {
    let class = py.import("orff._errors")?.getattr("ParameterError")?.cast_into::<PyType>()?;
    Ok(PyErr::from_type(class, sentence))
}
