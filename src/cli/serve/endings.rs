//! The answer to `/endings`: positions to practise, picked from a table at random.

use super::app::{Answered, App};
use super::query;
use super::refusal::Refusal;
use super::work::Cancel;
use crate::parsers;
use axum::extract::{RawQuery, State};
use lasca_analysis::find::Practice;
use lasca_analysis::find::json::Endings;
use lasca_tablebase::Wdl;
use std::sync::Arc;
use tokio::time::timeout;

/// Answers `/endings`.
pub async fn endings(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Answered {
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
    let mut practice = Practice { result: value, ..Practice::default() };
    let choices =
        query::option("choices", choices, |text| parsers::range(text, &practice.choices))?;
    let plies = query::option("plies", plies, |text| parsers::range(text, &practice.plies))?;
    practice.choices = choices.unwrap_or(practice.choices);
    practice.plies = plies.unwrap_or(practice.plies);
    // The answer has it as a number, and JavaScript reads larger ones as others.
    let number = |text: &str| {
        let number = text.parse::<u64>().ok().filter(|&number| number < 1 << 53);
        number.ok_or_else(|| format!("expected a whole number below 2^53, found {text:?}"))
    };
    let material = query::material(&material.unwrap_or_default())?;
    let seed = query::option("seed", seed, number)?.unwrap_or(0);
    let tables = app.tables.clone();
    let find = move |cancel: &Cancel| {
        let picked = practice.pick(&tables.get(), material, seed, cancel)?;
        Ok(Endings::new(&practice, material, seed, &picked))
    };
    // Each takes a while. Those that wait for their turn leave the threads to positions that are looked up.
    let picked = async {
        let _turn = app.endings.acquire().await;
        app.answer(find).await
    };
    let picked = timeout(app.limits.time_limit, picked).await;
    picked.unwrap_or_else(|_| Err(Refusal::busy("the answer took too long")))
}
