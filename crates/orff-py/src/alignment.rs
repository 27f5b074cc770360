//! Learned weights of atoms.

use crate::answer::{array, extend};
use crate::model::PyModel;
use crate::raise::raise;
use orff::bound::guarantees;
use orff::{Error, Result};
use pyo3::prelude::*;
use serde_json::json;

/// Numbers of a learned alignment by a word: candidates, prior, posterior, losses, landmarks; those of landmarks have one row for
/// each.
pub fn numbers(py: Python<'_>, model: &PyModel, word: &str) -> PyResult<Py<PyAny>> {
    let found = || -> Result<(Vec<f64>, Vec<usize>)> {
        let (alignment, preparation) = (model.model.alignment()?, model.model.preparation());
        let (count, groups, d) = (alignment.posterior.len(), alignment.groups(), preparation.scale.len());
        let shape = if alignment.landmarks.is_some() { vec![groups, count / groups] } else { vec![count] };
        Ok(match word {
            "candidates" => {
                let mut values = Vec::with_capacity(count * d);
                extend(&mut values, &alignment.frequencies(preparation)?);
                (values, shape.into_iter().chain([d]).collect())
            }
            "prior" => (alignment.prior.clone(), shape),
            "posterior" => (alignment.posterior.clone(), shape),
            "losses" => (alignment.losses.clone(), shape),
            _ => {
                let Some(landmarks) = &alignment.landmarks else {
                    return Err(Error::refused("landmarks of this model", "one kernel was learned for all points"));
                };
                let mut values = Vec::new();
                extend(&mut values, &preparation.restored(landmarks)?);
                (values, vec![groups, preparation.inputs])
            }
        })
    };
    let (values, shape) = found().map_err(|e| raise(py, e, model.spec()))?;
    array(py, values, &shape, false)
}

/// What is guaranteed of the expected alignment loss, as JSON.
pub fn bounds(model: &PyModel, probability: f64) -> Result<String> {
    let all = guarantees(model.model.alignment()?, probability)?;
    serde_json::to_string(&json!(all)).map_err(|e| Error::Data(e.to_string()))
}

/// The atoms of the learned kernel in the user's units: frequencies (D×d) and weights (D).
pub fn atoms(py: Python<'_>, model: &PyModel) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let listed = || model.model.linear()?.listed(1);
    let listed = listed().map_err(|e| raise(py, e, model.spec()))?;
    let (omega, weights) = (listed.omega.mat(), listed.weights.unwrap_or_default());
    let mut values = Vec::new();
    extend(&mut values, omega);
    let count = weights.len();
    Ok((array(py, values, &[count, omega.ncols()], false)?, array(py, weights, &[count], false)?))
}
