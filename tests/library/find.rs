//! Finding positions: whether the search of whole tables, the answer for one position and the
//! definition agree.

use crate::common::tables::{material, shipped};
use lasca_tablebase::Value;
use lasca_tablebase::find::{Defence, only_moves};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{RatedMove, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use std::collections::HashMap;

const DEFENCES: [Defence; 2] = [Defence::Best, Defence::Every];

fn tables() -> Tablebase {
    Tablebase::open(&[shipped()], RuleSet::Lasca).unwrap()
}

/// All positions of a material, up to the symmetries of the board.
fn positions(material: Material) -> impl Iterator<Item = Position> {
    material.stored_sides().iter().flat_map(move |&side| {
        material.columns().flat_map(move |columns| {
            let index = material.slice(side, columns);
            (0..index.positions())
                .map(move |number| index.position(number).to_position(side).unwrap())
        })
    })
}

/// The definition, turn by turn.
struct Definition<'a> {
    tables: &'a Tablebase,
    defence: Defence,
    moves: HashMap<Position, Vec<RatedMove>>,
    known: HashMap<(Position, usize), bool>,
}

impl<'a> Definition<'a> {
    fn new(tables: &'a Tablebase, defence: Defence) -> Definition<'a> {
        Definition { tables, defence, moves: HashMap::new(), known: HashMap::new() }
    }

    fn moves(&mut self, position: &Position) -> Vec<RatedMove> {
        let tables = self.tables;
        self.moves.entry(*position).or_insert_with(|| tables.moves(position).unwrap()).clone()
    }

    /// Whether the solver, who is to move, has so many turns of only moves, or wins before.
    fn solves(&mut self, position: &Position, turns: usize) -> bool {
        if turns == 0 {
            return true;
        }
        if let Some(&known) = self.known.get(&(*position, turns)) {
            return known;
        }
        let moves = self.moves(position);
        let wdl = self.tables.wdl(position).unwrap();
        let right: Vec<&RatedMove> =
            moves.iter().filter(|played| played.value.wdl() == wdl).collect();
        let solves = right.len() == 1 && self.answers(&right[0].after, turns - 1);
        self.known.insert((*position, turns), solves);
        solves
    }

    /// Whether the solver has so many turns of only moves after each reply, or has won.
    fn answers(&mut self, position: &Position, turns: usize) -> bool {
        let value = self.tables.value(position).unwrap();
        let defence = self.defence;
        let mut replies = self.moves(position);
        replies.retain(|reply| defence == Defence::Every || reply.value == value);
        replies.iter().all(|reply| self.solves(&reply.after, turns))
    }

    fn only_moves(&mut self, position: &Position, most: usize) -> usize {
        let fits = |definition: &mut Self, turns: usize| match definition.tables.value(position) {
            Ok(Value::Win(plies)) => {
                usize::from(plies) + 1 >= 2 * turns && definition.solves(position, turns)
            }
            Ok(Value::Loss(plies)) => {
                usize::from(plies) >= 2 * turns && definition.answers(position, turns)
            }
            Ok(Value::Draw) => definition.solves(position, turns),
            Err(error) => panic!("{error}"),
        };
        (1..=most).take_while(|&turns| fits(self, turns)).count()
    }
}

#[test]
fn turns_of_only_moves_are_counted_as_defined() {
    let tables = tables();
    for defence in DEFENCES {
        let mut definition = Definition::new(&tables, defence);
        let mut seen = [0; 5];
        for position in positions(material("2-2")) {
            let expected = definition.only_moves(&position, 4);
            let found = only_moves(&tables, &position, defence, 4).unwrap();
            assert_eq!(found, expected, "{position} {defence:?}");
            seen[found] += 1;
        }
        assert!(seen[..3].iter().all(|&count| count > 0), "{seen:?}");
    }
}
