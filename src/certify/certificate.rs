//! A certificate: what is claimed of a position, and the strategies that prove it.

use super::strategy::{Goal, Strategy};
use super::{CertifyError, file};
use crate::Value;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Color, OfficerPosition, Position, RuleSet};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// The version of the file format.
pub const FORMAT_VERSION: u32 = 1;

/// The most positions of a certificate unless another limit is set.
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
    /// One side wins, however the other plays.
    Win {
        /// The side that wins.
        winner: Color,
        /// The most plies that this takes; 0 if the game is over.
        plies: u16,
    },
    /// Neither side loses unless it wants to.
    Draw,
}

impl Verdict {
    /// What a value for `side_to_move` says.
    pub fn of(value: Value, side_to_move: Color) -> Verdict {
        match value {
            Value::Win(plies) => Verdict::Win { winner: side_to_move, plies },
            Value::Loss(plies) => Verdict::Win { winner: !side_to_move, plies },
            Value::Draw => Verdict::Draw,
        }
    }
}

impl fmt::Display for Verdict {
    /// As in the file: `white wins in 5`, `draw`.
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
    /// Looks a position up and collects the proof of its value: at most `max_positions` positions,
    /// those of both strategies together if it is drawn. The same tables give the same proof.
    ///
    /// # Errors
    /// If the tables do not have the position, or the proof would be larger.
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
        // A game that is over has a value whatever the columns are; a certificate is of officers.
        OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
        let verdict = Verdict::of(tables.value(position)?, position.side_to_move());
        let strategies = match verdict {
            Verdict::Win { winner, .. } => {
                vec![Strategy::find(tables, position, winner, Goal::Win, max_positions, 0)?]
            }
            Verdict::Draw => {
                let find = |side, found| {
                    Strategy::find(tables, position, side, Goal::NotLose, max_positions, found)
                };
                let white = find(Color::White, 0)?;
                let black = find(Color::Black, white.len())?;
                vec![white, black]
            }
        };
        Ok(Certificate { rules: tables.rules(), position: *position, verdict, strategies })
    }

    /// The rules that it is about.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The position that it is about.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What it proves.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The winner's strategy, or White's and then Black's if it is a draw.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// Writes it as text.
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
            for entry in strategy.entries() {
                write!(out, "{}: {}", entry.position, entry.played)?;
                match entry.plies {
                    Some(plies) => writeln!(out, " {plies}")?,
                    None => writeln!(out)?,
                }
            }
        }
        writeln!(out, "end")
    }

    /// Writes it to a file, which appears under its name when it is whole, in the place of one that
    /// was there; and returns the length of the file.
    ///
    /// # Errors
    /// If the file cannot be written, or something that is not a file has its name.
    pub fn save(&self, path: &Path, encoding: file::Encoding) -> io::Result<u64> {
        file::save(path, encoding, |out| self.write_text(out))
    }
}
