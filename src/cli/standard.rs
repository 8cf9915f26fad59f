//! Standard output, as the system knows it.

use std::ffi::c_int;
use std::io;

/// Whether one can find out when nobody reads standard output any more: it is a pipe or a socket.
pub fn is_output_watchable() -> bool {
    // SAFETY: all fields may be zero.
    let mut found: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: what the system knows of the file is written to what is borrowed.
    let is_open = unsafe { libc::fstat(libc::STDOUT_FILENO, &raw mut found) } == 0;
    is_open && matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK)
}

/// Waits until nobody reads standard output any more. Returns `false` if that cannot be found out.
pub fn wait_for_last_reader() -> bool {
    let gone = libc::POLLERR | libc::POLLHUP;
    // Some systems tell only what they are asked for.
    poll(libc::STDOUT_FILENO, libc::POLLHUP).is_ok_and(|found| found & gone != 0)
}

/// Waits for one of these events at a file, or for an error of it, and returns what has come.
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
