//! The spectra: kernels against closed forms and draws, draws against kernels, refusals.

use orff::spectrum::{Draw, DrawKind, Measure, Spectrum};

#[test]
fn a_gaussian_draw_has_its_kernel() {
    let k = Spectrum::from_name("gaussian").unwrap().with_lengthscale(0.5.into());
    let drawn = k.draw(2, 4000, &Draw { kind: DrawKind::Iid, measure: Measure::Plain, seed: 1, purpose: 0 }).unwrap();
    let omega = drawn.omega.to_dense();
    let mean = (0..4000).map(|j| (0.3 * omega[(j, 0)] - 0.2 * omega[(j, 1)]).cos()).sum::<f64>() / 4000.0;
    assert!((mean - k.value(&[0.3, -0.2]).unwrap()).abs() < 0.05);
}
