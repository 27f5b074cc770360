//! Orthogonal directions, row by row.

use crate::random::Stream;

/// The first `rows` rows of a d×d Haar orthogonal matrix (rows×d, row-major), from standard normals.
///
/// Gram–Schmidt row by row, twice for orthogonality to rounding: the rows before the last do not know that it exists,
/// so a shorter matrix is a prefix of a longer one. Time O(rows²·d).
pub(super) fn haar(rows: usize, d: usize, mut stream: Stream) -> Vec<f64> {
    let mut q = vec![0.0; rows * d];
    for i in 0..rows {
        let (done, rest) = q.split_at_mut(i * d);
        let row = &mut rest[..d];
        // In floating point a row may be (nearly) in the span of those before; its direction would be rounding noise.
        loop {
            row.iter_mut().for_each(|v| *v = stream.normal());
            let before = norm(row);
            for _ in 0..2 {
                for other in done.chunks_exact(d) {
                    let c = dot(row, other);
                    row.iter_mut().zip(other).for_each(|(v, o)| *v -= c * o);
                }
            }
            let after = norm(row);
            if after > 1e-10 * before {
                row.iter_mut().for_each(|v| *v /= after);
                break;
            }
        }
    }
    q
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// ⟨a, b⟩ in eight running sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a8.zip(b8) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    sums.iter().sum::<f64>() + tail
}
