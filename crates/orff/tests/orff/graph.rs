//! Graphs: neighbours against all pairs, the Laplacian against its dense formula, its moment against ΦᵀL^cΦ.

use faer::Mat;
use orff::feature::{Characters, FeatureMap, MapKind};
use orff::graph::{Laplacian, Moment, Neighbours, Points, Search};
use orff::kernel::{Kernel, SumDraw};
use orff::random::Stream;
use orff::rows::{Csr, Inputs};
use orff::spectrum::Draw;
use orff::watch::Silent;

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut s = Stream::new(seed, 0, 0);
    Mat::from_fn(n, d, |_, _| s.normal())
}

/// The rows of a matrix without their zeros.
pub(super) fn sparse(x: &Mat<f64>) -> Inputs {
    let mut csr = Csr::empty(x.ncols());
    csr.append(&Inputs::Dense(x.clone()));
    Inputs::Sparse(csr)
}

/// All squared distances, sorted with the row numbers of the others.
fn brute(x: &Mat<f64>, i: usize) -> Vec<(f64, u32)> {
    let square = |j: usize| (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum::<f64>();
    let mut all: Vec<(f64, u32)> = (0..x.nrows()).filter(|&j| j != i).map(|j| (square(j), j as u32)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

fn find(x: &Inputs, q: usize, how: Search) -> Neighbours {
    Neighbours::find(&Points::of(x), q, how, 3, &mut Silent).unwrap()
}

#[test]
fn neighbours_are_those_of_all_pairs() {
    let mut x = normal(1500, 5, 1);
    for k in 0..5 {
        (0..1500).filter(|i| (i + k) % 3 == 0).for_each(|i| x[(i, k)] = 0.0); // for sparse rows
        x[(70, k)] = x[(3, k)]; // a copy
    }
    for inputs in [Inputs::Dense(x.clone()), sparse(&x)] {
        let found = find(&inputs, 7, Search::Auto);
        assert_eq!((found.each, found.recall), (7, 1.0));
        for i in (0..1500).step_by(11) {
            let truth = brute(&x, i);
            for (k, (j, square)) in found.of(i).enumerate() {
                assert!((square - truth[k].0).abs() <= 1e-12 * (1.0 + square), "row {i}");
                assert!(j as u32 == truth[k].1 || (truth[k].0 - square).abs() < 1e-12, "row {i}");
            }
        }
        assert!(found.of(3).any(|(j, square)| j == 70 && square == 0.0));
    }
}

#[test]
fn more_neighbours_than_rows_are_all_of_them() {
    let x = normal(6, 2, 2);
    let found = find(&Inputs::Dense(x), 50, Search::Auto);
    assert_eq!(found.each, 5);
    for i in 0..6 {
        let mut others: Vec<usize> = found.of(i).map(|(j, _)| j).collect();
        others.sort_unstable();
        assert_eq!(others, (0..6).filter(|&j| j != i).collect::<Vec<_>>());
    }
    let one = find(&Inputs::Dense(normal(1, 2, 2)), 3, Search::Auto);
    assert_eq!((one.each, one.rows.len()), (0, 0));
}

/// The search that looks at neighbours of neighbours finds nearly all, says how many, and does not depend on threads.
#[test]
fn the_approximate_search_finds_nearly_all() {
    let mut x = normal(4000, 8, 5);
    for i in 0..400 {
        (0..8).for_each(|k| x[(i, k)] = x[(500, k)]); // many copies: leaves full of them
    }
    let inputs = Inputs::Dense(x.clone());
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| find(&inputs, 10, Search::Approximate))
    };
    let found = with(1);
    assert!(found == with(3), "threads change the neighbours");
    let (mut hits, mut count) = (0, 0);
    for i in (0..4000).step_by(7) {
        let last = brute(&x, i)[9].0;
        let own: Vec<(usize, f64)> = found.of(i).collect();
        assert!(own.iter().all(|(j, square)| *j != i && (brute_square(&x, i, *j) - square).abs() < 1e-12));
        assert!(own.windows(2).all(|w| w[0].1 <= w[1].1 && w[0].0 != w[1].0));
        hits += own.iter().filter(|(_, square)| *square <= last + 1e-12).count();
        count += 10;
    }
    let recall = hits as f64 / count as f64;
    println!("recall {recall:.4}, said {:.4}", found.recall);
    assert!(recall > 0.97 && (found.recall - recall).abs() < 0.02, "{recall} {}", found.recall);
}

fn brute_square(x: &Mat<f64>, i: usize, j: usize) -> f64 {
    (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum()
}

/// I − D^{−1/2}WD^{−1/2} of q neighbours by its definition, rows without edges zero.
fn dense(x: &Mat<f64>, q: usize, sigma: f64) -> Mat<f64> {
    let n = x.nrows();
    let near = |i: usize, j: usize| brute(x, i)[..q].iter().any(|t| t.1 == j as u32);
    let joined = Mat::from_fn(n, n, |i, j| if i != j && (near(i, j) || near(j, i)) { 1.0 } else { 0.0 });
    let w = Mat::from_fn(n, n, |i, j| joined[(i, j)] * (-brute_square(x, i, j) / (2.0 * sigma * sigma)).exp());
    let degree = |i: usize| (0..n).map(|j| w[(i, j)]).sum::<f64>();
    Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - w[(i, j)] / (degree(i) * degree(j)).sqrt())
}

#[test]
fn the_laplacian_is_its_dense_formula() {
    let x = normal(90, 3, 7);
    let found = find(&Inputs::Dense(x.clone()), 4, Search::Exact);
    let auto = Laplacian::of(&found, None);
    let mut distances: Vec<f64> = found.squares.iter().map(|s| s.sqrt()).collect();
    distances.sort_by(f64::total_cmp);
    assert_eq!(auto.bandwidth(), Some(distances[distances.len() / 2]));
    let l = Laplacian::of(&found, Some(0.8));
    let truth = dense(&x, 4, 0.8);
    let (u, v) = (normal(90, 3, 8), normal(90, 3, 9));
    let flat = |m: &Mat<f64>| (0..90).flat_map(|i| (0..3).map(move |k| (i, k))).map(|at| m[at]).collect::<Vec<_>>();
    let image = l.apply(&flat(&v), 3);
    let expected = &truth * &v;
    assert!(flat(&expected).iter().zip(&image).all(|(a, b)| (a - b).abs() < 1e-13));
    // symmetric: ⟨u, Lv⟩ = ⟨Lu, v⟩
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (left, right) = (product(&flat(&u), &image), product(&l.apply(&flat(&u), 3), &flat(&v)));
    assert!((left - right).abs() < 1e-11 * left.abs().max(1.0), "{left} {right}");
}

#[test]
fn separate_parts_copies_and_lonely_rows() {
    // two far clusters, ten copies of one row
    let mut x = normal(60, 2, 4);
    (0..30).for_each(|i| x[(i, 0)] += 1e3);
    (50..60).for_each(|i| (0..2).for_each(|k| x[(i, k)] = x[(40, k)]));
    let found = find(&Inputs::Dense(x), 3, Search::Exact);
    let l = Laplacian::of(&found, None);
    let (parts, lonely) = l.parts();
    assert!(parts >= 2 && lonely == 0, "{parts}");
    // all rows equal: the distances say nothing about a scale, and the graph is there
    let same = find(&Inputs::Dense(Mat::zeros(9, 2)), 2, Search::Exact);
    let l = Laplacian::of(&same, None);
    assert!(l.bandwidth() == Some(1.0) && l.apply(&[1.0; 9], 1).iter().all(|v| v.is_finite()));
    // weights that are lost to rounding are no edges
    let far = Neighbours { each: 1, rows: vec![1, 0, 1], squares: vec![1.0, 1.0, 1e6], recall: 1.0 };
    let l = Laplacian::of(&far, Some(1.0));
    assert_eq!((l.parts(), l.edges()), ((2, 1), 1));
    assert_eq!(l.apply(&[0.0, 0.0, 5.0], 1)[2], 0.0);
}

#[test]
fn a_given_graph_is_symmetrised_and_checked() {
    let csr = |values: Vec<f64>| Csr { width: 3, start: vec![0, 2, 3, 3], columns: vec![0, 1, 2], values };
    let l = Laplacian::given(&csr(vec![9.0, 4.0, 1.0])).unwrap();
    // degrees 4, 5, 1; the diagonal does not count
    let image = l.apply(&[0.0, 1.0, 0.0], 1);
    let expected = [-4.0 / 20f64.sqrt(), 1.0, -1.0 / 5f64.sqrt()];
    assert!(image.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let said = Laplacian::given(&csr(vec![9.0, bad, 1.0])).unwrap_err().to_string();
        assert!(said.contains("row 1, column 2"), "{said}");
    }
    let wide = Csr { width: 4, ..csr(vec![1.0; 3]) };
    assert!(Laplacian::given(&wide).is_err());
}

/// Strips of any width give the moment of the definition, for any power.
#[test]
fn the_moment_is_that_of_all_characters() {
    let x = normal(150, 3, 11);
    let kernel: Kernel = "decomposable(gaussian(1.3), [[1]])".parse().unwrap();
    let how = Draw { seed: 2, ..Draw::default() };
    for kind in [MapKind::Pairs, MapKind::Phases] {
        let map = FeatureMap::draw(&kernel, 3, 70, kind, &how, SumDraw::default()).unwrap();
        let mut c = Characters::new(70);
        map.fill(&Inputs::Dense(x.clone()), &mut c);
        let points = Points::of(&Inputs::Dense(x.clone()));
        let found = Neighbours::find(&points, 5, Search::Exact, 0, &mut Silent).unwrap();
        let laplacian = Laplacian::of(&found, Some(0.9));
        let l = dense(&x, 5, 0.9);
        let mut power_of_l = Mat::<f64>::identity(150, 150);
        for power in 1..=3 {
            power_of_l = &l * &power_of_l;
            let truth = c.as_mat().transpose() * &power_of_l * c.as_mat();
            for memory in [1, 16 * 150 * 33, 1 << 30] {
                let moment = Moment { points: &points, laplacian: &laplacian, power, memory };
                let fill = |x: &Inputs, c: &mut Characters| {
                    map.fill(x, c);
                    Ok(())
                };
                let found = moment.of(70, &fill, &mut Silent).unwrap();
                let error = (&found - &truth).norm_max() / truth.norm_max();
                assert!(error < 1e-12, "power {power}: {error}");
            }
        }
    }
}
