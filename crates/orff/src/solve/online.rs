//! ONORMA: online learning with the exact operator-valued kernel (Audiffren and Kadri 2013). \[onorma\]

use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::loss::Loss;
use crate::rows::Rows;
use crate::watch::Watch;
use faer::Mat;
use std::collections::VecDeque;

/// How it learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// λ ≥ 0 of ℓ + (λ/2)‖f‖²: old coefficients shrink by 1 − ηλ.
    pub ridge: f64,
    /// η > 0, with ηλ < 1: row t has η_t = η/√t.
    pub step: f64,
    /// Most terms of the expansion; then the oldest is dropped.
    pub budget: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params { ridge: 0.01, step: 1.0, budget: 1000 }
    }
}

/// What happened so far: whoever feeds it decides when it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Rows learned from.
    pub rows: u64,
    /// Terms of the expansion.
    pub terms: usize,
    /// Mean loss of the last rows, as many as the budget at most, each before it was learned from.
    pub loss: f64,
    /// Norm of the loss's gradient at the last row.
    pub gradient: f64,
}

impl Report {
    /// In words, for rows of which there were so many.
    pub fn how(&self, all: usize) -> String {
        let Report { rows, terms, loss, gradient } = self;
        let passes = rows.div_ceil(all.max(1) as u64);
        format!(
            "ONORMA, {rows} steps, {passes} passes, {terms} terms, mean loss {loss:.3e}, gradient {gradient:.1e}: the rows ended"
        )
    }
}

/// f_t = Σ K(·, xᵢ)uᵢ, learned row by row: u_t = −η_t ∂ℓ(f_{t−1}(x_t); y_t), the others shrink by 1 − η_tλ, and beyond
/// the budget the oldest is dropped. A point that comes again has one term, the sum of both.
///
/// ```
/// use orff::kernel::{Kernel, Output, Seen};
/// use orff::loss::Squared;
/// use orff::solve::online::{Onorma, Params};
/// use orff::spectrum::Spectrum;
/// let kernel = Kernel::decomposable(Spectrum::default().with_lengthscale(1.0.into()), Output::Identity);
/// let kernel = kernel.resolve(&Seen { outputs: 1, ..Seen::default() })?;
/// let mut learner = Onorma::new(kernel, 1, &Squared, Params { ridge: 0.1, step: 0.25, budget: 5 })?;
/// // f = 0: the loss is y², and f(x) becomes η·2y
/// assert_eq!(learner.step(&[0.3], &[2.0])?, 4.0);
/// assert_eq!(learner.predict(&[0.3])?, vec![1.0]);
/// # Ok::<(), orff::Error>(())
/// ```
pub struct Onorma<'a> {
    kernel: Kernel,
    loss: &'a dyn Loss,
    params: Params,
    inputs: usize,
    outputs: usize,
    rows: u64,
    /// xᵢ and uᵢ, the oldest first.
    terms: VecDeque<(Vec<f64>, Vec<f64>)>,
    /// The losses of the last rows.
    losses: VecDeque<f64>,
    gradient: f64,
}

impl<'a> Onorma<'a> {
    /// With a resolved kernel on d inputs; nothing is known yet.
    pub fn new(kernel: Kernel, inputs: usize, loss: &'a dyn Loss, params: Params) -> Result<Self> {
        let Params { ridge, step, budget } = params;
        if !(ridge >= 0.0 && ridge.is_finite()) {
            return Err(Error::parameter("ridge", "a number ≥ 0", ridge));
        }
        if !(step > 0.0 && step * ridge < 1.0) {
            return Err(Error::parameter("step", "a number > 0, below 1/ridge", step));
        }
        if budget == 0 {
            return Err(Error::parameter("budget", "at least one term", budget));
        }
        let outputs = kernel.outputs(inputs)?;
        Ok(Onorma {
            kernel,
            loss,
            params,
            inputs,
            outputs,
            rows: 0,
            terms: VecDeque::new(),
            losses: VecDeque::new(),
            gradient: 0.0,
        })
    }

    /// f(x) (p). Cost: the kernel at each term.
    pub fn predict(&self, x: &[f64]) -> Result<Vec<f64>> {
        let (d, p) = (self.inputs, self.outputs);
        if x.len() != d {
            return Err(Error::shape("inputs", format!("{d} numbers"), x.len()));
        }
        let mut f = vec![0.0; p];
        if self.terms.is_empty() {
            return Ok(f);
        }
        let at = Mat::from_fn(1, d, |_, k| x[k]);
        let points = Mat::from_fn(self.terms.len(), d, |i, k| self.terms[i].0[k]);
        let sections = self.kernel.sections(at.as_ref(), points.as_ref())?; // p×(terms·p)
        for (i, (_, u)) in self.terms.iter().enumerate() {
            for (s, f) in f.iter_mut().enumerate() {
                *f += (0..p).map(|t| sections[(s, i * p + t)] * u[t]).sum::<f64>();
            }
        }
        Ok(f)
    }

    /// Learns one row, in chart coordinates; returns the loss before. A row of which nothing is observed is passed over.
    pub fn step(&mut self, x: &[f64], y: &[f64]) -> Result<f64> {
        self.loss.check(y, self.outputs)?;
        let f = self.predict(x)?;
        if y.iter().all(|y| y.is_nan()) {
            return Ok(0.0);
        }
        let mut u = vec![0.0; self.outputs];
        let value = self.loss.gradient(&f, y, 0.0, &mut u);
        if !value.is_finite() || u.iter().any(|u| !u.is_finite()) {
            return Err(Error::numerical("online learning", "the loss is not finite; lower the step"));
        }
        self.rows += 1;
        self.gradient = u.iter().map(|u| u * u).sum::<f64>().sqrt();
        if self.losses.len() == self.params.budget {
            self.losses.pop_front();
        }
        self.losses.push_back(value);
        let step = self.params.step / (self.rows as f64).sqrt();
        let shrink = 1.0 - step * self.params.ridge;
        self.terms.iter_mut().for_each(|(_, u)| u.iter_mut().for_each(|u| *u *= shrink));
        u.iter_mut().for_each(|u| *u *= -step);
        // a point that is known takes no second term; it is the newest again
        let known = self.terms.iter().position(|(point, _)| point == x).and_then(|i| self.terms.remove(i));
        if let Some((_, before)) = known {
            u.iter_mut().zip(&before).for_each(|(u, before)| *u += before);
        }
        self.terms.push_back((x.to_vec(), u));
        if self.terms.len() > self.params.budget {
            self.terms.pop_front();
        }
        Ok(value)
    }

    /// Learns all rows of a source one after the other; returns the mean loss before each. It may be interrupted between
    /// rows, and what was learned until then stays.
    pub fn pass(&mut self, rows: &dyn Rows, watch: &mut dyn Watch) -> Result<f64> {
        watch.stage("learn online");
        let (mut sum, mut count) = (0.0, 0);
        for batch in rows.batches()? {
            let batch = batch?;
            let (x, n) = (batch.inputs.to_dense(), batch.outputs.nrows());
            let row = |m: &Mat<f64>, i: usize| -> Vec<f64> { m.row(i).iter().copied().collect() };
            for i in 0..n {
                sum += self.step(&row(&x, i), &row(&batch.outputs, i))?;
                watch.advance(1)?;
            }
            count += n;
        }
        Ok(sum / count.max(1) as f64)
    }

    /// What happened so far.
    pub fn report(&self) -> Report {
        let loss = self.losses.iter().sum::<f64>() / self.losses.len().max(1) as f64;
        Report { rows: self.rows, terms: self.terms.len(), loss, gradient: self.gradient }
    }

    /// The points (m×d) and coefficients (m×p) of the expansion, the oldest first.
    pub fn expansion(&self) -> (Mat<f64>, Mat<f64>) {
        let (m, terms) = (self.terms.len(), &self.terms);
        (Mat::from_fn(m, self.inputs, |i, k| terms[i].0[k]), Mat::from_fn(m, self.outputs, |i, t| terms[i].1[t]))
    }
}
