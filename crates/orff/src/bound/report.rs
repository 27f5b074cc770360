//! What the theory says of a model that was fitted, from its own atoms and norms.

use super::{
    Bound, Constants, Fitted, Generalisation, Guarantee, Pairs, Scope, Setting, bounds, guarantees, setting,
};
use crate::error::{Error, Result};
use crate::feature::{FeatureMap, MapKind};
use crate::linalg;
use crate::model::{Alignment, Body, Code, Linear, Model};
use crate::random::Stream;
use crate::rows::{Batch, Rows, Table};
use crate::series::{Series, Transitions};
use crate::spectrum::Measure;
use crate::watch::Watch;
use faer::Mat;
use serde::Serialize;

/// Purpose of the stream that chooses rows.
const SAMPLE: u64 = 0x7265_706f_7274;
/// Pairs of rows whose kernels are compared.
const PAIRS: usize = 512;

/// How well the features of a model approximate its kernel on its rows.
#[derive(Clone, Debug, Serialize)]
pub struct Approximation {
    /// Which kernel: that of the model (before it is warped), that of its inputs where outputs are curves, or the learned one of all
    /// candidates.
    pub of: &'static str,
    /// ‖K(x,x)‖.
    pub scale: f64,
    /// The tightest bound of the error for all pairs of rows, which fails with at most the given probability, and its name; for
    /// independent draws of as many atoms.
    pub bound: Option<(f64, &'static str)>,
    /// The largest error ‖K̂ − K‖ that was seen among pairs of rows.
    pub measured: f64,
    /// Diameter of the rows in the kernel's coordinates, at most.
    pub diameter: f64,
}

/// Approximation and generalisation of a fitted model, each with the reason where there is none.
#[derive(Clone, Debug)]
pub struct Report {
    /// Of the kernel by the features.
    pub approximation: Result<Approximation, String>,
    /// Of the expected loss by the mean one: what went in, and the bounds.
    pub generalisation: Result<(Fitted, Generalisation), String>,
    /// Of the expected alignment loss of a learned kernel; empty where none was learned.
    pub alignment: Vec<Guarantee>,
}

impl Report {
    /// One pass over the rows a model was learned from; bounds fail with at most this probability each. Cost n·M·p.
    pub fn of(model: &Model, rows: &dyn Rows, probability: f64, watch: &mut dyn Watch) -> Result<Self> {
        let Body::Linear(linear) = &model.body else {
            let why = "the model has no random features".to_string();
            return Ok(Report { approximation: Err(why.clone()), generalisation: Err(why), alignment: Vec::new() });
        };
        if !linear.preparation.views.is_empty() {
            let why = "the kernel has views".to_string();
            return Ok(Report { approximation: Err(why.clone()), generalisation: Err(why), alignment: Vec::new() });
        }
        let code = model.info.classes.as_ref().map(|classes| (classes.code, classes.names.len()));
        let mut seen = Seen { judged: is_ridge(model, linear), code, ..Seen::default() };
        watch.stage("report");
        for batch in rows.batches()? {
            let batch = batch?;
            seen.add(linear, &batch)?;
            watch.advance(batch.inputs.nrows() as u64)?;
        }
        if seen.rows == 0 {
            return Err(Error::Data("no rows to report on".into()));
        }
        let said = |e: Error| e.to_string();
        Ok(Report {
            approximation: approximation(model, linear, &seen, probability).map_err(said),
            generalisation: generalisation(model, linear, &seen, probability).map_err(said),
            alignment: match &model.alignment {
                None => Vec::new(),
                Some(alignment) => guarantees(alignment, probability)?,
            },
        })
    }

    /// Of a model of a series, by the rows before and after each step. They depend on each other: nothing is said of the expected loss.
    pub fn of_series(model: &Model, series: &Series, probability: f64, watch: &mut dyn Watch) -> Result<Self> {
        let Transitions { inputs, outputs, .. } = model.transitions(series)?;
        Report::of(model, &Table::new(inputs, outputs)?, probability, watch)
    }
}

/// What a pass over the rows leaves, in the coordinates of the kernel and the units of the solution.
#[derive(Default)]
struct Seen {
    /// Whether losses are looked at.
    judged: bool,
    /// How outputs stand for classes, and how many these are.
    code: Option<(Code, usize)>,
    rows: u64,
    missing: bool,
    weighted: bool,
    /// Σ½‖y − f(x)‖².
    loss: f64,
    /// max ‖y‖².
    largest: f64,
    /// max ‖u‖².
    radius: f64,
    low: Vec<f64>,
    high: Vec<f64>,
    /// Some rows, each with the same chance.
    sample: Vec<Vec<f64>>,
}

impl Seen {
    fn add(&mut self, linear: &Linear, batch: &Batch) -> Result<()> {
        let u = linear.preparation.prepare(&batch.inputs, 1)?.into_dense();
        let (p, d) = (linear.outputs(), u.ncols());
        let coded = self.code.map(|(code, classes)| targets(&batch.outputs, code, classes));
        let y = coded.as_ref().unwrap_or(&batch.outputs);
        let judged = self.judged && y.ncols() == p;
        let f = match judged {
            true => linear.predict(&batch.inputs, crate::model::Query::default())?.mean,
            false => Mat::new(),
        };
        if self.low.is_empty() {
            (self.low, self.high) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
        }
        self.weighted |= batch.weights.is_some();
        for i in 0..u.nrows() {
            let row: Vec<f64> = u.row(i).iter().copied().collect();
            self.radius = self.radius.max(row.iter().map(|v| v * v).sum());
            for (k, v) in row.iter().enumerate() {
                (self.low[k], self.high[k]) = (self.low[k].min(*v), self.high[k].max(*v));
            }
            if judged {
                let unit = |t: usize, v: f64| v / linear.output_scale[t];
                let squares = |value: &dyn Fn(usize) -> f64| (0..p).map(|t| unit(t, value(t)).powi(2)).sum::<f64>();
                self.loss += 0.5 * squares(&|t| y[(i, t)] - f[(i, t)]);
                self.largest = self.largest.max(squares(&|t| y[(i, t)] - linear.offset[t]));
                self.missing |= (0..p).any(|t| y[(i, t)].is_nan());
            } else {
                self.missing = true;
            }
            let place = Stream::new(0, SAMPLE, self.rows).below(self.rows as usize + 1);
            if self.sample.len() < 2 * PAIRS {
                self.sample.push(row);
            } else if place < 2 * PAIRS {
                self.sample[place] = row;
            }
            self.rows += 1;
        }
        Ok(())
    }

    /// The rows are in a ball about the origin and in a box.
    fn diameter(&self) -> f64 {
        let sides = self.low.iter().zip(&self.high).map(|(l, h)| (h - l) * (h - l)).sum::<f64>().sqrt();
        sides.min(2.0 * self.radius.sqrt()).max(1e-9)
    }

    /// Pairs of rows (x, z), of one row the row with itself.
    fn pairs(&self) -> (Mat<f64>, Mat<f64>) {
        let half = self.sample.len() / 2;
        let points = |from: usize| Mat::from_fn(half.max(1), self.low.len(), |i, k| self.sample[from + i][k]);
        (points(0), points(half))
    }
}

fn approximation(model: &Model, linear: &Linear, seen: &Seen, probability: f64) -> Result<Approximation> {
    if let Some(alignment) = &model.alignment {
        return learned(alignment, linear, seen, probability);
    }
    let kernel = model.info.training.kernel.clone();
    let kernel = kernel.ok_or_else(|| Error::Data("the model does not know its kernel".into()))?;
    let d = linear.map.atoms().inputs();
    let (x, z) = seen.pairs();
    let measured = Pairs::new(&kernel, x, z)?.error(&linear.map)?;
    let zero = vec![0.0; d];
    let scale = super::constants::spectral_norm(&kernel.eval(&zero, &zero)?)?;
    let word = model.info.params.get("measure").and_then(|v| v.as_str()).unwrap_or("trace");
    let setting = Setting {
        measure: word.parse().unwrap_or(Measure::Trace),
        map: linear.map.kind(),
        sum: model.info.params.get("sum").and_then(|v| serde_json::from_value(v.clone()).ok()).unwrap_or_default(),
        ..Setting::new(kernel, d, seen.diameter())
    };
    let found = bounds(&setting).map(|found| found.bounds).unwrap_or_default();
    let bound = tightest(&found, linear, probability)?;
    let of = match (&model.curves, &linear.warp) {
        (Some(_), _) => "the kernel of the inputs",
        (None, Some(_)) => "the kernel before it is warped",
        (None, None) => "the kernel",
    };
    Ok(Approximation { of, scale, bound, measured, diameter: setting.diameter })
}

/// The least ε of all pairs of points for as many atoms, and the name of its theorem.
fn tightest(found: &[Bound], linear: &Linear, probability: f64) -> Result<Option<(f64, &'static str)>> {
    let atoms = linear.map.atoms().count() as u64;
    let mut best: Option<(f64, &'static str)> = None;
    for bound in found.iter().filter(|b| b.scope == Scope::Uniform) {
        let epsilon = bound.epsilon(atoms, probability)?;
        if let Some(e) = epsilon.filter(|e| best.is_none_or(|(least, _)| *e < least)) {
            best = Some((e, bound.name));
        }
    }
    Ok(best)
}

/// Of k(0)Σq cos⟨ω, δ⟩Γ over all candidates by the atoms that were kept. Independent draws from q are atoms of one law with A = Γ; they
/// are at least as many as the different ones.
fn learned(alignment: &Alignment, linear: &Linear, seen: &Seen, probability: f64) -> Result<Approximation> {
    let kept = linear.map.atoms();
    let factor = kept.shared_factor().filter(|_| alignment.landmarks.is_none()).ok_or_else(|| {
        Error::Data("kernels about landmarks keep all of their candidates: they approximate no other".into())
    })?;
    let mass: f64 = kept.blocks.iter().flat_map(|block| &block.weight).sum();
    let mut all = alignment.about.candidates.atoms(kept.inputs())?;
    let mut q = alignment.posterior.iter();
    let (mut omega, mut first, mut second) = (vec![0.0; kept.inputs()], 0.0, 0.0);
    for block in &mut all.blocks {
        for j in 0..block.count() {
            let q = q.next().copied().unwrap_or(0.0);
            block.omega.row(j, &mut omega);
            let square: f64 = omega.iter().map(|w| w * w).sum();
            (first, second) = (first + q * square.sqrt(), second + q * square);
            block.weight[j] = mass * q;
        }
    }
    let gamma = faer::Scale(mass) * (factor * factor.transpose());
    let constants = Constants::fixed(&gamma, (first, second), kept.inputs(), seen.diameter())?;
    let (x, z) = seen.pairs();
    let pairs = Pairs::of_atoms(FeatureMap::of(all, MapKind::Pairs, 0), x, z)?;
    let found = match linear.map.kind() {
        MapKind::Pairs => setting::uniform(&constants),
        MapKind::Phases => Vec::new(), // they depend on x and z apart
    };
    Ok(Approximation {
        of: "the learned kernel of all candidates by those that were kept",
        scale: constants.norm,
        bound: tightest(&found, linear, probability)?,
        measured: constants.norm / mass * pairs.error(&linear.map)?,
        diameter: constants.diameter,
    })
}

/// The outputs (n×p) that stand for classes (n×1); NaN where a row has none, no column where rows have no class.
fn targets(classes: &Mat<f64>, code: Code, count: usize) -> Mat<f64> {
    if classes.ncols() != 1 {
        return Mat::zeros(classes.nrows(), 0);
    }
    let known = |i: usize| classes[(i, 0)] >= 0.0 && classes[(i, 0)] < count as f64;
    let of: Vec<usize> = (0..classes.nrows()).map(|i| if known(i) { classes[(i, 0)] as usize } else { 0 }).collect();
    let codes = code.targets(&of, count);
    Mat::from_fn(codes.nrows(), codes.ncols(), |i, t| if known(i) { codes[(i, t)] } else { f64::NAN })
}

/// Whether bounds of the expected loss are written down for it.
fn is_ridge(model: &Model, linear: &Linear) -> bool {
    let loss = model.info.params.get("loss").and_then(|l| l.as_str()).unwrap_or("squared");
    let ridge = matches!(model.info.learner.as_str(), "regression" | "field" | "classification");
    ridge && linear.warp.is_none() && loss == "squared"
}

fn generalisation(model: &Model, linear: &Linear, seen: &Seen, probability: f64) -> Result<(Fitted, Generalisation)> {
    let what = "a bound of the expected loss";
    if model.series.is_some() {
        let why = "it is for independent rows, and the rows of a series depend on those before them";
        return Err(Error::refused(what, why));
    }
    if !is_ridge(model, linear) {
        return Err(Error::refused(what, "it is written down for ridge regression with the squared loss"));
    }
    let classes_weigh = model.info.params.get("class_weight").is_some_and(|w| !w.is_null());
    if seen.missing || seen.weighted || classes_weigh {
        return Err(Error::refused(what, "it is for rows without weights whose outputs are all known"));
    }
    let gram = diagonal(&linear.map);
    let e = linalg::eigen(gram.as_ref())?.values;
    let fitted = Fitted {
        rows: seen.rows,
        ridge: model.info.training.ridge,
        kappa: e.last().copied().unwrap_or(0.0),
        trace: e.iter().sum(),
        largest: seen.largest.sqrt(),
        norm: norm(linear)?,
        risk: seen.loss / seen.rows as f64,
    };
    Ok((fitted, Generalisation::of(&fitted, probability)?))
}

/// Σaⱼ BⱼBⱼᵀ (p×p): K̂(x,x) of pairs, which phases exceed at most twice.
fn diagonal(map: &FeatureMap) -> Mat<f64> {
    let p = map.atoms().outputs();
    let mut sum = Mat::zeros(p, p);
    map.each_factor(|_, a, b| sum += faer::Scale(a * a) * (b * b.transpose()));
    // a cosine and its sine count once
    let share = if map.kind() == MapKind::Pairs { 0.5 } else { 1.0 };
    faer::Scale(share) * sum
}

/// ‖θ‖ of the smallest θ with lift(θ) = Z: Σ zᵀ(aBBᵀ)⁺z over the characters, in the units of the solution. Cost M·p·r².
fn norm(linear: &Linear) -> Result<f64> {
    let p = linear.outputs();
    let (mut sum, mut failed) = (0.0, None);
    linear.map.each_factor(|m, a, b| {
        let z: Vec<f64> = (0..p).map(|t| linear.table[(m, t)] / linear.output_scale[t]).collect();
        // BᵀB = V s²Vᵀ: zᵀ(BBᵀ)⁺z = ‖s⁻² VᵀBᵀz‖²
        let inner: Vec<f64> = (0..b.ncols()).map(|k| (0..p).map(|t| b[(t, k)] * z[t]).sum()).collect();
        match linalg::eigen((b.transpose() * b).as_ref()) {
            Err(error) => failed = Some(error),
            Ok(e) => {
                let largest = e.values.last().copied().unwrap_or(0.0);
                for (k, s2) in e.values.iter().enumerate().filter(|(_, s2)| **s2 > 1e-12 * largest) {
                    let v: f64 = (0..inner.len()).map(|i| e.vectors[(i, k)] * inner[i]).sum();
                    sum += (v / (s2 * a)).powi(2);
                }
            }
        }
    });
    failed.map_or(Ok(sum.sqrt()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, SumDraw};
    use crate::spectrum::{Draw, Gaussian};

    #[test]
    fn norms_are_those_of_the_unknowns() {
        let gaussian = || Gaussian { lengthscale: 0.5.into() }.into();
        for kernel in
            [Kernel::curl_free(gaussian()), Kernel::div_free(gaussian()), Kernel::helmholtz(gaussian(), 0.3)]
        {
            for kind in [MapKind::Pairs, MapKind::Phases] {
                let map = FeatureMap::draw(&kernel, 3, 20, kind, &Draw::default(), SumDraw::default()).unwrap();
                let theta: Vec<f64> = (0..map.unknowns()).map(|k| (k as f64).sin()).collect();
                let scale = [2.0, 2.0, 2.0];
                let table = faer::Scale(2.0) * map.lift(&theta);
                let linear = Linear {
                    preparation: crate::model::Preparation::plain(3),
                    table,
                    offset: vec![0.0; 3],
                    noise: Mat::identity(3, 3),
                    output_scale: scale.to_vec(),
                    posterior: Default::default(),
                    warp: None,
                    map,
                };
                let expected = theta.iter().map(|t| t * t).sum::<f64>().sqrt();
                assert!((norm(&linear).unwrap() - expected).abs() < 1e-10 * expected);
                let at = |x: &[f64; 3]| linear.map.atoms().eval(x, x).unwrap();
                let gain = if kind == MapKind::Pairs { 1.0 } else { 2.0 };
                assert!((diagonal(&linear.map) - faer::Scale(gain) * at(&[0.1; 3])).norm_l2() < 1e-10);
            }
        }
    }
}
