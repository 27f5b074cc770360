//! Where forecasts start: the rows before them, of each member, and what is known of the rows to come.

use crate::data::{self, Reading};
use crate::series::{Columns, Table, carried};
use crate::{evaluate, flags};
use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::model::{Dynamics, Start};
use orff::params::Params;
use orff::series::Series;
use orff_table::Source;
use std::path::PathBuf;

/// The rows before a forecast of one member, and how times go on.
pub struct Before {
    /// Its number in the model.
    pub member: usize,
    /// The rows, the latest at the end.
    pub history: Mat<f64>,
    /// Rows of the table.
    pub rows: Vec<usize>,
}

/// Everything a forecast starts from.
pub struct History {
    /// Of each member.
    pub starts: Vec<Before>,
    /// The rows before, if there are some beside those learned from.
    pub table: Option<Table>,
    future: Option<Table>,
}

/// Model, rows before, rows to come and where answers go.
pub fn arguments(command: Command) -> Command {
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
    let command = command.arg(evaluate::model_arg()).arg(files).arg(future).arg(out);
    Reading::SPEC.iter().fold(command, |command, param| command.arg(flags::flag(param, None).help_heading("Files")))
}

impl History {
    /// What the arguments say.
    pub fn read(matches: &ArgMatches, columns: &Columns, dynamics: &Dynamics) -> Result<Self> {
        let paths = data::paths(matches);
        let table = match paths.is_empty() {
            true => None,
            false => Some(rows(matches, &paths, columns, (true, false))?),
        };
        let starts = match &table {
            None => from_model(dynamics),
            Some(table) => from_table(dynamics, table, columns)?,
        };
        let future = match matches.get_one::<PathBuf>("future") {
            None => None,
            Some(_) if dynamics.exogenous.is_empty() => {
                bail!(
                    "--future: nothing is known beside this series, the model has no exogenous columns; leave it out"
                )
            }
            Some(path) => Some(rows(matches, std::slice::from_ref(path), columns, (false, true))?),
        };
        Ok(History { starts, table, future })
    }

    /// What is known of the rows to come of a member; of all alike, where the table does not tell them apart.
    pub fn future(&self, dynamics: &Dynamics, before: &Before) -> Result<Option<Mat<f64>>> {
        let Some(table) = &self.future else { return Ok(None) };
        let rows = self.future_rows(dynamics, before);
        if rows.is_empty() {
            bail!("--future: there are no rows of {}", dynamics.members[before.member]);
        }
        Ok(Some(Mat::from_fn(rows.len(), table.exogenous.ncols(), |i, k| table.exogenous[(rows[i], k)])))
    }

    fn future_rows(&self, dynamics: &Dynamics, before: &Before) -> Vec<usize> {
        let name = &dynamics.members[before.member];
        let Some(table) = &self.future else { return Vec::new() };
        let own = |i: &usize| table.members.as_ref().is_none_or(|members| &members[*i] == name);
        (0..table.exogenous.nrows()).filter(own).collect()
    }

    /// Refuses rows to come of other times than these, the steps of a forecast, where they have times.
    pub fn same_times(&self, dynamics: &Dynamics, before: &Before, steps: &[String]) -> Result<()> {
        let Some(calendar) = self.future.as_ref().and_then(|table| table.calendar.as_ref()) else { return Ok(()) };
        let same = |a: &str, b: &str| a.replace('T', " ") == b.replace('T', " ");
        for (row, expected) in self.future_rows(dynamics, before).into_iter().zip(steps) {
            let given = calendar.of(row).unwrap_or_default();
            if !same(&given, expected) {
                bail!("--future: row {} is of {given}, but the forecast goes on with {expected}", row + 1);
            }
        }
        Ok(())
    }

    /// The start of a member.
    pub fn start<'a>(before: &'a Before, future: Option<&'a Mat<f64>>) -> Start<'a> {
        Start { history: &before.history, member: before.member, future }
    }
}

/// The name of a member before what is said of it, in a panel.
pub fn said(dynamics: &Dynamics, member: usize) -> String {
    match dynamics.members.len() {
        1 => String::new(),
        _ => format!("{}: ", dynamics.members[member]),
    }
}

/// Rows of files as the model's were read: of the series, with what is known beside it, or either.
pub fn rows(
    matches: &ArgMatches,
    paths: &[PathBuf],
    columns: &Columns,
    (series, beside): (bool, bool),
) -> Result<Table> {
    let reading = Reading::from_values(&flags::given(Reading::SPEC, matches)?)?;
    let mut encoding = columns.table.clone();
    if !beside {
        encoding.inputs.clear();
    }
    let (options, all) = (reading.options()?, (columns.time.as_deref(), columns.member.as_deref()));
    let open = |(time, member)| Source::with_encoding(paths, &options, &encoding, series, carried(time, member));
    let (mut source, mut carries) = (open(all), all);
    // rows to come may have times, which are then looked at, and members, or be the same for all
    for fewer in [(None, all.1), (all.0, None), (None, None)] {
        if series || source.is_ok() {
            break;
        }
        (source, carries) = (open(fewer), fewer);
    }
    Table::read(&source?, carries.0, carries.1)
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
