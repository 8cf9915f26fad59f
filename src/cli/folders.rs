//! The folders of tables.

use crate::failure::Failure;
use clap::builder::{OsStringValueParser, TypedValueParser};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::RuleSet;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The environment variable that names the folders.
const VARIABLE: &str = "LASCA_TABLES";

/// The folder that is used if none is named.
const DEFAULT: &str = "tables";

/// The option for commands that use tables.
#[derive(Clone, Debug, clap::Args)]
pub struct Folders {
    /// The folder of tables; else LASCA_TABLES, else `tables`
    ///
    /// May be given several times, and may be a list of folders as in PATH: each table is taken
    /// from the first folder that has it. New tables are written to the first one.
    #[arg(long, value_name = "DIR", value_parser = OsStringValueParser::new().try_map(not_empty))]
    tables: Vec<OsString>,
}

impl Folders {
    /// The folders, at least one.
    pub fn paths(&self) -> Vec<PathBuf> {
        let split = |list: &OsString| -> Vec<PathBuf> {
            env::split_paths(list).filter(|path| !path.as_os_str().is_empty()).collect()
        };
        let mut paths: Vec<PathBuf> = self.tables.iter().flat_map(split).collect();
        if paths.is_empty() {
            paths = env::var_os(VARIABLE).as_ref().map(split).unwrap_or_default();
        }
        if paths.is_empty() {
            paths.push(PathBuf::from(DEFAULT));
        }
        paths
    }

    /// The folder that new tables are written to.
    pub fn first(&self) -> PathBuf {
        self.paths().swap_remove(0)
    }

    /// Opens all folders as one.
    pub fn open(&self, rules: RuleSet) -> Result<Tablebase, Failure> {
        Ok(Tablebase::open(&self.paths(), rules)?)
    }

    /// Opens each folder by itself, so that tables that an earlier folder hides are seen too.
    pub fn open_each(&self, rules: RuleSet) -> Result<Vec<Tablebase>, Failure> {
        self.paths().iter().map(|path| Ok(Tablebase::open(&[path], rules)?)).collect()
    }
}

/// A variable that a script forgot to set must not stand for the default folder.
fn not_empty(folder: OsString) -> Result<OsString, &'static str> {
    let names_one = env::split_paths(&folder).any(|path| !path.as_os_str().is_empty());
    if names_one { Ok(folder) } else { Err("expected a folder, found nothing") }
}
