//! Programs in C, compiled against the header and the library: `tests/c/test.c`, linked both ways
//! and under valgrind where there is one.

#![cfg(unix)]

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The source's top folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder in which cargo puts the libraries that it makes along with the tests.
fn libraries() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// The C compiler: the variable `CC`, or `cc`.
fn compiler() -> Command {
    Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// Runs a command that must do well, and returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// How a program is linked with the library.
#[derive(Clone, Copy)]
enum Linked {
    Statically,
    Dynamically,
}

/// Compiles a program, every warning being an error.
fn compile(program: &Path, sources: &[&str], linked: Linked) {
    let mut command = compiler();
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-g"]);
    command.arg("-D_POSIX_C_SOURCE=200809L").arg("-I").arg(root().join("include"));
    command.arg("-o").arg(program).args(sources.iter().map(|source| root().join(source)));
    match linked {
        Linked::Statically => command.arg(libraries().join("liblasca_tb.a")),
        Linked::Dynamically => command.arg("-L").arg(libraries()).arg("-llasca_tb"),
    };
    // What the static library needs of the system's.
    run(command.args(["-lpthread", "-lm"]).args(cfg!(target_os = "linux").then_some("-ldl")));
}

/// The program, able to find the dynamic library.
fn program(path: &OsStr) -> Command {
    let mut command = Command::new(path);
    let name = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
    command.env(name, libraries());
    command
}

/// The folders that `tests/c/test.c` asks for.
fn folders(scratch: &TempDir) -> [PathBuf; 3] {
    let tables = root().join("tables");
    let [damaged, wrong] = ["damaged", "wrong"].map(|name| scratch.path().join(name));
    fs::create_dir(&damaged).unwrap();
    fs::create_dir(&wrong).unwrap();
    let mut bytes = fs::read(tables.join("lasca-2-1.ltb")).unwrap();
    fs::write(wrong.join("lasca-3-1.ltb"), &bytes).unwrap();
    bytes.truncate(bytes.len() / 2);
    fs::write(damaged.join("lasca-2-1.ltb"), &bytes).unwrap();
    fs::create_dir(damaged.join("lasca-1-1.ltb")).unwrap();
    [tables, damaged, wrong]
}

#[test]
fn a_c_program_calls_every_function() {
    let scratch = tempfile::tempdir().unwrap();
    let folders = folders(&scratch);
    for linked in [Linked::Statically, Linked::Dynamically] {
        let test = scratch.path().join("test");
        compile(&test, &["tests/c/test.c"], linked);
        let printed = run(program(test.as_os_str()).args(&folders));
        assert_eq!(printed, "all checks passed\n");
    }
}

#[test]
fn a_c_program_leaks_nothing_and_reads_nothing_that_is_not_there() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("passed over: there is no valgrind");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let folders = folders(&scratch);
    let test = scratch.path().join("test");
    compile(&test, &["tests/c/test.c"], Linked::Statically);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible"]);
    valgrind.args(["--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=9"]);
    let printed = run(valgrind.arg(&test).args(&folders));
    assert_eq!(printed, "all checks passed\n");
}

#[test]
fn the_test_program_names_every_function_of_the_header() {
    let header = fs::read_to_string(root().join("include/lasca_tb.h")).unwrap();
    let test = fs::read_to_string(root().join("tests/c/test.c")).unwrap();
    let mut functions = 0;
    // A declaration is a line that names a type and then a function; comments are indented or
    // name none before the parenthesis.
    for line in header.lines().filter(|line| !line.starts_with([' ', '/', '#'])) {
        let Some((before, _)) = line.split_once('(') else { continue };
        let name = before.rsplit([' ', '*']).next().unwrap();
        assert!(test.contains(&format!("{name}(")), "{name} is not called");
        functions += 1;
    }
    assert!(functions > 15, "only {functions} functions were found");
}

#[test]
fn the_readme_s_program_runs() {
    let readme = fs::read_to_string(root().join("tools/c/README.md")).unwrap();
    let (_, rest) = readme.split_once("```c\n").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("probe.c");
    fs::write(&source, rest.split_once("```\n").unwrap().0).unwrap();
    let probe = scratch.path().join("probe");
    compile(&probe, &[source.to_str().unwrap()], Linked::Statically);
    assert_eq!(run(program(probe.as_os_str()).current_dir(root())), "won, 5 plies\n");
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        eprintln!("passed over: there is no C++ compiler");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("program.cpp");
    let text = "#include \"lasca_tb.h\"\n\
                int main() { return lasca_tb_abi_version() == LASCA_TB_ABI_VERSION ? 0 : 1; }\n";
    fs::write(&source, text).unwrap();
    let built = scratch.path().join("program");
    let mut command = Command::new(compiler);
    command.args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]);
    command.arg(root().join("include")).arg("-o").arg(&built).arg(&source);
    run(command.arg("-L").arg(libraries()).arg("-llasca_tb"));
    run(&mut program(built.as_os_str()));
}
