//! The comments of the header are those that Doxygen wants: everything is described, each parameter and
//! each result. And no exported function is forgotten.

mod common;

use common::{pass_over, root};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// Runs Doxygen over a header. Returns whether it is content, and what it says.
fn doxygen(header: &str) -> Option<(bool, String)> {
    let scratch = tempfile::tempdir().unwrap();
    let own = root().join("bindings/c/Doxyfile");
    fs::create_dir(scratch.path().join("include")).unwrap();
    fs::write(scratch.path().join("include/lasca_tb.h"), header).unwrap();
    let Ok(output) = Command::new("doxygen").arg(&own).current_dir(&scratch).output() else {
        pass_over("there is no doxygen");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let has_made_pages = scratch.path().join("doc/html/index.html").exists();
    assert!(!output.status.success() || has_made_pages, "no pages were made: {said}");
    Some((output.status.success() && said.is_empty(), said))
}

#[test]
fn doxygen_has_no_warning_about_the_header() {
    let header = fs::read_to_string(root().join("bindings/c/include/lasca_tb.h")).unwrap();
    let Some((is_content, said)) = doxygen(&header) else { return };
    assert!(is_content, "{said}");
    // What it would warn of.
    for (from, to, words) in [
        ("\\param folder_count ", "\\param folders_count ", "folder_count"),
        ("\\return The version.", "", "lasca_tb_version"),
        ("Which counters are officers.", "", "officers"),
    ] {
        assert!(header.contains(from), "{from}");
        let Some((is_content, said)) = doxygen(&header.replacen(from, to, 1)) else { return };
        assert!(!is_content && said.contains(words), "{said}");
    }
}

#[test]
fn each_group_is_defined_and_used() {
    let header = fs::read_to_string(root().join("bindings/c/include/lasca_tb.h")).unwrap();
    let after = |word: &str| -> BTreeSet<String> {
        let found = header.split(word).skip(1);
        found.filter_map(|rest| rest.split_whitespace().next().map(str::to_owned)).collect()
    };
    assert_eq!(after("\\ingroup"), after("\\defgroup"));
}

/// The test program calls each function, and the whole body of each that can fail is one call of `guard`.
#[test]
fn each_function_is_in_a_group_and_tested_and_stops_panics() {
    let folder = root().join("bindings/c");
    let test = fs::read_to_string(folder.join("tests/test.c")).unwrap();
    let (mut functions, mut guarded) = (0, 0);
    for file in fs::read_dir(folder.join("src")).unwrap() {
        let source = fs::read_to_string(file.unwrap().path()).unwrap();
        let parts: Vec<&str> = source.split("#[unsafe(no_mangle)]\n").collect();
        for (comment, item) in parts.iter().zip(&parts[1..]) {
            let (head, body) = item.split_once(" {\n").unwrap();
            let name = head.split_once("fn ").unwrap().1.split_once('(').unwrap().0;
            let group = comment.lines().next_back().unwrap();
            assert!(group.starts_with("/// \\ingroup "), "{name}: {group}");
            assert!(test.contains(&format!("{name}(")), "{name} is not called");
            functions += 1;
            if head.starts_with("pub unsafe") {
                // Whatever is not inside the call stands further left.
                let is_outer =
                    |line: &&str| !line.starts_with(&" ".repeat(5)) && !line.starts_with("    //");
                let lines = body.split_once("\n}\n").unwrap().0.lines();
                let outer: Vec<&str> = lines.filter(is_outer).collect();
                let is_one_call = match outer[..] {
                    [first, last] => first == "    guard(|| unsafe {" && last.starts_with("    })"),
                    [only] => only.starts_with("    guard(|| unsafe {"),
                    _ => false,
                };
                assert!(is_one_call, "{item}");
                guarded += 1;
            }
        }
    }
    assert!(guarded > 20 && functions > guarded, "{guarded} of {functions} functions were found");
}
