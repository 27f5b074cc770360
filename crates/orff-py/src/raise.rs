//! Orff's errors as Python's, with the names that parameters have in Python.

use orff::Error;
use orff::params::Param;
use pyo3::exceptions::{PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::io::ErrorKind;

/// The exception of an error of a learner with these parameters.
pub fn raise(py: Python<'_>, error: Error, spec: &[Param]) -> PyErr {
    match error {
        Error::Parameter { name, expected, given } => {
            let name = spec.iter().find(|p| p.name == name).map_or(name, |p| p.python.into());
            let sentence = Error::Parameter { name, expected, given }.to_string();
            parameter(py, sentence).unwrap_or_else(|e| e)
        }
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
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

/// An argument that cannot be used is both a ValueError and a TypeError, as in scikit-learn.
fn parameter(py: Python<'_>, sentence: String) -> PyResult<PyErr> {
    let class = py.import("orff._errors")?.getattr("ParameterError")?.cast_into::<PyType>()?;
    Ok(PyErr::from_type(class, sentence))
}
