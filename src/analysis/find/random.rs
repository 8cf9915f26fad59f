//! Endings to practise, picked from a table at random.

use super::{Defence, Find, only_moves};
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::probe::{Line, ProbeError, Standing, Tablebase};
use lasca_tablebase::rules::{Color, Position};
use lasca_tablebase::{Progress, Value, Wdl};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// Which endings are picked to practise. White is to move in all of them, several moves are legal, and only
/// one of them is right. No position is a capture position.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use lasca_tablebase::Silent;
/// use lasca_analysis::find::Practice;
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let practice = Practice { choices: 3..=Practice::MOST_CHOICES, ..Practice::default() };
/// let picked = practice.pick(&tables, "3-2".parse()?, 7, &Silent)?;
/// assert!(picked.endings.iter().all(|ending| ending.choices >= 3));
/// assert_eq!(practice.pick(&tables, "3-2".parse()?, 7, &Silent)?, picked);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Practice {
    /// The result for White, a win or a draw.
    pub result: Wdl,
    /// How many choices White has as long as there are only moves, up to [`Practice::MOST_CHOICES`], if both
    /// sides play best.
    pub choices: RangeInclusive<usize>,
    /// The plies in which the game is won. Draws have none, so this does not matter for them.
    pub plies: RangeInclusive<u16>,
    /// How many endings are picked at most.
    pub limit: usize,
    #[doc(hidden)]
    pub _more: (),
}

/// What was picked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picked {
    /// The endings, in no order.
    pub endings: Vec<Find>,
    /// How many positions were looked at, up to [`Practice::MOST_LOOKED_AT`].
    pub looked_at: u64,
    /// Whether these are all positions of the table with White to move. Then other seeds find no others.
    pub whole_table: bool,
}

impl Default for Practice {
    /// Four wins of any length.
    fn default() -> Practice {
        Practice {
            result: Wdl::Win,
            choices: 1..=Practice::MOST_CHOICES,
            plies: 1..=u16::MAX,
            limit: 4,
            _more: (),
        }
    }
}

impl Practice {
    /// The most choices that can be asked for. Later turns are not looked at.
    pub const MOST_CHOICES: usize = 20;

    /// How many positions of a table are looked at. The same seed must do the same work, so the limit is
    /// no time.
    pub const MOST_LOOKED_AT: u64 = 50_000;

    /// Picks endings of a material until there are enough, or [`Progress::should_stop`] says so. The same seed
    /// picks the same ones in the same tables, on every machine.
    ///
    /// # Errors
    /// If the table or its distances are missing, something is damaged, or the table contradicts itself.
    pub fn pick(
        &self,
        tables: &Tablebase,
        material: Material,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Picked, ProbeError> {
        let columns = tables.extent_with_distances(material)?.columns();
        let slices: Vec<SliceIndex> =
            columns.map(|columns| material.slice(Color::White, columns)).collect();
        let positions = slices.iter().map(SliceIndex::positions).sum::<u64>();
        let most = positions.min(Practice::MOST_LOOKED_AT);
        let mut random = fastrand::Rng::with_seed(seed);
        // A small table is looked at as a whole, in a random order.
        let mut all: Vec<(&SliceIndex, u64)> = Vec::new();
        if positions == most {
            all.extend(slices.iter().flat_map(|s| (0..s.positions()).map(move |index| (s, index))));
            // As `fastrand` shuffles where addresses have 64 bits. Elsewhere it takes other numbers.
            for place in 1..all.len() {
                all.swap(place, below(&mut random, place + 1));
            }
        }
        let (mut endings, mut looked_at) = (Vec::<Find>::new(), 0);
        while looked_at < most && endings.len() < self.limit && !progress.should_stop() {
            looked_at += 1;
            let (slice, index) = all.pop().unwrap_or_else(|| {
                // Each number of columns has the same chance, although most positions have many.
                let slice = &slices[below(&mut random, slices.len())];
                (slice, random.u64(..slice.positions()))
            });
            let Some(position) = slice.position(index).to_position(Color::White) else { continue };
            let Some(found) = self.ending(tables, &position)? else { continue };
            if endings.iter().all(|other| other.position != found.position) {
                endings.push(found);
            }
        }
        Ok(Picked { endings, looked_at, whole_table: looked_at == positions })
    }

    /// The position with its solution, if it is one of those that are wanted.
    fn ending(&self, tables: &Tablebase, position: &Position) -> Result<Option<Find>, ProbeError> {
        let moves = position.successors(tables.rules())?;
        if moves.len() < 2 || moves[0].0.is_capture() || tables.wdl(position)? != self.result {
            return Ok(None);
        }
        // Most positions have more than one right move. Without distances, that is quickly seen.
        let mut right = 0;
        for (_, after) in &moves {
            right += usize::from(-tables.wdl(after)? == self.result);
            if right > 1 {
                return Ok(None);
            }
        }
        let value = tables.value(position)?;
        if value.dtw().is_some_and(|dtw| !self.plies.contains(&dtw)) {
            return Ok(None);
        }
        let turns = only_moves(tables, position, Defence::Best, Practice::MOST_CHOICES)?;
        // Most endings have too few turns for so many choices.
        if turns < *self.choices.start() {
            return Ok(None);
        }
        let found = with_line(tables, position, value, turns)?;
        Ok(Some(found).filter(|found| self.choices.contains(&found.choices)))
    }
}

/// A position of this value that the solver, who is to move, wins or draws, with a line in which both sides play best. A
/// won game is played to its end, a drawn one for these turns of the solver, or until a position is repeated.
fn with_line(
    tables: &Tablebase,
    position: &Position,
    value: Value,
    turns: usize,
) -> Result<Find, ProbeError> {
    let (mut at, mut passed) = (*position, HashSet::from([*position]));
    let (mut line, mut standings, mut choices) = (Vec::new(), Vec::new(), 0);
    while value != Value::Draw || line.len() < 2 * turns {
        let moves = tables.consistent_moves(&at)?;
        let Some(best) = moves.first() else { break };
        if line.len().is_multiple_of(2) && line.len() < 2 * turns {
            choices += usize::from(moves.len() > 1);
        }
        let values: Vec<Value> = moves.iter().map(|rated| rated.value).collect();
        standings.extend(Standing::of(&values, 0));
        at = best.after;
        line.push(best.clone());
        if !passed.insert(at) {
            break;
        }
    }
    let solution = Line::new(position, line, true);
    Ok(Find { position: *position, value, only_moves: turns, choices, solution, standings })
}

/// A random number below this one, the same wherever the seed is the same.
fn below(random: &mut fastrand::Rng, end: usize) -> usize {
    random.u64(..end as u64) as usize
}
