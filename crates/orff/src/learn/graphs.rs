//! Graphs of all rows or of random parts of them, and sums over these. \[parts\]

use super::begin::Choices;
use super::graph::{Graphing, TIMES, length, parts, pieces, split};
use super::views::Views;
use crate::error::Result;
use crate::graph::{EXACT_ROWS, Laplacian, Neighbours, Points, Search};
use crate::params::Auto;
use crate::random::Stream;
use crate::rows::Csr;
use crate::watch::Watch;
use faer::{Mat, Scale};

/// Features for each kind of rows that a kernel tells apart: two moons with one label each have 34 at 500 rows, which 1000
/// features learn, and 61 at 1000 rows, which they do not always.
const EACH_KIND: f64 = 25.0;
/// Rows that are compared to count kinds, drawn.
const SOME: usize = 500;
const KINDS: u64 = 0x6b69_6e64_73;

/// What may be compared of graphs.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Shape {
    /// Rows of each graph.
    pub rows: usize,
    pub neighbours: usize,
    pub power: u32,
}

/// Whose graphs are summed over.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Over {
    All,
    /// Those that were looked at.
    Some,
}

/// Some of the rows, or all, with their neighbours.
struct Part {
    /// None where they are all.
    points: Option<Points>,
    /// In each view.
    found: Vec<Neighbours>,
}

/// The graphs of a fit, of each view or of all inputs.
pub(super) struct Graphs {
    graphing: Graphing,
    views: Option<Views>,
    /// The graph that came with the rows.
    given: Option<Laplacian>,
    /// Rows in all, and of the graphs that others are compared with.
    rows: usize,
    first: usize,
    /// For numbers of rows of a graph: some parts of so many, with as many neighbours as may be asked for.
    seen: Vec<(usize, Vec<Part>)>,
}

/// What is summed over graphs: rows and their graph in each view.
pub(super) type OfGraph<'a> = &'a dyn Fn(&Points, &[Laplacian], &mut dyn Watch) -> Result<Mat<f64>>;

impl Graphs {
    /// The graph that came with the rows, or that of the first size which may be compared.
    pub fn new(
        graphing: Graphing,
        views: Option<&Views>,
        given: Option<&Csr>,
        points: &Points,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<Self> {
        let rows = points.count();
        let given = given.map(|weights| Graphing::given(weights, rows, choices, watch)).transpose()?;
        let mut graphs = Graphs { graphing, views: views.cloned(), given, rows, first: 0, seen: Vec::new() };
        graphs.first = graphs.sizes()[0];
        graphs.look_at(graphs.first, points, watch)?;
        Ok(graphs)
    }

    /// Numbers of rows of a graph that may be compared.
    pub fn sizes(&self) -> Vec<usize> {
        if self.given.is_some() { vec![self.rows] } else { self.graphing.sizes(self.rows, TIMES) }
    }

    /// Numbers of neighbours that may be compared.
    pub fn counts(&self) -> Vec<usize> {
        if self.given.is_some() { vec![0] } else { self.graphing.counts(self.rows) }
    }

    /// Powers that may be compared.
    pub fn powers(&self) -> Vec<u32> {
        self.graphing.powers()
    }

    /// Finds neighbours in some parts of so many rows, where that was not done yet.
    pub fn look_at(&mut self, size: usize, points: &Points, watch: &mut dyn Watch) -> Result<()> {
        if self.given.is_some() || self.seen.iter().any(|(done, _)| *done == size) {
            return Ok(());
        }
        let most = self.counts().into_iter().max().unwrap_or(1);
        watch.stage("neighbours");
        let mut some = Vec::new();
        for rows in split(self.rows, size, self.graphing.seed).into_iter().take(self.graphing.looked_at(size)) {
            some.push(self.part(rows.as_deref(), points, most, watch)?);
        }
        self.seen.push((size, some));
        Ok(())
    }

    /// A part of the rows, or all of them, with so many neighbours.
    fn part(&self, rows: Option<&[usize]>, all: &Points, neighbours: usize, watch: &mut dyn Watch) -> Result<Part> {
        let own = rows.map(|rows| Points::of(&all.pick(rows)));
        let points = own.as_ref().unwrap_or(all);
        let find = |points: &Points, watch: &mut dyn Watch| self.graphing.find(points, neighbours, watch);
        let found = match &self.views {
            None => vec![find(points, watch)?],
            Some(views) => {
                let view = |columns: &Vec<usize>| find(&points.columns(columns), watch);
                views.columns.iter().map(view).collect::<Result<_>>()?
            }
        };
        Ok(Part { points: own, found })
    }

    /// A length of the first graph of a size that was looked at, over the views.
    pub fn unit(&self, shape: Shape, all: &Points) -> f64 {
        let (points, graphs) = self.first(shape, all);
        graphs.iter().map(|graph| length(graph, points)).sum::<f64>() / graphs.len() as f64
    }

    /// The most rows of a graph at whose distance of neighbours so many features can tell rows apart, without a look at labels.
    /// Kernels of that length tell as many kinds of rows apart as one over their mean square between two rows.
    pub fn told_apart(
        &mut self,
        shape: Shape,
        times: usize,
        features: usize,
        all: &Points,
        watch: &mut dyn Watch,
    ) -> Result<Shape> {
        let sizes = if self.given.is_some() { vec![self.rows] } else { self.graphing.sizes(self.rows, times) };
        let mut found = shape;
        for rows in sizes.into_iter().filter(|rows| *rows <= shape.rows) {
            self.look_at(rows, all, watch)?;
            found.rows = rows;
            let length = 2.0 * self.unit(found, all);
            if features as f64 >= EACH_KIND * kinds(all, length, self.graphing.seed) {
                break;
            }
        }
        self.first = found.rows;
        Ok(found)
    }

    /// How many rows are looked at to compare the first graphs with others.
    pub fn looked_at(&self) -> usize {
        self.rows.min(self.first * self.graphing.looked_at(self.first))
    }

    fn some(&self, size: usize) -> &[Part] {
        self.seen.iter().find(|(done, _)| *done == size).map_or(&[], |(_, some)| some)
    }

    /// The graph of each view of a part.
    fn laplacians(&self, part: &Part, neighbours: usize) -> Vec<Laplacian> {
        part.found.iter().map(|found| self.graphing.laplacian(found, neighbours)).collect()
    }

    /// The first graph of a size that was looked at, in each view, with its rows.
    pub fn first<'a>(&'a self, shape: Shape, all: &'a Points) -> (&'a Points, Vec<Laplacian>) {
        match (&self.given, self.some(shape.rows).first()) {
            (None, Some(part)) => (part.points.as_ref().unwrap_or(all), self.laplacians(part, shape.neighbours)),
            (given, _) => (all, given.iter().cloned().collect()),
        }
    }

    /// Σ over the graphs of all rows, of which there is one at a time in memory, or an estimate of it by those that were looked
    /// at.
    pub fn sum(
        &self,
        shape: Shape,
        over: Over,
        all: &Points,
        watch: &mut dyn Watch,
        of: OfGraph,
    ) -> Result<Mat<f64>> {
        if let Some(given) = &self.given {
            return of(all, std::slice::from_ref(given), watch);
        }
        let mut sum = Mat::zeros(0, 0);
        let mut add = |part: &Part, watch: &mut dyn Watch| -> Result<usize> {
            let points = part.points.as_ref().unwrap_or(all);
            let more = of(points, &self.laplacians(part, shape.neighbours), watch)?;
            if sum.nrows() == 0 {
                sum = more;
            } else {
                sum += more;
            }
            Ok(points.count())
        };
        let some = self.some(shape.rows);
        let mut rows = 0;
        if over == Over::Some || some.len() == parts(self.rows, shape.rows) {
            for part in some {
                rows += add(part, watch)?;
            }
        } else {
            watch.stage("Laplacian");
            let mut on = Onward(watch);
            for part in split(self.rows, shape.rows, self.graphing.seed) {
                let part = self.part(part.as_deref(), all, shape.neighbours, &mut on)?;
                rows += add(&part, &mut on)?;
            }
        }
        Ok(if rows == self.rows { sum } else { Scale(self.rows as f64 / rows as f64) * sum })
    }

    /// Says what graphs they are.
    pub fn say(&self, shape: Shape, all: &Points, choices: &mut Choices, watch: &mut dyn Watch) {
        let Some(part) = self.some(shape.rows).first().filter(|_| self.given.is_none()) else { return };
        let count = parts(self.rows, shape.rows);
        let n = part.points.as_ref().unwrap_or(all).count();
        for (found, laplacian) in part.found.iter().zip(self.laplacians(part, shape.neighbours)) {
            let how = match self.graphing.search {
                Search::Auto if n > EXACT_ROWS => "approximate",
                Search::Approximate => "approximate",
                _ => "exact",
            };
            let each = shape.neighbours.min(found.each);
            let few = if each < shape.neighbours { ", all there are" } else { "" };
            let recall = match how {
                "approximate" => format!(", {:.1} % found", 100.0 * found.recall),
                _ => String::new(),
            };
            let split = match count {
                1 => String::new(),
                _ => format!(" in {count} graphs, of {n} rows drawn at random or one more"),
            };
            let all = self.rows;
            let line = format!("graph: {each} neighbours of each of {all} rows{few}{split}, {how} search{recall}");
            choices.say(watch, line);
            if let (Auto::Auto, Some(sigma)) = (self.graphing.bandwidth, laplacian.bandwidth()) {
                choices.say(watch, format!("bandwidth {sigma:.4} (in scaled inputs): median distance to neighbours"));
            }
            pieces(if count == 1 { "graph" } else { "first graph" }, &laplacian, choices, watch);
        }
    }
}

/// How many kinds of rows a Gaussian kernel of a lengthscale tells apart: 1/E k².
fn kinds(points: &Points, lengthscale: f64, seed: u64) -> f64 {
    let mut rows: Vec<usize> = (0..points.count()).collect();
    Stream::new(seed, KINDS, 0).draw(&mut rows, SOME);
    rows.truncate(SOME);
    let square = |i: usize, j: usize| libm::exp(-points.square(rows[i], rows[j]) / (lengthscale * lengthscale));
    let some = rows.len();
    let sum: f64 = (0..some).map(|i| (0..i).map(|j| square(i, j)).sum::<f64>()).sum();
    (some * some.saturating_sub(1)) as f64 / 2.0 / sum.max(f64::MIN_POSITIVE)
}

/// Goes on with one stage through the stages of several parts.
struct Onward<'a>(&'a mut dyn Watch);

impl Watch for Onward<'_> {
    fn advance(&mut self, done: u64) -> Result<()> {
        self.0.advance(done)
    }

    fn held(&self) -> f64 {
        self.0.held()
    }

    fn say(&mut self, line: &str) {
        self.0.say(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Characters;
    use crate::rows::Inputs;
    use crate::watch::Silent;

    fn graphs(n: usize, size: usize, neighbours: usize) -> (Points, Graphs) {
        let mut stream = Stream::new(3, 0, 0);
        let points = Points::of(&Inputs::Dense(Mat::from_fn(n, 2, |_, _| stream.normal())));
        let graphing = Graphing {
            rows: Auto::Fixed(size),
            neighbours: Auto::Fixed(neighbours),
            search: Search::Exact,
            bandwidth: Auto::Fixed(0.5),
            power: Auto::Fixed(2),
            memory: 100,
            seed: 5,
        };
        let found = Graphs::new(graphing, None, None, &points, &mut Choices::default(), &mut Silent).unwrap();
        (points, found)
    }

    /// cos and sin of both inputs.
    fn waves(x: &Mat<f64>) -> Mat<f64> {
        Mat::from_fn(x.nrows(), 4, |i, k| if k < 2 { x[(i, k)].cos() } else { x[(i, k - 2)].sin() })
    }

    fn moment(points: &Points, found: &Graphs, shape: Shape, over: Over) -> Mat<f64> {
        let fill = |x: &Inputs, c: &mut Characters| {
            c.copy(waves(&x.to_dense()).as_ref());
            Ok(())
        };
        let of = |points: &Points, graphs: &[Laplacian], watch: &mut dyn Watch| {
            found.graphing.moment(points, &graphs[0], shape.power).of(4, &fill, watch)
        };
        found.sum(shape, over, points, &mut Silent, &of).unwrap()
    }

    #[test]
    fn parts_are_summed_as_one_graph_without_edges_between_them() {
        let (n, q) = (95, 3);
        let (points, found) = graphs(n, 30, q);
        let mut part = vec![0; n];
        let split = split(n, 30, 5);
        assert_eq!(split.iter().flatten().map(Vec::len).collect::<Vec<_>>(), [31, 32, 32]);
        split.iter().flatten().enumerate().for_each(|(k, rows)| rows.iter().for_each(|&i| part[i] = k));
        let mut w = Mat::<f64>::zeros(n, n);
        for i in 0..n {
            let mut near: Vec<usize> = (0..n).filter(|&j| j != i && part[j] == part[i]).collect();
            near.sort_by(|&a, &b| points.square(i, a).total_cmp(&points.square(i, b)));
            for &j in &near[..q] {
                let weight = (-points.square(i, j) / (2.0 * 0.25)).exp();
                (w[(i, j)], w[(j, i)]) = (weight, weight);
            }
        }
        let degree: Vec<f64> = (0..n).map(|i| w.row(i).iter().sum()).collect();
        let one = |i: usize, j: usize| f64::from(u8::from(i == j));
        let l = Mat::from_fn(n, n, |i, j| one(i, j) - w[(i, j)] / (degree[i] * degree[j]).sqrt());
        let c = waves(&points.slice(0, n).to_dense());
        let expected = c.transpose() * &l * &l * &c;
        let sum = moment(&points, &found, Shape { rows: 30, neighbours: q, power: 2 }, Over::All);
        assert!((&sum - &expected).norm_max() < 1e-10 * expected.norm_max(), "{sum:?} {expected:?}");
    }

    #[test]
    fn some_parts_tell_the_sum_over_all() {
        let (points, found) = graphs(40_000, 5_000, 5);
        let shape = Shape { rows: 5_000, neighbours: 5, power: 2 };
        assert_eq!((parts(40_000, 5_000), found.some(5_000).len()), (8, 4));
        let (some, all) = (moment(&points, &found, shape, Over::Some), moment(&points, &found, shape, Over::All));
        let apart = (&some - &all).norm_l2() / all.norm_l2();
        assert!(apart > 0.0 && apart < 0.05, "{apart}");
    }
}
