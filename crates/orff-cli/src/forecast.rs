//! `orff forecast`: rows to come.

use crate::data::{self, Reading};
use crate::progress::{Progress, tell};
use crate::series::{Columns, Table, carried, columns_of};
use crate::{Session, evaluate, flags};
use anyhow::{Context, Result, bail};
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::model::{Ask, Dynamics, Model, Start};
use orff::params::Params;
use orff::series::Series;
use orff_table::{Kept, Source, Writer};
use std::path::PathBuf;

/// `orff forecast MODEL [FILE…] --steps N`.
pub fn command() -> Command {
    let future = Arg::new("future")
        .long("future")
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help("File with the exogenous columns of the rows to come, for models that have some");
    let out = Arg::new("out")
        .short('o')
        .long("out")
        .value_name("FILE")
        .default_value("-")
        .value_parser(clap::value_parser!(PathBuf))
        .help("Where to write: .csv, .csv.gz, .parquet, .arrow; - for standard output");
    let files = data::files().required(false).help("The rows before the forecast; those learned from unless given");
    let mut command = Command::new("forecast")
        .about("Forecast a series, with intervals from simulated paths")
        .arg(evaluate::model_arg())
        .arg(files)
        .arg(future)
        .arg(out)
        .arg(evaluate::interval_arg());
    let defaults = serde_json::to_value(Ask::default()).unwrap_or_default();
    for param in Ask::SPEC.iter().filter(|p| p.name != "interval") {
        command = command.arg(flags::flag(param, Some(&defaults[param.name])));
    }
    for param in Reading::SPEC {
        command = command.arg(flags::flag(param, None).help_heading("Files"));
    }
    command
}

/// The rows before a forecast of one member, and how times go on.
struct Before {
    member: usize,
    history: Mat<f64>,
    /// Rows of the table.
    rows: Vec<usize>,
}

/// Runs it.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let model = Model::load(matches.get_one::<PathBuf>("model").expect("clap requires it"))?;
    let columns = columns_of(&model)?;
    let dynamics = model.dynamics()?;
    let spec: Vec<_> = Ask::SPEC.iter().filter(|p| p.name != "interval").copied().collect();
    let mut ask = Ask::from_values(&flags::given(&spec, matches)?)?;
    ask.interval = matches.get_one::<f64>("interval").copied().unwrap_or(0.0);
    let table = match data::paths(matches).is_empty() {
        true => None,
        false => Some(open(matches, &data::paths(matches), &columns, true)?),
    };
    let starts = match &table {
        None => from_model(dynamics),
        Some(table) => from_table(dynamics, table, &columns)?,
    };
    let future = match matches.get_one::<PathBuf>("future") {
        None => None,
        Some(path) => Some(open(matches, std::slice::from_ref(path), &columns, false)?),
    };
    let calendar = table.as_ref().and_then(|t| t.calendar.as_ref());
    let mut kept: Vec<Kept> = Vec::new();
    if dynamics.members.len() > 1 {
        kept.push(columns.member.as_deref().unwrap_or("member").into());
    }
    kept.push(calendar.and(columns.time.as_deref()).unwrap_or("step").into());
    let mut names = Vec::new();
    for name in &dynamics.names {
        names.push(name.clone());
        if ask.interval > 0.0 {
            names.extend([format!("{name}_lower"), format!("{name}_upper")]);
        }
    }
    let target = matches.get_one::<PathBuf>("out").expect("it has a default");
    let mut watch = Progress::new(session.quiet, || (0, None));
    // nothing is written before everything is known
    let mut parts = Vec::new();
    for before in &starts {
        let own = future.as_ref().map(|table| of_member(table, &dynamics.members[before.member])).transpose()?;
        let start = Start { history: &before.history, member: before.member, future: own.as_ref() };
        let found = model.forecast(&start, &ask, &mut watch).with_context(|| said(dynamics, before.member))?;
        if !session.quiet {
            watch.close();
            found.warnings.iter().for_each(|line| tell(&format!("warning: {}{line}", said(dynamics, before.member))));
        }
        let (p, per) = (dynamics.names.len(), names.len() / dynamics.names.len());
        let mut out = Mat::zeros(ask.steps, p * per);
        for i in 0..ask.steps {
            for t in 0..p {
                out[(i, t * per)] = found.mean[(i, t)];
                if let Some((low, high)) = &found.interval {
                    (out[(i, t * per + 1)], out[(i, t * per + 2)]) = (low[(i, t)], high[(i, t)]);
                }
            }
        }
        let step = |i: usize| calendar.map_or((i + 1).to_string(), |c| c.after(&before.rows, i + 1));
        let mut texts = vec![(0..ask.steps).map(step).collect::<Vec<String>>()];
        if dynamics.members.len() > 1 {
            texts.insert(0, vec![dynamics.members[before.member].clone(); ask.steps]);
        }
        parts.push((texts, out));
    }
    drop(watch);
    let mut writer = Writer::create(target, None, &kept, &names)?;
    parts.iter().try_for_each(|(texts, out)| writer.write(texts, out.as_ref()))?;
    writer.finish()?;
    if !session.quiet && target.as_os_str() != "-" {
        tell(&format!("wrote {} ({} rows)", target.display(), starts.len() * ask.steps));
    }
    Ok(())
}

fn said(dynamics: &Dynamics, member: usize) -> String {
    match dynamics.members.len() {
        1 => String::new(),
        _ => format!("{}: ", dynamics.members[member]),
    }
}

/// Rows of files as the model's were read; of rows to come only what is known of them.
fn open(matches: &ArgMatches, paths: &[PathBuf], columns: &Columns, outputs: bool) -> Result<Table> {
    let reading = Reading::from_values(&flags::given(Reading::SPEC, matches)?)?;
    let time = columns.time.as_deref().filter(|_| outputs);
    let keep = carried(time, columns.member.as_deref());
    let mut encoding = columns.table.clone();
    if outputs {
        // what was known beside the rows before is not needed any more
        encoding.inputs.clear();
    }
    let source = Source::with_encoding(paths, &reading.options()?, &encoding, outputs, keep)?;
    Table::read(&source, time, columns.member.as_deref())
}

/// The ends of what the model was learned from.
fn from_model(dynamics: &Dynamics) -> Vec<Before> {
    let all = 0..dynamics.members.len();
    all.map(|member| Before { member, history: dynamics.ending(member), rows: Vec::new() }).collect()
}

/// The rows of each member of a table.
fn from_table(dynamics: &Dynamics, table: &Table, columns: &Columns) -> Result<Vec<Before>> {
    let mut columns = columns.clone();
    columns.table.inputs.clear();
    let series: Series = table.series(&columns)?;
    let own = |name: &str| match &table.members {
        None => (0..table.values.nrows()).collect(),
        Some(members) => (0..members.len()).filter(|&i| members[i] == name).collect(),
    };
    series
        .members
        .into_iter()
        .map(|member| {
            let name = Some(member.name.as_str()).filter(|name| !name.is_empty());
            Ok(Before { member: dynamics.member(name)?, history: member.values, rows: own(&member.name) })
        })
        .collect()
}

/// What is known of the rows to come of a member; of all alike, where the table does not tell them apart.
fn of_member(table: &Table, name: &str) -> Result<Mat<f64>> {
    let Some(members) = &table.members else { return Ok(table.exogenous.clone()) };
    let rows: Vec<usize> = (0..members.len()).filter(|&i| members[i] == name).collect();
    if rows.is_empty() {
        bail!("--future: there are no rows of {name}");
    }
    Ok(Mat::from_fn(rows.len(), table.exogenous.ncols(), |i, k| table.exogenous[(rows[i], k)]))
}
