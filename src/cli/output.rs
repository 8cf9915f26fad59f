//! Standard output, which carries nothing but results.

use crate::failure::Failure;
use crate::json;
use crate::terminal::above_bars;
use lasca_tablebase::internals::{check_target, save};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

/// Lets a write fail where a file would become longer than the system allows, as on a full disk. By
/// default, a signal would end the program.
pub fn fail_where_files_are_too_large() {
    #[cfg(unix)]
    // SAFETY: to ignore a signal installs no handler, so nothing runs when it comes. No other thread
    // has been started, and nothing else in the program sets what this signal does.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Whether the name of a file stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether what is written to this file goes to standard output. Opened by its other names, a file would be
/// written from its beginning, though something may have been written to it.
pub fn is_standard_output(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    is_standard(path) || cfg!(unix) && names.iter().any(|name| path == Path::new(name))
}

/// Checks that a result can be written to this file, before the work for it.
pub fn check_file(path: &Path) -> Result<(), Failure> {
    if is_standard_output(path) {
        Ok(())
    } else {
        check_target(path).map_err(|error| not_written(path, &error))
    }
}

/// Writes a result to this file.
pub fn save_as(path: &Path, text: &str) -> Result<(), Failure> {
    match is_standard_output(path) {
        true => Output::new().write_with(|out| out.write_all(text.as_bytes())),
        false => save(path, |file| file.write_all(text.as_bytes()))
            .map(drop)
            .map_err(|error| not_written(path, &error)),
    }
}

/// This file cannot be written.
pub fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::system(format!("cannot write {}: {error}", path.display()))
}

/// Standard output. All but [`Output::line`] passes on what it writes.
///
/// When nobody reads it any more, nothing more is written, and that is no error: the command goes on, and
/// its exit status says how its work ended.
pub struct Output {
    to: BufWriter<StdoutLock<'static>>,
    /// Nobody reads it any more.
    pub is_closed: bool,
}

impl Output {
    /// Locks standard output.
    pub fn new() -> Output {
        let to = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        Output { to, is_closed: false }
    }

    /// Writes text and a newline to the buffer. Call [`Output::flush`] after it.
    pub fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        self.write(|to| writeln!(to, "{text}"))
    }

    /// Writes lines.
    pub fn lines(&mut self, lines: impl IntoIterator<Item: Display>) -> Result<(), Failure> {
        lines.into_iter().try_for_each(|line| self.line(line))?;
        self.flush()
    }

    /// Writes a value as JSON on a line of its own.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.lines([json::to_line(value)])
    }

    /// Writes what this writes.
    pub fn write_with(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.write(|to| write(to))?;
        self.flush()
    }

    /// Passes on everything that has been written so far.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.write(|to| above_bars(|| to.flush()))
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        match write(&mut self.to) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.is_closed = true,
            written => written.map_err(|error| {
                Failure::system(format!("cannot write standard output: {error}"))
            })?,
        }
        Ok(())
    }

    /// Writes a result as a line of JSON, if that is asked for, or else as lines of text.
    pub fn result<T: Serialize>(
        &mut self,
        json: bool,
        as_json: impl FnOnce() -> T,
        as_text: impl FnOnce() -> Vec<String>,
    ) -> Result<(), Failure> {
        match json {
            true => self.json(&as_json()),
            false => self.lines(as_text()),
        }
    }
}
