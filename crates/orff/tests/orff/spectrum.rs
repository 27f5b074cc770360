//! The spectra: kernels against closed forms and other programs, draws against kernels, refusals.

mod draws;
mod kernels;
mod refusals;
mod structured;

use orff::spectrum::{Component, Draw, DrawKind, Lengthscale, Matern, Measure, Spectrum};

/// A spectral mixture with two components on d inputs; others as they are.
fn closed(spectrum: Spectrum, d: usize) -> Spectrum {
    let one = |weight: f64, mean: [f64; 3], deviation: [f64; 3]| Component {
        weight,
        mean: (0..d).map(|k| mean[k % 3]).collect(),
        deviation: (0..d).map(|k| deviation[k % 3]).collect(),
    };
    spectrum.with_components(vec![
        one(2.0, [1.5, -0.4, 0.7], [0.3, 0.8, 0.5]),
        one(0.7, [0.2, 0.9, -1.1], [1.1, 0.4, 0.2]),
    ])
}

/// Every spectrum on d inputs, Matérn in three smoothnesses.
fn spectra(lengthscale: &Lengthscale, d: usize) -> Vec<Spectrum> {
    let matern = [1.3, 2.0].map(|smoothness| Matern { smoothness, ..Matern::default() }.into());
    let named = Spectrum::NAMES.iter().map(|name| Spectrum::from_name(name).unwrap());
    named.chain(matern).map(|s| closed(s.with_lengthscale(lengthscale.clone()), d)).collect()
}

fn spectrum(name: &str, lengthscale: impl Into<Lengthscale>) -> Spectrum {
    Spectrum::from_name(name).unwrap().with_lengthscale(lengthscale.into())
}

fn how(kind: DrawKind, measure: Measure, seed: u64) -> Draw {
    Draw { kind, measure, seed, purpose: 0 }
}

const KINDS: [DrawKind; 4] = [DrawKind::Iid, DrawKind::Orthogonal, DrawKind::QuasiMonteCarlo, DrawKind::Structured];
const MEASURES: [Measure; 3] = [Measure::Plain, Measure::Trace, Measure::Tilted];
