//! Standard input, output and error, as the system knows them.

use std::ffi::c_int;
use std::io::{self, Read, Write};

/// Standard input, output or error, which is waited for where it is not ready: another program that shares its
/// pipe or terminal may have made it non-blocking.
pub struct Patient<T> {
    of: T,
    /// Its number.
    #[cfg_attr(not(unix), expect(dead_code, reason = "nothing else can be waited for"))]
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
}

impl<T: Read> Read for Patient<T> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.of.read(to) {
                #[cfg(unix)]
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll(self.number, libc::POLLIN)?;
                }
                read => return read,
            }
        }
    }
}

impl<T: Write> Patient<T> {
    fn until_ready<R>(&mut self, mut write: impl FnMut(&mut T) -> io::Result<R>) -> io::Result<R> {
        loop {
            match write(&mut self.of) {
                // Nothing has been written then.
                #[cfg(unix)]
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll(self.number, libc::POLLOUT)?;
                }
                written => return written,
            }
        }
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
pub fn is_output_watchable() -> bool {
    #[cfg(unix)]
    {
        // SAFETY: all fields may be zero.
        let mut found: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: what the system knows of the file is written to what is borrowed.
        let is_open = unsafe { libc::fstat(libc::STDOUT_FILENO, &raw mut found) } == 0;
        is_open && matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK)
    }
    #[cfg(not(unix))]
    {
        false
    }
}

/// Waits until nobody reads standard output any more. Returns `false` if that cannot be found out.
pub fn wait_for_last_reader() -> bool {
    #[cfg(unix)]
    {
        let gone = libc::POLLERR | libc::POLLHUP;
        poll(libc::STDOUT_FILENO, 0).is_ok_and(|found| found & gone != 0)
    }
    #[cfg(not(unix))]
    {
        false
    }
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
