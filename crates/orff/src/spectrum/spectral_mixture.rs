//! Mixtures of gaussians as laws of frequencies (Wilson and Adams 2013). \[spectral-mixture\]

use super::Lengthscale;
use super::law::{Law, Parameters, Sampling};
use crate::error::{Error, Result};
use crate::params::said;
use crate::special::normal_quantile;
use faer::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::f64::consts::{PI, SQRT_2};

/// k₀(δ) = Σ w_q exp(−½ Σₖ(s_qkδₖ/ℓₖ)²) cos⟨μ_q, δ/ℓ⟩/Σ w_q: waves of some lengths, each over some distance. Half of the frequencies of a
/// component are N(μ/ℓ, diag (s/ℓ)²), the others N(−μ/ℓ, …).
///
/// ```
/// use orff::spectrum::{Component, Components, SpectralMixture, Spectrum};
/// let wave = Component { weight: 1.0, mean: vec![6.0], deviation: vec![0.1] };
/// let k = Spectrum::from(SpectralMixture { components: Components::Given(vec![wave]), lengthscale: 2.0.into() });
/// let t: f64 = 0.7 / 2.0;
/// assert!((k.value(&[0.7])? - (-0.5 * (0.1 * t).powi(2)).exp() * (6.0 * t).cos()).abs() < 1e-14);
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpectralMixture {
    /// The gaussians, or how many of them are learned.
    pub components: Components,
    /// ℓ.
    pub lengthscale: Lengthscale,
}

/// The gaussians of a mixture.
///
/// Written as their number, or as rows w, μ₁, …, μ_d, s₁, …, s_d.
#[derive(Clone, Debug, PartialEq)]
pub enum Components {
    /// So many, learned from the data before any atom is drawn.
    Learned(usize),
    /// These.
    Given(Vec<Component>),
}

/// w N(±μ, diag s²).
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// w > 0, relative to the others'.
    pub weight: f64,
    /// μ (d).
    pub mean: Vec<f64>,
    /// s (d), positive.
    pub deviation: Vec<f64>,
}

/// Most components.
const MOST: usize = 100;

const EXPECTED: &str =
    "a whole number from 1 to 100, or a list of rows of a weight, a mean for each input and a deviation for each input";

impl Default for Components {
    /// Three, learned.
    fn default() -> Self {
        Components::Learned(3)
    }
}

impl Component {
    fn row(&self) -> Vec<f64> {
        [&[self.weight], self.mean.as_slice(), self.deviation.as_slice()].concat()
    }

    /// From w, μ, s; none if there is not a mean and a deviation for each input.
    fn of_row(row: &[f64]) -> Option<Self> {
        let (weight, rest) = row.split_first()?;
        let d = rest.len() / 2;
        (d > 0 && rest.len() == 2 * d).then(|| Component {
            weight: *weight,
            mean: rest[..d].to_vec(),
            deviation: rest[d..].to_vec(),
        })
    }

    /// exp(−½ Σ(sₖtₖ)²) and ⟨μ, t⟩.
    fn wave(&self, t: &[f64]) -> (f64, f64) {
        let square: f64 = self.deviation.iter().zip(t).map(|(s, t)| (s * t).powi(2)).sum();
        (libm::exp(-0.5 * square), self.mean.iter().zip(t).map(|(m, t)| m * t).sum())
    }

    /// E[ζₖ²].
    fn square(&self, k: usize) -> f64 {
        self.mean[k] * self.mean[k] + self.deviation[k] * self.deviation[k]
    }
}

impl SpectralMixture {
    /// The components, none if they are to be learned.
    fn given(&self) -> &[Component] {
        match &self.components {
            Components::Given(all) => all,
            Components::Learned(_) => &[],
        }
    }

    fn total(&self) -> f64 {
        self.given().iter().map(|c| c.weight).sum()
    }

    /// ζ of one atom from its uniforms: one for component and sign, with `biased` (the lengthscales) one for the coordinate to be
    /// size-biased, one per coordinate.
    pub(super) fn atom(&self, common: &[f64], u: &[f64], biased: Option<&[f64]>, zeta: &mut [f64]) {
        let share = |k: usize, c: &Component, scales: &[f64]| c.square(k) / (scales[k] * scales[k]);
        let mass = |c: &Component| match biased {
            Some(scales) => c.weight * (0..u.len()).map(|k| share(k, c, scales)).sum::<f64>(),
            None => c.weight,
        };
        let masses: Vec<f64> = self.given().iter().map(mass).collect();
        let (q, left) = among(&masses, common[0]);
        let c = &self.given()[q];
        // the law is symmetric: each half of a component's share has one sign
        let sign = if left < 0.5 { -1.0 } else { 1.0 };
        let chosen = biased.map(|scales| {
            let shares: Vec<f64> = (0..u.len()).map(|k| share(k, c, scales)).collect();
            among(&shares, common[1]).0
        });
        for (k, (zeta, &u)) in zeta.iter_mut().zip(u).enumerate() {
            let (mean, deviation) = (c.mean[k], c.deviation[k]);
            let z = if chosen == Some(k) { biased_quantile(u, mean, deviation) } else { normal_quantile(u) };
            *zeta = sign * (mean + deviation * z);
        }
    }
}

/// Which of some masses a uniform falls on, and how far into it (0 to 1).
fn among(masses: &[f64], u: f64) -> (usize, f64) {
    let total: f64 = masses.iter().sum();
    let mut left = u * total;
    for (i, mass) in masses.iter().enumerate() {
        if left < *mass {
            return (i, left / mass);
        }
        left -= mass;
    }
    (masses.len() - 1, 1.0)
}

/// z whose (μ + sz)² is size-biased: the quantile of (μ + sz)²φ(z)/(μ² + s²), whose distribution function is
/// Φ(z) − (2μs + s²z)φ(z)/(μ² + s²), by bisection.
fn biased_quantile(u: f64, mean: f64, s: f64) -> f64 {
    let square = mean * mean + s * s;
    let below = |z: f64| {
        let density = libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt();
        0.5 * libm::erfc(-z / SQRT_2) - (2.0 * mean * s + s * s * z) * density / square
    };
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if below(middle) < u { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

impl Parameters for SpectralMixture {
    fn lengthscale(&self) -> &Lengthscale {
        &self.lengthscale
    }

    fn lengthscale_mut(&mut self) -> &mut Lengthscale {
        &mut self.lengthscale
    }

    fn check(&self) -> Result<()> {
        let wrong = |given: String| Err(Error::parameter("components", EXPECTED, given));
        let all = match &self.components {
            Components::Learned(count) if (1..=MOST).contains(count) => return Ok(()),
            Components::Learned(count) => return wrong(count.to_string()),
            Components::Given(all) => all,
        };
        if all.is_empty() || all.len() > MOST {
            return wrong(format!("{} rows", all.len()));
        }
        let d = all[0].mean.len();
        for (q, c) in all.iter().enumerate() {
            if c.mean.len() != d || c.deviation.len() != d {
                return wrong(format!("rows of different lengths (row {})", q + 1));
            }
            let positive = |v: &f64| v.is_finite() && *v > 0.0;
            if !(positive(&c.weight) && c.deviation.iter().all(positive) && c.mean.iter().all(|m| m.is_finite())) {
                let expected = "finite numbers, weights and deviations > 0";
                return Err(Error::parameter("components", expected, format!("row {} {:?}", q + 1, c.row())));
            }
        }
        Ok(())
    }

    fn check_inputs(&self, d: usize) -> Result<()> {
        match &self.components {
            Components::Learned(count) => Err(Error::parameter(
                "components",
                "a list of rows [weight, means, deviations], because they are not learned here (regression, fields and classification learn \
                 those of their kernels; give what they found)",
                count,
            )),
            Components::Given(all) if all[0].mean.len() != d => Err(Error::parameter(
                "components",
                format!("rows of {} numbers for {d} inputs: a weight, {d} means, {d} deviations", 2 * d + 1),
                format!("rows of {}", 2 * all[0].mean.len() + 1),
            )),
            Components::Given(_) => Ok(()),
        }
    }
}

impl Law for SpectralMixture {
    fn value(&self, t: &[f64]) -> f64 {
        let term = |c: &Component| {
            let (size, phase) = c.wave(t);
            c.weight * size * libm::cos(phase)
        };
        self.given().iter().map(term).sum::<f64>() / self.total()
    }

    /// With a = s²∘t: Σ w e^{−½Σ(st)²}[(diag s² + μμᵀ − aaᵀ) cos⟨μ,t⟩ − (aμᵀ + μaᵀ) sin⟨μ,t⟩]/Σw.
    fn minus_hessian(&self, t: &[f64]) -> Mat<f64> {
        let mut sum = Mat::zeros(t.len(), t.len());
        for c in self.given() {
            let (size, phase) = c.wave(t);
            if size == 0.0 {
                continue; // far away, where squares may overflow
            }
            let (weight, cos, sin) = (c.weight * size / self.total(), libm::cos(phase), libm::sin(phase));
            let a: Vec<f64> = c.deviation.iter().zip(t).map(|(s, t)| s * s * t).collect();
            for i in 0..t.len() {
                for j in 0..t.len() {
                    let own = if i == j { c.deviation[i] * c.deviation[i] } else { 0.0 };
                    let even = own + c.mean[i] * c.mean[j] - a[i] * a[j];
                    sum[(i, j)] += weight * (even * cos - (a[i] * c.mean[j] + a[j] * c.mean[i]) * sin);
                }
            }
        }
        sum
    }

    fn variance(&self, k: usize) -> f64 {
        self.given().iter().map(|c| c.weight * c.square(k)).sum::<f64>() / self.total()
    }

    fn sampling(&self) -> Sampling<'_> {
        Sampling::Components(self)
    }
}

impl Serialize for Components {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Components::Learned(count) => count.serialize(to),
            Components::Given(all) => all.iter().map(Component::row).collect::<Vec<_>>().serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Components {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let numbers = |row: &Value| row.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
        let read = match &value {
            Value::Number(count) => {
                count.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| Components::Learned(n as usize))
            }
            Value::Array(rows) => {
                let row = |row: &Value| numbers(row).and_then(|row| Component::of_row(&row));
                rows.iter().map(row).collect::<Option<_>>().map(Components::Given)
            }
            _ => None,
        };
        read.ok_or_else(|| de::Error::custom(Error::parameter("components", EXPECTED, said(&value))))
    }
}
