//! The scripts of `tools`, run under Python.
//!
//! That is the Python that `LASCA_PYTHON` names, else `python3`. Where there is none, tests that need
//! it pass without checking anything, and standard error says so. With `LASCA_STRICT=1`, which
//! `.ci/run` sets, they fail instead.

use crate::{ROOT, unchecked};
use std::env;
use std::io::ErrorKind;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The command that runs this Python script, with these arguments, in the top folder of the source.
pub fn script(python: &str, args: &[&str]) -> Command {
    let mut command = Command::new(python);
    command.arg("-B").args(args).current_dir(ROOT).stdin(Stdio::null());
    command
}

/// The Python to run scripts under; `None`, which is told, if there is none.
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

/// Says that a test checks nothing, as Python cannot do it.
///
/// # Panics
/// If everything must be checked, or if this Python was named.
pub fn not_checked(why: &str) {
    assert!(env::var_os("LASCA_PYTHON").is_none(), "LASCA_PYTHON is set, but {why}");
    unchecked::not_checked(why);
}
