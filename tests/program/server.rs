//! A server that runs, and clients that ask it.

use crate::common::wait::{PATIENCE, wait_until};
use crate::run::process;
#[cfg(unix)]
use crate::run::signal;
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::{mem, thread};
use wait_timeout::ChildExt;

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
        Server::start_as(process(""), args)
    }

    /// As [`Server::start`], by this command, which may have arguments before those of the server.
    pub fn start_as(mut command: Command, args: &[&str]) -> Server {
        let addr = ["--addr", "127.0.0.1:0"];
        let addr = if args.contains(&"--addr") { &[] } else { &addr[..] };
        let command = command.arg("serve").args(addr).args(args).stdin(Stdio::null());
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

    /// How many searches run.
    pub fn searches(&self) -> f64 {
        self.metric("lasca_tb_searches").unwrap()
    }

    /// Waits until so many searches run.
    #[track_caller]
    pub fn wait_for_searches(&self, count: f64) {
        wait_until(&format!("{count} searches"), || self.searches() == count);
    }

    /// How often this is in the log so far.
    pub fn logged(&self, text: &str) -> usize {
        self.log.lock().unwrap().matches(text).count()
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub fn signal(&self, sent: libc::c_int) {
        signal(&self.child, sent);
    }

    /// Waits for the end, which must be in good order; returns the log.
    #[cfg(unix)]
    #[track_caller]
    pub fn ended(mut self) -> String {
        let (status, log) = self.wait();
        assert_eq!(status.code(), Some(0), "{log}");
        log
    }

    /// Ends it; returns the log. Where there are signals, the end must be in good order.
    #[track_caller]
    pub fn stop(self) -> String {
        #[cfg(unix)]
        {
            self.signal(libc::SIGTERM);
            self.ended()
        }
        #[cfg(not(unix))]
        {
            let mut server = self;
            server.child.kill().unwrap();
            server.wait().1
        }
    }

    /// Waits for the end; returns the status and the log.
    fn wait(&mut self) -> (ExitStatus, String) {
        let status = self.child.wait_timeout(PATIENCE).unwrap().expect("the server ends");
        self.logging.take().unwrap().join().unwrap();
        (status, mem::take(&mut *self.log.lock().unwrap()))
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

    /// Asks, and waits for nothing.
    pub fn ask(&mut self, target: &str) {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }

    pub fn get(&mut self, target: &str) -> Answer {
        self.ask(target);
        self.answer(true)
    }

    /// Asks for the head alone.
    pub fn head(&mut self, target: &str) -> Answer {
        self.send(format!("HEAD {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        self.answer(false)
    }

    /// Asks about positions, with these header lines, each with its end.
    pub fn post(&mut self, target: &str, headers: &str, body: &str) -> Answer {
        self.send_post(target, headers, body);
        self.answer(true)
    }

    /// Asks as a client of its own, for which a proxy asks.
    pub fn ask_as(&mut self, who: u8, target: &str) {
        self.send_post(target, &format!("X-Forwarded-For: evil, 10.0.0.{who}\r\n"), "");
    }

    pub fn send_post(&mut self, target: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(format!(
            "POST {target} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        ));
    }

    /// From now on, the system takes in about so many bytes that the client has not read.
    #[cfg(unix)]
    pub fn take(&self, bytes: libc::c_int) {
        use std::os::fd::AsRawFd;
        let fd = self.stream.get_ref().as_raw_fd();
        // SAFETY: the connection is open, and so many bytes can be read at the address.
        let refused = unsafe {
            let (value, length) =
                ((&raw const bytes).cast(), size_of_val(&bytes) as libc::socklen_t);
            libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, value, length)
        };
        assert_eq!(refused, 0);
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
        let mut answer = Answer { status, headers: lines.split_off(1), body: Vec::new() };
        if has_body {
            match answer.header("content-length") {
                Some(length) => self.read_body(length.parse().unwrap(), &mut answer.body),
                None => while self.read_chunk(&mut answer.body) {},
            }
        }
        Some(answer)
    }

    fn read_body(&mut self, length: usize, body: &mut Vec<u8>) {
        let read = self.stream.by_ref().take(length as u64).read_to_end(body).unwrap();
        assert_eq!(read, length, "cut off");
    }

    /// Reads a part of a body that comes in parts; returns `false` at its end.
    fn read_chunk(&mut self, body: &mut Vec<u8>) -> bool {
        let mut size = String::new();
        self.stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        self.read_body(size, body);
        self.read_body(2, &mut Vec::new());
        size > 0
    }

    /// The objects of an answer that comes line by line.
    pub fn lines(&mut self) -> Vec<Value> {
        let answer = self.answer(true);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/x-ndjson"))
        );
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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
