//! The start of a slice: the starting states of all its orbits, partition by partition. Values of slices below
//! are needed for them, which may lie on other processes.
//!
//! A process looks at the captures of some of its partitions. It looks up the values that it holds
//! itself, and notes which others it needs. All processes exchange their questions in bulk, and then the
//! answers, in the same order. Meanwhile each process looks at its next partitions. What is noted is kept
//! until the answers are there, so no capture is looked at twice. A process alone has no questions, and
//! notes nothing.

use super::captures::CaptureResults;
use super::error::{Failure, SolveError};
use super::slice_work::SliceWork;
use super::start_orbit::StartWorkspace;
use crate::processes::{StepFailure, Wishes, exchange_wishes};
use crate::values::{Distance, SliceShare, Window};
use rayon::prelude::*;
use std::sync::Mutex;

/// The bytes of a question: the stored side to move and the number of columns (1), and the number of a
/// position among those of the process that is asked (5).
const QUESTION: usize = 6;
/// The bytes of an answer: a [`Distance`].
const ANSWER: usize = 2;
/// A question names its side to move by this bit, and its number of columns by those below.
const SIDE_BIT: u32 = 5;

/// At most about this many bytes are noted for each position that is looked at, where there are several
/// processes.
const NOTED: usize = 32;

/// A partition whose captures have been looked at, and what is noted until values are there.
struct Looked {
    /// Its place among the own partitions.
    partition: usize,
    /// The positions for which values are missing: their places in the partition, and what is known of them.
    waiting: Vec<(u32, CaptureResults)>,
    /// For each process, what it is asked for, in the order of asking: the place of the position that captures
    /// among those that wait.
    asked: Vec<Vec<u32>>,
    /// For each process, the questions that it is asked.
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
    /// Begins to write the starting state of all orbits that this process owns.
    pub fn begin_start(&mut self) -> Starting {
        let mut next = 0;
        let looked = self.look_at_some(&mut next);
        Starting { next, looked }
    }

    /// Goes on with that, together with all processes. `wishes` says what this process wants, and the
    /// result what all processes want together; they are done when none has more.
    pub fn go_on_with_start(
        &mut self,
        starting: &mut Starting,
        wishes: Wishes,
    ) -> Result<Wishes, Failure> {
        let (processes, below) = (self.processes, self.below);
        let Starting { next, looked } = starting;
        let asking = std::mem::replace(looked, Ok(Vec::new())).map_err(StepFailure::Own);
        let is_asking = asking.as_ref().is_ok_and(|asking| !asking.is_empty());
        let has_more = is_asking || *next < self.state.agendas.len();
        let questions = asking.map(|asking| {
            let questions = messages_to(&asking, processes.count());
            (asking, questions)
        });
        let mut look = || {
            *looked = self.look_at_some(next);
            false
        };
        let wishes = Wishes { has_more, ..wishes };
        let (asking, received, all) = exchange_wishes(processes, wishes, questions, &mut look)?;
        if all.has_more {
            let answers = received.par_iter().map(|questions| answer(questions, below));
            let answers = answers.collect::<Result<Vec<Vec<u8>>, SolveError>>();
            let answers = answers.map(|answers| (asking, answers)).map_err(StepFailure::Own);
            let (asking, answers, _) =
                exchange_wishes(processes, Wishes::default(), answers, &mut || false)?;
            if let Err(error) = self.end_start_of(asking, &answers) {
                // The others learn of it with the next questions.
                *looked = Err(error);
            }
        }
        Ok(all)
    }

    /// Looks at the captures of own partitions from `next` on, as many as there is room to note, and at least
    /// one. Writes the starting state of those for which no process has to be asked.
    fn look_at_some(&mut self, next: &mut usize) -> Result<Vec<Looked>, SolveError> {
        let (partitions, processes) = (self.state.partitions, self.processes.count());
        let room = match processes {
            1 => usize::MAX,
            _ => (self.resources.waiting_bytes / NOTED / partitions.positions()).max(1),
        };
        let end = next.saturating_add(room).min(self.state.agendas.len());
        let chosen = std::mem::replace(next, end)..end;
        if chosen.start == end {
            return Ok(Vec::new());
        }
        let (sides, below) = (&self.sides, self.below);
        let all_looked = Mutex::new(Vec::new());
        self.state.for_each_partition(
            usize::MAX,
            |i, _| chosen.contains(&i),
            StartWorkspace::default,
            |i, mut partition, workspace| {
                let (side, first) = partitions.side_and_orbit(i);
                let replying = (side + 1) % sides.len();
                let (side, tag) = (&sides[side], (replying as u8) << SIDE_BIT);
                let mut looked = Looked {
                    partition: i,
                    waiting: Vec::new(),
                    asked: vec![Vec::new(); processes],
                    questions: vec![Vec::new(); processes],
                };
                for orbit in 0..partition.bytes.len() / partitions.rows {
                    let start = orbit * partitions.rows;
                    side.look_at_orbit(first + orbit, &mut partition, start, workspace)?;
                    let StartWorkspace { results, search, places, .. } = &mut *workspace;
                    let noted = looked.waiting.len();
                    if processes > 1 {
                        places.resize(partitions.rows, None);
                        search.keep_own(&side.below, |row, columns, number| {
                            let place = match places[row] {
                                Some(place) => place,
                                None => {
                                    let place = looked.waiting.len() as u32;
                                    let at = (start + row) as u32;
                                    looked.waiting.push((at, CaptureResults::default()));
                                    *places[row].insert(place)
                                }
                            };
                            let share = &below[replying][columns - 2];
                            let rows = side.below.slice(columns).index.rows() as u64;
                            let owner = share.owner((number / rows) as usize);
                            let local = number - share.bounds[owner] as u64 * rows;
                            let question = local << 8 | u64::from(tag | columns as u8);
                            looked.asked[owner].push(place);
                            looked.questions[owner]
                                .extend_from_slice(&question.to_le_bytes()[..QUESTION]);
                        });
                    }
                    search.look_up(&side.below, results)?;
                    for (at, known) in &mut looked.waiting[noted..] {
                        *known = results[*at as usize - start];
                    }
                    side.start_captures(&mut partition, start, workspace)?;
                }
                if looked.waiting.is_empty() {
                    partition.agenda.end_start();
                } else {
                    all_looked.lock().unwrap_or_else(|error| error.into_inner()).push(looked);
                }
                Ok(())
            },
        )?;
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
        for (process, answers) in answers.iter().enumerate() {
            let mut answers = answers.as_chunks::<ANSWER>().0.iter();
            for Looked { asked, waiting, .. } in &mut asked {
                for &place in &asked[process] {
                    let Some(&code) = answers.next() else {
                        unreachable!("every question is answered")
                    };
                    let value = Distance::from_code(u16::from_le_bytes(code)).value();
                    waiting[place as usize].1.add_below(value.before_move());
                }
            }
        }
        let find = |i: usize| asked.binary_search_by_key(&i, |looked| looked.partition);
        self.state.for_each_partition(
            usize::MAX,
            |i, _| find(i).is_ok(),
            || (),
            |i, mut partition, ()| {
                let Ok(found) = find(i) else { unreachable!("it has been found before") };
                for &(at, results) in &asked[found].waiting {
                    partition.start_capture(at as usize, results)?;
                }
                partition.agenda.end_start();
                Ok(())
            },
        )
    }
}

/// The messages with the questions to each process.
fn messages_to(asking: &[Looked], processes: usize) -> Vec<Vec<u8>> {
    let message = |process: usize| {
        let len = asking.iter().map(|looked| looked.questions[process].len()).sum::<usize>();
        // Behind the questions there is room for what the process wants.
        let mut message = Vec::with_capacity(len + 1);
        asking.iter().for_each(|looked| message.extend_from_slice(&looked.questions[process]));
        message
    };
    (0..processes).map(message).collect()
}

/// The answers to some questions, in their order.
fn answer(questions: &[u8], below: &[Vec<SliceShare>]) -> Result<Vec<u8>, SolveError> {
    // Behind the answers there is room for what the process wants.
    let mut answers = Vec::with_capacity(questions.len() / QUESTION * ANSWER + 1);
    let (mut window, mut last) = (Window::default(), 0);
    for question in questions.as_chunks::<QUESTION>().0 {
        let mut bytes = [0; 8];
        bytes[..QUESTION].copy_from_slice(question);
        let (tag, number) = (question[0], u64::from_le_bytes(bytes) >> 8);
        let (side, columns) = (tag >> SIDE_BIT, tag & ((1 << SIDE_BIT) - 1));
        if std::mem::replace(&mut last, tag) != tag {
            window.clear();
        }
        let share = &below[usize::from(side)][usize::from(columns) - 2];
        let distance = share.values.read(number, &mut window)?;
        answers.extend_from_slice(&distance.code().to_le_bytes());
    }
    Ok(answers)
}
