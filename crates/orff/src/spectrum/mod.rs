//! Scalar shift-invariant kernels k₀ and their laws of frequencies ρ: k₀(δ) = E_ρ[cos⟨δ, ω⟩].
//!
//! A new spectrum is one file with its [`Law`](law) and one line in the list below.

mod check;
mod draw;
mod law;
mod lengthscale;
mod omega;
mod orthogonal;
mod plan;
mod project;
mod sobol;
mod structured;

pub use check::{check_spectrum, largest_score};
pub use draw::{Draw, DrawKind, Drawn, Measure};
pub use lengthscale::Lengthscale;
pub(crate) use lengthscale::check_length;
pub use omega::Omega;
pub(crate) use project::{Packed, group, product};
pub use spectral_mixture::{Component, Components};
pub use structured::Structured;

use crate::error::{Error, Result};
use crate::linalg::lanes::{Arithmetic, vectorised};
use faer::{Mat, MatRef};
use law::{Law, Parameters, Sampling};
use serde::{Deserialize, Serialize};

macro_rules! spectra {
    ($($module:ident $Name:ident $name:literal $formula:literal),* $(,)?) => {
        $(mod $module; pub use $module::$Name;)*

        /// Which spectrum: the scalar kernel k₀ and the law of its frequencies.
        ///
        /// Written `{"name": "matern", "smoothness": 1.5, "lengthscale": 0.5}`.
        ///
        /// ```
        /// use orff::spectrum::{Draw, Spectrum};
        /// let k = Spectrum::from_name("matern")?.with_lengthscale(0.5.into());
        /// assert_eq!(k.value(&[0.0, 0.0, 0.0])?, 1.0);
        /// let (few, many) = (k.draw(3, 10, &Draw::default())?, k.draw(3, 20, &Draw::default())?);
        /// assert_eq!(few.omega.to_dense(), many.omega.prefix(10).to_dense());
        /// # Ok::<(), orff::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "name", expecting = "a spectrum such as {\"name\": \"gaussian\"}")]
        pub enum Spectrum {
            $(#[doc = $formula] #[serde(rename = $name)] $Name($Name),)*
        }

        impl Spectrum {
            /// The names of all spectra.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The formula of each, in the same order.
            pub const FORMULAS: &[&str] = &[$($formula),*];

            /// The spectrum of that name with its default parameters.
            pub fn from_name(name: &str) -> Result<Self> {
                match name {
                    $($name => Ok(Spectrum::$Name($Name::default())),)*
                    _ => {
                        let expected = format!("one of {}", Self::NAMES.join(", "));
                        Err(Error::parameter("spectrum", expected, format!("{name:?}")))
                    }
                }
            }

            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $(Spectrum::$Name(_) => $name,)* }
            }

            fn law(&self) -> &dyn Law {
                match self { $(Spectrum::$Name(law) => law,)* }
            }

            fn parameters(&self) -> &dyn Parameters {
                match self { $(Spectrum::$Name(it) => it,)* }
            }

            fn parameters_mut(&mut self) -> &mut dyn Parameters {
                match self { $(Spectrum::$Name(it) => it,)* }
            }
        }

        $(impl From<$Name> for Spectrum {
            fn from(it: $Name) -> Self {
                Spectrum::$Name(it)
            }
        })*
    };
}

spectra! {
    gaussian Gaussian "gaussian" "exp(−½‖δ/ℓ‖²)",
    laplace Laplace "laplace" "exp(−‖δ/ℓ‖₁)",
    cauchy Cauchy "cauchy" "∏ 1/(1 + δₖ²/ℓₖ²)",
    matern Matern "matern" "2^{1−ν}/Γ(ν) x^ν K_ν(x), x = √(2ν)‖δ/ℓ‖",
    skewed_chi2 SkewedChi2 "skewed-chi2" "∏ sech(δₖ/2ℓₖ)",
    spectral_mixture SpectralMixture "spectral-mixture" "Σ w exp(−½ Σ(sₖδₖ/ℓₖ)²) cos⟨μ, δ/ℓ⟩ over some components (w, μ, s), their number where they are learned",
}

impl Default for Spectrum {
    /// Gaussian.
    fn default() -> Self {
        Gaussian::default().into()
    }
}

impl Spectrum {
    /// Its lengthscale.
    pub fn lengthscale(&self) -> &Lengthscale {
        self.parameters().lengthscale()
    }

    /// The same spectrum with another lengthscale.
    pub fn with_lengthscale(mut self, lengthscale: Lengthscale) -> Self {
        *self.parameters_mut().lengthscale_mut() = lengthscale;
        self
    }

    /// Checks every parameter that is given, for however many inputs.
    pub fn check_parameters(&self) -> Result<()> {
        self.parameters().check()?;
        self.lengthscale().check()
    }

    /// Checks every parameter for d inputs and returns ℓ₁, …, ℓ_d.
    pub fn check(&self, d: usize) -> Result<Vec<f64>> {
        if d == 0 {
            return Err(Error::parameter("inputs", "at least one", 0));
        }
        self.parameters().check()?;
        self.parameters().check_inputs(d)?;
        self.lengthscale().per_input(d)
    }

    /// Whether E‖ω‖² = ∞: its kernel has no second derivative at 0.
    pub(crate) fn is_rough(&self) -> bool {
        self.law().variance(0).is_infinite()
    }

    /// The number of components that are to be learned, if any.
    pub fn open_components(&self) -> Option<usize> {
        match self {
            Spectrum::SpectralMixture(SpectralMixture { components: Components::Learned(count), .. }) => Some(*count),
            _ => None,
        }
    }

    /// The same with these in the place of components that are to be learned.
    pub fn with_components(mut self, given: Vec<Component>) -> Self {
        if let Spectrum::SpectralMixture(mixture) = &mut self
            && let Components::Learned(_) = mixture.components
        {
            mixture.components = Components::Given(given);
        }
        self
    }

    /// k₀(δ) for a difference δ in chart coordinates. Time O(d).
    pub fn value(&self, delta: &[f64]) -> Result<f64> {
        Ok(self.law().value(&whiten(delta, &self.check(delta.len())?)))
    }

    /// k₀(xᵢ − z) for points in chart coordinates, x n×d given by its columns, into `out`. Parameters are checked once; each
    /// entry has the same bits whatever stands beside it.
    pub(crate) fn sections(&self, x: MatRef<f64>) -> Result<impl Fn(&[f64], &mut [f64]) + Sync + '_> {
        let scales = self.check(x.ncols())?;
        let columns: Vec<Vec<f64>> = (0..x.ncols()).map(|k| x.col(k).iter().copied().collect()).collect();
        Ok(move |z: &[f64], out: &mut [f64]| match self.law().sampling() {
            Sampling::Mixture(_) => {
                out.fill(0.0);
                for ((x, z), scale) in columns.iter().zip(z).zip(&scales) {
                    add_squares(x, *z, 1.0 / scale, out);
                }
                self.law().radial(out);
            }
            Sampling::Product(_) | Sampling::Components(_) => {
                let mut t = vec![0.0; columns.len()];
                for (i, out) in out.iter_mut().enumerate() {
                    t.iter_mut().enumerate().for_each(|(k, t)| *t = (columns[k][i] - z[k]) / scales[k]);
                    *out = self.law().value(&t);
                }
            }
        })
    }

    /// −∇∇ᵀk₀(δ) = E[cos⟨δ,ω⟩ ωωᵀ], d×d. Time and memory O(d²).
    ///
    /// Refused where E‖ω‖² = ∞ (laplace, matern with smoothness ≤ 1).
    ///
    /// ```
    /// use orff::spectrum::{Gaussian, Spectrum};
    /// let k = Spectrum::from(Gaussian { lengthscale: 0.5.into() });
    /// assert_eq!(k.minus_hessian(&[0.0, 0.0])?[(1, 1)], 4.0); // E[ω²] = 1/ℓ²
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn minus_hessian(&self, delta: &[f64]) -> Result<Mat<f64>> {
        let scales = self.check(delta.len())?;
        if self.is_rough() {
            return Err(law::infinite_moment(format!("the second derivative of {}", self.name()), self.name()));
        }
        let t = whiten(delta, &scales);
        // waves are zero at some places nearby too
        if self.law().value(&t) == 0.0 && !matches!(self.law().sampling(), Sampling::Components(_)) {
            return Ok(Mat::zeros(delta.len(), delta.len())); // far away, where squares may overflow
        }
        let white = self.law().minus_hessian(&t);
        Ok(Mat::from_fn(delta.len(), delta.len(), |i, j| white[(i, j)] / (scales[i] * scales[j])))
    }

    /// E[ωₖ²] for each of d inputs; infinite if there is none.
    pub fn second_moment(&self, d: usize) -> Result<Vec<f64>> {
        Ok(self.check(d)?.iter().enumerate().map(|(k, scale)| self.law().variance(k) / (scale * scale)).collect())
    }

    /// Draws `count` atoms for d inputs; the first atoms of a longer draw are the shorter draw.
    ///
    /// Time and memory O(count·d); orthogonal: time O(count·d²); structured: memory O(count + d).
    pub fn draw(&self, d: usize, count: usize, how: &Draw) -> Result<Drawn> {
        let scales = self.check(d)?;
        plan::Plan::new(self.name(), self.law(), scales, how)?.draw(count)
    }
}

/// t = δ/ℓ.
fn whiten(delta: &[f64], scales: &[f64]) -> Vec<f64> {
    delta.iter().zip(scales).map(|(d, s)| d / s).collect()
}

/// sᵢ += (a(xᵢ − z))².
#[inline(always)]
fn add_squares_kernel<A: Arithmetic>(x: &[f64], z: f64, a: f64, sums: &mut [f64]) {
    for (s, x) in sums.iter_mut().zip(x) {
        let t = a * (x - z);
        *s = A::fma(t, t, *s);
    }
}

vectorised!(fn add_squares(x: &[f64], z: f64, a: f64, sums: &mut [f64]) = add_squares_kernel);
