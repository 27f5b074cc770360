//! Sobol points with a random linear scramble and a digital shift.

use crate::error::{Error, Result};
use crate::random::{Stream, open_unit};

/// Direction numbers new-joe-kuo-6.21201 (Joe and Kuo 2008) of dimensions 2 to [`LIMIT`]: for each dimension the
/// primitive polynomial as an integer, then as many initial numbers as its degree, all little-endian u16.
static NUMBERS: &[u8] = include_bytes!("sobol.bin");

/// The dimensions whose polynomial has degree at most 15.
pub(super) const LIMIT: usize = 3667;

/// Bits of a point's index, and of an unscrambled coordinate.
const BITS: usize = 32;

/// Bits of a scrambled coordinate.
const DIGITS: usize = 52;

/// The digital net in `dimensions` dimensions: point j is the exclusive or of the columns at the bits of j's Gray code.
pub(super) struct Sobol {
    /// 32 columns per dimension.
    columns: Vec<[u64; BITS]>,
    shift: Vec<u64>,
    /// Key of the order in which the points are taken.
    order: Option<u64>,
}

impl Sobol {
    /// Unscrambled, 52 digits of which the first 32 are used.
    pub fn plain(dimensions: usize) -> Result<Self> {
        if dimensions > LIMIT {
            return Err(Error::refused(
                format!("a quasi-monte-carlo draw of {dimensions} coordinates per atom"),
                format!("the table of Sobol direction numbers ends at {LIMIT} (use draw iid or orthogonal)"),
            ));
        }
        let mut numbers = NUMBERS.chunks_exact(2).map(|pair| u64::from(u16::from_le_bytes([pair[0], pair[1]])));
        let columns = (0..dimensions).map(|k| {
            let mut m = [1; BITS]; // dimension 1: van der Corput
            if k > 0 {
                let polynomial = numbers.next().unwrap_or(3);
                let degree = polynomial.ilog2() as usize;
                m[..degree].iter_mut().for_each(|m| *m = numbers.next().unwrap_or(1));
                for i in degree..BITS {
                    m[i] = m[i - degree] ^ (m[i - degree] << degree);
                    for r in 1..degree {
                        m[i] ^= ((polynomial >> (degree - r)) & 1) * (m[i - r] << r);
                    }
                }
            }
            std::array::from_fn(|i| m[i] << (DIGITS - 1 - i))
        });
        Ok(Sobol { columns: columns.collect(), shift: vec![0; dimensions], order: None })
    }

    /// Scrambled by the random numbers of `stream(k)` for dimension k: each point alone is uniform, and together they
    /// stay a digital net (Matoušek 1998, the linear scramble with a shift). `stream(dimensions)` gives the order, so
    /// that two nets may be used side by side, as in a product of kernels (Burley 2020).
    pub fn scrambled(dimensions: usize, stream: impl Fn(u64) -> Stream) -> Result<Self> {
        let mut net = Self::plain(dimensions)?;
        net.order = Some(stream(dimensions as u64).bits());
        for (k, (columns, shift)) in net.columns.iter_mut().zip(&mut net.shift).enumerate() {
            let mut stream = stream(k as u64);
            // Lower triangular with unit diagonal: digit i of the input goes to digit i and to random later digits.
            let images: [u64; BITS] = std::array::from_fn(|i| {
                let below = DIGITS - 1 - i;
                1 << below | stream.bits() & ((1 << below) - 1)
            });
            for column in columns {
                let digits = *column;
                *column = (0..BITS).filter(|i| digits >> (DIGITS - 1 - i) & 1 == 1).fold(0, |sum, i| sum ^ images[i]);
            }
            *shift = stream.bits() >> (64 - DIGITS);
        }
        Ok(net)
    }

    /// Point j, with 52 digits per coordinate.
    pub fn digits(&self, j: u32) -> impl Iterator<Item = u64> + '_ {
        let place = self.order.map_or(j, |key| permute(j, key));
        let gray = place ^ (place >> 1);
        self.columns.iter().zip(&self.shift).map(move |(columns, shift)| {
            let (mut bits, mut sum) = (gray, *shift);
            while bits != 0 {
                sum ^= columns[bits.trailing_zeros() as usize];
                bits &= bits - 1;
            }
            sum
        })
    }

    /// Point j strictly inside the unit cube.
    pub fn point(&self, j: u32) -> impl Iterator<Item = f64> + '_ {
        self.digits(j).map(open_unit)
    }
}

/// A random nested permutation of the indices: bit i is flipped or not by what stands above it, so that the first 2^m
/// indices go to another aligned block of 2^m, and every such block is a net.
fn permute(j: u32, key: u64) -> u32 {
    (0..BITS as u32).fold(j, |place, i| {
        let above = (u64::from(j) >> i >> 1) << 6 | u64::from(i);
        place ^ ((mix(key ^ mix(above)) >> 63) as u32) << i
    })
}

/// The finaliser of splitmix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unscrambled(net: &Sobol, j: u32) -> Vec<f64> {
        net.digits(j).map(|digits| digits as f64 / (1u64 << DIGITS) as f64).collect()
    }

    #[test]
    fn the_points_are_scipys() {
        // scipy.stats.qmc.Sobol(5, scramble=False).random(8)
        let net = Sobol::plain(5).unwrap();
        let expected = [
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25, 0.25, 0.75],
            [0.25, 0.75, 0.75, 0.75, 0.25],
            [0.375, 0.375, 0.625, 0.875, 0.375],
            [0.875, 0.875, 0.125, 0.375, 0.875],
            [0.625, 0.125, 0.875, 0.625, 0.625],
            [0.125, 0.625, 0.375, 0.125, 0.125],
        ];
        for (j, point) in expected.iter().enumerate() {
            assert_eq!(unscrambled(&net, j as u32), point);
        }
        // dimensions 8, 100, 1024 and 1500 of 1500; 3001 and 3667 of 3667
        let net = Sobol::plain(LIMIT).unwrap();
        for (j, point) in [
            (100, [0.4765625, 0.8828125, 0.9453125, 0.7734375]),
            (777, [0.7626953125, 0.5107421875, 0.4521484375, 0.6123046875]),
            (1023, [0.6181640625, 0.5302734375, 0.9951171875, 0.3037109375]),
        ] {
            let found = unscrambled(&net, j);
            assert_eq!([7, 99, 1023, 1499].map(|k| found[k]), point);
        }
        let found = unscrambled(&net, 1000);
        assert_eq!([found[3000], found[3666]], [0.1787109375, 0.8935546875]);
    }

    #[test]
    fn the_order_permutes_every_aligned_block() {
        for key in 0..20 {
            for m in [0, 1, 5, 10] {
                let mut places: Vec<u32> = (0..1 << m).map(|j| permute(j, key)).collect();
                places.sort_unstable();
                assert!(places.iter().enumerate().all(|(i, p)| *p == places[0] + i as u32));
                assert_eq!(places[0] % (1 << m), 0);
            }
        }
    }

    #[test]
    fn the_table_ends_at_the_limit() {
        let mut numbers = NUMBERS.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let mut dimensions = 1;
        while let Some(polynomial) = numbers.next() {
            (0..polynomial.ilog2()).for_each(|_| assert_eq!(numbers.next().unwrap() % 2, 1));
            dimensions += 1;
        }
        assert_eq!(dimensions, LIMIT);
    }

    #[test]
    fn scrambled_points_keep_one_per_cell_and_fill_the_open_cube() {
        for seed in 0..20 {
            let net = Sobol::scrambled(6, |k| Stream::new(seed, 0, k)).unwrap();
            let points: Vec<Vec<f64>> = (0..256).map(|j| net.point(j).collect()).collect();
            assert!(points.iter().flatten().all(|u| 0.0 < *u && *u < 1.0));
            for k in 0..6 {
                let mut hit = [false; 256];
                points.iter().for_each(|p| hit[(p[k] * 256.0) as usize] = true);
                assert!(hit.iter().all(|h| *h));
            }
            // dimensions 1 and 2 are a (0, 8, 2)-net: one point in each cell of 16×16
            let mut hit = [false; 256];
            points.iter().for_each(|p| hit[(p[0] * 16.0) as usize * 16 + (p[1] * 16.0) as usize] = true);
            assert!(hit.iter().all(|h| *h));
        }
    }
}
