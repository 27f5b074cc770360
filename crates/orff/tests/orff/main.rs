//! The tests of the library, in one binary: dependencies are linked once.

mod archive;
mod bars;
mod classes;
mod exact;
mod expression;
mod field;
mod gather;
mod generate;
mod graph;
mod kernel;
mod learn;
mod linalg;
mod loss;
mod margins;
mod mixed;
mod panel;
mod partly;
mod ridge;
mod sequential;
mod series;
mod solvers;
mod spectrum;
mod stochastic;
mod tasks;
mod warp;
