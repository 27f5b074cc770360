//! Ridge whose functions vary little along a graph of labelled and unlabelled rows: the choices and the fit. \[warp\]

use super::begin::Choices;
use super::graph::Graphing;
use super::stage::Stage;
use super::unlabelled::Collected;
use super::{Fitted, Gathering, Regression, Ridge};
use crate::error::{Error, Result};
use crate::feature::{Characters, FeatureMap, Moments};
use crate::graph::Laplacian;
use crate::kernel::{Kernel, Seen};
use crate::model::Training;
use crate::params::Auto;
use crate::rows::Inputs;
use crate::solve::{System, Warp};
use crate::watch::Watch;
use faer::Mat;

/// With fewer labelled rows than this nothing can be compared.
pub(super) const FEW: usize = 8;
/// Unknowns of the small models that choose, and most labelled rows they look at.
const UNKNOWNS: usize = 320;
const ROWS: usize = 1500;
/// The ridge where too few rows are labelled to choose one.
const SMALL_RIDGE: f64 = 1e-4;
/// αN where too few rows are labelled to choose it: two moons with one label each are right from 10⁶ to 10⁸.
const STRONG: f64 = 1e7;
/// Lengthscales that are compared, in bandwidths of the graph, and the one for few labels.
const LENGTHSCALES: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
const SHORT: f64 = 2.0;

/// The moment that the penalty takes, of any map.
pub(super) type Penalty<'a> = dyn Fn(&FeatureMap, &mut dyn Watch) -> Result<Mat<f64>> + 'a;

/// Rows, their graph, and how to learn from them.
pub(super) struct Warping<'a> {
    pub learner: &'a Regression,
    pub collected: &'a Collected,
    pub stage: &'a Stage,
    pub scaled: &'a Mat<f64>,
    /// How a map of so many columns is drawn, if not as the learner does.
    pub draw: Option<&'a dyn Fn(&Kernel, usize) -> Result<FeatureMap>>,
}

/// A penalty on a graph.
pub(super) fn on_graph<'a>(
    graphing: &Graphing,
    collected: &'a Collected,
    laplacian: &'a Laplacian,
) -> impl Fn(&FeatureMap, &mut dyn Watch) -> Result<Mat<f64>> + 'a {
    let moment = graphing.moment(&collected.points, laplacian);
    move |map: &FeatureMap, watch: &mut dyn Watch| {
        let fill = |x: &Inputs, c: &mut Characters| {
            map.fill(x, c);
            Ok(())
        };
        moment.of(map.characters(), &fill, watch)
    }
}

/// The strength where too few labels are there to choose it.
pub(super) fn strong(rows: usize) -> f64 {
    STRONG / rows as f64
}

impl Warping<'_> {
    /// The kernel at a lengthscale.
    fn kernel(&self, given: &Kernel, lengthscale: f64) -> Result<Kernel> {
        given.resolve(&self.seen(lengthscale))
    }

    fn seen(&self, lengthscale: f64) -> Seen<'_> {
        let sample = Some(self.scaled.as_ref());
        Seen { outputs: self.scaled.ncols(), sample, lengthscale: Some(lengthscale), gradient: Some(0.5) }
    }

    /// Moments of the labelled rows.
    fn moments(&self, map: &FeatureMap) -> Result<Moments> {
        let mut moments = Moments::new(map.characters(), self.scaled.ncols());
        let mut characters = Characters::new(map.characters());
        self.collected.each(self.scaled, |x, y, weights| {
            map.fill(x, &mut characters);
            moments.add(&characters, y.as_ref(), weights)
        })?;
        Ok(moments)
    }

    /// The kernel and the strength of the penalty: given, or with the largest evidence of small models on the whole graph.
    /// `unit` is a length of the graph in the kernel's coordinates.
    pub fn choose(
        &self,
        strength: Auto<f64>,
        unit: f64,
        penalty: &Penalty,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(Kernel, f64)> {
        let given = self.learner.kernel.with_lengthscale(&self.learner.lengthscale);
        let open = self.kernel(&given, 1.0)? != self.kernel(&given, 2.0)?;
        let (n, l) = (self.collected.points.count(), self.collected.labelled.len());
        if !open && strength.fixed().is_some() {
            return Ok((self.kernel(&given, 1.0)?, strength.fixed().unwrap_or(0.0)));
        }
        if l < FEW {
            let why = format!("too few labelled rows ({l}) to compare others");
            if open {
                let line = "twice the distance to neighbours";
                choices.say(watch, format!("lengthscale {:.4} (in scaled inputs): {line}; {why}", SHORT * unit));
            }
            if strength == Auto::Auto {
                choices.say(watch, format!("strength {:.3e}: 10⁷ over the rows; {why}", strong(n)));
            }
            return Ok((self.kernel(&given, SHORT * unit)?, strength.fixed().unwrap_or(strong(n))));
        }
        watch.stage("choose");
        let lengthscales = if open { LENGTHSCALES.to_vec() } else { vec![1.0] };
        // αN in powers of ten: every second one, then the two beside the best
        let mut best = (f64::NEG_INFINITY, lengthscales[0], 0.0);
        for times in lengthscales {
            let kernel = self.kernel(&given, times * unit)?;
            let map = match self.draw {
                None => self.learner.small_map(&kernel, self.collected.points.width(), UNKNOWNS, false)?,
                Some(draw) => draw(&kernel, UNKNOWNS)?,
            };
            let moment = penalty(&map, watch)?;
            let data = self.learner.centred(self.some_moments(&map)?);
            let mut attempt = |alpha: f64| -> Result<f64> {
                watch.advance(1)?;
                let warp = Warp::new(&map, System::new(&map, &data, None)?, &moment, alpha)?;
                let evidence = match self.learner.ridge {
                    Ridge::Given(ridge) if ridge > 0.0 => warp.spectral().at(ridge).evidence,
                    _ => warp.spectral().minimise(|p| -p.evidence).map_or(f64::NEG_INFINITY, |p| p.evidence),
                };
                if evidence > best.0 {
                    best = (evidence, times, alpha);
                }
                Ok(evidence)
            };
            if let Some(given) = strength.fixed() {
                attempt(given)?;
                continue;
            }
            let times_ten = |k: i32| libm::pow(10.0, f64::from(k)) / n as f64;
            attempt(0.0)?;
            let mut peak = (f64::NEG_INFINITY, 0);
            for k in [3, 5, 7, 9] {
                let evidence = attempt(times_ten(k))?;
                if evidence > peak.0 {
                    peak = (evidence, k);
                }
            }
            attempt(times_ten(peak.1 - 1))?;
            attempt(times_ten(peak.1 + 1))?;
        }
        let (_, times, alpha) = best;
        let rows = l.min(ROWS);
        if open {
            let why = format!("largest evidence on {rows} labelled rows, {times} times the distance to neighbours");
            choices.say(watch, format!("lengthscale {:.4} (in scaled inputs): {why}", times * unit));
        }
        if strength == Auto::Auto {
            choices.say(watch, format!("strength {alpha:.3e}: largest evidence on {rows} labelled rows"));
        }
        Ok((self.kernel(&given, times * unit)?, alpha))
    }

    /// Moments of at most 1500 labelled rows, evenly spread.
    fn some_moments(&self, map: &FeatureMap) -> Result<Moments> {
        let l = self.collected.labelled.len();
        if l <= ROWS {
            return self.moments(map);
        }
        let some: Vec<usize> = (0..ROWS).map(|k| k * l / ROWS).collect();
        let rows: Vec<usize> = some.iter().map(|&i| self.collected.labelled[i]).collect();
        let y = Mat::from_fn(ROWS, self.scaled.ncols(), |i, t| self.scaled[(some[i], t)]);
        let mut characters = Characters::new(map.characters());
        map.fill(&self.collected.points.pick(&rows), &mut characters);
        let mut moments = Moments::new(map.characters(), y.ncols());
        moments.add(&characters, y.as_ref(), None)?;
        Ok(moments)
    }

    /// The model: moments of the labelled rows, the penalty's of all, one whitened system.
    pub fn fit(
        &self,
        kernel: Kernel,
        map: FeatureMap,
        moment: &Mat<f64>,
        strength: f64,
        mut choices: Choices,
        watch: &mut dyn Watch,
    ) -> Result<Fitted> {
        let data = self.learner.centred(self.moments(&map)?);
        watch.stage("solve");
        let warp = Warp::new(&map, System::new(&map, &data, None)?, moment, strength)?;
        let (ridge, path) = self.ridge(&warp, &mut choices, watch)?;
        let solution = warp.solve(&map, ridge, self.learner.posterior)?;
        choices.say(watch, format!("solved by {}", solution.how));
        let gathering = Gathering {
            learner: self.learner.clone(),
            stage: self.stage.clone(),
            kernel: kernel.clone(),
            moments: Moments::new(0, 0),
            map,
            rows: self.collected.points.count(),
            choices: Choices::default(),
            points: Vec::new(),
        };
        let model = gathering.solution_model(&data, solution, None, false);
        let training = Training {
            rows: self.collected.points.count(),
            kernel: Some(kernel),
            ridge,
            choices: choices.lines,
            path: path.into_iter().filter(|p| p.gcv.is_finite() && p.evidence.is_finite()).collect(),
            points: self.collected.shown.clone(),
            iterations: 1,
        };
        Ok(Fitted { model, training })
    }

    /// The ridge that was given or is best, and the scores along the path.
    pub fn ridge(
        &self,
        warp: &Warp,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(f64, Vec<crate::solve::PathPoint>)> {
        let spectral = warp.spectral();
        let path: Vec<_> = spectral.grid(29).into_iter().map(|l| spectral.at(l)).collect();
        let l = self.collected.labelled.len();
        let (best, by) = match self.learner.ridge {
            Ridge::Given(ridge) if ridge > 0.0 => return Ok((ridge, spectral.at(ridge).among(path))),
            Ridge::Given(_) => {
                return Err(Error::parameter(
                    "ridge",
                    "a number > 0 (the graph's penalty is λ times its strength)",
                    0,
                ));
            }
            _ if l < FEW => {
                let why = format!("too few labelled rows ({l}) to compare others");
                choices.say(watch, format!("ridge {SMALL_RIDGE:.0e}: {why}"));
                return Ok((SMALL_RIDGE, spectral.at(SMALL_RIDGE).among(path)));
            }
            Ridge::Gcv => (spectral.minimise(|p| p.gcv)?, "smallest generalised cross-validation score"),
            _ => (spectral.minimise(|p| -p.evidence)?, "largest evidence"),
        };
        choices.say(watch, format!("ridge {:.3e}: {by}; {:.1} degrees of freedom", best.ridge, best.freedom));
        Ok((best.ridge, best.among(path)))
    }
}
