//! The tests of the program `lasca-tb`, as people and other programs meet it: what goes where, the keys
//! of the JSON lines, the exit statuses, and one clear message for bad input of every kind.

mod run;
#[cfg(feature = "server")]
mod server;

mod bounded;
mod cases;
mod certify;
mod damage;
mod file_systems;
mod find;
mod folders;
mod generate;
mod global;
mod hints;
#[cfg(unix)]
mod interruption;
mod limits;
mod memory;
mod probe;
mod protocol;
mod reasons;
#[cfg(all(unix, feature = "server"))]
mod replaced;
mod schemas;
#[cfg(feature = "server")]
mod serve;
#[cfg(feature = "server")]
mod serve_limits;
#[cfg(feature = "server")]
mod serve_solve;
mod setup;
mod stats;
mod study;
mod usage;
mod verify;

use lasca_common::{self as common, ROOT};

/// The program of this build.
const BINARY: &str = env!("CARGO_BIN_EXE_lasca-tb");

/// An ending of fourteen counters that Lasker published in 1911. White wins.
const LASKER: &str = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

/// Under the rules `rejump`, this has over 100,000 moves.
#[cfg(feature = "server")]
const TOO_MANY_MOVES: &str = "c3W b4BBBB b6BB d2BBB d4BBBBB d6BBB f2B f4BBB w";

/// The position that a game starts from, which nobody has solved.
const START: &str = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";
