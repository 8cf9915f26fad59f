//! Who codes which chunks when: the processes that write a table together, and the threads of each.

use super::spread::ChunkId;
use crate::processes::Processes;
use rayon::prelude::*;
use std::io;

/// Chunks that each thread codes before they are written, where memory does not matter.
pub const CHUNKS_A_THREAD: usize = 2;

/// The processes that add slices together, seen by one of them.
pub struct Crew<'a> {
    pub processes: &'a dyn Processes,
    /// How many chunks each process codes before they are written.
    batch: usize,
    /// How many threads of this process work on chunks.
    threads: usize,
    /// About how many bytes of a sample each process holds at most.
    pub sample_bytes: u64,
}

impl<'a> Crew<'a> {
    /// A crew in which this process works on at most so many chunks at once, and holds at most about
    /// `sample_bytes` of a sample. The least of what the processes can do holds for all of them.
    pub fn new(
        processes: &'a dyn Processes,
        chunks_at_once: usize,
        sample_bytes: u64,
    ) -> io::Result<Crew<'a>> {
        let threads = chunks_at_once.min(rayon::current_num_threads());
        // A thread holds the values of one chunk at a time, and the blocks of all that it has coded.
        let batch = match chunks_at_once {
            fewer if fewer < rayon::current_num_threads() => fewer,
            _ => CHUNKS_A_THREAD * threads,
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

    /// Lets the threads of this process share the work on so many chunks, of which they get the places. A
    /// thread uses its `T` again from chunk to chunk. The results are in the order of the places.
    pub fn for_each_chunk<T: Default, R: Send>(
        &self,
        chunks: usize,
        work: impl Fn(&mut T, usize) -> io::Result<R> + Sync,
    ) -> io::Result<Vec<R>> {
        let of_thread = |thread: usize| {
            let mut memory = T::default();
            let bound = |thread: usize| thread * chunks / self.threads;
            let places = bound(thread)..bound(thread + 1);
            places.map(|at| work(&mut memory, at)).collect::<io::Result<Vec<R>>>()
        };
        let parts = (0..self.threads).into_par_iter().with_max_len(1).map(of_thread);
        Ok(parts.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::tests::on_processes;

    #[test]
    fn every_chunk_is_coded_once_in_the_order_of_rounds_and_processes() {
        let chunks: Vec<ChunkId> = (0..37).map(|chunk| (0, chunk)).collect();
        for count in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(9).build().unwrap();
            let divided = on_processes(count, |processes| {
                let (at_once, sample_bytes) =
                    (2 + processes.number(), 100 - processes.number() as u64);
                let crew = pool.install(|| Crew::new(processes, at_once, sample_bytes)).unwrap();
                assert_eq!((crew.batch, crew.sample_bytes), (2, 101 - count as u64));
                assert_eq!(crew.rounds(&[]).count(), 0);
                let rounds: Vec<_> = crew.rounds(&chunks).collect();
                let fits = |chunks: &&[ChunkId]| chunks.len() <= 2;
                assert!(rounds.iter().all(|of| of.len() == count && of.iter().all(fits)));
                rounds.concat().concat()
            });
            assert!(divided.iter().all(|divided| *divided == chunks));
        }
    }

    #[test]
    fn threads_share_chunks_and_their_order_stays() {
        for chunks in [0, 1, 5, 8] {
            let crew =
                Crew { processes: &crate::processes::Alone, batch: 1, threads: 3, sample_bytes: 0 };
            let places = crew.for_each_chunk(chunks, |(), at| Ok(at)).unwrap();
            assert!(places.into_iter().eq(0..chunks));
        }
    }
}
