//! Which orbits of a chunk are quiet under an owner mask. The place of a cell in its block is then
//! found by counting bits.
//!
//! Whether the side to move must capture depends on the placement alone: on where the columns stand
//! and whose they are. So the results serve every table.

use super::order::{CHUNK_ORBITS, Half, OrbitOrder};
use crate::index::OccupiedSets;
use crate::index::owner_masks::{bits_in, retain_quiet};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// The number of words that hold a bit for each orbit of a chunk.
pub const WORDS: usize = CHUNK_ORBITS / 64;

/// For each owner mask, which orbits of a chunk are quiet: the side to move has no capture.
#[derive(Debug)]
pub struct QuietChunk {
    by_mask: Vec<[u64; WORDS]>,
}

impl QuietChunk {
    /// Works out a chunk of a half.
    pub fn new(sets: &'static OccupiedSets, half: Half, chunk: usize) -> QuietChunk {
        let masks = 1usize << sets.columns();
        let words = masks.div_ceil(64);
        let mut by_mask = vec![[0u64; WORDS]; words * 64];
        // For 64 orbits: for each word of masks, a word for each orbit. Transposed, a word for each mask.
        let mut of_orbits = vec![[0u64; 64]; words];
        let mut quiet = vec![0; words];
        let orbits = OrbitOrder::of(sets).chunk(half, chunk);
        for (word, orbits) in orbits.chunks(64).enumerate() {
            for (place, &orbit) in orbits.iter().enumerate() {
                let occupied = sets.representative(orbit as usize);
                quiet.fill(u64::MAX);
                retain_quiet(occupied, &mut quiet);
                for (of_orbits, &word) in of_orbits.iter_mut().zip(&quiet) {
                    of_orbits[place] = word;
                }
            }
            for (i, of_orbits) in of_orbits.iter_mut().enumerate() {
                of_orbits[orbits.len()..].fill(0);
                transpose(of_orbits);
                for (mask, &bits) in by_mask[64 * i..].iter_mut().zip(&*of_orbits) {
                    mask[word] = bits;
                }
            }
        }
        by_mask.truncate(masks);
        QuietChunk { by_mask }
    }

    /// The quiet orbits under an owner mask, a bit for each place in the chunk.
    #[inline]
    pub fn of_mask(&self, mask: u32) -> &[u64; WORDS] {
        &self.by_mask[mask as usize]
    }

    pub fn bytes(&self) -> usize {
        size_of_val(&*self.by_mask)
    }
}

/// Up to this many columns, all chunks are kept once they are worked out. They need less than 6 MiB.
const KEPT_COLUMNS: usize = 8;
/// Upper limit, in bytes, for cached chunks with more columns than that, over all callers.
const KEPT_BYTES: u64 = 64 << 20;

/// A chunk that may be shared.
pub enum SharedChunk {
    /// One that stays.
    Static(&'static QuietChunk),
    /// One that may be given up and worked out again.
    Counted(Arc<QuietChunk>),
}

impl Deref for SharedChunk {
    type Target = QuietChunk;

    #[inline]
    fn deref(&self) -> &QuietChunk {
        match self {
            SharedChunk::Static(chunk) => chunk,
            SharedChunk::Counted(chunk) => chunk,
        }
    }
}

/// The chunk of a half, worked out when it is first asked for.
#[inline]
pub fn chunk_of(sets: &'static OccupiedSets, half: Half, chunk: usize) -> SharedChunk {
    kept(sets, half, chunk).unwrap_or_else(|| SharedChunk::Counted(counted(sets, half, chunk)))
}

/// The same for callers that go through all chunks: a chunk that does not stay is not kept at all.
pub fn passing_chunk(sets: &'static OccupiedSets, half: Half, chunk: usize) -> SharedChunk {
    let own = || SharedChunk::Counted(Arc::new(QuietChunk::new(sets, half, chunk)));
    kept(sets, half, chunk).unwrap_or_else(own)
}

/// A chunk that stays; `None` if there are too many columns for that.
#[inline]
fn kept(sets: &'static OccupiedSets, half: Half, chunk: usize) -> Option<SharedChunk> {
    type Chunks = [OnceLock<Box<[OnceLock<QuietChunk>]>>; 2];
    static CHUNKS: [Chunks; KEPT_COLUMNS + 1] =
        [const { [const { OnceLock::new() }; 2] }; KEPT_COLUMNS + 1];
    let of_columns = CHUNKS.get(sets.columns())?;
    let chunks = of_columns[half]
        .get_or_init(|| (0..OrbitOrder::of(sets).chunks(half)).map(|_| OnceLock::new()).collect());
    Some(SharedChunk::Static(chunks[chunk].get_or_init(|| QuietChunk::new(sets, half, chunk))))
}

/// About how many bytes the chunks of so many columns take that stay.
pub fn kept_memory(columns: usize) -> u64 {
    // Each half may have a chunk that is not full.
    let chunks = OccupiedSets::orbits_of(columns) / CHUNK_ORBITS as u64 + 2;
    let of_chunk = size_of::<OnceLock<QuietChunk>>() + (size_of::<[u64; WORDS]>() << columns);
    if columns <= KEPT_COLUMNS { chunks * of_chunk as u64 } else { 0 }
}

type ChunkKey = (usize, Half, usize);

#[derive(Clone)]
struct ByBytes;

impl Weighter<ChunkKey, Arc<QuietChunk>> for ByBytes {
    fn weight(&self, _: &ChunkKey, chunk: &Arc<QuietChunk>) -> u64 {
        chunk.bytes() as u64
    }
}

fn counted(sets: &'static OccupiedSets, half: Half, chunk: usize) -> Arc<QuietChunk> {
    static KEPT: OnceLock<Cache<ChunkKey, Arc<QuietChunk>, ByBytes>> = OnceLock::new();
    let kept = KEPT.get_or_init(|| Cache::with_weighter(1 << 10, KEPT_BYTES, ByBytes));
    let key = (sets.columns(), half, chunk);
    if let Some(found) = kept.get(&key) {
        return found;
    }
    let made = Arc::new(QuietChunk::new(sets, half, chunk));
    kept.insert(key, Arc::clone(&made));
    made
}

/// Whether the bit at `place` is set, and how many are set before it.
#[inline]
pub fn bit_and_rank(words: &[u64; WORDS], place: usize) -> (bool, usize) {
    // The places before the one asked for are cut out of every word, so that no branch depends on it.
    let before = words.iter().zip((0..).step_by(64)).map(|(&word, first)| {
        let count = place.saturating_sub(first).min(64) as u32;
        (word & u64::MAX.checked_shr(64 - count).unwrap_or(0)).count_ones()
    });
    (words[place / 64] >> (place % 64) & 1 != 0, before.sum::<u32>() as usize)
}

pub fn count(words: &[u64; WORDS]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The first `count` bits.
pub fn first(count: usize) -> [u64; WORDS] {
    std::array::from_fn(|word| match count.saturating_sub(64 * word) {
        64.. => u64::MAX,
        some => (1 << some) - 1,
    })
}

/// The places whose bits are set, rising.
pub fn places(words: &[u64; WORDS]) -> impl Iterator<Item = usize> {
    words
        .iter()
        .enumerate()
        .flat_map(|(word, &bits)| bits_in(word, bits))
        .map(|place| place as usize)
}

/// Transposes a square of bits: bit `j` of word `i` becomes bit `i` of word `j`.
fn transpose(words: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_FFFF_FFFFu64);
    while width != 0 {
        for i in (0..64).filter(|i| i & width == 0) {
            let swapped = (words[i] >> width ^ words[i + width]) & mask;
            words[i] ^= swapped << width;
            words[i + width] ^= swapped;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Placement;

    #[test]
    fn quiet_orbits_are_those_without_a_capture() {
        for (columns, chunks) in [(2, 1), (3, 1), (5, 3), (7, 1), (8, 1)] {
            let sets = OccupiedSets::of(columns).unwrap();
            let order = OrbitOrder::of(sets);
            for half in 0..2 {
                for chunk in (0..order.chunks(half)).rev().take(chunks) {
                    let quiet = QuietChunk::new(sets, half, chunk);
                    let orbits = order.chunk(half, chunk);
                    for mask in 0..1u32 << columns {
                        let words = quiet.of_mask(mask);
                        let mut count = 0;
                        for (place, &orbit) in orbits.iter().enumerate() {
                            let set = sets.representative(orbit as usize);
                            let is_quiet = !Placement::with_owners(set, mask).must_capture();
                            assert_eq!(
                                bit_and_rank(words, place),
                                (is_quiet, count),
                                "{set:?} {mask:b}"
                            );
                            count += usize::from(is_quiet);
                        }
                        assert_eq!(places(words).count(), count);
                        assert!(places(words).all(|place| bit_and_rank(words, place).0));
                    }
                }
            }
        }
    }
}
