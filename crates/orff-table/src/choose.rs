//! From a selection and the header of the first file to an encoding, before means and categories are known.

use crate::column::Selector;
use crate::encoding::{Code, Column, Encoding, Input, Labels, Sparse};
use crate::error::{Error, Result};
use crate::header::{Header, Kind};
use crate::options::{Missing, Select};
use crate::task::Task;
use std::collections::HashSet;

/// The most categories that one column may have.
pub(crate) const MOST_CATEGORIES: usize = 1000;

/// The draft of an encoding: means and categories are still to be found where they are None or empty.
pub(crate) struct Draft {
    pub encoding: Encoding,
    /// Columns without a role and without a value.
    pub left_out: Vec<String>,
}

/// Resolves the selection against the header.
pub(crate) fn choose(header: &Header, select: &Select, tokens: Vec<String>, sparse: Option<Sparse>) -> Result<Draft> {
    let resolve = |s: &Option<Selector>| s.as_ref().map_or(Ok(Vec::new()), |s| s.resolve(header));
    let mut outputs = resolve(&select.outputs)?;
    let task = resolve(&select.task)?;
    let weight = resolve(&select.weight)?;
    let errors = resolve(&select.errors)?;
    let keep = resolve(&select.keep)?;
    let ignored: HashSet<usize> = resolve(&select.ignore)?.into_iter().collect();
    if task.len() > 1 {
        return Err(Error::Options(format!("task: expected one column, got {}", task.len())));
    }
    if task.len() == 1 && outputs.len() != 1 {
        let why = "the value of the task of each row";
        return Err(Error::Options(format!("outputs: expected one column, {why}, got {}", outputs.len())));
    }
    if task.len() == 1 && sparse.is_some() {
        return Err(Error::Options(format!("{}: sparse rows have no column for a task", header.file)));
    }
    if weight.len() > 1 {
        return Err(Error::Options(format!("weight: expected one column, got {}", weight.len())));
    }
    if !errors.is_empty() && errors.len() != outputs.len() {
        return Err(Error::Options(format!(
            "errors: expected one column per output ({}), got {}",
            outputs.len(),
            errors.len()
        )));
    }
    if select.labels && outputs.len() != 1 {
        return Err(Error::Options(format!("target: expected one column, got {}", outputs.len())));
    }
    if select.labels && !errors.is_empty() {
        return Err(Error::Options("errors: a label has no standard error".into()));
    }
    let (mut left_out, mut unusable) = (Vec::new(), Vec::new());
    if select.series && select.outputs.is_none() {
        let others: HashSet<usize> =
            [&keep, &weight, &resolve(&select.inputs)?].into_iter().flatten().chain(&ignored).copied().collect();
        for k in (0..header.names.len()).filter(|k| !others.contains(k)) {
            match header.kinds[k] {
                Kind::Number => outputs.push(k),
                Kind::Empty => left_out.push(header.names[k].clone()),
                _ => unusable.push(k),
            }
        }
        if !unusable.is_empty() {
            return Err(no_numbers(header, &unusable, select));
        }
        if outputs.is_empty() {
            return Err(Error::Column(format!("{}: no column is left for the series", header.file)));
        }
    }
    let taken: HashSet<usize> = [&outputs, &task, &weight, &errors, &keep].into_iter().flatten().copied().collect();
    if let Some(k) = [&outputs, &task, &weight, &errors].into_iter().flatten().find(|k| ignored.contains(k)) {
        return Err(Error::Column(format!("column {:?} of {} is used and ignored", header.names[*k], header.file)));
    }
    let inputs = match (&select.inputs, &sparse) {
        (Some(_), Some(_)) => {
            let why = "svmlight inputs cannot be chosen by column: all are used";
            return Err(Error::Options(format!("{}: {why}", header.file)));
        }
        (None, Some(_)) => Vec::new(),
        (None, None) if select.series => Vec::new(),
        (Some(s), None) => s.resolve(header)?.into_iter().filter(|k| !ignored.contains(k)).collect(),
        (None, None) => {
            let forced = resolve(&select.categories)?;
            let mut inputs = Vec::new();
            for k in (0..header.names.len()).filter(|k| !taken.contains(k) && !ignored.contains(k)) {
                match header.kinds[k] {
                    Kind::Number => inputs.push(k),
                    Kind::Text(_) if select.one_hot => inputs.push(k),
                    _ if forced.contains(&k) => inputs.push(k),
                    Kind::Empty => left_out.push(header.names[k].clone()),
                    _ => unusable.push(k),
                }
            }
            if !unusable.is_empty() {
                return Err(no_numbers(header, &unusable, select));
            }
            inputs
        }
    };
    if inputs.is_empty() && sparse.is_none() && !select.series {
        let empty = if left_out.is_empty() {
            String::new()
        } else {
            format!(" (without values in the first rows: {})", left_out.join(", "))
        };
        return Err(Error::Column(format!("{}: no column is left for the inputs{empty}", header.file)));
    }
    if sparse.is_some() && select.missing == Missing::Mean {
        let why = "missing values of sparse rows cannot be replaced by means (use --missing drop)";
        return Err(Error::Options(format!("{}: {why}", header.file)));
    }
    let refused =
        [(&task, "the task"), (&weight, "the weight"), (&errors, "a standard error"), (&outputs, "an output")];
    if let Some(k) = task.iter().find(|k| [&outputs, &weight, &errors].into_iter().any(|o| o.contains(k))) {
        let name = &header.names[*k];
        return Err(Error::Column(format!("column {name:?} of {} is the task and something else", header.file)));
    }
    for (others, what) in refused {
        if let Some(k) = inputs.iter().find(|k| others.contains(k)) {
            let name = &header.names[*k];
            return Err(Error::Column(format!("column {name:?} of {} is both an input and {what}", header.file)));
        }
    }
    for &k in inputs.iter().chain(&taken) {
        header.unique(k)?;
    }
    let forced: HashSet<usize> = resolve(&select.categories)?.into_iter().collect();
    if let Some(k) = forced.iter().find(|k| !inputs.contains(k)) {
        return Err(Error::Column(format!("categories: column {:?} is not an input", header.names[*k])));
    }
    let column = |k: usize| Column { name: header.names[k].clone(), position: k + 1 };
    let input = |&k: &usize| {
        let words = matches!(header.kinds[k], Kind::Text(_)) && select.one_hot;
        let code = if words || forced.contains(&k) {
            Code::Category { values: Vec::new(), shares: None }
        } else {
            Code::Number { mean: select.means.get(&header.names[k]).copied() }
        };
        Input { column: column(k), code }
    };
    let encoding = Encoding {
        named: header.named,
        columns: header.names.len(),
        inputs: inputs.iter().map(input).collect(),
        sparse,
        outputs: outputs.into_iter().map(column).collect(),
        task: task.first().map(|&k| Task { column: column(k), values: Vec::new() }),
        labels: select.labels.then(|| Labels { values: Vec::new(), required: !select.unlabelled }),
        weight: weight.first().map(|&k| column(k)),
        errors: errors.into_iter().map(column).collect(),
        missing: select.missing,
        drop_unobserved: select.drop_unobserved,
        missing_tokens: tokens,
    };
    Ok(Draft { encoding, left_out })
}

/// The error for columns that would be inputs by default but hold no numbers: which, what they hold, what to do.
fn no_numbers(header: &Header, columns: &[usize], select: &Select) -> Error {
    const SHOWN: usize = 5;
    let shown = |&k: &usize| {
        let name = &header.names[k];
        match &header.kinds[k] {
            Kind::Text(Some((line, word))) => {
                let word: String = word.chars().take(40).collect();
                format!("column {name:?} holds words such as {word:?} (line {line})")
            }
            Kind::Other(what) => format!("column {name:?} is of type {what}"),
            _ => format!("column {name:?} holds text"),
        }
    };
    let mut list: Vec<String> = columns.iter().take(SHOWN).map(shown).collect();
    if columns.len() > SHOWN {
        list.push(format!("and {} more", columns.len() - SHOWN));
    }
    let names = Selector::names(columns.iter().map(|&k| header.names[k].clone())).to_string();
    let quoted = if names.contains([' ', '"', '\'', '(', ')']) { format!("'{names}'") } else { names };
    let words = columns.iter().any(|&k| matches!(header.kinds[k], Kind::Text(_)));
    let decimal = |word: &str| word.contains(',') && word.replacen(',', ".", 1).parse::<f64>().is_ok();
    if columns.iter().any(|&k| matches!(&header.kinds[k], Kind::Text(Some((_, word))) if decimal(word))) {
        let problem = format!("{}, not numbers: decimal commas are not read, write points", list.join(", "));
        return Error::file(header.file.clone(), problem);
    }
    let (encode, which) = match select.series {
        true => ("--time or --member if it is that, ", "--outputs"),
        false => (if words { "--one-hot to encode words, " } else { "" }, "--inputs"),
    };
    Error::Column(format!(
        "{}: {}, not numbers: use --ignore {quoted} to leave out, {encode}or {which} to say which columns to use",
        header.file,
        list.join(", ")
    ))
}
