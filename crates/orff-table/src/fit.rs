//! The first pass that finds means and categories.

use crate::cell::{Role, Said, Tokens};
use crate::choose::MOST_CATEGORIES;
use crate::chunk::{As, Cells, Opened, Want};
use crate::encoding::{Code, Encoding};
use crate::error::{Error, Result};
use crate::label::{MOST_LABELS, label, sorted};
use crate::options::Missing;
use crate::plan::{Finder, readable};
use crate::task::{self, MOST_TASKS, Task};
use std::collections::{BTreeMap, BTreeSet};

/// Whether an encoding can only be completed by a pass over all rows.
pub(crate) fn needs_pass(e: &Encoding) -> bool {
    let open = |t: &Task| t.values.is_empty();
    let unknown = e.labels.as_ref().is_some_and(|labels| labels.values.is_empty());
    e.task.as_ref().is_some_and(open)
        || unknown
        || e.inputs.iter().any(|i| match &i.code {
            Code::Number { mean } => e.missing == Missing::Mean && mean.is_none(),
            Code::Category { values, .. } => values.is_empty(),
        })
}

/// What is gathered about one column.
enum Tally {
    Mean { count: u64, mean: f64 },
    Counts(BTreeMap<String, u64>),
    Tasks(BTreeSet<String>),
    Labels(BTreeSet<String>),
    Nothing,
}

/// Completes the encoding from the rows of the files that are asked for, numbered from 0; categories that are known
/// stay as they are.
pub(crate) fn fit(
    encoding: &mut Encoding,
    files: impl Iterator<Item = Result<Box<dyn Opened>>>,
    tokens: &Tokens,
    rows: impl Fn(usize) -> usize,
    part: &dyn Fn(u64) -> bool,
) -> Result<()> {
    let tally = |code: &Code| match code {
        Code::Number { .. } => Tally::Mean { count: 0, mean: 0.0 },
        Code::Category { values, .. } => Tally::Counts(values.iter().map(|v| (v.clone(), 0)).collect()),
    };
    let (mut row, mut file) = (0, String::new());
    let mut tallies: Vec<Tally> = encoding.inputs.iter().map(|i| tally(&i.code)).collect();
    if encoding.task.as_ref().is_some_and(|t| t.values.is_empty()) {
        tallies.push(Tally::Tasks(BTreeSet::new()));
    }
    // after the inputs come the label, or outputs and weights that tell nothing
    tallies.extend(encoding.labels.iter().map(|labels| match labels.values.is_empty() {
        true => Tally::Labels(BTreeSet::new()),
        false => Tally::Nothing,
    }));
    for opened in files {
        let opened = opened?;
        let header = opened.header().clone();
        file.clone_from(&header.file);
        let columns = Finder { encoding, header: &header, outputs: true }.columns()?;
        let how = |t: &Tally| match t {
            Tally::Mean { .. } => {
                As::Number(if encoding.missing == Missing::Error { Role::Input } else { Role::Gaps })
            }
            Tally::Counts(_) | Tally::Tasks(_) | Tally::Labels(_) | Tally::Nothing => As::Text,
        };
        let wants: Vec<Want> =
            columns.iter().zip(&tallies).map(|(&column, t)| Want { column, how: how(t) }).collect();
        wants.iter().try_for_each(|w| readable(w, &header))?;
        let batch = rows(wants.len());
        let mut chunks = opened.start(wants, batch)?;
        while let Some(chunk) = chunks.next()? {
            let of_part: Vec<bool> = (row..row + chunk.rows.len() as u64).map(part).collect();
            row += chunk.rows.len() as u64;
            for (k, (tally, cells)) in tallies.iter_mut().zip(&chunk.cells).enumerate() {
                if !tally.add(cells, &of_part, tokens) {
                    let problem = match encoding.inputs.get(k) {
                        None if encoding.labels.is_some() => {
                            return Err(too_many(&header.file, &encoding.outputs[0].name));
                        }
                        Some(input) => format!(
                            "column {:?} has more than {MOST_CATEGORIES} categories (is it an identifier? use --ignore)",
                            input.column.name
                        ),
                        None => format!("there are more than {MOST_TASKS} tasks (is it the right column?)"),
                    };
                    return Err(Error::file(&header.file, problem));
                }
            }
        }
    }
    let file = &file;
    if let (Some(Tally::Tasks(_)), Some(task)) = (tallies.last(), &mut encoding.task) {
        let Some(Tally::Tasks(names)) = tallies.pop() else { return Ok(()) };
        if names.is_empty() {
            let problem = format!("column {:?} has no tasks: every value is missing", task.column.name);
            return Err(Error::file(file, problem));
        }
        task.values = task::sorted(names);
    }
    if let (Some(labels), Some(Tally::Labels(_))) = (&mut encoding.labels, tallies.last())
        && let Some(Tally::Labels(found)) = tallies.pop()
    {
        if found.is_empty() {
            let name = &encoding.outputs[0].name;
            let how = "no row has a label: every cell is empty, or a word that stands for a missing value";
            return Err(Error::file(file, format!("column {name:?}: {how} (see --missing-tokens)")));
        }
        labels.values = sorted(found.into_iter());
    }
    for (input, tally) in encoding.inputs.iter_mut().zip(tallies) {
        let name = &input.column.name;
        match (&mut input.code, tally) {
            (Code::Number { mean }, Tally::Mean { count, mean: found }) if encoding.missing == Missing::Mean => {
                if count == 0 && mean.is_none() {
                    return Err(Error::file(file, format!("column {name:?} has no values to take a mean of")));
                }
                mean.get_or_insert(found);
            }
            (Code::Category { values, shares }, Tally::Counts(counts)) => {
                let total: u64 = counts.values().sum();
                if total == 0 {
                    let problem = format!("column {name:?} has no categories: every value is missing");
                    return Err(Error::file(file, problem));
                }
                let share = |&n: &u64| n as f64 / total as f64;
                *shares = (encoding.missing == Missing::Mean).then(|| counts.values().map(share).collect());
                *values = counts.into_keys().collect();
            }
            _ => {}
        }
    }
    Ok(())
}

fn too_many(file: &str, name: &str) -> Error {
    let how = "is it a number to learn? use orff fit regression";
    Error::file(file, format!("column {name:?} has more than {MOST_LABELS} different labels ({how})"))
}

impl Tally {
    /// False when there are too many categories.
    fn add(&mut self, cells: &Cells, part: &[bool], tokens: &Tokens) -> bool {
        match self {
            Tally::Mean { count, mean } => {
                for (v, _) in cells.numbers().iter().zip(part).filter(|(v, part)| **part && !v.is_nan()) {
                    *count += 1;
                    *mean += (v - *mean) / *count as f64;
                }
                true
            }
            Tally::Tasks(names) => {
                // a task of rows that are held out is still one that there is
                for word in cells.texts().iter().flatten().filter(|w| tokens.read(w) != Said::Missing) {
                    let word = task::name(word);
                    if !names.contains(word) {
                        names.insert(word.into());
                    }
                }
                names.len() <= MOST_TASKS
            }
            Tally::Nothing => true,
            // held out or not: a class is one of all rows
            Tally::Labels(found) => {
                for label in cells.texts().iter().filter_map(|cell| label(cell.as_deref(), tokens)) {
                    if !found.contains(&label) {
                        found.insert(label);
                    }
                }
                found.len() <= MOST_LABELS
            }
            Tally::Counts(counts) => {
                let cells = cells.texts().iter().zip(part).filter(|(_, part)| **part);
                for word in cells.flat_map(|(w, _)| w).filter(|w| tokens.read(w) != Said::Missing) {
                    if let Some(n) = counts.get_mut(word) {
                        *n += 1;
                    } else if counts.len() < MOST_CATEGORIES {
                        counts.insert(word.clone(), 1);
                    } else {
                        return false;
                    }
                }
                true
            }
        }
    }
}
