//! `certify`: a proof of a position's value that stands without the tables.

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

/// Prove who wins a position, in a file that stands without the tables
///
/// The file holds, for a win, the winner's move in every position that it can come to, with the
/// plies that are left; for a draw, such a set of positions for each side, which the other side has no
/// way out of. Whoever knows the rules can check it: tools/check_certificate.py does.
/// docs/CERTIFICATE.md describes the file.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Exit status:
  0  the file is written
  1  no proof: the tables do not have the position, or the proof would be
     larger than --max-positions
  2  not done: the text is no position, or the file cannot be written

Examples:
  lasca-tb certify \"a1WW e3BB w\" --out proof.zst
  lasca-tb certify \"a1WW e3BB w\" --plain --out proof.txt
  python3 tools/check_certificate.py proof.txt")]
pub struct Args {
    /// The position, in list or row form; its words need no quotes
    #[arg(value_name = "POSITION", required = true)]
    position: Vec<String>,

    /// The file to write; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Write the text as it is; else it is compressed with zstd
    #[arg(long)]
    plain: bool,

    /// The most positions that the proof may hold
    #[arg(long, value_name = "N", default_value_t = default_max_positions())]
    max_positions: NonZeroUsize,

    #[command(flatten)]
    folders: Folders,

    /// Say what was written as a JSON object
    ///
    /// Keys: position, rules, wdl and dtw (as probe says them), winner (white, black, or null for a
    /// draw), white and black (positions in that side's strategy, null if it has none), path, bytes.
    #[arg(long)]
    json: bool,
}

const fn default_max_positions() -> NonZeroUsize {
    NonZeroUsize::new(DEFAULT_MAX_POSITIONS).unwrap()
}

/// Writes the certificate.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let position = question::read(&args.position.join(" ")).map_err(Failure::Wrong)?;
    let failed = |error| Failure::Wrong(format!("writing {}: {error}", args.out.display()));
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
                Failure::Negative(format!("{error}; allow more with --max-positions"))
            }
            other => Failure::Negative(other.to_string()),
        }
    }
}
