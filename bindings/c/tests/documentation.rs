//! The comments of the header are those that Doxygen wants: everything is described, each parameter and
//! each result.

mod common;

use common::{pass_over, root};
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
fn each_function_is_in_a_group_that_is_defined_and_the_test_program_calls_it() {
    let [header, test] = ["include/lasca_tb.h", "tests/test.c"]
        .map(|name| fs::read_to_string(root().join("bindings/c").join(name)).unwrap());
    let after = |word: &str| {
        let found = header.split(word).skip(1);
        found.filter_map(|rest| rest.split_whitespace().next().map(str::to_owned)).collect()
    };
    let (defined, used): (Vec<String>, Vec<String>) = (after("\\defgroup"), after("\\ingroup"));
    assert!(used.iter().all(|group| defined.contains(group)), "{defined:?}");
    assert!(defined.iter().all(|group| used.contains(group)), "{defined:?}");
    let lines: Vec<&str> = header.lines().collect();
    let mut functions = 0;
    for (comment, line) in lines.iter().zip(&lines[1..]) {
        // A declaration is a line that names a type and then a function. Comments begin otherwise.
        let Some((before, _)) = line.split_once('(') else { continue };
        if line.starts_with([' ', '/', '#']) || line.starts_with("typedef") {
            continue;
        }
        let name = before.rsplit([' ', '*']).next().unwrap();
        assert!(comment.starts_with("/// \\ingroup "), "{name}: {comment}");
        assert!(test.contains(&format!("{name}(")), "{name} is not called");
        functions += 1;
    }
    assert!(functions > 20, "only {functions} functions were found");
}
