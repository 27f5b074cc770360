//! Centres and scales of inputs and outputs, as far as the kernel leaves them free.

use crate::error::{Error, Result};
use crate::group::Group;
use crate::kernel::{Kernel, Units};
use crate::model::Preparation;
use crate::rows::{Batch, Inputs, Weights};
use faer::Mat;

/// Spreads beyond these have squares that floating-point numbers cannot hold.
const WIDEST: f64 = 1e150;
const NARROWEST: f64 = 1e-150;

/// Mean and standard deviation of each column, NaN left out, a row of weight w counting as w rows; a constant column
/// has deviation 0.
fn columns(x: &Mat<f64>, weights: Option<&Weights>) -> Vec<(f64, f64)> {
    let v = match weights {
        Some(Weights::Row(w)) => x.nrows() / w.len().max(1),
        _ => 1,
    };
    let weight = |i: usize| match weights {
        Some(Weights::Row(w)) => w[i / v],
        _ => 1.0,
    };
    (0..x.ncols())
        .map(|k| {
            let seen = || (0..x.nrows()).map(|i| (weight(i), x[(i, k)])).filter(|(w, v)| *w > 0.0 && v.is_finite());
            let n = seen().map(|(w, _)| w).sum::<f64>();
            let n = if n > 0.0 { n } else { 1.0 };
            let mean = seen().map(|(w, v)| w * v).sum::<f64>() / n;
            let variance = seen().map(|(w, v)| w * (v - mean) * (v - mean)).sum::<f64>() / n;
            // squares of tiny numbers vanish, and with them the difference to a constant
            let span = seen().map(|(_, v)| (v - mean).abs()).fold(0.0, f64::max);
            let sd = if span < NARROWEST { span } else { variance.sqrt() };
            // what is left of a constant column after rounding is no spread
            (mean, if sd <= 1e-12 * mean.abs() { 0.0 } else { sd })
        })
        .collect()
}

/// The standard deviation of each column, NaN left out.
pub fn deviations(y: &Mat<f64>) -> Vec<f64> {
    columns(y, None).into_iter().map(|(_, sd)| sd).collect()
}

fn scales(columns: &[(f64, f64)], units: Units) -> Vec<f64> {
    match units {
        Units::Free => columns.iter().map(|(_, sd)| if *sd > 0.0 { *sd } else { 1.0 }).collect(),
        Units::Common => {
            let square = columns.iter().map(|(_, sd)| sd * sd).sum::<f64>() / columns.len().max(1) as f64;
            vec![if square > 0.0 { square.sqrt() } else { 1.0 }; columns.len()]
        }
        Units::Fixed => vec![1.0; columns.len()],
    }
}

/// The preparation of inputs that a kernel allows, from a sample of rows.
pub fn inputs(kernel: &Kernel, group: &Group, sample: &Batch) -> Result<Preparation> {
    let d = sample.inputs.ncols();
    group.check(d)?;
    if !group.is_additive() && kernel.has(Kernel::is_field) {
        return Err(Error::refused(
            format!("a curl-free, div-free or helmholtz kernel on the group {group}"),
            "in your coordinates such a field would have curl and divergence; use the additive group",
        ));
    }
    let mut preparation = Preparation {
        views: kernel.views().map(<[_]>::to_vec).unwrap_or_default(),
        group: group.clone(),
        ..Preparation::plain(d)
    };
    match preparation.chart(&sample.inputs, 1)? {
        Inputs::Dense(x) => {
            let columns = columns(&x, sample.weights.as_ref());
            bounded(&columns, "input")?;
            preparation.centre = columns.iter().map(|(mean, _)| *mean).collect();
            preparation.scale = scales(&columns, kernel.units().0);
        }
        // sparse rows keep their zeros, and their columns their common unit
        Inputs::Sparse(x) => {
            if let Some(at) = x.values.iter().position(|v| v.abs() > WIDEST) {
                return Err(beyond("input", x.columns[at] as usize, "spread too far"));
            }
        }
    }
    Ok(preparation)
}

/// Mean and scale of each output, in the units given or those that the kernel allows.
pub fn outputs(kernel: &Kernel, units: Option<Units>, sample: &Batch, centre: bool) -> Result<(Vec<f64>, Vec<f64>)> {
    let mut columns = columns(&sample.outputs, sample.weights.as_ref());
    bounded(&columns, "output")?;
    if kernel.views().is_some() {
        // views share one function, and so one constant
        let mean = columns.iter().map(|(mean, _)| mean).sum::<f64>() / columns.len() as f64;
        columns.iter_mut().for_each(|c| c.0 = mean);
    }
    let means = columns.iter().map(|(mean, _)| if centre { *mean } else { 0.0 }).collect();
    Ok((means, scales(&columns, units.unwrap_or(kernel.units().1))))
}

/// The refusal of a column that floating-point numbers do not hold.
pub(super) fn beyond(what: &str, k: usize, how: &str) -> Error {
    let cure = "look for wrong entries, or change its unit";
    Error::Data(format!("{what} {}: its values {how} for floating-point numbers; {cure}", k + 1))
}

/// Refuses columns whose spread is beyond floating-point numbers.
fn bounded(columns: &[(f64, f64)], what: &str) -> Result<()> {
    let refused = |k: usize, how: &str| Err(beyond(what, k, how));
    if let Some(k) = columns.iter().position(|(mean, sd)| !(mean.is_finite() && *sd < WIDEST)) {
        return refused(k, "spread too far");
    }
    match columns.iter().position(|(_, sd)| *sd > 0.0 && *sd < NARROWEST) {
        Some(k) => refused(k, "lie too close together"),
        None => Ok(()),
    }
}
