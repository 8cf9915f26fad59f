//! What a table has answers for, and which of two tables is used.

use super::Table;
use crate::index::Extent;

/// What a table has answers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coverage {
    pub extent: Extent,
    pub has_dtw: bool,
}

impl Coverage {
    /// Whether the table is preferred to another one of the same material: because it has distances, or, if
    /// that makes no difference, because it covers more columns.
    pub fn is_preferred_to(self, other: Coverage) -> bool {
        match (self.has_dtw, other.has_dtw) {
            (true, false) => true,
            (false, true) => false,
            _ => self.extent.includes(other.extent) && self.extent != other.extent,
        }
    }
}

impl Table {
    pub(crate) fn coverage(&self) -> Coverage {
        Coverage { extent: self.extent(), has_dtw: self.has_dtw() }
    }
}
