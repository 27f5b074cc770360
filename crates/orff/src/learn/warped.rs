//! Functions that vary little along a graph of labelled and unlabelled rows: the solution, once everything but the ridge is
//! chosen. \[warp\]

use super::begin::Choices;
use super::calibrate::Link;
use super::gather::columns;
use super::graphs::Over;
use super::judge::Labelled;
use super::machine::Machine;
use super::noise::Column;
use super::problem::Problem;
use super::search::{Chosen, FEW};
use super::{ClassLoss, Fitted, FittedClasses, Gathering, Ridge, calibrate, choose};
use crate::error::{Error, Result};
use crate::feature::{Basis, FeatureMap, Moments};
use crate::graph::Laplacian;
use crate::model::{Classes, Code, Labels, Linear, Training};
use crate::params::Auto;
use crate::rows::Weights;
use crate::solve::{Centred, PathPoint, Solution, System, Warp};
use crate::watch::Watch;
use faer::Mat;

/// The ridge where too few rows are labelled to choose one.
const SMALL_RIDGE: f64 = 1e-4;
/// Most labelled rows that are left out to choose the ridge; nλ of theirs is kept for more.
pub(super) const LEFT_OUT: usize = 2000;

/// Most unknowns of a fit of classes whose scores at other ridges are told.
const PATH_OF_CLASSES: usize = 1024;

/// Features of the fit and of the labelled rows, whatever they are, and the moment of the penalty.
pub(super) struct Final<'a> {
    pub basis: &'a dyn Basis,
    /// Labelled rows, if they can be left out in closed form: some for the squared loss, all for others, which go over them.
    pub labelled: Option<Labelled>,
    pub some: Vec<usize>,
    /// Moments of all labelled rows.
    pub moments: Moments,
    pub moment: Mat<f64>,
    pub strength: f64,
}

/// What was found, in scaled outputs.
pub(super) struct Solved {
    pub table: Mat<f64>,
    /// Constant and variances of each output.
    pub columns: Vec<Column>,
    /// From moments, with the posterior.
    pub squared: Option<(Vec<Centred>, Solution)>,
    pub ridge: f64,
    pub path: Vec<PathPoint>,
    pub iterations: usize,
    /// Labelled rows that were left out, and what they were predicted to be.
    pub held_out: Option<(Vec<usize>, Mat<f64>)>,
}

impl Problem<'_> {
    /// Columns of the map as far as memory allows, and why, if they are not given.
    pub fn expected_features(&self) -> Result<(usize, Option<String>)> {
        let learner = &self.along.learner;
        if let Some(given) = learner.features.fixed() {
            return Ok((given, None));
        }
        let points = &self.collected.points;
        let columns = learner.unknowns_per_character(&self.kernel(1.0)?, points.width())?;
        let kind = learner.map.kind(2);
        let (features, reason) = choose::features(points.count(), self.scaled.ncols(), columns, false, kind);
        Ok((features, Some(reason)))
    }

    /// Most columns of a map that are solved for at once, and what they need, before anything is drawn.
    pub fn features(&mut self, chosen: &Chosen, watch: &mut dyn Watch) -> Result<usize> {
        let learner = &self.along.learner;
        let (n, d) = (self.collected.points.count(), self.collected.points.width());
        let columns = learner.unknowns_per_character(&chosen.kernel, d)?;
        let (mut features, reason) = self.expected_features()?;
        if let Some(reason) = reason {
            self.choices.say(watch, reason);
        }
        let learner = &self.along.learner;
        let (points, graphs) = self.graphs.first(chosen.shape, &self.collected.points);
        let graph = (points.count(), graphs.iter().map(Laplacian::edges).sum());
        let need = |features: usize| megabytes(features, columns, (n, d), graph, learner.memory);
        let limit = learner.memory as f64;
        if learner.features.fixed().is_none() && need(features) > limit {
            let (fewer, reason) = choose::fewer(features, learner.memory, |features| need(features) <= limit)?;
            features = fewer;
            self.choices.say(watch, reason);
        }
        if need(features) > limit {
            return Err(choose::too_many(features, need(features), learner.memory));
        }
        Ok(features)
    }

    /// The solution: by the squared loss in closed form, or by another over the labelled rows.
    pub fn solve(&mut self, with: Final, loss: ClassLoss, watch: &mut dyn Watch) -> Result<Solved> {
        watch.stage("solve");
        let l = self.collected.labelled.len();
        let classes = self.classes_of(&with.some);
        let judge = self.judge(&classes);
        let rows = match &with.labelled {
            Some(labelled) if loss == ClassLoss::Squared => Some(labelled.warped(&with.moment, with.strength)?),
            _ => None,
        };
        let few = format!("too few labelled rows ({l}) to compare others");
        let ridge = match (self.along.learner.ridge, &rows) {
            (Ridge::Given(ridge), _) if ridge > 0.0 => Some(ridge),
            (Ridge::Given(_), _) => {
                let expected = "a number > 0 (the graph's penalty is λ times its strength)";
                return Err(Error::parameter("ridge", expected, 0));
            }
            _ if l < FEW => {
                self.choices.say(watch, format!("ridge {SMALL_RIDGE:.0e}: {few}"));
                Some(SMALL_RIDGE)
            }
            (Ridge::Loo, Some(rows)) => {
                let best = rows.best(&judge).0;
                let said = rows.said(best, &judge);
                // nλ is that of the rows that were looked at
                let ridge = best * with.some.len() as f64 / l as f64;
                let folds = self.folds(&with.some).named();
                self.choices.say(watch, format!("ridge {ridge:.3e}: {} ({said}), {folds}", judge.named()));
                Some(ridge)
            }
            _ => None,
        };
        if let (Some(named), Some(classed)) = (loss.named(), &self.classes) {
            let Some(labelled) = &with.labelled else { return Err(tied()) };
            let machine = Machine {
                labelled,
                classes: &classes,
                code: (classed.code, classed.names.len()),
                loss: named.loss(),
                offset: self.along.learner.offset,
                stage: &self.stage,
                seed: self.along.learner.seed,
            };
            return machine.solve(&with.moment, with.strength, ridge, &mut self.choices, watch);
        }
        let data = self.along.learner.centred(with.moments);
        let system = System::new(with.basis, &data, None)?;
        let unknowns = system.components.first().map_or(0, |c| c.rhs.len());
        let scale = with.some.len() as f64 / l as f64;
        // classes have no error bars: a path that nobody asks for is not worth some twelve K³ where K is large
        let several = PATH_OF_CLASSES + 1..=choose::EIGEN_UNKNOWNS;
        let quick = match ridge {
            Some(ridge) if self.classes.is_some() && several.contains(&unknowns) => {
                let system = system.clone();
                Warp::direct(with.basis, system, &with.moment, with.strength, ridge).ok().map(|found| (found, ridge))
            }
            _ => None,
        };
        let (solution, ridge, path) = match (quick, ridge) {
            (Some((solution, ridge)), _) => (solution, ridge, Vec::new()),
            (None, Some(ridge)) if unknowns > choose::EIGEN_UNKNOWNS => {
                (Warp::direct(with.basis, system, &with.moment, with.strength, ridge)?, ridge, Vec::new())
            }
            _ => {
                let warp = Warp::new(with.basis, system, &with.moment, with.strength)?;
                let (ridge, path) = self.along_path(&warp, ridge, watch)?;
                (warp.solve(with.basis, ridge, self.along.learner.posterior)?, ridge, path)
            }
        };
        self.choices.say(watch, format!("solved by {}", solution.how));
        Ok(Solved {
            table: solution.table.clone(),
            columns: columns(&data, &solution, self.along.learner.ridge),
            ridge,
            path,
            iterations: solution.iterations,
            held_out: rows.map(|rows| (with.some.clone(), rows.held_out(ridge / scale))),
            squared: Some((data, solution)),
        })
    }

    /// The ridge, given or chosen, among the scores along the path.
    fn along_path(
        &mut self,
        warp: &Warp,
        ridge: Option<f64>,
        watch: &mut dyn Watch,
    ) -> Result<(f64, Vec<PathPoint>)> {
        let spectral = warp.spectral();
        let path = spectral.path();
        let (best, by) = match (ridge, self.along.learner.ridge) {
            (Some(ridge), _) => return Ok((ridge, spectral.at(ridge).among(path))),
            (None, Ridge::Gcv) => (spectral.minimise(|p| p.gcv)?, "smallest generalised cross-validation score"),
            _ => (spectral.minimise(|p| -p.evidence)?, "largest evidence"),
        };
        let line = format!("ridge {:.3e}: {by}; {:.1} degrees of freedom", best.ridge, best.freedom);
        self.choices.say(watch, line);
        Ok((best.ridge, best.among(path)))
    }

    /// A model that is linear in characters, by one loss.
    fn linear(mut self, loss: ClassLoss, watch: &mut dyn Watch) -> Result<(Linear, Training, Option<Judged>)> {
        let chosen = self.choose(watch)?;
        let features = self.features(&chosen, watch)?;
        let map = self.draw(&chosen.kernel, features)?;
        let with = self.final_features(&map, &chosen, loss, watch)?;
        let solved = self.solve(with, loss, watch)?;
        if self.along.intrinsic && self.along.strength == Auto::Auto {
            let intrinsic = chosen.strength * solved.ridge;
            self.choices.say(watch, format!("intrinsic {intrinsic:.3e}: strength times ridge"));
        }
        let judged = self.judged(&solved);
        let training = self.training(&solved, &chosen);
        let gathering = Gathering {
            learner: self.along.learner.clone(),
            stage: self.stage,
            kernel: chosen.kernel,
            moments: Moments::new(0, 0),
            map,
            rows: training.rows,
            choices: Choices::default(),
            points: Vec::new(),
        };
        let model = match solved.squared {
            Some((data, solution)) => gathering.solution_model(&data, solution, None, false),
            None => gathering.model(solved.table, &solved.columns, None, None),
        };
        Ok((model, training, judged))
    }

    fn final_features<'b>(
        &self,
        map: &'b FeatureMap,
        chosen: &Chosen,
        loss: ClassLoss,
        watch: &mut dyn Watch,
    ) -> Result<Final<'b>> {
        let moment = self.penalty(chosen.shape, Over::All, map, watch)?;
        let all: Vec<usize> = (0..self.collected.labelled.len()).collect();
        // other losses go over the rows themselves
        let (some, summed) = if loss == ClassLoss::Squared { (self.some(LEFT_OUT), all) } else { (all, Vec::new()) };
        let labelled = if self.collected.complete() { self.labelled(map, &some)? } else { None };
        let moments = self.moments(map, &summed)?;
        Ok(Final { basis: map, labelled, some, moments, moment, strength: chosen.strength })
    }

    /// How the model came to be.
    pub fn training(&self, solved: &Solved, chosen: &Chosen) -> Training {
        let finite = |p: &&PathPoint| p.gcv.is_finite() && p.evidence.is_finite();
        Training {
            rows: self.collected.points.count(),
            kernel: Some(chosen.kernel.clone()),
            ridge: solved.ridge,
            choices: self.choices.lines.clone(),
            path: solved.path.iter().filter(finite).copied().collect(),
            points: self.collected.shown.clone(),
            iterations: solved.iterations,
        }
    }

    /// What probabilities are learned from.
    pub fn judged(&mut self, solved: &Solved) -> Option<Judged> {
        let ((some, f), classed) = (solved.held_out.as_ref()?, self.classes.take()?);
        let (means, scales) = (&self.stage.means, &self.stage.scales);
        let f = Mat::from_fn(f.nrows(), f.ncols(), |i, t| means[t] + scales[t] * f[(i, t)]);
        let weights = self.collected.row_weights();
        let weights = some.iter().map(|&i| weights[i]).collect();
        let of = some.iter().map(|&i| classed.of[i]).collect();
        // only the squared loss says shares of classes
        let link = if solved.squared.is_some() { Link::Shares } else { Link::Softmax };
        Some(Judged { f, weights, of, names: classed.names, totals: classed.weights, code: classed.code, link })
    }

    /// Regression.
    pub fn regression(self, watch: &mut dyn Watch) -> Result<Fitted> {
        let (model, training, _) = self.linear(ClassLoss::Squared, watch)?;
        Ok(Fitted { model, training })
    }

    /// Classification.
    pub fn classification(self, loss: ClassLoss, watch: &mut dyn Watch) -> Result<FittedClasses> {
        if !self.leaves_out()? {
            return Err(tied());
        }
        let (model, training, judged) = self.linear(loss, watch)?;
        classified(model, training, judged, watch)
    }
}

/// Predictions of rows by models that had not learned from them, with their classes.
pub(super) struct Judged {
    pub f: Mat<f64>,
    pub weights: Vec<f64>,
    pub of: Vec<usize>,
    pub names: Vec<String>,
    pub totals: Vec<f64>,
    pub code: Code,
    pub link: Link,
}

/// A model of classes, its probabilities calibrated on rows that were left out.
pub(super) fn classified<M>(
    model: M,
    mut training: Training,
    judged: Option<Judged>,
    watch: &mut dyn Watch,
) -> Result<FittedClasses<M>> {
    let Some(Judged { f, weights, of, names, totals, code, link }) = judged else { return Err(tied()) };
    let calibration =
        calibrate::of_predictions((code, names.len(), link), f.as_ref(), &Weights::Row(weights), &of, watch)?;
    let width = calibration.width.map_or(String::new(), |width| format!(", width {width:.3}"));
    let line = format!(
        "probabilities: calibrated on {} rows, sharpness {:.2}{width}",
        calibration.rows, calibration.sharpness
    );
    watch.say(&line);
    training.choices.push(line);
    let classes = Classes { labels: Labels::of(&names), names, weights: totals, code, calibration };
    Ok(FittedClasses { model, classes, training })
}

pub(super) fn tied() -> Error {
    Error::refused(
        "classes with a kernel whose outputs are tied otherwise than by one matrix",
        "the corners of a simplex are no vectors of a field; use gaussian, matern(2.5) or another scalar kernel",
    )
}

/// Rows, the rows and edges of a graph, strips of characters, the warp beside its moments.
pub(super) fn megabytes(
    features: usize,
    columns: usize,
    (n, d): (usize, usize),
    (rows, edges): (usize, usize),
    memory: usize,
) -> f64 {
    let (m, n) = (features as f64, n as f64);
    let unknowns = if columns > 1 { m * columns as f64 } else { m };
    let strips = (memory as f64 * 1e6 / 2.0).min(16.0 * rows as f64 * m);
    (8.0 * n * d as f64 + 24.0 * edges as f64 + strips + 8.0 * (m * d as f64 + 6.0 * unknowns * unknowns)) / 1e6
}
