//! What is the same for a table in files and for one in memory: all slices are solved, and then added to the table.

use super::error::GenerateError;
use super::plan::{Plan, SlicePlan};
use crate::Progress;
use crate::clock::Instant;
use crate::forward::captures_end;
use crate::processes::{Processes, StepFailure};
use crate::retrograde::{Checkpoints, Resources, SliceSolver, SolvedSlice};
use crate::rules::RuleSet;
use crate::table::{Spread, TableWriter};
use crate::values::SliceShare;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Why a run has failed on this process or on another one.
pub(super) type Failure = StepFailure<GenerateError>;

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        StepFailure::Own(error)
    }
}

/// For each stored side to move, the shares of its slices.
pub(super) type Shares = Vec<Vec<SliceShare>>;

/// What a process has of the solved slices.
pub(super) struct Solved {
    pub shares: Shares,
    /// How many positions were solved now, not read from what was saved before.
    pub positions: u64,
    /// How long that took.
    pub time: Duration,
}

/// Solves the share of this process of all slices of a plan. Scratch files are in `folder`, and each slice is saved as
/// `checkpoints` says for its number of columns.
pub(super) fn solve(
    plan: &Plan,
    rules: RuleSet,
    folder: &Path,
    processes: &dyn Processes,
    progress: &dyn Progress,
    checkpoints: impl Fn(usize) -> Option<Checkpoints>,
) -> Result<Solved, Failure> {
    let material = plan.extent.material();
    let shares = material.stored_sides().iter().map(|_| Vec::new()).collect();
    let mut all = Solved { shares, positions: 0, time: Duration::ZERO };
    for (i, &SlicePlan { columns, positions, .. }) in plan.slices.iter().enumerate() {
        let resources =
            Resources { checkpoints: checkpoints(columns), ..plan.resources(i, folder) };
        let solver = SliceSolver::new(material, rules).resources(resources);
        let begun = Instant::now();
        let solved = solver.solve_share(columns, &all.shares, processes, progress);
        let SolvedSlice { shares, is_new } = solved.map_err(|failure| match failure {
            StepFailure::Own(error) => {
                StepFailure::Own(GenerateError::Solve { material, columns, error })
            }
            StepFailure::OnProcess(process) => StepFailure::OnProcess(process),
            StepFailure::Stopped => StepFailure::Stopped,
            StepFailure::Exchange(error) => StepFailure::Exchange(error),
        })?;
        if is_new {
            all.positions += positions;
            all.time += begun.elapsed();
        }
        all.shares.iter_mut().zip(shares).for_each(|(side, share)| side.push(share));
    }
    Ok(all)
}

/// Adds all slices of a plan to a table.
///
/// # Errors
/// If the table cannot be written; of the kind [`io::ErrorKind::Interrupted`] if the work shall stop.
pub(super) fn add<'r>(
    writer: TableWriter<'r>,
    plan: &Plan,
    rules: RuleSet,
    shares: &Shares,
    progress: &dyn Progress,
) -> io::Result<TableWriter<'r>> {
    let material = plan.extent.material();
    let sides = material.stored_sides();
    let mut writer = writer.chunks_at_once(plan.chunks_at_once).sample_bytes(plan.sample_bytes);
    for (at, columns) in plan.extent.columns().enumerate() {
        progress.slice_writing(material, columns);
        let captures_end = captures_end(material, columns, rules);
        let slices = sides
            .iter()
            .zip(shares)
            .map(|(&side, shares)| Spread::of_share(material.slice(side, columns), &shares[at]));
        writer.add(slices.collect(), captures_end, progress)?;
    }
    Ok(writer)
}
