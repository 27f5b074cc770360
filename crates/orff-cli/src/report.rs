//! Scores of a model on rows, gathered and printed: numbers for outputs, or what became of classes.

use crate::evaluate::width;
use anyhow::{Result, bail};
use faer::Mat;
use orff::metric::{ClassScores, QuantileScores, Ranking, RankingScore, Score, Scores};
use orff::model::{Classes, Model, Outliers, Query};
use orff::rows::{Batch, Weights};
use serde_json::{Map, Value, json};
use std::io::Write;

/// How scores are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A table for people.
    Text,
    /// One JSON object.
    Json,
}

/// Classes of a confusion table, at most.
const SHOWN: usize = 20;

/// Levels whose pinball losses are averaged.
const LEVELS: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// Scores by the names they are printed with.
pub struct Report {
    names: Vec<String>,
    kind: Kind,
}

enum Kind {
    /// Of quantiles too, once a model of them was seen.
    Numbers(Scores, Option<QuantileScores>),
    Classes(ClassScores, u64),
    Outliers {
        ranking: Ranking,
        which: Vec<bool>,
        unlabelled: u64,
    },
}

impl Report {
    /// Of nothing yet, for outputs or for the classes of a target.
    pub fn new(outputs: &[String], classes: Option<&[String]>) -> Self {
        match classes {
            None => Report { names: outputs.to_vec(), kind: Kind::Numbers(Scores::new(outputs.len()), None) },
            Some(classes) => {
                Report { names: classes.to_vec(), kind: Kind::Classes(ClassScores::new(classes.len()), 0) }
            }
        }
    }

    /// Of nothing yet, for all points of curves together.
    pub fn points() -> Self {
        Report::new(&["points".into()], None)
    }

    /// Adds what a model of curves says of rows: of points of their own, or at the grid.
    pub fn curves(&mut self, model: &Model, batch: &Batch, points: bool) -> Result<()> {
        let Kind::Numbers(scores, _) = &mut self.kind else { return Ok(()) };
        let (curves, argument) = model.functions()?;
        let columns = model.columns(&batch.inputs, false)?;
        let (n, m) = batch.outputs.shape();
        let mut found = Vec::new();
        for k in 0..if points { m / 2 } else { m } {
            let (own, at) = match points {
                true => {
                    // what was not observed has no argument
                    let at = batch.outputs.col(2 * k).iter().map(|t| if t.is_finite() { *t } else { 0.0 }).collect();
                    (2 * k + 1, at)
                }
                false => (k, vec![argument.values[k]; n]),
            };
            let values = curves.value_of_each(columns.as_ref(), &at)?;
            found.extend((0..n).map(|i| (batch.outputs[(i, own)], values[i], weight(batch, i, own))));
        }
        let one = |of: fn(&(f64, f64, f64)) -> f64| Mat::from_fn(found.len(), 1, |i, _| of(&found[i]));
        scores.add(one(|f| f.0).as_ref(), one(|f| f.1).as_ref(), None, Some(&|i: usize, _: usize| found[i].2));
        Ok(())
    }

    /// Adds numbers beside what is predicted of them, with half the width of intervals; NaN is not observed.
    pub fn numbered(&mut self, observed: &Mat<f64>, predicted: &Mat<f64>, half: Option<&Mat<f64>>) {
        if let Kind::Numbers(scores, _) = &mut self.kind {
            scores.add(observed.as_ref(), predicted.as_ref(), half.map(Mat::as_ref), None);
        }
    }

    /// Of nothing yet, for outliers: whether each class of the target is one of outliers.
    pub fn outliers(which: &[bool]) -> Self {
        let kind = Kind::Outliers { ranking: Ranking::default(), which: which.to_vec(), unlabelled: 0 };
        Report { names: Vec::new(), kind }
    }

    /// Whether each class is one of outliers.
    pub fn which(known: &Outliers, classes: Option<&[String]>) -> Vec<bool> {
        classes.unwrap_or_default().iter().map(|class| known.has(class)).collect()
    }

    /// Adds the score of a row, which is below the offset or not, and is an outlier or not, if that is known.
    pub fn scored(&mut self, score: f64, offset: f64, outlier: Option<bool>) {
        if let Kind::Outliers { ranking, unlabelled, .. } = &mut self.kind {
            match outlier {
                None => *unlabelled += 1,
                Some(outlier) => ranking.add(score, outlier, score < offset),
            }
        }
    }

    /// Adds what a model says of rows.
    pub fn add(&mut self, model: &Model, batch: &Batch, level: Option<f64>) -> Result<()> {
        let weight = |i: usize, t: usize| weight(batch, i, t);
        match &mut self.kind {
            Kind::Outliers { which, .. } => {
                let (which, offset) = (which.clone(), model.outliers()?.offset);
                for (i, score) in model.normality(&batch.inputs)?.into_iter().enumerate() {
                    let class = batch.outputs[(i, 0)];
                    self.scored(
                        score,
                        offset,
                        if class.is_nan() { None } else { which.get(class as usize).copied() },
                    );
                }
            }
            Kind::Numbers(scores, quantiles) if model.curves.is_some() => {
                let (curves, p) = (model.curves()?, self.names.len());
                let columns = model.columns(&batch.inputs, false)?;
                let found = curves.quantiles(columns.as_ref(), &LEVELS)?;
                let coverage = level.unwrap_or(0.9);
                let ends = curves.interval(columns.as_ref(), coverage, &curves.margins(p, coverage)?)?;
                let ends = (ends.0.as_ref(), ends.1.as_ref());
                let quantiles = quantiles.get_or_insert_with(|| QuantileScores::new(p, &LEVELS));
                quantiles.add(batch.outputs.as_ref(), found.as_ref(), ends, &weight);
                let median = curves.quantiles(columns.as_ref(), &[0.5])?;
                scores.add(batch.outputs.as_ref(), median.as_ref(), None, Some(&weight));
            }
            Kind::Numbers(scores, _) => {
                let query = Query { std: level.is_some(), ..Query::default() };
                let predicted = model.predict(&batch.inputs, query)?;
                let half = match (predicted.std, level) {
                    (Some(std), Some(level)) => Some(faer::Scale(width(level)) * std),
                    _ => None,
                };
                let half = half.as_ref().map(|h| h.as_ref());
                scores.add(batch.outputs.as_ref(), predicted.mean.as_ref(), half, Some(&weight));
            }
            Kind::Classes(scores, unlabelled) => {
                let found = model.scores(&batch.inputs, Query::default())?;
                let (probabilities, decided) = (model.probabilities(&found)?, Classes::decide(&found));
                for (i, taken_for) in decided.into_iter().enumerate() {
                    let class = batch.outputs[(i, 0)];
                    if class.is_nan() {
                        *unlabelled += 1;
                        continue;
                    }
                    let class = class as usize;
                    scores.add(class, taken_for, probabilities[(i, class)], weight(i, 0));
                }
            }
        }
        Ok(())
    }

    /// Adds what another gathered about the same outputs.
    pub fn merge(&mut self, other: &Report) {
        match (&mut self.kind, &other.kind) {
            (Kind::Numbers(a, mine), Kind::Numbers(b, other)) => {
                a.merge(b);
                match (mine, other) {
                    (Some(mine), Some(other)) => mine.merge(other),
                    (mine @ None, Some(other)) => *mine = Some(other.clone()),
                    _ => {}
                }
            }
            (Kind::Classes(a, more), Kind::Classes(b, rows)) => {
                a.merge(b);
                *more += rows;
            }
            (
                Kind::Outliers { ranking: a, unlabelled: more, .. },
                Kind::Outliers { ranking: b, unlabelled: rows, .. },
            ) => {
                a.merge(b);
                *more += rows;
            }
            _ => {}
        }
    }

    /// Rows that had no label to compare with.
    pub fn unlabelled(&self) -> u64 {
        match &self.kind {
            Kind::Numbers(..) => 0,
            Kind::Classes(_, rows) | Kind::Outliers { unlabelled: rows, .. } => *rows,
        }
    }

    /// Prints them.
    pub fn print(&self, title: &str, format: Format, out: &mut dyn Write) -> Result<()> {
        match &self.kind {
            Kind::Numbers(scores, quantiles) => self.numbers(title, scores, quantiles.as_ref(), format, out),
            Kind::Classes(scores, _) if scores.overall().count == 0 => bail!("{title}: no row has a label to score"),
            Kind::Classes(scores, _) => self.classes(title, scores, format, out),
            Kind::Outliers { ranking, .. } => ranked(title, &ranking.overall(), format, out),
        }
    }

    fn numbers(
        &self,
        title: &str,
        scores: &Scores,
        quantiles: Option<&QuantileScores>,
        format: Format,
        out: &mut dyn Write,
    ) -> Result<()> {
        let names = &self.names;
        let each = names.iter().enumerate().map(|(t, n)| (n.as_str(), scores.of(t)));
        let rows: Vec<(&str, Score)> = each.chain((names.len() > 1).then(|| ("all", scores.overall()))).collect();
        if format == Format::Json {
            let outputs: Map<String, Value> =
                names.iter().enumerate().map(|(t, n)| (n.clone(), json!(scores.of(t)))).collect();
            let mut all = json!({ "outputs": outputs, "overall": scores.overall() });
            if let Some(quantiles) = quantiles {
                let each: Map<String, Value> =
                    names.iter().enumerate().map(|(t, n)| (n.clone(), json!(quantiles.of(t)))).collect();
                all["quantiles"] = json!({ "levels": quantiles.levels(), "outputs": each });
            }
            writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
            return Ok(());
        }
        let wide = rows.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0).max(6);
        writeln!(out, "{title}")?;
        writeln!(
            out,
            "{:wide$}  {:>9}  {:>11}  {:>11}  {:>8}  {:>9}",
            "output", "R²", "RMSE", "MAE", "coverage", "entries"
        )?;
        for (name, s) in rows {
            writeln!(
                out,
                "{name:wide$}  {:>9}  {:>11}  {:>11}  {:>8}  {:>9}",
                number(s.r2, 4),
                short(s.rmse),
                short(s.mae),
                number(s.coverage, 3),
                s.count
            )?;
        }
        let Some(quantiles) = quantiles else { return Ok(()) };
        writeln!(
            out,
            "{:wide$}  {:>9}  {:>11}  {:>11}  {:>9}",
            "quantiles", "pinball", "coverage", "width", "crossings"
        )?;
        for (t, name) in names.iter().enumerate() {
            let s = quantiles.of(t);
            let (pinball, coverage, wide_by) = (short(s.pinball), number(Some(s.coverage), 3), short(s.width));
            writeln!(out, "{name:wide$}  {pinball:>9}  {coverage:>11}  {wide_by:>11}  {:>9}", s.crossings)?;
            let below = quantiles.levels().iter().zip(&s.below).map(|(l, b)| format!("{l}: {b:.3}"));
            writeln!(out, "{:wide$}  share below the quantile of {}", "", below.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }

    fn classes(&self, title: &str, scores: &ClassScores, format: Format, out: &mut dyn Write) -> Result<()> {
        let (names, all) = (&self.names, scores.overall());
        if format == Format::Json {
            let row = |k: usize| (0..names.len()).map(|l| scores.confused(k, l)).collect::<Vec<f64>>();
            let confusion: Vec<Vec<f64>> = (0..names.len()).map(row).collect();
            let classes: Map<String, Value> =
                names.iter().enumerate().map(|(k, n)| (n.clone(), json!(scores.of(k)))).collect();
            let all = json!({ "overall": all, "classes": classes, "order": names, "confusion": confusion });
            writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
            return Ok(());
        }
        writeln!(out, "{title}")?;
        writeln!(
            out,
            "accuracy {:.4}, error {:.4}, balanced accuracy {:.4}, log loss {:.4} on {} rows",
            all.accuracy, all.error, all.balanced_accuracy, all.log_loss, all.count
        )?;
        let wide = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(5);
        writeln!(out, "{:wide$}  {:>9}  {:>9}  {:>9}  {:>9}", "class", "precision", "recall", "F1", "rows")?;
        for (k, name) in names.iter().enumerate() {
            let s = scores.of(k);
            let (precision, recall, f1) = (number(s.precision, 4), number(s.recall, 4), number(s.f1, 4));
            writeln!(out, "{name:wide$}  {precision:>9}  {recall:>9}  {f1:>9}  {:>9}", short_count(s.weight))?;
        }
        if names.len() <= SHOWN {
            writeln!(out, "rows of each class (down) taken for each (across)")?;
            let cells: Vec<usize> = names.iter().map(|n| n.chars().count().max(6)).collect();
            let head = names.iter().zip(&cells).map(|(n, w)| format!("  {n:>w$}")).collect::<String>();
            writeln!(out, "{:wide$}{head}", "")?;
            for (k, name) in names.iter().enumerate() {
                let cell = |(l, w): (usize, &usize)| format!("  {:>w$}", short_count(scores.confused(k, l)));
                let row = cells.iter().enumerate().map(cell).collect::<String>();
                writeln!(out, "{name:wide$}{row}")?;
            }
        }
        Ok(())
    }
}

/// The weight of output t of row i.
fn weight(batch: &Batch, i: usize, t: usize) -> f64 {
    match &batch.weights {
        None => 1.0,
        Some(Weights::Row(w)) => w[i],
        Some(Weights::Entry(w)) => w[(i, t)],
    }
}

fn ranked(title: &str, scores: &RankingScore, format: Format, out: &mut dyn Write) -> Result<()> {
    if scores.count == 0 {
        bail!("{title}: no row has a label to score");
    }
    if format == Format::Json {
        writeln!(out, "{}", serde_json::to_string_pretty(&json!({ "overall": scores }))?)?;
        return Ok(());
    }
    let (auc, average) = (number(scores.roc_auc, 4), number(scores.average_precision, 4));
    let (precision, recall) = (number(scores.precision, 4), number(scores.recall, 4));
    writeln!(out, "{title}")?;
    writeln!(
        out,
        "ROC AUC {auc}, average precision {average} on {} rows, {} outliers",
        scores.count, scores.outliers
    )?;
    writeln!(out, "taken for outliers: precision {precision}, recall {recall}")?;
    Ok(())
}

fn number(v: Option<f64>, digits: usize) -> String {
    v.map_or("–".into(), |v| format!("{v:.digits$}"))
}

fn short(v: f64) -> String {
    if v != 0.0 && !(1e-3..1e6).contains(&v.abs()) { format!("{v:.4e}") } else { format!("{v:.5}") }
}

/// A number of rows, which weights may have made a fraction.
fn short_count(v: f64) -> String {
    if v.fract() == 0.0 { format!("{v}") } else { format!("{v:.2}") }
}
