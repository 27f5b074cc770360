//! Characters atom by atom, used up where they are made.

use super::FeatureMap;
use super::characters::Atoms;
use crate::kernel::Block;
use crate::rows::Inputs;
use faer::{Mat, MatMut};
use rayon::prelude::*;

/// Calls `f(cosines, sines, own)` for each atom of a block, with its characters of prepared rows (n each) and the `width` numbers
/// of `out` that belong to it. Atoms go in parallel, each by itself: nothing depends on the number of threads. Cost n·D·d.
///
/// # Panics
/// If `out` does not have `width` numbers for each atom.
pub fn by_atom(
    block: &Block,
    x: &Inputs,
    width: usize,
    out: &mut [f64],
    f: impl Fn(&[f64], &[f64], &mut [f64]) + Sync,
) {
    assert_eq!(out.len(), block.count() * width, "numbers of atoms");
    let (rows, strip) = (x.nrows(), block.omega.strip());
    let (stride, atoms) = (rows + 8, Atoms::of(x, &block.omega, &[], false));
    let buffers = || (vec![0.0; strip * stride], vec![0.0; strip * stride]);
    out.par_chunks_mut(strip * width).enumerate().for_each_init(buffers, |(cos, sin), (s, out)| {
        let len = out.len() / width;
        let (cos, sin) = (&mut cos[..len * stride], &mut sin[..len * stride]);
        atoms.pairs(s * strip, rows, stride, cos, sin);
        let columns = cos.chunks(stride).zip(sin.chunks(stride));
        out.chunks_mut(width).zip(columns).for_each(|(out, (cos, sin))| f(&cos[..rows], &sin[..rows], out));
    });
}

/// Rows of a panel of sums.
const PANEL: usize = 64;

impl FeatureMap {
    /// Sums of the characters of each group of atoms, times given coefficients (M), at prepared rows (n×groups): the atoms of the one
    /// block of pairs lie one group after the other. Rows do not influence each other. Cost n·M·d.
    ///
    /// # Panics
    /// If there is not one block of pairs, a multiple of `groups`, with a coefficient for each character.
    pub fn group_sums(&self, x: &Inputs, coefficients: &[f64], groups: usize) -> Mat<f64> {
        let block = &self.atoms().blocks[0];
        let count = block.count();
        assert!(self.atoms().blocks.len() == 1 && count.is_multiple_of(groups), "groups of atoms");
        assert_eq!(coefficients.len(), 2 * count, "coefficients of pairs");
        let (each, strip, stride) = (count / groups, block.omega.strip(), PANEL + 8);
        let (of_cos, of_sin) = coefficients.split_at(count);
        let packed = matches!(x, Inputs::Dense(_)).then(|| block.omega.packed(0, count)).flatten();
        let mut out = Mat::zeros(x.nrows(), groups);
        let buffers = || (vec![0.0; strip * stride], vec![0.0; strip * stride], vec![0.0; PANEL * groups]);
        type Buffers = (Vec<f64>, Vec<f64>, Vec<f64>);
        let panel = |(cos, sin, sums): &mut Buffers, i: usize, mut out: MatMut<f64>| {
            let rows = out.nrows();
            let x = x.slice(i * PANEL, i * PANEL + rows);
            let atoms = Atoms::plain(&x, &block.omega, packed.as_ref(), &[]);
            sums.fill(0.0);
            for start in (0..count).step_by(strip) {
                let len = strip.min(count - start);
                let (cos, sin) = (&mut cos[..len * stride], &mut sin[..len * stride]);
                atoms.pairs(start, rows, stride, cos, sin);
                for (j, (cos, sin)) in cos.chunks(stride).zip(sin.chunks(stride)).enumerate() {
                    let (a, b, group) = (of_cos[start + j], of_sin[start + j], (start + j) / each);
                    let sums = &mut sums[group * PANEL..][..rows];
                    sums.iter_mut().zip(cos.iter().zip(sin)).for_each(|(s, (c, d))| *s += a * c + b * d);
                }
            }
            for g in 0..groups {
                (0..rows).for_each(|i| out[(i, g)] = sums[g * PANEL + i]);
            }
        };
        out.par_row_chunks_mut(PANEL).enumerate().for_each_init(buffers, |buffers, (i, out)| panel(buffers, i, out));
        out
    }
}
