//! The two files of a table.

use std::fmt;

/// What a file of a table holds. An engine that asks for WDLs alone needs no DTW file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// Win, draw or loss.
    Wdl = 0,
    /// Distances to the win. They are of use only beside the WDL file.
    Dtw = 1,
}

impl FileKind {
    /// Both, the WDL file first.
    pub const ALL: [FileKind; 2] = [FileKind::Wdl, FileKind::Dtw];

    /// The ending of the file's name.
    pub const fn extension(self) -> &'static str {
        match self {
            FileKind::Wdl => "ltbw",
            FileKind::Dtw => "ltbd",
        }
    }

    /// The kind that this number stands for in files.
    pub(super) fn from_id(id: u8) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|&kind| kind as u8 == id)
    }

    /// The number of bytes in the head of a slice for each row: its class and its usual value.
    pub(super) const fn row_len(self) -> usize {
        match self {
            FileKind::Wdl => 1,
            FileKind::Dtw => 2,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileKind::Wdl => "WDL",
            FileKind::Dtw => "DTW",
        })
    }
}
