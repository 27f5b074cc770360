//! The calculus of fitted fields against finite differences of their predictions, closed forms, and the identities of
//! vector calculus. The models are made by hand: drawn atoms, random θ, inputs far from 0 and in large units.

use faer::{Mat, mat};
use orff::feature::{BLOCK_ROWS, FeatureMap, MapKind};
use orff::group::Group;
use orff::kernel::{Atoms, Kernel, Matrix, Output, SumDraw, Transformable};
use orff::learn::Regression;
use orff::model::{Held, Linear, Parts, Preparation, Query};
use orff::random::Stream;
use orff::rows::{Csr, Inputs, Table};
use orff::spectrum::{Draw, Gaussian, Spectrum};
use orff::watch::Silent;

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

/// Neither a column of the values nor an entry of the Jacobian is zero everywhere.
fn nothing_vanishes(model: &Linear, x: &Mat<f64>) {
    let f = values(&Linear { offset: vec![0.0; model.outputs()], ..model.clone() }, x);
    let per_u = |j: Mat<f64>| Mat::from_fn(f.ncols(), x.ncols(), |t, k| j[(t, k)] * model.preparation.scale[k]);
    let jacobians: Vec<Mat<f64>> = model.jacobian(&at(x)).unwrap().into_iter().map(per_u).collect();
    for t in 0..f.ncols() {
        assert!(f.col(t).norm_max() > 0.05 * f.norm_max(), "component {t} vanishes");
        for k in 0..x.ncols() {
            let entry = jacobians.iter().map(|j| j[(t, k)].abs()).fold(0.0, f64::max);
            assert!(entry > 0.01 * largest(&jacobians), "∂f{t}/∂x{k} vanishes: {entry:e}");
        }
    }
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

#[test]
fn the_jacobian_is_the_derivative() {
    for d in [2, 3, 4] {
        let mut kernels = fields(d);
        kernels.push(("more outputs", coupled(d + 1)));
        kernels.push(("one output", coupled(1)));
        for (name, kernel) in kernels {
            for kind in MAPS {
                for preparation in [common(d), per_input(d)] {
                    let model = model(&kernel, kind, preparation);
                    let x = points(&model.preparation, 7);
                    let exact = model.jacobian(&at(&x)).unwrap();
                    let near = differences(&x, |_, k| model.preparation.scale[k], |x| values(&model, x));
                    // entries of different columns have different units
                    for k in 0..d {
                        let only =
                            |all: &[Mat<f64>]| all.iter().map(|j| j.subcols(k, 1).to_owned()).collect::<Vec<_>>();
                        close(&only(&exact), &only(&near), 1e-8, &format!("{name}, d = {d}, {kind:?}, input {k}"));
                    }
                    nothing_vanishes(&model, &x);
                }
            }
        }
    }
}

#[test]
fn the_jacobian_knows_the_chart_and_the_views() {
    for kind in MAPS {
        for group in [Group::Multiplicative, Group::Skewed { c: vec![0.25] }] {
            let preparation =
                Preparation { group, centre: vec![0.3, -0.2], scale: vec![0.5, 0.7], ..Preparation::plain(2) };
            let model = model(&coupled(3), kind, preparation);
            let x = points(&model.preparation, 9);
            let shift = |i: usize, k: usize| x[(i, k)] + 0.25;
            let near = differences(&x, |i, k| 0.2 * shift(i, k).min(4.0 * x[(i, k)].abs()), |x| values(&model, x));
            close(&model.jacobian(&at(&x)).unwrap(), &near, 1e-8, "group");
            nothing_vanishes(&model, &x);
        }
    }
    let views = [mat![[1.0, 0.2, -0.5], [0.1, 0.7, 0.3]], mat![[-0.4, 1.0, 0.3], [0.5, 0.2, 1.1]]];
    let views: Vec<Matrix> = views.into_iter().map(|v| Matrix::new(v, "view").unwrap()).collect();
    let kernel = Transformable { spectrum: gaussian(), views: views.clone() }.into();
    for (group, at_least) in [(Group::Additive, -1.0), (Group::Skewed { c: vec![5.0, 4.0] }, 0.1)] {
        let map = FeatureMap::draw(&kernel, 2, 60, MapKind::Pairs, &Draw::default(), SumDraw::default()).unwrap();
        let preparation = Preparation { inputs: 3, views: views.clone(), group, ..Preparation::plain(2) };
        let model = Linear { output_scale: vec![2.0, 0.1], ..model_of(map, preparation, 2, 5) };
        let x = Mat::from_fn(5, 3, |i, k| at_least + 0.3 * i as f64 + 0.1 * (k * k) as f64);
        let near = differences(&x, |_, _| 1.0, |x| values(&model, x));
        for t in 0..2 {
            let only = |all: &[Mat<f64>]| all.iter().map(|j| j.subrows(t, 1).to_owned()).collect::<Vec<_>>();
            close(&only(&model.jacobian(&at(&x)).unwrap()), &only(&near), 1e-8, "views");
        }
    }
}

/// f = (cos t − ½ sin t, 2 cos t + 4 sin t) with t = 3x − 2y, by hand.
#[test]
fn one_wave_by_hand() {
    let atoms = Atoms::listed(mat![[3.0, -2.0]].as_ref(), Mat::<f64>::identity(2, 2).as_ref(), &[1.0]).unwrap();
    let map = FeatureMap::of(atoms, MapKind::Pairs, 0);
    let table = mat![[1.0, 2.0], [-0.5, 4.0]];
    let model = Linear { table, ..model_of(map, Preparation::plain(2), 2, 0) };
    let x = mat![[0.4, 0.1], [-1.0, 2.0]];
    let (div, curl) = (model.divergence(&at(&x)).unwrap(), model.curl(&at(&x)).unwrap());
    for i in 0..2 {
        let (s, c) = (3.0 * x[(i, 0)] - 2.0 * x[(i, 1)]).sin_cos();
        // f₁′ = −s − ½c, f₂′ = −2s + 4c; divergence 3f₁′ − 2f₂′, curl 3f₂′ + 2f₁′
        assert!((div[i] - (s - 9.5 * c)).abs() < 1e-13, "{div:?}");
        assert!((curl[(i, 0)] - (-8.0 * s + 11.0 * c)).abs() < 1e-13, "{curl:?}");
    }
}

#[test]
fn divergence_and_curl_are_those_of_the_jacobian() {
    for d in [1, 2, 3, 4] {
        let model = model(&coupled(d), MapKind::Pairs, common(d));
        let x = points(&model.preparation, 6);
        let near = differences(&x, |_, _| 1e5, |x| values(&model, x));
        let (div, curl) = (model.divergence(&at(&x)).unwrap(), model.curl(&at(&x)).unwrap());
        assert_eq!((div.len(), curl.nrows(), curl.ncols()), (6, 6, d * (d - 1) / 2));
        for (i, j) in near.iter().enumerate() {
            let expected = match d {
                1 => vec![],
                2 => vec![j[(1, 0)] - j[(0, 1)]],
                3 => vec![j[(2, 1)] - j[(1, 2)], j[(0, 2)] - j[(2, 0)], j[(1, 0)] - j[(0, 1)]],
                _ => [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(a, b)| j[(b, a)] - j[(a, b)]).to_vec(),
            };
            let trace: f64 = (0..d).map(|k| j[(k, k)]).sum();
            assert!((div[i] - trace).abs() < 1e-8 * largest(&near), "divergence, d = {d}");
            for (column, expected) in expected.iter().enumerate() {
                assert!((curl[(i, column)] - expected).abs() < 1e-8 * largest(&near), "curl {column}, d = {d}");
            }
        }
        (0..curl.ncols()).for_each(|k| assert!(curl.col(k).norm_max() > 0.05 * largest(&near), "curl {k} vanishes"));
    }
}

#[test]
fn curl_free_has_no_curl_and_div_free_no_divergence() {
    let mut worst: f64 = 0.0;
    for d in [2, 3, 4] {
        for kind in MAPS {
            let curl_free = model(&Kernel::curl_free(gaussian()), kind, common(d));
            let div_free = model(&Kernel::div_free(gaussian()), kind, common(d));
            let x = points(&common(d), 50);
            let size = |m: &Linear| largest(&m.jacobian(&at(&x)).unwrap());
            let curl = curl_free.curl(&at(&x)).unwrap().norm_max() / size(&curl_free);
            let div = column(div_free.divergence(&at(&x)).unwrap()).norm_max() / size(&div_free);
            worst = worst.max(curl).max(div);
            assert!(curl < 1e-12 && div < 1e-12, "d = {d}, {kind:?}: curl {curl:e}, divergence {div:e}");
            // each has the other
            assert!(column(curl_free.divergence(&at(&x)).unwrap()).norm_max() > 0.1 * size(&curl_free));
            assert!(div_free.curl(&at(&x)).unwrap().norm_max() > 0.1 * size(&div_free));
            // and by differences of the predictions
            for j in differences(&x, |_, _| 1e5, |x| values(&curl_free, x)) {
                assert!((&j - j.transpose()).norm_max() < 1e-8 * size(&curl_free), "curl by differences");
            }
            for j in differences(&x, |_, _| 1e5, |x| values(&div_free, x)) {
                assert!(
                    (0..d).map(|k| j[(k, k)]).sum::<f64>().abs() < 1e-8 * size(&div_free),
                    "divergence by differences"
                );
            }
            nothing_vanishes(&curl_free, &x);
            nothing_vanishes(&div_free, &x);
        }
    }
    println!("largest curl or divergence: {worst:e} of the Jacobian");
}

/// The rows of a matrix as 1×d matrices, to be compared with gradients of a scalar.
fn rows(f: &Mat<f64>) -> Vec<Mat<f64>> {
    (0..f.nrows()).map(|i| f.subrows(i, 1).to_owned()).collect()
}

#[test]
fn the_gradient_of_the_potential_is_the_field() {
    for d in [1, 2, 3, 4] {
        for kind in MAPS {
            let model = model(&Kernel::curl_free(gaussian()), kind, common(d));
            let x = points(&model.preparation, 20);
            let near = differences(&x, |_, _| 1e5, |x| column(model.potential(&at(x)).unwrap()));
            close(&near, &rows(&values(&model, &x)), 1e-8, "gradient of the potential");
            let centre = Mat::from_fn(1, d, |_, k| model.preparation.centre[k]);
            assert_eq!(model.potential(&at(&centre)).unwrap(), [0.0]);
        }
    }
}

/// f from an antisymmetric potential given by its columns, by differences: fᵢ = Σₖ ∂Aᵢₖ/∂xₖ.
fn rotation_of(d: usize, j: &Mat<f64>) -> Mat<f64> {
    match d {
        2 => mat![[j[(0, 1)], -j[(0, 0)]]],
        3 => mat![[j[(2, 1)] - j[(1, 2)], j[(0, 2)] - j[(2, 0)], j[(1, 0)] - j[(0, 1)]]],
        _ => {
            let mut f = Mat::zeros(1, d);
            let pairs = (0..d).flat_map(|i| (i + 1..d).map(move |k| (i, k)));
            for (column, (i, k)) in pairs.enumerate() {
                f[(0, i)] += j[(column, k)];
                f[(0, k)] -= j[(column, i)];
            }
            f
        }
    }
}

fn circulation(model: &Linear, x: &Mat<f64>) -> Mat<f64> {
    match x.ncols() {
        2 => column(model.stream_function(&at(x)).unwrap()),
        _ => model.vector_potential(&at(x)).unwrap(),
    }
}

#[test]
fn the_stream_function_and_the_vector_potential_give_the_field() {
    for d in [2, 3, 4] {
        for kind in MAPS {
            let model = model(&Kernel::div_free(gaussian()), kind, common(d));
            let x = points(&model.preparation, 20);
            let near = differences(&x, |_, _| 1e5, |x| circulation(&model, x));
            let turned: Vec<Mat<f64>> = near.iter().map(|j| rotation_of(d, j)).collect();
            close(&turned, &rows(&values(&model, &x)), 1e-8, &format!("rotation of the potential, d = {d}"));
            if d == 3 {
                for j in &near {
                    let gauge = j[(0, 0)] + j[(1, 1)] + j[(2, 2)];
                    assert!(gauge.abs() < 1e-8 * largest(&near), "∇·A = {gauge:e}");
                }
            }
            let centre = Mat::from_fn(1, d, |_, k| model.preparation.centre[k]);
            let a = circulation(&model, &x);
            assert_eq!(circulation(&model, &centre).norm_max(), 0.0);
            (0..a.ncols()).for_each(|k| assert!(a.col(k).norm_max() > 0.01 * a.norm_max(), "column {k} vanishes"));
        }
    }
}

fn average(f: &Mat<f64>) -> Vec<f64> {
    f.col_iter().map(|c| c.iter().sum::<f64>() / f.nrows() as f64).collect()
}

fn about(f: Mat<f64>) -> Mat<f64> {
    let means = average(&f);
    Mat::from_fn(f.nrows(), f.ncols(), |i, k| f[(i, k)] - means[k])
}

/// Of (x² + y, y² − x) on a square the gradient is (x², y²) and the rotation (y, −x), about their means: energies 2·4/45
/// and 2/3. A smooth field is learned with waves far longer than the square, whose constants are thousands of times that.
#[test]
fn parts_of_a_smooth_field_have_their_own_energies() {
    let mut random = Stream::new(7, 1, 0);
    let x = Mat::from_fn(400, 2, |_, _| 2.0 * random.uniform() - 1.0);
    let y = Mat::from_fn(400, 2, |i, k| {
        let turned = if k == 0 { x[(i, 1)] } else { -x[(i, 0)] };
        x[(i, k)] * x[(i, k)] + turned + 0.01 * random.normal()
    });
    let learner = Regression { kernel: "helmholtz".parse().unwrap(), ..Regression::default() };
    let model = learner.fit(&Table::new(x.clone(), y.clone()).unwrap(), &mut Silent).unwrap().model;
    let Parts { gradient, rotation, mean, energies } = model.decompose(&at(&x)).unwrap();
    println!("{energies:?}");
    let variance = about(y).squared_norm_l2() / 400.0;
    assert!((energies.gradient + energies.rotation + energies.cross - variance).abs() < 0.01 * variance);
    // a harmonic field such as (x, −y) may go to either part
    assert!((energies.gradient - 8.0 / 45.0).abs() < 0.25, "{energies:?}");
    assert!((energies.rotation - 2.0 / 3.0).abs() < 0.25, "{energies:?}");
    let f = values(&model, &x);
    let sum = Mat::from_fn(400, 2, |i, k| gradient[(i, k)] + rotation[(i, k)] + mean[k]);
    assert!((&sum - &f).norm_max() < 1e-10);
    // as models: no slope that is only the constant of long waves
    for part in [model.gradient_part().unwrap(), model.rotation_part().unwrap()] {
        assert!(values(&part, &x).norm_max() < 3.0, "{}", values(&part, &x).norm_max());
    }
}

#[test]
fn a_field_is_the_sum_of_its_parts() {
    for d in [2, 3, 4] {
        for (name, kernel) in fields(d) {
            for kind in MAPS {
                for preparation in [common(d), per_input(d)] {
                    let model = model(&kernel, kind, preparation);
                    let x = points(&model.preparation, 25);
                    let f = values(&model, &x);
                    let parts = model.decompose(&at(&x)).unwrap();
                    let means = average(&f);
                    (0..d).for_each(|k| assert!((parts.mean[k] - means[k]).abs() < 1e-12 * f.norm_max(), "{name}"));
                    let sum =
                        Mat::from_fn(25, d, |i, k| parts.gradient[(i, k)] + parts.rotation[(i, k)] + parts.mean[k]);
                    assert!((&sum - &f).norm_max() < 1e-13 * f.norm_max(), "{name}");

                    let (g, r) = (model.gradient_part().unwrap(), model.rotation_part().unwrap());
                    assert!((about(values(&g, &x)) - &parts.gradient).norm_max() < 1e-12 * f.norm_max());
                    assert!((about(values(&r, &x)) - &parts.rotation).norm_max() < 1e-12 * f.norm_max());
                    // as models they vanish at the centre, where the field is the constant that is left
                    let centre = Mat::from_fn(1, d, |_, k| model.preparation.centre[k]);
                    let still = values(&model, &centre);
                    assert!(
                        values(&g, &centre).norm_max().max(values(&r, &centre).norm_max()) < 1e-13 * f.norm_max()
                    );
                    let sum = values(&g, &x) + values(&r, &x);
                    let sum = Mat::from_fn(25, d, |i, k| sum[(i, k)] + still[(0, k)]);
                    assert!((&sum - &f).norm_max() < 1e-13 * f.norm_max(), "{name}");
                    let size = largest(&model.jacobian(&at(&x)).unwrap());
                    assert!(g.curl(&at(&x)).unwrap().norm_max() < 1e-12 * size, "{name}: curl of the gradient part");
                    let div = column(r.divergence(&at(&x)).unwrap()).norm_max();
                    assert!(div < 1e-12 * size, "{name}: divergence {div:e} of the rotation part, J {size:e}");
                    // the divergence and the curl of the whole are those of one part
                    let whole = column(model.divergence(&at(&x)).unwrap()) - column(g.divergence(&at(&x)).unwrap());
                    assert!(whole.norm_max() < 1e-12 * size);
                    assert!((model.curl(&at(&x)).unwrap() - r.curl(&at(&x)).unwrap()).norm_max() < 1e-12 * size);

                    let e = parts.energies;
                    let square = |m: &Mat<f64>| m.squared_norm_l2() / 25.0;
                    let varying = about(f.clone());
                    assert!((e.gradient + e.rotation + e.cross - square(&varying)).abs() < 1e-12 * square(&varying));
                    assert!((e.gradient - square(&parts.gradient)).abs() <= 1e-12 * square(&varying));
                    assert!((e.rotation - square(&parts.rotation)).abs() <= 1e-12 * square(&varying));
                    assert!((e.mean - means.iter().map(|b| b * b).sum::<f64>()).abs() < 1e-11 * e.mean);
                    let isotropic = model.preparation == common(d);
                    match name {
                        "curl-free" if isotropic => assert!(e.rotation < 1e-25 * e.gradient),
                        "div-free" if isotropic => assert!(e.gradient < 1e-25 * e.rotation),
                        _ => assert!(e.gradient.min(e.rotation) > 1e-3 * e.gradient.max(e.rotation), "{name}: {e:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn the_parts_of_a_helmholtz_model_have_their_potentials() {
    for d in [2, 3, 4] {
        for kind in MAPS {
            for (name, kernel) in &fields(d)[2..] {
                let model = model(kernel, kind, common(d));
                let x = points(&model.preparation, 10);
                let (g, r) = (model.gradient_part().unwrap(), model.rotation_part().unwrap());
                let phi = differences(&x, |_, _| 1e5, |x| column(g.potential(&at(x)).unwrap()));
                close(&phi, &rows(&values(&g, &x)), 1e-8, &format!("{name}: gradient of φ"));
                let psi = differences(&x, |_, _| 1e5, |x| circulation(&r, x));
                let psi: Vec<Mat<f64>> = psi.iter().map(|j| rotation_of(d, j)).collect();
                close(&psi, &rows(&values(&r, &x)), 1e-8, &format!("{name}: rotation of ψ"));
            }
        }
    }
}

/// The part that a model does not have is rounding, not an error.
#[test]
fn an_absent_part_has_a_potential_near_zero() {
    for d in [2, 3, 4] {
        for kind in MAPS {
            let curl_free = model(&Kernel::curl_free(gaussian()), kind, common(d));
            let div_free = model(&Kernel::div_free(gaussian()), kind, common(d));
            let x = points(&common(d), 10);
            let (phi, psi) = (curl_free.potential(&at(&x)).unwrap(), circulation(&div_free, &x));
            let none = circulation(&curl_free.rotation_part().unwrap(), &x);
            assert!(none.norm_max() < 1e-14 * column(phi).norm_max());
            let none = div_free.gradient_part().unwrap().potential(&at(&x)).unwrap();
            assert!(column(none).norm_max() < 1e-14 * psi.norm_max());
        }
    }
}

/// An atom with ω = 0 is a constant: it belongs to the mean, and its potential is linear.
#[test]
fn a_wave_that_does_not_vary_belongs_to_the_mean() {
    for kind in MAPS {
        let omega = mat![[0.0, 0.0], [0.7, -0.4]];
        let factors = Mat::from_fn(4, 2, |i, k| if i % 2 == k { 1.0 } else { 0.0 });
        let atoms = Atoms::listed(omega.as_ref(), factors.as_ref(), &[0.5, 0.5]).unwrap();
        let model = model_of(FeatureMap::of(atoms, kind, 3), common(2), 2, 8);
        let x = points(&model.preparation, 12);
        let (f, parts) = (values(&model, &x), model.decompose(&at(&x)).unwrap());
        let mut waves = (Vec::new(), Vec::new());
        let constant = model.parts(&at(&x), &mut waves.0, &mut waves.1).unwrap();
        assert!((constant[0] - model.offset[0]).abs() > 0.1);
        for i in 0..12 {
            for k in 0..2 {
                let sum = parts.gradient[(i, k)] + parts.rotation[(i, k)] + parts.mean[k];
                assert!((sum - f[(i, k)]).abs() < 1e-13 * f.norm_max());
            }
        }
        // the gradient part together with the constant wave, the first of the two atoms
        let varying = model.gradient_part().unwrap().table;
        let table =
            Mat::from_fn(varying.nrows(), 2, |m, k| if m % 2 == 0 { model.table[(m, k)] } else { varying[(m, k)] });
        let model = Linear { table, ..model };
        let near = differences(&x, |_, _| 1e5, |x| column(model.potential(&at(x)).unwrap()));
        close(&near, &rows(&values(&model, &x)), 1e-8, "gradient of a linear potential");
    }
}

#[test]
fn blocks_batches_and_sparse_rows_change_nothing() {
    for kind in MAPS {
        let model =
            model(&Kernel::curl_free(gaussian()), kind, Preparation { scale: vec![2.0; 3], ..Preparation::plain(3) });
        let n = BLOCK_ROWS + 7;
        let x = points(&model.preparation, n);
        let (div, phi) = (model.divergence(&at(&x)).unwrap(), model.potential(&at(&x)).unwrap());
        let (parts, jacobians) = (model.decompose(&at(&x)).unwrap(), model.jacobian(&at(&x)).unwrap());
        let mut all = (Vec::new(), Vec::new());
        model.parts(&at(&x), &mut all.0, &mut all.1).unwrap();
        for i in [0, BLOCK_ROWS - 1, BLOCK_ROWS, n - 1] {
            let one = at(&x).slice(i, i + 1);
            assert_eq!(model.divergence(&one).unwrap()[0], div[i]);
            assert_eq!(model.potential(&one).unwrap()[0], phi[i]);
            assert_eq!(model.jacobian(&one).unwrap()[0], jacobians[i]);
            // one point is its own mean
            let alone = model.decompose(&one).unwrap();
            assert_eq!((alone.gradient.norm_max(), alone.rotation.norm_max()), (0.0, 0.0));
            let whole = parts.gradient.row(i) + parts.rotation.row(i);
            (0..3).for_each(|k| {
                assert!((whole[k] + parts.mean[k] - alone.mean[k]).abs() < 1e-12 * values(&model, &x).norm_max())
            });
            let (mut g, mut r) = (Vec::new(), Vec::new());
            model.parts(&one, &mut g, &mut r).unwrap();
            assert_eq!((&g[..], &r[..]), (&all.0[3 * i..3 * i + 3], &all.1[3 * i..3 * i + 3]));
        }
        let sparse = Inputs::Sparse(Csr {
            width: 3,
            start: vec![0, 2, 3],
            columns: vec![0, 2, 1],
            values: vec![0.5, -1.0, 2.0],
        });
        let same = at(&mat![[0.5, 0.0, -1.0], [0.0, 2.0, 0.0]]);
        close(&model.jacobian(&sparse).unwrap(), &model.jacobian(&same).unwrap(), 1e-14, "sparse Jacobian");
        let [a, b] = [&sparse, &same].map(|x| column(model.potential(x).unwrap()));
        close(&[a], &[b], 1e-14, "sparse potential");
        let none = at(&Mat::zeros(0, 3));
        assert_eq!(model.decompose(&none).unwrap().energies.mean, 0.0);
        assert!(model.jacobian(&none).unwrap().is_empty());
    }
}

#[test]
fn refusals_say_why() {
    let sentence = |r: Result<(), orff::Error>| r.unwrap_err().to_string();
    let x2 = at(&mat![[1.0, 2.0]]);
    let wide = model(&coupled(3), MapKind::Pairs, common(2));
    assert_eq!(
        sentence(wide.divergence(&x2).map(drop)),
        "divergence of a model with 3 outputs and 2 inputs is refused: it needs a vector field, with one \
         output per input"
    );
    for refused in [wide.curl(&x2).map(drop), wide.decompose(&x2).map(drop), wide.potential(&x2).map(drop)] {
        assert!(sentence(refused).contains("of a model with 3 outputs and 2 inputs is refused"));
    }

    let curl_free = |at| model(&Kernel::curl_free(gaussian()), MapKind::Pairs, at);
    let div_free = |at| model(&Kernel::div_free(gaussian()), MapKind::Pairs, at);
    let found = sentence(div_free(common(2)).potential(&x2).map(drop));
    assert_eq!(
        found,
        "potential of this model is refused: its rotation part is 1.0e0 of it, and must vanish; fit a \
         curl-free kernel, or ask its gradient part"
    );
    let found = sentence(curl_free(common(2)).stream_function(&x2).map(drop));
    assert_eq!(
        found,
        "stream function of this model is refused: its gradient part is 1.0e0 of it, and must vanish; fit a \
         div-free kernel, or ask its rotation part"
    );
    // per-input scales turn κ away from ω: the field is no gradient in the user's coordinates
    assert!(sentence(curl_free(per_input(2)).potential(&x2).map(drop)).contains("its rotation part is"));
    assert!(sentence(div_free(per_input(2)).stream_function(&x2).map(drop)).contains("its gradient part is"));

    let x3 = at(&mat![[1.0, 2.0, 3.0]]);
    for (refused, start) in [
        (div_free(common(3)).stream_function(&x3).map(drop), "stream function in 3 dimensions is refused: "),
        (div_free(common(2)).vector_potential(&x2).map(drop), "vector potential in 2 dimensions is refused: "),
    ] {
        assert!(sentence(refused).starts_with(start));
    }

    let chart = Preparation { group: Group::Multiplicative, ..Preparation::plain(2) };
    let charted = model(&coupled(2), MapKind::Pairs, chart);
    assert_eq!(
        sentence(charted.decompose(&x2).map(drop)),
        "decomposition on the multiplicative group is refused: its waves run along the chart, not along the inputs; \
         fit on the additive group"
    );
    assert!(
        sentence(charted.jacobian(&at(&mat![[1.0, -2.0]])).map(drop)).starts_with("row 1, column 2: -2 is outside")
    );

    let views = vec![Matrix::new(Mat::identity(2, 2), "view").unwrap(); 2];
    let viewed = Linear { preparation: Preparation { views, ..common(2) }, ..curl_free(common(2)) };
    assert!(
        sentence(viewed.gradient_part().map(drop)).starts_with("gradient part of a model with views is refused: ")
    );

    assert_eq!(sentence(wide.jacobian(&x3).map(drop)), "inputs: expected 2 columns, got 3");
    let nan = at(&mat![[1.0, 2.0], [f64::NAN, 0.0]]);
    assert!(sentence(curl_free(common(2)).curl(&nan).map(drop)).starts_with("row 2, column 1: NaN is not a finite"));
}
