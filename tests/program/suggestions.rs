//! Wrong arguments: the message suggests what was meant, and what it suggests works.

use crate::run::{run, run_with_input};
use std::fs;
use tempfile::TempDir;

#[test]
fn what_is_like_a_command_an_option_or_a_value_is_suggested() {
    for (args, tip) in [
        (&["statz", "2-1"][..], "'stats'"),
        (&["stats", "2-1", "--jsn"], "'--json'"),
        (&["stats", "2-1", "--rules", "lasa"], "'lasca'"),
        (&["stats", "2-1", "--by", "piece"], "'pieces'"),
        (&["stats", "2_1"], "did you mean 2-1?"),
        (&["stats", "21"], "did you mean 2-1?"),
        (&["stats", "tables/lasca-2-1.ltbw"], "did you mean 2-1?"),
        (&["verify", "2v1"], "did you mean 2-1?"),
        (&["probe", "a1WW a2B w"], "the squares beside it are a1, a3, b2"),
    ] {
        run(args).exits(2).says(tip);
    }
}

#[test]
fn a_command_is_suggested_for_a_material_a_position_and_a_file() {
    for (args, command) in [
        (&["2-1"][..], &["stats", "2-1"][..]),
        (&["a1WW b2B w"], &["probe", "a1WW b2B w"]),
        (&["probe", "2-1"], &["stats", "2-1"]),
        (
            &["explain", "tests/studies/05-two-oppositions.study"],
            &["study", "tests/studies/05-two-oppositions.study"],
        ),
    ] {
        let [name, word] = command else { unreachable!() };
        let word = if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() };
        run(args).exits(2).says(&format!("lasca-tb {name} {word}"));
        run(command).exits(0);
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("positions.txt");
    fs::write(&file, "a1WW b2B w\n").unwrap();
    let name = file.to_str().unwrap();
    run(&["moves", name]).exits(2).says(&format!("lasca-tb moves --stdin < {name}"));
    run_with_input(&["moves", "--stdin"], fs::read(&file).unwrap()).exits(0);
}
