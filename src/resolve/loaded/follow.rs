//! What all moves of an orbit lead to, for all owner masks and stackings at once.
//!
//! Where a move leads depends on the occupied squares, on the owner mask, and on whether each jumped
//! column keeps its owner, changes it or vanishes. Once these are fixed, the stacking of each side after
//! the move depends on its stacking before the move alone. So each side's stackings are followed once,
//! and the values of all pairs of them are then looked up.

use super::cells::Cells;
use super::codes::Code;
use super::paths::{Captures, Path, steps};
use crate::index::owner_masks::{masks_in, masks_with, set_of, word_count};
use crate::index::{Backwards, MaskMap, OccupiedSets, SliceIndex, Spare, Split};
use crate::rules::{RuleSet, Square, SquareSet};

/// Which moves are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    Quiet,
    Captures,
}

/// The slices of one number of columns, and where the moves lead that are made there.
pub struct Following<'a, C> {
    rules: RuleSet,
    sets: &'static OccupiedSets,
    sides: Vec<Side<'a, C>>,
    /// The most spare counters that a mover has, and that the other side of a mover has.
    most_spare: (usize, usize),
}

/// A slice with its values, as far as they are known.
type Slice<'a, C> = (&'a SliceIndex, &'a Cells<C>);

/// A slice whose moves are followed.
struct Side<'a, C> {
    index: &'a SliceIndex,
    splits: Vec<SplitParts>,
    /// For each owner mask, its first row.
    starts: Vec<u32>,
    /// The slices that the moves lead to, that of two columns first.
    replies: Vec<Reply<'a, C>>,
}

/// A slice that moves lead to.
struct Reply<'a, C> {
    index: &'a SliceIndex,
    cells: &'a Cells<C>,
    /// For each owner mask, its first row.
    starts: Vec<u32>,
}

/// The owner masks of a split as a set, and its stackings by ordinal.
struct SplitParts {
    split: Split,
    masks: Vec<u64>,
    mover: Vec<Spare>,
    other: Vec<Spare>,
}

/// The memory that a thread needs to follow moves.
pub struct Workspace {
    captures: Captures,
    /// For each side, the set of the owner masks that are looked at.
    wanted: Vec<Vec<u64>>,
    /// For each side and row, the code of the best move so far.
    pub best: Vec<Vec<u8>>,
    /// The owner masks of a path, those of one split after those of another.
    masks: Vec<u32>,
    /// For each owner mask of a case, the first row before the move and after it.
    rows: Vec<(u32, u32)>,
    /// Ordinals of stackings before and after a move.
    mover: Vec<(u32, u32)>,
    other: Vec<(u32, u32)>,
}

impl Workspace {
    /// Sets whether an owner mask of a side is looked at.
    #[inline]
    pub fn want(&mut self, side: usize, mask: u32, wanted: bool) {
        let (word, bit) = (&mut self.wanted[side][mask as usize / 64], mask % 64);
        *word = *word & !(1 << bit) | u64::from(wanted) << bit;
    }
}

/// A column that a capture jumps.
#[derive(Clone, Copy, Default)]
struct Jumped {
    column: usize,
    times: usize,
    /// Whether the capture would go on if the column kept its owner.
    is_open: bool,
    fate: Fate,
}

/// What becomes of a jumped column.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Fate {
    #[default]
    Stays,
    ChangesOwner,
    Vanishes,
}

/// A path from an orbit, with the fates of the jumped columns.
struct Case<'a> {
    path: &'a Path,
    /// The moving column.
    from: usize,
    jumped: &'a [Jumped],
}

/// The orbit that a move leads to.
struct Target {
    orbit: usize,
    columns: usize,
    /// For each column after the move, which one it was before.
    sources: [u8; OccupiedSets::MAX_COLUMNS],
    /// For columns before the move, those that they become.
    images: MaskMap,
}

impl<'a, C: Code> Following<'a, C> {
    /// Follows the moves from the slices of one number of columns. For each stored side to move, `sides`
    /// has the slice, and the slices of the other side from two columns to this number.
    pub fn new(
        rules: RuleSet,
        sides: Vec<(&'a SliceIndex, Vec<Slice<'a, C>>)>,
    ) -> Following<'a, C> {
        let reply =
            |(index, cells): Slice<'a, C>| Reply { index, cells, starts: index.mask_starts() };
        let side = |(index, replies): (&'a SliceIndex, Vec<_>)| {
            let parts = |split: &Split| SplitParts {
                split: *split,
                masks: set_of(index.columns(), split.owner_masks()),
                mover: split.mover_stackings.iter().collect(),
                other: split.other_stackings.iter().collect(),
            };
            let splits = index.splits().iter().map(parts).collect();
            let replies = replies.into_iter().map(reply).collect();
            Side { index, splits, starts: index.mask_starts(), replies }
        };
        let sides: Vec<Side<C>> = sides.into_iter().map(side).collect();
        let splits = || sides.iter().flat_map(|side| &side.splits).map(|parts| &parts.split);
        let mover = splits().map(|split| split.mover_spare).max();
        let other = splits().map(|split| split.other_spare).max();
        let most_spare = (mover.unwrap_or(0), other.unwrap_or(0));
        Following { rules, sets: sides[0].index.sets(), sides, most_spare }
    }

    /// Memory for a thread.
    pub fn workspace(&self) -> Workspace {
        let longest = self.sides.iter().map(|side| side.index.other_counters()).max();
        let (longest, most_again) = (longest.unwrap_or(0), self.most_spare.1);
        let words = word_count(self.sets.columns());
        Workspace {
            captures: Captures::new(self.rules.continuation(), longest, most_again),
            wanted: self.sides.iter().map(|_| vec![0; words]).collect(),
            best: self.sides.iter().map(|side| vec![0; side.index.rows()]).collect(),
            mover: Vec::new(),
            other: Vec::new(),
            masks: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// For each side and each row of the wanted owner masks, finds the code of the best of these moves,
    /// or what `best` holds if that is greater.
    pub fn follow(&self, orbit: usize, moves: Moves, work: &mut Workspace) {
        let occupied = self.sets.representative(orbit);
        match moves {
            Moves::Quiet => steps(occupied, |path| self.follow_path(occupied, path, work)),
            Moves::Captures => {
                let captures = work.captures.of(occupied);
                for path in &captures {
                    self.follow_path(occupied, path, work);
                }
                work.captures.give_back(captures);
            }
        }
    }

    fn follow_path(&self, occupied: SquareSet, path: &Path, work: &mut Workspace) {
        let column = |square| occupied.ordinal_of(square);
        let columns = |squares: SquareSet| -> u32 {
            squares.into_iter().fold(0, |mask, square| mask | 1 << column(square))
        };
        let mut jumped = [Jumped::default(); OccupiedSets::MAX_COLUMNS];
        let count = path.jumped.len();
        for (n, square) in path.jumped.into_iter().enumerate() {
            jumped[n] = Jumped {
                column: column(square),
                times: path.times(n),
                is_open: path.open.contains(square),
                fate: Fate::Stays,
            };
        }
        let (from, others) = (column(path.from), columns(path.jumped));
        let own = columns(path.open) & !others | 1 << from;
        work.masks.clear();
        let mut ends = [[0; OccupiedSets::MAX_COLUMNS]; 2];
        for ((side, wanted), ends) in self.sides.iter().zip(&work.wanted).zip(&mut ends) {
            let mut of_path = [0; word_count(OccupiedSets::MAX_COLUMNS)];
            for (word, (of_path, wanted)) in of_path.iter_mut().zip(wanted).enumerate() {
                *of_path = wanted & masks_with(own, others, word);
            }
            for (parts, end) in side.splits.iter().zip(ends) {
                for (word, (of_split, of_path)) in parts.masks.iter().zip(&of_path).enumerate() {
                    work.masks.extend(masks_in(word, of_split & of_path));
                }
                *end = work.masks.len();
            }
        }
        if work.masks.is_empty() {
            return;
        }
        for vanishing in 0u32..1 << count {
            let staying = !vanishing & ((1 << count) - 1);
            let mut target = None;
            // All subsets of those that do not vanish.
            let mut changing = staying;
            loop {
                for (n, jumped) in jumped[..count].iter_mut().enumerate() {
                    jumped.fate = match (vanishing >> n & 1, changing >> n & 1) {
                        (0, 0) => Fate::Stays,
                        (0, _) => Fate::ChangesOwner,
                        _ => Fate::Vanishes,
                    };
                }
                let goes_on = |jumped: &Jumped| jumped.is_open && jumped.fate == Fate::Stays;
                let is_possible = (changing == 0 || self.most_spare.0 > 0)
                    && (changing == staying || self.most_spare.1 > 0)
                    && !jumped[..count].iter().any(goes_on);
                if is_possible {
                    let case = Case { path, from, jumped: &jumped[..count] };
                    self.follow_case(occupied, &case, &ends, &mut target, work);
                }
                if changing == 0 {
                    break;
                }
                changing = (changing - 1) & staying;
            }
        }
    }

    fn follow_case(
        &self,
        occupied: SquareSet,
        case: &Case,
        ends: &[[usize; OccupiedSets::MAX_COLUMNS]; 2],
        target: &mut Option<Target>,
        work: &mut Workspace,
    ) {
        let with_fate = |fate| case.jumped.iter().filter(move |jumped| jumped.fate == fate);
        let (changing, vanishing) =
            (with_fate(Fate::ChangesOwner).count(), with_fate(Fate::Vanishes).count());
        let needed: usize = case.jumped.iter().map(Jumped::needed).sum();
        let mut end = 0;
        for (side, of_side) in self.sides.iter().enumerate() {
            for (parts, &next) in of_side.splits.iter().zip(&ends[side]) {
                let masks = end..next;
                end = next;
                let split = &parts.split;
                if masks.is_empty() || split.mover_spare < changing || split.other_spare < needed {
                    continue;
                }
                let others = self.sets.columns() - split.mover_columns;
                if others == changing + vanishing {
                    // The other side commands nothing any more.
                    follow_stackings(&parts.mover, &mut work.mover, |stacking| {
                        case.is_of_mover(stacking).then_some(0)
                    });
                    follow_stackings(&parts.other, &mut work.other, |stacking| {
                        case.is_of_other(stacking).then_some(0)
                    });
                    let won = C::before_move(C::LOST);
                    work.rows.clear();
                    let first_row = |&mask: &u32| (of_side.starts[mask as usize], 0);
                    work.rows.extend(work.masks[masks].iter().map(first_row));
                    look_up(split, side, work, |_| won);
                    continue;
                }
                let target = target.get_or_insert_with(|| self.target(occupied, case));
                let reply = &of_side.replies[target.columns - 2];
                let after = reply.index.split(others - changing - vanishing);
                let cells = reply.cells.orbit(target.orbit);
                let gone = case.jumped.iter().filter(|jumped| jumped.fate != Fate::Stays);
                let gone = gone.fold(0, |gone, jumped| gone | 1 << jumped.column);
                work.rows.clear();
                work.rows.extend(work.masks[masks].iter().map(|&mask| {
                    let first = reply.starts[target.images.image(!(mask | gone)) as usize];
                    // By the time that the stackings are followed, the cells are at hand.
                    cells.prefetch(first as usize, after.mask_rows);
                    (of_side.starts[mask as usize], first)
                }));
                let sources = &target.sources[..target.columns];
                follow_stackings(&parts.mover, &mut work.mover, |stacking| {
                    case.mover_after(stacking, sources)
                });
                follow_stackings(&parts.other, &mut work.other, |stacking| {
                    case.other_after(stacking, sources)
                });
                for pair in &mut work.other {
                    pair.1 *= after.mover_rows as u32;
                }
                look_up(split, side, work, |row| C::before_move(cells.get(row)));
            }
        }
    }

    /// The orbit that a case leads to.
    fn target(&self, occupied: SquareSet, case: &Case) -> Target {
        let mut column_of = [0; Square::COUNT];
        let mut after = SquareSet::EMPTY;
        for (column, square) in occupied.into_iter().enumerate() {
            let vanishes =
                |jumped: &Jumped| jumped.column == column && jumped.fate == Fate::Vanishes;
            let square = if column == case.from { case.path.to } else { square };
            if !case.jumped.iter().any(vanishes) {
                column_of[square.index()] = column as u8;
                after.insert(square);
            }
        }
        let sets = self.sides[0].replies[after.len() - 2].index.sets();
        let (orbit, symmetries) = sets.fold(after);
        let preimages = match symmetries.into_iter().next() {
            Some(symmetry) => symmetry.preimages(),
            None => unreachable!("some symmetry maps a set onto its representative"),
        };
        let (columns, mut sources) = (after.len(), [0; OccupiedSets::MAX_COLUMNS]);
        for (source, image) in sources.iter_mut().zip(sets.representative(orbit)) {
            *source = column_of[usize::from(preimages[image.index()])];
        }
        let places = sources[..columns].iter().enumerate();
        let images = MaskMap::new(places.map(|(place, &source)| (usize::from(source), place)));
        Target { orbit, columns, sources, images }
    }
}

impl Jumped {
    /// How many spare counters the other side must have for this.
    fn needed(&self) -> usize {
        if self.fate == Fate::Stays { self.times } else { self.times - 1 }
    }
}

impl Case<'_> {
    /// Whether the stacking of the mover's spare counters is one of this case.
    #[inline]
    fn is_of_mover(&self, stacking: &Spare) -> bool {
        self.jumped.iter().all(|jumped| match jumped.fate {
            Fate::Stays => true,
            Fate::ChangesOwner => stacking[jumped.column] > 0,
            Fate::Vanishes => stacking[jumped.column] == 0,
        })
    }

    /// Whether the stacking of the other side's spare counters is one of this case.
    #[inline]
    fn is_of_other(&self, stacking: &Spare) -> bool {
        self.jumped.iter().all(|jumped| {
            let spare = usize::from(stacking[jumped.column]);
            if jumped.fate == Fate::Stays {
                spare >= jumped.times
            } else {
                spare + 1 == jumped.times
            }
        })
    }

    /// The ordinal of the mover's stacking after the move; `None` if the case is about other stackings.
    #[inline]
    fn mover_after(&self, stacking: &Spare, sources: &[u8]) -> Option<u32> {
        if !self.is_of_mover(stacking) {
            return None;
        }
        let mut stacking = *stacking;
        for jumped in self.jumped.iter().filter(|jumped| jumped.fate == Fate::ChangesOwner) {
            stacking[jumped.column] -= 1;
        }
        Some(ordinal(&stacking, sources))
    }

    /// The ordinal of the other side's stacking after the move; `None` if the case is about other
    /// stackings.
    #[inline]
    fn other_after(&self, stacking: &Spare, sources: &[u8]) -> Option<u32> {
        if !self.is_of_other(stacking) {
            return None;
        }
        let mut stacking = *stacking;
        for jumped in self.jumped {
            stacking[jumped.column] -= jumped.needed() as u8;
            stacking[self.from] += jumped.times as u8;
        }
        Some(ordinal(&stacking, sources))
    }
}

/// Looks at all rows of the owner masks and of the stackings that are listed. `code` gives the code of a
/// move to a row.
#[inline]
fn look_up(split: &Split, side: usize, work: &mut Workspace, code: impl Fn(usize) -> u8) {
    let Workspace { best, rows, mover, other, .. } = work;
    for &(first, first_after) in &*rows {
        let best = &mut best[side][first as usize..][..split.mask_rows];
        for &(before, after) in &*mover {
            let best = &mut best[before as usize * split.mover_rows..][..split.mover_rows];
            let after = first_after + after;
            for &(other_before, other_after) in &*other {
                let best = &mut best[other_before as usize];
                *best = code((after + other_after) as usize).max(*best);
            }
        }
    }
}

/// The ordinal of a stacking whose column `i` is column `sources[i]` of `stacking`.
#[inline]
fn ordinal(stacking: &Spare, sources: &[u8]) -> u32 {
    let mut ordinal = Backwards::default();
    for &source in sources.iter().rev() {
        ordinal.add(stacking[usize::from(source)].into());
    }
    ordinal.ordinal() as u32
}

/// Lists the stackings that `after` gives an ordinal for.
#[inline]
fn follow_stackings(
    before: &[Spare],
    list: &mut Vec<(u32, u32)>,
    mut after: impl FnMut(&Spare) -> Option<u32>,
) {
    list.clear();
    let after = |(ordinal, stacking)| Some((ordinal, after(stacking)?));
    list.extend((0..).zip(before).filter_map(after));
}
