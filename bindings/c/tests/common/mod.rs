//! Compiling and running programs in C.

#![allow(dead_code, reason = "no test uses all of it")]

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The source's top folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder in which cargo puts the libraries that it makes along with the tests.
pub fn libraries() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// The C compiler: the variable `CC`, or `cc`.
pub fn compiler() -> Command {
    Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// Runs a command that must do well, and returns what it printed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The examples in C of the README.
pub fn readme_examples() -> Vec<String> {
    let readme = fs::read_to_string(root().join("bindings/c/README.md")).unwrap();
    let examples = readme.split("```c\n").skip(1);
    examples.map(|rest| rest.split_once("```\n").unwrap().0.to_owned()).collect()
}

/// How a program is linked with the library.
#[derive(Clone, Copy)]
pub enum Linked {
    /// All of it becomes part of the program.
    Statically,
    /// The program finds it when it starts.
    Dynamically,
}

/// Compiles a program in C, every warning being an error.
pub fn compile(program: &Path, sources: &[&str], linked: Linked) {
    build(compiler(), "-std=c99", program, sources, linked);
}

/// As [`compile`], with any compiler and standard.
pub fn build(
    mut command: Command,
    standard: &str,
    program: &Path,
    sources: &[&str],
    linked: Linked,
) {
    command.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-g"]);
    command.arg("-D_POSIX_C_SOURCE=200809L").arg("-I").arg(root().join("bindings/c/include"));
    command.arg("-o").arg(program).args(sources.iter().map(|source| root().join(source)));
    match linked {
        Linked::Statically => command.arg(libraries().join("liblasca_tb.a")),
        Linked::Dynamically => command.arg("-L").arg(libraries()).arg("-llasca_tb"),
    };
    // What the static library needs of the system's.
    run(command.args(["-lpthread", "-lm"]).args(cfg!(target_os = "linux").then_some("-ldl")));
}

/// The program, able to find the dynamic library: on Linux by a name that has the version of the
/// interface, which is made in the folder of the program, as installing the library makes it.
pub fn program(path: &Path) -> Command {
    let mut command = Command::new(path);
    #[cfg(target_os = "linux")]
    {
        let folder = path.parent().unwrap();
        let name = format!("liblasca_tb.so.{}", lasca_tb::LASCA_TB_ABI_VERSION);
        if !folder.join(&name).exists() {
            std::os::unix::fs::symlink(libraries().join("liblasca_tb.so"), folder.join(&name))
                .unwrap();
        }
        command.env("LD_LIBRARY_PATH", folder);
    }
    #[cfg(target_os = "macos")]
    command.env("DYLD_LIBRARY_PATH", libraries());
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    command.env("LD_LIBRARY_PATH", libraries());
    command
}

/// Says that a test checks nothing; fails instead if `LASCA_STRICT` is set, as `.ci/run` sets it.
pub fn pass_over(why: &str) {
    assert!(env::var_os("LASCA_STRICT").is_none(), "LASCA_STRICT is set, but {why}");
    // Past what keeps the output of tests that pass to itself.
    let _ = std::io::stderr().write_all(format!("\nNOT CHECKED: {why}\n").as_bytes());
}

/// The program under valgrind, which ends it with an error if it has leaks of these kinds or reads what is
/// not there; `None` if there is no valgrind.
pub fn under_valgrind(path: &Path, leaks: &str) -> Option<Command> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        pass_over("there is no valgrind");
        return None;
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--leak-check=full", "--error-exitcode=9"]);
    valgrind.args(["show", "errors-for"].map(|what| format!("--{what}-leak-kinds={leaks}")));
    let not_lost = root().join("bindings/c/tests/valgrind.supp");
    valgrind.arg(format!("--suppressions={}", not_lost.display())).arg(path);
    Some(valgrind)
}
