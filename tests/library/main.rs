//! The tests of the library through its public interface.

mod analysis;
mod answer;
mod arbitrary;
mod bounded;
mod certify;
mod changed_files;
mod examples;
mod find;
mod folders;
mod format;
mod fuzz_corpus;
mod loading;
mod make;
mod memory;
mod mutation;
mod naive_solver;
mod notation;
mod python_reader;
mod resources;
mod rules;
mod search;
mod serde;
mod shipped_tables;
mod study;

use lasca_common::{self as common, ROOT};
