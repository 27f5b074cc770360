//! Kernels as text, both ways.
//!
//! ```text
//! sum     := product ('+' product)*
//! product := atom ('*' atom)*
//! atom    := number | name ['(' [argument (',' argument)*] ')'] | '(' sum ')' | '[' [atom (',' atom)*] ']'
//! argument := [name '='] sum
//! ```
//!
//! | text | kernel |
//! |---|---|
//! | `decomposable(matern(1.5, 0.4), covariance)` | k₀(δ)Γ |
//! | `gaussian(0.5)` | the same with Γ = I |
//! | `curl-free(gaussian)`, `div-free(...)`, `helmholtz(gaussian, 0.3)` | fields; 0.3 is the share of the gradient part |
//! | `0.1*K`, `K + K`, `K*K`, `sum(K, …)` | multiple, sum, Schur product |
//! | `conjugate([[1, 2]], K)`, `precompose([[1], [2]], K)` | M K Mᵀ, K(T·,T·) |
//! | `transformable(gaussian, [[1, 0]], [[0, 1]])` | k(ψᵢ(x), ψⱼ(z)) |
//! | `atoms([[1, 2]], [[1], [2]], [1])` | the atoms themselves: ω in rows, factors stacked, weights |
//!
//! Spectra are `gaussian`, `laplace`, `cauchy`, `skewed-chi2` with a lengthscale, `matern` with smoothness and
//! lengthscale and `spectral-mixture` with components (their number, or rows of weight, means and deviations) and lengthscale; a lengthscale is a number, `auto` or a list. Outputs are `identity`, `covariance`,
//! `similarity(gamma, epsilon)`, `given([[…]])`, for which the bare matrix may stand, and `laplacian([[…]], epsilon)`. Arguments may be named
//! (`matern(smoothness=1.5)`), and the last ones left out. Text is read as written: parentheses are kept as nesting.

mod call;
mod meaning;
mod syntax;

use super::{Kernel, Matrix, Output};
use crate::error::{Error, Result};
use crate::params::Kind;
use crate::spectrum::Spectrum;
use serde::de;
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
pub(super) use syntax::DEPTH;
use syntax::Fault;

/// Longest text; larger matrices belong into the structured form.
const LONGEST: usize = 1 << 20;

/// Most characters of a text that an error repeats.
const QUOTED: usize = 80;

impl FromStr for Kernel {
    type Err = Error;

    /// A kernel from its expression. Time linear in its length.
    ///
    /// ```
    /// use orff::kernel::Kernel;
    /// use orff::spectrum::Spectrum;
    /// let k: Kernel = "curl-free(gaussian(0.5)) + 0.1*div-free".parse()?;
    /// let gaussian = Spectrum::from_name("gaussian")?;
    /// let half = gaussian.clone().with_lengthscale(0.5.into());
    /// assert_eq!(k, Kernel::curl_free(half) + 0.1 * Kernel::div_free(gaussian));
    /// assert_eq!(k.to_string().parse::<Kernel>()?, k);
    /// # Ok::<(), orff::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Kernel> {
        if text.len() > LONGEST {
            return Err(Error::parameter(
                "kernel",
                format!("a text of at most {LONGEST} bytes (give large matrices in the structured form)"),
                format!("{} bytes", text.len()),
            ));
        }
        let chars: Vec<char> = text.chars().collect();
        syntax::read(&chars).and_then(|tree| meaning::kernel(&tree, 1)).map_err(|Fault { at, problem }| {
            Error::Expression { what: "kernel".into(), text: quote(&chars, at), problem }
        })
    }
}

impl FromStr for Output {
    type Err = Error;

    /// An output operator from its expression, such as `covariance` or `similarity(0.5)`.
    fn from_str(text: &str) -> Result<Output> {
        let chars: Vec<char> = text.chars().collect();
        syntax::read(&chars).and_then(|tree| meaning::output(&tree)).map_err(|Fault { at, problem }| {
            Error::Expression { what: "output".into(), text: quote(&chars, at), problem }
        })
    }
}

impl Kernel {
    /// A kernel from its expression or from its structured form, checked; `name` is the argument that errors speak of.
    pub fn from_value(value: Value, name: &str) -> Result<Kernel> {
        Kind::Kernel.check(name, &value)?;
        let kernel = match value {
            Value::String(text) => Self::named(&text, name)?,
            form => serde_json::from_value::<Kernel>(form).map_err(|error| {
                let said = error.to_string();
                // a field of the form names itself; what the form as a whole lacks is the argument's
                let own = ["unknown", "missing", "invalid", "duplicate"].iter().any(|word| said.starts_with(word));
                if own { Error::parameter(name, Kind::Kernel.expected(), said) } else { Error::Data(said) }
            })?,
        };
        kernel.check()?;
        Ok(kernel)
    }

    /// A kernel from its expression; `name` is the argument that errors speak of.
    pub(crate) fn named(text: &str, name: &str) -> Result<Kernel> {
        text.parse().map_err(|error| match error {
            Error::Expression { text, problem, .. } => Error::Expression { what: name.into(), text, problem },
            other => other,
        })
    }

    /// The functions of expressions: kernels and spectra, each with the names of its arguments.
    pub fn functions() -> Vec<(String, Vec<String>)> {
        let kernels = meaning::KERNELS.iter().map(|(name, arguments)| {
            (name.to_string(), arguments.iter().filter(|a| **a != "…").map(|a| a.to_string()).collect())
        });
        let spectra = Spectrum::NAMES.iter().map(|name| {
            let usual = Spectrum::from_name(name).map(|s| fields(&s)).unwrap_or_default();
            (name.to_string(), usual.keys().cloned().collect())
        });
        kernels.chain(spectra).collect()
    }
}

/// The text, or the part of a long one around a character.
fn quote(text: &[char], at: usize) -> String {
    if text.len() <= QUOTED {
        return text.iter().collect();
    }
    let from = at.saturating_sub(1 + QUOTED / 2).min(text.len() - QUOTED);
    let part: String = text[from..from + QUOTED].iter().collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if from + QUOTED < text.len() { "…" } else { "" });
    format!("{before}{part}{after}")
}

/// The fields of a spectrum in its structured form, in order and without its name.
fn fields(spectrum: &Spectrum) -> Map<String, Value> {
    let form = serde_json::to_value(spectrum).unwrap_or_default();
    let all = if let Value::Object(all) = form { all } else { Map::new() };
    all.into_iter().filter(|(field, _)| field != "name").collect()
}

impl fmt::Display for Kernel {
    /// A text that parses back to the same kernel, if its numbers are in range.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kernel::Decomposable(k) => {
                let output = (k.output != Output::Identity).then(|| output(&k.output));
                let open = k.spectrum == Spectrum::default() && output.is_none();
                let spectrum = (!open).then(|| spectrum(&k.spectrum));
                call(f, "decomposable", spectrum.into_iter().chain(output))
            }
            Kernel::CurlFree(k) => call(f, "curl-free", unless_default(&k.spectrum)),
            Kernel::DivFree(k) => call(f, "div-free", unless_default(&k.spectrum)),
            Kernel::Helmholtz(k) => match k.gradient.fixed() {
                Some(w) => call(f, "helmholtz", [spectrum(&k.spectrum), number(w)]),
                None => call(f, "helmholtz", [spectrum(&k.spectrum)]),
            },
            Kernel::Transformable(k) => {
                call(f, "transformable", std::iter::once(spectrum(&k.spectrum)).chain(k.views.iter().map(matrix)))
            }
            Kernel::Listed(k) => {
                let weights = k.weights.as_deref().map(list);
                call(f, "atoms", [matrix(&k.omega), matrix(&k.factors)].into_iter().chain(weights))
            }
            Kernel::Sum(k) if k.terms.len() < 2 => call(f, "sum", k.terms.iter().map(Kernel::to_string)),
            Kernel::Sum(k) => {
                for (i, term) in k.terms.iter().enumerate() {
                    f.write_str(if i > 0 { " + " } else { "" })?;
                    factor(f, term, is_sum(term))?;
                }
                Ok(())
            }
            Kernel::Scaled(k) => {
                write!(f, "{}*", number(k.factor))?;
                factor(f, &k.of, !is_atom(&k.of))
            }
            Kernel::Product(k) => {
                factor(f, &k.left, is_sum(&k.left))?;
                f.write_str("*")?;
                factor(f, &k.right, !is_atom(&k.right))
            }
            Kernel::Conjugated(k) => call(f, "conjugate", [matrix(&k.by), k.of.to_string()]),
            Kernel::Precomposed(k) => call(f, "precompose", [matrix(&k.by), k.of.to_string()]),
        }
    }
}

fn is_sum(kernel: &Kernel) -> bool {
    matches!(kernel, Kernel::Sum(k) if k.terms.len() > 1)
}

fn is_atom(kernel: &Kernel) -> bool {
    !(is_sum(kernel) || matches!(kernel, Kernel::Scaled(_) | Kernel::Product(_)))
}

fn factor(f: &mut fmt::Formatter<'_>, kernel: &Kernel, parentheses: bool) -> fmt::Result {
    if parentheses { write!(f, "({kernel})") } else { write!(f, "{kernel}") }
}

/// name(argument, …), or the name alone.
fn call(f: &mut fmt::Formatter<'_>, name: &str, arguments: impl IntoIterator<Item = String>) -> fmt::Result {
    f.write_str(&called(name, arguments))
}

fn called(name: &str, arguments: impl IntoIterator<Item = String>) -> String {
    let arguments: Vec<String> = arguments.into_iter().collect();
    if arguments.is_empty() { name.into() } else { format!("{name}({})", arguments.join(", ")) }
}

fn unless_default(given: &Spectrum) -> Option<String> {
    (*given != Spectrum::default()).then(|| spectrum(given))
}

/// name(fields in order), without the last ones that have their default.
fn spectrum(spectrum: &Spectrum) -> String {
    let fields = fields(spectrum);
    let usual = Spectrum::from_name(spectrum.name()).map(|usual| self::fields(&usual)).unwrap_or_default();
    let given = fields
        .iter()
        .collect::<Vec<_>>()
        .into_iter()
        .rposition(|(field, value)| usual.get(field) != Some(value))
        .map_or(0, |last| last + 1);
    called(spectrum.name(), fields.values().take(given).map(value))
}

/// A field of a spectrum: a number, a list of numbers or `auto`.
fn value(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(self::value).collect::<Vec<_>>().join(", ")),
        Value::String(word) => word.clone(),
        other => other.as_f64().map_or_else(|| other.to_string(), number),
    }
}

fn output(output: &Output) -> String {
    match output {
        Output::Identity => "identity".into(),
        Output::Covariance => "covariance".into(),
        Output::Given { matrix: gamma } => called("given", [matrix(gamma)]),
        Output::Laplacian { adjacency, epsilon } => {
            let epsilon = (*epsilon != 0.0).then(|| number(*epsilon));
            called("laplacian", std::iter::once(matrix(adjacency)).chain(epsilon))
        }
        Output::Similarity { gamma, epsilon } => {
            called("similarity", std::iter::once(number(*gamma)).chain(epsilon.map(number)))
        }
    }
}

/// The shortest text of the same number; very large and very small ones with an exponent.
fn number(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) { number.to_string() } else { format!("{number:e}") }
}

fn list(numbers: &[f64]) -> String {
    format!("[{}]", numbers.iter().copied().map(number).collect::<Vec<_>>().join(", "))
}

fn matrix(matrix: &Matrix) -> String {
    let m = matrix.mat();
    let rows = (0..m.nrows()).map(|i| list(&m.row(i).iter().copied().collect::<Vec<_>>()));
    format!("[{}]", rows.collect::<Vec<_>>().join(", "))
}

/// Reads an expression, or the structured form through its own reader.
pub(super) struct TextOr<S>(pub std::marker::PhantomData<S>);

impl<'de, S: de::Deserialize<'de> + Into<Kernel>> de::Visitor<'de> for TextOr<S> {
    type Value = Kernel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a kernel: an expression such as \"curl-free(gaussian)\", or its structured form")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Kernel, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Kernel, A::Error> {
        S::deserialize(de::value::MapAccessDeserializer::new(map)).map(Into::into)
    }
}
