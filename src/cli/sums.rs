//! `SHA256SUMS`: the list of the tables that a folder was shipped with.

use crate::failure::Failure;
use crate::hints;
use lasca_tablebase::Reason;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::TableEntry;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use sha2::{Digest, Sha256};
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The name of the list, which `sha256sum --check` reads too.
pub const NAME: &str = "SHA256SUMS";

/// The files of tables that the list of a folder names.
#[derive(Debug)]
pub struct Sums {
    folder: PathBuf,
    /// The name of each file, and its sum.
    files: Vec<(String, String)>,
    /// The files of tables in other folders, as the list names them.
    elsewhere: Vec<String>,
}

impl Sums {
    /// Reads the list of a folder. A folder without a list names no files.
    ///
    /// # Errors
    /// If the list cannot be read, a line of it is not the sum and the name of a file, or two lines
    /// contradict each other.
    pub fn read(folder: &Path) -> Result<Sums, Failure> {
        let path = folder.join(NAME);
        let wrong = |why: &dyn Display| Failure::system(format!("{}: {why}", path.display()));
        let text = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            // Reading a pipe would wait for ever.
            Ok(found) if !found.is_file() => return Err(wrong(&"expected a regular file")),
            _ => fs::read_to_string(&path).map_err(|error| wrong(&error))?,
        };
        let (mut files, mut elsewhere) = (Vec::<(String, String)>::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let Some((sum, name)) = entry(line) else {
                return Err(Failure::system(format!(
                    "{}, line {}: expected a SHA-256 of 64 digits, two spaces and the name of a file, \
                     found {line:?}",
                    path.display(),
                    number + 1
                )));
            };
            if hints::named_table(Path::new(name)).is_none() {
                continue;
            }
            // Tables lie in the folder itself.
            if Path::new(name).file_name().is_none_or(|of_file| of_file != name) {
                elsewhere.push(name.to_owned());
                continue;
            }
            let sum = sum.to_ascii_lowercase();
            if files.iter().any(|(listed, of_listed)| listed == name && *of_listed != sum) {
                return Err(Failure::system(format!(
                    "{}, line {}: expected the sum of {name} that is further up in the list, found another",
                    path.display(),
                    number + 1
                )));
            }
            files.push((name.to_owned(), sum));
        }
        Ok(Sums { folder: folder.to_owned(), files, elsewhere })
    }

    /// Says which tables in other folders the list names, if it names any.
    pub fn about_elsewhere(&self) -> Option<String> {
        let list = self.folder.join(NAME);
        let names = || self.elsewhere.join(", ");
        (!self.elsewhere.is_empty()).then(|| {
            format!(
                "{} names tables in other folders, which are not checked: {}",
                list.display(),
                names()
            )
        })
    }

    /// The names in the list of files that the folder does not hold.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let names = self.files.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !self.folder.join(name).exists())
    }

    /// The tables of which the list names files and the folder does not hold the first one.
    pub fn missing_tables(&self) -> impl Iterator<Item = (Material, RuleSet)> {
        let is_first =
            |path: &&Path| path.extension().is_some_and(|of| of == FileKind::Wdl.extension());
        self.missing().map(Path::new).filter(is_first).filter_map(hints::named_table)
    }

    /// The folder of the list.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the files of a table are those that the list names, or how they differ; `None` if the
    /// list names none of them, or the table lies in another folder.
    pub fn check(&self, table: &TableEntry) -> Option<Result<(), Failure>> {
        let named = FileKind::ALL.into_iter().filter_map(|kind| {
            let path = table.path_of(kind)?;
            let (_, sum) = self.files.iter().find(|(name, _)| self.folder.join(name) == path)?;
            Some((sum, path))
        });
        named
            .map(|(sum, path)| match sum_of(&path) {
                Ok(found) if found == *sum => Ok(()),
                Ok(_) => {
                    let why = format!("{} is not the file that {NAME} names", path.display());
                    Err(Failure::negative(Reason::NotAsListed, why))
                }
                Err(error) => {
                    Err(Failure::system(format!("{}, which {NAME} names: {error}", path.display())))
                }
            })
            .reduce(Result::and)
    }
}

/// The sum and the name of the file in a line of the list.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (sum, name) = line.split_once(' ')?;
    let name = name.strip_prefix([' ', '*'])?;
    let is_sum = sum.len() == 64 && sum.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_sum.then_some((sum, name.strip_prefix("./").unwrap_or(name)))
}

fn sum_of(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(format!("{:x}", hasher.finalize()))
}
