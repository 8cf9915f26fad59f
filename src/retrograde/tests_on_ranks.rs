//! Solving over several ranks, which are threads of the test.

use super::{Resources, Solver};
use crate::index::Material;
use crate::ranks::Ranks;
use crate::ranks::tests::on_ranks;
use crate::rules::RuleSet;
use crate::values::{Distance, SliceShare, SliceValues};
use crate::{Silent, Value};

/// Small partitions and messages, so that small slices are spread too.
fn small() -> Resources {
    Resources { partition_bytes: 1 << 10, waiting_bytes: 1 << 14, ..Resources::default() }
}

/// Solves the share of a rank of all slices of a material: for each stored side to move, those of 2,
/// 3, … columns.
fn solve(solver: &Solver, material: Material, ranks: &dyn Ranks) -> Vec<Vec<SliceShare>> {
    let mut solved: Vec<Vec<SliceShare>> =
        material.stored_sides().iter().map(|_| Vec::new()).collect();
    for columns in material.columns() {
        let shares = solver.solve_share(columns, &solved, ranks, &Silent).unwrap();
        solved.iter_mut().zip(shares).for_each(|(side, share)| side.push(share));
    }
    solved
}

fn read(values: &SliceValues) -> Vec<Value> {
    let mut distances = vec![Distance::DRAW; values.len() as usize];
    values.read(0, &mut distances).unwrap();
    distances.into_iter().map(Distance::value).collect()
}

/// Whether the shares of all ranks, in their order, make up the slices.
fn assert_are_shares_of(shares: &[Vec<Vec<SliceShare>>], slices: &[Vec<SliceValues>], what: &str) {
    for (side, of_side) in slices.iter().enumerate() {
        for (at, slice) in of_side.iter().enumerate() {
            let values = shares.iter().flat_map(|shares| read(shares[side][at].values()));
            assert!(values.eq(read(slice)), "{what}: side {side}, {} columns", at + 2);
        }
    }
}

#[test]
fn all_ranks_together_find_the_values_that_one_process_finds() {
    for rules in RuleSet::ALL {
        let materials = (2..=5u8).flat_map(|all| (1..all).map(move |black| (all - black, black)));
        for (white, black) in materials.filter(|(white, black)| white >= black) {
            let material: Material = format!("{white}-{black}").parse().unwrap();
            let solver = Solver::new(material, rules);
            let alone = solver.solve(&Silent).unwrap();
            for count in [1, 2, 3, 4, 7] {
                let solver = solver.clone().first_late_ply(if count == 3 { 6 } else { 190 });
                let solver = solver.resources(small());
                let shares = on_ranks(count, |ranks| solve(&solver, material, ranks));
                assert_are_shares_of(&shares, &alone, &format!("{material} {rules} on {count}"));
            }
        }
    }
}
