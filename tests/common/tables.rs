//! Tables as bytes: written, read and tampered with.

use super::ROOT;
use lasca_tablebase::generate::Generator;
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::internals::{SliceSolver, SliceValues};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::processes::Alone;
use lasca_tablebase::rules::{Color, OfficerPosition, RuleSet};
use lasca_tablebase::table::{
    FileKind, NewTable, Spread, Table, TableError, TableWriter, file_name,
};
use lasca_tablebase::{Silent, Value, Wdl};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// For each stored side to move, its slices from two columns on.
pub type Slices = Vec<Vec<SliceValues>>;

/// A folder with copies of the tables that ship, in `tables`, and of `tests`. The folder of the source may
/// have more tables, which somebody has made.
pub fn clone() -> &'static Path {
    static CLONE: LazyLock<PathBuf> = LazyLock::new(|| {
        extern "C" fn remove() {
            let _ = fs::remove_dir_all(&*CLONE);
        }
        let (root, clone) = (Path::new(ROOT), tempfile::tempdir().unwrap().keep());
        fs::create_dir(clone.join("tables")).unwrap();
        let sums = fs::read_to_string(root.join("tables/SHA256SUMS")).unwrap();
        let names = sums.lines().map(|line| line.split_once("  ").unwrap().1);
        for name in names.chain(["SHA256SUMS"]) {
            fs::copy(root.join("tables").join(name), clone.join("tables").join(name)).unwrap();
        }
        for name in ["tests/data", "tests/studies"] {
            fs::create_dir_all(clone.join(name)).unwrap();
            for entry in fs::read_dir(root.join(name)).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, clone.join(name).join(path.file_name().unwrap())).unwrap();
            }
        }
        // SAFETY: what it registers does not panic.
        assert_eq!(unsafe { libc::atexit(remove) }, 0);
        clone
    });
    &CLONE
}

/// The folder of the tables that ship.
pub fn shipped() -> &'static Path {
    static TABLES: LazyLock<PathBuf> = LazyLock::new(|| clone().join("tables"));
    &TABLES
}

/// The tables that ship, opened.
pub fn shipped_tables() -> Tablebase {
    Tablebase::open(shipped(), RuleSet::Lasca).unwrap()
}

/// A folder with the tables of these materials under these rules, which this process makes once, or a few times if several
/// tests ask for them at once.
pub fn generated(materials: &[&str], rules: RuleSet) -> TempDir {
    static MADE: LazyLock<Mutex<HashMap<(Material, RuleSet), Files>>> =
        LazyLock::new(Mutex::default);
    let folder = tempfile::tempdir().unwrap();
    for of in materials.iter().copied().map(material) {
        // Nobody waits while a table is made: several threads may make the same one.
        let made = MADE.lock().unwrap().get(&(of, rules)).cloned();
        let files = made.unwrap_or_else(|| {
            Generator::new(folder.path(), rules).generate(of, &Silent).unwrap();
            Files::read(folder.path(), of, rules)
        });
        files.put(folder.path(), of, rules);
        MADE.lock().unwrap().insert((of, rules), files);
    }
    folder
}

/// Makes the table of a material with at most so many columns in a folder.
pub fn generate_bounded(folder: &Path, of: &str, rules: RuleSet, max_columns: usize) {
    let generator = Generator::new(folder, rules).max_columns(max_columns);
    let made = generator.generate(material(of), &Silent).unwrap();
    assert!(!made.was_there);
    assert_eq!(made.extent, Extent::bounded(material(of), max_columns).unwrap());
}

/// A folder with copies of these tables that ship.
pub fn copies_of(materials: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for of in materials {
        Files::shipped(of).put(folder.path(), material(of), RuleSet::Lasca);
    }
    folder
}

/// A folder with the WDL file of a table that ships and nothing else, opened.
pub fn without_distances(of: &str) -> (TempDir, Tablebase) {
    let folder = copies_of(&[of]);
    let dtw = file_name(material(of), RuleSet::Lasca, FileKind::Dtw);
    fs::remove_file(folder.path().join(dtw)).unwrap();
    let tables = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    (folder, tables)
}

/// Reads a material.
///
/// # Panics
/// If the text is none.
pub fn material(text: &str) -> Material {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

/// All positions of a material.
pub fn whole(material: Material) -> Extent {
    Extent::whole(material).unwrap()
}

/// All materials of at most so many counters, the first side having no fewer.
pub fn materials_up_to(total: usize) -> impl Iterator<Item = Material> {
    (2..=total).flat_map(Material::with_total)
}

/// The values of a material.
pub fn solve(material: Material, rules: RuleSet) -> Slices {
    SliceSolver::new(material, rules).solve().unwrap()
}

/// Positions of each slice of an extent, with their side to move: all of them, or if there are more than
/// `most`, so many at equal distances.
pub fn positions_in(extent: Extent, most: u64) -> impl Iterator<Item = (Color, OfficerPosition)> {
    let material = extent.material();
    let slices = move |&side: &Color| extent.columns().map(move |columns| (side, columns));
    material.stored_sides().iter().flat_map(slices).flat_map(move |(side, columns)| {
        let index = material.slice(side, columns);
        let all = index.positions();
        let count = all.min(most);
        (0..count).map(move |i| (side, index.position(i * all / count)))
    })
}

/// Writes these values into a folder as the table of a material. It is bounded if slices of many columns
/// are left out. `captures_end` says of which numbers of columns no value of a capture position is stored.
pub fn write_table(
    folder: &Path,
    (material, rules): (Material, RuleSet),
    slices: &Slices,
    captures_end: impl Fn(usize) -> bool,
) {
    let extent = Extent::bounded(material, 1 + slices[0].len()).unwrap();
    let table = NewTable { folder, temporary: folder, extent, rules };
    let mut writer = TableWriter::create(&Alone, table).unwrap();
    for columns in extent.columns() {
        let sides = material.stored_sides().iter().zip(slices).map(|(&side, slices)| {
            Spread::whole(material.slice(side, columns), &slices[columns - 2])
        });
        writer.add(sides.collect(), captures_end(columns), &Silent).unwrap();
    }
    writer.finish().unwrap();
}

/// The bytes of both files of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    pub wdl: Vec<u8>,
    pub dtw: Vec<u8>,
}

impl Files {
    /// Reads the files of a table in a folder.
    pub fn read(folder: &Path, material: Material, rules: RuleSet) -> Files {
        let read = |kind| fs::read(folder.join(file_name(material, rules, kind))).unwrap();
        Files { wdl: read(FileKind::Wdl), dtw: read(FileKind::Dtw) }
    }

    /// The files of a table that ships.
    pub fn shipped(of: &str) -> Files {
        Files::read(shipped(), material(of), RuleSet::Lasca)
    }

    /// What [`write_table`] writes.
    pub fn written(
        table: (Material, RuleSet),
        slices: &Slices,
        captures_end: impl Fn(usize) -> bool,
    ) -> Files {
        let folder = tempfile::tempdir().unwrap();
        write_table(folder.path(), table, slices, captures_end);
        Files::read(folder.path(), table.0, table.1)
    }

    /// Puts the files into a folder under the names of a table, in place of those that are there.
    pub fn put(&self, folder: &Path, material: Material, rules: RuleSet) {
        for kind in FileKind::ALL {
            replace(&folder.join(file_name(material, rules, kind)), self.of(kind));
        }
    }

    pub fn of(&self, kind: FileKind) -> &Vec<u8> {
        match kind {
            FileKind::Wdl => &self.wdl,
            FileKind::Dtw => &self.dtw,
        }
    }

    pub fn of_mut(&mut self, kind: FileKind) -> &mut Vec<u8> {
        match kind {
            FileKind::Wdl => &mut self.wdl,
            FileKind::Dtw => &mut self.dtw,
        }
    }

    /// Opens them.
    pub fn open(&self) -> Result<Table, TableError> {
        Table::open(self.wdl.clone(), Some(self.dtw.clone().into()))
    }

    /// Opens them.
    ///
    /// # Panics
    /// If that fails.
    pub fn table(&self) -> Table {
        self.open().unwrap()
    }

    /// Makes all checksums right again, as far as their places are where the header says.
    pub fn seal(&mut self) {
        let wdl = seal(&mut self.wdl, 0);
        seal(&mut self.dtw, wdl);
    }
}

/// Puts another file with these bytes in the place of a file.
pub fn replace(path: &Path, bytes: &[u8]) {
    let other = path.with_extension("new");
    fs::write(&other, bytes).unwrap();
    fs::rename(&other, path).unwrap();
}

/// Where the fields of `docs/FORMAT.md` stand that tests tamper with.
pub mod field {
    pub const VERSION: usize = 8;
    pub const KIND: usize = 10;
    pub const RULES: usize = 11;
    pub const WHITE: usize = 12;
    pub const SLICES: usize = 16;
    pub const FILE_LEN: usize = 24;
    pub const DIRECTORY_AT: usize = 32;
    pub const DIRECTORY_LEN: usize = 40;
    pub const DIRECTORY_CHECKSUM: usize = 48;
    pub const PAGES_CHECKSUM: usize = 56;
    pub const BELONGS_TO: usize = 64;
    pub const HEADER_CHECKSUM: usize = 80;
    pub const HEADER_LEN: usize = 88;
    pub const PAGE_LEN: usize = 1 << 16;

    /// Within an entry of the directory.
    pub mod slice {
        pub const LEN: usize = 96;
        pub const SIDE: usize = 0;
        pub const FULL: usize = 2;
        pub const HALVES: usize = 3;
        pub const HISTOGRAM_ENTRIES: usize = 20;
        pub const BLOCKS_AT: usize = 40;
        pub const BLOCKS_LEN: usize = 48;
        pub const WIN: usize = 56;
        pub const DRAW: usize = 64;
        pub const LOSS: usize = 72;
        pub const CAPTURE: usize = 80;
    }

    pub const HISTOGRAM_ENTRY_LEN: usize = 16;
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

pub fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// Where the entry of a slice stands in the directory of a file.
pub fn slice_at(file: &[u8], slice: usize) -> usize {
    u64_at(file, field::DIRECTORY_AT) as usize + slice * field::slice::LEN
}

/// Where the histogram of the first slice stands.
pub fn first_histogram(file: &[u8]) -> std::ops::Range<usize> {
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let start = slice_at(file, number(field::SLICES) as usize);
    let entries = number(slice_at(file, 0) + field::slice::HISTOGRAM_ENTRIES);
    start..start + entries as usize * field::HISTOGRAM_ENTRY_LEN
}

/// Makes the checksums of a file right again: of the pages, of their list, of the directory and of the
/// header, and says in it which WDL file it belongs to. Returns the header's. What lies outside the
/// file is left out.
pub fn seal(file: &mut [u8], belongs_to: u64) -> u64 {
    if file.len() < field::HEADER_LEN {
        return 0;
    }
    let directory_at = u64_at(file, field::DIRECTORY_AT) as usize;
    let directory_len = u64_at(file, field::DIRECTORY_LEN) as usize;
    let directory_end = directory_at.saturating_add(directory_len);
    if let Some(directory) = file.get(directory_at..directory_end) {
        let sum = xxh3_64(directory);
        put(file, field::DIRECTORY_CHECKSUM, sum);
    }
    if directory_end <= file.len() {
        let pages = directory_at.div_ceil(field::PAGE_LEN);
        for page in 0..pages {
            let start = (page * field::PAGE_LEN).max(field::HEADER_LEN);
            let end = ((page + 1) * field::PAGE_LEN).min(directory_at);
            let at = directory_end + 8 * page;
            if at + 8 <= file.len() && start <= end {
                let sum = xxh3_64(&file[start..end]);
                put(file, at, sum);
            }
        }
        if let Some(sums) = file.get(directory_end..directory_end + 8 * pages) {
            let sum = xxh3_64(sums);
            put(file, field::PAGES_CHECKSUM, sum);
        }
    }
    put(file, field::BELONGS_TO, belongs_to);
    let sum = xxh3_64(&file[..field::HEADER_CHECKSUM]);
    put(file, field::HEADER_CHECKSUM, sum);
    sum
}

/// Calls `check` with the number of each position of each slice, on all threads.
pub fn each_position(
    table: &Table,
    check: impl Fn(&lasca_tablebase::table::SliceInfo, u64) + Sync,
) {
    for slice in table.slices() {
        (0..slice.index().positions()).into_par_iter().for_each(|number| check(slice, number));
    }
}

/// Expects that a table holds these values: read as a whole, and asked by `probe` for each position in
/// turn.
#[track_caller]
pub fn assert_holds(
    table: &Table,
    expected: &Slices,
    probe: impl Fn(&OfficerPosition) -> (Wdl, Value) + Sync,
) {
    let what = format!("{} under {}", table.extent(), table.rules());
    each_position(table, |slice, number| {
        let position = slice.index().position(number);
        let value = expected[slice.side()][slice.columns() - 2].value(number);
        assert_eq!(probe(&position), (value.wdl(), value), "{what}: {position:?}");
    });
    let read = table.read().unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(read.len(), expected.len(), "{what}");
    for (read, expected) in read.iter().zip(expected) {
        assert_eq!(read.len(), expected.len(), "{what}");
        for (read, expected) in read.iter().zip(expected) {
            assert_eq!(read.len(), expected.len(), "{what}");
            let differs = |&number: &u64| read.distance(number) != expected.distance(number);
            assert_eq!((0..read.len()).find(differs), None, "{what}");
        }
    }
}
