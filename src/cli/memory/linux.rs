//! The memory that Linux leaves this process: the machine's, and that of its control groups. All of it is read from
//! files below a root folder, which tests replace.

use super::{Available, Within};
use std::collections::HashMap;
use std::fs;
use std::iter::successors;
use std::path::{Component, Path, PathBuf};

/// What each limit leaves this process, as far as it can be found out. Swap does not count.
pub fn limits(root: &Path) -> Vec<Available> {
    let of = |within| move |bytes| Available { bytes, within };
    let machine = machine(root).map(of(Within::Machine));
    let groups = control_groups(root).map(of(Within::ControlGroup));
    machine.into_iter().chain(groups).collect()
}

/// The text of a file; empty if it cannot be read, as everything in it is missing then.
fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// A size in a file of lines such as `MemAvailable:   1024 kB`, in bytes.
pub fn size_in(path: &Path, name: &str) -> Option<u64> {
    let text = read(path);
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

/// What the machine can give without swapping.
fn machine(root: &Path) -> Option<u64> {
    size_in(&root.join("proc/meminfo"), "MemAvailable")
}

/// The two versions of control groups. Both can be in use at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// What the control groups of this process leave, each of which is limited by all groups above it.
///
/// Systems and containers show the groups in these folders. A container may show its own group, or one
/// around it, where the group of the whole system would be. So all folders count that are there.
fn control_groups(root: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let (version, group) = group(line)?;
        let tops: &[&str] = match version {
            Version::One => &["sys/fs/cgroup/memory"],
            Version::Two => &["sys/fs/cgroup", "sys/fs/cgroup/unified"],
        };
        let left = |top: &&str| {
            let top = root.join(top);
            // If a group below that of the whole system is shown there, the path of this one begins below it.
            let mut tails = successors(Some(group.as_path()), |tail| {
                let mut parts = tail.components();
                parts.next().map(|_| parts.as_path())
            });
            let shown = tails.find(|tail| top.join(tail).is_dir())?;
            let levels = shown.ancestors().map(|level| top.join(level));
            levels.filter_map(|folder| left_in(&folder, version)).min()
        };
        tops.iter().filter_map(left).min()
    };
    read(&root.join("proc/self/cgroup")).lines().filter_map(of_line).min()
}

/// Reads a line of `/proc/self/cgroup`: the path of the group that limits memory, below the group of all.
fn group(line: &str) -> Option<(Version, PathBuf)> {
    let (hierarchy, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let version = match (hierarchy, controllers) {
        ("0", "") => Version::Two,
        _ if controllers.split(',').any(|name| name == "memory") => Version::One,
        _ => return None,
    };
    // A group that the container does not show has `..` in its path.
    let is_shown = |group: &&Path| group.components().all(|part| part != Component::ParentDir);
    let group = Path::new(path).strip_prefix("/").ok().filter(is_shown);
    Some((version, group.unwrap_or("".as_ref()).to_owned()))
}

/// What the limits of one group leave of it; `None` if it has none.
fn left_in(folder: &Path, version: Version) -> Option<u64> {
    let number = |name: &str| read(&folder.join(name)).trim().parse::<u64>().ok();
    let (limits, used, prefix) = match version {
        Version::One => (&["memory.limit_in_bytes"][..], "memory.usage_in_bytes", "total_"),
        // Above the high limit, processes are slowed down until they hardly go on.
        Version::Two => (&["memory.max", "memory.high"][..], "memory.current", ""),
    };
    let text = read(&folder.join("memory.stat"));
    let statistics: HashMap<&str, u64> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, value)| Some((name, value.trim().parse().ok()?)))
        .collect();
    // In version 1, this tells the limits of the groups above too, even of those that are not seen here.
    let of_hierarchy = statistics.get("hierarchical_memory_limit").copied();
    let of_hierarchy = of_hierarchy.filter(|_| version == Version::One);
    let limit = limits.iter().filter_map(|name| number(name)).chain(of_hierarchy).min()?;
    // The group gives up the memory that caches files when it needs more.
    let reclaimable = ["inactive_file", "active_file", "slab_reclaimable"]
        .iter()
        .filter_map(|name| statistics.get(format!("{prefix}{name}").as_str()))
        .fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    let used = number(used).unwrap_or(0).saturating_sub(reclaimable);
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests;
