//! The library as `cargo cinstall` of cargo-c installs it.

#![cfg(target_os = "linux")]

mod common;

use common::{compiler, root, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Installs the library into a folder, with `library_type` alone if that is named.
fn install(prefix: &Path, library_type: Option<&str>) {
    let mut command = Command::new("cargo");
    command.args(["cinstall", "--release", "--package", "lasca-tb-c", "--libdir=lib"]);
    command.arg(format!("--prefix={}", prefix.display())).current_dir(root());
    command.args(library_type.map(|kind| format!("--library-type={kind}")));
    run(&mut command);
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
    let readme = fs::read_to_string(root().join("bindings/c/README.md")).unwrap();
    let (_, rest) = readme.split_once("```c\n").unwrap();
    let source = prefix.join("probe.c");
    fs::write(&source, rest.split_once("```\n").unwrap().0).unwrap();
    let probe = prefix.join("probe");
    run(compiler()
        .args(["-std=c99", "-Wall", "-Werror"])
        .arg(source)
        .args(flags)
        .arg("-o")
        .arg(&probe));
    let mut command = Command::new(probe);
    command.current_dir(root());
    command
}

/// This needs cargo-c (`cargo install --locked cargo-c`) and pkg-config.
#[test]
#[ignore = "builds the library twice, and needs cargo-c"]
fn a_program_is_compiled_against_the_installed_library_with_what_pkg_config_says() {
    let scratch = tempfile::tempdir().unwrap();
    let prefix = scratch.path();
    install(prefix, None);
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
    install(&alone, Some("staticlib"));
    assert!(!alone.join("lib/liblasca_tb.so").exists());
    let flags = pkg_config(&alone, &["--static", "--cflags", "--libs"]);
    assert_eq!(run(&mut compile_and_run(&alone, &flags)), "won, 5 plies\n");
}

#[test]
fn the_version_that_cargo_c_puts_in_names_is_that_of_the_interface() {
    let manifest = fs::read_to_string(root().join("bindings/c/Cargo.toml")).unwrap();
    let (_, library) = manifest.split_once("[package.metadata.capi.library]\n").unwrap();
    let expected = format!("version = \"{}.0.0\"\n", lasca_tb::LASCA_TB_ABI_VERSION);
    assert!(library.starts_with(&expected), "expected {expected}, found {library}");
}
