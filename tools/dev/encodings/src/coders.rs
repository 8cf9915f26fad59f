//! What symbols take, coded in classes of rows, in pairs or by zstd.

use crate::{Coder, Way};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Sum;
use std::mem::take;

/// How many symbols a context may have.
pub const SYMBOLS: usize = 160;
const CONTEXTS: usize = 240;

/// Bits for symbols, and for everything that is needed to read them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub symbols: f64,
    pub rest: f64,
}

impl Cost {
    pub fn total(self) -> f64 {
        self.symbols + self.rest
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |a, b| Cost {
            symbols: a.symbols + b.symbols,
            rest: a.rest + b.rest,
        })
    }
}

/// What is to be coded of a row.
pub struct Row {
    /// How often each symbol of each context occurs.
    counts: Vec<(usize, u64)>,
    /// The bits that follow symbols as they are.
    plain: usize,
    /// The values, for those coders that know no symbols.
    bytes: Vec<u8>,
}

impl Row {
    fn symbols(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| count).sum()
    }
}

/// Gathers a row.
#[derive(Default)]
pub struct Counter {
    counts: Vec<u64>,
    met: Vec<usize>,
    plain: usize,
    pub bytes: Vec<u8>,
}

impl Counter {
    /// Counts a symbol in its context, and plain bits.
    pub fn put(&mut self, context: usize, symbol: usize, plain: usize) {
        debug_assert!(context < CONTEXTS && symbol < SYMBOLS);
        self.counts.resize(CONTEXTS * SYMBOLS, 0);
        let key = context * SYMBOLS + symbol;
        if self.counts[key] == 0 {
            self.met.push(key);
        }
        self.counts[key] += 1;
        self.plain += plain;
    }

    /// What was counted since the last call.
    pub fn take(&mut self) -> Row {
        let mut count = |key: usize| (key, take(&mut self.counts[key]));
        let counts = self.met.drain(..).map(&mut count).collect();
        Row { counts, plain: take(&mut self.plain), bytes: take(&mut self.bytes) }
    }
}

/// What rows take, each with so many blocks and with so many bits for its class and its usual value.
pub fn of_rows(rows: Vec<Row>, way: &Way, blocks: usize, row_bits: usize) -> Cost {
    match way.coder {
        Coder::Pairs => return pairs(rows),
        Coder::Zstd => {
            return zstd(&rows.iter().flat_map(|row| &row.bytes).copied().collect::<Vec<_>>());
        }
        Coder::Arithmetic | Coder::Prefix => {}
    }
    let counts = classes(&rows, way.classes);
    let contexts = || counts.iter().flat_map(|counts| counts.chunks(SYMBOLS));
    let bits = if way.coder == Coder::Prefix { prefix_bits } else { entropy };
    let plain: usize = rows.iter().map(|row| row.plain).sum();
    // The length of a code takes about five bits; a block takes a byte, and a share of a group's start.
    let codes = contexts().flatten().filter(|&&count| count > 0).count();
    let rest = 5 * codes + (row_bits + 10 * blocks) * rows.len();
    Cost { symbols: contexts().map(bits).sum::<f64>() + plain as f64, rest: rest as f64 }
}

/// For each class of rows, how often each symbol occurs. Each row is put in the class whose codes make it
/// shortest, and codes are made anew for the rows of each class, turn by turn.
fn classes(rows: &[Row], most: usize) -> Vec<Vec<u64>> {
    let total: u64 = rows.iter().map(Row::symbols).sum();
    let classes = ((total / 4000).max(1) as usize).min(most);
    // At first by how large the symbols are on average, as many symbols in each class.
    let mean = |row: &Row| {
        let sum: u64 = row.counts.iter().map(|&(key, count)| (key % SYMBOLS) as u64 * count).sum();
        (sum << 16) / row.symbols().max(1)
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&row| mean(&rows[row]));
    let (mut class_of, mut before) = (vec![0; rows.len()], 0);
    for row in order {
        class_of[row] = ((before * classes as u64 / total.max(1)) as usize).min(classes - 1);
        before += rows[row].symbols();
    }
    let gather = |class_of: &[usize]| {
        let mut counts = vec![vec![0u64; CONTEXTS * SYMBOLS]; classes];
        for (row, &class) in rows.iter().zip(class_of) {
            row.counts.iter().for_each(|&(key, count)| counts[class][key] += count);
        }
        counts
    };
    let mut counts = gather(&class_of);
    for _ in 0..5 * usize::from(classes > 1) {
        let lengths: Vec<Vec<f32>> = counts.par_iter().map(|counts| lengths(counts)).collect();
        class_of.par_iter_mut().zip(rows).for_each(|(class, row)| {
            let bits = |class: usize| -> f32 {
                row.counts.iter().map(|&(key, count)| lengths[class][key] * count as f32).sum()
            };
            *class = (0..classes).min_by(|&a, &b| bits(a).total_cmp(&bits(b))).unwrap_or(0);
        });
        counts = gather(&class_of);
    }
    counts
}

/// For each key, the bits that it takes; those that do not occur take some, too.
fn lengths(counts: &[u64]) -> Vec<f32> {
    let of_context = |counts: &[u64]| -> Vec<f32> {
        let total = counts.iter().sum::<u64>() as f32 + 1.0;
        counts.iter().map(|&count| (total / (count as f32 + 0.05)).log2()).collect()
    };
    counts.chunks(SYMBOLS).flat_map(of_context).collect()
}

fn entropy(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    let bits =
        |&count: &u64| if count > 0 { count as f64 * (total / count as f64).log2() } else { 0. };
    counts.iter().map(bits).sum()
}

/// The bits that the best prefix code takes; 1 for each symbol if all are the same.
fn prefix_bits(counts: &[u64]) -> f64 {
    let mut heap: BinaryHeap<Reverse<u64>> =
        counts.iter().filter(|&&count| count > 0).map(|&count| Reverse(count)).collect();
    let mut bits = if heap.len() == 1 { counts.iter().sum() } else { 0 };
    while let (Some(Reverse(a)), Some(Reverse(b))) = (heap.pop(), heap.pop()) {
        bits += a + b;
        heap.push(Reverse(a + b));
    }
    bits as f64
}

/// What bytes take under zstd.
pub fn zstd(bytes: &[u8]) -> Cost {
    let compress = |block: &[u8]| zstd::bulk::compress(block, 9).map_or(0, |bytes| bytes.len());
    let bytes: usize = bytes.par_chunks(1 << 15).map(compress).sum();
    Cost { symbols: 8.0 * bytes as f64, rest: 0.0 }
}

/// What rows take if the most frequent pairs of symbols become symbols, up to so many, as in Larsson
/// and Moffat, *Offline dictionary-based compression*, 1999, but several at a time.
fn pairs(rows: Vec<Row>) -> Cost {
    const MOST: usize = 2048;
    const ALL: usize = 256 + MOST;
    let widen = |row: Row| row.bytes.into_iter().map(u16::from).collect();
    let mut rows: Vec<Vec<u16>> = rows.into_iter().map(widen).collect();
    let every = rows.iter().map(Vec::len).sum::<usize>() / (8 << 20) + 1;
    let key = |pair: &[u16]| usize::from(pair[0]) * ALL + usize::from(pair[1]);
    let mut rules = 0;
    loop {
        let mut counts = vec![0u32; ALL * ALL];
        for pair in rows.iter().step_by(every).flat_map(|row| row.windows(2)) {
            counts[key(pair)] += 1;
        }
        let most = counts.iter().max().map_or(0, |&count| count);
        let least = (most / 3).max(16);
        let mut frequent: Vec<usize> = (0..ALL * ALL).filter(|&k| counts[k] >= least).collect();
        frequent.sort_unstable_by_key(|&key| (Reverse(counts[key]), key));
        let (mut first, mut second, mut new) = ([false; ALL], [false; ALL], vec![0; ALL * ALL]);
        let last = (rules + rules / 32 + 2).min(MOST);
        for (key, a, b) in frequent.into_iter().map(|key| (key, key / ALL, key % ALL)) {
            // No symbol may be the first of one new pair and the second of another.
            if rules < last && !first[b] && !second[a] {
                (first[a], second[b], new[key]) = (true, true, (256 + rules) as u16);
                rules += 1;
            }
        }
        if !first.contains(&true) {
            break;
        }
        rows.par_iter_mut().for_each(|row| {
            let (mut from, mut to) = (0, 0);
            while from < row.len() {
                let merged = row.get(from..from + 2).map_or(0, |pair| new[key(pair)]);
                row[to] = if merged > 0 { merged } else { row[from] };
                (from, to) = (from + 1 + usize::from(merged > 0), to + 1);
            }
            row.truncate(to);
        });
    }
    let mut counts = vec![0; ALL];
    rows.iter().flatten().for_each(|&symbol| counts[usize::from(symbol)] += 1);
    Cost { symbols: prefix_bits(&counts), rest: 32.0 * rules as f64 }
}
