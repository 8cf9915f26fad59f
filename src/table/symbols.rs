//! The values of a block as symbols, and symbols as bits.
//!
//! A block has a cell for each orbit of its chunk that is quiet under its row's owner mask. WDLs are
//! stored as runs of equal ones. DTWs are stored only for cells that are not drawn. They are halved,
//! because the WDL tells whether a DTW is even, and each is stored as its difference to the last one
//! with the same result. All symbols have prefix codes, which depend on a little of what was decoded
//! before (the **context**) and on the **class** of the row. Rows that are alike share a class.

use super::FileKind;
use super::bits::{BitReader, BitWriter};
use super::huffman::{self, Decoder};
use crate::Wdl;
use crate::values::Distance;

/// A WDL as files hold it, for the side to move: [`LOSS`], [`DRAW`] or [`WIN`].
pub type StoredWdl = u8;
/// The side to move loses.
pub const LOSS: StoredWdl = Wdl::Loss as StoredWdl;
/// Nobody wins.
pub const DRAW: StoredWdl = Wdl::Draw as StoredWdl;
/// The side to move wins.
pub const WIN: StoredWdl = Wdl::Win as StoredWdl;

/// The distance of a position with this WDL, which is not a draw, and this halved DTW. `None` if the
/// distance is too long.
#[inline]
pub fn from_halved(wdl: StoredWdl, halved: u16) -> Option<Distance> {
    // Losses have even DTWs, and wins have odd ones.
    let dtw = halved.checked_mul(2)?.checked_add(u16::from(wdl != LOSS))?;
    Distance::new(Some(dtw))
}

/// How many codes there are for the length of a run. The last one stands for the rest of the block.
const RUN_LENGTHS: usize = 25;
const TO_THE_END: usize = RUN_LENGTHS - 1;
/// The length that stands for it, more than any block has cells.
const LAST_RUN: usize = u16::MAX as usize;

/// How many classes of the previous DTW there are, for losses and for wins.
const PREVIOUS: usize = 24;
/// Previous DTWs below this have a class each, and the symbol after them is the DTW itself.
const EXACT: usize = 12;

/// The symbol of a DTW block that stands for any other.
const ESCAPE: usize = huffman::MAX_SYMBOLS - 1;
/// The plain bits that follow it.
pub const ESCAPE_BITS: u32 = 16;

impl FileKind {
    /// How many symbols each context has in the blocks of this file.
    pub(super) const fn contexts(self) -> &'static [usize] {
        match self {
            // After a run of each value, what follows and how long it is; the first value of a block, by
            // the row's usual one; how long the first run is, by its value.
            FileKind::Wdl => {
                const FURTHER: usize = 2 * RUN_LENGTHS;
                const FIRST: usize = RUN_LENGTHS;
                &[FURTHER, FURTHER, FURTHER, 3, 3, 3, FIRST, FIRST, FIRST]
            }
            // For losses, then for wins, by the class of the previous DTW.
            FileKind::Dtw => &[huffman::MAX_SYMBOLS; 2 * PREVIOUS],
        }
    }

    /// The symbol that stands for any without a code, if this file has one.
    pub(super) const fn escape(self) -> Option<usize> {
        match self {
            FileKind::Wdl => None,
            FileKind::Dtw => Some(ESCAPE),
        }
    }
}

/// A symbol in its context, with plain bits that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub context: usize,
    pub symbol: usize,
    /// The bits that follow.
    pub more: u32,
    /// How many they are.
    pub more_bits: u32,
}

/// The number of the code for a run of this length, the bits that follow it, and how many they are.
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
            (LAST_RUN as u32, 0)
        };
        let step = (symbol / RUN_LENGTHS) as StoredWdl + 1;
        runs[symbol] = Run { step, least: least as u16, more_bits: more_bits as u8 };
        symbol += 1;
    }
    runs
};

/// By how much the value changes, and the length of the run.
#[inline]
fn take_run(codes: &Decoder, from: &mut BitReader) -> Option<(StoredWdl, usize)> {
    let (symbol, length) = codes.decode(from.peek())?;
    let run = RUNS.get(symbol)?;
    let more = from.peek_behind(length, run.more_bits.into());
    from.skip(length + u32::from(run.more_bits));
    Some((run.step, usize::from(run.least) + more as usize))
}

/// The symbols of a block with these WDLs, in a row whose usual value is `usual`. A block that holds
/// nothing else has none.
#[inline]
pub fn wdl_symbols(wdls: &[StoredWdl], usual: StoredWdl, mut visit: impl FnMut(Symbol)) {
    if wdls.iter().fold(0, |other, wdl| other | wdl ^ usual) == 0 {
        return;
    }
    let context = 3 + usize::from(usual);
    visit(Symbol { context, symbol: usize::from(wdls[0]), more: 0, more_bits: 0 });
    let (mut context, mut before) = (6 + usize::from(wdls[0]), None);
    let mut rest = wdls;
    while let Some(&value) = rest.first() {
        let length = first_run(rest, value);
        rest = &rest[length..];
        let (code, more, more_bits) =
            if rest.is_empty() { (TO_THE_END, 0, 0) } else { run_length(length) };
        // By how much the value changes, less 1, modulo 3.
        let step = before.map_or(0, |before| (value + 2 - before) % 3);
        let symbol = usize::from(step) * RUN_LENGTHS + code;
        visit(Symbol { context, symbol, more, more_bits });
        (context, before) = (usize::from(value), Some(value));
    }
}

/// How many WDLs are `value` before the first other one.
#[inline]
fn first_run(wdls: &[StoredWdl], value: StoredWdl) -> usize {
    let (words, rest) = wdls.as_chunks();
    for (i, word) in words.iter().enumerate() {
        let others = u64::from_le_bytes(*word) ^ u64::from_le_bytes([value; 8]);
        if others != 0 {
            return 8 * i + others.trailing_zeros() as usize / 8;
        }
    }
    8 * words.len() + rest.iter().take_while(|&&wdl| wdl == value).count()
}

/// The codes of one class.
pub type Decoders = [Decoder];

/// Calls `visit` with the value and the length of each run of a block of this many cells. `None` if these bytes
/// are no such block.
#[inline]
pub fn wdl_runs(
    bytes: &[u8],
    usual: StoredWdl,
    codes: &Decoders,
    cells: usize,
    mut visit: impl FnMut(StoredWdl, usize),
) -> Option<()> {
    let (mut left, mut is_sound) = (cells, true);
    let from = first_wdl_runs(bytes, usual, codes, |value, length| {
        // The last run has a code of its own.
        is_sound &= (length >= left) == (length >= LAST_RUN);
        let length = length.min(left);
        visit(value, length);
        left -= length;
        left > 0
    })?;
    (is_sound && from.is_at_end()).then_some(())
}

/// Calls `visit` with the value and the length of each run of a block until it returns `false`, which it
/// must do at the last cell: the last run is longer than any block. Returns what is left of the bits; `None` if
/// there are no such runs in them.
#[inline]
fn first_wdl_runs<'a>(
    bytes: &'a [u8],
    usual: StoredWdl,
    codes: &Decoders,
    mut visit: impl FnMut(StoredWdl, usize) -> bool,
) -> Option<BitReader<'a>> {
    let mut from = BitReader::new(bytes);
    if bytes.is_empty() {
        visit(usual, LAST_RUN);
        return Some(from);
    }
    let mut value = codes.get(3 + usize::from(usual))?.take(&mut from)? as StoredWdl;
    let (_, mut length) = take_run(codes.get(6 + usize::from(value))?, &mut from)?;
    while visit(value, length) {
        // Enough for the symbol and the bits that follow it.
        from.refill();
        let (step, next) = take_run(codes.get(usize::from(value))?, &mut from)?;
        value += step;
        value -= if value > WIN { 3 } else { 0 };
        length = next;
    }
    (!from.is_overrun()).then_some(from)
}

/// The WDL of the cell at `place` of a block.
#[inline]
pub fn wdl_at(bytes: &[u8], usual: StoredWdl, codes: &Decoders, place: usize) -> Option<StoredWdl> {
    let (mut found, mut left) = (usual, place);
    first_wdl_runs(bytes, usual, codes, |value, length| {
        found = value;
        let further = left >= length;
        left = left.saturating_sub(length);
        further
    })?;
    Some(found)
}

/// The classes of the previous DTWs up to the first of the last class.
const CLASSES: [u8; 61] = {
    let mut classes = [0; 61];
    let mut before = 0;
    while before < classes.len() {
        let class = match before {
            0..EXACT => before,
            EXACT..20 => 12 + (before - 12) / 2,
            20..36 => 16 + (before - 20) / 4,
            _ => 20 + (before - 36) / 8,
        };
        classes[before] = class as u8;
        before += 1;
    }
    assert!(classes[before - 1] as usize == PREVIOUS - 1);
    classes
};

/// The class of the previous DTW.
#[inline]
fn class_of_previous(before: u16) -> usize {
    CLASSES[usize::from(before).min(CLASSES.len() - 1)].into()
}

/// The symbols of a block whose decided cells have these DTWs. The halved DTW before the first is
/// `usual`.
#[inline]
pub fn dtw_symbols(dtws: impl Iterator<Item = u16>, usual: u8, mut visit: impl FnMut(Symbol)) {
    let mut before = [u16::from(usual); 2];
    dtws.for_each(|dtw| {
        let (side, half) = (usize::from(dtw % 2), dtw / 2);
        let before = std::mem::replace(&mut before[side], half);
        let less = i32::from(half) - i32::from(before);
        // 0, -1, 1, -2, 2 and so on.
        let folded = (less << 1 ^ less >> 31) as usize;
        let symbol = if usize::from(before) < EXACT { half.into() } else { folded };
        let context = side * PREVIOUS + class_of_previous(before);
        // The escape says itself that the DTW follows.
        visit(Symbol { context, symbol: symbol.min(ESCAPE), more: half.into(), more_bits: 0 });
    });
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
    #[inline(always)]
    pub fn take(&mut self, wdl: StoredWdl) -> Option<u16> {
        let side = usize::from(wdl / 2);
        let last = self.before[side];
        // Enough for the symbol and the bits that follow it.
        self.from.refill();
        let symbol =
            self.codes.get(side * PREVIOUS + class_of_previous(last))?.take(&mut self.from)?;
        let dtw = if symbol == ESCAPE {
            self.from.take(ESCAPE_BITS) as u16
        } else if usize::from(last) < EXACT {
            symbol as u16
        } else {
            let half = (symbol as u16).div_ceil(2);
            if symbol % 2 == 0 { last.checked_add(half)? } else { last.checked_sub(half)? }
        };
        self.before[side] = dtw;
        Some(dtw)
    }

    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.from.is_at_end()
    }
}

/// Writes blocks of one class.
pub struct BlockEncoder {
    /// For each symbol of each context, its code; that of the escape for symbols without a code.
    codes: Vec<Code>,
}

/// How a symbol is written.
#[derive(Clone, Copy, Default)]
struct Code {
    bits: u16,
    len: u8,
    /// How many bits of the symbol's value follow in any case.
    more_bits: u8,
}

impl BlockEncoder {
    /// Writes blocks of this file with codes of these lengths, for each context.
    pub fn new(kind: FileKind, lengths: &[huffman::Lengths]) -> BlockEncoder {
        let mut codes = vec![Code::default(); lengths.len() * huffman::MAX_SYMBOLS];
        for (codes, lengths) in
            codes.as_chunks_mut::<{ huffman::MAX_SYMBOLS }>().0.iter_mut().zip(lengths)
        {
            let bits = huffman::codes(lengths);
            let code =
                |symbol: usize| Code { bits: bits[symbol], len: lengths[symbol], more_bits: 0 };
            let escape = kind.escape();
            let escaped = escape.map(|it| Code { more_bits: ESCAPE_BITS as u8, ..code(it) });
            for (symbol, to) in codes.iter_mut().enumerate().take(lengths.len()) {
                let has_code = lengths[symbol] > 0 && Some(symbol) != escape;
                *to = escaped.filter(|_| !has_code).unwrap_or_else(|| code(symbol));
            }
        }
        BlockEncoder { codes }
    }

    /// Writes a symbol, or the escape where it has no code.
    #[inline(always)]
    pub fn put(&self, symbol: Symbol, to: &mut BitWriter) {
        let code = self.codes[symbol.context * huffman::MAX_SYMBOLS + symbol.symbol];
        to.put(code.bits.into(), code.len.into());
        let more_bits = symbol.more_bits.max(code.more_bits.into());
        if more_bits > 0 {
            to.put(symbol.more & ((1 << more_bits) - 1), more_bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::CHUNK_ORBITS;
    use super::*;

    #[test]
    fn every_length_of_a_run_is_read_as_it_was_written() {
        for length in 1..=CHUNK_ORBITS {
            let (code, more, more_bits) = run_length(length);
            let mut writer = BitWriter::default();
            writer.put(more, more_bits);
            let bytes = writer.into_bytes();
            let run = RUNS[code];
            assert!(code < TO_THE_END);
            let more = BitReader::new(&bytes).take(run.more_bits.into());
            assert_eq!(usize::from(run.least) + more as usize, length);
        }
    }

    #[test]
    fn a_block_ends_with_its_last_cell_and_zeros_fill_up_its_last_byte() {
        let lengths =
            FileKind::Wdl.contexts().iter().map(|&count| huffman::lengths(&vec![1; count]));
        let lengths: Vec<huffman::Lengths> = lengths.collect();
        let codes: Vec<Decoder> = lengths.iter().map(|of| Decoder::new(of).unwrap()).collect();
        let encoder = BlockEncoder::new(FileKind::Wdl, &lengths);
        let read = |bytes: &[u8], cells: usize| {
            let mut found = Vec::new();
            let add = |wdl, length| found.resize(found.len() + length, wdl);
            wdl_runs(bytes, DRAW, &codes, cells, add).map(|()| found)
        };
        let all = [WIN, WIN, LOSS, DRAW, DRAW, LOSS, LOSS, LOSS, WIN, LOSS, DRAW, WIN];
        for wdls in (1..=all.len()).map(|cells| &all[..cells]) {
            let mut writer = BitWriter::default();
            wdl_symbols(wdls, DRAW, |symbol| encoder.put(symbol, &mut writer));
            let bytes = writer.into_bytes();
            assert_eq!(read(&bytes, wdls.len()).as_deref(), Some(wdls));
            for bit in 0..8 * bytes.len() {
                let mut changed = bytes.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(read(&changed, wdls.len()).as_deref(), Some(wdls), "bit {bit}");
            }
            assert!(read(&[&bytes[..], &[0]].concat(), wdls.len()).is_none());
            assert!(read(&bytes[..bytes.len() - 1], wdls.len()).as_deref() != Some(wdls));
            // The last run goes to the end, and the others do not.
            let runs = wdls.chunk_by(|a, b| a == b);
            let before = wdls.len() - runs.last().unwrap().len();
            assert!(read(&bytes, before).is_none_or(|found| found.is_empty()));
        }
    }

    #[test]
    fn every_distance_is_the_one_that_was_halved() {
        assert_eq!(Distance::DRAW.wdl_code(), DRAW);
        for dtw in 0..=Distance::MAX_DTW {
            let distance = Distance::new(Some(dtw)).unwrap();
            let stored = distance.wdl_code();
            assert_eq!(from_halved(stored, dtw / 2), Some(distance));
            assert_eq!(stored, distance.value().wdl() as StoredWdl);
        }
        assert_eq!((from_halved(WIN, 32_767), from_halved(LOSS, 32_768)), (None, None));
    }
}
