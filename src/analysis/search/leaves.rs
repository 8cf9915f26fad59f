//! What is known of a position before it is expanded.

use super::key::{ALL, Child, Key, Squares};
use super::net::{EVEN, FRACTION, LOG_FRACTION, Net, inputs, log2};
use super::numbers::{Numbers, UNIT};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::internals::{Mobility, Ways};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Reason, Value, ValueRange, Wdl};

/// Answers about positions that need no expanding, and first numbers of the others.
#[derive(Debug)]
pub(super) struct Leaves {
    pub(super) tables: Option<Tablebase>,
    /// The most columns of a position that the tables cover.
    most_columns: usize,
    /// What the first numbers come from; when there is nothing to learn from yet, from the worth of
    /// the columns.
    pub(super) net: Option<Net>,
}

/// What is known of a position when it is met.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstLook {
    /// The numbers of both questions.
    pub(super) numbers: [Numbers; 2],
    /// Whether neither is answered and a single first jump must be made.
    pub(super) is_forced: bool,
}

impl Leaves {
    /// Takes those tables into use that can answer a position of the search. Counters never leave
    /// the board, so all its positions have the material of the first one.
    pub(super) fn new(position: &Position, tables: &Tablebase) -> Leaves {
        let net = Some(Net::LEARNED);
        let none = Leaves { tables: None, most_columns: 0, net };
        let Ok(material) = Material::of(position) else { return none };
        let most_columns = match tables.extent(material) {
            Ok(extent) => *extent.columns().end(),
            Err(ProbeError::MissingTable { .. } | ProbeError::OtherRules { .. }) => return none,
            // The search ends with this error when it first needs the table.
            Err(_) => Extent::MAX_COLUMNS,
        };
        Leaves { tables: Some(tables.clone()), most_columns, net }
    }

    /// The tables, if they may cover a position.
    pub(super) fn tables_for(&self, key: Key) -> Option<&Tablebase> {
        let columns = (key.places & ALL).count_ones() as usize;
        self.tables.as_ref().filter(|_| columns <= self.most_columns && key.has_officers_only())
    }

    /// What is known of a position that has just been met.
    ///
    /// # Errors
    /// If a table that covers it cannot be read.
    pub(super) fn first_look(&self, child: &Child) -> Result<FirstLook, ProbeError> {
        if is_over_and_won(child.squares) {
            return Ok(FirstLook { numbers: Numbers::proved(Wdl::Win), is_forced: false });
        }
        let own = child.squares.ways();
        let known = if child.squares.other == 0 || own.mobility == Mobility::None {
            Some(Wdl::Loss)
        } else {
            match self.tables_for(child.key) {
                Some(tables) => known(tables.wdl(&child.key.position()))?,
                None => None,
            }
        };
        let is_forced = known.is_none() && own.mobility == Mobility::Captures(1);
        let numbers = match known {
            Some(wdl) => Numbers::proved(wdl),
            // What follows is looked at at once, and gives the numbers.
            None if is_forced => [Numbers::open(EVEN, EVEN); 2],
            None => estimate(self.net, child, &own),
        };
        Ok(FirstLook { numbers, is_forced })
    }

    /// The value of a position for the side to move, if it is over or a table covers it.
    ///
    /// # Errors
    /// If that table does not tell its distance.
    pub(super) fn value(&self, key: Key) -> Result<Option<Value>, ProbeError> {
        let position = key.position();
        let squares = Squares::of(&position);
        if squares.mobility() == Mobility::None {
            return Ok(Some(if is_over_and_won(squares) { Value::Win(0) } else { Value::Loss(0) }));
        }
        match self.tables_for(key).map(|tables| tables.value(&position)) {
            Some(Err(error)) if error.reason() == Reason::NoDistances => Err(error),
            Some(value) => known(value),
            None => Ok(None),
        }
    }

    /// What the rules and the tables tell of a position.
    ///
    /// # Errors
    /// If a table that covers it cannot be read.
    pub(super) fn range(&self, key: Key) -> Result<ValueRange, ProbeError> {
        let found = match self.value(key) {
            Err(error) if error.reason() == Reason::NoDistances => match self.tables_for(key) {
                Some(tables) => Some(tables.wdl(&key.position())?.into()),
                None => None,
            },
            value => value?.map(ValueRange::from),
        };
        Ok(found.unwrap_or(ValueRange::UNKNOWN))
    }
}

/// The tables, or none if they do not know the distances of positions with these counters. Counters never leave the
/// board, so all positions that can arise have the same material.
///
/// # Errors
/// If the table is damaged or cannot be read.
pub(crate) fn with_distances(
    tables: &Tablebase,
    position: &Position,
) -> Result<Tablebase, ProbeError> {
    let material = Material::of(position).map_err(ProbeError::Material);
    match material.and_then(|material| tables.extent_with_distances(material)) {
        Ok(_) => Ok(tables.clone()),
        Err(error) if error.is_not_covered() => Ok(tables.rules().into()),
        Err(error) => Err(error),
    }
}

/// Whether the other side commands nothing, but the side to move does.
const fn is_over_and_won(squares: Squares) -> bool {
    squares.own != 0 && squares.other == 0
}

/// What a table says; nothing if none covers the position.
fn known<T>(answer: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_covered() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The greatest first number.
const HARDEST: u32 = 4000 * UNIT;
/// The difference in worth that makes a win twice as hard, if nothing was learned.
const DOUBLES: i32 = 160;

/// The first numbers of both questions: how hard they look to the net or, without one, by how much
/// better one side stands; and how many moves there are to be refuted. With the net, they are the
/// easier to refute the harder a win looks. `own` are the ways of the side to move.
fn estimate(net: Option<Net>, child: &Child, own: &Ways) -> [Numbers; 2] {
    let moves = log2(own.mobility.count()) << (FRACTION - LOG_FRACTION);
    let [win, loss, refutation] = match net {
        Some(net) => {
            let [win, loss] = net.outputs(child, own);
            [win, loss, moves - win / 2]
        }
        None => {
            let ahead = (inputs(child, own, |_| {}) << FRACTION) / DOUBLES;
            [-ahead, ahead + moves, moves]
        }
    }
    .map(Net::number);
    let open = |phi: u32, delta: u32| Numbers::open(phi.min(HARDEST), delta.min(HARDEST));
    // The side to move wins, or does not; it holds, or loses.
    [open(win, refutation), open(EVEN, loss)]
}
