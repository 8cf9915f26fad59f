//! The values of a slice, which may be spread over several processes.
//!
//! Each process holds the values of a run of orbits, and works on chunks, whose orbits lie anywhere. So the
//! processes send each other the values of the chunks that each of them works on next. What a process holds
//! itself it reads where it is; a process alone sends and receives nothing.

use super::order::{ChunkId, OrbitOrder};
use crate::index::{OccupiedSets, SliceIndex};
use crate::processes::{Processes, exchange_agreed};
use crate::values::{ByteCodes, Distance, SliceShare, SliceValues};
use rayon::prelude::*;
use std::borrow::Cow;
use std::io;
use std::ops::Range;

/// The values of a slice, seen by one of the processes that hold them.
pub struct Spread<'a> {
    pub(super) index: SliceIndex,
    /// As in [`SliceShare`].
    bounds: Cow<'a, [usize]>,
    process: usize,
    /// The values of the orbits of this process. Their numbers count from its first orbit.
    pub(super) values: &'a SliceValues,
}

/// What a process wants to read: these rows of all orbits of some chunks.
#[derive(Clone)]
pub struct Wanted<'b> {
    pub chunks: &'b [ChunkId],
    pub rows: Range<usize>,
}

/// What this process can read: all that it wanted.
pub struct Gathered<'b> {
    spread: &'b Spread<'b>,
    wanted: Wanted<'b>,
    /// What each process has sent. First come the codes of its orbits, chunk by chunk, in the order of the
    /// chunk, those of the rows that are wanted.
    messages: Vec<Vec<u8>>,
    /// For each chunk, and each process, where the codes begin in the message.
    starts: Vec<Vec<usize>>,
    /// The distances that are listed apart, of positions of other processes, by number, rising.
    late: Vec<(u64, Distance)>,
}

/// The bytes of a distance that is listed apart: the number of its position, and its code.
const LATE_LEN: usize = 8 + 2;

impl<'a> Spread<'a> {
    /// A slice whose values this process holds alone.
    ///
    /// # Panics
    /// If the slice is not as long as its numbering says.
    pub fn whole(index: SliceIndex, values: &'a SliceValues) -> Spread<'a> {
        let bounds = Cow::Owned(vec![0, index.orbits()]);
        Spread::new(index, bounds, 0, values)
    }

    /// A slice of which this process holds a share.
    ///
    /// # Panics
    /// If the share is not as long as its bounds say.
    pub(crate) fn of_share(index: SliceIndex, share: &'a SliceShare) -> Spread<'a> {
        Spread::new(index, Cow::Borrowed(&share.bounds), share.process, &share.values)
    }

    fn new(
        index: SliceIndex,
        bounds: Cow<'a, [usize]>,
        process: usize,
        values: &'a SliceValues,
    ) -> Spread<'a> {
        let spread = Spread { index, bounds, process, values };
        assert_eq!(values.len(), (spread.orbits().len() * spread.index.rows()) as u64);
        spread
    }

    pub(super) fn orbits(&self) -> Range<usize> {
        self.bounds[self.process]..self.bounds[self.process + 1]
    }

    fn owner(&self, orbit: usize) -> usize {
        self.bounds.partition_point(|&first| first <= orbit) - 1
    }

    fn chunk(&self, (half, chunk): ChunkId) -> &'static [u32] {
        OrbitOrder::of(self.index.sets()).chunk(half, chunk)
    }

    /// The orbits of a chunk that this process holds.
    fn held(&self, id: ChunkId) -> impl Iterator<Item = usize> {
        let held = self.orbits();
        self.chunk(id).iter().map(|&orbit| orbit as usize).filter(move |orbit| held.contains(orbit))
    }

    /// The number of a row of an orbit of this process, counted from its first orbit.
    fn number(&self, orbit: usize, row: usize) -> u64 {
        (orbit - self.orbits().start) as u64 * self.index.rows() as u64 + row as u64
    }

    /// Lets every process read what it wants. `wanted` says that of each process, and is the same on all of
    /// them, except for errors. Calls `work` meanwhile, as [`Processes::exchange`] does.
    ///
    /// # Errors
    /// If any process has an error, or cannot read its values. All processes get an error then.
    pub(super) fn gather<'b>(
        &'b self,
        processes: &dyn Processes,
        wanted: io::Result<&[Wanted<'b>]>,
        work: &mut dyn FnMut() -> bool,
    ) -> io::Result<Gathered<'b>> {
        let mine = wanted.and_then(|wanted| {
            let to = wanted.iter().enumerate().map(|(process, wanted)| match process {
                _ if process == self.process => Ok(Vec::new()),
                _ => self.message(wanted),
            });
            Ok((wanted[self.process].clone(), to.collect::<io::Result<_>>()?))
        });
        let (wanted, messages) = exchange_agreed(processes, mine, work)?;
        Ok(Gathered::new(self, wanted, messages))
    }

    /// What this process holds of what another process wants.
    fn message(&self, Wanted { chunks, rows }: &Wanted) -> io::Result<Vec<u8>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let lens = chunks.iter().map(|&id| self.held(id).count() * rows.len());
        let lens: Vec<usize> = lens.collect();
        let len = lens.iter().sum::<usize>();
        // Behind the values there is room for what the process says of its work.
        let mut message = Vec::with_capacity(len + 1);
        message.resize(len, 0);
        let mut rest = &mut *message;
        let mut parts = Vec::with_capacity(chunks.len());
        for (&id, len) in chunks.iter().zip(lens) {
            let (part, others) = rest.split_at_mut(len);
            parts.push((id, part));
            rest = others;
        }
        parts.into_par_iter().try_for_each(|(id, part)| {
            let mut codes = part.chunks_exact_mut(rows.len()).zip(self.held(id));
            codes.try_for_each(|(codes, orbit)| {
                self.values.read_codes(self.number(orbit, rows.start), codes)
            })
        })?;
        if !self.values.late().is_empty() {
            let before = self.orbits().start as u64 * self.index.rows() as u64;
            for orbit in chunks.iter().flat_map(|&id| self.held(id)) {
                for &(number, distance) in self.late(orbit, rows) {
                    message.extend_from_slice(&(before + number).to_le_bytes());
                    message.extend_from_slice(&distance.code().to_le_bytes());
                }
            }
        }
        Ok(message)
    }

    /// The distances of these rows of an orbit of this process that are listed apart.
    fn late(&self, orbit: usize, rows: &Range<usize>) -> &'a [(u64, Distance)] {
        among(self.values.late(), self.number(orbit, rows.start)..self.number(orbit, rows.end))
    }
}

/// Those distances of a list whose positions have these numbers.
fn among(late: &[(u64, Distance)], numbers: Range<u64>) -> &[(u64, Distance)] {
    let from = &late[late.partition_point(|&(number, _)| number < numbers.start)..];
    &from[..from.partition_point(|&(number, _)| number < numbers.end)]
}

impl<'b> Gathered<'b> {
    fn new(spread: &'b Spread<'b>, wanted: Wanted<'b>, messages: Vec<Vec<u8>>) -> Gathered<'b> {
        let mut ends = vec![0; messages.len()];
        let is_alone = messages.len() == 1;
        let starts = wanted.chunks.iter().filter(|_| !is_alone).map(|&id| {
            let starts = ends.clone();
            for &orbit in spread.chunk(id) {
                ends[spread.owner(orbit as usize)] += wanted.rows.len();
            }
            starts
        });
        let starts = starts.collect();
        let mut late = Vec::new();
        for (process, (message, end)) in messages.iter().zip(ends).enumerate() {
            let listed =
                if process == spread.process { &[] } else { message.get(end..).unwrap_or(&[]) };
            for bytes in listed.as_chunks::<LATE_LEN>().0 {
                let (number, code) = bytes.split_at(8);
                let number = u64::from_le_bytes(number.try_into().unwrap_or_default());
                let code = u16::from_le_bytes(code.try_into().unwrap_or_default());
                late.push((number, Distance::from_code(code)));
            }
        }
        late.sort_unstable_by_key(|&(number, _)| number);
        Gathered { spread, wanted, messages, starts, late }
    }

    pub fn chunks(&self) -> usize {
        self.wanted.chunks.len()
    }

    /// The chunk at place `at` of those that were wanted.
    pub fn id(&self, at: usize) -> ChunkId {
        self.wanted.chunks[at]
    }

    /// The orbits of this chunk.
    pub fn orbits(&self, at: usize) -> &'static [u32] {
        self.spread.chunk(self.id(at))
    }

    pub fn sets(&self) -> &'static OccupiedSets {
        self.spread.index.sets()
    }

    /// Reads the codes ([`ByteCodes::PLAIN`](crate::values::ByteCodes::PLAIN)) of the rows of this chunk that
    /// were wanted, orbit by orbit, into `codes`, which has as much room. The distances that are listed apart
    /// come to `late`, in place of what is there, by orbit and row.
    ///
    /// # Errors
    /// If the values of this process cannot be read, those of another one have not come whole, or a
    /// distance that should be listed is not.
    pub fn read(&self, at: usize, codes: &mut [u8], late: &mut Vec<Late>) -> io::Result<()> {
        let Gathered { spread, wanted: Wanted { rows, .. }, messages, .. } = self;
        let own = spread.orbits();
        let mut starts = self.starts.get(at).cloned().unwrap_or_default();
        late.clear();
        let orbits = self.orbits(at).iter().map(|&orbit| orbit as usize);
        for ((place, orbit), codes) in orbits.enumerate().zip(codes.chunks_exact_mut(rows.len())) {
            let (listed, before) = if own.contains(&orbit) {
                spread.values.read_codes(spread.number(orbit, rows.start), codes)?;
                (spread.values.late(), own.start)
            } else {
                let owner = spread.owner(orbit);
                let sent = messages[owner].get(starts[owner]..).unwrap_or(&[]);
                let sent = sent.get(..codes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
                codes.copy_from_slice(sent);
                starts[owner] += codes.len();
                (&*self.late, 0)
            };
            if listed.is_empty() {
                continue;
            }
            let first = ((orbit - before) * spread.index.rows()) as u64;
            let listed = among(listed, first + rows.start as u64..first + rows.end as u64);
            late.extend(listed.iter().map(|&(number, distance)| Late {
                place,
                row: (number - first) as usize,
                distance,
            }));
        }
        // Each code that says so has a distance, and no other one has.
        let late_code = ByteCodes::PLAIN.late();
        let mut listed = late.iter().map(|of| of.place * rows.len() + of.row - rows.start);
        let is_right = match late.is_empty() {
            true => !codes.iter().fold(false, |any, &code| any | (code == late_code)),
            false => (0..codes.len()).filter(|&at| codes[at] == late_code).eq(&mut listed),
        };
        if !is_right {
            return Err(io::Error::other(
                "distances are missing that are listed apart; this is a bug",
            ));
        }
        Ok(())
    }
}

/// A distance that is listed apart.
pub struct Late {
    /// The place of the orbit in the chunk.
    pub place: usize,
    pub row: usize,
    pub distance: Distance,
}
