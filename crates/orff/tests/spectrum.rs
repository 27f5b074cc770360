//! The spectra: kernels against closed forms and other programs, draws against kernels, refusals.

#[path = "spectrum/draws.rs"]
mod draws;
#[path = "spectrum/kernels.rs"]
mod kernels;
#[path = "spectrum/refusals.rs"]
mod refusals;
#[path = "spectrum/structured.rs"]
mod structured;

use orff::spectrum::{Draw, DrawKind, Lengthscale, Matern, Measure, Spectrum};

/// Every spectrum, Matérn in three smoothnesses.
fn spectra(lengthscale: &Lengthscale) -> Vec<Spectrum> {
    let matern = [1.3, 2.0].map(|smoothness| Matern { smoothness, ..Matern::default() }.into());
    let named = Spectrum::NAMES.iter().map(|name| Spectrum::from_name(name).unwrap());
    named.chain(matern).map(|s| s.with_lengthscale(lengthscale.clone())).collect()
}

fn spectrum(name: &str, lengthscale: impl Into<Lengthscale>) -> Spectrum {
    Spectrum::from_name(name).unwrap().with_lengthscale(lengthscale.into())
}

fn how(kind: DrawKind, measure: Measure, seed: u64) -> Draw {
    Draw { kind, measure, seed, purpose: 0 }
}

const KINDS: [DrawKind; 4] = [DrawKind::Iid, DrawKind::Orthogonal, DrawKind::QuasiMonteCarlo, DrawKind::Structured];
const MEASURES: [Measure; 3] = [Measure::Plain, Measure::Trace, Measure::Tilted];
