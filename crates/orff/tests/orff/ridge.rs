//! Ridge from moments on a battery of kernels, weights and holes.

mod covariance;
mod definition;
pub(super) mod dense;
mod rounding;
mod scores;
mod system;

use faer::{Mat, MatRef, mat};
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::kernel::{Kernel, Matrix, Output, Seen, SumDraw};
use orff::linalg::cg;
use orff::random::Stream;
use orff::rows::{Inputs, Table, Weights};
use orff::solve::{Centred, Solution, solve_iterative};
use orff::spectrum::{Draw, Gaussian, Matern, Spectrum};
use orff::watch::Silent;

fn gaussian(l: f64) -> Spectrum {
    Gaussian { lengthscale: l.into() }.into()
}

pub(super) fn noise(seed: u64, rows: usize, cols: usize) -> Mat<f64> {
    let mut stream = Stream::new(seed, 98, 0);
    Mat::from_fn(rows, cols, |_, _| stream.normal())
}

fn gram(p: usize, rank: usize, seed: u64) -> Mat<f64> {
    let a = noise(seed, p, rank);
    &a * a.transpose()
}

fn given(m: Mat<f64>) -> Output {
    Output::Given { matrix: Matrix::new(m, "gamma").unwrap() }
}

fn decomposable(output: Output) -> Kernel {
    Kernel::decomposable(gaussian(1.1), output)
}

/// Kernels of three inputs with their number of outputs.
pub(super) fn kernels() -> Vec<(&'static str, Kernel, usize)> {
    let matern: Spectrum = Matern { smoothness: 2.5, lengthscale: 1.3.into() }.into();
    vec![
        ("identity", decomposable(Output::Identity), 4),
        ("diagonal", decomposable(given(mat![[0.5, 0.0], [0.0, 2.0]])), 2),
        ("full", decomposable(given(gram(4, 4, 1))), 4),
        ("rank 2 of 4", decomposable(given(gram(4, 2, 2))), 4),
        ("curl-free", Kernel::curl_free(gaussian(1.2)), 3),
        ("div-free", Kernel::div_free(matern.clone()), 3),
        ("helmholtz", Kernel::helmholtz(gaussian(1.2), 0.3), 3),
        (
            "sum",
            Kernel::decomposable(matern.clone(), given(gram(3, 2, 3))) + 0.5 * Kernel::curl_free(gaussian(1.0)),
            3,
        ),
        ("sum of one Γ", decomposable(given(gram(3, 2, 3))) + Kernel::decomposable(matern, given(gram(3, 2, 3))), 3),
        ("M K Mᵀ", Kernel::curl_free(gaussian(1.2)).conjugated(Matrix::new(noise(4, 5, 3), "m").unwrap()), 5),
    ]
}

pub(super) fn map_of(kernel: &Kernel, p: usize, kind: MapKind, features: usize) -> FeatureMap {
    let kernel = kernel.resolve(&Seen { outputs: p, ..Seen::default() }).unwrap();
    FeatureMap::draw(&kernel, 3, features, kind, &Draw { seed: 3, ..Draw::default() }, SumDraw::default()).unwrap()
}

/// Rows of a problem.
#[derive(Clone)]
pub(super) struct Data {
    pub x: Mat<f64>,
    pub y: Mat<f64>,
    pub weights: Option<Weights>,
}

impl Data {
    /// Smooth outputs with noise and a mean far from 0.
    pub fn new(n: usize, p: usize) -> Self {
        let (x, e, mix) = (noise(10, n, 3), noise(11, n, p), noise(12, 3, p));
        let y = Mat::from_fn(n, p, |i, t| {
            let s: f64 = (0..3).map(|k| mix[(k, t)] * x[(i, k)]).sum();
            s.sin() + 0.3 * e[(i, t)] + 0.7 + 0.4 * t as f64
        });
        Data { x, y, weights: None }
    }

    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    pub fn table(&self) -> Table {
        let table = Table::new(self.x.clone(), self.y.clone()).unwrap();
        match &self.weights {
            None => table,
            Some(w) => table.weighted(w.clone()).unwrap(),
        }
    }

    pub fn weight(&self, i: usize, t: usize) -> f64 {
        match &self.weights {
            _ if self.y[(i, t)].is_nan() => 0.0,
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        }
    }

    /// n: weight of the rows with any output; a row's entries count their mean.
    pub fn total(&self) -> f64 {
        let row = |i: usize| {
            let seen: Vec<f64> = (0..self.y.ncols()).map(|t| self.weight(i, t)).filter(|w| *w > 0.0).collect();
            if seen.is_empty() { 0.0 } else { seen.iter().sum::<f64>() / seen.len() as f64 }
        };
        (0..self.rows()).map(row).sum()
    }

    /// The same problem with weights and holes of each kind; with holes no output is observed on all rows.
    pub fn variants(&self) -> Vec<(&'static str, Data)> {
        let (n, p) = (self.rows(), self.y.ncols());
        let mut stream = Stream::new(5, 5, 5);
        let row: Vec<f64> = (0..n).map(|i| if i % 7 == 3 { 0.0 } else { 0.2 + 2.0 * stream.uniform() }).collect();
        let entry = Mat::from_fn(n, p, |i, t| if (i + t) % 9 == 4 { 0.0 } else { 0.2 + 2.0 * stream.uniform() });
        let holes = |few: bool| {
            Mat::from_fn(n, p, |i, t| {
                let hole = if few { i % (p + 1) == t } else { i == 4 || stream_bit(i, t) };
                if hole { f64::NAN } else { self.y[(i, t)] }
            })
        };
        vec![
            ("plain", self.clone()),
            ("row weights", Data { weights: Some(Weights::Row(row.clone())), ..self.clone() }),
            ("few holes", Data { y: holes(true), ..self.clone() }),
            ("many holes", Data { y: holes(false), ..self.clone() }),
            ("holes and row weights", Data { y: holes(true), weights: Some(Weights::Row(row)), ..self.clone() }),
            ("entry weights", Data { weights: Some(Weights::Entry(entry)), ..self.clone() }),
        ]
    }
}

fn stream_bit(i: usize, t: usize) -> bool {
    Stream::new(6, i as u64, t as u64).uniform() < 0.35
}

/// f(x) = Zᵀ(c(x) − c̄) + ȳ.
fn predict(map: &FeatureMap, data: &[Centred], table: MatRef<f64>, x: &Mat<f64>) -> Mat<f64> {
    let mut c = Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    let c = c.as_mat();
    Mat::from_fn(x.nrows(), table.ncols(), |i, t| {
        let one = &data[t.min(data.len() - 1)];
        one.mean_y[t] + (0..c.ncols()).map(|m| table[(m, t)] * (c[(i, m)] - one.mean_c[m])).sum::<f64>()
    })
}

/// Largest difference relative to b; NaN if anything is not finite (norm_max would not tell).
pub(super) fn gap(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    if !orff::linalg::is_finite(a.as_ref()) || !orff::linalg::is_finite(b.as_ref()) {
        return f64::NAN;
    }
    (a - b).norm_max() / b.norm_max().max(1e-300)
}

fn iterative(map: &FeatureMap, data: &[Centred], metric: Option<&Mat<f64>>, ridge: f64) -> Solution {
    let params = cg::Params { tol: 1e-13, max_iter: 5000 };
    solve_iterative(map, data, metric, ridge, params, &mut Silent).unwrap()
}
