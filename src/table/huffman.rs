//! Prefix codes: Huffman codes of limited length in canonical form.
//!
//! The lengths are those of the package-merge algorithm (Larmore and Hirschberg, *A fast algorithm for
//! optimal length-limited Huffman codes*, 1990), which is exact and counts in whole numbers, so the
//! same frequencies give the same code on every machine. Where no length reaches the limit, Huffman's own
//! algorithm gives the same ones sooner. Shorter codes come first; among those of
//! one length, lower symbols do.

use super::bits::BitReader;

/// The most bits that a code may have.
pub const MAX_LENGTH: usize = 15;
/// The most symbols that a code may have.
pub const MAX_SYMBOLS: usize = 64;

/// For each symbol, the length of its code in bits; 0 for a symbol without one.
pub type Lengths = Vec<u8>;

/// The lengths that take the fewest bits for symbols of these frequencies; symbols of frequency 0
/// get no code.
pub fn lengths(frequencies: &[u64]) -> Lengths {
    assert!(frequencies.len() <= MAX_SYMBOLS, "codes have at most {MAX_SYMBOLS} symbols");
    let mut single: Vec<(u64, usize)> = frequencies
        .iter()
        .enumerate()
        .filter(|&(_, &frequency)| frequency > 0)
        .map(|(symbol, &frequency)| (frequency, symbol))
        .collect();
    single.sort_unstable();
    let mut lengths = vec![0; frequencies.len()];
    if let [(_, only)] = single[..] {
        lengths[only] = 1;
    }
    if single.len() < 2 {
        return lengths;
    }
    if set_unlimited(&single, &mut lengths) {
        return lengths;
    }
    // A level of the algorithm lists the single symbols and the pairs of neighbours of the level below,
    // lightest first. What is chosen of a level are always its first entries: some of the first single
    // symbols, and pairs of the first entries of the level below. So it is enough to know, for each
    // entry, whether it is a pair.
    let mut pairs = [0u128; MAX_LENGTH];
    let mut below: Vec<u64> = single.iter().map(|&(weight, _)| weight).collect();
    let mut level = Vec::with_capacity(2 * MAX_SYMBOLS);
    for pairs in &mut pairs[1..] {
        level.clear();
        let mut singles = single.iter().map(|&(weight, _)| weight).peekable();
        for [a, b] in below.as_chunks().0 {
            let weight = a + b;
            while let Some(single) = singles.next_if(|&single| single <= weight) {
                level.push(single);
            }
            *pairs |= 1 << level.len();
            level.push(weight);
        }
        level.extend(singles);
        std::mem::swap(&mut below, &mut level);
    }
    lengths.fill(0);
    let mut chosen = 2 * single.len() - 2;
    for pairs in pairs.iter().rev() {
        let of_pairs = (pairs & ((1 << chosen) - 1)).count_ones() as usize;
        for &(_, symbol) in &single[..chosen - of_pairs] {
            lengths[symbol] += 1;
        }
        chosen = 2 * of_pairs;
    }
    lengths
}

/// Sets the lengths that Huffman's algorithm gives `single`: frequencies, rising, with their symbols, at least
/// two. `false` if one of them is too long; then the lengths mean nothing.
///
/// Of nodes that weigh the same, symbols come before pairs, and pairs in the order in which they were made,
/// as in the package-merge algorithm. So both choose the same of all codes that are equally short.
fn set_unlimited(single: &[(u64, usize)], lengths: &mut [u8]) -> bool {
    let count = single.len();
    let mut weights = [0; 2 * MAX_SYMBOLS];
    for (weight, &(frequency, _)) in weights.iter_mut().zip(single) {
        *weight = frequency;
    }
    // For each node, the pair that it is in.
    let mut parents = [0; 2 * MAX_SYMBOLS];
    let (mut symbol, mut pair) = (0, count);
    for made in count..2 * count - 1 {
        for _ in 0..2 {
            let is_symbol = symbol < count && (pair == made || weights[symbol] <= weights[pair]);
            let next = if is_symbol { &mut symbol } else { &mut pair };
            weights[made] += weights[*next];
            parents[*next] = made;
            *next += 1;
        }
    }
    let mut depths = [0; 2 * MAX_SYMBOLS];
    for node in (0..2 * count - 2).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    for (&(_, symbol), &depth) in single.iter().zip(&depths) {
        lengths[symbol] = depth;
    }
    depths[..count].iter().all(|&depth| usize::from(depth) <= MAX_LENGTH)
}

/// For each length, one more than the last code of that length or less, filled up to 16 bits.
type Limits = [u32; MAX_LENGTH + 1];

fn limits(lengths: &[u8]) -> Limits {
    let mut limits = [0; MAX_LENGTH + 1];
    for &length in lengths.iter().filter(|&&length| length > 0) {
        limits[usize::from(length)] += 1 << (16 - length);
    }
    for length in 1..limits.len() {
        limits[length] += limits[length - 1];
    }
    limits
}

/// For each length, its first code if there is one: the code that follows the last shorter one.
fn first_codes(limits: &Limits) -> [u32; MAX_LENGTH + 1] {
    std::array::from_fn(|length| limits[length.saturating_sub(1)] >> (16 - length))
}

/// The codes of symbols whose lengths are known, lowest bit last.
pub fn codes(lengths: &[u8]) -> Vec<u16> {
    let mut next = first_codes(&limits(lengths));
    let code_of = |&length: &u8| {
        let code = next[usize::from(length)];
        next[usize::from(length)] += u32::from(length > 0);
        code as u16
    };
    lengths.iter().map(code_of).collect()
}

/// How many bits are looked up at once; longer codes are found length by length.
const FIRST_BITS: u32 = 7;

/// Reads symbols.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// For each value of the first bits, the symbol whose code they begin with, and how long that is;
    /// length 0 for codes that are longer.
    first: [(u8, u8); 1 << FIRST_BITS],
    limits: Limits,
    /// For each length, what its codes are to be moved by to be places in `symbols`.
    moves: [i32; MAX_LENGTH + 1],
    /// In the order of their codes.
    symbols: Vec<u8>,
}

impl Decoder {
    /// For symbols whose codes have these lengths. `None` if no code has them: it would not be
    /// one that [`lengths`] makes.
    pub fn new(lengths: &[u8]) -> Option<Decoder> {
        if lengths.len() > MAX_SYMBOLS || lengths.iter().any(|&l| usize::from(l) > MAX_LENGTH) {
            return None;
        }
        let limits = limits(lengths);
        let used = lengths.iter().filter(|&&l| l > 0).count();
        let whole = match used {
            0 => 0,
            1 => 1 << 15,
            _ => 1 << 16,
        };
        if limits[MAX_LENGTH] != whole {
            return None;
        }
        let mut decoder = Decoder {
            first: [(0, 0); 1 << FIRST_BITS],
            limits,
            moves: [0; MAX_LENGTH + 1],
            symbols: vec![0; used],
        };
        let mut shorter = 0;
        for (length, first) in first_codes(&limits).into_iter().enumerate().skip(1) {
            decoder.moves[length] = shorter - first as i32;
            shorter += (limits[length] >> (16 - length)) as i32 - first as i32;
        }
        for ((symbol, &length), code) in (0..).zip(lengths).zip(codes(lengths)) {
            if length == 0 {
                continue;
            }
            let place = i32::from(code) + decoder.moves[usize::from(length)];
            decoder.symbols[place as usize] = symbol;
            if let Some(free) = FIRST_BITS.checked_sub(length.into()) {
                let from = usize::from(code) << free;
                decoder.first[from..from + (1 << free)].fill((symbol, length));
            }
        }
        Some(decoder)
    }

    /// The next symbol; `None` where no code is. The reader must have been refilled, as
    /// [`BitReader::peek`] says.
    #[inline]
    pub fn take(&self, from: &mut BitReader) -> Option<usize> {
        let (symbol, length) = self.decode(from.peek())?;
        from.skip(length);
        Some(symbol)
    }

    /// The symbol whose code these 16 bits begin with, and the length of the code; `None` if there is none.
    #[inline]
    pub fn decode(&self, bits: u32) -> Option<(usize, u32)> {
        let (symbol, length) = self.first[(bits >> (16 - FIRST_BITS)) as usize];
        match length {
            0 => self.decode_long(bits),
            _ => Some((usize::from(symbol), u32::from(length))),
        }
    }

    #[cold]
    fn decode_long(&self, bits: u32) -> Option<(usize, u32)> {
        let length = (FIRST_BITS as usize + 1..=MAX_LENGTH).find(|&l| bits < self.limits[l])?;
        let place = (bits >> (16 - length)) as i32 + self.moves[length];
        let symbol = self.symbols.get(place as usize)?;
        Some((usize::from(*symbol), length as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::BitWriter;
    use super::*;
    use crate::testing::Numbers;

    fn frequencies(seed: u64) -> Vec<u64> {
        let mut numbers = Numbers(seed);
        (0..3 + seed as usize % 62)
            .map(|_| {
                let state = numbers.any();
                let shift = state >> 59;
                if shift.is_multiple_of(5) { 0 } else { (state >> 20 & 0xFFFF) >> (shift % 16) }
            })
            .collect()
    }

    /// The algorithm as it is described: a package is a list of symbols.
    fn plain_lengths(frequencies: &[u64]) -> Lengths {
        let used = frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0);
        let mut singles: Vec<(u64, Vec<usize>)> =
            used.map(|(symbol, &frequency)| (frequency, vec![symbol])).collect();
        singles.sort_unstable();
        let mut level = singles.clone();
        for _ in 1..MAX_LENGTH {
            let pairs = level.as_chunks().0.iter();
            let pairs = pairs.map(|[a, b]| (a.0 + b.0, [&*a.1, &*b.1].concat()));
            let mut next: Vec<(u64, Vec<usize>)> = singles.iter().cloned().chain(pairs).collect();
            next.sort_by_key(|package| package.0);
            level = next;
        }
        let mut lengths = vec![0; frequencies.len()];
        for (_, symbols) in &level[..2 * singles.len() - 2] {
            symbols.iter().for_each(|&symbol| lengths[symbol] += 1);
        }
        lengths
    }

    #[test]
    fn lengths_are_those_of_the_plain_algorithm() {
        let steep: Vec<u64> = (0..64).map(|i| 1 << (i / 2)).collect();
        let random = (1..300).map(frequencies);
        for frequencies in random.chain([steep, vec![1; 64], vec![0, 3, 0, 7]]) {
            if frequencies.iter().filter(|&&frequency| frequency > 0).count() > 1 {
                assert_eq!(lengths(&frequencies), plain_lengths(&frequencies), "{frequencies:?}");
            }
        }
        assert_eq!(lengths(&[0, 5, 0]), [0, 1, 0]);
        assert_eq!(lengths(&[0, 0]), [0, 0]);
    }

    #[test]
    fn symbols_are_read_as_they_were_written() {
        for seed in 1..200 {
            let lengths = lengths(&frequencies(seed));
            let used: Vec<usize> = (0..lengths.len()).filter(|&s| lengths[s] > 0).collect();
            let (codes, decoder) = (codes(&lengths), Decoder::new(&lengths).unwrap());
            let mut writer = BitWriter::default();
            let text: Vec<usize> =
                (0..300 * used.len().min(1)).map(|i| used[i * i % used.len()]).collect();
            text.iter()
                .for_each(|&symbol| writer.put(codes[symbol].into(), lengths[symbol].into()));
            let bytes = writer.into_bytes();
            let mut reader = BitReader::new(&bytes);
            for &symbol in &text {
                reader.refill();
                assert_eq!(decoder.take(&mut reader), Some(symbol));
            }
            assert!(!reader.is_overrun());
            reader.refill();
            assert_eq!((reader.take(16), reader.take(16)), (0, 0));
            assert!(reader.is_overrun());
        }
    }

    #[test]
    fn lengths_of_no_code_are_refused() {
        for wrong in [&[1, 1, 1][..], &[2, 2, 2], &[16], &[2], &[1, 2], &[0; 65]] {
            assert!(Decoder::new(wrong).is_none(), "{wrong:?}");
        }
        let nothing = Decoder::new(&[0, 0]).unwrap();
        assert_eq!(nothing.take(&mut BitReader::new(&[7, 7])), None);
    }
}
