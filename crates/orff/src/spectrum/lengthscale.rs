//! Lengthscales: how far along each input a function stays similar.

use crate::error::{Error, Result};
use crate::params::said;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::fmt;

/// Lengthscale ℓ of a spectrum: chosen from the data, one, or one per input. The kernel is k₀(δ₁/ℓ₁, …, δ_d/ℓ_d).
///
/// Written `"auto"`, `0.5` or `[0.5, 1.0]` in JSON and TOML.
///
/// ```
/// use orff::spectrum::Lengthscale;
/// assert_eq!(Lengthscale::from(0.5).per_input(2)?, [0.5, 0.5]);
/// assert_eq!(Lengthscale::from(vec![0.5, 2.0]).per_input(2)?, [0.5, 2.0]);
/// assert!(Lengthscale::Auto.per_input(2).is_err());
/// # Ok::<(), orff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Lengthscale {
    /// Chosen from the data, before any atom is drawn.
    #[default]
    Auto,
    /// The same for all inputs.
    Common(f64),
    /// One per input.
    PerInput(Vec<f64>),
}

impl Lengthscale {
    /// ℓ₁, …, ℓ_d, each checked to be finite and positive, and to leave distances numbers.
    pub fn per_input(&self, d: usize) -> Result<Vec<f64>> {
        let scales = self.positive(d)?;
        scales.iter().try_for_each(|s| check_length("lengthscale", *s)).map(|()| scales)
    }

    fn positive(&self, d: usize) -> Result<Vec<f64>> {
        let scales = match self {
            Lengthscale::Auto => {
                return Err(Error::parameter(
                    "lengthscale",
                    "a number or one number per input, because there are no data here to choose it from",
                    "auto",
                ));
            }
            Lengthscale::Common(scale) => vec![*scale; d],
            Lengthscale::PerInput(scales) if scales.len() == d => scales.clone(),
            Lengthscale::PerInput(scales) => {
                let expected = format!("one number or {d} numbers, one per input");
                return Err(Error::parameter("lengthscale", expected, format!("{} numbers", scales.len())));
            }
        };
        match scales.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
            Some(bad) => Err(Error::parameter("lengthscale", "finite numbers > 0", bad)),
            None => Ok(scales),
        }
    }

    /// Checks what is given, for however many inputs.
    pub fn check(&self) -> Result<()> {
        match self {
            Lengthscale::Auto => Ok(()),
            Lengthscale::Common(_) => self.positive(1).map(drop),
            Lengthscale::PerInput(scales) if scales.is_empty() => {
                Err(Error::parameter("lengthscale", "one number, or one number per input", "an empty list"))
            }
            Lengthscale::PerInput(scales) => self.positive(scales.len()).map(drop),
        }
    }

    /// Whether every input has the same lengthscale: then radial kernels are isotropic.
    pub fn is_common(&self) -> bool {
        match self {
            Lengthscale::PerInput(scales) => scales.iter().all(|s| *s == scales[0]),
            Lengthscale::Auto | Lengthscale::Common(_) => true,
        }
    }
}

/// Refuses a length whose square, or that of its inverse, is no number.
pub(crate) fn check_length(name: &str, given: f64) -> Result<()> {
    if (1e-150..=1e150).contains(&given) {
        return Ok(());
    }
    Err(Error::parameter(name, "numbers from 1e-150 to 1e150, as distances are squared", format!("{given:e}")))
}

impl From<f64> for Lengthscale {
    fn from(scale: f64) -> Self {
        Lengthscale::Common(scale)
    }
}

impl From<Vec<f64>> for Lengthscale {
    fn from(scales: Vec<f64>) -> Self {
        Lengthscale::PerInput(scales)
    }
}

impl fmt::Display for Lengthscale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lengthscale::Auto => f.write_str("auto"),
            Lengthscale::Common(scale) => write!(f, "{scale}"),
            Lengthscale::PerInput(scales) => {
                f.write_str(&scales.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl std::str::FromStr for Lengthscale {
    type Err = Error;

    /// `auto`, `0.5` or `0.5,1.0`.
    fn from_str(text: &str) -> Result<Self> {
        let expected = "auto, a number, or numbers separated by commas";
        let bad = || Error::parameter("lengthscale", expected, format!("{text:?}"));
        if text == "auto" {
            return Ok(Lengthscale::Auto);
        }
        let mut scales =
            text.split(',').map(|s| s.trim().parse()).collect::<Result<Vec<f64>, _>>().map_err(|_| bad())?;
        Ok(if text.contains(',') { Lengthscale::PerInput(scales) } else { Lengthscale::Common(scales.remove(0)) })
    }
}

impl Serialize for Lengthscale {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Lengthscale::Auto => to.serialize_str("auto"),
            Lengthscale::Common(scale) => to.serialize_f64(*scale),
            Lengthscale::PerInput(scales) => scales.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Lengthscale {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let read = match &value {
            Value::String(word) if word == "auto" => Some(Lengthscale::Auto),
            Value::Number(scale) => scale.as_f64().map(Lengthscale::Common),
            Value::Array(list) => list.iter().map(Value::as_f64).collect::<Option<_>>().map(Lengthscale::PerInput),
            _ => None,
        };
        let wrong = || Error::parameter("lengthscale", "auto, a finite number > 0 or a list of them", said(&value));
        read.ok_or_else(|| de::Error::custom(wrong()))
    }
}
