//! The library as `make install` installs it.

#![cfg(target_os = "linux")]

mod common;

use common::{compiler, libraries, pass_over, readme_examples, root, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs the libraries that were made along with the tests into a folder, or takes them away.
fn make(target: &str, prefix: &Path) {
    let mut command = Command::new("make");
    command.arg("--directory").arg(root().join("bindings/c")).arg(target);
    command.arg(format!("PREFIX={}", prefix.display()));
    run(command.arg(format!("LIBRARIES={}", libraries().display())));
}

/// What `pkg-config` prints about the library.
fn pkg_config(prefix: &Path, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    let printed = run(command.args(arguments).arg("lasca_tb"));
    printed.split_whitespace().map(str::to_owned).collect()
}

/// Compiles the README's program with the flags of `pkg-config`, and runs it.
fn compile_and_run(prefix: &Path, flags: &[String]) -> Command {
    let (source, probe) = (prefix.join("probe.c"), prefix.join("probe"));
    fs::write(&source, &readme_examples()[0]).unwrap();
    let mut command = compiler();
    command.args(["-std=c99", "-Wall", "-Werror"]).arg(source).args(flags);
    run(command.arg("-o").arg(&probe));
    let mut command = Command::new(probe);
    command.current_dir(root());
    command
}

#[test]
fn a_program_is_compiled_against_the_installed_library_with_what_pkg_config_says() {
    for program in ["make", "pkg-config", "readelf"] {
        if Command::new(program).arg("--version").output().is_err() {
            return pass_over(&format!("there is no {program}"));
        }
    }
    let scratch = tempfile::tempdir().unwrap();
    let prefix = scratch.path();
    make("install", prefix);
    let version = lasca_tb::LASCA_TB_ABI_VERSION;
    let installed = fs::read(prefix.join("include/lasca_tb.h")).unwrap();
    assert!(installed == fs::read(root().join("bindings/c/include/lasca_tb.h")).unwrap());
    let library = prefix.join("lib/liblasca_tb.so");
    assert!(prefix.join("lib/liblasca_tb.a").exists() && library.exists());
    // The name that programs look for ends in the version of the interface.
    assert!(prefix.join(format!("lib/liblasca_tb.so.{version}")).exists());
    let dynamic = run(Command::new("readelf").arg("--dynamic").arg(&library));
    assert!(dynamic.contains(&format!("soname: [liblasca_tb.so.{version}]")), "{dynamic}");
    assert_eq!(pkg_config(prefix, &["--modversion"]), [env!("CARGO_PKG_VERSION")]);

    let mut program = compile_and_run(prefix, &pkg_config(prefix, &["--cflags", "--libs"]));
    assert_eq!(run(program.env("LD_LIBRARY_PATH", prefix.join("lib"))), "won, 5 plies\n");
    let needed = run(Command::new("readelf").arg("--dynamic").arg(prefix.join("probe")));
    assert!(needed.contains(&format!("[liblasca_tb.so.{version}]")), "{needed}");

    // The static library alone.
    let alone = prefix.join("static");
    make("install-static", &alone);
    assert!(!alone.join("lib/liblasca_tb.so").exists());
    let flags = pkg_config(&alone, &["--static", "--cflags", "--libs"]);
    assert_eq!(run(&mut compile_and_run(&alone, &flags)), "won, 5 plies\n");

    for installed in [prefix, &alone] {
        make("uninstall", installed);
        for folder in ["include", "lib", "lib/pkgconfig"] {
            let left = fs::read_dir(installed.join(folder)).unwrap();
            let files = left.filter(|entry| !entry.as_ref().unwrap().path().is_dir());
            assert_eq!(files.count(), 0, "{folder}");
        }
    }
}
