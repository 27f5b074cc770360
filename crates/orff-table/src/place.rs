//! From an input of a batch back to a cell of a file.

use crate::chunk::Want;
use crate::encoding::{Code, Encoding};
use crate::header::Header;

/// Where the inputs of the batches of one file stand in it.
#[derive(Debug)]
pub(crate) struct Places {
    header: Header,
    /// The column of each input; none of those of sparse rows.
    columns: Vec<usize>,
}

impl Places {
    pub fn new(encoding: &Encoding, header: &Header, wants: &[Want]) -> Self {
        let width = |code: &Code| code.width();
        let columns = encoding
            .inputs
            .iter()
            .zip(wants)
            .flat_map(|(input, want)| std::iter::repeat_n(want.column, width(&input.code)))
            .collect();
        Places { header: header.clone(), columns }
    }

    /// `wind.csv:7:2: input "height": -3 is outside …`; `column` is the number of an input, from 1, or a name for it.
    pub fn said(&self, line: u64, column: &str, value: &str, problem: &str) -> orff::Error {
        let input = column.parse::<usize>().ok().and_then(|k| self.columns.get(k.checked_sub(1)?));
        orff::Error::Source(match input {
            Some(&k) => {
                let name =
                    if self.header.lines { format!("input {:?}: ", self.header.names[k]) } else { String::new() };
                format!("{}: {name}{value} {problem}", self.header.place(line, k))
            }
            None if column.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{}: input {column}: {value} {problem}", self.header.row(line))
            }
            None => format!("{}: {value} {problem}", self.header.row(line)),
        })
    }
}
