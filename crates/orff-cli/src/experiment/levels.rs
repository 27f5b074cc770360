//! Brault's thesis 2017, figure 9.4: the share of rows outside the level sets against ν.
//!
//! Three clouds in the plane, 600 rows to learn from, and 4000: boundaries of 600 rows alone are wrong by up to four points, as
//! shares of 600 rows are. So others are counted twice, as many as were learned from and 6000, and beside the fit there are
//! boundaries that leave out a share ν of as many rows that it has not seen. The thesis counts rows of the fit and 100 uniform
//! ones, for three lengthscales in ν that it gives; here everything is chosen. Its figure has no numbers to stand beside.

use super::{Pausing, Report};
use anyhow::Result;
use faer::Mat;
use orff::generate::three_clouds;
use orff::learn::LevelSets;
use orff::rows::{Inputs, Table};

const LEARNED: [usize; 2] = [600, 4000];
const HELD: usize = 6000;
/// The first seed of rows that draw boundaries apart from the fit.
const FRESH: u64 = 1 << 32;
const SHOWN: [f64; 11] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98];

/// Shares of training and held-out rows outside, at levels from 0.02 to 0.98, and the largest distances from ν.
pub fn figure_9_4(seeds: u64, out: &mut Report) -> Result<()> {
    LEARNED.into_iter().try_for_each(|n| shares(n, seeds, out))
}

fn shares(n: usize, seeds: u64, out: &mut Report) -> Result<()> {
    let levels: Vec<f64> = (2..=98).map(|k| f64::from(k) / 100.0).collect();
    let mut shares = vec![Vec::new(); 2 * levels.len()];
    let mut largest = vec![Vec::new(); 6];
    for seed in 0..seeds {
        out.pause()?;
        let (train, test) = (three_clouds(n, 2 * seed)?, three_clouds(HELD, 2 * seed + 1)?);
        let rows = Table::new(train.clone(), Mat::zeros(n, 0))?;
        let model = LevelSets { seed, ..LevelSets::default() }.model(&rows, &mut Pausing)?;
        for (place, x) in [train, test].into_iter().enumerate() {
            let scores = model.normality(&Inputs::Dense(x))?;
            let share = |score: f64| scores.iter().filter(|s| **s < score).count() as f64 / scores.len() as f64;
            let found: Vec<f64> = levels.iter().map(|nu| share(*nu)).collect();
            found.iter().enumerate().for_each(|(k, share)| shares[place * levels.len() + k].push(*share));
            // beyond so many points, and deviations of a share of as many rows as 1/r says
            let beyond = |found: &[f64], points: f64, deviations: f64, r: f64| {
                let allowed = |nu: f64| 0.01 * points + deviations * (nu * (1.0 - nu) * r).sqrt();
                let apart = |k: usize| (found[k] - levels[k]).abs() - allowed(levels[k]);
                (0..levels.len()).map(apart).fold(f64::MIN, f64::max)
            };
            largest[place].push(beyond(&found, 0.0, 0.0, 0.0));
            if place == 1 {
                let mut fresh = model.normality(&Inputs::Dense(three_clouds(n, FRESH + seed)?))?;
                fresh.sort_unstable_by(f64::total_cmp);
                let apart: Vec<f64> = levels.iter().map(|nu| share(fresh[(nu * n as f64) as usize])).collect();
                largest[2].push(beyond(&found, 2.0, 2.0, 1.0 / HELD as f64));
                largest[3].push(beyond(&found, 2.0, 2.0, 1.0 / HELD as f64 + 1.0 / n as f64));
                largest[4].push(beyond(&apart, 2.0, 2.0, 1.0 / HELD as f64));
                let few = |nu: &f64| scores[..n].iter().filter(|s| *s < nu).count() as f64 / n as f64;
                let few: Vec<f64> = levels.iter().map(few).collect();
                largest[5].push(beyond(&few, 2.0, 2.0, 1.0 / n as f64));
            }
        }
    }
    for (place, name) in ["rows of the fit", "rows held out"].into_iter().enumerate() {
        for (k, nu) in levels.iter().enumerate().filter(|(_, nu)| SHOWN.contains(nu)) {
            out.row(
                &format!("{n}: {name}, share outside at ν = {nu}"),
                &shares[place * levels.len() + k],
                Some(*nu),
            )?;
        }
        out.row(&format!("{n}: {name}, largest distance from ν"), &largest[place], None)?;
        let mean = |k: usize| shares[place * levels.len() + k].iter().sum::<f64>() / seeds as f64;
        let off = (0..levels.len()).map(|k| (mean(k) - levels[k]).abs()).fold(0.0, f64::max);
        out.row(&format!("{n}: {name}, that of the mean over seeds"), &[off], None)?;
    }
    let held = [
        (2, format!("less 2 points and 2 deviations of {HELD} rows held out")),
        (3, format!("less 2 points and 2 deviations of {HELD} rows held out and {n} of the fit")),
        (4, format!("less 2 points and 2 deviations of {HELD} rows held out, boundaries by {n} rows apart")),
        (5, format!("less 2 points and 2 deviations of {n} rows held out")),
    ];
    for (place, name) in held {
        out.row(&format!("{n}: largest distance {name}"), &largest[place], None)?;
        let met: Vec<f64> = largest[place].iter().map(|over| f64::from(*over <= 0.0)).collect();
        out.row(&format!("{n}: seeds where that is 0 at most"), &met, None)?;
    }
    Ok(())
}
