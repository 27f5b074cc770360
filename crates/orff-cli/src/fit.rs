//! `orff fit`: rows in, a model out.

use crate::checkpoint::Checkpoint;
use crate::data::{self, Columns, Reading};
use crate::evaluate;
use crate::flags::{self, Usage};
use crate::placed::Placed;
use crate::progress::{Progress, in_metres, stdout};
use crate::report::{Format, Report};
use crate::{Session, config, curves, detect, learning, one_class, series};
use anyhow::{Context, Result, bail};
use clap::{Arg, ArgMatches, Command};
use orff::group::Group;
use orff::kernel::Kernel;
use orff::learn::{FORECASTERS, LEARNERS, Learner, Role, forecaster, learner};
use orff::model::{LonLat, Model, Outliers, Preparation};
use orff::params::{Param, Params};
use orff::rows::{Points, Rows, Table};
use orff::watch::Watch;
use orff_table::Source;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// `orff fit LEARNER FILE… -o MODEL`.
pub fn command() -> Command {
    let mut command =
        Command::new("fit").about("Learn a model from rows").subcommand_required(true).arg_required_else_help(true);
    for learner in LEARNERS.iter().filter(|learner| !learner.role.detects() && !learner.role.aligns()) {
        let mut flags = own(learner);
        if learner.name == learning::NAME {
            flags.extend(learning::flags());
        }
        command = command.subcommand(one(learner.name, learner.about, flags, learner.role));
    }
    command = command.subcommand(one(one_class::NAME, one_class::ABOUT, one_class::flags(), Role::OutlierDetector));
    for forecaster in FORECASTERS {
        command = command.subcommand(series::fit_command(forecaster));
    }
    command
}

/// The flags of a learner's own parameters.
fn own(learner: &'static Learner) -> Vec<Arg> {
    let defaults = (learner.defaults)();
    let flag = |param: &Param| {
        let default = match defaults.get(param.name) {
            // the default kernel is best read as text
            Some(Value::Object(_)) if param.name == "kernel" => Some(Value::String("decomposable".into())),
            other => other.cloned(),
        };
        flags::flag(param, default.as_ref())
    };
    learner.spec.iter().map(flag).collect()
}

fn one(name: &'static str, about: &'static str, own: Vec<Arg>, role: Role) -> Command {
    let mut command = Command::new(name)
        .about(about)
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
    if !role.detects() {
        let help = "Keep what iterations have come to in this file, every half minute and at the end: a fit that was cut short goes on from it";
        command = command.arg(
            Arg::new("checkpoint")
                .long("checkpoint")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help(help),
        );
    }
    let help = "Print how well the features approximate the kernel, and bounds of the expected loss";
    command = command.arg(flags::switch("report", help));
    for flag in own {
        command = command.arg(flag.help_heading("Learner"));
    }
    let columns = serde_json::to_value(Columns::default()).unwrap_or_default();
    for param in &data::columns_of(role) {
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
    let (learner, method) = match name {
        one_class::NAME => (one_class::learner(matches)?, Map::new()),
        learning::NAME => learning::chosen(matches)?,
        name => (learner(name)?, Map::new()),
    };
    let about_columns = data::columns_of(learner.role);
    let specs = [learner.spec, &about_columns, Reading::SPEC];
    let mut values = vec![Map::new(), Map::new(), Map::new()];
    if let Some(path) = matches.get_one::<PathBuf>("config") {
        values = config::read(path, &specs)?;
    }
    for (values, spec) in values.iter_mut().zip(specs) {
        values.extend(flags::given(spec, matches)?);
    }
    values[0].extend(method);
    let columns = Columns::from_values(&values[1])?;
    let reading = Reading::from_values(&values[2])?;
    let target = matches.get_one::<PathBuf>("model");
    if learner.role.classifies() && columns.target.is_none() {
        return Err(Usage("--target: say which column holds the classes, for example --target label".into()).into());
    }
    if !learner.role.classifies() && !learner.role.detects() && columns.outputs.is_none() {
        let which = match columns.task {
            None => "which columns to learn, for example --outputs y1,y2",
            Some(_) => "which column has the value of the task, for example --output value",
        };
        return Err(Usage(format!("--outputs: say {which}")).into());
    }
    if target.is_none() && columns.test == 0.0 && columns.folds == 0 {
        return Err(Usage("-o: say where to write the model, for example -o m.orff".into()).into());
    }
    let held = columns.test > 0.0 || columns.folds > 0;
    if learner.role.detects() && columns.target.is_none() && (held || columns.outliers.is_some()) {
        let how = "say which column tells outliers from others, for example --target anomaly";
        return Err(Usage(format!("--target: {how}")).into());
    }
    let points = columns.points()?;
    let mut select = columns.select()?;
    select.unlabelled = learner.role.unlabelled() || learner.role.detects();
    let source = Source::open(&data::paths(matches), &reading.options()?, &select)?;
    if !session.quiet {
        let learned = match source.classes() {
            None if learner.role.detects() => "no outputs".into(),
            None if points => format!("curves of {}", source.output_names().join(", ")),
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
    let outliers = if learner.role.detects() { labels(&columns, &source)? } else { Vec::new() };
    if !source.rereadable() && held {
        return Err(Usage(
            "--test and --folds: standard input can be read only once; save the rows to a file".into(),
        )
        .into());
    }
    let report = matches.get_flag("report");
    if report && !source.rereadable() {
        return Err(Usage("--report: standard input can be read only once; save the rows to a file".into()).into());
    }
    if report && target.is_none() && columns.test == 0.0 {
        return Err(Usage("--report: it is about one model; say -o m.orff, or --test 0.2".into()).into());
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
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.metres(projection.is_some());
    if !learner.role.detects() {
        let path = matches.get_one::<PathBuf>("checkpoint");
        let solver = values[0].get("solver").and_then(Value::as_str).unwrap_or_default();
        if path.is_some() && ["stochastic", "online"].contains(&solver) {
            let why = "it goes over the rows once or a few times and keeps nothing on the way; use --solver l-bfgs";
            return Err(Usage(format!("--checkpoint: solver {solver}: {why}")).into());
        }
        watch.checkpoint(path.map(|path| Checkpoint::open(path)).transpose()?);
    }
    if points && source.output_names().len() != 2 {
        let given = source.output_names()[1..].join(", ");
        return Err(Usage(format!("--output: expected one column, the value of each point, got {given}")).into());
    }
    let curves = points.then(|| curves::gather(&source, projection, &mut watch)).transpose()?;
    let task = Task { learner, values: &values[0], source: &source, projection, domain, seed, outliers, curves };

    let rows = if held { task.count(&mut watch)? } else { 0 };
    if columns.folds > 1 {
        let scores = task.folds(columns.folds, rows, &mut watch)?;
        let title = format!("{} folds", columns.folds);
        scores.print(&title, Format::Text, &mut stdout())?;
    }
    let (mut model, skipped) = if columns.test > 0.0 {
        let (model, own, scores) = task.test(columns.test, rows, &mut watch)?;
        let title = format!("{} % of the rows, held out", 100.0 * columns.test);
        scores.print(&title, Format::Text, &mut stdout())?;
        (if points { model } else { read_by(model, &own)? }, own.skipped())
    } else if target.is_some() {
        if columns.folds > 1 {
            watch.say("fit on all rows (choices as in the first fold, except)");
        }
        (task.learn_all(&mut watch)?, source.skipped())
    } else {
        return Ok(());
    };
    if report {
        // the rows that were learned from
        task.theory(&model, columns.test, &mut watch)?;
    }
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
    /// Labels of outliers, where the target tells them.
    outliers: Vec<String>,
    /// The curves of rows that are points.
    pub curves: Option<Table>,
}

impl Task<'_> {
    /// Rows as the learner takes them.
    pub fn placed<'a>(&self, source: &'a Source) -> Placed<'a> {
        Placed { source, projection: self.projection, domain: self.domain.clone() }
    }

    /// A model of some rows.
    pub fn learn(&self, rows: &dyn Rows, watch: &mut Progress) -> Result<Model> {
        let named = |error| by_name(error, self.source);
        let mut fit =
            |rows: &dyn Rows| -> Result<Model> { Ok((self.learner.fit)(self.values, rows, watch).map_err(named)?) };
        let mut model = match self.curves {
            Some(_) => fit(&Points::new(rows)?)?,
            None => evaluate::outputs(self.source, rows, &mut fit)?,
        };
        if let Some(outliers) = &mut model.info.outliers {
            outliers.labels.clone_from(&self.outliers);
        }
        if self.projection.is_some() {
            model.info.training.choices.iter_mut().for_each(|line| *line = in_metres(line));
        }
        match self.curves {
            Some(_) => read_points(model, self.source),
            None => read_by(model, self.source),
        }
    }

    /// A model of all rows.
    fn learn_all(&self, watch: &mut Progress) -> Result<Model> {
        match &self.curves {
            Some(curves) => self.learn(curves, watch),
            None => self.learn(&self.placed(self.source), watch),
        }
    }

    /// Scores of nothing yet.
    pub fn report(&self) -> Report {
        if self.learner.role.detects() {
            let known = Outliers { labels: self.outliers.clone(), ..Outliers::default() };
            return Report::outliers(&Report::which(&known, self.source.classes()));
        }
        if self.learner.role == Role::Curves {
            return Report::points();
        }
        Report::new(&self.source.output_names(), self.source.classes())
    }
}

/// The labels of outliers in the target, if there is one; it must have some of them.
fn labels(columns: &Columns, source: &Source) -> Result<Vec<String>> {
    let Some(classes) = source.classes() else { return Ok(Vec::new()) };
    let found = Outliers { labels: detect::labels(columns.outliers.as_deref()), ..Outliers::default() };
    if classes.iter().any(|class| found.has(class)) {
        return Ok(found.labels);
    }
    let (given, target) = (found.labels.join(","), source.output_names().join(""));
    let why = format!("expected labels of {target} ({}), got {given}", listed(classes));
    Err(Usage(format!("--outliers: {why}")).into())
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

/// An error that numbers a column of the data names it instead: `output 2: …` is `output "speed": …`.
fn by_name(error: orff::Error, source: &Source) -> orff::Error {
    let orff::Error::Data(said) = &error else { return error };
    for (kind, names) in [("input", source.input_names()), ("output", source.output_names())] {
        let rest = said.strip_prefix(kind).and_then(|rest| rest.strip_prefix(' ')?.split_once(": "));
        let name = rest.and_then(|(k, why)| Some((names.get(k.parse::<usize>().ok()?.checked_sub(1)?)?, why)));
        if let Some((name, why)) = name {
            return orff::Error::Data(format!("{kind} {name:?}: {why}"));
        }
    }
    error
}

/// The same of rows that are points of curves: its outputs are values at arguments, its columns an argument and a value.
fn read_points(mut model: Model, source: &Source) -> Result<Model> {
    let names = source.output_names();
    if let Some(argument) = model.curves.as_mut().and_then(|curves| curves.argument.as_mut()) {
        argument.name = names.first().cloned();
        model.info.outputs = argument.values.iter().map(|t| format!("{}_at{t}", names[1])).collect();
    }
    model.info.inputs = source.input_names();
    model.info.encoding = serde_json::to_value(source.encoding())?;
    Ok(model)
}

/// The model with the names and the encoding of the rows it was learned from.
fn read_by(mut model: Model, source: &Source) -> Result<Model> {
    model.info.inputs = source.input_names();
    let mut encoding = source.encoding().clone();
    match &mut model.info.outliers {
        None => model.info.outputs = source.output_names(),
        // what rows are is not learned, and need not be known of others
        Some(outliers) => {
            outliers.target = source.output_names().into_iter().next();
            (encoding.outputs, encoding.labels) = (Vec::new(), None);
        }
    }
    model.info.encoding = serde_json::to_value(encoding)?;
    Ok(model)
}

/// Names in one line; the middle of a long list is left out.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if names.len() > 24 => format!("{}, …, {last} ({})", first[..20].join(", "), names.len()),
        few => few.join(", "),
    }
}
