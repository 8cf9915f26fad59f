//! Runs that are stopped from within, and what stands in the place of a table.

use super::{GenerateError, Generator, Interval};
use crate::Progress;
use crate::index::Material;
use crate::rules::RuleSet;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Wants the work to stop when it has been asked so many times.
struct StopsAfter(AtomicU32);

impl Progress for StopsAfter {
    fn should_stop(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }

    fn work_ignored(&self, path: &Path, why: &str) {
        panic!("{}: {why}", path.display());
    }
}

/// All files of a folder by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn a_run_that_is_stopped_again_and_again_makes_the_same_table() {
    let material: Material = "3-2".parse().unwrap();
    let (whole, stopped) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    Generator::new(whole.path(), RuleSet::Lasca).generate(material, &crate::Silent).unwrap();
    // How often a run is asked depends on how many threads there are.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let note = stopped.path().join(".work/lasca-3-2/written");
    let (mut stops, mut notes) = (0, Vec::new());
    loop {
        // Nothing is saved because it is time for that, but only because the run is stopped.
        let generator = Generator::new(stopped.path(), RuleSet::Lasca)
            .checkpoints(Interval::Every(Duration::from_secs(1000)));
        // Enough to choose one code, and not all of them.
        let progress = StopsAfter(AtomicU32::new(8));
        match pool.install(|| generator.generate(material, &progress)) {
            Ok(_) => break,
            Err(GenerateError::Stopped { kept, .. }) => assert!(kept || stops == 0),
            Err(error) => panic!("{error}"),
        }
        let noted = fs::read(&note).unwrap_or_default();
        if notes.last() != Some(&noted) {
            notes.push(noted);
        }
        stops += 1;
        assert!(stops < 1000, "the run comes to no end");
    }
    // It is stopped within slices too, and while codes are chosen.
    assert!(notes.len() > 5, "{} notes in {stops} stops", notes.len());
    assert_eq!(files(stopped.path()), files(whole.path()));
}

#[test]
fn what_may_be_sound_is_not_overwritten() {
    let shipped = |name: &str| Path::new("tables").join(name);
    let material: Material = "2-1".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (wdl, dtw) = ("lasca-2-1.ltbw", "lasca-2-1.ltbd");
    let generate = || {
        Generator::new(folder.path(), RuleSet::Lasca).generate(material, &crate::Silent).map(|_| ())
    };
    // A file that cannot be read, as root can read all others.
    fs::create_dir(place(wdl)).unwrap();
    let error = generate().unwrap_err();
    assert!(
        matches!(&error, GenerateError::Work { path, error } if *path == place(wdl) && error.is_unreadable()),
        "{error}"
    );
    fs::remove_dir(place(wdl)).unwrap();
    // The DTW file of another table, without and beside the right WDL file.
    fs::copy(shipped("lasca-2-2.ltbd"), place(dtw)).unwrap();
    for _ in 0..2 {
        let before = files(folder.path());
        let error = generate().unwrap_err();
        assert!(
            matches!(&error, GenerateError::OtherTable { path, .. } if *path == place(dtw)),
            "{error}"
        );
        assert_eq!(files(folder.path()), before);
        fs::copy(shipped(wdl), place(wdl)).unwrap();
    }
    // What is damaged is made again.
    let mut damaged = fs::read(place(dtw)).unwrap();
    damaged.truncate(3);
    fs::write(place(dtw), damaged).unwrap();
    generate().unwrap();
    assert_eq!(fs::read(place(dtw)).unwrap(), fs::read(shipped(dtw)).unwrap());
}
