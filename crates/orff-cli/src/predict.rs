//! `orff predict`: rows in, predictions out.

use crate::progress::Progress;
use crate::{Session, calculus, classify, curves, data, detect, evaluate, flags, one_step, quantiles};
use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Command};
use faer::Mat;
use orff::model::{Model, Query};
use orff::params::Params;
use orff::rows::{Inputs, Rows};
use orff::watch::Watch;
use orff_table::{Kept, Selector, Source, Writer};
use std::path::{Path, PathBuf};

/// `orff predict MODEL FILE… -o OUT`.
pub fn command() -> Command {
    let mut command = Command::new("predict")
        .about("Predict the outputs or the classes of rows, or score them; of a series every row from those before it")
        .arg(evaluate::model_arg())
        .arg(data::files())
        .arg(
            Arg::new("out")
                .short('o')
                .long("out")
                .value_name("FILE")
                .default_value("-")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Where to write: .csv, .csv.gz, .parquet, .arrow, .npy; - for standard output"),
        )
        .arg(evaluate::interval_arg())
        .arg(quantiles::levels_arg())
        .args(quantiles::law_args())
        .arg(curves::at_arg())
        .arg(flags::switch("std", "Add the standard deviation of each output"))
        .arg(flags::switch("cov", "Add the covariance of each pair of outputs (and their variances), cov_A_B"))
        .arg(flags::switch(
            "no-noise",
            "Intervals, deviations and covariances of the function itself, without the noise of a new observation",
        ))
        .arg(flags::switch("probabilities", "Of classes: add the probability of each, p_NAME"))
        .arg(flags::switch("scores", "Of classes: add the score of each, score_NAME; of level sets: how far inside the sets of --levels a row is, inside_0.1, …"))
        .arg(
            Arg::new("also")
                .long("also")
                .value_name("WORDS")
                .value_delimiter(',')
                .value_parser(calculus::WORDS.to_vec())
                .help(
                    "Of a field, also: jacobian, divergence, curl, potential, stream-function, vector-potential, \
                     gradient-part, rotation-part. A potential is that of the field, or, where \
                     the field is no gradient (no rotation), of the part that is. Derivatives of a model fitted with --project lonlat are per metre, \
                     to the east and to the north (du_deast, du_dnorth)",
                ),
        )
        .arg(
            Arg::new("keep")
                .long("keep")
                .value_name("COLUMNS")
                .help(
                    "Columns of the rows to carry along, such as an id; beside an output y that is kept the prediction is \
                     called y_predicted",
                ),
        )
        .arg(evaluate::threads_arg());
    for param in data::Reading::SPEC {
        command = command.arg(flags::flag(param, None).help_heading("Files"));
    }
    command.arg(data::missing()).arg(data::task())
}

/// Runs it.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let model = Model::load(flags::path(matches, "model"))?;
    if model.series.is_some() {
        quantiles::refuse(matches)?;
        return one_step::run(&model, matches, session);
    }
    let keep = matches.get_one::<String>("keep").map(|k| k.parse::<Selector>()).transpose()?;
    if model.curves().is_err() || model.info.outliers.is_some() {
        quantiles::refuse(matches)?;
    }
    let source = data::open_for(&model, matches, matches.get_flag("cdf"), keep)?;
    if model.info.outliers.is_some() {
        return detect::run(&model, &source, matches, session);
    }
    if model.functions().is_ok() {
        return curves::run(&model, &source, matches, session);
    }
    if matches.contains_id("at") {
        return Err(flags::Usage("--at: the outputs of this model are no curves; fit functional".into()).into());
    }
    if model.curves.is_some() {
        return quantiles::run(&model, &source, matches, session);
    }
    if matches.contains_id("levels") {
        return Err(flags::Usage("--levels: this model has no quantiles; fit quantiles".into()).into());
    }
    if model.info.classes.is_some() {
        return classify::run(&model, &source, matches, session);
    }
    if let Some(flag) = ["probabilities", "scores"].into_iter().find(|flag| matches.get_flag(flag)) {
        return Err(flags::Usage(format!("--{flag}: the outputs of this model are numbers, not classes")).into());
    }
    let level = matches.get_one::<f64>("interval").copied();
    let std = matches.get_flag("std");
    let noise = !matches.get_flag("no-noise");
    let cov = matches.get_flag("cov");
    if cov && source.encoding().task.is_some() {
        let why = "a row of one task has no other outputs; use --std";
        return Err(flags::Usage(format!("--cov: {why}")).into());
    }
    let query = Query { std: std || level.is_some(), cov, noise, single: source.single() };

    // of long rows the task of each, under the name of their value
    let value = source.encoding().task.as_ref().map(|_| value_name(&source));
    let answers: Vec<String> = value.map_or(model.info.outputs.clone(), |name| vec![name]);
    let mut names = Vec::new();
    for output in &answers {
        names.push(predicted(output, source.kept()));
        if std {
            names.push(format!("{output}_std"));
        }
        if level.is_some() {
            names.extend([format!("{output}_lower"), format!("{output}_upper")]);
        }
    }
    let also: Vec<String> = matches.get_many::<String>("also").into_iter().flatten().cloned().collect();
    let per = names.len() / answers.len();
    let pairs: Vec<(usize, usize)> = match cov {
        true => (0..answers.len()).flat_map(|s| (s..answers.len()).map(move |t| (s, t))).collect(),
        false => Vec::new(),
    };
    names.extend(pairs.iter().map(|&(s, t)| format!("cov_{}_{}", answers[s], answers[t])));
    // what the model cannot answer is refused before anything is written
    model.predict(&Inputs::Dense(Mat::zeros(0, model.inputs())), query)?;
    for word in &also {
        calculus::check(&model, word).with_context(|| format!("--also {word}"))?;
        names.extend(calculus::names(&model, word)?);
        if let Some(line) = calculus::said(&model, word)?.filter(|_| !session.quiet) {
            crate::progress::tell(&line);
        }
    }
    once(source.kept(), &names)?;
    let target = flags::path(matches, "out");
    let mut writer = Writer::create(target, None, source.kept(), &names)?;
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.stage("predict");
    let mut rows = 0;
    for page in source.pages()? {
        let page = page?;
        let n = page.nrows();
        let mut out = Mat::full(n, names.len(), f64::NAN);
        let found = model.predict(&page.batch.inputs, query).map_err(|e| page.placed(e))?;
        for (i, &row) in page.used.iter().enumerate() {
            for (k, t) in asked(page.tasks.as_deref(), i, model.info.outputs.len()).enumerate() {
                let mean = found.mean[(i, t)];
                let mut cells = vec![mean];
                if let Some(deviation) = found.std.as_ref().map(|s| s[(i, t)]) {
                    if std {
                        cells.push(deviation);
                    }
                    if let Some(level) = level {
                        let half = evaluate::width(level) * deviation;
                        cells.extend([mean - half, mean + half]);
                    }
                }
                cells.into_iter().enumerate().for_each(|(c, v)| out[(row, k * per + c)] = v);
            }
        }
        let mut at = per * answers.len();
        if let Some(covs) = &found.cov {
            for (i, &row) in page.used.iter().enumerate() {
                pairs.iter().enumerate().for_each(|(k, &pair)| out[(row, at + k)] = covs[i][pair]);
            }
            at += pairs.len();
        }
        for word in &also {
            let values = calculus::values(&model, word, &page.batch.inputs)?;
            for (i, &row) in page.used.iter().enumerate() {
                (0..values.ncols()).for_each(|k| out[(row, at + k)] = values[(i, k)]);
            }
            at += values.ncols();
        }
        writer.write(&page.kept, out.as_ref())?;
        rows += n;
        watch.advance(n as u64)?;
    }
    drop(watch);
    writer.finish()?;
    wrote(&source, target, rows, session);
    Ok(())
}

/// Says what was written.
pub fn wrote(source: &Source, target: &Path, rows: usize, session: &Session) {
    if source.skipped() > 0 && !session.quiet {
        crate::progress::tell(&format!("{} rows have missing inputs: their predictions are NaN", source.skipped()));
    }
    if !session.quiet && target.as_os_str() != "-" {
        crate::progress::tell(&format!("wrote {} ({rows} rows)", target.display()));
    }
}

/// The name of a prediction: that of its output, unless a column that is carried along has it.
pub fn predicted(output: &str, kept: &[Kept]) -> String {
    if kept.iter().any(|kept| kept.name == output) { format!("{output}_predicted") } else { output.into() }
}

/// Refuses a column that is carried along under the name of one that is predicted: nobody could tell them apart.
pub fn once(kept: &[Kept], names: &[String]) -> Result<()> {
    match kept.iter().find(|kept| names.contains(&kept.name)) {
        None => Ok(()),
        Some(Kept { name, .. }) => {
            let how = "rename it in the rows, or leave it out and put the files side by side (rows keep their order)";
            Err(flags::Usage(format!("--keep {name}: a column of the predictions has this name; {how}")).into())
        }
    }
}

/// The outputs that are asked for at row i: that of its task, or all.
fn asked(tasks: Option<&[usize]>, i: usize, outputs: usize) -> std::ops::Range<usize> {
    tasks.map_or(0..outputs, |tasks| tasks[i]..tasks[i] + 1)
}

/// The column of the training rows with the values of tasks; `value` where each output had its own.
fn value_name(source: &Source) -> String {
    match source.encoding().outputs.as_slice() {
        [one] if source.encoding().named => one.name.clone(),
        _ => "value".into(),
    }
}
