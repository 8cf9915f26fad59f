//! A server that runs, and clients that ask it.

use crate::{BINARY, ROOT};
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{mem, thread};

/// How long anything may take before the test gives up, on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn program(args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).current_dir(ROOT).env_remove("LASCA_TABLES").stdin(Stdio::null());
    #[cfg(unix)]
    crate::run::with_signals(&mut command, libc::SIG_DFL);
    command
}

/// What the command line prints.
pub fn printed(args: &[&str]) -> Vec<Value> {
    let output = program(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A server that runs, on a port of its own. It is ended when dropped.
pub struct Server {
    pub child: Child,
    /// Address and port.
    pub addr: String,
    /// What it has logged so far.
    log: Arc<Mutex<String>>,
    logging: Option<thread::JoinHandle<()>>,
}

impl Server {
    /// Serves the tables that come with the source.
    pub fn start(args: &[&str]) -> Server {
        Server::start_as(program(&[]), args)
    }

    /// As [`Server::start`], at this address.
    pub fn start_at(addr: &str, args: &[&str]) -> Server {
        Server::start_with(program(&[]), addr, args)
    }

    /// As [`Server::start`], by this command, which may have arguments before those of the server.
    pub fn start_as(command: Command, args: &[&str]) -> Server {
        Server::start_with(command, "127.0.0.1:0", args)
    }

    fn start_with(mut command: Command, addr: &str, args: &[&str]) -> Server {
        let args = [&["serve", "--addr", addr], args].concat();
        let command = command.args(args).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let log = Arc::<Mutex<String>>::default();
        let logged = log.clone();
        let logging = thread::spawn(move || {
            for line in stderr.lines() {
                logged.lock().unwrap().extend([&line.unwrap(), "\n"]);
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let addr = line.strip_prefix("http://").and_then(|line| line.strip_suffix("/\n"));
        let addr = addr.unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Server { child, addr, log, logging: Some(logging) }
    }

    pub fn connect(&self) -> Client {
        let stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Client { stream: BufReader::new(stream) }
    }

    pub fn get(&self, target: &str) -> Answer {
        self.connect().get(target)
    }

    /// What is answered about a position.
    pub fn ask(&self, path: &str, position: &str) -> Answer {
        self.get(&target(path, position))
    }

    /// A number among the metrics.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let text = self.get("/metrics").text();
        let line = text.lines().find(|line| line.split_once(' ').is_some_and(|(n, _)| n == name));
        line.map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap())
    }

    /// How often this is in the log so far.
    pub fn logged(&self, text: &str) -> usize {
        self.log.lock().unwrap().matches(text).count()
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end: the exit status and the log.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        self.logging.take().unwrap().join().unwrap();
        (status.code(), mem::take(&mut self.log.lock().unwrap()))
    }

    #[cfg(unix)]
    pub fn stop(self) -> (Option<i32>, String) {
        self.signal("-TERM");
        self.ended()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn target(path: &str, position: &str) -> String {
    let encode = |c: char| match c {
        ' ' => "+".to_owned(),
        c if c.is_ascii_alphanumeric() || "/,-._".contains(c) => c.to_string(),
        c => c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect(),
    };
    format!("{path}?position={}", position.chars().map(encode).collect::<String>())
}

pub struct Client {
    pub stream: BufReader<TcpStream>,
}

impl Client {
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    pub fn get(&mut self, target: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        self.answer(true)
    }

    /// The next answer, with its body or (of a HEAD request) without.
    pub fn answer(&mut self, has_body: bool) -> Answer {
        self.try_answer(has_body).expect("an answer")
    }

    /// As [`Client::answer`] with a body, to a request with these header lines, each with its end.
    pub fn get_with(&mut self, target: &str, headers: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\n{headers}\r\n"));
        self.answer(true)
    }

    /// `None` if the connection was closed instead.
    pub fn try_answer(&mut self, has_body: bool) -> Option<Answer> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            match self.stream.read_line(&mut line) {
                Ok(0) if lines.is_empty() => return None,
                Err(error) if error.kind() == ErrorKind::ConnectionReset && lines.is_empty() => {
                    return None;
                }
                read => assert_ne!(read.unwrap(), 0, "cut off after {lines:?}"),
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        if status == 100 {
            // It only says that the answer takes time.
            return self.try_answer(has_body);
        }
        let mut answer = Answer { status, headers: lines.split_off(1), body: Vec::new() };
        let length = answer.header("content-length").unwrap().parse().unwrap();
        if has_body {
            answer.body = vec![0; length];
            self.stream.read_exact(&mut answer.body).unwrap();
        }
        Some(answer)
    }

    /// Closes the half of the connection on which requests are sent.
    pub fn close_half(&self) {
        self.stream.get_ref().shutdown(Shutdown::Write).unwrap();
    }

    /// Whether the server closes the connection, and sends nothing more.
    pub fn is_closed(&mut self) -> bool {
        match self.stream.read(&mut [0; 100]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter().filter_map(|line| line.split_once(": "));
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Expects this status and, as JSON, an error that says this.
    #[track_caller]
    pub fn refuses(&self, status: u16, part: &str) -> Value {
        let json = self.json();
        assert_eq!(self.status, status, "{json}");
        assert!(json["error"].as_str().unwrap().contains(part), "expected {part:?} in {json}");
        json
    }
}
