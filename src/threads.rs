//! Work on several threads.

#[cfg(feature = "generate")]
use rayon::prelude::*;
use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use std::{iter, thread};

/// The stack of a thread, in bytes.
const STACK: usize = 2 << 20;

/// About how many bytes a thread holds beside what it works on.
#[cfg(feature = "generate")]
pub const THREAD_MEMORY: u64 = 300 << 10;

/// Does the work on several threads, of which this is the one with the number 0. Returns what it came to on
/// each. If the system gives no more threads, there are fewer of them.
pub fn side_by_side<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let begin = |number| {
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, move || work(number)).ok()
        };
        let others: Vec<_> = (1..threads).map_while(begin).collect();
        let first = work(0);
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|why| resume_unwind(why)));
        iter::once(first).chain(others).collect()
    })
}

/// Does some work in a thread of its own. Meanwhile, this thread calls `ask`, at once and then again and again after so
/// long, until the work is done.
///
/// # Errors
/// If the system gives no thread. The work was not begun.
pub fn beside<T: Send>(
    work: impl FnOnce() -> T + Send,
    every: Duration,
    mut ask: impl FnMut(),
) -> io::Result<T> {
    let (goes_on, has_ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            // When this is dropped, the thread that asks is woken, even if the work panics.
            let _goes_on = goes_on;
            work()
        })?;
        loop {
            ask();
            if has_ended.recv_timeout(every) != Err(mpsc::RecvTimeoutError::Timeout) {
                break;
            }
        }
        Ok(worker.join().unwrap_or_else(|why| resume_unwind(why)))
    })
}

/// The greatest number of threads, up to this many, for which there is memory, which `fits` says of a number of them:
/// more never need less. 0 if there is not enough for one.
pub fn most_that_fit(most: usize, fits: impl Fn(usize) -> bool) -> usize {
    if fits(most) {
        return most;
    }
    let (mut fit, mut too_many) = (0, most);
    while too_many - fit > 1 {
        let between = fit.midpoint(too_many);
        if fits(between) { fit = between } else { too_many = between }
    }
    fit
}

/// Does some work on so many threads. Generating, verifying, analysing and finding use the threads of the
/// rayon pool in which they are called, and outside of one as many threads as there are processors. So this is how to
/// give them fewer. If the system gives too few threads, half as many are tried, and so on. If it gives none, the work is
/// done where this is called.
///
/// ```
/// use lasca_tablebase::Silent;
/// use lasca_tablebase::generate::Generator;
/// use lasca_tablebase::rules::RuleSet;
/// use std::num::NonZero;
/// let generator = Generator::new("tables", RuleSet::Lasca);
/// let two = NonZero::new(2).unwrap();
/// lasca_tablebase::with_threads(two, || generator.generate("2-1".parse().unwrap(), &Silent))?;
/// # Ok::<(), lasca_tablebase::generate::GenerateError>(())
/// ```
#[cfg(feature = "generate")]
pub fn with_threads<T: Send>(count: NonZero<usize>, work: impl FnOnce() -> T + Send) -> T {
    let builder = |count: usize| rayon::ThreadPoolBuilder::new().num_threads(count);
    let fewer = |&count: &usize| (count > 1).then_some(count / 2);
    let started = iter::successors(Some(count.get()), fewer).find_map(|n| builder(n).build().ok());
    // A thread that belongs to a pool already works there.
    match started.or_else(|| builder(1).use_current_thread().build().ok()) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Does the same work for whoever asks first, while others may wait for it. A thread of a rayon pool that waits for
/// another pool does other work of its own meanwhile, which may come to wait for this work; so if this is one, the work
/// has a thread of its own.
///
/// # Errors
/// If the system gives no thread.
#[cfg(feature = "generate")]
pub fn with_threads_apart<T: Send>(
    count: NonZero<usize>,
    work: impl FnOnce() -> T + Send,
) -> io::Result<T> {
    // In a browser, there is one thread, and nobody waits for it.
    if cfg!(target_family = "wasm") || rayon::current_thread_index().is_none() {
        return Ok(with_threads(count, work));
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, || with_threads(count, work));
        thread.map(|thread| thread.join().unwrap_or_else(|why| resume_unwind(why)))
    })
}

/// Which threads work at once.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    count: NonZero<usize>,
    /// Whether they are those of the current rayon pool. Otherwise they are started for the work.
    are_of_pool: bool,
}

impl Threads {
    /// This many, which are started for the work; `None` for as many as there are processors.
    pub fn new(count: Option<NonZero<usize>>) -> Threads {
        let processors = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Threads { count: count.unwrap_or_else(processors), are_of_pool: false }
    }

    /// Those of the current rayon pool.
    #[cfg(feature = "generate")]
    pub fn of_pool() -> Threads {
        let threads = Threads::new(NonZero::new(rayon::current_num_threads()));
        Threads { are_of_pool: true, ..threads }
    }

    /// How many they are.
    pub fn count(self) -> usize {
        self.count.get()
    }

    /// One thread: the one that wants the work done.
    pub const ONE: Threads = Threads { count: NonZero::<usize>::MIN, are_of_pool: false };

    /// Whether the one that wants the work done works alone.
    pub fn is_one(self) -> bool {
        self.count() == 1
    }

    /// No more than this many, but one at least.
    #[must_use]
    pub fn at_most(mut self, count: usize) -> Threads {
        self.count = NonZero::new(count).unwrap_or(NonZero::<usize>::MIN).min(self.count);
        self
    }

    /// Does the work on this many of the threads at most, but on this one at least. The work has no type of
    /// its own, so what starts threads is compiled once.
    pub fn each_does(self, count: usize, work: &(dyn Fn() + Sync)) {
        let threads = self.count.get().min(count);
        if threads <= 1 {
            return work();
        }
        #[cfg(feature = "generate")]
        if self.are_of_pool {
            return (0..threads).into_par_iter().with_max_len(1).for_each(|_| work());
        }
        side_by_side(threads, |_| work());
    }

    /// Does the tasks with the numbers below `count`, each with a workspace of the thread that does it,
    /// until one fails. Returns what each came to, in their order. If the system gives no more threads,
    /// there are fewer of them.
    ///
    /// # Errors
    /// An error of a task.
    pub fn map<W, T: Send, E: Send>(
        self,
        count: usize,
        workspace: impl Fn() -> W + Sync,
        task: impl Fn(usize, &mut W) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let none_yet: Vec<Option<T>> = (0..count).map(|_| None).collect();
        let done = Mutex::new((none_yet, None));
        let work = || {
            let mut workspace = workspace();
            while !failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                let result = task(number, &mut workspace);
                let (results, failure) = &mut *done.lock().unwrap_or_else(PoisonError::into_inner);
                match result {
                    Ok(result) => results[number] = Some(result),
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        failure.get_or_insert(error);
                    }
                }
            }
        };
        self.each_does(count, &work);
        let (results, failure) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failure {
            return Err(error);
        }
        Ok(results.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_threads_are_taken_as_there_is_memory_for() {
        for most in [1, 2, 3, 64, 1000] {
            for room in [0, 1, 2, 5, 63, 64, 65, 1000] {
                assert_eq!(most_that_fit(most, |threads| threads <= room), most.min(room));
            }
        }
    }

    #[test]
    fn work_goes_on_beside_questions_and_its_end_is_not_waited_for() {
        let asked = AtomicUsize::new(0);
        let ask = || {
            asked.fetch_add(1, Ordering::Relaxed);
        };
        let work = || {
            while asked.load(Ordering::Relaxed) < 3 {
                std::hint::spin_loop();
            }
        };
        beside(work, Duration::from_millis(1), ask).unwrap();
        assert_eq!(beside(|| 7, Duration::from_secs(1000), ask).unwrap(), 7);
        let fails = || beside(|| panic!("it fails"), Duration::from_secs(1000), ask);
        let why = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fails)).unwrap_err();
        assert_eq!(why.downcast_ref(), Some(&"it fails"));
    }

    #[test]
    fn every_task_is_done_once_in_its_order_unless_one_fails() {
        let started = [NonZero::new(1), NonZero::new(3), None].map(Threads::new);
        for threads in started.into_iter().chain([Threads::of_pool()]) {
            for count in [0, 1, 100] {
                let results = threads.map(count, || (), |number, ()| Ok::<usize, ()>(2 * number));
                assert_eq!(results, Ok((0..count).map(|number| 2 * number).collect()));
            }
            let fail = |number, _: &mut ()| if number == 7 { Err(number) } else { Ok(()) };
            assert_eq!(threads.map(100, || (), fail), Err(7));
        }
    }
}
