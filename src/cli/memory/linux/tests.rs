use super::*;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

fn available(root: &Path) -> Option<Available> {
    super::super::least(limits(root))
}

/// A made-up root folder with these files, and a machine with 1000 MiB to spare.
fn root(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().unwrap();
    let put = |(name, text): (&str, &str)| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put((
        "proc/meminfo",
        "MemTotal: 4096000 kB\nMemAvailable:    1024000 kB\nSwapFree: 999999 kB\n",
    ));
    files.iter().copied().for_each(put);
    root
}

#[track_caller]
fn leaves(files: &[(&str, &str)], mib: u64, within: Within) {
    let root = root(files);
    let expected = Available { bytes: mib * MIB, within };
    assert_eq!(available(root.path()), Some(expected), "{files:?}");
}

#[test]
fn the_machine_is_the_limit_where_nothing_else_is() {
    leaves(&[], 1000, Within::Machine);
    let unlimited = [
        ("proc/self/cgroup", "0::/a\n"),
        ("sys/fs/cgroup/a/memory.max", "max\n"),
        ("sys/fs/cgroup/a/memory.high", "max\n"),
        ("sys/fs/cgroup/a/memory.current", "104857600\n"),
        (
            "proc/self/limits",
            "Max address space         unlimited            unlimited            bytes\n",
        ),
    ];
    leaves(&unlimited, 1000, Within::Machine);
    assert_eq!(available(TempDir::new().unwrap().path()), None);
}

#[test]
fn the_lowest_level_of_version_2_limits() {
    let tree = |inner, middle, high| {
        [
            ("proc/self/cgroup", "0::/user.slice/batch/job\n"),
            ("sys/fs/cgroup/user.slice/batch/job/memory.max", inner),
            ("sys/fs/cgroup/user.slice/batch/job/memory.current", "104857600\n"),
            ("sys/fs/cgroup/user.slice/batch/memory.max", middle),
            ("sys/fs/cgroup/user.slice/batch/memory.current", "209715200\n"),
            ("sys/fs/cgroup/user.slice/memory.high", high),
        ]
    };
    leaves(&tree("314572800\n", "max\n", "max\n"), 200, Within::ControlGroup);
    leaves(&tree("max\n", "314572800\n", "max\n"), 100, Within::ControlGroup);
    // Without a file that says how much is used, all of it is left.
    leaves(&tree("max\n", "max\n", "52428800\n"), 50, Within::ControlGroup);
    // What is used already is more than the limit.
    leaves(&tree("1048576\n", "max\n", "max\n"), 0, Within::ControlGroup);
}

#[test]
fn memory_that_caches_files_counts_as_free() {
    let version_2 = [
        ("proc/self/cgroup", "0::/job\n"),
        ("sys/fs/cgroup/job/memory.max", "314572800\n"),
        ("sys/fs/cgroup/job/memory.current", "209715200\n"),
        (
            "sys/fs/cgroup/job/memory.stat",
            "anon 1\ninactive_file 52428800\nactive_file 41943040\nslab_reclaimable 10485760\n",
        ),
    ];
    leaves(&version_2, 200, Within::ControlGroup);
    let version_1 = [
        ("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/other\n"),
        ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "314572800\n"),
        ("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "209715200\n"),
        (
            "sys/fs/cgroup/memory/job/memory.stat",
            "inactive_file 1\ntotal_inactive_file 52428800\ntotal_active_file 52428800\n",
        ),
    ];
    leaves(&version_1, 200, Within::ControlGroup);
}

#[test]
fn every_level_of_version_1_limits() {
    let tree = |outer| {
        [
            ("proc/self/cgroup", "9:name=systemd:/\n4:cpuset,memory:/slurm/job_7\n"),
            ("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "314572800\n"),
            ("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", outer),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "9999999999\n"),
        ]
    };
    leaves(&tree("9223372036854771712\n"), 300, Within::ControlGroup);
    leaves(&tree("104857600\n"), 100, Within::ControlGroup);
}

#[test]
fn limits_above_what_a_container_sees_count_in_version_1() {
    let with = |statistics| {
        [
            ("proc/self/cgroup", "4:memory:/docker/c1\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n"),
            ("sys/fs/cgroup/memory/memory.stat", statistics),
        ]
    };
    leaves(&with("hierarchical_memory_limit 314572800\n"), 200, Within::ControlGroup);
    leaves(
        &with("total_inactive_file 52428800\nhierarchical_memory_limit 314572800\n"),
        250,
        Within::ControlGroup,
    );
    leaves(&with("hierarchical_memory_limit 9223372036854771712\n"), 1000, Within::Machine);
}

#[test]
fn both_versions_can_be_in_use() {
    let tree = |v1, v2| {
        [
            ("proc/self/cgroup", "4:memory:/a\n0::/b\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", v1),
            ("sys/fs/cgroup/unified/b/memory.max", v2),
        ]
    };
    leaves(&tree("209715200\n", "max\n"), 200, Within::ControlGroup);
    leaves(&tree("209715200\n", "104857600\n"), 100, Within::ControlGroup);
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
        let group = format!("0::{group}\n");
        let files = [
            ("proc/self/cgroup", group.as_str()),
            ("sys/fs/cgroup/memory.max", "209715200\n"),
            ("sys/fs/cgroup/in/memory.max", "104857600\n"),
        ];
        leaves(&files, mib, Within::ControlGroup);
    }
}

#[test]
fn garbage_in_files_is_passed_over() {
    let garbage =
        ["", "\0\u{fffd}\n", "-1\n", "99999999999999999999999\n", "0::\n", "0::/\n1:memory\n"];
    let names = [
        "proc/self/cgroup",
        "proc/self/limits",
        "proc/self/status",
        "sys/fs/cgroup/job/memory.max",
        "sys/fs/cgroup/job/memory.high",
        "sys/fs/cgroup/job/memory.current",
        "sys/fs/cgroup/job/memory.stat",
    ];
    let good = [
        ("proc/self/cgroup", "0::/job\n"),
        ("proc/self/limits", "Max address space  629145600  629145600  bytes\n"),
        ("proc/self/status", "VmSize: 102400 kB\n"),
        ("sys/fs/cgroup/job/memory.max", "314572800\n"),
        ("sys/fs/cgroup/job/memory.current", "104857600\n"),
    ];
    leaves(&good, 200, Within::ControlGroup);
    for name in names {
        for text in garbage {
            let files = [&good[..], &[(name, text)]].concat();
            let free = available(root(&files).path()).unwrap();
            assert!((200..=600).contains(&(free.bytes / MIB)), "{name} {text:?} {free:?}");
        }
    }
    let root = root(&good);
    fs::write(root.path().join("proc/meminfo"), "MemAvailable: many kB\n").unwrap();
    assert_eq!(available(root.path()).map(|free| free.bytes), Some(200 * MIB));
}

#[test]
fn the_limit_of_the_address_space_leaves_what_is_not_used_yet() {
    let limited = [
        ("proc/self/status", "VmPeak:  999999 kB\nVmSize:\t  102400 kB\n"),
        (
            "proc/self/limits",
            "Max data size             1                    1                    bytes     \n\
             Max address space         314572800            unlimited            bytes     \n",
        ),
    ];
    leaves(&limited, 200, Within::AddressSpace);
}
