//! Searching positions: the types and the functions of the header.

use crate::failure::{Failure, guard};
use crate::lasca_tb_status::{self, *};
use crate::pointers::{offer, place, put, put_list, shared};
use crate::sized::take;
use crate::tables::read_rules;
use crate::{
    assert_layout, lasca_tb, lasca_tb_line_end, lasca_tb_move, lasca_tb_position, lasca_tb_value,
};
use lasca_tablebase::Value;
use lasca_tablebase::probe::{LineEnd, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::search::{Limits, MoveRating, SearchError, Solver, Status, Stop, Watch};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The search of one position, with all that it has found out. Programs see only pointers to it.
///
/// \ingroup searching
pub struct lasca_tb_search {
    // It borrows from `tables`, and is dropped first.
    work: Mutex<Work>,
    cancelled: AtomicBool,
    #[expect(dead_code, reason = "the search borrows from it")]
    tables: Option<Arc<Tablebase>>,
}

// Any thread may use a handle.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<lasca_tb>();
    is_shared::<lasca_tb_search>();
};

struct Work {
    solver: Solver<'static>,
    /// The exact distance, once it is known.
    dtw: Option<u16>,
}

/// How a position is searched. Begin with LASCA_TB_SEARCH_OPTIONS_INIT. 16 bytes: size is at 0, rules at
/// 4, memory_bytes at 8.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_options {
    /// The size of this struct in bytes.
    pub size: u32,
    /// The rule set: a lasca_tb_rules. With tables, it must be theirs.
    pub rules: i32,
    /// The most memory that the search may hold, in bytes; 0 for 256 MiB. A position takes about 64
    /// bytes.
    pub memory_bytes: u64,
}

assert_layout!(grows from 16, lasca_tb_search_options: 16, aligned to 8;
    size at 0, rules at 4, memory_bytes at 8);

/// How far a search is. 24 bytes: positions is at 0, expanded at 8, bytes at 16.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_status {
    /// How many positions have been met.
    pub positions: u64,
    /// Of how many of them the moves have been looked at.
    pub expanded: u64,
    /// The memory that the search holds, in bytes.
    pub bytes: u64,
}

assert_layout!(lasca_tb_search_status: 24, aligned to 8; positions at 0, expanded at 8, bytes at 16);

/// A function of the program that a search calls again and again, in the thread that called the search:
/// every few milliseconds at first, and after some seconds several times a second. It is not called
/// during a pass over all positions, which can take a second for each few million positions. user is
/// what the limits name; status lives during the call. The function returns 0 to stop the search, and
/// any other number to go on. It must return: an exception or a longjmp out of it is not allowed. The
/// only function of this library that it may call with the same search is lasca_tb_search_cancel().
///
/// \ingroup searching
pub type lasca_tb_progress =
    Option<unsafe extern "C" fn(user: *mut c_void, status: *const lasca_tb_search_status) -> i32>;

/// What a search is to find out besides who wins. The numbers are added.
///
/// \ingroup searching
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_goal {
    /// The exact distance of a win or loss.
    LASCA_TB_FIND_DTW = 1,
    /// What each legal move is worth.
    LASCA_TB_FIND_MOVES = 2,
}

/// What one call of lasca_tb_search_run() is to find out and may use. Begin with
/// LASCA_TB_SEARCH_LIMITS_INIT. With pointers of 64 bits 40 bytes: size is at 0, threads at 4,
/// milliseconds at 8, goals at 16, reserved at 20, progress at 24, user at 32.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_limits {
    /// The size of this struct in bytes.
    pub size: u32,
    /// How many threads search; 0 for one per processor. More than 8 count as 8.
    pub threads: u32,
    /// The longest time from the call on; 0 for as long as it takes.
    pub milliseconds: u64,
    /// What is to be found out besides who wins: a sum of lasca_tb_goal, or 0.
    pub goals: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Is told how far the search is, and can stop it; may be NULL.
    pub progress: lasca_tb_progress,
    /// Is handed to progress.
    pub user: *mut c_void,
}

const POINTER: usize = size_of::<usize>();
assert_layout!(grows from 24 + 2 * POINTER, lasca_tb_search_limits: 24 + 2 * POINTER, aligned to 8;
    size at 0, threads at 4, milliseconds at 8, goals at 16, reserved at 20, progress at 24,
    user at 24 + POINTER);

/// Why a search has stopped.
///
/// \ingroup searching
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_stop {
    /// All that the call asks for is found.
    LASCA_TB_FINISHED = 0,
    /// The time is over.
    LASCA_TB_TIME_OVER = 1,
    /// There is no room for more positions.
    LASCA_TB_MEMORY_FULL = 2,
    /// It was cancelled, by lasca_tb_search_cancel() or by progress.
    LASCA_TB_CANCELLED = 3,
}

impl From<Stop> for lasca_tb_stop {
    fn from(stop: Stop) -> lasca_tb_stop {
        match stop {
            Stop::Solved => lasca_tb_stop::LASCA_TB_FINISHED,
            Stop::Time => lasca_tb_stop::LASCA_TB_TIME_OVER,
            Stop::Memory => lasca_tb_stop::LASCA_TB_MEMORY_FULL,
            Stop::Cancelled => lasca_tb_stop::LASCA_TB_CANCELLED,
        }
    }
}

/// What a search has proved of its position so far. 40 bytes: value is at 0, status at 16.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_searched {
    /// What is proved, for the side to move.
    pub value: lasca_tb_value,
    /// How far the search is.
    pub status: lasca_tb_search_status,
}

assert_layout!(lasca_tb_searched: 40, aligned to 8; value at 0, status at 16);

/// Prepares the search of a position, which may have soldiers and up to 22 counters.
/// lasca_tb_search_run() then searches it.
///
/// \param tables Used for positions that they cover; NULL means no tables. They may be freed before
/// the search, which keeps what it needs.
/// \param position The position.
/// \param options NULL means the default options.
/// \param search Receives the handle. It belongs to the caller, who must pass it to
/// lasca_tb_search_free() in the end.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the options are not allowed, or the
/// tables are for other rules; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_BAD_POSITION if the position
/// is none; with LASCA_TB_NO_MEMORY if memory_bytes is too little to begin with; and with
/// LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if a table that covers the
/// position cannot be used.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_new(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    options: *const lasca_tb_search_options,
    search: *mut *mut lasca_tb_search,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        place(search, "search")?;
        let position = shared(position, "position")?.position()?;
        let tables = tables.as_ref().map(|handle| Arc::clone(&handle.tables));
        let handle = begin(tables, &position, take(options)?)?;
        put(search, "search", Box::into_raw(Box::new(handle)))
    })
}

/// Ends a search and frees its memory. No other thread may use it any more. If search is NULL,
/// nothing happens.
///
/// \param search The search, or NULL.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_free(search: *mut lasca_tb_search) {
    // SAFETY: the handle is NULL or came from `lasca_tb_search_new`, and is not used any more.
    guard(|| unsafe {
        drop((!search.is_null()).then(|| Box::from_raw(search)));
        Ok(())
    });
}

/// Searches until it is proved who wins, or that nobody does, and until the goals of the limits are
/// reached: first the exact distance, then each move. It stops when a limit is reached, which is no
/// failure. It can be called again, and goes on with all that was found out. lasca_tb_search_result(),
/// lasca_tb_search_moves() and lasca_tb_search_line() tell what is proved.
///
/// The exact distance of a draw is not searched, nor that of a position for which no upper bound is
/// known because a table has no DTW file.
///
/// \param search The search.
/// \param limits What the call is to find out and may use; NULL means the default limits: who wins,
/// as long as it takes.
/// \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the limits are not allowed; with
/// LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if a table cannot be used; and
/// with LASCA_TB_NO_MEMORY if there is no room left for the distances.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_run(
    search: *mut lasca_tb_search,
    limits: *const lasca_tb_search_limits,
    stop: *mut lasca_tb_stop,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        let search = shared(search, "search")?;
        let given = take(limits)?;
        let all =
            lasca_tb_goal::LASCA_TB_FIND_DTW as u32 | lasca_tb_goal::LASCA_TB_FIND_MOVES as u32;
        if given.goals & !all != 0 || given.reserved != 0 {
            let message = format!(
                "expected a sum of lasca_tb_goal as goals and 0 as reserved, found {} and {}",
                given.goals, given.reserved
            );
            return Err(Failure::bad_argument(message));
        }
        let mut work = search.work()?;
        let stopped = work.run(&given, &search.cancelled);
        search.cancelled.store(false, Ordering::Relaxed);
        offer(stop, stopped?.into());
        Ok(())
    })
}

/// Makes the call that searches stop soon, with LASCA_TB_CANCELLED. Any thread may call this at any
/// time before lasca_tb_search_free(). If no call is searching, the next one stops at once. The
/// calls after that one are not cancelled.
///
/// \param search The search.
/// \return LASCA_TB_OK, or LASCA_TB_NULL_POINTER.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_cancel(search: *const lasca_tb_search) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        shared(search, "search")?.cancelled.store(true, Ordering::Relaxed);
        Ok(())
    })
}

/// Tells what is proved of the position so far. If another thread is searching with this handle,
/// the call waits. If there is no room for working out distances, at_most is LASCA_TB_NO_DTW.
///
/// \param search The search.
/// \param result Receives what is proved.
/// \return LASCA_TB_OK. Fails as lasca_tb_search_run() does.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_result(
    search: *const lasca_tb_search,
    result: *mut lasca_tb_searched,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let found = shared(search, "search")?.work()?.result()?;
        put(result, "result", found)
    })
}

/// Lists all legal moves with what is proved of them so far, best first: quick wins, slow wins,
/// draws, open moves, slow losses, quick losses. A win or loss whose distance is not known comes
/// after the others of its kind. The list is empty if the game is over.
///
/// If the search has met a position, the proofs about it are known, and otherwise all moves are open.
/// So an engine that has proved a win can keep the search and play it out: the moves that the proof
/// knows as wins get nearer to the end, whatever the other side replies.
///
/// \param search The search.
/// \param position A position that comes up in the game after that of the search; NULL means that of
/// the search itself.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_legal_moves() does; with
/// LASCA_TB_BAD_ARGUMENT or LASCA_TB_BAD_POSITION if the position is none; and as
/// lasca_tb_search_run() does.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_moves(
    search: *const lasca_tb_search,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let mut work = shared(search, "search")?.work()?;
        let position = work.position(position.as_ref())?;
        let found = work.solver.proved_moves(&position)?;
        put_list(found.iter().map(Into::into), (moves, capacity, count))
    })
}

/// Lists the moves of the best line known: to the end of the game if a side wins, and otherwise
/// until a position is repeated, or nothing is known of the next one. The list is empty if the
/// position is open, if the game is over, or if the distance is not known because a table has no
/// DTW file. Nothing is told of the values of the moves: each is LASCA_TB_OPEN.
///
/// \param search The search.
/// \param position A position that comes up in the game after that of the search; NULL means that of
/// the search itself.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \param end Receives how the line ends; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_search_moves() does.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_line(
    search: *const lasca_tb_search,
    position: *const lasca_tb_position,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
    end: *mut lasca_tb_line_end,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let mut work = shared(search, "search")?.work()?;
        let position = work.position(position.as_ref())?;
        let line = work.solver.line_from(&position)?;
        let mut passed = vec![position];
        passed.extend(line.iter().map(|step| step.after));
        let found = line
            .iter()
            .map(|step| lasca_tb_move::new(&step.played, &step.after, lasca_tb_value::OPEN));
        put_list(found, (moves, capacity, count))?;
        offer(end, LineEnd::of(&passed, work.solver.rules()).into());
        Ok(())
    })
}

/// Makes the handle of a search.
fn begin(
    tables: Option<Arc<Tablebase>>,
    position: &Position,
    options: lasca_tb_search_options,
) -> Result<lasca_tb_search, Failure> {
    let rules = read_rules(options.rules)?;
    if let Some(found) = tables.as_ref().map(|tables| tables.rules()).filter(|&r| r != rules) {
        let message = format!("expected tables for {rules} rules, found tables for {found} rules");
        return Err(Failure::bad_argument(message));
    }
    let memory = if options.memory_bytes == 0 { 256 << 20 } else { options.memory_bytes };
    // SAFETY: the tables stay where they are until the last `Arc` of them is dropped. The handle has
    // one, and drops the solver before it.
    let borrowed = tables.as_ref().map(|tables| unsafe { &*Arc::as_ptr(tables) });
    let solver: Solver<'static> = Solver::new(position, rules, borrowed, memory)?;
    Ok(lasca_tb_search {
        work: Mutex::new(Work { solver, dtw: None }),
        cancelled: AtomicBool::new(false),
        tables,
    })
}

impl lasca_tb_search {
    /// What is found out, for the time of one call.
    fn work(&self) -> Result<MutexGuard<'_, Work>, Failure> {
        self.work.lock().map_err(|_| {
            let message = "there was a bug in an earlier call, so nothing is known of this search";
            Failure::new(LASCA_TB_INTERNAL_ERROR, message)
        })
    }
}

impl Work {
    /// Searches for all that the limits ask for, one thing after the other, within their time.
    fn run(
        &mut self,
        given: &lasca_tb_search_limits,
        cancelled: &AtomicBool,
    ) -> Result<Stop, SearchError> {
        let begun = Instant::now();
        let time = Some(given.milliseconds).filter(|&ms| ms > 0).map(Duration::from_millis);
        let threads = match given.threads {
            0 => std::thread::available_parallelism().map_or(1, |processors| processors.get()),
            threads => threads as usize,
        };
        let limits = || Limits {
            time: time.map(|time| time.saturating_sub(begun.elapsed())),
            threads,
            cancelled: Some(cancelled),
        };
        let watch = Progress { limits: given, cancelled };
        let wants = |goal: lasca_tb_goal| given.goals & goal as u32 != 0;

        let mut stop = self.solver.run(&limits(), &watch)?;
        if stop == Stop::Solved && wants(lasca_tb_goal::LASCA_TB_FIND_DTW) && self.dtw.is_none() {
            let (stopped, bounds) = self.solver.exact(&limits(), &watch)?;
            self.dtw = bounds.and_then(|bounds| bounds.exact());
            stop = stopped;
        }
        if stop == Stop::Solved && wants(lasca_tb_goal::LASCA_TB_FIND_MOVES) {
            stop = self.solver.rate_moves(&limits(), &watch)?.0;
        }
        Ok(stop)
    }

    /// What is proved of the position that is searched.
    fn result(&mut self) -> Result<lasca_tb_searched, SearchError> {
        let at_most = match self.solver.at_most() {
            // Who wins is proved all the same.
            Err(SearchError::Memory { .. }) => None,
            at_most => at_most?.and_then(Value::dtw),
        };
        let (wdl, excluded) = (self.solver.wdl(), self.solver.excluded());
        Ok(lasca_tb_searched {
            value: lasca_tb_value::proved(wdl, (self.dtw, self.dtw.or(at_most)), excluded),
            status: self.solver.status().into(),
        })
    }

    /// The position that a call is about: that of the search if the program names none.
    fn position(&self, named: Option<&lasca_tb_position>) -> Result<Position, Failure> {
        named.map_or(Ok(*self.solver.position()), lasca_tb_position::position)
    }
}

/// Calls the function of the program.
struct Progress<'a> {
    limits: &'a lasca_tb_search_limits,
    cancelled: &'a AtomicBool,
}

impl Watch for Progress<'_> {
    fn searching(&self, status: &Status) {
        let Some(progress) = self.limits.progress else { return };
        let status = lasca_tb_search_status::from(*status);
        // SAFETY: the program promises that the function may be called with what it names.
        if unsafe { progress(self.limits.user, &status) } == 0 {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl From<Status> for lasca_tb_search_status {
    fn from(status: Status) -> lasca_tb_search_status {
        let Status { positions, expanded, bytes, .. } = status;
        lasca_tb_search_status { positions, expanded, bytes }
    }
}

impl From<&MoveRating> for lasca_tb_move {
    fn from(rating: &MoveRating) -> lasca_tb_move {
        let at_most = rating.at_most.and_then(Value::dtw);
        let value = lasca_tb_value::proved(rating.wdl, (None, at_most), rating.excluded);
        lasca_tb_move::new(&rating.played, &rating.after, value)
    }
}
