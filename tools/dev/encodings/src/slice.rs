//! The values of a section, row by row, and how they become symbols.

use crate::coders::{self, Cost, Counter, Row, SYMBOLS};
use crate::{DtwContext, Way, WdlCells};
use lasca_tablebase::Value;
use lasca_tablebase::index::SliceIndex;
use lasca_tablebase::rules::{Placement, Square, SquareSet};
use lasca_tablebase::table::{Table, TableError};
use lasca_tablebase::internals::SliceValues;
use rayon::prelude::*;
use std::collections::HashMap;

/// Lengths of runs have codes below this; the last of them is a run up to the end of the block.
const RUNS: usize = 40;
const DRAW: u8 = 1;

/// A value: 0 a loss, 1 a draw, 2 a win; and the DTW, halved.
#[derive(Clone, Copy)]
struct Cell {
    wdl: u8,
    dtw: u8,
}

impl From<Value> for Cell {
    fn from(value: Value) -> Cell {
        let (wdl, dtw) = match value {
            Value::Loss(dtw) => (0, dtw),
            Value::Draw => (DRAW, 0),
            Value::Win(dtw) => (2, dtw),
        };
        Cell {
            wdl,
            dtw: u8::try_from(dtw / 2).expect("the materials compared have no longer wins"),
        }
    }
}

/// The positions of one side to move and one number of columns.
pub struct Section {
    pub side: usize,
    pub columns: usize,
    sets: Vec<SquareSet>,
    /// For each owner mask, which sets are quiet.
    quiet: Vec<Vec<bool>>,
    /// For each row, the number of its owner mask, and the values of all sets.
    rows: Vec<(usize, Vec<Cell>)>,
}

/// Reads all sections, those of one number of columns one after another.
pub fn read(table: &Table) -> Result<Vec<Section>, TableError> {
    let mut sections = Vec::new();
    for (side, slices) in table.read()?.into_iter().enumerate() {
        for (columns, slice) in (2..).zip(slices) {
            let section = table.slice(side, columns);
            let section = section.ok_or(TableError::MissingSlice { side, columns })?;
            sections.push(Section::new(side, section.index(), &slice));
        }
    }
    sections.sort_by_key(|section| section.columns);
    Ok(sections)
}

impl Section {
    fn new(side: usize, index: &SliceIndex, slice: &SliceValues) -> Section {
        let sets: Vec<SquareSet> =
            (0..index.orbits()).map(|block| index.sets().representative(block)).collect();
        let (mut masks, mut mask_of_row) = (Vec::new(), Vec::new());
        for part in index.splits() {
            for mask in part.owner_masks() {
                mask_of_row.extend(vec![masks.len(); part.mask_rows]);
                masks.push(mask);
            }
        }
        let is_quiet = |set: SquareSet, mask| !Placement::with_owners(set, mask).must_capture();
        let of_mask = |&mask: &u32| sets.iter().map(|&set| is_quiet(set, mask)).collect();
        let quiet = masks.par_iter().map(of_mask).collect();
        let rows = mask_of_row.into_par_iter().enumerate().map(|(row, mask)| {
            let number = |set| (set * index.rows() + row) as u64;
            (mask, (0..sets.len()).map(|set| slice.value(number(set)).into()).collect())
        });
        let (rows, columns) = (rows.collect(), index.columns());
        Section { side, columns, sets, quiet, rows }
    }

    /// How many positions there are to store.
    pub fn positions(&self) -> usize {
        self.sets.len() * self.rows.len()
    }

    /// The sets of these halves, in chunks.
    fn chunks(&self, way: &Way, kept: &[usize]) -> Vec<Vec<usize>> {
        let half =
            |set: usize| (self.sets[set].into_iter().map(Square::rank).sum::<i32>() % 2) as usize;
        let mut sets: Vec<usize> = (0..self.sets.len()).collect();
        sets.sort_by_cached_key(|&set| {
            (way.apart as usize * half(set), way.snake.then(|| snake_key(self.sets[set])))
        });
        let halves = sets.chunk_by(|&a, &b| !way.apart || half(a) == half(b));
        let chunks = halves.flat_map(|half| half.chunks(way.chunk)).map(|chunk| {
            chunk.iter().copied().filter(|&set| kept.contains(&half(set))).collect::<Vec<_>>()
        });
        chunks.filter(|chunk| !chunk.is_empty()).collect()
    }

    /// Calls `count` with the values of each row and which of its sets have cells in each chunk.
    fn each_row(
        &self,
        way: &Way,
        chunks: &[Vec<usize>],
        count: impl Fn(&[Cell], &[Vec<usize>], &mut Counter) + Sync,
    ) -> Vec<Row> {
        let rows = self.rows.par_iter().map_init(Counter::default, |counter, (mask, values)| {
            let has_cell = |set: &usize| way.captures || self.quiet[*mask][*set];
            let cells_of = |chunk: &Vec<usize>| chunk.iter().copied().filter(has_cell).collect();
            count(values, &chunks.iter().map(cells_of).collect::<Vec<_>>(), counter);
            counter.take()
        });
        rows.collect()
    }

    /// What the WDLs take.
    pub fn wdl(&self, way: &Way) -> Cost {
        let chunks = self.chunks(way, &[0, 1]);
        let rows = self.each_row(way, &chunks, |values, chunks, counter| {
            let mut tally = [0; 3];
            chunks.iter().flatten().for_each(|&set| tally[usize::from(values[set].wdl)] += 1);
            let usual = (0..3).max_by_key(|&wdl| tally[wdl]).unwrap_or(0) as u8;
            for cells in chunks {
                let wdls: Vec<u8> = cells.iter().map(|&set| values[set].wdl).collect();
                counter.bytes.extend(&wdls);
                if wdls.iter().all(|&wdl| wdl == usual) {
                    continue;
                }
                match way.wdl {
                    WdlCells::Runs => put_runs(&wdls, usual, counter),
                    WdlCells::AfterTwo => {
                        let mut before = [usize::from(usual); 2];
                        for wdl in wdls.into_iter().map(usize::from) {
                            counter.put(before[0] * 3 + before[1], wdl, 0);
                            before = [wdl, before[0]];
                        }
                    }
                }
            }
        });
        coders::of_rows(rows, way, chunks.len(), 8)
    }

    /// What the DTWs of these halves take.
    pub fn dtw(&self, way: &Way, kept: &[usize]) -> Cost {
        let chunks = self.chunks(way, kept);
        let neighbours = match way.dtw {
            DtwContext::Neighbours => self.neighbours(&chunks),
            _ => Vec::new(),
        };
        let rows = self.each_row(way, &chunks, |values, chunks, counter| {
            let decided = |&set: &usize| (values[set].wdl != DRAW).then_some(values[set].dtw);
            let (mut sum, mut count) = (0, 0);
            for dtw in chunks.iter().flatten().filter_map(decided) {
                (sum, count) = (sum + usize::from(dtw), count + 1);
            }
            let usual = (sum + count / 2) / count.max(1);
            let mut known = vec![false; if neighbours.is_empty() { 0 } else { values.len() }];
            for cells in chunks {
                let mut before = [[usual; 2]; 2];
                for &set in cells.iter().filter(|set| decided(set).is_some()) {
                    let (side, dtw) =
                        (usize::from(values[set].wdl / 2), usize::from(values[set].dtw));
                    let [last, last_but_one] = before[side];
                    let (context, near) = match way.dtw {
                        DtwContext::Nothing => (0, 0),
                        DtwContext::Last => (last.min(100), last),
                        DtwContext::LastKind => (kind(last), last),
                        DtwContext::LastTwo => {
                            let rise = (last_but_one + 2).saturating_sub(last).min(4);
                            (kind(last) + 24 * rise, last)
                        }
                        DtwContext::Neighbours => {
                            known[set] = true;
                            let alike = |&&n: &&usize| known[n] && values[n].wdl == values[set].wdl;
                            let (mut twice, mut count) = (2 * last, 1);
                            for &n in neighbours[set].iter().filter(alike) {
                                (twice, count) =
                                    (twice + 2 * usize::from(values[n].dtw), count + 1);
                            }
                            let mean = (twice + count / 2) / count;
                            let kind = if mean < 24 { mean } else { kind(mean / 2) + 12 };
                            (kind + 36 * (count - 1).min(2), mean / 2)
                        }
                    };
                    counter.bytes.push(dtw as u8);
                    counter.put(2 * context + side, dtw_symbol(dtw, near), 0);
                    before[side] = [dtw, last];
                }
            }
        });
        coders::of_rows(rows, way, chunks.len(), 16)
    }

    /// For each set, those before it in its chunk that differ by the place of one column on the way to
    /// the next one, so that their rows mean the same.
    fn neighbours(&self, chunks: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.sets.len()];
        for chunk in chunks {
            let mut before = HashMap::new();
            for &set in chunk {
                let occupied = self.sets[set].bits();
                for from in (0..Square::COUNT).filter(|from| occupied >> from & 1 != 0) {
                    let free = |to: &usize| occupied >> to & 1 == 0;
                    let found = |to| before.get(&(occupied & !(1 << from) | 1u32 << to)).copied();
                    let below = (0..from).rev().take_while(free).find_map(found);
                    let above = (from + 1..Square::COUNT).take_while(free).find_map(found);
                    neighbours[set].extend(below.into_iter().chain(above));
                }
                before.insert(occupied, set);
            }
        }
        neighbours
    }

    /// What the DTWs of all positions take in the order of their numbers, a byte each, under zstd.
    pub fn first_format(&self) -> Cost {
        let byte = |value: Cell| match value.wdl {
            DRAW => 0,
            wdl => value.dtw.wrapping_mul(2).wrapping_add(wdl / 2 + 1),
        };
        let of_set = |set| self.rows.iter().map(|(_, values)| byte(values[set])).collect();
        let bytes: Vec<Vec<u8>> = (0..self.sets.len()).into_par_iter().map(of_set).collect();
        coders::zstd(&bytes.concat())
    }
}

/// A number that orders sets of as many squares as the format does.
fn snake_key(set: SquareSet) -> Vec<usize> {
    let (mut key, mut turned) = (Vec::new(), false);
    for square in (0..Square::COUNT).rev().filter(|square| set.bits() >> square & 1 != 0) {
        key.push(if turned { Square::COUNT - square } else { square });
        turned ^= square % 2 == 1;
    }
    key
}

/// The symbols of a block of WDLs, as runs.
fn put_runs(wdls: &[u8], usual: u8, counter: &mut Counter) {
    let mut before: Option<u8> = None;
    let mut left = wdls.len();
    for run in wdls.chunk_by(|a, b| a == b) {
        left -= run.len();
        let (code, more) = match run.len() - 1 {
            _ if left == 0 => (RUNS - 1, 0),
            less @ 0..12 => (less, 0),
            less => {
                let log = less.ilog2() as usize;
                (12 + 2 * (log - 3) + (less >> (log - 1) & 1), log - 1)
            }
        };
        let value = run[0];
        match before {
            Some(before) => {
                let step = usize::from((value + 3 - before) % 3);
                counter.put(usize::from(before), (step - 1) * RUNS + code, more);
            }
            None => {
                counter.put(3 + usize::from(usual), value.into(), 0);
                counter.put(6 + usize::from(value), code, more);
            }
        }
        before = Some(value);
    }
}

/// The kind of a halved DTW.
fn kind(dtw: usize) -> usize {
    match dtw {
        0..12 => dtw,
        12..20 => 12 + (dtw - 12) / 2,
        20..36 => 16 + (dtw - 20) / 4,
        _ => (20 + (dtw - 36) / 8).min(23),
    }
}

/// The symbol of a halved DTW that is expected to be `near`: the difference, or the DTW if it is short.
fn dtw_symbol(dtw: usize, near: usize) -> usize {
    let symbol = match dtw.checked_sub(near) {
        _ if near < 12 => dtw,
        Some(more) => 2 * more,
        None => 2 * (near - dtw) - 1,
    };
    symbol.min(SYMBOLS - 1)
}
