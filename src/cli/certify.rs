//! `certify`: proves the value of a position in a file that can be checked without the tables.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::output::Output;
use crate::{json, question, text};
use lasca_tablebase::certify::{
    Certificate, CertifyError, DEFAULT_MAX_POSITIONS, Encoding, Verdict, check_target,
};
use lasca_tablebase::rules::RuleSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Prove who wins a position, in a file that can be checked without tables
///
/// The file is a certificate. For a win, it holds a move of the winner for every position that can
/// arise, with the number of plies left. For a draw, it holds for each side a move in every position
/// that can arise, so that this side never loses. To check it, a program needs to know only the
/// rules. tools/check_certificate.py does so, and docs/CERTIFICATE.md describes the file.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Exit status:
  0  The file is written.
  1  There is no proof: the tables do not cover the position, or the proof
     needs more positions than --max-positions.
  2  The text is not a position, or the file cannot be written.

Examples:
  lasca-tb certify \"a1WW e3BB w\" --out proof.zst
  lasca-tb certify \"a1WW e3BB w\" --plain --out proof.txt
  python3 tools/check_certificate.py proof.txt")]
pub struct Args {
    /// The position, in list form or row form; quotes are not needed
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// The file to write; an existing file is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Write plain text instead of compressing it with zstd
    #[arg(long)]
    plain: bool,

    /// The greatest number of positions that the proof may have
    #[arg(long, value_name = "N", default_value_t = default_max_positions())]
    max_positions: NonZeroUsize,

    #[command(flatten)]
    folders: Folders,

    /// Print one JSON object about the file
    ///
    /// Keys: position, rules, wdl and dtw (as in probe --json), winner (white, black, or null for a
    /// draw), white and black (the number of positions in the strategy of this side, or null if it
    /// needs none), path, bytes.
    #[arg(long)]
    json: bool,
}

const fn default_max_positions() -> NonZeroUsize {
    NonZeroUsize::new(DEFAULT_MAX_POSITIONS).unwrap()
}

/// Writes the certificate.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let position = question::read(&args.position.join(" ")).map_err(Failure::Wrong)?;
    let failed = |error| Failure::Wrong(format!("cannot write {}: {error}", args.out.display()));
    check_target(&args.out).map_err(failed)?;
    let tables = args.folders.open(rules.unwrap_or_default())?;
    let certificate = Certificate::prove(&tables, &position, args.max_positions.get())?;
    let encoding = if args.plain { Encoding::Plain } else { Encoding::Zstd };
    let bytes = certificate.save(&args.out, encoding).map_err(failed)?;
    let mut out = Output::new();
    let certified = json::Certified::new(&certificate, &args.out, bytes);
    if args.json {
        out.json(&certified)?;
    } else {
        out.line(summary(&certificate, &certified))?;
    }
    out.finish()?;
    Ok(Status::Affirmative)
}

fn summary(certificate: &Certificate, certified: &json::Certified) -> String {
    let claim = match certificate.verdict() {
        Verdict::Win { winner, plies } => format!("{winner} wins in {}", text::plies(plies)),
        Verdict::Draw => "drawn".to_owned(),
    };
    let positions: usize = certificate.strategies().iter().map(|strategy| strategy.len()).sum();
    format!(
        "{}: {claim}, proved with {} positions: {}, {}",
        certified.position,
        text::grouped(positions as u64),
        certified.path,
        text::bytes(certified.bytes),
    )
}

impl From<CertifyError> for Failure {
    fn from(error: CertifyError) -> Failure {
        match error {
            CertifyError::Probe(error) => error.into(),
            CertifyError::TooLarge { .. } => {
                Failure::Negative(format!("{error}; --max-positions allows more"))
            }
            other => Failure::Negative(other.to_string()),
        }
    }
}
