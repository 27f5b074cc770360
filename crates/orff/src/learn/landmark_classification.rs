//! Classes by a linear machine on learned similarities to landmarks (L19 §4.2). \[landmark-kernels\]

use super::begin::{Choices, in_pool};
use super::calibrate::Link;
use super::coded::{Coded, Tally, class, row_weight, tally};
use super::declare::declare;
use super::judge::{Judge, Labelled};
use super::landmarking::{Landmarked, landmarking};
use super::left_out::Folds;
use super::machine::{Apart, Machine};
use super::noise::Column;
use super::ridge::times_rows;
use super::scalar::features_only;
use super::stage::Stage;
use super::warped::{Judged, LEFT_OUT, Solved, classified};
use super::{ClassLoss, ClassWeight, FittedClasses, Offset, Ridge};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, reblock};
use crate::kernel::Kernel;
use crate::linalg::{self, Cholesky};
use crate::loss::Named;
use crate::model::{Alignment, Code, Training};
use crate::params::Params;
use crate::rows::Rows;
use crate::spectrum::Lengthscale;
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Classification by similarities to landmarks.
    pub struct LandmarkClassification:
        {
            /// The kernel candidates are drawn from, with one output: gaussian, matern(2.5), a product of such.
            kernel / kernel: Kernel = Kernel::default(), Kind::Kernel;
            /// Lengthscale of every spectrum of the kernel that leaves its own open: auto (the median distance between
            /// scaled rows), a number in the units of the inputs, or one number per input.
            lengthscale / lengthscale: Lengthscale = Lengthscale::Auto,
                Kind::Auto(&Kind::Several(&Kind::Number { min: 0.0, max: f64::INFINITY, open: true }));
        }
        group landmarks
        {
            /// The loss: squared, on the simplex code of the classes, in closed form; or, by passes over the rows, logistic and
            /// simplex-hinge (the support vector machine of several classes) on the same code, hinge and squared-hinge for each
            /// class against the rest.
            loss / loss: ClassLoss = ClassLoss::Squared, Kind::Choice(ClassLoss::NAMES);
            /// Weights of the classes: balanced (each class counts the same in all), a number for each class by name
            /// (classes without one weigh 1), or none. Probabilities are those of the weighted rows.
            class_weight / class_weight: ClassWeight = ClassWeight::None, Kind::ClassWeights;
            /// The ridge: a number > 0 (λ of the mean loss), or loo: by the share of missed labels among those left out, one at a
            /// time or, of more than 200, in ten folds; of other losses than squared by five folds.
            ridge / alpha: Ridge = Ridge::Loo,
                Kind::WordOr(&["loo"], &Kind::Number { min: 0.0, max: f64::INFINITY, open: true });
            /// Learn a constant for each score.
            offset / fit_intercept: bool = true, Kind::Flag;
        }
        memory seed
}

/// The features of all rows, with their classes.
struct Shown {
    /// n×L.
    features: Mat<f64>,
    classes: Vec<usize>,
    weights: Vec<f64>,
}

impl LandmarkClassification {
    /// Learns from rows whose one output is the number of a class: landmarks and their kernels, then a linear machine on the
    /// similarities, which are kept in memory (n·L numbers). Time n·L·D·(d + 1), and n·L² for the squared loss.
    ///
    /// ```
    /// use orff::learn::LandmarkClassification;
    /// use orff::rows::Table;
    /// use orff::watch::Silent;
    /// let x = faer::Mat::from_fn(200, 2, |i, k| (i as f64 * [0.618, 0.414][k]).fract() * 4.0);
    /// let y = faer::Mat::from_fn(200, 1, |i, _| f64::from(x[(i, 0)] > 2.0));
    /// let (found, alignment) = LandmarkClassification::default().fit(&Table::new(x, y)?, &mut Silent)?;
    /// assert_eq!(found.model.map.atoms().count(), 64 * alignment.groups());
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(FittedClasses, Alignment)> {
        self.check()?;
        in_pool(self.threads, || self.fit_here(rows, watch))
    }

    fn fit_here(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<(FittedClasses, Alignment)> {
        let mut choices = Choices::default();
        let tally = tally(rows, self.seed, watch)?;
        tally.absent().for_each(|line| choices.say(watch, line));
        let given = self.kernel.with_lengthscale(&self.lengthscale);
        let (found, tally) = landmarking!(self, &given).learn(rows, tally, &mut choices, watch)?;
        let shown = self.show(&found, rows, &tally, watch)?;
        let n = shown.classes.len();
        let code = self.loss.code(tally.names.len());
        let outputs = code.outputs(tally.names.len());
        let (preparation, means, scales) = (found.preparation.clone(), vec![0.0; outputs], vec![1.0; outputs]);
        let stage = Stage { preparation, means, scales };
        let named = self.loss.named();
        let solved = match &named {
            None => self.ridge_solution(&shown, (code, tally.names.len()), &mut choices, watch)?,
            Some(loss) => self.machine(loss, &shown, (code, tally.names.len()), &stage, &mut choices, watch)?,
        };
        let (some, f) = match solved.held_out {
            Some(held_out) => held_out,
            None => return Err(Error::numerical("landmarks", "no row was held out")),
        };
        let judged = Judged {
            f,
            weights: some.iter().map(|&i| shown.weights[i]).collect(),
            of: some.iter().map(|&i| shown.classes[i]).collect(),
            names: tally.names,
            totals: tally.weights,
            code,
            link: if named.is_none() { Link::Shares } else { Link::Softmax },
        };
        let Landmarked { preparation, kernel, map, coefficients, alignment } = found;
        let (groups, p) = solved.table.shape();
        let each = map.atoms().count() / groups;
        let mut model = features_only(preparation, map, None);
        // a character has the coefficient of its landmark times its own
        let count = groups * each;
        let table = |m: usize, t: usize| coefficients[m] * solved.table[((m % count) / each, t)];
        model.table = Mat::from_fn(coefficients.len(), p, table);
        model.map.share(Mat::identity(p, p));
        model.offset = solved.columns.iter().map(|c| c.constant).collect();
        model.noise = Mat::zeros(p, p);
        model.output_scale = vec![1.0; p];
        let training = Training {
            rows: n,
            kernel: Some(kernel),
            ridge: solved.ridge,
            choices: choices.lines,
            iterations: solved.iterations,
            ..Training::default()
        };
        Ok((classified(model, training, Some(judged), watch)?, alignment))
    }

    /// ψ of every row.
    fn show(&self, found: &Landmarked, rows: &dyn Rows, tally: &Tally, watch: &mut dyn Watch) -> Result<Shown> {
        watch.stage("features");
        let (n, groups) = (tally.sample.total.unwrap_or(0), found.alignment.groups());
        let megabytes = 24e-6 * n as f64 * groups as f64;
        if megabytes > self.memory as f64 {
            let expected = format!("so few that the fit stays within {} MB (the parameter memory)", self.memory);
            let given = format!("{groups} for {n} rows, which need about {megabytes:.0} MB");
            return Err(Error::parameter("landmarks", expected, given));
        }
        let coded = Coded::new(rows, Code::Simplex, tally, &self.class_weight)?;
        let mut shown =
            Shown { features: Mat::zeros(n, groups), classes: Vec::with_capacity(n), weights: Vec::with_capacity(n) };
        let mut first = 0;
        for block in reblock(rows, BLOCK_ROWS)? {
            let block = block?;
            let u = found.preparation.prepare(&block.inputs, first + 1)?;
            let own = found.map.group_sums(&u, &found.coefficients, groups);
            shown.features.subrows_mut(first, own.nrows()).copy_from(&own);
            for i in 0..own.nrows() {
                let class = class(block.outputs[(i, 0)], first + i)?;
                shown.classes.push(class);
                shown.weights.push(coded.weights[class] * row_weight(&block, i)?);
            }
            first += own.nrows();
            watch.advance(own.nrows() as u64)?;
        }
        Ok(shown)
    }

    fn given(&self) -> Result<Option<f64>> {
        match self.ridge {
            Ridge::Given(ridge) if ridge > 0.0 => Ok(Some(ridge)),
            Ridge::Given(_) => Err(Error::parameter("ridge", "a number > 0", 0)),
            _ => Ok(None),
        }
    }

    /// Rows with their features, some or all of them.
    fn labelled(&self, shown: &Shown, some: &[usize], (code, count): (Code, usize)) -> Result<Labelled> {
        let features = Mat::from_fn(some.len(), shown.features.ncols(), |i, k| shown.features[(some[i], k)]);
        let classes: Vec<usize> = some.iter().map(|&i| shown.classes[i]).collect();
        let outputs = code.targets(&classes, count);
        let weights = some.iter().map(|&i| shown.weights[i]).collect();
        let offset = if self.offset { Offset::Learned } else { Offset::None };
        let basis = Apart::new(features.ncols(), outputs.ncols());
        let folds = Folds::new(&classes, self.seed);
        let found = Labelled::new(&basis, &features, outputs, weights, folds, offset)?;
        found.ok_or_else(|| Error::numerical("landmarks", "their features do not split"))
    }

    /// The squared loss in closed form.
    fn ridge_solution(
        &self,
        shown: &Shown,
        (code, count): (Code, usize),
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Solved> {
        watch.stage("solve");
        let counting: Vec<usize> = (0..shown.weights.len()).filter(|&i| shown.weights[i] > 0.0).collect();
        let few = counting.len().min(LEFT_OUT);
        let some: Vec<usize> = (0..few).map(|i| counting[i * counting.len() / few]).collect();
        let labelled = self.labelled(shown, &some, (code, count))?;
        let groups = shown.features.ncols();
        let validated = labelled.warped(&Mat::zeros(groups, groups), 0.0)?;
        let classes: Vec<usize> = some.iter().map(|&i| shown.classes[i]).collect();
        let judge = Judge::Classes { code, count, classes: &classes };
        // nλ is that of the rows that were looked at
        let total: f64 = shown.weights.iter().sum();
        let share = some.iter().map(|&i| shown.weights[i]).sum::<f64>() / total;
        let ridge = match self.given()? {
            Some(ridge) => times_rows(ridge, total).map(|_| ridge)?,
            None => {
                let best = validated.best(&judge).0;
                let said = validated.said(best, &judge);
                let line = format!("ridge {:.3e}: {} ({said})", best * share, judge.named());
                choices.say(watch, format!("{line}, {}", Folds::new(&classes, self.seed).named()));
                best * share
            }
        };
        let held_out = validated.held_out(ridge / share);
        let (table, constants) = self.closed_form(shown, code.targets(&shown.classes, count), total, ridge)?;
        choices.say(watch, format!("solved by Cholesky, {groups} unknowns"));
        Ok(Solved {
            table,
            columns: constants.into_iter().map(Column::of).collect(),
            squared: None,
            ridge,
            path: Vec::new(),
            iterations: 1,
            held_out: Some((some, held_out)),
        })
    }

    /// (ψᵀWψ + nλI)w = ψᵀWy about the means, if a constant is learned.
    fn closed_form(&self, shown: &Shown, targets: Mat<f64>, total: f64, ridge: f64) -> Result<(Mat<f64>, Vec<f64>)> {
        let (n, groups) = shown.features.shape();
        let p = targets.ncols();
        let weighted = |of: &dyn Fn(usize) -> f64| (0..n).map(|i| shown.weights[i] * of(i)).sum::<f64>() / total;
        let centre = |of: &dyn Fn(usize) -> f64| if self.offset { weighted(of) } else { 0.0 };
        let mean: Vec<f64> = (0..groups).map(|k| centre(&|i| shown.features[(i, k)])).collect();
        let target: Vec<f64> = (0..p).map(|t| centre(&|i| targets[(i, t)])).collect();
        let (mut gram, mut right) = (Mat::zeros(groups, groups), Mat::zeros(groups, p));
        for first in (0..n).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(n - first);
            let root = |i: usize| shown.weights[first + i].sqrt();
            let psi = Mat::from_fn(rows, groups, |i, k| root(i) * (shown.features[(first + i, k)] - mean[k]));
            let y = Mat::from_fn(rows, p, |i, t| root(i) * (targets[(first + i, t)] - target[t]));
            linalg::rank_update(gram.as_mut(), psi.as_ref());
            linalg::add_tn(right.as_mut(), psi.as_ref(), y.as_ref());
        }
        linalg::mirror(gram.as_mut());
        (0..groups).for_each(|k| gram[(k, k)] += total * ridge);
        let table = Cholesky::new(gram.as_ref())?.solve(Some(gram.as_ref()), right.as_ref())?;
        let constant = |t: usize| target[t] - (0..groups).map(|k| mean[k] * table[(k, t)]).sum::<f64>();
        let constants = (0..p).map(constant).collect();
        Ok((table, constants))
    }

    /// Other losses by passes.
    fn machine(
        &self,
        loss: &Named,
        shown: &Shown,
        code: (Code, usize),
        stage: &Stage,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Solved> {
        let all: Vec<usize> = (0..shown.classes.len()).collect();
        let labelled = self.labelled(shown, &all, code)?;
        let machine = Machine {
            labelled: &labelled,
            classes: &shown.classes,
            code,
            loss: loss.loss(),
            offset: self.offset,
            stage,
            seed: self.seed,
        };
        let groups = shown.features.ncols();
        machine.solve(&Mat::zeros(groups, groups), 0.0, self.given()?, choices, watch)
    }
}
