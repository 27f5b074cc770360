//! Rows in and out of Orff.
//!
//! [`Source`] reads the rows of CSV, Parquet, Arrow IPC, NumPy and svmlight files, or of standard input, in batches
//! ([`orff::rows::Rows`]). [`Select`] says which columns mean what; what was found out about them is one value,
//! [`Encoding`], that a model file stores and a source for prediction is built from. [`Writer`] writes rows.
//! [`Split`] is a part of any rows, for tests and folds.

mod arrays;
mod cell;
mod choose;
mod chunk;
mod column;
mod columnar;
mod encoding;
mod error;
mod fit;
mod format;
mod guard;
mod header;
mod keep;
mod label;
mod ipc;
mod meter;
mod numbers;
mod numpy;
mod open;
mod options;
mod page;
mod paths;
mod plan;
mod place;
mod pq;
mod sink;
mod sniff;
mod source;
mod split;
mod stream;
mod svmlight;
mod target;
mod task;
mod text;
mod write;
mod zip;

pub use cell::MISSING_TOKENS;
pub use column::Selector;
pub use encoding::{Code, Column, Encoding, Input, Labels, Sparse};
pub use error::{Error, Result};
pub use format::Format;
pub use keep::{Carried, Kept};
pub use numbers::Numbers;
pub use options::{Missing, Options, Select};
pub use page::Page;
pub use paths::expand;
pub use source::{Pages, Source};
pub use split::{Split, hash};
pub use task::Task;
pub use write::Writer;
