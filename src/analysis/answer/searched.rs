//! Answers that are searched.

use super::{Answer, Effort, Proof, Question, Replies, SearchLimits};
use crate::clock::Instant;
use crate::search::{Clock, Limits, SearchError, Solver, Stop, StopsLater, sort_moves};
use lasca_tablebase::probe::{Line, RatedMove, Standing};
use lasca_tablebase::rules::Position;
use lasca_tablebase::{Progress, Reason, Value, ValueRange, Wdl};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::time::Duration;

/// What a search is finding out, in this order.
///
/// | stage | when it ends at the latest, if there is a limit of time | when it is skipped |
/// | --- | --- | --- |
/// | position | at three quarters of the time if moves are asked for, otherwise at the end | never |
/// | distance | halfway to the end if moves are asked for, otherwise at the end | it is not asked for, or known |
/// | moves | at three quarters of the time if the position is open, otherwise at the end | they are not asked for |
/// | distance once more | at the end | it is not asked for, or known |
/// | estimates | after another third of the time taken so far, or at the end | no move is open |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Who wins.
    Position,
    /// The exact distance.
    Distance,
    /// What each move is worth.
    Moves,
    /// What the moves look worth whose results are open.
    Estimates,
}

impl Question {
    /// Searches the position. The tables help, unless the exact distance is asked for and they have no
    /// distances, which they would hide; then they only tell the results of the position and its moves.
    ///
    /// What the limits do not allow to find is left open. [`Effort::stop`] tells why.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn by_search(
        &self,
        position: &Position,
        search: SearchLimits,
        progress: &dyn Progress,
    ) -> Result<Answer, SearchError> {
        let mut searching = self.search(position, search)?;
        while !searching.go_on(None, progress)? {}
        searching.answer(progress)
    }

    /// A search of the position that has not begun, for those who search in parts. Otherwise it is as
    /// [`Question::by_search`].
    ///
    /// ```
    /// use lasca_analysis::answer::{Question, SearchLimits};
    /// use lasca_tablebase::rules::RuleSet;
    /// use lasca_analysis::search::{Limits, Stop};
    /// use lasca_tablebase::{Silent, Value};
    /// use std::time::Duration;
    /// let question = Question { exact: true, ..Question::new(RuleSet::Lasca) };
    /// let limits = SearchLimits { limits: Limits::default(), memory: 1 << 24 };
    /// let mut search = question.search(&"c5w e5W d2b w".parse()?, limits)?;
    /// while !search.go_on(Some(Duration::from_millis(1)), &Silent)? {
    ///     // Here a program can do something else.
    /// }
    /// let answer = search.answer(&Silent)?;
    /// assert_eq!(answer.value.exact(), Some(Value::Win(5)));
    /// assert_eq!(answer.effort.unwrap().stop, Stop::Solved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn search(&self, position: &Position, limits: SearchLimits) -> Result<Search, SearchError> {
        let basis = match self.exact {
            true => self.basis.clone().with_distances(position)?,
            false => self.basis.clone(),
        };
        let question = Question { moves: self.moves || self.proofs, ..self.clone() };
        let proving = if question.moves { without_estimates } else { |time| time };
        Ok(Search {
            solver: Solver::new(position, basis, limits.memory)?,
            limits: limits.limits,
            stage: Stage::Position,
            is_over: false,
            stage_ends: limits.limits.time.map(proving),
            taken: Duration::ZERO,
            part_begun: None,
            part_ends: None,
            least_part: Duration::ZERO,
            stop: Stop::Time,
            of_moves: if question.moves { Stop::Time } else { Stop::Solved },
            question,
            has_looked_at_moves: false,
            moves: None,
            look: FIRST_LOOK,
            next_look: Duration::ZERO,
        })
    }
}

/// A search that can be done in parts: see [`Question::search`].
pub struct Search {
    question: Question,
    solver: Solver,
    limits: Limits,
    /// What is found out next, or was found out last if the search is over.
    stage: Stage,
    is_over: bool,
    /// When the stage has to end, in the time of the search, which does not go on between its parts; `None` if
    /// it has no limit.
    stage_ends: Option<Duration>,
    /// The time that the parts before took.
    taken: Duration,
    /// When this part began; `None` between two parts.
    part_begun: Option<Instant>,
    /// When the part ends, in the time of the search; `None` if it goes on to the end.
    part_ends: Option<Duration>,
    /// How long the next part takes at least.
    least_part: Duration,
    /// Why the search for who wins and for the distance ended, and why that for the moves did.
    stop: Stop,
    of_moves: Stop,
    has_looked_at_moves: bool,
    /// The moves as they were listed last.
    moves: Option<Vec<RatedMove>>,
    /// How long the moves are looked at before they are told again, and when that is, in the time of the search.
    look: Duration,
    next_look: Duration,
}

/// How long the moves are looked at before their worth so far is told for the first time.
const FIRST_LOOK: Duration = Duration::from_millis(500);

/// The time that is left for proofs if open moves are to be estimated.
fn without_estimates(time: Duration) -> Duration {
    time - time / 4
}

impl Search {
    /// Searches for so long, or to the end of the stage. The time between two calls does not count for the
    /// limit of time. Returns whether the search is over. If it is not, a call with more time finds out more.
    ///
    /// A part can end earlier or later than it should, as some work is done as a whole or not at all. After a part
    /// that was too short for such work, the next one takes longer than it should.
    ///
    /// # Errors
    /// If a table is damaged, or the memory is too little to begin with.
    pub fn go_on(
        &mut self,
        time: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<bool, SearchError> {
        let (taken, stage, met) = (self.taken, self.stage, self.positions());
        let part = time.map(|time| time.max(self.least_part));
        self.part_ends = part.and_then(|part| taken.checked_add(part));
        let is_over = self.in_a_part(|search| {
            if search.is_over || !search.take(progress)? {
                return Ok(search.is_over);
            }
            if search.stage == Stage::Moves && search.of_moves != Stop::Cancelled {
                // The stages after this one may leave no room for it.
                let progress = StopsLater::new(progress);
                let clock = search.telling(&progress);
                search.list_moves(&FxHashMap::default(), &clock, &mut None)?;
            }
            match search.next_stage() {
                Some(next) => search.stage = next,
                None => search.is_over = true,
            }
            Ok(search.is_over)
        });
        // Estimates meet no positions, and go on however short a part is.
        let met_none = (self.stage, self.positions()) == (stage, met) && stage != Stage::Estimates;
        self.least_part = if met_none { 2 * (self.taken - taken) } else { Duration::ZERO };
        is_over
    }

    /// What is found so far. Distances and lines take a pass over all positions that were met. If there is a
    /// limit of time, the pass gets a quarter of the time that the search has taken, but at least a second; once
    /// [`Progress::should_stop`] says so, it gets a second more. Without it, it is told who wins.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn answer(&mut self, progress: &dyn Progress) -> Result<Answer, SearchError> {
        self.in_a_part(|search| {
            let progress = StopsLater::new(progress);
            search.answer_within(&search.telling(&progress))
        })
    }

    /// What is found so far, if it is time to tell it while the search looks at the moves: at once, then after half a
    /// second, and then after twice as long each time. Making the answer takes as long as [`Search::answer`].
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn found_so_far(&mut self, progress: &dyn Progress) -> Result<Option<Answer>, SearchError> {
        if self.stage() != Stage::Moves || self.time() < self.next_look {
            return Ok(None);
        }
        let answer = self.answer(progress)?;
        self.next_look = self.time() + self.look;
        self.look *= 2;
        Ok(Some(answer))
    }

    fn answer_within(&mut self, clock: &Clock<'_>) -> Result<Answer, SearchError> {
        let mut left_out = None;
        let mut answer = self.so_far(clock, &mut left_out)?;
        if self.question.proofs {
            self.add_proofs(&mut answer, clock, &mut left_out)?;
        }
        if self.lacks_distances(&answer) {
            left_out.get_or_insert(clock.why_over());
        }
        answer.effort = Some(self.effort(left_out));
        Ok(answer)
    }

    /// Whether a line or moves with a winner are told without distances, as the pass for them has not ended.
    fn lacks_distances(&self, answer: &Answer) -> bool {
        let of_line = self.question.line.then_some(answer.value);
        let of_moves = answer.moves.iter().flatten().map(|rated| rated.value);
        let is_decided = |value: ValueRange| matches!(value.wdl(), Some(Wdl::Win | Wdl::Loss));
        !self.solver.has_distances() && of_line.into_iter().chain(of_moves).any(is_decided)
    }

    /// The limits of what is told now.
    fn telling<'b>(&self, progress: &'b StopsLater<'_>) -> Clock<'b> {
        Clock::after(self.time(), &self.limits, progress)
    }

    /// What is found out next, or was found out last if the search is over.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Does work that counts for the time of the search.
    fn in_a_part<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.part_begun = Some(Instant::now());
        let done = work(self);
        self.taken = self.time();
        self.part_begun = None;
        done
    }

    /// Searches until the stage, or the part, is over. Returns whether the stage is.
    fn take(&mut self, progress: &dyn Progress) -> Result<bool, SearchError> {
        let ends = [self.stage_ends, self.part_ends].into_iter().flatten().min();
        let within = |ends: Option<Duration>| Limits {
            time: ends.map(|ends| self.left_of(ends)),
            ..self.limits
        };
        let (limits, of_stage) = (within(ends), within(self.stage_ends));
        let stop = match self.stage {
            Stage::Position => {
                self.stop = self.solver.run(&limits, progress)?;
                self.stop
            }
            Stage::Distance => {
                // If there is no room for this, the bound that is proved stays.
                self.stop = self.solver.exact(&limits, progress)?;
                self.stop
            }
            Stage::Moves => {
                self.of_moves = self.solver.rate_moves_in_part(&of_stage, limits.time, progress)?;
                self.has_looked_at_moves = true;
                self.of_moves
            }
            Stage::Estimates => {
                let stop = self.solver.estimate_moves_in_part(&of_stage, limits.time, progress)?;
                if stop == Stop::Cancelled {
                    self.of_moves = stop;
                }
                stop
            }
        };
        // A stage may end early, as time is kept for what follows it.
        let part_is_over = self.part_ends.is_some_and(|part| {
            part <= self.time() && self.stage_ends.is_none_or(|stage| part < stage)
        });
        Ok(stop != Stop::Time || !part_is_over)
    }

    /// What is to be found out after this stage.
    fn next_stage(&mut self) -> Option<Stage> {
        let distance = self.seeks_distance();
        let moves_are_next = self.question.moves && !self.has_looked_at_moves;
        let has_open = || self.moves.as_ref().is_none_or(|moves| moves.iter().any(is_unclear));
        let next = match self.stage {
            Stage::Position if distance => Some(Stage::Distance),
            Stage::Position | Stage::Distance if moves_are_next => Some(Stage::Moves),
            Stage::Moves if distance && self.of_moves != Stop::Cancelled => Some(Stage::Distance),
            Stage::Moves | Stage::Distance if self.question.moves && has_open() => {
                Some(Stage::Estimates)
            }
            _ => None,
        };
        let is_open = self.solver.wdl().is_none();
        let half = |limit: Duration| limit - self.left_of(limit) / 2;
        self.stage_ends = self.limits.time.map(|limit| match next {
            // The moves need time too; what they leave goes to the distance.
            Some(Stage::Distance) if moves_are_next => half(limit),
            Some(Stage::Moves) if is_open => without_estimates(limit),
            // A quarter of all, also if the proofs have ended early.
            Some(Stage::Estimates) => limit.min(self.time() + self.time() / 3),
            _ => limit,
        });
        next
    }

    /// Whether an exact distance is asked for, there is one, and it is not known yet.
    fn seeks_distance(&self) -> bool {
        let is_decided = matches!(self.solver.wdl(), Some(Wdl::Win | Wdl::Loss));
        self.question.exact && is_decided && self.solver.result().exact().is_none()
    }

    /// What the search has taken so far, and if a part of the answer is left out, why.
    fn effort(&self, left_out: Option<Stop>) -> Effort {
        let result = self.solver.result();
        // Looking at the moves may have found what there was no time or room for.
        let is_found = match self.question.exact {
            true => result.exact().is_some(),
            false => result.wdl().is_some(),
        };
        let stop = match (self.stop, self.of_moves) {
            (Stop::Cancelled, _) | (_, Stop::Cancelled) => Stop::Cancelled,
            (of_value, _) if of_value != Stop::Solved && !is_found => of_value,
            (_, Stop::Solved) => left_out.unwrap_or(Stop::Solved),
            (_, of_moves) => of_moves,
        };
        Effort { positions: self.positions(), time: self.time(), stop }
    }

    /// How many positions the search has met.
    pub fn positions(&self) -> u64 {
        self.solver.status().positions
    }

    /// The time that the search has taken.
    pub fn time(&self) -> Duration {
        self.taken + self.part_begun.map_or(Duration::ZERO, |begun| begun.elapsed())
    }

    /// The time that is left to this end.
    fn left_of(&self, end: Duration) -> Duration {
        end.saturating_sub(self.time())
    }

    /// Lists the moves with what is proved of them. `estimates` are those of the positions that they lead to.
    fn list_moves(
        &mut self,
        estimates: &FxHashMap<Position, i8>,
        clock: &Clock<'_>,
        left_out: &mut Option<Stop>,
    ) -> Result<(), SearchError> {
        let position = *self.solver.position();
        let found = self.solver.proved_moves_within(&position, clock);
        let Some(mut moves) = or_full(found, left_out)? else { return Ok(()) };
        for rated in &mut moves {
            rated.value = rated.value.and(self.of_tables(&rated.after)?.before_move());
        }
        sort_moves(&mut moves);
        // Those that are unclear in the same way stand together.
        let kind = |rated: &RatedMove| (is_unclear(rated), rated.value.wdl());
        for run in moves.chunk_by_mut(|a, b| kind(a) == kind(b)) {
            if is_unclear(&run[0]) {
                run.sort_by_key(|rated| Reverse(estimates.get(&rated.after)));
            }
        }
        self.moves = Some(moves);
        Ok(())
    }

    /// Who wins, if tables tell that, which do not help the search where they have no distances.
    fn of_tables(&self, position: &Position) -> Result<ValueRange, SearchError> {
        let tables = self.question.basis.tables().filter(|_| self.question.exact);
        let wdl = tables.map(|tables| tables.try_wdl(position)).transpose()?.flatten();
        Ok(wdl.map_or(ValueRange::UNKNOWN, ValueRange::from))
    }

    /// What is found so far, without the proofs of the moves.
    fn so_far(
        &mut self,
        clock: &Clock<'_>,
        left_out: &mut Option<Stop>,
    ) -> Result<Answer, SearchError> {
        let position = *self.solver.position();
        let Question { exact, moves, line, .. } = self.question;
        // If memory fails here, or a table does not tell its distances, it is still proved who wins.
        let value = match self.solver.value_within(clock) {
            Err(SearchError::Probe(_)) if !(exact || moves || line) => None,
            value => or_full(value, left_out)?,
        };
        let value = value.unwrap_or(self.solver.result()).and(self.of_tables(&position)?);
        let estimates = self.solver.estimates().collect();
        if self.has_looked_at_moves {
            self.list_moves(&estimates, clock, left_out)?;
        }
        let line = match (self.question.line, self.solver.wdl()) {
            (true, Some(_)) => or_full(self.solver.line_from_within(&position, clock), left_out)?,
            (true, None) => Some(Vec::new()),
            (false, _) => None,
        };
        let line = line.map(|moves| self.line(&position, moves, value)).unwrap_or_default();
        let moves = self.moves.clone().map(|moves| within(moves, value));
        let estimate = |rated: &RatedMove| match rated.value.wdl() {
            Some(_) => None,
            None => estimates.get(&rated.after).copied(),
        };
        let mut answer = Answer {
            position,
            value,
            estimates: moves.iter().flatten().map(estimate).collect(),
            moves,
            proofs: None,
            line: self.question.line.then_some(line),
            effort: None,
            replies: Vec::new(),
        };
        answer.count_replies(|after| {
            // There may be very many replies to each of very many moves.
            if clock.is_over() {
                return Ok(None);
            }
            let counted = or_full(self.solver.replies_that_may_hold(after), left_out)?;
            Ok::<_, SearchError>(counted.map(|(may_hold, all)| Replies { may_hold, all }))
        })?;
        Ok(answer)
    }

    fn line(&self, start: &Position, moves: Vec<RatedMove>, value: ValueRange) -> Line {
        let is_exact = |value: ValueRange| value.exact().is_some();
        let is_best = is_exact(value) && moves.iter().all(|rated| is_exact(rated.value));
        Line::new(start, moves, is_best)
    }

    /// Adds what proves the value of each move.
    fn add_proofs(
        &mut self,
        answer: &mut Answer,
        clock: &Clock<'_>,
        left_out: &mut Option<Stop>,
    ) -> Result<(), SearchError> {
        let Some(moves) = answer.moves.as_deref() else { return Ok(()) };
        let values: Vec<ValueRange> = moves.iter().map(|rated| rated.value).collect();
        let mut proofs = Vec::new();
        for (i, RatedMove { after, value, .. }) in moves.iter().enumerate() {
            // There may be very many moves, which are compared with each other.
            if clock.is_over() {
                left_out.get_or_insert(clock.why_over());
                return Ok(());
            }
            let legal = after.moves(self.question.basis.rules()).map_err(SearchError::from);
            let Some(legal) = or_full(legal, left_out)? else { return Ok(()) };
            let wdl = value.wdl();
            let line = match wdl {
                Some(_) => or_full(self.solver.line_from_within(after, clock), left_out)?,
                None => None,
            };
            let replies = match wdl {
                Some(Wdl::Draw) => {
                    or_full(self.solver.proved_moves_within(after, clock), left_out)?
                }
                _ => None,
            };
            let replies = replies.map(|replies| within(replies, Value::Draw.into()));
            let open = |reply: &&RatedMove| reply.value.wdl().is_none();
            let open_replies = replies.iter().flatten().filter(open).count();
            let holding = replies.map(|mut replies| {
                replies.retain(|reply| reply.value == Value::Draw);
                replies
            });
            let as_good = values.iter().filter(|value| wdl.is_some() && value.wdl() == wdl).count();
            proofs.push(Proof {
                // Of moves with the same result, it may be open which wins soonest or loses latest.
                standing: Standing::of(&values, i).or_else(|| {
                    (wdl == answer.value.wdl() && as_good > 1).then_some(Standing::Keeps)
                }),
                line: self.line(after, line.unwrap_or_default(), *value),
                replies: legal.len(),
                holding,
                open_replies,
            });
        }
        answer.proofs = Some(proofs);
        Ok(())
    }
}

/// Whether it is not known how a move reaches its result: the result is open, or it wins in an unknown number of
/// plies.
fn is_unclear(rated: &RatedMove) -> bool {
    rated.value.wdl().is_none_or(|wdl| wdl == Wdl::Win && rated.value.at_most().is_none())
}

/// The moves of a position with this value, which says more about them.
fn within(mut moves: Vec<RatedMove>, of_position: ValueRange) -> Vec<RatedMove> {
    let mut best: Vec<Value> = moves.iter().map(|rated| rated.value.best()).collect();
    best.sort_unstable_by(|a, b| b.cmp(a));
    for rated in &mut moves {
        let of_others = best.get(usize::from(rated.value.best() == best[0]));
        // No move is better than its position, and if all others are worse, this one is as good.
        let is_best = of_others < Some(&of_position.worst());
        let worst = if is_best { of_position.worst() } else { Value::Loss(0) };
        let possible = ValueRange::new(worst, of_position.best()).unwrap_or(of_position);
        rated.value = rated.value.and(possible);
    }
    moves
}

/// A part of the answer, which is left out if there is no room for it or there are too many moves.
fn or_full<T>(
    result: Result<T, SearchError>,
    left_out: &mut Option<Stop>,
) -> Result<Option<T>, SearchError> {
    match result {
        Err(SearchError::Memory { .. }) => {
            left_out.get_or_insert(Stop::Memory);
            Ok(None)
        }
        Err(error) if error.reason() == Reason::TooManyMoves => {
            left_out.get_or_insert(Stop::TooManyMoves);
            Ok(None)
        }
        result => result.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::Silent;
    use lasca_tablebase::rules::RuleSet;

    /// A search of a position that has found all, and limits of what it tells that leave no time.
    fn finished(question: Question, position: &str) -> (Search, Clock<'static>) {
        let limits = SearchLimits { limits: Limits::default(), memory: 1 << 26 };
        let mut search = question.search(&position.parse().unwrap(), limits).unwrap();
        while !search.go_on(None, &Silent).unwrap() {}
        let no_time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        (search, Clock::new(&no_time, &Silent))
    }

    #[test]
    fn what_there_is_no_time_to_tell_is_left_out_for_want_of_time() {
        let plain = || Question::new(RuleSet::Lasca);
        for (asked, without_time) in [
            // It was only asked who wins.
            (plain(), Stop::Solved),
            (Question { exact: true, ..plain() }, Stop::Solved),
            (Question { line: true, ..plain() }, Stop::Time),
            (Question { line: true, exact: true, ..plain() }, Stop::Time),
            (Question { moves: true, proofs: true, ..plain() }, Stop::Time),
        ] {
            let (mut search, over) = finished(asked.clone(), "c5w e5W d2b w");
            let answer = search.answer_within(&over).unwrap();
            assert_eq!(answer.effort.unwrap().stop, without_time, "{asked:?}");
            assert_eq!(answer.value.wdl(), Some(Wdl::Win), "{asked:?}");
            assert!(
                answer.proofs.is_none() && answer.line.is_none_or(|line| line.moves.is_empty())
            );
            let answer = search.answer(&Silent).unwrap();
            assert_eq!(answer.effort.unwrap().stop, Stop::Solved, "{asked:?}");
            assert_eq!(answer.proofs.is_some(), asked.proofs);
        }
    }

    #[test]
    fn moves_are_searched_in_parts_that_are_shorter_than_a_pass() {
        let question = Question { moves: true, ..Question::new(RuleSet::Lasca) };
        let limits = SearchLimits { limits: Limits::default(), memory: 1 << 26 };
        let mut search = question.search(&"c5w e5W d2b w".parse().unwrap(), limits).unwrap();
        while search.stage() != Stage::Moves {
            search.go_on(None, &Silent).unwrap();
        }
        let met = search.positions();
        search.solver.seem_slow();
        search.go_on(Some(Duration::from_secs(1)), &Silent).unwrap();
        assert!(search.positions() > met);
    }

    #[test]
    fn a_part_that_finds_nothing_is_followed_by_a_longer_one() {
        let limits = SearchLimits { limits: Limits::default(), memory: 1 << 26 };
        let question = Question::new(RuleSet::Lasca);
        let mut search = question.search(&Position::start(), limits).unwrap();
        let (met, mut parts) = (search.positions(), 0);
        while search.positions() == met {
            search.go_on(Some(Duration::ZERO), &Silent).unwrap();
            parts += 1;
        }
        assert!(parts > 1);
    }

    #[test]
    fn replies_to_moves_that_draw_are_counted_only_as_long_as_there_is_time() {
        let moves = Question { moves: true, ..Question::new(RuleSet::Lasca) };
        let (mut search, over) = finished(moves, "d2W a5B c5B e5W b");
        let answer = search.answer_within(&over).unwrap();
        assert_eq!((answer.value.wdl(), &answer.replies), (Some(Wdl::Draw), &Vec::new()));
        assert_eq!(answer.best_move(), Some(&answer.moves.as_ref().unwrap()[0]));
        let answer = search.answer(&Silent).unwrap();
        assert_eq!(answer.replies.len(), answer.moves.unwrap().len());
    }
}
