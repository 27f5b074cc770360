//! The feature map Φ as a linear operator with its adjoint. \[features\]

use super::Characters;
use crate::error::{Error, Result};
use crate::kernel::{Atoms, Block, Factors, Kernel, SumDraw};
use crate::linalg::{self, Real};
use crate::params::Auto;
use crate::random::Stream;
use crate::rows::Inputs;
use crate::spectrum::Draw;
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// Which characters an atom has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapKind {
    /// cos⟨x,ω⟩ and sin⟨x,ω⟩: two columns per atom.
    #[default]
    Pairs,
    /// √2 cos(⟨x,ω⟩ + b), b uniform: one column per atom.
    Phases,
}

impl Auto<MapKind> {
    /// The kind for so many columns: pairs unless an odd number, or the user, wants phases.
    pub fn kind(self, features: usize) -> MapKind {
        match self {
            Auto::Fixed(kind) => kind,
            Auto::Auto if features % 2 == 1 => MapKind::Phases,
            Auto::Auto => MapKind::Pairs,
        }
    }
}

/// Purpose of the stream that draws phases; other purposes are small numbers or their hashes.
const PHASES: u64 = 0x7068_6173_6573;

/// Characters of atoms, and the factors that make Φ(x) of them.
///
/// θ is stored character by character: the r numbers of character 1, then those of character 2, ….
#[derive(Clone, Debug)]
pub struct FeatureMap {
    atoms: Atoms,
    kind: MapKind,
    phases: Vec<Vec<f64>>,
}

impl FeatureMap {
    /// Draws atoms of a resolved kernel for `features` columns.
    pub fn draw(kernel: &Kernel, d: usize, features: usize, kind: MapKind, how: &Draw, sum: SumDraw) -> Result<Self> {
        let count = match kind {
            MapKind::Pairs if features % 2 == 1 || features == 0 => {
                return Err(Error::parameter(
                    "features",
                    "an even number ≥ 2 (a cosine and a sine per atom)",
                    features,
                ));
            }
            MapKind::Pairs => features / 2,
            MapKind::Phases => features,
        };
        let terms = kernel.terms().len();
        if terms > count && sum == SumDraw::Concatenation {
            let least = if kind == MapKind::Pairs { 2 * terms } else { terms };
            let expected = format!("at least {least}, an atom for each of {terms} terms of the kernel");
            return Err(Error::parameter("features", expected, features));
        }
        let atoms = kernel.draw(d, count, how, sum)?;
        Ok(FeatureMap::of(atoms, kind, how.seed))
    }

    /// The map of given atoms; `seed` draws the phases.
    pub fn of(atoms: Atoms, kind: MapKind, seed: u64) -> Self {
        let mut phases = Vec::new();
        if kind == MapKind::Phases {
            for (b, block) in atoms.blocks.iter().enumerate() {
                let phase = |j| Stream::new(seed, PHASES + b as u64, j as u64).uniform() * std::f64::consts::TAU;
                phases.push((0..block.count()).map(phase).collect());
            }
        }
        FeatureMap { atoms, kind, phases }
    }

    /// A map from stored parts.
    pub fn from_parts(atoms: Atoms, kind: MapKind, phases: Vec<Vec<f64>>) -> Self {
        FeatureMap { atoms, kind, phases }
    }

    /// The map of the first atoms of each block, about `characters` in all, reweighted to estimate the same kernel;
    /// and which characters of this map they are.
    pub fn prefix(&self, characters: usize) -> Result<(FeatureMap, Vec<usize>)> {
        let share = characters as f64 / self.characters() as f64;
        let mut keep = Vec::new();
        let (mut blocks, mut phases) = (Vec::new(), Vec::new());
        for (b, (block, from, len)) in self.spans().enumerate() {
            let count = ((block.count() as f64 * share).ceil() as usize).clamp(1, block.count());
            for start in (from..from + len).step_by(block.count()) {
                keep.extend(start..start + count);
            }
            blocks.push(block.prefix(count));
            if self.kind == MapKind::Phases {
                phases.push(self.phases[b][..count].to_vec());
            }
        }
        Ok((FeatureMap { atoms: Atoms { blocks }, kind: self.kind, phases }, keep))
    }

    /// The same atoms with one factor B (p×r) for all.
    pub fn share(&mut self, factor: Mat<f64>) {
        self.atoms.blocks.iter_mut().for_each(|block| block.factors = Factors::Shared(factor.clone()));
    }

    /// The atoms.
    pub fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// Pairs or phases.
    pub fn kind(&self) -> MapKind {
        self.kind
    }

    /// The phases of a block (empty for pairs).
    pub fn phases(&self, block: usize) -> &[f64] {
        self.phases.get(block).map_or(&[], Vec::as_slice)
    }

    /// Number of characters M.
    pub fn characters(&self) -> usize {
        self.atoms.count() * self.per_atom()
    }

    fn per_atom(&self) -> usize {
        match self.kind {
            MapKind::Pairs => 2,
            MapKind::Phases => 1,
        }
    }

    /// Number of unknowns K = Σ M·r of θ.
    pub fn unknowns(&self) -> usize {
        self.atoms.blocks.iter().map(|b| b.count() * self.per_atom() * b.factors.columns()).sum()
    }

    /// Unknowns of the largest system to be solved for complete outputs: a decomposable kernel's splits.
    pub fn solved_at_once(&self) -> usize {
        if self.atoms.shared_factor().is_some() { self.characters() } else { self.unknowns() }
    }

    /// Each block with its first character and its number of characters.
    pub(super) fn spans(&self) -> impl Iterator<Item = (&Block, usize, usize)> {
        let per = self.per_atom();
        self.atoms.blocks.iter().scan(0, move |from, block| {
            let span = (block, *from, block.count() * per);
            *from += span.2;
            Some(span)
        })
    }

    /// Calls `f(character, √weight, atom, block, ω)` for each character in order; ω is zero where the factors do not ask for it.
    fn each(&self, mut f: impl FnMut(usize, f64, usize, &Block, &[f64])) {
        let gain = match self.kind {
            MapKind::Pairs => 1.0,
            MapKind::Phases => 2.0,
        };
        let mut omega = vec![0.0; self.atoms.inputs()];
        for (block, from, len) in self.spans() {
            for m in 0..len {
                let j = m % block.count();
                if block.factors.of_omega() {
                    block.omega.row(j, &mut omega);
                }
                f(from + m, (gain * block.weight[j]).sqrt(), j, block, &omega);
            }
        }
    }

    /// √weight of each character (M).
    pub fn amplitudes(&self) -> Vec<f64> {
        let mut amplitudes = Vec::with_capacity(self.characters());
        self.each(|_, a, _, _, _| amplitudes.push(a));
        amplitudes
    }

    /// The characters c(x) of prepared inputs (n×d), without weights, into a buffer (n×M) of either precision.
    pub fn fill<T: Real>(&self, x: &Inputs, out: &mut Characters<T>) {
        out.reserve(x.nrows());
        for (b, (block, from, _)) in self.spans().enumerate() {
            out.fill(x, block, self.phases(b), from);
        }
        out.filled();
    }

    /// Z = lift(θ), M×p: row m is √a Bⱼθ_m. Linear in θ; its adjoint is [`lower`](Self::lower). Cost K·p.
    pub fn lift(&self, theta: &[f64]) -> Mat<f64> {
        let p = self.atoms.outputs();
        let mut z = Mat::zeros(self.characters(), p);
        let (mut at, mut row) = (0, vec![0.0; p]);
        self.each(|m, a, j, block, omega| {
            let r = block.factors.columns();
            block.factors.apply(j, omega, &theta[at..at + r], &mut row);
            (0..p).for_each(|t| z[(m, t)] = a * row[t]);
            at += r;
        });
        z
    }

    /// θ = lower(G) for G M×p: θ_m = √a Bⱼᵀ g_m.
    pub fn lower(&self, g: MatRef<f64>) -> Vec<f64> {
        let p = self.atoms.outputs();
        let mut theta = vec![0.0; self.unknowns()];
        let (mut at, mut row) = (0, vec![0.0; p]);
        self.each(|m, a, j, block, omega| {
            let r = block.factors.columns();
            (0..p).for_each(|t| row[t] = a * g[(m, t)]);
            block.factors.adjoint(j, omega, &row, &mut theta[at..at + r]);
            at += r;
        });
        theta
    }

    /// Calls `f(character, √weight, Bⱼ)` for each character in order.
    pub fn each_factor(&self, mut f: impl FnMut(usize, f64, &Mat<f64>)) {
        self.each(|m, a, j, block, omega| f(m, a, &block.factors.dense(j, omega)));
    }

    /// The rows √a Bⱼᵀ of every character one below the other (K×p): Φ(x) row by row is these times c(x).
    pub fn stacked_factors(&self) -> Mat<f64> {
        let p = self.atoms.outputs();
        let mut stacked = Mat::zeros(self.unknowns(), p);
        let mut at = 0;
        self.each_factor(|_, a, b| {
            for k in 0..b.ncols() {
                (0..p).for_each(|t| stacked[(at, t)] = a * b[(t, k)]);
                at += 1;
            }
        });
        stacked
    }

    /// The character of each unknown (K).
    pub fn character_of_unknown(&self) -> Vec<usize> {
        let mut of = Vec::with_capacity(self.unknowns());
        self.each(|m, _, _, block, _| of.extend(std::iter::repeat_n(m, block.factors.columns())));
        of
    }

    /// The atom of each unknown (K), counted through all blocks: a cosine and its sine belong to one.
    pub fn atom_of_unknown(&self) -> Vec<usize> {
        let (mut of, mut first) = (Vec::with_capacity(self.unknowns()), 0);
        for (block, _, len) in self.spans() {
            for m in 0..len {
                of.extend(std::iter::repeat_n(first + m % block.count(), block.factors.columns()));
            }
            first += block.count();
        }
        of
    }

    /// f(xᵢ) = Φ(xᵢ)ᵀθ for prepared inputs: n×p.
    pub fn apply(&self, x: &Inputs, theta: &[f64]) -> Mat<f64> {
        let mut c = Characters::new(self.characters());
        self.fill(x, &mut c);
        linalg::product(c.as_mat(), self.lift(theta).as_ref())
    }

    /// Σᵢ Φ(xᵢ)yᵢ for prepared inputs and y n×p: the adjoint of [`apply`](Self::apply).
    pub fn adjoint(&self, x: &Inputs, y: MatRef<f64>) -> Vec<f64> {
        let mut c = Characters::new(self.characters());
        self.fill(x, &mut c);
        let mut g = Mat::zeros(self.characters(), y.ncols());
        linalg::add_tn(g.as_mut(), c.as_mat(), y);
        self.lower(g.as_ref())
    }
}
