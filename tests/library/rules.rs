//! The rules: counted against golden data, inverted, seen in mirrors, and replayed from studies.

use crate::arbitrary::{TRIALS, any_position, for_each, officer_position};
use crate::common::numbers::Numbers;
use crate::common::position as read;
use lasca_tablebase::Reason;
use lasca_tablebase::internals::{Chain, possible_chains, possible_chains_back, uncaptures};
use lasca_tablebase::notation::{move_text, parse_move};
use lasca_tablebase::rules::{
    MOST_MOVES, Move, OfficerPosition, Placement, Position, RuleSet, Square, Step, Symmetry, perft,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;
use std::iter;
use std::ops::ControlFlow;

fn moves(text: &str, rules: RuleSet) -> Vec<String> {
    let moves = read(text).successors(rules).unwrap();
    moves.iter().map(|(played, after)| move_text(played, after)).collect()
}

/// How often each item occurs.
fn counted<T: Eq + Hash + Debug>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

/// An officer position in which both sides command a column.
fn unfinished(numbers: &mut Numbers) -> Position {
    iter::repeat_with(|| officer_position(numbers)).find(Position::both_command).unwrap()
}

// Golden data

#[test]
fn perft_counts_equal_the_golden_ones() {
    let golden = include_str!("../data/perft.csv");
    assert_eq!(golden.lines().next(), Some("rules,position,depth,count"));
    for line in golden.lines().skip(1) {
        let (rules, rest) = line.split_once(',').unwrap();
        let (rest, count) = rest.rsplit_once(',').unwrap();
        let (text, depth) = rest.rsplit_once(',').unwrap();
        let counted =
            perft(&read(text.trim_matches('"')), rules.parse().unwrap(), depth.parse().unwrap());
        assert_eq!(counted.to_string(), count, "{line}");
    }
}

/// Positions of some random games, the first ones of which many games share.
fn positions_of_games(games: u64) -> HashSet<Position> {
    let mut met = HashSet::new();
    for seed in 0..games {
        let (mut random, mut at) = (Numbers(seed), Position::start());
        for _ in 0..60 {
            met.insert(at);
            let moves = at.moves(RuleSet::Lasca).unwrap();
            if moves.is_empty() {
                break;
            }
            at = at.play_unchecked(&moves[random.below(moves.len())]);
        }
    }
    met
}

#[test]
fn keys_tell_positions_apart_and_are_evenly_spread() {
    let met = positions_of_games(1500);
    assert!(met.len() > 50_000, "{}", met.len());
    for shift in [0, 16, 32, 48] {
        // With as many places as positions, 1 / e of the places are empty, and so are those of random numbers.
        let places: HashSet<u64> =
            met.iter().map(|position| position.key() >> shift & 0xffff).collect();
        let share = met.len() as f64 / 65536.0;
        let expected = 65536.0 * (1.0 - (-share).exp());
        assert!(
            (places.len() as f64 - expected).abs() < 600.0,
            "{shift}: {} {expected}",
            places.len()
        );
    }
    let keys: HashSet<u64> = met.iter().map(Position::key).collect();
    assert_eq!(keys.len(), met.len());
    for position in &met {
        let other = position.with_side_to_move(!position.side_to_move());
        assert_eq!(keys.contains(&other.key()), met.contains(&other), "{position}");
    }
}

#[test]
fn the_published_openings_and_endings_replay() {
    let studies = include_str!("../data/endings_moves.txt");
    let mut replayed = 0;
    for line in studies.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (text, played) = line.split_once(" : ").unwrap();
        let mut position = read(text);
        for text in played.split_whitespace() {
            position = match parse_move(text, &position, RuleSet::Lasca) {
                Ok((_, after)) => after,
                Err(error) => panic!("{line}\nin {position}: {error}"),
            };
            replayed += 1;
        }
    }
    assert!(replayed > 300, "only {replayed} moves were replayed");
}

// What the rule sets differ in

#[test]
fn a_column_jumps_back_only_where_squares_may_be_jumped_again() {
    let position = "a1W b2BB w";
    assert_eq!(moves(position, RuleSet::Lasca), ["a1-b2B-c3WB"]);
    assert_eq!(moves(position, RuleSet::Bignor), ["a1-b2B-c3WB"]);
    assert_eq!(moves(position, RuleSet::Rejump), ["a1-b2-c3-b2-a1WBB"]);
    // Nor does it go round a ring under bignor rules.
    assert_eq!(moves("c3W d4BB d6BB b6BB b4BB w", RuleSet::Bignor), ["c3-b4B-a5WB", "c3-d4B-e5WB"]);
}

// The rules that all sets share

#[test]
fn each_rule_that_all_sets_share_is_kept() {
    for (what, position, expected) in [
        ("only the commander is captured", "d2wBw c3BbbwB w", &["d2-c3bbwB-b4wBwB"][..]),
        ("it goes below its captor", "b2w c3b w", &["b2-c3-d4wb"]),
        ("the counters under it stay", "c3BW c5BW d4WWBB b", &["c3-d4WBB-e5BWW", "c5-d4WBB-e3BWW"]),
        ("capturing is compulsory", "a1W c3W d4B w", &["c3-d4-e5WB"]),
        ("so is going on", "a1W b2B b4B d4B w", &["a1-b2-c3-b4-a5WBB", "a1-b2-c3-d4-e5WBB"]),
        ("no soldier moves backward", "c3w b2b d2b e7B w", &["c3-b4", "c3-d4"]),
        ("nor does a black one", "c5b b6w d6w a1W b", &["c5-b4", "c5-d4"]),
        ("an officer does", "c3W b2b d2b e7B w", &["c3-b2-a1Wb", "c3-d2-e1Wb"]),
        // As an officer it would go on over f6.
        ("a promotion ends the move", "c5w d6bb f6b w", &["c5-d6b-e7Wb"]),
        ("an officer goes on", "c5W d6bb f6b w", &["c5-d6b-e7-f6-g5Wbb"]),
        ("an officer stays one under a column", "c3w d4Bb w", &["c3-d4b-e5wB"]),
        ("a side without columns has no move", "a1WB b", &[]),
        ("neither has its opponent", "a1WB w", &[]),
        ("an officer may be blocked", "a1W b2B c3B w", &[]),
        ("soldiers may be blocked", "a5w b6b c7b w", &[]),
    ] {
        assert_eq!(moves(position, RuleSet::Lasca), expected, "{what}: {position}");
    }
    // Nor would it go on over d6 again.
    assert_eq!(moves("c5w d6bb f6b w", RuleSet::Rejump), ["c5-d6b-e7Wb"]);
    assert_eq!(moves("a1WB w", RuleSet::Bignor), [""; 0]);
    for (before, after) in [("d6wb a1b w", "a1b c7Wb b"), ("b2bw g7w b", "a1Bw g7w w")] {
        assert_eq!(read(before).successors(RuleSet::Lasca).unwrap()[0].1.to_string(), after);
    }
}

#[test]
fn every_move_is_listed_once_conserves_the_counters_and_passes_the_turn() {
    for_each(TRIALS, any_position, |&before| {
        for rules in RuleSet::ALL {
            let moves = before.moves(rules).unwrap();
            assert!(moves.is_sorted_by(|a, b| a < b), "{:?}", moves);
            assert!(before.successors(rules).unwrap().iter().map(|(played, _)| played).eq(&moves));
            // All are captures or none is.
            let captures = moves.iter().filter(|played| played.is_capture()).count();
            assert_eq!(captures, if before.must_capture() { moves.len() } else { 0 });
            assert_eq!(before.outcome().is_some(), moves.is_empty());
            for (played, after) in before.successors(rules).unwrap() {
                let squares: Vec<Square> = played.squares().collect();
                assert_eq!(Move::from_squares(&squares), Some(played));
                assert_eq!(played.to_string().parse(), Ok(played));
                assert_eq!(
                    (squares.first(), squares.last()),
                    (Some(&played.from()), Some(&played.to()))
                );
                assert_eq!(before.play(&played, rules), Ok(after));
                assert_eq!(before.play_unchecked(&played), after);
                assert_eq!(after.counters(), before.counters(), "{}", played);
                assert_eq!(after.side_to_move(), !before.side_to_move());
                let fewer = before.occupied().len() - after.occupied().len();
                assert!(fewer <= played.jumped().count());
            }
        }
    });
}

// Symmetries

#[test]
fn officers_move_alike_on_a_board_turned_or_reflected() {
    for_each(TRIALS, officer_position, |&before| {
        for symmetry in Symmetry::all() {
            assert_moves_alike(&before, symmetry, |position| position.transformed(symmetry));
        }
    });
}

#[test]
fn soldiers_move_alike_in_a_mirror_and_with_colours_exchanged() {
    for_each(TRIALS, any_position, |&before| {
        let mirror = Symmetry::FLIP_FILES;
        assert_moves_alike(&before, mirror, |position| position.transformed(mirror));
        assert_moves_alike(&before, Symmetry::FLIP_RANKS, |position| position.swap_colors());
    });
}

// Officers as counts

#[test]
fn officer_moves_agree_with_the_moves_of_the_whole_game() {
    for_each(TRIALS, unfinished, |&before| {
        let side = before.side_to_move();
        let officers = OfficerPosition::try_from(&before).unwrap();
        let placement = officers.placement();
        assert_eq!(officers.to_position(side), Some(before));
        for rules in RuleSet::ALL {
            let successors = before.successors(rules).unwrap();
            let mut captures = Vec::new();
            officers.captures(rules, |after| captures.push(after.to_position(!side).unwrap()));
            let mut moves = Vec::new();
            let _: ControlFlow<()> = officers.try_for_each_move(rules, |played, after| {
                moves.push((*played, after.to_position(!side).unwrap()));
                ControlFlow::Continue(())
            });
            moves.sort_by_key(|&(played, _)| played);
            assert_eq!(&moves, &successors);

            let whole_game = successors.iter().filter(|(played, _)| played.is_capture());
            let ends = whole_game.clone().map(|(_, after)| *after);
            assert_eq!(counted(captures), counted(ends));
            if rules != RuleSet::Rejump {
                // Who commands which squares decides the chains.
                let chains = chains(placement, rules);
                assert_eq!(
                    counted(chains),
                    counted(whole_game.map(|(capture, _)| Chain {
                        from: capture.from(),
                        to: capture.to(),
                        jumped: capture.jumped().collect(),
                    }))
                );
            }

            let must_capture = successors.iter().any(|(played, _)| played.is_capture());
            assert_eq!(placement.must_capture(), must_capture);
            if must_capture {
                continue;
            }
            assert_eq!(placement.steps().count(), successors.len());
            let steps = placement.steps().map(|step: Step| {
                let played = Move::from_squares(&[step.from, step.to]).unwrap();
                (played, officers.after_step(step).to_position(!side).unwrap())
            });
            assert_eq!(counted(steps), counted(successors));
        }
    });
}

/// The positions after the captures of a position, each as often as a capture leads to it.
fn after_captures(before: &Position, rules: RuleSet) -> HashMap<Position, usize> {
    let successors = before.successors(rules).unwrap().into_iter();
    counted(successors.filter(|(played, _)| played.is_capture()).map(|(_, after)| after))
}

/// The positions before the captures that lead to a position of officers, each as often as one does.
fn before_captures(
    after: &Position,
    rules: RuleSet,
    keep_columns: bool,
) -> HashMap<Position, usize> {
    let mut before = Vec::new();
    uncaptures(&OfficerPosition::try_from(after).unwrap(), rules, keep_columns, |position| {
        before.push(position.to_position(!after.side_to_move()).unwrap());
    });
    counted(before)
}

#[test]
fn officer_uncaptures_are_the_captures_of_the_whole_game_backwards() {
    for_each(3 * TRIALS, officer_position, |position| {
        for rules in RuleSet::ALL {
            for (after, count) in after_captures(position, rules) {
                let back = before_captures(&after, rules, false);
                assert_eq!(back.get(position), Some(&count), "{rules} back from {after}");
            }
            let mut back = before_captures(position, rules, false);
            for (before, count) in &back {
                let found = after_captures(before, rules);
                assert_eq!(found.get(position), Some(count), "{rules} on from {before}");
            }
            let columns = position.occupied().len();
            back.retain(|before, _| before.occupied().len() == columns);
            assert_eq!(before_captures(position, rules, true), back, "{rules}");
            if rules == RuleSet::Rejump {
                continue;
            }
            // Chains backwards and the stacks give those that empty no square.
            let officers = OfficerPosition::try_from(position).unwrap();
            let (mut gone_back, placement) = (Vec::new(), officers.placement());
            possible_chains_back(placement.occupied(), rules, 12, |chain, open| {
                if placement.other.contains(chain.to) && open.bits() & placement.mover.bits() == 0 {
                    let before = go_back(&officers, chain);
                    let capturer = !position.side_to_move();
                    gone_back.extend(before.and_then(|before| before.to_position(capturer)));
                }
            });
            assert_eq!(counted(gone_back), back, "{rules}");
        }
    });
}

/// The chains by which a side can capture.
fn chains(placement: Placement, rules: RuleSet) -> Vec<Chain> {
    let (occupied, mut chains) = (placement.occupied(), Vec::new());
    possible_chains(occupied, rules, occupied.len(), |chain, spared| {
        let own = spared.with(chain.from).bits();
        let is_possible = own & !placement.mover.bits() == 0
            && chain.jumped.bits() & !placement.other.bits() == 0;
        chains.extend(is_possible.then_some(chain));
    });
    chains
}

/// The position before the chain, seen by the side that captured, if the counters allow the chain.
fn go_back(after: &OfficerPosition, chain: Chain) -> Option<OfficerPosition> {
    let mut placement = after.placement().for_other_side();
    let (mut mover, mut other) = (*after.other_counters(), *after.mover_counters());
    let (from, to) = (chain.from.index(), chain.to.index());
    let prisoners = other[to].checked_sub(chain.jumped.len() as u8)?;
    let column = (std::mem::take(&mut mover[to]), prisoners);
    other[to] = 0;
    placement.mover = placement.mover.without(chain.to);
    for square in chain.jumped {
        if placement.mover.contains(square) && other[square.index()] > 0 {
            return None;
        }
        placement.mover = placement.mover.without(square);
        placement.other = placement.other.with(square);
        other[square.index()] += 1;
    }
    placement.mover = placement.mover.with(chain.from);
    (mover[from], other[from]) = column;
    OfficerPosition::new(placement, mover, other)
}

#[test]
#[should_panic(expected = "chains depend on the stacks")]
fn chains_back_refuse_a_rule_under_which_they_depend_on_the_stacks() {
    let officers = OfficerPosition::try_from(&read("a1W b2BB w")).unwrap();
    let occupied = officers.placement().occupied();
    possible_chains_back(occupied, RuleSet::Rejump, 1, |_, _| ());
}

/// Expects that the moves of the image of a position are the images of its moves.
fn assert_moves_alike(
    before: &Position,
    of_moves: Symmetry,
    image_of: impl Fn(&Position) -> Position,
) {
    let image = |(played, after): (Move, Position)| {
        let squares: Vec<Square> = played.squares().map(|square| of_moves.apply(square)).collect();
        (Move::from_squares(&squares).unwrap(), image_of(&after))
    };
    for rules in RuleSet::ALL {
        let images = before.successors(rules).unwrap().into_iter().map(image);
        assert_eq!(
            counted(image_of(before).successors(rules).unwrap()),
            counted(images),
            "{rules}"
        );
    }
}

#[test]
fn a_move_that_is_not_legal_cannot_be_played() {
    let quiet =
        Move::from_squares(&[Square::from_name("c3").unwrap(), Square::from_name("d4").unwrap()]);
    let error = read("a1W b2B w").play(&quiet.unwrap(), RuleSet::Lasca).unwrap_err();
    assert_eq!(error.to_string(), "c3-d4 is not a legal move in a1W b2B w");
}

#[test]
fn a_position_with_more_moves_than_are_listed_is_an_error() {
    let rejump = RuleSet::Rejump;
    let most = read("c3W b2BBBB d2BBBB b4BB d4BBBBB f4BB w");
    assert_eq!(most.moves(rejump).unwrap().len(), 3954);
    assert_eq!(most.successors(rejump).unwrap().len(), 3954);
    let more = read("c3W b2BBBB d2BBBB b4BBB d4BBBB f4BB w");
    assert!(perft(&more, rejump, 1) == 4206 && 4206 > MOST_MOVES);
    let error = more.moves(rejump).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a position with at most 4096 legal moves, found more in \
         b2BBBB d2BBBB c3W b4BBB d4BBBB f4BB w"
    );
    assert_eq!(more.successors(rejump), Err(error.clone()));
    let read = parse_move("c3-c3", &more, rejump).unwrap_err();
    assert_eq!((read.reason(), read.problem), (Reason::TooManyMoves, error.to_string()));
    // What makes no list goes on.
    let _ = more.try_for_each_move(rejump, |played, after| {
        assert_eq!(more.play(played, rejump), Ok(*after));
        ControlFlow::Break(())
    });
    for rules in [RuleSet::Lasca, RuleSet::Bignor] {
        assert!(more.moves(rules).is_ok());
    }
}
