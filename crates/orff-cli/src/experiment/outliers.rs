//! Brault's thesis 2017, Tables D.3 and D.4: outliers in twelve sets, learned from usual rows alone (novelty) or from all.
//!
//! At most one outlier for ten usual rows is kept, half of the rows are learned from, the others are scored; areas under the ROC
//! curve, and average precision where the thesis has the area under the mean of ten interpolated curves. The thesis scales
//! columns, which no forest notices. Level sets learn from at most 5000 rows. Its shuttle has 36 752 rows twice: here with those
//! copies and without.

use super::{Pausing, Report, data};
use anyhow::{Context, Result, bail};
use faer::Mat;
use orff::learn::{Detector, IsolationForest, LevelSets, OneClassForest};
use orff::metric::Ranking;
use orff::model::Query;
use orff::random::Stream;
use orff::rows::{Inputs, Table};

/// Published areas of a set: one-class forest ROC and PR, isolation forest ROC and PR.
type Published = [f64; 4];

/// The sets, with what is published of novelties and of outliers.
const SETS: [(&str, Published, Published); 12] = [
    ("adult", [0.665, 0.278, 0.661, 0.227], [0.625, 0.161, 0.644, 0.234]),
    ("annthyroid", [0.936, 0.468, 0.913, 0.456], [0.842, 0.226, 0.820, 0.310]),
    ("arrhythmia", [0.684, 0.510, 0.763, 0.492], [0.698, 0.485, 0.746, 0.418]),
    ("forestcover", [0.968, 0.457, 0.863, 0.046], [0.845, 0.044, 0.882, 0.062]),
    ("http", [0.999, 0.838, 0.994, 0.197], [0.984, 0.120, 0.999, 0.685]),
    ("ionosphere", [0.909, 0.643, 0.902, 0.535], [0.903, 0.508, 0.888, 0.545]),
    ("pendigits", [0.960, 0.559, 0.810, 0.197], [0.453, 0.085, 0.463, 0.077]),
    ("pima", [0.719, 0.247, 0.726, 0.183], [0.708, 0.229, 0.743, 0.205]),
    ("shuttle", [0.999, 0.998, 0.996, 0.973], [0.947, 0.491, 0.997, 0.979]),
    ("smtp", [0.922, 0.499, 0.907, 0.005], [0.916, 0.400, 0.902, 0.005]),
    ("spambase", [0.850, 0.373, 0.824, 0.372], [0.830, 0.300, 0.799, 0.303]),
    ("wilt", [0.593, 0.070, 0.491, 0.045], [0.520, 0.053, 0.443, 0.044]),
];
/// Published averages of both tables.
const AVERAGE: [Published; 2] = [[0.850, 0.495, 0.821, 0.311], [0.773, 0.259, 0.777, 0.322]];

/// Rows that level sets are learned from, at most; rows are in no order.
const LEARNED: usize = 5000;

const DRAWN: u64 = 0x6f75_746c;

/// The rows of a set (n×d), and which are outliers.
struct Set {
    x: Mat<f64>,
    outlier: Vec<bool>,
}

/// The cells of a file of the papers' data, without its first lines.
fn cells(name: &str, separator: char, skip: usize) -> Result<Vec<Vec<String>>> {
    let cut = |line: &str| match separator {
        ' ' => line.split_whitespace().map(String::from).collect::<Vec<String>>(),
        other => line.split(other).map(|cell| cell.trim().trim_matches('"').to_string()).collect(),
    };
    Ok(data::text(name)?.lines().skip(skip).filter(|line| !line.trim().is_empty()).map(cut).collect())
}

impl Set {
    fn of(rows: &[Vec<String>], inputs: &[usize], outlier: impl Fn(&[String]) -> bool) -> Result<Set> {
        let mut x = Mat::zeros(rows.len(), inputs.len());
        for (i, row) in rows.iter().enumerate() {
            for (k, &column) in inputs.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                x[(i, k)] = cell.parse().with_context(|| format!("row {}: {cell:?} is not a number", i + 1))?;
            }
        }
        Ok(Set { x, outlier: rows.iter().map(|row| outlier(row)).collect() })
    }

    fn read(name: &str) -> Result<Set> {
        let first = |d: usize| (0..d).collect::<Vec<usize>>();
        let last = |row: &[String], word: &str| row.last().is_some_and(|cell| cell == word);
        match name {
            "adult" => {
                let mut rows = cells("adult/adult.data.gz", ',', 0)?;
                rows.extend(cells("adult/adult.test.gz", ',', 0)?);
                Set::of(&rows, &[0, 2, 4, 10, 11, 12], |row| row.last().is_some_and(|cell| cell.starts_with(">50K")))
            }
            "annthyroid" => Set::of(&cells("annthyroid/annthyroid.csv.gz", ',', 1)?, &first(6), |row| last(row, "1")),
            "arrhythmia" => {
                let rows = cells("arrhythmia/arrhythmia.data.gz", ',', 1)?;
                let kept = |k: &usize| {
                    let mut values: Vec<f64> = rows.iter().filter_map(|row| row.get(*k)?.parse().ok()).collect();
                    let whole = values.len() == rows.len();
                    values.sort_by(f64::total_cmp);
                    values.dedup();
                    whole && values.len() >= 10
                };
                let inputs: Vec<usize> = (0..279).filter(kept).collect();
                Set::of(&rows, &inputs, |row| !last(row, "1"))
            }
            "forestcover" => {
                Set::of(&cells("forestcover/forestcover.csv.gz", ',', 1)?, &first(10), |row| last(row, "1"))
            }
            "http" | "smtp" => {
                let rows = cells(&format!("kdd_{name}/{name}_counts.csv.gz"), ',', 1)?;
                let mut set = Set::of(&rows, &first(3), |row| last(row, "1"))?;
                set.x = Mat::from_fn(set.x.nrows(), 3, |i, k| (set.x[(i, k)] + 0.1).ln());
                Ok(set)
            }
            "ionosphere" => {
                let rows = cells("ionosphere/ionosphere.csv.gz", ',', 0)?;
                Set::of(&rows, &(2..34).collect::<Vec<_>>(), |row| last(row, "b"))
            }
            "pendigits" => {
                let mut rows = cells("pendigits/pendigits.tra.gz", ',', 0)?;
                rows.extend(cells("pendigits/pendigits.tes.gz", ',', 0)?);
                Set::of(&rows, &first(16), |row| last(row, "4"))
            }
            "pima" => Set::of(&cells("pima/pima-indians-diabetes.csv", ',', 0)?, &first(8), |row| last(row, "1")),
            "shuttle" | "shuttle without copies" => {
                let mut rows = cells("shuttle/shuttle.csv.gz", ',', 1)?;
                if name == "shuttle" {
                    let again: Vec<_> = rows.iter().filter(|row| last(row, "trn")).cloned().collect();
                    rows.extend(again);
                }
                rows.retain(|row| row[9] != "4");
                Set::of(&rows, &first(9), |row| row[9] != "1")
            }
            "spambase" => Set::of(&cells("spambase/spam.data.gz", ' ', 0)?, &first(57), |row| last(row, "1")),
            "wilt" => Set::of(&cells("wilt/wilt.csv.gz", ';', 1)?, &first(5), |row| last(row, "w")),
            other => bail!("{other}: no such set"),
        }
    }

    /// Rows to learn from, some of them, rows to score, and which of these are outliers.
    fn split(&self, novelty: bool, seed: u64) -> Result<([Table; 2], Inputs, Vec<bool>)> {
        let mut stream = Stream::new(seed, DRAWN, 0);
        let mut shuffled = |mut rows: Vec<usize>| {
            (1..rows.len()).rev().for_each(|i| rows.swap(i, stream.below(i + 1)));
            rows
        };
        let (unusual, usual): (Vec<usize>, Vec<usize>) = (0..self.x.nrows()).partition(|i| self.outlier[*i]);
        let most = usual.len() / 10;
        let mut rows = shuffled(unusual);
        rows.truncate(most);
        rows.extend(usual);
        let rows = shuffled(rows);
        let (train, test) = rows.split_at(rows.len() / 2);
        let train: Vec<usize> = train.iter().copied().filter(|i| !(novelty && self.outlier[*i])).collect();
        let some = |rows: &[usize]| Mat::from_fn(rows.len(), self.x.ncols(), |i, k| self.x[(rows[i], k)]);
        let table = |rows: &[usize]| Table::new(some(rows), Mat::zeros(rows.len(), 0));
        let tables = [table(&train)?, table(&train[..train.len().min(LEARNED)])?];
        Ok((tables, Inputs::Dense(some(test)), test.iter().map(|i| self.outlier[*i]).collect()))
    }
}

/// Scores of a detector with one column.
fn scores(found: &Detector, test: &Inputs) -> Result<Vec<f64>> {
    Ok(found.body.predict(test, Query::default())?.mean.col(0).iter().copied().collect())
}

/// ROC and PR of scores.
fn areas(scores: &[f64], truth: &[bool]) -> Result<[f64; 2]> {
    let mut ranking = Ranking::default();
    truth.iter().zip(scores).for_each(|(outlier, score)| ranking.add(*score, *outlier, false));
    let found = ranking.overall();
    Ok([found.roc_auc.unwrap_or(f64::NAN), found.average_precision.unwrap_or(f64::NAN)])
}

/// What is measured; the thesis has no level sets.
const LINES: [&str; 6] = [
    "one-class forest, ROC",
    "one-class forest, PR",
    "isolation forest, ROC",
    "isolation forest, PR",
    "level sets, ROC",
    "level sets, PR",
];
type Areas = [f64; LINES.len()];

/// The areas of each seed.
fn of_set(name: &str, novelty: bool, seeds: u64, out: &Report) -> Result<Vec<Areas>> {
    let set = Set::read(name)?;
    let one = |seed: u64| {
        out.pause()?;
        let ([train, few], test, truth) = set.split(novelty, seed)?;
        let forest = OneClassForest { seed, ..OneClassForest::default() }.fit(&train, &mut Pausing)?;
        let isolation = IsolationForest { seed, ..IsolationForest::default() }.fit(&train, &mut Pausing)?;
        let sets = LevelSets { seed, ..LevelSets::default() }.model(&few, &mut Pausing)?.normality(&test)?;
        let of = |found: &Detector| areas(&scores(found, &test)?, &truth);
        let ([a, b], [c, d], [e, f]) = (of(&forest)?, of(&isolation)?, areas(&sets, &truth)?);
        Ok([a, b, c, d, e, f])
    };
    (0..seeds).map(one).collect()
}

fn table(novelty: bool, seeds: u64, out: &mut Report) -> Result<()> {
    let mut sums: Vec<Areas> = vec![Areas::default(); seeds as usize];
    let column = |areas: &[Areas], line: usize| areas.iter().map(|a| a[line]).collect::<Vec<f64>>();
    for (name, novelties, outliers) in &SETS {
        let areas = of_set(name, novelty, seeds, out)?;
        let known = if novelty { novelties } else { outliers };
        for (line, what) in LINES.iter().enumerate() {
            out.row(&format!("{name}, {what}"), &column(&areas, line), known.get(line).copied())?;
        }
        sums.iter_mut().zip(&areas).for_each(|(sum, area)| (0..LINES.len()).for_each(|k| sum[k] += area[k] / 12.0));
    }
    for (line, what) in LINES.iter().enumerate() {
        out.row(
            &format!("average of the twelve, {what}"),
            &column(&sums, line),
            AVERAGE[usize::from(!novelty)].get(line).copied(),
        )?;
    }
    let alone = "shuttle without copies";
    let areas = of_set(alone, novelty, seeds, out)?;
    for (line, what) in LINES.iter().enumerate() {
        out.row(&format!("{alone}, {what}"), &column(&areas, line), None)?;
    }
    Ok(())
}

/// Table D.3: learned from usual rows alone.
pub fn table_d_3(seeds: u64, out: &mut Report) -> Result<()> {
    table(true, seeds, out)
}

/// Table D.4: learned from rows with outliers among them.
pub fn table_d_4(seeds: u64, out: &mut Report) -> Result<()> {
    table(false, seeds, out)
}
