//! What is known of a position: the tables and a search say the same, and a search says no more than is
//! true.

use crate::certify::SOLDIERS;
use crate::common::naive::Solution;
use crate::common::recorder::Recorder;
use crate::common::tables::{Files, generated, shipped_tables, without_distances};
use crate::common::vectors;
use crate::common::wait::wait_until;
use lasca_analysis::answer::{Answer, Question, SearchLimits, Stage};
use lasca_analysis::certify::{Certificate, CertifyError};
use lasca_analysis::search::{Budget, Solver, Stop};
use lasca_analysis::study::{self, Finding};
use lasca_tablebase::probe::{ProbeError, RatedMove, Standing, Tablebase};
use lasca_tablebase::rules::{Color, Position, RuleSet};
use lasca_tablebase::{Outcome, Reason, Silent, Value, ValueRange, Wdl};
use std::collections::HashMap;
use std::time::Duration;

const SEARCH: SearchLimits = SearchLimits { memory: 1 << 26, ..SearchLimits::DEFAULT };

const NO_TIME: SearchLimits = SearchLimits { time: Some(Duration::ZERO), ..SEARCH };

/// A question about everything.
fn all(tables: impl Into<Tablebase>) -> Question {
    Question { exact: true, moves: true, line: true, proofs: true, ..Question::new(tables) }
}

/// Checks that a search says nothing of a position that the tables do not say too.
fn check(by_tables: &Answer, by_search: &Answer) {
    let position = by_tables.position;
    assert_eq!(by_search.value, by_tables.value, "{position}");
    let Some(value) = by_tables.value.exact() else { panic!("{position}: {by_tables:?}") };
    let line = by_search.line.as_ref().unwrap();
    assert!(line.is_best && line.end == by_tables.line.as_ref().unwrap().end, "{position}");
    if let Some(plies) = value.dtw() {
        assert_eq!(line.moves.len(), usize::from(plies), "{position}");
    }
    let known = by_tables.moves.as_ref().unwrap();
    let found = by_search.moves.as_ref().unwrap();
    assert_eq!(found.len(), known.len());
    for (number, found) in found.iter().enumerate() {
        let same = known.iter().position(|known| known.after == found.after).unwrap();
        let proofs = [by_tables.proof_of(same), by_search.proof_of(number)].map(Option::unwrap);
        let known = &known[same];
        let of_move = format!("{position} {}", found.played);
        let value = known.value.exact().unwrap();
        let range = found.value.worst()..=found.value.best();
        assert!(range.contains(&value), "{of_move}: {value:?} is not in {range:?}");
        assert_eq!(found.value.wdl(), Some(value.wdl()), "{of_move}");
        let [known, found] = proofs;
        let standings = (found.standing.unwrap(), known.standing.unwrap());
        assert!(
            standings.0 == standings.1 || standings == (Standing::Keeps, Standing::Best),
            "{of_move}: {standings:?}"
        );
        assert_eq!(found.replies, known.replies, "{of_move}");
        assert_eq!(found.holding.is_some(), known.holding.is_some(), "{of_move}");
        let holding = known.holding.iter().flatten().map(|reply| reply.after);
        let holding: Vec<Position> = holding.collect();
        let proved = found.holding.iter().flatten();
        assert!(proved.clone().all(|reply| holding.contains(&reply.after)), "{of_move}");
        assert!(holding.len() <= proved.count() + found.open_replies, "{of_move}");
        if value.wdl() != Wdl::Draw {
            assert_eq!(found.line.end, known.line.end, "{of_move}");
        }
    }
}

#[test]
fn a_search_says_of_a_position_and_its_moves_what_the_tables_say() {
    let tables = shipped_tables();
    let mut checked = 0;
    for (position, value) in vectors::positions().into_iter().step_by(3) {
        if value.dtw() > Some(12) {
            continue;
        }
        let Ok(by_tables) = all(&tables).of_tables(&position) else { continue };
        assert_eq!(by_tables.value, value);
        assert!(by_tables.effort.is_none());
        for help in [RuleSet::Lasca.into(), tables.clone()] {
            let by_search = all(&help).by_search(&position, SEARCH, &Silent).unwrap();
            assert_eq!(by_search.effort.unwrap().stop, Stop::Solved);
            check(&by_tables, &by_search);
            // With tables, nothing need be searched, and all is exact.
            let moves = by_search.moves.unwrap();
            let is_exact = moves.iter().all(|rated| rated.value.exact().is_some());
            assert!(help.tables().is_empty() || is_exact, "{position}");
        }
        checked += 1;
        if checked == 24 {
            break;
        }
    }
    assert_eq!(checked, 24);
}

#[test]
fn the_tables_answer_what_they_cover_and_a_search_the_rest() {
    let tables = shipped_tables();
    let ask = |text: &str, search: Option<SearchLimits>| {
        all(&tables).answer(&text.parse().unwrap(), search, &Silent)
    };
    assert!(ask("b2B d2W a7W w", Some(SEARCH)).unwrap().effort.is_none());
    assert!(ask("c5w e5W d2b w", Some(SEARCH)).unwrap().effort.is_some());
    let error = ask("c5w e5W d2b w", None).unwrap_err();
    assert!(matches!(error, ProbeError::NotOfficers(_)), "{error}");
    // Without tables too.
    let nothing = Question::new(RuleSet::Lasca);
    let error = nothing.of_tables(&"b2B d2W a7W w".parse().unwrap()).unwrap_err();
    assert!(matches!(error, ProbeError::MissingTable { .. }), "{error}");
}

#[test]
fn where_the_game_is_over_no_table_is_needed() {
    let tables = [shipped_tables(), RuleSet::Lasca.into()];
    // A blocked soldier, a blocked officer of a material without a table, sides without columns.
    for (text, value) in [
        ("a1w b2b c3b w", Value::Loss(0)),
        ("a1WWWWWWWW b2B c3BW w", Value::Loss(0)),
        ("g7w a1B w", Value::Loss(0)),
        ("a1wb w", Value::Win(0)),
        ("a1wb b", Value::Loss(0)),
    ] {
        let position = text.parse().unwrap();
        for tables in &tables {
            assert_eq!(tables.value(&position), Ok(value), "{text}");
            assert_eq!(tables.try_value(&position), Ok(Some(value)), "{text}");
            assert_eq!(tables.wdl(&position), Ok(value.wdl()), "{text}");
            assert_eq!(tables.try_wdl(&position), Ok(Some(value.wdl())), "{text}");
            assert_eq!(tables.moves(&position), Ok(Vec::new()), "{text}");
        }
        for tables in &tables {
            let answer = all(tables).of_tables(&position).unwrap();
            assert_eq!((answer.value.exact(), answer.moves), (Some(value), Some(Vec::new())));
            assert!(answer.line.unwrap().end.is_some(), "{text}");
            let answer = all(tables).answer(&position, None, &Silent).unwrap();
            assert_eq!(answer.value.exact(), Some(value), "{text}");
            let answer = Question::for_play(tables, &position, None, &Silent).unwrap();
            assert_eq!(answer.best_move(), None, "{text}");
        }
    }
}

/// Under one rule set its side to move wins in one ply, under another it loses.
const RULES_DECIDE: &str = "a1W b2B d4B w";

/// Folders with tables of each rule set are asked under each rule set.
#[test]
fn whatever_tables_are_there_the_rules_that_are_asked_for_decide() {
    let position: Position = RULES_DECIDE.parse().unwrap();
    let value = |rules| Solution::of_play_from(&position, rules, 10_000).unwrap().get(&position);
    assert_eq!(value(RuleSet::Lasca), Some(Value::Win(1)));
    assert_eq!(value(RuleSet::Bignor), Some(Value::Loss(2)));
    for found in RuleSet::ALL {
        let folder = generated(&["2-1"], found);
        for asked in RuleSet::ALL {
            let tables = Tablebase::open(folder.path(), asked).unwrap();
            let (value, what) = (value(asked).unwrap(), format!("{found}, {asked}"));
            match all(&tables).of_tables(&position) {
                Ok(answer) => assert!(found == asked && answer.value == value, "{what}"),
                Err(ProbeError::OtherRules { .. }) => assert_ne!(found, asked),
                Err(error) => panic!("{what}: {error}"),
            }
            for tables in [tables, asked.into()] {
                let answer = all(&tables).answer(&position, Some(SEARCH), &Silent).unwrap();
                assert_eq!(answer.value, value, "{what}");
                let answer = all(&tables).by_search(&position, SEARCH, &Silent).unwrap();
                assert_eq!(answer.value, value, "{what}");
                let run = |solver: &mut Solver| solver.run(&Budget::default());
                let proof =
                    Certificate::prove(&position, &tables, 1000, SEARCH.memory, run).unwrap();
                assert_eq!(
                    (proof.rules(), proof.value().at_most()),
                    (asked, value.dtw()),
                    "{what}"
                );
                assert_eq!(proof.value().wdl(), Some(value.wdl()), "{what}");
                let verdict = if value.wdl() == Wdl::Win { "wins" } else { "loses" };
                let studies = study::parse(&format!("{position} {verdict}")).unwrap();
                let report = study::check(&studies[0], &tables, Some(SEARCH)).unwrap();
                let finding = &report.claims[0].finding;
                assert!(matches!(finding, Finding::Confirmed(_)), "{what}: {finding:?}");
            }
        }
    }
}

/// In each, several moves lose, and the proof that is found first needs as many plies after some that lose
/// sooner.
#[test]
fn the_best_line_of_an_exact_search_keeps_the_distance() {
    for (text, rules, value) in [
        ("e3w d4BW f4w c5BW w", RuleSet::Bignor, Value::Loss(8)),
        ("a1w d2b f2w d6w b", RuleSet::Bignor, Value::Loss(14)),
        ("d4bb f4ww b", RuleSet::Lasca, Value::Loss(38)),
    ] {
        let position: Position = text.parse().unwrap();
        let question = Question { proofs: false, ..all(rules) };
        let answer = question.by_search(&position, SEARCH, &Silent).unwrap();
        assert_eq!(answer.value.exact(), Some(value), "{text}");
        let line = answer.line.as_ref().unwrap();
        assert!(line.is_best, "{text}");
        assert_eq!(answer.best_move().unwrap().after, line.moves[0].after, "{text}");
        let exact = Question { exact: true, ..Question::new(rules) };
        let mut left = value.dtw().unwrap();
        for rated in &line.moves {
            left -= 1;
            let found = exact.by_search(&rated.after, SEARCH, &Silent).unwrap();
            assert_eq!(found.value.exact().unwrap().dtw(), Some(left), "{text}: {rated}");
        }
        assert_eq!(left, 0, "{text}");
    }
}

#[test]
fn the_move_to_play_in_a_drawn_position_is_the_same_whatever_else_is_asked() {
    let tables = shipped_tables();
    let mut first_of_several = [0; 2];
    let positions = vectors::positions().into_iter().filter(|&(_, value)| value == Value::Draw);
    let example = ("d2W a5B c5B e5W b".parse().unwrap(), Value::Draw);
    for (position, _) in positions.take(60).chain([example]) {
        let played = |answer: &Answer| answer.best_move().map(RatedMove::to_string);
        let plain = Question { moves: true, ..Question::new(&tables) };
        let answer = plain.of_tables(&position).unwrap();
        let expected = played(&answer);
        let is_first = expected == Some(answer.moves.as_ref().unwrap()[0].to_string());
        first_of_several[usize::from(is_first)] += 1;
        let by_search = |question: Question| question.by_search(&position, SEARCH, &Silent);
        for answer in [
            all(&tables).of_tables(&position).unwrap(),
            Question::of_board(&tables, &position).unwrap(),
            Question::for_play(&tables, &position, None, &Silent).unwrap(),
            by_search(plain).unwrap(),
            by_search(all(&tables)).unwrap(),
        ] {
            assert_eq!(played(&answer), expected, "{position}");
        }
    }
    assert!(first_of_several.iter().all(|&count| count > 10), "{first_of_several:?}");
}

#[test]
fn without_distances_the_tables_tell_who_wins_and_a_search_finds_the_rest() {
    let ((_folder, tables), whole) = (without_distances("3-2"), shipped_tables());
    let start: Position = "c3WW e3BW b6B w".parse().unwrap();
    let question = Question { moves: true, ..Question::new(&tables) };
    let known = question.answer(&start, Some(SEARCH), &Silent).unwrap();
    assert!(known.effort.is_none());
    assert_eq!((known.value.wdl(), known.value.at_most()), (Some(Wdl::Win), None));
    assert_eq!(known.best_move(), None);
    // Nor does a search know more that is not asked for the distance.
    let searched = question.by_search(&start, SEARCH, &Silent).unwrap();
    assert_eq!((searched.value.wdl(), searched.value.at_most()), (Some(Wdl::Win), None));
    assert_eq!(searched.best_move(), None);
    assert_eq!(known.moves.unwrap()[0].value.wdl(), Some(Wdl::Win));
    let error = Question::for_play(&tables, &start, None, &Silent).unwrap_err();
    assert!(error.reason() == Reason::NoDistances, "{error}");
    let mut at = start;
    for plies in 0.. {
        let tables = if plies % 2 == 0 { &tables } else { &whole };
        let answer = Question::for_play(tables, &at, Some(SEARCH), &Silent).unwrap();
        let Some(best) = answer.best_move() else {
            assert_eq!(plies, 19);
            break;
        };
        at = best.after;
    }
    // A search that has no time still plays a move that wins.
    let answer = Question::for_play(&tables, &start, Some(NO_TIME), &Silent).unwrap();
    assert_eq!(answer.value.wdl(), Some(Wdl::Win));
    assert_eq!(answer.best_move().unwrap().value.wdl(), Some(Wdl::Win));
    // Who asks for distances needs a search.
    let error = all(&tables).of_tables(&start).unwrap_err();
    assert!(error.reason() == Reason::NoDistances, "{error}");
    let answer = all(&tables).answer(&start, Some(SEARCH), &Silent).unwrap();
    assert_eq!(answer.value.exact(), Some(Value::Win(19)));
    assert_eq!(answer.line.unwrap().end, Some(Outcome::Win(Color::White)));
    // A side that is blocked has lost, whatever the tables have.
    let blocked = "a1WW b2B c3BW w".parse().unwrap();
    assert_eq!(question.of_tables(&blocked).unwrap().value.exact(), Some(Value::Loss(0)));
}

#[test]
fn a_drawn_line_ends_at_the_first_repetition_also_where_the_tables_go_on() {
    let tables = shipped_tables();
    let question = Question { line: true, ..Question::new(&tables) };
    let mut ended = 0;
    for (position, value) in vectors::soldiers() {
        if value != Value::Draw {
            continue;
        }
        let answer = question.by_search(&position, SEARCH, &Silent).unwrap();
        let line = answer.line.unwrap();
        let mut passed = vec![position];
        passed.extend(line.moves.iter().map(|rated| rated.after));
        let last = passed.pop().unwrap();
        let distinct: std::collections::HashSet<&Position> = passed.iter().collect();
        assert_eq!(distinct.len(), passed.len(), "{position}");
        ended += usize::from(passed.contains(&last));
    }
    assert!(ended > 5, "{ended}");
}

#[test]
fn a_search_in_parts_finds_what_a_whole_one_finds() {
    // Lasker's ending of 1911, and a position without a winner.
    for text in ["a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w", "b2W c3B c5BB w"] {
        let position: Position = text.parse().unwrap();
        let question = Question { proofs: false, ..all(RuleSet::Lasca) };
        let whole = question.by_search(&position, SEARCH, &Silent).unwrap();
        let mut search = question.search(&position, SEARCH).unwrap();
        let mut stages = Vec::from_iter(search.stage());
        let (mut parts, mut time) = (1, Duration::from_millis(1));
        while !search.go_on(Some(time), &Silent).unwrap() {
            stages.extend(search.stage());
            let so_far = search.answer(&Silent).unwrap();
            let (worst, best) = (so_far.value.worst(), so_far.value.best());
            assert!(
                worst <= whole.value.worst() && whole.value.best() <= best,
                "{text}: {so_far:?}"
            );
            // The parts become longer with the search.
            time = time.max(so_far.effort.unwrap().time / 8);
            parts += 1;
        }
        let answer = search.answer(&Silent).unwrap();
        assert_eq!(answer.value, whole.value, "{text}");
        assert_eq!(answer.effort.unwrap().stop, Stop::Solved);
        let values = |answer: &Answer| {
            let moves = answer.moves.iter().flatten();
            moves
                .map(|rated| (rated.after.to_string(), rated.value.wdl()))
                .collect::<HashMap<_, _>>()
        };
        assert_eq!(values(&answer), values(&whole), "{text}");
        stages.dedup();
        assert_eq!(stages.first(), Some(&Stage::Position));
        assert!(stages.len() <= 4, "{stages:?} in {parts} parts");
        assert!(parts > 10 || whole.effort.unwrap().positions < 10_000, "{text}: {parts} parts");
    }
}

#[test]
fn a_part_may_have_all_the_time_there_is() {
    // Little memory is enough for a short distance.
    let small = SearchLimits { memory: 8 << 20, ..SEARCH };
    let mut search = all(RuleSet::Lasca).search(&"c5w e5W d2b w".parse().unwrap(), small).unwrap();
    wait_until("the search ends", || search.go_on(Some(Duration::MAX), &Silent).unwrap());
    assert_eq!(search.answer(&Silent).unwrap().value, Value::Win(5));
}

#[test]
fn a_limit_of_time_counts_all_parts_of_a_search() {
    let limits = SearchLimits { time: Some(Duration::from_millis(20)), ..SEARCH };
    let question = all(RuleSet::Lasca);
    let mut search = question.search(&Position::start(), limits).unwrap();
    let part = Some(Duration::from_millis(1));
    wait_until("the search ends", || search.go_on(part, &Silent).unwrap());
    let effort = search.answer(&Silent).unwrap().effort.unwrap();
    assert_eq!(effort.stop, Stop::Time);
    assert!(effort.time >= Duration::from_millis(20));
}

#[test]
fn what_is_not_found_within_the_limits_is_left_open() {
    let start = Position::start();
    let answer = all(RuleSet::Lasca).by_search(&start, NO_TIME, &Silent).unwrap();
    assert_eq!((answer.value.wdl(), answer.effort.unwrap().stop), (None, Stop::Time));
    assert_eq!(answer.line.unwrap().moves, []);
    let excluded = answer.value.excluded(Color::White);
    assert!(!excluded.white && !excluded.black);
    for (rated, proof) in answer.moves.unwrap().iter().zip(answer.proofs.unwrap()) {
        assert_eq!((rated.value.wdl(), proof.standing, proof.holding), (None, None, None));
        assert_eq!(proof.line.moves, []);
    }
    let answer =
        all(RuleSet::Lasca).by_search(&start, SearchLimits { memory: 4 << 20, ..SEARCH }, &Silent);
    assert_eq!(answer.unwrap().effort.unwrap().stop, Stop::Memory);
    let error =
        all(RuleSet::Lasca).by_search(&start, SearchLimits { memory: 1, ..SEARCH }, &Silent);
    assert!(matches!(error, Err(ProbeError::SearchMemory { .. })));
    let stopping = Recorder::stopping_at(0);
    let answer = all(RuleSet::Lasca).by_search(&start, SEARCH, &stopping).unwrap();
    assert_eq!(answer.effort.unwrap().stop, Stop::Cancelled);
}

#[test]
fn a_damaged_page_of_distances_fails_whatever_tells_distances_and_lines() {
    let whole = shipped_tables();
    let mut damaged = Tablebase::options(RuleSet::Lasca).empty();
    let Files { wdl, mut dtw } = Files::shipped("2-2");
    dtw[200] ^= 0x10;
    damaged.add_table(wdl, Some(dtw.into())).unwrap();
    let is_damage = |error: &ProbeError| error.reason() == Reason::Damaged;
    let mut failed = [0; 6];
    for text in SOLDIERS {
        let position: Position = text.parse().unwrap();
        // Who wins is known all the same.
        let [expected, found] = [&whole, &damaged].map(|tables| {
            Question::new(tables).by_search(&position, SEARCH, &Silent).unwrap().value
        });
        assert_eq!(found.wdl(), expected.wdl(), "{text}");
        let bare = || Question::new(&damaged);
        let questions = [
            Question { exact: true, ..bare() },
            Question { moves: true, ..bare() },
            Question { line: true, ..bare() },
            Question { proofs: true, ..bare() },
        ];
        for (number, question) in questions.into_iter().enumerate() {
            match question.answer(&position, Some(SEARCH), &Silent) {
                Ok(answer) => {
                    let whole = Question { tables: (&whole).into(), ..question };
                    let whole = whole.answer(&position, Some(SEARCH), &Silent).unwrap();
                    assert_eq!((answer.value, answer.moves), (whole.value, whole.moves), "{text}");
                }
                Err(error) if is_damage(&error) => failed[number] += 1,
                Err(error) => panic!("{text}: {error}"),
            }
        }
        let run = |solver: &mut Solver| solver.run(&Budget::default());
        match Certificate::prove(&position, &damaged, 100_000, SEARCH.memory, run) {
            Ok(certificate) => assert_eq!(certificate.value().wdl(), expected.wdl(), "{text}"),
            Err(CertifyError::Probe(error)) if error.reason() == Reason::Damaged => failed[4] += 1,
            Err(error) => panic!("{text}: {error}"),
        }
        // A win is claimed, whether it is true or not: what refutes it is a line.
        let studies = study::parse(&format!("{position} wins")).unwrap();
        match study::check(&studies[0], &damaged, Some(SEARCH)) {
            Ok(report) => {
                let whole = study::check(&studies[0], &whole, Some(SEARCH)).unwrap();
                assert_eq!(report, whole, "{text}");
            }
            Err(error) if is_damage(&error) => failed[5] += 1,
            Err(error) => panic!("{text}: {error}"),
        }
    }
    assert!(failed.iter().all(|&failed| failed >= 2), "{failed:?}");
}

#[test]
fn a_win_in_one_ply_is_exact_whatever_time_is_left() {
    let answer = all(RuleSet::Lasca).by_search(&"c3W d4B w".parse().unwrap(), NO_TIME, &Silent);
    assert_eq!(answer.unwrap().value, Value::Win(1));
}

#[test]
fn whoever_searches_stage_by_stage_learns_what_each_has_found() {
    let position = "a1B g5bBB g7WwB w".parse().unwrap();
    let progress = Recorder::default();
    let mut search = all(RuleSet::Lasca).search(&position, SEARCH).unwrap();
    let mut stages = Vec::from_iter(search.stage());
    while !search.go_on(None, &progress).unwrap() {
        stages.extend(search.stage());
        let found = search.answer(&Silent).unwrap();
        assert_eq!(found.value.wdl(), Some(Wdl::Loss));
        if search.stage() == Some(Stage::Moves) {
            assert_eq!(found.value.exact(), Some(Value::Loss(26)));
        }
    }
    assert_eq!(stages, [Stage::Position, Stage::Distance, Stage::Moves]);
    assert!(progress.searched() > 0);
    assert!(search.answer(&Silent).unwrap().moves.is_some());
}

#[test]
fn open_moves_have_estimates_and_proved_ones_have_none() {
    for text in ["start", "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w", "c3w c5W e3B e5b b"] {
        let position = if text == "start" { Position::start() } else { text.parse().unwrap() };
        for milliseconds in [0, 1, 5, 200] {
            let time = Some(Duration::from_millis(milliseconds));
            let search = SearchLimits { time, ..SEARCH };
            let answer = all(RuleSet::Lasca).by_search(&position, search, &Silent).unwrap();
            let moves = answer.moves.as_deref().unwrap();
            assert_eq!(answer.estimates.len(), moves.len());
            let mut best = 100;
            for (number, rated) in moves.iter().enumerate() {
                let estimate = answer.estimate_of(number);
                assert_eq!(estimate.is_some(), rated.value.wdl().is_none(), "{text}: {rated}");
                if let Some(estimate) = estimate {
                    assert!((-100..=best).contains(&estimate), "{text}: {rated}");
                    best = estimate;
                }
            }
            assert!(moves.contains(answer.best_move().unwrap()));
        }
    }
}

#[test]
fn the_two_open_moves_that_look_best_have_lines_of_legal_moves() {
    let search = SearchLimits { time: Some(Duration::from_millis(500)), ..SEARCH };
    let question = Question { moves: true, ..Question::new(RuleSet::Lasca) };
    let found = question.by_search(&Position::start(), search, &Silent).unwrap();
    let moves = found.moves.unwrap();
    assert_eq!((moves.len(), found.estimates.len(), found.estimated_lines.len()), (6, 6, 6));
    for (number, (rated, line)) in moves.iter().zip(&found.estimated_lines).enumerate() {
        assert_eq!(line.is_empty(), number >= 2);
        let mut at = rated.after;
        for step in line {
            let played = (step.played, step.after);
            assert!(at.successors(RuleSet::Lasca).unwrap().contains(&played), "{at}");
            at = step.after;
        }
    }
}

#[test]
fn estimates_change_nothing_that_is_proved() {
    let budget = Budget::default();
    for text in
        ["a1B g5bBB g7WwB w", "c3w c5W e3B e5b b", "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w"]
    {
        let position = text.parse().unwrap();
        let mut solvers =
            [false, true].map(|_| Solver::new(&position, RuleSet::Lasca, SEARCH.memory).unwrap());
        solvers[1].estimate_moves(&budget).unwrap();
        let [plain, estimated] = solvers.map(|mut solver| {
            let impatient = Recorder::stopping_when(|seen| seen.searched() > 500);
            solver.run(&Budget::new(None, 1, &impatient)).unwrap();
            solver.estimate_moves(&budget).unwrap();
            solver.rate_moves(&budget).unwrap();
            let moves = solver.proved_moves(&position, &budget);
            (solver.value(&budget), moves, solver.line(&position, &budget), solver.status())
        });
        assert_eq!(plain, estimated, "{text}");
    }
}

#[test]
fn the_best_move_wins_or_looks_good_or_holds_or_resists() {
    let tables = shipped_tables();
    let best = |answer: &Answer| answer.best_move().map(RatedMove::to_string);
    for (text, played) in [
        ("b2B d2W a7W w", Some("a7-b6")),
        ("d2W d4W f2B f4B b", Some("f2-g3")),
        ("a1W b2B c3B w", None),
    ] {
        let position = text.parse().unwrap();
        let by_tables = Question::for_play(&tables, &position, None, &Silent).unwrap();
        assert_eq!(best(&by_tables).as_deref(), played, "{text}");
        let by_search =
            Question::for_play(RuleSet::Lasca, &position, Some(SEARCH), &Silent).unwrap();
        let value = |answer: &Answer| answer.best_move().map(|rated| rated.value.wdl());
        assert_eq!(value(&by_search), value(&by_tables), "{text}");
    }
    let position: Position = "c3w c5W e3B e5b b".parse().unwrap();
    let mut answer = all(RuleSet::Lasca).by_search(&position, SEARCH, &Silent).unwrap();
    let moves = answer.moves.clone().unwrap();
    let mut chosen = |values: &[ValueRange], estimates: &[Option<i8>]| {
        let rated = moves.iter().zip(values);
        let rated = rated.map(|(rated, &value)| RatedMove { value, ..rated.clone() });
        answer.moves = Some(rated.collect());
        answer.proofs = None;
        answer.estimates = estimates.to_vec();
        let played = answer.best_move().unwrap().after;
        answer.moves.iter().flatten().position(|rated| rated.after == played).unwrap()
    };
    let [win, draw, loss] = [Value::Win(5), Value::Draw, Value::Loss(8)].map(ValueRange::from);
    let open = ValueRange::UNKNOWN;
    let at_best_draw = ValueRange::new(Value::Loss(0), Value::Draw).unwrap();
    let at_worst_draw = ValueRange::new(Value::Draw, Value::Win(0)).unwrap();
    assert_eq!(chosen(&[win, open], &[None, Some(90)]), 0);
    assert_eq!(chosen(&[draw, open], &[None, Some(0)]), 1);
    assert_eq!(chosen(&[draw, open], &[None, Some(-1)]), 0);
    assert_eq!(chosen(&[draw, at_best_draw], &[None, Some(0)]), 0);
    assert_eq!(chosen(&[draw, at_worst_draw], &[None, Some(0)]), 1);
    assert_eq!(chosen(&[open, loss], &[Some(-90), None]), 0);
    // The first open move cannot win, and the next one cannot lose.
    assert_eq!(chosen(&[at_best_draw, at_worst_draw], &[Some(0), Some(0)]), 1);
    assert_eq!(chosen(&[loss, Value::Loss(6).into()], &[None, None]), 0);
}

// Positions with too many moves

#[test]
fn a_position_with_too_many_moves_is_open_and_lists_nothing() {
    // It has 4,206 moves.
    let text = "c3W b2BBBB d2BBBB b4BBB d4BBBB f4BB w";
    let many: Position = text.parse().unwrap();
    let search = SearchLimits { memory: 1 << 22, ..SearchLimits::default() };
    let question = Question { proofs: true, line: true, ..Question::new(RuleSet::Rejump) };
    let answer = question.by_search(&many, search, &Silent).unwrap();
    assert_eq!(answer.effort.unwrap().stop, Stop::TooManyMoves);
    assert_eq!((answer.value.wdl(), answer.moves, answer.proofs), (None, None, None));
    let is_refused = |error: ProbeError| error.reason() == Reason::TooManyMoves;
    let played = Question::for_play(RuleSet::Rejump, &many, Some(search), &Silent);
    assert!(is_refused(played.unwrap_err()));
    // Whether the move is legal is not known.
    let claimed = study::parse(&format!("{text} 1. c3-c3")).unwrap();
    let checked = study::check(&claimed[0], RuleSet::Rejump, Some(search));
    assert!(is_refused(checked.unwrap_err()));
    let reviewed = study::review(&claimed[0], RuleSet::Rejump, Some(search), None, &Silent);
    assert_eq!(reviewed.unwrap_err().reason(), Reason::TooManyMoves);
    let only_verdict = study::parse(&format!("{text} draws")).unwrap();
    let report = study::check(&only_verdict[0], RuleSet::Rejump, Some(search)).unwrap();
    assert!(matches!(report.claims[0].finding, Finding::Open { .. }), "{report:?}");
}
