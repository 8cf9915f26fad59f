//! What answers rest on.

use super::{ProbeError, Tablebase};
use crate::index::Material;
use crate::rules::{OfficerPosition, Position, RuleSet};

/// What an answer rests on: tables, whose rules it follows, or the rules alone. It owns the tables, as a clone of a
/// [`Tablebase`] does.
///
/// ```
/// use lasca_tablebase::probe::{Basis, Tablebase};
/// use lasca_tablebase::rules::RuleSet;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// assert_eq!(Basis::from(&tables).rules(), RuleSet::Lasca);
/// assert!(Basis::from(RuleSet::Bignor).tables().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Basis {
    /// The rules, without any table.
    Rules(RuleSet),
    /// Tables and their rules.
    Tables(Tablebase),
}

impl From<RuleSet> for Basis {
    fn from(rules: RuleSet) -> Self {
        Basis::Rules(rules)
    }
}

impl From<Tablebase> for Basis {
    fn from(tables: Tablebase) -> Self {
        Basis::Tables(tables)
    }
}

impl From<&Tablebase> for Basis {
    fn from(tables: &Tablebase) -> Self {
        Basis::Tables(tables.clone())
    }
}

impl From<&Basis> for Basis {
    fn from(basis: &Basis) -> Self {
        basis.clone()
    }
}

impl Basis {
    /// The rule set of the answers.
    pub fn rules(&self) -> RuleSet {
        match self {
            Basis::Rules(rules) => *rules,
            Basis::Tables(tables) => tables.rules(),
        }
    }

    /// The tables, if there are any.
    pub fn tables(&self) -> Option<&Tablebase> {
        match self {
            Basis::Rules(_) => None,
            Basis::Tables(tables) => Some(tables),
        }
    }

    /// The tables.
    ///
    /// # Errors
    /// If there are none: why no table covers the position.
    #[doc(hidden)]
    pub fn tables_for(&self, position: &Position) -> Result<&Tablebase, ProbeError> {
        let rules = match self {
            Basis::Rules(rules) => *rules,
            Basis::Tables(tables) => return Ok(tables),
        };
        Err(match (OfficerPosition::try_from(position), Material::of(position)) {
            (Err(error), _) => ProbeError::NotOfficers(error),
            (_, Err(error)) => ProbeError::Material(error),
            (Ok(_), Ok(material)) => ProbeError::MissingTable {
                material: material.normalized(),
                rules,
                folders: Vec::new(),
                columns: Some(position.columns().count()),
            },
        })
    }

    /// Asks the tables about a position. If they do not cover it, `search` answers; it is told why.
    ///
    /// # Errors
    /// Those of `search`, or if a table is damaged or cannot be read.
    #[doc(hidden)]
    pub fn answer<T, E: From<ProbeError>>(
        &self,
        position: &Position,
        of_tables: impl FnOnce(&Tablebase) -> Result<T, ProbeError>,
        search: impl FnOnce(ProbeError) -> Result<T, E>,
    ) -> Result<T, E> {
        match self.tables_for(position).and_then(of_tables) {
            Err(absent) if absent.is_not_covered() => search(absent),
            answer => Ok(answer?),
        }
    }

    /// The same basis, but without tables that do not know the distances of positions with these counters.
    /// Counters never leave the board, so all positions that can arise have the same material.
    ///
    /// # Errors
    /// If the table is damaged or cannot be read.
    #[doc(hidden)]
    pub fn with_distances(self, position: &Position) -> Result<Basis, ProbeError> {
        let Basis::Tables(tables) = &self else { return Ok(self) };
        let material = Material::of(position).map_err(ProbeError::Material);
        match material.and_then(|material| tables.extent_with_distances(material)) {
            Ok(_) => Ok(self),
            Err(error) if error.is_not_covered() => Ok(self.rules().into()),
            Err(error) => Err(error),
        }
    }
}
