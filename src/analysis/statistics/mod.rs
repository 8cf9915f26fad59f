//! What a table says as a whole.
//!
//! [`Analysis::in_tables`] goes once through all values of a table. It counts wins, draws and losses by the
//! shapes of the columns, and finds the longest wins and the mutual zugzwangs.
//!
//! Counts are over all positions in which neither side has lost all its columns; positions that are images of
//! each other under a symmetry of the board are counted separately. Lists name only one of the
//! positions that are alike: images under the eight symmetries of the board and, where both sides have
//! as many counters, under an exchange of the colours.
//!
//! ```
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! use lasca_tablebase::Silent;
//! use lasca_analysis::statistics::{Analysis, AnalysisOptions};
//! use lasca_tablebase::probe::Tablebase;
//! use lasca_tablebase::rules::RuleSet;
//! let tables = Tablebase::open("tables", RuleSet::Lasca)?;
//! let options = AnalysisOptions { longest: 1, zugzwangs: Some(1), ..AnalysisOptions::default() };
//! let analysis = Analysis::in_tables(&tables, "2-1".parse()?, options, &Silent)?;
//! let pieces: Vec<String> = analysis.by_pieces().keys().map(|pieces| pieces.to_string()).collect();
//! assert_eq!(pieces, ["1v1", "2v1"]);
//! let longest = &analysis.longest[0];
//! assert_eq!(tables.value(&longest.position)?, longest.value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod values;
mod walk;

use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::{ByColor, Color, Position};
use lasca_tablebase::{Value, Wdl};
use std::collections::BTreeMap;

pub use columns::{ColumnShape, ColumnShapes, Pieces};
pub use lasca_tablebase::table::StoredCounts;
pub(crate) use values::{Place, Values, each_columns};

/// What an [`Analysis`] looks for besides the counts. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnalysisOptions {
    /// How many of the longest wins to list.
    pub longest: usize,
    /// How many mutual zugzwangs of each kind to list; with `None` they are not even
    /// counted.
    pub zugzwangs: Option<usize>,
    /// Where the values of the table are kept meanwhile.
    pub keep: KeepIn,
    #[doc(hidden)]
    pub _more: (),
}

/// How many positions are won, drawn and lost for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Tally {
    /// How many the side to move wins.
    pub win: u64,
    /// How many are drawn.
    pub draw: u64,
    /// How many it loses.
    pub loss: u64,
}

impl Tally {
    /// How many positions there are in all.
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
#[non_exhaustive]
pub struct ValuedPosition {
    /// The position.
    pub position: Position,
    /// Its value for the side to move.
    pub value: Value,
}

/// A mutual zugzwang: a board on which neither side has a capture, and on which it costs a whole point or
/// half a point to be the side to move. A side that has no move at all loses, so it counts too. The value of each side is
/// that if it is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Zugzwang {
    /// The board, with White to move.
    pub position: Position,
    /// For each side, the value of the board for that side when it is to move.
    #[serde(flatten)]
    pub to_move: ByColor<Value>,
}

/// Mutual zugzwangs of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Zugzwangs {
    /// How many boards there are. Symmetric boards count separately. A board counts once, not once for each side to move.
    pub boards: u64,
    /// How many boards there are when those that are alike count once.
    pub distinct: u64,
    /// The boards with the fewest columns, the longest first.
    ///
    /// [`AnalysisOptions::zugzwangs`] is their greatest number. Among those with as many columns, the shorter of the two
    /// distances counts, then the longer one (a draw counts as 0).
    pub listed: Vec<Zugzwang>,
}

/// What a table says as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Analysis {
    /// The material, White's counters first.
    pub material: Material,
    /// For the shapes of the columns and each side to move, how many positions are won, drawn and lost.
    pub by_column_shapes: BTreeMap<ColumnShapes, ByColor<Tally>>,
    /// The longest wins of the side to move. [`AnalysisOptions::longest`] is their greatest number. Longer
    /// wins come first, and among wins of one length those with fewer columns.
    pub longest: Vec<ValuedPosition>,
    /// The mutual zugzwangs in which whoever is to move loses; `None` if
    /// [`AnalysisOptions::zugzwangs`] is.
    pub full_point: Option<Zugzwangs>,
    /// The mutual zugzwangs in which it costs half a point to be the side to move; `None` if
    /// [`AnalysisOptions::zugzwangs`] is.
    pub half_point: Option<Zugzwangs>,
}

impl Analysis {
    /// The counts by how many columns each side commands.
    pub fn by_pieces(&self) -> BTreeMap<Pieces, ByColor<Tally>> {
        let mut by_pieces: BTreeMap<Pieces, ByColor<Tally>> = BTreeMap::new();
        for (shapes, tallies) in &self.by_column_shapes {
            let entry = by_pieces.entry(shapes.pieces()).or_default();
            Color::ALL.iter().for_each(|&color| entry[color] += tallies[color]);
        }
        by_pieces
    }
}
