//! `lasca-tb solve`, and the searches of `probe` and `explain`.

use crate::run::{Folder, has, run};
use serde_json::json;

#[test]
fn probe_and_explain_search_what_the_tables_do_not_cover() {
    let answer = run("explain 'c5w e5W d2b w' --seconds 60 --json").exits(0).answer();
    assert!(answer.get("stop").is_none(), "it has found all: {answer}");
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 6);
    for (i, step) in moves.iter().enumerate() {
        let plies = step["at_most"].as_u64().unwrap();
        assert_eq!(step["line"].as_array().unwrap().len() as u64, plies - 1, "{step}");
        // No move wins sooner than the position, so the first is the best, if that is known exactly.
        let standing = if i == 0 { "best" } else { "one of several" };
        has(step, json!({"line_end": "white wins", "standing": standing}));
    }
    // Damage is told, and not searched around.
    let damaged = Folder::of_bignor(&[]);
    damaged.write("bignor-2-1.ltbw", "damaged");
    damaged.run("probe 'b2B d2W a7W w' --seconds 9").exits(1).says("this is not a table");
}
