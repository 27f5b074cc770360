//! Potentials, stream functions and the parts of a field: they give the field back, and each part is what it says.

use super::{
    MAPS, at, close, column, common, differences, fields, gaussian, largest, model, model_of, per_input, points,
    values,
};
use faer::{Mat, mat};
use orff::feature::FeatureMap;
use orff::kernel::{Atoms, Kernel};
use orff::learn::Regression;
use orff::model::{Linear, Parts};
use orff::random::Stream;
use orff::rows::Table;
use orff::watch::Silent;

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
