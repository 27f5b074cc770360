//! `orff forecast`: rows to come.

use crate::calendar::Calendar;
use crate::history::{self, History, said};
use crate::progress::{Progress, tell};
use crate::series::columns_of;
use crate::{Session, evaluate, flags};
use anyhow::{Context, Result};
use clap::{ArgMatches, Command};
use faer::Mat;
use orff::model::{Ask, Model};
use orff::params::Params;
use orff_table::{Kept, Writer};

/// `orff forecast MODEL [FILE…] --steps N`.
pub fn command() -> Command {
    let command = Command::new("forecast").about("Forecast a series, with intervals from simulated paths");
    let mut command = history::arguments(command).arg(evaluate::interval_arg());
    let defaults = serde_json::to_value(Ask::default()).unwrap_or_default();
    for param in Ask::SPEC.iter().filter(|p| p.name != "interval") {
        command = command.arg(flags::flag(param, Some(&defaults[param.name])));
    }
    command
}

/// Runs it.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let model = Model::load(flags::path(matches, "model"))?;
    let columns = columns_of(&model)?;
    let dynamics = model.dynamics()?;
    let spec: Vec<_> = Ask::SPEC.iter().filter(|p| p.name != "interval").copied().collect();
    let mut ask = Ask::from_values(&flags::given(&spec, matches)?)?;
    ask.interval = matches.get_one::<f64>("interval").copied().unwrap_or(0.0);
    let known = History::read(matches, &columns, dynamics)?;
    let calendar = known.table.as_ref().and_then(|t| t.calendar.as_ref());
    let learned: Vec<Option<Calendar>> =
        known.starts.iter().map(|before| columns.learned(before.member)).collect::<Result<_>>()?;
    let dated = calendar.is_some() || (known.table.is_none() && learned.iter().all(Option::is_some));
    let mut kept: Vec<Kept> = Vec::new();
    if dynamics.members.len() > 1 {
        kept.push(columns.member.as_deref().unwrap_or("member").into());
    }
    kept.push(columns.time.as_deref().filter(|_| dated).unwrap_or("step").into());
    let mut names = Vec::new();
    for name in &dynamics.names {
        names.push(name.clone());
        if ask.interval > 0.0 {
            names.extend([format!("{name}_lower"), format!("{name}_upper")]);
        }
    }
    let target = flags::path(matches, "out");
    let mut watch = Progress::new(session.quiet, || (0, None));
    // nothing is written before everything is known
    let mut parts = Vec::new();
    for (before, learned) in known.starts.iter().zip(&learned) {
        let future = known.future(dynamics, before)?;
        let start = History::start(before, future.as_ref());
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
        let step = |i: usize| match (calendar, learned) {
            (Some(own), _) => own.after(&before.rows, i + 1, learned.as_ref()),
            (None, Some(learned)) if dated => learned.after(&learned.rows(), i + 1, None),
            _ => (i + 1).to_string(),
        };
        let mut texts = vec![(0..ask.steps).map(step).collect::<Vec<String>>()];
        if dated {
            known.same_times(dynamics, before, &texts[0])?;
        }
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
        tell(&format!("wrote {} ({} rows)", target.display(), known.starts.len() * ask.steps));
    }
    Ok(())
}
