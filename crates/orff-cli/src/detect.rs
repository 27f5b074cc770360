//! `orff predict` and `orff evaluate` with a model of outliers.

use crate::flags::{self, Usage};
use crate::progress::Progress;
use crate::report::Report;
use crate::{Session, data};
use anyhow::{Context, Result};
use clap::{Arg, ArgMatches};
use faer::Mat;
use orff::model::{Model, Outliers};
use orff::rows::Inputs;
use orff::watch::Watch;
use orff_table::{Selector, Source, Writer};

/// The label that outliers have unless another is named.
pub const OUTLIER: &str = "1";

/// Writes the score of each row (larger is more usual), and 1 if it is an outlier, else 0, also at levels that are asked for, with
/// how far inside their sets it is (f − b) where that is; a row with missing inputs has neither.
pub fn run(model: &Model, source: &Source, matches: &ArgMatches, session: &Session) -> Result<()> {
    let levels: Vec<f64> = matches.get_many::<f64>("levels").into_iter().flatten().copied().collect();
    let margins = matches.get_flag("scores") && !levels.is_empty();
    let asked = ["std", "cov", "no-noise", "probabilities", "scores"].into_iter().find(|flag| matches.get_flag(flag));
    let asked = asked.filter(|flag| *flag != "scores" || !margins);
    if let Some(flag) = asked.or_else(|| ["interval", "also"].into_iter().find(|flag| matches.contains_id(flag))) {
        let how = match (flag, &model.curves) {
            ("scores", Some(_)) => "how far inside the sets of some levels; say which: --levels 0.01,0.1",
            _ => "a model of outliers says a score and whether it is an outlier's",
        };
        return Err(Usage(format!("--{flag}: {how}")).into());
    }
    let offset = model.outliers()?.offset;
    let mut names = ["score", "outlier"].map(String::from).to_vec();
    names.extend(levels.iter().map(|level| format!("outlier_{level}")));
    if margins {
        names.extend(levels.iter().map(|level| format!("inside_{level}")));
    }
    crate::predict::once(source.kept(), &names)?;
    crate::quantiles::each_once(&names)?;
    let none = Inputs::Dense(Mat::zeros(0, model.inputs()));
    model.normality(&none)?;
    if !levels.is_empty() {
        model.inside(&none, &levels).context("--levels")?;
    }
    let target = flags::path(matches, "out");
    let mut writer = Writer::create(target, None, source.kept(), &names)?;
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.stage("predict");
    let mut rows = 0;
    for page in source.pages()? {
        let page = page?;
        let mut out = Mat::full(page.nrows(), names.len(), f64::NAN);
        let scores = model.normality(&page.batch.inputs).map_err(|e| page.placed(e))?;
        let inside = margins.then(|| model.inside(&page.batch.inputs, &levels)).transpose()?;
        for (i, (&row, score)) in page.used.iter().zip(scores).enumerate() {
            out[(row, 0)] = score;
            let each = [offset].into_iter().chain(levels.iter().copied()).enumerate();
            each.for_each(|(k, level)| out[(row, 1 + k)] = if score < level { 1.0 } else { 0.0 });
            if let Some(inside) = &inside {
                (0..levels.len()).for_each(|k| out[(row, 2 + levels.len() + k)] = inside[(i, k)]);
            }
        }
        writer.write(&page.kept, out.as_ref())?;
        rows += page.nrows();
        watch.advance(page.nrows() as u64)?;
    }
    drop(watch);
    writer.finish()?;
    if source.skipped() > 0 && !session.quiet {
        crate::progress::tell(&format!("{} rows have missing inputs: their scores are NaN", source.skipped()));
    }
    if !session.quiet && target.as_os_str() != "-" {
        crate::progress::tell(&format!("wrote {} ({rows} rows)", target.display()));
    }
    Ok(())
}

/// Which column says what rows are, and which of its labels are those of outliers.
pub fn arguments() -> [Arg; 2] {
    let target = Arg::new("target").long("target").value_name("COLUMN");
    let labels = Arg::new("outliers").long("outliers").value_name("LABELS");
    [
        target.help("Of a model of outliers: the column that says which rows are some; that of the fit unless given"),
        labels.help("Its labels of outliers, separated by commas; those of the fit unless given, or else 1"),
    ]
}

/// The labels of outliers in a list of them.
pub fn labels(text: Option<&str>) -> Vec<String> {
    text.unwrap_or(OUTLIER).split(',').map(|label| label.trim().to_string()).filter(|l| !l.is_empty()).collect()
}

/// Scores of a model of outliers on rows with a column that says which are some. Also how many rows were not read.
pub fn evaluate(model: &Model, matches: &ArgMatches, session: &Session) -> Result<(Report, u64)> {
    let mut known: Outliers = model.outliers()?.clone();
    let given = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let Some(target) = given("target").map(String::from).or(known.target.clone()) else {
        let how = "say which column tells outliers from others, for example --target anomaly";
        return Err(Usage(format!("--target: {how}")).into());
    };
    if given("outliers").is_some() || known.labels.is_empty() {
        known.labels = labels(given("outliers"));
    }
    let keep = Selector::names([target.clone()]);
    let source = data::open_for(model, matches, false, Some(keep))?;
    let mut watch = Progress::new(session.quiet, || (source.bytes_read(), source.bytes_total()));
    watch.stage("score");
    let mut report = Report::outliers(&[]);
    for page in source.pages()? {
        let page = page?;
        let scores = model.normality(&page.batch.inputs).map_err(|e| page.placed(e))?;
        for (&row, score) in page.used.iter().zip(scores) {
            let label = page.kept[0][row].trim();
            report.scored(score, known.offset, (!label.is_empty()).then(|| known.has(label)));
        }
        watch.advance(page.nrows() as u64)?;
    }
    drop(watch);
    Ok((report, source.skipped()))
}

/// Flags that a model which is none of outliers does not take.
pub fn refuse(matches: &ArgMatches) -> Result<()> {
    match ["target", "outliers"].into_iter().find(|name| matches.contains_id(name)) {
        None => Ok(()),
        Some(name) => {
            let why = "the model is none of outliers, and knows the columns of its outputs";
            Err(flags::Usage(format!("--{name}: {why}")).into())
        }
    }
}
