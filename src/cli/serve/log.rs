//! The log, on standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::SystemTime;

/// Adds a line to the log, in one piece. A line that cannot be written is lost.
pub fn line(text: impl Display) {
    let now = httpdate::fmt_http_date(SystemTime::now());
    let _ = io::stderr().write_all(format!("[{now}] {text}\n").as_bytes());
}
