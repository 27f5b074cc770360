//! Characters that are kept between passes where there is room. \[sweep\]

use super::{Basis, Design, Seen, Visit};
use crate::error::Result;
use crate::rows::Weights;
use crate::watch::Watch;
use faer::Mat;
use std::cell::RefCell;

/// A design whose blocks are kept after the first whole pass, if they take no more bytes than there is room for; else each
/// pass makes them again. The blocks, and so all sums, are the same either way.
pub struct Kept<'a> {
    design: &'a dyn Design,
    state: RefCell<State>,
}

enum State {
    /// No pass yet, and the bytes that blocks may take.
    Empty(usize),
    Whole(Vec<Block>),
    /// They do not fit.
    Beyond,
}

struct Block {
    first: usize,
    characters: Mat<f64>,
    outputs: Mat<f64>,
    weights: Option<Weights>,
}

impl<'a> Kept<'a> {
    /// With room for so many bytes.
    pub fn new(design: &'a dyn Design, room: usize) -> Self {
        Kept { design, state: RefCell::new(State::Empty(room)) }
    }
}

impl Design for Kept<'_> {
    fn basis(&self) -> &dyn Basis {
        self.design.basis()
    }

    fn pass(&self, watch: &mut dyn Watch, visit: Visit) -> Result<()> {
        let room = match &*self.state.borrow() {
            State::Whole(blocks) => {
                for block in blocks {
                    let (characters, outputs) = (block.characters.as_ref(), block.outputs.as_ref());
                    visit(&Seen { first: block.first, characters, outputs, weights: block.weights.as_ref() })?;
                    watch.advance(characters.nrows() as u64)?;
                }
                return Ok(());
            }
            State::Beyond => 0,
            State::Empty(room) => *room,
        };
        let (mut blocks, mut used) = (Vec::new(), 0);
        self.design.pass(watch, &mut |seen| {
            used += 8 * seen.characters.nrows() * (seen.characters.ncols() + seen.outputs.ncols() + 1);
            if used <= room {
                blocks.push(Block {
                    first: seen.first,
                    characters: seen.characters.to_owned(),
                    outputs: seen.outputs.to_owned(),
                    weights: seen.weights.cloned(),
                });
            } else {
                blocks.clear();
            }
            visit(seen)
        })?;
        self.state.replace(if used <= room { State::Whole(blocks) } else { State::Beyond });
        Ok(())
    }
}
