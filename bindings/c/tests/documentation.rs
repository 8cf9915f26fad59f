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
        ("\\ingroup probing", "\\ingroup nowhere", "nowhere"),
    ] {
        let Some((is_content, said)) = doxygen(&header.replacen(from, to, 1)) else { return };
        assert!(!is_content && said.contains(words), "{said}");
    }
}
