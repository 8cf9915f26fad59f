//! Tests that cannot check anything, as a program that they need is not here.

use std::env;
use std::io::Write;

/// Says that a test checks nothing.
///
/// # Panics
/// If `LASCA_STRICT` is set: everything must be checked then.
pub fn not_checked(why: &str) {
    assert!(env::var_os("LASCA_STRICT").is_none(), "LASCA_STRICT is set, but {why}");
    // Past what keeps the output of tests that pass to itself.
    let _ = std::io::stderr().write_all(format!("\nNOT CHECKED: {why}\n").as_bytes());
}
