//! `orff predict` with a model of a series: every row from the rows before it.

use crate::flags::{self, Usage};
use crate::progress::tell;
use crate::report::Report;
use crate::series::{Table, columns_of};
use crate::{Session, data, evaluate, history, predict};
use anyhow::Result;
use clap::ArgMatches;
use faer::Mat;
use orff::model::{Model, Query};
use orff::series::Series;
use orff_table::{Kept, Writer};

/// What `orff predict` does not do with a series.
const REFUSED: [&str; 6] = ["levels", "also", "keep", "task", "missing", "output"];

/// What scores of the rows of a fit are called.
pub const LEARNED: &str = "one step ahead, the rows that were learned from (orff validate scores rows that were not)";

/// Scores of every row whose past is known, with the coverage of intervals.
pub fn scores(model: &Model, series: &Series) -> Result<Report> {
    let dynamics = model.dynamics()?;
    let level = evaluate::level_of(model);
    let found = model.one_step(series, Query { std: level.is_some(), ..Query::default() })?;
    let observed = |i: usize, t: usize| {
        let (member, at) = series.places[i];
        if found.mean[(i, t)].is_nan() { f64::NAN } else { series.members[member].values[(at, t)] }
    };
    let y = Mat::from_fn(found.mean.nrows(), dynamics.variables(), observed);
    let half = found.std.zip(level).map(|(std, level)| faer::Scale(evaluate::width(level)) * std);
    let mut report = Report::new(&dynamics.names, None);
    report.numbered(&y, &found.mean, half.as_ref());
    Ok(report)
}

/// Writes a row for each row: its member and time, if there are some, and its prediction; NaN where its past is not known.
pub fn run(model: &Model, matches: &ArgMatches, session: &Session) -> Result<()> {
    let columns = columns_of(model)?;
    let dynamics = model.dynamics()?;
    let given = |flag: &&str| matches.try_contains_id(flag).is_ok_and(|_| matches.value_source(flag).is_some());
    if let Some(flag) = REFUSED.iter().find(|flag| given(flag)) {
        return Err(
            Usage(format!("--{flag}: rows of a series are predicted from those before them, without it")).into()
        );
    }
    if let Some(flag) = ["probabilities", "scores"].into_iter().find(|flag| matches.get_flag(flag)) {
        return Err(Usage(format!("--{flag}: the outputs of this model are numbers, not classes")).into());
    }
    let beside = !dynamics.exogenous.is_empty();
    let table: Table = history::rows(matches, &data::paths(matches), &columns, (true, beside))?;
    let series = table.series(&columns)?;
    let (level, std) = (matches.get_one::<f64>("interval").copied(), matches.get_flag("std"));
    let noise = !matches.get_flag("no-noise");
    let query = Query { std: std || level.is_some(), noise, ..Query::default() };
    let found = model.one_step(&series, query)?;
    let (mut kept, mut texts): (Vec<Kept>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    if let (Some(name), Some(members)) = (&columns.member, &table.members) {
        kept.push(name.as_str().into());
        texts.push(members.clone());
    }
    let n = found.mean.nrows();
    if let (Some(name), Some(calendar)) = (&columns.time, &table.calendar) {
        kept.push(name.as_str().into());
        texts.push((0..n).map(|i| calendar.of(i).unwrap_or_default()).collect());
    }
    let mut names = Vec::new();
    for name in &dynamics.names {
        names.push(predict::predicted(name, &kept));
        if std {
            names.push(format!("{name}_std"));
        }
        if level.is_some() {
            names.extend([format!("{name}_lower"), format!("{name}_upper")]);
        }
    }
    let per = names.len() / dynamics.names.len();
    let mut out = Mat::full(n, names.len(), f64::NAN);
    for i in 0..n {
        for t in 0..dynamics.names.len() {
            let mean = found.mean[(i, t)];
            let mut cells = vec![mean];
            if let Some(deviation) = found.std.as_ref().map(|s| s[(i, t)]) {
                cells.extend(std.then_some(deviation));
                let half = |level: f64| evaluate::width(level) * deviation;
                cells.extend(level.into_iter().flat_map(|level| [mean - half(level), mean + half(level)]));
            }
            cells.into_iter().enumerate().for_each(|(c, v)| out[(i, t * per + c)] = v);
        }
    }
    let target = flags::path(matches, "out");
    let mut writer = Writer::create(target, None, &kept, &names)?;
    writer.write(&texts, out.as_ref())?;
    writer.finish()?;
    let unknown = (0..n).filter(|&i| found.mean[(i, 0)].is_nan()).count();
    if unknown > 0 && !session.quiet {
        tell(&format!("the past of {unknown} rows is not all known: their predictions are NaN"));
    }
    if !session.quiet && target.as_os_str() != "-" {
        tell(&format!("wrote {} ({n} rows)", target.display()));
    }
    Ok(())
}
