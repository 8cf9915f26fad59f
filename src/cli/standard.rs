//! Standard input, output and error, as the system knows them.

use std::ffi::c_int;
use std::io::{self, Read, Write};

/// Standard input, output or error, which is waited for where it is not ready: another program that shares its
/// pipe or terminal may have made it non-blocking.
pub struct Patient<T> {
    of: T,
    /// Its number.
    number: c_int,
}

impl<T> Patient<T> {
    /// Standard input.
    pub fn input(of: T) -> Patient<T> {
        Patient { of, number: 0 }
    }

    /// Standard output.
    pub fn output(of: T) -> Patient<T> {
        Patient { of, number: 1 }
    }

    /// Standard error.
    pub fn error(of: T) -> Patient<T> {
        Patient { of, number: 2 }
    }

    /// Reads or writes. Where that must wait, nothing has been read or written.
    fn until_ready<R>(&mut self, mut act: impl FnMut(&mut T) -> io::Result<R>) -> io::Result<R> {
        loop {
            let done = act(&mut self.of);
            let must_wait = |error: &io::Error| error.kind() == io::ErrorKind::WouldBlock;
            if !done.as_ref().is_err_and(must_wait) || !wait_until_ready(self.number)? {
                return done;
            }
        }
    }
}

impl<T: Read> Read for Patient<T> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.until_ready(|from| from.read(to))
    }
}

impl<T: Write> Write for Patient<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until_ready(|to| to.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.until_ready(T::flush)
    }
}

/// Whether one can find out when nobody reads standard output any more: it is a pipe or a socket.
#[cfg(unix)]
pub fn is_output_watchable() -> bool {
    // SAFETY: all fields may be zero.
    let mut found: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: what the system knows of the file is written to what is borrowed.
    let is_open = unsafe { libc::fstat(libc::STDOUT_FILENO, &raw mut found) } == 0;
    is_open && matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK)
}

/// Waits until nobody reads standard output any more. Returns `false` if that cannot be found out.
#[cfg(unix)]
pub fn wait_for_last_reader() -> bool {
    let gone = libc::POLLERR | libc::POLLHUP;
    // Some systems tell only what they are asked for.
    poll(libc::STDOUT_FILENO, libc::POLLHUP).is_ok_and(|found| found & gone != 0)
}

/// Waits until standard input can be read, or one of the others written. Returns `false` on systems where that
/// cannot be waited for.
#[cfg(unix)]
fn wait_until_ready(number: c_int) -> io::Result<bool> {
    let wanted = if number == libc::STDIN_FILENO { libc::POLLIN } else { libc::POLLOUT };
    poll(number, wanted).map(|_| true)
}
#[cfg(not(unix))]
fn wait_until_ready(_number: c_int) -> io::Result<bool> {
    Ok(false)
}

/// Waits for one of these events at a file, or for an error of it, and returns what has come.
#[cfg(unix)]
fn poll(file: c_int, events: libc::c_short) -> io::Result<libc::c_short> {
    let mut asked = libc::pollfd { fd: file, events, revents: 0 };
    loop {
        // SAFETY: this is one entry, and it is borrowed.
        if unsafe { libc::poll(&raw mut asked, 1, -1) } >= 0 {
            return Ok(asked.revents);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
