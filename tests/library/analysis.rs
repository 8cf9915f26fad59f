//! What the analysis of a table finds, against a recount with the naive solver.

use crate::common::class_of;
use crate::common::naive::Solution;
use crate::common::tables::{generated, material, shipped_tables};
use lasca_analysis::statistics::{Analysis, AnalysisOptions, Tally, Zugzwang};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{ByColor, Color, Position, RuleSet};
use lasca_tablebase::{Silent, Value, Wdl};
use std::collections::{BTreeMap, BTreeSet};

/// What is counted does not depend on the rules, so one material will do for those of other ones.
const SMALL: [(RuleSet, usize, usize); 5] = [
    (RuleSet::Lasca, 1, 1),
    (RuleSet::Lasca, 3, 1),
    (RuleSet::Lasca, 2, 2),
    (RuleSet::Bignor, 2, 1),
    (RuleSet::Rejump, 2, 1),
];

fn analysed(white: usize, black: usize, rules: RuleSet) -> Analysis {
    let of = format!("{white}-{black}");
    let folder = generated(&[&of], rules);
    let tables = Tablebase::open(folder.path(), rules).unwrap();
    let options = AnalysisOptions {
        longest: 1_000_000,
        zugzwangs: Some(1_000_000),
        ..AnalysisOptions::default()
    };
    Analysis::in_tables(&tables, material(&of), options, &Silent).unwrap()
}

/// A side's columns as text, the highest first, of these the one with the more own counters.
fn columns_text(position: &Position, color: Color) -> String {
    let squares = position.columns();
    let mut columns: Vec<String> = squares
        .filter(|(_, column)| column.owner() == Some(color))
        .map(|(_, column)| column.to_string())
        .collect();
    let own = |text: &String| text.matches(if color == Color::White { 'W' } else { 'B' }).count();
    columns.sort_by_key(|text| std::cmp::Reverse((text.len(), own(text))));
    columns.join(" ")
}

/// One number for the board and all that are like it, whoever is to move.
fn board_class(position: &Position) -> u128 {
    let [white, black] = Color::ALL.map(|side| class_of(&position.with_side_to_move(side)));
    white.min(black)
}

#[test]
fn the_analysis_agrees_with_a_recount_of_all_positions() {
    let mut seen = [0, 0];
    for (rules, white, black) in SMALL {
        let solution = Solution::of_material(white, black, white + black, rules);
        let analysis = analysed(white, black, rules);
        let what = format!("{rules} {white}-{black}");
        check_counts(&analysis, &solution, &what);
        check_longest_wins(&analysis, &solution, &what);
        let zugzwangs = check_zugzwangs(&analysis, &solution, &what);
        (0..2).for_each(|kind| seen[kind] += zugzwangs[kind]);
    }
    assert!(seen.iter().all(|&boards| boards > 0), "both kinds occur: {seen:?}");
}

/// Compares the counts by pieces and by stackings.
fn check_counts(analysis: &Analysis, solution: &Solution, what: &str) {
    let mut by_column_shapes: BTreeMap<String, ByColor<Tally>> = BTreeMap::new();
    let mut by_pieces: BTreeMap<String, ByColor<Tally>> = BTreeMap::new();
    for solved in solution.iter() {
        let position = &solved.position;
        let [w, b] = Color::ALL.map(|color| columns_text(position, color));
        let sides = Color::ALL.map(|color| position.commanded_by(color).len());
        let pieces = format!("{}v{}", sides[0], sides[1]);
        for tally in [
            by_column_shapes.entry(format!("{w} v {b}")).or_default(),
            by_pieces.entry(pieces).or_default(),
        ] {
            let tally = &mut tally[position.side_to_move()];
            match solved.value {
                Value::Win(_) => tally.win += 1,
                Value::Draw => tally.draw += 1,
                Value::Loss(_) => tally.loss += 1,
            }
        }
    }
    let found = analysis.by_column_shapes.iter().map(|(s, tally)| (s.to_string(), *tally));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), by_column_shapes, "{what}");
    let found = analysis.by_pieces();
    let found = found.iter().map(|(p, tally)| (p.to_string(), *tally));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), by_pieces, "{what}");
}

/// Expects that the longest wins are all wins, each once, the longest first.
fn check_longest_wins(analysis: &Analysis, solution: &Solution, what: &str) {
    let wins = solution.iter().filter(|solved| solved.value.wdl() == Wdl::Win);
    let expected: BTreeSet<u128> = wins.map(|solved| class_of(&solved.position)).collect();
    let found: BTreeSet<u128> =
        analysis.longest.iter().map(|deep| class_of(&deep.position)).collect();
    assert_eq!(found.len(), analysis.longest.len(), "each is listed once");
    assert!(found == expected, "{what}");
    for deep in &analysis.longest {
        assert_eq!(Some(deep.value), solution.get(&deep.position), "{what}");
    }
    assert!(analysis.longest.is_sorted_by_key(|deep| std::cmp::Reverse(deep.value.dtw())));
}

/// Compares the zugzwangs, and returns how many boards of each kind there are.
fn check_zugzwangs(analysis: &Analysis, solution: &Solution, what: &str) -> [usize; 2] {
    let mut boards: [Vec<Position>; 2] = Default::default();
    for solved in solution.iter().filter(|solved| !solved.must_capture) {
        let position = solved.position;
        let other = solution.look_up(&position.with_side_to_move(Color::Black)).unwrap();
        if position.side_to_move() == Color::Black || other.must_capture {
            continue;
        }
        match (solved.value, other.value) {
            (Value::Loss(_), Value::Loss(_)) => boards[0].push(position),
            (Value::Loss(_), Value::Draw) | (Value::Draw, Value::Loss(_)) => {
                boards[1].push(position);
            }
            _ => {}
        }
    }
    let found = [&analysis.full_point, &analysis.half_point].map(|found| found.as_ref().unwrap());
    for (boards, found) in boards.iter().zip(found) {
        assert_eq!(found.boards, boards.len() as u64, "{what}");
        let expected: BTreeSet<u128> = boards.iter().map(board_class).collect();
        let listed: BTreeSet<u128> =
            found.listed.iter().map(|zugzwang| board_class(&zugzwang.position)).collect();
        assert!(listed == expected, "{what}");
        assert_eq!(found.distinct, expected.len() as u64);
        assert_eq!(found.listed.len(), expected.len(), "each is listed once");
        for zugzwang in &found.listed {
            for color in Color::ALL {
                let position = zugzwang.position.with_side_to_move(color);
                assert_eq!(Some(zugzwang.to_move[color]), solution.get(&position));
            }
        }
        let columns = |zugzwang: &Zugzwang| zugzwang.position.occupied().len();
        assert!(found.listed.is_sorted_by_key(columns), "the fewest columns first");
    }
    boards.map(|boards| boards.len())
}

#[test]
fn what_is_listed_is_the_beginning_of_a_longer_list() {
    let tables = shipped_tables();
    let options =
        |n| AnalysisOptions { longest: n, zugzwangs: Some(n), ..AnalysisOptions::default() };
    let analysis = |of, n| Analysis::in_tables(&tables, material(of), options(n), &Silent).unwrap();
    let (few, many) = (analysis("3-2", 3), analysis("3-2", 300));
    assert_eq!(few.longest, many.longest[..3]);
    let listed = |a: &Analysis| a.half_point.clone().unwrap().listed;
    assert_eq!(listed(&few), listed(&many)[..3]);
    assert_eq!(few.by_column_shapes, many.by_column_shapes);
    let exchanged = analysis("2-3", 3);
    for deep in &exchanged.longest {
        assert_eq!(tables.value(&deep.position), Ok(deep.value));
    }
    // The order is that of the others with the colours swapped.
    let longest = exchanged.longest.iter().map(|deep| deep.position.swap_colors());
    assert!(longest.eq(few.longest.iter().map(|deep| deep.position)));
    let boards = |a| listed(a).into_iter().map(|zugzwang| zugzwang.position);
    let swapped = boards(&exchanged).map(|p| p.swap_colors().with_side_to_move(Color::White));
    assert!(swapped.eq(boards(&few)));
    let shapes = exchanged.by_column_shapes.into_iter();
    let back: BTreeMap<_, _> =
        shapes.map(|(s, tally)| (s.swap_colors(), tally.swapped())).collect();
    assert_eq!(back, few.by_column_shapes);
}

#[test]
fn where_values_are_kept_makes_no_difference() {
    let tables = shipped_tables();
    let found = [KeepIn::Memory, KeepIn::Files].map(|keep| {
        let options =
            AnalysisOptions { longest: 9, zugzwangs: Some(9), keep, ..AnalysisOptions::default() };
        Analysis::in_tables(&tables, "2-3".parse().unwrap(), options, &Silent).unwrap()
    });
    assert!(!found[0].longest.is_empty() && found[0].full_point.is_some());
    assert_eq!(found[0], found[1]);
}
