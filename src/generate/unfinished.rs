//! What runs that did not end have saved.

use super::error::io_error;
use super::work::Work;
use super::{GenerateError, Generator};
use crate::Progress;
use crate::index::{Extent, Material};
use crate::retrograde::saved_positions;
use crate::rules::RuleSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use std::{fs, io};

/// What earlier runs have saved of a table that is not made yet. The next run goes on from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// The material.
    pub material: Material,
    /// The rule set.
    pub rules: RuleSet,
    /// The most columns of a position of which something is saved; `None` if this version can use nothing of it.
    pub columns: Option<usize>,
    /// How many positions need not be solved again.
    pub positions: u64,
    /// The bytes of all files.
    pub bytes: u64,
    /// When it was last saved.
    pub saved: SystemTime,
}

impl Unfinished {
    /// What is saved in a folder of tables, in the order of rule sets and materials. What cannot be read is left out.
    ///
    /// ```
    /// use lasca_tablebase::generate::Unfinished;
    /// assert_eq!(Unfinished::in_folder("tables"), []);
    /// ```
    pub fn in_folder(folder: impl AsRef<Path>) -> Vec<Unfinished> {
        let folder = folder.as_ref();
        let entries = fs::read_dir(Work::all_in(folder)).into_iter().flatten().flatten();
        let of = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let (rules, material) = name.split_once('-')?;
            let (rules, material) = (rules.parse().ok()?, material.parse::<Material>().ok()?);
            let all = Extent::bounded(material, *material.columns().end()).ok()?;
            Work::new(folder, &[], all, rules).unfinished()
        };
        let mut found: Vec<Unfinished> = entries.filter_map(of).collect();
        found.sort_by_key(|of| (of.rules.id(), of.material.total(), of.material.black()));
        found
    }
}

/// Whether it is sure that no other run works in the folder.
struct Alone(AtomicBool);

impl Progress for Alone {
    fn not_locked(&self, _: &Path, _: &io::Error) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Work<'_> {
    /// What is saved of the slices that are wanted.
    fn unfinished(&self) -> Option<Unfinished> {
        let (material, rules) = (self.material, self.rules);
        let sides = material.stored_sides();
        let saved = |columns| {
            let note = self.slice_path(columns);
            let saved = fs::metadata(&note).and_then(|of| of.modified()).ok()?;
            let all = sides.len() as u64 * material.slice(sides[0], columns).positions();
            Some((columns, saved_positions(&note, all)?, saved))
        };
        let slices: Vec<(usize, u64, SystemTime)> =
            self.extent.columns().filter_map(saved).collect();
        let columns = slices.last().map(|&(columns, ..)| columns);
        let positions = slices.iter().map(|&(_, positions, _)| positions).sum();
        let saved = slices.iter().map(|&(.., saved)| saved).max();
        let begun = || fs::metadata(&self.folder).and_then(|of| of.modified()).ok();
        let (saved, bytes) = (saved.or_else(begun)?, self.bytes());
        let unfinished = Unfinished { material, rules, columns, positions, bytes, saved };
        (bytes > 0).then_some(unfinished)
    }

    /// How many bytes the files of the work folder have.
    fn bytes(&self) -> u64 {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
    }
}

impl Generator {
    /// What earlier runs have saved of the table of `material` that this generator would make; `None` if nothing.
    ///
    /// # Errors
    /// If there is no table with this column bound.
    ///
    /// ```
    /// use lasca_tablebase::generate::Generator;
    /// use lasca_tablebase::rules::RuleSet;
    /// let generator = Generator::new("new-tables", RuleSet::Lasca);
    /// assert_eq!(generator.unfinished("4-3".parse()?)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unfinished(&self, material: Material) -> Result<Option<Unfinished>, GenerateError> {
        Ok(self.work_on(material)?.unfinished())
    }

    /// Removes what earlier runs have saved of `material`, for all numbers of columns, and what was set aside. Returns
    /// how many bytes its files had; `None` if another run works on the material now.
    ///
    /// # Errors
    /// If there is no table with this column bound, the files cannot be removed, or the file system has no locks, so
    /// that other runs cannot be noticed.
    ///
    /// ```
    /// use lasca_tablebase::generate::Generator;
    /// use lasca_tablebase::rules::RuleSet;
    /// let generator = Generator::new("new-tables", RuleSet::Lasca);
    /// assert_eq!(generator.discard("4-3".parse()?)?, Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn discard(&self, material: Material) -> Result<Option<u64>, GenerateError> {
        let work = self.work_on(material)?;
        if !work.folder.exists() {
            return Ok(Some(0));
        }
        let is_alone = Alone(AtomicBool::new(true));
        let Some(lock) = work.try_lock(&is_alone)? else { return Ok(None) };
        if !is_alone.0.into_inner() {
            let why = "its file system has no locks, so that another run could be at work in it";
            let error = io::Error::new(io::ErrorKind::Unsupported, why);
            return Err(io_error("removing", &work.folder)(error));
        }
        let bytes = work.bytes();
        work.remove_all().map_err(io_error("removing", &work.folder))?;
        drop(lock);
        Ok(Some(bytes))
    }
}
