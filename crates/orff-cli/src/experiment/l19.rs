//! Letarte, Morvant and Germain 2019: kernels learned by alignment. Rows are split at random, 75 % to learn from and 25 % to judge (the
//! authors' shares); some of the first are the validation set, which alone chooses lengthscale, β, ρ, D and the way atoms are kept, by
//! fits to some of the others; then the choice learns from as many of the 75 % as there is time for. What is asked for, the published error plus two binomial standard deviations of as many test
//! rows, stands in the name of each row.

use super::mnist::Digits;
use super::{Pausing, Report, data};
use anyhow::{Context, Result};
use faer::Mat;
use orff::align::{Method, Sampling};
use orff::kernel::{Kernel, Listed, Matrix};
use orff::learn::{AlignedFeatures, Classification, Compared, FittedClasses, LandmarkClassification};
use orff::model::{Alignment, Query};
use orff::params::{Amount, Auto};
use orff::random::Stream;
use orff::rows::{Csr, Inputs, Table};
use orff::spectrum::{DrawKind, Lengthscale};
use std::collections::BTreeMap;

/// Purpose of the stream of splits.
const SPLIT: u64 = 0x6c31_39;

/// Rows with the numbers of their classes, 0 and 1.
struct Set {
    name: &'static str,
    inputs: Inputs,
    classes: Vec<usize>,
}

impl Set {
    fn pick(&self, rows: &[usize]) -> Set {
        let classes = rows.iter().map(|&i| self.classes[i]).collect();
        Set { name: self.name, inputs: self.inputs.pick(rows), classes }
    }

    fn table(&self) -> Result<Table> {
        let y = Mat::from_fn(self.classes.len(), 1, |i, _| self.classes[i] as f64);
        Ok(Table::of(self.inputs.clone(), y)?)
    }

    /// Percentage of rows that are taken for the other class.
    fn missed(&self, found: &FittedClasses) -> Result<f64> {
        let f = found.model.predict(&self.inputs, Query::default())?.mean;
        let wrong = |i: &usize| found.classes.code.decode(&[f[(*i, 0)]], 2) != self.classes[*i];
        Ok(100.0 * (0..f.nrows()).filter(wrong).count() as f64 / f.nrows() as f64)
    }

    /// The median distance of random pairs of rows: the unit of the lengthscales that are tried.
    fn median(&self, seed: u64) -> f64 {
        let mut random = Stream::new(seed, SPLIT + 1, 0);
        let n = self.classes.len();
        let mut distance = || {
            let (i, j) = (random.below(n), random.below(n));
            let pair = self.inputs.pick(&[i, j]).to_dense();
            (0..pair.ncols()).map(|k| (pair[(0, k)] - pair[(1, k)]).powi(2)).sum::<f64>().sqrt()
        };
        let mut all: Vec<f64> = (0..500).map(|_| distance()).collect();
        all.sort_unstable_by(f64::total_cmp);
        all[all.len() / 2]
    }

    /// The draw that a learner takes by itself; of more inputs than it takes structured ones for, structured all the same.
    fn draw(&self) -> Auto<DrawKind> {
        if self.inputs.ncols() > 4096 { Auto::Fixed(DrawKind::Structured) } else { Auto::Auto }
    }
}

/// Most rows that choices learn from, and most that compare them.
const CHOOSING: (usize, usize) = (2400, 1600);

/// Rows to learn from, of these the ones that choices learn from and the ones that choose; rows to judge.
struct Split {
    all: Set,
    train: Set,
    validation: Set,
    test: Set,
}

impl Split {
    fn of(set: &Set, most: usize, seed: u64) -> Split {
        let n = set.classes.len();
        let mut order: Vec<usize> = (0..n).collect();
        let mut random = Stream::new(seed, SPLIT, 0);
        for i in (1..n).rev() {
            order.swap(i, random.below(i + 1));
        }
        let (learn, test) = order.split_at(n - n.div_ceil(4));
        let learn = &learn[..learn.len().min(most)];
        let (train, validation) = learn.split_at(learn.len() - learn.len() / 5);
        let (train, validation) =
            (&train[..train.len().min(CHOOSING.0)], &validation[..validation.len().min(CHOOSING.1)]);
        let inputs = standardised(&set.inputs, learn);
        let set = Set { name: set.name, inputs, classes: set.classes.clone() };
        Split { all: set.pick(learn), train: set.pick(train), validation: set.pick(validation), test: set.pick(test) }
    }
}

/// Ways to learn, each fitted once for each set of rows.
struct Ways<'a, T> {
    split: &'a Split,
    fit: &'a dyn Fn(&T, &Set) -> Result<FittedClasses>,
    compared: Vec<(T, f64)>,
    judged: Vec<(T, f64)>,
}

impl<'a, T: Clone + PartialEq> Ways<'a, T> {
    fn new(split: &'a Split, fit: &'a dyn Fn(&T, &Set) -> Result<FittedClasses>) -> Self {
        Ways { split, fit, compared: Vec::new(), judged: Vec::new() }
    }

    /// The first of some choices with the least error of the validation rows.
    fn best(&mut self, choices: &[T]) -> Result<T> {
        let mut best: Option<(f64, T)> = None;
        for choice in choices {
            let error = match self.compared.iter().find(|(known, _)| known == choice) {
                Some((_, error)) => *error,
                None => self.split.validation.missed(&(self.fit)(choice, &self.split.train)?)?,
            };
            self.compared.push((choice.clone(), error));
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, choice.clone()));
            }
        }
        Ok(best.context("no choice")?.1)
    }

    /// The error of the test rows, of a fit to all others.
    fn judge(&mut self, choice: &T) -> Result<f64> {
        if let Some((_, error)) = self.judged.iter().find(|(known, _)| known == choice) {
            return Ok(*error);
        }
        let error = self.split.test.missed(&(self.fit)(choice, &self.split.all)?)?;
        self.judged.push((choice.clone(), error));
        Ok(error)
    }
}

/// Dense rows with columns in the deviations of some of them.
fn standardised(inputs: &Inputs, by: &[usize]) -> Inputs {
    let Inputs::Dense(x) = inputs else { return inputs.clone() };
    let mut x = x.clone();
    for k in 0..x.ncols() {
        let n = by.len() as f64;
        let mean = by.iter().map(|&i| x[(i, k)]).sum::<f64>() / n;
        let sd = (by.iter().map(|&i| (x[(i, k)] - mean).powi(2)).sum::<f64>() / n).sqrt();
        x.col_mut(k).iter_mut().for_each(|v| *v = (*v - mean) / if sd > 0.0 { sd } else { 1.0 });
    }
    Inputs::Dense(x)
}

fn breast() -> Result<Set> {
    let text = data::text("breast_wdbc/breast_cancer.csv.gz")?;
    let number = |word: &str| word.trim().parse::<f64>().context("breast_cancer.csv: a number");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect::<Result<_>>()?;
    let x = Mat::from_fn(rows.len(), 30, |i, k| rows[i][k]);
    Ok(Set { name: "breast", inputs: Inputs::Dense(x), classes: rows.iter().map(|row| row[30] as usize).collect() })
}

/// The six numbers and an indicator for each word of the columns without gaps.
fn adult() -> Result<Set> {
    let (train, test) = (data::text("adult/adult.data.gz")?, data::text("adult/adult.test.gz")?);
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_string()).collect::<Vec<String>>();
    let rows: Vec<Vec<String>> = train.lines().chain(test.lines()).map(cells).filter(|row| row.len() == 15).collect();
    let numbers = [0, 2, 4, 10, 11, 12];
    let mut columns: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for k in (0..14).filter(|k| !numbers.contains(k)) {
        if rows.iter().all(|row| row[k] != "?") {
            for row in &rows {
                let next = numbers.len() + columns.len();
                columns.entry((k, row[k].as_str())).or_insert(next);
            }
        }
    }
    let mut x = Mat::zeros(rows.len(), numbers.len() + columns.len());
    for (i, row) in rows.iter().enumerate() {
        for (at, &k) in numbers.iter().enumerate() {
            x[(i, at)] = row[k].parse().context("adult.data: a number")?;
        }
        for (k, word) in row.iter().enumerate() {
            if let Some(&at) = columns.get(&(k, word.as_str())) {
                x[(i, at)] = 1.0;
            }
        }
    }
    let classes = rows.iter().map(|row| usize::from(row[14].starts_with('>'))).collect();
    Ok(Set { name: "adult", inputs: Inputs::Dense(x), classes })
}

fn farm() -> Result<Set> {
    let (x, y) = data::sparse("farm_ads/farm-ads-vect.svm.gz")?;
    Ok(Set { name: "farm", inputs: Inputs::Sparse(x), classes: y.iter().map(|y| usize::from(*y > 0.0)).collect() })
}

/// Both files of digits, two of the digits.
fn pair(name: &'static str, (a, b): (f64, f64)) -> Result<Set> {
    let mut rows = Csr::empty(784);
    let mut classes = Vec::new();
    for part in ["train", "t10k"] {
        let digits = Digits::all(part)?;
        let own: Vec<usize> = (0..digits.digits.nrows())
            .filter(|&i| digits.digits[(i, 0)] == a || digits.digits[(i, 0)] == b)
            .collect();
        rows.append(&Inputs::Dense(Mat::from_fn(own.len(), 784, |i, k| digits.images[(own[i], k)])));
        classes.extend(own.iter().map(|&i| usize::from(digits.digits[(i, 0)] == b)));
    }
    Ok(Set { name, inputs: Inputs::Sparse(rows), classes })
}

/// β, D and lengthscale of landmarks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Landmark {
    beta: f64,
    atoms: usize,
    length: f64,
}

fn row(out: &mut Report, name: &str, errors: &[f64], tests: usize, published: f64) -> Result<()> {
    let p = published / 100.0;
    let asked = published + 200.0 * (p * (1.0 - p) / tests as f64).sqrt();
    out.row_to(2, &format!("{name}, % (asked for: {asked:.2})"), errors, Some(published))
}

/// Most rows that are learned from: a tenth of them are landmarks.
const MOST: usize = 8_000;

/// The sets of table 1.
pub const SETS: [&str; 6] = ["breast", "adult", "farm", "mnist17", "mnist49", "mnist56"];

/// Table 1: 10 % landmarks by clustering in each class.
pub fn table_1(seeds: u64, out: &mut Report) -> Result<()> {
    // published: PB, PB with β = 1, PB with D = 64
    let sets: [(fn() -> Result<Set>, [f64; 3]); 6] = [
        (breast, [3.50, 3.50, 2.80]),
        (adult, [17.99, 17.99, 17.99]),
        (farm, [15.73, 14.19, 15.73]),
        (|| pair("mnist17", (1.0, 7.0)), [0.42, 0.32, 0.32]),
        (|| pair("mnist49", (4.0, 9.0)), [1.80, 2.09, 2.50]),
        (|| pair("mnist56", (5.0, 6.0)), [1.06, 1.55, 1.03]),
    ];
    for ((read, published), name) in sets.into_iter().zip(SETS) {
        if !out.wants(name) {
            continue;
        }
        let set = read()?;
        let (mut errors, mut tests) = ([Vec::new(), Vec::new(), Vec::new()], 0);
        for seed in 0..seeds {
            out.pause()?;
            let split = Split::of(&set, MOST, seed);
            tests = split.test.classes.len();
            let unit = split.train.median(seed);
            let fit = |at: &Landmark, rows: &Set| -> Result<FittedClasses> {
                let learner = LandmarkClassification {
                    lengthscale: Lengthscale::from(at.length),
                    landmarks: Amount::Share(0.1),
                    atoms: at.atoms,
                    strength: at.beta,
                    draw: rows.draw(),
                    seed,
                    ..LandmarkClassification::default()
                };
                Ok(learner.fit(&rows.table()?, &mut Pausing)?.0)
            };
            let start = |times: f64| Landmark { beta: 1.0, atoms: 64, length: times * unit };
            let mut ways = Ways::new(&split, &fit);
            let first = ways.best(&[1.0, 0.5, 2.0, 4.0].map(start))?;
            let of_beta = [1.0, 0.1, 10.0].map(|beta| Landmark { beta, ..first });
            let of_atoms = [64, 32, 128].map(|atoms| Landmark { atoms, ..first });
            let by_beta = ways.best(&of_beta)?;
            let by_atoms = ways.best(&of_atoms)?;
            let both = ways.best(&[by_beta, Landmark { beta: by_beta.beta, ..by_atoms }])?;
            for (errors, choice) in errors.iter_mut().zip([both, by_atoms, by_beta]) {
                out.chose(set.name, seed, &choice);
                errors.push(ways.judge(&choice)?);
            }
        }
        for ((name, errors), published) in ["PB", "PB, β = 1", "PB, D = 64"].iter().zip(&errors).zip(published) {
            row(out, &format!("{}, {name}", set.name), errors, tests, published)?;
        }
    }
    Ok(())
}

/// Candidates of figure 3.
const CANDIDATES: usize = 20_000;

/// How atoms are weighed and kept, and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Learned {
    method: Method,
    strength: f64,
    sampling: Sampling,
    atoms: usize,
}

/// Candidates with their losses on some rows, which serve every strength and every number of atoms.
struct Candidates {
    /// In the units of the inputs (N×d).
    omega: Mat<f64>,
    alignment: Alignment,
}

impl Candidates {
    fn of(rows: &Set, length: f64, seed: u64) -> Result<Self> {
        let learner = AlignedFeatures {
            lengthscale: Lengthscale::from(length),
            features: Auto::Fixed(2),
            candidates: Auto::Fixed(CANDIDATES),
            likeness: Auto::Fixed(Compared::Classes),
            seed,
            ..AlignedFeatures::default()
        };
        let found = learner.fit(&rows.table()?, &mut Pausing)?;
        Ok(Candidates { omega: found.alignment.frequencies(&found.model.preparation)?, alignment: found.alignment })
    }

    /// The learned kernel: some of the candidates with their weights.
    fn kernel(&self, at: &Learned, seed: u64) -> Result<Kernel> {
        let Alignment { about, prior, losses, .. } = &self.alignment;
        let q = at.method.posterior(prior, losses, about.rows, (at.strength, at.strength))?;
        let kept = at.sampling.take(&q, at.atoms, seed);
        let omega = Mat::from_fn(kept.len(), self.omega.ncols(), |j, k| self.omega[(kept[j].0, k)]);
        let listed = Listed {
            omega: Matrix::new(omega, "omega")?,
            factors: Matrix::new(Mat::full(kept.len(), 1, 1.0), "factors")?,
            weights: Some(kept.iter().map(|(_, weight)| *weight).collect()),
        };
        Ok(listed.into())
    }
}

/// The pairs of digits of figure 3.
pub const PAIRS: [&str; 3] = ["mnist17", "mnist49", "mnist56"];

/// β of PBRFF that are compared, and ρ of OKRFF.
const STRENGTHS: [f64; 6] = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0];

/// Figure 3: errors of few features of learned kernels and of the kernel itself. β, ρ and the way atoms are kept are chosen for each D.
pub fn figure_3(seeds: u64, out: &mut Report) -> Result<()> {
    for (name, digits) in PAIRS.into_iter().zip([(1.0, 7.0), (4.0, 9.0), (5.0, 6.0)]) {
        if !out.wants(name) {
            continue;
        }
        let set = pair(name, digits)?;
        let sizes = [5usize, 10, 25, 50, 100];
        let mut errors: Vec<[Vec<f64>; 3]> = vec![Default::default(); sizes.len()];
        for seed in 0..seeds {
            out.pause()?;
            let split = Split::of(&set, usize::MAX, seed);
            let unit = split.train.median(seed);
            let plain = |(length, atoms): &(f64, usize), rows: &Set| -> Result<FittedClasses> {
                let learner = Classification {
                    lengthscale: Lengthscale::from(*length),
                    features: Auto::Fixed(2 * atoms),
                    seed,
                    ..Classification::default()
                };
                Ok(learner.fit(&rows.table()?, &mut Pausing)?)
            };
            let mut plainly = Ways::new(&split, &plain);
            let (length, _) = plainly.best(&[1.0, 0.5, 2.0].map(|times| (times * unit, 500)))?;
            let some = Candidates::of(&split.train, length, seed)?;
            let all = Candidates::of(&split.all, length, seed)?;
            let learned = |at: &Learned, rows: &Set| -> Result<FittedClasses> {
                let candidates = if std::ptr::eq(rows, &split.train) { &some } else { &all };
                let learner =
                    Classification { kernel: candidates.kernel(at, seed)?, seed, ..Classification::default() };
                Ok(learner.fit(&rows.table()?, &mut Pausing)?)
            };
            let kept = [Sampling::WithoutReplacement, Sampling::Weights];
            let choices = |method: Method, atoms: usize| -> Vec<Learned> {
                let each = |strength: f64| kept.map(|sampling| Learned { method, strength, sampling, atoms });
                STRENGTHS.iter().flat_map(|strength| each(*strength)).collect()
            };
            let mut ways = Ways::new(&split, &learned);
            for (errors, &atoms) in errors.iter_mut().zip(&sizes) {
                errors[0].push(plainly.judge(&(length, atoms))?);
                for (errors, method) in errors[1..].iter_mut().zip([Method::PacBayes, Method::Chi2]) {
                    let best = ways.best(&choices(method, atoms))?;
                    out.chose(name, seed, &best);
                    errors.push(ways.judge(&best)?);
                }
            }
        }
        for (errors, atoms) in errors.iter().zip(sizes) {
            for (errors, way) in errors.iter().zip(["RFF", "PBRFF", "OKRFF"]) {
                out.row_to(2, &format!("{name}, D = {atoms}, {way}, %"), errors, None)?;
            }
        }
    }
    Ok(())
}
