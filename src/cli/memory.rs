//! Memory: how much is free, how much this process uses, and the options that limit it.

#[cfg(target_os = "linux")]
mod linux;

use crate::failure::Failure;
use crate::parsers;
use crate::{text, threads};
use lasca_tablebase::Reason;
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::probe::{Options, ProbeError};
use lasca_tablebase::table::Table;
use std::fmt;

/// How much memory is free for this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Available {
    /// How much, in bytes.
    pub bytes: u64,
    /// What it is limited by, in words that follow `is`.
    pub within: &'static str,
}

/// What limits the memory: what other programs use.
const ON_MACHINE: &str = "free on this machine";

/// What limits the memory: a control group of Linux, as containers and batch systems set them. It is enforced: the
/// system kills a process that exceeds it, whatever the user allows.
const IN_GROUP: &str = "free within the limit of the control group";

/// What limits the memory: what the user allows.
pub const BY_OPTION: &str = "allowed by --memory";

/// How much memory each limit leaves this process, in bytes, as far as the system tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Free {
    machine: Option<u64>,
    group: Option<u64>,
}

/// How much memory may be used: what the user allows, but no more than a control group leaves; or what is free, if the
/// user does not say. `None` if the system does not tell.
pub fn allowed(by_user: Option<u64>) -> Option<Available> {
    free().allowed(by_user)
}

impl Free {
    fn allowed(self, by_user: Option<u64>) -> Option<Available> {
        let (first, within) = match by_user {
            Some(_) => (by_user, BY_OPTION),
            None => (self.machine, ON_MACHINE),
        };
        let all = [(first, within), (self.group, IN_GROUP)].into_iter();
        let all = all.filter_map(|(bytes, within)| Some(Available { bytes: bytes?, within }));
        all.min_by_key(|free| free.bytes)
    }

    fn for_search(self, by_user: Option<u64>) -> u64 {
        match (self.allowed(by_user.map(|bytes| bytes.saturating_add(BESIDE))), by_user) {
            (None, _) => DEFAULT_MEMORY,
            (Some(free), None) => free.bytes / 2,
            // With little memory, half of it is used.
            (Some(free), Some(most)) => {
                free.bytes.saturating_sub(BESIDE).max(free.bytes / 2).min(most)
            }
        }
    }
}

impl Available {
    /// Why work is refused that needs this much memory.
    pub fn refusal(self, work: impl fmt::Display, needs: &str) -> Failure {
        let (bytes, within) = (text::bytes(self.bytes), self.within);
        let why = format!("{work} needs {needs} of memory, but only {bytes} is {within}");
        Failure::wrong(Reason::NoMemory, why)
    }
}

#[cfg(target_os = "linux")]
fn free() -> Free {
    linux::free("/".as_ref())
}

#[cfg(not(target_os = "linux"))]
fn free() -> Free {
    Free { machine: free_on_machine(), group: None }
}

/// The memory that no program uses, and that of files which no program has used for long.
#[cfg(target_os = "macos")]
fn free_on_machine() -> Option<u64> {
    // SAFETY: all fields may be zero.
    let mut pages: libc::vm_statistics64 = unsafe { std::mem::zeroed() };
    let mut length = libc::HOST_VM_INFO64_COUNT;
    #[expect(deprecated, reason = "another package has it too, and libc is here")]
    // SAFETY: this has no conditions.
    let host = unsafe { libc::mach_host_self() };
    let kind = libc::HOST_VM_INFO64;
    // SAFETY: `pages` has the type of this kind of statistics, and `length` is its length.
    let status =
        unsafe { libc::host_statistics64(host, kind, (&raw mut pages).cast(), &raw mut length) };
    // SAFETY: this has no conditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let free = u64::from(pages.free_count) + u64::from(pages.inactive_count);
    (status == libc::KERN_SUCCESS).then(|| free * u64::try_from(page).unwrap_or(0))
}

/// The memory that can be had at once, and without which the system refuses more.
#[cfg(windows)]
fn free_on_machine() -> Option<u64> {
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    let mut status = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..MEMORYSTATUSEX::default()
    };
    // SAFETY: the length says how much may be written.
    let is_told = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
    is_told.then(|| status.ullAvailPhys.min(status.ullAvailPageFile))
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn free_on_machine() -> Option<u64> {
    None
}

/// The variable that names the folder for temporary files.
pub const TEMPORARY: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// The option of commands that need all values of a table.
#[derive(Debug, Default, clap::Args)]
pub struct ValuesMemory {
    /// The memory limit, such as 800M or 12G [default: what is free]
    ///
    /// The values of a table take a byte for each position. Without the option, the command is refused
    /// if they need more than is free. With the option, values that need more are kept in files, in
    /// the folder for temporary files, which the variable TMPDIR names (on Windows, TMP). On many
    /// systems that folder is in memory: then let the variable name a folder on a disk. The limit covers the
    /// memory of the program itself, but not the pages of files that the system caches. With values in files, the
    /// work takes the values of one number of columns and some MiB for each thread, even if that is more.
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,
}

impl ValuesMemory {
    /// Where the values of a table are kept during work on all of them, which takes this many bytes of memory
    /// beside the values. `doing` says what the work is.
    ///
    /// # Errors
    /// If they need more than is free, and the user says nothing.
    pub fn keep(&self, doing: &str, table: &Table, beside: u64) -> Result<KeepIn, Failure> {
        self.keep_within(allowed(self.memory), doing, table, beside)
    }

    fn keep_within(
        &self,
        limit: Option<Available>,
        doing: &str,
        table: &Table,
        beside: u64,
    ) -> Result<KeepIn, Failure> {
        let needed = table.positions() + beside + work_on(table, threads::count());
        match limit.filter(|limit| limit.bytes < needed) {
            None => Ok(KeepIn::Memory),
            Some(_) if self.memory.is_some() => Ok(KeepIn::Files),
            Some(limit) => {
                let work = format!("{doing} the values of {}", table.extent());
                let refused = limit.refusal(work, &text::bytes_or_more(needed));
                Err(refused.with_hint("with --memory, they are kept in files, which is slower"))
            }
        }
    }
}

/// Bytes of memory for work on the values of a table with so many threads, beside the values.
fn work_on(table: &Table, threads: usize) -> u64 {
    // Measured up to eight counters on up to 16 threads: less than this.
    ((16 << 20) + threads as u64 * (8 << 20) + table.positions() / 2).min(256 << 20)
}

/// The memory that a search may use if neither the user nor the system sets a limit, in bytes.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// What the program needs beside a search: its cache of decoded blocks, and everything small.
const BESIDE: u64 = Options::DEFAULT_CACHE + (16 << 20);

/// The option that limits the memory of a search.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryLimit {
    /// The memory limit, such as 800M or 12G [default: half of what is free]
    ///
    /// A search uses no more than a control group leaves.
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,
}

impl MemoryLimit {
    /// The memory for a search in bytes, by this option or else by what is free.
    pub fn bytes(self) -> u64 {
        search_memory(self.memory)
    }
}

/// The memory that a search may use, in bytes: what the user allows, but no more than a control group leaves beside the
/// rest of the program; or half of what is free, if the user does not say.
pub fn search_memory(by_user: Option<u64>) -> u64 {
    free().for_search(by_user)
}

/// What a failed search of a command with the option `--memory` means for the command.
pub fn search_failure(error: &ProbeError) -> Failure {
    let failure = Failure::from(error.clone());
    match error {
        ProbeError::SearchMemory { .. } => failure.with_hint(ALLOWS_MORE),
        _ => failure,
    }
}

/// What helps a search that has used all its memory.
pub const ALLOWS_MORE: &str = "--memory allows more";

/// The most memory that this process has used so far, in bytes. This is its greatest resident set,
/// without the pages of files that are mapped now, most of which are its own code. `None` if the
/// system does not tell, as only Linux does.
pub fn peak() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let size = |name| linux::size_in("/proc/self/status".as_ref(), name);
        Some(size("VmHWM:")?.saturating_sub(size("RssFile:")?))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn free(machine: u64, group: Option<u64>) -> Free {
        Free { machine: Some(machine * MIB), group: group.map(|mib| mib * MIB) }
    }

    #[test]
    fn no_search_uses_more_than_a_control_group_leaves() {
        for (given, free, used) in [
            (Some(1024), free(500, Some(300)), 220),
            (Some(250), free(500, Some(300)), 220),
            (Some(200), free(500, Some(300)), 200),
            (Some(50), free(500, Some(40)), 20),
            // The machine may have memory to swap.
            (Some(1024), free(300, None), 1024),
            (None, free(300, None), 150),
            (Some(50), Free::default(), 50),
            (None, Free::default(), 1024),
        ] {
            let memory = free.for_search(given.map(|mib| mib * MIB));
            assert_eq!(memory, used * MIB, "{given:?} {free:?}");
        }
    }

    #[test]
    fn no_more_is_allowed_than_the_control_group_leaves() {
        let (of_machine, of_group) = (free(100, None), free(100, Some(200)));
        for (free, given, expected) in [
            (of_group, Some(300), Some((200, IN_GROUP))),
            (of_group, Some(150), Some((150, BY_OPTION))),
            (of_group, None, Some((100, ON_MACHINE))),
            (of_machine, Some(300), Some((300, BY_OPTION))),
            (Free::default(), Some(300), Some((300, BY_OPTION))),
            (Free::default(), None, None),
        ] {
            let expected = expected.map(|(mib, within)| Available { bytes: mib * MIB, within });
            assert_eq!(free.allowed(given.map(|mib| mib * MIB)), expected, "{given:?} {free:?}");
        }
    }

    #[test]
    fn values_are_kept_in_files_only_if_there_is_a_limit_and_they_exceed_it() {
        let table = Table::open_file("../../tables/lasca-3-2.ltbw".as_ref()).unwrap();
        let all = table.positions() + work_on(&table, threads::count());
        let keep = |memory: Option<u64>, limit: Option<(u64, &'static str)>| {
            let limit = limit.map(|(bytes, within)| Available { bytes, within });
            let kept = ValuesMemory { memory }.keep_within(limit, "checking", &table, 0);
            kept.map_err(|failure| failure.failed.error)
        };
        for (memory, limit, expected) in [
            (None, None, KeepIn::Memory),
            (None, Some((all, ON_MACHINE)), KeepIn::Memory),
            (Some(all), Some((all, BY_OPTION)), KeepIn::Memory),
            (Some(all - 1), Some((all - 1, BY_OPTION)), KeepIn::Files),
            (Some(all), Some((all - 1, IN_GROUP)), KeepIn::Files),
        ] {
            assert_eq!(keep(memory, limit), Ok(expected), "{memory:?} {limit:?}");
        }
        let refused = keep(None, Some((all - 1, ON_MACHINE))).unwrap_err();
        assert!(refused.starts_with("checking the values of 3-2 needs "), "{refused}");
        assert!(refused.contains("free on this machine"), "{refused}");
    }
}
