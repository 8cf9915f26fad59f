//! The tests of the library through its public interface.

#[path = "../common/mod.rs"]
mod common;

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

/// The top folder of the source.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
