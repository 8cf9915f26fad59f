//! Runs `lasca-tb generate` as several processes of one machine, with the `mpirun` that is installed.

use lasca_common::tables::shipped;
use lasca_common::wait::wait_until;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program of this build.
const BINARY: &str = env!("CARGO_BIN_EXE_lasca-tb");

/// `mpirun` with so many processes of a program that is still to be named. Its own files come to `folder`: where
/// several share one, Open MPI 4 fails if one of them removes it while another begins.
fn launcher(processes: usize, folder: &Path) -> Command {
    let mut command = Command::new("mpirun");
    command
        .env("TMPDIR", folder)
        // What Open MPI needs on a small machine, and in a container; MPICH does not look at it.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        // After so many seconds, a run that hangs is ended.
        .env("MPIEXEC_TIMEOUT", "120")
        .args(["-n", &processes.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// `mpirun` with so many processes, each of one thread unless the arguments say another number.
fn mpirun(processes: usize, arguments: &[&str], tables: &Path) -> Command {
    let folder = if tables.is_dir() { tables } else { tables.parent().unwrap() };
    let mut command = launcher(processes, folder);
    command
        .args([BINARY, "generate"])
        .args(arguments)
        .args(["--threads", "1"].iter().filter(|_| !arguments.contains(&"--threads")))
        .arg("--tables")
        .arg(tables);
    command
}

fn run(processes: usize, arguments: &[&str], tables: &Path) -> Output {
    mpirun(processes, arguments, tables).output().expect("mpirun is installed")
}

fn assert_shipped(tables: &Path, name: &str) {
    for kind in ["ltbw", "ltbd"] {
        let name = format!("{name}.{kind}");
        let made = fs::read(tables.join(&name)).unwrap_or_default();
        assert!(made == fs::read(shipped().join(&name)).unwrap(), "{name} has other bytes");
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn tables_have_the_bytes_that_one_process_makes() {
    for (processes, threads) in [(2, "1"), (3, "2"), (7, "1")] {
        let tables = tempfile::tempdir().unwrap();
        let materials = ["2-1", "2-2", "3-1", "2-3", "4-1", "3-3"];
        let arguments = [&["--threads", threads][..], &materials].concat();
        let output = run(processes, &arguments, tables.path());
        assert!(output.status.success(), "{}", errors(&output));
        for name in ["2-1", "2-2", "3-1", "3-2", "4-1", "3-3"] {
            assert_shipped(tables.path(), &format!("lasca-{name}"));
        }
        assert!(!tables.path().join(".work").exists(), "the work folder is removed");
        let again = run(1, &["3-2"], tables.path());
        assert!(String::from_utf8_lossy(&again.stdout).contains("already there"));
    }
}

#[test]
fn an_error_ends_all_processes_with_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let (file, small) = (folder.path().join("file"), folder.path().join("small"));
    fs::write(&file, b"no folder").unwrap();
    for (arguments, tables, why) in [
        (&["2-2"][..], &file, "process 0: no work was started: reading"),
        (&["3-2", "--memory", "1M"], &small, "process 0: no work was started: 3-2 needs at least"),
    ] {
        let output = run(3, arguments, tables);
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert_eq!(errors.matches("lasca-tb: ").count(), 1, "{errors}");
        assert!(errors.contains(why), "{errors}");
    }
}

#[test]
fn all_tables_are_made_though_nobody_reads_the_output() {
    let tables = tempfile::tempdir().unwrap();
    let script = "\"$0\" generate --up-to 4 --threads 1 --json --tables \"$1\" | true; exit ${PIPESTATUS[0]}";
    let mut command = launcher(2, tables.path());
    let output = command.args(["bash", "-c", script, BINARY]).arg(tables.path()).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    for name in ["lasca-1-1", "lasca-2-1", "lasca-2-2", "lasca-3-1"] {
        assert_shipped(tables.path(), name);
    }
}

#[test]
fn usage_errors_are_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["no-material"][..], &["7-7"]] {
        let output = run(3, arguments, folder.path());
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let said = |what: &str| errors.matches(what).count();
        assert_eq!(said("lasca-tb: ") + said("error: invalid value"), 1, "{errors}");
    }
}

/// Runs the program without `mpirun`.
fn run_alone(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).output().unwrap()
}

#[test]
fn without_mpirun_it_is_an_ordinary_run() {
    let tables = tempfile::tempdir().unwrap();
    let output = run_alone(&["generate", "3-1", "--tables", tables.path().to_str().unwrap()]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", errors(&output));
    assert_shipped(tables.path(), "lasca-3-1");
}

/// Begins a run of two processes, and sends a signal to one of them when slices of some columns are saved.
/// Returns what the run says in the end.
fn signalled(tables: &Path, signal: libc::c_int) -> Output {
    let mut run = mpirun(2, &["4-2", "--checkpoint", "0.01"], tables).spawn().unwrap();
    // What is saved first is of a small slice.
    let saved = tables.join(".work/lasca-4-2/columns-4");
    wait_until("something is saved", || saved.exists() || run.try_wait().unwrap().is_some());
    if let Some(process) = processes_of(tables).first() {
        // SAFETY: it reads no memory.
        unsafe { libc::kill(process.cast_signed(), signal) };
    }
    run.wait_with_output().unwrap()
}

/// What a run says that a signal to one of its processes has stopped. Then threads alone go on with it.
fn stopped_by(signal: libc::c_int) -> Output {
    // On a busy machine, a run may have ended before the signal comes. Then another one is begun.
    let mut runs = (0..20).map(|_| {
        let tables = tempfile::tempdir().unwrap();
        (signalled(tables.path(), signal), tables)
    });
    let (output, tables) = runs.find(|(output, _)| !output.status.success()).unwrap();
    let alone = run_alone(&["generate", "4-2", "--tables", tables.path().to_str().unwrap()]);
    assert!(alone.status.success(), "{}", errors(&alone));
    assert_shipped(tables.path(), "lasca-4-2");
    output
}

#[test]
fn a_signal_to_one_process_stops_all_and_threads_alone_go_on() {
    let output = stopped_by(libc::SIGTERM);
    let errors = errors(&output);
    assert_eq!(output.status.code(), Some(128 + 15), "{errors}");
    assert_eq!(errors.matches("stopped; run the same command to continue").count(), 1, "{errors}");
}

#[test]
#[ignore = "slow: Open MPI 4 sometimes stays in its own clean-up, and is ended by its limit of time"]
fn threads_alone_go_on_where_a_process_was_killed() {
    stopped_by(libc::SIGKILL);
}

/// The processes of a run into this folder.
fn processes_of(tables: &Path) -> Vec<u32> {
    let is_one = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let program = line.split('\0').next().unwrap_or_default();
        program == BINARY && line.contains(&*tables.to_string_lossy())
    };
    let names = fs::read_dir("/proc").unwrap().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_one).collect()
}
