//! The Jacobian, the divergence and the curl against differences, by hand, and on blocks, batches and sparse rows.

use super::{
    MAPS, at, close, column, common, coupled, differences, fields, gaussian, largest, model, model_of, per_input,
    points, values,
};
use faer::{Mat, mat};
use orff::feature::{BLOCK_ROWS, FeatureMap, MapKind};
use orff::group::Group;
use orff::kernel::{Atoms, Kernel, Matrix, SumDraw, Transformable};
use orff::model::{Linear, Preparation};
use orff::rows::{Csr, Inputs};
use orff::spectrum::Draw;

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
