//! Γ: how the outputs of a decomposable kernel are coupled.

use super::{Matrix, reading};
use crate::error::{Error, Result};
use crate::linalg;
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// The p×p output operator Γ of a decomposable kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Output {
    /// Γ = I: the outputs share a kernel and nothing else.
    #[default]
    Identity,
    /// A given symmetric positive semi-definite matrix.
    Given {
        #[serde(deserialize_with = "reading::given")]
        matrix: Matrix,
    },
    /// The empirical covariance of the outputs.
    Covariance,
    /// Pseudo-inverse of the Laplacian of a graph between the outputs, given by its adjacency; with ε > 0 it is
    /// (L + εI)⁻¹, which does not force the outputs to sum to zero.
    Laplacian {
        #[serde(deserialize_with = "reading::adjacency")]
        adjacency: Matrix,
        #[serde(default, deserialize_with = "reading::epsilon")]
        epsilon: f64,
    },
    /// From the similarities exp(−γ‖yᵏ − yˡ‖) of the outputs on the training rows (‖·‖ is the root mean square over
    /// the rows where both are known): their inverse, or with ε the (Laplacian + εI)⁻¹ of the graph they weigh.
    Similarity {
        #[serde(deserialize_with = "reading::gamma")]
        gamma: f64,
        #[serde(default, deserialize_with = "reading::epsilon")]
        epsilon: Option<f64>,
    },
}

impl Output {
    /// Refuses what no data can make right.
    pub fn check(&self) -> Result<()> {
        match self {
            Output::Identity | Output::Covariance => Ok(()),
            Output::Given { matrix } => linalg::psd_factor(matrix.mat().as_ref(), "output").map(drop),
            Output::Laplacian { adjacency, epsilon } => check_graph(adjacency.mat(), *epsilon),
            Output::Similarity { gamma, epsilon } => {
                at_least_zero("gamma", *gamma)?;
                epsilon.map_or(Ok(()), |epsilon| at_least_zero("epsilon", epsilon))
            }
        }
    }

    /// Γ for p outputs, from a sample of them (rows×p, NaN where not observed) when it depends on the data.
    pub fn resolve(&self, p: usize, sample: Option<MatRef<f64>>) -> Result<Mat<f64>> {
        self.imputed(p, sample, &vec![0.0; p])
    }

    /// Whether Γ depends on the outputs of the training rows.
    pub fn learned(&self) -> bool {
        matches!(self, Output::Covariance | Output::Similarity { .. })
    }

    /// The same from a sample of expected outputs, when each output varies about them by itself, with these variances.
    pub fn imputed(&self, p: usize, sample: Option<MatRef<f64>>, apart: &[f64]) -> Result<Mat<f64>> {
        let sample = |name: &str| {
            sample.ok_or_else(|| Error::Data(format!("output {name}: needs training outputs to be computed from")))
        };
        let gamma = match self {
            Output::Identity => return Ok(Mat::identity(p, p)),
            Output::Given { matrix } => matrix.mat().clone(),
            Output::Covariance => {
                let mut covariance = covariance(sample("covariance")?);
                apart.iter().take(covariance.nrows()).enumerate().for_each(|(t, v)| covariance[(t, t)] += v);
                covariance
            }
            Output::Laplacian { adjacency, epsilon } => inverse_laplacian(adjacency.mat(), *epsilon)?,
            Output::Similarity { gamma, epsilon } => {
                at_least_zero("gamma", *gamma)?;
                let w = similarities(sample("similarity")?, *gamma, apart);
                match epsilon {
                    Some(epsilon) => inverse_laplacian(&w, *epsilon)?,
                    None => linalg::pseudo_inverse_psd(w.as_ref(), "task similarities")?,
                }
            }
        };
        if gamma.nrows() != p || gamma.ncols() != p {
            let given = format!("{}×{}", gamma.nrows(), gamma.ncols());
            return Err(Error::shape("output matrix", format!("{p}×{p}, one row and column per output"), given));
        }
        Ok(gamma)
    }
}

/// Covariance over the rows where both outputs are known, made positive semi-definite by dropping negative
/// eigenvalues (they only arise when rows are missing). Cost rows·p².
fn covariance(y: MatRef<f64>) -> Mat<f64> {
    let p = y.ncols();
    let mean = |k: usize, l: usize| {
        let (mut n, mut sum) = (0.0, 0.0);
        for i in 0..y.nrows() {
            if y[(i, k)].is_finite() && y[(i, l)].is_finite() {
                n += 1.0;
                sum += y[(i, k)];
            }
        }
        if n > 0.0 { sum / n } else { 0.0 }
    };
    let mut cov = Mat::zeros(p, p);
    for k in 0..p {
        for l in 0..=k {
            let (mk, ml) = (mean(k, l), mean(l, k));
            let (mut n, mut sum) = (0.0, 0.0);
            for i in 0..y.nrows() {
                let v = (y[(i, k)] - mk) * (y[(i, l)] - ml);
                if v.is_finite() {
                    n += 1.0;
                    sum += v;
                }
            }
            cov[(k, l)] = if n > 0.0 { sum / n } else { 0.0 };
            cov[(l, k)] = cov[(k, l)];
        }
    }
    match linalg::eigen(cov.as_ref()) {
        Ok(e) if e.values.iter().any(|&v| v < 0.0) => {
            let kept = Mat::from_fn(p, p, |i, k| e.vectors[(i, k)] * e.values[k].max(0.0));
            &kept * e.vectors.transpose()
        }
        _ => cov,
    }
}

fn similarities(y: MatRef<f64>, gamma: f64, apart: &[f64]) -> Mat<f64> {
    let p = y.ncols();
    Mat::from_fn(p, p, |k, l| {
        let (mut n, mut sum) = (0.0, 0.0);
        for i in 0..y.nrows() {
            let gap = y[(i, k)] - y[(i, l)];
            if gap.is_finite() {
                n += 1.0;
                sum += gap * gap;
            }
        }
        let more = if k == l { 0.0 } else { apart.get(k).unwrap_or(&0.0) + apart.get(l).unwrap_or(&0.0) };
        if n > 0.0 { libm::exp(-gamma * (sum / n + more).sqrt()) } else { 0.0 }
    })
}

fn at_least_zero(name: &str, value: f64) -> Result<()> {
    let right = value.is_finite() && value >= 0.0;
    if right { Ok(()) } else { Err(Error::parameter(name, reading::AT_LEAST_ZERO, value)) }
}

fn check_graph(adjacency: &Mat<f64>, epsilon: f64) -> Result<()> {
    let p = adjacency.nrows();
    if adjacency.ncols() != p {
        return Err(Error::shape("adjacency", "a square matrix", format!("{p}×{}", adjacency.ncols())));
    }
    at_least_zero("epsilon", epsilon)?;
    for i in 0..p {
        for j in 0..p {
            let w = adjacency[(i, j)];
            if w < 0.0 || (w - adjacency[(j, i)]).abs() > 1e-12 * w.abs().max(1.0) {
                return Err(Error::parameter(
                    "adjacency",
                    "symmetric weights ≥ 0",
                    format!("{w} at row {}, column {}", i + 1, j + 1),
                ));
            }
        }
    }
    Ok(())
}

fn inverse_laplacian(adjacency: &Mat<f64>, epsilon: f64) -> Result<Mat<f64>> {
    check_graph(adjacency, epsilon)?;
    let p = adjacency.nrows();
    let mut l = Mat::from_fn(p, p, |i, j| if i == j { epsilon } else { -adjacency[(i, j)] });
    for i in 0..p {
        l[(i, i)] += (0..p).filter(|&j| j != i).map(|j| adjacency[(i, j)]).sum::<f64>();
    }
    linalg::pseudo_inverse_psd(l.as_ref(), "graph Laplacian")
}
