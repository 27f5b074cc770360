//! The graph of the rows, with what was chosen for it.

use super::begin::Choices;
use crate::error::{Error, Result};
use crate::graph::{EXACT_ROWS, Laplacian, Moment, Neighbours, Points, Search};
use crate::params::Auto;
use crate::rows::Csr;
use crate::watch::Watch;

/// Neighbours that are compared, and the first of them where none can be.
pub(super) const NEIGHBOURS: [usize; 3] = [10, 20, 50];
/// Powers that are compared.
pub(super) const POWERS: [u32; 4] = [1, 2, 3, 5];
/// Graphs of more rows have the fewest neighbours: lists of fifty take half a gigabyte for a million rows.
const MANY_ROWS: usize = 100_000;
/// Bandwidths that leave room for lengthscales beside them, and for squares of these.
const NARROWEST: f64 = 1e-140;
const WIDEST: f64 = 1e140;
/// Edges whose lengths are looked at.
const EDGES: usize = 10_000;

/// What learners say of their graph.
#[derive(Clone, Copy)]
pub(super) struct Graphing {
    pub neighbours: Auto<usize>,
    pub search: Search,
    pub bandwidth: Auto<f64>,
    pub power: Auto<u32>,
    /// Megabytes.
    pub memory: usize,
    pub seed: u64,
}

impl Graphing {
    /// The numbers of neighbours that may be compared for so many rows.
    pub fn counts(&self, rows: usize) -> Vec<usize> {
        match self.neighbours.fixed() {
            Some(given) => vec![given],
            None if rows > MANY_ROWS => vec![NEIGHBOURS[0]],
            None => {
                // more than a fifth of the rows are no neighbours: everything would be joined to everything
                let most = (rows / 5).max(2);
                let mut counts: Vec<usize> = NEIGHBOURS.iter().map(|q| (*q).min(most)).collect();
                counts.dedup();
                counts
            }
        }
    }

    /// The powers that may be compared.
    pub fn powers(&self) -> Vec<u32> {
        self.power.fixed().map_or(POWERS.to_vec(), |given| vec![given])
    }

    /// The graph that came with so many rows.
    pub fn given(weights: &Csr, rows: usize, choices: &mut Choices, watch: &mut dyn Watch) -> Result<Laplacian> {
        let graph = Laplacian::given(weights)?;
        if graph.count() != rows {
            return Err(Error::shape(
                "graph",
                format!("weights of {rows} rows, as many as there are"),
                graph.count(),
            ));
        }
        choices.say(watch, format!("graph: given, {} edges", graph.edges()));
        parts(&graph, choices, watch);
        Ok(graph)
    }

    /// Finds as many neighbours as may be asked for.
    pub fn find(&self, points: &Points, watch: &mut dyn Watch) -> Result<Neighbours> {
        let n = points.count();
        if n < 2 {
            return Err(Error::Data(
                "a graph of one sample has no edges: give at least two rows, with outputs or without".into(),
            ));
        }
        if let Some(given) = self.bandwidth.fixed().filter(|b| !(NARROWEST..=WIDEST).contains(b)) {
            let expected = format!("numbers from {NARROWEST:e} to {WIDEST:e}, as lengthscales are multiples of it");
            return Err(Error::parameter("bandwidth", expected, format!("{given:e}")));
        }
        let most = self.counts(n).into_iter().max().unwrap_or(NEIGHBOURS[0]);
        Neighbours::find(points, most, self.search, self.seed, watch)
    }

    /// The graph of so many of the neighbours that were found.
    pub fn laplacian(&self, found: &Neighbours, neighbours: usize) -> Laplacian {
        match neighbours < found.each {
            true => Laplacian::of(&found.first(neighbours), self.bandwidth.fixed()),
            false => Laplacian::of(found, self.bandwidth.fixed()),
        }
    }

    /// Says what graph it is.
    pub fn say(
        &self,
        found: &Neighbours,
        neighbours: usize,
        laplacian: &Laplacian,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) {
        let n = laplacian.count();
        let how = match self.search {
            Search::Auto if n > EXACT_ROWS => "approximate",
            Search::Approximate => "approximate",
            _ => "exact",
        };
        let each = neighbours.min(found.each);
        let few = if each < neighbours { ", all there are" } else { "" };
        let recall = match how {
            "approximate" => format!(", {:.1} % found", 100.0 * found.recall),
            _ => String::new(),
        };
        choices.say(watch, format!("graph: {each} neighbours of each of {n} rows{few}, {how} search{recall}"));
        if let (Auto::Auto, Some(sigma)) = (self.bandwidth, laplacian.bandwidth()) {
            choices.say(watch, format!("bandwidth {sigma:.4} (in scaled inputs): median distance to neighbours"));
        }
        parts(laplacian, choices, watch);
    }

    /// Moments of a power, half of the memory for their strips.
    pub fn moment<'a>(&self, points: &'a Points, laplacian: &'a Laplacian, power: u32) -> Moment<'a> {
        Moment { points, laplacian, power, memory: (self.memory << 20) / 2 }
    }
}

/// Says where nothing is learned along the graph.
fn parts(graph: &Laplacian, choices: &mut Choices, watch: &mut dyn Watch) {
    let (parts, lonely) = graph.parts();
    if parts > 1 {
        let alone = if lonely > 0 { format!(", {lonely} of them single rows") } else { String::new() };
        let meaning = "nothing is learned from one about another but by the kernel";
        choices.say(watch, format!("graph: {parts} separate parts{alone}: {meaning}"));
    }
}

/// A length of a graph: its bandwidth or, where it was given, the median length of its edges.
pub(super) fn length(graph: &Laplacian, points: &Points) -> f64 {
    if let Some(bandwidth) = graph.bandwidth() {
        return bandwidth;
    }
    let step = (2 * graph.edges()).div_ceil(EDGES).max(1);
    let edges = (0..graph.count()).flat_map(|i| graph.row(i).map(move |(j, _)| (i, j))).step_by(step);
    let mut squares: Vec<f64> = edges.map(|(i, j)| points.square(i, j)).filter(|s| *s > 0.0).collect();
    squares.sort_by(f64::total_cmp);
    squares.get(squares.len() / 2).map_or(1.0, |s| s.sqrt())
}
