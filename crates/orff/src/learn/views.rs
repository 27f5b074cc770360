//! Several views of a row: groups of inputs, each with features and a graph of its own, and their weighted sum as the
//! answer (M16 eq. 67, C f = Σᵥ aᵥfᵥ). \[semi-supervised\]

use super::Regression;
use super::graph::Graphing;
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters, FeatureMap};
use crate::graph::{Laplacian, Points};
use crate::kernel::{Atoms, Kernel};
use crate::linalg;
use crate::params::Form;
use crate::rows::{Inputs, WIDEST};
use crate::spectrum::Omega;
use crate::watch::Watch;
use faer::Mat;

/// The inputs of each view and its weight aᵥ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Views {
    pub columns: Vec<Vec<usize>>,
    pub weights: Vec<f64>,
}

/// Groups of inputs by their positions.
pub(super) const VIEWS: Form = Form {
    name: "GROUPS",
    expected: "two or more groups of inputs by their positions, such as \"1-3; 4,6\"",
    words: &[],
    fits: |text| groups(text).is_some(),
    wrong: &["1-3", "1-3;", "0; 1", "2-1; 3", "a; b"],
    optional: true,
};

/// A weight for each view.
pub(super) const COMBINATION: Form = Form {
    name: "X,…",
    expected: "two or more numbers other than 0, one per view, such as \"0.5, 0.5\"",
    words: &[],
    fits: |text| numbers(text).is_some(),
    wrong: &["half", "0.5,", "0.5, 0", "0.5, inf", "0.5; 0.5"],
    optional: true,
};

/// Positions from 0, of two groups at least.
fn groups(text: &str) -> Option<Vec<Vec<usize>>> {
    let group = |text: &str| -> Option<Vec<usize>> {
        let mut columns = Vec::new();
        for item in text.split(',').map(str::trim) {
            let (from, to) = item.split_once('-').unwrap_or((item, item));
            let place = |s: &str| s.trim().parse::<usize>().ok().filter(|k| (1..=WIDEST).contains(k));
            columns.extend(place(from)? - 1..place(to)?);
        }
        columns.sort_unstable();
        columns.dedup();
        (!columns.is_empty()).then_some(columns)
    };
    text.split(';').map(group).collect::<Option<Vec<_>>>().filter(|groups| groups.len() >= 2)
}

/// A weight for each of two views at least.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let number = |w: &str| w.trim().parse().ok().filter(|w: &f64| w.is_finite() && *w != 0.0);
    text.split(',').map(number).collect::<Option<Vec<_>>>().filter(|numbers| numbers.len() >= 2)
}

impl Views {
    /// From texts: groups of positions such as `1-3; 4,6`, and as many weights; every view counts alike without them.
    pub fn read(views: &str, weights: Option<&str>, d: usize) -> Result<Self> {
        let within = |groups: &Vec<Vec<usize>>| groups.iter().flatten().all(|k| *k < d);
        let columns = groups(views).filter(within).ok_or_else(|| {
            let expected = format!("two or more groups of inputs from 1 to {d}, such as \"1-3; 4,6\"");
            Error::parameter("views", expected, format!("{views:?}"))
        })?;
        let count = columns.len();
        let weights = match weights {
            None => vec![1.0 / count as f64; count],
            Some(text) => numbers(text).filter(|w| w.len() == count).ok_or_else(|| {
                let expected = format!("{count} numbers other than 0, one per view, such as \"0.5, 0.5\"");
                Error::parameter("combination", expected, format!("{text:?}"))
            })?,
        };
        Ok(Views { columns, weights })
    }

    /// A map whose atoms look at one view each, the weights of the views in theirs: Φ(x)ᵀθ = Σᵥ aᵥfᵥ.
    pub fn draw(&self, learner: &Regression, kernel: &Kernel, d: usize, features: usize) -> Result<FeatureMap> {
        if kernel.separated().is_none() {
            return Err(Error::refused("views with a field", "their components are those of all inputs"));
        }
        let share = (features / self.columns.len()).max(2) / 2 * 2;
        let (mut blocks, mut phases, mut kind) = (Vec::new(), Vec::new(), Default::default());
        for (v, (columns, weight)) in self.columns.iter().zip(&self.weights).enumerate() {
            let own = Regression { seed: learner.seed.wrapping_add(v as u64), ..learner.clone() };
            let map = own.draw_map(kernel, columns.len(), share)?;
            kind = map.kind();
            for (b, block) in map.atoms().blocks.iter().enumerate() {
                let own = block.omega.to_dense(); // D×dᵥ
                let mut omega = Mat::zeros(own.nrows(), d);
                for (k, &column) in columns.iter().enumerate() {
                    (0..own.nrows()).for_each(|j| omega[(j, column)] = own[(j, k)]);
                }
                let mut block = block.clone();
                block.omega = Omega::Dense(omega);
                block.weight.iter_mut().for_each(|a| *a *= weight * weight);
                blocks.push(block);
                if !map.phases(b).is_empty() {
                    phases.push(map.phases(b).to_vec());
                }
            }
        }
        Ok(FeatureMap::from_parts(Atoms { blocks }, kind, phases))
    }

    /// The view of each character of a map that was drawn here: that of the inputs its frequency looks at.
    fn of_characters(&self, map: &FeatureMap) -> Vec<usize> {
        let mut views = Vec::new();
        let per_view = map.characters() / self.columns.len();
        (0..map.characters()).for_each(|m| views.push((m / per_view).min(self.columns.len() - 1)));
        views
    }

    /// Σᵥ⟨fᵥ, Lᵥ^c fᵥ⟩ + agreement·Σ_{v<w}Σᵢ‖fᵥ(xᵢ) − f_w(xᵢ)‖² as a moment of the characters (M×M): what is learned is
    /// aᵥfᵥ, so that entries are divided by the weights of their views.
    pub fn penalty(
        &self,
        (graphing, power): (&Graphing, u32),
        points: &Points,
        graphs: &[Laplacian],
        agreement: f64,
        map: &FeatureMap,
        watch: &mut dyn Watch,
    ) -> Result<Mat<f64>> {
        let (m, views) = (map.characters(), self.of_characters(map));
        let fill = |x: &Inputs, c: &mut Characters| {
            map.fill(x, c);
            Ok(())
        };
        let mut second = Mat::zeros(m, m);
        let mut characters = Characters::new(m);
        for from in (0..points.count()).step_by(BLOCK_ROWS) {
            let to = (from + BLOCK_ROWS).min(points.count());
            map.fill(&points.slice(from, to), &mut characters);
            linalg::rank_update(second.as_mut(), characters.as_mat());
            watch.advance((to - from) as u64)?;
        }
        linalg::mirror(second.as_mut());
        let others = self.columns.len() as f64 - 1.0;
        let scale = |i: usize, j: usize| 1.0 / (self.weights[views[i]] * self.weights[views[j]]);
        let mut out = Mat::from_fn(m, m, |i, j| {
            agreement * scale(i, j) * second[(i, j)] * if views[i] == views[j] { others } else { -1.0 }
        });
        for v in 0..self.columns.len() {
            // a graph that was given is that of every view
            let moment = graphing.moment(points, &graphs[v.min(graphs.len() - 1)], power).of(m, &fill, watch)?;
            for j in (0..m).filter(|&j| views[j] == v) {
                (0..m).filter(|&i| views[i] == v).for_each(|i| out[(i, j)] += scale(i, j) * moment[(i, j)]);
            }
        }
        Ok(out)
    }
}
