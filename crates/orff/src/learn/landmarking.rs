//! A kernel for each of some points: candidates of its own, weighed by how well their cosines about the point tell its class
//! (L19 §4.2). \[landmark-kernels\]

use super::begin::Choices;
use super::clusters::centroids;
use super::coded::{Tally, class};
use super::scalar::Scalar;
use super::weighing::{prior, sums, untied};
use super::{Landmarks, Regression};
use crate::align::{Likeness, Method, Sums, gibbs};
use crate::error::{Error, Result};
use crate::feature::FeatureMap;
use crate::group::Group;
use crate::kernel::{Factors, Kernel};
use crate::model::{Alignment, Candidates, Learned, Preparation};
use crate::params::{Amount, Auto};
use crate::rows::{Inputs, Rows, Weights};
use crate::spectrum::{DrawKind, Measure};
use crate::watch::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Where landmarks are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Centres {
    /// Centroids of the rows of each class, as many as the class has of the rows.
    #[default]
    Clusters,
    /// Rows at random, each as likely as the others: the bounds hold for these.
    Rows,
}

/// What was said of landmarks, by any learner.
pub(super) struct Landmarking<'a> {
    pub kernel: &'a Kernel,
    pub group: &'a Group,
    pub landmarks: Amount,
    pub centres: Centres,
    pub atoms: usize,
    pub strength: f64,
    pub draw: Auto<DrawKind>,
    pub memory: usize,
    pub seed: u64,
}

/// From the parameters of a learner.
macro_rules! landmarking {
    ($self:ident, $kernel:expr) => {
        crate::learn::landmarking::Landmarking {
            kernel: $kernel,
            group: &$self.group,
            landmarks: $self.landmarks,
            centres: $self.centres,
            atoms: $self.atoms,
            strength: $self.strength,
            draw: $self.draw,
            memory: $self.memory,
            seed: $self.seed,
        }
    };
}
pub(super) use landmarking;

/// Features ψ(x)ₗ = Σₘ Qₘˡ cos⟨ωₘˡ, xₗ − x⟩ as sums of characters.
pub(super) struct Landmarked {
    pub preparation: Preparation,
    pub kernel: Kernel,
    pub map: FeatureMap,
    /// Qₘˡ cos⟨ωₘˡ, xₗ⟩ and Qₘˡ sin⟨ωₘˡ, xₗ⟩ of each character (M).
    pub coefficients: Vec<f64>,
    pub alignment: Alignment,
}

impl Landmarking<'_> {
    /// Chooses landmarks, draws candidates for each and weighs them. Time n·L·D·(d + 1), L landmarks with D candidates each.
    pub fn learn(
        &self,
        rows: &dyn Rows,
        tally: Tally,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(Landmarked, Tally)> {
        let Tally { names, weights, sample } = tally;
        let scalar = Scalar::of(self.kernel, self.group, self.seed, sample)?;
        scalar.reason.iter().for_each(|reason| choices.say(watch, reason.clone()));
        let (points, labels) = self.choose(&scalar, names.len(), watch)?;
        let (count, d) = points.shape();
        let megabytes = self.megabytes(count, names.len(), d, self.draw != Auto::Fixed(DrawKind::Structured));
        if megabytes > self.memory as f64 {
            let expected = format!("so many that the fit stays within {} MB (the parameter memory)", self.memory);
            let cure = format!("{count} with {} atoms each, which need about {megabytes:.0} MB", self.atoms);
            return Err(Error::parameter("landmarks", expected, cure));
        }
        let how = match self.centres {
            Centres::Clusters => "centroids of classes",
            Centres::Rows => "rows at random",
        };
        choices.say(watch, format!("landmarks {count}: {how}, {} atoms each", self.atoms));
        let learner = Regression { draw: self.draw, seed: self.seed, ..Regression::default() };
        let candidates = Candidates {
            kernel: scalar.kernel.clone(),
            count: count * self.atoms,
            draw: learner.kind(&scalar.kernel, d),
            measure: Measure::Plain,
            sum: crate::kernel::SumDraw::Mixture,
            seed: self.seed,
        };
        let mut atoms = candidates.atoms(d)?;
        if atoms.blocks.len() != 1 || atoms.count() != count * self.atoms {
            let why = "each landmark has candidates of its own; use one kernel such as gaussian or matern(2.5)";
            return Err(Error::refused("landmarks with a kernel that lists or shares its atoms", why));
        }
        if atoms.shared_factor().is_none() {
            return Err(untied());
        }
        atoms.blocks.iter().filter_map(|b| b.note.clone()).for_each(|note| choices.say(watch, note));
        let sums = sums(&atoms, Likeness::Classes(names.len()), &scalar.preparation, rows, watch)?;
        if sums.rows <= 1.0 {
            return Err(Error::shape("rows to align with", "at least two", sums.rows));
        }
        let (_, weight) = prior(&atoms);
        let own = self.centres == Centres::Rows;
        let block = &mut atoms.blocks[0];
        let (mut losses, mut posterior, mut priors) = (Vec::new(), Vec::new(), Vec::new());
        let mut coefficients = vec![0.0; 2 * count * self.atoms];
        for l in 0..count {
            let first = l * self.atoms;
            let mut angles = Mat::<f64>::zeros(1, self.atoms);
            block.omega.project(points.as_ref().subrows(l, 1), first, angles.as_mut());
            let turns: Vec<(f64, f64)> = angles.row(0).iter().map(|a| (libm::cos(*a), libm::sin(*a))).collect();
            let loss = sums.landmark(first, labels[l], own, &turns);
            let total: f64 = weight[first..first + self.atoms].iter().sum();
            let before: Vec<f64> = weight[first..first + self.atoms].iter().map(|w| w / total).collect();
            let q = gibbs(&before, &loss, self.strength * sums.rows.sqrt());
            for (m, (cos, sin)) in turns.iter().enumerate() {
                coefficients[first + m] = q[m] * cos;
                coefficients[count * self.atoms + first + m] = q[m] * sin;
            }
            losses.extend(loss);
            posterior.extend(q);
            priors.extend(before);
            watch.advance(0)?;
        }
        let about = Learned {
            method: Method::PacBayes,
            beta: self.strength,
            rho: 0.0,
            rows: sums.rows,
            classes: names.len(),
            candidates,
            labels,
            own,
            chosen: false,
            weighted: sums.weighted,
        };
        block.weight.fill(1.0);
        block.factors = Factors::Shared(Mat::identity(1, 1));
        let map = FeatureMap::of(atoms, crate::feature::MapKind::Pairs, self.seed);
        let alignment = Alignment { about, prior: priors, losses, posterior, landmarks: Some(points) };
        choices.say(watch, said(&alignment));
        let Scalar { preparation, kernel, drawn, .. } = scalar;
        Ok((
            Landmarked { preparation, kernel, map, coefficients, alignment },
            Tally { names, weights, sample: drawn },
        ))
    }

    /// Landmarks in the kernel's coordinates (L×d) with their classes.
    fn choose(&self, scalar: &Scalar, classes: usize, watch: &mut dyn Watch) -> Result<(Mat<f64>, Vec<usize>)> {
        watch.stage("landmarks");
        let batch = &scalar.drawn.rows;
        let weight = |i: usize| match &batch.weights {
            Some(Weights::Row(w)) => w[i],
            _ => 1.0,
        };
        let some: Vec<usize> = (0..batch.outputs.nrows()).filter(|&i| weight(i) > 0.0).collect();
        let of: Vec<usize> = some.iter().map(|&i| class(batch.outputs[(i, 0)], i)).collect::<Result<_>>()?;
        let count = self.landmarks.of(scalar.rows()).min(some.len());
        let dense = |rows: &[usize]| match scalar.prepared.pick(rows) {
            Inputs::Dense(x) => x,
            sparse => sparse.to_dense(),
        };
        match self.centres {
            Centres::Rows => {
                let order = Mat::from_fn(some.len(), 1, |i, _| i as f64);
                let chosen = Landmarks::Uniform.choose(&order, count, self.seed);
                let rows: Vec<usize> = chosen.iter().map(|&i| some[i]).collect();
                Ok((dense(&rows), chosen.iter().map(|&i| of[i]).collect()))
            }
            Centres::Clusters => {
                let (mut points, mut labels): (Vec<Mat<f64>>, Vec<usize>) = Default::default();
                let members = |c: usize| (0..some.len()).filter(|&i| of[i] == c).map(|i| some[i]).collect();
                let own: Vec<Vec<usize>> = (0..classes).map(members).collect();
                let counts = shared(count, &own.iter().map(Vec::len).collect::<Vec<_>>());
                for (c, own) in own.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
                    let centres = centroids(&scalar.prepared.pick(own), counts[c], self.seed, watch)?;
                    labels.extend(std::iter::repeat_n(c, centres.nrows()));
                    points.push(centres);
                }
                let mut all = Mat::zeros(labels.len(), scalar.prepared.ncols());
                let mut at = 0;
                for part in &points {
                    all.subrows_mut(at, part.nrows()).copy_from(part);
                    at += part.nrows();
                }
                Ok((all, labels))
            }
        }
    }

    fn megabytes(&self, count: usize, classes: usize, d: usize, dense: bool) -> f64 {
        let atoms = count as f64 * self.atoms as f64;
        let omega = if dense && !(128..=4096).contains(&d) { 16e-6 * atoms * d as f64 } else { 0.0 };
        Sums::megabytes(count * self.atoms, &Likeness::Classes(classes)) + omega + 80e-6 * atoms
    }
}

/// `count` things among groups of these sizes, in proportion, one at least for each group that has members.
fn shared(count: usize, sizes: &[usize]) -> Vec<usize> {
    let total: usize = sizes.iter().sum();
    let mut counts: Vec<usize> = sizes.iter().map(|n| (count * n / total.max(1)).max((*n > 0).into())).collect();
    // what rounding left goes to the largest remainders
    let mut order: Vec<usize> = (0..sizes.len()).filter(|&c| sizes[c] > 0).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(count * sizes[c] % total.max(1)));
    let left = count.saturating_sub(counts.iter().sum());
    order.iter().cycle().take(left).for_each(|&c| counts[c] += 1);
    counts
}

/// In words: how good the kernels about landmarks were and are, on average.
fn said(alignment: &Alignment) -> String {
    let groups = alignment.groups();
    let (mut before, mut after, mut kl) = (0.0, 0.0, 0.0);
    for g in 0..groups {
        let (prior, losses, _) = alignment.group(g);
        before += losses.iter().zip(prior).map(|(l, p)| l * p).sum::<f64>() / groups as f64;
        let (loss, far, _) = alignment.summary(g);
        (after, kl) = (after + loss / groups as f64, kl + far / groups as f64);
    }
    format!(
        "mean alignment loss about landmarks {before:.4} of the kernel, {after:.4} of the learned ones (KL {kl:.3})"
    )
}
