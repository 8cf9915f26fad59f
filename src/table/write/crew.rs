//! Who codes which chunks when: the processes that write a table together, and the threads of each.

use super::order::ChunkId;
use crate::processes::Processes;
use crate::threads::Threads;
use std::io;

/// Chunks that each thread codes before they are written, where memory does not matter.
pub const CHUNKS_A_THREAD: usize = 2;

/// The processes that add slices together, seen by one of them.
pub struct Crew<'a> {
    pub processes: &'a dyn Processes,
    /// How many chunks each process codes before they are written.
    batch: usize,
    /// The threads of this process that work on chunks.
    pub threads: Threads,
    /// About how many bytes of a sample each process holds at most.
    pub sample_bytes: u64,
}

impl<'a> Crew<'a> {
    /// A crew in which this process works on at most this many chunks at once, and holds at most about
    /// `sample_bytes` of a sample. The least of what the processes can do holds for all of them.
    pub fn new(
        processes: &'a dyn Processes,
        chunks_at_once: usize,
        sample_bytes: u64,
    ) -> io::Result<Crew<'a>> {
        let threads = Threads::of_pool().at_most(chunks_at_once);
        // A thread holds the values of one chunk at a time, and the blocks of all that it has coded.
        let batch = match chunks_at_once {
            fewer if fewer < rayon::current_num_threads() => fewer,
            _ => CHUNKS_A_THREAD * rayon::current_num_threads(),
        };
        // Every process fills in its own places.
        let mut numbers = vec![[0; 2]; processes.count()];
        numbers[processes.number()] = [batch as u64, sample_bytes];
        let numbers = processes.sum(numbers.as_flattened())?;
        let least = |of: usize| numbers.iter().skip(of).step_by(2).copied().min().unwrap_or(0);
        Ok(Crew { processes, batch: least(0) as usize, threads, sample_bytes: least(1) })
    }

    /// How many chunks all processes work on before they exchange anything.
    pub fn chunks_a_round(&self) -> usize {
        self.batch * self.processes.count()
    }

    /// Divides chunks into rounds: in each of them, for each process, the chunks that it codes.
    pub fn rounds<'c>(&self, chunks: &'c [ChunkId]) -> impl Iterator<Item = Vec<&'c [ChunkId]>> {
        chunks.chunks(self.chunks_a_round()).map(|round| {
            let mut of_processes = round.chunks(self.batch);
            (0..self.processes.count()).map(|_| of_processes.next().unwrap_or(&[])).collect()
        })
    }
}
