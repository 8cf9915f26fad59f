//! Updates that one partition of a slice sends to another.
//!
//! An update tells a position that a move of it leads to a position that has just been decided. It is
//! four bytes: the place of the position in its partition.

use super::partitions::Partitions;
use std::iter;

/// Where the updates of an orbit go.
pub trait SendUpdates {
    /// Sends an update to each of these rows of `orbit`, counted from its row `first`, with the other side to
    /// move.
    fn send(&mut self, orbit: u32, first: u32, rows: impl ExactSizeIterator<Item = u32>);
}

/// The updates that one thread sends, by the partition that they go to.
///
/// They lie in batches of the same size. A batch belongs to a partition only while it is filled; then its
/// memory serves any other.
pub struct Outbox {
    /// What goes to each partition.
    partitions: Vec<ToPartition>,
    batches: Batches,
    /// How many bytes of updates may wait.
    bytes: usize,
    /// How many batches may be full.
    most: usize,
}

/// The batches of an outbox but for those that are being filled.
struct Batches {
    /// Those that are full.
    full: Vec<FullBatch>,
    /// Empty ones.
    spare: Vec<Vec<u32>>,
    /// How many updates are in a full batch.
    size: usize,
}

/// The updates that one thread sends to one partition.
#[derive(Default)]
struct ToPartition {
    /// The batch that is being filled.
    open: Vec<u32>,
    /// The number of the last batch that is full.
    last_full: Option<u32>,
}

struct FullBatch {
    updates: Vec<u32>,
    /// The number of the full batch before it that goes to the same partition.
    before: Option<u32>,
}

impl Outbox {
    /// An outbox for this many partitions, in which about this many `bytes` of updates may wait.
    pub fn new(partitions: usize, bytes: usize) -> Outbox {
        // All open batches together take a quarter of the room. A batch is no larger than what allocators keep
        // when it is given back.
        let size = (bytes / 4 / partitions.max(1)).clamp(64, 8 << 10) / size_of::<u32>();
        let batches = Batches { full: Vec::new(), spare: Vec::new(), size };
        let partitions = (0..partitions).map(|_| ToPartition::default()).collect();
        Outbox { partitions, batches, bytes, most: 1 }
    }

    /// Leaves room for so many `bytes` of other updates that wait. At least half of the room is for full
    /// batches.
    pub fn leave_room(&mut self, bytes: usize) {
        let batch = self.batches.size * size_of::<u32>();
        let open = self.partitions.len() * batch;
        let most = self.bytes.saturating_sub(open + bytes).max(self.bytes / 2);
        self.most = (most / batch).max(1);
    }

    /// Whether as many updates wait as there is room for.
    pub fn is_full(&self) -> bool {
        self.batches.full.len() >= self.most
    }

    /// The numbers of the updates that wait: all that are in full batches, and then those of each partition
    /// in its open one.
    pub fn counts(&self) -> impl Iterator<Item = usize> {
        let full = self.batches.full.len() * self.batches.size;
        let open = self.partitions.iter().map(|partition| partition.open.len());
        iter::once(full).chain(open)
    }

    /// The batches that go to a partition.
    pub fn batches(&self, partition: usize) -> impl Iterator<Item = &[u32]> {
        let ToPartition { open, last_full } = &self.partitions[partition];
        let full = |number: u32| &self.batches.full[number as usize];
        let full = iter::successors(last_full.map(full), move |batch| batch.before.map(full));
        let batches = full.map(|batch| &batch.updates[..]).chain(iter::once(&open[..]));
        batches.filter(|batch| !batch.is_empty())
    }

    /// Whether no update goes to a partition.
    pub fn is_empty(&self, partition: usize) -> bool {
        self.batches(partition).next().is_none()
    }

    /// Drops all updates. The memory serves the next ones.
    pub fn clear(&mut self) {
        for partition in &mut self.partitions {
            partition.open.clear();
            partition.last_full = None;
        }
        for FullBatch { mut updates, .. } in self.batches.full.drain(..) {
            updates.clear();
            self.batches.spare.push(updates);
        }
    }
}

impl Batches {
    #[inline(always)]
    fn push(&mut self, to: &mut ToPartition, updates: impl ExactSizeIterator<Item = u32>) {
        if updates.len() <= to.open.capacity() - to.open.len() {
            to.open.extend(updates);
        } else {
            self.push_to_several(to, updates);
        }
    }

    /// Fills the open batch, and begins others for the updates for which it has no room.
    #[cold]
    #[inline(never)]
    fn push_to_several(
        &mut self,
        to: &mut ToPartition,
        mut updates: impl ExactSizeIterator<Item = u32>,
    ) {
        loop {
            let room = to.open.capacity() - to.open.len();
            to.open.extend(updates.by_ref().take(room));
            // A batch is set aside only when there is more, so that it is full.
            if updates.len() == 0 {
                return;
            }
            self.begin_batch(to);
        }
    }

    /// Sets the open batch of a partition aside as full, and begins one.
    fn begin_batch(&mut self, to: &mut ToPartition) {
        let empty = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(self.size));
        let updates = std::mem::replace(&mut to.open, empty);
        if updates.capacity() > 0 {
            let number = self.full.len() as u32;
            self.full.push(FullBatch { updates, before: to.last_full.replace(number) });
        }
    }
}

/// Sends updates to the partitions of one side to move.
pub struct ToPartitions<'a> {
    partitions: &'a mut [ToPartition],
    batches: &'a mut Batches,
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
        let Outbox { partitions, batches, .. } = outbox;
        let partitions = &mut partitions[first_partition..];
        ToPartitions { partitions, batches, orbit_shift, orbit_mask, rows_per_orbit }
    }
}

impl SendUpdates for ToPartitions<'_> {
    #[inline(always)]
    fn send(&mut self, orbit: u32, first: u32, rows: impl ExactSizeIterator<Item = u32>) {
        let start = (orbit & self.orbit_mask) * self.rows_per_orbit + first;
        let partition = &mut self.partitions[(orbit >> self.orbit_shift) as usize];
        self.batches.push(partition, rows.map(|row| start + row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    fn push(outbox: &mut Outbox, partition: usize, updates: Range<u32>) {
        outbox.batches.push(&mut outbox.partitions[partition], updates);
    }

    #[test]
    fn updates_come_to_their_partitions_and_batches_serve_again() {
        let mut outbox = Outbox::new(3, 1 << 12);
        let mut batches = 0;
        for turn in 0..3 {
            outbox.clear();
            assert!((0..3).all(|partition| outbox.is_empty(partition)));
            // Some runs are longer than a batch, and some end with one.
            let sent = |partition| 0..[100, 0, 3000][(partition + turn) % 3];
            (0..3).for_each(|partition| {
                (0..3).for_each(|_| push(&mut outbox, partition, sent(partition)));
            });
            for partition in 0..3 {
                let mut found: Vec<u32> = outbox.batches(partition).flatten().copied().collect();
                found.sort_unstable();
                let expected: Vec<u32> = sent(partition).flat_map(|update| [update; 3]).collect();
                assert_eq!(found, expected);
            }
            let is_filled = |batch: &FullBatch| batch.updates.len() == batch.updates.capacity();
            assert!(outbox.batches.full.iter().all(is_filled));
            let in_use = outbox.batches.full.len() + outbox.batches.spare.len();
            assert!(turn == 0 || in_use <= batches + 1, "{in_use} after {batches}");
            batches = in_use;
        }
    }
}
