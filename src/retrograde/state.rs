//! The state of a slice while it is solved: one byte a position.

use super::codes::Codes;
use super::error::SolveError;
use super::partitions::Partitions;
use crate::index::Material;
use crate::prefetch::prefetch_at;
use crate::values::bytes::{Bytes, BytesPart, FileBytes};
use crate::values::{Distance, SliceValues};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// What one process owns of a slice that is being solved.
pub struct State {
    /// What the bytes mean.
    pub codes: Codes,
    /// The partitions that it owns.
    pub partitions: Partitions,
    /// For each of them, what is kept beside the bytes.
    pub agendas: Vec<Agenda>,
    /// For each stored side to move, one byte for each position.
    pub bytes: Vec<Bytes>,
}

impl State {
    /// Nothing is known yet. The bytes are in scratch files in this `folder`, or in memory if there is none.
    pub fn new(
        codes: Codes,
        partitions: Partitions,
        folder: Option<&Path>,
    ) -> Result<State, SolveError> {
        let positions = partitions.own_positions();
        let bytes = |_| {
            Ok(match folder {
                None => Bytes::in_memory(positions).map_err(|_| SolveError::Memory)?,
                Some(folder) => Bytes::File(FileBytes::scratch(folder, positions)?),
            })
        };
        let bytes = (0..partitions.sides).map(bytes).collect::<Result<_, SolveError>>()?;
        Ok(State { bytes, ..State::without_bytes(codes, partitions) })
    }

    /// The same as long as it has no bytes.
    pub fn without_bytes(codes: Codes, partitions: Partitions) -> State {
        let mut state = State { codes, partitions, agendas: Vec::new(), bytes: Vec::new() };
        state.forget();
        state
    }

    /// Begins again, as if nothing were known.
    pub fn forget(&mut self) {
        let State { codes, partitions, .. } = *self;
        let agenda = |i| Agenda::new(codes, partitions.orbits(i) * partitions.rows);
        self.agendas = (0..partitions.own_count()).map(agenda).collect();
    }

    /// The first ply from `ply` on at which something is to do already, if all is done of the plies before.
    pub fn next_ply(&self, ply: u16) -> Option<u16> {
        self.agendas.iter().filter_map(|agenda| agenda.next_ply(ply)).min()
    }

    /// Lets `change` change every partition for which there is something to do, each by one thread, and not
    /// more than this many `threads` at once. `memory` makes what a thread uses again from partition to partition.
    pub fn for_each_partition<M>(
        &mut self,
        threads: usize,
        is_needed: impl Fn(usize, &Agenda) -> bool + Sync,
        memory: impl Fn() -> M + Sync,
        change: impl Fn(usize, Partition, &mut M) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        let len = self.partitions.positions();
        let bytes = self.bytes.iter_mut().flat_map(|bytes| bytes.parts(len));
        let parts: Vec<(BytesPart, &mut Agenda)> = bytes.zip(&mut self.agendas).collect();
        // Where all threads are called, they take one partition at a time.
        let is_for_all = threads >= rayon::current_num_threads();
        let least = if is_for_all { 1 } else { parts.len().div_ceil(threads) };
        parts.into_par_iter().with_min_len(least).enumerate().try_for_each_init(
            || (Vec::new(), memory()),
            |(buffer, memory), (i, (bytes, agenda))| {
                if !is_needed(i, agenda) {
                    return Ok(());
                }
                bytes.change(buffer, |bytes| change(i, Partition { bytes, agenda }, memory))
            },
        )
    }

    /// The values, once no ply has anything left to do: what is undecided is drawn.
    pub fn finish(self) -> Vec<SliceValues> {
        let State { codes, partitions, agendas, bytes } = self;
        let mut late: Vec<Vec<(u64, Distance)>> = vec![Vec::new(); bytes.len()];
        for (i, agenda) in agendas.into_iter().enumerate() {
            let (side, start) = (partitions.side_and_orbit(i).0, partitions.own_range(i).start);
            late[side].extend(agenda.late.into_iter().map(|(ply, at)| {
                let Some(distance) = Distance::new(Some(ply)) else {
                    unreachable!("the solver gives up before a ply that has no distance")
                };
                (start + u64::from(at), distance)
            }));
        }
        let values = bytes.into_iter().zip(late);
        values.map(|(bytes, late)| SliceValues::new(bytes, codes.late(), late)).collect()
    }
}

/// What a partition keeps beside its bytes: at which plies it has something to do.
#[derive(Debug, bincode::Encode, bincode::Decode)]
pub struct Agenda {
    codes: Codes,
    /// The bytes are divided into at most 64 stretches of `1 << stretch_bits` bytes. A stretch is not
    /// searched for what none of its bytes holds.
    stretch_bits: u32,
    /// For each DTW below [`Codes::late`], the stretches of which some byte may hold it: a bit for each.
    present: Vec<u64>,
    /// Positions decided at a late ply, with it, in the order of plies.
    late: Vec<(u16, u32)>,
    /// The updates from slices below that fall due at a later ply.
    due: BTreeMap<u16, Vec<u32>>,
}

/// About how many bytes the updates from slices below take that fall due later, for this many positions of a
/// slice of this many columns: seldom less than they take.
pub fn due_bytes(material: Material, columns: usize, positions: u64) -> u64 {
    if columns == material.total() {
        // Each capture leads to a slice below, so no move is open that the result of one must wait for.
        return 0;
    }
    // Made for what was seen: for each position, 0.09 bytes with six columns and 0.11 with seven in materials of
    // nine counters, and some 0.16 with eight and 0.19 with ten in `6-5`.
    positions * (columns as u64).saturating_sub(3) / 28
}

/// The positions of some consecutive orbits, which one thread works on at a time.
#[derive(Debug)]
pub struct Partition<'a> {
    /// One byte a position; see [`Codes`].
    pub bytes: &'a mut [u8],
    /// What is kept beside the bytes.
    pub agenda: &'a mut Agenda,
}

impl Agenda {
    /// The agenda of `len` positions of which nothing is known yet.
    pub fn new(codes: Codes, len: usize) -> Agenda {
        let stretch_bits = len.div_ceil(64).next_power_of_two().ilog2();
        let present = vec![0; codes.late().into()];
        Agenda { codes, stretch_bits, present, late: Vec::new(), due: BTreeMap::new() }
    }

    /// What the bytes mean.
    pub fn codes(&self) -> Codes {
        self.codes
    }

    /// Gives back the memory that the updates which fall due later do not need. No more of them come.
    pub fn end_start(&mut self) {
        self.due.values_mut().for_each(Vec::shrink_to_fit);
    }

    /// Whether this can be an agenda of the `len` positions for which `fresh` was made.
    pub fn fits(&self, fresh: &Agenda, len: usize) -> bool {
        let late = self.late.iter().map(|late| late.1);
        let mut listed = late.chain(self.due.values().flatten().copied());
        (self.codes, self.stretch_bits, self.present.len())
            == (fresh.codes, fresh.stretch_bits, fresh.present.len())
            && self.late.is_sorted_by_key(|late| late.0)
            && self.late.last().is_none_or(|late| Distance::new(Some(late.0)).is_some())
            && listed.all(|at| (at as usize) < len)
    }

    /// How many bytes the updates take that fall due later.
    pub fn due_bytes(&self) -> usize {
        self.due.values().map(|places| size_of_val(&places[..])).sum()
    }

    /// The first ply from `ply` on at which something is to do already, if all is done of the plies before.
    pub fn next_ply(&self, ply: u16) -> Option<u16> {
        let due = self.due.keys().next().copied();
        let late = self.late.get(self.late.partition_point(|late| late.0 < ply));
        let mut present = self.present.iter().enumerate().skip(ply.into());
        let present = present.find(|(_, stretches)| **stretches != 0).map(|(ply, _)| ply as u16);
        [due, late.map(|late| late.0), present].into_iter().flatten().min()
    }

    /// How many updates from slices below are due at `ply`.
    pub fn due_at(&self, ply: u16) -> usize {
        self.due.range(..=ply).map(|(_, places)| places.len()).sum()
    }

    /// The positions decided at exactly this late `ply`, with it.
    fn late_at(&self, ply: u16) -> &[(u16, u32)] {
        let from = &self.late[self.late.partition_point(|late| late.0 < ply)..];
        &from[..from.partition_point(|late| late.0 == ply)]
    }

    /// The stretches in which positions may have been decided at exactly `ply`: a bit for each.
    pub fn stretches_at(&self, ply: u16) -> u64 {
        if self.codes.is_late(ply) {
            let stretch = |late: &(u16, u32)| 1 << (late.1 >> self.stretch_bits);
            self.late_at(ply).iter().fold(0, |stretches, late| stretches | stretch(late))
        } else {
            self.present[usize::from(ply)]
        }
    }

    /// How many bytes these stretches have, or a few more.
    pub fn bytes_in(&self, stretches: u64) -> usize {
        (stretches.count_ones() as usize) << self.stretch_bits
    }

    /// Calls `visit` with the places in `bytes`, rising, of all positions of a stretch decided at exactly
    /// `ply`.
    #[inline]
    pub fn decided_at(&self, bytes: &[u8], ply: u16, stretch: u32, mut visit: impl FnMut(usize)) {
        if self.codes.is_late(ply) {
            let is_here = |at: &u32| at >> self.stretch_bits == stretch;
            let mut places: Vec<u32> =
                self.late_at(ply).iter().map(|late| late.1).filter(is_here).collect();
            places.sort_unstable();
            places.into_iter().for_each(|at| visit(at as usize));
        } else {
            let start = (stretch as usize) << self.stretch_bits;
            let bytes = bytes.get(start..).unwrap_or_default();
            let len = bytes.len().min(1 << self.stretch_bits);
            places_of(ply as u8, len, bytes, |at| visit(start + at));
        }
    }
}

/// Calls `visit` with the places of all bytes among the first `len` that hold `code`, rising. Usually so
/// many do that it is faster to compare 64 bytes at a time than to search for the next one.
#[inline]
fn places_of(code: u8, len: usize, bytes: &[u8], mut visit: impl FnMut(usize)) {
    /// So many bytes ahead, bytes are fetched that will be compared.
    const AHEAD: usize = 64 * 64;
    let (chunks, rest) = bytes[..len].as_chunks::<64>();
    for (i, chunk) in chunks.iter().enumerate() {
        prefetch_at(bytes, 64 * i + AHEAD);
        let mut found = bits_of(code, chunk);
        while found != 0 {
            visit(64 * i + found.trailing_zeros() as usize);
            found &= found - 1;
        }
    }
    let start = len - rest.len();
    rest.iter().enumerate().filter(|(_, byte)| **byte == code).for_each(|(i, _)| visit(start + i));
}

/// Which bytes are `code`: a bit for each, the first one lowest.
#[cfg(target_arch = "x86_64")]
#[inline]
fn bits_of(code: u8, bytes: &[u8; 64]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    bytes.as_chunks::<16>().0.iter().rev().fold(0, |bits, sixteen| {
        // SAFETY: every x86-64 processor has these instructions, and what they read is sixteen bytes.
        let of_sixteen = unsafe {
            let sixteen = _mm_loadu_si128(sixteen.as_ptr().cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, _mm_set1_epi8(code as i8)))
        };
        bits << 16 | u64::from(of_sixteen as u16)
    })
}

/// The same on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn bits_on_any(code: u8, bytes: &[u8; 64]) -> u64 {
    // All of them are compared, because that takes fewer instructions than to stop at the first one.
    if !bytes.iter().fold(false, |any, byte| any | (*byte == code)) {
        return 0;
    }
    // Multiplied by this, eight bytes have their sum, each byte shifted to its place, in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let found = bytes.map(|byte| u8::from(byte == code));
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56;
    found.as_chunks().0.iter().rev().fold(0, |all, eight| all << 8 | bits(eight))
}

#[cfg(not(target_arch = "x86_64"))]
use bits_on_any as bits_of;

impl Partition<'_> {
    /// Sets a byte to a DTW that is certain, or is the best win found so far.
    #[inline]
    pub fn decide_at(&mut self, at: usize, ply: u16) {
        debug_assert!(!self.agenda.codes.is_late(ply));
        self.bytes[at] = ply as u8;
        self.agenda.present[usize::from(ply)] |= 1 << (at >> self.agenda.stretch_bits);
    }

    /// Notes that a position of a slice below, reached by a move from `at`, is decided at `ply`.
    pub fn update_later(&mut self, ply: u16, at: usize) {
        self.agenda.due.entry(ply).or_default().push(at as u32);
    }

    /// Makes the updates from slices below that are due at `ply`.
    pub fn make_due_updates(&mut self, ply: u16) {
        let later = self.agenda.due.split_off(&(ply + 1));
        let due = std::mem::replace(&mut self.agenda.due, later);
        due.into_values().for_each(|places| self.update(ply, &places));
    }

    /// Makes updates to the positions at these places: each has a move to a position that is
    /// decided at `ply`. If `ply` is even that position is lost for the side to move there, and the
    /// move wins; if odd it is won, and the move is refuted.
    pub fn update(&mut self, ply: u16, places: &[u32]) {
        if self.agenda.codes.is_late(ply + 1) {
            self.update_late(ply, places);
            return;
        }
        let decided = (ply + 1) as u8;
        let refuted = self.agenda.codes.all_refuted();
        // What each byte becomes is looked up. So no branch depends on what a byte holds: that cannot be
        // guessed, and a wrong guess costs more than all the rest.
        let mut after: [u8; 256] = std::array::from_fn(|byte| byte as u8);
        if ply.is_multiple_of(2) {
            // Undecided, or with a slower win only. Nothing is marked late before plies are.
            after[usize::from(decided)..].fill(decided);
        } else {
            let open = usize::from(refuted) + 1..usize::from(Codes::UNLOSABLE);
            after[open.clone()].iter_mut().for_each(|left| *left -= 1);
            after[open.start] = decided;
        }
        let changed = change_each(self.bytes, places, self.agenda.stretch_bits, &after);
        self.agenda.present[usize::from(decided)] |= changed;
    }

    /// The same where the positions decided are to be listed apart.
    fn update_late(&mut self, ply: u16, places: &[u32]) {
        let codes = self.agenda.codes;
        for &at in places {
            let byte = &mut self.bytes[at as usize];
            let decided = if ply.is_multiple_of(2) {
                *byte > codes.late()
            } else if *byte > codes.all_refuted() && *byte != Codes::UNLOSABLE {
                *byte -= 1;
                *byte == codes.all_refuted()
            } else {
                false
            };
            if decided {
                *byte = codes.late();
                self.agenda.late.push((ply + 1, at));
            }
        }
    }
}

/// Changes each byte at these places to what `after` says. Returns the parts of `bytes` in which they lie:
/// a bit for each part of `1 << shift` bytes, of which there are at most 64.
fn change_each(bytes: &mut [u8], places: &[u32], shift: u32, after: &[u8; 256]) -> u64 {
    /// So many places ahead, bytes are fetched that will be changed.
    const AHEAD: usize = 64;
    let change_at = |bytes: &mut [u8], at: u32| {
        let byte = &mut bytes[at as usize];
        *byte = after[usize::from(*byte)];
        1u64 << (at >> shift & 63)
    };
    let ahead = places.get(AHEAD..).unwrap_or_default();
    let (first, last) = places.split_at(ahead.len());
    let mut noted = 0;
    for (&at, &ahead) in first.iter().zip(ahead) {
        prefetch_at(bytes, ahead as usize);
        noted |= change_at(bytes, at);
    }
    last.iter().fold(noted, |noted, &at| noted | change_at(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_that_holds_a_code_has_its_bit() {
        for step in 1..20 {
            let bytes: [u8; 64] = std::array::from_fn(|i| (i / step * i) as u8 % 7);
            for code in 0..8 {
                let expected = (0..64).filter(|&i| bytes[i] == code).fold(0, |all, i| all | 1 << i);
                assert_eq!(bits_of(code, &bytes), expected);
                assert_eq!(bits_on_any(code, &bytes), expected);
            }
        }
    }
}
