//! What a fit on a graph leaves open, chosen on labelled rows by small models of all rows: lengthscale, neighbours, power
//! and strength. \[left-out\]

use super::Ridge;
use super::choose;
use super::graph::TIMES;
use super::graphs::{Over, Shape};
use super::judge::{Judge, Labelled, Validated};
use super::left_out::Folds;
use super::problem::Problem;
use crate::error::Result;
use crate::feature::{Characters, FeatureMap};
use crate::kernel::Kernel;
use crate::params::Auto;
use crate::solve::{System, Warp};
use crate::watch::Watch;
use faer::Mat;

/// With fewer labelled rows than this nothing can be compared.
pub(super) const FEW: usize = 8;
/// Most labelled rows that small models look at: by their evidence, and left out of them.
const ROWS: usize = 1500;
const LEFT_OUT: usize = 500;
/// Columns of small models: at most, at least (and two for each labelled row, whose values they could not tell apart
/// otherwise), and operations of their moments.
const COLUMNS: (usize, usize) = (1000, 320);
const OPERATIONS: f64 = 4e9;
/// Operations from which on only lengthscales about the one that is best without a graph are compared with it.
const COSTLY: f64 = 4e11;
/// αN where too few rows are labelled to choose it: two moons with one label each are right from 10⁶ to 10⁸.
const STRONG: f64 = 1e7;
/// Powers of ten of αN that are compared, beside no penalty at all; and how many more while the largest is the best: many rows
/// on a curve have neighbours that are close, and functions that differ little between these.
const STRENGTHS: std::ops::RangeInclusive<i32> = 1..=9;
const STRONGER: usize = 6;
/// Lengthscales that are compared, in bandwidths of the graph, and the one for few labels.
const LENGTHSCALES: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
const SHORT: f64 = 2.0;
/// They go on up to so many median distances of rows: neighbours among very many rows are close, and what labelled rows say by
/// themselves may vary over lengths that have nothing to do with them.
const LONG: f64 = 8.0;

/// The strength where too few labels are there to choose it.
pub(super) fn strong(rows: usize) -> f64 {
    STRONG / rows as f64
}

/// What was chosen.
pub(super) struct Chosen {
    pub kernel: Kernel,
    pub shape: Shape,
    pub strength: f64,
}

/// A lengthscale in the kernel's coordinates, and a graph.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    lengthscale: f64,
    shape: Shape,
}

/// How good a place is, and the strength there.
#[derive(Clone, Copy)]
struct Found {
    place: Place,
    score: f64,
    strength: f64,
}

impl Problem<'_> {
    /// Whether rows can be left out in closed form: outputs are complete and tied by one matrix at most.
    pub fn leaves_out(&self) -> Result<bool> {
        Ok(self.collected.complete() && self.kernel(1.0)?.separated().is_some())
    }

    /// Chooses what is open and says why. Evidence compares lengthscales, rows of a graph and strengths only.
    pub fn choose(&mut self, watch: &mut dyn Watch) -> Result<Chosen> {
        let (n, l) = (self.collected.points.count(), self.collected.labelled.len());
        let (sizes, counts, powers) = (self.graphs.sizes(), self.graphs.counts(), self.graphs.powers());
        let most = Shape { rows: sizes[0], neighbours: counts[0], power: powers[0] };
        let features = if self.along.exact { usize::MAX } else { self.expected_features()?.0 };
        let times = if l < FEW { 2 } else { TIMES };
        let first = self.graphs.told_apart(most, times, features, &self.collected.points, watch)?;
        let open = self.kernel(1.0)? != self.kernel(2.0)?;
        let given = self.along.strength.fixed();
        let start = Place { lengthscale: SHORT * self.unit(first), shape: first };
        let several = sizes.len() * counts.len() * powers.len() > 1;
        let nothing = !open && given.is_some() && !several;
        let mut compared = true;
        let (found, why) = if l < FEW || nothing {
            let strength = given.unwrap_or(strong(n));
            (Found { place: start, score: 0.0, strength }, format!("too few labelled rows ({l}) to compare others"))
        } else {
            watch.stage("choose");
            let wanted = matches!(self.along.learner.ridge, Ridge::Loo | Ridge::Given(_));
            if wanted && self.leaves_out()? {
                self.by_validation(start, most, open, watch)?
            } else {
                compared = false;
                let found = self.by_evidence(start, open, watch)?;
                (found, format!("largest evidence on {} labelled rows", l.min(ROWS)))
            }
        };
        let Found { place: Place { lengthscale, shape }, strength, .. } = found;
        self.graphs.say(shape, &self.collected.points, &mut self.choices, watch);
        if open {
            let line = format!("lengthscale {}", choose::length(lengthscale, &self.stage.preparation));
            let times = lengthscale / self.unit(shape);
            let times = if times.fract() == 0.0 { format!("{times}") } else { format!("{times:.1}") };
            self.choices.say(watch, format!("{line}: {times} times the distance to neighbours; {why}"));
        }
        let axes = [
            ("graph rows", sizes.len(), shape.rows),
            ("neighbours", counts.len(), shape.neighbours),
            ("power", powers.len(), shape.power as usize),
        ];
        for (name, _, value) in axes.into_iter().filter(|(_, several, _)| *several > 1) {
            let why = match (name, l < FEW) {
                ("graph rows", true) => "the most whose neighbours the features can tell apart",
                (name, false) if !compared && name != "graph rows" => "not compared by evidence",
                _ => why.as_str(),
            };
            self.choices.say(watch, format!("{name} {value}: {why}"));
        }
        if given.is_none() {
            let rule = match (l < FEW, self.labelled_enough() && strength == 0.0) {
                (true, _) => "10⁷ over the rows; ",
                (_, true) => "at least half of the rows are labelled; ",
                _ => "",
            };
            self.choices.say(watch, format!("strength {strength:.3e}: {rule}{why}"));
        }
        Ok(Chosen { kernel: self.kernel(lengthscale)?, shape, strength })
    }

    /// Columns of a small model.
    fn columns(&self) -> usize {
        let (n, l) = (self.graphs.looked_at(), self.collected.labelled.len());
        let least = (2 * l).clamp(COLUMNS.1, COLUMNS.0);
        let affordable = ((OPERATIONS / n as f64).sqrt() as usize).clamp(least, COLUMNS.0);
        let useful = (2 * n).clamp(128, COLUMNS.0).min(affordable) / 2 * 2;
        self.along.learner.features.fixed().map_or(useful, |given| given.min(useful))
    }

    /// Whether at least half of the rows are labelled and no strength is given: then the others have little to add, and rows
    /// of the graph that are left out do not tell what a penalty on it does off it.
    fn labelled_enough(&self) -> bool {
        let (n, l) = (self.collected.points.count(), self.collected.labelled.len());
        self.along.strength == Auto::Auto && 2 * l >= n
    }

    /// Strengths that are compared.
    fn strengths(&self) -> Vec<f64> {
        let n = self.collected.points.count() as f64;
        match self.along.strength.fixed() {
            Some(given) => vec![given],
            None => std::iter::once(0.0).chain(STRENGTHS.map(|k| libm::pow(10.0, f64::from(k)) / n)).collect(),
        }
    }

    /// The smallest score of some strengths, and its strength. One that is lost in rounding has none.
    fn best_strength(
        &self,
        strengths: Vec<f64>,
        watch: &mut dyn Watch,
        mut score: impl FnMut(f64) -> Option<f64>,
    ) -> Result<(f64, f64)> {
        let mut best = (f64::INFINITY, strengths[0]);
        let (several, last) = (strengths.len() > 1, strengths[strengths.len() - 1]);
        let stronger = std::iter::successors(Some(last), |strength| Some(10.0 * strength)).skip(1).take(STRONGER);
        for strength in strengths.into_iter().chain(stronger) {
            if strength > last && !(several && strength == 10.0 * best.1) {
                break;
            }
            watch.advance(0)?;
            if let Some(score) = score(strength).filter(|score| *score < best.0) {
                best = (score, strength);
            }
        }
        Ok(best)
    }

    /// Lengthscales that are compared, multiples of the distance to neighbours.
    fn lengthscales(&self, open: bool, shape: Shape) -> Vec<f64> {
        let unit = self.unit(shape);
        if !open {
            return vec![SHORT * unit];
        }
        let rows: Vec<usize> = self.some(ROWS).into_iter().map(|i| self.collected.labelled[i]).collect();
        let median = choose::median_distance(&self.collected.points.pick(&rows), None, self.along.learner.seed);
        let longer = std::iter::successors(LENGTHSCALES.last().copied(), |times| Some(2.0 * times)).skip(1);
        let longer = longer.take_while(|times| times * unit <= LONG * median).take(16);
        LENGTHSCALES.into_iter().chain(longer).map(|times| times * unit).collect()
    }

    /// Labelled rows through a map, each to be left out.
    pub fn labelled(&self, map: &FeatureMap, some: &[usize]) -> Result<Option<Labelled>> {
        let mut all = Mat::zeros(some.len(), map.characters());
        let (mut characters, mut at) = (Characters::new(map.characters()), 0);
        self.collected.each(&self.scaled, some, |x, y, _| {
            map.fill(x, &mut characters);
            all.as_mut().subrows_mut(at, y.nrows()).copy_from(characters.as_mat());
            at += y.nrows();
            Ok(())
        })?;
        let outputs = Mat::from_fn(some.len(), self.scaled.ncols(), |i, t| self.scaled[(some[i], t)]);
        let weights = self.collected.row_weights();
        let weights = some.iter().map(|&i| weights[i]).collect();
        Labelled::new(map, &all, outputs, weights, self.folds(some), self.along.offset)
    }

    /// Folds of some labelled rows.
    pub fn folds(&self, some: &[usize]) -> Folds {
        Folds::new(&self.classes_of(some), self.along.learner.seed)
    }

    /// The classes of some labelled rows, 0 where there are none.
    pub fn classes_of(&self, some: &[usize]) -> Vec<usize> {
        some.iter().map(|&i| self.classes.as_ref().map_or(0, |classes| classes.of[i])).collect()
    }

    /// The place with the smallest error, found from the first graph and from that of the most rows: each may hide the other.
    fn by_validation(
        &mut self,
        start: Place,
        most: Shape,
        open: bool,
        watch: &mut dyn Watch,
    ) -> Result<(Found, String)> {
        let some = self.some(LEFT_OUT);
        let classes = self.classes_of(&some);
        let judge = self.judge(&classes);
        let mut tried: Vec<Found> = Vec::new();
        let mut best = self.one_after_another(start, open, &some, &judge, &mut tried, watch)?;
        if most != start.shape && !self.labelled_enough() {
            let start = Place { lengthscale: SHORT * self.unit(most), shape: most };
            let found = self.one_after_another(start, open, &some, &judge, &mut tried, watch)?;
            if found.score < best.score {
                best = found;
            }
        }
        let folds = self.folds(&some).named();
        Ok((best, format!("{} of {} labelled rows, {folds}", judge.named(), some.len())))
    }

    /// One thing after another, then once more from what was found: the place with the smallest error.
    fn one_after_another(
        &mut self,
        start: Place,
        open: bool,
        some: &[usize],
        judge: &Judge,
        tried: &mut Vec<Found>,
        watch: &mut dyn Watch,
    ) -> Result<Found> {
        let mut lengthscales = self.lengthscales(open, start.shape);
        let columns = self.columns() as f64;
        if self.graphs.looked_at() as f64 * columns * columns > COSTLY {
            lengthscales = self.about_the_best(lengthscales, some, judge, watch)?;
        }
        let mut best = Found { place: start, score: f64::INFINITY, strength: 0.0 };
        for _ in 0..2 {
            let before = best.place;
            // where the strength is zero the graph is any
            for axis in 0..if self.labelled_enough() { 1 } else { 4 } {
                let Place { lengthscale, shape } = best.place;
                let of = |shape: Shape| Place { lengthscale, shape };
                let places: Vec<Place> = match axis {
                    0 => lengthscales.iter().map(|&lengthscale| Place { lengthscale, shape }).collect(),
                    1 => self.graphs.powers().into_iter().map(|power| of(Shape { power, ..shape })).collect(),
                    2 => self.graphs.counts().into_iter().map(|q| of(Shape { neighbours: q, ..shape })).collect(),
                    _ => self.graphs.sizes().into_iter().map(|rows| of(Shape { rows, ..shape })).collect(),
                };
                for place in places {
                    let found = match tried.iter().find(|found| found.place == place) {
                        Some(found) => *found,
                        None => {
                            self.graphs.look_at(place.shape.rows, &self.collected.points, watch)?;
                            let found = self.attempt(place, some, judge, watch)?;
                            tried.push(found);
                            found
                        }
                    };
                    if found.score < best.score {
                        best = found;
                    }
                }
            }
            if best.place == before {
                break;
            }
        }
        Ok(best)
    }

    /// The lengthscale that is best without a graph, which takes no moment, and those beside it.
    fn about_the_best(
        &self,
        lengthscales: Vec<f64>,
        some: &[usize],
        judge: &Judge,
        watch: &mut dyn Watch,
    ) -> Result<Vec<f64>> {
        let mut best = (0, f64::INFINITY);
        for (k, lengthscale) in lengthscales.iter().enumerate() {
            watch.advance(0)?;
            let map = self.draw(&self.kernel(*lengthscale)?, self.columns())?;
            let Some(labelled) = self.labelled(&map, some)? else { return Ok(lengthscales) };
            let score = self.score(&labelled.warped(&Mat::zeros(map.characters(), map.characters()), 0.0)?, judge);
            if score < best.1 {
                best = (k, score);
            }
        }
        let to = (best.0 + 2).min(lengthscales.len());
        Ok(lengthscales[best.0.saturating_sub(1)..to].to_vec())
    }

    /// How well rows are foretold that are left out, at the best ridge or the one given.
    fn score(&self, rows: &Validated, judge: &Judge) -> f64 {
        match self.along.learner.ridge {
            Ridge::Given(ridge) => rows.score(ridge, judge),
            _ => rows.best(judge).1,
        }
    }

    /// The best strength at a place, with the best ridge or the one given.
    fn attempt(&self, place: Place, some: &[usize], judge: &Judge, watch: &mut dyn Watch) -> Result<Found> {
        let map = self.draw(&self.kernel(place.lengthscale)?, self.columns())?;
        let Some(labelled) = self.labelled(&map, some)? else {
            return Ok(Found { place, score: f64::INFINITY, strength: 0.0 });
        };
        let moment = self.penalty(place.shape, Over::Some, &map, watch)?;
        let strengths = if self.labelled_enough() { vec![0.0] } else { self.strengths() };
        let score = |strength: f64| Some(self.score(&labelled.warped(&moment, strength).ok()?, judge));
        let (score, strength) = self.best_strength(strengths, watch, score)?;
        Ok(Found { place, score, strength })
    }

    /// The lengthscale, the rows of a graph and the strength with the largest evidence, in the coordinates of the warp.
    fn by_evidence(&mut self, start: Place, open: bool, watch: &mut dyn Watch) -> Result<Found> {
        let mut best =
            Found { place: start, score: f64::INFINITY, strength: self.along.strength.fixed().unwrap_or(0.0) };
        for lengthscale in self.lengthscales(open, start.shape) {
            best = self.with_more_evidence(best, Place { lengthscale, ..start }, watch)?;
        }
        for rows in self.graphs.sizes().into_iter().filter(|rows| *rows != start.shape.rows) {
            self.graphs.look_at(rows, &self.collected.points, watch)?;
            let place = Place { shape: Shape { rows, ..start.shape }, ..best.place };
            best = self.with_more_evidence(best, place, watch)?;
        }
        Ok(best)
    }

    /// A place with the best strength there, if its evidence is larger than that of the best one until now.
    fn with_more_evidence(&self, best: Found, place: Place, watch: &mut dyn Watch) -> Result<Found> {
        let learner = &self.along.learner;
        let kernel = self.kernel(place.lengthscale)?;
        let map = match self.views {
            None => learner.small_map(&kernel, self.collected.points.width(), COLUMNS.1, false)?,
            Some(_) => self.draw(&kernel, COLUMNS.1)?,
        };
        let moment = self.penalty(place.shape, Over::Some, &map, watch)?;
        let data = learner.centred(self.moments(&map, &self.some(ROWS))?);
        let system = System::new(&map, &data, None)?;
        let score = |strength: f64| {
            let warp = Warp::new(&map, system.clone(), &moment, strength).ok()?;
            Some(match learner.ridge {
                Ridge::Given(ridge) if ridge > 0.0 => -warp.spectral().at(ridge).evidence,
                _ => warp.spectral().minimise(|p| -p.evidence).map_or(f64::INFINITY, |p| -p.evidence),
            })
        };
        let (score, strength) = self.best_strength(self.strengths(), watch, score)?;
        Ok(if score < best.score { Found { place, score, strength } } else { best })
    }
}
