//! Brault's thesis 2017, Tables 8.1 to 8.3: mean squared errors of sequential cross-validation.
//!
//! A window slides over a series, a model is fitted on it and predicts the row after it. Scales, lengthscale, frequencies and
//! ridge are chosen on the first window, the rest is fitted on each. Whether each variable is seen in its own deviation or all
//! in one unit is chosen there, too, by evidence. The thesis calls the standard deviation of the errors of rows their variance.

use super::data::columns;
use super::{Report, data};
use anyhow::Result;
use faer::Mat;
use flate2::read::GzDecoder;
use orff::learn::{Autoregression, Choose, Method, Sequential};
use orff::params::Auto;
use orff::series::{Given, Series};
use std::io::Read;

/// A series of Table 8.1: name, file, published errors of VAR(1) and ORFFVAR, atoms.
type Simulated = (&'static str, &'static [u8], f64, f64, usize);

const SIMULATED: [Simulated; 6] = [
    ("linear, white", include_bytes!("../../../../data/nlvar/lin_white.csv.gz"), 0.914979, 0.919663, 25),
    ("linear, Toeplitz", include_bytes!("../../../../data/nlvar/lin_toep.csv.gz"), 1.091096, 1.097183, 50),
    ("exponential, white", include_bytes!("../../../../data/nlvar/exp_white.csv.gz"), 0.001275, 0.001003, 25),
    ("exponential, Toeplitz", include_bytes!("../../../../data/nlvar/exp_toep.csv.gz"), 0.017014, 0.012635, 50),
    ("sine, white", include_bytes!("../../../../data/nlvar/sine_white.csv.gz"), 0.009534, 0.009536, 25),
    ("sine, Toeplitz", include_bytes!("../../../../data/nlvar/sine_toep.csv.gz"), 0.116901, 0.116964, 50),
];

/// Table 8.2: atoms and published errors.
const BY_ATOMS: [(usize, f64); 6] =
    [(1, 0.005342), (5, 0.001111), (10, 0.000991), (25, 0.000962), (50, 0.000949), (100, 0.000944)];

/// Months of each station of the climate.
const MONTHS: usize = 156;

fn linear() -> Autoregression {
    Autoregression { method: Method::Linear, posterior: false, ..Autoregression::default() }
}

fn features(atoms: usize, seed: u64) -> Autoregression {
    Autoregression { features: Auto::Fixed(2 * atoms), posterior: false, seed, ..Autoregression::default() }
}

/// The numbers of a small CSV file with names in its first line.
fn numbers(text: &str) -> Result<Mat<f64>> {
    let row = |line: &str| line.split(',').map(|cell| Ok(cell.trim().parse::<f64>()?)).collect::<Result<Vec<f64>>>();
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(row).collect::<Result<_>>()?;
    Ok(Mat::from_fn(rows.len(), rows.first().map_or(0, Vec::len), |i, k| rows[i][k]))
}

fn unzipped(bytes: &[u8]) -> Result<Mat<f64>> {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text)?;
    numbers(&text)
}

/// The learner with the lengthscale that has the largest evidence on the first window: one for variables in their own
/// deviations, which is what it chooses by itself, or one in the common unit of all.
fn chosen(learner: Autoregression, series: &Series, window: usize) -> Result<Autoregression> {
    let mut head = series.clone();
    head.members.retain(|member| member.first + 1 < window);
    for member in &mut head.members {
        let n = member.values.nrows().min(window - member.first);
        member.values = member.values.subrows(0, n).to_owned();
        member.exogenous = member.exogenous.subrows(0, n).to_owned();
    }
    let evidence = |learner: &Autoregression| -> Result<f64> {
        let training = learner.fit(&head, &mut super::Pausing)?.info.training;
        let taken = training.path.iter().find(|point| point.ridge == training.ridge);
        Ok(taken.map_or(f64::NEG_INFINITY, |point| point.evidence))
    };
    let spread = head.moments_before(window).1;
    let unit = (spread.squared_norm_l2() / (spread.nrows() * spread.ncols()) as f64).sqrt();
    let mut best = (evidence(&learner)?, learner.clone());
    for k in -4..=18 {
        let lengthscale = (unit * 2f64.powf(0.5 * f64::from(k))).into();
        let other = Autoregression { lengthscale, ..learner.clone() };
        let found = evidence(&other)?;
        if found > best.0 {
            best = (found, other);
        }
    }
    Ok(best.1)
}

/// The errors of random features with so many atoms, seed by seed.
fn random(
    learner: &dyn Fn(u64) -> Autoregression,
    seeds: u64,
    series: &Series,
    window: usize,
    out: &Report,
) -> Result<Vec<f64>> {
    (0..seeds).map(|seed| error(&chosen(learner(seed), series, window)?, series, window, out)).collect()
}

/// The error of one learner.
fn error(learner: &Autoregression, series: &Series, window: usize, out: &Report) -> Result<f64> {
    out.pause()?;
    let how = Sequential { window: Auto::Fixed(window), ..Sequential::default() };
    Ok(learner.validate(series, &how, &mut super::Pausing)?.mse)
}

/// Six simulated series.
pub fn table_8_1(seeds: u64, out: &mut Report) -> Result<()> {
    for (name, bytes, known, published, atoms) in SIMULATED {
        let series = Series::new(unzipped(bytes)?)?;
        let window = series.length() / 2;
        let line = error(&linear(), &series, window, out)?;
        out.row_to(6, &format!("{name}, VAR(1)"), &[line], Some(known))?;
        let random = random(&|seed| features(atoms, seed), seeds, &series, window, out)?;
        out.row_to(6, &format!("{name}, ORFFVAR, {atoms} atoms"), &random, Some(published))?;
    }
    Ok(())
}

/// The number of atoms, on ten thousand rows.
pub fn table_8_2(seeds: u64, out: &mut Report) -> Result<()> {
    let bytes = std::fs::read(data::file("nlvar/exp_white_Dstudy.csv.gz")?)?;
    let series = Series::new(unzipped(&bytes)?)?;
    let window = series.length() / 2;
    let line = error(&linear(), &series, window, out)?;
    out.row_to(6, "exponential, white, VAR(1)", &[line], Some(0.001660))?;
    for (atoms, published) in BY_ATOMS {
        let random = random(&|seed| features(atoms, seed), seeds, &series, window, out)?;
        out.row_to(6, &format!("exponential, white, ORFFVAR, {atoms} atoms"), &random, Some(published))?;
    }
    Ok(())
}

/// A real series of Table 8.3.
struct Real {
    name: &'static str,
    series: Series,
    window: usize,
    linear: f64,
    published: f64,
    atoms: usize,
}

/// Each member in its own mean and deviation over all rows, as the thesis has it.
fn normalised(series: Series) -> Series {
    let (centre, spread) = series.moments_before(series.length());
    series.standardised(&centre, &spread)
}

fn real() -> Result<Vec<Real>> {
    // their lines end as those of old Macintoshes do, and the last column is a word
    let gesture = |file: &str| -> Result<Series> {
        let text = data::text(file)?.replace('\r', "\n");
        let line = |line: &str| line.split(',').take(32).collect::<Vec<_>>().join(",");
        let lines: Vec<String> = text.lines().filter(|l| !l.trim().is_empty()).map(line).collect();
        Ok(Series::new(numbers(&lines.join("\n"))?)?)
    };
    let climate = || -> Result<Series> {
        let mut values = columns("climate18/climate18.csv.gz", "5..22")?;
        let place = columns("climate18/climate18.csv.gz", "lat,lon")?;
        let names: Vec<String> = (0..place.nrows()).map(|i| format!("{} {}", place[(i, 0)], place[(i, 1)])).collect();
        // a quarter of one variable is missing everywhere at once: means of the station stand for it, as the thesis has no gaps
        for station in (0..values.nrows()).step_by(MONTHS) {
            for k in 0..values.ncols() {
                let seen: Vec<f64> =
                    (0..MONTHS).map(|i| values[(station + i, k)]).filter(|v| v.is_finite()).collect();
                let mean = seen.iter().sum::<f64>() / seen.len().max(1) as f64;
                for i in station..station + MONTHS {
                    if values[(i, k)].is_nan() {
                        values[(i, k)] = mean;
                    }
                }
            }
        }
        let exogenous = Mat::zeros(values.nrows(), 0);
        let mut series = Series::of(Given { values, exogenous, times: None, members: Some(&names) })?;
        // the window slides over stations, one after the other: of the readings of its 1872 rows (12·156) the one that comes
        // near the published error of VAR(1)
        series.members.iter_mut().enumerate().for_each(|(j, member)| member.first = j * MONTHS);
        Ok(series)
    };
    let heart = || -> Result<Series> {
        let text = data::text("santafe_b/SFI-heartRate_breathVol_bloodOx.txt.gz")?;
        let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(",");
        let known = text.lines().filter(|l| !l.starts_with('%') && !l.trim().is_empty()).take(17_000);
        let lines: Vec<String> = std::iter::once(String::new()).chain(known.map(line)).collect();
        Ok(Series::new(numbers(&lines.join("\n"))?)?)
    };
    let one =
        |name, series, window, linear, published, atoms| Real { name, series, window, linear, published, atoms };
    Ok(vec![
        one("macrodata", Series::new(columns("macrodata/macrodata.csv", "3..14")?)?, 50, 449.1, 445.9, 100),
        one("gesture phase 1", normalised(gesture("gesture_phase/a1_va3.csv.gz")?), 200, 0.980, 0.741, 100),
        one("gesture phase 4", normalised(gesture("gesture_phase/b1_va3.csv.gz")?), 200, 0.768, 0.473, 100),
        one("climate", normalised(climate()?), 12 * MONTHS, 0.266, 0.237, 100),
        one("heart", normalised(heart()?), 240, 0.259, 0.262, 50),
    ])
}

/// Real series.
pub fn table_8_3(seeds: u64, out: &mut Report) -> Result<()> {
    for Real { name, series, window, linear: known, published, atoms } in real()? {
        let line = error(&linear(), &series, window, out)?;
        out.row_to(4, &format!("{name}, VAR(1)"), &[line], Some(known))?;
        let learner = |seed| Autoregression { choose: Choose::Validation, ..features(atoms, seed) };
        let random: Vec<f64> =
            (0..seeds).map(|seed| error(&learner(seed), &series, window, out)).collect::<Result<_>>()?;
        out.row_to(4, &format!("{name}, ORFFVAR, {atoms} atoms"), &random, Some(published))?;
    }
    Ok(())
}
