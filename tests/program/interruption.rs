//! Runs that are killed, that meet, and that find the work of an earlier run damaged: in the end the
//! tables are those of a run that nothing disturbed, and nothing else is left in the folder.

use crate::{BINARY, ROOT};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Starts `lasca-tb generate` into a folder.
fn start(folder: &Path, args: &[&str]) -> Child {
    Command::new(BINARY)
        .arg("generate")
        .args(args)
        .arg("--tables")
        .arg(folder)
        .env_remove("LASCA_TABLES")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs `lasca-tb generate` to its end.
fn finish(folder: &Path, args: &[&str]) {
    assert!(start(folder, args).wait().unwrap().success());
}

/// All files of a folder by name; a folder within it would make this fail.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
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
    let mut random = 0x1A5C_A7AB_u32;
    const KILLS: u32 = 15;
    for kill in 1..=KILLS {
        let mut child = start(folder.path(), &args);
        // Later and later, up to the time that the whole run takes, and by chance a little sooner.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let share = f64::from(kill) / f64::from(KILLS) - f64::from(random >> 16) / 1e6;
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

#[test]
fn runs_that_meet_in_a_folder_do_not_damage_each_others_files() {
    let shipped = files(&Path::new(ROOT).join("tables"));
    let small = |name: &String| ["1-1", "2-1", "3-1", "2-2"].iter().any(|m| name.contains(m));
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

/// The work folder of a run that was killed when it had finished some slices.
fn half_done(folder: &Path, args: &[&str]) -> PathBuf {
    let work = folder.join(".work/lasca-3-2");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        let mut child = start(folder, args);
        while !work.join("columns-3").exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let tables = ["lasca-3-2.ltbw", "lasca-3-2.ltbd"].map(|name| folder.join(name));
        if work.join("columns-3").exists() && !tables.iter().any(|table| table.exists()) {
            return work;
        }
        // It came to its end, or near it, before it was killed.
        for table in tables {
            let _ = fs::remove_file(table);
        }
        let _ = fs::remove_dir_all(work.as_path());
    }
    panic!("no run was killed half-way");
}

/// Something done to a file.
type Damage = fn(&Path);

#[test]
fn damaged_work_is_done_again() {
    let args = ["3-2", "--threads", "1"];
    let (expected, _) = undisturbed(&args);
    let garbage: Damage = |path: &Path| fs::write(path, [0xA5; 300]).unwrap();
    let cut: Damage = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    let flip: Damage = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(path, bytes).unwrap();
    };
    let remove: Damage = |path: &Path| fs::remove_file(path).unwrap();
    let damages: [(&str, Damage); 8] = [
        ("journal", garbage),
        ("journal", cut),
        ("journal", flip),
        ("journal", remove),
        ("columns-2", garbage),
        ("columns-2", cut),
        ("columns-2", flip),
        ("columns-2", remove),
    ];
    for (name, damage) in damages {
        let folder = TempDir::new().unwrap();
        let work = half_done(folder.path(), &args);
        damage(&work.join(name));
        finish(folder.path(), &args);
        assert_same(folder.path(), &expected);
    }
}
