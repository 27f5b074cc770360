//! Missing inputs of a model that the command fitted with `--missing`: they are met as the command meets them.

use orff::model::Model;
use orff::rows::Inputs;
use orff_table::{Code, Encoding, Missing};
use serde::Deserialize;

/// What happens to inputs that are NaN.
#[derive(Clone)]
pub enum Gaps {
    /// They are refused, with their place.
    Refused,
    /// A row that has some is answered by NaN.
    Skipped,
    /// Each is the mean of its column in the rows learned from (d).
    Means(Vec<f64>),
}

impl Gaps {
    /// As the model's file says.
    pub fn of(model: &Model) -> Self {
        // each prediction asks, and an encoding has an entry for each input
        let error = serde_json::to_value(Missing::Error).ok();
        if model.info.encoding.get("missing") == error.as_ref() {
            return Gaps::Refused;
        }
        let Ok(encoding) = Encoding::deserialize(&model.info.encoding) else {
            return Gaps::Refused;
        };
        match encoding.missing {
            Missing::Error => Gaps::Refused,
            Missing::Drop => Gaps::Skipped,
            Missing::Mean => {
                let means = |code: &Code| match code {
                    Code::Number { mean } => mean.iter().copied().collect(),
                    Code::Category { shares, .. } => shares.clone().unwrap_or_default(),
                };
                let means: Vec<f64> = encoding.inputs.iter().flat_map(|input| means(&input.code)).collect();
                if means.len() == model.inputs() { Gaps::Means(means) } else { Gaps::Refused }
            }
        }
    }

    /// Rows without gaps, and which of them are answered by NaN.
    pub fn fill(&self, inputs: Inputs) -> (Inputs, Vec<usize>) {
        let Inputs::Dense(mut x) = inputs else { return (inputs, Vec::new()) };
        let mut skipped = Vec::new();
        let gap = |k: usize| x.col_as_slice(k).iter().any(|v| v.is_nan());
        if !matches!(self, Gaps::Refused) && (0..x.ncols()).any(gap) {
            for i in 0..x.nrows() {
                let before = skipped.len();
                for k in (0..x.ncols()).filter(|&k| x[(i, k)].is_nan()).collect::<Vec<_>>() {
                    match self {
                        Gaps::Means(means) if k < means.len() => x[(i, k)] = means[k],
                        // any number that every group has
                        _ => {
                            x[(i, k)] = 1.0;
                            skipped.truncate(before);
                            skipped.push(i);
                        }
                    }
                }
            }
        }
        (Inputs::Dense(x), skipped)
    }
}

/// Makes the answers of some rows, each of `width` numbers, NaN.
pub fn blank(answers: &mut [f64], width: usize, rows: &[usize]) {
    for i in rows {
        if let Some(row) = answers.get_mut(i * width..(i + 1) * width) {
            row.fill(f64::NAN);
        }
    }
}
