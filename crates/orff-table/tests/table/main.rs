//! Tables in and out: expected values are written by hand or come from other programs (`data/README.md`).

mod csv;
mod kit;
mod typed;
