//! Tables that are made in memory, because a question needs them.

use crate::common::recorder::Recorder;
use crate::common::tables::{Files, generate_bounded, material};
use crate::folders::most_columns;
use lasca_analysis::answer::{Question, SearchLimits, plan_for, search_and_make};
use lasca_tablebase::generate::{GenerateError, Generator, MakeLimits, MakePlan};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::{ProbeError, RatedMove, TableEntry, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet, Symmetry};
use lasca_tablebase::table::{FileKind, TableError};
use lasca_tablebase::{Progress, Silent, Value};
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
    for (rules, whole) in RuleSet::ALL.into_iter().zip([("3-2", 5), ("2-2", 4), ("2-2", 4)]) {
        for (text, columns) in [("2-1", 3), ("3-2", 4), ("3-3", 3), whole, ("7-7", 2)] {
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
    assert!(matches!(
        tables.value(&five),
        Err(ProbeError::Table { error: TableError::BeyondColumns { .. }, .. })
    ));
}

/// Counts how often a table is begun.
#[derive(Default)]
struct Begun(AtomicUsize);

impl Progress for Begun {
    fn material_started(&self, _: Material, _: u64) {
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
                assert!(tables.extent_with_distances(material("3-2")).is_ok());
            });
        }
    });
    assert_eq!(begun.0.into_inner(), 1);
    assert_eq!(tables.tables().len(), 1);
    assert_eq!(tables.tables()[0].path(), None);
}

#[test]
fn a_plan_for_other_rules_or_colours_makes_the_table_of_the_tablebase() {
    let limits = MakeLimits::default();
    let extent = Extent::whole(material("2-3")).unwrap();
    let tables = no_tables(RuleSet::Bignor);
    let made = tables.make(&MakePlan::new(extent, RuleSet::Lasca, &limits), &Silent).unwrap();
    assert_eq!((made.rules(), made.material()), (RuleSet::Bignor, material("3-2")));
    assert!(tables.extent_with_distances(material("2-3")).is_ok());
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
    assert!(!wanted.fits(&MakeLimits { time: Duration::ZERO, ..limits }));
    assert!(!wanted.fits(&MakeLimits { memory: wanted.memory - 1, ..limits }));
    // With less memory than any plan takes, the least is told.
    let least =
        tables.plan_of(material("4-2"), 6, &MakeLimits { memory: 1 << 20, ..limits }).unwrap();
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
    assert_eq!(["3-2", "3-1"].map(|of| most_columns(&now, of)), [Some(4), Some(3)]);
    assert_eq!(now.tables().len(), 2);
    // What is made then covers more than the file.
    now.make(&plan(&now, "3-2", 5), &Silent).unwrap();
    assert_eq!([&now, &before].map(|of| most_columns(of, "3-2")), [Some(5), Some(3)]);
}

/// Random positions of a material with so many columns, turned and reflected.
fn random_positions(
    random: &mut fastrand::Rng,
    material: Material,
    columns: usize,
    count: usize,
) -> Vec<Position> {
    let one = |_| {
        let side = if random.bool() { Color::White } else { Color::Black };
        let slice = material.slice(side, columns);
        let position = slice.position(random.u64(..slice.positions())).to_position(side).unwrap();
        position.transformed(random.choice(Symmetry::all()).unwrap())
    };
    (0..count).map(one).collect()
}

/// Asks about so many random positions of so many kinds without a table. Nothing is searched, and all answers are those of
/// tables that were generated. Some of them are searched too.
fn ask_at_random(kinds: usize, positions: usize, searched: usize) {
    let mut random = fastrand::Rng::with_seed(5);
    let limits =
        MakeLimits { time: Duration::from_secs(60), memory: 4 << 30, ..MakeLimits::default() };
    let (mut proved, mut asked) = (0, 0);
    for kind in 0..kinds {
        let rules = RuleSet::ALL[kind % RuleSet::ALL.len()];
        let (total, most) = match kind % 4 {
            0 => (random.usize(6..=7), 7),
            1 => (random.usize(9..=12), 4),
            2 => (random.usize(13..=16), 4),
            _ => (random.usize(17..=22), 3),
        };
        let white = random.usize(total.saturating_sub(11).max(1)..=(total - 1).min(11));
        let columns = random.usize(2..=most.min(total));
        let material = Material::new(white, total - white).unwrap();
        let positions = random_positions(&mut random, material, columns, positions);
        let tables = no_tables(rules);
        let question = Question { exact: true, moves: true, ..Question::new(&tables) };
        let folder = tempfile::tempdir().unwrap();
        generate_bounded(folder.path(), &material.normalized().to_string(), rules, columns);
        let generated = Tablebase::open(folder.path(), rules).unwrap();
        for (number, position) in positions.iter().enumerate() {
            if let Some(plan) = plan_for(&tables, position, &limits, None) {
                tables.make(&plan, &Silent).unwrap();
            }
            let answer = question.answer(position, None, &Silent).unwrap();
            assert!(answer.effort.is_none(), "{position}");
            let value = generated.value(position).unwrap();
            assert_eq!(answer.value, value, "{position} under {rules}");
            let moves = generated.moves(position).unwrap().into_iter().map(RatedMove::from);
            assert_eq!(answer.moves.unwrap(), moves.collect::<Vec<_>>(), "{position}");
            asked += 1;
            if number < searched {
                let search = SearchLimits { memory: 64 << 20, ..SearchLimits::default() };
                let alone = Question { exact: true, ..Question::new(rules) };
                let by_search = alone.by_search(position, search, &Silent).unwrap();
                let found = by_search.value;
                assert!(found.worst() <= value && value <= found.best(), "{position}: {found}");
                proved += usize::from(found.exact() == Some(value));
            }
        }
    }
    println!("{asked} positions asked, {proved} of {} searched proved exactly", kinds * searched);
    assert!(2 * proved >= kinds * searched, "{proved}");
}

#[test]
fn what_is_made_for_a_position_answers_as_what_was_generated() {
    ask_at_random(8, 10, 1);
}

#[test]
fn a_position_with_soldiers_is_searched_as_long_as_its_table_would_take() {
    let (position, search) =
        ("c5w e5W d2b w".parse::<Position>().unwrap(), SearchLimits::default());
    for (time, is_made) in [(Duration::from_secs(1 << 20), false), (Duration::ZERO, true)] {
        let tables = no_tables(RuleSet::Lasca);
        let plan = plan_for(&tables, &position, &MakeLimits::default(), Some(search));
        let mut plan = plan.unwrap();
        assert_eq!(plan.extent, Extent::bounded(material("2-1"), 3).unwrap());
        plan.time = time;
        let question = Question { exact: true, ..Question::new(&tables) };
        let mut asked = Vec::new();
        let ask = |search: SearchLimits| {
            asked.push(search.time);
            question.by_search(&position, search, &Silent)
        };
        let answer = search_and_make(&position, Some(plan), search, ask, |plan| {
            tables.make(plan, &Silent).unwrap();
        });
        assert_eq!(answer.unwrap().value.exact(), Some(Value::Win(5)));
        assert_eq!(tables.tables().len(), usize::from(is_made));
        assert_eq!(asked, if is_made { vec![Some(time), None] } else { vec![Some(time)] });
    }
}

#[test]
#[ignore = "slow: searches 200 positions"]
fn what_is_made_for_a_thousand_positions_answers_as_what_was_generated() {
    ask_at_random(40, 25, 5);
}
