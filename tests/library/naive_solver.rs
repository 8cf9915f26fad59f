//! The naive solver against values that another program made, against itself, and against tables.
//!
//! The tables of every material that is solved here are generated, written, opened and probed, and
//! compared with the naive solver position by position.
//!
//! `data/totals.csv` and `data/positions.csv` come from a brute-force solver that shares no code
//! with this crate. The positions' values are those of the default rule set.

use crate::common::naive::{Solution, Value, solve};
use lasca_tablebase::Silent;
use lasca_tablebase::generate::Generator;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Color, Position, RuleSet, Symmetry};

type Material = (usize, usize);

const UP_TO_FOUR_COUNTERS: [Material; 6] = [(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3)];
const THREE_AGAINST_TWO: [Material; 2] = [(3, 2), (2, 3)];
const FOUR_AGAINST_ONE: [Material; 2] = [(4, 1), (1, 4)];

#[test]
fn up_to_four_counters_are_solved_right_under_lasca() {
    check_small(RuleSet::Lasca);
}

#[test]
fn up_to_four_counters_are_solved_right_under_bignor() {
    check_small(RuleSet::Bignor);
}

#[test]
fn up_to_four_counters_are_solved_right_under_rejump() {
    check_small(RuleSet::Rejump);
}

#[test]
fn three_against_two_is_solved_right_under_lasca() {
    check_pair(THREE_AGAINST_TWO, RuleSet::Lasca);
}

#[test]
fn three_against_two_is_solved_right_under_bignor() {
    check_pair(THREE_AGAINST_TWO, RuleSet::Bignor);
}

#[test]
fn three_against_two_is_solved_right_under_rejump() {
    check_pair(THREE_AGAINST_TWO, RuleSet::Rejump);
}

#[test]
fn four_against_one_is_solved_right_under_lasca() {
    check_pair(FOUR_AGAINST_ONE, RuleSet::Lasca);
}

#[test]
fn four_against_one_is_solved_right_under_bignor() {
    check_pair(FOUR_AGAINST_ONE, RuleSet::Bignor);
}

#[test]
fn four_against_one_is_solved_right_under_rejump() {
    check_pair(FOUR_AGAINST_ONE, RuleSet::Rejump);
}

#[test]
fn every_vector_is_of_a_material_that_is_solved_here() {
    let solved = [&UP_TO_FOUR_COUNTERS[..], &THREE_AGAINST_TWO, &FOUR_AGAINST_ONE].concat();
    let (totals, positions) = (totals_rows(), position_rows());
    assert_eq!((totals.len(), positions.len()), (20, 1000));
    for row in totals {
        assert!(solved.contains(&row.material), "{row:?}");
    }
    for (position, _) in positions {
        assert!(solved.contains(&material_of(&position)), "{position}");
    }
}

#[test]
fn a_side_that_commands_no_column_has_lost() {
    let solution = solve(1, 1, RuleSet::Lasca);
    let value = |text| solution.get(&crate::common::position(text));
    assert_eq!(value("c3WB w"), Some(Value::Win(0)));
    assert_eq!(value("c3WB b"), Some(Value::Loss(0)));
}

#[test]
fn a_side_that_cannot_move_has_lost() {
    let solution = solve(1, 3, RuleSet::Lasca);
    assert_eq!(solution.get(&crate::common::position("a1W b2B c3BB w")), Some(Value::Loss(0)));
}

#[test]
fn only_what_officers_of_the_material_reach_has_a_value() {
    let solution = solve(2, 1, RuleSet::Lasca);
    let value = |text| solution.get(&crate::common::position(text));
    assert!(value("a1WW c3B w").is_some());
    assert_eq!(value("a1Ww c3B w"), None);
    assert_eq!(value("a1W c3B w"), None);
    assert_eq!(value("a1WBW w"), None);
}

fn check_small(rules: RuleSet) {
    for material in UP_TO_FOUR_COUNTERS {
        let solution = solve(material.0, material.1, rules);
        check_size(&solution, material);
        check_vectors(&solution, material, rules);
        check_tables(&solution, material, rules);
        check_successors(&solution, rules);
        check_symmetries(&solution);
        let exchanged = solve(material.1, material.0, rules);
        check_colors(&solution, &exchanged);
    }
}

/// The two materials are one with the colours exchanged.
fn check_pair(pair: [Material; 2], rules: RuleSet) {
    let solutions = pair.map(|material| {
        let solution = solve(material.0, material.1, rules);
        check_size(&solution, material);
        check_vectors(&solution, material, rules);
        check_tables(&solution, material, rules);
        solution
    });
    check_colors(&solutions[0], &solutions[1]);
}

/// Generates the table of the material, and probes it at every position.
fn check_tables(solution: &Solution, (white, black): Material, rules: RuleSet) {
    let folder = tempfile::tempdir().unwrap();
    let material = lasca_tablebase::index::Material::new(white, black).unwrap();
    Generator::new(folder.path(), rules).generate(material, &Silent).unwrap();
    let tables = Tablebase::open(folder.path(), rules).unwrap();
    for solved in solution.iter() {
        let expected = match solved.value {
            Value::Win(plies) => lasca_tablebase::Value::Win(plies as u16),
            Value::Draw => lasca_tablebase::Value::Draw,
            Value::Loss(plies) => lasca_tablebase::Value::Loss(plies as u16),
        };
        assert_eq!(tables.value(&solved.position), Ok(expected), "{} {rules}", solved.position);
        let wdl = tables.wdl(&solved.position);
        assert_eq!(wdl, Ok(expected.wdl()), "{} {rules}", solved.position);
    }
}

fn check_size(solution: &Solution, (white, black): Material) {
    assert_eq!(solution.len() as u64, 2 * closed_form(white as u64, black as u64));
    for side in Color::ALL {
        let of_side = solution.iter().filter(|solved| solved.position.side_to_move() == side);
        assert_eq!(of_side.count(), solution.len() / 2);
    }
}

/// How many boards there are with both sides commanding a column: occupied squares, times owners,
/// times ways to share out the counters of each side that no column needs for its commander.
fn closed_form(white: u64, black: u64) -> u64 {
    let mut sum = 0;
    for columns in 2..=white + black {
        for white_columns in 1..columns {
            let black_columns = columns - white_columns;
            if white_columns <= white && black_columns <= black {
                sum += binomial(25, columns)
                    * binomial(columns, white_columns)
                    * binomial(white - white_columns + columns - 1, columns - 1)
                    * binomial(black - black_columns + columns - 1, columns - 1);
            }
        }
    }
    sum
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

fn check_vectors(solution: &Solution, material: Material, rules: RuleSet) {
    for row in totals_rows() {
        if (row.material, row.rules) == (material, rules) {
            assert_eq!(totals_of(solution, row.side), row.totals, "{row:?}");
        }
    }
    if rules == RuleSet::default() {
        for (position, value) in position_rows() {
            if material_of(&position) == material {
                assert_eq!(solution.get(&position), Some(value), "{position}");
            }
        }
    }
}

/// Each value follows from those of the successors; without any, the side to move has lost.
fn check_successors(solution: &Solution, rules: RuleSet) {
    for solved in solution.iter() {
        let successors = solved.position.successors(rules);
        let values: Vec<Value> = successors
            .iter()
            .map(|(_, after)| solution.get(after).expect("play stays within the material"))
            .collect();
        let shortest_win = values.iter().filter_map(|value| match value {
            Value::Loss(plies) => Some(plies + 1),
            _ => None,
        });
        let longest_loss = values.iter().filter_map(|value| match value {
            Value::Win(plies) => Some(plies + 1),
            _ => None,
        });
        let expected = match shortest_win.min() {
            Some(plies) => Value::Win(plies),
            None if values.contains(&Value::Draw) => Value::Draw,
            None => Value::Loss(longest_loss.max().unwrap_or(0)),
        };
        assert_eq!(solved.value, expected, "{}", solved.position);
        let takes = successors.iter().filter(|(played, _)| played.is_capture()).count();
        let expected = if solved.must_capture { successors.len() } else { 0 };
        assert_eq!(takes, expected, "{}", solved.position);
    }
}

fn check_symmetries(solution: &Solution) {
    for solved in solution.iter() {
        for symmetry in Symmetry::all() {
            let image = solved.position.transformed(symmetry);
            assert_eq!(solution.get(&image), Some(solved.value), "{} {image}", solved.position);
        }
    }
}

fn check_colors(solution: &Solution, exchanged: &Solution) {
    assert_eq!(solution.len(), exchanged.len());
    for solved in solution.iter() {
        let image = solved.position.swap_colors();
        assert_eq!(exchanged.get(&image), Some(solved.value), "{} {image}", solved.position);
    }
}

fn material_of(position: &Position) -> Material {
    let counters = position.counters();
    (counters.white, counters.black)
}

/// A row of `data/totals.csv`.
#[derive(Debug)]
struct TotalsRow {
    rules: RuleSet,
    material: Material,
    side: Color,
    totals: Totals,
}

/// Counts of the positions with one side to move, and the plies of the longest win and loss.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    win: u64,
    draw: u64,
    loss: u64,
    max_win_plies: u32,
    max_loss_plies: u32,
    capture_positions: u64,
}

fn totals_of(solution: &Solution, side: Color) -> Totals {
    let mut totals = Totals::default();
    for solved in solution.iter().filter(|solved| solved.position.side_to_move() == side) {
        match solved.value {
            Value::Win(plies) => {
                totals.win += 1;
                totals.max_win_plies = totals.max_win_plies.max(plies);
            }
            Value::Draw => totals.draw += 1,
            Value::Loss(plies) => {
                totals.loss += 1;
                totals.max_loss_plies = totals.max_loss_plies.max(plies);
            }
        }
        totals.capture_positions += u64::from(solved.must_capture);
    }
    totals
}

fn totals_rows() -> Vec<TotalsRow> {
    rows(
        include_str!("../data/totals.csv"),
        "rules,material,side_to_move,win,draw,loss,max_win_plies,max_loss_plies,capture_positions",
        |[rules, material, side, win, draw, loss, max_win, max_loss, captures]| {
            let (white, black) = material.split_once('-').expect("a material such as 2-1");
            TotalsRow {
                rules: rules.parse().expect("a rule set"),
                material: (number(white) as usize, number(black) as usize),
                side: Color::ALL.into_iter().find(|color| color.name() == side).expect("a side"),
                totals: Totals {
                    win: number(win),
                    draw: number(draw),
                    loss: number(loss),
                    max_win_plies: number(max_win) as u32,
                    max_loss_plies: number(max_loss) as u32,
                    capture_positions: number(captures),
                },
            }
        },
    )
}

fn position_rows() -> Vec<(Position, Value)> {
    rows(
        include_str!("../data/positions.csv"),
        "position,result,plies",
        |[position, result, plies]| {
            let value = match (result, plies) {
                ("win", plies) => Value::Win(number(plies) as u32),
                ("draw", "") => Value::Draw,
                ("loss", plies) => Value::Loss(number(plies) as u32),
                _ => panic!("expected a result, found {result:?} in {plies:?} plies"),
            };
            (crate::common::position(position), value)
        },
    )
}

/// The rows of a CSV file after the first, which must be `header`.
fn rows<const N: usize, T>(
    csv: &str,
    header: &str,
    mut read: impl FnMut([&str; N]) -> T,
) -> Vec<T> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some(header));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            read(fields.try_into().unwrap_or_else(|_| panic!("expected {N} fields in {line:?}")))
        })
        .collect()
}

fn number(field: &str) -> u64 {
    field.parse().unwrap_or_else(|_| panic!("expected a number, found {field:?}"))
}
