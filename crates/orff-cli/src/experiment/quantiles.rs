//! Brault's thesis 2017, section 9.1.4: all quantiles of a sine wave whose noise falls along it, beside joint quantile
//! regression with the exact kernel.
//!
//! 2500 rows to learn from, 1000 to judge by, σ_X = 0.25. The thesis reports test losses of 0.818 and 0.817 and times of some
//! 30 and 1330 seconds; how its losses are normalised it does not say, so ours stand beside those of the true quantiles.

use super::{Pausing, Report};
use anyhow::Result;
use orff::generate::{Sample, sine_wave, sine_wave_quantile};
use orff::learn::{JointQuantiles, LevelList, QuantileFunction};
use orff::model::{Body, Info, Model};
use orff::params::Auto;
use orff::rows::{Inputs, Table};
use std::time::Instant;

const ROWS: (usize, usize) = (2500, 1000);
/// Levels of the thesis' figures.
const LEVELS: [f64; 5] = [0.05, 0.275, 0.5, 0.725, 0.95];
const LENGTHSCALE: f64 = 0.25;
const RIDGE: f64 = 1e-5;
/// Relative duality gap of both.
const GAP: f64 = 1e-3;

/// Mean over rows and levels of the pinball loss.
fn loss(test: &Sample, quantile: impl Fn(usize, usize) -> f64) -> f64 {
    let n = test.outputs.nrows();
    let one = |i: usize, k: usize| {
        let (r, t) = (test.outputs[(i, 0)] - quantile(i, k), LEVELS[k]);
        (t * r).max((t - 1.0) * r)
    };
    let sum: f64 = (0..n).flat_map(|i| (0..LEVELS.len()).map(move |k| (i, k))).map(|(i, k)| one(i, k)).sum();
    sum / (n * LEVELS.len()) as f64
}

/// The two learners at the same lengthscale, ridge and gap, and ours with everything chosen.
pub fn sine(seeds: u64, out: &mut Report) -> Result<()> {
    let mut losses = vec![Vec::new(); 4];
    let mut times = vec![Vec::new(); 3];
    let mut ratios = (Vec::new(), Vec::new());
    for seed in 0..seeds {
        out.pause()?;
        let (train, test) = (sine_wave(ROWS.0, 2 * seed)?, sine_wave(ROWS.1, 2 * seed + 1)?);
        let rows = Table::new(train.inputs.clone(), train.outputs.clone())?;
        let x = Inputs::Dense(test.inputs.clone());
        let judge = |model: &Model| -> Result<f64> {
            let q = model.quantiles(&x, &LEVELS)?;
            Ok(loss(&test, |i, k| q[(i, k)]))
        };
        let given = QuantileFunction {
            lengthscale: LENGTHSCALE.into(),
            ridge: Auto::Fixed(RIDGE),
            tolerance: GAP,
            ..QuantileFunction::default()
        };
        for (k, learner) in
            [given, QuantileFunction { tolerance: GAP, ..QuantileFunction::default() }].iter().enumerate()
        {
            let start = Instant::now();
            let model = learner.model(&rows, &mut Pausing)?;
            times[k].push(start.elapsed().as_secs_f64());
            losses[k].push(judge(&model)?);
        }
        let exact = JointQuantiles {
            lengthscale: LENGTHSCALE.into(),
            ridge: Auto::Fixed(RIDGE),
            levels: LevelList(LEVELS.to_vec()),
            tolerance: GAP,
            ..JointQuantiles::default()
        };
        let start = Instant::now();
        let fitted = exact.fit(&rows, &mut Pausing)?;
        times[2].push(start.elapsed().as_secs_f64());
        let curves = Some(Box::new(fitted.curves));
        let body = Body::Exact(Box::new(fitted.model));
        losses[2].push(judge(&Model {
            body,
            projection: None,
            info: Info::default(),
            series: None,
            curves,
            alignment: None,
        })?);
        losses[3].push(loss(&test, |i, k| sine_wave_quantile(test.inputs[(i, 0)], LEVELS[k])));
        ratios.0.push(losses[0][seed as usize] / losses[2][seed as usize]);
        ratios.1.push(times[2][seed as usize] / times[0][seed as usize]);
    }
    let names = ["all quantiles, features", "the same, everything chosen", "joint quantile regression, exact kernel"];
    for (k, name) in names.iter().enumerate() {
        out.row(&format!("{name}: pinball loss"), &losses[k], None)?;
        out.row(&format!("{name}: seconds"), &times[k], None)?;
    }
    out.row("the true quantiles: pinball loss", &losses[3], None)?;
    out.row("loss of features over that of the exact kernel", &ratios.0, Some(0.818 / 0.817))?;
    out.row("time of the exact kernel over that of features", &ratios.1, Some(1330.0 / 30.0))
}
