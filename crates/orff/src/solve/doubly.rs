//! Doubly stochastic gradients: batches of rows and blocks of features that are drawn again from their seeds whenever
//! they are needed, so that Ω is never kept (T17 Alg. 4–5). \[doubly\]

use crate::error::{Error, Result};
use crate::feature::{Characters, FeatureMap, MapKind, Seen, reblock};
use crate::kernel::{Atoms, Kernel, SumDraw};
use crate::linalg::{self, Cholesky};
use crate::loss::Loss;
use crate::random::Stream;
use crate::rows::{Batch, Inputs, Rows, Weights};
use crate::spectrum::Draw;
use crate::watch::Watch;
use faer::{Mat, MatRef};
use std::collections::VecDeque;

/// How it learns.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Most characters M; blocks are opened one by one until there are so many.
    pub features: usize,
    /// Characters of a block.
    pub block: usize,
    /// λ of the mean loss + λ‖θ‖².
    pub ridge: f64,
    /// Whether b is learned; it is not penalised.
    pub offset: bool,
    /// Pairs or phases.
    pub kind: MapKind,
    /// How the atoms of each block are drawn; every block has a seed of its own.
    pub draw: Draw,
    /// How sums of kernels are drawn.
    pub sum: SumDraw,
    /// The step relative to the one that is safe whatever the blocks have in common; it falls as 1/√(1 + cycles/100).
    pub step: f64,
    /// Steps in the metric of the features of the block (their moments so far), not in that of θ.
    pub precondition: bool,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            features: 2000,
            block: 200,
            ridge: 1e-3,
            offset: true,
            kind: MapKind::Pairs,
            draw: Draw::default(),
            sum: SumDraw::default(),
            step: 1.0,
            precondition: true,
        }
    }
}

/// What happened so far: whoever feeds it decides when it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Batches learned from.
    pub steps: u64,
    /// Rows of them.
    pub rows: u64,
    /// Characters of the blocks that are open.
    pub features: usize,
    /// Mean loss of the rows of the last cycle over the blocks, each before it was learned from.
    pub loss: f64,
    /// Norm of the gradient of the last block on the last batch.
    pub gradient: f64,
}

impl Report {
    /// In words, for rows of which there were so many.
    pub fn how(&self, all: usize) -> String {
        let Report { steps, rows, features, loss, gradient } = self;
        let passes = rows.div_ceil(all.max(1) as u64);
        format!(
            "doubly stochastic gradients, {steps} batches, {passes} passes, {rows} rows, {features} features, mean loss {loss:.3e}, gradient {gradient:.1e}: the rows ended"
        )
    }
}

/// Purpose of the stream of the blocks' seeds.
const SEEDS: u64 = 0x626c_6f63_6b73;

/// A block that was opened.
struct Block {
    theta: Vec<f64>,
    /// The average of θ over the steps.
    mean: Vec<f64>,
    /// (1/W)Σw of products of its features on the rows at its turns; empty without preconditioning.
    moments: Mat<f64>,
    weight: f64,
}

/// Learning under way: f(x) = Φ(x)ᵀθ + b over the blocks that are open.
///
/// At step t the block i = t mod ⌈M/b⌉ moves against its part of the gradient on the batch,
/// θᵢ −= γ H⁻¹((1/W)ΣwΦᵢu + 2λθᵢ), where f is that of all blocks; T17's Alg. 5 needs the factor 1/√D of the features and
/// ends at D/b. H is 2(Pᵢ + λI), or 2(‖Pᵢ‖ + λ) without preconditioning; γ is 1/(number of blocks), since
/// P ≼ (number of blocks)·diag(Pᵢ). Each step costs one prediction of the batch and memory for K numbers, three times.
pub struct Doubly<'a> {
    kernel: Kernel,
    inputs: usize,
    outputs: usize,
    loss: &'a dyn Loss,
    params: Params,
    blocks: Vec<Block>,
    offset: Vec<f64>,
    offset_mean: Vec<f64>,
    /// Bounds of ‖Pᵢ‖, the largest so far.
    curvature: f64,
    steps: u64,
    rows: u64,
    /// Mean losses of the last batches, one cycle of them at most.
    losses: VecDeque<f64>,
    gradient: f64,
}

impl<'a> Doubly<'a> {
    /// With a resolved kernel on d inputs.
    pub fn new(kernel: Kernel, inputs: usize, loss: &'a dyn Loss, params: Params) -> Result<Self> {
        if !(params.ridge > 0.0 && params.ridge.is_finite()) {
            return Err(Error::parameter("ridge", "a number > 0", params.ridge));
        }
        if !(params.step > 0.0 && params.step.is_finite()) {
            return Err(Error::parameter("step", "a number > 0", params.step));
        }
        if params.block == 0 || params.features == 0 {
            return Err(Error::parameter("features", "at least one block of features", params.features));
        }
        let mut new = Doubly {
            kernel,
            inputs,
            outputs: 0,
            loss,
            params,
            blocks: Vec::new(),
            offset: Vec::new(),
            offset_mean: Vec::new(),
            curvature: 0.0,
            steps: 0,
            rows: 0,
            losses: VecDeque::new(),
            gradient: 0.0,
        };
        let first = new.draw(0)?;
        if new.count() > 1 {
            let same = |a: &Atoms, b: &Atoms| a.blocks[0].omega.to_dense() == b.blocks[0].omega.to_dense();
            if same(first.atoms(), new.draw(1)?.atoms()) {
                return Err(Error::refused("a kernel of given atoms", "it has no more atoms to draw; raise block"));
            }
        }
        new.outputs = first.atoms().outputs();
        (new.offset, new.offset_mean) = (vec![0.0; new.outputs], vec![0.0; new.outputs]);
        Ok(new)
    }

    /// Number of blocks when all are open.
    fn count(&self) -> usize {
        self.params.features.div_ceil(self.params.block)
    }

    /// Block i of the features, drawn from its seed, with its share of the weight of all.
    fn draw(&self, i: usize) -> Result<FeatureMap> {
        let Params { features, block, kind, draw, sum, .. } = &self.params;
        let count = (*block).min(features - i * block);
        let seed = Stream::new(draw.seed, SEEDS, i as u64).bits();
        let map = FeatureMap::draw(&self.kernel, self.inputs, count, *kind, &Draw { seed, ..draw.clone() }, *sum)?;
        let share = count as f64 / *features as f64;
        let phases = (0..map.atoms().blocks.len()).map(|b| map.phases(b).to_vec()).collect();
        let mut atoms = map.atoms().clone();
        atoms.blocks.iter_mut().for_each(|b| b.weight.iter_mut().for_each(|w| *w *= share));
        let phases = if *kind == MapKind::Phases { phases } else { Vec::new() };
        Ok(FeatureMap::from_parts(atoms, *kind, phases))
    }

    /// Learns from a batch of rows in the kernel's units; returns their mean loss before. When it fails, nothing has changed.
    pub fn step(&mut self, batch: &Batch) -> Result<f64> {
        let turn = (self.steps % self.count() as u64) as usize;
        // f of all blocks; the one whose turn it is comes last, and its characters stay
        let mut f = Mat::from_fn(batch.outputs.nrows(), self.outputs, |_, t| self.offset[t]);
        let mut characters = Characters::new(0);
        for i in (0..self.blocks.len()).filter(|i| *i != turn) {
            let map = self.draw(i)?;
            add(&map, &batch.inputs, &self.blocks[i].theta, &mut characters, &mut f);
        }
        let map = self.draw(turn)?;
        let opened = turn >= self.blocks.len();
        let zero = vec![0.0; map.unknowns()];
        let theta = if opened { &zero } else { &self.blocks[turn].theta };
        add(&map, &batch.inputs, theta, &mut characters, &mut f);
        let c = characters.as_mat();

        let seen = Seen { first: 0, characters: c, outputs: batch.outputs.as_ref(), weights: batch.weights.as_ref() };
        let (value, weight) = self.slopes(&seen, &mut f)?;
        if weight <= 0.0 {
            return Ok(0.0);
        }
        let mut gradient = Mat::zeros(map.characters(), self.outputs);
        linalg::add_tn(gradient.as_mut(), c, f.as_ref());
        let gradient: Vec<f64> = (map.lower(gradient.as_ref()).iter().zip(theta))
            .map(|(g, theta)| g / weight + 2.0 * self.params.ridge * theta)
            .collect();
        let rate = self.rate();
        let rows: Vec<f64> = (0..f.nrows()).map(|i| seen.row_weight(i)).collect();
        let (step, moments, total, curvature) = self.metric(&map, c, &rows, weight, turn, &gradient)?;
        if step.iter().any(|s| !s.is_finite()) || !value.is_finite() {
            return Err(Error::numerical("doubly stochastic gradients", "the step is not finite; lower the step"));
        }
        if opened {
            self.blocks.push(Block { theta: zero.clone(), mean: zero, moments: Mat::new(), weight: 0.0 });
        }
        let block = &mut self.blocks[turn];
        (block.moments, block.weight, self.curvature) = (moments, total, curvature);
        block.theta.iter_mut().zip(&step).for_each(|(t, s)| *t -= rate * s);
        if self.params.offset {
            for (t, b) in self.offset.iter_mut().enumerate() {
                *b -= 0.5 * rate * f.col(t).iter().sum::<f64>() / weight;
            }
        }
        self.steps += 1;
        self.rows += batch.outputs.nrows() as u64;
        self.gradient = linalg::dot(&gradient, &gradient).sqrt();
        if self.losses.len() == self.count() {
            self.losses.pop_front();
        }
        self.losses.push_back(value / weight);
        self.average();
        Ok(value / weight)
    }

    /// What happened so far.
    pub fn report(&self) -> Report {
        let features = (self.blocks.len() * self.params.block).min(self.params.features);
        let loss = self.losses.iter().sum::<f64>() / self.losses.len().max(1) as f64;
        Report { steps: self.steps, rows: self.rows, features, loss, gradient: self.gradient }
    }

    /// Learns from all rows of a source, which are in the kernel's units, in batches of so many; returns their mean loss
    /// before. It may be interrupted between batches, and what was learned until then stays.
    pub fn pass(&mut self, rows: &dyn Rows, batch: usize, watch: &mut dyn Watch) -> Result<f64> {
        watch.stage("doubly stochastic gradients");
        let (mut sum, mut count) = (0.0, 0);
        for block in reblock(rows, batch)? {
            let block = block?;
            let n = block.inputs.nrows();
            sum += n as f64 * self.step(&block)?;
            count += n;
            watch.advance(n as u64)?;
        }
        Ok(sum / count.max(1) as f64)
    }

    /// The step of this turn.
    fn rate(&self) -> f64 {
        let count = self.count() as f64;
        self.params.step / count / (1.0 + self.steps as f64 / (100.0 * count)).sqrt()
    }

    /// Replaces f by the weighted gradients of the losses; returns Σwℓ and Σw.
    fn slopes(&self, seen: &Seen, f: &mut Mat<f64>) -> Result<(f64, f64)> {
        let (mut value, mut weight) = (0.0, 0.0);
        let mut u = vec![0.0; self.outputs];
        for i in 0..f.nrows() {
            let y: Vec<f64> = seen.outputs.row(i).iter().copied().collect();
            self.loss.check(&y, self.outputs)?;
            if matches!(seen.weights, Some(Weights::Entry(_))) {
                return Err(Error::refused("weights of entries in doubly stochastic gradients", "weigh rows"));
            }
            let w = seen.row_weight(i);
            if !(w.is_finite() && w >= 0.0) {
                return Err(Error::parameter("weights", "finite numbers ≥ 0", w));
            }
            let row: Vec<f64> = f.row(i).iter().copied().collect();
            value += w * self.loss.gradient(&row, &y, 0.0, &mut u);
            weight += w;
            u.iter().enumerate().for_each(|(t, u)| f[(i, t)] = w * u);
        }
        Ok((value, weight))
    }

    /// H⁻¹ times the gradient of a block; the moments that H is made of, their weight, and the bound of ‖Pᵢ‖.
    #[allow(clippy::type_complexity)]
    fn metric(
        &self,
        map: &FeatureMap,
        c: MatRef<f64>,
        rows: &[f64],
        weight: f64,
        turn: usize,
        gradient: &[f64],
    ) -> Result<(Vec<f64>, Mat<f64>, f64, f64)> {
        let ridge = self.params.ridge;
        let features = Features::of(map, c, rows);
        if !self.params.precondition {
            let curvature = self.curvature.max(features.norm() / weight);
            let step = gradient.iter().map(|g| 0.5 * g / (curvature + ridge)).collect();
            return Ok((step, Mat::new(), 0.0, curvature));
        }
        let mut moments = features.moments();
        let before = self.blocks.get(turn).filter(|b| b.weight > 0.0);
        let total = weight + before.map_or(0.0, |b| b.weight);
        moments = faer::Scale(1.0 / total) * moments;
        if let Some(block) = before {
            moments += faer::Scale(block.weight / total) * &block.moments;
        }
        let step = features.solve(&moments, ridge, gradient)?;
        Ok((step, moments, total, self.curvature))
    }

    /// Averages in which step t weighs about t: the first ones are forgotten.
    fn average(&mut self) {
        let share = 2.0 / (self.steps as f64 + 1.0);
        let move_to = |mean: &mut [f64], to: &[f64]| {
            mean.iter_mut().zip(to).for_each(|(m, t)| *m += share.min(1.0) * (t - *m));
        };
        self.blocks.iter_mut().for_each(|b| move_to(&mut b.mean, &b.theta));
        move_to(&mut self.offset_mean, &self.offset);
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What was learned: the map of all blocks that are open, drawn once more, and the averages of θ and of b.
    pub fn solution(&self) -> Result<(FeatureMap, Vec<f64>, Vec<f64>)> {
        if self.blocks.is_empty() {
            return Err(Error::Data("nothing was learned: there was no batch".into()));
        }
        let (mut blocks, mut phases) = (Vec::new(), Vec::new());
        for i in 0..self.blocks.len() {
            let map = self.draw(i)?;
            phases.extend((0..map.atoms().blocks.len()).map(|b| map.phases(b).to_vec()));
            blocks.extend(map.atoms().blocks.iter().cloned());
        }
        let phases = if self.params.kind == MapKind::Phases { phases } else { Vec::new() };
        let theta = self.blocks.iter().flat_map(|b| b.mean.clone()).collect();
        let map = FeatureMap::from_parts(Atoms { blocks }, self.params.kind, phases);
        Ok((map, theta, self.offset_mean.clone()))
    }
}

/// f += Φᵀθ of one block; its characters are left in the buffer.
fn add(map: &FeatureMap, x: &Inputs, theta: &[f64], characters: &mut Characters, f: &mut Mat<f64>) {
    *characters = Characters::new(map.characters());
    map.fill(x, characters);
    *f += linalg::product(characters.as_mat(), map.lift(theta).as_ref());
}

/// The features of a block on a batch: of its characters alone where the kernel is decomposable.
struct Features {
    /// √w φ (n×M, or n·p×K).
    phi: Mat<f64>,
    /// V and s² of BᵀB; the number 1 where the features are those of θ itself.
    turn: Mat<f64>,
    variances: Vec<f64>,
}

impl Features {
    fn of(map: &FeatureMap, c: MatRef<f64>, rows: &[f64]) -> Self {
        let root = |i: usize| rows[i].max(0.0).sqrt();
        if let Some(b) = map.atoms().shared_factor()
            && let Ok(gram) = linalg::eigen((b.transpose() * b).as_ref())
        {
            let a = map.amplitudes();
            let phi = Mat::from_fn(c.nrows(), c.ncols(), |i, m| root(i) * a[m] * c[(i, m)]);
            return Features { phi, turn: gram.vectors, variances: gram.values };
        }
        let (factors, of) = (map.stacked_factors(), map.character_of_unknown());
        let p = factors.ncols();
        let phi = Mat::from_fn(c.nrows() * p, of.len(), |i, k| root(i / p) * factors[(k, i % p)] * c[(i / p, of[k])]);
        Features { phi, turn: Mat::identity(1, 1), variances: vec![1.0] }
    }

    /// Σw φφᵀ.
    fn moments(&self) -> Mat<f64> {
        let mut sum = Mat::zeros(self.phi.ncols(), self.phi.ncols());
        linalg::add_tn(sum.as_mut(), self.phi.as_ref(), self.phi.as_ref());
        sum
    }

    /// A bound of the largest eigenvalue of Σw ΦΦᵀ: the Frobenius norm of the smaller product.
    fn norm(&self) -> f64 {
        let gram = if self.phi.nrows() < self.phi.ncols() {
            linalg::product(self.phi.as_ref(), self.phi.transpose())
        } else {
            self.moments()
        };
        gram.norm_l2() * self.variances.iter().copied().fold(0.0, f64::max)
    }

    /// ½(P + λI)⁻¹g where the features have moments `moments`.
    fn solve(&self, moments: &Mat<f64>, ridge: f64, gradient: &[f64]) -> Result<Vec<f64>> {
        let (dim, r) = (moments.nrows(), self.turn.nrows());
        let turned = linalg::product(MatRef::from_row_major_slice(gradient, dim, r), self.turn.as_ref());
        let mut solved = Mat::zeros(dim, r);
        let mut known: Option<(f64, Cholesky)> = None;
        for k in 0..r {
            let s2 = self.variances[k].max(0.0);
            if known.as_ref().is_none_or(|(other, _)| *other != s2) {
                let matrix = Mat::from_fn(dim, dim, |i, j| s2 * moments[(i, j)] + if i == j { ridge } else { 0.0 });
                known = Some((s2, Cholesky::new(matrix.as_ref())?));
            }
            if let Some((_, cholesky)) = &known {
                solved.as_mut().subcols_mut(k, 1).copy_from(cholesky.solve(None, turned.subcols(k, 1))?);
            }
        }
        let back = linalg::product(solved.as_ref(), self.turn.transpose());
        Ok((0..dim * r).map(|i| 0.5 * back[(i / r, i % r)]).collect())
    }
}
