//! Runs that are killed, that meet, and that find the work of an earlier run damaged: in the end the
//! tables are those of a run that nothing disturbed, and nothing else is left in the folder.

use crate::common::files::files;
use crate::common::numbers::Numbers;
use crate::run::{signal, with_signals};
#[cfg(feature = "server")]
use crate::server::{Server, program};
use crate::{BINARY, ROOT};
use lasca_tablebase::generate::{Plan, Storage};
use lasca_tablebase::index::Extent;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// Starts `lasca-tb generate` into a folder.
fn start(folder: &Path, args: &[&str]) -> Child {
    start_with_signals(folder, args, libc::SIG_DFL)
}

/// As [`start`]; the run takes signals in this way.
fn start_with_signals(folder: &Path, args: &[&str], way: libc::sighandler_t) -> Child {
    let mut command = Command::new(BINARY);
    command.arg("generate").args(args).arg("--tables").arg(folder).env_remove("LASCA_TABLES");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    with_signals(&mut command, way).spawn().unwrap()
}

/// Runs `lasca-tb generate` to its end.
fn finish(folder: &Path, args: &[&str]) {
    assert!(start(folder, args).wait().unwrap().success());
}

#[track_caller]
fn assert_same(found: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let found = files(found);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in &found {
        assert!(*bytes == expected[name], "{name} differs");
    }
}

/// A table made by a run that nothing disturbs, and how long that took.
fn undisturbed(args: &[&str]) -> (BTreeMap<String, Vec<u8>>, Duration) {
    let folder = TempDir::new().unwrap();
    let started = Instant::now();
    finish(folder.path(), args);
    let took = started.elapsed();
    (files(folder.path()), took)
}

#[test]
fn runs_that_are_killed_at_any_moment_leave_what_the_next_one_needs() {
    let args = ["4-2", "--threads", "2"];
    let (expected, took) = undisturbed(&args);
    let folder = TempDir::new().unwrap();
    let mut numbers = Numbers(0);
    const KILLS: u32 = 8;
    for kill in 1..=KILLS {
        let mut child = start(folder.path(), &args);
        // Later and later, up to the time that the whole run takes, and by chance a little sooner.
        let sooner = numbers.below(1 << 16) as f64 / 1e6;
        let share = f64::from(kill) / f64::from(KILLS) - sooner;
        std::thread::sleep(took.mul_f64(share.max(0.0)).min(Duration::from_millis(600)));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever stands under the table's names is whole, and the DTW file, without which there
        // would be no distances, is there first. Then it is made once more.
        let [wdl, dtw] = ["lasca-4-2.ltbw", "lasca-4-2.ltbd"];
        if let Ok(bytes) = fs::read(folder.path().join(wdl)) {
            assert!(bytes == expected[wdl]);
            assert!(folder.path().join(dtw).exists());
            fs::remove_file(folder.path().join(wdl)).unwrap();
        }
        if let Ok(bytes) = fs::read(folder.path().join(dtw)) {
            assert!(bytes == expected[dtw]);
            fs::remove_file(folder.path().join(dtw)).unwrap();
        }
    }
    finish(folder.path(), &args);
    assert_same(folder.path(), &expected);
}

/// The work folder of a material.
fn work_folder(folder: &Path, material: &str) -> PathBuf {
    folder.join(format!(".work/lasca-{material}"))
}

/// The part of what is saved of a slice.
fn part_of(work: &Path, note: &str) -> Option<PathBuf> {
    let names = fs::read_dir(work).ok()?.map(|entry| entry.unwrap().path());
    let is_part = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(&format!("{note}-part-")) && !name.ends_with(".tmp")
    };
    names.into_iter().filter(is_part).max()
}

/// The notes of what is saved of slices in a work folder, and when they were written.
fn written(work: &Path) -> BTreeMap<String, SystemTime> {
    let Ok(entries) = fs::read_dir(work) else { return BTreeMap::new() };
    let of_entry = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        name.strip_prefix("columns-")?.parse::<u8>().ok()?;
        Some((name, entry.metadata().ok()?.modified().ok()?))
    };
    entries.filter_map(of_entry).collect()
}

/// Starts a run and kills it when it has saved something, or returns what it says if it ends before.
fn kill_when_saved(folder: &Path, work: &Path, args: &[&str]) -> Option<String> {
    let before = written(work);
    let mut child = start(folder, args);
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if written(work) != before {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "nothing is saved");
        std::thread::sleep(Duration::from_micros(500));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    Some(said)
}

/// The most memory, in bytes, with which two threads keep the values of a material in this way.
fn limit_of(material: &str, storage: Storage) -> u64 {
    let extent = Extent::whole(material.parse().unwrap()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| {
        let least = Plan::within(extent, 0).unwrap_err();
        let way = |limit: u64| Plan::within(extent, limit).unwrap().storage;
        let mut limits = (least..=Plan::new(extent).memory()).rev().step_by(1 << 12);
        limits.find(|&limit| way(limit) == storage).unwrap_or_else(|| panic!("{storage:?}"))
    })
}

/// Kills a run whenever it has saved something, which it does after this time, until it comes to its end.
/// Returns how often it was killed.
fn kills_until_the_end(
    args: &[&str],
    interval: Duration,
    expected: &BTreeMap<String, Vec<u8>>,
) -> usize {
    let seconds = format!("{:.9}", interval.as_secs_f64());
    let args = [args, &["--checkpoint", &seconds]].concat();
    let folder = TempDir::new().unwrap();
    let work = work_folder(folder.path(), args[0]);
    // Whatever is saved is some work done. So a run that goes on needs fewer of these than the one
    // before, and there are not many more than there are pieces of this time.
    for kills in 0..500 {
        if let Some(said) = kill_when_saved(folder.path(), &work, &args) {
            assert_eq!(said, "");
            assert_same(folder.path(), expected);
            return kills;
        }
    }
    panic!("the run comes to no end");
}

#[test]
fn a_run_that_is_killed_whenever_it_has_saved_something_comes_to_its_end() {
    for (material, storage) in
        [("3-2", Storage::Memory), ("3-2", Storage::OneSlice), ("4-2", Storage::Scratch)]
    {
        let limit = limit_of(material, storage).to_string();
        let args = [material, "--threads", "2", "--memory", &limit];
        let (expected, took) = undisturbed(&args);
        // Whatever the speed of the machine, one of these is short enough for several kills.
        let mut interval = took / 10;
        while kills_until_the_end(&args, interval, &expected) < 4 {
            interval /= 2;
            assert!(!interval.is_zero(), "nothing is saved with {storage:?}");
        }
    }
}

/// A folder in which a run on 3-2 was killed when it had saved something, its work folder, and the note of
/// what is saved, of the slice in work if there are several.
fn half_done(args: &[&str]) -> (TempDir, PathBuf, String) {
    let folder = TempDir::new().unwrap();
    let work = work_folder(folder.path(), "3-2");
    loop {
        if let Some(note) = written(&work).into_keys().next_back() {
            return (folder, work, note);
        }
        assert_eq!(kill_when_saved(folder.path(), &work, args), None, "it ended too soon");
    }
}

/// Something done to a file.
type Damage = fn(&Path);

#[test]
fn damaged_work_is_named_and_what_it_stands_for_is_done_again() {
    let (expected, _) = undisturbed(&["3-2", "--threads", "1"]);
    let args = ["3-2", "--threads", "1", "--checkpoint", "0.001"];
    let flip: Damage = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        // Not far into the file, for its end may be of no importance.
        let at = bytes.len().min(90) - 1;
        bytes[at] ^= 4;
        fs::write(path, bytes).unwrap();
    };
    let cut: Damage = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len().min(90) - 1]).unwrap();
    };
    let other_version: Damage = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[0] += 1;
        fs::write(path, bytes).unwrap();
    };
    let garbage: Damage = |path: &Path| fs::write(path, [0xA5; 300]).unwrap();
    let remove: Damage = |path: &Path| fs::remove_file(path).unwrap();
    for (is_note, damage, why) in [
        (true, flip, "it is damaged"),
        (true, cut, "it is damaged"),
        (true, garbage, ""),
        (true, remove, ""),
        (false, flip, "a part of it is damaged"),
        (false, cut, "a part of it is damaged"),
        (false, other_version, "another version"),
        (false, garbage, ""),
        (false, remove, ""),
    ] {
        // The bytes of positions of which nothing is known yet may be damaged and do no harm.
        let is_named = (0..20).any(|_| {
            let (folder, work, saved) = half_done(&args);
            damage(&if is_note { work.join(&saved) } else { part_of(&work, &saved).unwrap() });
            let output = start(folder.path(), &["3-2"]).wait_with_output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{said}");
            assert_same(folder.path(), &expected);
            assert!(said.is_empty() || said.contains(&format!("{saved} is not used: ")), "{said}");
            said.contains(why)
        });
        assert!(is_named, "{why}");
    }
}

#[test]
fn a_run_that_is_stopped_says_how_to_go_on() {
    let (expected, _) = undisturbed(&["4-2", "--threads", "1"]);
    let args = ["4-2", "--threads", "1", "--memory", "64M", "--checkpoint", "0.01"];
    // A closed terminal may send its signal twice; that does not ask for an end at once.
    for (name, times, status) in [("TERM", 1, 143), ("HUP", 2, 129)] {
        let folder = TempDir::new().unwrap();
        let tables = folder.path().join("my tables");
        let mut child = start(&tables, &args);
        wait_for_work(&mut child, &tables);
        (0..times).for_each(|_| signal(&child, name));
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{said}");
        let last = said.lines().last().unwrap();
        assert!(last.contains("what was finished stays"), "{said}");
        let command = format!("lasca-tb generate {} --tables ", args.join(" "));
        assert!(last.contains(&command) && last.contains("/my tables"), "{said}");
        finish(&tables, &args);
        assert_same(&tables, &expected);
    }
}

/// Waits until a run on 4-2 has saved something, or has ended.
fn wait_for_work(run: &mut Child, folder: &Path) {
    let work = work_folder(folder, "4-2");
    let is_saved = || {
        let entries = fs::read_dir(&work).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("columns-"))
    };
    while !is_saved() && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_run_that_is_started_with_signals_ignored_goes_on() {
    let folder = TempDir::new().unwrap();
    let args = ["4-2", "--threads", "1", "--checkpoint", "0.01"];
    let mut child = start_with_signals(folder.path(), &args, libc::SIG_IGN);
    wait_for_work(&mut child, folder.path());
    for name in ["INT", "HUP", "TERM"] {
        signal(&child, name);
    }
    assert!(child.wait_with_output().unwrap().status.success());
}

#[cfg(feature = "server")]
#[test]
fn a_server_that_is_started_with_ctrl_c_ignored_goes_on() {
    let mut command = program(&[]);
    with_signals(&mut command, libc::SIG_IGN);
    let server = Server::start_as(command, &[]);
    server.signal("-INT");
    server.signal("-INT");
    assert_eq!(server.ask("/moves", "a1W b2B w").status, 200);
    server.signal("-KILL");
    let (status, log) = server.ended();
    assert_eq!(status, None);
    assert!(!log.contains("stopping"), "{log}");
}

#[test]
fn a_run_that_is_stopped_before_it_has_begun_does_not_say_that_anything_stays() {
    let folder = TempDir::new().unwrap();
    let work = work_folder(folder.path(), "3-2");
    fs::create_dir_all(&work).unwrap();
    let lock = fs::File::create(work.join("lock")).unwrap();
    lock.lock().unwrap();
    let mut child = start(folder.path(), &["3-2"]);
    // It says that it waits for the run that holds the lock.
    let mut first = [0; 8];
    child.stderr.as_mut().unwrap().read_exact(&mut first).unwrap();
    signal(&child, "TERM");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{said}");
    assert!(said.contains("before anything was finished") && !said.contains("stays"), "{said}");
}

#[test]
fn runs_that_meet_in_a_folder_do_not_damage_each_others_files() {
    let shipped = files(&Path::new(ROOT).join("tables"));
    let small = |name: &String| {
        ["1-1", "2-1", "3-1", "2-2"].iter().any(|m| name.starts_with(&format!("lasca-{m}.ltb")))
    };
    let expected = shipped.into_iter().filter(|(name, _)| small(name)).collect();
    let folder = TempDir::new().unwrap();
    let args = ["--up-to", "4", "--threads", "2"];
    let runs: Vec<Child> = (0..4).map(|_| start(folder.path(), &args)).collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_same(folder.path(), &expected);
}
