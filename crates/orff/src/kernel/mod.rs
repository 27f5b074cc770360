//! Operator-valued kernels: K₀(δ) = E[cos⟨δ,ω⟩ A(ω)], A = BBᵀ. A kernel does two things: it evaluates itself exactly
//! for one pair of points, and it draws atoms. Points are in the coordinates of the group's chart.

mod algebra;
mod atoms;
mod between;
mod curl_free;
mod decomposable;
mod differential;
mod div_free;
mod expression;
mod factor;
mod helmholtz;
mod listed;
mod matrix;
mod output;
mod reading;
mod section;
mod transformable;

pub use algebra::{Product, Scaled, Sum, SumDraw};
pub use atoms::{Atoms, Block};
pub use between::{Conjugated, Precomposed};
pub use curl_free::CurlFree;
pub use decomposable::Decomposable;
pub use div_free::DivFree;
pub use factor::Factors;
pub use helmholtz::Helmholtz;
pub use listed::Listed;
pub use matrix::Matrix;
pub use output::Output;
pub use reading::nested;
pub(crate) use reading::too_deep;
pub use transformable::Transformable;

use crate::error::{Error, Result};
use crate::params::Auto;
use crate::spectrum::{Draw, Spectrum};
use faer::{Mat, MatRef};
use serde::{Deserialize, Deserializer, Serialize};
use std::marker::PhantomData;

/// What a kernel may learn from the data before atoms are drawn.
#[derive(Clone, Copy, Default)]
pub struct Seen<'a> {
    /// Number of outputs p.
    pub outputs: usize,
    /// Some training outputs (rows×p, scaled as the learner scales them, NaN where not observed).
    pub sample: Option<MatRef<'a, f64>>,
    /// The lengthscale of the spectra that leave theirs open.
    pub lengthscale: Option<f64>,
    /// The share of the gradient part of the fields that leave theirs open.
    pub gradient: Option<f64>,
}

/// How far a kernel leaves the units of the inputs to the learner; the stricter of two wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Units {
    /// Each column may have its own scale.
    Free,
    /// One common scale, so that directions and angles keep their meaning.
    Common,
    /// The kernel speaks of the user's own units (a given lengthscale): no scaling.
    Fixed,
}

/// One kernel: its formula, its draw, and what it needs to know first.
pub trait Formula {
    /// Refuses what no data can make right.
    fn check(&self) -> Result<()>;
    /// The kernel with nothing left open: Γ as a matrix, every lengthscale a number.
    fn resolve(&self, seen: &Seen) -> Result<Kernel>;
    /// K(x, z), p×p, exactly.
    fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>>;
    /// `count` atoms for d inputs.
    fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Block>;
    /// How far the units of inputs and outputs may be changed.
    fn units(&self) -> (Units, Units);
}

macro_rules! kernels {
    ($($Kernel:ident),*) => {
        /// An operator-valued kernel. Kernels are values: add them, scale them, multiply them.
        ///
        /// ```
        /// use orff::kernel::Kernel;
        /// use orff::spectrum::{Lengthscale, Spectrum};
        /// let s = Spectrum::from_name("gaussian")?.with_lengthscale(Lengthscale::Common(0.7));
        /// let (x, z) = ([0.1, 0.2, 0.5], [0.4, -0.3, 0.0]);
        /// // curl-free + div-free = −Δk₀·I
        /// let sum = (Kernel::curl_free(s.clone()) + Kernel::div_free(s.clone())).eval(&x, &z)?;
        /// assert!(sum[(0, 1)].abs() < 1e-15 && (sum[(0, 0)] - sum[(2, 2)]).abs() < 1e-15);
        /// # Ok::<(), orff::Error>(())
        /// ```
        ///
        /// Written as an expression, `"curl-free(matern(2.5)) + 0.1*div-free"`, or in the structured form that it
        /// serialises to, `{"kernel": "curl-free", "spectrum": {"name": "matern", "smoothness": 2.5}}`; an expression
        /// may stand for any kernel inside a structured one.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(tag = "kernel", rename_all = "kebab-case")]
        pub enum Kernel { $($Kernel($Kernel)),* }

        /// The structured form.
        #[derive(Deserialize)]
        #[serde(tag = "kernel", rename_all = "kebab-case")]
        enum Structured { $($Kernel($Kernel)),* }

        impl From<Structured> for Kernel {
            fn from(form: Structured) -> Kernel {
                match form { $(Structured::$Kernel(kernel) => Kernel::$Kernel(kernel)),* }
            }
        }

        impl<'de> Deserialize<'de> for Kernel {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Kernel, D::Error> {
                from.deserialize_any(expression::TextOr::<Structured>(PhantomData))
            }
        }

        $(impl From<$Kernel> for Kernel {
            fn from(kernel: $Kernel) -> Kernel {
                Kernel::$Kernel(kernel)
            }
        })*

        impl Kernel {
            fn formula(&self) -> &dyn Formula {
                match self { $(Kernel::$Kernel(kernel) => kernel),* }
            }
        }
    };
}

kernels!(
    Decomposable,
    CurlFree,
    DivFree,
    Helmholtz,
    Transformable,
    Listed,
    Sum,
    Scaled,
    Product,
    Conjugated,
    Precomposed
);

impl Default for Kernel {
    fn default() -> Self {
        Kernel::decomposable(Spectrum::default(), Output::Identity)
    }
}

impl Kernel {
    /// k₀(δ) Γ.
    pub fn decomposable(spectrum: Spectrum, output: Output) -> Kernel {
        Decomposable { spectrum, output }.into()
    }

    /// −∇∇ᵀk₀(δ): gradients of scalar potentials.
    pub fn curl_free(spectrum: Spectrum) -> Kernel {
        CurlFree { spectrum }.into()
    }

    /// (∇∇ᵀ − ΔI)k₀(δ): incompressible fields.
    pub fn div_free(spectrum: Spectrum) -> Kernel {
        DivFree { spectrum }.into()
    }

    /// w·curl-free + (1−w)·div-free on common atoms.
    pub fn helmholtz(spectrum: Spectrum, gradient: f64) -> Kernel {
        Helmholtz { spectrum, gradient: Auto::Fixed(gradient) }.into()
    }

    /// Refuses what no data can make right: numbers out of range, matrices that are none, kernels that do not go
    /// together. What depends on the number of inputs and outputs is refused when they are known.
    ///
    /// ```
    /// use orff::kernel::Kernel;
    /// assert!(Kernel::default().scaled(0.5).check().is_ok());
    /// assert!(Kernel::default().scaled(-1.0).check().is_err());
    /// ```
    pub fn check(&self) -> Result<()> {
        self.formula().check()
    }

    /// The kernel with nothing left open.
    pub fn resolve(&self, seen: &Seen) -> Result<Kernel> {
        self.formula().resolve(seen)
    }

    /// K(x, z), p×p, exactly; x and z in chart coordinates.
    pub fn eval(&self, x: &[f64], z: &[f64]) -> Result<Mat<f64>> {
        if x.len() != z.len() || x.is_empty() {
            return Err(Error::shape(
                "points",
                "two of the same dimension ≥ 1",
                format!("{} and {}", x.len(), z.len()),
            ));
        }
        self.formula().eval(x, z)
    }

    /// How far the units of inputs and outputs may be changed by a learner.
    pub fn units(&self) -> (Units, Units) {
        self.formula().units()
    }

    /// `count` atoms for d inputs; a sum shares them among its terms as `sum` says. \[algebra\]
    pub fn draw(&self, d: usize, count: usize, how: &Draw, sum: SumDraw) -> Result<Atoms> {
        if d == 0 || count == 0 {
            return Err(Error::parameter(
                "atoms",
                "at least one atom and one input",
                format!("{count} of dimension {d}"),
            ));
        }
        let terms = self.terms();
        let blocks = if let [term] = terms.as_slice() {
            vec![term.formula().draw(d, count, how)?]
        } else {
            algebra::share(&terms, d, count, how, sum)?
        };
        let p = blocks[0].factors.outputs();
        if let Some(other) = blocks.iter().map(|b| b.factors.outputs()).find(|&q| q != p) {
            return Err(Error::shape("terms of a sum of kernels", format!("{p} outputs in each"), other));
        }
        Ok(Atoms { blocks })
    }

    /// The views of a transformable kernel: matrices that take x to ψᵢ(x).
    pub fn views(&self) -> Option<&[Matrix]> {
        match self {
            Kernel::Transformable(t) => Some(&t.views),
            _ => None,
        }
    }
}
