//! Brault's thesis 2017, Table 6.5: seven torques of a robot arm, each row observing one of them.
//!
//! N random rows for each task, 500 characters; error in % of nMSE, the mean over the tasks of the mean squared error
//! divided by the variance, on the 4449 rows of the test file. The thesis draws from the whole training file, which is not
//! to be had: here from the subset of 6228 single-task rows, without those that are also in the test file.

use super::{Report, data};
use anyhow::Result;
use faer::Mat;
use orff::kernel::{Kernel, Output};
use orff::learn::Regression;
use orff::model::Query;
use orff::params::Auto;
use orff::random::Stream;
use orff::rows::{Inputs, Tasks};
use orff::spectrum::Spectrum;
use std::collections::HashSet;

const TASKS: usize = 7;
const ROWS: [usize; 5] = [50, 100, 150, 200, 400];
const INDEPENDENT: [f64; 5] = [23.138, 16.191, 13.821, 12.713, 10.785];
const LAPLACIAN: [f64; 5] = [22.254, 15.568, 13.459, 12.554, 10.651];

/// Rows of one task each.
struct Arm {
    x: Mat<f64>,
    y: Vec<f64>,
    /// The rows of each task.
    of: Vec<Vec<usize>>,
    test: (Inputs, Mat<f64>),
}

impl Arm {
    fn read() -> Result<Self> {
        let (test, torques) = data::table("sarcos_test/sarcos_inv_test.csv.gz", "1..21", "22..28")?;
        let (x, pairs) = data::table("sarcos_test/sub_sarcos_single_task.csv.gz", "1..21", "22,23")?;
        // both files have six decimals
        let key = |m: &Mat<f64>, i: usize| m.row(i).iter().map(|v| (v * 1e5).round() as i64).collect::<Vec<i64>>();
        let known: HashSet<Vec<i64>> = (0..test.nrows()).map(|i| key(&test, i)).collect();
        let mut of = vec![Vec::new(); TASKS];
        for i in (0..x.nrows()).filter(|&i| !known.contains(&key(&x, i))) {
            if let Some(rows) = of.get_mut((pairs[(i, 1)] - 1.0) as usize) {
                rows.push(i);
            }
        }
        Ok(Arm { y: (0..x.nrows()).map(|i| pairs[(i, 0)]).collect(), x, of, test: (Inputs::Dense(test), torques) })
    }

    /// `count` rows of each task.
    fn draw(&self, count: usize, seed: u64) -> Result<Tasks<orff::rows::Table>> {
        let (mut rows, mut task) = (Vec::new(), Vec::new());
        for (t, of) in self.of.iter().enumerate() {
            let mut of = of.clone();
            let mut random = Stream::new(seed, 0x6172_6d, t as u64);
            for i in 0..count.min(of.len()) {
                let other = i + random.below(of.len() - i);
                of.swap(i, other);
            }
            of.truncate(count);
            task.extend(std::iter::repeat_n(t, of.len()));
            rows.extend(of);
        }
        let x = Mat::from_fn(rows.len(), self.x.ncols(), |i, k| self.x[(rows[i], k)]);
        let y: Vec<f64> = rows.iter().map(|&i| self.y[i]).collect();
        Ok(Tasks::of(Inputs::Dense(x), &task, &y, TASKS)?)
    }

    /// % of nMSE of a fit with tasks coupled by `output`.
    fn error(&self, rows: &Tasks<orff::rows::Table>, output: Output, seed: u64, out: &mut Report) -> Result<f64> {
        out.pause()?;
        let learner = Regression {
            kernel: Kernel::decomposable(Spectrum::default(), output),
            features: Auto::Fixed(500),
            posterior: false,
            seed,
            ..Regression::default()
        };
        let fitted = learner.fit(rows, &mut super::Pausing)?;
        let mean = fitted.model.predict(&self.test.0, Query::default())?.mean;
        let y = &self.test.1;
        let n = y.nrows() as f64;
        let share = |t: usize| {
            let centre = y.col(t).iter().sum::<f64>() / n;
            let variance: f64 = y.col(t).iter().map(|v| (v - centre) * (v - centre)).sum();
            let square: f64 = (0..y.nrows()).map(|i| (y[(i, t)] - mean[(i, t)]).powi(2)).sum();
            100.0 * square / variance
        };
        Ok((0..TASKS).map(share).sum::<f64>() / TASKS as f64)
    }
}

/// Independent tasks against coupled ones.
pub fn table_6_5(seeds: u64, out: &mut Report) -> Result<()> {
    let arm = Arm::read()?;
    for (column, count) in ROWS.into_iter().enumerate() {
        let laplacian = Output::Similarity { gamma: 4.0, epsilon: Some(1.0) };
        let ways = [("covariance", Output::Covariance), ("Laplacian", laplacian)];
        let (mut alone, mut coupled) = (Vec::new(), [Vec::new(), Vec::new()]);
        for seed in 0..seeds {
            let rows = arm.draw(count, seed)?;
            alone.push(arm.error(&rows, Output::Identity, seed, out)?);
            for (errors, (_, output)) in coupled.iter_mut().zip(&ways) {
                errors.push(arm.error(&rows, output.clone(), seed, out)?);
            }
        }
        out.row(&format!("{count} × 7, independent"), &alone, Some(INDEPENDENT[column]))?;
        for (errors, (name, _)) in coupled.iter().zip(&ways) {
            out.row(&format!("{count} × 7, coupled by {name}"), errors, Some(LAPLACIAN[column]))?;
            let gain: Vec<f64> = alone.iter().zip(errors).map(|(a, b)| a - b).collect();
            let won = gain.iter().filter(|g| **g > 0.0).count();
            let published = Some(INDEPENDENT[column] - LAPLACIAN[column]);
            out.row(&format!("{count} × 7, gain by {name} ({won} of {seeds} seeds)"), &gain, published)?;
        }
    }
    Ok(())
}
