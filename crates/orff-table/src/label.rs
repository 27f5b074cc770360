//! The label of a row: a word, or a number in one way of writing it.

use crate::cell::{Said, Tokens};

/// The most classes that a label may have.
pub(crate) const MOST_LABELS: usize = 10_000;

/// The label that a cell says, if it says one. Whole numbers stay as they are written, `007` too; other numbers are
/// written as short as they can be, so that `1.0`, `1.` and `+1` are the class `1`.
pub(crate) fn label(cell: Option<&str>, tokens: &Tokens) -> Option<String> {
    let cell = cell?;
    let said = tokens.read(cell);
    if said == Said::Missing {
        return None;
    }
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match cell.parse::<f64>() {
        Ok(v) if v.is_finite() && !whole => Some(format!("{v}")),
        _ => Some(cell.to_string()),
    }
}

/// Classes in their order: numbers by size when all are numbers, otherwise as words.
pub(crate) fn sorted(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut values: Vec<String> = values.collect();
    let numbers: Option<Vec<f64>> = values.iter().map(|v| v.parse().ok()).collect();
    match numbers {
        None => values.sort(),
        Some(_) => {
            let size = |v: &String| v.parse::<f64>().unwrap_or(0.0);
            values.sort_by(|a, b| size(a).total_cmp(&size(b)).then_with(|| a.cmp(b)));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_way_of_writing() {
        let tokens = Tokens::new(&crate::MISSING_TOKENS);
        let said = |cell: &str| label(Some(cell), &tokens);
        for (cell, expected) in
            [("1", "1"), ("1.0", "1"), ("+1", "1"), ("-1", "-1"), ("007", "007"), ("1.50", "1.5"), ("1e3", "1000")]
        {
            assert_eq!(said(cell).as_deref(), Some(expected));
        }
        assert_eq!((said("true").as_deref(), said("inf").as_deref()), (Some("true"), Some("inf")));
        assert_eq!((said(""), said("NA"), label(None, &tokens)), (None, None, None));
        let order = |words: &[&str]| sorted(words.iter().map(ToString::to_string));
        assert_eq!(order(&["10", "9", "-1"]), ["-1", "9", "10"]);
        assert_eq!(order(&["b", "10", "9"]), ["10", "9", "b"]);
    }
}
