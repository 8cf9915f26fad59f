//! `lasca-tb`, the command line of the Lasca endgame tablebases: see `lib.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lasca_tb_cli::main()
}
