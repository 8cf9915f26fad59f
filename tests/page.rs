//! The page of `lasca-tb serve` in a browser: `tools/dev/test-page` with the program of this build.

#![cfg(feature = "server")]

use std::process::Command;

#[test]
#[ignore = "needs chromium and chromedriver; .ci/run starts it where they are"]
fn the_page_works_in_a_browser() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("not tested: there is no python3");
        return;
    }
    let output = Command::new("python3")
        .args(["tools/dev/test-page", "--program", env!("CARGO_BIN_EXE_lasca-tb")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    println!("{said}");
    assert!(output.status.success());
}
