//! Classes: what the outputs of a model say of them.

use super::{Model, Query};
use crate::error::{Error, Result};
use crate::loss::Simplex;
use crate::rows::Inputs;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// What the names of classes stand for, for languages that have other types than text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labels {
    /// Words.
    #[default]
    Words,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Numbers,
    /// True and false.
    Truth,
}

impl Labels {
    /// What all of these names can stand for.
    pub fn of(names: &[String]) -> Self {
        let all = |is: fn(&str) -> bool| names.iter().all(|name| is(name));
        if all(|name| name.parse::<i64>().is_ok_and(|v| v.to_string() == name)) {
            Labels::Whole
        } else if all(|name| name.parse::<f64>().is_ok_and(f64::is_finite)) {
            Labels::Numbers
        } else {
            Labels::Words
        }
    }
}

/// How the outputs of a model stand for classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// T − 1 outputs: a point among the corners of a simplex.
    #[default]
    Simplex,
    /// T outputs: each says whether a row has its class, 1, or another, −1.
    OneVsRest,
}

impl Code {
    /// Number of outputs of T classes.
    pub fn outputs(self, classes: usize) -> usize {
        match self {
            Code::Simplex => classes.saturating_sub(1),
            Code::OneVsRest => classes,
        }
    }

    /// The outputs that stand for one of T classes.
    pub fn target(self, class: usize, classes: usize, out: &mut [f64]) {
        match self {
            Code::Simplex => {
                let mut one = vec![0.0; classes];
                one[class] = 1.0;
                Simplex::new(classes).combine(&one, out);
            }
            Code::OneVsRest => out.iter_mut().enumerate().for_each(|(t, o)| *o = if t == class { 1.0 } else { -1.0 }),
        }
    }

    /// The outputs (n×p) that stand for each of these, of T classes.
    pub fn targets(self, of: &[usize], classes: usize) -> Mat<f64> {
        let mut codes = Mat::zeros(of.len(), self.outputs(classes));
        let mut code = vec![0.0; codes.ncols()];
        for (i, &class) in of.iter().enumerate() {
            self.target(class, classes, &mut code);
            code.iter().enumerate().for_each(|(t, c)| codes[(i, t)] = *c);
        }
        codes
    }

    /// Scores of T classes from outputs f: ⟨c, f⟩, or f itself.
    pub fn scores(self, f: &[f64], scores: &mut [f64]) {
        match self {
            Code::Simplex => Simplex::new(scores.len()).scores(f, scores),
            Code::OneVsRest => scores.copy_from_slice(f),
        }
    }

    /// The class with the largest score; the first one of equals.
    pub fn decode(self, f: &[f64], classes: usize) -> usize {
        let mut scores = vec![0.0; classes];
        self.scores(f, &mut scores);
        (1..classes).fold(0, |best, c| if scores[c] > scores[best] { c } else { best })
    }
}

/// Classes that a model tells apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    /// Their names, in the order of the numbers they have among outputs.
    pub names: Vec<String>,
    /// What the names stand for.
    #[serde(default)]
    pub labels: Labels,
    /// Σw of the rows of each class that were learned from.
    pub weights: Vec<f64>,
    /// How outputs stand for them.
    #[serde(default)]
    pub code: Code,
    /// From scores to probabilities.
    pub calibration: Calibration,
}

impl Classes {
    /// The class with the largest score (n×T) of each row, the first of several.
    pub fn decide(scores: &Mat<f64>) -> Vec<usize> {
        let better =
            |i: usize| move |best: usize, k: usize| if scores[(i, k)] > scores[(i, best)] { k } else { best };
        (0..scores.nrows()).map(|i| (1..scores.ncols()).fold(0, better(i))).collect()
    }

    /// Whether they are those of so many outputs.
    pub(super) fn fits(&self, outputs: usize) -> bool {
        let Calibration { width, sharpness, .. } = self.calibration;
        let usable = |v: f64| v.is_finite() && v > 0.0;
        self.code.outputs(self.names.len()) == outputs && width.is_none_or(usable) && usable(sharpness)
    }
}

/// Probabilities from scores s: a point f that is the mean of codes with probabilities p has s = (Tp − 1)/(T − 1), so
/// q = (1 + (T − 1)s)/T is p where f is right. What noise and shrinkage did to it is undone by two numbers:
/// p ∝ (w log(1 + e^{q/w}))^a. As w → 0 and a = 1 this is q⁺; as w and a/w stay in proportion and grow it is the
/// softmax of scores. Losses other than the squared one have no such q: p ∝ e^{as}, without a width. The order of scores is
/// kept. \[calibration\]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// w > 0: how far below zero q still counts; none for the softmax of scores.
    pub width: Option<f64>,
    /// a > 0: above 1 the probabilities are further apart than q, or than those of the softmax.
    pub sharpness: f64,
    /// Number of rows that chose them, none of which was predicted by a model that had learned from it; 0 where the loss
    /// itself says what probabilities are.
    pub rows: usize,
}

impl Calibration {
    /// The softmax of the scores as they are: the probabilities of the logistic loss.
    pub const SOFTMAX: Calibration = Calibration { width: None, sharpness: 1.0, rows: 0 };

    /// log(w log(1 + e^{q/w})) of a score among T classes, without overflow or cancellation; or the score.
    pub fn log_share(&self, score: f64, classes: usize) -> f64 {
        let Some(width) = self.width else { return score };
        let t = classes as f64;
        let z = (1.0 + (t - 1.0) * score) / t / width;
        // log(1 + e^z) is e^z far below zero
        let log = if z < -30.0 { z } else { libm::log(z.max(0.0) + libm::log1p(libm::exp(-z.abs()))) };
        libm::log(width) + log
    }

    /// In words.
    pub fn how(&self) -> String {
        let Calibration { width, sharpness, rows } = self;
        match (width, rows) {
            (None, 0) => "probabilities: the softmax of the scores".into(),
            (None, _) => format!("probabilities: softmax calibrated on {rows} rows, sharpness {sharpness:.2}"),
            (Some(width), _) => {
                format!("probabilities: calibrated on {rows} rows, sharpness {sharpness:.2}, width {width:.3}")
            }
        }
    }

    /// Scores to probabilities, in place.
    pub fn apply(&self, scores: &mut [f64]) {
        let t = scores.len();
        scores.iter_mut().for_each(|s| *s = self.sharpness * self.log_share(*s, t));
        softmax(scores);
    }
}

/// eˣ/Σeˣ in place.
pub(crate) fn softmax(x: &mut [f64]) {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    x.iter_mut().for_each(|v| *v = libm::exp(*v - most));
    let sum: f64 = x.iter().sum();
    x.iter_mut().for_each(|v| *v /= sum);
}

impl Model {
    /// The classes of a model that tells them apart.
    pub fn classes(&self) -> Result<&Classes> {
        self.info.classes.as_ref().ok_or_else(|| {
            Error::refused("classes of this model", "its outputs are numbers; fit a model of classification")
        })
    }

    /// Scores of n rows and T classes (n×T): ⟨c, f(x)⟩, or f(x) where each output has a class. Cost n·M·(d + T).
    pub fn scores(&self, x: &Inputs, query: Query) -> Result<Mat<f64>> {
        let (code, classes) = (self.classes()?.code, self.classes()?.names.len());
        let f = self.predict(x, Query { std: false, cov: false, ..query })?.mean;
        let (n, mut row) = (f.nrows(), vec![0.0; classes]);
        let mut scores = Mat::zeros(n, classes);
        for i in 0..n {
            let f: Vec<f64> = f.row(i).iter().copied().collect();
            code.scores(&f, &mut row);
            row.iter().enumerate().for_each(|(k, s)| scores[(i, k)] = *s);
        }
        Ok(scores)
    }

    /// Probabilities of n rows and T classes (n×T) from their scores, each row with the sum 1.
    pub fn probabilities(&self, scores: &Mat<f64>) -> Result<Mat<f64>> {
        let calibration = self.classes()?.calibration;
        let mut out = Mat::zeros(scores.nrows(), scores.ncols());
        for i in 0..scores.nrows() {
            let mut row: Vec<f64> = scores.row(i).iter().copied().collect();
            calibration.apply(&mut row);
            row.into_iter().enumerate().for_each(|(k, p)| out[(i, k)] = p);
        }
        Ok(out)
    }
}
