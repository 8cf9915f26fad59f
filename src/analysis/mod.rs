//! Knowing an endgame: what a table says as a whole.
//!
//! [`Analysis::of`] goes once through all values of a table. It counts wins, draws and losses by how
//! the counters are stacked, and finds the deepest wins and the mutual zugzwangs.
//!
//! Counts are over all positions in which both sides command a column, symmetric ones counted
//! apart. Positions that are listed are listed once for all that are alike: by the eight
//! symmetries of the board, and, where both sides have as many counters, by exchanging the colours.
//!
//! ```
//! use lasca_tablebase::analysis::{Analysis, Wanted};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
//! let table = tables.table("2-1".parse()?)?;
//! let analysis = Analysis::of(table, Wanted { longest: 1, zugzwangs: Some(1) })?;
//! let pieces: Vec<String> = analysis.by_pieces().keys().map(|pieces| pieces.to_string()).collect();
//! assert_eq!(pieces, ["1v1", "2v1"]);
//! let deepest = &analysis.longest[0];
//! assert_eq!(tables.value(&deepest.position)?, deepest.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counts;
mod stacking;
mod top;
mod walk;

use crate::Value;
use crate::Wdl;
use crate::index::Material;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{ByColor, Color, Position};
use crate::table::{Table, TableError};
use std::collections::BTreeMap;

pub use counts::StoredCounts;
pub use stacking::{Pieces, Stack, Stacking};

/// What to look for beside the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// How many of the deepest wins to list.
    pub longest: usize,
    /// Whether to count mutual zugzwangs, and how many of each [kind](Cost) to list.
    pub zugzwangs: Option<usize>,
}

/// How many positions are won, drawn and lost for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Positions that the side to move wins.
    pub win: u64,
    /// Positions that are drawn.
    pub draw: u64,
    /// Positions that the side to move loses.
    pub loss: u64,
}

impl Tally {
    /// All positions together.
    pub fn positions(self) -> u64 {
        self.win + self.draw + self.loss
    }

    fn count(&mut self, result: Wdl, positions: u64) {
        match result {
            Wdl::Win => self.win += positions,
            Wdl::Draw => self.draw += positions,
            Wdl::Loss => self.loss += positions,
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.win += other.win;
        self.draw += other.draw;
        self.loss += other.loss;
    }
}

/// A position with its value for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Valued {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
}

/// What it costs to be the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cost {
    /// Whoever is to move loses.
    FullPoint,
    /// One side loses if it is to move, and the game is drawn if the other is.
    HalfPoint,
}

/// A mutual zugzwang: a board on which neither side need take, whoever is to move, and on which being
/// to move costs a whole point or half a point. A side without a move counts as one that loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zugzwang {
    /// The board, with White to move.
    pub position: Position,
    /// The value for each side if it is the one to move.
    pub to_move: ByColor<Value>,
}

impl Zugzwang {
    /// What being to move costs.
    pub fn cost(&self) -> Cost {
        let draw = Color::ALL.iter().any(|&color| self.to_move[color] == Value::Draw);
        if draw { Cost::HalfPoint } else { Cost::FullPoint }
    }
}

/// All mutual zugzwangs of one [`Cost`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zugzwangs {
    /// How many boards there are, symmetric ones counted apart; a board counts once, not once for
    /// each side to move.
    pub boards: u64,
    /// How many there are when those alike count once.
    pub distinct: u64,
    /// The most instructive ones, as many as [wanted](Wanted::zugzwangs): those with the fewest
    /// columns first; of these the longest, by the shorter of the two distances, then by the longer
    /// one (a draw has none).
    pub listed: Vec<Zugzwang>,
}

/// What a table says as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The material, White's counters first.
    pub material: Material,
    /// For each stacking and side to move, how many positions are won, drawn and lost.
    pub by_stacking: BTreeMap<Stacking, ByColor<Tally>>,
    /// The deepest wins of the side to move, as many as [wanted](Wanted::longest): the longest
    /// first, of these those with the fewest columns.
    pub longest: Vec<Valued>,
    /// The mutual zugzwangs in which whoever is to move loses; `None` unless
    /// [wanted](Wanted::zugzwangs).
    pub full_point: Option<Zugzwangs>,
    /// The mutual zugzwangs in which being to move costs half a point; `None` unless
    /// [wanted](Wanted::zugzwangs).
    pub half_point: Option<Zugzwangs>,
}

impl Analysis {
    /// Goes through all values of a table, on the threads of the current rayon pool. The result does
    /// not depend on how many there are. Memory is that of a few orbits of values.
    ///
    /// # Errors
    /// If a slice of the material is missing or a orbit of values is damaged.
    pub fn of<D: AsRef<[u8]> + Sync>(
        table: &Table<D>,
        wanted: Wanted,
    ) -> Result<Analysis, TableError> {
        walk::walk(table, wanted)
    }

    /// The analysis of a material whose table is in some folder, or that of the colours exchanged.
    ///
    /// # Errors
    /// If the table is missing or damaged.
    pub fn in_tables(
        tables: &Tablebase,
        material: Material,
        wanted: Wanted,
    ) -> Result<Analysis, ProbeError> {
        let table = tables.table(material)?;
        let analysis = Analysis::of(table, wanted).map_err(|error| {
            let of_table = (table.material(), tables.rules());
            let mut files = tables.tables().iter();
            let file = files.find(|file| (file.material(), file.rules()) == of_table);
            let path = file.map(|file| file.path_of(error.kind())).unwrap_or_default();
            ProbeError::Damaged { path, error }
        })?;
        Ok(if analysis.material == material { analysis } else { analysis.swap_colors() })
    }

    /// Counts by how many columns each side commands.
    pub fn by_pieces(&self) -> BTreeMap<Pieces, ByColor<Tally>> {
        let mut by_pieces: BTreeMap<Pieces, ByColor<Tally>> = BTreeMap::new();
        for (stacking, tallies) in &self.by_stacking {
            let entry = by_pieces.entry(stacking.pieces()).or_default();
            Color::ALL.iter().for_each(|&color| entry[color] += tallies[color]);
        }
        by_pieces
    }

    /// The analysis of the material with the colours exchanged.
    ///
    /// ```
    /// use lasca_tablebase::analysis::{Analysis, Wanted};
    /// use lasca_tablebase::probe::Tablebase;
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open(&["tables"], RuleSet::Lasca)?;
    /// let analysis = Analysis::of(tables.table("2-1".parse()?)?, Wanted::default())?;
    /// assert_eq!(analysis.swap_colors().material.to_string(), "1-2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn swap_colors(self) -> Analysis {
        let zugzwang = |zugzwang: Zugzwang| Zugzwang {
            position: zugzwang.position.swap_colors().with_side_to_move(Color::White),
            to_move: zugzwang.to_move.swapped(),
        };
        let zugzwangs = |zugzwangs: Zugzwangs| Zugzwangs {
            listed: zugzwangs.listed.into_iter().map(zugzwang).collect(),
            ..zugzwangs
        };
        let valued = |valued: Valued| Valued { position: valued.position.swap_colors(), ..valued };
        let by_stacking = self.by_stacking.into_iter();
        Analysis {
            material: self.material.swap_colors(),
            by_stacking: by_stacking.map(|(s, tally)| (s.swap_colors(), tally.swapped())).collect(),
            longest: self.longest.into_iter().map(valued).collect(),
            full_point: self.full_point.map(zugzwangs),
            half_point: self.half_point.map(zugzwangs),
        }
    }
}
