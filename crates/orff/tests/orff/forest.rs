//! Forests: the cuts they make, the trees they grow, the scores they give.

mod files;
mod scores;
mod splits;

use faer::Mat;
use orff::forest::{Criterion, Forest, Growth, Hidden, Impurity, Plan, Scoring, Splitter};
use orff::random::Stream;
use orff::watch::Silent;

/// Normal rows in d dimensions, the last ones far away.
fn cloud(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut stream = Stream::new(seed, 77, 0);
    Mat::from_fn(n, d, |i, k| stream.normal() * (k + 1) as f64 + if i + 3 > n && k == 0 { 7.0 } else { 0.0 })
}

fn best(impurity: Impurity, hidden: Hidden, candidates: usize) -> Splitter {
    Splitter::Best { criterion: Criterion { impurity, hidden, gamma: 1.0 }, candidates, margins: true }
}

fn growth(splitter: Splitter, depth: usize) -> Growth {
    Growth { splitter, depth, smallest: 2, dense: None, thin: None }
}

fn plan(x: &Mat<f64>, trees: usize, growth: Growth, scoring: Scoring) -> Plan {
    Plan { trees, sample: x.nrows(), bootstrap: false, columns: x.ncols(), growth, scoring, seed: 3 }
}

fn grow(x: &Mat<f64>, plan: &Plan) -> Forest {
    Forest::grow(x, plan, &mut Silent).unwrap()
}
