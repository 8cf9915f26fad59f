//! Runs of the program, and tables to run it on.

use crate::common::tables::{material, solve, write_table};
use crate::schemas::OUTPUT;
use crate::{BINARY, ROOT};
use assert_cmd::Command;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
#[cfg(unix)]
use std::process::{self, Child};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tempfile::TempDir;

/// A run that has ended.
pub struct Ran {
    pub args: String,
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(args: &[&str], output: &Output) -> Ran {
        Ran {
            args: args.join(" "),
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Expects this exit status, one message exactly beside warnings if it is 2, in JSON or on standard
    /// error, and no panic.
    #[track_caller]
    pub fn exits(self, status: i32) -> Ran {
        let Ran { args, stdout, stderr, .. } = &self;
        assert_eq!(self.status, Some(status), "{args}\n{stdout}\n{stderr}");
        assert!(!stderr.contains("panicked"), "{args}\n{stderr}");
        if status == 2 {
            // What is wrong with the arguments is said as by other programs.
            let is_of_usage = stderr.starts_with("error: ") || stderr.starts_with("\u{1b}");
            let said = |what: &str| stderr.matches(what).count();
            let messages = said("lasca-tb: ") - said("lasca-tb: warning: ");
            // Only the lines of standard input are counted beside what is said in JSON.
            let is_in_json = stdout.contains(",\"error\":\"") && !args.contains("--stdin");
            assert_eq!(messages, usize::from(!is_of_usage && !is_in_json), "{args}\n{stderr}");
        }
        self
    }

    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.stderr.contains(part), "{}: expected {part:?} in\n{}", self.args, self.stderr);
        self
    }

    #[track_caller]
    pub fn prints(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part), "{}: expected {part:?} in\n{}", self.args, self.stdout);
        self
    }

    /// The lines of standard output as JSON. They must be as the schema says.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        let lines: Vec<Value> =
            self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let command = self.args.split(' ').find_map(|word| OUTPUT.of_command(word)).unwrap();
        lines.iter().for_each(|line| OUTPUT.accepts(command, line));
        lines
    }
}

pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .args(args)
        .current_dir(ROOT)
        .env_remove("LASCA_TABLES")
        .timeout(Duration::from_secs(600));
    command
}

pub fn run(args: &[&str]) -> Ran {
    Ran::of(args, &command(args).output().unwrap())
}

pub fn run_with_input(args: &[&str], input: impl Into<Vec<u8>>) -> Ran {
    Ran::of(args, &command(args).write_stdin(input).output().unwrap())
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
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(process::Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
}

/// A run whose standard error is a terminal, so that it shows how far it is.
#[cfg(target_os = "linux")]
pub struct OnTerminal {
    args: String,
    pub child: Child,
    terminal: fs::File,
    /// What it has written to the terminal.
    written: String,
}

#[cfg(target_os = "linux")]
impl OnTerminal {
    /// Starts the program, which takes signals in this way.
    pub fn start(args: &[&str], way: libc::sighandler_t) -> OnTerminal {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::OpenOptionsExt;
        let open = |path: &str| {
            let mut options = fs::File::options();
            options.read(true).write(true).custom_flags(libc::O_NOCTTY).open(path).unwrap()
        };
        let (terminal, mut name) = (open("/dev/ptmx"), [0; 64]);
        // SAFETY: the terminal is open, and at most as many bytes as there are go to `name`.
        let refused = unsafe {
            libc::unlockpt(terminal.as_raw_fd())
                | libc::ptsname_r(terminal.as_raw_fd(), name.as_mut_ptr().cast(), name.len())
        };
        assert_eq!(refused, 0);
        let name = std::ffi::CStr::from_bytes_until_nul(&name).unwrap().to_str().unwrap();
        let mut command = process::Command::new(BINARY);
        command.args(args).current_dir(ROOT).env_remove("LASCA_TABLES").env("TERM", "xterm");
        command.stdout(process::Stdio::piped()).stderr(open(name));
        let child = with_signals(&mut command, way).spawn().unwrap();
        OnTerminal { args: args.join(" "), child, terminal, written: String::new() }
    }

    /// Waits until it writes this.
    #[track_caller]
    pub fn shows(&mut self, part: &str) {
        let before = self.written.len();
        while !self.written[before..].contains(part) {
            assert!(self.read(), "{} has ended: {}", self.args, self.written);
        }
    }

    /// Waits until it has written more; returns `false` if it has ended.
    fn read(&mut self) -> bool {
        use std::io::Read;
        let mut bytes = [0; 4096];
        // When nobody has the other side open any more, this is an error.
        let read = self.terminal.read(&mut bytes).unwrap_or(0);
        self.written.extend(bytes[..read].iter().map(|&byte| char::from(byte)));
        read > 0
    }

    /// Waits for the end. Standard error is all that was written to the terminal.
    pub fn ended(mut self) -> Ran {
        while self.read() {}
        let mut output = self.child.wait_with_output().unwrap();
        output.stderr = self.written.into_bytes();
        Ran::of(&[&self.args], &output)
    }
}

/// A folder with the tables of up to 5 counters and 3-3 under `lasca` rules, and 2-2 under the
/// others, made once for all tests that run at the same time.
pub fn tables() -> Arc<TempDir> {
    static SHARED: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(tables) = shared.upgrade() {
        return tables;
    }
    let tables = Arc::new(TempDir::new().unwrap());
    let folder = path(&tables);
    run(&["generate", "--up-to", "5", "--tables", folder]).exits(0);
    run(&["generate", "3-3", "--tables", folder]).exits(0);
    for rules in ["bignor", "rejump"] {
        run(&["generate", "2-2", "--rules", rules, "--tables", folder]).exits(0);
    }
    *shared = Arc::downgrade(&tables);
    tables
}

pub fn path(folder: &TempDir) -> &str {
    folder.path().to_str().unwrap()
}

/// A folder of its own with copies of both files of these tables of [`tables`].
pub fn copies(names: &[impl AsRef<str>]) -> TempDir {
    let (from, to) = (tables(), TempDir::new().unwrap());
    for name in names {
        copy(from.path(), name.as_ref(), to.path(), name.as_ref());
    }
    to
}

/// Copies both files of a table, maybe under another name.
pub fn copy(from: &Path, name: &str, to: &Path, new_name: &str) {
    for ending in FileKind::ALL.map(FileKind::extension) {
        let (from, to) = (from.join(name), to.join(new_name));
        fs::copy(from.with_extension(ending), to.with_extension(ending)).unwrap();
    }
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

/// The rows of a file of test data below its header.
pub fn csv(name: &str) -> Vec<Vec<String>> {
    let path = PathBuf::from(ROOT).join("tests/data").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}
