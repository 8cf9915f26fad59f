//! Tables that are made in memory, because a question needs them.

use crate::common::recorder::Recorder;
use crate::common::tables::{Files, generate_bounded, material};
use lasca_tablebase::generate::{GenerateError, Generator, MakeLimits, MakePlan};
use lasca_tablebase::index::Extent;
use lasca_tablebase::probe::{ProbeError, TableEntry, Tablebase};
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::table::FileKind;
use lasca_tablebase::{Progress, Silent};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn no_tables(rules: RuleSet) -> Tablebase {
    Tablebase::options(rules).empty()
}

fn plan(tables: &Tablebase, text: &str, columns: usize) -> MakePlan {
    tables.plan_of(material(text), columns, &MakeLimits::default()).unwrap()
}

#[test]
fn what_is_made_is_what_is_generated_and_is_kept_as_that() {
    for rules in RuleSet::ALL {
        for (text, columns) in [("2-1", 3), ("3-2", 4), ("3-3", 3), ("4-2", 6), ("7-7", 2)] {
            let generated = tempfile::tempdir().unwrap();
            generate_bounded(generated.path(), text, rules, columns);
            let expected = Files::read(generated.path(), material(text), rules);

            let made = no_tables(rules);
            let table = made.make(&plan(&made, text, columns), &Silent).unwrap().table().unwrap();
            let bytes = |kind| table.bytes_in_memory(kind).unwrap().to_vec();
            let [wdl, dtw] = FileKind::ALL.map(bytes);
            assert!(Files { wdl, dtw } == expected, "{text} under {rules}");

            let kept = tempfile::tempdir().unwrap();
            let generator = Generator::new(kept.path(), rules);
            let path = generator.keep(table, &Silent).unwrap().unwrap();
            assert_eq!(path.parent(), Some(kept.path()));
            assert!(Files::read(kept.path(), material(text), rules) == expected);
            assert_eq!(fs::read_dir(kept.path()).unwrap().count(), 2, "nothing else is left");
            // It is there already.
            assert_eq!(generator.keep(table, &Silent).unwrap(), Some(path));
        }
    }
}

#[test]
fn a_position_needs_the_table_of_its_own_columns() {
    let tables = no_tables(RuleSet::Lasca);
    let position: Position = "a1WB c1W b2WB e5BW w".parse().unwrap();
    let wanted = tables.plan_for(&position, &MakeLimits::default()).unwrap();
    assert_eq!(wanted.extent, Extent::bounded(material("4-3"), 4).unwrap());
    tables.make(&wanted, &Silent).unwrap();
    assert!(tables.plan_for(&position, &MakeLimits::default()).is_none());
    assert!(tables.moves(&position).is_ok());
    // No table holds soldiers, and this one has no position of five columns.
    assert!(tables.plan_for(&Position::start(), &MakeLimits::default()).is_none());
    assert!(plan(&tables, "3-4", 5).extent.includes(wanted.extent));
    let five: Position = "a1WB c1W b2W e5BW g7B w".parse().unwrap();
    assert!(matches!(tables.value(&five), Err(ProbeError::BeyondColumns { .. })));
}

/// Counts how often a table is begun.
#[derive(Default)]
struct Begun(AtomicUsize);

impl Progress for Begun {
    fn material_started(&self, _: lasca_tablebase::index::Material, _: u64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn several_threads_that_need_a_table_make_it_once_and_all_clones_have_it() {
    let (tables, begun) = (no_tables(RuleSet::Lasca), Begun::default());
    thread::scope(|scope| {
        for _ in 0..8 {
            let (tables, begun) = (tables.clone(), &begun);
            scope.spawn(move || {
                let plan = tables.plan_of(material("3-2"), 5, &MakeLimits::default());
                plan.map(|plan| tables.make(&plan, begun).map(TableEntry::material));
                assert!(tables.covers_distances(material("3-2")));
            });
        }
    });
    assert_eq!(begun.0.into_inner(), 1);
    assert_eq!(tables.tables().len(), 1);
    assert_eq!(tables.tables()[0].path(), None);
}

#[test]
fn what_is_stopped_or_refused_changes_nothing() {
    let tables = no_tables(RuleSet::Lasca);
    let wanted = plan(&tables, "4-2", 6);
    for questions in [0, 1, 5] {
        let stopped = tables.make(&wanted, &Recorder::stopping_at(questions));
        assert!(matches!(stopped, Err(GenerateError::Stopped { .. })), "{questions}");
        assert!(tables.tables().is_empty());
    }
    let limits = MakeLimits::default();
    assert!(wanted.fits(&limits));
    assert!(!wanted.fits(&limits.time(Duration::ZERO)));
    assert!(!wanted.fits(&limits.memory(wanted.memory - 1)));
    // With less memory than any plan takes, the least is told.
    let least = tables.plan_of(material("4-2"), 6, &limits.memory(1 << 20)).unwrap();
    assert!(least.memory > 1 << 20 && least.memory <= wanted.memory);
}

#[test]
fn a_larger_table_that_comes_later_is_used_in_place_of_one_that_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let before = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    for (text, columns) in [("3-2", 3), ("3-1", 3)] {
        before.make(&plan(&before, text, columns), &Silent).unwrap();
    }
    generate_bounded(folder.path(), "3-2", RuleSet::Lasca, 4);
    let mut now = Tablebase::open(folder.path(), RuleSet::Lasca).unwrap();
    now.take_over(&before, |_| true);
    assert_eq!((now.max_columns(material("3-2")), now.max_columns(material("3-1"))), (4, 3));
    assert_eq!(now.tables().len(), 2);
    // What is made then covers more than the file.
    now.make(&plan(&now, "3-2", 5), &Silent).unwrap();
    assert_eq!((now.max_columns(material("3-2")), before.max_columns(material("3-2"))), (5, 3));
}
