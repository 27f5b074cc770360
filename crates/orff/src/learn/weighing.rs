//! Atoms with learned weights: candidates of a kernel, weighed by one pass over the rows, some of them kept.
//! \[alignment\] \[pseudo-posterior\]

use super::begin::Choices;
use super::choose::{length, median_distance};
use super::coded::Coded;
use super::gather::Gathering;
use super::{Regression, sample};
use crate::align::{Likeness, Method, Sampling, Sums, gibbs, power_divergence, within_log};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, FeatureMap, Moments, reblock};
use crate::kernel::{Atoms, Block, Factors, Kernel, Seen, Sum};
use crate::model::{Alignment, Candidates, Learned, Preparation};
use crate::params::Auto;
use crate::rows::Rows;
use crate::spectrum::Omega;
use crate::watch::Watch;
use faer::Mat;

/// Candidates of each atom that is kept, and at least, unless a number is given: a wave of five inputs is met by few of thousands.
const CANDIDATES: (usize, usize) = (8, 8000);

/// Lengthscales of candidates whose own is left open, in median distances: the alignment finds those that matter.
const LENGTHSCALES: [f64; 5] = [2.0, 1.0, 0.5, 0.25, 0.125];

/// A kernel that leaves its lengthscale open, with the same share for each of several about a median distance; and the reason. None if
/// it leaves nothing open.
pub(super) fn spread(
    given: &Kernel,
    outputs: usize,
    median: f64,
    preparation: &Preparation,
) -> Result<Option<(Kernel, String)>> {
    let at = |l: f64| given.resolve(&Seen { outputs, lengthscale: Some(l), gradient: Some(0.5), ..Seen::default() });
    if at(1.0)? == at(2.0)? {
        return Ok(None);
    }
    let share = 1.0 / LENGTHSCALES.len() as f64;
    let terms = LENGTHSCALES.iter().map(|times| Ok(at(times * median)?.scaled(share))).collect::<Result<Vec<_>>>()?;
    let ends =
        [LENGTHSCALES[LENGTHSCALES.len() - 1], LENGTHSCALES[0]].map(|times| length(times * median, preparation));
    let line =
        format!("lengthscales of candidates in octaves from {} to {}: about the median distance", ends[0], ends[1]);
    Ok(Some((Sum { terms }.into(), line)))
}

/// What was said of candidates and their weights, by any learner.
#[derive(Clone, Copy)]
pub(super) struct Weighing {
    pub candidates: Auto<usize>,
    pub method: Method,
    pub strength: Auto<f64>,
    pub divergence: Auto<f64>,
    pub sampling: Sampling,
    pub memory: usize,
}

/// From the parameters of a learner.
macro_rules! weighing {
    ($self:ident) => {
        crate::learn::weighing::Weighing {
            candidates: $self.candidates,
            method: $self.method,
            strength: $self.strength,
            divergence: $self.divergence,
            sampling: $self.sampling,
            memory: $self.memory,
        }
    };
}
pub(super) use weighing;

impl Weighing {
    /// Refuses a number that the method does not look at.
    pub fn check(&self) -> Result<()> {
        let own = |name: &str, method: &str, other: &str, given: Auto<f64>| match given {
            Auto::Auto => Ok(()),
            Auto::Fixed(given) => {
                let expected = format!("auto with {method}, whose weights follow {other}");
                Err(Error::parameter(name, expected, given))
            }
        };
        match self.method.mu() {
            None => own("divergence", "pac-bayes", "strength", self.divergence),
            Some(_) => own("strength", "chi2 and other powers", "divergence", self.strength),
        }
    }

    /// Draws candidates, weighs them and keeps about so many. `candidates` says how they are drawn; its count is chosen here.
    #[allow(clippy::too_many_arguments)]
    pub fn weigh(
        &self,
        mut candidates: Candidates,
        kept: usize,
        likeness: Likeness,
        preparation: &Preparation,
        rows: &dyn Rows,
        choices: &mut Choices,
        watch: &mut dyn Watch,
    ) -> Result<(Atoms, Alignment)> {
        let d = preparation.centre.len();
        candidates.count = self.candidates.fixed().unwrap_or_else(|| {
            let few = CANDIDATES.0 * kept;
            let many = few.max(CANDIDATES.1);
            if self.allow(many, &likeness, d).is_ok() { many } else { few }
        });
        self.allow(candidates.count, &likeness, d)?;
        let atoms = candidates.atoms(d).map_err(|e| e.renamed("atoms", "candidates"))?;
        candidates.count = atoms.count();
        atoms.blocks.iter().filter_map(|b| b.note.clone()).for_each(|note| choices.say(watch, note));
        let Some(factor) = atoms.shared_factor().cloned() else { return Err(untied()) };
        let sums = sums(&atoms, likeness, preparation, rows, watch)?;
        let losses = sums.losses()?;
        let (mass, prior) = prior(&atoms);
        let times = candidates.count as f64 / kept.clamp(1, candidates.count) as f64;
        let far = |mu: f64| self.divergence.fixed().map_or_else(|| (mu - 1.0) * times.ln(), libm::log1p); // ln(1 + ρ)
        // candidates of several laws are mostly of no use; of one law those that align best are much the same atom
        let several = matches!(candidates.kernel, Kernel::Sum(_));
        let chosen = self.method.mu().is_none() && self.strength == Auto::Auto && several;
        let beta = match chosen {
            true => strength(&prior, &losses, sums.rows, times - 1.0),
            false => self.strength.fixed().unwrap_or(1.0),
        };
        if chosen {
            let why = "the weights are as far from the prior as uniform ones of the atoms that are kept";
            choices.say(watch, format!("strength {beta:.3}: {why}, or the least"));
        }
        let posterior = match self.method.mu() {
            None => gibbs(&prior, &losses, beta * sums.rows.sqrt()),
            Some(mu) => within_log(&prior, &losses, mu, far(mu))?,
        };
        let some = self.sampling.take(&posterior, kept, candidates.seed);
        let about = Learned {
            method: self.method,
            beta,
            rho: libm::expm1(far(self.method.mu().unwrap_or(2.0))).min(f64::MAX),
            rows: sums.rows,
            classes: sums.likeness().classes(),
            candidates,
            labels: Vec::new(),
            own: false,
            chosen,
            weighted: sums.weighted,
        };
        let alignment = Alignment { about, prior, losses, posterior, landmarks: None };
        choices.say(watch, said(&alignment, some.len()));
        Ok((picked(&atoms, &some, mass, factor), alignment))
    }

    /// Puts learned weights in the place of the atoms that were drawn for a fit of classes.
    pub fn reweigh(self, gathering: &mut Gathering, coded: &Coded, watch: &mut dyn Watch) -> Result<Alignment> {
        let Regression { measure, sum, seed, .. } = gathering.learner;
        let d = gathering.stage.preparation.centre.len();
        let given = gathering.learner.kernel.with_lengthscale(&gathering.learner.lengthscale);
        let (drawn, _) = sample::draw(coded.rows, seed, watch)?;
        let inputs = gathering.stage.preparation.prepare(&drawn.rows.inputs, 1)?;
        let median = median_distance(&inputs, drawn.rows.weights.as_ref(), seed);
        if let Some((kernel, line)) = spread(&given, coded.outputs(), median, &gathering.stage.preparation)? {
            gathering.choices.say(watch, line);
            gathering.kernel = kernel;
        }
        let candidates = Candidates {
            draw: gathering.learner.kind(&gathering.kernel, d),
            kernel: gathering.kernel.clone(),
            count: 0,
            measure,
            sum,
            seed,
        };
        let (kept, likeness) = (gathering.map.atoms().count(), Likeness::Classes(coded.classes()));
        let (preparation, choices) = (&gathering.stage.preparation, &mut gathering.choices);
        let (atoms, alignment) = self.weigh(candidates, kept, likeness, preparation, coded.rows, choices, watch)?;
        gathering.map = FeatureMap::of(atoms, gathering.map.kind(), seed);
        gathering.moments = Moments::new(gathering.map.characters(), coded.outputs());
        Ok(alignment)
    }

    /// Refuses candidates beyond the memory.
    fn allow(&self, count: usize, likeness: &Likeness, d: usize) -> Result<()> {
        let megabytes = Sums::megabytes(count, likeness) + 16e-6 * count as f64 * (d as f64 + 4.0);
        if megabytes <= self.memory as f64 {
            return Ok(());
        }
        let expected = format!("so many that the fit stays within {} MB (the parameter memory)", self.memory);
        let given = format!("{count}, which need about {megabytes:.0} MB");
        Err(Error::parameter("candidates", expected, given))
    }
}

/// The least β ≥ 1 whose weights have at least this χ² to the prior, by bisection; no more than losses can be told apart.
fn strength(prior: &[f64], losses: &[f64], rows: f64, chi2: f64) -> f64 {
    let far = |beta: f64| power_divergence(&gibbs(prior, losses, beta * rows.sqrt()), prior, 2.0);
    let (mut low, mut high) = (1.0, 2.0);
    if far(low) >= chi2 {
        return low;
    }
    while far(high) < chi2 && high < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if far(middle) < chi2 { low = middle } else { high = middle }
    }
    high
}

/// One pass over the rows.
pub(super) fn sums(
    atoms: &Atoms,
    likeness: Likeness,
    preparation: &Preparation,
    rows: &dyn Rows,
    watch: &mut dyn Watch,
) -> Result<Sums> {
    watch.stage("align");
    let mut sums = Sums::new(atoms, likeness);
    let mut first = 0;
    for block in reblock(rows, BLOCK_ROWS)? {
        let mut block = block?;
        sample::check(&block, first)?;
        let n = block.inputs.nrows();
        block.inputs = preparation.prepare(&block.inputs, first + 1)?;
        sums.add(atoms, &block)?;
        first += n;
        watch.advance(n as u64)?;
    }
    Ok(sums)
}

pub(super) fn untied() -> Error {
    Error::refused(
        "weights of atoms of a kernel whose outputs are tied otherwise than by one matrix",
        "an atom is judged by its cosine; use gaussian, matern(2.5) or another scalar kernel",
    )
}

/// In words: how good the kernel was and is, and what it rests on.
fn said(alignment: &Alignment, kept: usize) -> String {
    let (loss, kl, _) = alignment.summary(0);
    let before: f64 = alignment.losses.iter().zip(&alignment.prior).map(|(l, p)| l * p).sum();
    let chi2 = power_divergence(&alignment.posterior, &alignment.prior, 2.0);
    let (n, like) = (alignment.losses.len(), alignment.losses.len() as f64 / (1.0 + chi2));
    let what = format!("alignment loss {before:.4} of the kernel, {loss:.4} of the weighted candidates");
    format!("{what} (KL {kl:.3}, as if {like:.0} of {n} candidates); {kept} atoms kept")
}

/// Σa, and the share of each atom in it; a factor that all atoms share does not matter.
pub(super) fn prior(atoms: &Atoms) -> (f64, Vec<f64>) {
    let weights = || atoms.blocks.iter().flat_map(|block| block.weight.iter().copied());
    let mass: f64 = weights().sum();
    (mass, weights().map(|a| a / mass).collect())
}

/// Some atoms with other weights.
fn picked(atoms: &Atoms, some: &[(usize, f64)], mass: f64, factor: Mat<f64>) -> Atoms {
    let d = atoms.inputs();
    let (mut omega, mut row) = (Mat::zeros(some.len(), d), vec![0.0; d]);
    let (mut first, mut at) = (0, 0);
    for block in &atoms.blocks {
        while let Some(&(m, _)) = some.get(at).filter(|(m, _)| *m < first + block.count()) {
            block.omega.row(m - first, &mut row);
            (0..d).for_each(|k| omega[(at, k)] = row[k]);
            at += 1;
        }
        first += block.count();
    }
    let weight = some.iter().map(|(_, w)| mass * w).collect();
    Atoms { blocks: vec![Block { omega: Omega::Dense(omega), weight, factors: Factors::Shared(factor), note: None }] }
}
