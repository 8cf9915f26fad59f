//! Loading the values of tables into memory.

use super::{ProbeError, TableEntry, Tablebase};
use crate::capture_search::LoadedTable;
use crate::index::Material;
use crate::table::{FileKind, Table};
use crate::threads::Threads;
use std::collections::HashSet;
use std::num::NonZero;
use std::sync::PoisonError;

/// Which values [`Tablebase::load`] loads, and how much memory they may take.
///
/// ```
/// use lasca_tablebase::probe::Load;
/// let materials = Some(vec!["3-2".parse()?, "3-3".parse()?]);
/// let load = Load { materials, limit: 1 << 20, ..Load::default() };
/// assert!(!load.dtw);
/// # Ok::<(), lasca_tablebase::index::MaterialError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The materials to load. `None`, the default, stands for those of all tables under the rules of
    /// the tablebase.
    pub materials: Option<Vec<Material>>,
    /// Whether distances are loaded as well. The default is `false`.
    pub dtw: bool,
    /// How many bytes all loaded values of the tablebase may take, those that were loaded before
    /// included, and with them the pages of their files that are private, as `Access::Private` makes them:
    /// all of them are read. The default is no limit.
    pub limit: u64,
    /// How many threads work at once. `None`, the default, stands for as many as there are processors.
    pub threads: Option<NonZero<usize>>,
    #[doc(hidden)]
    pub _more: (),
}

impl Default for Load {
    fn default() -> Load {
        Load { materials: None, dtw: false, limit: u64::MAX, threads: None, _more: () }
    }
}

/// What [`Tablebase::load`] has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// The materials of which win, draw or loss is in memory now.
    pub wdl: Vec<Material>,
    /// The materials of which distances are in memory now.
    pub dtw: Vec<Material>,
    /// The materials that were asked for, and of which not everything fits the limit.
    pub left_out: Vec<Material>,
    /// How many bytes of memory all loaded values take at most, and the private pages of their files.
    pub bytes: u64,
    /// Why tables that were asked for could not be loaded, or only win, draw or loss of them. What is
    /// not loaded is answered from the files as before.
    pub errors: Vec<ProbeError>,
}

impl LoadReport {
    /// Loads win, draw or loss of a table, or its distances, if they fit the limit. Returns whether they are
    /// loaded now.
    fn load(&mut self, file: &TableEntry, table: &Table, kind: FileKind, load: &Load) -> bool {
        let bytes = if file.is_loaded(kind) { 0 } else { bytes_of(table, kind) };
        let sum = self.bytes.saturating_add(bytes);
        if bytes > 0 && sum > load.limit {
            self.left_out.push(file.material());
            return false;
        }
        let loaded = file.load(kind, Threads::new(load.threads));
        match loaded {
            Ok(()) => {
                let materials = match kind {
                    FileKind::Wdl => &mut self.wdl,
                    FileKind::Dtw => &mut self.dtw,
                };
                materials.push(file.material());
                self.bytes = sum;
            }
            Err(ref error) => self.errors.push(error.clone()),
        }
        loaded.is_ok()
    }
}

/// How many bytes of memory win, draw or loss of a table, or its distances, take once they are loaded: the
/// values, and the pages of their file that no other program shares.
fn bytes_of(table: &Table, kind: FileKind) -> u64 {
    LoadedTable::bytes_of(table, kind) + table.private_bytes_of(kind)
}

impl TableEntry {
    /// Whether win, draw or loss is loaded, or distances are.
    fn is_loaded(&self, kind: FileKind) -> bool {
        match kind {
            FileKind::Wdl => self.loaded().get().is_some(),
            FileKind::Dtw => self.loaded_with_distances().is_some(),
        }
    }

    /// Loads win, draw or loss, and then distances if they are asked for, unless that was done before.
    fn load(&self, kind: FileKind, threads: Threads) -> Result<(), ProbeError> {
        let failed = |error| self.error(error);
        let loaded = match self.loaded().get() {
            Some(loaded) => loaded,
            None => {
                let loaded = LoadedTable::load(self.wdl_table()?, threads).map_err(failed)?;
                self.loaded().get_or_init(|| loaded)
            }
        };
        if !self.is_loaded(kind) {
            loaded.load_distances(self.table()?, threads).map_err(failed)?;
        }
        Ok(())
    }

    /// How many bytes of memory the loaded values take.
    fn loaded_bytes(&self) -> u64 {
        let Some(table) = self.open_table() else { return 0 };
        let loaded = FileKind::ALL.into_iter().filter(|&kind| self.is_loaded(kind));
        loaded.map(|kind| bytes_of(table, kind)).sum()
    }
}

impl Tablebase {
    /// Decodes tables into memory. Win, draw or loss takes two bits for each position, up to the symmetries
    /// of the board, and distances take a byte more (those of 253 plies or more that are stored take seventeen).
    /// All answers stay the same. They come several times as fast, because a probe mostly has to look up the
    /// value. This is worth its time and memory for a program that asks for many thousands of positions, such
    /// as an engine.
    ///
    /// The values that a table does not store are those of captures, and half of the distances. Each of them
    /// is worked out from the others when it is first asked for, which takes longer, and is then kept
    /// too: the memory for it is there from the beginning. Only a distance of 253 plies or more that is not
    /// stored is worked out each time.
    ///
    /// The tables with the fewest positions come first, and of each table win, draw or loss before
    /// distances. What does not fit the limit is left out, and answered from the files as before; so is
    /// a table that cannot be loaded. To have win, draw or loss of all tables before any distances, call
    /// this twice. While a table is loaded, every byte of its file is checked against the
    /// file's checksums. Whether its values fit each other is not checked: if they do not, a probe finds
    /// the same contradiction as without loading. Other threads can ask meanwhile. If another thread is loading,
    /// through this tablebase or one that shares tables with it, such as a clone, this waits for it. So the
    /// limit is kept, and nothing is decoded twice.
    ///
    /// What is loaded stays until the tablebase is dropped. Tables that were loaded before are not
    /// loaded again.
    ///
    /// ```
    /// use lasca_tablebase::Wdl;
    /// use lasca_tablebase::probe::{Load, Tablebase};
    /// use lasca_tablebase::rules::RuleSet;
    /// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
    /// let report = tables.load(&Load { limit: 16 << 20, ..Load::default() });
    /// assert!(report.errors.is_empty() && report.left_out.is_empty());
    /// assert_eq!(report.wdl.len(), tables.tables().len());
    /// assert_eq!(tables.wdl(&"a1WW b2BB w".parse()?)?, Wdl::Win);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load(&self, load: &Load) -> LoadReport {
        // A load that ended in a panic has kept nothing half done.
        let _alone = self.0.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let mut report = LoadReport::default();
        let mut materials: Vec<Material> = match &load.materials {
            None => self.of_own_rules().map(TableEntry::material).collect(),
            Some(materials) => materials.iter().map(|material| material.normalized()).collect(),
        };
        let mut seen = HashSet::new();
        materials.retain(|&material| seen.insert(material));
        let mut chosen = Vec::new();
        for material in materials {
            match self.file_of(material).and_then(|file| Ok((file.wdl_table()?, file))) {
                Ok(found) => chosen.push(found),
                Err(error) => report.errors.push(error),
            }
        }
        chosen.sort_by_key(|(table, _)| table.positions());
        report.bytes = self.tables().into_iter().map(TableEntry::loaded_bytes).sum();
        for (table, file) in chosen {
            let kinds = if load.dtw { &FileKind::ALL[..] } else { &[FileKind::Wdl] };
            for &kind in kinds {
                if !report.load(file, table, kind, load) {
                    break;
                }
            }
        }
        report
    }
}
