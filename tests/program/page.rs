//! The page of `lasca-tb serve` in a browser: `tools/dev/test-page` with the program of this build.

use crate::BINARY;
use crate::common::python::{python, script};

#[test]
#[ignore = "needs chromium and chromedriver; .ci/run starts it where they are"]
fn the_page_works_in_a_browser() {
    let Some(python) = python() else { return };
    let output = script(python, &["tools/dev/test-page", "--program", BINARY]).output().unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    println!("{said}");
    assert!(output.status.success());
}
