//! `orff evaluate`: scores of a model on rows with known outputs.

use crate::placed::Placed;
use crate::progress::Progress;
use crate::report::{Format, Report};
use crate::{Session, data, detect, flags};
use anyhow::Result;
use clap::{Arg, ArgMatches, Command};
use orff::model::Model;
use orff::params::Params;
use orff::rows::{Points, Rows, Tasks};
use orff::special::normal_quantile;
use orff::watch::Watch;
use orff_table::Source;
use std::path::PathBuf;

/// `orff evaluate MODEL FILE…`.
pub fn command() -> Command {
    let mut command = Command::new("evaluate")
        .about("Score a model on rows with known outputs: R², errors, coverage of intervals; pinball loss of quantiles; accuracy and log loss of classes; ROC AUC of outliers")
        .arg(model_arg())
        .arg(data::files())
        .arg(report_arg())
        .arg(interval_arg().default_value("0.9"))
        .arg(threads_arg());
    for param in data::Reading::SPEC {
        command = command.arg(flags::flag(param, None).help_heading("Files"));
    }
    command.arg(data::missing()).arg(data::task()).arg(data::output()).args(detect::arguments())
}

/// Does something with rows that have a column for each output: long ones are given one for each task.
pub fn outputs<T>(source: &Source, rows: &dyn Rows, with: &mut dyn FnMut(&dyn Rows) -> Result<T>) -> Result<T> {
    match &source.encoding().task {
        None => with(rows),
        Some(task) => with(&Tasks::new(rows, task.values.len())?),
    }
}

/// How a command prints what it found.
pub fn report_arg() -> Arg {
    Arg::new("report")
        .long("format")
        .value_name("WORD")
        .value_parser(["text", "json"])
        .default_value("text")
        .help("How to print: a text for people, or JSON")
}

/// The model of a command.
pub fn model_arg() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .required(true)
        .value_parser(clap::value_parser!(PathBuf))
        .help("A model written by orff fit")
}

/// The level of intervals.
pub fn interval_arg() -> Arg {
    Arg::new("interval")
        .long("interval")
        .value_name("LEVEL")
        .allow_negative_numbers(true)
        .value_parser(|text: &str| match text.parse::<f64>() {
            Ok(level) if level > 0.0 && level < 1.0 => Ok(level),
            _ => Err(format!("expected a level between 0 and 1, got {text}")),
        })
        .help("Probability that an interval holds the observation, such as 0.9")
}

/// The threads of a command that does not learn.
pub fn threads_arg() -> Arg {
    Arg::new("threads")
        .long("threads")
        .value_name("N")
        .value_parser(clap::value_parser!(u16).range(1..=4096))
        .help("Number of threads; results do not depend on it [default: all processors]")
}

/// 0.9 when the model can say how sure it is.
pub fn level_of(model: &Model) -> Option<f64> {
    (model.has_posterior() || model.curves().is_ok()).then_some(0.9)
}

/// Half the width of a two-sided interval in standard deviations.
pub fn width(level: f64) -> f64 {
    normal_quantile(0.5 + 0.5 * level)
}

/// Scores of a model on rows, with the coverage of intervals at a level.
pub fn score(model: &Model, rows: &dyn Rows, level: Option<f64>, watch: &mut dyn Watch) -> Result<Report> {
    watch.stage("score");
    let mut report = match &model.info.outliers {
        None if model.functions().is_ok() => Report::points(),
        None => Report::new(&model.info.outputs, model.info.classes.as_ref().map(|c| &c.names[..])),
        Some(known) => Report::outliers(&Report::which(known, rows.classes())),
    };
    for batch in rows.batches()? {
        let batch = batch?;
        match model.functions() {
            Ok(_) => report.curves(model, &batch, rows.points())?,
            Err(_) => report.add(model, &batch, level)?,
        }
        watch.advance(batch.inputs.nrows() as u64)?;
    }
    Ok(report)
}

/// Runs it.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let path = flags::path(matches, "model");
    let mut model = Model::load(path)?;
    let print = |scores: &Report| {
        let json = matches.get_one::<String>("report").is_some_and(|f| f == "json");
        let format = if json { Format::Json } else { Format::Text };
        scores.print(&path.display().to_string(), format, &mut crate::progress::stdout())
    };
    if model.info.outliers.is_some() {
        let (scores, skipped) = detect::evaluate(&model, matches, session)?;
        tell(&scores, skipped, session);
        return print(&scores);
    }
    detect::refuse(matches)?;
    let source = data::open_for(&model, matches, true, None)?;
    let level = level_of(&model).and(matches.get_one::<f64>("interval").copied());
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    let domain = Some(model.preparation().clone());
    let rows = Placed { source: &source, projection: model.projection.take(), domain };
    let scores = match model.functions().is_ok_and(|(_, argument)| argument.name.is_some()) {
        // each row is a curve of one point
        true => score(&model, &Points::new(&rows)?, level, &mut watch)?,
        false => outputs(&source, &rows, &mut |rows| score(&model, rows, level, &mut watch))?,
    };
    drop(watch);
    tell(&scores, source.skipped(), session);
    print(&scores)
}

/// Says how many rows do not count, and why.
fn tell(scores: &Report, skipped: u64, session: &Session) {
    if skipped > 0 && !session.quiet {
        crate::progress::tell(&format!("not scored: {skipped} rows with missing inputs"));
    }
    if scores.unlabelled() > 0 && !session.quiet {
        crate::progress::tell(&format!("not scored: {} rows without a label", scores.unlabelled()));
    }
}
