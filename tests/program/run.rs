//! Runs of the program, and folders of tables to run it on.

use crate::common::tables::{clone, generated, material, shipped, solve, write_table};
use crate::{BINARY, ROOT};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tempfile::TempDir;
use wait_timeout::ChildExt;

/// A run that has ended.
pub struct Ran {
    pub line: String,
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(line: &str, output: &Output) -> Ran {
        Ran {
            line: line.to_owned(),
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Expects this exit status, one message exactly beside warnings if it is 2, in JSON or on standard
    /// error, and no panic.
    #[track_caller]
    pub fn exits(self, status: i32) -> Ran {
        let Ran { line, stdout, stderr, .. } = &self;
        assert_eq!(self.status, Some(status), "{line}\n{stdout}\n{stderr}");
        assert!(!stderr.contains("panicked"), "{line}\n{stderr}");
        if status == 2 {
            // What is wrong with the arguments is said as by other programs.
            let is_of_usage = stderr.starts_with("error: ") || stderr.starts_with("\u{1b}");
            let said = |what: &str| stderr.matches(what).count();
            let messages = said("lasca-tb: ") - said("lasca-tb: warning: ");
            // Only the lines of standard input are counted beside what is said in JSON.
            let counts_lines = stderr.trim_end().ends_with(" no answer");
            let is_in_json = stdout.contains(",\"error\":\"") && !counts_lines;
            assert_eq!(messages, usize::from(!is_of_usage && !is_in_json), "{line}\n{stderr}");
        }
        self
    }

    /// Expects that standard error contains this.
    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.stderr.contains(part), "{}: expected {part:?} in\n{}", self.line, self.stderr);
        self
    }

    /// Expects that standard output contains this.
    #[track_caller]
    pub fn prints(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part), "{}: expected {part:?} in\n{}", self.line, self.stdout);
        self
    }

    /// Expects that it says nothing on standard error.
    #[track_caller]
    pub fn quietly(self) -> Ran {
        assert_eq!(self.stderr, "", "{}", self.line);
        self
    }

    /// The lines of standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The only line of standard output as JSON.
    #[track_caller]
    pub fn answer(&self) -> Value {
        let mut lines = self.json();
        assert_eq!(lines.len(), 1, "{}: {}{}", self.line, self.stdout, self.stderr);
        lines.remove(0)
    }
}

/// The words of a line. Blanks part them, except between quotes.
pub fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (i, part) in line.split(['\'', '"']).enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace()),
            _ => words.push(part),
        }
    }
    words
}

/// The program with these words as arguments, in a folder like that of the source, with the tables that ship.
/// It takes signals as when people start it.
pub fn process(line: &str) -> process::Command {
    begun_by(process::Command::new(BINARY), line)
}

/// As [`process`], begun by this script of bash, in which `"$0" "$@"` stands for the program.
#[cfg(unix)]
pub fn process_by(script: &str, line: &str) -> process::Command {
    let mut shell = process::Command::new("bash");
    shell.args(["-c", script, BINARY]);
    begun_by(shell, line)
}

/// As [`process`], under a limit of the shell, such as `-v 20000`.
#[cfg(unix)]
pub fn process_under(limit: &str, line: &str) -> process::Command {
    process_by(&format!("ulimit {limit} && exec \"$0\" \"$@\""), line)
}

fn begun_by(mut command: process::Command, line: &str) -> process::Command {
    command.args(words(line)).current_dir(clone()).env_remove("LASCA_TABLES");
    // No test uses the tables of whoever runs it.
    with_home(&mut command, Path::new(ROOT).join("target/no-home"));
    #[cfg(unix)]
    with_signals(&mut command, libc::SIG_DFL);
    command
}

/// Makes this folder the home of the program's user. Returns the folder in it where the program has its tables
/// if nothing else is named.
pub fn with_home(command: &mut process::Command, home: impl AsRef<Path>) -> PathBuf {
    let home = home.as_ref();
    let data = match cfg!(target_os = "macos") {
        true => home.join("Library/Application Support"),
        false => home.join("data"),
    };
    command.envs([("HOME", home), ("USERPROFILE", home)]);
    command.envs([("XDG_DATA_HOME", &data), ("LOCALAPPDATA", &data)]);
    data.join("lasca-tb")
}

/// Runs a command to its end, with this on standard input.
///
/// # Panics
/// If it takes longer than ten minutes.
#[track_caller]
pub fn output(command: &mut process::Command, input: impl Into<Vec<u8>>) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.into());
    // It may stop reading before the end.
    thread::spawn(move || stdin.write_all(&input));
    let stdout = read_beside(child.stdout.take().unwrap());
    let stderr = read_beside(child.stderr.take().unwrap());
    let Some(status) = child.wait_timeout(Duration::from_secs(600)).unwrap() else {
        child.kill().unwrap();
        panic!("{command:?} does not end");
    };
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn read_beside(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// Runs [`process_under`].
#[cfg(target_os = "linux")]
pub fn run_under(limit: &str, line: &str, input: &str) -> Ran {
    let output = output(&mut process_under(limit, line), input);
    Ran::of(&format!("{line} under {limit}"), &output)
}

/// Runs [`process`].
pub fn run(line: impl AsRef<str>) -> Ran {
    run_with_input(line, "")
}

/// As [`run`], with this on standard input.
pub fn run_with_input(line: impl AsRef<str>, input: impl Into<Vec<u8>>) -> Ran {
    Ran::of(line.as_ref(), &output(&mut process(line.as_ref()), input))
}

/// A run that is asked line by line.
pub struct Session {
    line: String,
    child: Child,
    answers: Receiver<String>,
}

impl Session {
    /// Starts a command, of which this is the line.
    pub fn start(line: impl Into<String>, command: &mut process::Command) -> Session {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, answers) = mpsc::channel();
        thread::spawn(move || {
            loop {
                let mut answer = String::new();
                if stdout.read_line(&mut answer).unwrap() == 0 || send.send(answer).is_err() {
                    break;
                }
            }
        });
        Session { line: line.into(), child, answers }
    }

    /// Sends text, which may end within a line, and waits for the next answer.
    ///
    /// # Panics
    /// If none comes within a minute.
    #[track_caller]
    pub fn ask(&mut self, text: &str) -> String {
        self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
        let answer = self.answers.recv_timeout(Duration::from_secs(60));
        answer.unwrap_or_else(|why| panic!("{}: no answer to {text:?}: {why}", self.line))
    }

    /// As [`Session::ask`], for a line that is answered in JSON.
    #[track_caller]
    pub fn ask_json(&mut self, line: &str) -> Value {
        serde_json::from_str(&self.ask(&format!("{line}\n"))).unwrap()
    }

    /// Ends the input, and waits for the end.
    pub fn ended(self) -> Ran {
        Ran::of(&self.line, &self.child.wait_with_output().unwrap())
    }
}

/// A folder for one test, which is removed with it.
pub struct Folder {
    dir: TempDir,
    /// The rules that the program is told when it runs on the tables in it.
    rules: RuleSet,
}

impl Folder {
    pub fn empty() -> Folder {
        Folder { dir: TempDir::new().unwrap(), rules: RuleSet::Lasca }
    }

    /// With these tables under `bignor` rules, so that none of them is inside the program.
    pub fn of_bignor(materials: &[&str]) -> Folder {
        let rules = RuleSet::Bignor;
        Folder { dir: generated(materials, rules), rules }
    }

    /// With copies of both files of these tables under `lasca` rules, which come with the source.
    pub fn with(materials: &[&str]) -> Folder {
        let folder = Folder::empty();
        for of in materials {
            copy(shipped(), &format!("lasca-{of}"), &folder, &format!("lasca-{of}"));
        }
        folder
    }

    /// With the tables of 2-2 under the other rules.
    pub fn of_other_rules() -> Folder {
        let dir = generated(&["2-2"], RuleSet::Bignor);
        let rejump = generated(&["2-2"], RuleSet::Rejump);
        copy(rejump.path(), "rejump-2-2", dir.path(), "rejump-2-2");
        Folder { dir, rules: RuleSet::Lasca }
    }

    /// Its path as text.
    pub fn name(&self) -> &str {
        self.dir.path().to_str().unwrap()
    }

    /// The path of a file in it as text.
    pub fn file(&self, name: &str) -> String {
        self.join(name).to_str().unwrap().to_owned()
    }

    /// The names of what is in it.
    pub fn names(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect()
    }

    fn with_options(&self, line: &str) -> String {
        let rules = match self.rules {
            RuleSet::Lasca => String::new(),
            rules => format!(" --rules {rules}"),
        };
        format!("{line}{rules} --tables {}", self.name())
    }

    /// Runs the program on the tables in it.
    pub fn run(&self, line: impl AsRef<str>) -> Ran {
        run(self.with_options(line.as_ref()))
    }

    pub fn run_with_input(&self, line: impl AsRef<str>, input: impl Into<Vec<u8>>) -> Ran {
        run_with_input(self.with_options(line.as_ref()), input)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.join(name)).unwrap()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.join(name), bytes).unwrap();
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.join(name)).unwrap();
    }

    /// Puts other bytes in place of these of a file.
    pub fn damage(&self, name: &str, at: Range<usize>) {
        let mut bytes = self.read(name);
        bytes[at].fill(0x5a);
        self.write(name, bytes);
    }

    /// Leaves only the first bytes of a file.
    pub fn cut(&self, name: &str, len: usize) {
        self.write(name, &self.read(name)[..len]);
    }
}

impl std::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.dir.path()
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// Copies both files of a table, maybe under another name.
pub fn copy(from: &Path, name: &str, to: &Path, new_name: &str) {
    for ending in FileKind::ALL.map(FileKind::extension) {
        let (from, to) = (from.join(name), to.join(new_name));
        fs::copy(from.with_extension(ending), to.with_extension(ending)).unwrap();
    }
}

/// Lets the program take signals in this way: `libc::SIG_DFL` as when people start it, `libc::SIG_IGN` as
/// under `nohup` or in the background of a script, whatever the tests themselves were started under.
#[cfg(unix)]
pub fn with_signals(
    command: &mut process::Command,
    way: libc::sighandler_t,
) -> &mut process::Command {
    use std::os::unix::process::CommandExt;
    let set = move || {
        for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
            // SAFETY: neither way installs a handler.
            unsafe { libc::signal(signal, way) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec, `signal` may be called.
    unsafe { command.pre_exec(set) }
}

/// Sends a signal to a program.
#[cfg(unix)]
pub fn signal(child: &Child, signal: libc::c_int) {
    // SAFETY: it reads no memory.
    assert_eq!(unsafe { libc::kill(child.id().cast_signed(), signal) }, 0);
}

/// Writes the values of 2-1 under `rejump` rules into a table that says it is of `lasca` rules: its
/// bytes are intact, and its values wrong.
pub fn write_wrong_table(folder: &Path) {
    let solved = solve(material("2-1"), RuleSet::Rejump);
    write_table(folder, (material("2-1"), RuleSet::Lasca), &solved, |_| true);
}

/// Expects an object with these keys, which are words, in any order.
#[track_caller]
pub fn has_keys(object: &Value, expected: &str) {
    let keys: BTreeSet<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, expected.split_whitespace().collect(), "{object}");
}

/// Expects these parts of an answer; objects may have other keys too.
#[track_caller]
pub fn has(found: &Value, expected: Value) {
    match &expected {
        Value::Object(keys) => {
            for (key, expected) in keys {
                assert!(found.get(key).is_some(), "expected {key} in {found}");
                has(&found[key], expected.clone());
            }
        }
        _ => assert_eq!(*found, expected),
    }
}

/// The rows of a file of test data below its header.
pub fn csv(name: &str) -> Vec<Vec<String>> {
    let path = PathBuf::from(ROOT).join("tests/data").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}
