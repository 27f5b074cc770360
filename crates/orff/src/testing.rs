//! The test-kit: one call tells whether a spectrum, a kernel, an operator, a loss, a solver or a learner is what it says it is. An error is
//! a sentence with the numbers in it.

use crate::error::Error;
use crate::feature::{Characters, FeatureMap, MapKind};
use crate::kernel::{Kernel, Matrix, Seen, SumDraw};
use crate::linalg;
use crate::random::Stream;
use crate::rows::{Batch, Inputs, Weights};
use crate::spectrum::{Draw, DrawKind, Measure};

pub use crate::spectrum::check_spectrum;
mod learner;
mod loss;
pub use learner::check_learner;
pub use loss::check_loss;

use faer::{Mat, MatRef};

/// Independent repetitions of a random estimate.
const SEEDS: u64 = 120;
/// Atoms of each.
const ATOMS: usize = 12;
/// Largest |z| of an estimate that passes: an unbiased one exceeds it once in two million.
const LARGEST_Z: f64 = 5.0;
/// Purpose of the streams that make test data.
const DATA: u64 = 0x7465_7374;

const KINDS: [DrawKind; 4] = [DrawKind::Iid, DrawKind::Orthogonal, DrawKind::QuasiMonteCarlo, DrawKind::Structured];
const MEASURES: [Measure; 3] = [Measure::Plain, Measure::Trace, Measure::Tilted];

/// The mean of matrices and how sure it is.
struct Estimate {
    count: f64,
    sum: Mat<f64>,
    square: Mat<f64>,
}

impl Estimate {
    fn new(rows: usize, cols: usize) -> Self {
        Estimate { count: 0.0, sum: Mat::zeros(rows, cols), square: Mat::zeros(rows, cols) }
    }

    fn add(&mut self, value: &Mat<f64>) {
        self.count += 1.0;
        self.sum += value;
        self.square += Mat::from_fn(value.nrows(), value.ncols(), |i, j| value[(i, j)] * value[(i, j)]);
    }

    /// The largest |z| over the entries: (mean − exact) in standard errors, none smaller than rounding.
    fn largest_z(&self, exact: &Mat<f64>) -> f64 {
        let rounding = 1e-12 * (1.0 + exact.norm_max());
        let mut largest = 0.0;
        for j in 0..exact.ncols() {
            for i in 0..exact.nrows() {
                let mean = self.sum[(i, j)] / self.count;
                let variance = (self.square[(i, j)] / self.count - mean * mean).max(0.0) / (self.count - 1.0);
                let z = (mean - exact[(i, j)]).abs() / variance.sqrt().max(rounding);
                largest = if exceeds(z, largest) { z } else { largest };
            }
        }
        largest
    }
}

/// Generic points: no zero, no symmetry.
fn points(count: usize, d: usize) -> Vec<Vec<f64>> {
    let point = |i: usize| {
        let mut stream = Stream::new(17, DATA, i as u64);
        (0..d).map(|_| 0.8 * stream.normal()).collect()
    };
    (0..count).map(point).collect()
}

type Refused = Vec<(DrawKind, Measure)>;

/// Every draw that the kernel allows, and those it refuses.
fn draws(mut allowed: impl FnMut(&Draw) -> Result<(), Error>) -> Result<(Vec<Draw>, Refused), String> {
    let (mut list, mut refused) = (Vec::new(), Vec::new());
    for kind in KINDS {
        for measure in MEASURES {
            let how = Draw { kind, measure, seed: 0, purpose: 0 };
            match allowed(&how) {
                Ok(()) => list.push(how),
                Err(Error::Refused { .. }) => refused.push((kind, measure)),
                Err(other) => return Err(format!("draw {kind}, measure {measure}: {other}")),
            }
        }
    }
    if list.is_empty() {
        return Err("every draw is refused".into());
    }
    Ok((list, refused))
}

/// Larger than the limit, or not a number.
fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// What a check of a kernel saw.
#[derive(Clone, Debug)]
pub struct KernelCheck {
    /// The largest |z|.
    pub z: f64,
    /// The draws and measures that the kernel refuses.
    pub refused: Vec<(DrawKind, Measure)>,
}

/// Checks a kernel of d inputs and p outputs: K(x,z) = K(z,x)ᵀ; a positive semi-definite Gram matrix; ΦᵀΦ of both
/// feature maps against the exact value by z-score, for every draw, measure and sharing of atoms that is allowed;
/// ΦᵀΦ of pairs equal to the atoms' own sum; the prefix property of atoms; its JSON form reads back as itself.
///
/// What is left open in the kernel is resolved from made-up outputs. A draw that is refused is not checked, so the
/// caller compares the refusals with those that are meant.
///
/// ```
/// use orff::kernel::Kernel;
/// use orff::spectrum::Spectrum;
/// let seen = orff::testing::check_kernel(&Kernel::curl_free(Spectrum::default()), 2, 2)?;
/// assert!(seen.refused.is_empty());
/// // curl-free fields have as many outputs as inputs
/// assert!(orff::testing::check_kernel(&Kernel::curl_free(Spectrum::default()), 2, 3).is_err());
/// # Ok::<(), String>(())
/// ```
pub fn check_kernel(kernel: &Kernel, d: usize, p: usize) -> Result<KernelCheck, String> {
    let sample = Mat::from_fn(40, p, |i, t| {
        Stream::new(19, DATA, (i * p + t) as u64).normal() + 0.5 * Stream::new(23, DATA, i as u64).normal()
    });
    let seen = Seen { outputs: p, sample: Some(sample.as_ref()), lengthscale: Some(0.8), gradient: None };
    for kernel in [kernel, &kernel.resolve(&seen).map_err(text)?] {
        let json = serde_json::to_string(kernel).map_err(text)?;
        if serde_json::from_str::<Kernel>(&json).map_err(text)? != *kernel {
            return Err(format!("{json} does not read back as the same kernel"));
        }
    }
    let kernel = kernel.resolve(&seen).map_err(text)?;
    check_exact(&kernel, d, p)?;
    // the atoms of a transformable kernel live on its views
    let inner = kernel.views().map_or(d, |views| views[0].mat().nrows());
    let mut check = KernelCheck { z: 0.0, refused: Vec::new() };
    for sum in [SumDraw::Concatenation, SumDraw::Mixture] {
        if sum == SumDraw::Mixture && !matches!(kernel, Kernel::Sum(_)) {
            continue;
        }
        let (allowed, refused) = draws(|how| kernel.draw(inner, ATOMS, how, sum).map(drop))?;
        if sum == SumDraw::Mixture && refused != check.refused {
            return Err(format!("a mixture refuses {refused:?}, a concatenation {:?}", check.refused));
        }
        check.refused = refused;
        for how in allowed {
            let what = format!("draw {}, measure {}, sum {sum:?}", how.kind, how.measure);
            check_prefix(&kernel, inner, &how, sum).map_err(|e| format!("{what}: {e}"))?;
            for kind in [MapKind::Pairs, MapKind::Phases] {
                let z = z_of_map(&kernel, (d, inner, p), kind, &how, sum).map_err(|e| format!("{what}: {e}"))?;
                if exceeds(z, LARGEST_Z) {
                    return Err(format!("{what}, map {kind:?}: ΦᵀΦ is {z:.1} standard errors from the exact kernel"));
                }
                check.z = check.z.max(z);
            }
        }
    }
    Ok(check)
}

fn check_exact(kernel: &Kernel, d: usize, p: usize) -> Result<(), String> {
    let x = points(5, d);
    let mut gram = Mat::<f64>::zeros(5 * p, 5 * p);
    for (a, left) in x.iter().enumerate() {
        for (b, right) in x.iter().enumerate() {
            let (k, back) = (kernel.eval(left, right).map_err(text)?, kernel.eval(right, left).map_err(text)?);
            if k.nrows() != p || k.ncols() != p {
                return Err(format!("K(x,z) is {}×{}, expected {p}×{p}", k.nrows(), k.ncols()));
            }
            if !linalg::is_finite(k.as_ref()) || !linalg::is_finite(back.as_ref()) {
                return Err(format!("K(x,z) has entries that are not finite at {left:?}, {right:?}"));
            }
            let gap = (&k - back.transpose()).norm_max();
            if exceeds(gap, 1e-13 * k.norm_max()) {
                return Err(format!("K(x,z) and K(z,x)ᵀ differ by {gap:.1e}"));
            }
            (0..p).for_each(|i| (0..p).for_each(|j| gram[(a * p + i, b * p + j)] = k[(i, j)]));
        }
    }
    let e = linalg::eigen(gram.as_ref()).map_err(text)?;
    let (low, high) = (e.values[0], e.values[5 * p - 1]);
    if exceeds(-low, 1e-10 * high) {
        return Err(format!("the Gram matrix has eigenvalues from {low:.2e} to {high:.2e}"));
    }
    Ok(())
}

/// Every block of a draw of 2D atoms starts with the block of the draw of D.
fn check_prefix(kernel: &Kernel, inner: usize, how: &Draw, sum: SumDraw) -> Result<(), String> {
    let draw = |count| kernel.draw(inner, count, how, sum).map_err(text);
    let (short, long) = (draw(ATOMS)?, draw(2 * ATOMS)?);
    let same = short.blocks.iter().all(|few| {
        long.blocks.iter().any(|many| {
            let cut = many.prefix(few.count());
            let total = few
                .weight
                .iter()
                .zip(&many.weight)
                .all(|(a, b)| (a / b - few.weight[0] / many.weight[0]).abs() < 1e-12);
            few.omega.to_dense() == cut.omega.to_dense()
                && total
                && (0..few.count()).all(|j| few.factor(j) == cut.factor(j))
        })
    });
    if same { Ok(()) } else { Err(format!("the first {ATOMS} atoms of {} are not the {ATOMS} atoms", 2 * ATOMS)) }
}

fn z_of_map(
    kernel: &Kernel,
    (d, inner, p): (usize, usize, usize),
    kind: MapKind,
    how: &Draw,
    sum: SumDraw,
) -> Result<f64, String> {
    let x = points(3, d);
    let pairs = [(0, 1), (1, 2), (2, 2)];
    let mut estimates: Vec<_> = pairs.iter().map(|_| Estimate::new(p, p)).collect();
    for seed in 0..SEEDS {
        let how = Draw { seed, ..how.clone() };
        let features = if kind == MapKind::Pairs { 2 * ATOMS } else { ATOMS };
        let map = FeatureMap::draw(kernel, inner, features, kind, &how, sum).map_err(text)?;
        let phi: Vec<Mat<f64>> = x.iter().map(|x| features_of(&map, kernel.views(), x)).collect();
        for (&(a, b), estimate) in pairs.iter().zip(&mut estimates) {
            let value = phi[a].transpose() * &phi[b];
            if kind == MapKind::Pairs && kernel.views().is_none() {
                let atoms = map.atoms().eval(&x[a], &x[b]).map_err(text)?;
                let gap = (&value - &atoms).norm_max();
                let finite = linalg::is_finite(value.as_ref()) && linalg::is_finite(atoms.as_ref());
                if !finite || exceeds(gap, 1e-12 * (1.0 + atoms.norm_max())) {
                    return Err(format!("ΦᵀΦ differs from the sum over atoms by {gap:.1e}"));
                }
            }
            estimate.add(&value);
        }
    }
    let mut largest: f64 = 0.0;
    for (&(a, b), estimate) in pairs.iter().zip(&estimates) {
        let z = estimate.largest_z(&kernel.eval(&x[a], &x[b]).map_err(text)?);
        largest = if exceeds(z, largest) { z } else { largest };
    }
    Ok(largest)
}

/// Φ(x), K×p, one column per output.
fn features_of(map: &FeatureMap, views: Option<&[Matrix]>, x: &[f64]) -> Mat<f64> {
    let row = |x: &[f64]| {
        let mut c = Characters::new(map.characters());
        map.fill(&Inputs::Dense(Mat::from_fn(1, x.len(), |_, k| x[k])), &mut c);
        c.as_mat().to_owned()
    };
    match views {
        None => {
            let (c, factors, of) = (row(x), map.stacked_factors(), map.character_of_unknown());
            Mat::from_fn(of.len(), factors.ncols(), |k, t| factors[(k, t)] * c[(0, of[k])])
        }
        Some(views) => {
            let amplitudes = map.amplitudes();
            let seen: Vec<_> = views
                .iter()
                .map(|t| {
                    let t = t.mat();
                    let view: Vec<f64> =
                        (0..t.nrows()).map(|i| (0..t.ncols()).map(|k| t[(i, k)] * x[k]).sum()).collect();
                    row(&view)
                })
                .collect();
            Mat::from_fn(amplitudes.len(), views.len(), |m, t| amplitudes[m] * seen[t][(0, m)])
        }
    }
}

/// The dot test: ⟨Aθ, y⟩ = ⟨θ, Aᵀy⟩ for random θ (`inputs` numbers) and y (`outputs` numbers), to rounding.
///
/// ```
/// let turn = |v: &[f64]| vec![v[1], -v[0], 2.0 * v[0]];
/// let back = |y: &[f64]| vec![-y[1] + 2.0 * y[2], y[0]];
/// orff::testing::check_operator(2, 3, turn, back)?;
/// assert!(orff::testing::check_operator(2, 3, turn, |y| vec![y[1], y[0]]).is_err());
/// # Ok::<(), String>(())
/// ```
pub fn check_operator(
    inputs: usize,
    outputs: usize,
    mut apply: impl FnMut(&[f64]) -> Vec<f64>,
    mut adjoint: impl FnMut(&[f64]) -> Vec<f64>,
) -> Result<(), String> {
    let vector = |n: usize, which: u64| -> Vec<f64> {
        let mut stream = Stream::new(which, DATA, n as u64);
        (0..n).map(|_| stream.normal()).collect()
    };
    for trial in 0..3 {
        let (theta, y) = (vector(inputs, 2 * trial), vector(outputs, 2 * trial + 1));
        let (forward, back) = (apply(&theta), adjoint(&y));
        if forward.len() != outputs || back.len() != inputs {
            let given = (forward.len(), back.len());
            return Err(format!("A gives {} numbers, Aᵀ {}; expected {outputs} and {inputs}", given.0, given.1));
        }
        let (left, right) = (linalg::dot(&forward, &y), linalg::dot(&theta, &back));
        let norm = |v: &[f64]| linalg::dot(v, v).sqrt();
        let scale = norm(&forward) * norm(&y) + norm(&theta) * norm(&back);
        if exceeds((left - right).abs(), 1e-12 * scale) {
            return Err(format!("⟨Aθ, y⟩ = {left} but ⟨θ, Aᵀy⟩ = {right}"));
        }
    }
    Ok(())
}

/// Checks a ridge solution f(x) = Zᵀc(x) + b against the normal equations on the rows themselves: with residuals
/// e = w(y − f) over the observed entries, nλZ = lift(lower(cᵀe)) and, if an offset was learned, Σe = 0; n is the
/// weight of all rows with an observed output. Inputs are prepared ones; λ > 0. Returns the relative error.
///
/// ```
/// use faer::Mat;
/// use orff::feature::{Characters, FeatureMap, MapKind, Moments};
/// use orff::kernel::{Kernel, SumDraw};
/// use orff::rows::{Batch, Inputs};
/// use orff::solve::{Centred, System, solve_direct};
/// use orff::spectrum::{Draw, Spectrum};
///
/// let kernel = Kernel::curl_free(Spectrum::default().with_lengthscale(1.0.into()));
/// let map = FeatureMap::draw(&kernel, 2, 10, MapKind::Pairs, &Draw::default(), SumDraw::default())?;
/// let x = Inputs::Dense(Mat::from_fn(30, 2, |i, k| (i as f64 * 0.3 + k as f64).sin()));
/// let y = Mat::from_fn(30, 2, |i, k| (i as f64 * 0.1 - k as f64).cos());
/// let (mut c, mut moments) = (Characters::new(10), Moments::new(10, 2));
/// map.fill(&x, &mut c);
/// moments.add(&c, y.as_ref(), None)?;
/// let system = System::new(&map, &Centred::all(&moments, false), None)?;
/// let solution = solve_direct(&map, &system, 0.01, false)?;
/// let rows = Batch { inputs: x, outputs: y, weights: None };
/// orff::testing::check_solver(&map, &rows, 0.01, solution.table.as_ref(), None).unwrap();
/// # Ok::<(), orff::Error>(())
/// ```
pub fn check_solver(
    map: &FeatureMap,
    rows: &Batch,
    ridge: f64,
    table: MatRef<f64>,
    offset: Option<&[f64]>,
) -> Result<f64, String> {
    let (n, p, m) = (rows.outputs.nrows(), rows.outputs.ncols(), map.characters());
    if table.nrows() != m || table.ncols() != p {
        return Err(format!("Z is {}×{}, expected {m}×{p}", table.nrows(), table.ncols()));
    }
    if !linalg::is_finite(table) || offset.is_some_and(|b| b.iter().any(|v| !v.is_finite())) {
        return Err("the solution has entries that are not finite".into());
    }
    let mut c = Characters::new(m);
    map.fill(&rows.inputs, &mut c);
    let weight = |i: usize, t: usize| match &rows.weights {
        _ if rows.outputs[(i, t)].is_nan() => 0.0,
        None => 1.0,
        Some(Weights::Row(w)) => w[i],
        Some(Weights::Entry(w)) => w[(i, t)],
    };
    let total: f64 = (0..n)
        .map(|i| {
            let seen: Vec<f64> = (0..p).map(|t| weight(i, t)).filter(|w| *w > 0.0).collect();
            seen.iter().sum::<f64>() / seen.len().max(1) as f64
        })
        .sum();
    let f = c.as_mat() * table;
    let entry = |i: usize, t: usize, f: f64| match weight(i, t) {
        0.0 => 0.0,
        w => w * (rows.outputs[(i, t)] - f - offset.map_or(0.0, |b| b[t])),
    };
    let residual = Mat::from_fn(n, p, |i, t| entry(i, t, f[(i, t)]));
    let plain = Mat::from_fn(n, p, |i, t| entry(i, t, 0.0));
    let through = |e: &Mat<f64>| map.lift(&map.lower((c.as_mat().transpose() * e).as_ref()));
    let scale = through(&plain).norm_max().max(f64::MIN_POSITIVE);
    let error = (faer::Scale(total * ridge) * table - through(&residual)).norm_max() / scale;
    if exceeds(error, 1e-8) {
        return Err(format!("nλZ and lift(lower(cᵀe)) differ by {error:.1e} of the right-hand side"));
    }
    if offset.is_some() {
        for t in 0..p {
            let sum: f64 = residual.col(t).iter().sum();
            let size: f64 = plain.col(t).iter().map(|v| v.abs()).sum();
            if exceeds(sum.abs(), 1e-9 * size) {
                return Err(format!("output {}: the residuals sum to {sum:.1e}, expected 0", t + 1));
            }
        }
    }
    Ok(error)
}
