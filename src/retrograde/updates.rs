//! Updates that one partition of a slice sends to another.
//!
//! An update tells a position that a move of it leads to a position that has just been decided. It is
//! four bytes: the place of the position in its partition. The thread that finds updates puts them
//! into its [`Outbox`], sorted by partition; later every partition makes the updates sent to it. No
//! other data passes between the partitions of a slice.

use super::partitions::Partitions;
use crate::reserve::{push, reserve_exact};
use std::collections::TryReserveError;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// Where the updates of an orbit go.
pub trait SendUpdates {
    /// Sends an update to each of these rows of `orbit`, counted from its row `first`, with the other side to
    /// move.
    fn send(&mut self, orbit: u32, first: u32, rows: impl ExactSizeIterator<Item = u32>);
}

/// The updates that one thread sends, by the partition that they go to.
///
/// They lie in batches of limited size, so that what is set aside for one partition at one ply
/// serves any other partition at the next.
pub struct Outbox {
    /// For each partition, the batch that is being filled.
    open: Vec<Vec<u32>>,
    /// Batches that are full, with the partition that they go to.
    full: Vec<(usize, Vec<u32>)>,
    /// Empty batches. All outboxes of a process share them: at each ply another thread may send most of
    /// the updates.
    spare: Arc<Mutex<Vec<Vec<u32>>>>,
    /// About how many updates are in a full batch.
    batch: usize,
    /// How many updates there is room for in full batches.
    sent: usize,
    /// How many bytes of updates may wait.
    bytes: usize,
    /// How many updates may be in full batches.
    most: usize,
    /// Whether memory was refused. Then updates are missing.
    refused: Option<TryReserveError>,
}

impl Outbox {
    /// As many outboxes as there are `threads`, for this many partitions. In each, about so many `bytes` of
    /// updates may wait.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn for_threads(
        threads: usize,
        partitions: usize,
        bytes: usize,
    ) -> Result<Vec<Outbox>, TryReserveError> {
        let spare = Arc::default();
        (0..threads).map(|_| Outbox::new(partitions, bytes, Arc::clone(&spare))).collect()
    }

    fn new(
        partitions: usize,
        bytes: usize,
        spare: Arc<Mutex<Vec<Vec<u32>>>>,
    ) -> Result<Outbox, TryReserveError> {
        // Of many partitions each gets little at a time, so few batches are large; allocators that keep
        // small pieces give large ones back to the system when they are done with.
        let most = if partitions < 512 { 8 << 10 } else { 64 << 10 };
        // All open batches together take a quarter of the room.
        let batch = (bytes / 4 / partitions.max(1)).clamp(64, most) / size_of::<u32>();
        let mut open = Vec::new();
        reserve_exact(&mut open, partitions)?;
        open.resize(partitions, Vec::new());
        Ok(Outbox { open, full: Vec::new(), spare, batch, sent: 0, bytes, most: 1, refused: None })
    }

    /// Leaves room for so many `bytes` of other updates that wait. At least half of the room is for full
    /// batches.
    pub fn leave_room(&mut self, bytes: usize) {
        let open = self.open.len() * self.batch * size_of::<u32>();
        let most = self.bytes.saturating_sub(open + bytes).max(self.bytes / 2);
        self.most = (most / size_of::<u32>()).max(1);
    }

    /// Whether as many updates wait as there is room for.
    pub fn is_full(&self) -> bool {
        self.sent >= self.most
    }

    /// Checks that all updates that were sent are there. Where they are sent, nobody waits for an answer.
    ///
    /// # Errors
    /// If there was not enough memory for some of them.
    pub fn check(&mut self) -> Result<(), TryReserveError> {
        self.refused.take().map_or(Ok(()), Err)
    }

    #[inline(always)]
    fn push(&mut self, partition: usize, updates: impl ExactSizeIterator<Item = u32>) {
        let batch = &mut self.open[partition];
        if updates.len() <= batch.capacity() - batch.len() {
            batch.extend(updates);
        } else {
            self.push_to_new(partition, updates);
        }
    }

    /// Begins a batch for updates for which the open one has no room.
    #[cold]
    #[inline(never)]
    fn push_to_new(&mut self, partition: usize, updates: impl ExactSizeIterator<Item = u32>) {
        match self.begin_batch(partition, updates.len()) {
            Ok(()) => self.open[partition].extend(updates),
            Err(refused) => self.refused = Some(refused),
        }
    }

    /// Sets the open batch of a partition aside as full, and begins one with room for this many
    /// updates.
    fn begin_batch(&mut self, partition: usize, room: usize) -> Result<(), TryReserveError> {
        let mut empty = self.spare().pop().unwrap_or_default();
        reserve_exact(&mut empty, self.batch.max(room))?;
        let full = std::mem::replace(&mut self.open[partition], empty);
        if !full.is_empty() {
            self.sent += full.capacity();
            push(&mut self.full, (partition, full))?;
        }
        Ok(())
    }

    /// Puts the full batches in the order of their partitions.
    pub fn sort(&mut self) {
        self.full.sort_unstable_by_key(|batch| batch.0);
    }

    /// The batches that go to a partition, once sorted.
    pub fn batches(&self, partition: usize) -> impl Iterator<Item = &[u32]> {
        let first = self.full.partition_point(|batch| batch.0 < partition);
        let full = self.full[first..].iter().take_while(move |batch| batch.0 == partition);
        full.map(|batch| &batch.1[..]).chain(std::iter::once(&self.open[partition][..]))
    }

    /// The batches that go to a run of partitions, once sorted, each with its partition.
    pub fn batches_in(&self, run: Range<usize>) -> impl Iterator<Item = (usize, &[u32])> {
        let first = self.full.partition_point(|batch| batch.0 < run.start);
        let full = self.full[first..].iter().take_while(move |batch| batch.0 < run.end);
        let full = full.map(|(partition, batch)| (*partition, &batch[..]));
        let open =
            run.clone().zip(&self.open[run]).map(|(partition, batch)| (partition, &batch[..]));
        full.chain(open).filter(|(_, batch)| !batch.is_empty())
    }

    /// Whether no update goes to a partition, once sorted.
    pub fn is_empty(&self, partition: usize) -> bool {
        self.batches(partition).all(<[u32]>::is_empty)
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Vec<u32>>> {
        self.spare.lock().unwrap_or_else(|error| error.into_inner())
    }

    /// Drops all updates, and keeps the memory for the next ones.
    pub fn clear(&mut self) {
        self.sent = 0;
        self.open.iter_mut().for_each(Vec::clear);
        let full = std::mem::take(&mut self.full);
        let mut spare = self.spare();
        for (_, mut batch) in full.into_iter().filter(|(_, batch)| batch.capacity() <= self.batch) {
            batch.clear();
            // Where there is no room to note it, the batch is given up.
            let _ = push(&mut spare, batch);
        }
    }
}

/// Sends updates to the partitions of one side to move.
pub struct ToPartitions<'a> {
    outbox: &'a mut Outbox,
    first_partition: usize,
    orbit_shift: u32,
    /// The bits of an orbit's number that are its place in the partition.
    orbit_mask: u32,
    rows_per_orbit: u32,
}

impl<'a> ToPartitions<'a> {
    /// Sends updates to the side whose partitions begin with `first_partition`.
    pub fn new(
        outbox: &'a mut Outbox,
        first_partition: usize,
        partitions: Partitions,
    ) -> ToPartitions<'a> {
        let Partitions { orbit_shift, rows, .. } = partitions;
        let (orbit_mask, rows_per_orbit) = ((1 << orbit_shift) - 1, rows as u32);
        ToPartitions { outbox, first_partition, orbit_shift, orbit_mask, rows_per_orbit }
    }
}

impl SendUpdates for ToPartitions<'_> {
    #[inline(always)]
    fn send(&mut self, orbit: u32, first: u32, rows: impl ExactSizeIterator<Item = u32>) {
        let start = (orbit & self.orbit_mask) * self.rows_per_orbit + first;
        let partition = self.first_partition + (orbit >> self.orbit_shift) as usize;
        self.outbox.push(partition, rows.map(|row| start + row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reserve::refusing::refusing;

    #[test]
    fn updates_that_there_is_no_memory_for_are_an_error_and_the_others_are_there() {
        let mut outbox = Outbox::for_threads(1, 2, 1 << 12).unwrap().remove(0);
        outbox.push(1, 0..100);
        assert_eq!(outbox.check(), Ok(()));
        let ((), aborts) = refusing(1 << 10, || outbox.push(1, 0..1000));
        assert!(outbox.check().is_err() && aborts == 0, "{aborts} bytes");
        assert!(outbox.batches(1).eq([&Vec::from_iter(0..100)]));
    }

    #[test]
    fn batches_that_one_thread_has_filled_serve_another() {
        let mut outboxes = Outbox::for_threads(2, 1, 1 << 12).unwrap();
        for sender in [0, 1, 0] {
            for outbox in &mut outboxes {
                outbox.clear();
            }
            (0..10).for_each(|_| outboxes[sender].push(0, 0..1000));
            // All that the other one has set aside is in use again, and no more.
            assert_eq!((outboxes[sender].full.len(), outboxes[0].spare().len()), (9, 0));
        }
    }
}
