//! `orff predict` with a model of classes: the label of each row, and what it was decided on.

use crate::Session;
use crate::flags::{self, Usage};
use crate::progress::Progress;
use anyhow::Result;
use clap::ArgMatches;
use faer::Mat;
use orff::model::{Classes, Labels, Model, Query};
use orff::rows::{Inputs, Rows};
use orff::watch::Watch;
use orff_table::{Carried, Format, Kept, Source, Writer};

/// Writes the label of each row in a column named like the target; a row with missing inputs has none.
pub fn run(model: &Model, source: &Source, matches: &ArgMatches, session: &Session) -> Result<()> {
    let classes = model.classes()?;
    let asked = |flag: &str| matches.get_flag(flag);
    let named = matches.contains_id("interval") || matches.contains_id("also");
    if asked("std") || asked("cov") || asked("no-noise") || named {
        let how = "a model of classes has no intervals and no derivatives; use --probabilities or --scores";
        return Err(Usage(format!("--std, --interval, --no-noise, --also: {how}")).into());
    }
    let target = flags::path(matches, "out");
    // an array of numbers holds labels that are numbers, a table holds them as what they are
    let array = Format::of_path(target) == Some(Format::Npy);
    let numbers: Vec<f64> = classes.names.iter().filter_map(|name| name.parse().ok()).collect();
    if array && numbers.len() < classes.names.len() {
        let how = "the labels are words, which an array of numbers cannot hold (write .csv or .parquet)";
        return Err(Usage(format!("-o {}: {how}", target.display())).into());
    }
    let holds = match classes.labels {
        Labels::Whole => Carried::Integer,
        Labels::Numbers => Carried::Number,
        Labels::Words | Labels::Truth => Carried::Text,
    };
    let label = model.info.outputs.first().cloned().unwrap_or_else(|| "class".into());
    let label = crate::predict::predicted(&label, source.kept());
    let (mut kept, mut names) = (source.kept().to_vec(), Vec::new());
    let mut all = vec![label.clone()];
    if array {
        names.push(label)
    } else {
        kept.push(Kept { name: label, holds })
    }
    for (flag, prefix) in [("probabilities", "p"), ("scores", "score")] {
        if asked(flag) {
            names.extend(classes.names.iter().map(|name| format!("{prefix}_{name}")));
        }
    }
    all.extend(names.iter().cloned());
    crate::predict::once(source.kept(), &all)?;
    let query = Query { single: source.single(), ..Query::default() };
    model.scores(&Inputs::Dense(Mat::zeros(0, model.inputs())), query)?;
    let mut writer = Writer::create(target, None, &kept, &names)?;
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.stage("predict");
    let (mut rows, t) = (0, classes.names.len());
    for page in source.pages()? {
        let page = page?;
        let n = page.nrows();
        let scores = model.scores(&page.batch.inputs, query).map_err(|e| page.placed(e))?;
        let probabilities = if asked("probabilities") { Some(model.probabilities(&scores)?) } else { None };
        let mut out = Mat::full(n, names.len(), f64::NAN);
        let mut labels = vec![String::new(); n];
        for (i, (&row, class)) in page.used.iter().zip(Classes::decide(&scores)).enumerate() {
            labels[row].clone_from(&classes.names[class]);
            let mut at = 0;
            if array {
                out[(row, 0)] = numbers[class];
                at = 1;
            }
            for values in probabilities.iter().chain(asked("scores").then_some(&scores)) {
                (0..t).for_each(|k| out[(row, at + k)] = values[(i, k)]);
                at += t;
            }
        }
        let mut carried = page.kept;
        if !array {
            carried.push(labels);
        }
        writer.write(&carried, out.as_ref())?;
        rows += n;
        watch.advance(n as u64)?;
    }
    drop(watch);
    writer.finish()?;
    if source.skipped() > 0 && !session.quiet {
        crate::progress::tell(&format!("{} rows have missing inputs: they have no label", source.skipped()));
    }
    if !session.quiet && target.as_os_str() != "-" {
        crate::progress::tell(&format!("wrote {} ({rows} rows)", target.display()));
    }
    Ok(())
}
