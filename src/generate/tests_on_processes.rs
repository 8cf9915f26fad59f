//! Generating on several processes, which are threads of the test.

use super::{GenerateError, Generator, Interval, Plan, Storage, Workers};
use crate::Silent;
use crate::index::Extent;
use crate::processes::tests::on_processes;
use crate::rules::RuleSet;
use crate::testing::{Recorder, files};
use std::fs;
use std::time::Duration;

#[test]
fn all_processes_learn_that_another_run_works_on_the_material() {
    let shared = tempfile::tempdir().unwrap();
    let folder = shared.path().join(".work").join("lasca-2-2");
    fs::create_dir_all(&folder).unwrap();
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let generator = Generator::new(shared.path(), RuleSet::Lasca);
    let failed = on_processes(3, |processes| {
        generator.generate_together("2-2".parse().unwrap(), processes, &Silent).unwrap_err()
    });
    assert!(matches!(failed[0], GenerateError::Busy { .. }), "{}", failed[0]);
    assert!(failed[1..].iter().all(|error| matches!(error, GenerateError::OnProcess(0))));
}

#[test]
fn threads_and_any_number_of_processes_make_the_table_that_others_began() {
    let (alone, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let material = "3-2".parse().unwrap();
    Generator::new(alone.path(), RuleSet::Lasca).generate(material, &Silent).unwrap();
    let every = Interval::Every(Duration::from_millis(10));
    let generator = Generator::new(shared.path(), RuleSet::Lasca).checkpoints(every);
    // Where there is less memory, values are in files.
    let extent = Extent::whole(material).unwrap();
    let one = Workers::of_pool(1);
    let limits = [Plan::new(extent, one).memory(), Plan::within(extent, one, 0).unwrap_err()];
    assert!(Plan::within(extent, one, limits[1]).unwrap().storage != Storage::Memory);
    let mut stops = 0;
    loop {
        // 0 stands for a run with threads alone.
        let count = [2, 0, 4, 0, 1, 0, 3][stops % 7];
        let made = on_processes(count.max(1), |processes| {
            let is_stopped = count == 0 || processes.number() == stops % count;
            let left = if is_stopped { 20 + 10 * stops } else { usize::MAX };
            let progress = Recorder::stopping_at(left);
            let made = match count {
                0 => {
                    let generator = generator.clone().memory_limit(limits[stops / 2 % 2]);
                    generator.generate(material, &progress).map(Some)
                }
                _ => generator.generate_together(material, processes, &progress),
            };
            let ignored = progress.warned();
            assert!(ignored.iter().all(|why| why.contains("memory limit")), "{ignored:?}");
            match made {
                Ok(_) => true,
                Err(GenerateError::Stopped { .. }) => false,
                Err(error) => panic!("{error}"),
            }
        });
        if made.into_iter().all(|made| made) {
            break;
        }
        stops += 1;
        assert!(stops < 200, "the work comes to no end");
    }
    assert!(stops > 2, "{stops} stops");
    assert!(files(shared.path()) == files(alone.path()));
    // All of them see that it is there.
    let there = on_processes(3, |processes| {
        generator.generate_together(material, processes, &Silent).unwrap()
    });
    assert!(there[0].as_ref().is_some_and(|there| there.was_there));
}

#[test]
fn an_error_on_one_process_is_an_error_on_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let material = "2-2".parse().unwrap();
    let failed = |generator_of: &(dyn Fn(usize) -> Generator + Sync)| {
        on_processes(3, |processes| {
            let generator = generator_of(processes.number());
            let error = generator.generate_together(material, processes, &Silent).unwrap_err();
            (matches!(error, GenerateError::OnProcess(_)), error.to_string())
        })
    };
    // One process has less memory than the others.
    let errors = failed(&|process| {
        let generator = Generator::new(folder.path(), RuleSet::Lasca);
        if process == 1 { generator.memory_limit(1 << 10) } else { generator }
    });
    assert_eq!(errors.iter().map(|error| error.0).collect::<Vec<_>>(), [true, false, true]);
    assert!(errors[1].1.contains("needs at least"), "{}", errors[1].1);
    assert_eq!(errors[0].1, "process 1 has failed");
    // One process sees another folder, to which it cannot write.
    let file = folder.path().join("file");
    fs::write(&file, b"no folder").unwrap();
    let errors = failed(&|process| {
        let folder = if process == 2 { file.as_path() } else { folder.path() };
        Generator::new(folder, RuleSet::Lasca)
    });
    assert_eq!(errors.iter().map(|error| error.0).collect::<Vec<_>>(), [true, true, false]);
    assert!(errors[2].1.contains(&*file.to_string_lossy()), "{}", errors[2].1);
}
