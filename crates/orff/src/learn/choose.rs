//! Defaults that just work: number of features, lengthscale, each with its reason.

use super::apart::Judged;
use super::ridge::criterion;
use super::{Regression, Ridge};
use crate::error::{Error, Result};
use crate::feature::MapKind;
use crate::kernel::{Kernel, Seen};
use crate::model::Preparation;
use crate::random::Stream;
use crate::rows::{Inputs, Weights};
use crate::watch::Watch;
use faer::Mat;

/// Rows that choose a lengthscale.
const ROWS: usize = 1500;
/// Octaves from the median distance at which the search of a lengthscale ends.
const SHORTEST: f64 = -8.0;
const LONGEST: f64 = 3.0;
/// Octaves by which the best one is then moved.
const STEPS: [f64; 2] = [0.5, 0.25];
/// Largest system whose every ridge is looked at, by a band or by eigenvalues.
pub const EIGEN_UNKNOWNS: usize = 4096;

/// A prepared sample: inputs in the kernel's coordinates, scaled outputs, weights.
pub struct Prepared<'a> {
    pub inputs: &'a Inputs,
    pub outputs: &'a Mat<f64>,
    pub weights: Option<&'a Weights>,
    /// Rows of the whole source, as far as they are known.
    pub rows: f64,
    /// How the inputs were prepared.
    pub preparation: &'a Preparation,
}

/// How a length in the units of the inputs is said; whoever knows these units may put them in its place.
pub const OWN_UNITS: &str = "in their own units";

/// A length that was chosen in the kernel's coordinates, in words; in the user's units too where all inputs have one.
pub fn length(chosen: f64, preparation: &Preparation) -> String {
    let scale = &preparation.scale;
    let plain = preparation.group.is_additive() && preparation.views.is_empty();
    let one = plain && scale.iter().all(|s| *s == scale[0]);
    match scale.first().filter(|_| one) {
        Some(scale) => format!("{chosen:.4} (in scaled inputs; {:.4} {OWN_UNITS})", chosen * scale),
        None => format!("{chosen:.4} (in scaled inputs)"),
    }
}

/// Fewer columns of features than this are not worth a factorisation where conjugate gradients can be had.
const ENOUGH: usize = 256;

/// Unknowns of few rows: with more than these and more than observed entries, errors fall by some percent where the time of
/// their eigenvalues is six times as long.
const FEW_UNKNOWNS: usize = 2048;

/// Columns of the feature map: as many as the accuracy asks for and the solver can take. `columns` is r, unknowns per
/// character; where there are very many, conjugate gradients over the rows take any number, if these can be read `again`.
pub fn features(rows: usize, outputs: usize, columns: usize, again: bool, kind: MapKind) -> (usize, String) {
    let of = |unknowns: usize| (unknowns / columns.max(1)).max(64);
    let most = rows.saturating_mul(outputs).clamp(FEW_UNKNOWNS, EIGEN_UNKNOWNS);
    let affordable = if again && of(EIGEN_UNKNOWNS) < ENOUGH { usize::MAX } else { of(most) };
    let useful = rows.saturating_mul(8).clamp(256, 2000);
    let even = |n: usize| n / 2 * 2;
    let chosen = even(useful.min(affordable));
    let atoms = match kind {
        MapKind::Pairs => chosen / 2,
        MapKind::Phases => chosen,
    };
    let error = 1.0 / (atoms as f64).sqrt();
    let reason = if chosen == even(affordable) && affordable < useful {
        let why = if most < EIGEN_UNKNOWNS { format!("for {rows} rows") } else { "solved at once".into() };
        format!("{columns} unknowns per column, {most} unknowns {why}")
    } else if useful == 256 {
        "the fewest by default".to_string()
    } else if useful < 2000 {
        format!("eight for each of {rows} rows")
    } else {
        "the default".to_string()
    };
    (chosen, format!("features {chosen}: {reason}; kernel error about {error:.3} of its size"))
}

/// Fewer features, as many as the memory has room for; and the reason. Where none fit, the memory is refused.
pub fn fewer(features: usize, memory: usize, fits: impl Fn(usize) -> bool) -> Result<(usize, String)> {
    let tried = || (1..=7).map(|k| (features >> k).max(16) / 2 * 2);
    let Some(n) = tried().find(|&n| fits(n)) else {
        let fewest = tried().min().unwrap_or(16);
        let expected = format!("more megabytes (these rows need more with only {fewest} features)");
        return Err(Error::parameter("memory", expected, memory));
    };
    Ok((n, format!("features {n}: what {memory} MB (the parameter memory) have room for")))
}

/// The refusal of more features than the memory has room for.
pub fn too_many(features: usize, megabytes: f64, memory: usize) -> Error {
    Error::parameter(
        "features",
        format!("so many that the fit stays within {memory} MB (the parameter memory)"),
        format!("{features}, which need about {megabytes:.0} MB"),
    )
}

/// Median distance between different rows of a sample, a row of weight w counting as w rows: the usual first guess of a
/// lengthscale. 1 if all rows are equal. Few rows are compared all with all, more of them in random pairs.
pub fn median_distance(inputs: &Inputs, weights: Option<&Weights>, seed: u64) -> f64 {
    let n = inputs.nrows().min(1000);
    let square = |i: usize, j: usize| -> f64 {
        match inputs {
            Inputs::Dense(x) => (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum(),
            Inputs::Sparse(x) => x.square_distance(i, j),
        }
    };
    let weight = |i: usize| match weights {
        Some(Weights::Row(w)) => w[i],
        _ => 1.0,
    };
    let pairs: Vec<(usize, usize)> = if n <= 200 {
        (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect()
    } else {
        let mut stream = Stream::new(seed, 0x6d65_6469_616e, 0);
        (0..4000).map(|_| (stream.below(n), stream.below(n))).collect()
    };
    let mut distances: Vec<(f64, f64)> = pairs
        .into_iter()
        .map(|(i, j)| (square(i, j).sqrt(), weight(i) * weight(j)))
        .filter(|(distance, weight)| *distance > 0.0 && *weight > 0.0)
        .collect();
    distances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = distances.iter().map(|(_, w)| w).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let median = distances.iter().find(|(_, w)| {
        below += w;
        below > half
    });
    median.map_or(1.0, |(distance, _)| *distance)
}

/// What a kernel leaves open that the evidence can choose.
#[derive(Clone, Copy)]
pub struct Open {
    /// Some lengthscale.
    pub lengthscale: bool,
    /// Some share of the gradient part.
    pub gradient: bool,
}

impl Open {
    /// A kernel that leaves nothing open does not notice what it is told.
    pub fn of(kernel: &Kernel, seen: &Seen) -> Result<Self> {
        let with = |l: f64, w: f64| kernel.resolve(&Seen { lengthscale: Some(l), gradient: Some(w), ..*seen });
        let base = with(1.0, 0.5)?;
        Ok(Open { lengthscale: base != with(2.0, 0.5)?, gradient: base != with(1.0, 0.25)? })
    }
}

/// The lengthscale (in octaves about the median distance) and the share w of the gradient part (as its log-odds).
type Place = (f64, f64);

fn share(odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-odds))
}

/// The open parameters with the largest evidence, on at most 1500 rows and a small map: a grid of lengthscales about
/// the median distance, a grid of shares, then smaller steps in both. Returns the reasons too.
pub fn open_parameters<'a>(
    learner: &Regression,
    kernel: &Kernel,
    sample: &Prepared,
    seen: Seen<'a>,
    watch: &mut dyn Watch,
) -> Result<(Seen<'a>, Vec<String>)> {
    let open = Open::of(kernel, &seen)?;
    if !open.lengthscale && !open.gradient {
        return Ok((seen, Vec::new()));
    }
    let median = median_distance(sample.inputs, sample.weights, learner.seed);
    let n = judged(sample.inputs.nrows(), sample.outputs.ncols());
    let at = |(log, odds): Place| Seen {
        lengthscale: Some(median * libm::exp2(log)),
        gradient: Some(share(odds)),
        ..seen
    };
    if n < 8 {
        let few = "too few rows to compare others";
        let mut lines = Vec::new();
        if open.lengthscale {
            let chosen = length(median, sample.preparation);
            lines.push(format!("lengthscale {chosen}: median distance ({few})"));
        }
        if open.gradient {
            lines.push(format!("gradient share {:.3}: as much as rotation ({few})", share(0.0)));
        }
        return Ok((at((0.0, 0.0)), lines));
    }
    let judged = Judged::new(sample, &kernel.resolve(&at((0.0, 0.0)))?, n, learner.seed, true);
    let n = judged.rows();
    watch.stage("choose");
    let mut best: (Place, f64) = ((0.0, 0.0), f64::NEG_INFINITY);
    let mut attempt = |place: Place, best: &mut (Place, f64)| -> Result<()> {
        watch.advance(1)?;
        let spectral = judged.spectral(learner, &kernel.resolve(&at(place))?)?;
        let value = match learner.ridge {
            // a given ridge is part of the model that is judged: nλ of all rows is the noise in units of the prior
            Ridge::Given(ridge) if ridge > 0.0 => {
                let weight = judged.weight(&spectral);
                spectral.at(ridge * sample.rows.max(weight) / weight).evidence
            }
            _ => spectral.minimise(|p| -p.evidence).map_or(f64::NEG_INFINITY, |p| p.evidence),
        };
        if value > best.1 {
            *best = (place, value);
        }
        Ok(())
    };
    attempt((0.0, 0.0), &mut best)?;
    let mut bottom = -4.0;
    if open.lengthscale {
        for log in [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, LONGEST] {
            attempt((log, 0.0), &mut best)?;
        }
        // the best one may lie below: rough data need short lengthscales
        while best.0.0 == bottom && bottom > SHORTEST {
            bottom -= 1.0;
            attempt((bottom, 0.0), &mut best)?;
        }
    }
    if open.gradient {
        for odds in [-4.0, -2.0, 2.0, 4.0] {
            attempt((best.0.0, odds), &mut best)?;
        }
    }
    for step in STEPS {
        let (log, odds) = best.0;
        if open.lengthscale {
            attempt((log - step, odds), &mut best)?;
            attempt((log + step, odds), &mut best)?;
        }
        if open.gradient {
            let log = best.0.0;
            attempt((log, odds - 2.0 * step), &mut best)?;
            attempt((log, odds + 2.0 * step), &mut best)?;
        }
    }
    let (log, odds) = best.0;
    let mut lines = Vec::new();
    if open.lengthscale {
        let (chosen, times) = (median * libm::exp2(log), libm::exp2(log));
        let reach = STEPS.iter().sum::<f64>();
        let end = match log {
            log if log >= LONGEST + reach => ", the longest that is tried",
            log if log <= bottom - reach => ", the shortest that is tried",
            _ => "",
        };
        let reason = format!("largest evidence on {n} rows, {times:.2} times the median distance{end}");
        lines.push(format!("lengthscale {}: {reason}", length(chosen, sample.preparation)));
    }
    if open.gradient {
        lines.push(format!("gradient share {:.3}: largest evidence on {n} rows", share(odds)));
    }
    Ok((at(best.0), lines))
}

/// nλ by the score of the learner on a sample of the rows, for a kernel with nothing left open; and the reason.
pub fn shift(
    learner: &Regression,
    kernel: &Kernel,
    sample: &Prepared,
    watch: &mut dyn Watch,
) -> Result<(f64, String)> {
    watch.stage("choose");
    watch.advance(0)?;
    let most = judged(usize::MAX, sample.outputs.ncols());
    let judged = Judged::new(sample, kernel, most, learner.seed, false);
    let spectral = judged.spectral(learner, kernel)?;
    let best = match learner.ridge {
        Ridge::Gcv => spectral.minimise(|p| p.gcv)?,
        _ => spectral.minimise(|p| -p.evidence)?,
    };
    let (shift, by) = (best.ridge * spectral.system().rows, criterion(learner.ridge));
    Ok((shift, format!("ridge times rows {shift:.3e}: {by} on {} rows, outputs apart", judged.rows())))
}

/// How many of so many prepared rows choose.
pub fn judged(rows: usize, outputs: usize) -> usize {
    // a sample of views has several scalar rows per row of data; the limit is on all of them
    rows.min(if outputs == 1 { 2 * ROWS } else { ROWS })
}
