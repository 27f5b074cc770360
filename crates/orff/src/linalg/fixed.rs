//! S += CᵀC of characters in fixed point. \[mixed\]
//!
//! Characters are sines and cosines: numbers from −1 to 1, rounded to multiples of 2⁻¹². Products of 16-bit integers are
//! summed exactly, and machines that have an instruction for it sum four of them in the time of one in double precision.
//! Characters are rounded up or down by chance, so that errors of many rows cancel even where the rows are copies of each
//! other: what rounding does to S is then known beforehand, and small beside a usual ridge. Solutions are corrected for it.

use super::lanes::{Arithmetic, vectorised};
use super::rank::{Piece, add, in_pieces};
use super::{Real, column_mut};
use faer::{MatMut, MatRef};
use rayon::prelude::*;

/// Steps from 0 to 1.
const STEPS: f64 = 4096.0;
/// Pairs of rows whose products are summed as integers: 124·4096² is below 2³¹.
const PAIRS: usize = 62;
/// Rows that are rounded with one stretch of [`CHANCE`], and places where a stretch may begin.
const STRETCH: usize = 2048;
const PLACES: usize = 4096;
/// Numbers from −½ to ½ without order, which decide what is rounded up.
static CHANCE: [f64; PLACES + STRETCH] = {
    let mut chance = [0.0; PLACES + STRETCH];
    let mut i = 0;
    while i < chance.len() {
        chance[i] = (mixed(i as u64) >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        i += 1;
    }
    chance
};

/// All bits of the number in all bits of another one (splitmix64).
const fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Columns that lie side by side.
const LANES: usize = 16;
/// Rows and columns of S that are summed at once, as many as registers hold.
const TALL: usize = 3 * LANES;
const WIDE: usize = 8;

/// Two rows of as many columns as fill a register: in each word one row is in the lower half, the next in the upper one. It lies
/// where a register may be read at once: across two lines of the cache it would be two loads.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Pair([i32; LANES]);
/// Columns of a tile of S.
type Tile = [[f32; TALL]; WIDE];

/// A block of characters in fixed point, in the order in which products read them.
#[derive(Default)]
pub struct Fixed {
    /// For each group of columns its pairs of rows, one after the other; whole tiles of groups, the last ones of zeros.
    pairs: Vec<Pair>,
    /// Pairs of rows.
    count: usize,
    columns: usize,
    /// Blocks until now: each is rounded by other chances.
    blocks: u64,
    /// Whether all characters were numbers.
    finite: bool,
}

impl Fixed {
    /// Whether this machine has the instructions that make it worth its while.
    pub fn is_fast() -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512vnni")
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            false
        }
    }

    /// About the largest eigenvalue of what rounding changes S by, as a share of the trace of S: that is n·M/2, and the error
    /// of each entry, a sum of n independent ones, has a deviation of √n times that of a character, 2⁻¹²/√6.
    pub fn rounding(rows: f64, columns: f64) -> f64 {
        4.0 / (STEPS * 6f64.sqrt() * (rows * columns).sqrt())
    }

    /// Takes the characters (n×M) of a block, in the place of those before.
    pub fn pack<T: Real>(&mut self, c: MatRef<T>) {
        let groups = c.ncols().div_ceil(TALL) * (TALL / LANES);
        (self.count, self.columns) = (c.nrows().div_ceil(2), c.ncols());
        self.pairs.resize(groups * self.count, Pair([0; LANES]));
        self.blocks += 1;
        if self.count == 0 {
            return;
        }
        let blocks = self.blocks;
        let pack = |(group, pairs): (usize, &mut [Pair])| {
            let mut finite = true;
            for lane in 0..LANES {
                let m = group * LANES + lane;
                if m >= c.ncols() {
                    pairs.iter_mut().for_each(|pair| pair.0[lane] = 0);
                    continue;
                }
                let column = c.col(m).try_as_col_major().expect("columns of characters are contiguous").as_slice();
                let stretches = column.chunks(STRETCH).zip(pairs.chunks_mut(STRETCH / 2));
                for (stretch, (column, pairs)) in stretches.enumerate() {
                    let place = mixed((blocks << 40) + ((m as u64) << 16) + stretch as u64) as usize % PLACES;
                    round(pairs, lane, column, &CHANCE[place..], &mut finite);
                }
            }
            finite
        };
        self.finite = self.pairs.par_chunks_mut(self.count).enumerate().map(pack).reduce(|| true, |a, b| a && b);
    }

    /// Adds CᵀC to the lower triangle of `s` (M×M) as [`rank_update`](super::rank_update) does; characters that are no
    /// numbers make it none. Bits depend on nothing but the characters.
    ///
    /// # Panics
    /// When the shapes do not agree, or `s` is not column-major.
    pub fn rank_update(&self, mut s: MatMut<f64>) {
        if !self.finite {
            (0..s.nrows()).for_each(|i| s[(i, i)] = f64::NAN);
            return;
        }
        let strip = (self.columns / 10).next_multiple_of(TALL).clamp(TALL, 3 * TALL);
        in_pieces(s, self.columns, strip, |piece| self.update(piece));
    }

    fn group(&self, column: usize) -> &[Pair] {
        &self.pairs[column / LANES * self.count..][..self.count]
    }

    fn update(&self, piece: Piece) {
        let Piece { row, column, mut s } = piece;
        let on_diagonal = column == row;
        for j in (0..s.ncols()).step_by(WIDE) {
            let right = self.group(column + j);
            // tiles above the diagonal are left out
            let first = if on_diagonal { j / TALL * TALL } else { 0 };
            for i in (first..s.nrows()).step_by(TALL) {
                let left = [0, 1, 2].map(|g| self.group(row + i + g * LANES));
                let mut sums = [[0.0; TALL]; WIDE];
                products(left, right, (column + j) % LANES, &mut sums);
                let to = (i + TALL).min(s.nrows());
                for (k, sums) in (j..s.ncols()).zip(&sums) {
                    let from = if on_diagonal { i.max(k) } else { i };
                    if from < to {
                        add(&mut column_mut(s.as_mut(), k)[from..to], &sums[from - i..]);
                    }
                }
            }
        }
    }
}

/// Rounds a column of characters into one lane of the pairs of its rows: to the nearest number of steps after a part of
/// one, by chance, was added.
#[inline(always)]
fn round_kernel<A: Arithmetic, T: Real>(
    pairs: &mut [Pair],
    lane: usize,
    column: &[T],
    chance: &[f64],
    finite: &mut bool,
) {
    // 1.5·2⁵²: what is added to it is rounded to a whole number, which is then in the lowest bits
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let mut all = true;
    let mut bits = |c: T, chance: f64| {
        let c: f64 = c.into();
        all &= !c.is_nan();
        (c.clamp(-1.0, 1.0) * STEPS + chance + WHOLE).to_bits() as u16
    };
    let (two, one) = column.as_chunks::<2>();
    for ((pair, [a, b]), [at_a, at_b]) in pairs.iter_mut().zip(two).zip(chance.as_chunks::<2>().0) {
        pair.0[lane] = (u32::from(bits(*a, *at_a)) | u32::from(bits(*b, *at_b)) << 16) as i32;
    }
    if let (Some(pair), [last]) = (pairs.last_mut(), one) {
        pair.0[lane] = i32::from(bits(*last, chance[column.len() - 1]));
    }
    *finite &= all;
}

vectorised! {
    fn round<T>(pairs: &mut [Pair], lane: usize, column: &[T], chance: &[f64], finite: &mut bool) = round_kernel
}

/// Sums of products of the columns of three groups with eight columns of one, from `lane` on.
fn products(left: [&[Pair]; 3], right: &[Pair], lane: usize, sums: &mut Tile) {
    #[cfg(target_arch = "x86_64")]
    if Fixed::is_fast() {
        // SAFETY: the features that it is compiled for have just been detected.
        return unsafe { registers::products(left, right, lane, sums) };
    }
    plain_products(left, right, lane, sums);
}

/// The same without registers by name, for machines that lack the instruction and as the definition.
fn plain_products(left: [&[Pair]; 3], right: &[Pair], lane: usize, sums: &mut Tile) {
    for from in (0..right.len()).step_by(PAIRS) {
        let to = (from + PAIRS).min(right.len());
        for (j, sums) in sums.iter_mut().enumerate() {
            for (i, sum) in sums.iter_mut().enumerate() {
                let product = |k: usize| {
                    let (a, b) = (left[i / LANES][k].0[i % LANES], right[k].0[lane + j]);
                    i32::from(a as i16) * i32::from(b as i16) + (a >> 16) * (b >> 16)
                };
                *sum += (from..to).map(product).sum::<i32>() as f32;
            }
        }
    }
    scale(sums);
}

/// From squares of steps to numbers: a power of two, without rounding.
fn scale(sums: &mut Tile) {
    const SQUARE: f32 = 1.0 / (STEPS * STEPS) as f32;
    sums.as_flattened_mut().iter_mut().for_each(|sum| *sum *= SQUARE);
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::{LANES, PAIRS, Pair, TALL, Tile, WIDE};
    use std::arch::x86_64::*;

    const VECTORS: usize = TALL / LANES;

    #[target_feature(enable = "avx512f,avx512vnni")]
    pub fn products(left: [&[Pair]; VECTORS], right: &[Pair], lane: usize, sums: &mut Tile) {
        let mut total = [[_mm512_setzero_ps(); VECTORS]; WIDE];
        let [a, b, c] = left.map(|group| group.chunks(PAIRS));
        for (((a, b), c), right) in a.zip(b).zip(c).zip(right.chunks(PAIRS)) {
            let mut sums = [[_mm512_setzero_si512(); VECTORS]; WIDE];
            for (((a, b), c), right) in a.iter().zip(b).zip(c).zip(right) {
                // SAFETY: a register is as many words, and any bits are words.
                let left = [a, b, c].map(|pair| unsafe { std::mem::transmute::<Pair, __m512i>(*pair) });
                let right: &[i32; WIDE] = right.0[lane..].first_chunk().expect("a group is two tiles wide");
                for (sums, right) in sums.iter_mut().zip(right) {
                    let right = _mm512_set1_epi32(*right);
                    for (sum, left) in sums.iter_mut().zip(left) {
                        *sum = _mm512_dpwssd_epi32(*sum, left, right);
                    }
                }
            }
            for (total, sums) in total.iter_mut().zip(sums) {
                for (total, sum) in total.iter_mut().zip(sums) {
                    *total = _mm512_add_ps(*total, _mm512_cvtepi32_ps(sum));
                }
            }
        }
        for (sums, total) in sums.iter_mut().zip(total) {
            for (sums, total) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(total) {
                // SAFETY: as above, of numbers.
                *sums = unsafe { std::mem::transmute::<__m512, [f32; LANES]>(total) };
            }
        }
        super::scale(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instruction sums as the definition does, to the bit; integers of 16 bits by sums in 64.
    #[test]
    fn registers_sum_as_integers_do() {
        let word = |i: usize| ((i * 7919 + 12_289) % 8193) as i16 - 4096;
        let pair = |g: usize, k: usize| -> Pair {
            Pair(std::array::from_fn(|l| {
                let at = 2 * ((g * 1000 + k) * LANES + l);
                i32::from(word(at) as u16) | i32::from(word(at + 1)) << 16
            }))
        };
        for count in [1, PAIRS, PAIRS + 1, 300] {
            let groups: Vec<Vec<Pair>> = (0..4).map(|g| (0..count).map(|k| pair(g, k)).collect()).collect();
            let left = [0, 1, 2].map(|g| &groups[g][..]);
            for lane in [0, 8] {
                let (mut fast, mut plain) = ([[0.0; TALL]; WIDE], [[0.0; TALL]; WIDE]);
                products(left, &groups[3], lane, &mut fast);
                plain_products(left, &groups[3], lane, &mut plain);
                assert_eq!(fast, plain, "{count} pairs, lane {lane}");
                for (i, j) in [(0, 0), (17, 3), (47, 7)] {
                    let half = |w: i32, h: u32| i64::from((w >> (16 * h)) as i16);
                    let exact: i64 = (0..count)
                        .flat_map(|k| [0, 1].map(|h| (groups[i / 16][k].0[i % 16], groups[3][k].0[lane + j], h)))
                        .map(|(a, b, h)| half(a, h) * half(b, h))
                        .sum();
                    let exact = exact as f64 / (STEPS * STEPS);
                    assert!((f64::from(plain[j][i]) - exact).abs() <= 1e-6 * (1.0 + exact.abs()));
                }
            }
        }
    }

    /// The largest sums of integers that there can be: all characters one, all of them minus one.
    #[test]
    fn sums_of_ones_do_not_overflow() {
        for sign in [1, -1] {
            let word = i32::from((4096 * sign) as i16 as u16) | (4096 * sign) << 16;
            let group = vec![Pair([word; LANES]); 1024];
            let mut sums = [[0.0; TALL]; WIDE];
            products([&group[..]; 3], &group, 0, &mut sums);
            assert!(sums.as_flattened().iter().all(|sum| *sum == 2048.0));
        }
    }
}
