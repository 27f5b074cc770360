//! The Laplacian moment Σᵢⱼ [L^c]ᵢⱼ c(xᵢ)c(xⱼ)ᵀ of characters. \[laplacian\]

use super::{Laplacian, Points};
use crate::error::{Error, Result};
use crate::feature::{BLOCK_ROWS, Characters};
use crate::linalg;
use crate::rows::Inputs;
use crate::watch::Watch;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// Columns of a product done by one task.
const PIECE: usize = 192;

/// What is asked of a graph: a power of its Laplacian on its rows, within some memory.
pub struct Moment<'a> {
    /// The rows.
    pub points: &'a Points,
    /// Their graph.
    pub laplacian: &'a Laplacian,
    /// c of L^c.
    pub power: u32,
    /// Bytes for characters of all rows: some of them at a time, N·s numbers twice.
    pub memory: usize,
}

/// Sets characters (n×M) of prepared rows.
pub type Fill<'a> = dyn Fn(&Inputs, &mut Characters) -> Result<()> + 'a;

impl Moment<'_> {
    /// CᵀL^cC (M×M) for the characters C (N×M) of all rows. L goes through all rows for s characters at a time, so the
    /// power costs c·s for each edge and no row is made more than 2M/s times. N·M² operations beside; M² numbers and those
    /// of the strip.
    pub fn of(&self, characters: usize, fill: &Fill, watch: &mut dyn Watch) -> Result<Mat<f64>> {
        let (n, m) = (self.points.count(), characters);
        if self.laplacian.count() != n {
            return Err(Error::shape("graph", format!("{n} rows, as many as there are"), self.laplacian.count()));
        }
        watch.stage("Laplacian");
        let width = (self.memory / (16 * n.max(1))).clamp(16, m.max(16));
        let mut out = Mat::<f64>::zeros(m, m);
        let mut buffer = Characters::new(m);
        for from in (0..m).step_by(width) {
            let s = width.min(m - from);
            let strip = self.strip(from, s, fill, &mut buffer, watch)?;
            for at in (0..n).step_by(BLOCK_ROWS) {
                let to = (at + BLOCK_ROWS).min(n);
                fill(&self.points.slice(at, to), &mut buffer)?;
                let image = MatRef::from_row_major_slice(&strip[at * s..to * s], to - at, s);
                // rows from.. of columns from..: the lower triangle
                let below = buffer.as_mat().subcols(from, m - from);
                let out = out.as_mut().submatrix_mut(from, from, m - from, s);
                let pieces = out.par_row_chunks_mut(PIECE);
                pieces.enumerate().for_each(|(p, out)| {
                    let left = below.subcols(p * PIECE, out.nrows());
                    matmul(out, Accum::Add, left.transpose(), image, 1.0, Par::Seq);
                });
                watch.advance((to - at) as u64)?;
            }
        }
        linalg::mirror(out.as_mut());
        Ok(out)
    }

    /// L^c of the characters from..from+s of all rows (N×s), row after row.
    fn strip(
        &self,
        from: usize,
        s: usize,
        fill: &Fill,
        buffer: &mut Characters,
        watch: &mut dyn Watch,
    ) -> Result<Vec<f64>> {
        let n = self.points.count();
        let mut strip = vec![0.0; n * s];
        for at in (0..n).step_by(BLOCK_ROWS) {
            let to = (at + BLOCK_ROWS).min(n);
            fill(&self.points.slice(at, to), buffer)?;
            let rows = &mut strip[at * s..to * s];
            for k in 0..s {
                let column = buffer.column(from + k);
                (0..to - at).for_each(|i| rows[i * s + k] = column[i]);
            }
            watch.advance(0)?;
        }
        let mut image = vec![0.0; n * s];
        for _ in 0..self.power {
            self.laplacian.apply_into(&strip, s, &mut image);
            std::mem::swap(&mut strip, &mut image);
            watch.advance(0)?;
        }
        Ok(strip)
    }
}
