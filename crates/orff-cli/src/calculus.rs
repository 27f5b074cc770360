//! Derivatives, potentials and parts of a fitted field, as columns of a table.

use anyhow::Result;
use faer::Mat;
use orff::Error;
use orff::model::{Model, Query};
use orff::rows::Inputs;
use std::borrow::Cow;

/// What can be asked for beside the field itself.
pub const WORDS: &[&str] = &[
    "jacobian",
    "divergence",
    "curl",
    "potential",
    "stream-function",
    "vector-potential",
    "gradient-part",
    "rotation-part",
];

/// Names of the columns of a quantity. A projected model lives in metres: its derivatives are along east and north.
pub fn names(model: &Model, word: &str) -> Result<Vec<String>> {
    let (mut inputs, outputs) = (model.info.inputs.clone(), &model.info.outputs);
    if let Some(by) = &model.projection {
        inputs[by.lon] = "east".into();
        inputs[by.lat] = "north".into();
    }
    let inputs = &inputs;
    let d = inputs.len();
    let pairs = |join: &str| -> Vec<String> {
        (0..d)
            .flat_map(|i| (i + 1..d).map(move |k| (i, k)))
            .map(|(i, k)| format!("{join}_{}_{}", i + 1, k + 1))
            .collect()
    };
    let space = |name: &str| inputs.iter().map(|x| format!("{name}_{x}")).collect::<Vec<_>>();
    Ok(match word {
        "jacobian" => outputs.iter().flat_map(|y| inputs.iter().map(move |x| format!("d{y}_d{x}"))).collect(),
        "curl" if d == 2 => vec!["curl".into()],
        "curl" if d == 3 => space("curl"),
        "curl" => pairs("curl"),
        "vector-potential" if d == 3 => space("vector_potential"),
        "vector-potential" if d < 3 => {
            return Err(Error::refused("a vector potential in the plane", "use --also stream-function").into());
        }
        "vector-potential" => pairs("vector_potential"),
        "gradient-part" | "rotation-part" => {
            outputs.iter().map(|y| format!("{y}_{}", word.trim_end_matches("-part"))).collect()
        }
        scalar => vec![scalar.replace('-', "_")],
    })
}

/// Refuses a quantity that the model does not have, before any row is read.
pub fn check(model: &Model, word: &str) -> Result<()> {
    values(model, word, &Inputs::Dense(Mat::zeros(0, model.inputs()))).map(|_| ())
}

/// What must be said of a potential before it is used: that the field has another part, too.
pub fn said(model: &Model, word: &str) -> Result<Option<String>> {
    let (field, part) = match word {
        "potential" => (model.linear()?.as_gradient()?, "gradient"),
        "stream" | "stream-function" | "vector-potential" => (model.linear()?.as_rotation()?, "rotation"),
        _ => return Ok(None),
    };
    Ok(matches!(field, Cow::Owned(_)).then(|| {
        format!(
            "{word}: that of the {part} part, which is zero at the centre of the inputs; the field itself has none"
        )
    }))
}

/// The quantity at the rows. A potential is that of the field where it has one, otherwise of the part that has.
pub fn values(model: &Model, word: &str, x: &Inputs) -> Result<Mat<f64>> {
    let x = model.projected(x)?;
    let field = model.linear()?;
    let column = |values: Vec<f64>| Mat::from_fn(values.len(), 1, |i, _| values[i]);
    Ok(match word {
        "jacobian" => {
            let j = field.jacobian(&x)?;
            let (p, d) = (model.outputs(), model.inputs());
            Mat::from_fn(j.len(), p * d, |i, c| j[i][(c / d, c % d)])
        }
        "divergence" => column(field.divergence(&x)?),
        "curl" => field.curl(&x)?,
        "potential" => column(field.as_gradient()?.potential(&x)?),
        "stream-function" => column(field.as_rotation()?.stream_function(&x)?),
        "vector-potential" => field.as_rotation()?.vector_potential(&x)?,
        "gradient-part" => field.gradient_part()?.predict(&x, Query::default())?.mean,
        _ => field.rotation_part()?.predict(&x, Query::default())?.mean,
    })
}
