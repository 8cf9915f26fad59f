//! Searching positions: the types and the functions of the header.

use crate::failure::{Failure, guard};
use crate::lasca_tb_status::{self, *};
use crate::pointers::{offer, place, put, put_list, shared};
use crate::sized::take;
use crate::tables::read_rules;
use crate::{
    assert_layout, lasca_tb, lasca_tb_line_end, lasca_tb_move, lasca_tb_position, lasca_tb_value,
};
use lasca_tablebase::answer::{Question, SearchLimits};
use lasca_tablebase::probe::{Basis, Line, Tablebase};
use lasca_tablebase::rules::Position;
use lasca_tablebase::search::{Limits, SearchError, Solver, Stop};
use lasca_tablebase::{Progress, SearchStatus};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

pub struct lasca_tb_search {
    solver: Mutex<Solver>,
    cancelled: AtomicBool,
}

// Any thread may use a handle.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<lasca_tb>();
    is_shared::<lasca_tb_search>();
};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_options {
    pub size: u32,
    pub rules: i32,
    pub memory_bytes: u64,
}

assert_layout!(grows from 16, lasca_tb_search_options: 16, aligned to 8;
    size at 0, rules at 4, memory_bytes at 8);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_status {
    pub positions: u64,
    pub expanded: u64,
    pub bytes: u64,
}

assert_layout!(lasca_tb_search_status: 24, aligned to 8; positions at 0, expanded at 8, bytes at 16);

pub type lasca_tb_progress =
    Option<unsafe extern "C" fn(user: *mut c_void, status: *const lasca_tb_search_status) -> i32>;

#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_goal {
    LASCA_TB_FIND_DTW = 1,
    LASCA_TB_FIND_MOVES = 2,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_search_limits {
    pub size: u32,
    pub threads: u32,
    pub milliseconds: u64,
    pub goals: u32,
    pub reserved: u32,
    pub progress: lasca_tb_progress,
    pub user: *mut c_void,
}

const POINTER: usize = size_of::<usize>();
assert_layout!(grows from 24 + 2 * POINTER, lasca_tb_search_limits: 24 + 2 * POINTER, aligned to 8;
    size at 0, threads at 4, milliseconds at 8, goals at 16, reserved at 20, progress at 24,
    user at 24 + POINTER);

#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lasca_tb_stop {
    LASCA_TB_FINISHED = 0,
    LASCA_TB_TIME_OVER = 1,
    LASCA_TB_MEMORY_FULL = 2,
    LASCA_TB_CANCELLED = 3,
    LASCA_TB_TOO_MANY_MOVES = 4,
    LASCA_TB_DISTANCES_MISSING = 5,
}

impl From<Stop> for lasca_tb_stop {
    fn from(stop: Stop) -> lasca_tb_stop {
        match stop {
            Stop::Solved => lasca_tb_stop::LASCA_TB_FINISHED,
            Stop::Time => lasca_tb_stop::LASCA_TB_TIME_OVER,
            Stop::Memory => lasca_tb_stop::LASCA_TB_MEMORY_FULL,
            Stop::Cancelled => lasca_tb_stop::LASCA_TB_CANCELLED,
            Stop::TooManyMoves => lasca_tb_stop::LASCA_TB_TOO_MANY_MOVES,
            Stop::NoDistances => lasca_tb_stop::LASCA_TB_DISTANCES_MISSING,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lasca_tb_searched {
    pub value: lasca_tb_value,
    pub status: lasca_tb_search_status,
}

assert_layout!(lasca_tb_searched: 40, aligned to 8; value at 0, status at 16);

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
        let options = take(options)?;
        let basis = basis_of(tables, options.rules)?;
        let solver = Solver::new(&position, basis, memory_of(&options))?;
        let handle =
            lasca_tb_search { solver: Mutex::new(solver), cancelled: AtomicBool::new(false) };
        put(search, "search", Box::into_raw(Box::new(handle)))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_free(search: *mut lasca_tb_search) {
    // SAFETY: the handle is NULL or came from `lasca_tb_search_new`, and is not used any more.
    guard(|| unsafe {
        drop((!search.is_null()).then(|| Box::from_raw(search)));
        Ok(())
    });
}

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
        check_goals(&given)?;
        let mut solver = search.solver()?;
        let stopped = run(&mut solver, &given, &search.cancelled);
        search.cancelled.store(false, Ordering::Relaxed);
        offer(stop, stopped?.into());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_cancel(search: *const lasca_tb_search) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        shared(search, "search")?.cancelled.store(true, Ordering::Relaxed);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_result(
    search: *const lasca_tb_search,
    result: *mut lasca_tb_searched,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let mut solver = shared(search, "search")?.solver()?;
        put(result, "result", proved(&mut solver)?)
    })
}

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
        let mut solver = shared(search, "search")?.solver()?;
        let position = asked(&solver, position.as_ref())?;
        let found = solver.proved_moves(&position)?;
        put_list(found.into_iter().map(lasca_tb_move::from), moves, capacity, count)
    })
}

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
        let mut solver = shared(search, "search")?.solver()?;
        let position = asked(&solver, position.as_ref())?;
        let line = solver.line_from(&position)?;
        let mut passed = vec![position];
        passed.extend(line.iter().map(|step| step.after));
        let found = line.iter().map(|step| lasca_tb_move::open(&step.played, &step.after));
        put_list(found, moves, capacity, count)?;
        offer(end, Line::end_of(&passed).into());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_best_move(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    options: *const lasca_tb_search_options,
    limits: *const lasca_tb_search_limits,
    best: *mut lasca_tb_move,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        place(best, "best")?;
        let position = shared(position, "position")?.position()?;
        let tables = tables.as_ref().map(|handle| &handle.tables);
        let (options, given) = (take(options)?, take(limits)?);
        check_goals(&given)?;
        let basis = basis_of(tables, options.rules)?;
        let limits = Limits { time: time_of(&given), threads: threads_of(&given) };
        let search = SearchLimits { limits, memory: memory_of(&options) };
        let cancelled = AtomicBool::new(false);
        let follower = Follower::new(&given, &cancelled);
        let answer = Question::for_play(basis, &position, Some(search), &follower)?;
        let Some(found) = answer.best_move() else {
            return Err(Failure::new(
                LASCA_TB_GAME_OVER,
                "expected a legal move, but the game is over",
            ));
        };
        put(best, "best", found.clone().into())
    })
}

/// The tables, if there are any, for these rules, or the rules alone.
fn basis_of(tables: Option<&Tablebase>, rules: i32) -> Result<Basis, Failure> {
    let rules = read_rules(rules)?;
    if let Some(found) = tables.map(Tablebase::rules).filter(|&found| found != rules) {
        let message = format!("expected tables for {rules} rules, found tables for {found} rules");
        return Err(Failure::bad_argument(message));
    }
    Ok(tables.map_or(rules.into(), Basis::from))
}

fn memory_of(options: &lasca_tb_search_options) -> u64 {
    if options.memory_bytes == 0 { 256 << 20 } else { options.memory_bytes }
}

fn time_of(given: &lasca_tb_search_limits) -> Option<Duration> {
    (given.milliseconds > 0).then(|| Duration::from_millis(given.milliseconds))
}

fn threads_of(given: &lasca_tb_search_limits) -> usize {
    match given.threads {
        0 => std::thread::available_parallelism().map_or(1, |processors| processors.get()),
        threads => threads as usize,
    }
}

fn check_goals(given: &lasca_tb_search_limits) -> Result<(), Failure> {
    let all = lasca_tb_goal::LASCA_TB_FIND_DTW as u32 | lasca_tb_goal::LASCA_TB_FIND_MOVES as u32;
    if given.goals & !all == 0 && given.reserved == 0 {
        return Ok(());
    }
    let message = format!(
        "expected a sum of lasca_tb_goal as goals and 0 as reserved, found {} and {}",
        given.goals, given.reserved
    );
    Err(Failure::bad_argument(message))
}

impl lasca_tb_search {
    /// What is found out, for the time of one call.
    fn solver(&self) -> Result<MutexGuard<'_, Solver>, Failure> {
        self.solver.lock().map_err(|_| {
            let message = "there was a bug in an earlier call, so nothing is known of this search";
            Failure::new(LASCA_TB_INTERNAL_ERROR, message)
        })
    }
}

/// Searches for all that the limits ask for, one thing after the other, within their time.
fn run(
    solver: &mut Solver,
    given: &lasca_tb_search_limits,
    cancelled: &AtomicBool,
) -> Result<Stop, SearchError> {
    let begun = Instant::now();
    let (time, threads) = (time_of(given), threads_of(given));
    let left = |end: Option<Duration>| end.map(|end| end.saturating_sub(begun.elapsed()));
    let follower = Follower::new(given, cancelled);
    let wants = |goal: lasca_tb_goal| given.goals & goal as u32 != 0;
    let (distance, moves) =
        (wants(lasca_tb_goal::LASCA_TB_FIND_DTW), wants(lasca_tb_goal::LASCA_TB_FIND_MOVES));
    let exact = |solver: &mut Solver, end| {
        match solver.exact(&Limits { time: left(end), threads }, &follower) {
            // Who wins is proved all the same.
            Err(SearchError::Memory { .. }) => Ok(Stop::Memory),
            stop => stop,
        }
    };

    let mut stop = solver.run(&Limits { time: left(time), threads }, &follower)?;
    if distance && stop == Stop::Solved {
        // The moves need time too; what they leave goes to the distance.
        let half = time.map(|time| time - left(Some(time)).unwrap_or(time) / 2);
        stop = exact(solver, if moves { half } else { time })?;
    }
    if moves && stop != Stop::Cancelled {
        let of_moves = solver.rate_moves(&Limits { time: left(time), threads }, &follower)?;
        if distance && stop == Stop::Time && of_moves == Stop::Solved {
            stop = exact(solver, time)?;
        }
        stop = if stop == Stop::Solved { of_moves } else { stop };
    }
    Ok(stop)
}

/// What is proved of the position that is searched.
fn proved(solver: &mut Solver) -> Result<lasca_tb_searched, SearchError> {
    let value = match solver.value() {
        // Who wins is proved all the same.
        Err(SearchError::Memory { .. }) => solver.result(),
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
struct Follower<'a> {
    progress: lasca_tb_progress,
    /// It is only passed on. Atomic, because several threads ask whether to stop.
    user: AtomicPtr<c_void>,
    cancelled: &'a AtomicBool,
}

impl<'a> Follower<'a> {
    fn new(given: &lasca_tb_search_limits, cancelled: &'a AtomicBool) -> Follower<'a> {
        Follower { progress: given.progress, user: AtomicPtr::new(given.user), cancelled }
    }
}

impl Progress for Follower<'_> {
    fn searching(&self, status: &SearchStatus) {
        let Some(progress) = self.progress else { return };
        let status = lasca_tb_search_status::from(*status);
        // SAFETY: the program promises that the function may be called with what it names.
        if unsafe { progress(self.user.load(Ordering::Relaxed), &status) } == 0 {
            self.cancelled.store(true, Ordering::Relaxed);
        }
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
