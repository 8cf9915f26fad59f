//! Standard input and output that other programs have made non-blocking.

use crate::common::wait::wait_until;
use crate::run::process;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Child, Stdio};
use std::thread;

/// How many bytes wait in a pipe.
fn waiting(pipe: &impl AsFd) -> usize {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the pipe is open, and the number is written to what is borrowed.
    let asked = unsafe { libc::ioctl(pipe.as_fd().as_raw_fd(), libc::FIONREAD, &raw mut bytes) };
    assert_eq!(asked, 0);
    bytes as usize
}

fn make_non_blocking(pipe: &impl AsFd) {
    let pipe = pipe.as_fd().as_raw_fd();
    // SAFETY: the pipe is open.
    let made = unsafe { libc::fcntl(pipe, libc::F_SETFL, libc::O_NONBLOCK) };
    assert_eq!(made, 0);
}

/// Starts the program with pipes that do not block it.
fn start(line: &str) -> (Child, PipeWriter, PipeReader) {
    let (input, to) = io::pipe().unwrap();
    let (from, output) = io::pipe().unwrap();
    make_non_blocking(&input);
    make_non_blocking(&output);
    let mut command = process(line);
    let child = command.stdin(input).stdout(output).stderr(Stdio::inherit()).spawn().unwrap();
    (child, to, from)
}

#[test]
fn output_that_is_not_read_yet_is_waited_for() {
    let (mut child, mut to, mut from) = start("probe -");
    let lines = 3000;
    let input = thread::spawn(move || {
        // If the program ends early, its output says so.
        let _ = to.write_all("a1WWW b2BBB w\n".repeat(lines).as_bytes());
    });
    // The pipe is full when a page more has no room.
    wait_until("the pipe is full", || {
        waiting(&from) >= (1 << 16) - 4096 || child.try_wait().unwrap().is_some()
    });
    let mut answers = String::new();
    from.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.lines().count(), lines);
    assert!(answers.lines().all(|answer| answer.contains("\"dtw\":5") && answer.ends_with('}')));
    input.join().unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn input_that_is_not_written_yet_is_waited_for() {
    for line in ["probe - --brief", "solve - --brief --exact"] {
        let (mut child, mut to, from) = start(line);
        let mut from = BufReader::new(from);
        for _ in 0..20 {
            to.write_all(b"a1WWW b2BBB w\n").unwrap();
            let mut answer = String::new();
            from.read_line(&mut answer).unwrap();
            assert!(answer.contains("\"wdl\":\"win\",\"dtw\":5"), "{line}: {answer}");
        }
        drop(to);
        assert!(child.wait().unwrap().success());
    }
}
