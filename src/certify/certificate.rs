//! Certificates: the value of a position, and the strategies that prove it.

use super::strategy::{Strategy, StrategyGoal, StrategyMove};
use super::{CertifyError, file};
use crate::Value;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Color, OfficerPosition, Position, RuleSet};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// The version of the certificate's file format.
pub const FORMAT_VERSION: u32 = 1;

/// A limit that suits most certificates: how many positions [`Certificate::prove`] may collect.
pub const DEFAULT_MAX_POSITIONS: usize = 1_000_000;

/// What a certificate proves.
///
/// ```
/// use lasca_tablebase::Value;
/// use lasca_tablebase::certify::Verdict;
/// use lasca_tablebase::rules::Color;
/// let verdict = Verdict::of(Value::Loss(6), Color::Black);
/// assert_eq!(verdict, Verdict::Win { winner: Color::White, plies: 6 });
/// assert_eq!(verdict.to_string(), "white wins in 6");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One side wins, however the other side plays.
    Win {
        /// The side that wins.
        winner: Color,
        /// The most plies until then; 0 if the game is over.
        plies: u16,
    },
    /// Each side can avoid losing.
    Draw,
}

impl Verdict {
    /// What a value means when it is the value for `side_to_move`.
    pub fn of(value: Value, side_to_move: Color) -> Verdict {
        match value {
            Value::Win(plies) => Verdict::Win { winner: side_to_move, plies },
            Value::Loss(plies) => Verdict::Win { winner: !side_to_move, plies },
            Value::Draw => Verdict::Draw,
        }
    }
}

impl fmt::Display for Verdict {
    /// Prints it as it stands in the file: `white wins in 5` or `draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Win { winner, plies } => write!(f, "{} wins in {plies}", winner.name()),
            Verdict::Draw => f.write_str("draw"),
        }
    }
}

/// A proof of a position's value. See the [module](crate::certify).
#[derive(Clone, Debug)]
pub struct Certificate {
    rules: RuleSet,
    position: Position,
    verdict: Verdict,
    strategies: Vec<Strategy>,
}

impl Certificate {
    /// Looks up a position in the tables and collects the proof of its value. The proof may hold
    /// `max_positions` positions, which are those of both strategies if the position is drawn. The same
    /// tables give the same proof.
    ///
    /// # Errors
    /// If the tables do not cover the position, or the proof would be larger.
    ///
    /// ```
    /// # use lasca_tablebase::certify::{Certificate, CertifyError, Verdict};
    /// # use lasca_tablebase::probe::Tablebase;
    /// # use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
    /// let drawn = "c3W e3B c5W e5B b".parse()?;
    /// let certificate = Certificate::prove(&tables, &drawn, 5000)?;
    /// assert_eq!(certificate.verdict(), Verdict::Draw);
    /// assert_eq!(certificate.strategies().len(), 2);
    /// let error = Certificate::prove(&tables, &drawn, 5).unwrap_err();
    /// assert!(matches!(error, CertifyError::TooLarge { max_positions: 5, .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prove(
        tables: &Tablebase,
        position: &Position,
        max_positions: usize,
    ) -> Result<Certificate, CertifyError> {
        // A game that is over has a value whatever its columns are, but a certificate is about officers.
        OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
        let verdict = Verdict::of(tables.value(position)?, position.side_to_move());
        let strategies = match verdict {
            Verdict::Win { winner, .. } => {
                vec![Strategy::find(tables, position, winner, StrategyGoal::Win, max_positions, 0)?]
            }
            Verdict::Draw => {
                let find = |side, found| {
                    Strategy::find(
                        tables,
                        position,
                        side,
                        StrategyGoal::NotLose,
                        max_positions,
                        found,
                    )
                };
                let white = find(Color::White, 0)?;
                let black = find(Color::Black, white.len())?;
                vec![white, black]
            }
        };
        Ok(Certificate { rules: tables.rules(), position: *position, verdict, strategies })
    }

    /// The rules that the proof follows.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The position whose value it proves.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The value that it proves.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The winner's strategy; for a draw, White's and then Black's.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// Writes the certificate as text.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_text(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "lasca-certificate {FORMAT_VERSION}")?;
        writeln!(out, "rules {}", self.rules)?;
        writeln!(out, "position {}", self.position)?;
        writeln!(out, "verdict {}", self.verdict)?;
        for strategy in &self.strategies {
            writeln!(out, "strategy {} {}", strategy.side().name(), strategy.len())?;
            for StrategyMove { position, played, plies } in strategy.moves() {
                write!(out, "{position}: {played}")?;
                match plies {
                    Some(plies) => writeln!(out, " {plies}")?,
                    None => writeln!(out)?,
                }
            }
        }
        writeln!(out, "end")
    }

    /// Writes the certificate to a file and returns the length of the file. The file gets its name only
    /// when it is complete; it then replaces any file of that name.
    ///
    /// # Errors
    /// If the file cannot be written, or if something that is not a file has its name.
    pub fn save(&self, path: &Path, encoding: file::Encoding) -> io::Result<u64> {
        file::save(path, encoding, |out| self.write_text(out))
    }
}
