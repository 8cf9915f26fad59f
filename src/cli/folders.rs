//! The option that names the folders of tables.

use crate::failure::Failure;
use crate::hints::default_folders;
use clap::builder::{OsStringValueParser, TypedValueParser};
use lasca_tablebase::Reason;
use lasca_tablebase::probe::{Options, Tablebase};
use lasca_tablebase::rules::RuleSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::{env, fs};

/// The environment variable that names the folders if the option does not.
const VARIABLE: &str = "LASCA_TABLES";

/// The option itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Folders {
    /// The folder of tables [default: LASCA_TABLES, or `tables`, or one for your data]
    ///
    /// The option can be given several times. A name that is no folder can be a list of folders as in PATH; all of
    /// them must be there. New tables are written to the first folder. docs/COMMANDS.md says where tables are
    /// without the option, and which one is used of several.
    #[arg(short, long, global = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath,
        value_parser = OsStringValueParser::new().try_map(not_empty))]
    tables: Vec<OsString>,

    /// Leave out the tables inside the program
    ///
    /// Only the tables in folders are used then. This is for comparing and testing.
    #[arg(long, global = true)]
    #[cfg_attr(
        not(feature = "included"),
        allow(dead_code, reason = "there is nothing to leave out")
    )]
    no_included: bool,
}

impl Folders {
    /// What names the folders: the values of the option, or else of the variable; none if neither is there.
    pub fn named(&self) -> Vec<OsString> {
        let by_variable = || env::var_os(VARIABLE).filter(|list| !list.is_empty());
        match self.tables.is_empty() {
            true => by_variable().into_iter().collect(),
            false => self.tables.clone(),
        }
    }

    /// The folders. There is at least one.
    ///
    /// # Errors
    /// If a list names a folder that is not there.
    pub fn paths(&self) -> Result<Vec<PathBuf>, Failure> {
        let named: Vec<Vec<PathBuf>> =
            self.named().iter().map(|name| folders_of(name)).collect::<Result<_, _>>()?;
        let paths = named.concat();
        Ok(if paths.is_empty() { default_folders() } else { paths })
    }

    /// The folders to read. A default folder is passed over if it cannot be read, because nobody named it.
    pub fn readable(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut paths = self.paths()?;
        if self.named().is_empty() {
            paths.retain(|path| fs::read_dir(path).is_ok());
        }
        Ok(paths)
    }

    /// Opens what answers questions: all folders as one, and the tables inside the program. The default folders
    /// need not be there.
    pub fn open(&self, rules: RuleSet) -> Result<Tablebase, Failure> {
        self.open_with(Tablebase::options(rules))
    }

    /// The same in some way.
    pub fn open_with(&self, options: Options) -> Result<Tablebase, Failure> {
        let mut tables = self.included(options);
        for path in self.readable()? {
            tables.add_directory(path)?;
        }
        Ok(tables)
    }

    /// The folders whose files are checked. One of the default folders must be there.
    pub fn to_check(&self) -> Result<Vec<PathBuf>, Failure> {
        let readable = self.readable()?;
        if readable.is_empty() { self.paths() } else { Ok(readable) }
    }

    /// The tables inside the program, unless it was built without them or they are to be left out.
    pub fn included(&self, options: Options) -> Tablebase {
        #[cfg_attr(not(feature = "included"), expect(unused_mut, reason = "nothing is added"))]
        let mut tables = options.empty();
        #[cfg(feature = "included")]
        if !self.no_included {
            tables.add_included();
        }
        tables
    }
}

/// Opens each of these folders on its own, so that no table hides the same table in a later folder.
pub fn open_each(folders: &[PathBuf], rules: RuleSet) -> Result<Vec<Tablebase>, Failure> {
    folders.iter().map(|path| Ok(Tablebase::open(path, rules)?)).collect()
}

/// The folders that a name stands for. If there is a folder of this name, or if the name cannot be a list, it is
/// this folder. Otherwise it is a list of folders, which must be there.
fn folders_of(name: &OsStr) -> Result<Vec<PathBuf>, Failure> {
    if PathBuf::from(name).is_dir() {
        return Ok(vec![name.into()]);
    }
    let mut listed: Vec<PathBuf> = env::split_paths(name).collect();
    if listed.len() > 1 {
        listed.retain(|folder| !folder.as_os_str().is_empty());
        if let Some(missing) = listed.iter().find(|folder| !folder.exists()) {
            let why = format!(
                "there is no folder `{}`, and as a list of folders it names `{}`, which is not there",
                name.display(),
                missing.display()
            );
            return Err(Failure::negative(Reason::Unreadable, why)
                .with_hint("make the folder first, or give --tables once for each folder"));
        }
    }
    Ok(listed)
}

/// An empty name is an error, because it may come from a variable that a script forgot to set.
fn not_empty(folder: OsString) -> Result<OsString, &'static str> {
    let names_one = env::split_paths(&folder).any(|path| !path.as_os_str().is_empty());
    if names_one { Ok(folder) } else { Err("expected a folder, found nothing") }
}
