//! The two files of a table.

use std::fmt;

/// What a file of a table holds. An engine that asks for WDLs alone needs no DTW file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Win, draw or loss.
    Wdl,
    /// Distances to the win, which only tell something beside the WDL file.
    Dtw,
}

impl Kind {
    /// Both, the WDL file first.
    pub const ALL: [Kind; 2] = [Kind::Wdl, Kind::Dtw];

    /// The ending of the file's name.
    pub const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "ltbw",
            Kind::Dtw => "ltbd",
        }
    }

    /// The number that stands for it in files.
    pub(super) const fn id(self) -> u8 {
        match self {
            Kind::Wdl => 0,
            Kind::Dtw => 1,
        }
    }

    pub(super) fn from_id(id: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// The bytes that a slice says of each row: its class and its usual value.
    pub(super) const fn row_len(self) -> usize {
        match self {
            Kind::Wdl => 1,
            Kind::Dtw => 2,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Wdl => "WDL",
            Kind::Dtw => "DTW",
        })
    }
}
