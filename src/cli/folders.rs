//! The option that names the folders of tables.

use crate::failure::Failure;
use crate::hints::default_folders;
use lasca_tablebase::probe::{Options, Tablebase};
use lasca_tablebase::rules::RuleSet;
use std::path::PathBuf;
use std::{env, fs};

/// The environment variable that names the folders if the option does not.
const VARIABLE: &str = "LASCA_TABLES";

/// The option itself.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Folders {
    /// The folder of tables [default: LASCA_TABLES, or `tables`, or one for your data]
    ///
    /// The option can be given several times. New tables are written to the first folder. docs/COMMANDS.md says where
    /// tables are without the option, and which one is used of several.
    #[arg(short, long, global = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    tables: Vec<PathBuf>,

    /// Leave out the tables inside the program
    ///
    /// Only the tables in folders are used then. This is for comparing and testing.
    #[arg(long, global = true, overrides_with = "no_included")]
    #[cfg_attr(
        not(feature = "included"),
        allow(dead_code, reason = "there is nothing to leave out")
    )]
    no_included: bool,
}

impl Folders {
    /// The folders that the option names, or else the variable, as a list like `PATH`; none if neither is there.
    pub fn named(&self) -> Vec<PathBuf> {
        if !self.tables.is_empty() {
            return self.tables.clone();
        }
        let listed = env::var_os(VARIABLE).unwrap_or_default();
        env::split_paths(&listed).filter(|folder| !folder.as_os_str().is_empty()).collect()
    }

    /// The folders. There is at least one.
    pub fn paths(&self) -> Vec<PathBuf> {
        let named = self.named();
        if named.is_empty() { default_folders() } else { named }
    }

    /// The folders to read. A default folder is passed over if it cannot be read, because nobody named it.
    pub fn readable(&self) -> Vec<PathBuf> {
        let mut paths = self.paths();
        if self.named().is_empty() {
            paths.retain(|path| fs::read_dir(path).is_ok());
        }
        paths
    }

    /// Opens what answers questions: all folders as one, and the tables inside the program. The default folders
    /// need not be there.
    pub fn open(&self, rules: RuleSet) -> Result<Tablebase, Failure> {
        self.open_with(Tablebase::options(rules))
    }

    /// The same in some way.
    pub fn open_with(&self, options: Options) -> Result<Tablebase, Failure> {
        let mut tables = self.included(options);
        for path in self.readable() {
            tables.add_directory(path)?;
        }
        Ok(tables)
    }

    /// The folders whose files are checked. One of the default folders must be there.
    pub fn to_check(&self) -> Vec<PathBuf> {
        let readable = self.readable();
        if readable.is_empty() { self.paths() } else { readable }
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
