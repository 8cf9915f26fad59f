//! Findings in words.

use crate::answer::excluded;
use crate::text::{self, distance, verb};
use lasca_analysis::study::{CheckedClaim, Claim, Finding, Mark, Truth};
use lasca_tablebase::probe::{ProbeError, RatedMove, Standing};
use lasca_tablebase::rules::{Color, NotOfficers};
use lasca_tablebase::table::TableError;
use lasca_tablebase::{Outcome, Value, ValueRange, Wdl};

/// `1-0`, `1-0 in 12`, `2... f4-g5!`.
pub fn claim_text(checked: &CheckedClaim) -> String {
    match &checked.claim {
        Claim::Verdict(claimed) | Claim::Result { claimed, .. } => claimed.to_string(),
        Claim::Move { text, mark } => {
            format!("{} {text}{}", checked.number, mark.map(Mark::symbol).unwrap_or_default())
        }
    }
}

/// A claim with its place in the study: `1-0 after 3. d2-e1`. A verdict that is confirmed is told by the explanation.
pub fn claim_with_place(checked: &CheckedClaim) -> String {
    match (&checked.claim, &checked.finding) {
        (Claim::Verdict(claimed), Finding::Confirmed(_)) if claimed.outcome != Outcome::Draw => {
            "verdict".into()
        }
        (Claim::Verdict(claimed), _) => format!("verdict, {claimed:#}"),
        (Claim::Result { after, .. }, _) => format!("{} after {after}", claim_text(checked)),
        (Claim::Move { .. }, _) => claim_text(checked),
    }
}

/// Why a claim is confirmed, refuted or open.
pub fn explanation(checked: &CheckedClaim) -> String {
    let side = checked.position.side_to_move();
    match &checked.finding {
        Finding::Confirmed(truth) | Finding::Refuted { truth, .. } => {
            let is_right = matches!(checked.finding, Finding::Confirmed(_));
            match truth {
                Truth::Illegal(error) => match error.at {
                    Some(at) => {
                        let column = checked.location.character + at - 1;
                        format!("at column {column}: {}", error.problem)
                    }
                    None => error.problem.clone(),
                },
                Truth::Value(value) => {
                    let why = if is_right { None } else { too_short(checked, *value) };
                    meaning(*value, side) + &why.unwrap_or_default()
                }
                Truth::Sound { standing, value, moves, .. } if is_right => {
                    sound(*standing, *value, moves)
                }
                Truth::Sound { before, value, .. } => nothing_given_away(*before, *value),
                Truth::Mistake { before, value, better } => {
                    let gives_away = gives_away(*before, *value);
                    match listed(better) {
                        Some(listed) => {
                            format!("{gives_away}; {listed} {}", verb(*before, better.len()))
                        }
                        None => gives_away,
                    }
                }
                Truth::NotBest { value, better } => {
                    let best = |best: &RatedMove| format!(", {best}{}", distance(best.value));
                    let best = better.first().map(best).unwrap_or_default();
                    format!("not the best: it {}{}{best}", verb(*value, 1), distance(*value))
                }
            }
        }
        Finding::Open { position, played: Some(played), .. } => {
            format!(
                "proved of the position: {}; of the move: {}",
                proved(*position),
                proved(*played)
            )
        }
        Finding::Open { position, played: None, .. } if position.wdl().is_some() => {
            format!("{}; how long it takes is open", meaning(*position, side))
        }
        Finding::Open { position, played: None, .. } => open_result(*position, side),
        Finding::NotInTables(error) => match error {
            ProbeError::MissingTable { material, .. } => format!("no table of {material}"),
            ProbeError::Table {
                material,
                error: TableError::BeyondColumns { max_columns, columns },
                ..
            } => {
                format!("{columns} columns, and the table of {material} ends at {max_columns}")
            }
            ProbeError::OtherRules { material, asked, .. } => {
                format!("no table of {material} under {asked} rules")
            }
            ProbeError::NotOfficers(NotOfficers::Soldier(square)) => {
                format!("a soldier on {square}")
            }
            error => {
                let text = error.to_string();
                text.strip_prefix("not in the tables: ").unwrap_or(&text).to_owned()
            }
        },
    }
}

/// What a value means: `White wins in 5 plies`.
fn meaning(value: ValueRange, side_to_move: Color) -> String {
    let Some(wdl) = value.wdl() else { return open_result(value, side_to_move) };
    let outcome = match Outcome::of(wdl, side_to_move) {
        Outcome::Draw => "neither side can win".to_owned(),
        won => won.to_string(),
    };
    match value.at_most() {
        Some(0) => format!("{outcome}, the game is over"),
        _ => outcome + &text::in_plies(value),
    }
}

/// That a game cannot be as short as is claimed, if what the value means does not tell.
fn too_short(checked: &CheckedClaim, value: ValueRange) -> Option<String> {
    let (Claim::Verdict(claimed) | Claim::Result { claimed, .. }) = checked.claim else {
        return None;
    };
    let winner = claimed.outcome.winner().filter(|_| value.exact().is_none())?;
    let is_mover = winner == checked.position.side_to_move();
    let shortest = if is_mover { value.best() } else { value.worst() };
    let least = match shortest {
        Value::Win(least) if is_mover => least,
        Value::Loss(least) if !is_mover => least,
        _ => return None,
    };
    let is_shorter = claimed.plies.is_some_and(|plies| plies < least);
    is_shorter.then(|| format!("; {winner} cannot win in fewer than {}", text::plies(least)))
}

/// Which side is proved to be unable to win.
fn open_result(value: ValueRange, side_to_move: Color) -> String {
    match excluded(value, side_to_move) {
        Some(color) => format!("{color} cannot win; whether {} can win is open", !color),
        None => "neither a win nor a draw is proved".to_owned(),
    }
}

/// What is proved of a value: `win in 5`, `at least a draw`, `nothing`.
fn proved(value: ValueRange) -> String {
    let (worst, best) = (value.worst().wdl(), value.best().wdl());
    if (worst, best) == (Wdl::Loss, Wdl::Win) { "nothing".to_owned() } else { value.to_string() }
}

/// ` (in 5)`, or ` (in at most 9)`; empty for a draw, or if this is not known.
fn aside(value: ValueRange) -> String {
    match distance(value).trim_start() {
        "" => String::new(),
        distance => format!(" ({distance})"),
    }
}

/// How a sound move compares with the others.
fn sound(standing: Option<Standing>, value: ValueRange, moves: &[RatedMove]) -> String {
    let wdl = value.wdl();
    let as_good = moves.iter().filter(|judged| judged.value.wdl() == wdl).count();
    let (aside, wins, win) = (aside(value), verb(value, 1), verb(value, 2));
    let best = moves.first();
    let Some(standing) = standing else { return format!("it {wins}{aside}") };
    match standing {
        Standing::OnlyLegal => format!("the only legal move; it {wins}{aside}"),
        Standing::Only => format!("the only move that {wins}{aside}"),
        // Another one may be as good.
        Standing::Best
            if moves.iter().filter(|other| other.value.best() >= value.worst()).count() > 1 =>
        {
            format!("as good as any of {as_good} that {win}{aside}")
        }
        Standing::Best => format!("the best of {as_good} that {win}{aside}"),
        Standing::Keeps | Standing::GivesAway => match best.filter(|best| best.value != value) {
            Some(best) => {
                format!("one of {as_good} that {win}{aside}; {best} {wins}{}", distance(best.value))
            }
            None => format!("one of {as_good} that {win}"),
        },
    }
}

/// `gives nothing away: it wins in 7`.
fn nothing_given_away(before: ValueRange, value: ValueRange) -> String {
    match value.wdl() {
        Some(Wdl::Loss) => {
            let (before, after) = (distance(before), distance(value));
            format!("gives nothing away, as all moves lose: the best{before}, this{after}")
        }
        _ => format!("gives nothing away: it {}{}", verb(value, 1), distance(value)),
    }
}

/// `gives the draw away and loses in 14`.
fn gives_away(before: ValueRange, value: ValueRange) -> String {
    let what = if before.worst().wdl() == Wdl::Win { "win" } else { "draw" };
    match value.wdl() {
        Some(_) => format!("gives the {what} away and {}{}", verb(value, 1), distance(value)),
        None => format!("gives the {what} away"),
    }
}

/// The first few moves with their distances; `None` if there are no moves. A search may have proved
/// that a position is won without knowing which of its moves wins.
fn listed(moves: &[RatedMove]) -> Option<String> {
    const SHOWN: usize = 4;
    let mut texts: Vec<String> =
        moves.iter().take(SHOWN).map(|rated| format!("{rated}{}", aside(rated.value))).collect();
    if moves.len() > SHOWN {
        texts.push(format!("{} more", moves.len() - SHOWN));
    }
    match texts.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        [most @ .., last] => Some(format!("{} and {last}", most.join(", "))),
    }
}
