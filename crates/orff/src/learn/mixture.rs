//! Components of a spectral mixture, learned from a sample before atoms are drawn. \[spectral-mixture\]

use super::choose::{OWN_UNITS, Prepared};
use crate::error::{Error, Result};
use crate::kernel::{Helmholtz, Kernel};
use crate::model::Preparation;
use crate::random::Stream;
use crate::rows::Weights;
use crate::solve::{MixtureEvidence, MixtureForm};
use crate::spectrum::{Component, Lengthscale, Spectrum};
use crate::watch::Watch;
use faer::Mat;
use std::f64::consts::TAU;

/// Numbers with one covariance that are looked at, at most: one evaluation costs their cube. Those of fields are all outputs of a row.
const NUMBERS: usize = 400;
/// Rows that are looked at, at least.
const FEWEST: usize = 16;
/// Inputs and outputs with gaps, at most.
const INPUTS: usize = 64;
const OUTPUTS: usize = 4;
/// Purpose of the stream that picks rows.
const PICK: u64 = 0x6d69_7863;

/// Components for a kernel whose sizes alone matter.
pub(super) fn any(kernel: &Kernel, d: usize) -> Kernel {
    let one = || Component { weight: 1.0, mean: vec![0.0; d], deviation: vec![1.0; d] };
    kernel.with_spectra(&|s: &Spectrum| s.clone().with_components(vec![one()]))
}

/// The kernel with its components learned, and the reasons; none if it leaves none open.
pub(super) fn learned(
    given: &Kernel,
    sample: &Prepared,
    seed: u64,
    watch: &mut dyn Watch,
) -> Result<Option<(Kernel, Vec<String>)>> {
    let d = sample.inputs.ncols();
    if any(given, d) == *given {
        return Ok(None);
    }
    let (spectrum, form) = place(given)?;
    let count = spectrum.open_components().unwrap_or(1);
    let most = if form == MixtureForm::Scalar { INPUTS } else { NUMBERS / FEWEST };
    if d > most {
        let expected = format!("at most {most} inputs to learn components of a spectral mixture (give their rows)");
        return Err(Error::shape("inputs", expected, d));
    }
    // a lengthscale that is given is the unit of the means; fields have one unit
    let scales = match spectrum.lengthscale() {
        Lengthscale::Auto => vec![1.0; d],
        given => given.per_input(d)?,
    };
    let units = if form == MixtureForm::Scalar { scales.clone() } else { vec![scales[0]; d] };
    if form != MixtureForm::Scalar && sample.outputs.ncols() != d {
        let expected = format!("{d}, as many as inputs (a field)");
        return Err(Error::shape("outputs", expected, sample.outputs.ncols()));
    }
    let rows = some(sample, if form == MixtureForm::Scalar { NUMBERS } else { NUMBERS / d }, seed);
    if rows.len() < FEWEST {
        let expected =
            format!("at least {FEWEST}, to learn components of a spectral mixture from (or give their rows)");
        return Err(Error::shape("rows", expected, rows.len()));
    }
    watch.stage("choose");
    let columns = if form == MixtureForm::Scalar { most_observed(sample.outputs) } else { (0..d).collect() };
    let x = sample.inputs.pick(&rows).to_dense();
    let points = Mat::from_fn(rows.len(), d, |i, k| x[(i, k)] / units[k]);
    let y = Mat::from_fn(rows.len(), columns.len(), |i, t| sample.outputs[(rows[i], columns[t])]);
    let weights = sample.weights.map(|w| match w {
        Weights::Row(w) => Weights::Row(rows.iter().map(|&i| w[i]).collect()),
        Weights::Entry(w) => Weights::Entry(Mat::from_fn(rows.len(), columns.len(), |i, t| w[(rows[i], columns[t])])),
    });
    let evidence = MixtureEvidence::new(points, &y, weights.as_ref(), count, form)?;
    let best = evidence.maximise(seed, &mut || watch.advance(1))?;
    let mut components = evidence.components(&best.theta);
    components.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    for (k, times) in scales.iter().zip(&units).map(|(own, unit)| own / unit).enumerate() {
        components.iter_mut().for_each(|c| (c.mean[k], c.deviation[k]) = (c.mean[k] * times, c.deviation[k] * times));
    }
    let (n, starts) = (rows.len(), best.starts.len());
    let what = format!("components {count}: largest evidence on {n} rows from {starts} starts");
    let mut lines = vec![format!("{what}, {:.4} for each number", best.evidence)];
    lines.extend(waves(&components, &scales, sample.preparation));
    let found = given.with_spectra(&|spectrum: &Spectrum| {
        let spectrum = spectrum.clone().with_components(components.clone());
        match spectrum.lengthscale() {
            Lengthscale::Auto => spectrum.with_lengthscale(Lengthscale::Common(1.0)),
            _ => spectrum,
        }
    });
    Ok(Some((found, lines)))
}

/// The spectrum of a kernel that has one, and what outputs are of it. A multiple does not matter: the ridge is chosen afterwards. A
/// share of the gradient part that is open is learned with the components, and chosen anew, on more rows, afterwards.
fn place(kernel: &Kernel) -> Result<(&Spectrum, MixtureForm)> {
    let field = |gradient: f64| MixtureForm::Field { gradient, rotation: 1.0 - gradient };
    match kernel {
        Kernel::Decomposable(k) => Ok((&k.spectrum, MixtureForm::Scalar)),
        Kernel::CurlFree(k) => Ok((&k.spectrum, field(1.0))),
        Kernel::DivFree(k) => Ok((&k.spectrum, field(0.0))),
        Kernel::Helmholtz(Helmholtz { spectrum, gradient }) => {
            Ok((spectrum, gradient.fixed().map_or(MixtureForm::Helmholtz, field)))
        }
        Kernel::Scaled(k) => place(&k.of),
        _ => Err(Error::refused(
            "components that are learned inside a sum, a product or another change of a kernel",
            "they are learned for decomposable, curl-free, div-free and helmholtz kernels and multiples of them; give their rows \
             [weight, means, deviations]",
        )),
    }
}

/// Rows at random: every k-th of an even grid would hide short waves.
fn some(sample: &Prepared, most: usize, seed: u64) -> Vec<usize> {
    let counts = |i: &usize| (0..sample.outputs.ncols()).any(|t| sample.outputs[(*i, t)].is_finite());
    let mut rows: Vec<usize> = (0..sample.inputs.nrows()).filter(counts).collect();
    if rows.len() > most {
        Stream::new(seed, PICK, 0).draw(&mut rows, most);
        rows.truncate(most);
        rows.sort_unstable();
    }
    rows
}

/// All outputs, or of those with gaps the ones that are observed most: each has a covariance of its own.
fn most_observed(outputs: &Mat<f64>) -> Vec<usize> {
    let observed = |t: usize| outputs.col(t).iter().filter(|v| v.is_finite()).count();
    let mut columns: Vec<usize> = (0..outputs.ncols()).collect();
    if columns.iter().any(|&t| observed(t) < outputs.nrows()) {
        columns.sort_by_key(|&t| (std::cmp::Reverse(observed(t)), t));
        columns.truncate(OUTPUTS);
    }
    columns
}

/// Waves of one input in words.
fn waves(components: &[Component], scales: &[f64], preparation: &Preparation) -> Vec<String> {
    let plain = preparation.group.is_additive() && preparation.views.is_empty();
    let (&[scale], &[unit], true) = (preparation.scale.as_slice(), scales, plain) else { return Vec::new() };
    let said = |c: &Component| {
        let (long, far) = (TAU / c.mean[0].abs() * scale * unit, scale * unit / c.deviation[0]);
        let over = format!("weight {:.3}", c.weight);
        // what does not come back within its own reach is no wave
        match c.mean[0].abs() > c.deviation[0] {
            true => format!("component of {over}: waves of length {long:.4} over about {far:.4} ({OWN_UNITS})"),
            false => format!("component of {over}: changes over about {far:.4} ({OWN_UNITS})"),
        }
    };
    components.iter().map(said).collect()
}
