//! The algebra of kernels is the algebra of their atoms: sum = union; scale = a; Schur product =
//! ω₁+ω₂ with the row-wise Khatri–Rao product of factors. \[algebra\]

use super::{
    Block, Conjugated, Factors, Formula, Helmholtz, Kernel, Precomposed, Seen, Transformable, Units, reading,
};
use crate::error::{Error, Result};
use crate::random::Stream;
use crate::spectrum::{Draw, DrawKind, Lengthscale, Omega, Spectrum};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// How a sum shares its atoms among its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SumDraw {
    /// Each term has its own atoms, as many as the others.
    #[default]
    Concatenation,
    /// Each atom belongs to one term, drawn with probability Tr K_c(0)/Σ Tr K(0): one map for the mixture measure.
    Mixture,
}

/// K₁ + K₂ + ….
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// The terms.
    pub terms: Vec<Kernel>,
}

/// c·K, c > 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaled {
    /// c.
    #[serde(deserialize_with = "reading::factor")]
    pub factor: f64,
    /// K.
    pub of: Box<Kernel>,
}

/// K₁ ∘ K₂, entry by entry (Schur).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// K₁.
    pub left: Box<Kernel>,
    /// K₂.
    pub right: Box<Kernel>,
}

impl Kernel {
    /// c·K.
    pub fn scaled(self, factor: f64) -> Kernel {
        match self {
            Kernel::Scaled(s) => Scaled { factor: s.factor * factor, of: s.of }.into(),
            other if factor == 1.0 => other,
            other => Scaled { factor, of: Box::new(other) }.into(),
        }
    }

    /// The kernel with every open lengthscale set to the given one.
    pub fn with_lengthscale(&self, lengthscale: &Lengthscale) -> Kernel {
        self.with_spectra(&|s: &Spectrum| match s.lengthscale() {
            Lengthscale::Auto => s.clone().with_lengthscale(lengthscale.clone()),
            _ => s.clone(),
        })
    }

    /// The kernel with another spectrum in the place of each.
    pub(crate) fn with_spectra(&self, fill: &dyn Fn(&Spectrum) -> Spectrum) -> Kernel {
        let inner = |k: &Kernel| Box::new(k.with_spectra(fill));
        match self {
            Kernel::Decomposable(k) => Kernel::decomposable(fill(&k.spectrum), k.output.clone()),
            Kernel::CurlFree(k) => Kernel::curl_free(fill(&k.spectrum)),
            Kernel::DivFree(k) => Kernel::div_free(fill(&k.spectrum)),
            Kernel::Helmholtz(k) => Helmholtz { spectrum: fill(&k.spectrum), gradient: k.gradient }.into(),
            Kernel::Transformable(k) => Transformable { spectrum: fill(&k.spectrum), views: k.views.clone() }.into(),
            Kernel::Listed(k) => k.clone().into(),
            Kernel::Sum(k) => Sum { terms: k.terms.iter().map(|t| *inner(t)).collect() }.into(),
            Kernel::Scaled(k) => Scaled { factor: k.factor, of: inner(&k.of) }.into(),
            Kernel::Product(k) => Product { left: inner(&k.left), right: inner(&k.right) }.into(),
            Kernel::Conjugated(k) => Conjugated { by: k.by.clone(), of: inner(&k.of) }.into(),
            Kernel::Precomposed(k) => Precomposed { by: k.by.clone(), of: inner(&k.of) }.into(),
        }
    }

    /// The terms of the kernel written as a sum: products and wrappers are distributed over sums.
    pub(crate) fn terms(&self) -> Vec<Kernel> {
        match self {
            Kernel::Sum(s) => s.terms.iter().flat_map(Kernel::terms).collect(),
            Kernel::Scaled(s) => s.of.terms().into_iter().map(|k| k.scaled(s.factor)).collect(),
            Kernel::Conjugated(c) => c.of.terms().into_iter().map(|k| k.conjugated(c.by.clone())).collect(),
            Kernel::Precomposed(c) => c.of.terms().into_iter().map(|k| k.precomposed(c.by.clone())).collect(),
            Kernel::Product(m) => {
                let right = m.right.terms();
                let left = m.left.terms().into_iter();
                left.flat_map(|l| right.iter().map(move |r| l.clone() * r.clone())).collect()
            }
            other => vec![other.clone()],
        }
    }
}

impl std::ops::Add for Kernel {
    type Output = Kernel;
    fn add(self, other: Kernel) -> Kernel {
        let flat = |k| match k {
            Kernel::Sum(s) => s.terms,
            one => vec![one],
        };
        let mut terms = flat(self);
        terms.extend(flat(other));
        Sum { terms }.into()
    }
}

impl std::ops::Mul<Kernel> for f64 {
    type Output = Kernel;
    fn mul(self, kernel: Kernel) -> Kernel {
        kernel.scaled(self)
    }
}

impl std::ops::Mul for Kernel {
    type Output = Kernel;
    fn mul(self, other: Kernel) -> Kernel {
        Product { left: Box::new(self), right: Box::new(other) }.into()
    }
}

/// A purpose for an independent draw below another one.
fn child(how: &Draw, index: u64) -> Draw {
    // a fixed odd multiplier keeps the children of different parents apart
    let purpose = how.purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index + 1);
    Draw { purpose, ..how.clone() }
}

/// `count` atoms shared among terms.
pub(super) fn share(terms: &[Kernel], d: usize, count: usize, how: &Draw, sum: SumDraw) -> Result<Vec<Block>> {
    if terms.is_empty() {
        return Err(Error::parameter("sum of kernels", "at least one term", "none"));
    }
    let draw = |c: usize, n: usize| terms[c].formula().draw(d, n, &child(how, c as u64));
    match sum {
        SumDraw::Concatenation => {
            let even = count / terms.len();
            let rest = count % terms.len();
            if even == 0 {
                return Err(Error::parameter("atoms", format!("at least {}, one per term", terms.len()), count));
            }
            (0..terms.len()).map(|c| draw(c, even + (c < rest) as usize)).collect()
        }
        SumDraw::Mixture => {
            let zero = vec![0.0; d];
            let mut traces = Vec::new();
            for term in terms {
                let k = term.eval(&zero, &zero)?;
                traces.push((0..k.nrows()).map(|i| k[(i, i)]).sum::<f64>());
            }
            let total: f64 = traces.iter().sum();
            let mut counts = vec![0usize; terms.len()];
            for j in 0..count {
                let mut u = Stream::new(how.seed, child(how, u64::MAX - 1).purpose, j as u64).uniform() * total;
                let mut c = 0;
                while c + 1 < terms.len() && u >= traces[c] {
                    u -= traces[c];
                    c += 1;
                }
                counts[c] += 1;
            }
            let mut blocks = Vec::new();
            for (c, &n) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
                let mut block = draw(c, n)?;
                // an atom of term c stands for 1/π_c of them
                let scale = n as f64 / count as f64 * total / traces[c];
                block.weight.iter_mut().for_each(|a| *a *= scale);
                blocks.push(block);
            }
            Ok(blocks)
        }
    }
}

/// Bⱼ of every atom through a map of dense factors, stacked.
pub(super) fn relist(block: &Block, mut map: impl FnMut(usize, Mat<f64>) -> Mat<f64>) -> Factors {
    let factors: Vec<Mat<f64>> = (0..block.count()).map(|j| map(j, block.factor(j))).collect();
    let (p, r) = (factors[0].nrows(), factors[0].ncols());
    Factors::Listed { outputs: p, stacked: Mat::from_fn(p * factors.len(), r, |i, k| factors[i / p][(i % p, k)]) }
}

/// Row-wise Khatri–Rao product: the factor of A₁ ∘ A₂.
fn khatri_rao(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols() * b.ncols(), |i, k| a[(i, k / b.ncols())] * b[(i, k % b.ncols())])
}

impl Kernel {
    /// Whether it is a kernel of fields, whose components share their unit.
    pub(crate) fn is_field(&self) -> bool {
        matches!(self, Kernel::CurlFree(_) | Kernel::DivFree(_) | Kernel::Helmholtz(_))
    }

    /// Whether a kernel of some kind is anywhere in this one.
    pub(crate) fn has(&self, kind: fn(&Kernel) -> bool) -> bool {
        let inside = match self {
            Kernel::Sum(s) => s.terms.iter().any(|term| term.has(kind)),
            Kernel::Scaled(s) => s.of.has(kind),
            Kernel::Product(m) => m.left.has(kind) || m.right.has(kind),
            Kernel::Conjugated(c) => c.of.has(kind),
            Kernel::Precomposed(c) => c.of.has(kind),
            _ => false,
        };
        inside || kind(self)
    }
}

pub(super) fn not_transformable(kernel: &Kernel, what: &str) -> Result<()> {
    match kernel {
        Kernel::Transformable(_) => Err(Error::refused(
            format!("{what} of a transformable kernel"),
            "its features are not shift-invariant; put the change into its views",
        )),
        _ => Ok(()),
    }
}

impl Sum {
    fn allow(&self) -> Result<()> {
        if self.terms.is_empty() {
            return Err(Error::parameter("sum of kernels", "at least one term", "none"));
        }
        self.terms.iter().try_for_each(|k| not_transformable(k, "a sum"))
    }
}

impl Formula for Sum {
    fn check(&self) -> Result<()> {
        self.allow()?;
        self.terms.iter().try_for_each(Kernel::check)
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.allow()?;
        let terms: Vec<Kernel> = self.terms.iter().map(|k| k.resolve(seen)).collect::<Result<_>>()?;
        Ok(Sum { terms }.into())
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let mut sum: Option<Mat<f64>> = None;
        for term in &self.terms {
            let k = term.eval(x, z)?;
            sum = Some(match sum {
                None => k,
                Some(s) if s.nrows() == k.nrows() => s + k,
                Some(s) => {
                    return Err(Error::shape(
                        "terms of a sum of kernels",
                        format!("{} outputs", s.nrows()),
                        k.nrows(),
                    ));
                }
            });
        }
        sum.ok_or_else(|| Error::parameter("sum of kernels", "at least one term", "none"))
    }

    fn draw(&self, _: usize, _: usize, _: &Draw) -> Result<Block> {
        Err(Error::refused(
            "one block of atoms for a sum",
            "a sum has a block per term; draw it through Kernel::draw",
        ))
    }

    fn units(&self) -> (Units, Units) {
        self.terms.iter().map(Kernel::units).fold((Units::Free, Units::Free), strictest)
    }
}

fn strictest(a: (Units, Units), b: (Units, Units)) -> (Units, Units) {
    (a.0.max(b.0), a.1.max(b.1))
}

impl Scaled {
    fn allow(&self) -> Result<()> {
        if !(self.factor.is_finite() && self.factor > 0.0) {
            return Err(Error::parameter("factor of a kernel", reading::FACTOR, self.factor));
        }
        not_transformable(&self.of, "a multiple")
    }
}

impl Formula for Scaled {
    fn check(&self) -> Result<()> {
        self.allow()?;
        self.of.check()
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.allow()?;
        Ok(self.of.resolve(seen)?.scaled(self.factor))
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        Ok(faer::Scale(self.factor) * self.of.eval(x, z)?)
    }

    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        let mut block = self.of.formula().draw(d, count, how)?;
        block.weight.iter_mut().for_each(|a| *a *= self.factor);
        Ok(block)
    }

    fn units(&self) -> (Units, Units) {
        self.of.units()
    }
}

impl Product {
    fn allow(&self) -> Result<()> {
        for side in [&self.left, &self.right] {
            not_transformable(side, "a product")?;
            if side.has(|kernel| matches!(kernel, Kernel::Listed(_))) {
                return Err(Error::refused(
                    "a product with listed atoms",
                    "list the atoms ω₁ ± ω₂ of the product instead",
                ));
            }
        }
        Ok(())
    }
}

impl Formula for Product {
    fn check(&self) -> Result<()> {
        self.allow()?;
        self.left.check()?;
        self.right.check()
    }

    fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.allow()?;
        Ok(self.left.resolve(seen)? * self.right.resolve(seen)?)
    }

    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        let (a, b) = (self.left.eval(x, z)?, self.right.eval(x, z)?);
        if a.nrows() != b.nrows() {
            return Err(Error::shape("factors of a product of kernels", format!("{} outputs", a.nrows()), b.nrows()));
        }
        Ok(Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * b[(i, j)]))
    }

    /// cos·cos has the mean of cos⟨δ, ω₁+ω₂⟩ because the laws are symmetric and independent.
    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block> {
        let a = self.left.formula().draw(d, count, &child(how, 0))?;
        // two scrambles of one net are not a net of pairs: each point of the first always meets the same of the second
        let net = how.kind == DrawKind::QuasiMonteCarlo;
        let kind = if net { DrawKind::Iid } else { how.kind };
        let b = self.right.formula().draw(d, count, &Draw { kind, ..child(how, 1) })?;
        let replaced = net.then(|| "draw quasi-monte-carlo of a product: its second factor is drawn iid".to_string());
        if a.factors.outputs() != b.factors.outputs() {
            return Err(Error::shape(
                "factors of a product of kernels",
                format!("{} outputs", a.factors.outputs()),
                b.factors.outputs(),
            ));
        }
        let omega = a.omega.to_dense() + b.omega.to_dense();
        let weight = a.weight.iter().zip(&b.weight).map(|(u, v)| u * v * count as f64).collect();
        let factors = match (a.factors.shared(), b.factors.shared()) {
            (Some(p), Some(q)) => Factors::Shared(khatri_rao(p, q)),
            _ => relist(&a, |j, left| khatri_rao(&left, &b.factor(j))),
        };
        Ok(Block { omega: Omega::Dense(omega), weight, factors, note: a.note.or(b.note).or(replaced) })
    }

    fn units(&self) -> (Units, Units) {
        strictest(self.left.units(), self.right.units())
    }
}
