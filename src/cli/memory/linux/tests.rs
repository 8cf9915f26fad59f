use super::*;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

fn available(root: &Path) -> Option<Available> {
    super::super::least(limits(root))
}

/// A made-up root folder. Each line is the name of a file, and its text: `;` stands for the end of a line,
/// and `7M` for 7 MiB in bytes.
fn root(files: &str) -> TempDir {
    let root = TempDir::new().unwrap();
    for line in files.lines().filter(|line| !line.trim().is_empty()) {
        let (name, text) = line.trim_start().split_once(' ').unwrap();
        let in_bytes = |word: &str| match word.strip_suffix('M').map(str::parse::<u64>) {
            Some(Ok(mib)) => (mib * MIB).to_string(),
            _ => word.to_owned(),
        };
        let words = |line: &str| line.split(' ').map(in_bytes).collect::<Vec<_>>().join(" ");
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.split(';').map(words).collect::<Vec<_>>().join("\n") + "\n").unwrap();
    }
    root
}

/// A machine with 1000 MiB to spare.
const MACHINE: &str =
    "proc/meminfo MemTotal: 4096000 kB;MemAvailable:    1024000 kB;SwapFree: 999999 kB\n";

/// What these files leave on this machine, in MiB, and what limits it.
fn left(files: &str) -> (u64, Within) {
    let free = available(root(&[MACHINE, files].concat()).path()).unwrap();
    assert_eq!(free.bytes % MIB, 0, "{files}");
    (free.bytes / MIB, free.within)
}

#[test]
fn the_machine_is_the_limit_where_nothing_else_is() {
    let unlimited = "
        proc/self/cgroup 0::/a
        sys/fs/cgroup/a/memory.max max
        sys/fs/cgroup/a/memory.high max
        sys/fs/cgroup/a/memory.current 100M";
    assert_eq!(["", unlimited].map(left), [(1000, Within::Machine); 2]);
    assert_eq!(available(TempDir::new().unwrap().path()), None);
}

#[test]
fn the_lowest_level_of_version_2_limits() {
    let tree = |inner, middle, high| {
        left(&format!(
            "proc/self/cgroup 0::/user.slice/batch/job
            sys/fs/cgroup/user.slice/batch/job/memory.max {inner}
            sys/fs/cgroup/user.slice/batch/job/memory.current 100M
            sys/fs/cgroup/user.slice/batch/memory.max {middle}
            sys/fs/cgroup/user.slice/batch/memory.current 200M
            sys/fs/cgroup/user.slice/memory.high {high}"
        ))
    };
    assert_eq!(tree("300M", "max", "max"), (200, Within::ControlGroup));
    assert_eq!(tree("max", "300M", "max"), (100, Within::ControlGroup));
    // Without a file that says how much is used, all of it is left.
    assert_eq!(tree("max", "max", "50M"), (50, Within::ControlGroup));
    // What is used already is more than the limit.
    assert_eq!(tree("1M", "max", "max"), (0, Within::ControlGroup));
}

#[test]
fn memory_that_caches_files_counts_as_free() {
    let version_2 = "
        proc/self/cgroup 0::/job
        sys/fs/cgroup/job/memory.max 300M
        sys/fs/cgroup/job/memory.current 200M
        sys/fs/cgroup/job/memory.stat anon 1;inactive_file 50M;active_file 40M;slab_reclaimable 10M";
    let version_1 = "
        proc/self/cgroup 4:memory:/job;3:cpu,cpuacct:/other
        sys/fs/cgroup/memory/job/memory.limit_in_bytes 300M
        sys/fs/cgroup/memory/job/memory.usage_in_bytes 200M
        sys/fs/cgroup/memory/job/memory.stat inactive_file 1;total_inactive_file 50M;total_active_file 50M";
    assert_eq!([version_2, version_1].map(left), [(200, Within::ControlGroup); 2]);
}

/// What version 1 writes where there is no limit.
const NONE: &str = "9223372036854771712";

#[test]
fn every_level_of_version_1_limits() {
    let tree = |outer| {
        left(&format!(
            "proc/self/cgroup 9:name=systemd:/;4:cpuset,memory:/slurm/job_7
            sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes 300M
            sys/fs/cgroup/memory/slurm/memory.limit_in_bytes {outer}
            sys/fs/cgroup/memory/memory.limit_in_bytes {NONE}
            sys/fs/cgroup/memory/memory.usage_in_bytes 9999999999"
        ))
    };
    assert_eq!(tree(NONE), (300, Within::ControlGroup));
    assert_eq!(tree("100M"), (100, Within::ControlGroup));
}

#[test]
fn limits_above_what_a_container_sees_count_in_version_1() {
    let with = |statistics| {
        left(&format!(
            "proc/self/cgroup 4:memory:/docker/c1
            sys/fs/cgroup/memory/memory.limit_in_bytes {NONE}
            sys/fs/cgroup/memory/memory.usage_in_bytes 100M
            sys/fs/cgroup/memory/memory.stat {statistics}"
        ))
    };
    assert_eq!(with("hierarchical_memory_limit 300M"), (200, Within::ControlGroup));
    let cached = "total_inactive_file 50M;hierarchical_memory_limit 300M";
    assert_eq!(with(cached), (250, Within::ControlGroup));
    let unlimited = format!("hierarchical_memory_limit {NONE}");
    assert_eq!(with(&unlimited), (1000, Within::Machine));
}

#[test]
fn both_versions_can_be_in_use() {
    let tree = |version_1, version_2| {
        left(&format!(
            "proc/self/cgroup 4:memory:/a;0::/b
            sys/fs/cgroup/memory/a/memory.limit_in_bytes {version_1}
            sys/fs/cgroup/unified/b/memory.max {version_2}"
        ))
    };
    assert_eq!(tree("200M", "max"), (200, Within::ControlGroup));
    assert_eq!(tree("200M", "100M"), (100, Within::ControlGroup));
}

#[test]
fn groups_are_found_in_containers() {
    // What is shown begins at the group of the whole system, at that of the container, or around it.
    for (group, mib) in [
        ("/", 200),
        ("/in", 100),
        ("/docker/c1", 200),
        ("/docker/c1/in", 100),
        ("/../other", 200),
        ("/../in", 200),
    ] {
        let found = left(&format!(
            "proc/self/cgroup 0::{group}
            sys/fs/cgroup/memory.max 200M
            sys/fs/cgroup/in/memory.max 100M"
        ));
        assert_eq!(found, (mib, Within::ControlGroup), "{group}");
    }
}

#[test]
fn garbage_in_files_is_passed_over() {
    let garbage =
        ["", "\0\u{fffd}\n", "-1\n", "99999999999999999999999\n", "0::\n", "0::/\n1:memory\n"];
    let good = "
        proc/self/cgroup 0::/job
        sys/fs/cgroup/job/memory.max 300M
        sys/fs/cgroup/job/memory.high max
        sys/fs/cgroup/job/memory.current 100M
        sys/fs/cgroup/job/memory.stat anon 1";
    assert_eq!(left(good), (200, Within::ControlGroup));
    for name in good.lines().filter_map(|line| line.split_whitespace().next()) {
        for text in garbage {
            let root = root(&[MACHINE, good].concat());
            fs::write(root.path().join(name), text).unwrap();
            let free = available(root.path()).unwrap();
            assert!((200..=1000).contains(&(free.bytes / MIB)), "{name} {text:?} {free:?}");
        }
    }
    let without_machine = root(&["proc/meminfo MemAvailable: many kB", good].concat());
    assert_eq!(available(without_machine.path()).map(|free| free.bytes), Some(200 * MIB));
}
