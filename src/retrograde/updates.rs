//! Updates that one partition of a slice sends to another.
//!
//! An update tells a position that a move of it leads to a position that has just been decided. It is
//! four bytes: the place of the position in its partition. The thread that finds updates puts them
//! into its [`Outbox`], sorted by partition; later every partition makes the updates sent to it. No
//! other data passes between the partitions of a slice.

use super::partitions::Partitions;
use std::ops::Range;

/// Where the updates of an orbit go.
pub trait SendUpdates {
    /// Sends an update to each of these rows of `orbit`, with the other side to move.
    fn send(&mut self, orbit: u32, rows: impl ExactSizeIterator<Item = u32>);
}

/// The updates that one thread sends, by the partition that they go to.
///
/// They lie in batches of limited size, so that what is set aside for one partition at one ply
/// serves any other partition at the next.
#[derive(Default)]
pub struct Outbox {
    /// For each partition, the batch that is being filled.
    open: Vec<Vec<u32>>,
    /// Batches that are full, with the partition that they go to.
    full: Vec<(usize, Vec<u32>)>,
    /// Empty batches.
    spare: Vec<Vec<u32>>,
    /// About how many updates are in a full batch.
    batch: usize,
    /// How many updates there is room for in full batches.
    sent: usize,
}

impl Outbox {
    /// An outbox for this many partitions. The open batches together are at most about `bytes` long.
    pub fn new(partitions: usize, bytes: usize) -> Outbox {
        let batch = batch_bytes(partitions as u64, bytes as u64) as usize / size_of::<u32>();
        Outbox { open: vec![Vec::new(); partitions], batch, ..Outbox::default() }
    }

    /// How many updates the full batches have room for: about how many updates wait.
    pub fn sent(&self) -> usize {
        self.sent
    }

    #[inline(always)]
    fn push(&mut self, partition: usize, updates: impl ExactSizeIterator<Item = u32>) {
        let batch = &self.open[partition];
        if updates.len() > batch.capacity() - batch.len() {
            self.begin_batch(partition, updates.len());
        }
        self.open[partition].extend(updates);
    }

    /// Sets the open batch of a partition aside as full, and begins one with room for this many
    /// updates.
    #[cold]
    #[inline(never)]
    fn begin_batch(&mut self, partition: usize, room: usize) {
        let mut empty = self.spare.pop().unwrap_or_default();
        empty.reserve_exact(self.batch.max(room));
        let full = std::mem::replace(&mut self.open[partition], empty);
        if !full.is_empty() {
            self.sent += full.capacity();
            self.full.push((partition, full));
        }
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

    /// Drops all updates, and keeps the memory for the next ones.
    pub fn clear(&mut self) {
        self.sent = 0;
        self.open.iter_mut().for_each(Vec::clear);
        let usual = self.batch;
        self.spare.extend(self.full.drain(..).filter(|(_, batch)| batch.capacity() <= usual).map(
            |(_, mut batch)| {
                batch.clear();
                batch
            },
        ));
    }
}

/// The length in bytes of a batch of updates, where `open` batches are being filled that together
/// may be about `bytes` long.
pub fn batch_bytes(open: u64, bytes: u64) -> u64 {
    // Of many partitions each gets little at a time, so few batches are large; allocators that keep
    // small pieces give large ones back to the system when they are done with.
    let most = if open < 512 { 8 << 10 } else { 64 << 10 };
    (bytes / open.max(1)).clamp(64, most)
}

/// Sends updates to the partitions of one side to move.
pub struct ToPartitions<'a> {
    outbox: &'a mut Outbox,
    first_partition: usize,
    partitions: Partitions,
}

impl<'a> ToPartitions<'a> {
    /// Sends updates to the side whose partitions begin with `first_partition`.
    pub fn new(
        outbox: &'a mut Outbox,
        first_partition: usize,
        partitions: Partitions,
    ) -> ToPartitions<'a> {
        ToPartitions { outbox, first_partition, partitions }
    }
}

impl SendUpdates for ToPartitions<'_> {
    #[inline(always)]
    fn send(&mut self, orbit: u32, rows: impl ExactSizeIterator<Item = u32>) {
        let Partitions { orbit_shift, rows: rows_per_orbit, .. } = self.partitions;
        let in_partition = orbit & ((1 << orbit_shift) - 1);
        let start = in_partition * rows_per_orbit as u32;
        let partition = self.first_partition + (orbit >> orbit_shift) as usize;
        self.outbox.push(partition, rows.map(|row| start + row));
    }
}
