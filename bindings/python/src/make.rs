//! Making the tables that questions need.

use crate::interruptible::interruptible;
use crate::{Failure, Tables, Text, at_most, read_position, read_seconds, text};
use lasca_analysis::answer::json::ToMake;
use lasca_tablebase::generate::{MakeLimits, MakePlan};
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::Tablebase;
use pyo3::prelude::*;

/// What making a table may take.
pub(crate) fn limits(seconds: f64, memory: u64, threads: usize) -> Result<MakeLimits, Failure> {
    let (time, threads) = (read_seconds(seconds)?, at_most(threads));
    Ok(MakeLimits { time, memory, threads, ..MakeLimits::default() })
}

/// The plan for the table of a material, or for the one that a position of officers needs.
fn plan(
    tables: &Tablebase,
    of: &Text,
    columns: Option<usize>,
    limits: &MakeLimits,
) -> Result<Option<MakePlan>, Failure> {
    Ok(match of.0.parse::<Material>() {
        Ok(material) => {
            tables.plan_of(material, columns.unwrap_or_else(|| material.total()), limits)
        }
        Err(_) => tables.plan_for(&read_position(of)?, limits),
    })
}

/// What it takes to make a table; `None` if there is nothing to make. `make` makes it if that is within the limits.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
pub fn make(
    py: Python<'_>,
    tables: &Tables,
    of: Text,
    columns: Option<usize>,
    seconds: f64,
    memory: u64,
    threads: usize,
    make: bool,
) -> PyResult<Option<String>> {
    let (tables, limits) = (tables.open()?, limits(seconds, memory, threads)?);
    let Some(plan) = py.detach(|| plan(&tables, &of, columns, &limits))? else { return Ok(None) };
    let told = ToMake::from(&plan);
    if make && !plan.fits(&limits) {
        let ToMake { material, columns, seconds: time, memory: bytes, .. } = told;
        return Err(Failure::Argument(format!(
            "expected a table that takes at most {seconds} seconds and {memory} bytes of memory, found that {material} \
             with up to {columns} columns takes about {time} seconds and {bytes} bytes"
        ))
        .into());
    }
    if make {
        let made = interruptible(py, None, |progress| tables.make(&plan, progress).map(drop))?;
        made.map_err(Failure::Make)?;
    }
    text(&told).map(Some)
}
