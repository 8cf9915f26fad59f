//! The search of positions of officers, and with tables as leaves, compared with golden values.

use crate::common::tables::shipped_tables;
use crate::common::vectors;
use crate::search::{MEMORY, check_distance, check_result, solved};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::search::{Limits, Solver};
use lasca_tablebase::{Silent, Wdl};
use std::fs;

#[test]
fn officers_have_their_golden_values() {
    let mut checked = 0;
    for (position, value) in vectors::positions() {
        let mut solver = solved(&position, RuleSet::Lasca, None, 1);
        check_result(&mut solver, value);
        checked += 1;
        if checked % 4 == 0 {
            check_distance(&mut solver, value);
        }
        if checked == 100 {
            break;
        }
    }
    assert_eq!(checked, 100);
}

#[test]
fn a_position_of_a_table_needs_no_search() {
    let tables = shipped_tables();
    for (position, value) in vectors::positions().into_iter().take(200) {
        let mut solver = Solver::new(&position, RuleSet::Lasca, Some(&tables), MEMORY).unwrap();
        assert_eq!(solver.wdl(), Some(value.wdl()), "{position}");
        assert_eq!(solver.value().unwrap(), value, "{position}");
        assert_eq!(solver.status().positions, 1);
        if value.wdl() != Wdl::Draw {
            assert_eq!(solver.line().unwrap().len(), usize::from(value.dtw().unwrap()));
        }
    }
}

#[test]
fn the_tables_as_leaves_change_no_result() {
    check_with_tables(20);
}

#[test]
#[ignore = "slow: looks for long distances"]
fn the_tables_as_leaves_change_no_distance() {
    check_with_tables(u16::MAX);
}

/// Compares results, proofs, and the distances of at most so many plies.
fn check_with_tables(longest: u16) {
    let tables = shipped_tables();
    for (position, value) in vectors::soldiers().into_iter().step_by(3) {
        let mut solver = solved(&position, RuleSet::Lasca, Some(&tables), 1);
        check_result(&mut solver, value);
        if value.dtw() <= Some(longest) {
            check_distance(&mut solver, value);
        }
        let Some(winner) = solver.winner() else { continue };
        let plies = solver.value().unwrap().at_most().unwrap();
        assert_eq!(solver.line().unwrap().len(), usize::from(plies), "{position}");
        let proof = solver.strategy(winner, 1_000_000).unwrap().unwrap();
        for leaf in proof.leaves {
            let expected = if leaf.side_to_move() == winner { Wdl::Win } else { Wdl::Loss };
            assert_eq!(tables.wdl(&leaf), Ok(expected), "{leaf}");
        }
    }
}

#[test]
fn tables_of_other_rules_are_not_used() {
    let tables = shipped_tables();
    let position = "a1WWW b2BBB w".parse().unwrap();
    let solver = Solver::new(&position, RuleSet::Bignor, Some(&tables), MEMORY).unwrap();
    assert_eq!(solver.wdl(), None);
}

#[test]
fn tables_without_distances_tell_who_wins() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("tables/lasca-3-2.ltbw", folder.path().join("lasca-3-2.ltbw")).unwrap();
    let bare = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    let tables = shipped_tables();
    let mut decided = 0;
    for (position, value) in vectors::positions() {
        if bare.wdl(&position).is_err() || value.wdl() == Wdl::Draw {
            continue;
        }
        let mut solver = solved(&position, RuleSet::Lasca, Some(&bare), 1);
        assert_eq!(solver.wdl(), Some(value.wdl()), "{position}");
        assert_eq!(solver.value().unwrap().at_most(), None);
        solver.rate_moves(&Limits::default(), &Silent).unwrap();
        for rated in solver.proved_moves(&position).unwrap() {
            let after = tables.wdl(&rated.after).unwrap_or(Wdl::Loss);
            assert_eq!(rated.value.wdl(), Some(-after), "{position} {}", rated.played);
        }
        solver.exact(&Limits::default(), &Silent).unwrap();
        if let Some(exact) = solver.value().unwrap().exact() {
            assert_eq!(exact, value, "{position}");
        }
        decided += 1;
        if decided == 30 {
            break;
        }
    }
    assert_eq!(decided, 30);
}
