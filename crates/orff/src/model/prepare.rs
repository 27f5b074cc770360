//! From the user's inputs to the coordinates of the kernel: views, chart of the group, centre and scale.

use crate::archive::Reader;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::kernel::Matrix;
use crate::linalg;
use crate::rows::{Csr, Inputs};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// u = (χ(ψ(x)) − centre)/scale. The scale comes after the chart, so that it means a lengthscale on every group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// Number of inputs d of the user.
    pub inputs: usize,
    /// Views ψᵢ (d′×d) of a transformable kernel; each row of data becomes one row per view. Empty otherwise.
    pub views: Vec<Matrix>,
    /// The group and its chart.
    pub group: Group,
    /// Subtracted after the chart (d′).
    pub centre: Vec<f64>,
    /// Divides after that (d′).
    pub scale: Vec<f64>,
}

impl Preparation {
    /// Only checks: no view, additive group, no scaling.
    pub fn plain(d: usize) -> Self {
        Preparation {
            inputs: d,
            views: Vec::new(),
            group: Group::Additive,
            centre: vec![0.0; d],
            scale: vec![1.0; d],
        }
    }

    /// Refuses what a file says when its parts do not agree.
    pub(crate) fn check(&self, file: &Reader) -> Result<()> {
        let d = self.centre.len();
        let consistent = self.scale.len() == d
            && d > 0
            && self.inputs > 0
            && self.scale.iter().all(|s| s.is_finite() && *s > 0.0)
            && self.group.check(self.inputs).is_ok()
            && self.views.iter().all(|v| v.mat().nrows() == d && v.mat().ncols() == self.inputs)
            && (!self.views.is_empty() || self.inputs == d);
        if consistent {
            return Ok(());
        }
        Err(file.damaged("its preparation of inputs contradicts itself; fit again or restore a copy"))
    }

    /// Rows of the scalar problem per row of data.
    pub fn expansion(&self) -> usize {
        self.views.len().max(1)
    }

    /// The rows after views and chart, before centre and scale; `first_row` numbers rows in errors from 1.
    pub fn chart(&self, inputs: &Inputs, first_row: usize) -> Result<Inputs> {
        if inputs.ncols() != self.inputs {
            return Err(Error::shape("inputs", format!("{} columns", self.inputs), inputs.ncols()));
        }
        if let Some(i) = self.views.iter().position(|view| view.mat().ncols() != self.inputs) {
            let given = self.views[i].mat().ncols();
            return Err(Error::shape(
                format!("view {}", i + 1),
                format!("{} columns, one per input", self.inputs),
                given,
            ));
        }
        finite(inputs, first_row)?;
        match inputs {
            Inputs::Dense(x) => {
                let mut x = if self.views.is_empty() { linalg::copied(x.as_ref()) } else { self.look(x) };
                self.group.chart_rows(&mut x, 0).map_err(|e| self.name_row(e, first_row))?;
                Ok(Inputs::Dense(x))
            }
            Inputs::Sparse(_) if !self.group.is_additive() || !self.views.is_empty() => Err(Error::refused(
                "sparse inputs on a group that is not additive, or with views",
                "zeros would not stay zeros; give dense rows",
            )),
            sparse => Ok(sparse.clone()),
        }
    }

    /// A row of the scalar problem, numbered from 0, as the user's row.
    fn name_row(&self, error: Error, first_row: usize) -> Error {
        match error {
            Error::Value { row, column, value, problem } => {
                let view = row % self.expansion() + 1;
                let column = if self.views.is_empty() { column } else { format!("{column} of view {view}") };
                Error::Value { row: first_row + row / self.expansion(), column, value, problem }
            }
            other => other,
        }
    }

    fn look(&self, x: &Mat<f64>) -> Mat<f64> {
        let seen: Vec<Mat<f64>> = self.views.iter().map(|t| x * t.mat().transpose()).collect();
        let v = seen.len();
        Mat::from_fn(x.nrows() * v, seen[0].ncols(), |i, k| seen[i % v][(i / v, k)])
    }

    /// u of each row. Sparse rows stay sparse where nothing is subtracted, as in what was learned from sparse rows; a model
    /// of dense rows takes them in full.
    pub fn prepare(&self, inputs: &Inputs, first_row: usize) -> Result<Inputs> {
        let charted = match self.chart(inputs, first_row)? {
            Inputs::Sparse(x) if self.centre.iter().any(|c| *c != 0.0) => Inputs::Dense(Inputs::Sparse(x).to_dense()),
            charted => charted,
        };
        match charted {
            Inputs::Dense(mut x) => {
                for k in 0..x.ncols() {
                    let (centre, scale) = (self.centre[k], self.scale[k]);
                    linalg::column_mut(x.as_mut(), k).iter_mut().for_each(|v| *v = (*v - centre) / scale);
                }
                Ok(Inputs::Dense(x))
            }
            Inputs::Sparse(x) => {
                let values = x.columns.iter().zip(&x.values).map(|(&k, v)| v / self.scale[k as usize]).collect();
                Ok(Inputs::Sparse(Csr { values, ..x }))
            }
        }
    }

    /// Points of the kernel's coordinates (n×d) in the user's: the inverse of [`prepare`](Self::prepare) without views.
    ///
    /// ```
    /// use orff::model::Preparation;
    /// use orff::rows::Inputs;
    /// let by = Preparation { centre: vec![1.0, -2.0], scale: vec![0.5, 4.0], ..Preparation::plain(2) };
    /// let x = faer::mat![[0.25, 8.0], [3.0, -1.0]];
    /// let Inputs::Dense(u) = by.prepare(&Inputs::Dense(x.clone()), 1)? else { unreachable!() };
    /// assert_eq!(by.restored(&u)?, x);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn restored(&self, u: &Mat<f64>) -> Result<Mat<f64>> {
        if !self.views.is_empty() {
            return Err(Error::refused(
                "points of views in the units of the inputs",
                "a view may forget some of them",
            ));
        }
        let mut x = Mat::from_fn(u.nrows(), u.ncols(), |i, k| self.centre[k] + self.scale[k] * u[(i, k)]);
        self.group.restore_rows(&mut x);
        Ok(x)
    }

    /// The user's outputs as the outputs of the scalar problem (views one below the other), or as they are.
    pub fn expand_outputs(&self, y: Mat<f64>) -> Result<Mat<f64>> {
        let v = self.views.len();
        if v == 0 {
            return Ok(y);
        }
        if y.ncols() != v {
            return Err(Error::shape("views", format!("{}, one per output", y.ncols()), v));
        }
        Ok(Mat::from_fn(y.nrows() * v, 1, |i, _| y[(i / v, i % v)]))
    }
}

fn finite(inputs: &Inputs, first_row: usize) -> Result<()> {
    let value = |row: usize, column: usize, value: f64, problem: String| {
        let column = (column + 1).to_string();
        Err(Error::Value { row: first_row + row, column, value: value.to_string(), problem })
    };
    let bad = |row: usize, column: usize, v: f64| {
        value(row, column, v, "is not a finite number; drop such rows or fill them in".into())
    };
    match inputs {
        Inputs::Dense(x) => {
            if let Some((i, k)) = linalg::find(x.as_ref(), |v| !v.is_finite()) {
                return bad(i, k, x[(i, k)]);
            }
        }
        Inputs::Sparse(x) => {
            for i in 0..x.nrows() {
                if let Some((k, v)) = x.row(i).find(|(_, v)| !v.is_finite()) {
                    return bad(i, k, v);
                }
                if let Some((k, v)) = x.row(i).find(|(k, _)| *k >= x.width) {
                    return value(i, k, v, format!("is outside the {} columns of the sparse rows", x.width));
                }
            }
        }
    }
    Ok(())
}
