//! Searching positions: the types and the functions of the header.

use crate::board::{plies_or_none, wdl_or_open};
use crate::failure::{Failure, guard};
use crate::functions::{place, read_position, shared, write_line, write_moves};
use crate::lasca_tb_status::{self, *};
use crate::options::take;
use crate::types::read_rules;
use crate::{
    lasca_tb, lasca_tb_board, lasca_tb_board_move, lasca_tb_line_end, lasca_tb_rules,
    lasca_tb_searched_move,
};
use lasca_tablebase::Value;
use lasca_tablebase::probe::{LineEnd, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::search::{Limits, SearchError, Solver, Status, Stop, Watch};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// The search of one position, with all that it has found out. Programs see only pointers to it.
///
/// \ingroup searching
pub struct lasca_tb_search {
    // It borrows from `tables`, and is dropped first.
    work: Mutex<Work>,
    cancelled: AtomicBool,
    tables: Option<Arc<Tablebase>>,
}

struct Work {
    solver: Solver<'static>,
    /// The exact distance, once it is known.
    dtw: Option<u16>,
}

/// How a position is searched; filled by lasca_tb_search_options_init(). 16 bytes: size is at 0, rules at
/// 4, memory_bytes at 8.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_search_options {
    /// The size of this struct in bytes.
    pub size: u32,
    /// The rule set: a lasca_tb_rules. With tables, it must be theirs.
    pub rules: i32,
    /// The most memory that the search may hold, in bytes. A position takes about 64 bytes.
    pub memory_bytes: u64,
}

impl Default for lasca_tb_search_options {
    fn default() -> lasca_tb_search_options {
        lasca_tb_search_options {
            size: size_of::<lasca_tb_search_options>() as u32,
            rules: lasca_tb_rules::LASCA_TB_RULES_LASCA as i32,
            memory_bytes: 256 << 20,
        }
    }
}

/// How far a search is. 24 bytes: positions is at 0, expanded at 8, bytes at 16.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_search_status {
    /// How many positions have been met.
    pub positions: u64,
    /// Of how many of them the moves have been looked at.
    pub expanded: u64,
    /// The memory that the search holds, in bytes.
    pub bytes: u64,
}

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

/// What one call of a search may use; filled by lasca_tb_search_limits_init(). With pointers of 64 bits
/// 32 bytes: size is at 0, threads at 4, milliseconds at 8, progress at 16, user at 24.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_limits {
    /// The size of this struct in bytes.
    pub size: u32,
    /// How many threads search; 0 for one per processor. More than 8 count as 8.
    pub threads: u32,
    /// The longest time from the call on; any negative number for as long as it takes.
    pub milliseconds: i64,
    /// Is told how far the search is, and can stop it; may be NULL.
    pub progress: lasca_tb_progress,
    /// Is handed to progress.
    pub user: *mut c_void,
}

impl Default for lasca_tb_search_limits {
    fn default() -> lasca_tb_search_limits {
        let size = size_of::<lasca_tb_search_limits>() as u32;
        let user = std::ptr::null_mut();
        lasca_tb_search_limits { size, threads: 1, milliseconds: -1, progress: None, user }
    }
}

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

/// What a search has proved of its position so far. 40 bytes: wdl is at 0, dtw at 4, at_most at 8,
/// white_excluded at 12, black_excluded at 13, status at 16.
///
/// \ingroup searching
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct lasca_tb_searched {
    /// Win, draw or loss for the side to move: a lasca_tb_wdl, or LASCA_TB_OPEN.
    pub wdl: i32,
    /// The exact distance in plies, once lasca_tb_search_exact() has found it; otherwise
    /// LASCA_TB_NO_DTW.
    pub dtw: i32,
    /// The plies that the proof of a win or loss needs at most; otherwise LASCA_TB_NO_DTW.
    pub at_most: i32,
    /// 1 if it is proved that White cannot win, otherwise 0.
    pub white_excluded: u8,
    /// 1 if it is proved that Black cannot win, otherwise 0.
    pub black_excluded: u8,
    /// How far the search is.
    pub status: lasca_tb_search_status,
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Failure {
        match error {
            SearchError::Probe(error) => error.into(),
            SearchError::Memory { .. } => Failure::new(LASCA_TB_NO_MEMORY, error),
        }
    }
}

/// Prepares the search of a position, which may have soldiers and up to 22 counters.
/// lasca_tb_search_run() then searches it.
///
/// \param tables Used for positions that they cover; NULL means no tables. They may be freed before
/// the search, which keeps what it needs.
/// \param board The position.
/// \param options NULL means the default options.
/// \param search Receives the handle. It belongs to the caller, who must pass it to
/// lasca_tb_search_free() in the end.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the options are not allowed, or the
/// tables are for other rules; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_BAD_POSITION if the board is
/// not a position; with LASCA_TB_NO_MEMORY if memory_bytes is too little to begin with; and with
/// LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if a table that covers the
/// position cannot be used.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_new(
    tables: *const lasca_tb,
    board: *const lasca_tb_board,
    options: *const lasca_tb_search_options,
    search: *mut *mut lasca_tb_search,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or a board.
        let position = unsafe { shared(board, "board") }?.position()?;
        // SAFETY: as the header asks.
        unsafe { begin(tables, &position, options, search) }
    })
}

/// Does the same as lasca_tb_search_new(), for a position as text, such as "a1Bw c3WwB d6b w".
///
/// \param tables Used for positions that they cover; NULL means no tables. They may be freed before
/// the search, which keeps what it needs.
/// \param text The position as text that ends with NUL.
/// \param options NULL means the default options.
/// \param search Receives the handle. It belongs to the caller, who must pass it to
/// lasca_tb_search_free() in the end.
/// \return LASCA_TB_OK. Fails as lasca_tb_search_new() does, and with LASCA_TB_BAD_UTF8 or
/// LASCA_TB_BAD_TEXT if the text is not a position.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_new_text(
    tables: *const lasca_tb,
    text: *const c_char,
    options: *const lasca_tb_search_options,
    search: *mut *mut lasca_tb_search,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or a text.
        let position = unsafe { read_position(text) }?;
        // SAFETY: as the header asks.
        unsafe { begin(tables, &position, options, search) }
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
    guard(|| {
        if !search.is_null() {
            // SAFETY: the handle came from `begin`, and is not used any more.
            drop(unsafe { Box::from_raw(search) });
        }
        Ok(())
    });
}

/// Searches until it is proved who wins, or that nobody does, or until a limit is reached. It can
/// be called again, and goes on with all that was found out. lasca_tb_search_result() tells what is
/// proved.
///
/// A limit is no failure.
///
/// \param search The search.
/// \param limits What the call may use; NULL means the default limits.
/// \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or
/// LASCA_TB_UNREADABLE if a table cannot be used.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_run(
    search: *mut lasca_tb_search,
    limits: *const lasca_tb_search_limits,
    stop: *mut lasca_tb_stop,
) -> lasca_tb_status {
    guard(|| unsafe {
        // SAFETY: as the header asks.
        run(search, limits, stop, |work, limits, watch| work.solver.run(limits, watch))
    })
}

/// Searches for the exact distance of a position that lasca_tb_search_run() has solved, until it is
/// known or a limit is reached. lasca_tb_search_result() then tells it as dtw. If the position is
/// open or drawn, or no upper bound of the distance is known because a table has no DTW file, there
/// is nothing to search for: the call does nothing, and stop receives LASCA_TB_FINISHED.
///
/// \param search The search.
/// \param limits What the call may use; NULL means the default limits.
/// \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_search_run() does, and with LASCA_TB_NO_MEMORY if there is
/// no room left for the distances.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_exact(
    search: *mut lasca_tb_search,
    limits: *const lasca_tb_search_limits,
    stop: *mut lasca_tb_stop,
) -> lasca_tb_status {
    guard(|| unsafe {
        // SAFETY: as the header asks.
        run(search, limits, stop, |work, limits, watch| {
            let (stop, bounds) = work.solver.exact(limits, watch)?;
            work.dtw = bounds.and_then(|bounds| bounds.exact()).or(work.dtw);
            Ok(stop)
        })
    })
}

/// Searches each move of the position until all of them are solved, or a limit is reached.
/// lasca_tb_search_moves() then tells what they are worth.
///
/// \param search The search.
/// \param limits What the call may use; NULL means the default limits.
/// \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_search_exact() does.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_rate_moves(
    search: *mut lasca_tb_search,
    limits: *const lasca_tb_search_limits,
    stop: *mut lasca_tb_stop,
) -> lasca_tb_status {
    guard(|| unsafe {
        // SAFETY: as the header asks.
        run(search, limits, stop, |work, limits, watch| {
            work.solver.rate_moves(limits, watch).map(|(stop, _)| stop)
        })
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
    guard(|| {
        // SAFETY: NULL or an open handle.
        unsafe { shared(search, "search") }?.cancelled.store(true, Ordering::Relaxed);
        Ok(())
    })
}

/// Tells what is proved of the position so far. If another thread is searching with this handle,
/// the call waits. If there is no room for working out distances, at_most is LASCA_TB_NO_DTW.
///
/// \param search The search.
/// \param result Receives what is proved.
/// \return LASCA_TB_OK. Fails as lasca_tb_search_run() does. result is written only if the call
/// succeeds.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_result(
    search: *const lasca_tb_search,
    result: *mut lasca_tb_searched,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let mut work = unsafe { shared(search, "search") }?.work()?;
        let result = place(result, "result")?;
        let at_most = match work.solver.at_most() {
            // Who wins is proved all the same.
            Err(SearchError::Memory { .. }) => None,
            at_most => at_most?.and_then(Value::dtw),
        };
        let excluded = work.solver.excluded();
        let found = lasca_tb_searched {
            wdl: wdl_or_open(work.solver.wdl()),
            dtw: plies_or_none(work.dtw),
            at_most: plies_or_none(at_most),
            white_excluded: excluded.white.into(),
            black_excluded: excluded.black.into(),
            status: work.solver.status().into(),
        };
        // SAFETY: `result` is a place for the result.
        unsafe { result.write(found) };
        Ok(())
    })
}

/// Lists all legal moves with what is proved of them so far, best first: quick wins, slow wins,
/// draws, open moves, slow losses, quick losses. A win or loss whose distance is not known comes
/// after the others of its kind. The list is empty if the game is over.
///
/// \param search The search.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, with
/// LASCA_TB_NO_MEMORY if there is no room for working out distances, and as lasca_tb_search_run()
/// does.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_moves(
    search: *const lasca_tb_search,
    moves: *mut lasca_tb_searched_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let mut work = unsafe { shared(search, "search") }?.work()?;
        let position = *work.solver.position();
        let found = work.moves(&position)?;
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number.
        unsafe { write_moves(found, moves, capacity, count) }
    })
}

/// Lists all legal moves of another position with what is proved of them, as
/// lasca_tb_search_moves() does. If the search has met the position, the proofs about it are known,
/// and otherwise all moves are open. So an engine that has proved a win can keep the search and
/// play it out: the moves that the proof knows as wins get nearer to the end, whatever the other
/// side replies.
///
/// \param search The search.
/// \param board A position that comes up in the game after that of the search.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT or LASCA_TB_BAD_POSITION if the board is
/// not a position, and otherwise as lasca_tb_search_moves() does.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_moves_at(
    search: *const lasca_tb_search,
    board: *const lasca_tb_board,
    moves: *mut lasca_tb_searched_move,
    capacity: usize,
    count: *mut usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle; NULL or a board.
        let (search, board) = unsafe { (shared(search, "search")?, shared(board, "board")?) };
        let position = board.position()?;
        let found = search.work()?.moves(&position)?;
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number.
        unsafe { write_moves(found, moves, capacity, count) }
    })
}

/// Lists the moves of the best line known: to the end of the game if a side wins, and otherwise
/// until a position is repeated, or nothing is known of the next one. The list is empty if the
/// position is open, if the game is over, or if the distance is not known because a table has no
/// DTW file.
///
/// \param search The search.
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
    moves: *mut lasca_tb_board_move,
    capacity: usize,
    count: *mut usize,
    end: *mut lasca_tb_line_end,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let mut work = unsafe { shared(search, "search") }?.work()?;
        let line = work.solver.line()?;
        let passed: Vec<Position> = std::iter::once(*work.solver.position())
            .chain(line.iter().map(|step| step.after))
            .collect();
        let found =
            line.iter().map(|step| lasca_tb_board_move::new(&step.played, &step.after)).collect();
        let found_end = LineEnd::of(&passed, work.solver.rules());
        // SAFETY: the buffer has room for `capacity` moves, `count` for a number; `end` is NULL or a place
        // for a result.
        unsafe { write_line(found, (moves, capacity, count), (found_end, end)) }
    })
}

/// Finds the best move known of a position that is solved: the first of lasca_tb_search_line(). If
/// that list is empty because the distance is not known, the function finds a move that is proved
/// to keep the win, draw or loss.
///
/// \param search The search.
/// \param best Receives the best move.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NOT_SOLVED if the position is open; with
/// LASCA_TB_GAME_OVER if there is no move; with LASCA_TB_MISSING_DTW if a table tells who wins, but
/// no move is proved to keep that (after lasca_tb_search_rate_moves(), one is); with
/// LASCA_TB_NO_MEMORY if there is no room for working out distances; and as lasca_tb_search_run()
/// does. best is written only if the call succeeds.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_best_move(
    search: *const lasca_tb_search,
    best: *mut lasca_tb_board_move,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or an open handle.
        let search = unsafe { shared(search, "search") }?;
        let best = place(best, "best")?;
        let found = search.work()?.best_move(search.tables.as_deref())?;
        // SAFETY: `best` is a place for a move.
        unsafe { best.write(found) };
        Ok(())
    })
}

/// Makes the handle of a search.
///
/// # Safety
/// `tables` is NULL or an open handle, `options` is NULL or the caller's options, and `search` is NULL
/// or a place for a pointer.
unsafe fn begin(
    tables: *const lasca_tb,
    position: &Position,
    options: *const lasca_tb_search_options,
    search: *mut *mut lasca_tb_search,
) -> Result<(), Failure> {
    let place = place(search, "search")?;
    // SAFETY: as the caller promises.
    let options = unsafe { take(options) }?;
    let rules = read_rules(options.rules)?;
    // SAFETY: as the caller promises.
    let tables = unsafe { tables.as_ref() }.map(|handle| Arc::clone(&handle.tables));
    if let Some(found) = tables.as_ref().map(|tables| tables.rules()).filter(|&r| r != rules) {
        let message = format!("expected tables for {rules} rules, found tables for {found} rules");
        return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
    }
    // SAFETY: the tables stay where they are until the last `Arc` of them is dropped. The handle has
    // one, and drops the solver before it.
    let borrowed = tables.as_ref().map(|tables| unsafe { &*Arc::as_ptr(tables) });
    let solver: Solver<'static> = Solver::new(position, rules, borrowed, options.memory_bytes)?;
    let handle = lasca_tb_search {
        work: Mutex::new(Work { solver, dtw: None }),
        cancelled: AtomicBool::new(false),
        tables,
    };
    // SAFETY: `place` is a place for a pointer.
    unsafe { place.write(Box::into_raw(Box::new(handle))) };
    Ok(())
}

/// One call that searches.
///
/// # Safety
/// `search` is NULL or an open handle, `limits` is NULL or the caller's limits, whose `progress` may be
/// called, and `stop` is NULL or a place for a result.
unsafe fn run(
    search: *const lasca_tb_search,
    limits: *const lasca_tb_search_limits,
    stop: *mut lasca_tb_stop,
    call: impl FnOnce(&mut Work, &Limits<'_>, &dyn Watch) -> Result<Stop, SearchError>,
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    let search = unsafe { shared(search, "search") }?;
    // SAFETY: as the caller promises.
    let given = unsafe { take(limits) }?;
    let mut work = search.work()?;
    let threads = match given.threads {
        0 => std::thread::available_parallelism().map_or(1, |processors| processors.get()),
        threads => threads as usize,
    };
    let limits = Limits {
        time: u64::try_from(given.milliseconds).ok().map(Duration::from_millis),
        threads,
        cancelled: Some(&search.cancelled),
    };
    let watch = Progress { limits: &given, cancelled: &search.cancelled };
    let stopped = call(&mut work, &limits, &watch);
    search.cancelled.store(false, Ordering::Relaxed);
    let stopped = stopped?;
    if !stop.is_null() {
        // SAFETY: as the caller promises.
        unsafe { stop.write(stopped.into()) };
    }
    Ok(())
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
    /// The first move of the best line. If there is no line because a distance is not known, the first
    /// move that keeps the result.
    fn best_move(&mut self, tables: Option<&Tablebase>) -> Result<lasca_tb_board_move, Failure> {
        let position = *self.solver.position();
        if position.successors(self.solver.rules()).is_empty() {
            let message = "expected a position with a legal move, but the game is over";
            return Err(Failure::new(LASCA_TB_GAME_OVER, message));
        }
        let Some(wdl) = self.solver.wdl() else {
            let message = "expected a position that is solved, but it is still open who wins";
            return Err(Failure::new(LASCA_TB_NOT_SOLVED, message));
        };
        if let Some(first) = self.solver.line()?.first() {
            return Ok(lasca_tb_board_move::new(&first.played, &first.after));
        }
        let rated = self.moves(&position)?;
        if let Some(kept) = rated.iter().find(|rated| rated.wdl == wdl_or_open(Some(wdl))) {
            return Ok(kept.played);
        }
        // The tables know who wins. They also know why they cannot tell a move.
        if let Some(Err(error)) = tables.map(|tables| tables.best_line(&position)) {
            return Err(error.into());
        }
        let message = "expected tables with distances, but only win, draw or loss is known";
        Err(Failure::new(LASCA_TB_MISSING_DTW, message))
    }

    /// What is proved of the moves of a position, best first.
    fn moves(&mut self, position: &Position) -> Result<Vec<lasca_tb_searched_move>, Failure> {
        let rated = self.solver.proved_moves(position)?;
        Ok(rated.iter().map(Into::into).collect())
    }
}

// The sizes and offsets that the header states for languages that cannot read it.
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<lasca_tb_search_status>() == 24);
    assert!(offset_of!(lasca_tb_search_status, positions) == 0);
    assert!(offset_of!(lasca_tb_search_status, expanded) == 8);
    assert!(offset_of!(lasca_tb_search_status, bytes) == 16);

    assert!(size_of::<lasca_tb_searched>() == 40);
    assert!(offset_of!(lasca_tb_searched, wdl) == 0);
    assert!(offset_of!(lasca_tb_searched, dtw) == 4);
    assert!(offset_of!(lasca_tb_searched, at_most) == 8);
    assert!(offset_of!(lasca_tb_searched, white_excluded) == 12);
    assert!(offset_of!(lasca_tb_searched, black_excluded) == 13);
    assert!(offset_of!(lasca_tb_searched, status) == 16);

    // Any thread may use a handle.
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<lasca_tb_search>();
};
