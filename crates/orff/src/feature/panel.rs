//! Characters that are used up where they are made, some rows and some atoms at a time, so that they never leave the
//! near caches: values Zᵀc(x), and rows of features.

use super::characters::Atoms;
use super::{FeatureMap, MapKind};
use crate::error::{Error, Result};
use crate::kernel::Block;
use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use crate::linalg::register::{self, Register};
use crate::rows::Inputs;
use crate::spectrum::{self, Omega, group};
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// Bytes of a panel of structured or sparse products: 256 rows of 64 atoms in double precision, or fewer rows where atoms come in
/// larger strips. Others are as high as a tile, so that they stay in the nearest cache.
const PANEL: usize = 256 * 64 * 8;
/// Rows of values computed by one task, where panels are low.
const TASK: usize = 256;
/// Rows of features written by one task, and at once.
const LINES: usize = 64;
const FEW: usize = 16;
/// Atoms of these rows at once, if not more.
const STRIP: usize = 256;
/// Bytes of features that may still be in a cache when they are read.
const NEAR: usize = 8 << 20;
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
        let blocks = &self.atoms().blocks;
        let strip = blocks.iter().map(|b| b.omega.strip()).max().unwrap_or(1);
        let low = matches!(x, Inputs::Dense(_)) && blocks.iter().all(|b| matches!(b.omega, Omega::Dense(_)));
        let rows = if low { group::<T>() } else { (PANEL / size_of::<T>() / strip).clamp(TILE, 512) / TILE * TILE };
        let stride = if low { rows } else { rows + 8 };
        let all = |b: &Block| if low { b.omega.packed(0, b.count()) } else { None };
        let packed: Vec<Option<spectrum::Packed<T>>> = blocks.iter().map(all).collect();
        let buffers = || {
            let sines = if self.kind() == MapKind::Pairs { strip * stride } else { 0 };
            (vec![T::default(); strip * stride], vec![T::default(); sines], Vec::new())
        };
        type Buffers<T> = (Vec<T>, Vec<T>, Vec<f64>);
        let panel = |(cos, sin, sums): &mut Buffers<T>, from: usize, mut out: MatMut<f64>| {
            let x = x.slice(from, from + out.nrows());
            let used = out.nrows();
            sums.clear();
            sums.resize(rows * q.next_multiple_of(COLUMNS), 0.0);
            let mut at = 0;
            let mut add = |c: &[T], len: usize| {
                let depth = len * q.div_ceil(COLUMNS);
                accumulate(&c[..len * stride], stride, (used, rows), &table.data[at..at + depth], sums);
                at += depth;
            };
            for (b, block) in blocks.iter().enumerate() {
                let atoms = Atoms::plain(&x, &block.omega, packed[b].as_ref(), self.phases(b));
                let count = block.count();
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
        let task = rows.max(TASK);
        out.par_row_chunks_mut(task).enumerate().for_each_init(buffers, |buffers, (i, mut out)| {
            for from in (0..out.nrows()).step_by(rows) {
                let some = rows.min(out.nrows() - from);
                panel(buffers, i * task + from, out.rb_mut().subrows_mut(from, some));
            }
        });
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
        let far = size_of_val(out) > NEAR;
        let packed: Vec<_> = blocks.iter().map(|(_, block, _)| block.omega.packed_lanes::<T>()).collect();
        let (pairs, most) = (self.kind() == MapKind::Pairs, |block: &Block| block.omega.strip().max(STRIP));
        let strip = blocks.iter().map(|(_, block, _)| most(block).min(block.count())).max().unwrap_or(0);
        let buffers = || (vec![T::default(); FEW * strip], vec![T::default(); if pairs { FEW * strip } else { 0 }]);
        let some = |(cos, sin): &mut (Vec<T>, Vec<T>), x: MatRef<f64>, out: &mut [T]| {
            let fours = spectrum::Packed::fours(x);
            for (b, block, from) in &blocks {
                let count = block.count();
                for start in (0..count).step_by(most(block)) {
                    let len = most(block).min(count - start);
                    let cos = &mut cos[..x.nrows() * len];
                    let angles = MatMut::from_column_major_slice_mut(cos, len, x.nrows());
                    match &packed[*b] {
                        Some(omega) => spectrum::product((omega, start), (&fours, 0), angles),
                        None => block.omega.project_rows(x, start, angles),
                    }
                    let mut write = |characters: &[T], first: usize| {
                        for (c, line) in characters.chunks_exact(len).zip(out.chunks_exact_mut(m)) {
                            scale(c, &factors[first..first + len], far, &mut line[first..first + len]);
                        }
                    };
                    if pairs {
                        let sin = &mut sin[..x.nrows() * len];
                        T::sin_cos_in_place(cos, sin);
                        write(sin, from + count + start);
                    } else {
                        let phases = &self.phases(*b)[start..start + len];
                        cos.iter_mut().zip(phases.iter().cycle()).for_each(|(z, b)| *z += T::of(*b));
                        T::cos_in_place(cos);
                    }
                    write(cos, from + start);
                }
            }
        };
        out.par_chunks_mut(LINES * m).enumerate().for_each_init(buffers, |buffers, (i, out)| {
            for (k, out) in out.chunks_mut(FEW * m).enumerate() {
                some(buffers, dense.subrows(i * LINES + k * FEW, out.len() / m), out);
            }
            register::fence();
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

/// out = values times factors, entry by entry; past the caches, up to [`register::fence`], if `far`.
#[inline(always)]
fn scale_kernel<A: Arithmetic, T: Real>(values: &[T], factors: &[T], far: bool, out: &mut [T]) {
    let plain = |from: usize, out: &mut [T]| {
        let both = values[from..].iter().zip(&factors[from..]);
        out.iter_mut().zip(both).for_each(|(out, (v, f))| *out = *v * *f);
    };
    if !far {
        return plain(0, out);
    }
    let lanes = <A::Sums<T>>::LANES;
    let mut at = out.as_ptr().align_offset(lanes * size_of::<T>()).min(out.len());
    let (head, rest) = out.split_at_mut(at);
    plain(0, head);
    let mut registers = rest.chunks_exact_mut(lanes);
    let nothing = <A::Sums<T>>::splat(T::of(-0.0)); // what is added to a product without changing it
    for out in &mut registers {
        <A::Sums<T>>::load(&values[at..]).fma(<A::Sums<T>>::load(&factors[at..]), nothing).stream(out);
        at += lanes;
    }
    plain(at, registers.into_remainder());
}

vectorised!(fn scale<T>(values: &[T], factors: &[T], far: bool, out: &mut [T]) = scale_kernel);

/// sums (rows×q, columns as long as a panel) += c (rows×len, columns `stride` apart) times rows of the table; `rows` of a panel are
/// used.
#[inline(always)]
fn accumulate_kernel<A: Arithmetic, T: Real>(
    c: &[T],
    stride: usize,
    rows: (usize, usize),
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
    (rows, panel): (usize, usize),
    table: &[[T; COLUMNS]],
    sums: &mut [f64],
) {
    let (len, height) = (c.len() / stride, REGISTERS * R::LANES);
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

vectorised!(fn accumulate<T>(c: &[T], stride: usize, rows: (usize, usize), table: &[[T; COLUMNS]], sums: &mut [f64]) = accumulate_kernel);
