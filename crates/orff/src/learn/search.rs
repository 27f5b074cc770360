//! What a fit on a graph leaves open, chosen on labelled rows by small models of all rows: lengthscale, neighbours, power
//! and strength. \[left-out\]

use super::Ridge;
use super::choose;
use super::judge::{Judge, Labelled};
use super::left_out::Folds;
use super::problem::Problem;
use super::reduced::Reduced;
use crate::error::Result;
use crate::feature::{Basis, Characters, FeatureMap};
use crate::graph::Laplacian;
use crate::kernel::Kernel;
use crate::params::Auto;
use crate::random::Stream;
use crate::solve::{System, Warp};
use crate::watch::Watch;
use faer::Mat;

/// With fewer labelled rows than this nothing can be compared.
pub(super) const FEW: usize = 8;
/// Most labelled rows that small models look at: by their evidence, and left out of them.
const ROWS: usize = 1500;
const LEFT_OUT: usize = 500;
/// Columns of small models: at most, at least, and operations of their moments.
const COLUMNS: (usize, usize) = (700, 320);
/// Columns of the maps that small models stand for, at most.
const MAP: usize = 4000;
const OPERATIONS: f64 = 4e10;
/// Operations of moments up to which every place is looked at, not one thing after another.
const EVERYWHERE: f64 = 4e9;
/// Scores of classes closer than this are the same: the first place is kept, of the shortest lengthscale, the fewest
/// neighbours and the lowest power.
const SAME: f64 = 0.005;
/// Most rows of a graph that labelled rows are also taken out of, and whose features are kept: in larger ones rows are dense.
const MANY_ROWS: usize = 100_000;
/// αN where too few rows are labelled to choose it: two moons with one label each are right from 10⁶ to 10⁸.
const STRONG: f64 = 1e7;
/// Powers of ten of αN that are compared, beside no penalty at all.
const STRENGTHS: std::ops::RangeInclusive<i32> = 1..=9;
/// Lengthscales that are compared, in bandwidths of the graph: powers of two up to this one at least, and to this many
/// distances of rows that are no neighbours; and the one for few labels.
const LONG: f64 = 16.0;
const FAR: f64 = 2.0;
const SHORT: f64 = 2.0;
/// Pairs of rows whose distances are looked at.
const PAIRS: u64 = 1000;
const PURPOSE: u64 = 0x7061_6972_7320_6f66;

/// The strength where too few labels are there to choose it.
pub(super) fn strong(rows: usize) -> f64 {
    STRONG / rows as f64
}

/// What was chosen.
pub(super) struct Chosen {
    pub kernel: Kernel,
    pub graphs: Vec<Laplacian>,
    pub power: u32,
    pub strength: f64,
    /// The ridge with which all labelled rows were left out, where one was.
    pub ridge: Option<f64>,
}

/// A lengthscale in units of the graph, a number of neighbours, a power.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    times: f64,
    neighbours: usize,
    power: u32,
}

/// A model of all rows to compare settings with.
enum Small {
    /// A map of few columns.
    Map(FeatureMap),
    /// A map of many, projected.
    Reduced(Reduced),
}

/// How good a place is, and strength and ridge there.
#[derive(Clone, Copy)]
struct Found {
    place: Place,
    score: f64,
    strength: f64,
    ridge: Option<f64>,
}

impl Problem<'_> {
    /// Whether rows can be left out in closed form: outputs are complete and tied by one matrix at most.
    pub fn leaves_out(&self) -> Result<bool> {
        Ok(self.collected.complete() && self.kernel(1.0)?.separated().is_some())
    }

    /// Chooses what is open and says why. Evidence compares lengthscales and strengths only.
    pub fn choose(&mut self, watch: &mut dyn Watch) -> Result<Chosen> {
        let (n, l) = (self.collected.points.count(), self.collected.labelled.len());
        let (counts, powers) = (self.counts(), self.along.graphing.powers());
        let first = self.graphs(counts[0]);
        let unit = self.unit(&first);
        let open = self.kernel(1.0)? != self.kernel(2.0)?;
        let given = self.along.strength.fixed();
        let start = Place { times: SHORT, neighbours: counts[0], power: powers[0] };
        let nothing = !open && given.is_some() && counts.len() == 1 && powers.len() == 1;
        let (found, why) = if l < FEW || nothing {
            let strength = given.unwrap_or(strong(n));
            (
                Found { place: start, score: 0.0, strength, ridge: None },
                format!("too few labelled rows ({l}) to compare others"),
            )
        } else {
            watch.stage("choose");
            let wanted = matches!(self.along.learner.ridge, Ridge::Loo | Ridge::Given(_));
            if wanted && self.leaves_out()? {
                // where the strength is zero the graph is any
                let (counts, powers) =
                    if self.labelled_enough() { (&counts[..1], &powers[..1]) } else { (&counts[..], &powers[..]) };
                self.by_validation(start, open, unit, counts, powers, watch)?
            } else {
                let found = self.by_evidence(start, open, unit, &first, watch)?;
                (found, format!("largest evidence on {} labelled rows", l.min(ROWS)))
            }
        };
        let Found { place: Place { times, neighbours, power }, strength, ridge, .. } = found;
        // of more labelled rows the ridge is chosen again, by more of them
        let ridge = ridge.filter(|_| l <= LEFT_OUT);
        let graphs = if neighbours == counts[0] { first } else { self.graphs(neighbours) };
        self.say_graphs(&graphs, neighbours, watch);
        if open {
            let line = format!("lengthscale {}", choose::length(times * unit, &self.stage.preparation));
            self.choices.say(watch, format!("{line}: {times} times the distance to neighbours; {why}"));
        }
        if counts.len() > 1 {
            self.choices.say(watch, format!("neighbours {neighbours}: {why}"));
        }
        if powers.len() > 1 {
            self.choices.say(watch, format!("power {power}: {why}"));
        }
        if given.is_none() {
            let rule = match (l < FEW, self.labelled_enough() && strength == 0.0) {
                (true, _) => "10⁷ over the rows; ",
                (_, true) => "at least half of the rows are labelled; ",
                _ => "",
            };
            self.choices.say(watch, format!("strength {strength:.3e}: {rule}{why}"));
        }
        Ok(Chosen { kernel: self.kernel(times * unit)?, graphs, power, strength, ridge })
    }

    /// Columns of a small model.
    fn columns(&self) -> usize {
        let n = self.collected.points.count();
        let affordable = ((OPERATIONS / n as f64).sqrt() as usize).clamp(COLUMNS.1, COLUMNS.0);
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
        self.labelled_as(map, &all, some)
    }

    /// The same with features (l×M) of a basis.
    fn labelled_as(&self, basis: &dyn Basis, all: &Mat<f64>, some: &[usize]) -> Result<Option<Labelled>> {
        let outputs = Mat::from_fn(some.len(), self.scaled.ncols(), |i, t| self.scaled[(some[i], t)]);
        let weights = self.collected.row_weights();
        let weights = some.iter().map(|&i| weights[i]).collect();
        Labelled::new(basis, all, outputs, weights, self.folds(some), self.along.offset)
    }

    /// Folds of some labelled rows.
    pub fn folds(&self, some: &[usize]) -> Folds {
        Folds::new(&self.classes_of(some), self.along.learner.seed)
    }

    /// The classes of some labelled rows, 0 where there are none.
    pub fn classes_of(&self, some: &[usize]) -> Vec<usize> {
        some.iter().map(|&i| self.classes.as_ref().map_or(0, |classes| classes.of[i])).collect()
    }

    /// Multiples of the distance to neighbours that are compared as lengthscales: up to where the kernel is all but constant.
    fn multiples(&self, open: bool, unit: f64) -> Vec<f64> {
        if !open {
            return vec![SHORT];
        }
        let points = &self.collected.points;
        let pair = |k: u64| {
            let mut random = Stream::new(self.along.learner.seed, PURPOSE, k);
            points.square(random.below(points.count()), random.below(points.count())).sqrt()
        };
        let mut distances: Vec<f64> = (0..PAIRS).map(pair).filter(|d| *d > 0.0).collect();
        distances.sort_by(f64::total_cmp);
        let far = distances.get(distances.len() / 2).map_or(0.0, |d| FAR * d / unit);
        let most = LONG.max(far.min(1e6));
        std::iter::successors(Some(1.0), |times| Some(2.0 * times)).take_while(|times| *times <= most).collect()
    }

    /// The place with the smallest error: of all, or, with many rows, one thing after another and then
    /// once more from what was found.
    fn by_validation(
        &self,
        start: Place,
        open: bool,
        unit: f64,
        counts: &[usize],
        powers: &[u32],
        watch: &mut dyn Watch,
    ) -> Result<(Found, String)> {
        let some = self.some(LEFT_OUT);
        let classes = self.classes_of(&some);
        let judge = self.judge(&classes);
        let lengthscales = self.multiples(open, unit);
        let mut best = Found { place: start, score: f64::INFINITY, strength: 0.0, ridge: None };
        let (columns, same) = (self.columns(), if self.classes.is_some() { SAME } else { 0.0 });
        if self.collected.points.count() as f64 * (columns * columns) as f64 <= EVERYWHERE {
            for &times in &lengthscales {
                let small = self.small(times * unit, &some, watch)?;
                for &neighbours in counts {
                    for &power in powers {
                        let found = self.attempt(&small, Place { times, neighbours, power }, &some, &judge, watch)?;
                        best = if found.score < best.score - same { found } else { best };
                    }
                }
            }
        } else {
            let mut tried: Vec<Place> = Vec::new();
            for _ in 0..2 {
                let before = best.place;
                for axis in 0..3 {
                    let at = best.place;
                    let places: Vec<Place> = match axis {
                        0 => lengthscales.iter().map(|&times| Place { times, ..at }).collect(),
                        1 => powers.iter().map(|&power| Place { power, ..at }).collect(),
                        _ => counts.iter().map(|&neighbours| Place { neighbours, ..at }).collect(),
                    };
                    for place in places {
                        if tried.contains(&place) {
                            continue;
                        }
                        tried.push(place);
                        let small = self.small(place.times * unit, &some, watch)?;
                        let found = self.attempt(&small, place, &some, &judge, watch)?;
                        best = if found.score < best.score { found } else { best };
                    }
                }
                if best.place == before {
                    break;
                }
            }
        }
        let folds = self.folds(&some).named();
        let off = if self.takes_out() { ", in the graph and taken out of it" } else { "" };
        Ok((best, format!("{} of {} labelled rows, {folds}{off}", judge.named(), some.len())))
    }

    /// Whether labelled rows are also judged as rows outside the graph.
    fn takes_out(&self) -> bool {
        !self.labelled_enough() && self.collected.points.count() <= MANY_ROWS
    }

    /// A small model of all rows: the map, projected on labelled rows and some others; with views or very many rows a map
    /// of few columns.
    fn small(&self, lengthscale: f64, some: &[usize], watch: &mut dyn Watch) -> Result<Small> {
        let (kernel, points) = (self.kernel(lengthscale)?, &self.collected.points);
        let columns = self.columns();
        let all = self.along.learner.features.fixed().unwrap_or(MAP).min(MAP);
        if self.views.is_some() || points.count() > MANY_ROWS || all <= columns {
            return Ok(Small::Map(self.draw(&kernel, columns.min(all))?));
        }
        let mut rows: Vec<usize> = some.iter().map(|&i| self.collected.labelled[i]).collect();
        let mut taken = vec![false; points.count()];
        rows.iter().for_each(|&i| taken[i] = true);
        let mut rest: Vec<(u64, usize)> = (0..points.count())
            .filter(|&i| !taken[i])
            .map(|i| (Stream::new(self.along.learner.seed, PURPOSE, i as u64).bits(), i))
            .collect();
        rest.sort_unstable();
        rows.extend(rest.into_iter().map(|(_, i)| i).take(columns.saturating_sub(rows.len())));
        let map = self.draw(&kernel, all)?;
        Ok(match Reduced::new(&map, points, &rows, watch)? {
            Some(reduced) => Small::Reduced(reduced),
            None => Small::Map(self.draw(&kernel, columns)?),
        })
    }

    /// The best strength at a place, with the best ridge or the one given. Rows that are left out are judged twice, in the
    /// graph and as rows outside of it: short lengthscales are right along the graph and know nothing beside it.
    fn attempt(
        &self,
        small: &Small,
        place: Place,
        some: &[usize],
        judge: &Judge,
        watch: &mut dyn Watch,
    ) -> Result<Found> {
        let mut best = Found { place, score: f64::INFINITY, strength: 0.0, ridge: None };
        let graphs = self.graphs(place.neighbours);
        let rows: Vec<usize> = some.iter().map(|&i| self.collected.labelled[i]).collect();
        let labelled = match small {
            Small::Map(map) => self.labelled(map, some)?,
            Small::Reduced(reduced) => self.labelled_as(reduced, &reduced.pick(&rows), some)?,
        };
        let Some(labelled) = labelled else { return Ok(best) };
        let mut moment = |graphs: &[Laplacian]| match small {
            Small::Map(map) => self.penalty(graphs, place.power, map, watch),
            Small::Reduced(reduced) => reduced.moment(&graphs[0], place.power, watch),
        };
        let inside = moment(&graphs)?;
        let outside = match self.takes_out() {
            false => None,
            true => Some(moment(&graphs.iter().map(|graph| graph.without(&rows)).collect::<Vec<_>>())?),
        };
        let strengths = if self.labelled_enough() { vec![0.0] } else { self.strengths() };
        for strength in strengths {
            watch.advance(0)?;
            // strengths beyond rounding are no candidates
            let Ok(rows) = labelled.warped(&inside, strength) else { continue };
            let beside = match outside.as_ref().filter(|_| strength > 0.0).map(|m| labelled.warped(m, strength)) {
                Some(Err(_)) => continue,
                Some(Ok(beside)) => Some(beside),
                None => None,
            };
            let (ridge, score) = match self.along.learner.ridge {
                Ridge::Given(ridge) => (ridge, rows.both(ridge, judge, beside.as_ref())),
                _ => rows.best(judge, beside.as_ref()),
            };
            if score < best.score {
                best = Found { place, score, strength, ridge: Some(ridge) };
            }
        }
        Ok(best)
    }

    /// The lengthscale and the strength with the largest evidence, in the coordinates of the warp.
    fn by_evidence(
        &self,
        start: Place,
        open: bool,
        unit: f64,
        graphs: &[Laplacian],
        watch: &mut dyn Watch,
    ) -> Result<Found> {
        let learner = &self.along.learner;
        let strength = self.along.strength.fixed().unwrap_or(0.0);
        let mut best = Found { place: start, score: f64::INFINITY, strength, ridge: None };
        for times in self.multiples(open, unit) {
            let kernel = self.kernel(times * unit)?;
            let map = match self.views {
                None => learner.small_map(&kernel, self.collected.points.width(), COLUMNS.1, false)?,
                Some(_) => self.draw(&kernel, COLUMNS.1)?,
            };
            let moment = self.penalty(graphs, start.power, &map, watch)?;
            let data = learner.centred(self.moments(&map, &self.some(ROWS))?);
            for strength in self.strengths() {
                watch.advance(0)?;
                let Ok(warp) = Warp::new(&map, System::new(&map, &data, None)?, &moment, strength) else { continue };
                let evidence = match learner.ridge {
                    Ridge::Given(ridge) if ridge > 0.0 => warp.spectral().at(ridge).evidence,
                    _ => warp.spectral().minimise(|p| -p.evidence).map_or(f64::NEG_INFINITY, |p| p.evidence),
                };
                if -evidence < best.score {
                    best = Found { place: Place { times, ..start }, score: -evidence, strength, ridge: None };
                }
            }
        }
        Ok(best)
    }
}
