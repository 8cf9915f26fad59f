//! The arguments of the command line.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::hints::{self, Given};
use crate::json::PROTOCOL;
use crate::output::Output;
#[cfg(feature = "server")]
use crate::serve;
use crate::terminal::be_quiet;
use crate::text::printable;
use crate::{
    certify, completions, explain, find, generate, list, man, moves, perft, picture, probe, review,
    solve, stats, study, verify,
};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use lasca_tablebase::table;
use std::env;
use std::ffi::OsString;
use std::sync::LazyLock;

/// Endgame tablebases for Lasca: generate, probe and verify officer-only endings
///
/// A table covers one material, such as 4-3: four white counters and three black ones, prisoners
/// included, all of them officers. For every position of this material it says who wins, and in how
/// many plies. A ply is one move by one side.
#[derive(Debug, Parser)]
#[command(
    name = "lasca-tb",
    version,
    long_version = VERSION.as_str(),
    max_term_width = 80,
    subcommand_help_heading = "Commands",
    arg_required_else_help = true,
    after_long_help = "\
Positions:
  a1WWW b2BBB w
    List form: each column as its square and its counters from the top down,
    and then the side to move (w or b).
  ,,,/,,/,,,/,,/,,,/BBB,,/WWW,,, w
    Row form: the squares of each rank, from rank 7 down to rank 1, and then the
    side to move.

In a column, W and B are officers; w and b are soldiers. There may be up to 22
counters. The word start is the starting position. The letter of a square and
the side to move may be in upper or lower case.

Results go to standard output. Everything else goes to standard error.

Documents, which are pages of the manual too (see lasca-tb help man):
  docs/COMMANDS.md      Positions and moves, and what commands have in common.
  docs/PROTOCOL.md      How programs ask, over standard input and HTTP.
  docs/SERVER.md        How to run a server.
  docs/STUDY_FORMAT.md  How to annotate endings.

Exit status:
  0  The command is done, and the answer is yes.
  1  The command is done, and the answer is no: a check failed, a claim is
     refuted, a result is open, nothing was found, a table is missing or
     damaged, or a named folder is missing. Or Ctrl-C stopped a search or a
     review, or a server before all requests were answered.
  2  The command is not done: the usage or the input is wrong, a file or folder
     cannot be read or written, the disk is full, memory is not enough, or
     another run makes the same table.
  129, 130, 143
     A closed terminal (129), Ctrl-C (130) or SIGTERM (143) ended the command
     in any other way. The same command continues generate.

Examples:
  lasca-tb generate --up-to 6
  lasca-tb probe \"a1WWW b2BBB w\""
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Generate(generate::Args),
    Probe(probe::Args),
    Explain(explain::Args),
    Solve(solve::Args),
    Study(study::Args),
    Review(review::Args),
    Certify(certify::Args),
    Verify(verify::Args),
    Stats(stats::Args),
    Find(find::Args),
    List(list::Args),
    #[cfg(feature = "server")]
    Serve(serve::Args),
    Moves(moves::Args),
    Perft(perft::Args),
    Picture(picture::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The version, and what else people and programs may have to know about this build.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    // The build script knows the commit, if this is built from a checkout.
    let commit = option_env!("LASCA_TB_COMMIT").map(|commit| format!(" (commit {commit})"));
    format!(
        "{}{}\ntable format: {}\nprotocol: {PROTOCOL}",
        env!("CARGO_PKG_VERSION"),
        commit.unwrap_or_default(),
        table::VERSION,
    )
});

/// What the command line can say.
pub fn command() -> clap::Command {
    // A number below 0 is a wrong value, and no unknown option.
    let value = |arg: Arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    // It has this name whatever its file is called.
    let program = Cli::command().bin_name("lasca-tb").mut_args(value);
    program.mut_subcommands(|command| command.mut_args(value))
}

/// The words of the command line. The shells of Windows leave patterns of file names to the program. Only these
/// commands take files, and `serve --host *` is no pattern.
fn words() -> Vec<OsString> {
    #[cfg(windows)]
    if env::args_os().any(|word| word == "study" || word == "review") {
        return wild::args_os().collect();
    }
    env::args_os().collect()
}

/// Reads the command line, and remembers what messages and output depend on.
pub fn parse() -> Result<Cli, clap::Error> {
    let matches = command().try_get_matches_from(words()).map_err(shown)?;
    refuse_json(&matches)?;
    let cli = Cli::from_arg_matches(&matches)?;
    if cli.global.quiet {
        be_quiet();
    }
    let folders = &cli.global.folders;
    hints::remember(Given { folders: folders.named(), rules: cli.global.rules() });
    Ok(cli)
}

/// The same error about the arguments as it may be shown.
fn shown(error: clap::Error) -> clap::Error {
    let words = words().into_iter().map(|word| printable(&word.to_string_lossy()));
    command().try_get_matches_from(words).err().unwrap_or(error)
}

/// The commands that print no JSON.
const WITHOUT_JSON: [&str; 5] = ["serve", "perft", "picture", "completions", "man"];

/// Refuses `--json` with one of them.
fn refuse_json(matches: &ArgMatches) -> Result<(), clap::Error> {
    match matches.subcommand_name() {
        Some(name) if matches.get_flag("json") && WITHOUT_JSON.contains(&name) => {
            let why = format!("{name} prints no JSON, so --json is of no use with it");
            Err(command().error(ErrorKind::ArgumentConflict, why))
        }
        _ => Ok(()),
    }
}

/// Prints the help, or an error about the arguments, if this process is the one that tells it.
pub fn report(error: &clap::Error, tells: bool) -> Result<Status, Failure> {
    if error.use_stderr() {
        // If this fails, there is nobody to tell.
        let _ = if tells { error.print() } else { Ok(()) };
        return Ok(Status::Wrong);
    }
    if tells {
        Output::new().write_with(|_| error.print())?;
    }
    Ok(Status::Affirmative)
}
