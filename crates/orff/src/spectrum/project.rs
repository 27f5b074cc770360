//! XΩᵀ with a fixed order of additions.
//!
//! A general matrix product chooses its kernel by shape, so the bits of an entry depend on how many rows and atoms are
//! computed with it. Here every entry is the same chain of products and sums over k = 0, …, d−1, whatever the shape:
//! vector lanes hold different entries, never parts of one.

use crate::linalg::Real;
use crate::linalg::lanes::{Arithmetic, vectorised};
use crate::linalg::register::Register;
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

/// Numbers of the lanes' side that a sweep over the other side goes through: they stay in a near cache.
const CACHE: usize = 16_384;
/// Vectors of the other side in a tile.
const FOUR: usize = 4;

/// Vectors in each group of lanes: four registers of 64 bytes, or as many narrower ones.
pub(crate) const fn group<T>() -> usize {
    256 / size_of::<T>()
}

/// The rows of a matrix (n×d) in groups, each d×`width`, the last one filled with zeros: packed once for many products.
pub(crate) struct Packed<T> {
    numbers: Vec<T>,
    rows: usize,
    inputs: usize,
    width: usize,
}

impl<T: Real> Packed<T> {
    /// Vectors that lie in the lanes of registers.
    pub fn lanes(m: MatRef<'_, f64>) -> Self {
        let mut packed = Packed { numbers: Vec::new(), rows: 0, inputs: 0, width: group::<T>() };
        packed.fill(m);
        packed
    }

    /// Vectors each of whose numbers meets all lanes.
    pub fn fours(m: MatRef<'_, f64>) -> Self {
        let mut packed = Packed { numbers: Vec::new(), rows: 0, inputs: 0, width: FOUR };
        packed.fill(m);
        packed
    }

    /// The rows of another matrix in the same memory.
    pub fn fill(&mut self, m: MatRef<'_, f64>) {
        let ((rows, d), width) = (m.shape(), self.width);
        (self.rows, self.inputs) = (rows, d);
        self.numbers.resize(rows.next_multiple_of(width) * d, T::default());
        let last = rows / width * width * d;
        self.numbers[last..].fill(T::default());
        for (k, column) in m.col_iter().enumerate() {
            let groups = self.numbers.chunks_exact_mut(width * d).map(|group| &mut group[k * width..][..width]);
            match column.try_as_col_major() {
                Some(column) => {
                    // whole groups, whose number of rows the compiler knows
                    let (whole, rest) = column.as_slice().split_at(rows / width * width);
                    for (n, group) in groups.enumerate() {
                        match whole.get(n * width..(n + 1) * width) {
                            Some(numbers) => group.iter_mut().zip(numbers).for_each(|(g, v)| *g = T::of(*v)),
                            None => group.iter_mut().zip(rest).for_each(|(g, v)| *g = T::of(*v)),
                        }
                    }
                }
                None => groups.flatten().zip(column.iter()).for_each(|(g, v)| *g = T::of(*v)),
            }
        }
    }

    /// The groups from a row on, which must be the first one of a group.
    fn from(&self, row: usize) -> &[T] {
        assert_eq!(row % self.width, 0, "the first row of a group");
        &self.numbers[row * self.inputs..]
    }
}

/// out (b×D) = x (b×d) · omegaᵀ (d×D), in the precision of `out`.
pub(super) fn project<T: Real>(x: MatRef<'_, f64>, omega: MatRef<'_, f64>, mut out: MatMut<'_, T>) {
    let (x, omega) = (Packed::lanes(x), Packed::fours(omega));
    if out.row_stride() == 1 {
        return product((&x, 0), (&omega, 0), out);
    }
    let mut columns = Mat::<T>::zeros(out.nrows(), out.ncols());
    product((&x, 0), (&omega, 0), columns.as_mut());
    out.copy_from(&columns);
}

/// out = A Bᵀ for rows of A (in lanes) and of B (in fours) from some row on, the first of a group; columns in one piece.
pub(crate) fn product<T: Real>(a: (&Packed<T>, usize), b: (&Packed<T>, usize), out: MatMut<'_, T>) {
    let d = a.0.inputs;
    assert!(b.0.inputs == d && a.1 + out.nrows() <= a.0.rows && b.1 + out.ncols() <= b.0.rows, "product: shapes");
    into_columns(d, a.0.from(a.1), b.0.from(b.1), out)
}

vectorised!(fn into_columns<T>(d: usize, a: &[T], b: &[T], out: MatMut<'_, T>) = tiles);

/// Four or two registers of lanes for each of four vectors.
#[inline(always)]
fn tiles<A: Arithmetic, T: Real>(d: usize, a: &[T], b: &[T], out: MatMut<'_, T>) {
    match A::WIDE {
        true => tiles_of::<A::Sums<T>, T, 4>(d, a, b, out),
        false => tiles_of::<A::Sums<T>, T, 2>(d, a, b, out),
    }
}

#[inline(always)]
fn tiles_of<R: Register<T>, T: Real, const REGISTERS: usize>(d: usize, a: &[T], b: &[T], mut out: MatMut<'_, T>) {
    let (n, count, width) = (out.nrows(), out.ncols(), const { group::<T>() });
    let height = R::LANES * REGISTERS; // of a tile
    // one group at least, however many inputs there are
    let slab = (CACHE / d.max(1)).max(1).next_multiple_of(width);
    for top in (0..n).step_by(slab) {
        let some = slab.min(n - top);
        for first in (0..count).step_by(FOUR) {
            let weights = &b[first * d..][..d * FOUR];
            let mut place = out.rb_mut().submatrix_mut(top, first, some, FOUR.min(count - first));
            for from in (0..some).step_by(height) {
                let (whole, within) = ((top + from) / width * width, (top + from) % width);
                let sums = tile::<R, T, REGISTERS>(&a[whole * d..][..width * d], within, weights);
                for (column, sums) in place.rb_mut().col_iter_mut().zip(sums) {
                    let column = column.try_as_col_major_mut().expect("columns in one piece").as_slice_mut();
                    for (column, sums) in column[from..].chunks_mut(R::LANES).zip(sums) {
                        sums.store(column);
                    }
                }
            }
        }
    }
}

/// One tile: sums[j] holds Σₖ lanes[k][within + i]·weights[k][j] for all i.
#[inline(always)]
fn tile<R: Register<T>, T: Real, const REGISTERS: usize>(
    lanes: &[T],
    within: usize,
    weights: &[T],
) -> [[R; REGISTERS]; FOUR] {
    let mut sums = [[R::splat(T::default()); REGISTERS]; FOUR];
    for (row, weights) in lanes.chunks_exact(const { group::<T>() }).zip(weights.chunks_exact(FOUR)) {
        let row = &row[within..][..R::LANES * REGISTERS];
        let row: [R; REGISTERS] = std::array::from_fn(|r| R::load(&row[r * R::LANES..]));
        for j in 0..FOUR {
            let weight = R::splat(weights[j]);
            for r in 0..REGISTERS {
                sums[j][r] = row[r].fma(weight, sums[j][r]);
            }
        }
    }
    sums
}
