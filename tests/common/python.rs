//! The scripts of `tools`, run under Python.
//!
//! That is the Python that `LASCA_PYTHON` names, else `python3`. Where there is none, tests that need
//! it pass without checking anything, and standard error says so. With `LASCA_STRICT=1`, which
//! `.ci/run` sets, they fail instead.

use crate::ROOT;
use std::collections::BTreeSet;
use std::env;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// The command that runs this Python script, with these arguments, in the top folder of the source.
pub fn script(python: &str, args: &[&str]) -> Command {
    let mut command = Command::new(python);
    command.arg("-B").args(args).current_dir(ROOT).stdin(Stdio::null());
    command
}

/// The Python to run scripts under; `None`, and a message once, if there is none.
///
/// # Panics
/// If there is none and there must be one.
pub fn python() -> Option<&'static str> {
    static PYTHON: OnceLock<Result<String, String>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| {
        let python = env::var("LASCA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        match Command::new(&python).arg("--version").output() {
            Ok(_) => Ok(python),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("there is no {python}"))
            }
            Err(error) => panic!("{python}: {error}"),
        }
    });
    match found {
        Ok(python) => Some(python),
        Err(why) => {
            not_checked(why);
            None
        }
    }
}

/// Says once, past what keeps the output of tests that pass to itself, that a test checks nothing.
///
/// # Panics
/// If everything must be checked, or if the Python that was named cannot do it.
pub fn not_checked(why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    for variable in ["LASCA_STRICT", "LASCA_PYTHON"] {
        assert!(env::var_os(variable).is_none(), "{variable} is set, but {why}");
    }
    if SAID.lock().unwrap().insert(why.to_owned()) {
        let warning = format!("\nNOT CHECKED: some tests pass without running: {why}\n\n");
        std::io::stderr().write_all(warning.as_bytes()).unwrap();
    }
}
