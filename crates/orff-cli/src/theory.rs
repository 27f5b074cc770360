//! What the theory says of a fitted model, printed: `orff fit … --report`.

use crate::bound::short;
use orff::bound::{Approximation, Fitted, Generalisation, Guarantee, Report};
use std::io::{Result, Write};

/// The probability with which a bound of a report may fail.
pub const FAILING: f64 = 0.05;

/// Prints a report whose bounds fail with this probability each.
pub fn print(found: &Report, failing: f64, out: &mut dyn Write) -> Result<()> {
    match &found.approximation {
        Err(why) => writeln!(out, "approximation: {why}")?,
        Ok(a) => approximation(a, failing, out)?,
    }
    alignment(&found.alignment, failing, out)?;
    match &found.generalisation {
        Err(why) => writeln!(out, "expected loss: {why}"),
        Ok((fitted, bounds)) => generalisation(fitted, bounds, failing, out),
    }
}

fn line(value: f64, what: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "  {:>10}  {what}", short(value))
}

fn approximation(a: &Approximation, failing: f64, out: &mut dyn Write) -> Result<()> {
    let (scale, diameter) = (short(a.scale), short(a.diameter));
    writeln!(out, "approximation of {} (‖K(x,x)‖ = {scale}, rows of diameter {diameter})", a.of)?;
    line(a.measured, "largest error measured between rows", out)?;
    match a.bound {
        Some((epsilon, name)) => {
            line(epsilon, &format!("bound for all rows and independent draws, probability {failing} ({name})"), out)
        }
        None => writeln!(out, "  {:>10}  bound: no theorem applies (orff bound says why)", "none"),
    }
}

/// What is bounded is the loss of the posterior, or of the kernels about landmarks: never that of the atoms that were kept.
fn alignment(bounds: &[Guarantee], failing: f64, out: &mut dyn Write) -> Result<()> {
    for (k, bound) in bounds.iter().enumerate() {
        if k == 0 {
            let (of, over) = match bound.name {
                "theorem-1" => ("of the kernels about landmarks", "mean over landmarks and rows"),
                _ => (
                    "of the posterior over all candidates (of the atoms that were kept it may be larger)",
                    "mean over pairs of rows",
                ),
            };
            writeln!(out, "expected alignment loss {of}")?;
            line(bound.loss, over, out)?;
        }
        let assumed = bound.assumptions.join("; ");
        line(bound.value, &format!("bound, {} of L19, probability {failing}: {assumed}", bound.name), out)?;
    }
    Ok(())
}

fn generalisation(fitted: &Fitted, bounds: &Generalisation, failing: f64, out: &mut dyn Write) -> Result<()> {
    let Fitted { norm, kappa, largest, ridge, risk, .. } = *fitted;
    let sizes = format!("‖θ‖ = {}, κ = {}, λ = {ridge:.3e}, ‖y‖ ≤ {}", short(norm), short(kappa), short(largest));
    writeln!(out, "expected loss, half the squared error of scaled outputs, or codes of classes ({sizes})")?;
    line(risk, "mean over the rows", out)?;
    let mut rows = [
        (Some(bounds.norm), "bound from the norm of the solution (T17 Proposition 7.1)"),
        (bounds.complexity, "bound from the ridge (T17 (7.5))"),
        (Some(bounds.stability), "bound from stability (T17 (7.6))"),
    ];
    // the tightest first
    rows.sort_by(|a, b| a.0.unwrap_or(f64::INFINITY).total_cmp(&b.0.unwrap_or(f64::INFINITY)));
    for (gap, what) in rows {
        match gap {
            Some(gap) => line(risk + gap, &format!("{what}, probability {failing}"), out)?,
            None => writeln!(out, "  {:>10}  {what}: the ridge is larger than κ", "none")?,
        }
    }
    writeln!(
        out,
        "  assumed: rows independent and alike, ‖y‖ never larger than seen, kernel, offset and ridge given beforehand"
    )
}
