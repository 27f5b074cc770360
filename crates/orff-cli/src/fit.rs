//! `orff fit`: rows in, a model out.

use crate::data::{self, Columns, Reading};
use crate::evaluate::{self, Format};
use crate::flags::{self, Usage};
use crate::progress::Progress;
use crate::{Session, config};
use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Command};
use orff::learn::{LEARNERS, Learner, learner};
use orff::metric::Scores;
use orff::model::{Model, Projected};
use orff::params::Params;
use orff::rows::Rows;
use orff_table::{Source, Split};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// `orff fit LEARNER FILE… -o MODEL`.
pub fn command() -> Command {
    let mut command =
        Command::new("fit").about("Learn a model from rows").subcommand_required(true).arg_required_else_help(true);
    for learner in LEARNERS {
        command = command.subcommand(one(learner));
    }
    command
}

fn one(learner: &'static Learner) -> Command {
    let defaults = (learner.defaults)();
    let mut command = Command::new(learner.name)
        .about(learner.about)
        .arg(data::files())
        .arg(
            Arg::new("model")
                .short('o')
                .long("model")
                .value_name("MODEL")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Where to write the model; without it only scores are printed (--test, --folds)"),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("TOML file with parameters; flags override it"),
        );
    for param in learner.spec {
        let default = match defaults.get(param.name) {
            // the default kernel is best read as text
            Some(Value::Object(_)) if param.name == "kernel" => Some(Value::String("decomposable".into())),
            other => other.cloned(),
        };
        command = command.arg(flags::flag(param, default.as_ref()).help_heading("Learner"));
    }
    let columns = serde_json::to_value(Columns::default()).unwrap_or_default();
    for param in Columns::SPEC {
        command = command.arg(flags::flag(param, Some(&columns[param.name])).help_heading("Columns and rows"));
    }
    let reading = serde_json::to_value(Reading::default()).unwrap_or_default();
    for param in Reading::SPEC {
        command = command.arg(flags::flag(param, Some(&reading[param.name])).help_heading("Files"));
    }
    command
}

/// Runs it.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let learner = learner(name)?;
    let mut values = vec![Map::new(), Map::new(), Map::new()];
    if let Some(path) = matches.get_one::<PathBuf>("config") {
        values = config::read(path, &[learner.spec, Columns::SPEC, Reading::SPEC])?;
    }
    for (values, spec) in values.iter_mut().zip([learner.spec, Columns::SPEC, Reading::SPEC]) {
        values.extend(flags::given(spec, matches)?);
    }
    let columns = Columns::from_values(&values[1])?;
    let reading = Reading::from_values(&values[2])?;
    let target = matches.get_one::<PathBuf>("model");
    if columns.outputs.is_none() {
        return Err(Usage("--outputs: say which columns to learn, for example --outputs y1,y2".into()).into());
    }
    if target.is_none() && columns.test == 0.0 && columns.folds == 0 {
        return Err(Usage("-o: say where to write the model, for example -o m.orff".into()).into());
    }
    let source = Source::open(&data::paths(matches), &reading.options()?, &columns.select()?)?;
    if !session.quiet {
        eprintln!("inputs {}; outputs {}", listed(&source.input_names()), listed(&source.output_names()));
        if !source.left_out().is_empty() {
            eprintln!("not used: {} (no numbers; --one-hot encodes words)", source.left_out().join(", "));
        }
    }
    if !source.rereadable() && (columns.test > 0.0 || columns.folds > 0) {
        return Err(Usage(
            "--test and --folds: standard input can be read only once; save the rows to a file".into(),
        )
        .into());
    }
    if let Some(folder) = target.and_then(|t| t.parent()).filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        return Err(Usage(format!("-o: there is no folder {}", folder.display())).into());
    }
    let projection = columns.projection(&source)?;
    let projected = projection.map(|by| Projected { rows: &source, by });
    let rows: &dyn Rows = projected.as_ref().map_or(&source as &dyn Rows, |p| p);
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));

    let seed = values[0].get("seed").and_then(Value::as_u64).unwrap_or(0);
    let finish = |mut model: Model| -> Result<Model> {
        model.projection = projection;
        model.info.inputs = source.input_names();
        model.info.outputs = source.output_names();
        model.info.encoding = serde_json::to_value(source.encoding())?;
        Ok(model)
    };
    if columns.folds == 1 {
        return Err(Usage("--folds: expected 0 or at least 2, got 1".into()).into());
    }
    if columns.folds > 1 {
        let mut scores = Scores::new(rows.outputs());
        for fold in 0..columns.folds {
            let train = Split::without_fold(rows, fold, columns.folds, seed)?;
            let test = Split::fold(rows, fold, columns.folds, seed)?;
            let model = (learner.fit)(&values[0], &train, &mut watch)?;
            scores.merge(&evaluate::score(&model, &test, None, &mut watch)?);
        }
        drop(std::mem::replace(
            &mut watch,
            Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total())),
        ));
        let title = format!("{} folds", columns.folds);
        evaluate::print(&title, &source.output_names(), &scores, Format::Text, &mut std::io::stderr())?;
    }
    let model = if columns.test > 0.0 {
        let train = Split::train(rows, columns.test, seed)?;
        let test = Split::test(rows, columns.test, seed)?;
        let model = (learner.fit)(&values[0], &train, &mut watch)?;
        let scores = evaluate::score(&model, &test, evaluate::level_of(&model), &mut watch)?;
        let title = format!("{} % of the rows, held out", 100.0 * columns.test);
        evaluate::print(&title, &source.output_names(), &scores, Format::Text, &mut std::io::stderr())?;
        finish(model)?
    } else if target.is_some() {
        finish((learner.fit)(&values[0], rows, &mut watch)?)?
    } else {
        return Ok(());
    };
    drop(watch);
    if let Some(target) = target {
        model.save(target).with_context(|| "the model was not written")?;
        if !session.quiet {
            eprintln!("wrote {} ({} rows)", target.display(), model.info.training.rows);
        }
    }
    Ok(())
}

/// Names in one line; the middle of a long list is left out.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if names.len() > 24 => format!("{}, …, {last} ({})", first[..20].join(", "), names.len()),
        few => few.join(", "),
    }
}
