//! The system that rows make: how it splits, what weights and holes mean in it, which outputs it refuses.

use super::{Data, decomposable, gap, gaussian, given, gram, kernels, map_of};
use crate::kernel::moments::moments_of;
use faer::{Mat, mat};
use orff::feature::{FeatureMap, MapKind};
use orff::kernel::{Kernel, Matrix, Output, Transformable};
use orff::learn::Regression;
use orff::linalg::cg;
use orff::rows::Weights;
use orff::solve::{Centred, Spectral, System, solve_iterative};
use orff::watch::Silent;

/// With few patterns of holes a decomposable kernel with diagonal Γ still splits into outputs, others into directions.
#[test]
fn systems_split_where_they_can() {
    let data = Data::new(30, 4);
    let plain = map_of(&decomposable(Output::Identity), 4, MapKind::Pairs, 12);
    let coupled = map_of(&decomposable(given(gram(4, 2, 2))), 4, MapKind::Pairs, 12);
    let holes = data.variants()[2].1.clone();
    let system = |map: &FeatureMap, data: &Data| {
        System::new(map, Centred::all(&moments_of(map, &data.table()), true), None).unwrap()
    };
    let sizes = |s: System| (s.groups.len(), s.components.len(), s.groups[0].nrows());
    assert_eq!(sizes(system(&plain, &data)), (1, 4, 12));
    assert_eq!(sizes(system(&plain, &holes)), (4, 4, 12));
    assert_eq!(sizes(system(&coupled, &data)), (1, 2, 12));
    assert_eq!(sizes(system(&coupled, &holes)), (1, 1, 24));
}

/// Multiplying every weight by a constant changes no fit: λ belongs to the mean loss.
#[test]
fn weights_count_relative_to_each_other() {
    for (name, kernel, p) in kernels() {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        for index in [1, 4, 5] {
            let data = Data::new(40, p).variants()[index].1.clone();
            let scaled = match data.weights.clone().unwrap() {
                Weights::Row(w) => Weights::Row(w.iter().map(|w| 5.0 * w).collect()),
                Weights::Entry(w) => Weights::Entry(faer::Scale(5.0) * w),
            };
            let fit = |data: &Data| {
                let centred = Centred::all(&moments_of(&map, &data.table()), true);
                Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap().solve(&map, 0.01, false).unwrap()
            };
            let (a, b) = (fit(&data), fit(&Data { weights: Some(scaled), ..data.clone() }));
            assert!(gap(&a.table, &b.table) < 1e-9, "{name}");
        }
    }
}

/// A weight of zero is a missing entry, and equal weights in a row are a weight of the row.
#[test]
fn entry_weights_generalise_holes_and_row_weights() {
    let (n, p) = (40, 3);
    for (name, kernel, p) in kernels().into_iter().filter(|k| k.2 == p) {
        let map = map_of(&kernel, p, MapKind::Pairs, 12);
        let data = Data::new(n, p);
        let fit = |data: &Data| {
            let centred = Centred::all(&moments_of(&map, &data.table()), true);
            Spectral::new(System::new(&map, &centred, None).unwrap()).unwrap().solve(&map, 0.01, false).unwrap().table
        };
        let holes = data.variants()[2].1.clone();
        let zeros = Mat::from_fn(n, p, |i, t| if holes.y[(i, t)].is_nan() { 0.0 } else { 1.0 });
        let as_weights = Data { weights: Some(Weights::Entry(zeros)), ..data.clone() };
        assert!(gap(&fit(&as_weights), &fit(&holes)) < 1e-9, "{name}");
        let rows = data.variants()[1].1.clone();
        let Some(Weights::Row(w)) = rows.weights.clone() else { panic!() };
        let entries = Data { weights: Some(Weights::Entry(Mat::from_fn(n, p, |i, _| w[i]))), ..data };
        assert!(gap(&fit(&entries), &fit(&rows)) < 1e-9, "{name}");
    }
}

/// A field has as many outputs as inputs; other data are refused in words, never by a panic.
#[test]
fn other_numbers_of_outputs_are_refused() {
    let map = map_of(&Kernel::curl_free(gaussian(1.2)), 3, MapKind::Pairs, 12);
    for p in [2, 4] {
        for (variant, data) in Data::new(20, p).variants() {
            let centred = Centred::all(&moments_of(&map, &data.table()), true);
            let sentence = format!(
                "outputs: expected 3, as many as the kernel has (a field has as many as there are inputs), got {p}"
            );
            assert_eq!(System::new(&map, &centred, None).unwrap_err().to_string(), sentence, "{variant}");
            let error = solve_iterative(&map, &centred, None, 0.1, cg::Params::default(), &mut Silent).unwrap_err();
            assert_eq!(error.to_string(), sentence);
            let learner = Regression { kernel: Kernel::curl_free(gaussian(1.2)), ..Regression::default() };
            let error = learner.fit(&data.table(), &mut Silent).err().unwrap();
            assert_eq!(error.to_string(), sentence, "{variant}");
        }
    }
    let views = vec![Matrix::new(mat![[1.0, 0.5]], "view").unwrap(); 3];
    let kernel = Transformable { spectrum: gaussian(1.0), views }.into();
    let learner = Regression { kernel, ..Regression::default() };
    let error = learner.fit(&Data::new(20, 3).table(), &mut Silent).err().unwrap();
    assert_eq!(error.to_string(), "view 1: expected 3 columns, one per input, got 2");
    for p in [1, 3] {
        let views = vec![Matrix::new(mat![[1.0, 0.5, 0.2]], "view").unwrap(); 2];
        let kernel = Transformable { spectrum: gaussian(1.0), views }.into();
        let learner = Regression { kernel, ..Regression::default() };
        let error = learner.fit(&Data::new(20, p).table(), &mut Silent).err().unwrap();
        assert_eq!(error.to_string(), format!("views: expected {p}, one per output, got 2"));
    }
}
