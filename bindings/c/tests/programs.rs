//! Programs in C, compiled against the header and the library: `tests/test.c`, linked both ways and under
//! valgrind where there is one, and the examples of the documents.

#![cfg(unix)]

mod common;

use common::{
    Linked, build, compile, pass_over, program, readme_examples, root, run, under_valgrind,
};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// Writes the values of 2-2 under `lasca` rules as a table for `bignor` rules, in which they contradict
/// themselves. `docs/FORMAT.md` says what stands where in the header.
fn write_contradiction(tables: &Path, folder: &Path) {
    let mut belongs_to = 0;
    for kind in ["ltbw", "ltbd"] {
        let mut bytes = fs::read(tables.join(format!("lasca-2-2.{kind}"))).unwrap();
        bytes[11] = 1;
        bytes[64..72].copy_from_slice(&u64::to_le_bytes(belongs_to));
        belongs_to = xxh3_64(&bytes[..80]);
        bytes[80..88].copy_from_slice(&belongs_to.to_le_bytes());
        fs::write(folder.join(format!("bignor-2-2.{kind}")), bytes).unwrap();
    }
}

/// The folders that `bindings/c/tests/test.c` asks for.
fn folders(scratch: &TempDir) -> [PathBuf; 5] {
    let [tables, damaged, wrong, wdl] = ["tables", "damaged", "wrong", "wdl"].map(|name| {
        let folder = scratch.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    });
    // Those that come with the source, and no others that somebody has made in the same folder.
    let shipped = root().join("tables");
    for line in fs::read_to_string(shipped.join("SHA256SUMS")).unwrap().lines() {
        let (_, name) = line.split_once("  ").unwrap();
        fs::copy(shipped.join(name), tables.join(name)).unwrap();
    }
    let mut bytes = fs::read(tables.join("lasca-2-1.ltbw")).unwrap();
    fs::write(wrong.join("lasca-3-1.ltbw"), &bytes).unwrap();
    bytes.truncate(bytes.len() / 2);
    fs::write(damaged.join("lasca-2-1.ltbw"), &bytes).unwrap();
    write_contradiction(&tables, &wrong);
    fs::create_dir(damaged.join("lasca-1-1.ltbw")).unwrap();
    // A sound WDL file beside a damaged DTW file.
    fs::copy(tables.join("lasca-3-1.ltbw"), damaged.join("lasca-3-1.ltbw")).unwrap();
    fs::write(damaged.join("lasca-3-1.ltbd"), "damaged").unwrap();
    for name in ["lasca-2-1.ltbw", "lasca-3-1.ltbw", "lasca-3-1.ltbd"] {
        fs::copy(tables.join(name), wdl.join(name)).unwrap();
    }
    [tables, damaged, wrong, wdl, root().join("tests/data")]
}

/// The program `tests/test.c`, compiled, which says that all its checks passed.
fn check_all(linked: Linked, command: impl Fn(&Path) -> Option<Command>) {
    let scratch = tempfile::tempdir().unwrap();
    let test = scratch.path().join("test");
    compile(&test, &["bindings/c/tests/test.c"], linked);
    let Some(mut command) = command(&test) else { return };
    assert_eq!(run(command.args(folders(&scratch))), "all checks passed\n");
}

#[test]
fn a_c_program_calls_every_function() {
    check_all(Linked::Statically, |test| Some(program(test)));
    check_all(Linked::Dynamically, |test| Some(program(test)));
}

#[test]
#[ignore = "slow: runs under valgrind"]
fn a_c_program_leaks_nothing_and_reads_nothing_that_is_not_there() {
    check_all(Linked::Statically, |path| under_valgrind(path, "definite,indirect,possible"));
}

/// Compiles a program of this text, and runs it in the top folder.
fn compile_and_run(text: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let (source, built) = (scratch.path().join("example.c"), scratch.path().join("example"));
    fs::write(&source, text).unwrap();
    compile(&built, &[source.to_str().unwrap()], Linked::Statically);
    run(program(&built).current_dir(root()))
}

/// The statements as a whole program.
fn in_main(statements: &str) -> String {
    let includes = "#include \"lasca_tb.h\"\n#include <stdio.h>\n";
    format!("{includes}int main(void)\n{{\n{statements}return 0;\n}}\n")
}

#[test]
fn the_examples_of_the_readme_run() {
    let examples = readme_examples();
    let [whole, search] = &examples[..] else { panic!("{examples:?}") };
    assert_eq!(compile_and_run(whole), "won, 5 plies\n");
    assert_eq!(compile_and_run(&in_main(search)), "1 in 5 plies\n");
}

#[test]
fn the_header_s_example_runs() {
    let header = fs::read_to_string(root().join("bindings/c/include/lasca_tb.h")).unwrap();
    let example: String = header
        .lines()
        .skip_while(|line| !line.starts_with(" *     "))
        .map_while(|line| line.strip_prefix(" *     "))
        .flat_map(|line| [line, "\n"])
        .collect();
    let printed = compile_and_run(&in_main(&example));
    assert!(printed.starts_with("1 in ") && printed.ends_with(" plies\n"), "{printed:?}");
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        pass_over("there is no C++ compiler");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let built = scratch.path().join("program");
    build(
        Command::new(compiler),
        "-std=c++11",
        &built,
        &["bindings/c/tests/program.cpp"],
        Linked::Dynamically,
    );
    run(&mut program(&built));
}
