//! Choosing which rows share their codes, and what those codes are.
//!
//! Each row is put in the class whose codes make it shortest, and the codes of each class are made
//! anew for the rows in it, turn by turn (Lloyd's algorithm). All of it counts in whole bits, so the
//! result is the same on every machine.

use super::FileKind;
use super::format::MAX_CLASSES;
use super::huffman::{self, Lengths, MAX_LENGTH, MAX_SYMBOLS};
use super::model::Model;
use super::symbols::{ESCAPE_BITS, Symbol};
use rayon::prelude::*;

/// What a sample says of a row.
#[derive(Debug, bincode::Encode, bincode::Decode)]
pub struct RowCounts {
    /// Its usual value.
    pub usual: u8,
    /// How often each symbol of each context occurs, if it does.
    pub symbols: Vec<Count>,
}

/// A key in the upper 12 bits, and how often it occurs in the 20 below them: a row has fewer cells.
#[derive(Clone, Copy, Debug, bincode::Encode, bincode::Decode)]
pub struct Count(u32);

const COUNT_BITS: u32 = 20;

impl Count {
    fn new(key: u32, count: u32) -> Count {
        Count(key << COUNT_BITS | count.min((1 << COUNT_BITS) - 1))
    }

    fn key(self) -> u32 {
        self.0 >> COUNT_BITS
    }

    fn count(self) -> u32 {
        self.0 & ((1 << COUNT_BITS) - 1)
    }
}

/// Gathers the counts of a row.
#[derive(Debug)]
pub struct SymbolCounts {
    /// For each key, how often it occurs.
    counts: Box<[u32; KEYS]>,
    /// The keys that occur. A row has few of them, and there may be many rows.
    keys: Vec<u32>,
}

/// More than any key: [`key`] of a context of either file.
const KEYS: usize = 1 << (u32::BITS - COUNT_BITS);

impl Default for SymbolCounts {
    fn default() -> SymbolCounts {
        SymbolCounts { counts: Box::new([0; KEYS]), keys: Vec::new() }
    }
}

impl SymbolCounts {
    #[inline]
    pub fn count(&mut self, symbol: Symbol) {
        let key = key(symbol.context, symbol.symbol) as usize % KEYS;
        if self.counts[key] == 0 {
            self.keys.push(key as u32);
        }
        self.counts[key] += 1;
    }

    /// What was counted since the last call.
    pub fn take(&mut self) -> Vec<Count> {
        let count = |key: u32| Count::new(key, std::mem::take(&mut self.counts[key as usize]));
        self.keys.drain(..).map(count).collect()
    }
}

fn key(context: usize, symbol: usize) -> u32 {
    (context * MAX_SYMBOLS + symbol) as u32
}

/// The fewest symbols that are worth a class of their own: codes have to be stored too.
const SYMBOLS_A_CLASS: u64 = 4000;
/// How often rows are put into classes anew.
const TURNS: usize = 5;

/// Chooses how rows with these counts are coded in one of the files. If the counts are those of a
/// `sample`, every symbol gets a code or an escape.
pub fn choose(kind: FileKind, rows: &[RowCounts], sample: bool) -> Model {
    let usual = rows.iter().map(|row| row.usual).collect();
    let total: u64 = rows.par_iter().map(symbols_in).sum();
    let classes = ((total / SYMBOLS_A_CLASS).max(1) as usize).min(MAX_CLASSES);
    let mut of_row = first_classes(rows, total, classes);
    let mut lengths = all_lengths(kind, rows, &of_row, classes, sample);
    for _ in 0..TURNS * usize::from(classes > 1) {
        let costs = Costs::new(kind, &lengths);
        of_row.par_iter_mut().zip(rows).for_each(|(class, row)| {
            let bits = costs.bits(row);
            let best = (0..classes).min_by_key(|&class| bits[class]);
            *class = best.unwrap_or(0) as u8;
        });
        lengths = all_lengths(kind, rows, &of_row, classes, sample);
    }
    let costs = Costs::new(kind, &lengths);
    let of_class = |(row, &class): (&RowCounts, &u8)| costs.bits(row)[usize::from(class)];
    let bits = rows.par_iter().zip(&of_row).map(of_class).sum();
    Model { classes: of_row, usual, lengths, bits }
}

fn symbols_in(row: &RowCounts) -> u64 {
    row.symbols.iter().map(|of| u64::from(of.count())).sum()
}

/// A first division: rows sorted by their mean symbol, about equally many symbols in each class.
fn first_classes(rows: &[RowCounts], total: u64, classes: usize) -> Vec<u8> {
    let mean = |row: &RowCounts| {
        let symbol = |of: &Count| u64::from(of.key() % MAX_SYMBOLS as u32);
        let sum: u64 = row.symbols.iter().map(|of| symbol(of) * u64::from(of.count())).sum();
        (sum << 16) / symbols_in(row).max(1)
    };
    let mut order: Vec<(u64, usize)> =
        rows.par_iter().enumerate().map(|(at, row)| (mean(row), at)).collect();
    order.par_sort_unstable();
    let mut of_row = vec![0; rows.len()];
    let mut before = 0u64;
    for (_, row) in order {
        of_row[row] = (before * classes as u64 / total.max(1)).min(classes as u64 - 1) as u8;
        before += symbols_in(&rows[row]);
    }
    of_row
}

fn all_lengths(
    kind: FileKind,
    rows: &[RowCounts],
    of_row: &[u8],
    classes: usize,
    sample: bool,
) -> Vec<Vec<Lengths>> {
    let of_class = |class: usize| {
        let mut counts = vec![0u64; kind.contexts().len() * MAX_SYMBOLS];
        let in_class = rows.iter().zip(of_row).filter(|(_, of_row)| usize::from(**of_row) == class);
        for of in in_class.flat_map(|(row, _)| &row.symbols) {
            counts[of.key() as usize] += u64::from(of.count());
        }
        let contexts = counts.chunks(MAX_SYMBOLS).zip(kind.contexts());
        contexts
            .map(|(counts, &symbols)| {
                let mut counts = counts[..symbols].to_vec();
                match kind.escape() {
                    _ if !sample => {}
                    Some(escape) => counts[escape] += 1,
                    None => counts.iter_mut().for_each(|count| *count += 1),
                }
                huffman::lengths(&counts)
            })
            .collect()
    };
    (0..classes).into_par_iter().map(of_class).collect()
}

/// For each key, the bits that it takes in each class.
struct Costs(Vec<[u8; MAX_CLASSES]>);

impl Costs {
    fn new(kind: FileKind, lengths: &[Vec<Lengths>]) -> Costs {
        let mut costs = vec![[0; MAX_CLASSES]; kind.contexts().len() * MAX_SYMBOLS];
        for (class, lengths) in lengths.iter().enumerate() {
            for (costs, lengths) in costs.as_chunks_mut::<MAX_SYMBOLS>().0.iter_mut().zip(lengths) {
                let escape = kind.escape().map_or(0, |escape| lengths[escape]);
                let escape = if escape > 0 { escape } else { MAX_LENGTH as u8 };
                for (symbol, costs) in costs.iter_mut().enumerate() {
                    let length = lengths.get(symbol).copied().unwrap_or(0);
                    costs[class] = if length > 0 { length } else { escape + ESCAPE_BITS as u8 };
                }
            }
        }
        Costs(costs)
    }

    /// The bits that a row takes in each class.
    fn bits(&self, row: &RowCounts) -> [u64; MAX_CLASSES] {
        // A row has fewer cells than the board has sets of squares, so this is far from overflowing.
        let mut bits = [0u32; MAX_CLASSES];
        for of in &row.symbols {
            let costs = &self.0[of.key() as usize];
            // Processors multiply numbers of 16 bits fastest, and few counts have more.
            for (at, part) in [(0, of.count() as u16), (16, (of.count() >> 16) as u16)] {
                if part == 0 {
                    continue;
                }
                for (bits, &cost) in bits.iter_mut().zip(costs) {
                    *bits += (u32::from(u16::from(cost)) * u32::from(part)) << at;
                }
            }
        }
        bits.map(u64::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(context: usize, symbol: usize) -> Symbol {
        Symbol { context, symbol, more: 0, more_bits: 0 }
    }

    #[test]
    fn rows_that_are_alike_come_together_and_everything_has_a_code() {
        let row = |favourite: usize| {
            let mut counter = SymbolCounts::default();
            (0..2000).for_each(|i| {
                counter.count(symbol(3, if i % 9 == 0 { i % 50 } else { favourite }));
            });
            RowCounts { usual: 0, symbols: counter.take() }
        };
        let rows: Vec<RowCounts> = (0..40).map(|i| row(10 * (i % 2))).collect();
        let model = choose(FileKind::Dtw, &rows, true);
        let of_first: Vec<bool> =
            model.classes.iter().map(|&class| class == model.classes[0]).collect();
        assert!(of_first.iter().enumerate().all(|(i, &same)| i % 2 == 0 || !same));
        for lengths in model.lengths.iter().flatten() {
            assert!(huffman::Decoder::new(lengths).is_some());
            assert!(lengths[MAX_SYMBOLS - 1] > 0);
        }
    }
}
