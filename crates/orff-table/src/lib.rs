//! Rows in and out of Orff.
