//! Work on several threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many threads work at once.
#[derive(Clone, Copy, Debug)]
pub struct Threads(NonZero<usize>);

impl Threads {
    /// This many; `None` for as many as there are processors.
    pub fn new(count: Option<NonZero<usize>>) -> Threads {
        Threads(
            count.unwrap_or_else(|| {
                thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
            }),
        )
    }

    /// Does tasks number 0 to `count`, each with a workspace of the thread that does it, until one
    /// fails. If the system gives no more threads, there are fewer of them.
    ///
    /// # Errors
    /// An error of a task.
    pub fn each<W, E: Send>(
        self,
        count: usize,
        workspace: impl Fn() -> W + Sync,
        task: impl Fn(usize, &mut W) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let failed = AtomicBool::new(false);
        let work = || {
            let mut workspace = workspace();
            while !failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                if let Err(error) = task(number, &mut workspace) {
                    failed.store(true, Ordering::Relaxed);
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        let threads = self.0.get().min(count);
        if threads > 1 {
            thread::scope(|scope| {
                for _ in 1..threads {
                    if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                        break;
                    }
                }
                work();
            });
        } else {
            work();
        }
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_unless_one_fails() {
        for threads in [NonZero::new(1), NonZero::new(3), None].map(Threads::new) {
            for count in [0, 1, 100] {
                let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                let task = |number: usize, _: &mut ()| {
                    done[number].fetch_add(1, Ordering::Relaxed);
                    Ok::<(), ()>(())
                };
                assert_eq!(threads.each(count, || (), task), Ok(()));
                assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
            }
            let fail = |number, _: &mut ()| if number == 7 { Err(number) } else { Ok(()) };
            assert_eq!(threads.each(100, || (), fail), Err(7));
        }
    }
}
