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
        Ok(Sobol { columns: columns.collect(), shift: vec![0; dimensions] })
    }

    /// Scrambled by the random numbers of `stream(k)` for dimension k: each point alone is uniform, and together they
    /// stay a digital net (Matoušek 1998, the linear scramble with a shift).
    pub fn scrambled(dimensions: usize, stream: impl Fn(u64) -> Stream) -> Result<Self> {
        let mut net = Self::plain(dimensions)?;
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
        let gray = j ^ (j >> 1);
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
