//! S += CᵀC of characters in fixed point. \[mixed\]
//!
//! Characters are sines and cosines: numbers from −1 to 1, rounded to multiples of 1/11 585. Products of 16-bit integers are
//! summed exactly, and machines that have an instruction for it sum four of them in the time of one in double precision.
//! Characters are rounded up or down by chance, so that errors of many rows cancel even where the rows are copies of each
//! other: what rounding does to S is then known beforehand, and small beside a usual ridge. Solutions are corrected for it.

use super::lanes::{Arithmetic, vectorised};
use super::rank::{Piece, in_pieces};
use super::{Real, column_mut};
use faer::{MatMut, MatRef};
use rayon::prelude::*;

/// Steps from 0 to 1, about 2¹³·√2: more of them leave integers room for fewer pairs of rows (four with 16 383 steps, and the
/// sum a third slower; 62 with 4096, 3 % faster).
const STEPS: f64 = 11_585.0;
/// Pairs of rows whose products are summed as they are: 16·11 585² is below 2³¹.
const PAIRS: usize = 8;
/// Such sums are rounded to multiples of 2⁸, far below the rounding of characters, and so many of them are again summed as
/// integers: 128·2²³ = 2³⁰. In single precision sums of characters that hardly differ would all be off by the same.
const SHIFT: u32 = 8;
const LONG: usize = 128 * PAIRS;
/// Rows that are rounded with one stretch of [`CHANCE`], and places where a stretch may begin.
const STRETCH: usize = 2048;
const PLACES: usize = 4096;
/// Numbers from −½ to ½ without order, which decide what is rounded up, each stretch of a column shifted by another one: rows that
/// are copies of each other would have the same part of them rounded up in every block.
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
type Tile = [[f64; TALL]; WIDE];

/// A block of characters in fixed point, in the order in which products read them.
#[derive(Default)]
pub struct Fixed {
    /// For each group of columns its pairs of rows, one after the other; whole tiles of groups, the last ones of zeros.
    pairs: Vec<Pair>,
    /// Pairs of rows, and rows.
    count: usize,
    rows: usize,
    columns: usize,
    /// Sums of the columns in steps; zeros beyond the last one.
    steps: Vec<i64>,
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

    /// Deviation of what rounding adds to a character: a step over √6.
    pub const DEVIATION: f64 = 1.0 / (STEPS * 2.449_489_742_783_178);

    /// The most, about, that rounding E of S = CᵀC (n rows, M columns) changes solutions of S + μ by, as a share of them:
    /// ‖(S + μ)^-½ E (S + μ)^-½‖. \[mixed\]
    pub fn rounding(rows: f64, columns: f64, mu: f64) -> f64 {
        let [root, whole] = Self::parts(rows, columns);
        root / mu.sqrt() + whole / mu
    }

    /// The least μ for which that is so much.
    pub fn least(rows: f64, columns: f64, rounding: f64) -> f64 {
        let [root, whole] = Self::parts(rows, columns);
        ((root + (root * root + 4.0 * whole * rounding).sqrt()) / (2.0 * rounding)).powi(2)
    }

    /// What it has of 1/√μ, from CᵀΔ and ΔᵀC, and of 1/μ, from ΔᵀΔ and sums that were shifted.
    fn parts(rows: f64, columns: f64) -> [f64; 2] {
        let both = rows.sqrt() + columns.sqrt();
        let shifted = UNIT / 12f64.sqrt() * (rows / (2 * PAIRS) as f64).sqrt();
        [4.0 * Self::DEVIATION * columns.sqrt(), (Self::DEVIATION * both).powi(2) + 2.0 * columns.sqrt() * shifted]
    }

    /// Takes the characters (n×M) of a block, in the place of those before.
    pub fn pack<T: Real>(&mut self, c: MatRef<T>) {
        let groups = c.ncols().div_ceil(TALL) * (TALL / LANES);
        (self.count, self.rows, self.columns) = (c.nrows().div_ceil(2), c.nrows(), c.ncols());
        self.pairs.resize(groups * self.count, Pair([0; LANES]));
        self.steps.clear();
        self.steps.resize(groups * LANES, 0);
        self.blocks += 1;
        if self.count == 0 {
            return;
        }
        let blocks = self.blocks;
        let pack = |(group, (pairs, steps)): (usize, (&mut [Pair], &mut [i64]))| {
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
                    let bits = mixed((blocks << 40) + ((m as u64) << 16) + stretch as u64);
                    let (place, shift) = (bits as usize % PLACES, (bits >> 12) as f64 / (1u64 << 52) as f64);
                    round(pairs, lane, column, &CHANCE[place..], shift, &mut finite);
                }
            }
            pairs.chunks(LONG).for_each(|pairs| total(pairs, steps));
            finite
        };
        let groups = self.pairs.par_chunks_mut(self.count).zip(self.steps.par_chunks_mut(LANES));
        self.finite = groups.enumerate().map(pack).reduce(|| true, |a, b| a && b);
    }

    /// Adds CᵀC to the lower triangle of `s` (M×M) as [`rank_update`](super::rank_update) does; characters that are no
    /// numbers make it none. With their `sums` (M) before they were rounded only what is about the means is in fixed point:
    /// of errors along the means, which centring would leave behind, there are none. Bits depend on nothing but the characters.
    ///
    /// # Panics
    /// When the shapes do not agree, or `s` is not column-major.
    pub fn rank_update(&self, mut s: MatMut<f64>, sums: &[f64]) {
        assert!(sums.len() == self.columns, "{} sums of {} columns", sums.len(), self.columns);
        if !self.finite {
            (0..s.nrows()).for_each(|i| s[(i, i)] = f64::NAN);
            return;
        }
        let strip = (self.columns / 10).next_multiple_of(TALL).clamp(TALL, 3 * TALL);
        let root = (self.rows.max(1) as f64).sqrt();
        let mut means = Means { exact: vec![0.0; self.steps.len()], rounded: Vec::new() };
        means.exact.iter_mut().zip(sums).for_each(|(mean, sum)| *mean = sum / root);
        means.rounded = self.steps.iter().map(|sum| *sum as f64 / (STEPS * root)).collect();
        in_pieces(s, self.columns, strip, |piece| self.update(piece, &means));
    }

    fn group(&self, column: usize) -> &[Pair] {
        &self.pairs[column / LANES * self.count..][..self.count]
    }

    fn update(&self, piece: Piece, means: &Means) {
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
                        let s = &mut column_mut(s.as_mut(), k)[from..to];
                        let by = [means.exact[column + k], means.rounded[column + k]];
                        add(s, &sums[from - i..], &means.exact[row + from..], &means.rounded[row + from..], by);
                    }
                }
            }
        }
    }
}

/// √n times the means of the columns, as they were and as they were rounded.
struct Means {
    exact: Vec<f64>,
    rounded: Vec<f64>,
}

/// Adds sums of products to a column of S, with the means as they were in the place of the rounded ones.
#[inline(always)]
fn add_kernel<A: Arithmetic>(s: &mut [f64], sums: &[f64], exact: &[f64], rounded: &[f64], by: [f64; 2]) {
    for (((s, sum), exact), rounded) in s.iter_mut().zip(sums).zip(exact).zip(rounded) {
        *s += A::fma(*sum, UNIT, A::fma(by[0], *exact, -by[1] * *rounded));
    }
}

vectorised! {
    fn add(s: &mut [f64], sums: &[f64], exact: &[f64], rounded: &[f64], by: [f64; 2]) = add_kernel
}

/// Rounds a column of characters into one lane of the pairs of its rows: to the nearest number of steps after a part of
/// one, by chance, was added.
#[inline(always)]
fn round_kernel<A: Arithmetic, T: Real>(
    pairs: &mut [Pair],
    lane: usize,
    column: &[T],
    chance: &[f64],
    shift: f64,
    finite: &mut bool,
) {
    // 1.5·2⁵²: what is added to it is rounded to a whole number, which is then in the lowest bits
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    // so that nothing above 1 is made of 1
    const BELOW: f64 = 1.0 - 1e-9;
    let mut all = true;
    let mut bits = |c: T, chance: f64| {
        let c: f64 = c.into();
        all &= !c.is_nan();
        let chance = chance + shift;
        let chance = (chance - ((chance + WHOLE) - WHOLE)) * BELOW;
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
    fn round<T>(pairs: &mut [Pair], lane: usize, column: &[T], chance: &[f64], shift: f64, finite: &mut bool) = round_kernel
}

/// Adds the steps of some pairs, few enough for their sums to be words.
#[inline(always)]
fn total_kernel<A: Arithmetic>(pairs: &[Pair], steps: &mut [i64]) {
    let mut sums = [0i32; LANES];
    for Pair(words) in pairs {
        let steps = |word: i32| i32::from(word as i16).wrapping_add(word >> 16);
        sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(steps(*word)));
    }
    steps.iter_mut().zip(sums).for_each(|(steps, sum)| *steps += i64::from(sum));
}

vectorised!(fn total(pairs: &[Pair], steps: &mut [i64]) = total_kernel);

/// Sums of products of the columns of three groups with eight columns of one, from `lane` on: whole numbers of units.
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
                *sum += f64::from((from..to).map(product).fold(HALF, |a, b| a + b) >> SHIFT);
            }
        }
    }
}

/// What is added so that shifts round to the nearest, and what a sum that was shifted counts in.
const HALF: i32 = 1 << (SHIFT - 1);
const UNIT: f64 = (1 << SHIFT) as f64 / (STEPS * STEPS);

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::{HALF, LANES, LONG, PAIRS, Pair, SHIFT, TALL, Tile, WIDE};
    use std::arch::x86_64::*;

    const VECTORS: usize = TALL / LANES;

    #[target_feature(enable = "avx512f,avx512vnni")]
    pub fn products(left: [&[Pair]; VECTORS], right: &[Pair], lane: usize, sums: &mut Tile) {
        let [a, b, c] = left.map(|group| group.chunks(LONG));
        for (((a, b), c), right) in a.zip(b).zip(c).zip(right.chunks(LONG)) {
            long([a, b, c], right, lane, sums);
        }
    }

    #[target_feature(enable = "avx512f,avx512vnni")]
    fn long(left: [&[Pair]; VECTORS], right: &[Pair], lane: usize, sums: &mut Tile) {
        let mut total = [[_mm512_setzero_si512(); VECTORS]; WIDE];
        let [a, b, c] = left.map(|group| group.chunks(PAIRS));
        for (((a, b), c), right) in a.zip(b).zip(c).zip(right.chunks(PAIRS)) {
            let mut sums = [[_mm512_set1_epi32(HALF); VECTORS]; WIDE];
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
                    *total = _mm512_add_epi32(*total, _mm512_srai_epi32(sum, SHIFT));
                }
            }
        }
        for (sums, total) in sums.iter_mut().zip(total) {
            for (sums, total) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(total) {
                // SAFETY: as above.
                let total = unsafe { std::mem::transmute::<__m512i, [i32; LANES]>(total) };
                sums.iter_mut().zip(total).for_each(|(sum, total)| *sum += f64::from(total));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instruction sums as the definition does, to the bit; integers of 16 bits by sums in 64.
    #[test]
    fn registers_sum_as_integers_do() {
        let word = |i: usize| ((i * 7919 + 12_289) % 23_171) as i16 - STEPS as i16;
        let pair = |g: usize, k: usize| -> Pair {
            Pair(std::array::from_fn(|l| {
                let at = 2 * ((g * 1000 + k) * LANES + l);
                i32::from(word(at) as u16) | i32::from(word(at + 1)) << 16
            }))
        };
        for count in [1, PAIRS, PAIRS + 1, 300, LONG + 3] {
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
                    let error = plain[j][i] - exact as f64 / 256.0;
                    assert!(error.abs() <= 0.5 * count.div_ceil(PAIRS) as f64, "{} and {exact}", plain[j][i]);
                }
            }
        }
    }

    /// The largest sums of integers that there can be: all characters one, all of them minus one.
    #[test]
    fn sums_of_ones_do_not_overflow() {
        for sign in [1, -1] {
            let one = sign * STEPS as i32;
            let group = vec![Pair([i32::from(one as i16 as u16) | one << 16; LANES]); 2 * LONG + 100];
            let mut sums = [[0.0; TALL]; WIDE];
            products([&group[..]; 3], &group, 0, &mut sums);
            let rows = 2.0 * group.len() as f64;
            assert!(sums.as_flattened().iter().all(|sum| (UNIT * sum / rows - 1.0).abs() < 1e-7));
        }
    }
}
