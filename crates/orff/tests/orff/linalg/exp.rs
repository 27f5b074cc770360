//! Exponentials against `libm`, which is correct to less than one unit in the last place.

use orff::linalg::exp_in_place;

#[test]
fn exponentials_are_accurate_everywhere() {
    let fine = (0..300_000).map(|i| -708.0 + 0.004721 * i as f64);
    let small = (0..2000).map(|i| (i as f64 - 1000.0) * 1e-6);
    let special = [0.0, -0.0, 1e-300, -1e-300, 708.0, -708.0, 709.7, 710.0, -745.0, -746.0, f64::MAX, f64::MIN];
    let x: Vec<f64> = fine.chain(small).chain(special).chain([f64::INFINITY, f64::NEG_INFINITY]).collect();
    let mut found = x.clone();
    exp_in_place(&mut found);
    for (x, found) in x.iter().zip(&found) {
        let exact = libm::exp(*x);
        let ulps = (found.to_bits() as i64 - exact.to_bits() as i64).abs();
        assert!(ulps <= 2, "exp {x} = {exact}, got {found}");
    }
    let (mut none, mut one) = ([f64::NAN, 1.0], [1.0]);
    exp_in_place(&mut none);
    exp_in_place(&mut one);
    assert!(none[0].is_nan() && none[1] == one[0], "one bad number leaves others alone");
}

#[test]
fn a_number_has_the_same_bits_wherever_it_stands() {
    let x: Vec<f64> = (0..700).map(|i| -0.37 * i as f64 + 3.0).collect();
    let mut all = x.clone();
    exp_in_place(&mut all);
    for (i, x) in x.iter().enumerate() {
        let mut one = [*x];
        exp_in_place(&mut one);
        assert_eq!(one[0].to_bits(), all[i].to_bits(), "exp {x}");
    }
}
