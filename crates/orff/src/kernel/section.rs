//! A kernel at many pairs of points, and the scalar kernel inside one that is k(x,z)Γ.

use super::{Decomposable, Kernel, Matrix, Output};
use crate::error::{Error, Result};
use crate::linalg;
use faer::{Mat, MatRef};
use rayon::prelude::*;

impl Kernel {
    /// Number of outputs of a resolved kernel on d inputs.
    pub fn outputs(&self, d: usize) -> Result<usize> {
        let zero = vec![0.0; d];
        let k = self.eval(&zero, &zero)?;
        if k.nrows() != k.ncols() {
            return Err(Error::shape("kernel", "a square matrix", format!("{}×{}", k.nrows(), k.ncols())));
        }
        Ok(k.nrows())
    }

    /// The number of outputs that the kernel has by itself on d inputs; none where it has as many as one wants.
    pub fn own_outputs(&self, d: usize) -> Result<Option<usize>> {
        match self {
            Kernel::Decomposable(k) => Ok(match &k.output {
                Output::Given { matrix } => Some(matrix.mat().nrows()),
                Output::Laplacian { adjacency, .. } => Some(adjacency.mat().nrows()),
                Output::Identity | Output::Covariance | Output::Similarity { .. } => None,
            }),
            Kernel::CurlFree(_) | Kernel::DivFree(_) | Kernel::Helmholtz(_) => Ok(Some(d)),
            Kernel::Transformable(k) => Ok(Some(k.views.len())),
            Kernel::Listed(k) => Ok(Some(k.factors.mat().nrows() / k.omega.mat().nrows()).filter(|own| *own != 1)),
            Kernel::Sum(k) => same_outputs(&k.terms.iter().collect::<Vec<_>>(), d, "terms of a sum of kernels"),
            Kernel::Product(k) => same_outputs(&[&*k.left, &*k.right], d, "factors of a product of kernels"),
            Kernel::Scaled(k) => k.of.own_outputs(d),
            Kernel::Conjugated(k) => Ok(Some(k.by.mat().nrows())),
            Kernel::Precomposed(k) => k.of.own_outputs(k.by.mat().nrows()),
        }
    }

    /// (k, Γ) with K(x,z) = k(x,z)Γ and k a kernel of one output, for a resolved kernel that has this form.
    ///
    /// ```
    /// use orff::kernel::{Kernel, Matrix, Output};
    /// use orff::spectrum::Spectrum;
    /// let gamma = faer::mat![[2.0, 1.0], [1.0, 3.0]];
    /// let s = Spectrum::default().with_lengthscale(0.7.into());
    /// let k = 2.0 * Kernel::decomposable(s, Output::Given { matrix: Matrix::new(gamma, "output")? });
    /// let (scalar, gamma) = k.separated().unwrap();
    /// let (x, z) = ([0.1, 0.4], [0.3, -0.2]);
    /// assert_eq!(scalar.eval(&x, &z)?[(0, 0)] * gamma[(0, 1)], k.eval(&x, &z)?[(0, 1)]);
    /// # Ok::<(), orff::Error>(())
    /// ```
    pub fn separated(&self) -> Option<(Kernel, Mat<f64>)> {
        let (k, mut gamma) = match self {
            Kernel::Decomposable(Decomposable { spectrum, output: Output::Given { matrix } }) => {
                let matrix = matrix.mat().clone();
                let one = Matrix::new(Mat::identity(1, 1), "output").ok()?;
                (Kernel::decomposable(spectrum.clone(), Output::Given { matrix: one }), matrix)
            }
            Kernel::Scaled(s) => {
                let (k, gamma) = s.of.separated()?;
                (k.scaled(s.factor), gamma)
            }
            Kernel::Precomposed(c) => {
                let (k, gamma) = c.of.separated()?;
                (k.precomposed(c.by.clone()), gamma)
            }
            Kernel::Conjugated(c) => {
                let ((k, gamma), m) = (c.of.separated()?, c.by.mat());
                if m.ncols() != gamma.nrows() {
                    return None;
                }
                (k, m * gamma * m.transpose())
            }
            Kernel::Product(p) => {
                let ((k, a), (l, b)) = (p.left.separated()?, p.right.separated()?);
                if a.nrows() != b.nrows() {
                    return None;
                }
                (k * l, Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * b[(i, j)]))
            }
            Kernel::Sum(s) => {
                let mut terms = s.terms.iter().map(Kernel::separated);
                let (mut sum, gamma) = terms.next()??;
                for term in terms {
                    let (k, other) = term?;
                    if other != gamma {
                        return None;
                    }
                    sum = sum + k;
                }
                (sum, gamma)
            }
            Kernel::Listed(listed) => {
                let (scalar, p) = listed.scalar()?;
                (scalar.into(), Mat::identity(p, p))
            }
            _ => return None,
        };
        if gamma.nrows() != gamma.ncols() {
            return None;
        }
        linalg::mirror(gamma.as_mut());
        Some((k, gamma))
    }

    /// K(xᵢ, zⱼ) for the rows of x (n×d) and z (m×d) in chart coordinates: (n·p)×(m·p), entry (i·p+s, j·p+t) being
    /// K(xᵢ, zⱼ)ₛₜ. Cost n·m evaluations; each entry has the same bits whatever stands beside it.
    pub fn sections(&self, x: MatRef<f64>, z: MatRef<f64>) -> Result<Mat<f64>> {
        let d = z.ncols();
        if x.ncols() != d || d == 0 {
            return Err(Error::shape("points", format!("{d} coordinates"), x.ncols()));
        }
        let p = self.outputs(d)?;
        let mut out = Mat::zeros(x.nrows() * p, z.nrows() * p);
        if let Kernel::Decomposable(Decomposable { spectrum, output: Output::Given { matrix } }) = self
            && p == 1
        {
            let (sections, gamma) = (spectrum.sections(x)?, matrix.mat()[(0, 0)]);
            out.par_col_chunks_mut(1).enumerate().for_each(|(j, out)| {
                let column = out.col_mut(0).try_as_col_major_mut().expect("columns in one piece").as_slice_mut();
                sections(&z.row(j).iter().copied().collect::<Vec<_>>(), column);
                column.iter_mut().for_each(|k| *k *= gamma);
            });
            return Ok(out);
        }
        let rows = |m: MatRef<f64>| -> Vec<Vec<f64>> {
            (0..m.nrows()).map(|i| (0..d).map(|k| m[(i, k)]).collect()).collect()
        };
        let (x, z) = (rows(x), rows(z));
        let atoms = match self {
            Kernel::Listed(listed) => Some(listed.atoms()?),
            _ => None,
        };
        out.par_col_chunks_mut(p).zip(&z).try_for_each(|(mut out, z)| {
            for (i, x) in x.iter().enumerate() {
                let k = match &atoms {
                    Some(atoms) => atoms.eval(x, z)?,
                    None => self.eval(x, z)?,
                };
                (0..p).for_each(|t| (0..p).for_each(|s| out[(i * p + s, t)] = k[(s, t)]));
            }
            Ok(())
        })?;
        Ok(out)
    }
}

/// The one number of outputs that those kernels have that have one.
fn same_outputs(kernels: &[&Kernel], d: usize, what: &str) -> Result<Option<usize>> {
    let mut own = None;
    for kernel in kernels {
        match (own, kernel.own_outputs(d)?) {
            (Some(p), Some(q)) if p != q => return Err(Error::shape(what, format!("{p} outputs in each"), q)),
            (None, found) => own = found,
            _ => {}
        }
    }
    Ok(own)
}
