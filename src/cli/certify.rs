//! `certify`: proves the value of a position in a file that can be checked without the tables.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::interrupt::{self, CANCELLED};
use crate::memory::MemoryLimit;
use crate::output::{Output, is_standard};
use crate::parsers;
use crate::progress::SearchProgress;
use crate::terminal::note;
use crate::{json, text, threads};
use lasca_tablebase::answer::tables_with_distances;
use lasca_tablebase::certify::{
    Certificate, CertifyError, DEFAULT_MAX_POSITIONS, Verdict, check_target,
};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::search::{Limits, Solver, Stop};
use std::path::PathBuf;
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
    /// The position, in list form or row form; start is the starting position; quotes are not needed
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

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
    memory: MemoryLimit,
}

/// Writes the certificate.
pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let position = parsers::position(&args.position.join(" ")).map_err(Failure::Wrong)?;
    let failed = |error| Failure::Wrong(format!("cannot write {}: {error}", args.out.display()));
    let to_stdout = is_standard(&args.out);
    if to_stdout && global.json {
        return Err(Failure::Wrong(
            "expected a file after --out: with --json, standard output is for JSON".to_owned(),
        ));
    }
    if !to_stdout {
        check_target(&args.out).map_err(failed)?;
    }
    threads::start()?;
    let rules = global.rules();
    let tables = global.folders.open_if_any(rules)?;
    let tables = tables_with_distances(tables.as_ref(), &position)?;
    let certificate = match tables.map(|tables| args.by_tables(tables, &position)) {
        Some(Ok(certificate)) => certificate,
        Some(Err(CertifyError::Probe(
            ProbeError::NotOfficers(_) | ProbeError::BeyondColumns { .. },
        )))
        | None => args.by_search(tables, &position, rules)?,
        Some(Err(error)) => return Err(error.into()),
    };
    let mut out = Output::new();
    if to_stdout {
        out.write_with(|out| certificate.write_text(out))?;
        out.finish()?;
        note(&claim(&certificate));
        return Ok(Status::Affirmative);
    }
    let bytes = certificate.save(&args.out).map_err(failed)?;
    let certified = json::Certified::new(&certificate, &args.out, bytes);
    if global.json {
        out.json(&certified)?;
    } else {
        let size = text::bytes(bytes);
        let path = text::printable(&certified.path);
        out.line(format!("{}: {path}, {size}", claim(&certificate)))?;
    }
    out.finish()?;
    Ok(Status::Affirmative)
}

impl Args {
    fn by_tables(
        &self,
        tables: &Tablebase,
        position: &Position,
    ) -> Result<Certificate, CertifyError> {
        Certificate::prove(tables, position, self.max_positions)
    }

    fn by_search(
        &self,
        tables: Option<&Tablebase>,
        position: &Position,
        rules: RuleSet,
    ) -> Result<Certificate, Failure> {
        interrupt::watch_for_ctrl_c()?;
        let memory = self.memory.memory();
        let failed = |error| memory.failure(&error);
        let mut solver = Solver::new(position, rules, tables, memory.bytes()).map_err(failed)?;
        let limits =
            Limits { time: self.seconds, threads: threads::count(), cancelled: Some(&CANCELLED) };
        let progress = SearchProgress::new();
        let stop = interrupt::until_cancelled(|| solver.run(&limits, &progress)).map_err(failed)?;
        drop(progress);
        Certificate::of_search(&mut solver, self.max_positions).map_err(|error| {
            match (error, stop) {
                (CertifyError::Search(error), _) => failed(error),
                (error @ CertifyError::Open { .. }, Stop::Time) => {
                    Failure::Negative(format!("{error}; --seconds allows more time"))
                }
                (error @ CertifyError::Open { .. }, Stop::Memory) => {
                    Failure::Negative(format!("{error}; the memory was full; {}", memory.limit()))
                }
                (error @ CertifyError::Open { .. }, Stop::Cancelled) => {
                    Failure::Negative(format!("{error}; the search was stopped"))
                }
                (error, _) => error.into(),
            }
        })
    }
}

/// What the certificate proves, with how many positions.
fn claim(certificate: &Certificate) -> String {
    let claim = match certificate.verdict() {
        Verdict::Win { winner, plies } if certificate.is_exact() => {
            format!("{winner} wins in {}", text::plies(plies))
        }
        Verdict::Win { winner, plies } => {
            format!("{winner} wins in at most {}", text::plies(plies))
        }
        Verdict::Draw => "drawn".to_owned(),
    };
    let positions: usize = certificate.strategies().iter().map(|strategy| strategy.len()).sum();
    format!(
        "{}: {claim}, proved with {} {}",
        certificate.position(),
        text::grouped(positions as u64),
        if positions == 1 { "position" } else { "positions" },
    )
}

impl From<CertifyError> for Failure {
    fn from(error: CertifyError) -> Failure {
        match error {
            CertifyError::Probe(error) => error.into(),
            CertifyError::TooLarge { .. } => {
                Failure::Negative(format!("{error}; --max-positions allows more"))
            }
            CertifyError::Search(error) => Failure::Wrong(error.to_string()),
            other => Failure::Negative(other.to_string()),
        }
    }
}
