//! Graphs of all rows or of random parts of them, and sums over these. \[parts\]

use super::begin::Choices;
use super::graph::{Graphing, parts, split};
use super::views::Views;
use crate::error::Result;
use crate::graph::{EXACT_ROWS, Laplacian, Neighbours, Points, Search};
use crate::params::Auto;
use crate::rows::Csr;
use crate::watch::Watch;
use faer::{Mat, Scale};

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
    /// Rows in all.
    rows: usize,
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
        let mut graphs = Graphs { graphing, views: views.cloned(), given, rows, seen: Vec::new() };
        let first = graphs.sizes()[0];
        graphs.look_at(first, points, watch)?;
        Ok(graphs)
    }

    /// Numbers of rows of a graph that may be compared.
    pub fn sizes(&self) -> Vec<usize> {
        if self.given.is_some() { vec![self.rows] } else { self.graphing.sizes(self.rows) }
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

    /// How many rows are looked at to compare the first graphs with others.
    pub fn looked_at(&self) -> usize {
        self.rows.min(self.sizes()[0] * self.graphing.looked_at(self.sizes()[0]))
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
        let (some, parts) = (self.some(shape.rows), self.split(shape.rows));
        let mut rows = 0;
        if over == Over::Some || some.len() == parts.len() {
            for part in some {
                rows += add(part, watch)?;
            }
        } else {
            watch.stage("Laplacian");
            let mut on = Onward(watch);
            for part in parts {
                let part = self.part(part.as_deref(), all, shape.neighbours, &mut on)?;
                rows += add(&part, &mut on)?;
            }
        }
        Ok(if rows == self.rows { sum } else { Scale(self.rows as f64 / rows as f64) * sum })
    }

    fn split(&self, size: usize) -> Vec<Option<Vec<usize>>> {
        split(self.rows, size, self.graphing.seed)
    }

    /// Says what graphs they are.
    pub fn say(&self, shape: Shape, all: &Points, choices: &mut Choices, watch: &mut dyn Watch) {
        let Some(part) = self.some(shape.rows).first().filter(|_| self.given.is_none()) else { return };
        let count = self.split(shape.rows).len();
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
                _ => format!(" among those of its part, one of {count} drawn at random with {n} rows or one more"),
            };
            let all = self.rows;
            let line = format!("graph: {each} neighbours of each of {all} rows{few}{split}, {how} search{recall}");
            choices.say(watch, line);
            if let (Auto::Auto, Some(sigma)) = (self.graphing.bandwidth, laplacian.bandwidth()) {
                choices.say(watch, format!("bandwidth {sigma:.4} (in scaled inputs): median distance to neighbours"));
            }
            parts(&laplacian, choices, watch);
        }
    }
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
    use crate::random::Stream;
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
        let split = found.split(30);
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
        assert_eq!((found.split(5_000).len(), found.some(5_000).len()), (8, 4));
        let (some, all) = (moment(&points, &found, shape, Over::Some), moment(&points, &found, shape, Over::All));
        let apart = (&some - &all).norm_l2() / all.norm_l2();
        assert!(apart > 0.0 && apart < 0.05, "{apart}");
    }
}
