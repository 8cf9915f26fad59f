//! What the analysis of a table finds, against a recount with the naive solver.

use crate::common::naive::{self, Solution};
use lasca_tablebase::analysis::{Analysis, AnalysisOptions, Tally, ZugzwangKind};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::resolve::KeepIn;
use lasca_tablebase::rules::{ByColor, Color, Position, RuleSet, Symmetry};
use lasca_tablebase::{Silent, Value};
use std::collections::{BTreeMap, BTreeSet, HashSet};

const SMALL: [(usize, usize); 4] = [(1, 1), (2, 1), (3, 1), (2, 2)];

fn analysed(white: usize, black: usize, rules: RuleSet) -> Analysis {
    let folder = tempfile::tempdir().unwrap();
    let material = format!("{white}-{black}").parse().unwrap();
    let generator = lasca_tablebase::generate::Generator::new(folder.path(), rules);
    generator.generate(material, &Silent).unwrap();
    let tables = Tablebase::open(&[folder.path()], rules).unwrap();
    let options =
        AnalysisOptions::default().with_longest(1_000_000).with_zugzwangs(Some(1_000_000));
    Analysis::of(tables.table(material).unwrap(), options, &Silent).unwrap()
}

fn value(solution: &Solution, position: &Position) -> Value {
    match solution.get(position).unwrap() {
        naive::Value::Win(plies) => Value::Win(plies as u16),
        naive::Value::Draw => Value::Draw,
        naive::Value::Loss(plies) => Value::Loss(plies as u16),
    }
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

/// The texts of all positions that are like this one by symmetry, and by exchanging the colours if
/// that leaves the material as it is. With `board_only`, whoever is to move does not matter.
fn class_of(position: &Position, board_only: bool) -> String {
    let counters = position.counters();
    let mut alike = vec![*position];
    if counters.white == counters.black {
        alike.push(position.swap_colors());
    }
    let transformed = alike.iter().flat_map(|p| Symmetry::all().map(|g| p.transformed(g)));
    let side = |p: Position| if board_only { p.with_side_to_move(Color::White) } else { p };
    transformed.map(|p| side(p).to_string()).min().unwrap()
}

#[test]
fn counts_by_pieces_and_stackings_agree_with_a_recount() {
    for rules in RuleSet::ALL {
        for (white, black) in SMALL {
            let solution = naive::solve(white, black, rules);
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
                        naive::Value::Win(_) => tally.win += 1,
                        naive::Value::Draw => tally.draw += 1,
                        naive::Value::Loss(_) => tally.loss += 1,
                    }
                }
            }
            let analysis = analysed(white, black, rules);
            let found = analysis.by_column_shapes.iter().map(|(s, tally)| (s.to_string(), *tally));
            assert_eq!(
                found.collect::<BTreeMap<_, _>>(),
                by_column_shapes,
                "{rules} {white}-{black}"
            );
            let found = analysis.by_pieces();
            let found = found.iter().map(|(p, tally)| (p.to_string(), *tally));
            assert_eq!(found.collect::<BTreeMap<_, _>>(), by_pieces, "{rules} {white}-{black}");
        }
    }
}

#[test]
fn the_longest_wins_are_all_wins_each_once_the_longest_first() {
    for (white, black) in SMALL {
        let solution = naive::solve(white, black, RuleSet::Lasca);
        let analysis = analysed(white, black, RuleSet::Lasca);
        let wins = solution.iter().filter(|s| matches!(s.value, naive::Value::Win(_)));
        let expected: BTreeSet<String> = wins.map(|s| class_of(&s.position, false)).collect();
        let found: BTreeSet<String> =
            analysis.longest.iter().map(|deep| class_of(&deep.position, false)).collect();
        assert_eq!(found.len(), analysis.longest.len(), "each is listed once");
        assert_eq!(found, expected, "{white}-{black}");
        for deep in &analysis.longest {
            assert_eq!(deep.value, value(&solution, &deep.position));
        }
        assert!(analysis.longest.is_sorted_by_key(|deep| std::cmp::Reverse(deep.value.dtw())));
    }
}

#[test]
fn zugzwangs_agree_with_a_recount_of_all_boards() {
    let mut seen = [0, 0];
    for rules in RuleSet::ALL {
        for (white, black) in SMALL {
            let solution = naive::solve(white, black, rules);
            let must_capture: HashSet<Position> =
                solution.iter().filter(|s| s.must_capture).map(|s| s.position).collect();
            let mut boards: [Vec<Position>; 2] = Default::default();
            for solved in solution.iter() {
                let position = solved.position;
                let other = position.with_side_to_move(Color::Black);
                if position.side_to_move() == Color::Black
                    || [position, other].iter().any(|p| must_capture.contains(p))
                {
                    continue;
                }
                match (value(&solution, &position), value(&solution, &other)) {
                    (Value::Loss(_), Value::Loss(_)) => boards[0].push(position),
                    (Value::Loss(_), Value::Draw) | (Value::Draw, Value::Loss(_)) => {
                        boards[1].push(position);
                    }
                    _ => {}
                }
            }
            let analysis = analysed(white, black, rules);
            let found = [analysis.full_point, analysis.half_point].map(Option::unwrap);
            for (i, (boards, found)) in boards.iter().zip(&found).enumerate() {
                seen[i] += boards.len();
                assert_eq!(found.boards, boards.len() as u64, "{rules} {white}-{black}");
                let expected: BTreeSet<String> =
                    boards.iter().map(|board| class_of(board, true)).collect();
                let listed = found.listed.iter();
                let listed: BTreeSet<String> =
                    listed.map(|zugzwang| class_of(&zugzwang.position, true)).collect();
                assert_eq!(listed, expected, "{rules} {white}-{black}");
                assert_eq!(found.distinct, expected.len() as u64);
                assert_eq!(found.listed.len(), expected.len(), "each is listed once");
                for zugzwang in &found.listed {
                    let kind = [ZugzwangKind::FullPoint, ZugzwangKind::HalfPoint][i];
                    assert_eq!(zugzwang.kind(), kind);
                    for color in Color::ALL {
                        let position = zugzwang.position.with_side_to_move(color);
                        assert_eq!(zugzwang.to_move[color], value(&solution, &position));
                    }
                }
                let columns = |z: &lasca_tablebase::analysis::Zugzwang| z.position.occupied().len();
                assert!(found.listed.is_sorted_by_key(columns), "the fewest columns first");
            }
        }
    }
    assert!(seen.iter().all(|&boards| boards > 0), "both kinds occur: {seen:?}");
}

#[test]
fn what_is_listed_is_the_beginning_of_a_longer_list() {
    let tables = Tablebase::open(&["tables"], RuleSet::Lasca).unwrap();
    let table = tables.table("3-2".parse().unwrap()).unwrap();
    let options = |n| AnalysisOptions::default().with_longest(n).with_zugzwangs(Some(n));
    let analysis = |n| Analysis::of(table, options(n), &Silent).unwrap();
    let (few, many) = (analysis(3), analysis(300));
    assert_eq!(few.longest, many.longest[..3]);
    let listed = |a: &Analysis| a.half_point.clone().unwrap().listed;
    assert_eq!(listed(&few), listed(&many)[..3]);
    assert_eq!(few.by_column_shapes, many.by_column_shapes);
    // The colours exchanged twice are as they were.
    assert_eq!(few.clone().swap_colors().swap_colors().by_column_shapes, few.by_column_shapes);
    for deep in few.swap_colors().longest {
        assert_eq!(tables.value(&deep.position), Ok(deep.value));
    }
}

#[test]
fn where_values_are_kept_makes_no_difference() {
    let tables = Tablebase::open(&["tables"], RuleSet::Lasca).unwrap();
    let found = [KeepIn::Memory, KeepIn::Files].map(|keep| {
        let options =
            AnalysisOptions::default().with_longest(9).with_zugzwangs(Some(9)).with_values_in(keep);
        Analysis::in_tables(&tables, "2-3".parse().unwrap(), options, &Silent).unwrap()
    });
    assert!(!found[0].longest.is_empty() && found[0].full_point.is_some());
    assert_eq!(found[0], found[1]);
}
