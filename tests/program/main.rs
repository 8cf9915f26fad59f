//! The tests of the program `lasca-tb`, as people and other programs meet it: what goes where, the keys
//! of the JSON lines, the exit statuses, and one clear message for bad input of every kind.

#[path = "../common/mod.rs"]
mod common;
mod run;
#[cfg(feature = "server")]
mod server;

mod bounded;
mod certify;
mod damage;
mod find;
mod folders;
mod generate;
mod global;
mod hints;
#[cfg(unix)]
mod interruption;
mod limits;
mod memory;
mod moves;
mod probe;
mod protocol;
#[cfg(all(unix, feature = "server"))]
mod replaced;
mod report;
mod schemas;
#[cfg(feature = "server")]
mod serve;
#[cfg(feature = "server")]
mod serve_solve;
mod setup;
mod solve;
mod stats;
mod study;
mod suggestions;
mod sums;
mod usage;
mod verify;

/// The program of this build.
const BINARY: &str = env!("CARGO_BIN_EXE_lasca-tb");

/// The top folder of the source.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
