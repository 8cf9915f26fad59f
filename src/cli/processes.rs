//! The processes of a run: this one alone, or those that a launcher of MPI has begun together.

#[cfg(feature = "mpi")]
mod mpi;

use crate::failure::{Failure, Status};
use lasca_tablebase::processes::{Alone, Processes};
use std::env;

/// What launchers tell each process of a job: Open MPI; MPICH, Intel MPI and Slurm; and all that use PMIx.
const TOLD_BY_LAUNCHERS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

/// Whether a launcher of MPI has begun this process, maybe together with others.
pub fn are_launched() -> bool {
    cfg!(feature = "mpi") && TOLD_BY_LAUNCHERS.iter().any(|name| env::var_os(name).is_some())
}

/// Does work with all processes of this run. If it fails, it must do so on all of them: see [`on_all`].
/// Of these, only the first shows notes and progress.
pub fn together(
    work: impl FnOnce(&dyn Processes) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    #[cfg(feature = "mpi")]
    if are_launched() {
        return mpi::together(work);
    }
    work(&Alone)
}

/// Returns the result of this process if a step has succeeded on all of them. Otherwise the first that has
/// failed gets its failure, and the others learn of it.
pub fn on_all<T>(processes: &dyn Processes, mine: Result<T, Failure>) -> Result<T, Failure> {
    let own = match &mine {
        Err(failure) if !failure.is_elsewhere => failure.status.code().into(),
        _ => 0,
    };
    let all = numbers_of_all(processes, own)?;
    match all.iter().position(|&failed| failed != 0) {
        None => mine,
        Some(first) if first == processes.number() => {
            mine.map_err(|failure| match processes.count() {
                1 => failure,
                _ => failure.reworded(|why| format!("process {first}: {why}")),
            })
        }
        Some(first) => {
            let is_negative = all[first] == u64::from(Status::Negative.code());
            Err(Failure::elsewhere(if is_negative { Status::Negative } else { Status::Wrong }))
        }
    }
}

/// The numbers that the processes have, in their order.
pub fn numbers_of_all(processes: &dyn Processes, own: u64) -> Result<Vec<u64>, Failure> {
    let mut numbers = vec![0; processes.count()];
    numbers[processes.number()] = own;
    let all = processes.sum(&numbers);
    all.map_err(|error| Failure::system(format!("the processes cannot exchange data: {error}")))
}
