//! Figure 6 of Brault 2016 (figures 5.2 and 5.3 of the thesis): the variance of the approximate kernel at a random point of [−1, 1]⁴
//! beside its exact value and its bounds, all times the number of atoms D. The papers show curves without numbers.

use super::Report;
use anyhow::Result;
use faer::Mat;
use orff::bound::Variance;
use orff::feature::MapKind;
use orff::kernel::{Kernel, Matrix, Output, SumDraw};
use orff::linalg::eigen;
use orff::random::Stream;
use orff::spectrum::{Draw, Measure, Spectrum};

/// Draws of the atoms at each point.
const DRAWS: u64 = 200;
const D: usize = 4;

/// Variance bounds against the exact and the empirical variance.
pub fn figure_6(seeds: u64, out: &mut Report) -> Result<()> {
    let s = || Spectrum::default().with_lengthscale(1.0.into());
    let gamma = faer::mat![[1.0, 0.5], [0.5, 1.0]];
    let coupled = Kernel::decomposable(s(), Output::Given { matrix: Matrix::new(gamma, "output")? });
    let kernels = [
        ("decomposable", coupled, Measure::Plain),
        ("curl-free plain", Kernel::curl_free(s()), Measure::Plain),
        ("curl-free trace", Kernel::curl_free(s()), Measure::Trace),
        ("div-free plain", Kernel::div_free(s()), Measure::Plain),
        ("div-free trace", Kernel::div_free(s()), Measure::Trace),
    ];
    for (name, kernel, measure) in kernels {
        let points: Vec<Vec<f64>> = (0..seeds)
            .map(|seed| {
                let mut stream = Stream::new(seed, 0x6631_3670, 0);
                (0..D).map(|_| 2.0 * stream.uniform() - 1.0).collect()
            })
            .collect();
        for atoms in [10, 100, 1000] {
            let mut seen = Vec::new();
            for (seed, x) in points.iter().enumerate() {
                out.pause()?;
                seen.push(atoms as f64 * empirical(&kernel, x, measure, atoms, seed as u64)?);
            }
            out.row(&format!("{name}, D = {atoms}, over {DRAWS} draws"), &seen, None)?;
        }
        let mut lines = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        for x in &points {
            let v = Variance::at(&kernel, x, measure, MapKind::Pairs, SumDraw::default())?;
            lines[0].push(v.exact.as_ref().map_or(Ok(f64::NAN), norm)?);
            lines[1].push(norm(&v.always)?);
            lines[2].push(v.brault_2016.unwrap_or(f64::NAN));
            lines[3].push(v.brault_2017.unwrap_or(f64::NAN));
        }
        let names = ["exact", "E[A²] − K₀(δ)², always a bound", "bound of B16", "bound of T17"];
        for (what, values) in names.iter().zip(&lines) {
            out.row(&format!("{name}, {what}"), values, None)?;
        }
    }
    Ok(())
}

/// ‖mean of (K̂ − K)²‖ over draws.
fn empirical(kernel: &Kernel, x: &[f64], measure: Measure, atoms: usize, seed: u64) -> Result<f64> {
    let zero = vec![0.0; D];
    let exact = kernel.eval(x, &zero)?;
    let mut sum = Mat::zeros(exact.nrows(), exact.ncols());
    for draw in 0..DRAWS {
        let how = Draw { measure, seed: seed * DRAWS + draw, ..Draw::default() };
        let error = kernel.draw(D, atoms, &how, SumDraw::default())?.eval(x, &zero)? - &exact;
        sum += faer::Scale(1.0 / DRAWS as f64) * (&error * &error);
    }
    norm(&sum)
}

fn norm(m: &Mat<f64>) -> Result<f64> {
    let e = eigen(m.as_ref())?.values;
    Ok(e.iter().fold(0.0, |most, v| v.abs().max(most)))
}
