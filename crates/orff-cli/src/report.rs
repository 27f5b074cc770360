//! Scores of a model on rows, gathered and printed: numbers for outputs, or what became of classes.

use crate::evaluate::width;
use anyhow::{Result, bail};
use orff::metric::{ClassScores, Score, Scores};
use orff::model::{Classes, Model, Query};
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

/// Scores by the names they are printed with.
pub struct Report {
    names: Vec<String>,
    kind: Kind,
}

enum Kind {
    Numbers(Scores),
    Classes(ClassScores, u64),
}

impl Report {
    /// Of nothing yet, for outputs or for the classes of a target.
    pub fn new(outputs: &[String], classes: Option<&[String]>) -> Self {
        match classes {
            None => Report { names: outputs.to_vec(), kind: Kind::Numbers(Scores::new(outputs.len())) },
            Some(classes) => {
                Report { names: classes.to_vec(), kind: Kind::Classes(ClassScores::new(classes.len()), 0) }
            }
        }
    }

    /// Adds what a model says of rows.
    pub fn add(&mut self, model: &Model, batch: &Batch, level: Option<f64>) -> Result<()> {
        let weight = |i: usize, t: usize| match &batch.weights {
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        };
        match &mut self.kind {
            Kind::Numbers(scores) => {
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
            (Kind::Numbers(a), Kind::Numbers(b)) => a.merge(b),
            (Kind::Classes(a, more), Kind::Classes(b, rows)) => {
                a.merge(b);
                *more += rows;
            }
            _ => {}
        }
    }

    /// Rows that had no label to compare with.
    pub fn unlabelled(&self) -> u64 {
        match &self.kind {
            Kind::Numbers(_) => 0,
            Kind::Classes(_, rows) => *rows,
        }
    }

    /// Prints them.
    pub fn print(&self, title: &str, format: Format, out: &mut dyn Write) -> Result<()> {
        match &self.kind {
            Kind::Numbers(scores) => self.numbers(title, scores, format, out),
            Kind::Classes(scores, _) if scores.overall().count == 0 => bail!("{title}: no row has a label to score"),
            Kind::Classes(scores, _) => self.classes(title, scores, format, out),
        }
    }

    fn numbers(&self, title: &str, scores: &Scores, format: Format, out: &mut dyn Write) -> Result<()> {
        let names = &self.names;
        let each = names.iter().enumerate().map(|(t, n)| (n.as_str(), scores.of(t)));
        let rows: Vec<(&str, Score)> = each.chain((names.len() > 1).then(|| ("all", scores.overall()))).collect();
        if format == Format::Json {
            let outputs: Map<String, Value> =
                names.iter().enumerate().map(|(t, n)| (n.clone(), json!(scores.of(t)))).collect();
            let all = json!({ "outputs": outputs, "overall": scores.overall() });
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
