//! Runs that are killed, and that meet: in the end the tables are those of a run that nothing disturbed, and nothing
//! else is left in the folder.

use crate::common::files::files;
use crate::common::numbers::Numbers;
use crate::common::tables::whole;
use crate::common::wait::wait_until;
use crate::run::{Folder, Ran, process, signal, with_signals};
use lasca_tablebase::generate::{Plan, Storage, Workers};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A run of `lasca-tb generate` that is still to be started.
fn generate(args: &str) -> Command {
    let mut command = process(&format!("generate {args}"));
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Starts `lasca-tb generate` into a folder.
fn start(folder: &Path, args: &str) -> Child {
    generate(args).arg("--tables").arg(folder).spawn().unwrap()
}

/// Waits for the end of a run, with this exit status; returns what it says.
#[track_caller]
fn ended(child: Child, status: i32) -> String {
    Ran::of("generate", &child.wait_with_output().unwrap()).exits(status).stderr
}

/// Runs `lasca-tb generate` to its end; returns what it says.
#[track_caller]
fn finish(folder: &Path, args: &str) -> String {
    ended(start(folder, args), 0)
}

#[track_caller]
fn assert_same(found: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let found = files(found);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in &found {
        assert!(*bytes == expected[name], "{name} differs");
    }
}

/// The files that a run makes which nothing disturbs, and how long that took.
fn undisturbed(args: &str) -> (BTreeMap<String, Vec<u8>>, Duration) {
    let folder = Folder::empty();
    let started = Instant::now();
    finish(&folder, args);
    (files(&folder), started.elapsed())
}

#[test]
fn runs_that_are_killed_at_any_moment_leave_what_the_next_one_needs() {
    let args = "4-2 --threads 2";
    let (expected, took) = undisturbed(args);
    let folder = Folder::empty();
    let mut numbers = Numbers(0);
    const KILLS: u32 = 5;
    for kill in 1..=KILLS {
        let mut child = start(&folder, args);
        // Later and later, up to the time that the whole run takes, and by chance a little sooner.
        let sooner = numbers.below(1 << 16) as f64 / 1e6;
        let share = f64::from(kill) / f64::from(KILLS) - sooner;
        std::thread::sleep(took.mul_f64(share.max(0.0)).min(Duration::from_millis(600)));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever stands under the table's names is whole, and the DTW file, without which there
        // would be no distances, is there first. Then it is made once more.
        for name in ["lasca-4-2.ltbw", "lasca-4-2.ltbd"] {
            if folder.join(name).exists() {
                assert!(folder.read(name) == expected[name]);
                assert!(folder.join("lasca-4-2.ltbd").exists());
                folder.remove(name);
            }
        }
    }
    finish(&folder, args);
    assert_same(&folder, &expected);
}

/// The work folder of a material.
fn work_folder(folder: &Path, material: &str) -> PathBuf {
    folder.join(format!(".work/lasca-{material}"))
}

/// The names of what is saved of slices in a work folder, and when these files were written.
fn saved(work: &Path) -> BTreeMap<String, SystemTime> {
    let entries = fs::read_dir(work).into_iter().flatten().flatten();
    let of_entry = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        (name.starts_with("columns-") && !name.ends_with(".tmp"))
            .then_some((name, entry.metadata().ok()?.modified().ok()?))
    };
    entries.filter_map(of_entry).collect()
}

/// The notes of what is saved of slices in a work folder, and when they were written.
fn notes(work: &Path) -> BTreeMap<String, SystemTime> {
    let mut notes = saved(work);
    notes.retain(|name, _| name["columns-".len()..].parse::<u8>().is_ok());
    notes
}

/// Starts a run and kills it when it has saved something, or returns what it says if it ends before.
fn kill_when_saved(folder: &Path, work: &Path, args: &str) -> Option<String> {
    let before = notes(work);
    let mut child = start(folder, args);
    let mut has_ended = false;
    wait_until("something is saved", || {
        has_ended = child.try_wait().unwrap().is_some();
        has_ended || notes(work) != before
    });
    if has_ended {
        return Some(ended(child, 0));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// The most memory, in bytes, with which two threads keep the values of a material in this way.
fn limit_of(material: &str, storage: Storage) -> u64 {
    let extent = whole(material.parse().unwrap());
    let workers = Workers { processes: 1, threads: 2 };
    let least = Plan::within(extent, workers, 0).unwrap_err();
    let way = |limit: u64| Plan::within(extent, workers, limit).unwrap().storage;
    let mut limits = (least..=Plan::new(extent, workers).memory()).rev().step_by(1 << 12);
    limits.find(|&limit| way(limit) == storage).unwrap_or_else(|| panic!("{storage:?}"))
}

/// Kills a run whenever it has saved something, which it does after this time, until it comes to its end.
/// Returns how often it was killed.
fn kills_until_the_end(
    material: &str,
    args: &str,
    interval: Duration,
    expected: &BTreeMap<String, Vec<u8>>,
) -> usize {
    let args = format!("{args} --checkpoint {:.9}", interval.as_secs_f64());
    let folder = Folder::empty();
    let work = work_folder(&folder, material);
    // Whatever is saved is some work done. So a run that goes on needs fewer of these than the one
    // before, and there are not many more than there are pieces of this time.
    for kills in 0..500 {
        if let Some(said) = kill_when_saved(&folder, &work, &args) {
            assert!(said.lines().all(|line| line.ends_with(" of 2 threads")), "{said}");
            assert_same(&folder, expected);
            return kills;
        }
    }
    panic!("the run comes to no end");
}

/// Kills runs that go on with each other's work, at least four, until the table is made.
fn kill_again_and_again(material: &str, storage: Storage) {
    let args = format!("{material} --threads 2 --memory {}", limit_of(material, storage));
    let (expected, took) = undisturbed(&args);
    // Whatever the speed of the machine, one of these is short enough for several kills.
    let mut interval = took / 10;
    while kills_until_the_end(material, &args, interval, &expected) < 4 {
        interval /= 2;
        assert!(!interval.is_zero(), "nothing is saved with {storage:?}");
    }
}

#[test]
fn a_run_that_is_killed_whenever_it_has_saved_something_comes_to_its_end() {
    kill_again_and_again("3-2", Storage::OneSlice);
}

#[test]
#[ignore = "slow: kills many runs"]
fn a_run_that_is_killed_comes_to_its_end_wherever_its_values_are_kept() {
    kill_again_and_again("3-2", Storage::Memory);
    kill_again_and_again("4-2", Storage::Scratch);
}

#[test]
fn saved_work_is_counted() {
    let folder = Folder::empty();
    let work = work_folder(&folder, "3-2");
    let ended = kill_when_saved(&folder, &work, "3-2 --threads 1 --checkpoint 0.001");
    assert_eq!(ended, None, "it ended too soon");
    let planned = folder.run("generate 3-2 --dry-run --json").exits(0).answer();
    let solved = planned["saved_positions"].as_u64().unwrap();
    assert!(planned["positions"] == 301_260 && solved < 301_260, "{planned}");
    let done = if solved > 0 { " % done" } else { "3-2" };
    folder.run("generate 3-2 --dry-run").exits(0).prints(done);
    // What a bounded table does not need does not count.
    let planned = folder.run("generate 3-2 --columns 2 --dry-run --json").exits(0).answer();
    assert!(planned["saved_positions"].as_u64().unwrap() <= 1_200, "{planned}");
}

/// Waits until a run on 4-2 has saved something, or has ended.
fn wait_for_work(run: &mut Child, folder: &Path) {
    let work = work_folder(folder, "4-2");
    wait_until("something is saved", || {
        !saved(&work).is_empty() || run.try_wait().unwrap().is_some()
    });
}

#[test]
fn a_run_that_is_stopped_says_how_to_go_on() {
    let (expected, _) = undisturbed("4-2 --threads 1");
    let args = "4-2 --threads 1 --memory 64M --checkpoint 0.01";
    // A closed terminal may send its signal twice; that does not ask for an end at once.
    for (sent, times, status) in [(libc::SIGTERM, 1, 143), (libc::SIGHUP, 2, 129)] {
        let folder = Folder::empty();
        let mut child = start(&folder, args);
        wait_for_work(&mut child, &folder);
        (0..times).for_each(|_| signal(&child, sent));
        let said = ended(child, status);
        let last = said.lines().last().unwrap();
        assert!(last.ends_with("stopped; run the same command to continue"), "{said}");
        finish(&folder, args);
        assert_same(&folder, &expected);
    }
}

#[test]
fn a_run_that_is_started_with_signals_ignored_goes_on() {
    let folder = Folder::empty();
    let args = "4-2 --threads 1 --checkpoint 0.01";
    let mut command = generate(args);
    command.arg("--tables").arg(&*folder);
    let mut child = with_signals(&mut command, libc::SIG_IGN).spawn().unwrap();
    wait_for_work(&mut child, &folder);
    for sent in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
        signal(&child, sent);
    }
    ended(child, 0);
}

#[test]
fn runs_that_meet_in_a_folder_do_not_damage_each_others_files() {
    let args = "--up-to 5 --threads 2";
    let (expected, _) = undisturbed(args);
    let folder = Folder::empty();
    let runs: Vec<Child> = (0..4).map(|_| start(&folder, args)).collect();
    // One that meets another ends, and leaves the material to it.
    for mut run in runs {
        run.wait().unwrap();
    }
    finish(&folder, args);
    assert_same(&folder, &expected);
}

#[test]
fn what_another_run_makes_is_left_to_it() {
    let folder = Folder::empty();
    let work = work_folder(&folder, "3-2");
    fs::create_dir_all(&work).unwrap();
    let lock = fs::File::create(work.join("lock")).unwrap();
    lock.lock().unwrap();
    folder.run("generate 4-1 3-2 2-2").exits(2).says("another run is working on 3-2");
    assert!(folder.join("lasca-4-1.ltbw").exists() && work.exists());
    drop(lock);
    folder.run("generate 4-1 3-2 2-2").exits(0);
    assert!(!work.exists());
}

#[test]
fn ctrl_c_ends_what_only_reads_tables_as_it_ends_other_programs() {
    use std::os::unix::process::ExitStatusExt;
    // They cannot come to their end: what is printed is more than a pipe takes.
    let study = format!(" {}/tests/studies/01-leap-frog.study", crate::ROOT);
    for line in [
        "find 3-2 --limit 10000",
        &format!("verify{}", " --tables tables".repeat(300)),
        &format!("study{}", study.repeat(300)),
    ] {
        let mut command = process(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0]).unwrap();
        signal(&child, libc::SIGINT);
        let ended = child.wait_with_output().unwrap();
        let how = (ended.status.signal(), ended.stderr);
        assert_eq!(how, (Some(libc::SIGINT), Vec::new()), "{line}");
    }
}
