//! Certificates: the value of a position, and the strategies that prove it.

use super::CertifyError;
use super::strategy::{Source, Strategy, StrategyMove, Task};
use crate::search::{Solver, Stop, with_distances};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, OfficerPosition, Position, RuleSet};
use lasca_tablebase::{Outcome, Value, ValueRange};
use std::io::{self, Write};
use std::path::Path;

/// The newest version of the certificate's file format. A certificate of officers only is written in
/// version 1, which has no soldiers; see [`Certificate::version`].
const FORMAT_VERSION: u32 = 2;

/// A limit that suits most certificates: how many positions [`Certificate::of_tables`] or
/// [`Certificate::of_search`] may collect.
pub const DEFAULT_MAX_POSITIONS: usize = 1_000_000;

/// A proof of a position's value. See the [module](crate::certify).
#[derive(Clone, Debug)]
pub struct Certificate {
    pub(super) rules: RuleSet,
    pub(super) position: Position,
    pub(super) value: ValueRange,
    pub(super) outcome: Outcome,
    pub(super) strategies: Vec<Strategy>,
}

impl Certificate {
    /// Proves the value of a position by the tables, if they cover it and know its distance, and otherwise
    /// by a search, which the tables help. The search may hold `memory` bytes, and `run` makes it. The
    /// proof may hold `max_positions` positions.
    ///
    /// # Errors
    /// Those of [`Certificate::of_tables`] and [`Certificate::of_search`], or if the memory is too little to
    /// begin a search.
    ///
    /// ```
    /// use lasca_analysis::certify::Certificate;
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_analysis::search::Budget;
    /// let certificate = Certificate::prove(
    ///     &"a1B b2w b4wwb w".parse()?,
    ///     RuleSet::Lasca,
    ///     1000,
    ///     1 << 24,
    ///     |solver| solver.run(&Budget::default()),
    /// )?;
    /// assert_eq!(certificate.value().to_string(), "win in at most 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prove(
        position: &Position,
        tables: impl Into<Tablebase>,
        max_positions: usize,
        memory: u64,
        run: impl FnOnce(&mut Solver) -> Result<Stop, ProbeError>,
    ) -> Result<Certificate, CertifyError> {
        let tables = with_distances(&tables.into(), position)?;
        match Certificate::of_tables(&tables, position, max_positions) {
            Err(CertifyError::Probe(absent)) if absent.is_not_covered() => {}
            proved => return proved,
        }
        let mut solver = Solver::new(position, &tables, memory)?;
        let stopped = run(&mut solver)?;
        Certificate::of_search(&mut solver, max_positions).map_err(|error| match error {
            CertifyError::Open { excluded, .. } => {
                CertifyError::Open { excluded, stop: Some(stopped) }
            }
            error => error,
        })
    }

    /// Looks up a position in the tables and collects the proof of its value. The proof may hold
    /// `max_positions` positions, which are those of both strategies if the position is drawn. The same
    /// tables give the same proof.
    ///
    /// # Errors
    /// If the tables do not cover the position, or the proof would be larger.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// # use lasca_tablebase::Value;
    /// # use lasca_analysis::certify::{Certificate, CertifyError};
    /// # use lasca_tablebase::probe::Tablebase;
    /// # use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let drawn = "c3W e3B c5W e5B b".parse()?;
    /// let certificate = Certificate::of_tables(&tables, &drawn, 5000)?;
    /// assert_eq!(certificate.value(), Value::Draw);
    /// assert_eq!(certificate.strategies().len(), 2);
    /// let error = Certificate::of_tables(&tables, &drawn, 5).unwrap_err();
    /// assert!(matches!(error, CertifyError::TooLarge { max_positions: 5, .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_tables(
        tables: &Tablebase,
        position: &Position,
        max_positions: usize,
    ) -> Result<Certificate, CertifyError> {
        // A game that is over has a value whatever its columns are, but a certificate is about officers.
        OfficerPosition::try_from(position).map_err(ProbeError::NotOfficers)?;
        let value = tables.value(position)?;
        let outcome = Outcome::of(value.wdl(), position.side_to_move());
        let source = Source::Tables(tables);
        let strategies = strategies(&source, position, outcome, max_positions)?;
        let (rules, position) = (tables.rules(), *position);
        Ok(Certificate { rules, position, value: value.into(), outcome, strategies })
    }

    /// Writes down what a search has proved, which may be about any position. The proof may hold
    /// `max_positions` positions. It stands alone: where the search relied on tables, their
    /// strategies are put in.
    ///
    /// The plies of a win are those that the proof needs at most. They are the fewest possible if
    /// [`Solver::exact`] has found the exact distance before, but the proof does not show that.
    ///
    /// ```
    /// use lasca_analysis::certify::{Certificate, CertifyError};
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_analysis::search::{Budget, Solver};
    /// let position = "a1B b2w b4wwb w".parse()?;
    /// let mut solver = Solver::new(&position, RuleSet::Lasca, 1 << 24)?;
    /// let error = Certificate::of_search(&mut solver, 1000).unwrap_err();
    /// assert!(matches!(error, CertifyError::Open { .. }));
    /// solver.run(&Budget::default())?;
    /// let certificate = Certificate::of_search(&mut solver, 1000)?;
    /// assert_eq!(certificate.value().to_string(), "win in at most 5");
    /// assert_eq!(certificate.version(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the result is open, the proof would be larger, a table is damaged or lacks the distances
    /// that the proof needs, or there is no memory for it.
    pub fn of_search(
        solver: &mut Solver,
        max_positions: usize,
    ) -> Result<Certificate, CertifyError> {
        let open = CertifyError::Open { excluded: solver.excluded(), stop: None };
        let (rules, position) = (solver.rules(), *solver.position());
        let Some(wdl) = solver.wdl() else { return Err(open) };
        let outcome = Outcome::of(wdl, position.side_to_move());
        let budget = solver.unlimited();
        // What else is known of quicker wins is no part of the proof.
        let Some(value) = solver.value(&budget)?.without_quicker() else { return Err(open) };
        // If the distance is not known because of a table, this says which.
        let source = Source::Search(rules, solver.moves_that_prove(&budget)?);
        if let (Outcome::Win(_), None) = (outcome, value.at_most()) {
            return Err(open);
        }
        let strategies = strategies(&source, &position, outcome, max_positions)?;
        Ok(Certificate { rules, position, value, outcome, strategies })
    }

    /// The rules that the proof follows.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The position whose value it proves.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The value that it proves, for the side to move. It is exact if the tables gave it, if it is a draw,
    /// or if the game is over. Otherwise it is a win or a loss in some number of plies at most.
    pub fn value(&self) -> ValueRange {
        self.value
    }

    /// Who wins by its value.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The version of the file format in which it is written: 1 if there are only officers, otherwise
    /// 2.
    pub fn version(&self) -> u32 {
        if self.position.has_soldier() { FORMAT_VERSION } else { 1 }
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
        writeln!(out, "lasca-certificate {}", self.version())?;
        writeln!(out, "rules {}", self.rules)?;
        writeln!(out, "position {}", self.position)?;
        let plies = self.value.longest().and_then(Value::dtw);
        match self.outcome.winner().zip(plies) {
            Some((winner, plies)) => writeln!(out, "verdict {} wins in {plies}", winner.name())?,
            None => writeln!(out, "verdict draw")?,
        }
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

    /// Writes the text of the certificate to a file, or to a pipe or a device, and returns the length of the file in
    /// bytes.
    ///
    /// # Errors
    /// If the file cannot be written. A part of it may be there then.
    pub fn save(&self, path: &Path) -> io::Result<u64> {
        lasca_tablebase::internals::save(path, |out| self.write_text(out))
    }
}

/// The strategies that prove an outcome: the winner's, or for a draw White's and then Black's.
fn strategies(
    source: &Source<'_>,
    position: &Position,
    outcome: Outcome,
    max_positions: usize,
) -> Result<Vec<Strategy>, CertifyError> {
    let (sides, wins) = match outcome {
        Outcome::Win(winner) => (vec![winner], true),
        Outcome::Draw => (Color::ALL.to_vec(), false),
    };
    let mut room = max_positions;
    let mut strategies = Vec::new();
    for side in sides {
        let task = Task { side, wins, max_positions, room };
        let strategy = Strategy::find(source, position, task)?;
        room = room.saturating_sub(strategy.len());
        strategies.push(strategy);
    }
    Ok(strategies)
}
