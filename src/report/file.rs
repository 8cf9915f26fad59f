//! Saving a page as a file.

use crate::durable::{NewFile, check_target};
use std::io::{self, Write};
use std::path::Path;

/// Saves a page as the file `path`, which stands under its name with all its text or not at all.
/// Check [`check_target`] first to learn before the work whether this can be done.
///
/// # Errors
/// If the file cannot be written; then what stood under the name is unchanged.
pub fn save(path: &Path, page: &str) -> io::Result<()> {
    check_target(path)?;
    let mut file = NewFile::create(path)?;
    file.write_all(page.as_bytes())?;
    file.put_in_place()?;
    Ok(())
}
