//! Rows with and without outputs, their graphs, and what every fit on them asks for. \[warp\]

use super::along::{Along, Asked};
use super::begin::Choices;
use super::coded::{class, named};
use super::graphs::{Graphs, Over, Shape};
use super::judge::Judge;
use super::stage::Stage;
use super::unlabelled::{self, Collected};
use super::views::Views;
use crate::error::{Error, Result};
use crate::feature::{Characters, FeatureMap, Moments};
use crate::kernel::{Kernel, Seen, Units};
use crate::model::Code;
use crate::rows::{Inputs, Rows, Weights};
use crate::watch::Watch;
use faer::Mat;

/// The classes of labelled rows.
pub(super) struct Classed {
    pub names: Vec<String>,
    /// Σw of the rows of each, before classes were weighted.
    pub weights: Vec<f64>,
    pub code: Code,
    /// Of each labelled row.
    pub of: Vec<usize>,
}

/// Rows, their graphs, and how to learn from them.
pub(super) struct Problem<'a> {
    pub along: &'a Along,
    /// Views and the weight of their disagreement.
    pub views: Option<(&'a Views, f64)>,
    pub collected: Collected,
    pub stage: Stage,
    /// Outputs in scaled units (l×p).
    pub scaled: Mat<f64>,
    pub classes: Option<Classed>,
    pub choices: Choices,
    pub graphs: Graphs,
}

impl<'a> Problem<'a> {
    /// Reads the rows and finds neighbours. Where classes were asked for the one output is the number of a class, and codes
    /// take its place.
    pub fn begin(
        along: &'a Along,
        views: Option<(&'a Views, f64)>,
        asked: Option<Asked>,
        rows: &dyn Rows,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let learner = &along.learner;
        let given = learner.kernel.with_lengthscale(&learner.lengthscale);
        if asked.is_some() && rows.outputs() != 1 {
            return Err(Error::shape("classes", "one output, the number of each row's class", rows.outputs()));
        }
        let mut collected = unlabelled::collect(&given, &learner.group, learner.seed, rows, watch)?;
        let classes = match asked {
            None => None,
            Some(asked) => Some(code(&mut collected, rows.classes(), asked)?),
        };
        let units = classes.as_ref().map(|_| Units::Common);
        let stage = collected.stage(&given, units, along.offset.centred())?;
        let scaled = collected.scaled(&stage);
        let (n, l) = (collected.points.count(), collected.labelled.len());
        along.has_room(n, collected.points.width())?;
        let mut choices = Choices::default();
        let without = if classes.is_some() { "labels" } else { "outputs" };
        choices.say(watch, format!("{l} labelled rows and {} without {without}", n - l));
        for (name, _) in classes.iter().flat_map(|c| c.names.iter().zip(&c.weights)).filter(|(_, w)| **w == 0.0) {
            choices.say(watch, format!("class {name}: no rows to learn from"));
        }
        let seen = views.map(|(views, _)| views);
        let graphs = Graphs::new(along.graphing, seen, rows.graph(), &collected.points, &mut choices, watch)?;
        Ok(Problem { along, views, collected, stage, scaled, classes, choices, graphs })
    }

    /// How predictions of labelled rows are judged.
    pub fn judge<'b>(&self, classes: &'b [usize]) -> Judge<'b> {
        match &self.classes {
            None => Judge::Squares,
            Some(classed) => Judge::Classes { code: classed.code, count: classed.names.len(), classes },
        }
    }

    /// A length of the graphs in the kernel's coordinates.
    pub fn unit(&self, shape: Shape) -> f64 {
        self.graphs.unit(shape, &self.collected.points)
    }

    /// The kernel at a lengthscale, where it leaves one open.
    pub fn kernel(&self, lengthscale: f64) -> Result<Kernel> {
        let learner = &self.along.learner;
        let sample = Some(self.scaled.as_ref());
        let seen = Seen { outputs: self.scaled.ncols(), sample, lengthscale: Some(lengthscale), gradient: Some(0.5) };
        learner.kernel.with_lengthscale(&learner.lengthscale).resolve(&seen)
    }

    /// A map with so many columns.
    pub fn draw(&self, kernel: &Kernel, columns: usize) -> Result<FeatureMap> {
        let d = self.collected.points.width();
        match self.views {
            None => self.along.learner.draw_map(kernel, d, columns),
            Some((views, _)) => views.draw(&self.along.learner, kernel, d, columns),
        }
    }

    /// The moment that the penalty takes, of a map, over the graphs of all rows or as those that were looked at tell it.
    pub fn penalty(&self, shape: Shape, over: Over, map: &FeatureMap, watch: &mut dyn Watch) -> Result<Mat<f64>> {
        let graphing = &self.along.graphing;
        let fill = |x: &Inputs, c: &mut Characters| {
            map.fill(x, c);
            Ok(())
        };
        self.graphs.sum(shape, over, &self.collected.points, watch, &|points, graphs, watch| match self.views {
            None => graphing.moment(points, &graphs[0], shape.power).of(map.characters(), &fill, watch),
            Some((views, agreement)) => views.penalty((graphing, shape.power), points, graphs, agreement, map, watch),
        })
    }

    /// At most so many labelled rows, evenly spread.
    pub fn some(&self, most: usize) -> Vec<usize> {
        let l = self.collected.labelled.len();
        if l <= most { (0..l).collect() } else { (0..most).map(|k| k * l / most).collect() }
    }

    /// Moments of some labelled rows.
    pub fn moments(&self, map: &FeatureMap, some: &[usize]) -> Result<Moments> {
        let mut moments = Moments::new(map.characters(), self.scaled.ncols());
        let mut characters = Characters::new(map.characters());
        self.collected.each(&self.scaled, some, |x, y, weights| {
            map.fill(x, &mut characters);
            moments.add(&characters, y.as_ref(), weights)
        })?;
        Ok(moments)
    }
}

/// Codes in the place of the numbers of classes, and the weights of rows times those of their classes.
fn code(collected: &mut Collected, names: Option<&[String]>, asked: Asked) -> Result<Classed> {
    if matches!(collected.weights, Some(Weights::Entry(_))) {
        return Err(Error::refused(
            "weights of entries with classes",
            "a label has no standard error; give each row a weight",
        ));
    }
    let number = |i: usize| class(collected.outputs[(i, 0)], collected.labelled[i]);
    let mut of: Vec<usize> = (0..collected.labelled.len()).map(number).collect::<Result<_>>()?;
    let mut names = names.map(<[String]>::to_vec);
    let none = names.iter().flatten().position(|name| Some(name.as_str()) == asked.unlabelled);
    if let (Some(names), Some(none)) = (&mut names, none) {
        names.remove(none);
        let kept: Vec<usize> = (0..of.len()).filter(|&i| of[i] != none).collect();
        collected.keep(&kept);
        of = kept.into_iter().map(|i| of[i] - usize::from(of[i] > none)).collect();
    }
    let (l, rows) = (of.len(), collected.row_weights());
    // pictures of rows have their outputs beside them, and a class is not one
    collected.shown.clear();
    let mut sums = vec![0.0; of.iter().max().map_or(0, |most| most + 1)];
    of.iter().zip(&rows).for_each(|(&c, w)| sums[c] += w);
    let (names, weights) = named(sums, names.as_deref())?;
    let each = asked.class_weight.of(&names, &weights)?;
    let code = asked.loss.code(names.len());
    collected.outputs = code.targets(&of, names.len());
    if collected.weights.is_some() || each.iter().any(|w| *w != 1.0) {
        collected.weights = Some(Weights::Row((0..l).map(|i| rows[i] * each[of[i]]).collect()));
    }
    Ok(Classed { names, weights, code, of })
}
