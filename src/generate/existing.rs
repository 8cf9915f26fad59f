//! What stands where a table is looked for, and whether it may be overwritten.

use super::GenerateError;
use crate::index::Extent;
use crate::rules::RuleSet;
use crate::table::{Access, FileKind, Table, TableError, identity_of_file};
use std::io;
use std::path::Path;

/// The table of which the WDL file is at `path`, if it is whole and sound, with distances, and holds all
/// positions that are wanted. `None` if nothing is there, or something else, or what is damaged.
///
/// # Errors
/// If the files cannot be read: they may be sound.
pub fn sound_table(
    path: &Path,
    wanted: Extent,
    rules: RuleSet,
) -> Result<Option<Table>, GenerateError> {
    // So no change of the files can end the program. Checking reads each page once and keeps none.
    let opened = Table::open_with(path, Access::Private);
    let checked = opened.and_then(|table| {
        let is_wanted =
            table.rules() == rules && table.extent().includes(wanted) && table.has_dtw();
        let is_whole = is_wanted && table.check_whole().is_ok();
        if is_whole {
            table.check_bytes()?;
        }
        Ok(is_whole.then_some(table))
    });
    match checked {
        Ok(table) => Ok(table),
        Err(error) if is_missing(&error) || !error.is_unreadable() => Ok(None),
        Err(error) => {
            let path = path.with_extension(error.kind().extension());
            Err(GenerateError::Work { path, error })
        }
    }
}

/// Checks that a table may be written to `path` and its DTW file beside it: there is nothing, or only
/// what is damaged or belongs to this table and covers no more columns.
///
/// # Errors
/// If one of the files is of another format version, is a sound one of another table or of more
/// columns, or cannot be read.
pub fn check_may_be_written(
    path: &Path,
    wanted: Extent,
    rules: RuleSet,
) -> Result<(), GenerateError> {
    for kind in FileKind::ALL {
        let path = path.with_extension(kind.extension());
        match identity_of_file(&path, kind) {
            Ok(found) if found.1 != rules || !wanted.includes(found.0) => {
                return Err(GenerateError::OtherTable { path, wanted: (wanted, rules), found });
            }
            Err(error)
                if !is_missing(&error) && (error.is_unreadable() || error.is_of_version()) =>
            {
                return Err(GenerateError::Work { path, error });
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_missing(error: &TableError) -> bool {
    matches!(error, TableError::Unreadable { kind: io::ErrorKind::NotFound, .. })
}
