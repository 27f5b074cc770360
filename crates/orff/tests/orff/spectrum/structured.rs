//! Structured frequencies and projections.

use super::{how, spectrum};
use faer::Mat;
use orff::random::Stream;
use orff::spectrum::{DrawKind, Measure, Omega};

fn inputs(rows: usize, d: usize) -> Mat<f64> {
    let mut stream = Stream::new(9, 9, 9);
    Mat::from_fn(rows, d, |_, _| stream.normal())
}

/// The mean error of k₀ over many draws, beside its standard error.
fn bias(name: &str, d: usize, delta: &[f64], kind: DrawKind) -> (f64, f64) {
    let s = spectrum(name, 1.0);
    let exact = s.value(delta).unwrap();
    let errors: Vec<f64> = (0..600)
        .map(|seed| {
            let omega = s.draw(d, 128, &how(kind, Measure::Plain, seed)).unwrap().omega;
            let mut phase = Mat::<f64>::zeros(1, 128);
            omega.project(Mat::from_fn(1, d, |_, k| delta[k]).as_ref(), 0, phase.as_mut());
            (0..128).map(|j| phase[(0, j)].cos()).sum::<f64>() / 128.0 - exact
        })
        .collect();
    let mean = errors.iter().sum::<f64>() / 600.0;
    let deviation = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 599.0 / 600.0).sqrt();
    (mean, deviation)
}

#[test]
fn the_bias_is_small() {
    for name in ["gaussian", "matern"] {
        for d in [32, 40, 65, 100] {
            // ‖δ‖ = 2 (gaussian: k₀ = 0.135), along an axis and across
            let axis: Vec<f64> = (0..d).map(|k| if k == 0 { 2.0 } else { 0.0 }).collect();
            let across = vec![2.0 / (d as f64).sqrt(); d];
            for delta in [axis, across] {
                let (mean, deviation) = bias(name, d, &delta, DrawKind::Structured);
                println!("{name} d = {d}: bias {mean:.4} ± {deviation:.4}");
                assert!(deviation < 0.003 && mean.abs() < 0.01, "{name} d = {d}: bias {mean} ± {deviation}");
            }
        }
    }
}

#[test]
fn fewer_inputs_are_drawn_orthogonally_and_it_is_said() {
    let s = spectrum("gaussian", 1.0);
    let drawn = s.draw(8, 20, &how(DrawKind::Structured, Measure::Plain, 1)).unwrap();
    assert_eq!(
        drawn.note.as_deref(),
        Some("draw structured is biased for fewer than 32 inputs: with 8 the draw is orthogonal")
    );
    let orthogonal = s.draw(8, 20, &how(DrawKind::Orthogonal, Measure::Plain, 1)).unwrap();
    assert_eq!(drawn.omega.to_dense(), orthogonal.omega.to_dense());
    assert!(s.draw(32, 20, &how(DrawKind::Structured, Measure::Plain, 1)).unwrap().note.is_none());
    assert!(s.draw(20, 20, &how(DrawKind::Iid, Measure::Tilted, 1)).unwrap().note.is_some());
}

#[test]
fn structured_frequencies_have_the_radii_of_the_law() {
    for (measure, mean) in [(Measure::Plain, 40.0), (Measure::Trace, 42.0), (Measure::Tilted, 80.0)] {
        let drawn = spectrum("gaussian", 0.5).draw(40, 3000, &how(DrawKind::Structured, measure, 2)).unwrap();
        let omega = drawn.omega.to_dense();
        let squares: Vec<f64> = (0..3000).map(|j| (0..40).map(|k| (0.5 * omega[(j, k)]).powi(2)).sum()).collect();
        let found = squares.iter().sum::<f64>() / 3000.0;
        let deviation = mean * (2.0 / 40.0 / 3000.0f64).sqrt(); // of χ²(n): 2n
        assert!((found - mean).abs() < 4.5 * deviation, "{measure}: {found} instead of {mean}");
        for (ratio, square) in drawn.ratio.iter().zip(&squares) {
            let expected = match measure {
                Measure::Plain => 1.0,
                Measure::Trace => 40.0 / square,
                Measure::Tilted => 2f64.powi(20) * (-square / 4.0).exp(),
            };
            assert!((ratio / expected - 1.0).abs() < 1e-10);
        }
    }
}

/// Bits of an entry do not depend on the batch, the strip, or the strides; values are those of the dense product.
fn check_projection(omega: &Omega, d: usize) {
    let (n, count) = (1029, omega.count());
    let x = inputs(n, d);
    let mut all = Mat::<f64>::zeros(n, count);
    omega.project(x.as_ref(), 0, all.as_mut());
    let product = &x * omega.to_dense().transpose();
    let size = product.norm_max();
    assert!((&all - &product).norm_max() < 1e-13 * size);
    for rows in [1, 7, 64, 1024] {
        for (from, len) in [(0, 1), (3, 5), (64, 64), (0, count), (count - 1, 1), (count, 0)] {
            let mut some = Mat::<f64>::zeros(rows, len);
            omega.project(x.as_ref().subrows(5, rows), from, some.as_mut());
            assert_eq!(some, all.as_ref().submatrix(5, from, rows, len).to_owned(), "{rows} rows, {len} from {from}");
            let turned = x.as_ref().subrows(5, rows).transpose().to_owned();
            let mut other = Mat::<f64>::zeros(len, rows);
            omega.project(turned.as_ref().transpose(), from, other.as_mut().transpose_mut());
            assert_eq!(other.transpose().to_owned(), some);
            let mut lines = Mat::<f64>::zeros(len, rows);
            omega.project_rows(x.as_ref().subrows(5, rows), from, lines.as_mut());
            assert_eq!(lines.transpose().to_owned(), some);
        }
    }
    let mut row = vec![0.0; d];
    omega.row(count - 1, &mut row);
    assert!((0..d).all(|k| row[k] == omega.to_dense()[(count - 1, k)]));
    assert_eq!(omega.prefix(count + 9).count(), count);
}

#[test]
fn projections_do_not_depend_on_the_batch() {
    for d in [1, 3, 20, 129] {
        let drawn = spectrum("gaussian", 1.0).draw(d, 201, &how(DrawKind::Iid, Measure::Plain, 1)).unwrap();
        check_projection(&drawn.omega, d);
    }
    for d in [32, 50, 100] {
        let scales: Vec<f64> = (0..d).map(|k| 1.0 + 0.01 * k as f64).collect();
        let drawn = spectrum("matern", scales).draw(d, 201, &how(DrawKind::Structured, Measure::Plain, 1)).unwrap();
        assert!(matches!(drawn.omega, Omega::Structured(_)));
        check_projection(&drawn.omega, d);
    }
}
