//! Defaults that just work: number of features, lengthscale, each with its reason.

use super::Regression;
use super::sample::dense_head;
use crate::error::Result;
use crate::feature::{Characters, MapKind, Moments};
use crate::kernel::{Kernel, Seen};
use crate::random::Stream;
use crate::rows::{Inputs, Weights};
use crate::solve::{Spectral, System};
use crate::watch::Watch;
use faer::Mat;

/// Rows that choose a lengthscale.
const ROWS: usize = 1500;
/// Unknowns of the small models that choose a lengthscale.
const UNKNOWNS: usize = 960;
/// Largest system solved by eigenvalues, which gives every ridge and the posterior.
pub const EIGEN_UNKNOWNS: usize = 4096;

/// A prepared sample: inputs in the kernel's coordinates, scaled outputs, weights.
pub struct Prepared<'a> {
    pub inputs: &'a Inputs,
    pub outputs: &'a Mat<f64>,
    pub weights: Option<&'a Weights>,
}

/// Columns of the feature map: as many as the accuracy asks for and the solver can take. `columns` is r, unknowns per
/// character.
pub fn features(rows: usize, columns: usize, kind: MapKind) -> (usize, String) {
    let affordable = (EIGEN_UNKNOWNS / columns.max(1)).max(64);
    let useful = (8 * rows).clamp(256, 2000);
    let even = |n: usize| n / 2 * 2;
    let chosen = even(useful.min(affordable));
    let atoms = match kind {
        MapKind::Pairs => chosen / 2,
        MapKind::Phases => chosen,
    };
    let error = 1.0 / (atoms as f64).sqrt();
    let reason = if chosen == even(affordable) && affordable < useful {
        format!("{columns} unknowns per column, {EIGEN_UNKNOWNS} unknowns solved at once")
    } else if useful < 2000 {
        format!("eight per row of {rows}")
    } else {
        "the default for large data".to_string()
    };
    (chosen, format!("features {chosen}: {reason}; kernel error about {error:.3} of its size"))
}

/// Median distance between rows of a sample: the usual first guess of a lengthscale. 1 if all rows are equal.
pub fn median_distance(inputs: &Inputs, seed: u64) -> f64 {
    let x = dense_head(inputs, 1000);
    let n = x.nrows();
    if n < 2 {
        return 1.0;
    }
    let mut stream = Stream::new(seed, 0x6d65_6469_616e, 0);
    let mut distances: Vec<f64> = (0..4000)
        .filter_map(|_| {
            let (i, j) = (stream.below(n), stream.below(n));
            let square: f64 = (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum();
            (i != j && square > 0.0).then(|| square.sqrt())
        })
        .collect();
    if distances.is_empty() {
        return 1.0;
    }
    distances.sort_by(f64::total_cmp);
    distances[distances.len() / 2]
}

/// The lengthscale with the largest evidence around the median distance, on at most 1500 rows and a small map.
pub fn lengthscale(
    learner: &Regression,
    kernel: &Kernel,
    sample: &Prepared,
    watch: &mut dyn Watch,
) -> Result<(f64, String)> {
    let median = median_distance(sample.inputs, learner.seed);
    let n = sample.inputs.nrows().min(ROWS * expansion(sample));
    if n < 8 {
        return Ok((median, format!("lengthscale {median:.4}: median distance (too few rows to compare others)")));
    }
    let inputs = sample.inputs.slice(0, n);
    let outputs = sample.outputs.subrows(0, n).to_owned();
    let weights = sample.weights.map(|w| match w {
        Weights::Row(w) => Weights::Row(w[..n].to_vec()),
        Weights::Entry(w) => Weights::Entry(w.subrows(0, n).to_owned()),
    });
    watch.stage("lengthscale");
    let mut score = |log: f64| -> Result<f64> {
        watch.advance(1)?;
        let seen = Seen {
            outputs: learner.kernel_outputs(outputs.ncols()),
            sample: Some(outputs.as_ref()),
            lengthscale: Some(median * libm::exp2(log)),
        };
        let small = kernel.resolve(&seen)?;
        let map = learner.small_map(&small, inputs.ncols(), UNKNOWNS)?;
        let mut characters = Characters::new(map.characters());
        map.fill(&inputs, &mut characters);
        let mut moments = Moments::new(map.characters(), outputs.ncols());
        moments.add(&characters, outputs.as_ref(), weights.as_ref())?;
        let data = learner.centred(&moments);
        let system = System::new(&map, &data, None)?;
        Ok(Spectral::new(system)?.minimise(|p| -p.evidence).map_or(f64::NEG_INFINITY, |p| p.evidence))
    };
    let mut best = (0.0, f64::NEG_INFINITY);
    for log in [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0] {
        let value = score(log)?;
        if value > best.1 {
            best = (log, value);
        }
    }
    for step in [0.5, 0.25] {
        for log in [best.0 - step, best.0 + step] {
            let value = score(log)?;
            if value > best.1 {
                best = (log, value);
            }
        }
    }
    let chosen = median * libm::exp2(best.0);
    let reason = format!("largest evidence on {n} rows, {:.2} times the median distance", libm::exp2(best.0));
    Ok((chosen, format!("lengthscale {chosen:.4} (in scaled inputs): {reason}")))
}

fn expansion(sample: &Prepared) -> usize {
    // a sample of views has several scalar rows per row of data; the limit is on all of them
    if sample.outputs.ncols() == 1 { 2 } else { 1 }
}
