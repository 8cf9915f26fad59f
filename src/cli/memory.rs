//! Memory: how much is free, how much this process uses, and the options that limit it.

#[cfg(target_os = "linux")]
mod linux;

use crate::failure::Failure;
use crate::parsers;
use crate::terminal::note;
use crate::{text, threads};
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::Reason;
use lasca_tablebase::probe::{Options, ProbeError};
use lasca_tablebase::table::Table;
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
    /// What the user allows.
    Option,
}

impl Within {
    /// Whether the system refuses what exceeds this limit, or kills the process for it, whatever the user
    /// allows.
    fn is_enforced(self) -> bool {
        self == Within::ControlGroup
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Within::Machine => "free on this machine",
            Within::ControlGroup => "free within the limit of the control group",
            Within::Option => "allowed by --memory",
        })
    }
}

/// How much memory may be used: what the user allows, but no more than the limits that are enforced leave; or
/// what is free, if the user does not say. `None` if the system does not tell.
pub fn allowed(by_user: Option<u64>) -> Option<Available> {
    allowed_within(limits(), by_user)
}

fn allowed_within(limits: Vec<Available>, by_user: Option<u64>) -> Option<Available> {
    let Some(bytes) = by_user else { return least(limits) };
    let enforced = limits.into_iter().filter(|free| free.within.is_enforced());
    least(enforced.chain([Available { bytes, within: Within::Option }]).collect())
}

/// What the program needs beside a search: its cache of decoded blocks, and everything small.
const BESIDE: u64 = Options::DEFAULT_CACHE + (16 << 20);

impl Available {
    /// How much of it a search may take, so that enough is left for the rest of the program.
    fn for_a_search(self) -> u64 {
        self.bytes.saturating_sub(BESIDE).max(self.bytes / 2)
    }

    /// Why work is refused that needs this much memory.
    pub fn refusal(self, work: impl fmt::Display, needs: &str) -> Failure {
        let (bytes, within) = (text::bytes_or_less(self.bytes), self.within);
        let why = format!("{work} needs {needs} of memory, but only {bytes} is {within}");
        Failure::wrong(Reason::NoMemory, why)
    }

    /// What there was when the command began.
    fn told(self) -> String {
        format!("only {} was {}", text::bytes_or_less(self.bytes), self.within)
    }
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
    let free = |bytes| Available { bytes, within: Within::Machine };
    free_on_machine().map(free).into_iter().collect()
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

/// How many positions the largest slices have, those of one number of columns with all stored sides to
/// move.
pub fn largest_slices(table: &Table) -> u64 {
    table.extent().columns().map(|columns| table.positions_of(columns)).max().unwrap_or(0)
}

/// The memory that a search may use if neither the user nor the system sets a limit, in bytes.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The option that limits the memory of a search.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MemoryLimit {
    /// The memory limit, such as 800M or 12G [default: half of what is free]
    ///
    /// A search uses no more than a control group leaves, and the command says so first.
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,
}

impl MemoryLimit {
    /// The memory for a search, by this option or else by what is free. Where less is free than the option
    /// allows, a note says so.
    pub fn memory(self) -> SearchMemory {
        let memory = SearchMemory::within(limits(), self.memory, true);
        memory.warning().iter().for_each(|warning| note(warning));
        memory
    }
}

/// The memory that a search may use, and what limits it.
#[derive(Clone, Copy, Debug)]
pub struct SearchMemory {
    /// The limit that the user sets, in bytes.
    given: Option<u64>,
    /// What was free when the command began: within all limits, and within those that are enforced.
    free: Option<Available>,
    enforced: Option<Available>,
    /// Whether the command has the option `--memory`.
    has_option: bool,
}

impl SearchMemory {
    /// The memory for a search of a command that has no option for it.
    pub fn of_free() -> SearchMemory {
        SearchMemory::within(limits(), None, false)
    }

    fn within(limits: Vec<Available>, given: Option<u64>, has_option: bool) -> SearchMemory {
        let enforced = limits.iter().copied().filter(|free| free.within.is_enforced()).collect();
        SearchMemory { given, free: least(limits), enforced: least(enforced), has_option }
    }

    /// The limit in bytes. If the user sets none, it is half of what is free. It is no more than the
    /// limits that are enforced leave.
    pub fn bytes(self) -> u64 {
        let by_default = || self.free.map_or(DEFAULT_MEMORY, |free| free.bytes / 2);
        let room = self.enforced.map_or(u64::MAX, Available::for_a_search);
        self.given.unwrap_or_else(by_default).min(room)
    }

    /// The limit that leaves less than the user allows.
    fn tighter(self) -> Option<Available> {
        let given = self.given?;
        let enforced = self.enforced.filter(|free| free.for_a_search() < given);
        enforced.or(self.free.filter(|free| free.bytes < given))
    }

    /// What to say before a search that the user allows more memory than there is.
    fn warning(self) -> Option<String> {
        let (given, free) = (self.given?, self.tighter()?);
        let (allowed, there) = (text::bytes(given), text::bytes_or_less(free.bytes));
        let warning = format!("--memory allows {allowed}, but only {there} is {}", free.within);
        Some(match self.bytes() {
            used if used < given => {
                format!("{warning}; a search uses at most {}", text::bytes_or_less(used))
            }
            _ => warning,
        })
    }

    /// What limits a search that needs more memory, and what allows more.
    pub fn limit(self) -> String {
        if let Some(there) = self.tighter() {
            return there.told();
        }
        let uses = match (self.given, self.free) {
            (Some(_), _) => return "--memory allows more".to_owned(),
            (None, Some(there)) => format!("{}, and a search uses half of that", there.told()),
            (None, None) => format!("a search uses {}", text::bytes(self.bytes())),
        };
        match self.has_option {
            true => uses + "; --memory allows more",
            false => uses,
        }
    }

    /// What a failed search that could use this memory means for the command.
    pub fn failure(self, error: &ProbeError) -> Failure {
        match error {
            ProbeError::SearchMemory { .. } => {
                Failure::wrong(error.reason(), error.to_string()).with_hint(self.limit())
            }
            error => Failure::from(error.clone()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_search_names_the_option_that_allows_more_where_there_is_one() {
        for (has_option, within, allows_more) in [
            (true, Within::Machine, true),
            (true, Within::ControlGroup, true),
            (false, Within::Machine, false),
        ] {
            let free = Some(Available { bytes: 1 << 20, within });
            let limit = SearchMemory::within(free.into_iter().collect(), None, has_option).limit();
            let expected = format!("only 1.00 MiB was {within}, and a search uses half of that");
            assert!(limit.starts_with(&expected), "{limit}");
            assert_eq!(limit.ends_with("; --memory allows more"), allows_more, "{limit}");
        }
    }

    /// What 300 MiB within a limit leave beside the rest of the program, in MiB.
    const LEFT: u64 = 220;

    #[test]
    fn no_search_uses_more_than_a_control_group_leaves_and_the_user_is_told_first() {
        let mib = |mib: u64| mib << 20;
        for (given, within, used, warned) in [
            (1024, Within::ControlGroup, LEFT, true),
            // The machine may have memory to swap.
            (1024, Within::Machine, 1024, true),
            (250, Within::ControlGroup, LEFT, true),
            (200, Within::ControlGroup, 200, false),
        ] {
            let machine = Available { bytes: mib(500), within: Within::Machine };
            let limits = vec![machine, Available { bytes: mib(300), within }];
            let memory = SearchMemory::within(limits, Some(mib(given)), true);
            assert_eq!(memory.bytes(), mib(used), "{given} {within}");
            let warning = memory.warning();
            assert_eq!(warning.is_some(), warned, "{given} {within}");
            if let Some(warning) = warning {
                let only = format!("but only 300.00 MiB is {within}");
                assert!(warning.contains(&only), "{warning}");
                assert_eq!(warning.ends_with("at most 220.00 MiB"), used == LEFT, "{warning}");
                let limit = memory.limit();
                assert_eq!(limit, format!("only 300.00 MiB was {within}"));
            }
        }
        // With little memory, half of it is used.
        let little = Available { bytes: mib(40), within: Within::ControlGroup };
        assert_eq!(SearchMemory::within(vec![little], Some(mib(50)), true).bytes(), mib(20));
    }

    #[test]
    fn no_more_is_allowed_than_the_limits_leave_that_are_enforced() {
        let free = |within, bytes| Available { bytes, within };
        let machine = free(Within::Machine, 100);
        let group = free(Within::ControlGroup, 200);
        let allowed = |by_user| allowed_within(vec![machine, group], by_user);
        assert_eq!(allowed(Some(300)), Some(group));
        assert_eq!(allowed(Some(150)), Some(free(Within::Option, 150)));
        assert_eq!(allowed(None), Some(machine));
        let by_user = Some(free(Within::Option, 300));
        assert_eq!(allowed_within(vec![machine], Some(300)), by_user);
        assert_eq!(
            [allowed_within(vec![], Some(300)), allowed_within(vec![], None)],
            [by_user, None]
        );
    }

    #[test]
    fn values_are_kept_in_files_only_if_there_is_a_limit_and_they_exceed_it() {
        let table = Table::open_file("../../tables/lasca-3-2.ltbw".as_ref()).unwrap();
        let all = table.positions() + work_on(&table, threads::count());
        let keep = |memory: Option<u64>, limit: Option<(u64, Within)>| {
            let limit = limit.map(|(bytes, within)| Available { bytes, within });
            let kept = ValuesMemory { memory }.keep_within(limit, "checking", &table, 0);
            kept.map_err(|failure| failure.failed.error)
        };
        for (memory, limit, expected) in [
            (None, None, KeepIn::Memory),
            (None, Some((all, Within::Machine)), KeepIn::Memory),
            (Some(all), Some((all, Within::Option)), KeepIn::Memory),
            (Some(all - 1), Some((all - 1, Within::Option)), KeepIn::Files),
            (Some(all), Some((all - 1, Within::ControlGroup)), KeepIn::Files),
        ] {
            assert_eq!(keep(memory, limit), Ok(expected), "{memory:?} {limit:?}");
        }
        let refused = keep(None, Some((all - 1, Within::Machine))).unwrap_err();
        assert!(refused.starts_with("checking the values of 3-2 needs "), "{refused}");
        assert!(refused.contains("free on this machine"), "{refused}");
    }
}
