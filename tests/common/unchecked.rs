//! Tests that cannot check anything, as a program that they need is not here.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::Write;
use std::sync::Mutex;
use std::thread;

/// Why tests check nothing, and their names.
static TESTS: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

/// Notes that the test of this thread checks nothing. When all tests have ended, standard error says so.
///
/// # Panics
/// If `LASCA_STRICT` is set: everything must be checked then.
pub fn not_checked(why: &str) {
    assert!(env::var_os("LASCA_STRICT").is_none(), "LASCA_STRICT is set, but {why}");
    let mut tests = TESTS.lock().unwrap();
    if tests.is_empty() {
        // SAFETY: what it registers may be called at any time, and does not panic.
        assert_eq!(unsafe { libc::atexit(tell) }, 0);
    }
    let name = thread::current().name().unwrap_or("a test").to_owned();
    tests.entry(why.to_owned()).or_default().insert(name);
}

/// Says which tests have checked nothing.
extern "C" fn tell() {
    let Ok(tests) = TESTS.lock() else { return };
    for (why, names) in &*tests {
        let names = names.iter().map(|name| format!("    {name}\n")).collect::<String>();
        let count = names.lines().count();
        let said =
            format!("NOT CHECKED: tests that pass without running, as {why}: {count}\n{names}\n");
        let _ = std::io::stderr().write_all(said.as_bytes());
    }
}
