//! The files of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All files of a folder by name.
///
/// # Panics
/// If there is a folder in it, or something that cannot be read.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}
