//! `certify`: proves the value of a position in a file that can be checked without the tables.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::interrupt;
use crate::make::{FOR_ONE, ToBeMade};
use crate::memory::{ALLOWS_MORE, MemoryLimit, search_failure};
use crate::output::{Output, check_file, is_standard_output, not_written};
use crate::parsers;
use crate::positions::OnePosition;
use crate::progress::SearchProgress;
use crate::terminal::note;
use crate::{text, threads};
use lasca_analysis::answer::SearchLimits;
use lasca_analysis::certify::{Certificate, CertifyError, DEFAULT_MAX_POSITIONS};
use lasca_analysis::search::{Budget, Stop};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::{Outcome, Reason, Value, Wdl};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Prove who wins a position, in a file that can be checked without tables
///
/// The file is a certificate, which is plain text. For a win, it holds a move of the winner for every
/// position that can arise, with the number of plies left. For a draw, it holds for each side a move
/// in every position that can arise, so that this side never loses. To check it, a program needs to
/// know only the rules. tools/check_certificate.py does so, and docs/CERTIFICATE.md describes the
/// file.
///
/// If the tables cover the position, they give the proof. Any other position is searched first, as
/// `solve` does it. The proof of a win then holds the number of plies that it needs at most.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Exit status:
  0  The file is written.
  1  There is no proof: the result is still open when a limit is reached or
     memory is full, a table is damaged, or the proof needs more positions than
     --max-positions.
  2  The text is not a position, a table cannot be read, memory is not enough to
     begin, or the file cannot be written.

Examples:
  lasca-tb certify \"a1WW e3BB w\" --out proof.txt
  lasca-tb certify \"a1B b2w b4wwb w\" --seconds 60 --out proof.txt
  python3 tools/check_certificate.py proof.txt")]
pub struct Args {
    #[command(flatten)]
    position: OnePosition,

    /// The file to write, which replaces an existing one; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: PathBuf,

    /// The greatest number of positions that the proof may have
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_POSITIONS,
        value_parser = parsers::number::<usize>(1..=1_000_000_000_000))]
    max_positions: usize,

    /// The time limit of a search, in seconds [default: none]
    #[arg(short, long, value_name = "S", value_parser = parsers::seconds)]
    seconds: Option<Duration>,

    #[command(flatten)]
    make: ToBeMade,

    #[command(flatten)]
    memory: MemoryLimit,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let position = args.position.read()?;
    let to_stdout = is_standard_output(&args.out);
    if to_stdout && global.json {
        let why = "expected a file after --out: with --json, standard output is for JSON";
        return Err(Failure::usage(why));
    }
    check_file(&args.out)?;
    let rules = global.rules();
    let tables = global.folders.open(rules)?;
    interrupt::watch_for_ctrl_c()?;
    let (most, memory) = (args.max_positions, args.memory.bytes());
    let (time, threads) = (args.seconds, threads::count());
    let search = SearchLimits { time, threads, memory, ..SearchLimits::default() };
    let maker = args.make.maker(FOR_ONE, global);
    let prove = |search: SearchLimits| {
        Certificate::prove(&position, &tables, most, search.memory, |solver| {
            let progress = SearchProgress::new();
            solver.run(&Budget::new(search.time, threads, &progress))
        })
    };
    let certificate =
        interrupt::stoppable(0, || maker.search_and_make(&tables, &position, search, None, prove));
    let certificate = certificate.map_err(failure)?;
    let mut out = Output::new();
    if to_stdout {
        out.write_with(|out| certificate.write_text(out))?;
        note(&claim(&certificate));
        return Ok(Status::Affirmative);
    }
    let bytes = certificate.save(&args.out).map_err(|error| not_written(&args.out, &error))?;
    let as_text = || {
        let path = text::printable(&args.out.display().to_string());
        vec![format!("{}: {path}, {}", claim(&certificate), text::bytes(bytes))]
    };
    out.result(global.json, || Certified::new(&certificate, &args.out, bytes), as_text)?;
    Ok(Status::Affirmative)
}

/// What it means for the command that there is no certificate.
fn failure(error: CertifyError) -> Failure {
    let (why, hint) = match &error {
        CertifyError::Probe(error) => return search_failure(error),
        CertifyError::TooLarge { .. } => ("", Some("--max-positions allows more")),
        CertifyError::Open { stop, .. } => match stop {
            Some(Stop::Time) => ("", Some("a larger --seconds may be enough")),
            Some(Stop::Memory) => ("the memory was full: ", Some(ALLOWS_MORE)),
            Some(Stop::Cancelled) => ("the search was stopped: ", None),
            Some(Stop::TooManyMoves) => ("a position has more moves than are listed: ", None),
            Some(Stop::Solved | Stop::NoDistances) | None => ("", None),
        },
        _ => ("", None),
    };
    let failure = Failure::negative(Reason::NotCovered, format!("{why}{error}"));
    hint.into_iter().fold(failure, Failure::with_hint)
}

/// A certificate that has been written: `certify --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Certified {
    /// The position in list form.
    position: Position,
    /// The rule set.
    rules: RuleSet,
    /// Who wins, for the side to move.
    #[cfg_attr(feature = "schema", schemars(with = "Wdl"))]
    wdl: Option<Wdl>,
    /// The distance to the end of the game, in plies; `null` for a draw, or if the exact distance is not known.
    dtw: Option<u16>,
    /// The plies that the proof of a win or loss needs at most; `null` for a draw.
    at_most: Option<u16>,
    /// Who wins; `null` for a draw.
    winner: Option<Color>,
    /// How many positions White's strategy has; `null` if there is none.
    white: Option<usize>,
    /// How many positions Black's strategy has; `null` if there is none.
    black: Option<usize>,
    /// The certificate's file.
    path: String,
    /// The length of the file, in bytes.
    bytes: u64,
}

impl Certified {
    /// The line for a certificate that was written to a file of this many bytes.
    fn new(certificate: &Certificate, path: &Path, bytes: u64) -> Certified {
        let value = certificate.value();
        let strategies = certificate.strategies();
        let positions = |side: Color| strategies.iter().find(|s| s.side() == side).map(|s| s.len());
        Certified {
            position: *certificate.position(),
            rules: certificate.rules(),
            wdl: value.wdl(),
            dtw: value.exact().and_then(Value::dtw),
            at_most: value.at_most(),
            winner: certificate.outcome().winner(),
            white: positions(Color::White),
            black: positions(Color::Black),
            path: path.display().to_string(),
            bytes,
        }
    }
}

/// What the certificate proves, with how many positions.
fn claim(certificate: &Certificate) -> String {
    let claim = match (certificate.outcome(), text::in_plies(certificate.value())) {
        (Outcome::Win(winner), distance) => format!("{winner} wins{distance}"),
        (Outcome::Draw, _) => "drawn".to_owned(),
    };
    let positions: usize = certificate.strategies().iter().map(|strategy| strategy.len()).sum();
    format!(
        "{}: {claim}, proved with {} {}",
        certificate.position(),
        text::grouped(positions as u64),
        if positions == 1 { "position" } else { "positions" },
    )
}
