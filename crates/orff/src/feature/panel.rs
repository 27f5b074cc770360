//! Characters that are used up where they are made, some rows and some atoms at a time, so that they never leave the
//! near caches: values Zᵀc(x), and rows of features.

use super::characters::Atoms;
use super::{FeatureMap, MapKind};
use crate::error::{Error, Result};
use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use crate::linalg::register::Register;
use crate::rows::Inputs;
use faer::{Mat, MatMut};
use rayon::prelude::*;

/// Bytes of a panel: 256 rows of 64 atoms in double precision, or fewer rows where atoms come in larger strips.
const PANEL: usize = 256 * 64 * 8;
/// Rows of features written by one task.
const LINES: usize = 64;
/// Rows of a panel are whole tiles, whatever the registers of the machine.
const TILE: usize = 32;
/// Columns of the table done at once.
const COLUMNS: usize = 4;

/// A table Z (M×q) in the order in which panels need it.
pub struct Packed<T> {
    /// For each strip of characters, for each four columns: rows of four numbers.
    data: Vec<[T; COLUMNS]>,
    columns: usize,
}

impl<T: Real> Packed<T> {
    /// Of the table of a map.
    pub fn new(map: &FeatureMap, table: &Mat<f64>) -> Self {
        let columns = table.ncols();
        let mut data = Vec::with_capacity(table.nrows() * columns.div_ceil(COLUMNS));
        map.each_strip(|first, count| {
            for q in (0..columns).step_by(COLUMNS) {
                let entry =
                    |m: usize, k: usize| if q + k < columns { T::of(table[(m, q + k)]) } else { T::default() };
                data.extend((first..first + count).map(|m| std::array::from_fn(|k| entry(m, k))));
            }
        });
        Packed { data, columns }
    }

    /// The same numbers in double precision.
    fn in_double(&self) -> Packed<f64> {
        Packed { data: self.data.iter().map(|row| row.map(Into::into)).collect(), columns: self.columns }
    }
}

impl FeatureMap {
    /// Calls `f(first character, number)` for the strips in which characters are made: each strip of atoms has one of
    /// cosines and, for pairs, one of sines.
    fn each_strip(&self, mut f: impl FnMut(usize, usize)) {
        for (block, from, _) in self.spans() {
            let (count, strip) = (block.count(), block.omega.strip());
            for start in (0..count).step_by(strip) {
                let len = strip.min(count - start);
                f(from + start, len);
                if self.kind() == MapKind::Pairs {
                    f(from + count + start, len);
                }
            }
        }
    }

    /// Zᵀc(x) of prepared rows (n×q). Cost n·M·(d + q); every entry has the same bits whatever rows are with it.
    pub fn combine<T: Real>(&self, x: &Inputs, table: &Packed<T>) -> Mat<f64> {
        let (n, q) = (x.nrows(), table.columns);
        let mut out = Mat::zeros(n, q);
        let strip = self.atoms().blocks.iter().map(|b| b.omega.strip()).max().unwrap_or(1);
        let rows = (PANEL / size_of::<T>() / strip).clamp(TILE, 512) / TILE * TILE;
        let stride = rows + 8;
        let buffers = || {
            let sines = if self.kind() == MapKind::Pairs { strip * stride } else { 0 };
            (vec![T::default(); strip * stride], vec![T::default(); sines], Vec::new())
        };
        type Buffers<T> = (Vec<T>, Vec<T>, Vec<f64>);
        let panel = |(cos, sin, sums): &mut Buffers<T>, i: usize, mut out: MatMut<f64>| {
            let x = x.slice(i * rows, i * rows + out.nrows());
            let used = out.nrows();
            sums.clear();
            sums.resize(rows * q.next_multiple_of(COLUMNS), 0.0);
            let mut at = 0;
            let mut add = |c: &[T], len: usize| {
                let depth = len * q.div_ceil(COLUMNS);
                accumulate(&c[..len * stride], stride, used, &table.data[at..at + depth], sums);
                at += depth;
            };
            for (b, block) in self.atoms().blocks.iter().enumerate() {
                let (count, atoms) = (block.count(), Atoms::plain(&x, &block.omega, self.phases(b)));
                for start in (0..count).step_by(block.omega.strip()) {
                    let len = block.omega.strip().min(count - start);
                    let cos = &mut cos[..len * stride];
                    if self.kind() == MapKind::Pairs {
                        let sin = &mut sin[..len * stride];
                        atoms.pairs(start, used, stride, cos, sin);
                        add(cos, len);
                        add(sin, len);
                    } else {
                        atoms.shifted(start, used, stride, cos);
                        add(cos, len);
                    }
                }
            }
            for (t, sums) in sums.chunks_exact(rows).take(q).enumerate() {
                (0..used).for_each(|i| out[(i, t)] = sums[i]);
            }
        };
        out.par_row_chunks_mut(rows).enumerate().for_each_init(buffers, |buffers, (i, out)| panel(buffers, i, out));
        let far = self.far::<T>(x);
        if !far.is_empty() {
            let values = self.combine(&x.pick(&far), &table.in_double());
            far.iter().enumerate().for_each(|(k, &i)| (0..q).for_each(|t| out[(i, t)] = values[(k, t)]));
        }
        out
    }

    /// Rows whose angles may be too large for the precision. Each row is judged by itself.
    fn far<T: Real>(&self, x: &Inputs) -> Vec<usize> {
        if T::LARGEST_ANGLE.is_infinite() {
            return Vec::new();
        }
        let largest = T::LARGEST_ANGLE / self.largest_frequency();
        x.norms().iter().enumerate().filter(|(_, norm)| !(**norm <= largest)).map(|(i, _)| i).collect()
    }

    fn largest_frequency(&self) -> f64 {
        self.atoms().blocks.iter().map(|b| b.omega.largest()).fold(0.0, f64::max)
    }

    /// Characters times given factors (M), row after row (n×M) into `out`. Cost n·M·d.
    ///
    /// # Panics
    /// If `out` does not have n·M numbers or `factors` M.
    pub fn write_rows<T: Real>(&self, x: &Inputs, factors: &[T], out: &mut [T]) -> Result<()> {
        let m = self.characters();
        assert!(out.len() == x.nrows() * m && factors.len() == m, "rows of features: sizes");
        let blocks: Vec<_> = self.spans().enumerate().map(|(b, (block, from, _))| (b, block, from)).collect();
        let norm = x.norms().into_iter().fold(0.0, f64::max);
        if !(norm * self.largest_frequency()).is_finite() {
            return Err(Error::numerical("features", "an angle is not finite: the inputs are too large"));
        }
        let Inputs::Dense(dense) = x else {
            let all: Vec<usize> = (0..x.nrows()).collect();
            self.write_rows_by_columns(x, &all, factors, out);
            return Ok(());
        };
        out.par_chunks_mut(LINES * m).enumerate().for_each(|(i, out)| {
            let lines = out.len() / m;
            let x = dense.subrows(i * LINES, lines);
            for (b, block, from) in &blocks {
                let count = block.count();
                let pairs = self.kind() == MapKind::Pairs;
                let strip = block.omega.strip().max(256);
                for start in (0..count).step_by(strip) {
                    let len = strip.min(count - start);
                    // angles are made where the cosines will be
                    let angles = MatMut::from_column_major_slice_with_stride_mut(
                        &mut out[from + start..(lines - 1) * m + from + start + len],
                        len,
                        lines,
                        m,
                    );
                    block.omega.project_rows(x, start, angles);
                    for line in out.chunks_exact_mut(m) {
                        let (cos, rest) = line[from + start..].split_at_mut(len);
                        if pairs {
                            let sin = &mut rest[count - len..][..len];
                            T::sin_cos_in_place(cos, sin);
                            scale(sin, &factors[from + count + start..]);
                        } else {
                            let phases = &self.phases(*b)[start..];
                            cos.iter_mut().zip(phases).for_each(|(z, b)| *z = *z + T::of(*b));
                            T::cos_in_place(cos);
                        }
                        scale(cos, &factors[from + start..]);
                    }
                }
            }
        });
        self.write_rows_by_columns(x, &self.far::<T>(x), factors, out);
        Ok(())
    }

    /// Some of the rows, through columns in double precision: sparse ones, and those with large angles.
    fn write_rows_by_columns<T: Real>(&self, x: &Inputs, rows: &[usize], factors: &[T], out: &mut [T]) {
        let mut c = super::Characters::new(self.characters());
        let m = self.characters();
        for some in rows.chunks(super::BLOCK_ROWS) {
            self.fill(&x.pick(some), &mut c);
            for (i, &row) in some.iter().enumerate() {
                let line = &mut out[row * m..(row + 1) * m];
                line.iter_mut().enumerate().for_each(|(k, v)| *v = T::of(c.as_mat()[(i, k)] * factors[k].into()));
            }
        }
    }
}

#[inline(always)]
fn scale_kernel<A: Arithmetic, T: Real>(values: &mut [T], factors: &[T]) {
    values.iter_mut().zip(factors).for_each(|(v, f)| *v = *v * *f);
}

vectorised!(fn scale<T>(values: &mut [T], factors: &[T]) = scale_kernel);

/// sums (rows×q, columns as long as a panel) += c (rows×len, columns `stride` apart) times rows of the table.
#[inline(always)]
fn accumulate_kernel<A: Arithmetic, T: Real>(
    c: &[T],
    stride: usize,
    rows: usize,
    table: &[[T; COLUMNS]],
    sums: &mut [f64],
) {
    match A::WIDE {
        true if size_of::<T>() == 8 => accumulate_tiles::<A::Sums<T>, T, 4>(c, stride, rows, table, sums),
        _ => accumulate_tiles::<A::Sums<T>, T, 2>(c, stride, rows, table, sums),
    }
}

/// Some registers of rows for each column of the table.
#[inline(always)]
fn accumulate_tiles<R: Register<T>, T: Real, const REGISTERS: usize>(
    c: &[T],
    stride: usize,
    rows: usize,
    table: &[[T; COLUMNS]],
    sums: &mut [f64],
) {
    let (len, panel, height) = (c.len() / stride, stride - 8, REGISTERS * R::LANES);
    for (table, sums) in table.chunks_exact(len).zip(sums.chunks_exact_mut(COLUMNS * panel)) {
        for first in (0..rows).step_by(height) {
            let mut tile = [[R::splat(T::default()); REGISTERS]; COLUMNS];
            for (z, c) in table.iter().zip(c.chunks_exact(stride)) {
                let c: [R; REGISTERS] = std::array::from_fn(|r| R::load(&c[first + r * R::LANES..]));
                for k in 0..COLUMNS {
                    let z = R::splat(z[k]);
                    for r in 0..REGISTERS {
                        tile[k][r] = c[r].fma(z, tile[k][r]);
                    }
                }
            }
            for k in 0..COLUMNS {
                let mut whole = [T::default(); TILE];
                whole.chunks_mut(R::LANES).zip(tile[k]).for_each(|(place, sums)| sums.store(place));
                let sums = &mut sums[k * panel + first..][..height];
                sums.iter_mut().zip(whole).for_each(|(s, t)| *s += t.into());
            }
        }
    }
}

vectorised!(fn accumulate<T>(c: &[T], stride: usize, rows: usize, table: &[[T; COLUMNS]], sums: &mut [f64]) = accumulate_kernel);
