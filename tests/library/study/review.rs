//! Marks for the moves of games.

use crate::common::numbers::Numbers;
use crate::common::tables::shipped_tables;
use lasca_analysis::answer::SearchLimits;
use lasca_analysis::search::Solver;
use lasca_analysis::study::{Finding, Review, check, parse, review};
use lasca_tablebase::notation::move_text;
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{Position, RuleSet};
use lasca_tablebase::{Silent, Value, ValueRange};

const SEARCH: SearchLimits = SearchLimits { memory: 1 << 27, ..SearchLimits::DEFAULT };

/// Games of random moves, which often go in circles, as texts of studies.
fn random_games(start: &str, games: u64) -> impl Iterator<Item = String> {
    (1..=games).map(move |seed| {
        let (mut random, mut text) = (Numbers(seed), start.to_owned());
        let mut at: Position = start.parse().unwrap();
        for _ in 0..30 {
            let moves = at.successors(RuleSet::Lasca).unwrap();
            if moves.is_empty() {
                break;
            }
            let (played, after) = &moves[random.below(moves.len())];
            text.push_str(&format!(" {}", move_text(played, after)));
            at = *after;
        }
        text
    })
}

fn reviewed(text: &str, tables: impl Into<Tablebase>, search: SearchLimits) -> Review {
    review(&parse(text).unwrap()[0], tables, Some(search), None, &Silent).unwrap()
}

/// How many results of random games a review without tables finds, and how many it leaves open.
fn compared_with_tables(start: &str, memory: u64) -> (usize, usize) {
    let tables = shipped_tables();
    let search = SearchLimits { memory, ..SEARCH };
    let (mut known, mut open) = (0, 0);
    for text in random_games(start, 8) {
        for ply in reviewed(&text, RuleSet::Lasca, search).plies {
            let true_wdl = tables.value(&ply.position).unwrap().wdl();
            let (worst, best) = (ply.value.worst().wdl(), ply.value.best().wdl());
            assert!((worst..=best).contains(&true_wdl), "{} in {text}", ply.position);
            *if worst == best { &mut known } else { &mut open } += 1;
        }
    }
    (known, open)
}

#[test]
fn one_search_for_a_whole_game_proves_what_the_tables_say() {
    for start in ["c3W e3B c5W e5B b", "d2W f2B d4W f4B b", "d2W d4W f2B f4B b"] {
        let (known, open) = compared_with_tables(start, SEARCH.memory);
        assert!(known > 100 && open == 0, "{start}: {known} known, {open} open");
    }
}

#[test]
fn nothing_wrong_is_proved_when_the_memory_is_full_again_and_again() {
    let start = "d2W f2B d4W f4B d6W f6B b";
    let fits = |&memory: &u64| Solver::new(&start.parse().unwrap(), RuleSet::Lasca, memory).is_ok();
    let least = (18..).map(|bits| 1 << bits).find(fits).unwrap();
    let (known, open) = compared_with_tables(start, least);
    assert!(known > 50 && open > 20, "{known} known, {open} open");
}

#[test]
fn a_study_confirms_the_reviews_of_random_games() {
    let tables = shipped_tables();
    let mut all = String::new();
    for start in ["c3W e3B c5W e5B b", "d2W f2B d4W f4B b", "c5w e5W d2b w"] {
        // A game with only moves too.
        let holding = "d2W f2B d4W f4B b f2-g3 d2-e1 f4-g5 d4-e3".to_owned();
        for text in random_games(start, 8).chain([holding]) {
            let text = reviewed(&text, RuleSet::Lasca, SEARCH).to_string();
            assert!(text.lines().all(|line| line.len() <= 80), "{text}");
            let report = check(&parse(&text).unwrap()[0], &tables, Some(SEARCH)).unwrap();
            for claim in &report.claims {
                assert!(matches!(claim.finding, Finding::Confirmed(_)), "{claim:?} in {text}");
            }
            all.push_str(&text);
        }
    }
    for mark in ["! ", "? ", "  (", "1/2"] {
        assert!(all.matches(mark).count() > 1, "{mark}: {all}");
    }
}

#[test]
fn a_comment_says_from_where_on_all_results_are_known() {
    let study = &parse("d2W f2B d4W f4B b f2-g3 d2-e1 f4-g5 d4-e3").unwrap()[0];
    let mut review = review(study, RuleSet::Lasca, None, None, &Silent).unwrap();
    for (known, words) in [
        ([0, 0, 0, 1, 1], "known from 3 to the end."),
        ([0, 1, 1, 0, 1], "known from 3... to the end."),
        ([1, 0, 1, 0, 0], "not known at the end."),
    ] {
        for (ply, known) in review.plies.iter_mut().zip(known) {
            ply.value = if known == 1 { Value::Draw.into() } else { ValueRange::UNKNOWN };
        }
        let text = review.to_string();
        let comment = text[..text.find('}').unwrap()].replace('\n', " ");
        assert_eq!(comment, format!("{{The result is {words}"));
    }
}
