//! Finding positions: whether the search of whole tables, the answer for one position and the
//! definition agree.

use crate::common::class_of;
use crate::common::naive::Key;
use crate::common::recorder::Recorder;
use crate::common::tables::{generate_bounded, material, positions_in, shipped_tables};
use lasca_analysis::find::{
    Defence, Filter, Find, Practice, only_moves, positions as find_positions,
};
use lasca_analysis::statistics::Pieces;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::{ByColor, OfficerPosition, Position, RuleSet};
use lasca_tablebase::{Outcome, Silent, Value, Wdl};
use std::collections::{HashMap, HashSet};

const DEFENCES: [Defence; 2] = [Defence::Best, Defence::Every];

/// All positions of the table of a material, up to the symmetries of the board.
fn positions(tables: &Tablebase, text: &str) -> impl Iterator<Item = Position> {
    let extent = tables.table(material(text)).unwrap().extent();
    let positions = positions_in(extent, u64::MAX);
    positions.map(|(side, position)| position.to_position(side).unwrap())
}

/// The definition, turn by turn.
struct Definition<'a> {
    tables: &'a Tablebase,
    defence: Defence,
    moves: HashMap<Position, Vec<RatedMove<Value>>>,
    known: HashMap<(Position, usize), bool>,
}

impl<'a> Definition<'a> {
    fn new(tables: &'a Tablebase, defence: Defence) -> Definition<'a> {
        Definition { tables, defence, moves: HashMap::new(), known: HashMap::new() }
    }

    fn moves(&mut self, position: &Position) -> Vec<RatedMove<Value>> {
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
        let right: Vec<&RatedMove<Value>> =
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
    let tables = shipped_tables();
    for defence in DEFENCES {
        let mut definition = Definition::new(&tables, defence);
        let mut seen = [0; 5];
        for position in positions(&tables, "2-2") {
            let expected = definition.only_moves(&position, 4);
            let found = only_moves(&tables, &position, defence, 4).unwrap();
            assert_eq!(found, expected, "{position} {defence:?}");
            seen[found] += 1;
        }
        assert!(seen[..3].iter().all(|&count| count > 0), "{seen:?}");
    }
}

fn find(tables: &Tablebase, text: &str, filter: &Filter) -> Vec<Find> {
    find_positions(tables, material(text), filter, &Silent).unwrap()
}

/// All positions after the moves of the solution, from the one that was found.
fn positions_of(find: &Find) -> impl Iterator<Item = Position> {
    let after = find.solution.moves.iter().map(|rated| rated.after);
    std::iter::once(find.position).chain(after)
}

/// Checks that the positions found are exactly those that pass, apart from those whose line comes to the
/// solution of one that is listed.
fn check(
    tables: &Tablebase,
    text: &str,
    filter: &Filter,
    passes: impl Fn(&Position) -> bool,
) -> usize {
    let found = find(tables, text, filter);
    let mut shown = HashSet::new();
    for find in &found {
        assert!(passes(&find.position), "{} {filter:?}", find.position);
        let first = usize::from(find.value.wdl() == Wdl::Loss);
        let turns = positions_of(find).skip(first).step_by(2).take(filter.only_moves);
        let half = if filter.only_moves == 0 { positions_of(find).count().div_ceil(2) } else { 1 };
        for position in turns.chain(positions_of(find).take(half)) {
            assert!(!shown.contains(&class_of(&position)), "{}", find.position);
        }
        shown.extend(positions_of(find).map(|position| class_of(&position)));
    }
    for position in positions(tables, text).filter(|position| passes(position)) {
        let is_shown = comes_to(tables, position, filter.only_moves, &shown);
        assert!(is_shown, "{position} {filter:?}");
    }
    found.len()
}

/// Whether some best play comes to one of these positions at one of so many turns of the solver, or before.
fn comes_to(tables: &Tablebase, position: Position, turns: usize, shown: &HashSet<Key>) -> bool {
    let value = tables.value(&position).unwrap();
    let to_last_turn = match turns {
        // The first half of the line.
        0 => (usize::from(value.dtw().unwrap_or(0)) + 1).div_ceil(2),
        turns => 2 * turns - usize::from(value.wdl() != Wdl::Loss),
    };
    let mut reached = vec![position];
    for plies in (0..to_last_turn).rev() {
        if reached.iter().any(|position| shown.contains(&class_of(position))) {
            return true;
        }
        if plies > 0 {
            let moves = reached.iter().map(|position| tables.moves(position).unwrap());
            let best = moves.flat_map(|moves| {
                let best = moves.first().map(|best| best.value);
                moves.into_iter().take_while(move |rated| Some(rated.value) == best)
            });
            reached = best.map(|rated| rated.after).collect();
        }
    }
    false
}

const EVERYTHING: usize = usize::MAX;

/// Compares a search for each result and 1 to 4 turns with what is said of each position, against both
/// defences.
fn compare_with_each_position(tables: &Tablebase, text: &str) {
    let results = [Wdl::Win, Wdl::Draw, Wdl::Loss];
    for defence in DEFENCES {
        let turns: HashMap<Position, (Wdl, usize)> = positions(tables, text)
            .map(|position| {
                let turns = only_moves(tables, &position, defence, 4).unwrap();
                (position, (tables.wdl(&position).unwrap(), turns))
            })
            .collect();
        for (result, least) in
            results.into_iter().flat_map(|result| (1..=4).map(move |n| (result, n)))
        {
            let filter = Filter {
                result: Some(result),
                only_moves: least,
                defence,
                limit: EVERYTHING,
                ..Filter::default()
            };
            let count = check(tables, text, &filter, |position| {
                let (wdl, turns) = turns.get(position).copied().unwrap_or_else(|| {
                    let turns = only_moves(tables, position, defence, 4).unwrap();
                    (tables.wdl(position).unwrap(), turns)
                });
                turns >= least && wdl == result
            });
            let is_there = |&(wdl, turns): &(Wdl, usize)| wdl == result && turns >= least;
            assert_eq!(count > 0, turns.values().any(is_there), "{text} {result} {least}");
            assert!(count > 0 || least > 1, "{text} {result} {defence:?}");
        }
    }
}

#[test]
fn a_search_finds_what_has_only_moves_and_nothing_else() {
    compare_with_each_position(&shipped_tables(), "2-2");
}

#[test]
fn a_search_follows_the_rules_of_the_table_as_far_as_it_goes() {
    for rules in RuleSet::ALL {
        compare_in_bounded_table("2-2", 3, rules);
    }
}

fn compare_in_bounded_table(text: &str, columns: usize, rules: RuleSet) {
    let folder = tempfile::tempdir().unwrap();
    generate_bounded(folder.path(), text, rules, columns);
    compare_with_each_position(&Tablebase::open(folder.path(), rules).unwrap(), text);
}

/// Where squares may be jumped again, a column jumps one neighbour and comes back before it jumps the other
/// one. Which of them comes first makes no difference, but there are two moves.
#[test]
fn two_orders_of_the_same_jumps_are_no_only_move() {
    let folder = tempfile::tempdir().unwrap();
    generate_bounded(folder.path(), "5-1", RuleSet::Rejump, 4);
    let tables = Tablebase::open(folder.path(), RuleSet::Rejump).unwrap();
    let filter = Filter { only_moves: 1, limit: EVERYTHING, ..Filter::default() };
    let found = find(&tables, "5-1", &filter);
    assert!(!found.is_empty());
    for find in found {
        assert!(find.only_moves >= 1, "{}", find.position);
    }
}

#[test]
#[ignore = "slow: looks at each position of 3-2 under all rules"]
fn a_search_of_3_2_finds_what_has_only_moves_and_nothing_else() {
    compare_with_each_position(&shipped_tables(), "3-2");
    for rules in [RuleSet::Bignor, RuleSet::Rejump] {
        compare_in_bounded_table("3-2", 5, rules);
    }
}

#[test]
fn what_is_said_of_a_find_is_true() {
    let tables = shipped_tables();
    for result in [Wdl::Win, Wdl::Draw, Wdl::Loss] {
        for defence in DEFENCES {
            let filter = Filter {
                result: Some(result),
                only_moves: 3,
                defence,
                limit: 15,
                ..Filter::default()
            };
            let found = find(&tables, "3-2", &filter);
            assert_eq!(found.len(), 15, "{result} {defence:?}");
            assert!(found.is_sorted_by_key(Find::order));
            for find in found {
                let most = if result == Wdl::Draw { 3 } else { usize::MAX };
                let turns = only_moves(&tables, &find.position, defence, most).unwrap();
                assert_eq!(turns, find.only_moves, "{}", find.position);
                check_solution(&tables, &find, 3);
            }
        }
    }
}

/// Checks that the solution is best play, with as many choices as it is said to have.
fn check_solution(tables: &Tablebase, find: &Find, asked: usize) {
    assert_eq!(tables.value(&find.position).unwrap(), find.value);
    let (mut at, mut expected) = (find.position, find.value);
    let mut standings = Vec::new();
    assert_eq!(find.solution.moves.len(), find.standings.len());
    for (ply, (step, &standing)) in find.solution.moves.iter().zip(&find.standings).enumerate() {
        let moves = tables.moves(&at).unwrap();
        assert!(moves.contains(step), "{at}");
        assert_eq!(step.value, expected, "{at}");
        let values: Vec<Value> = moves.iter().map(|rated| rated.value).collect();
        let number = moves.iter().position(|rated| rated == step).unwrap();
        assert_eq!(Some(standing), Standing::of(&values, number));
        if find.is_turn(ply) {
            standings.push(standing);
        }
        at = step.after;
        expected = tables.value(&at).unwrap();
    }
    assert!(
        standings.iter().take(find.only_moves).all(|standing| standing.is_only()),
        "{}",
        find.position
    );
    let choices = standings.iter().take(asked).filter(|&&standing| standing == Standing::Only);
    assert_eq!(choices.count(), find.choices, "{}", find.position);
    match find.value {
        Value::Draw => match find.solution.end {
            Some(end) => assert_eq!(end, Outcome::Draw),
            None => assert_eq!(find.solution.moves.len(), 2 * asked),
        },
        Value::Win(plies) | Value::Loss(plies) => {
            assert_eq!(find.solution.moves.len(), usize::from(plies));
            assert!(matches!(find.solution.end, Some(Outcome::Win(_))));
        }
    }
}

#[test]
fn every_filter_keeps_what_it_says() {
    let tables = shipped_tables();
    let value = |position: &Position| tables.value(position).unwrap();
    let plies_of = |position: &Position| value(position).dtw();
    let is_win = |position: &Position| value(position).wdl() == Wdl::Win;
    let all = Filter { limit: EVERYTHING, ..Filter::default() };
    let wins = Filter { result: Some(Wdl::Win), ..all.clone() };

    let filter = Filter { plies: Some(9..=12), ..all.clone() };
    let passes = |position: &Position| matches!(plies_of(position), Some(9 | 11));
    assert!(check(&tables, "3-1", &filter, passes) > 0);
    let filter = Filter { result: Some(Wdl::Loss), ..filter };
    let passes = |position: &Position| matches!(plies_of(position), Some(10 | 12));
    assert!(check(&tables, "2-2", &filter, passes) > 0);

    let is_quiet = |position: &Position| {
        !OfficerPosition::try_from(position).unwrap().placement().must_capture()
    };
    let passes = |position: &Position| is_win(position) && is_quiet(position);
    assert!(check(&tables, "2-2", &Filter { quiet: true, ..wins.clone() }, passes) > 0);

    let passes = |position: &Position| is_win(position) && position.columns().count() == 3;
    assert!(check(&tables, "2-2", &Filter { columns: 3..=3, ..wins }, passes) > 0);

    // Where both sides have as many counters, a position stands for the one with exchanged colours.
    for text in ["2-2", "3-2", "2-3"] {
        let pieces = Pieces(ByColor { white: 1, black: 2 });
        let found = find(&tables, text, &Filter { pieces: Some(pieces), ..all.clone() });
        assert!(!found.is_empty());
        let mut movers = HashSet::new();
        for find in found {
            let columns = ByColor::from_fn(|color| find.position.commanded_by(color).len());
            assert_eq!(Pieces(columns), pieces, "{}", find.position);
            assert_eq!(Material::of(&find.position).unwrap(), material(text));
            check_solution(&tables, &find, 0);
            movers.insert(find.position.side_to_move());
        }
        assert_eq!(movers.len(), 2, "{text}");
    }
}

#[test]
fn a_limit_keeps_the_first_of_the_list() {
    let tables = shipped_tables();
    let filter = Filter { only_moves: 2, limit: EVERYTHING, ..Filter::default() };
    let all = find(&tables, "2-2", &filter);
    for limit in [1, 7, all.len()] {
        assert_eq!(find(&tables, "2-2", &Filter { limit, ..filter.clone() }), all[..limit]);
    }
    assert_eq!(find(&tables, "2-2", &Filter { limit: 0, ..filter }), []);
}

#[test]
fn a_seed_picks_the_same_endings_on_every_machine() {
    let tables = shipped_tables();
    // A small table is looked at as a whole, in a random order.
    for (text, expected) in [
        ("2-2", ["c1BB f4W c5W w", "d2B f2B a3W b4W w", "c1W g3B b4W d4B w", "f2W g3W b4B d4B w"]),
        (
            "3-2",
            [
                "e1B e3B g3W a7WW w",
                "c1W e1W g1B a3W c3B w",
                "g1W a5WB c5BW w",
                "a1B g1W g3B a7WW w",
            ],
        ),
    ] {
        let picked = Practice::default().pick(&tables, material(text), 7, &Silent).unwrap();
        let picked: Vec<String> =
            picked.endings.iter().map(|found| found.position.to_string()).collect();
        assert_eq!(picked, expected, "{text}");
    }
    // Nothing is looked at once the work shall stop.
    let stopping = Recorder::stopping_at(0);
    let picked = Practice::default().pick(&tables, material("2-2"), 7, &stopping).unwrap();
    assert_eq!(picked.looked_at, 0);
}
