//! The memory that Linux leaves this process. All of it is read from files below a root folder, which tests replace.

use super::Free;
use std::fs;
use std::path::Path;

/// What each limit leaves this process, as far as it can be found out. Swap does not count.
pub fn free(root: &Path) -> Free {
    let machine = size_in(&root.join("proc/meminfo"), "MemAvailable:");
    Free { machine, group: control_group(root) }
}

/// The text of a file; empty if it cannot be read, as everything in it is missing then.
fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The number in the line of a file that begins with this name, such as `inactive_file 4096`.
fn number_in(path: &Path, name: &str) -> Option<u64> {
    let text = read(path);
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

/// The size in such a line, as in `MemAvailable:   1024 kB`, in bytes.
pub fn size_in(path: &Path, name: &str) -> Option<u64> {
    number_in(path, name)?.checked_mul(1 << 10)
}

/// What the control group of this process leaves, which all groups above it limit too. Only groups of version 2 count.
/// A container shows its own group where the group of the whole system would be.
fn control_group(root: &Path) -> Option<u64> {
    let groups = read(&root.join("proc/self/cgroup"));
    let group = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let top = root.join("sys/fs/cgroup");
    Path::new(group).ancestors().filter_map(|group| left_in(&top.join(group))).min()
}

/// What the limits of one group leave of it; `None` if it has none.
fn left_in(folder: &Path) -> Option<u64> {
    let number = |name| read(&folder.join(name)).trim().parse::<u64>().ok();
    // Above the high limit, processes are slowed down until they hardly go on.
    let limit = ["memory.max", "memory.high"].into_iter().filter_map(number).min()?;
    // The group gives up the memory that caches files when it needs more.
    let reclaimable = ["inactive_file ", "active_file ", "slab_reclaimable "].into_iter();
    let reclaimable = reclaimable
        .filter_map(|name| number_in(&folder.join("memory.stat"), name))
        .fold(0, u64::saturating_add);
    let used = number("memory.current").unwrap_or(0).saturating_sub(reclaimable);
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const MIB: u64 = 1 << 20;

    /// What is left where the files have these texts, each with its name in a line; `;` stands for the end of a line, and
    /// `7M` for 7 MiB in bytes.
    fn left(files: &str) -> Free {
        let root = TempDir::new().unwrap();
        for line in files.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
            let (name, text) = line.split_once(' ').unwrap();
            let in_bytes = |word: &str| match word.strip_suffix('M').map(str::parse::<u64>) {
                Some(Ok(mib)) => (mib * MIB).to_string(),
                _ => word.to_owned(),
            };
            let words = |line: &str| line.split(' ').map(in_bytes).collect::<Vec<_>>().join(" ");
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.split(';').map(words).collect::<Vec<_>>().join("\n")).unwrap();
        }
        free(root.path())
    }

    #[test]
    fn the_machine_leaves_what_is_available() {
        let files = "proc/meminfo MemTotal: 4096 kB;MemAvailable:    1024 kB;SwapFree: 999 kB";
        assert_eq!(left(files), Free { machine: Some(MIB), group: None });
        for files in ["", "proc/meminfo MemAvailable: many kB", "proc/meminfo MemAvailable:"] {
            assert_eq!(left(files), Free::default(), "{files}");
        }
    }

    #[test]
    fn the_group_or_one_above_it_limits() {
        let tree = |inner, middle, high| {
            let files = format!(
                "proc/self/cgroup 3:cpu:/other;0::/user.slice/batch/job
                sys/fs/cgroup/user.slice/batch/job/memory.max {inner}
                sys/fs/cgroup/user.slice/batch/job/memory.current 100M
                sys/fs/cgroup/user.slice/batch/memory.max {middle}
                sys/fs/cgroup/user.slice/batch/memory.current 200M
                sys/fs/cgroup/user.slice/memory.high {high}"
            );
            left(&files).group
        };
        assert_eq!(tree("max", "max", "max"), None);
        assert_eq!(tree("300M", "max", "max"), Some(200 * MIB));
        assert_eq!(tree("max", "300M", "max"), Some(100 * MIB));
        // Without a file that says how much is used, all of it is left.
        assert_eq!(tree("max", "max", "50M"), Some(50 * MIB));
        // What is used already is more than the limit.
        assert_eq!(tree("1M", "max", "max"), Some(0));
        for garbage in ["", "\0\u{fffd}", "-1", "99999999999999999999999"] {
            assert_eq!(tree(garbage, "300M", garbage), Some(100 * MIB), "{garbage:?}");
        }
    }

    #[test]
    fn a_container_finds_its_group_at_the_top() {
        for group in ["/", "/docker/c1", "/../other"] {
            let files = format!("proc/self/cgroup 0::{group}\nsys/fs/cgroup/memory.max 200M");
            assert_eq!(left(&files).group, Some(200 * MIB), "{group}");
        }
    }

    #[test]
    fn memory_that_caches_files_counts_as_free() {
        let files = "
            proc/self/cgroup 0::/job
            sys/fs/cgroup/job/memory.max 300M
            sys/fs/cgroup/job/memory.current 200M
            sys/fs/cgroup/job/memory.stat anon 1;inactive_file 50M;active_file 40M;slab_reclaimable 10M";
        assert_eq!(left(files).group, Some(200 * MIB));
    }
}
