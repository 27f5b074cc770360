//! Tree → kernel.

use super::super::{
    Conjugated, CurlFree, Decomposable, DivFree, Helmholtz, Kernel, Listed, Matrix, Output, Precomposed, Product,
    Scaled, Seen, Sum, Transformable,
};
use super::call::{Call, advice};
use super::syntax::{Argument, DEPTH, Fault, Form, Node, Read};
use crate::error::Error;
use crate::params::Auto;
use crate::spectrum::{Lengthscale, Spectrum};
use faer::Mat;
use serde_json::{Map, Value};

/// The kernels by name, each with the names of its arguments; `…` stands for any number of the last one.
pub(super) const KERNELS: &[(&str, &[&str])] = &[
    ("decomposable", &["spectrum", "output"]),
    ("curl-free", &["spectrum"]),
    ("div-free", &["spectrum"]),
    ("helmholtz", &["spectrum", "gradient"]),
    ("transformable", &["spectrum", "view", "…"]),
    ("atoms", &["omega", "factors", "weights"]),
    ("conjugate", &["by", "of"]),
    ("precompose", &["by", "of"]),
    ("sum", &["term", "…"]),
];

/// The output operators by name.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("identity", &[]),
    ("covariance", &[]),
    ("similarity", &["gamma", "epsilon"]),
    ("given", &["matrix"]),
    ("laplacian", &["adjacency", "epsilon"]),
];

/// The kernel of a tree that stands `level` kernels below the whole.
pub(super) fn kernel(node: &Node, level: usize) -> Read<Kernel> {
    if level > DEPTH {
        return Err(Fault::too_deep(node.at));
    }
    match &node.form {
        Form::Sum(terms) => {
            let terms = terms.iter().map(|k| kernel(k, level + 1)).collect::<Read<_>>()?;
            Ok(Sum { terms }.into())
        }
        Form::Product(factors) => product(node.at, factors, level),
        Form::Name(name, arguments) => named_kernel(node.at, name, arguments, level),
        Form::Number(number) => Err(Fault::new(
            node.at,
            format!(
                "{number} at character {} is a number, expected a kernel (scale one: {number}*gaussian)",
                node.at
            ),
        )),
        Form::List(_) => Err(unexpected(node, "a kernel")),
    }
}

/// From left to right, as the operators of [`Kernel`] do it: numbers scale what stands to their left or right.
fn product(at: usize, factors: &[Node], level: usize) -> Read<Kernel> {
    let count = factors.iter().filter(|f| !matches!(f.form, Form::Number(_))).count();
    let scale = |factor: Option<f64>, of: Kernel| match factor {
        Some(factor) => Scaled { factor, of: Box::new(of) }.into(),
        None => of,
    };
    let (mut number, mut whole): (Option<f64>, Option<Kernel>) = (None, None);
    for factor in factors {
        if let Form::Number(c) = factor.form {
            let c = number.map_or(c, |n| n * c);
            if !(c.is_finite() && c > 0.0) {
                let problem =
                    format!("a kernel is scaled by a finite number > 0, got {c} at character {}", factor.at);
                return Err(Fault::new(factor.at, problem));
            }
            number = Some(c);
        } else {
            let right = kernel(factor, level + count)?;
            whole = Some(match whole {
                None => right,
                Some(left) => Product { left: Box::new(scale(number.take(), left)), right: Box::new(right) }.into(),
            });
        }
    }
    match whole {
        Some(whole) => Ok(scale(number, whole)),
        None => Err(Fault::new(at, format!("only numbers at character {at}, expected a kernel among the factors"))),
    }
}

fn named_kernel(at: usize, name: &str, arguments: &[Argument], level: usize) -> Read<Kernel> {
    if Spectrum::NAMES.contains(&name) {
        let spectrum = named_spectrum(at, name, arguments)?;
        return Ok(Decomposable { spectrum, output: Output::Identity }.into());
    }
    let Some((_, names)) = KERNELS.iter().find(|(known, _)| *known == name) else {
        return Err(unknown("kernel", name, at));
    };
    let call = Call::new(at, name, arguments, names)?;
    let below = |node: &Node| kernel(node, level + 1).map(Box::new);
    let kernel = match name {
        "decomposable" => {
            let output = call.get("output").map_or(Ok(Output::Identity), output)?;
            Decomposable { spectrum: spectrum_of(&call)?, output }.into()
        }
        "curl-free" => CurlFree { spectrum: spectrum_of(&call)? }.into(),
        "div-free" => DivFree { spectrum: spectrum_of(&call)? }.into(),
        "helmholtz" => {
            let gradient = call.get("gradient").map(number).transpose()?.map_or(Auto::Auto, Auto::Fixed);
            Helmholtz { spectrum: spectrum_of(&call)?, gradient }.into()
        }
        "transformable" => {
            call.need("view")?;
            let views = call.rest("view").map(matrix).collect::<Read<_>>()?;
            Transformable { spectrum: spectrum_of(&call)?, views }.into()
        }
        "atoms" => Listed {
            omega: matrix(call.need("omega")?)?,
            factors: matrix(call.need("factors")?)?,
            weights: call.get("weights").map(list).transpose()?,
        }
        .into(),
        "conjugate" => Conjugated { by: matrix(call.need("by")?)?, of: below(call.need("of")?)? }.into(),
        "precompose" => Precomposed { by: matrix(call.need("by")?)?, of: below(call.need("of")?)? }.into(),
        _ => {
            call.need("term")?;
            let terms = call.rest("term").map(|k| below(k).map(|k| *k)).collect::<Read<_>>()?;
            Sum { terms }.into()
        }
    };
    // the resolution of these depends on nothing but their own numbers
    if matches!(kernel, Kernel::Helmholtz(_) | Kernel::Listed(_)) {
        kernel.resolve(&Seen::default()).map_err(|e| placed(at, e))?;
    }
    Ok(kernel)
}

fn spectrum_of(call: &Call) -> Read<Spectrum> {
    call.get("spectrum").map_or(Ok(Spectrum::default()), spectrum)
}

fn spectrum(node: &Node) -> Read<Spectrum> {
    match &node.form {
        Form::Name(name, arguments) if Spectrum::NAMES.contains(&name.as_str()) => {
            named_spectrum(node.at, name, arguments)
        }
        Form::Name(name, _) => Err(unknown("spectrum", name, node.at)),
        _ => Err(unexpected(node, "a spectrum such as gaussian(0.5)")),
    }
}

/// Any spectrum: its arguments are the fields of its structured form, in order.
fn named_spectrum(at: usize, name: &str, arguments: &[Argument]) -> Read<Spectrum> {
    let fields = super::fields(&Spectrum::from_name(name).map_err(|e| placed(at, e))?);
    let names: Vec<&str> = fields.keys().map(String::as_str).collect();
    let call = Call::new(at, name, arguments, &names)?;
    let mut form = Map::from_iter([("name".to_string(), Value::from(name))]);
    for field in &names {
        let Some(node) = call.get(field) else { continue };
        let value = match *field {
            "lengthscale" => serde_json::to_value(lengthscale(node)?),
            "components" if matches!(node.form, Form::List(_)) => serde_json::to_value(rows(node)?),
            _ => serde_json::to_value(number(node)?),
        };
        form.insert(field.to_string(), value.map_err(|e| Fault::new(node.at, e.to_string()))?);
    }
    let spectrum: Spectrum =
        serde_json::from_value(Value::Object(form)).map_err(|e| Fault::new(at, format!("{e} at character {at}")))?;
    spectrum.check_parameters().map_err(|e| placed(at, e))?;
    Ok(spectrum)
}

fn lengthscale(node: &Node) -> Read<Lengthscale> {
    let lengthscale = match &node.form {
        Form::Name(name, arguments) if name == "auto" && arguments.is_empty() => return Ok(Lengthscale::Auto),
        Form::Number(scale) => Lengthscale::Common(*scale),
        Form::List(_) => Lengthscale::PerInput(list(node)?),
        _ => return Err(unexpected(node, "a lengthscale: a number, auto or a list [0.1, 0.2]")),
    };
    lengthscale.check().map_err(|e| placed(node.at, e))?;
    Ok(lengthscale)
}

pub(super) fn output(node: &Node) -> Read<Output> {
    if let Form::List(_) = node.form {
        return Ok(Output::Given { matrix: matrix(node)? });
    }
    let Form::Name(name, arguments) = &node.form else {
        return Err(unexpected(node, "an output such as covariance or [[1, 0.5], [0.5, 1]]"));
    };
    let Some((_, names)) = OUTPUTS.iter().find(|(known, _)| known == name) else {
        return Err(unknown("output", name, node.at));
    };
    let call = Call::new(node.at, name, arguments, names)?;
    let at_least_zero = |name: &str, node: &Node| match number(node)? {
        value if value >= 0.0 => Ok(value),
        value => Err(placed(node.at, Error::parameter(name, "a number ≥ 0", value))),
    };
    let epsilon = || call.get("epsilon").map(|node| at_least_zero("epsilon", node)).transpose();
    Ok(match name.as_str() {
        "identity" => Output::Identity,
        "covariance" => Output::Covariance,
        "similarity" => {
            Output::Similarity { gamma: at_least_zero("gamma", call.need("gamma")?)?, epsilon: epsilon()? }
        }
        "given" => Output::Given { matrix: matrix(call.need("matrix")?)? },
        _ => {
            Output::Laplacian { adjacency: matrix(call.need("adjacency")?)?, epsilon: epsilon()?.unwrap_or_default() }
        }
    })
}

fn number(node: &Node) -> Read<f64> {
    match node.form {
        Form::Number(number) => Ok(number),
        _ => Err(unexpected(node, "a number")),
    }
}

/// A list of one number or more.
fn list(node: &Node) -> Read<Vec<f64>> {
    match &node.form {
        Form::List(items) if !items.is_empty() => items.iter().map(number).collect(),
        _ => Err(unexpected(node, "a list of numbers [0.1, 0.2]")),
    }
}

fn matrix(node: &Node) -> Read<Matrix> {
    let values = rows(node)?;
    Matrix::new(Mat::from_fn(values.len(), values[0].len(), |i, j| values[i][j]), "matrix")
        .map_err(|e| placed(node.at, e))
}

/// Lists of numbers, all of one length.
fn rows(node: &Node) -> Read<Vec<Vec<f64>>> {
    let rows = match &node.form {
        Form::List(rows) if matches!(rows.first(), Some(Node { form: Form::List(_), .. })) => rows,
        _ => return Err(unexpected(node, "a matrix [[1, 0], [0, 1]]")),
    };
    let values: Vec<Vec<f64>> = rows.iter().map(list).collect::<Read<_>>()?;
    let width = values[0].len();
    if let Some(bad) = values.iter().position(|row| row.len() != width) {
        let (at, got) = (rows[bad].at, values[bad].len());
        return Err(Fault::new(at, format!("row {} at character {at} has {got} numbers, expected {width}", bad + 1)));
    }
    Ok(values)
}

fn placed(at: usize, error: Error) -> Fault {
    Fault::new(at, format!("{error} at character {at}"))
}

fn unexpected(node: &Node, expected: &str) -> Fault {
    let given = match &node.form {
        Form::Number(number) => super::number(*number),
        Form::Name(name, _) => format!("\"{name}\""),
        Form::List(_) => "a list".into(),
        Form::Sum(_) => "a sum".into(),
        Form::Product(_) => "a product".into(),
    };
    Fault::new(node.at, format!("expected {expected} at character {}, got {given}", node.at))
}

/// A name that is not one of its sort: perhaps of another sort, perhaps misspelt.
fn unknown(sort: &str, name: &str, at: usize) -> Fault {
    let of = |table: &[(&'static str, &[&str])]| table.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let sorts = [("kernel", of(KERNELS)), ("spectrum", Spectrum::NAMES.to_vec()), ("output", of(OUTPUTS))];
    if let Some((other, _)) = sorts.iter().find(|(_, names)| names.contains(&name)) {
        let cure = match (*other, sort) {
            ("output", "kernel") => format!("; write decomposable(gaussian, {name})"),
            ("output", _) => format!("; write output={name}"),
            _ => String::new(),
        };
        return Fault::new(at, format!("expected a {sort} at character {at}, got the {other} \"{name}\"{cure}"));
    }
    // a spectrum may stand for a kernel
    let meant = |s: &str| s == sort || (sort == "kernel" && s == "spectrum");
    let known: Vec<&str> = sorts.iter().filter(|(s, _)| meant(s)).flat_map(|(_, names)| names.clone()).collect();
    Fault::new(at, format!("unknown {sort} \"{name}\" at character {at}{}", advice(name, &known)))
}
