//! Starting states where values of slices below lie on other ranks.
//!
//! A rank looks at the captures of some of its partitions. It looks up the values that it holds
//! itself, and notes which others it needs. All ranks exchange their questions in bulk, and then the
//! answers, in the same order. Meanwhile each rank looks at its next partitions. What is noted is kept
//! until the answers are there, so no capture is looked at twice.

use super::captures::CaptureResults;
use super::error::SolveError;
use super::score::MoveScore;
use super::slice_work::SliceWork;
use super::start::{StartWorkspace, list_jumps};
use crate::ranks::{Failure, Ranks, Wishes, exchange_wishes};
use crate::reserve::{push, reserve, reserve_exact};
use crate::values::{Distance, SliceShare, Window};
use rayon::prelude::*;
use std::collections::TryReserveError;
use std::sync::Mutex;

/// The bytes of a question: the stored side to move and the number of columns (1), and the number of a
/// position among those of the rank that is asked (5).
const QUESTION: usize = 6;
/// The bytes of an answer: a [`Distance`].
const ANSWER: usize = 2;
/// A question names its side to move by this bit, and its number of columns by those below.
const SIDE_BIT: u32 = 5;

/// About how many bytes are noted for each position that is looked at.
const NOTED: usize = 32;

/// A partition whose captures have been looked at, and for which values are still missing.
struct Looked {
    /// Its place among the own partitions.
    partition: usize,
    /// What is known of each position.
    results: Vec<CaptureResults>,
    /// For each question, in the order of asking: the place of the position that captures, and the
    /// rank that is asked.
    asked: Vec<(u32, u32)>,
    /// For each rank, the questions that it is asked.
    questions: Vec<Vec<u8>>,
}

/// How far the starting states are.
pub struct Starting {
    /// The first own partition that has not been looked at.
    next: usize,
    /// What has been looked at, and waits for answers.
    looked: Result<Vec<Looked>, SolveError>,
}

impl SliceWork<'_> {
    /// Begins to write the starting state of all orbits that this rank owns and of which it is not known
    /// yet. `below[i]` holds, for the `i`-th stored side to move, the shares of the slices of 2, 3, …
    /// columns.
    pub fn begin_start(&mut self, below: &[Vec<SliceShare>], ranks: &dyn Ranks) -> Starting {
        let mut next = 0;
        let looked = self.look_at_some(&mut next, below, ranks);
        Starting { next, looked }
    }

    /// Goes on with that, together with all ranks. `wishes` says what this rank wants, and the result
    /// what all ranks want together; they are done when none has more. The state is then what is on
    /// disk if the work goes on later.
    ///
    /// # Errors
    /// If a position has too many moves on some rank, a rank has not enough memory, or the ranks cannot
    /// exchange data.
    pub fn go_on_with_start(
        &mut self,
        starting: &mut Starting,
        below: &[Vec<SliceShare>],
        ranks: &dyn Ranks,
        wishes: Wishes,
    ) -> Result<Wishes, SolveError> {
        let Starting { next, looked } = starting;
        let asking = std::mem::replace(looked, Ok(Vec::new())).map_err(Failure::Own);
        let has_more = asking.as_ref().is_ok_and(|asking| !asking.is_empty());
        let questions = asking.and_then(|asking| match gather(&asking, ranks.count()) {
            Ok(questions) => Ok((asking, questions)),
            Err(refused) => Err(Failure::Own(refused.into())),
        });
        let mut look = || {
            *looked = self.look_at_some(next, below, ranks);
            false
        };
        let wishes = Wishes { has_more, ..wishes };
        let (asking, received, all) = exchange_wishes(ranks, wishes, questions, &mut look)?;
        if all.has_more {
            let answers = received.par_iter().map(|questions| answer(questions, below));
            let answers = answers.collect::<Result<Vec<Vec<u8>>, TryReserveError>>();
            let mine = answers.map(|answers| ((), answers));
            let mine = mine.map_err(|refused| Failure::Own(refused.into()));
            let exchanged = exchange_wishes(ranks, Wishes::default(), mine, &mut || false);
            let ((), answers, _) = exchanged?;
            if let Err(error) = self.end_start_of(asking, &answers) {
                // The others learn of it with the next questions.
                *looked = Err(error);
            }
        }
        Ok(all)
    }

    /// Looks at the captures of the own partitions from `next` on whose starting state is not known
    /// yet, as many as there is room to note.
    fn look_at_some(
        &mut self,
        next: &mut usize,
        below: &[Vec<SliceShare>],
        ranks: &dyn Ranks,
    ) -> Result<Vec<Looked>, SolveError> {
        let (first, own_rank) = (*next, ranks.rank());
        let room = self.resources.waiting_bytes / NOTED;
        let mut positions = 0;
        while *next < self.agendas.len() && (positions == 0 || positions < room) {
            if !self.agendas[*next].is_started() {
                positions += self.partitions.positions();
            }
            *next += 1;
        }
        let chosen = first..*next;
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let (sides, partitions) = (std::mem::take(&mut self.sides), self.partitions);
        let all_looked = Mutex::new(Vec::new());
        let done = self.for_each_partition(
            |i, agenda| chosen.contains(&i) && !agenda.is_started(),
            StartWorkspace::default,
            |i, mut partition, workspace| {
                let (side, first) = partitions.side_and_orbit(i);
                let below = &below[(side + 1) % sides.len()];
                let tag = (((side + 1) % sides.len()) as u8) << SIDE_BIT;
                let mut looked = Looked {
                    partition: i,
                    results: Vec::new(),
                    asked: Vec::new(),
                    questions: vec![Vec::new(); ranks.count()],
                };
                reserve_exact(&mut looked.results, partition.bytes.len())?;
                for orbit in 0..partition.bytes.len() / partitions.rows {
                    let start = orbit * partitions.rows;
                    sides[side].look_at_orbit(first + orbit, &mut partition, start, workspace)?;
                    let StartWorkspace { results, search, .. } = &mut *workspace;
                    for (row, columns, number) in search.lookups() {
                        let share = &below[columns - 2];
                        let slice = sides[side].below.slice(columns);
                        let rows = slice.index.rows() as u64;
                        let first = |rank: usize| share.bounds()[rank] as u64 * rows;
                        if (first(own_rank)..first(own_rank + 1)).contains(&number) {
                            let local = number - first(own_rank);
                            let score = slice.score(local, &mut Window::default())?;
                            results[row as usize].add_below(score);
                            continue;
                        }
                        let owner = share.owner((number / rows) as usize);
                        let local = number - first(owner);
                        push(&mut looked.asked, (start as u32 + row, owner as u32))?;
                        let question = &mut looked.questions[owner];
                        reserve(question, QUESTION)?;
                        question.push(tag | columns as u8);
                        question.extend_from_slice(&local.to_le_bytes()[..QUESTION - 1]);
                    }
                    looked.results.extend_from_slice(results);
                }
                all_looked.lock().unwrap_or_else(|error| error.into_inner()).push(looked);
                Ok(())
            },
        );
        self.sides = sides;
        done?;
        let mut looked = all_looked.into_inner().unwrap_or_else(|error| error.into_inner());
        looked.sort_unstable_by_key(|looked: &Looked| looked.partition);
        Ok(looked)
    }

    /// Enters the answers to what was asked for these partitions, and writes the starting state of their
    /// capture positions.
    fn end_start_of(
        &mut self,
        mut asked: Vec<Looked>,
        answers: &[Vec<u8>],
    ) -> Result<(), SolveError> {
        let mut read = vec![0; answers.len()];
        for looked in &mut asked {
            for &(at, rank) in &looked.asked {
                let rank = rank as usize;
                let code = answers[rank][read[rank]..].first_chunk::<ANSWER>();
                let Some(&code) = code else { unreachable!("every question is answered") };
                read[rank] += ANSWER;
                let value = Distance::from_code(u16::from_le_bytes(code)).value();
                looked.results[at as usize].add_below(MoveScore::of_reply(value));
            }
        }
        let (sides, partitions) = (std::mem::take(&mut self.sides), self.partitions);
        let find = |i: usize| asked.binary_search_by_key(&i, |looked| looked.partition);
        let done = self.for_each_partition(
            |i, _| find(i).is_ok(),
            Vec::new,
            |i, mut partition, jumps| {
                let Ok(found) = find(i) else { unreachable!("it has been found before") };
                let (side, first) = partitions.side_and_orbit(i);
                for (orbit, results) in asked[found].results.chunks(partitions.rows).enumerate() {
                    let start = orbit * partitions.rows;
                    list_jumps(sides[side].index.sets().representative(first + orbit), jumps);
                    sides[side].start_captures(&mut partition, start, results, jumps)?;
                }
                partition.agenda.end_start();
                Ok(())
            },
        );
        self.sides = sides;
        done
    }
}

/// The messages with the questions to each rank.
fn gather(asking: &[Looked], ranks: usize) -> Result<Vec<Vec<u8>>, TryReserveError> {
    let message = |rank: usize| {
        let len = asking.iter().map(|looked| looked.questions[rank].len()).sum::<usize>();
        // Behind the questions there is room for what the rank wants.
        let mut message = Vec::new();
        reserve_exact(&mut message, len + 1)?;
        asking.iter().for_each(|looked| message.extend_from_slice(&looked.questions[rank]));
        Ok(message)
    };
    (0..ranks).map(message).collect()
}

/// The answers to some questions, in their order.
fn answer(questions: &[u8], below: &[Vec<SliceShare>]) -> Result<Vec<u8>, TryReserveError> {
    let mut answers = Vec::new();
    // Behind the answers there is room for what the rank wants.
    reserve_exact(&mut answers, questions.len() / QUESTION * ANSWER + 1)?;
    for &[tag, ref number @ ..] in questions.as_chunks::<QUESTION>().0 {
        let (side, columns) = (tag >> SIDE_BIT, tag & ((1 << SIDE_BIT) - 1));
        let mut local = [0; 8];
        local[..number.len()].copy_from_slice(number);
        let share = &below[usize::from(side)][usize::from(columns) - 2];
        let distance = share.values().distance(u64::from_le_bytes(local));
        answers.extend_from_slice(&distance.code().to_le_bytes());
    }
    Ok(answers)
}
