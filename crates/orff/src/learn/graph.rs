//! The graph of the rows, with what was chosen for it.

use super::begin::Choices;
use crate::error::{Error, Result};
use crate::graph::{EXACT_ROWS, Laplacian, Moment, Neighbours, Points, Search};
use crate::params::Auto;
use crate::watch::Watch;

/// What learners say of their graph.
#[derive(Clone, Copy)]
pub(super) struct Graphing {
    pub neighbours: usize,
    pub search: Search,
    pub bandwidth: Auto<f64>,
    pub power: u32,
    /// Megabytes.
    pub memory: usize,
    pub seed: u64,
}

impl Graphing {
    /// Finds neighbours and weights, and says how.
    pub fn graph(&self, points: &Points, choices: &mut Choices, watch: &mut dyn Watch) -> Result<Laplacian> {
        let n = points.count();
        if n < 2 {
            return Err(Error::Data(
                "a graph of one sample has no edges: give at least two rows, with outputs or without".into(),
            ));
        }
        let found = Neighbours::find(points, self.neighbours, self.search, self.seed, watch)?;
        let how = match self.search {
            Search::Auto if n > EXACT_ROWS => "approximate",
            Search::Approximate => "approximate",
            _ => "exact",
        };
        let few = if found.each < self.neighbours { ", all there are" } else { "" };
        let recall =
            if found.recall < 1.0 { format!(", {:.1} % found", 100.0 * found.recall) } else { String::new() };
        choices
            .say(watch, format!("graph: {} neighbours of each of {n} rows{few}, {how} search{recall}", found.each));
        let laplacian = Laplacian::of(&found, self.bandwidth.fixed());
        if let (Auto::Auto, Some(sigma)) = (self.bandwidth, laplacian.bandwidth()) {
            choices.say(watch, format!("bandwidth {sigma:.4} (in scaled inputs): median distance to neighbours"));
        }
        let (parts, lonely) = laplacian.parts();
        if parts > 1 {
            let alone = if lonely > 0 { format!(", {lonely} of them single rows") } else { String::new() };
            let meaning = "nothing is learned from one about another but by the kernel";
            choices.say(watch, format!("graph: {parts} separate parts{alone}: {meaning}"));
        }
        Ok(laplacian)
    }

    /// Moments of the power that was asked for, a quarter of the memory for their strips.
    pub fn moment<'a>(&self, points: &'a Points, laplacian: &'a Laplacian) -> Moment<'a> {
        Moment { points, laplacian, power: self.power, memory: (self.memory << 20) / 4 }
    }
}
