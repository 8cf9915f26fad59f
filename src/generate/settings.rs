//! What a generator was asked for.

use super::Interval;
use crate::rules::RuleSet;
use std::path::PathBuf;

/// How tables are generated, and where.
#[derive(Clone, Debug)]
pub(super) struct GeneratorSettings {
    /// The folder that tables are written to.
    pub(super) folder: PathBuf,
    /// Other folders in which tables may be.
    pub(super) others: Vec<PathBuf>,
    /// The rules.
    pub(super) rules: RuleSet,
    /// The column bound of tables; `None` if all tables are whole.
    pub(super) max_columns: Option<usize>,
    /// How many bytes of memory may be used; `None` for as many as make it faster.
    pub(super) memory_limit: Option<u64>,
    /// How often the state of the slice in work is saved.
    pub(super) interval: Interval,
}
