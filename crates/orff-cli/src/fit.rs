//! `orff fit`: rows in, a model out.

use crate::data::{self, Columns, Reading};
use crate::evaluate;
use crate::flags::{self, Usage};
use crate::placed::Placed;
use crate::progress::Progress;
use crate::report::Format;
use crate::{Session, config, series};
use anyhow::{Context, Result, bail};
use clap::{Arg, ArgMatches, Command};
use orff::group::Group;
use orff::kernel::Kernel;
use orff::learn::{FORECASTERS, LEARNERS, Learner, forecaster, learner};
use orff::model::{LonLat, Model, Preparation};
use orff::params::Params;
use orff::rows::Rows;
use orff::watch::Watch;
use orff_table::Source;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// `orff fit LEARNER FILE… -o MODEL`.
pub fn command() -> Command {
    let mut command =
        Command::new("fit").about("Learn a model from rows").subcommand_required(true).arg_required_else_help(true);
    for learner in LEARNERS {
        command = command.subcommand(one(learner));
    }
    for forecaster in FORECASTERS {
        command = command.subcommand(series::fit_command(forecaster));
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
    for param in &data::columns_of(learner.role) {
        let flag = flags::flag(param, Some(&columns[param.name])).help_heading("Columns and rows");
        command = command.arg(if param.name == "outputs" { flag.visible_alias("output") } else { flag });
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
    if let Some(forecaster) = forecaster(name) {
        return series::fit(forecaster, matches, session);
    }
    let learner = learner(name)?;
    let about_columns = data::columns_of(learner.role);
    let specs = [learner.spec, &about_columns, Reading::SPEC];
    let mut values = vec![Map::new(), Map::new(), Map::new()];
    if let Some(path) = matches.get_one::<PathBuf>("config") {
        values = config::read(path, &specs)?;
    }
    for (values, spec) in values.iter_mut().zip(specs) {
        values.extend(flags::given(spec, matches)?);
    }
    let columns = Columns::from_values(&values[1])?;
    let reading = Reading::from_values(&values[2])?;
    let target = matches.get_one::<PathBuf>("model");
    if learner.role.classifies() && columns.target.is_none() {
        return Err(Usage("--target: say which column holds the classes, for example --target label".into()).into());
    }
    if !learner.role.classifies() && columns.outputs.is_none() {
        let which = match columns.task {
            None => "which columns to learn, for example --outputs y1,y2",
            Some(_) => "which column has the value of the task, for example --output value",
        };
        return Err(Usage(format!("--outputs: say {which}")).into());
    }
    if target.is_none() && columns.test == 0.0 && columns.folds == 0 {
        return Err(Usage("-o: say where to write the model, for example -o m.orff".into()).into());
    }
    let mut select = columns.select()?;
    select.unlabelled = learner.role.unlabelled();
    let source = Source::open(&data::paths(matches), &reading.options()?, &select)?;
    if !session.quiet {
        let learned = match source.classes() {
            None => format!("outputs {}", listed(&source.output_names())),
            Some(classes) => {
                format!("target {}, {} classes: {}", source.output_names().join(""), classes.len(), listed(classes))
            }
        };
        crate::progress::tell(&format!("inputs {}; {learned}", listed(&source.input_names())));
        if !source.left_out().is_empty() {
            crate::progress::tell(&format!("not used: {} (no values)", source.left_out().join(", ")));
        }
    }
    let held = columns.test > 0.0 || columns.folds > 0;
    if !source.rereadable() && held {
        return Err(Usage(
            "--test and --folds: standard input can be read only once; save the rows to a file".into(),
        )
        .into());
    }
    if columns.folds == 1 {
        return Err(Usage("--folds: expected 0 or at least 2, got 1".into()).into());
    }
    if let Some(target) = target {
        writable(target)?;
    }
    let domain = fitting(&values[0], &source)?;
    let projection = columns.projection(&source, session)?;
    let seed = values[0].get("seed").and_then(Value::as_u64).unwrap_or(0);
    let task = Task { learner, values: &values[0], source: &source, projection, domain, seed };
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));

    let rows = if held { task.count(&mut watch)? } else { 0 };
    if columns.folds > 1 {
        let scores = task.folds(columns.folds, rows, &mut watch)?;
        let title = format!("{} folds", columns.folds);
        scores.print(&title, Format::Text, &mut std::io::stdout())?;
    }
    let (mut model, skipped) = if columns.test > 0.0 {
        let (model, own, scores) = task.test(columns.test, rows, &mut watch)?;
        let title = format!("{} % of the rows, held out", 100.0 * columns.test);
        scores.print(&title, Format::Text, &mut std::io::stdout())?;
        (read_by(model, &own)?, own.skipped())
    } else if target.is_some() {
        if columns.folds > 1 {
            watch.say("fit on all rows (choices as in the first fold, except)");
        }
        let model = task.learn(&task.placed(&source), &mut watch)?;
        (read_by(model, &source)?, source.skipped())
    } else {
        return Ok(());
    };
    drop(watch);
    model.projection = projection;
    if let Some(target) = target {
        model.save(target).with_context(|| "the model was not written")?;
        if !session.quiet {
            let dropped =
                if skipped > 0 { format!(", {skipped} with missing inputs dropped") } else { String::new() };
            crate::progress::tell(&format!(
                "wrote {} ({} rows{dropped})",
                target.display(),
                model.info.training.rows
            ));
        }
    }
    Ok(())
}

/// Refuses a place where no model can be written, before any work.
pub fn writable(target: &Path) -> Result<()> {
    if target.is_dir() {
        bail!("-o: {} is a folder; say the name of a file in it, for example m.orff", target.display());
    }
    match target.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => bail!("-o: there is no folder {}", folder.display()),
        None => Ok(()),
    }
}

/// What is learned from which rows.
pub struct Task<'a> {
    learner: &'static Learner,
    values: &'a Map<String, Value>,
    /// All rows.
    pub source: &'a Source,
    projection: Option<LonLat>,
    domain: Option<Preparation>,
    /// Seed of the split.
    pub seed: u64,
}

impl Task<'_> {
    /// Rows as the learner takes them.
    pub fn placed<'a>(&self, source: &'a Source) -> Placed<'a> {
        Placed { source, projection: self.projection, domain: self.domain.clone() }
    }

    /// A model of some rows.
    pub fn learn(&self, rows: &dyn Rows, watch: &mut Progress) -> Result<Model> {
        let model =
            evaluate::outputs(self.source, rows, &mut |rows| Ok((self.learner.fit)(self.values, rows, watch)?))?;
        read_by(model, self.source)
    }
}

/// Refuses parameters that do not fit the columns, and tells what the inputs of every row must satisfy.
fn fitting(values: &Map<String, Value>, source: &Source) -> Result<Option<Preparation>> {
    let (d, p) = (source.inputs(), source.output_names().len());
    if let Some(rows) = values.get("metric").and_then(Value::as_array).filter(|rows| rows.len() != p) {
        let expected = format!("{p}×{p}, a row and a column per output");
        return Err(orff::Error::shape("--metric", expected, format!("{0}×{0}", rows.len())).into());
    }
    let group = values.get("group").and_then(Value::as_str).map_or(Ok(Group::Additive), str::parse)?;
    group.check(d)?;
    if group.is_additive() {
        return Ok(None);
    }
    let kernel: Option<Kernel> = values.get("kernel").cloned().map(serde_json::from_value).transpose()?;
    let views = kernel.as_ref().and_then(Kernel::views).unwrap_or_default().to_vec();
    Ok(Some(Preparation { group, views, ..Preparation::plain(d) }))
}

/// The model with the names and the encoding of the rows it was learned from.
fn read_by(mut model: Model, source: &Source) -> Result<Model> {
    model.info.inputs = source.input_names();
    model.info.outputs = source.output_names();
    model.info.encoding = serde_json::to_value(source.encoding())?;
    Ok(model)
}

/// Names in one line; the middle of a long list is left out.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if names.len() > 24 => format!("{}, …, {last} ({})", first[..20].join(", "), names.len()),
        few => few.join(", "),
    }
}
