//! Runs that are stopped from within, and what stands in the place of a table.

use super::{GenerateError, Generator, Plan, Workers};
use crate::index::{Extent, Material};
use crate::rules::RuleSet;
use crate::testing::{Recorder, files};
use std::path::Path;
use std::{fs, io};

#[test]
fn what_may_be_sound_is_not_overwritten() {
    let material: Material = "2-1".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let wdl = "lasca-2-1.ltbw";
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
    // A file in the place of the folder of work.
    fs::create_dir(place(".work")).unwrap();
    fs::write(place(".work/lasca-2-1"), "").unwrap();
    let error = generate().unwrap_err();
    assert!(
        matches!(&error, GenerateError::Io(error) if error.kind() == io::ErrorKind::AlreadyExists),
        "{error}"
    );
    fs::remove_dir_all(place(".work")).unwrap();
    // The DTW file of another table, beside the right WDL file.
    let dtw = "lasca-2-1.ltbd";
    fs::copy("tables/lasca-2-2.ltbd", place(dtw)).unwrap();
    fs::copy(Path::new("tables").join(wdl), place(wdl)).unwrap();
    let before = files(folder.path());
    let error = generate().unwrap_err();
    assert!(
        matches!(&error, GenerateError::OtherTable { path, .. } if *path == place(dtw)),
        "{error}"
    );
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_table_in_another_folder_serves_unless_that_of_the_first_would_be_asked_and_is_damaged() {
    let material: Material = "2-2".parse().unwrap();
    let [first, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [name, distances] = ["lasca-2-2.ltbw", "lasca-2-2.ltbd"];
    let copy = |name: &str, folder: &Path| {
        fs::copy(Path::new("tables").join(name), folder.join(name)).unwrap();
    };
    let found = |columns: usize| {
        let generator = Generator::new(first.path(), RuleSet::Lasca).max_columns(columns);
        generator.other_folders(vec![other.path().to_owned()]).existing(material)
    };
    let of_other = Some(other.path().join(name));
    copy(name, other.path());
    copy(distances, other.path());
    assert_eq!(found(4).unwrap(), of_other);
    // Without distances, or with fewer columns, the first one would not be asked.
    copy(name, first.path());
    assert_eq!(found(4).unwrap(), of_other);
    fs::remove_file(first.path().join(name)).unwrap();
    let bounded = Generator::new(first.path(), RuleSet::Lasca).max_columns(2);
    bounded.generate(material, &crate::Silent).unwrap();
    assert_eq!(found(4).unwrap(), of_other);
    assert_eq!(found(2).unwrap(), Some(first.path().join(name)));
    // A damaged one is made again.
    for name in [name, distances] {
        copy(name, first.path());
    }
    let mut bytes = fs::read(first.path().join(distances)).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(first.path().join(distances), bytes).unwrap();
    assert_eq!(found(4).unwrap(), None);
    fs::remove_file(other.path().join(name)).unwrap();
    fs::create_dir(other.path().join(name)).unwrap();
    assert_eq!(found(4).unwrap(), None);
    // Where nothing is made again, what cannot be read may be sound.
    fs::remove_file(first.path().join(name)).unwrap();
    fs::remove_file(first.path().join(distances)).unwrap();
    assert!(matches!(found(4), Err(GenerateError::Work { .. })));
}

#[test]
fn runs_with_other_column_bounds_use_what_a_stopped_run_has_solved_and_leave_it() {
    let material: Material = "3-2".parse().unwrap();
    let expected = |max_columns: usize| {
        let folder = tempfile::tempdir().unwrap();
        let generator = Generator::new(folder.path(), RuleSet::Lasca).max_columns(max_columns);
        generator.generate(material, &crate::Silent).unwrap();
        files(folder.path())
    };
    let [bounded, whole] = [3, 5].map(expected);
    assert!(bounded != whole);
    let (folder, generator) = stopped_while_writing(material);
    let work = folder.path().join(".work/lasca-3-2");
    let run = |generator: &Generator, resumed: usize| {
        let progress = Recorder::default();
        let made = generator.generate(material, &progress).unwrap();
        assert!(!made.was_there);
        assert_eq!((progress.resumed(), progress.warned()), (resumed, Vec::new()));
    };
    // One for few columns uses the first slices, and leaves the others where they are.
    let few = generator.clone().max_columns(3);
    run(&few, 2);
    assert!(work.join("columns-5").exists());
    assert!(few.generate(material, &crate::Silent).unwrap().was_there);
    for (name, bytes) in &bounded {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), *bytes, "{name}");
    }
    // One for all columns goes on with all of them.
    run(&generator, 4);
    assert_eq!(files(folder.path()), whole);
}

/// Puts the whole table of 3-2 into a folder when a run has begun.
struct Copies<'a>(&'a Path);

impl crate::Progress for Copies<'_> {
    fn material_started(&self, _material: Material, _positions: u64) {
        for name in ["lasca-3-2.ltbw", "lasca-3-2.ltbd"] {
            fs::copy(Path::new("tables").join(name), self.0.join(name)).unwrap();
        }
    }
}

#[test]
fn a_larger_table_that_comes_while_the_run_works_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let generator = Generator::new(folder.path(), RuleSet::Lasca).max_columns(3);
    let made = generator.generate("3-2".parse().unwrap(), &Copies(folder.path()));
    assert!(matches!(made, Err(GenerateError::OtherTable { .. })), "{made:?}");
    let whole = fs::read("tables/lasca-3-2.ltbw").unwrap();
    assert_eq!(fs::read(folder.path().join("lasca-3-2.ltbw")).unwrap(), whole);
}

/// A folder in which a run was stopped while it wrote the table, and the generator of that run.
fn stopped_while_writing(material: Material) -> (tempfile::TempDir, Generator) {
    let folder = tempfile::tempdir().unwrap();
    // With so little memory, solved slices are saved at once.
    let extent = Extent::whole(material).unwrap();
    let least = Plan::within(extent, Workers::of_pool(1), 0).unwrap_err();
    let generator = Generator::new(folder.path(), RuleSet::Lasca).memory_limit(least);
    let stopped = generator.generate(material, &Recorder::stopping_after(4));
    assert!(matches!(stopped, Err(GenerateError::Stopped { .. })));
    assert!(generator.saved_positions(material).unwrap() > 0);
    (folder, generator)
}

#[test]
fn work_that_cannot_be_read_ends_the_run_and_stays() {
    let material: Material = "3-2".parse().unwrap();
    let (folder, generator) = stopped_while_writing(material);
    let work = folder.path().join(".work/lasca-3-2");
    let saved = files(&work);
    // A folder can be opened, and not be read, by root too.
    for name in saved.keys().filter(|name| name.starts_with("columns-5")) {
        fs::rename(work.join(name), work.join("kept")).unwrap();
        fs::create_dir(work.join(name)).unwrap();
        let error = generator.generate(material, &crate::Silent).unwrap_err();
        assert!(error.to_string().contains(&format!("{name}: expected a regular file")), "{error}");
        assert!(matches!(error, GenerateError::Solve { .. }), "{error}");
        fs::remove_dir(work.join(name)).unwrap();
        fs::rename(work.join("kept"), work.join(name)).unwrap();
        assert!(files(&work) == saved);
    }
}
