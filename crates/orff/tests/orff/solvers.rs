//! Iterative solvers on one battery: squared loss against elimination on dense matrices, other losses against their
//! definitions and their duality gap. (Python's tests have quadratic programs for the same minima.)

use super::ridge::dense::{Dense, dense_predict};
use super::ridge::{Data, gap, kernels, map_of, noise};
use faer::{Mat, MatRef};
use orff::feature::{FeatureMap, MapKind, Mapped};
use orff::linalg::cg;
use orff::loss::{Loss, Named, Simplex, Squared};
use orff::rows::{Inputs, Table, Weights};
use orff::solve::risk::{self, Start};
use orff::solve::{
    Entry, EntryParams, Observed, Passes, Strength, lbfgs, minimise_projected, minimise_risk, projected,
    solve_entries,
};
use orff::testing::check_solver;
use orff::watch::{Silent, Watch};

/// Z and b at some points.
pub(super) fn predict(map: &FeatureMap, table: MatRef<f64>, b: &[f64], x: &Mat<f64>) -> Mat<f64> {
    let mut c = orff::feature::Characters::new(map.characters());
    map.fill(&Inputs::Dense(x.clone()), &mut c);
    let f = c.as_mat() * table;
    Mat::from_fn(x.nrows(), b.len(), |i, t| f[(i, t)] + b[t])
}

/// All rows as one block of entries.
pub(super) struct Whole(pub(super) Observed);

impl Whole {
    pub(super) fn of(map: &FeatureMap, data: &Data) -> Self {
        let mut c = orff::feature::Characters::new(map.characters());
        map.fill(&Inputs::Dense(data.x.clone()), &mut c);
        let mut entries = Vec::new();
        for row in 0..data.y.nrows() {
            for output in 0..data.y.ncols() {
                let weight = match &data.weights {
                    None => 1.0,
                    Some(Weights::Row(w)) => w[row],
                    Some(Weights::Entry(w)) => w[(row, output)],
                };
                let value = data.y[(row, output)];
                if value.is_finite() && weight > 0.0 {
                    entries.push(Entry { output, row, value, weight });
                }
            }
        }
        Whole(Observed::new(c.as_mat(), entries))
    }
}

impl Passes for Whole {
    fn pass(&self, each: &mut dyn FnMut(&Observed) -> orff::Result<()>) -> orff::Result<()> {
        each(&self.0)
    }
}

fn by_entries(ridge: f64, offset: bool) -> EntryParams<'static> {
    let cg = cg::Params { tol: 1e-11, max_iter: 1000 };
    EntryParams { strength: Strength::Ridge(ridge), cg, offset, expansion: 1, metric: None }
}

/// L-BFGS and conjugate gradients over the rows predict what elimination does, to 1e-8 of the largest prediction.
#[test]
fn squared_loss_reaches_the_optimum() {
    let fresh = noise(20, 6, 3);
    let (mut worst, mut most) = ([0.0f64; 2], [0usize; 2]);
    for (name, kernel, p) in kernels() {
        for kind in [MapKind::Pairs, MapKind::Phases] {
            let map = map_of(&kernel, p, kind, 12);
            for (variant, data) in Data::new(40, p).variants() {
                let (dense, table) = (Dense::new(&map, &data), data.table());
                let design = Mapped::plain(&map, &table);
                for (offset, ridge, rank) in [(false, 1e-3, 256), (true, 1e-3, 4), (true, 1e-6, 256)] {
                    let what = format!("{name}, {kind:?}, {variant}, offset {offset}, ridge {ridge}, rank {rank}");
                    let (theta, b) = dense.solve(data.total() * ridge, offset);
                    let exact = dense_predict(&map, &theta, &b, &fresh);
                    let params = risk::Params { ridge, offset, rank, ..risk::Params::default() };
                    let by_lbfgs = minimise_risk(&design, &Squared, params, Start::default(), &mut Silent).unwrap();
                    let by_cg =
                        solve_entries(&map, &Whole::of(&map, &data), by_entries(ridge, offset), &mut Silent).unwrap();
                    let constants: Vec<f64> = by_cg.outputs.iter().map(|o| o.constant).collect();
                    let both = [
                        (by_lbfgs.table, by_lbfgs.offset, by_lbfgs.report.passes),
                        (by_cg.table, constants, by_cg.report.iterations),
                    ];
                    for (s, (z, b, passes)) in both.iter().enumerate() {
                        let error = gap(&predict(&map, z.as_ref(), b, &fresh), &exact);
                        assert!(error < 1e-8, "{what}: solver {s} is off by {error:e} after {passes} passes");
                        worst[s] = worst[s].max(error);
                        most[s] = most[s].max(*passes);
                    }
                }
            }
        }
    }
    println!("L-BFGS and conjugate gradients: {worst:?} off after at most {most:?} passes");
}

/// The same on a larger problem with a small ridge, where the preconditioner is not exact.
#[test]
fn small_ridges_take_few_passes() {
    for (name, kernel, p) in kernels().into_iter().filter(|k| ["full", "curl-free"].contains(&k.0)) {
        let map = map_of(&kernel, p, MapKind::Pairs, 300);
        let data = Data::new(700, p);
        let table = data.table();
        let design = Mapped::plain(&map, &table);
        let rows =
            orff::rows::Batch { inputs: Inputs::Dense(data.x.clone()), outputs: data.y.clone(), weights: None };
        let (ridge, rank) = (1e-5, 60);
        let params = risk::Params { ridge, rank, ..risk::Params::default() };
        let found = minimise_risk(&design, &Squared, params, Start::default(), &mut Silent).unwrap();
        println!("{name}: {:?}", found.report);
        check_solver(&map, &rows, ridge, found.table.as_ref(), Some(&found.offset)).unwrap();
        assert!(found.report.passes < 400 && found.report.gap < 1e-7);
        let found = solve_entries(&map, &Whole::of(&map, &data), by_entries(ridge, true), &mut Silent).unwrap();
        println!("{name}: {:?}", found.report);
        let constants: Vec<f64> = found.outputs.iter().map(|o| o.constant).collect();
        check_solver(&map, &rows, ridge, found.table.as_ref(), Some(&constants)).unwrap();
    }
}

/// Pieces of a loss that is a sum of maxima of affine functions of the predictions: (coefficients, constant).
type Piece = (Vec<f64>, f64);

/// The terms of a row, each the largest of its pieces, from the definitions of the losses.
fn pieces(loss: &str, y: &[f64], p: usize) -> Vec<Vec<Piece>> {
    let along = |t: usize, slope: f64| (0..p).map(|k| if k == t { slope } else { 0.0 }).collect::<Vec<f64>>();
    let nothing = || (vec![0.0; p], 0.0);
    let each = |make: &dyn Fn(usize, f64) -> Vec<Piece>| {
        (0..y.len()).filter(|t| !y[*t].is_nan()).map(|t| make(t, y[t])).collect()
    };
    match loss {
        "epsilon-insensitive(0.3)" => {
            each(&|t, y| vec![(along(t, 1.0), -y - 0.3), (along(t, -1.0), y - 0.3), nothing()])
        }
        "pinball(0.8)" => each(&|t, y| vec![(along(t, -0.8), 0.8 * y), (along(t, 0.2), -0.2 * y)]),
        "hinge" => each(&|t, y| vec![(along(t, -y), 1.0), nothing()]),
        "simplex-hinge" => {
            let codes = Simplex::new(p + 1).codes();
            let code = |c: usize| (0..p).map(|k| codes[(k, c)]).collect::<Vec<f64>>();
            let wrong = (0..=p).filter(|c| *c as f64 != y[0]);
            wrong.map(|c| vec![(code(c), 1.0 / p as f64), nothing()]).collect()
        }
        _ => panic!("no pieces of {loss}"),
    }
}

/// (1/W)Σwℓ of predictions with table Z and constants b, from the pieces of the loss.
pub(super) fn defined(map: &FeatureMap, data: &Data, loss: &str, table: MatRef<f64>, b: &[f64]) -> f64 {
    let f = predict(map, table, b, &data.x);
    let (mut sum, mut total) = (0.0, 0.0);
    for i in 0..data.x.nrows() {
        let w = match &data.weights {
            Some(Weights::Row(w)) => w[i],
            _ => 1.0,
        };
        let y: Vec<f64> = data.y.row(i).iter().copied().collect();
        total += if y.iter().all(|y| y.is_nan()) { 0.0 } else { w };
        for term in pieces(loss, &y, b.len()) {
            let value =
                |(slope, constant): &Piece| constant + (0..b.len()).map(|t| slope[t] * f[(i, t)]).sum::<f64>();
            sum += w * term.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        }
    }
    sum / total
}

/// Targets of a loss: numbers, signs or classes.
pub(super) fn problem(loss: &Named, p: usize) -> Data {
    let data = Data::new(60, p);
    let y = &data.y;
    let middle = |t: usize| 0.7 + 0.4 * t as f64;
    let targets = if !loss.nature().by_output {
        let best =
            |i: usize| (0..p).fold(0, |b, t| if y[(i, t)] - middle(t) > y[(i, b)] - middle(b) { t } else { b });
        Mat::from_fn(60, 1, |i, _| if i % 11 == 5 { p as f64 } else { best(i) as f64 })
    } else if loss.check(&vec![0.5; p], p).is_err() {
        Mat::from_fn(60, p, |i, t| (y[(i, t)] - middle(t)).signum())
    } else {
        y.clone()
    };
    let weights: Vec<f64> = (0..60).map(|i| 0.5 + (i % 5) as f64 / 3.0).collect();
    Data { y: targets, weights: Some(Weights::Row(weights)), ..data }
}

/// Losses that are not smooth: the gap that is reported is below 1e-4, the risk is the one that is defined, and no point near
/// the minimum or far from it is below the bound.
#[test]
fn corners_are_solved_to_a_gap() {
    let battery = kernels();
    for (text, which) in [
        ("epsilon-insensitive(0.3)", "full"),
        ("epsilon-insensitive(0.3)", "curl-free"),
        ("pinball(0.8)", "diagonal"),
        ("hinge", "identity"),
        ("hinge", "curl-free"),
        ("simplex-hinge", "full"),
        ("simplex-hinge", "identity"),
    ] {
        let (name, kernel, p) = battery.iter().find(|k| k.0 == which).unwrap();
        let loss: Named = text.parse().unwrap();
        let map = map_of(kernel, *p, MapKind::Pairs, 12);
        let mut data = problem(&loss, *p);
        if text.starts_with("eps") {
            data.y[(3, 0)] = f64::NAN;
        }
        let table = data.table();
        for ridge in [1e-2, 1e-4] {
            let params = risk::Params { ridge, ..risk::Params::default() };
            let found =
                minimise_risk(&Mapped::plain(&map, &table), &loss, params, Start::default(), &mut Silent).unwrap();
            let what = format!("{text}, {name}, ridge {ridge}: {:?}", found.report);
            println!("{what}");
            assert_eq!(found.report.reason, lbfgs::Reason::Converged, "{what}");
            let risk = |theta: &[f64], b: &[f64]| {
                let penalty = ridge * theta.iter().map(|t| t * t).sum::<f64>();
                defined(&map, &data, text, map.lift(theta).as_ref(), b) + penalty
            };
            let (least, dual) = (risk(&found.theta, &found.offset), found.report.dual);
            assert!((least - found.report.primal).abs() < 1e-12 * (1.0 + least), "{what}");
            assert!(dual <= least && least - dual <= 1e-4 * least, "{what}");
            let k = found.theta.len();
            let moves = noise(41, 40, k + p);
            for i in 0..40 {
                let size = [1e-4, 1e-3, 1e-2, 0.1][i % 4];
                let moved = |x: &[f64], from: usize| -> Vec<f64> {
                    x.iter().enumerate().map(|(j, x)| x + size * (1.0 + x.abs()) * moves[(i, from + j)]).collect()
                };
                assert!(risk(&moved(&found.theta, 0), &moved(&found.offset, k)) >= dual, "{what}");
            }
        }
    }
}

/// Smooth losses: the gap closes, and no step in any direction lowers the risk as it is defined.
#[test]
fn smooth_losses_reach_their_minimum() {
    let battery = kernels();
    for (text, which) in [
        ("huber(0.5)", "full"),
        ("squared-hinge", "curl-free"),
        ("logistic", "identity"),
        ("logistic", "rank 2 of 4"),
    ] {
        let (name, kernel, p) = battery.iter().find(|k| k.0 == which).unwrap();
        let loss: Named = text.parse().unwrap();
        let map = map_of(kernel, *p, MapKind::Phases, 11);
        let data = problem(&loss, *p);
        let table = data.table();
        let params = risk::Params { ridge: 1e-3, ..risk::Params::default() };
        let found =
            minimise_risk(&Mapped::plain(&map, &table), &loss, params, Start::default(), &mut Silent).unwrap();
        println!("{text}, {name}: {:?}", found.report);
        assert!(found.report.gap < 1e-7 && found.report.reason == lbfgs::Reason::Converged);
        let Some(Weights::Row(w)) = &data.weights else { unreachable!() };
        let risk = |theta: &[f64], b: &[f64]| {
            let f = predict(&map, map.lift(theta).as_ref(), b, &data.x);
            let row = |i: usize| {
                let (f, y): (Vec<f64>, Vec<f64>) =
                    (f.row(i).iter().copied().collect(), data.y.row(i).iter().copied().collect());
                w[i] * loss.gradient(&f, &y, 0.0, &mut vec![0.0; *p])
            };
            let sum: f64 = (0..60).map(row).sum();
            sum / w.iter().sum::<f64>() + 1e-3 * theta.iter().map(|t| t * t).sum::<f64>()
        };
        let least = risk(&found.theta, &found.offset);
        assert!((least - found.report.primal).abs() < 1e-12);
        let moves = noise(31, 30, found.theta.len() + p);
        for i in 0..30 {
            let moved = |x: &[f64], from: usize| -> Vec<f64> {
                x.iter().enumerate().map(|(k, x)| x + 1e-4 * moves[(i, from + k)]).collect()
            };
            assert!(risk(&moved(&found.theta, 0), &moved(&found.offset, found.theta.len())) > least);
        }
    }
}

/// Passes can be interrupted, and go on from what was kept.
#[test]
fn interrupted_minimisation_goes_on() {
    struct Stop {
        left: usize,
        kept: Vec<f64>,
    }
    impl Watch for Stop {
        fn advance(&mut self, _: u64) -> orff::Result<()> {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 { Err(orff::Error::Interrupted) } else { Ok(()) }
        }
        fn keep(&mut self, unknowns: &[f64]) {
            self.kept = unknowns.to_vec();
        }
        fn kept(&mut self, count: usize) -> Option<Vec<f64>> {
            (self.kept.len() == count).then(|| self.kept.clone())
        }
    }
    let (_, kernel, p) = kernels().remove(2);
    let map = map_of(&kernel, p, MapKind::Pairs, 12);
    let loss: Named = "huber(0.5)".parse().unwrap();
    let table = problem(&loss, p).table();
    let design = Mapped::plain(&map, &table);
    let params = risk::Params::default();
    let whole = minimise_risk(&design, &loss, params, Start::default(), &mut Silent).unwrap();
    let mut stop = Stop { left: whole.report.passes - 1, kept: Vec::new() };
    let error = minimise_risk(&design, &loss, params, Start::default(), &mut stop).unwrap_err();
    assert!(matches!(error, orff::Error::Interrupted));
    let again = Start { unknowns: Some(&stop.kept), preconditioner: None };
    let rest = minimise_risk(&design, &loss, params, again, &mut Silent).unwrap();
    assert!(rest.report.passes < whole.report.passes);
    assert!((rest.report.primal - whole.report.primal).abs() < 1e-12);
    // the watch itself gives back what it has kept, to projected gradients too
    stop.left = usize::MAX;
    let rest = minimise_risk(&design, &loss, params, Start::default(), &mut stop).unwrap();
    assert!(rest.report.passes < whole.report.passes);
    assert!((rest.report.primal - whole.report.primal).abs() < 1e-12);
    let (atoms, params) = (map.atom_of_unknown(), projected::Params { bound: 2.0, ..projected::Params::default() });
    let whole = minimise_projected(&design, &loss, &atoms, params, &mut Silent).unwrap();
    stop = Stop { left: whole.report.passes - 5, kept: Vec::new() };
    assert!(minimise_projected(&design, &loss, &atoms, params, &mut stop).is_err());
    stop.left = usize::MAX;
    let rest = minimise_projected(&design, &loss, &atoms, params, &mut stop).unwrap();
    assert!(rest.report.passes < whole.report.passes, "{} of {}", rest.report.passes, whole.report.passes);
    assert!((rest.report.primal - whole.report.primal).abs() <= 2.0 * params.gap * whole.report.primal);
}

#[test]
fn refusals_name_the_row() {
    let (_, kernel, p) = kernels().remove(2);
    let map = map_of(&kernel, p, MapKind::Pairs, 12);
    let data = Data::new(40, p);
    let said = |loss: &str, rows: &Table, ridge: f64| {
        let params = risk::Params { ridge, ..risk::Params::default() };
        let loss: Named = loss.parse().unwrap();
        minimise_risk(&Mapped::plain(&map, rows), &loss, params, Start::default(), &mut Silent)
            .unwrap_err()
            .to_string()
    };
    let rows = data.table();
    assert!(said("hinge", &rows, 0.1).contains("row 1, column outputs"), "{}", said("hinge", &rows, 0.1));
    assert!(said("squared", &rows, 0.0).contains("ridge: expected a number > 0"));
    let one = Mat::from_fn(40, 1, |i, _| (i % 9) as f64);
    let classes = Table::new(data.x.clone(), one).unwrap();
    assert!(said("logistic", &classes, 0.1).contains("row 6"), "{}", said("logistic", &classes, 0.1));
    let entries = Mat::from_fn(40, 1, |_, _| 1.0);
    let weighted = classes.clone().weighted(Weights::Entry(entries)).unwrap();
    assert!(said("logistic", &weighted, 0.1).contains("weights of entries"));
    let nothing = data.table().weighted(Weights::Row(vec![0.0; 40])).unwrap();
    assert!(said("squared", &nothing, 0.1).contains("no row counts"));
}
