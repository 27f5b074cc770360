//! Moments of a data set: all that closed forms need to know of it. \[moments\]

use super::Characters;
use crate::error::{Error, Result};
use crate::linalg::{self, Real};
use crate::rows::Weights;
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Which entries of the outputs a part of the moments speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Key {
    /// The rows on which exactly these outputs were observed.
    Pattern(Vec<bool>),
    /// One output, with weights of its own.
    Output(usize),
}

/// Sums over the rows of one key; weights w multiply each term.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of rows.
    pub rows: f64,
    /// Σw.
    pub weight: f64,
    /// Σw c (M).
    pub sum_c: Vec<f64>,
    /// Σw y (p); zero where not observed.
    pub sum_y: Vec<f64>,
    /// Σw ccᵀ (M×M), lower triangle.
    pub cc: Mat<f64>,
    /// Σw cyᵀ (M×p).
    pub cy: Mat<f64>,
    /// Σw yyᵀ (p×p).
    pub yy: Mat<f64>,
}

/// Moments of a data set under a feature map: a commutative monoid. Rows are added, two are merged; the order changes
/// only the rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    characters: usize,
    outputs: usize,
    weight: f64,
    parts: BTreeMap<Key, Part>,
    by_output: bool,
    relative: bool,
}

impl Part {
    pub(crate) fn new(m: usize, p: usize) -> Self {
        Part {
            rows: 0.0,
            weight: 0.0,
            sum_c: vec![0.0; m],
            sum_y: vec![0.0; p],
            cc: Mat::zeros(m, m),
            cy: Mat::zeros(m, p),
            yy: Mat::zeros(p, p),
        }
    }

    /// Adds rows: c (n×M) and y (n×p), each row already multiplied by √w; `root` holds the √w.
    pub(crate) fn add<T: Real>(&mut self, c: MatRef<T>, y: MatRef<f64>, root: &[f64]) {
        self.add_sums(c, y, root);
        linalg::rank_update(self.cc.as_mut(), c);
    }

    /// Adds the rows of a block, which count alike: products among characters in fixed point where they are there in it.
    fn add_block<T: Real>(&mut self, c: &Characters<T>, y: MatRef<f64>) {
        let ones = vec![1.0; y.nrows()];
        match c.in_fixed_point() {
            Some(fixed) => {
                let before = self.sum_c.clone();
                self.add_sums(c.as_mat(), y, &ones);
                let sums: Vec<f64> = self.sum_c.iter().zip(before).map(|(after, before)| after - before).collect();
                fixed.rank_update(self.cc.as_mut(), &sums);
            }
            None => self.add(c.as_mat(), y, &ones),
        }
    }

    /// Adds all of them but for the products of characters among themselves.
    fn add_sums<T: Real>(&mut self, c: MatRef<T>, y: MatRef<f64>, root: &[f64]) {
        self.rows += c.nrows() as f64;
        self.weight += root.iter().map(|r| r * r).sum::<f64>();
        // the outputs and √w side by side: the characters are read once
        let columns: Vec<&[f64]> = (0..y.ncols()).map(|t| linalg::column(y, t)).chain([root]).collect();
        linalg::add_columns(into(&mut self.cy, &mut self.sum_c), c, &columns);
        linalg::add_columns(into(&mut self.yy, &mut self.sum_y), y, &columns);
    }

    pub(crate) fn merge(&mut self, other: &Part) {
        self.rows += other.rows;
        self.weight += other.weight;
        self.sum_c.iter_mut().zip(&other.sum_c).for_each(|(a, b)| *a += b);
        self.sum_y.iter_mut().zip(&other.sum_y).for_each(|(a, b)| *a += b);
        self.cc += &other.cc;
        self.cy += &other.cy;
        self.yy += &other.yy;
    }

    /// What the part says of output t alone.
    fn only(&self, t: usize) -> Part {
        let keep = |m: &Mat<f64>, rows: bool| {
            Mat::from_fn(m.nrows(), m.ncols(), |i, k| if k == t && (!rows || i == t) { m[(i, k)] } else { 0.0 })
        };
        let mut sum_y = vec![0.0; self.sum_y.len()];
        sum_y[t] = self.sum_y[t];
        Part { sum_y, cy: keep(&self.cy, false), yy: keep(&self.yy, true), ..self.clone() }
    }
}

/// The columns of sums with each output, and of those with the roots of the weights.
fn into<'a>(sums: &'a mut Mat<f64>, total: &'a mut Vec<f64>) -> Vec<&'a mut [f64]> {
    linalg::columns_mut(sums.as_mut()).chain([total.as_mut_slice()]).collect()
}

impl Moments {
    /// Of no rows, for M characters and p outputs.
    pub fn new(characters: usize, outputs: usize) -> Self {
        Moments { characters, outputs, weight: 0.0, parts: BTreeMap::new(), by_output: false, relative: false }
    }

    /// Moments from stored parts, their [`weight`](Self::weight) and whether it is [`relative`](Self::relative).
    pub fn from_parts(
        characters: usize,
        outputs: usize,
        weight: f64,
        relative: bool,
        parts: BTreeMap<Key, Part>,
    ) -> Self {
        let by_output = parts.keys().any(|k| matches!(k, Key::Output(_)));
        Moments { characters, outputs, weight, parts, by_output, relative }
    }

    /// Whether weights are precisions 1/σ² of entries, of which only the ratios mean anything, rather than repetitions
    /// of rows.
    pub fn relative(&self) -> bool {
        self.relative
    }

    /// n of the mean loss: the weight of all rows on which some output was observed. A row with weights of its own for
    /// each output counts their mean over the observed ones, so that equal ones are a weight of the row.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The parts by key.
    pub fn parts(&self) -> &BTreeMap<Key, Part> {
        &self.parts
    }

    /// Number of characters M.
    pub fn characters(&self) -> usize {
        self.characters
    }

    /// Number of outputs p.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The one part, when every row has every output and one weight.
    pub fn complete(&self) -> Option<&Part> {
        let mut parts = self.parts.iter();
        match (parts.next(), parts.next()) {
            (Some((Key::Pattern(seen), part)), None) if seen.iter().all(|s| *s) => Some(part),
            _ => None,
        }
    }

    /// That part, or the moments as they were.
    pub fn into_complete(mut self) -> std::result::Result<Part, Self> {
        if self.complete().is_none() {
            return Err(self);
        }
        self.parts.pop_first().map(|(_, part)| part).ok_or(self)
    }

    /// What all parts together say of output t.
    pub fn output(&self, t: usize) -> Part {
        let mut sum = Part::new(self.characters, self.outputs);
        for (key, part) in &self.parts {
            match key {
                Key::Pattern(seen) if seen[t] => sum.merge(&part.only(t)),
                Key::Output(k) if *k == t => sum.merge(part),
                _ => {}
            }
        }
        sum
    }

    /// Adds a block of rows: characters (n×M), outputs (n×p, NaN where not observed), weights.
    /// Cost n·M² per key of the block: one key when nothing is missing, never more than p kept.
    pub fn add<T: Real>(&mut self, c: &Characters<T>, y: MatRef<f64>, weights: Option<&Weights>) -> Result<()> {
        let (rows, columns) = c.as_mat().shape();
        if columns != self.characters || y.ncols() != self.outputs || rows != y.nrows() {
            return Err(Error::shape(
                "block of rows",
                format!("{} characters and {} outputs", self.characters, self.outputs),
                format!("{columns} and {}", y.ncols()),
            ));
        }
        if y.row_stride() != 1 {
            return self.add(c, linalg::copied(y).as_ref(), weights);
        }
        self.check(y, weights)?;
        let all = Key::Pattern(vec![true; self.outputs]);
        let alone = self.parts.is_empty() || self.parts.len() == 1 && self.parts.contains_key(&all);
        if weights.is_none() && alone && !self.by_output && linalg::find(y, |v| !v.is_finite()).is_none() {
            self.add_whole(all, c, y);
            return Ok(());
        }
        self.relative |= matches!(weights, Some(Weights::Entry(_)));
        let weight = |i: usize, t: usize| match weights {
            None => 1.0,
            Some(Weights::Row(w)) => w[i],
            Some(Weights::Entry(w)) => w[(i, t)],
        };
        let seen = |i: usize| (0..self.outputs).map(|t| y[(i, t)].is_finite() && weight(i, t) > 0.0).collect();
        let rows: Vec<Vec<bool>> = (0..y.nrows()).map(seen).collect();
        // before the sums: a part for every pattern of a block could take a thousand times the memory of the rest
        if !self.by_output {
            let mut keys: BTreeSet<Key> = self.parts.keys().cloned().collect();
            keys.extend(rows.iter().filter(|seen| seen.contains(&true)).cloned().map(Key::Pattern));
            if matches!(weights, Some(Weights::Entry(_))) || keys.len() > self.outputs.max(1) {
                self.split_by_output();
            }
        }
        let mut groups: BTreeMap<Key, Vec<(usize, f64)>> = BTreeMap::new();
        for (i, seen) in rows.into_iter().enumerate() {
            let weight = |t: usize| weight(i, t);
            let observed = seen.iter().filter(|s| **s).count();
            if observed == 0 {
                continue;
            }
            if self.by_output {
                let mut sum = 0.0;
                for t in (0..self.outputs).filter(|&t| seen[t]) {
                    groups.entry(Key::Output(t)).or_default().push((i, weight(t)));
                    sum += weight(t);
                }
                self.weight += sum / observed as f64;
            } else {
                groups.entry(Key::Pattern(seen)).or_default().push((i, weight(0)));
                self.weight += weight(0);
            }
        }
        for (key, rows) in groups {
            self.add_group(&key, &rows, c, y);
        }
        Ok(())
    }

    /// Adds rows that all have every output and count alike: what they come to by the way of all others, without copies.
    fn add_whole<T: Real>(&mut self, key: Key, c: &Characters<T>, y: MatRef<f64>) {
        let (m, p, n) = (self.characters, self.outputs, y.nrows());
        if n == 0 || p == 0 {
            return;
        }
        self.weight += n as f64;
        self.parts.entry(key).or_insert_with(|| Part::new(m, p)).add_block(c, y);
    }

    /// Refuses what would otherwise pass for a missing output or a row that does not count.
    fn check(&self, y: MatRef<f64>, weights: Option<&Weights>) -> Result<()> {
        let (n, p) = (y.nrows(), y.ncols());
        let sizes = match weights {
            None => (n, p),
            Some(Weights::Row(w)) => (w.len(), p),
            Some(Weights::Entry(w)) => (w.nrows(), w.ncols()),
        };
        if sizes != (n, p) {
            return Err(Error::shape(
                "weights",
                format!("{n} rows, {p} outputs"),
                format!("{} and {}", sizes.0, sizes.1),
            ));
        }
        let bad = |w: &f64| !(w.is_finite() && *w >= 0.0);
        let weight = match weights {
            None => None,
            Some(Weights::Row(w)) => w.iter().copied().find(bad),
            // a weight of what was not observed is not looked at
            Some(Weights::Entry(w)) => {
                (0..p).find_map(|t| (0..n).filter(|&i| !y[(i, t)].is_nan()).map(|i| w[(i, t)]).find(bad))
            }
        };
        if let Some(weight) = weight {
            return Err(Error::parameter("weights", "finite numbers ≥ 0", weight));
        }
        match linalg::find(y, f64::is_infinite) {
            Some(at) => Err(Error::parameter("outputs", "finite numbers, or NaN where not observed", y[at])),
            None => Ok(()),
        }
    }

    fn add_group<T: Real>(&mut self, key: &Key, rows: &[(usize, f64)], c: &Characters<T>, y: MatRef<f64>) {
        let (m, p) = (self.characters, self.outputs);
        let seen = |t: usize| match key {
            Key::Pattern(seen) => seen[t],
            Key::Output(k) => *k == t,
        };
        let root: Vec<f64> = rows.iter().map(|(_, w)| w.sqrt()).collect();
        let part = self.parts.entry(key.clone()).or_insert_with(|| Part::new(m, p));
        let y = Mat::from_fn(rows.len(), p, |i, t| if seen(t) { root[i] * y[(rows[i].0, t)] } else { 0.0 });
        if rows.len() == c.as_mat().nrows() && root.iter().all(|r| *r == 1.0) {
            return part.add_block(c, y.as_ref());
        }
        let c = c.as_mat();
        let c = Mat::from_fn(rows.len(), m, |i, k| T::of(root[i] * c[(rows[i].0, k)].into()));
        part.add(c.as_ref(), y.as_ref(), &root);
    }

    /// Rewrites patterns as outputs: with many patterns, p parts are fewer.
    fn split_by_output(&mut self) {
        let mut parts: BTreeMap<Key, Part> = BTreeMap::new();
        for t in 0..self.outputs {
            let part = self.output(t);
            if part.weight > 0.0 {
                parts.insert(Key::Output(t), part);
            }
        }
        self.parts = parts;
        self.by_output = true;
    }

    /// Adds another data set's moments under the same feature map.
    pub fn merge(&mut self, other: &Moments) -> Result<()> {
        if (self.characters, self.outputs) != (other.characters, other.outputs) {
            return Err(Error::shape(
                "moments",
                format!("{} characters and {} outputs", self.characters, self.outputs),
                format!("{} and {}", other.characters, other.outputs),
            ));
        }
        self.weight += other.weight;
        self.relative |= other.relative;
        // only what is kept in another form is copied
        let mut other = Cow::Borrowed(other);
        if self.by_output != other.by_output {
            self.split_by_output();
            other.to_mut().split_by_output();
        }
        for (key, part) in &other.parts {
            match self.parts.get_mut(key) {
                Some(mine) => mine.merge(part),
                None => {
                    self.parts.insert(key.clone(), part.clone());
                }
            }
        }
        if !self.by_output && self.parts.len() > self.outputs.max(1) {
            self.split_by_output();
        }
        Ok(())
    }
}
