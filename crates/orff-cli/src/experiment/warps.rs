//! Settings of a warped kernel, compared on validation rows: rows whose labels choose and do nothing else.
//!
//! One graph and one draw of characters serve every split, strength and ridge: with the characters Φ of all rows and ΦΦᵀ = RRᵀ the
//! warped kernel is R(I + αRᵀL^cR)⁻¹Rᵀ, of which labelled and validation rows are enough. \[warp\]

use super::{Pausing, Report};
use anyhow::{Context, Result};
use faer::Mat;
use orff::graph::{Laplacian, Neighbours, Points, Search};
use orff::learn::FourierFeatures;
use orff::linalg::{self, Cholesky};
use orff::params::Auto;
use orff::rows::{Inputs, Table};

/// Lengthscales, in distances to the first ten neighbours.
const LENGTHSCALES: [f64; 2] = [1.0, 2.0];
const NEIGHBOURS: [usize; 3] = [5, 10, 50];
/// Increasing: each goes on from the one before.
const POWERS: [u32; 2] = [2, 5];
/// Powers of ten of αN.
const STRENGTHS: std::ops::RangeInclusive<i32> = 5..=8;
/// Powers of ten of the mean of K̃(x,x) over labelled rows, the largest first.
const RIDGES: std::ops::RangeInclusive<i32> = -9..=0;
/// What is added to the diagonal of ΦΦᵀ, which has ones there: rows may be copies of each other.
const JITTER: f64 = 1e-10;

/// One choice of everything, for the squared loss.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub lengthscale: f64,
    pub neighbours: usize,
    pub power: u32,
    pub strength: f64,
    pub ridge: f64,
    /// Percentage of the validation rows that the squared loss misses, mean over the splits.
    pub missed: f64,
}

/// Rows of which the first ones are in the graph, and who chooses.
pub struct Compared<'a> {
    pub inputs: &'a Inputs,
    pub classes: &'a [usize],
    /// Number of rows in the graph.
    pub graph: usize,
    /// Labelled rows of each split.
    pub splits: &'a [Vec<usize>],
    /// In the graph or outside of it, labelled in no split.
    pub validation: &'a [usize],
    pub features: usize,
}

impl Compared<'_> {
    /// The setting whose fits to all splits miss the fewest validation rows.
    pub fn best(&self, name: &str, out: &Report) -> Result<Setting> {
        let within = self.inputs.pick(&(0..self.graph).collect::<Vec<_>>());
        let most = NEIGHBOURS.into_iter().max().unwrap_or(1);
        let found = Neighbours::find(&Points::of(&within), most, Search::Exact, 0, &mut Pausing)?;
        let graph = |q: usize| Laplacian::of(&found.first(q), None);
        let unit = graph(10).bandwidth().unwrap_or(1.0);
        let mut best: Option<Setting> = None;
        for times in LENGTHSCALES {
            let lengthscale = times * unit;
            let root = self.root(lengthscale)?; // N×N
            for neighbours in NEIGHBOURS {
                let laplacian = graph(neighbours);
                let (n, size) = (self.graph, root.ncols());
                let mut image: Vec<f64> = (0..n).flat_map(|i| root.row(i).iter().copied()).collect();
                let mut reached = 0;
                for power in POWERS {
                    (reached..power).for_each(|_| image = laplacian.apply(&image, size));
                    reached = power;
                    let image = faer::MatRef::from_row_major_slice(&image, n, size);
                    let penalty = linalg::product(root.subrows(0, n).transpose(), image);
                    for strength in STRENGTHS.map(|k| 10f64.powi(k) / n as f64) {
                        out.pause()?;
                        let (ridge, missed) = self.ridge(&root, &penalty, strength)?;
                        if best.is_none_or(|best| missed < best.missed) {
                            let found = Setting { lengthscale, neighbours, power, strength, ridge, missed };
                            out.note(name, &found);
                            best = Some(found);
                        }
                    }
                }
            }
        }
        best.context("no settings to compare")
    }

    /// R with RRᵀ = ΦΦᵀ for the characters Φ of all rows (N×N).
    fn root(&self, lengthscale: f64) -> Result<Mat<f64>> {
        let n = self.inputs.nrows();
        let table = Table::of(self.inputs.clone(), Mat::zeros(n, 0))?;
        let drawn = FourierFeatures {
            lengthscale: lengthscale.into(),
            features: Auto::Fixed(self.features),
            ..FourierFeatures::default()
        };
        let (model, _) = drawn.fit(&table, &mut Pausing)?;
        let mut rows = vec![0.0; n * model.width()];
        model.features(self.inputs, &mut rows)?;
        let rows = faer::MatRef::from_row_major_slice(&rows, n, model.width());
        let mut gram = linalg::product(rows, rows.transpose());
        (0..n).for_each(|i| gram[(i, i)] += JITTER);
        Ok(Cholesky::in_place(gram)?.factor().to_owned())
    }

    /// The best ridge at a strength, and the percentage of validation rows that is missed.
    fn ridge(&self, root: &Mat<f64>, penalty: &Mat<f64>, strength: f64) -> Result<(f64, f64)> {
        let size = root.ncols();
        let warp = Mat::from_fn(size, size, |i, j| strength * penalty[(i, j)] + f64::from(u8::from(i == j)));
        let warp = Cholesky::in_place(warp)?;
        let halves =
            |rows: &[usize]| warp.half_solve(Mat::from_fn(size, rows.len(), |k, a| root[(rows[a], k)]).as_ref());
        let judged = halves(self.validation)?; // N×v
        let labelled = self.splits.iter().map(|rows| halves(rows)).collect::<orff::Result<Vec<_>>>()?;
        let count: usize = labelled.iter().map(Mat::ncols).sum();
        let unit = labelled.iter().map(|half| half.squared_norm_l2()).sum::<f64>() / count as f64;
        let ridges: Vec<f64> = RIDGES.rev().map(|k| unit * 10f64.powi(k)).collect();
        let mut wrong = vec![0usize; ridges.len()];
        for (rows, half) in self.splits.iter().zip(&labelled) {
            let own = linalg::eigen(linalg::product(half.transpose(), half.as_ref()).as_ref())?;
            let across = linalg::product(judged.transpose(), half.as_ref()); // v×l
            let across = linalg::product(across.as_ref(), own.vectors.as_ref());
            let (targets, means) = self.shares(rows);
            let turned = linalg::product(own.vectors.transpose(), targets.as_ref()); // l×T
            for (ridge, wrong) in ridges.iter().zip(&mut wrong) {
                let filter = |k: usize| 1.0 / (own.values[k].max(0.0) + rows.len() as f64 * ridge);
                let filtered = Mat::from_fn(turned.nrows(), turned.ncols(), |k, t| filter(k) * turned[(k, t)]);
                let f = linalg::product(across.as_ref(), filtered.as_ref());
                let class = |a: usize| {
                    let score = |t: usize| means[t] + f[(a, t)];
                    (1..means.len()).fold(0, |best, t| if score(t) > score(best) { t } else { best })
                };
                *wrong += (0..f.nrows()).filter(|&a| class(a) != self.classes[self.validation[a]]).count();
            }
        }
        let best = (1..wrong.len()).fold(0, |best, k| if wrong[k] < wrong[best] { k } else { best });
        let judged = (self.splits.len() * self.validation.len()) as f64;
        Ok((ridges[best], 100.0 * wrong[best] as f64 / judged))
    }

    /// One for the class of each labelled row and zero for the others, less the mean (l×T), and that mean: the scores are
    /// those of the simplex code.
    fn shares(&self, rows: &[usize]) -> (Mat<f64>, Vec<f64>) {
        let classes = self.classes.iter().max().map_or(0, |most| most + 1);
        let is = |i: usize, t: usize| f64::from(u8::from(self.classes[i] == t));
        let means: Vec<f64> =
            (0..classes).map(|t| rows.iter().map(|&i| is(i, t)).sum::<f64>() / rows.len() as f64).collect();
        (Mat::from_fn(rows.len(), classes, |a, t| is(rows[a], t) - means[t]), means)
    }
}
