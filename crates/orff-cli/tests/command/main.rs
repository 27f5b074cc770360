//! The command as a user meets it: files in, files out, exit codes, sentences.

mod answers;
mod bounds;
mod classes;
mod curves;
mod desk;
mod experiment;
mod field;
mod learning;
mod manual;
mod outliers;
mod potential;
mod quantiles;
mod rows;
mod run;
mod series;
mod tasks;
