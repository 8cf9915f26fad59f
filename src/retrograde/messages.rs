//! The messages with which processes tell each other of updates. A process that works alone sends itself
//! nothing but its own report.

use super::error::SolveError;
use super::slice_work::SliceWork;

/// What a process tells all processes beside updates, or all of them together.
#[derive(Clone, Copy)]
pub struct Report {
    /// How many positions have been expanded since the last report.
    pub expanded: u64,
    /// The first ply, from the one reached on, at which something is to do as far as is known.
    pub next_ply: Option<u16>,
}

impl Report {
    /// The length of a report in bytes.
    const LEN: usize = 16;

    fn to_bytes(self) -> [[u8; 8]; 2] {
        [self.expanded, self.next_ply.map_or(u64::MAX, u64::from)].map(u64::to_le_bytes)
    }

    /// What all processes have reported together, each at the end of its message.
    pub fn of_all(messages: &[Vec<u8>]) -> Report {
        let mut all = Report { expanded: 0, next_ply: None };
        for message in messages {
            let Some(&[expanded, next_ply]) = message.as_rchunks().1.last_chunk() else {
                unreachable!("every message ends with a report")
            };
            all.expanded += u64::from_le_bytes(expanded);
            let next_ply = u16::try_from(u64::from_le_bytes(next_ply)).ok();
            all.next_ply = all.next_ply.into_iter().chain(next_ply).min();
        }
        all
    }
}

impl SliceWork<'_> {
    /// For each process, the updates that wait for its partitions, and then a report at this ply. Each batch of
    /// updates is preceded by the number of its partition and of its updates. All these numbers have four bytes.
    pub fn messages(&mut self, ply: u16) -> Vec<Vec<u8>> {
        let expanders = self.expanders.iter_mut();
        let expanded = expanders.map(|expander| std::mem::take(&mut expander.expanded)).sum();
        let next_ply = match expanded {
            _ if self.has_more_to_expand() => Some(ply),
            0 => self.state.next_ply(ply + 1),
            _ => Some(ply + 1),
        };
        let report = Report { expanded, next_ply };
        let (partitions, processes) = (self.state.partitions, self.processes);
        let mut room = std::mem::take(&mut self.room).into_iter();
        let to_process = |process: usize| {
            let mut message = room.next().unwrap_or_default();
            message.clear();
            let run = match process == processes.number() {
                true => 0..0,
                false => partitions.run(process, processes.count()),
            };
            let of_side = |side| {
                let first = partitions.first_of(side);
                first + run.start..first + run.end
            };
            for partition in (0..partitions.sides).flat_map(of_side) {
                let outboxes = self.expanders.iter().map(|expander| &expander.outbox);
                for batch in outboxes.flat_map(|outbox| outbox.batches(partition)) {
                    message.extend_from_slice(&(partition as u32).to_le_bytes());
                    message.extend_from_slice(&(batch.len() as u32).to_le_bytes());
                    message.extend(batch.iter().flat_map(|update| update.to_le_bytes()));
                }
            }
            // Behind the report there is room for what the process wants.
            message.reserve_exact(Report::LEN + 1);
            message.extend_from_slice(report.to_bytes().as_flattened());
            message
        };
        (0..processes.count()).map(to_process).collect()
    }

    /// Makes the updates that the processes have sent to this one. Later messages may be written where
    /// these are.
    pub fn make_updates_of(&mut self, ply: u16, messages: Vec<Vec<u8>>) -> Result<(), SolveError> {
        // A process that works alone gets nothing but its own report.
        if messages.iter().all(|message| message.len() == Report::LEN) {
            self.room = messages;
            return Ok(());
        }
        let mut batches: Vec<Vec<&[[u8; 4]]>> = vec![Vec::new(); self.state.agendas.len()];
        for message in &messages {
            let mut words = message[..message.len() - Report::LEN].as_chunks::<4>().0;
            while let [partition, len, rest @ ..] = words {
                let (batch, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
                let partition = u32::from_le_bytes(*partition) as usize;
                batches[self.state.partitions.place(partition)].push(batch);
                words = rest;
            }
        }
        let made = self.state.for_each_partition(
            usize::MAX,
            |i, _| !batches[i].is_empty(),
            Vec::new,
            |i, mut partition, places| {
                for batch in &batches[i] {
                    places.clear();
                    places.extend(batch.iter().map(|update| u32::from_le_bytes(*update)));
                    partition.update(ply, places);
                }
                Ok(())
            },
        );
        self.room = messages;
        made
    }
}
