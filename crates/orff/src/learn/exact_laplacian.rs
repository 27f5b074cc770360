//! The warped kernel itself, without features: ridge (LapKRR) and classes (LapSVM), the references for a few thousand rows.
//! \[warp\]

use super::along::{Along, Asked, along, asked};
use super::begin::{self, FittedExact, Scaled, in_pool};
use super::declare::declare;
use super::graphs::Over;
use super::judge::Labelled;
use super::problem::Problem;
use super::sections::Sections;
use super::warped::{Final, Judged, LEFT_OUT, classified, tied};
use super::{ClassLoss, FittedClasses};
use crate::error::{Error, Result};
use crate::feature::{Characters, Moments};
use crate::model::{Exact, Training};
use crate::params::{Auto, Params};
use crate::rows::{Inputs, Rows};
use crate::watch::Watch;
use faer::Mat;

declare! {
    /// Exact ridge regression with labelled and unlabelled rows: no features, N×N matrices.
    pub struct ExactLaplacian: kernel lengthscale_of_graph group graph strength ridge_of_graph limits
}

declare! {
    /// Exact classification with labelled and unlabelled rows: no features, N×N matrices.
    pub struct ExactLaplacianClassifier: kernel lengthscale_of_graph group graph strength classes limits
}

impl ExactLaplacian {
    /// Learns from rows, of which those without outputs (NaN) shape the kernel only: f = Σ K(·,xᵢ)aᵢ over all rows. Time
    /// N³, memory ten N×N matrices.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedExact> {
        self.check()?;
        let along = Along { strength: self.strength, ..along!(self) };
        in_pool(self.threads, || {
            let (model, training, _) = fit(&along, None, ClassLoss::Squared, rows, watch)?;
            Ok(FittedExact { model, training })
        })
    }
}

impl ExactLaplacianClassifier {
    /// Learns from rows whose one output is the number of a class, NaN where it is not known; as
    /// [`LaplacianClassifier`](super::LaplacianClassifier) with the kernel itself. Time N³, memory ten N×N matrices.
    pub fn fit(&self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<FittedClasses<Exact>> {
        self.check()?;
        let along = Along { strength: self.strength, ..along!(self) };
        in_pool(self.threads, || {
            let (model, training, judged) = fit(&along, asked!(self), self.loss, rows, watch)?;
            classified(model, training, judged, watch)
        })
    }
}

fn fit(
    along: &Along,
    asked: Option<Asked>,
    loss: ClassLoss,
    rows: &dyn Rows,
    watch: &mut dyn Watch,
) -> Result<(Exact, Training, Option<Judged>)> {
    let mut problem = Problem::begin(along, None, asked, rows, watch)?;
    let n = problem.collected.points.count();
    if problem.kernel(1.0)?.separated().is_none() {
        return Err(Error::refused(
            "the exact warped kernel of a field",
            "it is written down for decomposable kernels; use laplacian, which takes any",
        ));
    }
    let chosen = problem.choose(watch)?;
    watch.stage("sections");
    let (collected, scaled) = (&problem.collected, &problem.scaled);
    let points = collected.points.slice(0, n).to_dense();
    let sections = Sections::new(&chosen.kernel, points, scaled.ncols())?;
    let fill = |x: &Inputs, c: &mut Characters| {
        c.copy(sections.features(x.to_dense().as_ref())?.as_ref());
        Ok(())
    };
    let moment =
        problem.graphs.sum(chosen.shape, Over::All, &collected.points, watch, &|points, graphs, watch| {
            along.graphing.moment(points, &graphs[0], chosen.shape.power).of(sections.rank(), &fill, watch)
        })?;
    let (mut moments, mut characters) =
        (Moments::new(sections.rank(), scaled.ncols()), Characters::new(sections.rank()));
    let all: Vec<usize> = (0..collected.labelled.len()).collect();
    let (mut features, mut at) = (Mat::zeros(all.len(), sections.rank()), 0);
    collected.each(scaled, &all, |x, y, weights| {
        fill(x, &mut characters)?;
        features.as_mut().subrows_mut(at, y.nrows()).copy_from(characters.as_mat());
        at += y.nrows();
        moments.add(&characters, y.as_ref(), weights)
    })?;
    let labelled = |some: &[usize]| -> Result<Option<Labelled>> {
        let weights = collected.row_weights();
        let pick = |m: &Mat<f64>| Mat::from_fn(some.len(), m.ncols(), |i, k| m[(some[i], k)]);
        let weights = some.iter().map(|&i| weights[i]).collect();
        Labelled::new(&sections, &pick(&features), pick(scaled), weights, problem.folds(some), along.offset)
    };
    let some = if loss == ClassLoss::Squared { problem.some(LEFT_OUT) } else { all };
    if !collected.complete() && asked.is_some() {
        return Err(tied());
    }
    let with = Final {
        labelled: if collected.complete() { labelled(&some)? } else { None },
        basis: &sections,
        some,
        moments,
        moment,
        strength: chosen.strength,
    };
    let solved = problem.solve(with, loss, watch)?;
    let judged = problem.judged(&solved);
    if asked.is_none() {
        let why = "the exact warped kernel keeps none (the one with random features does)";
        problem.choices.say(watch, format!("no error bars: {why}"));
    }
    let training = problem.training(&solved, &chosen);
    let coefficients = sections.coefficients(&solved.table)?;
    let found = Scaled { points: sections.points, coefficients, columns: solved.columns, posterior: None };
    Ok((begin::model(problem.stage, chosen.kernel, found), training, judged))
}
