//! The normalised Laplacian L = I − D^{−1/2}WD^{−1/2} of a graph, applied and never formed. \[laplacian\]

use super::Neighbours;
use crate::error::{Error, Result};
use crate::rows::Csr;
use rayon::prelude::*;

/// Rows done by one task.
const ROWS: usize = 256;

/// L of a graph of N rows, by its edges: symmetric, eigenvalues from 0 to 2. A row without edges has no neighbour to agree
/// with: L is zero there.
#[derive(Clone, Debug)]
pub struct Laplacian {
    /// N + 1 offsets.
    start: Vec<usize>,
    columns: Vec<u32>,
    /// w_ij/√(dᵢdⱼ) of each edge.
    values: Vec<f64>,
    /// σ of the weights; none for a graph that was given.
    bandwidth: Option<f64>,
}

impl Laplacian {
    /// The graph that joins two rows when either is a neighbour of the other, with weights exp(−‖xᵢ−xⱼ‖²/2σ²). σ is the
    /// median distance to neighbours that are no copies unless it is given.
    ///
    /// ```
    /// use orff::graph::{Laplacian, Neighbours};
    /// // three rows of a line, the middle one nearest to both others
    /// let found = Neighbours { each: 1, rows: vec![1, 0, 1], squares: vec![1.0; 3], recall: 1.0 };
    /// let l = Laplacian::of(&found, None);
    /// // √degree is in the null space
    /// let image = l.apply(&[1.0, 2f64.sqrt(), 1.0], 1);
    /// assert!(image.iter().all(|v| v.abs() < 1e-15));
    /// ```
    pub fn of(neighbours: &Neighbours, bandwidth: Option<f64>) -> Self {
        let q = neighbours.each;
        let n = neighbours.rows.len().checked_div(q).unwrap_or(0);
        let sigma = bandwidth.unwrap_or_else(|| median(&neighbours.squares).sqrt());
        let weight = |square: f64| libm::exp(-square / (2.0 * sigma * sigma));
        let mutual = |i: usize, j: usize| neighbours.rows[j * q..(j + 1) * q].contains(&(i as u32));
        // edges that only the other row has are added to its own
        let mut extra = vec![0usize; n + 1];
        for i in 0..n {
            neighbours.of(i).filter(|(j, _)| !mutual(i, *j)).for_each(|(j, _)| extra[j] += 1);
        }
        let mut start = vec![0; n + 1];
        (0..n).for_each(|i| start[i + 1] = start[i] + q + extra[i]);
        let mut edges = vec![(0u32, 0.0); start[n]];
        let mut used = start.clone();
        for i in 0..n {
            for (j, square) in neighbours.of(i) {
                let weight = weight(square);
                edges[used[i]] = (j as u32, weight);
                used[i] += 1;
                if !mutual(i, j) {
                    edges[used[j]] = (i as u32, weight);
                    used[j] += 1;
                }
            }
        }
        Self::normalised(&start, edges, Some(sigma))
    }

    /// The graph of given weights ≥ 0 (N×N): symmetrised by the larger of w_ij and w_ji, the diagonal left out.
    pub fn given(weights: &Csr) -> Result<Self> {
        let n = weights.nrows();
        if weights.width != n {
            return Err(Error::shape("graph", format!("{n}×{n} weights"), format!("{n}×{}", weights.width)));
        }
        let mut edges: Vec<(usize, u32, f64)> = Vec::with_capacity(2 * weights.values.len());
        for i in 0..n {
            for (j, w) in weights.row(i) {
                if !(w.is_finite() && w >= 0.0) || j >= n {
                    let (row, column) = (i + 1, format!("{} of the graph", j + 1));
                    let problem = format!("is not a weight ≥ 0 of an edge between {n} rows");
                    return Err(Error::Value { row, column, value: w.to_string(), problem });
                }
                if i != j && w > 0.0 {
                    edges.push((i, j as u32, w));
                    edges.push((j, i as u32, w));
                }
            }
        }
        edges.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)));
        edges.dedup_by_key(|e| (e.0, e.1)); // the larger weight comes first
        let mut start = vec![0; n + 1];
        edges.iter().for_each(|e| start[e.0 + 1] += 1);
        (0..n).for_each(|i| start[i + 1] += start[i]);
        Ok(Self::normalised(&start, edges.into_iter().map(|(_, j, w)| (j, w)).collect(), None))
    }

    /// Edges of each row in the order of their other ends, those whose weight is lost to rounding left out.
    fn normalised(start: &[usize], mut edges: Vec<(u32, f64)>, bandwidth: Option<f64>) -> Self {
        let n = start.len() - 1;
        let rows: Vec<(usize, usize)> = (0..n).map(|i| (start[i], start[i + 1])).collect();
        let mut root = vec![0.0; n]; // √degree
        for (i, &(from, to)) in rows.iter().enumerate() {
            edges[from..to].sort_unstable_by_key(|e| e.0);
            root[i] = edges[from..to].iter().map(|e| e.1).sum::<f64>().sqrt();
        }
        let counts = |e: &(u32, f64)| e.1 >= f64::MIN_POSITIVE;
        let mut kept = Laplacian { start: vec![0], columns: Vec::new(), values: Vec::new(), bandwidth };
        kept.columns.reserve_exact(edges.len());
        kept.values.reserve_exact(edges.len());
        for (i, (from, to)) in rows.into_iter().enumerate() {
            for &(j, weight) in edges[from..to].iter().filter(|e| counts(e)) {
                kept.columns.push(j);
                kept.values.push(weight / root[i] / root[j as usize]);
            }
            kept.start.push(kept.values.len());
        }
        kept
    }

    /// Number of rows N.
    pub fn count(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.values.len() / 2
    }

    /// σ of the weights, if they are those of neighbours.
    pub fn bandwidth(&self) -> Option<f64> {
        self.bandwidth
    }

    /// Row i of D^{−1/2}WD^{−1/2}.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = self.start[i]..self.start[i + 1];
        self.columns[span.clone()].iter().map(|&j| j as usize).zip(self.values[span].iter().copied())
    }

    /// L X for X (N×s) row after row. Cost s for each edge, and as much memory as X; the same bits for any number of
    /// threads.
    ///
    /// # Panics
    /// If X does not have N·s numbers.
    pub fn apply(&self, x: &[f64], s: usize) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        self.apply_into(x, s, &mut out);
        out
    }

    /// As [`apply`](Self::apply), into given numbers.
    pub fn apply_into(&self, x: &[f64], s: usize, out: &mut [f64]) {
        assert!(x.len() == self.count() * s && out.len() == x.len(), "Laplacian: sizes");
        if s == 0 {
            return;
        }
        out.par_chunks_mut(ROWS * s).enumerate().for_each(|(c, out)| {
            for (i, out) in (c * ROWS..).zip(out.chunks_exact_mut(s)) {
                if self.start[i] == self.start[i + 1] {
                    out.fill(0.0);
                    continue;
                }
                out.copy_from_slice(&x[i * s..(i + 1) * s]);
                for (j, weight) in self.row(i) {
                    out.iter_mut().zip(&x[j * s..(j + 1) * s]).for_each(|(o, x)| *o -= weight * x);
                }
            }
        });
    }

    /// Number of connected parts, rows without edges among them, and the number of those.
    pub fn parts(&self) -> (usize, usize) {
        let n = self.count();
        let mut of: Vec<u32> = (0..n as u32).collect();
        fn root(of: &mut [u32], mut i: u32) -> u32 {
            while of[i as usize] != i {
                of[i as usize] = of[of[i as usize] as usize];
                i = of[i as usize];
            }
            i
        }
        let mut parts = n;
        for i in 0..n {
            for (j, _) in self.row(i).filter(|(j, _)| *j < i) {
                let (a, b) = (root(&mut of, i as u32), root(&mut of, j as u32));
                if a != b {
                    of[a.max(b) as usize] = a.min(b);
                    parts -= 1;
                }
            }
        }
        (parts, (0..n).filter(|&i| self.start[i] == self.start[i + 1]).count())
    }
}

/// The median of the squared distances that are not zero; 1 when all are.
fn median(squares: &[f64]) -> f64 {
    let mut some: Vec<f64> = squares.iter().copied().filter(|s| *s > 0.0 && s.is_finite()).collect();
    if some.is_empty() {
        return 1.0;
    }
    let half = some.len() / 2;
    *some.select_nth_unstable_by(half, f64::total_cmp).1
}
