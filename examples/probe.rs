//! Looks up a position: who wins, in how many plies, and what each move is worth.
//!
//! ```sh
//! cargo run --example probe -- tables "a1WW b2BB w"
//! ```

use lasca_tablebase::notation::board_text;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Position, RuleSet};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Writes what the tables of a folder say about a position.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [folder, position] = arguments else { return Err("usage: probe FOLDER POSITION".into()) };
    let position: Position = position.parse()?;
    let tables = Tablebase::open(folder, RuleSet::Lasca)?;
    writeln!(out, "{}", board_text(&position))?;
    writeln!(out, "For the side to move: {}", tables.value(&position)?)?;
    for rated in tables.moves(&position)? {
        writeln!(out, "{rated:16} {}", rated.value)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
