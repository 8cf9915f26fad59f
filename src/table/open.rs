//! Tables in files, and the ways to read them.

use super::file_reader::FileReader;
use super::source::{OpenFile, Source, unreadable};
use super::{Coverage, FileKind, Table, TableError};
use crate::index::Extent;
use crate::rules::RuleSet;
use std::io;
use std::path::Path;

/// How the bytes of a table's file are read.
///
/// Whatever the way, opening a table reads its header, its directory and its list of checksums, and
/// each page of 64 KiB is checked against its checksum when it is first used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// Files of up to [`Access::PRIVATE_UP_TO`] bytes are read as with `Private`, and larger ones as
    /// with `Mapped`.
    #[default]
    Automatic,
    /// The whole file is read into memory of this process when something in it is first needed. Whatever
    /// happens to the file afterwards, the table stays right. If it is overwritten or cut short before, while the
    /// table is open, the worst is an error. The file stays open.
    Private,
    /// The file is memory-mapped: programs that use the same table share the memory, and the system can
    /// take it back. The file must not be written to or cut short while it is open: reading a page
    /// that is no longer there ends the process, and bytes that change after their page was checked are
    /// believed. Replacing the file by another one does no harm, and that is what this program does
    /// when it makes a table.
    Mapped,
}

impl Access {
    /// The longest file, in bytes, that [`Access::Automatic`] reads privately.
    pub const PRIVATE_UP_TO: u64 = 256 << 20;

    /// The way in which a file of `len` bytes is read: `Private` or `Mapped`.
    pub fn of(self, len: u64) -> Access {
        match self {
            Access::Automatic if len <= Access::PRIVATE_UP_TO => Access::Private,
            Access::Automatic => Access::Mapped,
            chosen => chosen,
        }
    }
}

impl Table {
    /// Opens the table whose WDL file is at `path`, in the [default way](Access::Automatic), with the
    /// checks of [`Table::open`].
    ///
    /// # Errors
    /// As [`Table::open_with`].
    pub fn open_file(path: &Path) -> Result<Table, TableError> {
        Table::open_with(path, Access::default())
    }

    /// Opens the table whose WDL file is at `path`, with the checks of [`Table::open`]. The DTW file
    /// is looked for beside it; without one, the table knows no distances.
    ///
    /// ```
    /// use lasca_tablebase::table::{Access, Table};
    /// let table = Table::open_with("tables/lasca-2-1.ltbw".as_ref(), Access::Private)?;
    /// assert_eq!(table.material().to_string(), "2-1");
    /// assert!(table.has_dtw());
    /// # Ok::<(), lasca_tablebase::table::TableError>(())
    /// ```
    ///
    /// # Errors
    /// If a file cannot be opened or is not sound; or if what stands there, links followed, is no
    /// regular file. [`TableError::kind`] tells which file is at fault.
    pub fn open_with(path: &Path, access: Access) -> Result<Table, TableError> {
        let (table, dtw) = Table::open_parts(path, access)?;
        dtw.map(|()| table)
    }

    /// As [`Table::open_with`], but what is wrong with the DTW file stands beside the table, which then
    /// knows no distances.
    ///
    /// # Errors
    /// What is wrong with the WDL file.
    pub(crate) fn open_parts(
        path: &Path,
        access: Access,
    ) -> Result<(Table, Result<(), TableError>), TableError> {
        let wdl = source(path, access).map_err(unreadable)?;
        let dtw = source(&path.with_extension(FileKind::Dtw.extension()), access);
        let mut table = Table::of_wdl(wdl)?;
        let added = match dtw {
            Ok(dtw) => table.add_dtw(dtw),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(unreadable(error).in_dtw()),
        };
        Ok((table, added))
    }
}

/// Which positions a table covers according to the header of its WDL file, of which nothing else is read.
/// `None` if the header cannot be read or is not sound.
///
/// ```
/// use lasca_tablebase::index::Extent;
/// use lasca_tablebase::internals::header_extent;
/// let whole = Extent::whole("2-1".parse()?)?;
/// assert_eq!(header_extent("tables/lasca-2-1.ltbw".as_ref()), Some(whole));
/// assert_eq!(header_extent("README.md".as_ref()), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn header_extent(path: &Path) -> Option<Extent> {
    let source = source(path, Access::Private).ok()?;
    Some(FileReader::header_of(&source, FileKind::Wdl).ok()?.extent)
}

impl Coverage {
    /// That of the table whose WDL file is at a path. This looks at the header of the WDL file only. `None`
    /// if it is not sound.
    pub fn of_file(path: &Path) -> Option<Coverage> {
        let has_dtw = path.with_extension(FileKind::Dtw.extension()).exists();
        Some(Coverage { extent: header_extent(path)?, has_dtw })
    }
}

fn source(path: &Path, access: Access) -> io::Result<Source> {
    let file = OpenFile::open(path)?;
    let access = access.of(file.len);
    Ok(Source::File(file, access))
}

/// The extent and the rule set of a file, whatever its name says, if all of its bytes are in order.
pub(crate) fn identity_of_file(
    path: &Path,
    kind: FileKind,
) -> Result<(Extent, RuleSet), TableError> {
    let read = || {
        let source = source(path, Access::Private).map_err(unreadable)?;
        let (file, _) = FileReader::open(source, kind)?;
        file.pages.check_all()?;
        Ok((file.header.extent, file.header.rules))
    };
    match kind {
        FileKind::Wdl => read(),
        FileKind::Dtw => read().map_err(TableError::in_dtw),
    }
}
