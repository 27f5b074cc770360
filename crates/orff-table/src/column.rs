//! Columns by name, by position, by range: `velocity`, `3`, `x1..x20`, `1..20`, and comma lists of these.

use crate::error::{Error, Result};
use crate::header::Header;
use std::collections::HashSet;
use std::str::FromStr;

/// Some columns of a table, as the user wrote them; resolved against the header of a file.
///
/// An item that is the exact name of a column means this column. Otherwise `3` is the third column, `a..b` the columns
/// from `a` to `b` in the order of the file, both included, `3..` the columns from the third on, and the key of a
/// NumPy array all its columns. A name that contains a comma goes in double quotes.
///
/// ```
/// let picked: orff_table::Selector = "x1..x20,\"a, b\",7".parse()?;
/// assert_eq!(picked.to_string(), "x1..x20,\"a, b\",7");
/// # Ok::<(), orff_table::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    items: Vec<String>,
}

impl Selector {
    /// Columns by their exact names.
    pub fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Selector { items: names.into_iter().map(Into::into).collect() }
    }

    /// Positions (from 0) in the order asked for; a column given twice is an error.
    pub(crate) fn resolve(&self, header: &Header) -> Result<Vec<usize>> {
        let (mut out, mut seen) = (Vec::new(), HashSet::new());
        for item in &self.items {
            for column in one(item, header)? {
                if !seen.insert(column) {
                    let name = &header.names[column];
                    return Err(Error::Column(format!("column {name:?} of {} is given twice", header.file)));
                }
                out.push(column);
            }
        }
        Ok(out)
    }
}

fn one(item: &str, header: &Header) -> Result<Vec<usize>> {
    if let Some(k) = header.find(item)? {
        return Ok(vec![k]);
    }
    if let Some(group) = header.group(item) {
        return Ok(group.collect());
    }
    if let Some((a, b)) = item.split_once("..") {
        let from = end(a, header)?;
        let to = if b.is_empty() { header.names.len().saturating_sub(1) } else { end(b, header)? };
        if from > to {
            return Err(Error::Column(format!(
                "columns {item}: the first end comes after the second in {} (write {b}..{a})",
                header.file
            )));
        }
        return Ok((from..=to).collect());
    }
    end(item, header).map(|k| vec![k])
}

fn end(item: &str, header: &Header) -> Result<usize> {
    if let Some(k) = header.find(item)? {
        return Ok(k);
    }
    match item.parse::<usize>() {
        Ok(k) if (1..=header.names.len()).contains(&k) => Ok(k - 1),
        Ok(k) => Err(Error::Column(format!(
            "column {k} not found in {}, which has {} columns (counted from 1)",
            header.file,
            header.names.len()
        ))),
        Err(_) => Err(header.missing(item)),
    }
}

impl FromStr for Selector {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (mut items, mut item, mut quoted, mut was_quoted) = (Vec::new(), String::new(), false, false);
        for c in text.chars().chain([',']) {
            match c {
                '"' => (quoted, was_quoted) = (!quoted, true),
                ',' if !quoted => {
                    let found = if was_quoted { item.as_str() } else { item.trim() };
                    if found.is_empty() {
                        return Err(Error::Options(format!("columns {text:?}: an item of the list is empty")));
                    }
                    items.push(found.to_string());
                    item.clear();
                    was_quoted = false;
                }
                ' ' if item.is_empty() && !quoted => {}
                c => item.push(c),
            }
        }
        if quoted {
            return Err(Error::Options(format!("columns {text:?}: a quote is not closed")));
        }
        Ok(Selector { items })
    }
}

impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted: Vec<String> =
            self.items.iter().map(|s| if s.contains(',') { format!("\"{s}\"") } else { s.clone() }).collect();
        f.write_str(&quoted.join(","))
    }
}
