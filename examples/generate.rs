//! Generates the table of a material and tells how far the work is.
//!
//! ```sh
//! cargo run --release --features generate --example generate -- new-tables 3-2
//! ```

use lasca_tablebase::Progress;
use lasca_tablebase::generate::Generator;
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Writes reports to standard error.
struct Reports;

impl Progress for Reports {
    fn material_started(&self, material: Material, positions: u64) {
        eprintln!("{material}: {positions} positions");
    }

    fn slice_started(&self, _material: Material, columns: usize, positions: u64) {
        eprintln!("  {columns} columns: {positions} positions");
    }

    fn ply_done(&self, ply: u16, settled: u64) {
        eprint!("\r  {settled} positions decided in {ply} plies");
    }

    fn slice_finished(&self) {
        eprintln!();
    }
}

/// Generates a table, and writes where it is.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [folder, material] = arguments else {
        return Err("usage: generate FOLDER MATERIAL".into());
    };
    let generated = Generator::new(folder, RuleSet::Lasca).generate(material.parse()?, &Reports)?;
    let verb = if generated.was_there { "there already" } else { "written" };
    writeln!(out, "{}: {verb}", generated.path.display())?;
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
