//! Searching positions: the types and the functions of the header.

use crate::failure::{Failure, guard};
use crate::lasca_tb_status::{self, *};
use crate::make::make;
use crate::pointers::{list, offer, or_default, place, put, put_list, put_text, shared};
use crate::tables::read_rules;
use crate::{
    assert_layout, lasca_tb, lasca_tb_line_end, lasca_tb_move, lasca_tb_position, lasca_tb_value,
};
use lasca_analysis::answer::{Question, SearchLimits, plan_for, search_and_make};
use lasca_analysis::certify::{Certificate, DEFAULT_MAX_POSITIONS};
use lasca_analysis::search::{Budget, Solver, Stop};
use lasca_tablebase::generate::MakeLimits;
use lasca_tablebase::probe::{Line, ProbeError, RatedMove, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, SearchStatus, Silent};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::num::NonZero;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// The search of one position, with all that it has found out. Programs see only pointers to it.
pub struct lasca_tb_search {
    searched: Mutex<Searched>,
    cancelled: AtomicBool,
}

/// What is found out.
struct Searched {
    solver: Solver,
    /// How long it may take to tell it, and on how many threads.
    time: Option<Duration>,
    threads: usize,
}

// Any thread may use a handle.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<lasca_tb>();
    is_shared::<lasca_tb_search>();
};

/// How a position is searched. 16 bytes: memory_bytes is at 0, rules at 8, reserved at 12.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct lasca_tb_search_options {
    /// The most memory that the search may hold, in bytes; 0 for 256 MiB. A position takes about 64
    /// bytes.
    pub memory_bytes: u64,
    /// The rule set: a lasca_tb_rules. With tables, it must be theirs.
    pub rules: i32,
    /// Not used.
    pub reserved: u32,
}

assert_layout!(lasca_tb_search_options: 16, aligned to 8; memory_bytes at 0, rules at 8, reserved at 12);

/// How far a search is. 24 bytes: positions is at 0, expanded at 8, bytes at 16.
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
/// what the limits name; status lives during the call. While a table is made, positions of status is how many
/// of its positions are done, and the rest is 0. The function returns 0 to stop the work, and
/// any other number to go on. It must return: an exception or a longjmp out of it is not allowed. The
/// only function of this library that it may call with the same search is lasca_tb_search_cancel().
pub type lasca_tb_progress =
    Option<unsafe extern "C" fn(user: *mut c_void, status: *const lasca_tb_search_status) -> i32>;

/// What a search is to find out besides who wins. The numbers are added.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_goal {
    /// The exact distance of a win or loss.
    LASCA_TB_FIND_DTW = 1,
    /// What each legal move is worth.
    LASCA_TB_FIND_MOVES = 2,
    /// What the moves look worth that stay open. If the time is limited, the last quarter is kept for this.
    LASCA_TB_ESTIMATE_MOVES = 4,
}

/// What one call of lasca_tb_search_run() is to find out and may use. With pointers of 64 bits 40 bytes:
/// milliseconds is at 0, make_milliseconds at 8, threads at 16, goals at 20, progress at 24, user at 32.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_limits {
    /// The longest time from the call on; 0 for as long as it takes.
    pub milliseconds: u64,
    /// The longest time, by plan, for making a table that lasca_tb_best_move() needs; 0 to make none. Must be 0
    /// for lasca_tb_search_run().
    pub make_milliseconds: u64,
    /// How many threads search; 0 for one per processor. More than 255 count as 255.
    pub threads: u32,
    /// What is to be found out besides who wins: a sum of lasca_tb_goal, or 0.
    pub goals: u32,
    /// Is told how far the search is, and can stop it; may be NULL.
    pub progress: lasca_tb_progress,
    /// Is handed to progress.
    pub user: *mut c_void,
}

const POINTER: usize = size_of::<usize>();
assert_layout!(lasca_tb_search_limits: 24 + 2 * POINTER, aligned to 8;
    milliseconds at 0, make_milliseconds at 8, threads at 16, goals at 20, progress at 24,
    user at 24 + POINTER);

impl Default for lasca_tb_search_limits {
    fn default() -> lasca_tb_search_limits {
        lasca_tb_search_limits {
            milliseconds: 0,
            make_milliseconds: 0,
            threads: 0,
            goals: 0,
            progress: None,
            user: ptr::null_mut(),
        }
    }
}

/// Why a search has stopped.
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
    /// A position has more than LASCA_TB_MOST_MOVES moves.
    LASCA_TB_MOVES_TOO_MANY = 4,
    /// It is known who wins, but the exact distance rests on tables without DTW files.
    LASCA_TB_DISTANCES_MISSING = 5,
}

impl From<Stop> for lasca_tb_stop {
    fn from(stop: Stop) -> lasca_tb_stop {
        match stop {
            Stop::Solved => lasca_tb_stop::LASCA_TB_FINISHED,
            Stop::Time => lasca_tb_stop::LASCA_TB_TIME_OVER,
            Stop::Memory => lasca_tb_stop::LASCA_TB_MEMORY_FULL,
            Stop::Cancelled => lasca_tb_stop::LASCA_TB_CANCELLED,
            Stop::TooManyMoves => lasca_tb_stop::LASCA_TB_MOVES_TOO_MANY,
            Stop::NoDistances => lasca_tb_stop::LASCA_TB_DISTANCES_MISSING,
        }
    }
}

/// What a search has proved of its position so far. 40 bytes: value is at 0, status at 16.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_searched {
    /// What is proved, for the side to move.
    pub value: lasca_tb_value,
    /// How far the search is.
    pub status: lasca_tb_search_status,
}

assert_layout!(lasca_tb_searched: 40, aligned to 8; value at 0, status at 16);

/// Prepares the search of a position, which may have soldiers.
/// lasca_tb_search_run() then searches it.
///
/// \param tables Used for positions that they cover; NULL means no tables. They may be freed before
/// the search, which keeps what it needs.
/// \param position The position.
/// \param options NULL means the default options.
/// \param search Receives the handle. It belongs to the caller, who must pass it to
/// lasca_tb_search_free() in the end.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the options are not allowed, or the
/// tables are for other rules; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_NOT_A_POSITION if the position
/// is none; with LASCA_TB_NO_MEMORY if memory_bytes is too little to begin with; and with
/// LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if a table that covers the
/// position cannot be used.
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
        let tables = tables.as_ref().map(|handle| &handle.tables);
        let options = or_default(options);
        let solver =
            Solver::new(&position, for_rules(tables, options.rules)?, memory_of(&options))?;
        let searched = Mutex::new(Searched { solver, time: None, threads: 1 });
        let handle = lasca_tb_search { searched, cancelled: AtomicBool::new(false) };
        put(search, "search", Box::into_raw(Box::new(handle)))
    })
}

/// Ends a search and frees its memory. No other thread may use it any more. If search is NULL,
/// nothing happens.
///
/// \param search The search, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_free(search: *mut lasca_tb_search) {
    // SAFETY: the handle is NULL or came from `lasca_tb_search_new`, and is not used any more.
    guard(|| unsafe {
        drop((!search.is_null()).then(|| Box::from_raw(search)));
        Ok(())
    });
}

/// Searches until it is proved who wins, or that nobody does, and until the goals of the limits are
/// reached: first the exact distance, then each move, and then estimates. It stops when a limit is
/// reached, which is no failure. It can be called again, and goes on with all that was found out.
/// lasca_tb_search_result(), lasca_tb_search_moves() and lasca_tb_search_line() tell what is proved.
///
/// The exact distance of a draw is not searched, nor that of a position for which no upper bound is
/// known because a table has no DTW file.
///
/// \param search The search.
/// \param limits What the call is to find out and may use; NULL means the default limits: who wins,
/// as long as it takes.
/// \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the limits are not allowed; with
/// LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if a table cannot be used; and
/// with LASCA_TB_NO_MEMORY if there is no room left for the distances.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_run(
    search: *mut lasca_tb_search,
    limits: *const lasca_tb_search_limits,
    stop: *mut lasca_tb_stop,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        let search = shared(search, "search")?;
        let given = or_default(limits);
        let (time, threads) = given.read()?;
        if given.make_milliseconds != 0 {
            let message = "expected 0 as make_milliseconds, found another value: lasca_tb_make() makes \
                           tables, before lasca_tb_search_new()";
            return Err(Failure::bad_argument(message));
        }
        let mut searched = search.searched()?;
        let follower = Follower::new(given.progress, given.user, &search.cancelled);
        let budget = Budget::new(time, threads, &follower);
        let stopped = run(&mut searched.solver, &given, &budget);
        (searched.time, searched.threads) = (budget.afterwards().left(), threads);
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
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_result(
    search: *const lasca_tb_search,
    result: *mut lasca_tb_searched,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let mut searched = shared(search, "search")?.searched()?;
        put(result, "result", proved(&mut searched)?)
    })
}

/// Lists all legal moves with what is proved of them so far, best first: quick wins, slow wins,
/// draws, open moves, slow losses, quick losses. A win or loss whose distance is not known comes
/// after the others of its kind. Of open moves, those with the best estimates come first. The list is
/// empty if the game is over.
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
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL and LASCA_TB_TOO_MANY_MOVES as
/// lasca_tb_legal_moves() does; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_NOT_A_POSITION if the position is none; and as
/// lasca_tb_search_run() does.
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
        let mut searched = shared(search, "search")?.searched()?;
        let (budget, solver) = searched.with_budget();
        let position = asked(solver, position.as_ref())?;
        let estimates: HashMap<Position, i8> = solver.estimates().collect();
        let mut found = solver.proved_moves(&position, &budget)?;
        for run in found.chunk_by_mut(|a, b| a.value.wdl() == b.value.wdl()) {
            if run[0].value.wdl().is_none() {
                run.sort_by_key(|rated| Reverse(estimates.get(&rated.after)));
            }
        }
        let estimated = |rated: RatedMove| {
            let estimate = estimates.get(&rated.after).copied();
            lasca_tb_move::from(rated).estimated(estimate)
        };
        put_list(found.into_iter().map(estimated), moves, capacity, count)
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
        let mut searched = shared(search, "search")?.searched()?;
        let (budget, solver) = searched.with_budget();
        let position = asked(solver, position.as_ref())?;
        let line = solver.line_from(&position, &budget)?;
        let mut passed = vec![position];
        passed.extend(line.iter().map(|step| step.after));
        let found = line.iter().map(|step| lasca_tb_move::open(&step.played, &step.after));
        put_list(found, moves, capacity, count)?;
        offer(end, Line::end_of(&passed).into());
        Ok(())
    })
}

/// Writes what is proved as a certificate: a text that anybody can check with the rules alone, by
/// tools/check_certificate.py. docs/CERTIFICATE.md describes it. It stands alone: what the search knows from tables
/// is proved in it too. For the fewest plies, search for LASCA_TB_FIND_DTW first.
///
/// To learn the size, call with size 0. While the certificate is made, it takes some hundred bytes for each
/// of its positions. If the system refuses them, Rust aborts the program.
///
/// \param search The search.
/// \param max_positions The most positions of the certificate; 0 for 1,000,000.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NOT_PROVED if it is open who wins; with LASCA_TB_TOO_LARGE if
/// more positions are needed; with LASCA_TB_NO_DISTANCES if a table that is needed has no DTW file; with
/// LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_position_to_text() does; and as lasca_tb_search_run() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_certificate(
    search: *const lasca_tb_search,
    max_positions: usize,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let mut searched = shared(search, "search")?.searched()?;
        let most = if max_positions == 0 { DEFAULT_MAX_POSITIONS } else { max_positions };
        let mut text = Vec::new();
        Certificate::of_search(&mut searched.solver, most)?
            .write_text(&mut text)
            .map_err(Failure::of(LASCA_TB_INTERNAL_ERROR))?;
        put_text(text, buffer, size, needed)
    })
}

/// Finds the move to play in a position: by the tables if they cover it, and otherwise, or if they tell a
/// win without distances, by a search within the limits. A move that is proved to win is played first.
/// Where nothing is proved, a move that looks best is played; for this, a search has a quarter of its time.
/// In a lost position it is the longest defence that is known, and in a drawn one the move after which the
/// other side has the smallest share of right replies, where that is known.
///
/// If make_milliseconds of the limits allows it, the table that lasca_tb_plan() plans is made first, with as
/// much memory as the search may use. A position that has soldiers is searched. If the search has taken as long as
/// making the table would, and that is at most a quarter of its time, it makes the table and begins anew. If the table
/// cannot be made, the move is found without it.
///
/// \param tables Used for positions that they cover; NULL means no tables, and none are made.
/// \param position The position.
/// \param before The positions that came before in the game, in any order; it may be NULL if before_count is 0. Where
/// nothing better is known, the move does not lead back to them.
/// \param before_count How many they are.
/// \param options NULL means the default options.
/// \param limits What a search may use; its goals do not matter. NULL means the default limits: until
/// all moves are proved, or the memory is full. The status is as in lasca_tb_search_run(). If
/// progress asks to stop, the move is the best so far.
/// \param best Receives the move, with what is proved of its value.
/// \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no legal move; and as
/// lasca_tb_search_new() and lasca_tb_search_run() do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_move(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    before: *const lasca_tb_position,
    before_count: usize,
    options: *const lasca_tb_search_options,
    limits: *const lasca_tb_search_limits,
    best: *mut lasca_tb_move,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        place(best, "best")?;
        let position = shared(position, "position")?.position()?;
        let before = list(before, before_count, "before")?.iter().map(lasca_tb_position::position);
        let before = before.collect::<Result<Vec<Position>, Failure>>()?;
        let tables = tables.as_ref().map(|handle| &handle.tables);
        let (options, given) = (or_default(options), or_default(limits));
        let (time, threads) = given.read()?;
        let search =
            SearchLimits { time, threads, memory: memory_of(&options), ..SearchLimits::default() };
        let known = for_rules(tables, options.rules)?;
        let cancelled = AtomicBool::new(false);
        let follower = Follower::new(given.progress, given.user, &cancelled);
        let make_limits = MakeLimits {
            time: Duration::from_millis(given.make_milliseconds),
            memory: search.memory,
            threads: NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN),
            ..MakeLimits::default()
        };
        let plan = tables.and_then(|of| plan_for(of, &position, &make_limits, Some(search)));
        let ask = |search| Question::for_play(&known, &position, Some(search), &follower);
        let answer = search_and_make(&position, plan, search, ask, |plan| {
            // If this fails, the question is answered without the table.
            let _ = tables.map(|tables| make(tables, plan, &follower));
        })?;
        let answer = answer.in_game(before);
        let Some(found) = answer.best_move() else {
            return Err(Failure::new(
                LASCA_TB_GAME_OVER,
                "expected a legal move, but the game is over",
            ));
        };
        let number = answer.moves.iter().flatten().position(|rated| rated == found);
        let estimate = number.and_then(|number| answer.estimate_of(number));
        put(best, "best", lasca_tb_move::from(found.clone()).estimated(estimate))
    })
}

/// The tables, which must be for these rules, or none.
fn for_rules(tables: Option<&Tablebase>, rules: i32) -> Result<Tablebase, Failure> {
    let rules = read_rules(rules)?;
    if let Some(found) = tables.map(Tablebase::rules).filter(|&found| found != rules) {
        let message = format!("expected tables for {rules} rules, found tables for {found} rules");
        return Err(Failure::bad_argument(message));
    }
    Ok(tables.map_or(rules.into(), Tablebase::from))
}

fn memory_of(options: &lasca_tb_search_options) -> u64 {
    if options.memory_bytes == 0 { SearchLimits::DEFAULT.memory } else { options.memory_bytes }
}

impl lasca_tb_search_limits {
    /// The limit of time and the number of threads, if all is allowed.
    fn read(&self) -> Result<(Option<Duration>, usize), Failure> {
        use lasca_tb_goal::*;
        let all =
            LASCA_TB_FIND_DTW as u32 | LASCA_TB_FIND_MOVES as u32 | LASCA_TB_ESTIMATE_MOVES as u32;
        if self.goals & !all != 0 {
            let message = format!("expected a sum of lasca_tb_goal as goals, found {}", self.goals);
            return Err(Failure::bad_argument(message));
        }
        let time = (self.milliseconds > 0).then(|| Duration::from_millis(self.milliseconds));
        let processors = || thread::available_parallelism().map_or(1, NonZero::get);
        let threads = if self.threads == 0 { processors() } else { self.threads as usize };
        Ok((time, threads))
    }

    fn asks_for(&self, goal: lasca_tb_goal) -> bool {
        self.goals & goal as u32 != 0
    }
}

impl lasca_tb_search {
    /// What is found out, for the time of one call.
    fn searched(&self) -> Result<MutexGuard<'_, Searched>, Failure> {
        self.searched.lock().map_err(|_| {
            let message = "there was a bug in an earlier call, so nothing is known of this search";
            Failure::new(LASCA_TB_INTERNAL_ERROR, message)
        })
    }
}

impl Searched {
    /// The solver, with what it may take to tell what it has found.
    fn with_budget(&mut self) -> (Budget<'static>, &mut Solver) {
        (Budget::new(self.time, self.threads, &Silent), &mut self.solver)
    }
}

/// Searches for all that the limits ask for, one thing after the other, within the budget.
fn run(
    solver: &mut Solver,
    given: &lasca_tb_search_limits,
    budget: &Budget<'_>,
) -> Result<Stop, ProbeError> {
    use lasca_tb_goal::*;
    let (distance, moves) =
        (given.asks_for(LASCA_TB_FIND_DTW), given.asks_for(LASCA_TB_FIND_MOVES));
    let estimates = given.asks_for(LASCA_TB_ESTIMATE_MOVES);
    let proving = if estimates { budget.share(3, 4) } else { *budget };

    let mut stop = solver.run(&proving)?;
    if distance && stop == Stop::Solved {
        // Who wins is proved, even if there is no memory for the distance. The moves need time too; what they leave
        // goes to the distance.
        stop = solver.exact(&if moves { proving.share(1, 2) } else { proving })?;
    }
    if moves && stop != Stop::Cancelled {
        let of_moves = solver.rate_moves(&proving)?;
        if distance && stop == Stop::Time && of_moves == Stop::Solved {
            stop = solver.exact(&proving)?;
        }
        stop = if stop == Stop::Solved { of_moves } else { stop };
    }
    let all_moves_are_known = moves && stop == Stop::Solved;
    if estimates && stop != Stop::Cancelled && !all_moves_are_known {
        let of_estimates = solver.estimate_moves(budget)?;
        stop = if of_estimates == Stop::Cancelled { of_estimates } else { stop };
    }
    Ok(stop)
}

/// What is proved of the position that is searched.
fn proved(searched: &mut Searched) -> Result<lasca_tb_searched, ProbeError> {
    let (budget, solver) = searched.with_budget();
    let value = match solver.value(&budget) {
        // Who wins is proved all the same.
        Err(ProbeError::SearchMemory { .. }) => solver.result(),
        value => value?,
    };
    let value = lasca_tb_value::known(value, solver.position().side_to_move());
    Ok(lasca_tb_searched { value, status: solver.status().into() })
}

/// The position that a call is about: that of the search if the program names none.
fn asked(solver: &Solver, named: Option<&lasca_tb_position>) -> Result<Position, Failure> {
    named.map_or(Ok(*solver.position()), lasca_tb_position::position)
}

/// Calls the function of the program.
pub(crate) struct Follower<'a> {
    progress: lasca_tb_progress,
    /// It is only passed on. Atomic, because several threads ask whether to stop.
    user: AtomicPtr<c_void>,
    cancelled: &'a AtomicBool,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(
        progress: lasca_tb_progress,
        user: *mut c_void,
        cancelled: &'a AtomicBool,
    ) -> Follower<'a> {
        Follower { progress, user: AtomicPtr::new(user), cancelled }
    }

    /// Tells the program how far the work is. It may ask to stop. This is called in the thread of its call.
    pub(crate) fn ask(&self, status: &lasca_tb_search_status) {
        let Some(progress) = self.progress else { return };
        // SAFETY: the program promises that the function may be called with what it names.
        if unsafe { progress(self.user.load(Ordering::Relaxed), status) } == 0 {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress for Follower<'_> {
    fn searching(&self, status: &SearchStatus) {
        self.ask(&(*status).into());
    }

    fn should_stop(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl From<SearchStatus> for lasca_tb_search_status {
    fn from(status: SearchStatus) -> lasca_tb_search_status {
        let SearchStatus { positions, expanded, bytes, .. } = status;
        lasca_tb_search_status { positions, expanded, bytes }
    }
}
