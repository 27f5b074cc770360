//! `orff inspect`: what a model file holds.

use crate::evaluate;
use anyhow::Result;
use clap::{ArgMatches, Command};
use faer::Mat;
use orff::archive::Reader;
use orff::model::{Body, Energies, Model, Training};
use orff::rows::Inputs;
use std::io::Write;
use std::path::PathBuf;

/// `orff inspect MODEL`.
pub fn command() -> Command {
    Command::new("inspect")
        .about("Show what a model is and how it came to be")
        .arg(evaluate::model_arg())
        .arg(evaluate::report_arg())
}

/// Runs it.
pub fn run(matches: &ArgMatches) -> Result<()> {
    let path = matches.get_one::<PathBuf>("model").expect("clap requires it");
    // what is read only when it is asked for is checked, too
    Reader::open(path)?.verify_all()?;
    let model = Model::load(path)?;
    let mut out = std::io::stdout().lock();
    if matches.get_one::<String>("report").is_some_and(|f| f == "json") {
        writeln!(out, "{}", serde_json::to_string_pretty(&model.info)?)?;
        return Ok(());
    }
    let (info, training) = (&model.info, &model.info.training);
    let size = std::fs::metadata(path).map(|m| m.len()).unwrap_or(0);
    let mut line = |name: &str, text: String| writeln!(out, "{name:12} {text}");
    line("model", format!("{} ({}, {:.1} MB)", path.display(), info.learner, size as f64 / 1e6))?;
    line("inputs", info.inputs.join(", "))?;
    match &info.classes {
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
    line("group", model.preparation().group.to_string())?;
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
    }
    if let Some(series) = &model.series {
        let lags = series.lags;
        line(
            "series",
            format!("{} members, order {}, {} rows at once", series.members.len(), lags.order, lags.ahead),
        )?;
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
    line("ridge", format!("{:.4e}", training.ridge))?;
    line("rows", training.rows.to_string())?;
    for (t, name) in info.outputs.iter().enumerate().filter(|_| info.classes.is_none()) {
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
