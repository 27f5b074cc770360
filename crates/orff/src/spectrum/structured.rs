//! Structured frequencies: products of Hadamard and random sign matrices instead of dense orthogonal ones.

use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use crate::random::Stream;
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

/// Blocks of n rows of S·M, M = HD₁HD₂HD₃ (H the orthonormal Hadamard matrix, n the power of two from d up), cut to d
/// columns and divided by the lengthscales (Yu et al. 2016, SORF).
///
/// A row of M cut to d < n columns is no longer of unit norm: each is scaled to the radius of the law in d
/// dimensions, so that ‖ζⱼ‖ has the exact law and only the direction is approximate.
/// Memory O(D + n per block of n atoms); Ωx in O(D log d).
#[derive(Clone, Debug)]
pub struct Structured {
    /// Lengthscales, d.
    scales: Vec<f64>,
    /// Signs D₃, D₂, D₁ (first applied first) of each block, 3n each.
    signs: Vec<Vec<f64>>,
    /// What each row of M, made of entries ±n^{-1/2}…, is multiplied by, D.
    factors: Vec<f64>,
    /// n.
    block: usize,
}

impl Structured {
    /// `radii[j]` = ‖ζⱼ‖; the signs of block b come from `stream(b)`.
    pub(super) fn new(scales: Vec<f64>, radii: Vec<f64>, stream: impl Fn(u64) -> Stream) -> Self {
        let block = scales.len().next_power_of_two();
        let blocks = radii.len().div_ceil(block) as u64;
        let signs = (0..blocks).map(|b| {
            let mut stream = stream(b);
            (0..3 * block).map(|_| stream.sign()).collect()
        });
        let mut it = Structured { scales, signs: signs.collect(), factors: vec![1.0; radii.len()], block };
        let mut row = vec![0.0; it.dimension()];
        for (j, radius) in radii.iter().enumerate() {
            it.direction(j, &mut row);
            // A row of M cannot vanish on d > n/2 coordinates but in pathological sign patterns: then it stays 0.
            let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            it.factors[j] = if norm > 0.0 { radius / norm } else { 0.0 };
        }
        it
    }

    /// Lengthscales (d), signs of all blocks (3n each), factors (D): all there is.
    pub fn parts(&self) -> (&[f64], Vec<f64>, &[f64]) {
        (&self.scales, self.signs.concat(), &self.factors)
    }

    /// From stored parts; None if their sizes do not fit together.
    pub fn from_parts(scales: Vec<f64>, signs: &[f64], factors: Vec<f64>) -> Option<Self> {
        let block = scales.len().checked_next_power_of_two()?;
        let fits = !scales.is_empty() && signs.len() == 3 * block * factors.len().div_ceil(block);
        let signs = signs.chunks(3 * block).map(<[f64]>::to_vec).collect();
        fits.then_some(Structured { scales, signs, factors, block })
    }

    pub(super) fn count(&self) -> usize {
        self.factors.len()
    }

    pub(super) fn dimension(&self) -> usize {
        self.scales.len()
    }

    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// A bound of ‖ωⱼ‖: rows of n^{3/2}M have norm n^{3/2}.
    pub(super) fn largest(&self) -> f64 {
        let (n, smallest) = (self.block as f64, self.scales.iter().copied().fold(f64::INFINITY, f64::min));
        self.factors.iter().copied().fold(0.0, f64::max) * n * n.sqrt() / smallest
    }

    pub(super) fn prefix(&self, count: usize) -> Self {
        let mut it = self.clone();
        it.factors.truncate(count);
        it.signs.truncate(it.factors.len().div_ceil(self.block));
        it
    }

    /// Row j of n^{3/2}·M, cut to d columns: Mᵀeⱼ = D₃HD₂HD₁Heⱼ.
    fn direction(&self, j: usize, out: &mut [f64]) {
        let n = self.block;
        let signs = &self.signs[j / n];
        let mut v = vec![0.0; n];
        v[j % n] = 1.0;
        for stage in (0..3).rev() {
            hadamard(&mut v, 1);
            v.iter_mut().zip(&signs[stage * n..]).for_each(|(v, sign)| *v *= sign);
        }
        out.copy_from_slice(&v[..out.len()]);
    }

    pub(super) fn row(&self, j: usize, out: &mut [f64]) {
        self.direction(j, out);
        out.iter_mut().zip(&self.scales).for_each(|(v, scale)| *v *= self.factors[j] / scale);
    }

    pub(super) fn to_dense(&self) -> Mat<f64> {
        let mut omega = Mat::zeros(self.count(), self.dimension());
        let mut row = vec![0.0; self.dimension()];
        for j in 0..self.count() {
            self.row(j, &mut row);
            row.iter().enumerate().for_each(|(k, v)| omega[(j, k)] = *v);
        }
        omega
    }

    /// Rows travel in groups of `LANES` side by side, so that every butterfly is a vector operation; no entry sees
    /// its neighbours.
    pub(super) fn project<T: Real>(&self, x: MatRef<'_, f64>, from: usize, mut out: MatMut<'_, T>) {
        const LANES: usize = 8;
        let (n, to) = (self.block, from + out.ncols());
        let mut white = vec![0.0; n * LANES];
        let mut v = vec![0.0; n * LANES];
        for top in (0..x.nrows()).step_by(LANES) {
            let lanes = LANES.min(x.nrows() - top);
            for (k, scale) in self.scales.iter().enumerate() {
                for i in 0..lanes {
                    white[k * LANES + i] = x[(top + i, k)] / scale;
                }
            }
            for b in from / n..to.div_ceil(n) {
                v.copy_from_slice(&white);
                for signs in self.signs[b].chunks_exact(n) {
                    signed::<LANES>(&mut v, signs);
                    hadamard(&mut v, LANES);
                }
                let (first, last) = (from.max(b * n), to.min((b + 1) * n));
                let place = out.rb_mut().submatrix_mut(top, first - from, lanes, last - first);
                let found = v.chunks_exact(LANES).skip(first - b * n).zip(&self.factors[first..last]);
                for (column, (v, factor)) in place.col_iter_mut().zip(found) {
                    column.iter_mut().zip(v).for_each(|(out, v)| *out = T::of(v * factor));
                }
            }
        }
    }
}

/// Every group of numbers times its sign.
fn signed<const LANES: usize>(v: &mut [f64], signs: &[f64]) {
    for (lane, sign) in v.as_chunks_mut::<LANES>().0.iter_mut().zip(signs) {
        lane.iter_mut().for_each(|v| *v *= sign);
    }
}

/// Two levels of butterflies at a time, so that numbers are fetched half as often; sums are those of one level after the other.
#[inline(always)]
fn butterflies<A: Arithmetic>(v: &mut [f64], lanes: usize) {
    let mut size = lanes;
    while 4 * size <= v.len() {
        for four in v.chunks_exact_mut(4 * size) {
            let (ab, cd) = four.split_at_mut(2 * size);
            let ((a, b), (c, d)) = (ab.split_at_mut(size), cd.split_at_mut(size));
            for ((a, b), (c, d)) in a.iter_mut().zip(b).zip(c.iter_mut().zip(d)) {
                let (p, q, r, s) = (*a + *b, *a - *b, *c + *d, *c - *d);
                (*a, *b, *c, *d) = (p + r, q + s, p - r, q - s);
            }
        }
        size *= 4;
    }
    if size < v.len() {
        let (a, b) = v.split_at_mut(size);
        a.iter_mut().zip(b).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
    }
}

vectorised!(
    /// v ← (H√n ⊗ I_lanes)v in place, n a power of two.
    fn hadamard(v: &mut [f64], lanes: usize) = butterflies
);
