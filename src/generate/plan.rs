//! What a generation will take, before it starts.

use crate::index::{Material, OccupiedSets, SliceIndex};

/// What generating one material takes.
///
/// ```
/// use lasca_tablebase::generate::Plan;
/// let plan = Plan::new("4-3".parse().unwrap());
/// assert_eq!(plan.slices.len(), 6);
/// assert!(plan.memory() > plan.positions());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The material.
    pub material: Material,
    /// Its slices in the order in which they are solved.
    pub slices: Vec<SlicePlan>,
}

/// What solving one slice takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlicePlan {
    /// The number of columns.
    pub columns: usize,
    /// Positions to store, folded, all stored sides to move.
    pub positions: u64,
    /// Bytes of memory that the program will hold while it solves the slice.
    pub memory: u64,
}

/// What the program holds whatever it does: code, threads, buffers.
const BASE_MEMORY: u64 = 12 << 20;

impl Plan {
    /// The plan for one material.
    pub fn new(material: Material) -> Plan {
        let mut slices = Vec::new();
        let (mut kept, mut sets) = (0, 0);
        for columns in material.columns() {
            let positions: u64 = material
                .stored_sides()
                .iter()
                .filter_map(|&side| {
                    let (mover, other) = (material.counters(side), material.counters(!side));
                    SliceIndex::folded_positions(mover, other, columns)
                })
                .sum();
            // One byte a position, for this slice and for those below, which its takes lead to.
            kept += positions;
            sets += OccupiedSets::memory_of(columns, true);
            let waiting = crate::solve::waiting_memory(positions);
            let memory = BASE_MEMORY + kept + sets + transitions_memory(columns) + waiting;
            slices.push(SlicePlan { columns, positions, memory });
        }
        Plan { material, slices }
    }

    /// Positions to store, folded, all stored sides to move.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.positions).sum()
    }

    /// Bytes of memory at the most.
    pub fn memory(&self) -> u64 {
        self.slices.iter().map(|slice| slice.memory).max().unwrap_or(0)
    }
}

/// Bytes for the quiet moves from block to block: eight for each column and direction of a block.
fn transitions_memory(columns: usize) -> u64 {
    OccupiedSets::blocks_of(columns) * columns as u64 * 4 * 8
}
