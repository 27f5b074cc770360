//! `orff predict` with a model of quantiles: any level, intervals, levels of what was observed, draws.

use crate::Session;
use crate::flags::{self, Usage};
use crate::progress::Progress;
use anyhow::Result;
use clap::{Arg, ArgMatches};
use faer::Mat;
use orff::model::Model;
use orff::rows::Rows;
use orff::watch::Watch;
use orff_table::{Source, Writer};
use std::collections::HashSet;

/// The levels of quantiles.
pub fn levels_arg() -> Arg {
    Arg::new("levels")
        .long("levels")
        .value_name("X,…")
        .value_delimiter(',')
        .value_parser(|text: &str| match text.trim().parse::<f64>() {
            Ok(level) if level > 0.0 && level < 1.0 => Ok(level),
            _ => Err(format!("expected a level between 0 and 1, got {text}")),
        })
        .help(
            "Of quantiles: the levels to predict, such as 0.1,0.5,0.9, in columns y_q0.1, …; the median without it. \
               Of level sets: the ν at which to tell outliers as well, in columns outlier_0.1, …",
        )
}

/// Most draws of a row: each is a column.
const MOST_DRAWS: u64 = 10_000;

/// Levels of what was observed, and draws.
pub fn law_args() -> [Arg; 3] {
    [
        crate::flags::switch(
            "cdf",
            "Of quantiles: add the probability of at most what was observed, y_cdf; the rows have the outputs too",
        ),
        Arg::new("samples")
            .long("samples")
            .value_name("N")
            .value_parser(clap::value_parser!(u64).range(1..=MOST_DRAWS))
            .help("Of quantiles: add so many draws from the law of each output, y_sample1, …"),
        Arg::new("seed")
            .long("seed")
            .value_name("N")
            .value_parser(clap::value_parser!(u64))
            .requires("samples")
            .help("Seed of these draws [default: 0]"),
    ]
}

/// Refuses a level that is asked for twice.
pub fn each_once(names: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(twice) => Err(Usage(format!("--levels: {twice} is asked for twice")).into()),
    }
}

/// Refuses them of a model that has no laws.
pub fn refuse(matches: &ArgMatches) -> Result<()> {
    let flag = matches.get_flag("cdf").then_some("cdf").or(matches.contains_id("samples").then_some("samples"));
    match flag {
        None => Ok(()),
        Some(flag) => Err(Usage(format!("--{flag}: this model has no quantiles; fit quantiles")).into()),
    }
}

/// Writes the median of each output, or its quantiles at the levels asked for, the ends of its interval, the level of what was
/// observed, and draws.
pub fn run(model: &Model, source: &Source, matches: &ArgMatches, session: &Session) -> Result<()> {
    let curves = model.curves()?;
    let flag = ["std", "cov", "no-noise", "probabilities", "scores"].into_iter().find(|flag| matches.get_flag(flag));
    let flag = flag.or(matches.contains_id("also").then_some("also"));
    if let Some(flag) = flag {
        return Err(Usage(format!("--{flag}: a model of quantiles has none; use --levels or --interval")).into());
    }
    if source.encoding().task.is_some() {
        let how =
            "rows with a task each are predicted by other models; fit --outputs of a table with a column for each";
        return Err(Usage(format!("--task: {how}")).into());
    }
    let levels: Vec<f64> = matches.get_many::<f64>("levels").into_iter().flatten().copied().collect();
    let coverage = matches.get_one::<f64>("interval").copied();
    let (cdf, samples) = (matches.get_flag("cdf"), matches.get_one::<u64>("samples").map_or(0, |n| *n as usize));
    let seed = matches.get_one::<u64>("seed").copied().unwrap_or(0);
    let asked = if levels.is_empty() { vec![0.5] } else { levels.clone() };
    let outputs = &model.info.outputs;
    coverage.map(|c| curves.reach(c)).transpose()?;
    let margins = coverage.map(|c| curves.margins(outputs.len(), c)).transpose()?;
    let mut names = Vec::new();
    for output in outputs {
        match levels.as_slice() {
            [] => names.push(crate::predict::predicted(output, source.kept())),
            some => names.extend(some.iter().map(|level| format!("{output}_q{level}"))),
        }
        if coverage.is_some() {
            names.extend([format!("{output}_lower"), format!("{output}_upper")]);
        }
        if cdf {
            names.push(format!("{output}_cdf"));
        }
        names.extend((1..=samples).map(|k| format!("{output}_sample{k}")));
    }
    crate::predict::once(source.kept(), &names)?;
    each_once(&names)?;
    let target = flags::path(matches, "out");
    let mut writer = Writer::create(target, None, source.kept(), &names)?;
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.stage("predict");
    let (mut rows, mut used, l) = (0, 0, asked.len());
    for page in source.pages()? {
        let page = page?;
        let n = page.nrows();
        let mut out = Mat::full(n, names.len(), f64::NAN);
        let columns = model.columns(&page.batch.inputs, source.single()).map_err(|e| page.placed(e))?;
        let quantiles = curves.quantiles(columns.as_ref(), &asked)?;
        let ends = match (coverage, &margins) {
            (Some(coverage), Some(margins)) => Some(curves.interval(columns.as_ref(), coverage, margins)?),
            _ => None,
        };
        let known = cdf.then(|| curves.cdf(columns.as_ref(), page.batch.outputs.as_ref())).transpose()?;
        let draws = curves.sample(columns.as_ref(), samples, seed, used);
        used += page.used.len();
        for (i, &row) in page.used.iter().enumerate() {
            let mut at = 0;
            for t in 0..outputs.len() {
                (0..l).for_each(|k| out[(row, at + k)] = quantiles[(i, t * l + k)]);
                at += l;
                if let Some((lower, upper)) = &ends {
                    (out[(row, at)], out[(row, at + 1)]) = (lower[(i, t)], upper[(i, t)]);
                    at += 2;
                }
                if let Some(known) = &known {
                    out[(row, at)] = known[(i, t)];
                    at += 1;
                }
                (0..samples).for_each(|k| out[(row, at + k)] = draws[(i, t * samples + k)]);
                at += samples;
            }
        }
        writer.write(&page.kept, out.as_ref())?;
        rows += n;
        watch.advance(n as u64)?;
    }
    drop(watch);
    writer.finish()?;
    crate::predict::wrote(source, target, rows, session);
    Ok(())
}
