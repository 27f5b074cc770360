//! Where one file has the columns of an encoding.

use crate::cell::Role;
use crate::chunk::{As, Want};
use crate::column::Selector;
use crate::encoding::{Code, Column, Encoding};
use crate::error::{Error, Result};
use crate::header::{Header, Kind};
use crate::options::Missing;

/// Finds columns of the training table in another table: by name where both have names, otherwise by position.
pub(crate) struct Finder<'a> {
    pub encoding: &'a Encoding,
    pub header: &'a Header,
    /// Whether outputs and weights are needed.
    pub outputs: bool,
}

impl Finder<'_> {
    /// The column of the file for each input, the task, then (if needed) each output, the weight and the standard errors.
    pub fn columns(&self) -> Result<Vec<usize>> {
        let e = self.encoding;
        let inputs = e.inputs.iter().map(|i| &i.column);
        let others = e.outputs.iter().chain(&e.weight).chain(&e.errors).filter(|_| self.outputs);
        let task = e.task.iter().map(|t| &t.column);
        let wanted: Vec<&Column> = inputs.chain(task).chain(others).collect();
        let found = self.header.names.len();
        if e.named && self.header.named {
            return wanted.iter().map(|c| self.by_name(c)).collect();
        }
        let last = wanted.iter().map(|c| c.position).max().unwrap_or(0);
        if found == e.columns && last <= found {
            return Ok(wanted.iter().map(|c| c.position - 1).collect());
        }
        if found == wanted.len() && wanted.len() == e.inputs.len() {
            return Ok((0..found).collect());
        }
        let alone = if self.outputs { "" } else { ", or only the inputs in order" };
        Err(Error::file(
            &self.header.file,
            format!(
                "columns are found by position, since {} column names: expected {} columns as in training{alone}, got {found}",
                if self.header.named { "the training table had no" } else { "the file has no" },
                e.columns
            ),
        ))
    }

    fn by_name(&self, column: &Column) -> Result<usize> {
        self.header.find(&column.name)?.ok_or_else(|| self.header.missing(&column.name))
    }

    /// How each column is read, in the order of [`columns`](Self::columns), then the columns that are carried along.
    pub fn wants(&self, keep: Option<&Selector>) -> Result<Vec<Want>> {
        let e = self.encoding;
        let columns = self.columns()?;
        let role = if e.missing == Missing::Error { Role::Input } else { Role::Gaps };
        let input = |code: &Code| match code {
            Code::Number { .. } => As::Number(role),
            Code::Category { .. } => As::Text,
        };
        let task = e.task.iter().map(|_| As::Text);
        let output = if e.labels.is_some() { As::Text } else { As::Number(Role::Output) };
        let outputs = e.outputs.iter().map(|_| output);
        let weight = e.weight.iter().map(|_| As::Number(Role::Weight));
        let errors = e.errors.iter().map(|_| As::Number(Role::Spread));
        let hows = e.inputs.iter().map(|i| input(&i.code)).chain(task).chain(outputs).chain(weight).chain(errors);
        let mut wants: Vec<Want> = columns.into_iter().zip(hows).map(|(column, how)| Want { column, how }).collect();
        for want in &wants {
            readable(want, self.header)?;
        }
        for column in keep.map_or(Ok(Vec::new()), |k| k.resolve(self.header))? {
            wants.push(Want { column, how: As::Text });
        }
        Ok(wants)
    }
}

/// Refuses a column whose kind cannot serve, before any row is read.
pub(crate) fn readable(want: &Want, header: &Header) -> Result<()> {
    let name = &header.names[want.column];
    match (&header.kinds[want.column], want.how) {
        (Kind::Text(Some((line, word))), As::Number(role)) => Err(role.word(word, (header, *line, want.column))),
        (Kind::Text(None), As::Number(Role::Input | Role::Gaps)) => Err(Error::file(
            &header.file,
            format!("input {name:?} holds text (use --one-hot to encode categories, or --ignore {name:?})"),
        )),
        (Kind::Text(None), As::Number(_)) => {
            Err(Error::file(&header.file, format!("column {name:?} holds text where numbers are needed")))
        }
        (Kind::Other(what), _) => Err(Error::file(
            &header.file,
            format!("column {name:?} is of type {what}, which cannot be used (convert it to numbers)"),
        )),
        _ => Ok(()),
    }
}
