//! Parameters, declared once: one declaration yields the Rust struct, its defaults and check, the JSON and TOML form,
//! the flag of the command, the Python argument and the reference page.

use crate::error::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Most characters of a value that an error repeats.
const LONGEST: usize = 200;

/// A value that is chosen from the data unless it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Auto<T> {
    /// Chosen from the data; written `auto`.
    #[default]
    Auto,
    /// Given.
    Fixed(T),
}

impl<T: Copy> Auto<T> {
    /// The given value, if any.
    pub fn fixed(&self) -> Option<T> {
        match self {
            Auto::Auto => None,
            Auto::Fixed(value) => Some(*value),
        }
    }
}

impl<T: Serialize> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Auto::Auto => s.serialize_str("auto"),
            Auto::Fixed(value) => value.serialize(s),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Auto<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form<T> {
            Fixed(T),
            Word(String),
        }
        match Form::deserialize(d)? {
            Form::Fixed(value) => Ok(Auto::Fixed(value)),
            Form::Word(word) if word == "auto" => Ok(Auto::Auto),
            Form::Word(word) => Err(serde::de::Error::custom(format!("expected auto or a number, got \"{word}\""))),
        }
    }
}

/// So many of some things, or a share of them: written as a whole number, or as a number with a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// So many.
    Count(usize),
    /// A share > 0 and ≤ 1.
    Share(f64),
}

impl Amount {
    /// How many of n, one at least and all at most.
    ///
    /// ```
    /// use orff::params::Amount;
    /// assert_eq!([Amount::Count(7).of(5), Amount::Share(0.5).of(9), Amount::Share(1.0).of(9)], [5, 4, 9]);
    /// ```
    pub fn of(self, n: usize) -> usize {
        let count = match self {
            Amount::Count(count) => count,
            Amount::Share(share) => (share * n as f64) as usize,
        };
        count.clamp(1, n.max(1))
    }
}

/// What values a parameter takes: it checks, prints itself, parses text and makes bad values for tests.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number.
    Count { min: u64, max: u64 },
    /// A finite number ≥ `min` (> `min` when `open`) and ≤ `max`.
    Number { min: f64, max: f64, open: bool },
    /// A whole number ≥ 1, or a share > 0 and ≤ 1 written with a point.
    Amount,
    /// One word of a list.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// `auto`, or the inner kind.
    Auto(&'static Kind),
    /// One word of a list, or the inner kind.
    WordOr(&'static [&'static str], &'static Kind),
    /// One or several of the inner kind.
    Several(&'static Kind),
    /// Any text, or nothing.
    Text,
    /// A kernel: an expression such as `curl-free(matern(2.5)) + 0.1*div-free`, or its structured form.
    Kernel,
    /// A text of a form.
    Form(&'static Form),
    /// A symmetric positive definite matrix, or nothing.
    Matrix,
    /// `balanced`, a number > 0 for some or all classes by name, or nothing; on the command line `a=2,b=0.5`.
    ClassWeights,
}

/// What a text of a form looks like.
#[derive(Debug)]
pub struct Form {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What is expected, in words.
    pub expected: &'static str,
    /// Texts of this form, for whoever completes a command.
    pub words: &'static [&'static str],
    /// Whether a text is of this form.
    pub fits: fn(&str) -> bool,
    /// Texts that are not, for tests.
    pub wrong: &'static [&'static str],
    /// Whether there may be none.
    pub optional: bool,
}

impl Kind {
    /// What is expected, in words.
    pub fn expected(&self) -> String {
        match self {
            Kind::Count { min, max: u64::MAX } => format!("a whole number ≥ {min}"),
            Kind::Count { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min, max, open } => {
                if *min == f64::NEG_INFINITY && *max == f64::INFINITY {
                    return "a number".into();
                }
                let sign = if *open { ">" } else { "≥" };
                if *max == f64::INFINITY {
                    format!("a number {sign} {min}")
                } else {
                    format!("a number {sign} {min} and ≤ {max}")
                }
            }
            Kind::Amount => "a whole number ≥ 1, or a share > 0 and ≤ 1 written with a point".into(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::Flag => "true or false".into(),
            Kind::Auto(inner) => format!("auto or {}", inner.expected()),
            Kind::WordOr(words, inner) => format!("{} or {}", words.join(", "), inner.expected()),
            Kind::Several(inner) => format!("{}, or a list of them", inner.expected()),
            Kind::Text => "a text".into(),
            Kind::Kernel => {
                "a kernel such as decomposable, curl-free or \"curl-free(matern(2.5)) + div-free\"".into()
            }
            Kind::Form(form) if form.optional => format!("{}, or none", form.expected),
            Kind::Form(form) => form.expected.into(),
            Kind::Matrix => "a symmetric positive definite matrix given by its rows, or none".into(),
            Kind::ClassWeights => "balanced, a number > 0 for each class by name, or none".into(),
        }
    }

    /// The words it takes.
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Kind::Choice(words) => words.to_vec(),
            Kind::Flag => vec!["true", "false"],
            Kind::Auto(inner) => [vec!["auto"], inner.words()].concat(),
            Kind::WordOr(words, inner) => [words.to_vec(), inner.words()].concat(),
            Kind::Several(inner) => inner.words(),
            Kind::Form(form) => form.words.to_vec(),
            _ => Vec::new(),
        }
    }

    fn accepts(&self, value: &Value) -> bool {
        match self {
            Kind::Count { min, max } => value.as_u64().is_some_and(|v| v >= *min && v <= *max),
            Kind::Number { min, max, open } => {
                value.as_f64().is_some_and(|v| v <= *max && if *open { v > *min } else { v >= *min })
            }
            Kind::Amount => match value.as_u64() {
                Some(count) => count >= 1,
                None => value.as_f64().is_some_and(|share| share > 0.0 && share <= 1.0),
            },
            Kind::Choice(words) => value.as_str().is_some_and(|v| words.contains(&v)),
            Kind::Flag => value.is_boolean(),
            Kind::Auto(inner) => value.as_str() == Some("auto") || inner.accepts(value),
            Kind::WordOr(words, inner) => value.as_str().is_some_and(|v| words.contains(&v)) || inner.accepts(value),
            Kind::Several(inner) => match value {
                Value::Array(list) => !list.is_empty() && list.iter().all(|v| inner.accepts(v)),
                one => inner.accepts(one),
            },
            Kind::Text => value.is_string() || value.is_null(),
            Kind::Kernel => value.is_string() || value.is_object(),
            Kind::Form(form) => value.as_str().map_or(form.optional && value.is_null(), form.fits),
            Kind::Matrix => value.is_null() || square(value).is_some_and(|m| positive_definite(&m)),
            Kind::ClassWeights => match value {
                Value::Object(each) => !each.is_empty() && each.values().all(|v| v.as_f64().is_some_and(|v| v > 0.0)),
                other => other.is_null() || other.as_str() == Some("balanced"),
            },
        }
    }

    /// Checks a value; the error names the parameter, what it takes and what was given.
    pub fn check(&self, name: &str, value: &Value) -> Result<()> {
        if matches!(self, Kind::Kernel) && crate::kernel::too_deep(value) {
            return Err(crate::kernel::nested(name));
        }
        if let (Kind::Kernel, Value::String(text)) = (self, value) {
            return crate::kernel::Kernel::named(text, name).map(drop);
        }
        if self.accepts(value) {
            return Ok(());
        }
        // a limit that nobody meets is not worth saying to others
        if let Kind::Count { min, max: u64::MAX } = self
            && value.as_f64().is_some_and(|v| v > u64::MAX as f64)
        {
            return Err(Error::parameter(name, format!("a whole number from {min} to {}", u64::MAX), said(value)));
        }
        Err(self.wrong(name, &said(value)))
    }

    fn wrong(&self, name: &str, given: &str) -> Error {
        Error::parameter(name, self.expected(), given)
    }

    /// Reads a value from a command line; what is wrong with it is said as `check` says it.
    pub fn parse(&self, name: &str, text: &str) -> Result<Value> {
        let value = self.read(text);
        // a number in the place of a word is said as a number
        if !self.accepts(&value)
            && let Ok(plain) = serde_json::from_str(text)
        {
            self.check(name, &plain)?;
        }
        self.check(name, &value)?;
        Ok(value)
    }

    fn read(&self, text: &str) -> Value {
        let word = || Value::String(text.into());
        match self {
            Kind::Form(form) if form.optional && text == "none" => Value::Null,
            Kind::Text | Kind::Choice(_) | Kind::Form(_) => word(),
            // a text that is a number or a list is no expression
            Kind::Kernel => serde_json::from_str(text).unwrap_or_else(|_| word()),
            Kind::Matrix | Kind::ClassWeights if text == "none" => Value::Null,
            Kind::ClassWeights if text.contains('=') && !text.starts_with('{') => weights(text).unwrap_or_else(word),
            Kind::Auto(_) if text == "auto" => word(),
            Kind::WordOr(words, _) if words.contains(&text) => word(),
            Kind::Auto(inner) | Kind::WordOr(_, inner) => inner.read(text),
            Kind::Several(inner) if text.contains(',') => {
                Value::Array(text.split(',').map(|t| inner.read(t.trim())).collect())
            }
            Kind::Several(inner) => inner.read(text),
            // people write .5 and +1, which are no JSON
            Kind::Number { .. } | Kind::Amount => serde_json::from_str(text).unwrap_or_else(|_| {
                let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                number.map_or_else(word, Value::Number)
            }),
            _ => serde_json::from_str(text).unwrap_or_else(|_| word()),
        }
    }

    /// Values that `check` must refuse, for tests in every language.
    pub fn bad_values(&self) -> Vec<Value> {
        use serde_json::json;
        match self {
            Kind::Count { min, max } => {
                let mut bad = vec![json!(-1), json!(1.5), json!("many")];
                if *min > 0 {
                    bad.push(json!(min - 1));
                }
                if *max < u64::MAX {
                    bad.push(json!(max + 1));
                }
                bad
            }
            Kind::Number { min, max, open } => {
                let mut bad = vec![json!("much"), Value::Null];
                if min.is_finite() {
                    bad.push(json!(if *open { *min } else { min - 1.0 }));
                }
                if max.is_finite() {
                    bad.push(json!(max + 1.0));
                }
                bad
            }
            Kind::Amount => vec![json!(0), json!(-1), json!(0.0), json!(1.5), json!("many")],
            Kind::Text => vec![json!(3), json!(["a"])],
            Kind::Choice(_) => vec![json!("no-such-word"), json!(3)],
            Kind::Flag => vec![json!("perhaps"), json!(2)],
            Kind::Auto(inner) | Kind::WordOr(_, inner) | Kind::Several(inner) => inner.bad_values(),
            Kind::Kernel => vec![json!("no-such-kernel"), json!("curl-free("), json!(3), json!([1.0])],
            Kind::Form(form) => form.wrong.iter().map(|text| json!(text)).chain([json!(3), json!([1.0])]).collect(),
            Kind::Matrix => vec![json!([[1.0, 2.0]]), json!("m"), json!([]), json!([[1.0, 2.0], [2.0, 1.0]])],
            Kind::ClassWeights => vec![json!("even"), json!(2.0), json!({}), json!({"a": 0.0}), json!({"a": "b"})],
        }
    }
}

/// A value as a sentence repeats it: words in quotes, so that the word "64" is not taken for a number; a long one is cut.
pub(crate) fn said(value: &Value) -> String {
    let text = match value {
        Value::Null => "none".to_string(),
        // numbers that JSON cannot write arrive as words
        Value::String(s) if s.parse::<f64>().is_ok_and(|v| !v.is_finite()) => s.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Reads one field of a structured form: a value of another type is refused by the name of the field, in our words.
pub(crate) fn field<'de, D, T>(from: D, name: &str, expected: &str) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(from)?;
    let wrong = Error::parameter(name, expected, said(&value));
    serde_json::from_value(value).map_err(|_| serde::de::Error::custom(wrong))
}

/// `a=2,b=0.5` as a table; the number stands after the last sign of equality, a name may hold one.
fn weights(text: &str) -> Option<Value> {
    let one = |part: &str| {
        let (name, number) = part.rsplit_once('=')?;
        Some((name.trim().to_string(), Value::from(number.trim().parse::<f64>().ok()?)))
    };
    text.split(',').map(one).collect::<Option<serde_json::Map<_, _>>>().map(Value::Object)
}

/// The rows of a square matrix.
fn square(value: &Value) -> Option<Vec<Vec<f64>>> {
    let rows = value.as_array().filter(|rows| !rows.is_empty())?;
    let row = |row: &Value| -> Option<Vec<f64>> {
        row.as_array().filter(|row| row.len() == rows.len())?.iter().map(Value::as_f64).collect()
    };
    rows.iter().map(row).collect()
}

/// Whether a matrix (p×p) is symmetric to rounding and its Cholesky pivots are > 0. Time p³.
fn positive_definite(m: &[Vec<f64>]) -> bool {
    let p = m.len();
    let even = |i: usize, j: usize| (m[i][j] - m[j][i]).abs() <= 1e-9 * (m[i][j].abs() + m[j][i].abs());
    if !(0..p).all(|i| (0..i).all(|j| even(i, j))) {
        return false;
    }
    let mut factor = vec![vec![0.0; p]; p];
    for i in 0..p {
        for j in 0..=i {
            let rest = m[i][j] - (0..j).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
            if i == j && !(rest > 0.0 && rest.is_finite()) {
                return false;
            }
            factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
        }
    }
    true
}

/// One declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in Rust, in TOML and, with dashes, on the command line.
    pub name: &'static str,
    /// Its name in Python (scikit-learn's word where there is one).
    pub python: &'static str,
    /// What it does, in a sentence or two.
    pub doc: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
}

impl Param {
    /// Its flag on the command line, without the dashes before it.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Its documentation as one paragraph.
    pub fn text(&self) -> String {
        self.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// A struct of declared parameters.
pub trait Params: Serialize + for<'de> Deserialize<'de> + Default {
    /// Every parameter, in order.
    const SPEC: &'static [Param];

    /// Checks every parameter against its declaration.
    fn check(&self) -> Result<()> {
        let value = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        // JSON has no word for NaN and infinities: they arrive as null
        Self::SPEC.iter().try_for_each(|p| match &value[p.name] {
            Value::Null if !p.kind.accepts(&Value::Null) => Err(p.kind.wrong(p.name, "no finite number")),
            given => p.kind.check(p.name, given),
        })
    }

    /// Defaults overridden by the given values; unknown names and bad values are refused.
    fn from_values(values: &serde_json::Map<String, Value>) -> Result<Self> {
        for (name, value) in values {
            let param = Self::SPEC.iter().find(|p| p.name == name).ok_or_else(|| {
                let names: Vec<_> = Self::SPEC.iter().map(|p| p.name).collect();
                Error::parameter(
                    name.clone(),
                    format!("one of the parameters {}", names.join(", ")),
                    "an unknown name",
                )
            })?;
            param.kind.check(param.name, value)?;
            let alone = Value::Object([(name.clone(), value.clone())].into_iter().collect());
            serde_json::from_value::<Self>(alone).map_err(|e| {
                let why = e.to_string();
                let prefix = format!("{name}: ");
                Error::parameter(name.clone(), param.kind.expected(), why.strip_prefix(&prefix).unwrap_or(&why))
            })?;
        }
        serde_json::from_value(Value::Object(values.clone())).map_err(|e| Error::Data(e.to_string()))
    }
}

/// Declares a struct of parameters: `name / python_name: type = default, kind;` with its documentation above it.
#[macro_export]
macro_rules! params {
    ($(#[doc = $about:literal])* pub struct $Name:ident {
        $( $(#[doc = $doc:literal])* $field:ident / $python:ident : $ty:ty = $default:expr, $kind:expr; )*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $Name { $( $(#[doc = $doc])* pub $field: $ty, )* }

        impl Default for $Name {
            fn default() -> Self {
                $Name { $( $field: $default, )* }
            }
        }

        impl $crate::params::Params for $Name {
            const SPEC: &'static [$crate::params::Param] = {
                #[allow(unused_imports)]
                use $crate::params::Kind;
                &[ $( $crate::params::Param {
                    name: stringify!($field),
                    python: stringify!($python),
                    doc: &[$($doc),*],
                    kind: $kind,
                }, )* ]
            };
        }
    };
}
