//! Tables in and out: expected values are written by hand or come from other programs (`data/make.py`).

mod broken;
mod columns;
mod csv;
mod kit;
mod mutated;
mod out;
mod predict;
mod ranges;
mod sparse;
mod stream;
mod typed;
