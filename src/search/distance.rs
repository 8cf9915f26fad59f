//! Distances: how many plies the wins take that an expanded graph proves.

use super::board::Board;
use super::graph::{Graph, NodeId};
use super::leaves::Leaves;
use super::memory::{Full, Held};
use super::numbers::{Attacker, Numbers};
use super::sweep::{Backwards, IsOver, Question, Unfinished, check};
use crate::Value;
use crate::probe::ProbeError;

/// The distance of a position that is not known to be won for the attacker.
const NONE: u16 = u16::MAX;
/// Greater numbers are counts of moves, taken from [`NONE`], while distances are being worked out.
const GREATEST: u16 = 0x7fff;

/// For each position and attacker the plies to his win with the moves that were expanded, both sides
/// playing best; nothing where no win is proved.
///
/// They are upper bounds of the true distances: a move that was not expanded might win sooner.
#[derive(Debug)]
pub(super) struct Distances {
    plies: Held<[u16; 2]>,
}

impl Distances {
    /// The plies until the attacker has won.
    pub(super) fn get(&self, id: NodeId, attacker: Attacker) -> Option<u16> {
        let plies = *self.plies.get(id as usize)?.get(attacker as usize)?;
        (plies <= GREATEST).then_some(plies)
    }
}

/// Why distances could not be worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DistanceError {
    Unfinished(Unfinished),
    Probe(ProbeError),
}

impl From<Full> for DistanceError {
    fn from(_: Full) -> DistanceError {
        DistanceError::Unfinished(Unfinished::Full)
    }
}

impl From<Unfinished> for DistanceError {
    fn from(unfinished: Unfinished) -> DistanceError {
        DistanceError::Unfinished(unfinished)
    }
}

impl From<ProbeError> for DistanceError {
    fn from(error: ProbeError) -> DistanceError {
        DistanceError::Probe(error)
    }
}

/// What stands for a position that was not expanded, and of which nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It is not won: distances are those of wins that are proved, and not too short.
    NotWon,
    /// It is won as soon as the rules allow: distances are not too long.
    WonAtOnce,
}

impl Distances {
    /// Works out all distances, level by level: first what is won in 0 plies, then in 1, and so on.
    pub(super) fn new(
        graph: &mut Graph,
        leaves: Leaves<'_>,
        unknown: Unknown,
        is_over: IsOver<'_>,
    ) -> Result<Distances, DistanceError> {
        let graph = &*graph;
        let nodes = graph.len();
        let plies = graph.memory.allocate(nodes)?;
        let current = List::new(graph.memory.allocate(nodes / 2)?);
        let next = List::new(graph.memory.allocate(nodes / 2)?);
        let backwards = Backwards::new(graph, is_over)?;
        let mut pass = Pass { graph, plies, backwards, next };
        let levels = pass.begin(leaves, unknown, is_over)?;
        pass.run(&levels, current, is_over)?;
        Ok(Distances { plies: pass.plies })
    }
}

/// Whether it is proved that the attacker does not win.
fn is_lost(numbers: Numbers, attacker: Attacker) -> bool {
    match attacker {
        Attacker::Mover => numbers.is_failed(),
        Attacker::Other => numbers.is_reached(),
    }
}

/// Questions of one distance, as many as fit.
#[derive(Debug)]
struct List {
    room: Held<Question>,
    length: usize,
    is_whole: bool,
}

impl List {
    fn new(room: Held<Question>) -> List {
        List { room, length: 0, is_whole: true }
    }
}

struct Pass<'a> {
    graph: &'a Graph,
    plies: Held<[u16; 2]>,
    backwards: Backwards,
    /// What will be the next level.
    next: List,
}

impl Pass<'_> {
    /// Gives those positions their distance that have it from elsewhere, and returns the levels at
    /// which there are any.
    fn begin(
        &mut self,
        leaves: Leaves<'_>,
        unknown: Unknown,
        is_over: IsOver<'_>,
    ) -> Result<Vec<bool>, DistanceError> {
        let mut levels = vec![false; usize::from(GREATEST) + 1];
        for id in self.graph.ids() {
            check(id, is_over)?;
            let node = self.graph.node(id);
            self.plies[id as usize] = [NONE; 2];
            if node.is_expanded() {
                let moves = self.graph.children(node).len() as u16;
                self.plies[id as usize][Attacker::Other as usize] = NONE - moves;
                continue;
            }
            let numbers = Attacker::BOTH.map(|attacker| node.numbers(attacker));
            let value = if numbers.iter().all(|numbers| numbers.is_final()) {
                let key = node.key();
                leaves.value(key, Board::unpack(key).squares)?
            } else {
                None
            };
            let plies = match value {
                Some(Value::Win(plies)) => [plies, NONE],
                Some(Value::Loss(plies)) => [NONE, plies],
                Some(Value::Draw) => continue,
                None if unknown == Unknown::NotWon => continue,
                None => Attacker::BOTH.map(|attacker| {
                    // A position that is won without a known distance may be won at once too.
                    match (is_lost(node.numbers(attacker), attacker), attacker) {
                        (true, _) => NONE,
                        (false, Attacker::Mover) => 1,
                        (false, Attacker::Other) => 2,
                    }
                }),
            };
            for plies in plies.into_iter().filter(|&plies| plies <= GREATEST) {
                levels[usize::from(plies)] = true;
            }
            self.plies[id as usize] = plies;
        }
        Ok(levels)
    }

    /// Goes through the levels.
    fn run(
        &mut self,
        levels: &[bool],
        mut current: List,
        is_over: IsOver<'_>,
    ) -> Result<(), Unfinished> {
        let last = levels.iter().rposition(|&any| any).unwrap_or(0);
        for (level, &begins) in levels.iter().enumerate() {
            let level = level as u16;
            if begins || !current.is_whole {
                for id in self.graph.ids() {
                    check(id, is_over)?;
                    for attacker in Attacker::BOTH {
                        if self.plies[id as usize][attacker as usize] == level {
                            self.add_parents(id, attacker, level);
                        }
                    }
                }
            } else {
                for place in 0..current.length {
                    let (id, attacker) = current.room[place].split();
                    self.add_parents(id, attacker, level);
                }
            }
            std::mem::swap(&mut current, &mut self.next);
            self.next.length = 0;
            self.next.is_whole = true;
            if current.length == 0 && current.is_whole && usize::from(level) >= last {
                break;
            }
            if is_over() {
                return Err(Unfinished::Stopped);
            }
        }
        Ok(())
    }

    /// Gives the positions their distance from which a move leads to this one, if that is enough.
    fn add_parents(&mut self, id: NodeId, attacker: Attacker, level: u16) {
        let attacker = attacker.next();
        if level == GREATEST {
            return;
        }
        for place in 0..self.backwards.parents(self.graph, id).len() {
            let parent = self.backwards.parents(self.graph, id)[place];
            let plies = &mut self.plies[parent as usize][attacker as usize];
            if *plies <= GREATEST {
                continue;
            }
            if attacker == Attacker::Other {
                *plies += 1;
                if *plies < NONE {
                    continue;
                }
            }
            *plies = level + 1;
            match self.next.room.get_mut(self.next.length) {
                Some(place) => {
                    *place = Question::new(parent, attacker);
                    self.next.length += 1;
                }
                None => self.next.is_whole = false,
            }
        }
    }
}
