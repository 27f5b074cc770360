//! The graph of the rows, with what was chosen for it.

use super::begin::Choices;
use crate::error::{Error, Result};
use crate::graph::{Laplacian, Moment, Neighbours, Points, Search};
use crate::params::Auto;
use crate::random::Stream;
use crate::rows::Csr;
use crate::watch::Watch;

/// Neighbours that are compared, and the first of them where none can be.
pub(super) const NEIGHBOURS: [usize; 3] = [10, 20, 50];
/// Powers that are compared.
pub(super) const POWERS: [u32; 4] = [1, 2, 3, 5];
/// Graphs of more rows have the fewest neighbours: lists of fifty take half a gigabyte for a million rows. Unless it is asked for
/// there are none: neighbours among so many rows are so close that functions may change along them at little cost.
const MANY_ROWS: usize = 100_000;
/// Rows of a graph that are compared with all of them, how many times as many there must be, and rows that are looked at.
const SIZES: [usize; 4] = [20_000, 5_000, 500, 80_000];
pub(super) const TIMES: usize = 4;
const LOOKED_AT: usize = 20_000;
/// Rows are drawn for their graphs.
const PARTS: u64 = 0x7061_7274_73;
/// Bandwidths that leave room for lengthscales beside them, and for squares of these.
const NARROWEST: f64 = 1e-140;
const WIDEST: f64 = 1e140;
/// Edges whose lengths are looked at.
const EDGES: usize = 10_000;

/// What learners say of their graph.
#[derive(Clone, Copy)]
pub(super) struct Graphing {
    /// Of one graph.
    pub rows: Auto<usize>,
    pub neighbours: Auto<usize>,
    pub search: Search,
    pub bandwidth: Auto<f64>,
    pub power: Auto<u32>,
    /// Megabytes.
    pub memory: usize,
    pub seed: u64,
}

impl Graphing {
    /// The numbers of rows of one graph that may be compared, of so many rows, and all of these unless they are very many.
    pub fn sizes(&self, rows: usize, times: usize) -> Vec<usize> {
        let smaller = SIZES.into_iter().filter(|size| times * size <= rows);
        match self.rows.fixed() {
            Some(given) => vec![given.min(rows)],
            None if rows <= MANY_ROWS => std::iter::once(rows).chain(smaller).collect(),
            None => smaller.collect(),
        }
    }

    /// How many graphs of so many rows are looked at to compare them with others.
    pub fn looked_at(&self, size: usize) -> usize {
        LOOKED_AT.div_ceil(size)
    }

    /// The numbers of neighbours that may be compared for so many rows.
    pub fn counts(&self, rows: usize) -> Vec<usize> {
        let sizes = self.sizes(rows, TIMES);
        let (least, most) = sizes.iter().fold((rows, 0), |(least, most), &size| (size.min(least), size.max(most)));
        match self.neighbours.fixed() {
            Some(given) => vec![given],
            None if most > MANY_ROWS => vec![NEIGHBOURS[0]],
            None => {
                // more than a fifth of the rows are no neighbours: everything would be joined to everything
                let most = (least / 5).max(2);
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
        let instead = "in the place of neighbours, bandwidth and graph rows";
        choices.say(watch, format!("graph: given, {} edges, {instead}", graph.edges()));
        pieces("graph", &graph, choices, watch);
        Ok(graph)
    }

    /// Finds so many neighbours of each of some rows.
    pub fn find(&self, points: &Points, neighbours: usize, watch: &mut dyn Watch) -> Result<Neighbours> {
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
        Neighbours::find(points, neighbours, self.search, self.seed, watch)
    }

    /// The graph of so many of the neighbours that were found.
    pub fn laplacian(&self, found: &Neighbours, neighbours: usize) -> Laplacian {
        match neighbours < found.each {
            true => Laplacian::of(&found.first(neighbours), self.bandwidth.fixed()),
            false => Laplacian::of(found, self.bandwidth.fixed()),
        }
    }

    /// Moments of a power, half of the memory for their strips.
    pub fn moment<'a>(&self, points: &'a Points, laplacian: &'a Laplacian, power: u32) -> Moment<'a> {
        Moment { points, laplacian, power, memory: (self.memory << 20) / 2 }
    }
}

/// In how many parts of so many or one more rows fall: one of all where there are less than twice as many.
pub(super) fn parts(rows: usize, size: usize) -> usize {
    (rows / size.max(1)).max(1)
}

/// Rows in these parts, drawn at random; none stands for all of them.
pub(super) fn split(rows: usize, size: usize, seed: u64) -> Vec<Option<Vec<usize>>> {
    let count = parts(rows, size);
    if count == 1 {
        return vec![None];
    }
    let mut order: Vec<usize> = (0..rows).collect();
    Stream::new(seed, PARTS, 0).draw(&mut order, rows);
    let part = |k: usize| {
        let mut part = order[k * rows / count..(k + 1) * rows / count].to_vec();
        part.sort_unstable();
        Some(part)
    };
    (0..count).map(part).collect()
}

/// Says where nothing is learned along a graph.
pub(super) fn pieces(name: &str, graph: &Laplacian, choices: &mut Choices, watch: &mut dyn Watch) {
    let (pieces, lonely) = graph.parts();
    if pieces > 1 {
        let alone = if lonely > 0 { format!(", {lonely} of them single rows") } else { String::new() };
        let meaning = "nothing is learned from one about another but by the kernel";
        choices.say(watch, format!("{name}: {pieces} separate pieces{alone}: {meaning}"));
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
