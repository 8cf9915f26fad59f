//! Tells the program where its documents are, and the commit that it is built from, if this is a checkout of its
//! repository.

use std::env;
use std::path::Path;
use std::process::Command;

/// Where this package is in its repository.
const FOLDER: &str = "src/cli/";

/// The stack of the main thread in bytes, where this says how large it is.
const STACK: usize = 8 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A link to the documents of the repository, which `cargo package` follows. Git writes it as a plain file where
    // a user may not make links, as on Windows.
    let documents = if Path::new("docs").is_dir() { "docs" } else { "../../docs" };
    println!("cargo::rustc-env=LASCA_TB_DOCUMENTS={documents}");
    // The main thread shares in the work. On Windows, its stack is smaller than those of other threads.
    let target = |key| env::var(key).unwrap_or_default();
    match (&*target("CARGO_CFG_TARGET_OS"), &*target("CARGO_CFG_TARGET_ENV")) {
        ("windows", "msvc") => println!("cargo::rustc-link-arg-bins=/STACK:{STACK}"),
        ("windows", _) => println!("cargo::rustc-link-arg-bins=-Wl,--stack,{STACK}"),
        _ => {}
    }
    // Cargo runs this script in the folder of the package.
    let mut git = Command::new("git");
    git.args(["rev-parse", "--show-prefix", "--git-path", "HEAD", "--git-path", "logs/HEAD"]);
    git.args(["--short=10", "HEAD"]);
    let Ok(output) = git.output() else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    // Another repository may hold this package in another folder.
    let [FOLDER, head, log, commit] = text.lines().collect::<Vec<_>>()[..] else { return };
    println!("cargo::rustc-env=LASCA_TB_COMMIT={commit}");
    // A file that is missing would make this script run at each build.
    for file in [head, log].into_iter().filter(|file| Path::new(file).exists()) {
        println!("cargo::rerun-if-changed={file}");
    }
}
