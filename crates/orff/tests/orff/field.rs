//! The calculus of fitted fields against finite differences of their predictions, closed forms, and the identities of
//! vector calculus. The models are made by hand: drawn atoms, random θ, inputs far from 0 and in large units.

mod derivatives;
mod potentials;
mod refusals;

use faer::Mat;
use orff::feature::{FeatureMap, MapKind};
use orff::group::Group;
use orff::kernel::{Kernel, Matrix, Output, SumDraw};
use orff::model::{Held, Linear, Preparation, Query};
use orff::random::Stream;
use orff::rows::Inputs;
use orff::spectrum::{Draw, Gaussian, Spectrum};

const MAPS: [MapKind; 2] = [MapKind::Pairs, MapKind::Phases];

fn gaussian() -> Spectrum {
    Gaussian { lengthscale: 0.8.into() }.into()
}

/// p outputs coupled by a full Γ without symmetry between them.
fn coupled(p: usize) -> Kernel {
    let root = Mat::from_fn(p, p, |i, j| 1.0 / (1.0 + (i + 2 * j) as f64) + if i == j { 0.5 } else { 0.0 });
    let matrix = Matrix::new(&root * root.transpose(), "gamma").unwrap();
    Kernel::decomposable(gaussian(), Output::Given { matrix })
        .resolve(&orff::kernel::Seen { outputs: p, ..Default::default() })
        .unwrap()
}

/// One scale 10⁵ for all inputs, centres about 10⁶.
fn common(d: usize) -> Preparation {
    Preparation {
        centre: (0..d).map(|k| 1e6 + 1e5 * k as f64).collect(),
        scale: vec![1e5; d],
        ..Preparation::plain(d)
    }
}

fn per_input(d: usize) -> Preparation {
    Preparation { scale: (0..d).map(|k| 10f64.powi(k as i32 - 1)).collect(), ..Preparation::plain(d) }
}

fn model_of(map: FeatureMap, preparation: Preparation, p: usize, seed: u64) -> Linear {
    let mut random = Stream::new(seed, 1, 0);
    let theta: Vec<f64> = (0..map.unknowns()).map(|_| 30.0 * random.normal()).collect();
    Linear {
        preparation,
        table: map.lift(&theta),
        map,
        offset: (0..p).map(|t| 3.0 - 5.0 * t as f64).collect(),
        noise: Mat::identity(p, p),
        output_scale: vec![1.0; p],
        posterior: Held::None,
        warp: None,
    }
}

fn model(kernel: &Kernel, kind: MapKind, preparation: Preparation) -> Linear {
    let d = preparation.inputs;
    let map = FeatureMap::draw(kernel, d, 60, kind, &Draw::default(), SumDraw::default()).unwrap();
    let p = map.atoms().outputs();
    model_of(map, preparation, p, 5)
}

/// n points with |u| ≤ 3 in every coordinate.
fn points(at: &Preparation, n: usize) -> Mat<f64> {
    let mut random = Stream::new(11, 2, 0);
    Mat::from_fn(n, at.inputs, |_, k| {
        let value = at.centre[k] + at.scale[k] * 6.0 * (random.uniform() - 0.5);
        if at.group.is_additive() {
            value
        } else {
            value.exp() - 0.25 * (at.group != Group::Multiplicative) as u8 as f64
        }
    })
}

fn at(x: &Mat<f64>) -> Inputs {
    Inputs::Dense(x.clone())
}

fn values(model: &Linear, x: &Mat<f64>) -> Mat<f64> {
    model.predict(&at(x), Query::default()).unwrap().mean
}

fn column(values: Vec<f64>) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |i, _| values[i])
}

/// ∂g/∂xₖ of any function of rows, by differences of fourth order with steps of 10⁻³ of `step(row, k)`: one p×d
/// matrix per row.
fn differences(x: &Mat<f64>, step: impl Fn(usize, usize) -> f64, g: impl Fn(&Mat<f64>) -> Mat<f64>) -> Vec<Mat<f64>> {
    let p = g(x).ncols();
    let mut out = vec![Mat::zeros(p, x.ncols()); x.nrows()];
    for k in 0..x.ncols() {
        let moved = |by: f64| {
            g(&Mat::from_fn(x.nrows(), x.ncols(), |i, l| {
                x[(i, l)] + if l == k { by * 1e-3 * step(i, k) } else { 0.0 }
            }))
        };
        let [far_left, left, right, far_right] = [-2.0, -1.0, 1.0, 2.0].map(moved);
        for i in 0..x.nrows() {
            for t in 0..p {
                let central = 8.0 * (right[(i, t)] - left[(i, t)]) - (far_right[(i, t)] - far_left[(i, t)]);
                out[i][(t, k)] = central / (12.0 * 1e-3 * step(i, k));
            }
        }
    }
    out
}

fn largest(all: &[Mat<f64>]) -> f64 {
    all.iter().map(|m| m.norm_max()).fold(0.0, f64::max)
}

fn close(a: &[Mat<f64>], b: &[Mat<f64>], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len());
    let gap = a.iter().zip(b).map(|(a, b)| (a - b).norm_max()).fold(0.0, f64::max) / largest(b);
    assert!(gap <= tolerance, "{what}: relative gap {gap:e}");
}

fn fields(d: usize) -> Vec<(&'static str, Kernel)> {
    vec![
        ("curl-free", Kernel::curl_free(gaussian())),
        ("div-free", Kernel::div_free(gaussian())),
        ("helmholtz", Kernel::helmholtz(gaussian(), 0.3)),
        ("decomposable", coupled(d)),
        ("sum", Kernel::curl_free(gaussian()) + 0.5 * coupled(d)),
    ]
}
