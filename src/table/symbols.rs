//! The values of a block as symbols, and symbols as bits.
//!
//! A block has a cell for each orbit of its chunk that is quiet under its row's owner mask. WDLs are
//! stored as runs of equal ones. DTWs are stored only for cells that are not drawn. They are halved,
//! because the WDL tells whether a DTW is even, and each is stored as its difference to the last one
//! with the same result. All symbols have prefix codes, which depend on a little of what was decoded
//! before (the **context**) and on the **class** of the row. Rows that are alike share a class.

use super::bits::{BitReader, BitWriter};
use super::huffman::{self, Decoder, Encoder};
use crate::Wdl;
use crate::values::Distance;

/// A WDL as files hold it, for the side to move: [`LOSS`], [`DRAW`] or [`WIN`].
pub type StoredWdl = u8;
/// The side to move loses.
pub const LOSS: StoredWdl = 0;
/// Nobody wins.
pub const DRAW: StoredWdl = 1;
/// The side to move wins.
pub const WIN: StoredWdl = 2;

/// The result that a stored WDL stands for.
#[inline]
pub fn wdl(stored: StoredWdl) -> Wdl {
    match stored {
        LOSS => Wdl::Loss,
        DRAW => Wdl::Draw,
        _ => Wdl::Win,
    }
}

/// The stored WDL of a position with this distance.
#[inline]
pub fn stored_wdl(distance: Distance) -> StoredWdl {
    match distance.dtw() {
        None => DRAW,
        Some(dtw) if dtw.is_multiple_of(2) => LOSS,
        Some(_) => WIN,
    }
}

/// The stored WDL and the halved DTW of a position with this distance; `None` for a draw.
#[inline]
pub fn halved(distance: Distance) -> Option<(StoredWdl, u16)> {
    Some((stored_wdl(distance), distance.dtw()? / 2))
}

/// The distance of a position with this WDL, which is not a draw, and this halved DTW: the inverse of
/// [`halved`]. `None` if the distance is too long.
#[inline]
pub fn from_halved(wdl: StoredWdl, halved: u16) -> Option<Distance> {
    // Losses have even DTWs, and wins have odd ones.
    let dtw = halved.checked_mul(2)?.checked_add(u16::from(wdl != LOSS))?;
    Distance::new(Some(dtw))
}

/// What one of the two files says of the symbols of its blocks.
pub trait Symbols {
    /// How many symbols each context has.
    const CONTEXTS: &'static [usize];
    /// The symbol that stands for any without a code, if there is one.
    const ESCAPE: Option<usize>;
    /// The bits that follow it.
    const ESCAPE_BITS: u32 = 16;
}

/// The symbols of WDL blocks: [`wdl_symbols`].
pub struct WdlSymbols;
/// The symbols of DTW blocks: [`dtw_symbols`].
pub struct DtwSymbols;

/// How many codes there are for the length of a run. The last one stands for the rest of the block.
const RUN_LENGTHS: usize = 25;
const TO_THE_END: usize = RUN_LENGTHS - 1;

impl Symbols for WdlSymbols {
    /// After a run of each value, what follows and how long it is; the first value of a block, by the
    /// row's usual one; how long the first run is, by its value.
    const CONTEXTS: &'static [usize] = &[
        2 * RUN_LENGTHS,
        2 * RUN_LENGTHS,
        2 * RUN_LENGTHS,
        3,
        3,
        3,
        RUN_LENGTHS,
        RUN_LENGTHS,
        RUN_LENGTHS,
    ];
    const ESCAPE: Option<usize> = None;
}

/// How many classes of the previous DTW there are, for losses and for wins.
const PREVIOUS: usize = 24;
/// Previous DTWs below this have a class each, and the symbol after them is the DTW itself.
const EXACT: u16 = 12;

impl Symbols for DtwSymbols {
    /// For losses, then for wins, by the class of the previous DTW.
    const CONTEXTS: &'static [usize] = &[huffman::MAX_SYMBOLS; 2 * PREVIOUS];
    const ESCAPE: Option<usize> = Some(huffman::MAX_SYMBOLS - 1);
}

/// A symbol in its context, with plain bits that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The context.
    pub context: usize,
    /// The symbol.
    pub symbol: usize,
    /// The bits that follow.
    pub more: u32,
    /// How many they are.
    pub more_bits: u32,
}

/// The number of the code for a run of this length, and the bits that follow it.
fn run_length(length: usize) -> (usize, u32, u32) {
    if length <= 12 {
        return (length - 1, 0, 0);
    }
    let less = length as u32 - 1;
    let log = less.ilog2();
    let upper = less >> (log - 1) & 1;
    let code = 12 + 2 * (log as usize - 3) + upper as usize;
    (code, less & ((1 << (log - 1)) - 1), log - 1)
}

/// What a symbol that follows a run says: by how much the value changes, and how long the run is: the
/// least length, and how many bits follow that say what is to be added.
#[derive(Clone, Copy)]
struct Run {
    step: StoredWdl,
    least: u16,
    more_bits: u8,
}

/// For each symbol that follows a run; the first half serves for length codes alone too.
const RUNS: [Run; 2 * RUN_LENGTHS] = {
    let mut runs = [Run { step: 0, least: 0, more_bits: 0 }; 2 * RUN_LENGTHS];
    let mut symbol = 0;
    while symbol < runs.len() {
        let code = (symbol % RUN_LENGTHS) as u32;
        let (least, more_bits) = if code < 12 {
            (code + 1, 0)
        } else if code < TO_THE_END as u32 {
            let (log, upper) = ((code - 12) / 2 + 3, (code - 12) % 2);
            (((2 + upper) << (log - 1)) + 1, log - 1)
        } else {
            // Longer than any block.
            (u16::MAX as u32, 0)
        };
        let step = (symbol / RUN_LENGTHS) as StoredWdl + 1;
        runs[symbol] = Run { step, least: least as u16, more_bits: more_bits as u8 };
        symbol += 1;
    }
    runs
};

/// The length of a run, reading the bits that follow its symbol.
#[inline]
fn take_run_length(run: Run, from: &mut BitReader) -> usize {
    usize::from(run.least) + from.take(run.more_bits.into()) as usize
}

/// The symbols of a block of WDLs in a row whose usual value is `usual`. A block that holds nothing
/// else has none.
pub fn wdl_symbols(cells: &[StoredWdl], usual: StoredWdl, mut visit: impl FnMut(Symbol)) {
    if cells.iter().all(|&cell| cell == usual) {
        return;
    }
    let mut before = None;
    let mut rest = cells;
    while let Some(&value) = rest.first() {
        let length = rest.iter().take_while(|&&cell| cell == value).count();
        rest = &rest[length..];
        let (code, more, more_bits) =
            if rest.is_empty() { (TO_THE_END, 0, 0) } else { run_length(length) };
        let (context, symbol) = match before {
            None => {
                let context = 3 + usize::from(usual);
                visit(Symbol { context, symbol: usize::from(value), more: 0, more_bits: 0 });
                (6 + usize::from(value), code)
            }
            Some(before) => {
                let step = (value + 3 - before) % 3;
                (usize::from(before), usize::from(step - 1) * RUN_LENGTHS + code)
            }
        };
        visit(Symbol { context, symbol, more, more_bits });
        before = Some(value);
    }
}

/// The codes of one class.
pub type Decoders = [Decoder];

/// Calls `visit` with the value and the length of each run of a block until it returns `false`, which it
/// must do at the last cell: the last run is longer than any block. `None` if these bytes are no block.
#[inline]
pub fn wdl_runs(
    bytes: &[u8],
    usual: StoredWdl,
    codes: &Decoders,
    mut visit: impl FnMut(StoredWdl, usize) -> bool,
) -> Option<()> {
    if bytes.is_empty() {
        visit(usual, usize::MAX);
        return Some(());
    }
    let mut from = BitReader::new(bytes);
    let mut value = codes.get(3 + usize::from(usual))?.take(&mut from)? as StoredWdl;
    let mut run = *RUNS.get(codes.get(6 + usize::from(value))?.take(&mut from)?)?;
    while visit(value, take_run_length(run, &mut from)) {
        run = *RUNS.get(codes.get(usize::from(value))?.take(&mut from)?)?;
        value += run.step;
        value -= if value > WIN { 3 } else { 0 };
        if from.is_overrun() {
            return None;
        }
    }
    (!from.is_overrun()).then_some(())
}

/// The WDL of the cell at `place` of a block.
#[inline]
pub fn wdl_at(bytes: &[u8], usual: StoredWdl, codes: &Decoders, place: usize) -> Option<StoredWdl> {
    let (mut found, mut left) = (usual, place);
    wdl_runs(bytes, usual, codes, |value, length| {
        found = value;
        let further = left >= length;
        left = left.saturating_sub(length);
        further
    })?;
    Some(found)
}

/// The class of the previous DTW.
#[inline]
fn class_of_previous(before: u16) -> usize {
    usize::from(match before {
        0..EXACT => before,
        EXACT..20 => 12 + (before - 12) / 2,
        20..36 => 16 + (before - 20) / 4,
        _ => (20 + (before - 36) / 8).min(PREVIOUS as u16 - 1),
    })
}

/// The symbols of a block of decided cells, given by WDL and halved DTW. The DTW before the first is
/// `usual`.
pub fn dtw_symbols(cells: &[(StoredWdl, u16)], usual: u8, mut visit: impl FnMut(Symbol)) {
    let mut before = [u16::from(usual); 2];
    for &(wdl, dtw) in cells {
        let side = usize::from(wdl / 2);
        let last = before[side];
        let symbol = if last < EXACT {
            usize::from(dtw)
        } else {
            let less = i32::from(dtw) - i32::from(last);
            (if less >= 0 { 2 * less } else { -2 * less - 1 }) as usize
        };
        let escape = huffman::MAX_SYMBOLS - 1;
        let (symbol, more_bits) = if symbol < escape { (symbol, 0) } else { (escape, 16) };
        // The DTW stands by in case that the symbol has no code.
        visit(Symbol {
            context: side * PREVIOUS + class_of_previous(last),
            symbol,
            more: u32::from(dtw),
            more_bits,
        });
        before[side] = dtw;
    }
}

/// Reads the halved DTWs of a block, decided cell after decided cell.
pub struct DtwReader<'a> {
    from: BitReader<'a>,
    codes: &'a Decoders,
    before: [u16; 2],
}

impl<'a> DtwReader<'a> {
    /// Reads a block of a row of this usual DTW.
    #[inline]
    pub fn new(bytes: &'a [u8], usual: u8, codes: &'a Decoders) -> DtwReader<'a> {
        DtwReader { from: BitReader::new(bytes), codes, before: [u16::from(usual); 2] }
    }

    /// The halved DTW of the next decided cell, whose WDL is `wdl`; `None` if these bytes are no
    /// block.
    #[inline]
    pub fn take(&mut self, wdl: StoredWdl) -> Option<u16> {
        let side = usize::from(wdl / 2);
        let last = self.before[side];
        let symbol =
            self.codes.get(side * PREVIOUS + class_of_previous(last))?.take(&mut self.from)?;
        let dtw = if symbol == huffman::MAX_SYMBOLS - 1 {
            self.from.take(16) as u16
        } else if last < EXACT {
            symbol as u16
        } else {
            let half = (symbol as u16).div_ceil(2);
            if symbol % 2 == 0 { last.checked_add(half)? } else { last.checked_sub(half)? }
        };
        self.before[side] = dtw;
        Some(dtw)
    }

    /// Whether more was read than there is.
    #[inline]
    pub fn is_overrun(&self) -> bool {
        self.from.is_overrun()
    }
}

/// Writes blocks of one class.
pub struct BlockEncoder {
    codes: Vec<Encoder>,
    escape: Option<usize>,
    escape_bits: u32,
}

impl BlockEncoder {
    /// With codes of these lengths, one for each context.
    pub fn new<S: Symbols>(lengths: &[huffman::Lengths]) -> BlockEncoder {
        BlockEncoder {
            codes: lengths.iter().map(|lengths| Encoder::new(lengths)).collect(),
            escape: S::ESCAPE,
            escape_bits: S::ESCAPE_BITS,
        }
    }

    /// Writes a symbol, or the escape where it has no code.
    #[inline]
    pub fn put(&self, symbol: Symbol, to: &mut BitWriter) {
        let code = &self.codes[symbol.context];
        match (code.len(symbol.symbol), self.escape) {
            (None, Some(escape)) => {
                code.put(escape, to);
                to.put(symbol.more, self.escape_bits);
            }
            _ => {
                code.put(symbol.symbol, to);
                to.put(if symbol.more_bits == 0 { 0 } else { symbol.more }, symbol.more_bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_alike<S: Symbols>() -> (BlockEncoder, Vec<Decoder>) {
        let lengths: Vec<_> =
            S::CONTEXTS.iter().map(|&symbols| huffman::lengths(&vec![1; symbols])).collect();
        let decoders = lengths.iter().map(|lengths| Decoder::new(lengths).unwrap()).collect();
        (BlockEncoder::new::<S>(&lengths), decoders)
    }

    fn cells(seed: usize) -> Vec<StoredWdl> {
        (0..seed % 513).map(|i| ((i / (1 + seed % 37)) * seed % 7 % 3) as StoredWdl).collect()
    }

    #[test]
    fn every_length_of_a_run_is_read_as_it_was_written() {
        for length in 1..=super::super::order::CHUNK_ORBITS {
            let (code, more, bits) = run_length(length);
            assert!(code < TO_THE_END);
            let mut writer = BitWriter::default();
            writer.put(more, bits);
            let bytes = writer.finish();
            assert_eq!(take_run_length(RUNS[code], &mut BitReader::new(&bytes)), length);
        }
    }

    #[test]
    fn wdls_are_read_as_they_were_written() {
        let (encoder, decoders) = all_alike::<WdlSymbols>();
        for seed in 0..2000 {
            let cells = cells(seed);
            let usual = (seed % 3) as StoredWdl;
            let mut writer = BitWriter::default();
            wdl_symbols(&cells, usual, |symbol| encoder.put(symbol, &mut writer));
            let bytes = writer.finish();
            for (place, &cell) in cells.iter().enumerate() {
                assert_eq!(wdl_at(&bytes, usual, &decoders, place), Some(cell));
            }
        }
    }

    #[test]
    fn every_distance_is_the_one_that_was_halved() {
        assert_eq!((halved(Distance::DRAW), stored_wdl(Distance::DRAW)), (None, DRAW));
        for dtw in 0..=Distance::MAX_DTW {
            let distance = Distance::new(Some(dtw)).unwrap();
            let (stored, half) = halved(distance).unwrap();
            assert_eq!(from_halved(stored, half), Some(distance));
            assert_eq!(wdl(stored), distance.value().wdl());
        }
        assert_eq!((from_halved(WIN, 32_767), from_halved(LOSS, 32_768)), (None, None));
    }

    #[test]
    fn dtws_are_read_as_they_were_written() {
        let (encoder, decoders) = all_alike::<DtwSymbols>();
        for seed in 0..600 {
            let cells: Vec<(StoredWdl, u16)> = cells(seed)
                .into_iter()
                .enumerate()
                .filter(|&(_, wdl)| wdl != DRAW)
                .map(|(i, wdl)| (wdl, (i * i * seed % (1 + seed * seed)) as u16))
                .collect();
            let mut writer = BitWriter::default();
            dtw_symbols(&cells, seed as u8, |symbol| encoder.put(symbol, &mut writer));
            let bytes = writer.finish();
            let mut reader = DtwReader::new(&bytes, seed as u8, &decoders);
            for &(wdl, dtw) in &cells {
                assert_eq!(reader.take(wdl), Some(dtw));
            }
            assert!(!reader.is_overrun());
        }
    }
}
