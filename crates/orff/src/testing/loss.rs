//! Losses against their definition.

use super::{DATA, exceeds};
use crate::loss::Loss;
use crate::random::Stream;

/// Checks a loss with p outputs: its gradient against differences, convexity, the bounds of its smoothing, the
/// Fenchel–Young inequality with equality at the gradient, and targets that are not observed.
///
/// ```
/// orff::testing::check_loss(&orff::loss::Logistic, 3)?;
/// # Ok::<(), String>(())
/// ```
pub fn check_loss(loss: &dyn Loss, outputs: usize) -> Result<(), String> {
    let nature = loss.nature();
    let mut stream = Stream::new(29, DATA, outputs as u64);
    for trial in 0..60 {
        let y = targets(loss, outputs, &mut stream)?;
        let scale = [0.3, 1.0, 4.0][trial % 3];
        let mut point = || -> Vec<f64> { (0..outputs).map(|_| scale * stream.normal()).collect() };
        let (f, g) = (point(), point());
        for smoothing in [0.0, 0.05, 0.7] {
            if smoothing > 0.0 || nature.smooth {
                check_gradient(loss, &f, &y, smoothing)?;
            }
            check_convexity(loss, &f, &g, &y, smoothing)?;
            let (exact, smooth) = (value(loss, &f, &y, 0.0).0, value(loss, &f, &y, smoothing).0);
            let gap = exact - smooth;
            let most = if nature.smooth { 0.0 } else { 0.5 * smoothing * outputs as f64 };
            if exceeds(-gap, 1e-12 * (1.0 + exact)) || exceeds(gap, most + 1e-12 * (1.0 + exact)) {
                return Err(format!("smoothing {smoothing} lowers {exact} by {gap}, expected from 0 to {most}"));
            }
            check_conjugate(loss, &f, &g, &y, smoothing)?;
        }
    }
    check_missing(loss, outputs, &mut stream)
}

fn value(loss: &dyn Loss, f: &[f64], y: &[f64], smoothing: f64) -> (f64, Vec<f64>) {
    let mut slope = vec![f64::NAN; f.len()];
    (loss.gradient(f, y, smoothing, &mut slope), slope)
}

/// Targets of the loss: numbers, signs, or a class.
fn targets(loss: &dyn Loss, p: usize, stream: &mut Stream) -> Result<Vec<f64>, String> {
    if !loss.nature().by_output {
        let y = vec![stream.below(p + 1) as f64];
        let refused = [vec![0.5], vec![-1.0], vec![(p + 1) as f64], vec![0.0, 0.0]];
        if let Some(bad) = refused.iter().find(|bad| loss.check(bad, p).is_ok()) {
            return Err(format!("{bad:?} is no class of {}, and is not refused", p + 1));
        }
        return loss.check(&y, p).map(|()| y).map_err(|e| e.to_string());
    }
    if loss.check(&vec![0.0; p + 1], p).is_ok() || loss.check(&vec![f64::INFINITY; p], p).is_ok() {
        return Err("too many targets, or infinite ones, are not refused".into());
    }
    let numbers: Vec<f64> = (0..p).map(|_| stream.normal()).collect();
    let signs: Vec<f64> = numbers.iter().map(|y| y.signum()).collect();
    let y = if loss.check(&numbers, p).is_ok() { numbers } else { signs };
    loss.check(&y, p).map(|()| y).map_err(|e| e.to_string())
}

fn check_gradient(loss: &dyn Loss, f: &[f64], y: &[f64], smoothing: f64) -> Result<(), String> {
    let (at, slope) = value(loss, f, y, smoothing);
    let step = 1e-6;
    for k in 0..f.len() {
        let moved = |by: f64| {
            let mut f = f.to_vec();
            f[k] += by;
            value(loss, &f, y, smoothing).0
        };
        let difference = (moved(step) - moved(-step)) / (2.0 * step);
        // where the second derivative jumps the difference is off by step/2 times the jump
        let most = 1e-8 * (1.0 + at) + step * if loss.nature().smooth { 2.0 } else { 2.0 / smoothing };
        if exceeds((difference - slope[k]).abs(), most) {
            return Err(format!(
                "at {f:?}, y = {y:?}, smoothing {smoothing}: slope {}, by differences {difference}",
                slope[k]
            ));
        }
    }
    Ok(())
}

fn check_convexity(loss: &dyn Loss, f: &[f64], g: &[f64], y: &[f64], smoothing: f64) -> Result<(), String> {
    let middle: Vec<f64> = f.iter().zip(g).map(|(f, g)| 0.5 * (f + g)).collect();
    let of = |f: &[f64]| value(loss, f, y, smoothing).0;
    let (ends, middle) = (0.5 * (of(f) + of(g)), of(&middle));
    if exceeds(middle, ends + 1e-12 * (1.0 + ends)) {
        return Err(format!("between {f:?} and {g:?}: {middle} above the chord, {ends}"));
    }
    Ok(())
}

fn check_conjugate(loss: &dyn Loss, f: &[f64], g: &[f64], y: &[f64], smoothing: f64) -> Result<(), String> {
    let dot = |u: &[f64], f: &[f64]| -> f64 { u.iter().zip(f).map(|(u, f)| u * f).sum() };
    let (at, slope) = value(loss, f, y, 0.0);
    let gap = at + loss.conjugate(&slope, y) - dot(&slope, f);
    if exceeds(gap.abs(), 1e-10 * (1.0 + at)) {
        return Err(format!("at {f:?}, y = {y:?}: ℓ + ℓ*(u) − ⟨u, f⟩ = {gap:.1e} at the gradient, expected 0"));
    }
    let (_, other) = value(loss, g, y, smoothing);
    let gap = at + loss.conjugate(&other, y) - dot(&other, f);
    if !gap.is_finite() || gap < -1e-10 * (1.0 + at) {
        return Err(format!("u = {other:?}, y = {y:?}: ℓ + ℓ*(u) − ⟨u, f⟩ = {gap}, expected a number ≥ 0"));
    }
    Ok(())
}

fn check_missing(loss: &dyn Loss, p: usize, stream: &mut Stream) -> Result<(), String> {
    let f: Vec<f64> = (0..p).map(|_| stream.normal()).collect();
    let nothing = vec![f64::NAN; loss.nature().targets(p)];
    loss.check(&nothing, p).map_err(|e| e.to_string())?;
    let (at, slope) = value(loss, &f, &nothing, 0.3);
    if at != 0.0 || slope.iter().any(|u| *u != 0.0) || loss.conjugate(&slope, &nothing) != 0.0 {
        return Err(format!("nothing observed has loss {at} and gradient {slope:?}"));
    }
    if loss.nature().by_output && p > 1 {
        let mut y = targets(loss, p, stream)?;
        let rest = value(loss, &f[1..], &y[1..], 0.3);
        y[0] = f64::NAN;
        let (at, slope) = value(loss, &f, &y, 0.3);
        if at != rest.0 || slope[0] != 0.0 || slope[1..] != rest.1[..] {
            return Err("a target that is not observed counts".into());
        }
    }
    Ok(())
}
