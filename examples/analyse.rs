//! Reads a file of positions, one on each line, and writes their values and best moves.
//!
//! Empty lines and lines that begin with `#` are left out. A line without an answer does not stop the
//! others.
//!
//! ```sh
//! cargo run --example analyse -- tables positions.txt
//! ```

use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Position, RuleSet};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

/// Writes a line for each position of a file.
///
/// # Errors
/// If a file or folder cannot be read; and in the end, if there were lines without an answer.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [folder, path] = arguments else { return Err("usage: analyse FOLDER FILE".into()) };
    let tables = Tablebase::open(folder, RuleSet::Lasca)?;
    let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
    let mut failed = 0;
    for (number, line) in BufReader::new(file).split(b'\n').enumerate() {
        let line = line.map_err(|error| format!("{path}: {error}"))?;
        // Bytes that are no text become characters that are in no position.
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        match answer(&tables, text) {
            Ok(answer) => writeln!(out, "{text}: {answer}")?,
            Err(error) => {
                failed += 1;
                writeln!(out, "{text}: no answer (line {}): {error}", number + 1)?;
            }
        }
    }
    if failed > 0 { Err(format!("lines without an answer: {failed}").into()) } else { Ok(()) }
}

fn answer(tables: &Tablebase, text: &str) -> Result<String, Box<dyn Error>> {
    let position: Position = text.parse()?;
    let value = tables.value(&position)?;
    Ok(match tables.best_move(&position)? {
        Some(best) => format!("{value}, best {best}"),
        None => format!("{value}, the game is over"),
    })
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
