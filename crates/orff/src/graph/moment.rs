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
use std::ops::Range;

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
    /// power costs c·s for each edge and no row is made more than M/s + 2 times: while one strip is multiplied with all
    /// characters, those of the next are put aside. N·M² operations beside; M² numbers and those of the strip.
    pub fn of(&self, characters: usize, fill: &Fill, watch: &mut dyn Watch) -> Result<Mat<f64>> {
        let (n, m) = (self.points.count(), characters);
        if self.laplacian.count() != n {
            return Err(Error::shape("graph", format!("{n} rows, as many as there are"), self.laplacian.count()));
        }
        watch.stage("Laplacian");
        let width = (self.memory / (16 * n.max(1))).clamp(16, m.max(16));
        let mut out = Mat::<f64>::zeros(m, m);
        let mut buffer = Characters::new(m);
        let mut strip = vec![0.0; n * width.min(m)];
        let mut other = vec![0.0; n * width.min(m)];
        for at in (0..if m > 0 { n } else { 0 }).step_by(BLOCK_ROWS) {
            let to = (at + BLOCK_ROWS).min(n);
            fill(&self.points.slice(at, to), &mut buffer)?;
            aside(&buffer, 0, width.min(m), at..to, &mut strip);
            watch.advance(0)?;
        }
        for from in (0..m).step_by(width) {
            let s = width.min(m - from);
            for _ in 0..self.power {
                self.laplacian.apply_into(&strip[..n * s], s, &mut other[..n * s]);
                std::mem::swap(&mut strip, &mut other);
                watch.advance(0)?;
            }
            let next = width.min(m - from - s);
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
                aside(&buffer, from + s, next, at..to, &mut other);
                watch.advance((to - at) as u64)?;
            }
            std::mem::swap(&mut strip, &mut other);
        }
        linalg::mirror(out.as_mut());
        Ok(out)
    }
}

/// Puts the characters from..from+s of some rows aside (N×s), row after row.
fn aside(characters: &Characters, from: usize, s: usize, rows: Range<usize>, strip: &mut [f64]) {
    let strip = &mut strip[rows.start * s..rows.end * s];
    for k in 0..s {
        let column = characters.column(from + k);
        (0..rows.len()).for_each(|i| strip[i * s + k] = column[i]);
    }
}
