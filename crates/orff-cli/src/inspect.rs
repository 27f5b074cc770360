//! `orff inspect`: what a model file holds.

use crate::bound::short;
use crate::evaluate;
use crate::flags;
use anyhow::Result;
use clap::{ArgMatches, Command};
use faer::Mat;
use orff::archive::Reader;
use orff::forest::Forest;
use orff::model::{Body, Energies, Model, Training};
use orff::rows::Inputs;
use std::io::Write;

/// `orff inspect MODEL`.
pub fn command() -> Command {
    Command::new("inspect")
        .about("Show what a model is and how it came to be")
        .arg(evaluate::model_arg())
        .arg(evaluate::report_arg())
}

/// Runs it.
pub fn run(matches: &ArgMatches) -> Result<()> {
    let path = flags::path(matches, "model");
    // what is read only when it is asked for is checked, too
    let reader = Reader::open(path)?;
    reader.verify_all()?;
    let model = Model::load(path)?;
    let mut out = crate::progress::stdout();
    if matches.get_one::<String>("report").is_some_and(|f| f == "json") {
        let mut info = serde_json::to_value(&model.info)?;
        info["orff"] = reader.written_by().into();
        writeln!(out, "{}", serde_json::to_string_pretty(&info)?)?;
        return Ok(());
    }
    let (info, training) = (&model.info, &model.info.training);
    let size = std::fs::metadata(path).map(|m| m.len()).unwrap_or(0);
    let mut line = |name: &str, text: String| writeln!(out, "{name:12} {text}");
    line("model", format!("{} ({}, {:.1} MB)", path.display(), info.learner, size as f64 / 1e6))?;
    line("written by", format!("orff {}", reader.written_by()))?;
    line("inputs", info.inputs.join(", "))?;
    match &info.classes {
        None if info.outliers.is_some() => {}
        None => line("outputs", info.outputs.join(", "))?,
        Some(classes) => {
            line("target", info.outputs.join(", "))?;
            for (name, weight) in classes.names.iter().zip(&classes.weights) {
                line("class", format!("{name} ({weight} rows)"))?;
            }
        }
    }
    if let Some(kernel) = &training.kernel {
        let scaled = model.preparation().scale.iter().any(|s| *s != 1.0);
        let units = if scaled { "in scaled coordinates" } else { "in the units of the inputs" };
        line("kernel", format!("{kernel} ({units})"))?;
    }
    if info.outliers.is_none() || training.kernel.is_some() {
        line("group", model.preparation().group.to_string())?;
    }
    let uncertain = if model.has_posterior() { "with error bars" } else { "without error bars" };
    match &model.body {
        Body::Linear(linear) => {
            let (characters, atoms) = (linear.map.characters(), linear.map.atoms().count());
            line("features", format!("{characters} characters, {atoms} atoms, {uncertain}"))?;
        }
        Body::Exact(exact) => line("sections", format!("at {} points, {uncertain}", exact.points.nrows()))?,
        Body::Affine(affine) => {
            line("coefficients", format!("{} and a constant for each output, {uncertain}", affine.table.nrows()))?
        }
        Body::Forest(grown) => {
            let Forest { trees, importance, .. } = &grown.forest;
            let nodes: usize = trees.iter().map(|tree| tree.nodes.len()).sum();
            line("forest", format!("{} trees, {nodes} nodes", trees.len()))?;
            let mut shares: Vec<(&String, f64)> =
                info.inputs.iter().zip(importance.iter().flatten().copied()).collect();
            shares.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (name, share) in shares.iter().take(10) {
                line("importance", format!("{name}: {share:.3}"))?;
            }
        }
    }
    if let Some(alignment) = &model.alignment {
        let (about, groups) = (&alignment.about, alignment.groups());
        let each = match &alignment.landmarks {
            None => format!("{} candidates", alignment.posterior.len()),
            Some(_) => format!("{groups} landmarks with {} candidates each", alignment.posterior.len() / groups),
        };
        let how = match about.method.mu() {
            None => format!("pac-bayes, strength {}", about.beta),
            Some(mu) if about.rho == f64::MAX => format!("power {mu}, divergence beyond {}", short(about.rho)),
            Some(mu) => format!("power {mu}, divergence at most {}", short(about.rho)),
        };
        line("learned", format!("{each}, {how}"))?;
        for bound in orff::bound::guarantees(alignment, 0.05)? {
            let of = if alignment.landmarks.is_some() { "about landmarks" } else { "of all candidates" };
            let (value, seen) = (short(bound.value), short(bound.loss));
            let what = format!("{}: expected alignment loss {of} below {value} (seen {seen})", bound.name);
            line("bound", format!("{what} but with probability 0.05; {}", bound.assumptions.join("; ")))?;
        }
    }
    if let Some(series) = &model.series {
        let members = match series.members.len() {
            1 => "one series".to_string(),
            many => format!("{many} members"),
        };
        let ahead = if series.lags.ahead == 1 { "1 row".to_string() } else { format!("{} rows", series.lags.ahead) };
        line("series", format!("{members}, order {}, {ahead} at once", series.lags.order))?;
        let white = &series.whiteness;
        if let (Some(statistic), Some(p)) = (white.portmanteau, white.portmanteau_p) {
            let lags = white.autocorrelation.len();
            line(
                "whiteness",
                format!("portmanteau {statistic:.1} over {lags} lags of {} residuals, p = {p:.3}", white.rows),
            )?;
        }
        for (t, name) in series.names.iter().enumerate().take(white.ljung_box.len()) {
            let first = white.autocorrelation.first().map_or(0.0, |a| a[t]);
            line(
                "whiteness",
                format!("{name}: autocorrelation {first:.3}, Ljung-Box p = {:.3}", white.ljung_box_p[t]),
            )?;
        }
    }
    if let Some(outliers) = &info.outliers {
        line("outliers", format!("score below {}", outliers.offset))?;
    } else {
        line("ridge", format!("{:.4e}", training.ridge))?;
    }
    line("rows", training.rows.to_string())?;
    if let Ok((curves, argument)) = model.functions() {
        let name = argument.name.as_deref().unwrap_or("the argument");
        let (first, last) = argument.range;
        line("curves", format!("{name} from {first} to {last}, {} functions of it", curves.basis.count()))?;
        line("along", format!("{} (in units of {})", argument.kernel, argument.scale))?;
    } else if let Some(curves) = &model.curves {
        let kept = curves.calibration.as_ref().map_or(0, Mat::nrows);
        let by = if kept > 0 { format!(", intervals corrected by {kept} rows") } else { String::new() };
        let what = if info.outliers.is_some() { "level sets" } else { "quantiles" };
        line(what, format!("of every level, {} functions of it{by}", curves.basis.count()))?;
    }
    let numbers = info.classes.is_none() && info.outliers.is_none() && model.curves.is_none();
    for (t, name) in info.outputs.iter().enumerate().filter(|_| numbers) {
        line("noise", format!("{name}: standard deviation {:.4e}", model.noise()[(t, t)].max(0.0).sqrt()))?;
    }
    if let Some(by) = &model.projection {
        line("projection", format!("local metres about {:.4}°, {:.4}°", by.origin.0, by.origin.1))?;
    }
    if let (Ok(parts), false) = (energies(&model, training), training.points.is_empty() || model.inputs() < 2) {
        let total = parts.gradient + parts.rotation;
        let share = |e: f64| if total > 0.0 { 100.0 * e / total } else { 0.0 };
        line(
            "energy",
            format!(
                "at training points, about the mean: gradient {:.4e} ({:.0} %), rotation {:.4e} ({:.0} %), both at once {:.4e}",
                parts.gradient,
                share(parts.gradient),
                parts.rotation,
                share(parts.rotation),
                parts.cross
            ),
        )?;
    }
    for choice in &training.choices {
        line("choice", choice.clone())?;
    }
    Ok(())
}

/// Mean squared norms of the two parts of a field over the training points kept with the model.
fn energies(model: &Model, training: &Training) -> orff::Result<Energies> {
    let linear = model.linear()?;
    let d = linear.preparation.inputs;
    let x = Mat::from_fn(training.points.len(), d, |i, k| training.points[i][k]);
    Ok(linear.decompose(&Inputs::Dense(x))?.energies)
}
