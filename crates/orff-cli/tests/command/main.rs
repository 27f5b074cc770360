//! The command as a user meets it: files in, files out, exit codes, sentences.

mod answers;
mod classes;
mod desk;
mod experiment;
mod field;
mod manual;
mod rows;
mod run;
mod series;
mod tasks;
