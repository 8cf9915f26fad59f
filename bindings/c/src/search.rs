//! Searching positions: the types and the functions of the header.

use crate::failure::{Failure, guard};
use crate::lasca_tb_status::{self, *};
use crate::make::make;
use crate::pointers::{has_room, list, offer, or_default, place, put, put_list, shared};
use crate::{assert_layout, lasca_tb, lasca_tb_move, lasca_tb_position, lasca_tb_value};
use lasca_analysis::answer::{Answer, Question, SearchLimits, plan_for, search_and_make};
use lasca_analysis::search::Stop;
use lasca_tablebase::generate::MakeLimits;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, SearchStatus};
use std::ffi::c_void;
use std::num::NonZero;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread;
use std::time::Duration;

// Any thread may use a handle.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<lasca_tb>();
};

/// A function of the program that long work calls again and again, in the thread that called the library: every
/// few milliseconds at first, and after some seconds several times a second. It is not called during a pass over
/// all positions of a search, which can take a second for each few million positions. user is what the limits name.
/// positions is how many positions a search has met, and bytes the memory that it holds; while a table is made,
/// positions is how many of its positions are done, and bytes is 0. The function returns 0 to stop the work, and
/// any other number to go on. It must return: an exception or a longjmp out of it is not allowed. A program
/// that stops a search from another thread sets a flag, which this function reads.
pub type lasca_tb_progress =
    Option<unsafe extern "C" fn(user: *mut c_void, positions: u64, bytes: u64) -> i32>;

/// What a search is to find out, and what it and making a table may use. With pointers of 64 bits 48 bytes:
/// milliseconds is at 0, make_milliseconds at 8, memory_bytes at 16, threads at 24, find_dtw at 28, find_moves at 29,
/// find_line at 30, reserved at 31, progress at 32, user at 40.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct lasca_tb_limits {
    /// The longest time of a search from the call on; 0 for as long as it takes.
    pub milliseconds: u64,
    /// The longest time, by plan, for making a table; 0 for ten seconds in lasca_tb_make(). A search makes the
    /// table that lasca_tb_plan() plans, and with 0 none.
    pub make_milliseconds: u64,
    /// The most memory that a search may hold, or that the plan of a table may tell, in bytes; 0 for 256 MiB in a
    /// search, and for 1 GiB in lasca_tb_make(). A position takes a search about 64 bytes.
    pub memory_bytes: u64,
    /// How many threads work at most; 0 for one per processor. In a search, more than 255 count as 255. Fewer
    /// threads take less memory for making a table.
    pub threads: u32,
    /// Whether a search finds the exact distance of a win or loss: 0 if not, as in the next two.
    pub find_dtw: u8,
    /// Whether it finds what each legal move is worth. If the time is limited, its last quarter is kept for what the
    /// moves look worth that stay open.
    pub find_moves: u8,
    /// Whether it finds the best line.
    pub find_line: u8,
    /// Not used.
    pub reserved: u8,
    /// Is told how far the work is, and can stop it; may be NULL.
    pub progress: lasca_tb_progress,
    /// Is handed to progress.
    pub user: Option<NonNull<c_void>>,
}

const POINTER: usize = size_of::<usize>();
assert_layout!(lasca_tb_limits: 32 + 2 * POINTER, aligned to 8;
    milliseconds at 0, make_milliseconds at 8, memory_bytes at 16, threads at 24,
    find_dtw at 28, find_moves at 29, find_line at 30, reserved at 31,
    progress at 32, user at 32 + POINTER);

impl lasca_tb_limits {
    fn of_search(&self) -> SearchLimits {
        let default = SearchLimits::default();
        SearchLimits {
            time: (self.milliseconds > 0).then(|| Duration::from_millis(self.milliseconds)),
            threads: self.threads().get(),
            memory: if self.memory_bytes == 0 { default.memory } else { self.memory_bytes },
            ..default
        }
    }

    pub(crate) fn threads(&self) -> NonZero<usize> {
        let processors = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        NonZero::new(self.threads as usize).unwrap_or_else(processors)
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
    /// progress has stopped it.
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

/// What a search has proved of its position. 32 bytes: value is at 0, positions at 16, stop at 24, reserved at 28.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_searched {
    /// What is proved, for the side to move.
    pub value: lasca_tb_value,
    /// How many positions the search has met.
    pub positions: u64,
    /// Why the search has stopped.
    pub stop: lasca_tb_stop,
    /// 0.
    pub reserved: u32,
}

assert_layout!(lasca_tb_searched: 32, aligned to 8;
    value at 0, positions at 16, stop at 24, reserved at 28);

/// Searches a position, which may have soldiers, until it is proved who wins, or that nobody does, and until all is
/// found that the limits name. It stops when a limit is reached, which is no failure, and tells what
/// is proved so far. The exact distance of a draw is not searched.
///
/// Moves are listed best first: quick wins, slow wins, draws, open moves, slow losses, quick losses. A win or
/// loss whose distance is not known comes after the others of its kind. Of open moves, those with the best
/// estimates come first. The list is empty if the game is over, or if there is no memory for it.
///
/// The line goes to the end of the game if a side wins, and otherwise until a position is repeated, or
/// nothing is known of the next one. It is empty if the position is open, if the game is over, or if the
/// distance is not known because a table has no DTW file, or for want of memory or time.
///
/// If make_milliseconds of the limits allows it, a table is made as in lasca_tb_best_move().
///
/// \param tables Tell the rules, and are used for positions that they cover. There need be none in the handle.
/// \param position The position.
/// \param limits What is to be found out, and what the search may use; NULL means the default limits: who
/// wins, as long as it takes.
/// \param result Receives what is proved.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0. This, capacity
/// and count do not matter without find_moves.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \param line A buffer of the caller for line_capacity moves; it may be NULL if line_capacity is 0. This,
/// line_capacity and line_count do not matter without find_line.
/// \param line_capacity How many moves the buffer has room for. Of a longer line, only the first moves are
/// written.
/// \param line_count Receives the number of moves of the line, also if not all are written.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL and LASCA_TB_TOO_MANY_MOVES as
/// lasca_tb_legal_moves() does, before anything is searched; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_NOT_A_POSITION
/// if the position is none; with LASCA_TB_NO_MEMORY if memory_bytes is too little to begin with; and with
/// LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if a table that covers the position cannot be used.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "C has no lists")]
pub unsafe extern "C" fn lasca_tb_solve(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    limits: *const lasca_tb_limits,
    result: *mut lasca_tb_searched,
    moves: *mut lasca_tb_move,
    capacity: usize,
    count: *mut usize,
    line: *mut lasca_tb_move,
    line_capacity: usize,
    line_count: *mut usize,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        place(result, "result")?;
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let (position, limits) = (position.position()?, or_default(limits));
        let [exact, finds_moves, finds_line] =
            [limits.find_dtw, limits.find_moves, limits.find_line].map(|finds| finds != 0);
        if finds_moves {
            has_room(position.moves(tables.rules())?.len(), moves, capacity, count)?;
        }
        if finds_line {
            has_room(0, line, line_capacity, line_count)?;
        }
        let answer = search(tables, &position, &limits, |allowed, follower| {
            let (moves, line) = (finds_moves, finds_line);
            let question = Question { exact, moves, line, ..Question::new(tables) };
            question.by_search(&position, allowed, follower)
        })?;
        if finds_moves {
            put_list(rated_moves(&answer), moves, capacity, count)?;
        }
        if let Some(found) = &answer.line {
            let first = found.moves.iter().take(line_capacity).cloned().map(Into::into);
            put_list(first, line, line_capacity, line_count)?;
            offer(line_count, found.moves.len());
        }
        let effort = answer.effort.as_ref();
        let searched = lasca_tb_searched {
            value: lasca_tb_value::known(answer.value, position.side_to_move()),
            positions: effort.map_or(0, |effort| effort.positions),
            stop: effort.map_or(Stop::Solved, |effort| effort.stop).into(),
            reserved: 0,
        };
        put(result, "result", searched)
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
/// \param tables As for lasca_tb_solve().
/// \param position The position.
/// \param before The positions that came before in the game, in any order; it may be NULL if before_count is 0. Where
/// nothing better is known, the move does not lead back to them.
/// \param before_count How many they are.
/// \param limits What a search may use; what it is to find does not matter. NULL means the default limits: until
/// all moves are proved, or the memory is full. If progress asks to stop, the move is the best so far.
/// \param best Receives the move, with what is proved of its value.
/// \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no legal move, and as lasca_tb_solve() does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_move(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    before: *const lasca_tb_position,
    before_count: usize,
    limits: *const lasca_tb_limits,
    best: *mut lasca_tb_move,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        place(best, "best")?;
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let (position, limits) = (position.position()?, or_default(limits));
        let before = list(before, before_count, "before")?.iter().map(lasca_tb_position::position);
        let before = before.collect::<Result<Vec<Position>, Failure>>()?;
        let answer = search(tables, &position, &limits, |allowed, follower| {
            Question::for_play(tables, &position, Some(allowed), follower)
        })?;
        let answer = answer.in_game(before);
        let best_move = answer.best_move();
        let number = answer.moves.iter().flatten().position(|rated| Some(rated) == best_move);
        let Some(found) = number.and_then(|number| rated_moves(&answer).nth(number)) else {
            return Err(Failure::new(
                LASCA_TB_GAME_OVER,
                "expected a legal move, but the game is over",
            ));
        };
        put(best, "best", found)
    })
}

/// The moves of an answer, with what open ones look worth.
fn rated_moves(answer: &Answer) -> impl ExactSizeIterator<Item = lasca_tb_move> {
    let moves = answer.moves.as_deref().unwrap_or_default().iter().enumerate();
    moves.map(|(number, rated)| {
        lasca_tb_move::from(rated.clone()).estimated(answer.estimate_of(number))
    })
}

/// Searches, and makes the table that the search needs, if the limits allow it.
fn search(
    tables: &Tablebase,
    position: &Position,
    limits: &lasca_tb_limits,
    find: impl Fn(SearchLimits, &Follower) -> Result<Answer, ProbeError>,
) -> Result<Answer, Failure> {
    let (allowed, follower) = (limits.of_search(), Follower::new(limits));
    let make_limits = MakeLimits {
        time: Duration::from_millis(limits.make_milliseconds),
        memory: allowed.memory,
        threads: limits.threads(),
        ..MakeLimits::default()
    };
    let plan = plan_for(tables, position, &make_limits, Some(allowed));
    let answer = search_and_make(
        position,
        plan,
        allowed,
        |allowed| find(allowed, &follower),
        |plan| {
            // If this fails, the question is answered without the table.
            let _ = make(tables, plan, &follower);
        },
    );
    Ok(answer?)
}

/// Calls the function of the program.
pub(crate) struct Follower {
    progress: lasca_tb_progress,
    /// It is only passed on. Atomic, because several threads ask whether to stop.
    user: AtomicPtr<c_void>,
    cancelled: AtomicBool,
}

impl Follower {
    pub(crate) fn new(limits: &lasca_tb_limits) -> Follower {
        let user = AtomicPtr::new(limits.user.map_or(ptr::null_mut(), NonNull::as_ptr));
        Follower { progress: limits.progress, user, cancelled: AtomicBool::new(false) }
    }

    /// Tells the program how far the work is. It may ask to stop. This is called in the thread of its call.
    pub(crate) fn ask(&self, positions: u64, bytes: u64) {
        let Some(progress) = self.progress else { return };
        // SAFETY: the program promises that the function may be called with what it names.
        if unsafe { progress(self.user.load(Ordering::Relaxed), positions, bytes) } == 0 {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress for Follower {
    fn searching(&self, status: &SearchStatus) {
        self.ask(status.positions, status.bytes);
    }

    fn should_stop(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
