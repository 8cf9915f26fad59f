//! The answer to `/endings`: positions to practise, picked from a table at random.

use super::app::{Answered, App};
use super::pool::Cancel;
use super::query;
use super::refusal::Refusal;
use crate::json::{Answer, Json, joined};
use crate::parsers;
use axum::extract::{RawQuery, State};
use lasca_tablebase::Wdl;
use lasca_tablebase::find::{Defence, only_moves};
use lasca_tablebase::index::{Material, SliceIndex};
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::{Color, Position};
use serde_json::json;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// How many positions a request looks at. The work of a request must be the same for the same seed, so the
/// limit is no time.
const MOST_LOOKED_AT: u64 = 50_000;

/// How many positions an answer has at most.
const MOST_FOUND: usize = 4;

/// How many turns are looked at, at most, and the most choices that can be asked for.
const MOST_TURNS: u16 = 20;

/// Answers `/endings`.
pub async fn endings(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
    let (wanted, tables) = (Wanted::read(query)?, app.tables.clone());
    let find = move |cancel: &Cancel| tables.answer(|tables| Ok(wanted.answer(tables, cancel)?));
    app.answer_by(&app.endings, find).await
}

/// What a request wants. White is to move in all positions.
struct Wanted {
    material: Material,
    /// Whether White is to win, or to hold a draw.
    value: Wdl,
    /// How many choices White has in the next turns, as long as there are only moves.
    choices: RangeInclusive<u16>,
    /// The distances of wins. Draws have none.
    plies: RangeInclusive<u16>,
    seed: u64,
}

impl Wanted {
    /// Reads a query.
    fn read(query: Option<String>) -> Result<Wanted, Refusal> {
        let [material, value, choices, plies, seed] =
            query::read(query, ["material", "value", "choices", "plies", "seed"], Some("3-2"))?;
        let result = |text: &str| match text {
            "win" => Ok(Wdl::Win),
            "draw" => Ok(Wdl::Draw),
            _ => Err(format!("expected win or draw, found {text:?}")),
        };
        let value = query::option("value", value, result)?.unwrap_or(Wdl::Win);
        if value == Wdl::Draw && plies.is_some() {
            return Err(query::wrong("expected plies= with value=win only, as draws have none"));
        }
        let range = |name, text, bounds: RangeInclusive<u16>| {
            let read = query::option(name, text, |text| parsers::range(text, &bounds))?;
            Ok::<_, Refusal>(read.unwrap_or(bounds))
        };
        let number = |text: &str| {
            let number = text.parse::<u64>();
            number.map_err(|_| format!("expected a whole number below 2^64, found {text:?}"))
        };
        Ok(Wanted {
            material: material
                .unwrap_or_default()
                .parse()
                .map_err(|error| query::wrong(format!("material=: {error}")))?,
            value,
            choices: range("choices", choices, 1..=MOST_TURNS)?,
            plies: range("plies", plies, 1..=u16::MAX)?,
            seed: query::option("seed", seed, number)?.unwrap_or(0),
        })
    }

    /// Looks for such positions, until it is over. The same seed finds the same ones in the same tables.
    fn answer(&self, tables: &Tablebase, cancel: &Cancel) -> Result<Json, ProbeError> {
        let columns = tables.extent_with_distances(self.material)?.columns();
        let slices: Vec<SliceIndex> =
            columns.map(|columns| self.material.slice(Color::White, columns)).collect();
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut endings: Vec<Json> = Vec::new();
        let mut looked_at = 0;
        let positions = slices.iter().map(SliceIndex::positions).sum::<u64>();
        // A small table is looked at as a whole, in a random order.
        let mut all: Vec<(&SliceIndex, u64)> = Vec::new();
        if positions <= MOST_LOOKED_AT {
            all.extend(slices.iter().flat_map(|s| (0..s.positions()).map(move |index| (s, index))));
            random.shuffle(&mut all);
        }
        let most = positions.min(MOST_LOOKED_AT);
        while looked_at < most && endings.len() < MOST_FOUND && !cancel.is_over() {
            looked_at += 1;
            let (slice, index) = all.pop().unwrap_or_else(|| {
                // Each number of columns has the same chance, although most positions have many.
                let slice = &slices[random.usize(..slices.len())];
                (slice, random.u64(..slice.positions()))
            });
            let position = slice.position(index);
            let Some(position) = position.to_position(Color::White) else { continue };
            let Some(found) = self.ending(tables, &position)? else { continue };
            if endings.iter().all(|other| other["position"] != found["position"]) {
                endings.push(found);
            }
        }
        Ok(json!({
            "material": self.material,
            "value": self.value,
            "seed": self.seed,
            "looked_at": looked_at,
            "whole_table": looked_at == positions,
            "endings": endings,
        }))
    }

    /// The position, if it is as wanted: quiet, with a choice between several moves, of which one is
    /// right.
    fn ending(&self, tables: &Tablebase, position: &Position) -> Result<Option<Json>, ProbeError> {
        let moves = position.successors(tables.rules());
        if moves.len() < 2 || moves[0].0.is_capture() || tables.wdl(position)? != self.value {
            return Ok(None);
        }
        // Most positions have more than one right move. Without distances, that is quickly seen.
        let mut right = 0;
        for (_, after) in &moves {
            right += usize::from(-tables.wdl(after)? == self.value);
            if right > 1 {
                return Ok(None);
            }
        }
        let value = tables.value(position)?;
        if value.dtw().is_some_and(|dtw| !self.plies.contains(&dtw)) {
            return Ok(None);
        }
        let turns = only_moves(tables, position, Defence::Best, MOST_TURNS.into())?;
        let choices = choices(tables, position, turns)?;
        let ending = joined(Answer::brief(position, value), json!({ "choices": choices }));
        Ok(self.choices.contains(&choices).then_some(ending))
    }
}

/// At how many of the next turns there is more than one legal move, if both sides play best.
fn choices(tables: &Tablebase, position: &Position, turns: usize) -> Result<u16, ProbeError> {
    let mut position = *position;
    let mut choices = 0;
    for _ in 0..turns {
        let moves = tables.moves(&position)?;
        choices += u16::from(moves.len() > 1);
        let reply = moves.first().map(|best| tables.best_move(&best.after)).transpose()?.flatten();
        let Some(reply) = reply else { break };
        position = reply.after;
    }
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::rules::RuleSet;
    use std::sync::atomic::Ordering;

    #[test]
    fn no_more_positions_are_looked_at_when_nobody_waits() {
        let tables = Tablebase::open("../../tables", RuleSet::Lasca).unwrap();
        let wanted = Wanted::read(Some("material=2-1&choices=20".to_owned())).unwrap();
        let cancel = Cancel::default();
        let looked_at = || wanted.answer(&tables, &cancel).unwrap()["looked_at"].clone();
        assert_ne!(looked_at(), 0);
        cancel.cancelled.store(true, Ordering::Relaxed);
        assert_eq!(looked_at(), 0);
    }
}
