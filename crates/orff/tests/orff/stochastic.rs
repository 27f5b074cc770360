//! Solvers of other problems and of streams: bounded atoms against their definition and bound, doubly stochastic gradients
//! against the minimum, ONORMA against its recursion.

use super::ridge::{Data, kernels, map_of};
use super::solvers::{defined, predict, problem};
use faer::Mat;
use orff::feature::{FeatureMap, MapKind, Mapped};
use orff::kernel::{Kernel, Matrix, Seen};
use orff::loss::{Loss, Named, Squared};
use orff::random::Stream;
use orff::rows::{Batch, Inputs, Table, Weights};
use orff::solve::{Doubly, Onorma, doubly, minimise_projected, minimise_risk, online, projected, risk};
use orff::watch::{Silent, Watch};

/// The atom of each unknown, from the list of atoms.
#[test]
fn unknowns_know_their_atom() {
    let (_, kernel, p) = kernels().remove(7); // a sum: two blocks with other factors
    for kind in [MapKind::Pairs, MapKind::Phases] {
        let map = map_of(&kernel, p, kind, 12);
        let (mut expected, mut first) = (Vec::new(), 0);
        for block in &map.atoms().blocks {
            for _ in 0..if kind == MapKind::Pairs { 2 } else { 1 } {
                for j in 0..block.count() {
                    expected.extend(vec![first + j; block.factor(j).ncols()]);
                }
            }
            first += block.count();
        }
        assert_eq!(map.atom_of_unknown(), expected);
    }
}

#[test]
fn bounded_atoms_are_solved_to_a_gap() {
    let battery = kernels();
    for (text, which, bound) in
        [("epsilon-insensitive(0.3)", "full", 0.5), ("hinge", "curl-free", 1.0), ("simplex-hinge", "identity", 2.0)]
    {
        let (name, kernel, p) = battery.iter().find(|k| k.0 == which).unwrap();
        let loss: Named = text.parse().unwrap();
        let map = map_of(kernel, *p, MapKind::Pairs, 12);
        let (data, atoms) = (problem(&loss, *p), map.atom_of_unknown());
        let table = data.table();
        let params = projected::Params { bound, max_passes: 20_000, ..projected::Params::default() };
        let found = minimise_projected(&Mapped::plain(&map, &table), &loss, &atoms, params, &mut Silent).unwrap();
        let radius = bound / 6f64.sqrt();
        let what = format!("{text}, {name}: {:?}", found.report);
        println!("{what}");
        assert_eq!(found.report.reason, projected::Reason::Converged, "{what}");
        let least = defined(&map, &data, text, map.lift(&found.theta).as_ref(), &found.offset);
        assert!((least - found.report.primal).abs() < 1e-12 * (1.0 + least), "{what}");
        assert!(found.report.dual <= least && least - found.report.dual <= 1e-4 * least, "{what}");
        // no other point of the balls is below the bound
        let (mut stream, k) = (Stream::new(5, 5, 5), found.theta.len());
        for i in 0..40 {
            let size = [1e-3, 1e-2, 0.1, 1.0][i % 4] * radius;
            let mut theta: Vec<f64> = found.theta.iter().map(|t| t + size * stream.normal()).collect();
            for j in 0..6 {
                let norm = (0..k).filter(|u| atoms[*u] == j).map(|u| theta[u] * theta[u]).sum::<f64>().sqrt();
                (0..k).filter(|u| atoms[*u] == j).for_each(|u| theta[u] *= (radius / norm).min(1.0));
            }
            let b: Vec<f64> = found.offset.iter().map(|b| b + size * stream.normal()).collect();
            assert!(defined(&map, &data, text, map.lift(&theta).as_ref(), &b) >= found.report.dual, "{what}");
        }
        for j in 0..6 {
            let own = found.theta.iter().zip(&atoms).filter(|(_, a)| **a == j);
            let norm = own.map(|(t, _)| t * t).sum::<f64>().sqrt();
            assert!(norm <= radius * (1.0 + 1e-12), "atom {j} has norm {norm}, at most {radius}");
        }
    }
}

fn resolved(kernel: &Kernel, p: usize) -> Kernel {
    kernel.resolve(&Seen { outputs: p, ..Seen::default() }).unwrap()
}

/// Rows of a batch, drawn with replacement.
fn batch(data: &Data, rows: usize, t: u64) -> Batch {
    let mut stream = Stream::new(77, 1, t);
    let pick: Vec<usize> = (0..rows).map(|_| stream.below(data.x.nrows())).collect();
    let some = |m: &Mat<f64>| Mat::from_fn(rows, m.ncols(), |i, k| m[(pick[i], k)]);
    let weights = data.weights.as_ref().map(|w| match w {
        Weights::Row(w) => Weights::Row(pick.iter().map(|i| w[*i]).collect()),
        Weights::Entry(w) => Weights::Entry(some(w)),
    });
    Batch { inputs: Inputs::Dense(some(&data.x)), outputs: some(&data.y), weights }
}

/// (1/W)Σwℓ + λ‖θ‖², as it is defined.
fn objective(map: &FeatureMap, data: &Data, loss: &dyn Loss, ridge: f64, theta: &[f64], b: &[f64]) -> f64 {
    let f = predict(map, map.lift(theta).as_ref(), b, &data.x);
    let (mut sum, mut total) = (0.0, 0.0);
    for i in 0..data.x.nrows() {
        let w = match &data.weights {
            Some(Weights::Row(w)) => w[i],
            _ => 1.0,
        };
        let (f, y): (Vec<f64>, Vec<f64>) =
            (f.row(i).iter().copied().collect(), data.y.row(i).iter().copied().collect());
        sum += w * loss.gradient(&f, &y, 0.0, &mut vec![0.0; f.len()]);
        total += w;
    }
    sum / total + ridge * theta.iter().map(|t| t * t).sum::<f64>()
}

/// Doubly stochastic gradients with capped atoms come within 1e-3 of the least objective of those atoms.
#[test]
fn doubly_stochastic_gradients_reach_the_minimum() {
    let battery = kernels();
    for (which, kind, loss, precondition, steps, limit) in [
        ("full", MapKind::Pairs, "squared", true, 5000, 1e-3),
        ("curl-free", MapKind::Pairs, "squared", true, 5000, 1e-3),
        ("helmholtz", MapKind::Phases, "squared", true, 5000, 1e-3),
        ("identity", MapKind::Pairs, "logistic", true, 5000, 1e-3),
        ("identity", MapKind::Pairs, "squared", false, 6000, 1e-3),
    ] {
        let (_, kernel, p) = battery.iter().find(|k| k.0 == which).unwrap();
        let loss: Named = loss.parse().unwrap();
        let data = problem(&loss, *p);
        let params =
            doubly::Params { features: 50, block: 20, ridge: 1e-2, kind, precondition, ..Default::default() };
        let mut learner = Doubly::new(resolved(kernel, *p), 3, &loss, params.clone()).unwrap();
        learner.step(&batch(&data, 128, 0)).unwrap();
        assert_eq!(learner.solution().unwrap().0.characters(), 20);
        for t in 1..steps {
            learner.step(&batch(&data, 128, t)).unwrap();
        }
        let (map, theta, b) = learner.solution().unwrap();
        assert_eq!(map.characters(), 50);
        let table = data.table();
        let exact = risk::Params { ridge: params.ridge, ..risk::Params::default() };
        let exact =
            minimise_risk(&Mapped::plain(&map, &table), &loss, exact, risk::Start::default(), &mut Silent).unwrap();
        let (found, least) = (objective(&map, &data, &loss, params.ridge, &theta, &b), exact.report.primal);
        println!(
            "{which}, {kind:?}, {loss}, preconditioned {precondition}: {found} against {least}: {:.1e}",
            found / least - 1.0
        );
        assert!(found >= least * (1.0 - 1e-9) && found <= least * (1.0 + limit), "{which}: {found}, least {least}");
    }
}

/// The features of all blocks estimate the kernel, and are the same whenever they are drawn.
#[test]
fn blocks_are_drawn_again_from_their_seeds() {
    let (_, kernel, p) = kernels().remove(4);
    let data = Data::new(40, p);
    let params = doubly::Params { features: 4000, block: 400, ..Default::default() };
    let run = || {
        let mut learner = Doubly::new(resolved(&kernel, p), 3, &Squared, params.clone()).unwrap();
        for t in 0..12 {
            learner.step(&batch(&data, 16, t)).unwrap();
        }
        learner.solution().unwrap()
    };
    let ((map, theta, b), again) = (run(), run());
    assert!(theta == again.1 && b == again.2);
    let (x, z) = ([0.1, -0.4, 0.3], [0.5, 0.2, 0.0]);
    let (estimate, exact) = (map.atoms().eval(&x, &z).unwrap(), kernel.eval(&x, &z).unwrap());
    assert!((estimate - &exact).norm_max() < 0.1, "2000 atoms are far from the kernel");
    let listed = Kernel::from(orff::kernel::Listed {
        omega: Matrix::new(Mat::from_fn(5, 3, |i, k| (i + k) as f64), "omega").unwrap(),
        factors: Matrix::new(Mat::from_fn(10, 1, |i, _| i as f64), "factors").unwrap(),
        weights: None,
    });
    let refused = Doubly::new(listed, 3, &Squared, params).err().unwrap().to_string();
    assert!(refused.contains("a kernel of given atoms"), "{refused}");
}

/// The recursion with every coefficient of every row written down.
#[test]
fn onorma_is_its_recursion() {
    for (which, text) in [("curl-free", "squared"), ("full", "pinball(0.8)"), ("identity", "logistic")] {
        let battery = kernels();
        let (_, kernel, p) = battery.iter().find(|k| k.0 == which).unwrap();
        let (kernel, p, loss): (_, _, Named) = (resolved(kernel, *p), *p, text.parse().unwrap());
        let data = problem(&loss, p);
        let params = online::Params { ridge: 0.2, step: 0.3, budget: 7 };
        let mut learner = Onorma::new(kernel.clone(), 3, &loss, params).unwrap();
        let point = |i: usize| -> Vec<f64> { data.x.row(i).iter().copied().collect() };
        let (mut all, mut alive): (Vec<Vec<f64>>, usize) = (Vec::new(), 0);
        for t in 0..25usize {
            let (x, y): (Vec<f64>, Vec<f64>) = (point(t), data.y.row(t).iter().copied().collect());
            let mut f = vec![0.0; p];
            for (i, u) in all.iter().enumerate().skip(alive) {
                let k = kernel.eval(&x, &point(i)).unwrap();
                (0..p).for_each(|s| f[s] += (0..p).map(|r| k[(s, r)] * u[r]).sum::<f64>());
            }
            let found = learner.predict(&x).unwrap();
            assert!(f.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12), "{which}, row {t}: {f:?}, {found:?}");
            let mut slope = vec![0.0; p];
            let value = loss.gradient(&f, &y, 0.0, &mut slope);
            assert!((learner.step(&x, &y).unwrap() - value).abs() < 1e-12);
            let eta = 0.3 / ((t + 1) as f64).sqrt();
            all.iter_mut().flatten().for_each(|u| *u *= 1.0 - eta * 0.2);
            all.push(slope.iter().map(|s| -eta * s).collect());
            alive = (t + 1).saturating_sub(7);
        }
        let (points, u) = learner.expansion();
        assert_eq!((points.nrows(), u.nrows(), learner.report().rows), (7, 7, 25));
        assert!((0..p).all(|t| (u[(0, t)] - all[18][t]).abs() < 1e-12));
    }
}

/// It learns: the mean loss of the last rows is well below that of the first ones.
#[test]
fn onorma_learns() {
    let (_, kernel, p) = kernels().remove(0);
    let data = Data::new(600, p);
    let mut learner =
        Onorma::new(resolved(&kernel, p), 3, &Squared, online::Params { step: 0.3, ..Default::default() }).unwrap();
    let part = |from: usize| {
        Table::new(data.x.subrows(from, 200).to_owned(), data.y.subrows(from, 200).to_owned()).unwrap().batched(7)
    };
    let losses: Vec<f64> = (0..3).map(|k| learner.pass(&part(200 * k), &mut Silent).unwrap()).collect();
    // f = 0 all along
    let nothing = data.y.squared_norm_l2() / 600.0;
    assert!(losses[2] < 0.75 * losses[0] && losses[2] < 0.4 * nothing, "{losses:?}, without learning {nothing}");
    let refused =
        Onorma::new(resolved(&kernel, p), 3, &Squared, online::Params { step: 200.0, ..Default::default() });
    assert!(refused.err().unwrap().to_string().contains("below 1/ridge"));
}

/// Stops after so many rows.
struct After(u64);

impl Watch for After {
    fn advance(&mut self, done: u64) -> orff::Result<()> {
        self.0 = self.0.checked_sub(done).ok_or(orff::Error::Interrupted)?;
        Ok(())
    }
}

/// A pass is its steps, and an interrupt leaves those that were taken.
#[test]
fn passes_are_steps_and_can_be_interrupted() {
    let (_, kernel, p) = kernels().remove(0);
    let (kernel, data) = (resolved(&kernel, p), Data::new(100, p));
    let rows = Table::new(data.x.clone(), data.y.clone()).unwrap();
    let params = doubly::Params { features: 20, block: 10, ..doubly::Params::default() };
    let doubly = || Doubly::new(kernel.clone(), 3, &Squared, params.clone()).unwrap();
    let (mut whole, mut stopped, mut steps) = (doubly(), doubly(), doubly());
    whole.pass(&rows, 16, &mut Silent).unwrap();
    assert_eq!(whole.steps(), 7);
    assert!(matches!(stopped.pass(&rows, 16, &mut After(40)), Err(orff::Error::Interrupted)));
    let all = Batch { inputs: Inputs::Dense(data.x.clone()), outputs: data.y.clone(), weights: None };
    for t in 0..3 {
        steps.step(&all.slice(16 * t, 16 * t + 16)).unwrap();
    }
    assert_eq!((stopped.steps(), stopped.solution().unwrap().1), (3, steps.solution().unwrap().1));

    let online = || Onorma::new(kernel.clone(), 3, &Squared, online::Params::default()).unwrap();
    let (mut stopped, mut steps) = (online(), online());
    assert!(matches!(stopped.pass(&rows, &mut After(9)), Err(orff::Error::Interrupted)));
    for i in 0..10 {
        let row = |m: &Mat<f64>| -> Vec<f64> { m.row(i).iter().copied().collect() };
        steps.step(&row(&data.x), &row(&data.y)).unwrap();
    }
    assert_eq!(stopped.expansion(), steps.expansion());
}
