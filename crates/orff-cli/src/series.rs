//! Series on the command line: which columns are what, `orff fit series` and `orff validate`.

use crate::calendar::Calendar;
use crate::data::{self, Reading};
use crate::flags::{self, Usage};
use crate::progress::{Progress, tell};
use crate::report::Format;
use crate::{Session, config, evaluate, one_step, theory};
use anyhow::{Context, Result, bail};
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::Error;
use orff::bound::Report as Bounds;
use orff::learn::{FORECASTERS, Forecaster, Sequential, Validation};
use orff::model::Model;
use orff::params::Params;
use orff::rows::Inputs;
use orff::series::{Given, Series};
use orff_table::{Encoding, Select, Selector, Source};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

orff::params! {
    /// Which columns of a series mean what.
    pub struct SeriesColumns {
        /// Columns of the series: names, positions or ranges such as y1..y20; all other columns unless given.
        outputs / outputs: Option<String> = None, Kind::Text;
        /// Columns that are known beside the series, also of rows to come.
        exogenous / exogenous: Option<String> = None, Kind::Text;
        /// Column with the time of each row: numbers, or dates such as 1959-01-31, 1959-01 or 1959Q1. Rows that are missing
        /// between them are gaps.
        time / time: Option<String> = None, Kind::Text;
        /// Column with the member of each row, where several series follow one law.
        member / member: Option<String> = None, Kind::Text;
        /// Columns that are not used.
        ignore / ignore: Option<String> = None, Kind::Text;
    }
}

/// How the rows of a series are read, for the file of its model.
#[derive(Clone, Serialize, Deserialize)]
pub struct Columns {
    /// Series and exogenous columns.
    pub table: Encoding,
    /// The column of times.
    pub time: Option<String>,
    /// The column of members.
    pub member: Option<String>,
    /// The last times of each member, as they are written: forecasts go on from them.
    #[serde(default)]
    pub ends: Vec<Vec<String>>,
}

/// Times of a member that a model keeps: two years of months, and one more.
const ENDS: usize = 25;

/// A series in files.
pub struct Table {
    /// n×p.
    pub values: Mat<f64>,
    /// n×e.
    pub exogenous: Mat<f64>,
    /// Times of the rows.
    pub calendar: Option<Calendar>,
    /// Names of their members.
    pub members: Option<Vec<String>>,
}

impl Table {
    /// All rows of a source, whose carried columns are those of times and members.
    pub fn read(source: &Source, time: Option<&str>, member: Option<&str>) -> Result<Self> {
        let (mut y, mut u) = (Vec::new(), Vec::new());
        let mut kept = vec![Vec::new(); source.kept().len()];
        for page in source.pages()? {
            let page = page?;
            let Inputs::Dense(others) = &page.batch.inputs else { bail!("a series has no sparse rows") };
            for i in 0..page.batch.outputs.nrows() {
                y.push(page.batch.outputs.row(i).iter().copied().collect::<Vec<f64>>());
                u.push(others.row(i).iter().copied().collect::<Vec<f64>>());
            }
            for (all, some) in kept.iter_mut().zip(page.kept) {
                all.extend(page.used.iter().map(|&i| some[i].clone()));
            }
        }
        let mut kept = kept.into_iter();
        let calendar = time.and_then(|name| kept.next().map(|texts| Calendar::read(name, &texts))).transpose()?;
        let members = member.and_then(|_| kept.next());
        let mat = |rows: &[Vec<f64>], width: usize| Mat::from_fn(rows.len(), width, |i, k| rows[i][k]);
        let widths = (source.output_names().len(), source.input_names().len());
        Ok(Table { values: mat(&y, widths.0), exogenous: mat(&u, widths.1), calendar, members })
    }

    /// An error about the time of a row, with the time as it is written and the name of its column.
    fn told(&self, error: Error, columns: &Columns) -> Error {
        match (error, &columns.time, &self.calendar) {
            (Error::Value { row, column, value, problem }, Some(name), Some(calendar)) if column == "time" => {
                let value = calendar.of(row.wrapping_sub(1)).unwrap_or(value);
                Error::Value { row, column: name.clone(), value, problem }
            }
            (error, ..) => error,
        }
    }

    /// The rows as a series.
    pub fn series(&self, columns: &Columns) -> Result<Series> {
        let mut series = Series::of(Given {
            values: self.values.clone(),
            exogenous: self.exogenous.clone(),
            times: self.calendar.as_ref().map(|c| &c.times[..]),
            members: self.members.as_deref(),
        })
        .map_err(|error| self.told(error, columns))?;
        series.names = columns.table.output_names();
        series.exogenous = columns.table.input_names();
        Ok(series)
    }
}

/// The columns of times and members, in this order.
pub fn carried(time: Option<&str>, member: Option<&str>) -> Option<Selector> {
    let names: Vec<&str> = time.into_iter().chain(member).collect();
    (!names.is_empty()).then(|| Selector::names(names))
}

/// Flags of what learns from a series.
pub fn flagged(mut command: Command, forecaster: &Forecaster) -> Command {
    command = command.arg(data::files()).arg(
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("TOML file with parameters; flags override it"),
    );
    let defaults = (forecaster.defaults)();
    for param in forecaster.spec {
        let default = match defaults.get(param.name) {
            Some(Value::Object(_)) if param.name == "kernel" => Some(Value::String("decomposable".into())),
            other => other.cloned(),
        };
        command = command.arg(flags::flag(param, default.as_ref()).help_heading("Learner"));
    }
    for param in SeriesColumns::SPEC {
        command = command.arg(flags::flag(param, None).help_heading("Columns"));
    }
    let reading = serde_json::to_value(Reading::default()).unwrap_or_default();
    for param in Reading::SPEC {
        command = command.arg(flags::flag(param, Some(&reading[param.name])).help_heading("Files"));
    }
    command
}

/// `orff fit series FILE… -o MODEL`.
pub fn fit_command(forecaster: &'static Forecaster) -> Command {
    let target = Arg::new("model")
        .short('o')
        .long("model")
        .value_name("MODEL")
        .required(true)
        .value_parser(clap::value_parser!(PathBuf))
        .help("Where to write the model");
    let help = "Print scores of one step ahead, and how well the features approximate the kernel of the lagged rows";
    let command = Command::new(forecaster.name).about(forecaster.about).arg(target);
    flagged(command.arg(flags::switch("report", help)), forecaster)
}

/// `orff validate FILE…`.
pub fn validate_command() -> Command {
    let mut command = Command::new("validate")
        .about("Score a learner of series by sequential cross-validation: fit on a window, predict what follows, slide on")
        .arg(evaluate::report_arg());
    let defaults = serde_json::to_value(Sequential::default()).unwrap_or_default();
    for param in Sequential::SPEC {
        command = command.arg(flags::flag(param, Some(&defaults[param.name])).help_heading("Windows"));
    }
    flagged(command, &FORECASTERS[0])
}

/// Parameters of the learner, the series, how it was read, and parameters of others.
pub type Asked = (Map<String, Value>, Series, Columns, Map<String, Value>);

/// What was asked for, with the series read.
pub fn asked(
    forecaster: &Forecaster,
    more: &'static [orff::params::Param],
    matches: &ArgMatches,
    session: &Session,
) -> Result<Asked> {
    let specs = [forecaster.spec, SeriesColumns::SPEC, Reading::SPEC, more];
    let mut values = vec![Map::new(); 4];
    if let Some(path) = matches.get_one::<PathBuf>("config") {
        values = config::read(path, &specs)?;
    }
    for (values, spec) in values.iter_mut().zip(specs) {
        values.extend(flags::given(spec, matches)?);
    }
    let columns = SeriesColumns::from_values(&values[1])?;
    let reading = Reading::from_values(&values[2])?;
    let selector = |text: &Option<String>| text.as_deref().map(str::parse::<Selector>).transpose();
    let (time, member) = (columns.time.as_deref(), columns.member.as_deref());
    let select = Select {
        series: true,
        outputs: selector(&columns.outputs)?,
        inputs: selector(&columns.exogenous)?,
        ignore: selector(&columns.ignore)?,
        keep: carried(time, member),
        ..Select::default()
    };
    let source = Source::open(&data::paths(matches), &reading.options()?, &select)?;
    let names = |k: usize| source.kept().get(k).map(|kept| kept.name.clone());
    let mut columns = Columns {
        ends: Vec::new(),
        table: source.encoding().clone(),
        time: time.and_then(|_| names(0)),
        member: member.and_then(|_| names(usize::from(time.is_some()))),
    };
    let table = Table::read(&source, time, member)?;
    let series = table.series(&columns)?;
    if let Some(calendar) = &table.calendar {
        columns.ends = vec![Vec::new(); series.members.len()];
        for (row, &(member, at)) in series.places.iter().enumerate() {
            if at + ENDS >= series.members[member].values.nrows() {
                columns.ends[member].extend(calendar.of(row));
            }
        }
    }
    if !session.quiet {
        let beside =
            if series.exogenous.is_empty() { String::new() } else { format!("; {}", series.exogenous.join(", ")) };
        let panel =
            if series.members.len() > 1 { format!(", {} members", series.members.len()) } else { String::new() };
        tell(&format!("series {}{beside} ({} times{panel})", series.names.join(", "), series.length()));
        if !source.left_out().is_empty() {
            tell(&format!("not used: {} (no values)", source.left_out().join(", ")));
        }
    }
    let last = values.pop().unwrap_or_default();
    Ok((values.swap_remove(0), series, columns, last))
}

/// Runs `orff fit series`.
pub fn fit(forecaster: &'static Forecaster, matches: &ArgMatches, session: &Session) -> Result<()> {
    let target = flags::path(matches, "model");
    crate::fit::writable(target)?;
    let (values, series, columns, _) = asked(forecaster, &[], matches, session)?;
    let mut watch = Progress::new(session.quiet, || (0, None));
    let mut model: Model = (forecaster.fit)(&values, &series, (), &mut watch)?;
    if matches.get_flag("report") {
        let found = Bounds::of_series(&model, &series, theory::FAILING, &mut watch)?;
        watch.close();
        let mut out = crate::progress::stdout();
        one_step::scores(&model, &series)?.print(one_step::LEARNED, Format::Text, &mut out)?;
        theory::print(&found, theory::FAILING, &mut out)?;
    }
    drop(watch);
    model.info.encoding = serde_json::to_value(columns)?;
    model.save(target).with_context(|| "the model was not written")?;
    if !session.quiet {
        tell(&format!("wrote {} ({} steps)", target.display(), model.info.training.rows));
    }
    Ok(())
}

/// Runs `orff validate`.
pub fn validate(matches: &ArgMatches, session: &Session) -> Result<()> {
    let forecaster = &FORECASTERS[0];
    let (values, series, _, how) = asked(forecaster, Sequential::SPEC, matches, session)?;
    let how = Sequential::from_values(&how)?;
    let mut watch = Progress::new(session.quiet, || (0, None));
    let found = (forecaster.validate)(&values, &series, &how, &mut watch)?;
    drop(watch);
    let json = matches.get_one::<String>("report").is_some_and(|f| f == "json");
    print(&found, &series, json, &mut crate::progress::stdout())
}

fn print(found: &Validation, series: &Series, json: bool, out: &mut dyn Write) -> Result<()> {
    let by = series.names.iter().zip(&found.by_variable);
    if json {
        let by: Map<String, Value> = by.map(|(name, mse)| (name.clone(), json!(mse))).collect();
        let all = json!({
            "mse": found.mse, "sd": found.sd, "windows": found.windows, "window": found.window, "rows": found.rows,
            "skipped": found.skipped, "by_step": found.by_step, "by_variable": by, "ridge": found.training.ridge,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
        return Ok(());
    }
    let skipped = if found.skipped > 0 { format!(", {} not predicted", found.skipped) } else { String::new() };
    writeln!(out, "{} windows of {} rows, {} rows predicted{skipped}", found.windows, found.window, found.rows)?;
    writeln!(out, "mean squared error {:.6}, standard deviation over rows {:.6}", found.mse, found.sd)?;
    for (name, mse) in by {
        writeln!(out, "{name:24} {mse:.6}")?;
    }
    for (k, mse) in found.by_step.iter().enumerate().filter(|_| found.by_step.len() > 1) {
        writeln!(out, "step {:19} {mse:.6}", k + 1)?;
    }
    Ok(())
}

impl Columns {
    /// The last times of a member that was learned from.
    pub fn learned(&self, member: usize) -> Result<Option<Calendar>> {
        let known = self.time.as_ref().zip(self.ends.get(member).filter(|times| !times.is_empty()));
        known.map(|(name, times)| Calendar::read(name, times)).transpose()
    }
}

/// Refuses what is not a model of a series.
pub fn columns_of(model: &Model) -> Result<Columns> {
    if model.series.is_none() {
        let learner = &model.info.learner;
        return Err(Usage(format!("a model of {learner} makes no forecasts: fit one with orff fit series")).into());
    }
    serde_json::from_value(model.info.encoding.clone()).map_err(|e| {
        anyhow::anyhow!("the model does not know how its rows were read ({e}); fit it with this command")
    })
}
