//! Memory: how much is free, how much this process uses, and the options that limit it.

#[cfg(target_os = "linux")]
mod linux;

use crate::failure::Failure;
use crate::parsers;
use crate::{text, threads};
use lasca_tablebase::Reason;
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::search::SearchError;
use lasca_tablebase::table::Table;
use std::collections::BTreeMap;
use std::fmt;

/// How much memory is free for this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Available {
    /// How much, in bytes.
    pub bytes: u64,
    /// What it is limited by.
    pub within: Within,
}

/// What limits the memory that is free.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has all of them"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// What other programs use.
    Machine,
    /// A control group of Linux, as containers and batch systems set them.
    ControlGroup,
    /// The limit of this process's address space.
    AddressSpace,
    /// What the user allows.
    Option,
}

impl Within {
    /// Whether this is a limit of the process itself, beyond which it gets no memory at all.
    pub fn is_of_process(self) -> bool {
        self == Within::AddressSpace
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Within::Machine => "free on this machine",
            Within::ControlGroup => "free within the limit of the control group",
            Within::AddressSpace => "free within ulimit -v",
            Within::Option => "allowed by --memory",
        })
    }
}

/// How much memory is free for this process, within the limits of its control groups and its own.
/// `None` if the system does not tell.
pub fn available() -> Option<Available> {
    least(limits())
}

/// How much memory may be used: what the user allows, but no more than the limits of the process leave; or
/// what is free, if the user does not say. `None` if the system does not tell.
pub fn allowed(by_user: Option<u64>) -> Option<Available> {
    let free = available();
    let Some(bytes) = by_user else { return free };
    let tighter = free.filter(|free| free.within.is_of_process() && free.bytes < bytes);
    tighter.or(Some(Available { bytes, within: Within::Option }))
}

/// What each limit leaves this process.
#[cfg(target_os = "linux")]
fn limits() -> Vec<Available> {
    linux::limits("/".as_ref())
}

/// What the limit leaves that leaves least.
fn least(limits: Vec<Available>) -> Option<Available> {
    limits.into_iter().min_by_key(|free| free.bytes)
}

/// What the machine leaves this process, if the system tells.
#[cfg(not(target_os = "linux"))]
fn limits() -> Vec<Available> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let bytes = system.available_memory();
    (bytes > 0).then_some(Available { bytes, within: Within::Machine }).into_iter().collect()
}

/// The option of commands that need all values of a table.
#[derive(Debug, Default, clap::Args)]
pub struct ValuesMemory {
    /// The memory limit, such as 800M or 12G [default: what is free]
    ///
    /// The values of a table take a byte for each position. Without the option, the command is refused
    /// if they need more than is free. With the option, values that need more are kept in files, in
    /// the folder that TMPDIR names, or else in the system's folder for temporary files. On many
    /// systems that folder is in memory: then let TMPDIR name a folder on a disk. The limit covers the
    /// memory of the program itself, but not the pages of files that the system caches.
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,
}

impl ValuesMemory {
    /// Where the values of a table are kept during work on all of them, which takes so many bytes of memory
    /// beside the values. `doing` says what the work is.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn keep(&self, doing: &str, table: &Table, beside: u64) -> Result<KeepIn, Failure> {
        self.keep_within(&limits(), doing, table, beside)
    }

    fn keep_within(
        &self,
        limits: &[Available],
        doing: &str,
        table: &Table,
        beside: u64,
    ) -> Result<KeepIn, Failure> {
        let work = work_on(table) + beside;
        let given = self.memory.map(|bytes| Available { bytes, within: Within::Option });
        let limits: Vec<Available> = limits.iter().copied().chain(given).collect();
        let no_room = |values: u64| too_tight(&limits, values + work, table.private_bytes());
        let Some(mut exceeded) = no_room(table.positions()) else { return Ok(KeepIn::Memory) };
        if given.is_some() {
            match no_room(largest_slices(table)) {
                None => return Ok(KeepIn::Files),
                Some(still) => exceeded = still,
            }
        }
        let (Available { bytes, within }, needed) = exceeded;
        let why = format!(
            "{doing} the values of {} needs {} of memory, but only {} is {within}",
            table.extent(),
            text::bytes_or_more(needed),
            text::bytes_or_less(bytes),
        );
        let failure = Failure::wrong(Reason::NoMemory, why);
        Err(match self.memory {
            None => failure.with_hint("with --memory, they are kept in files, which is slower"),
            Some(_) => failure,
        })
    }
}

/// Bytes of memory for work on the values of a table, beside the values.
fn work_on(table: &Table) -> u64 {
    // Measured up to eight counters on up to 16 threads: less than this.
    let threads = threads::count() as u64;
    ((16 << 20) + threads * (8 << 20) + table.positions() / 2).min(256 << 20)
}

/// How many positions the largest slices have, those of one number of columns with all stored sides to
/// move.
fn largest_slices(table: &Table) -> u64 {
    let mut by_columns: BTreeMap<usize, u64> = BTreeMap::new();
    for slice in table.slices() {
        *by_columns.entry(slice.columns()).or_default() += slice.index().positions();
    }
    by_columns.into_values().max().unwrap_or(0)
}

/// The limit that leaves least of those that leave too little, and how much is needed there: this much
/// memory, and what is set aside for pages of files. The limits of the process count that already, and that
/// of the user does not count it.
fn too_tight(limits: &[Available], new: u64, set_aside: u64) -> Option<(Available, u64)> {
    let needed = |free: &Available| match free.within {
        Within::Machine | Within::ControlGroup => new + set_aside,
        Within::AddressSpace | Within::Option => new,
    };
    let tight = limits.iter().filter(|free| free.bytes < needed(free));
    least(tight.copied().collect()).map(|free| (free, needed(&free)))
}

/// The memory that a search may use if neither the user nor the system sets a limit, in bytes.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The option that limits the memory of a search.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryLimit {
    /// The memory limit, such as 800M or 12G [default: half of what is free]
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,
}

impl MemoryLimit {
    /// The memory for a search, by this option or else by what is free.
    pub fn memory(self) -> SearchMemory {
        SearchMemory { given: self.memory, has_option: true, ..SearchMemory::of_free() }
    }
}

/// The memory that a search may use, and what limits it.
#[derive(Clone, Copy, Debug)]
pub struct SearchMemory {
    /// The limit that the user sets, in bytes.
    given: Option<u64>,
    /// What was free when the command began.
    free: Option<Available>,
    /// Whether the command has the option `--memory`.
    has_option: bool,
}

impl SearchMemory {
    /// The memory for a search of a command that has no option for it.
    pub fn of_free() -> SearchMemory {
        SearchMemory { given: None, free: available(), has_option: false }
    }

    /// The limit in bytes. If the user sets none, it is half of what is free.
    pub fn bytes(self) -> u64 {
        let by_default = || self.free.map_or(DEFAULT_MEMORY, |free| free.bytes / 2);
        self.given.unwrap_or_else(by_default)
    }

    /// What limits a search that needs more memory, and what allows more.
    pub fn limit(self) -> String {
        let free = |free: Available| {
            format!("only {} was {}", text::bytes_or_less(free.bytes), free.within)
        };
        let uses = match (self.given, self.free) {
            (Some(given), Some(there)) if there.bytes < given => return free(there),
            (Some(_), _) => return "--memory allows more".to_owned(),
            (None, Some(there)) => format!("{}, and a search uses half of that", free(there)),
            (None, None) => format!("a search uses {}", text::bytes(self.bytes())),
        };
        // Within a limit of the process, the other half would not last long either.
        match self.has_option && self.free.is_none_or(|free| !free.within.is_of_process()) {
            true => uses + "; --memory allows more",
            false => uses,
        }
    }

    /// What a failed search that could use this memory means for the command.
    pub fn failure(self, error: &SearchError) -> Failure {
        match error {
            SearchError::Probe(error) => Failure::from(error.clone()),
            error => Failure::wrong(error.reason(), error.to_string()).with_hint(self.limit()),
        }
    }
}

/// The most memory that this process has used so far, in bytes. This is its greatest resident set,
/// without the pages of files that are mapped now, most of which are its own code. `None` if the
/// system does not tell, as only Linux does.
pub fn peak() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let size = |name| linux::size_in("/proc/self/status".as_ref(), name);
        Some(size("VmHWM")?.saturating_sub(size("RssFile")?))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Whether the address space of this process is limited, so that none may be set aside for later.
pub fn is_address_space_limited() -> bool {
    limits().iter().any(|free| free.within == Within::AddressSpace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_set_aside_counts_once() {
        let free = |within, bytes| Available { bytes, within };
        let [machine, process] = [free(Within::Machine, 100), free(Within::AddressSpace, 90)];
        assert_eq!(too_tight(&[machine, process], 90, 10), None);
        assert_eq!(too_tight(&[machine, process], 90, 11), Some((machine, 101)));
        assert_eq!(too_tight(&[machine, process], 91, 11), Some((process, 91)));
        assert_eq!(too_tight(&[], 91, 11), None);
    }

    #[test]
    fn a_full_search_names_the_option_that_allows_more_where_there_is_one() {
        for (has_option, within, allows_more) in [
            (true, Within::Machine, true),
            (true, Within::ControlGroup, true),
            (true, Within::AddressSpace, false),
            (false, Within::Machine, false),
        ] {
            let free = Some(Available { bytes: 1 << 20, within });
            let limit = SearchMemory { given: None, free, has_option }.limit();
            let expected = format!("only 1.00 MiB was {within}, and a search uses half of that");
            assert!(limit.starts_with(&expected), "{limit}");
            assert_eq!(limit.ends_with("; --memory allows more"), allows_more, "{limit}");
        }
    }

    #[test]
    fn values_are_kept_in_files_only_if_there_is_a_limit_and_they_exceed_it() {
        let table = Table::open_file("../../tables/lasca-3-2.ltbw".as_ref()).unwrap();
        let all = table.positions() + work_on(&table);
        let some = largest_slices(&table) + work_on(&table);
        assert!(some < all);
        let set_aside = table.private_bytes();
        let keep = |memory: Option<u64>, free: Option<u64>| {
            let free = free.map(|bytes| Available { bytes, within: Within::Machine });
            let kept = ValuesMemory { memory }.keep_within(free.as_slice(), "checking", &table, 0);
            kept.map_err(|failure| failure.to_string())
        };
        for (memory, free, expected) in [
            (None, None, KeepIn::Memory),
            (None, Some(all + set_aside), KeepIn::Memory),
            (Some(all), None, KeepIn::Memory),
            (Some(all - 1), None, KeepIn::Files),
            (Some(some), None, KeepIn::Files),
            (Some(all), Some(all + set_aside - 1), KeepIn::Files),
            (Some(all), Some(some + set_aside), KeepIn::Files),
        ] {
            assert_eq!(keep(memory, free), Ok(expected), "{memory:?} {free:?}");
        }
        for (memory, free, why) in [
            (None, Some(all + set_aside - 1), "free on this machine"),
            (Some(some - 1), None, "allowed by --memory"),
            (Some(all), Some(some + set_aside - 1), "free on this machine"),
        ] {
            let refused = keep(memory, free).unwrap_err();
            assert!(refused.starts_with("checking the values of 3-2 needs "), "{refused}");
            assert!(refused.contains(why), "{refused}");
        }
    }
}
