//! What the program does on file systems that lack something. A library that is loaded before all others stands in
//! for them: it answers some calls as they do.

#![cfg(target_os = "linux")]

use crate::common::files::files;
use crate::run::{Folder, Ran, output, process};
use std::process::Command;

/// Answers as the variables say: `FSYNC` is the error of `fsync` for folders, and `FLOCK` that of `flock`. With
/// `STATX`, the numbers of files change each time.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static int refuses(const char *call) {
    const char *with = getenv(call);
    if (with) errno = atoi(with);
    return with != 0;
}

int fsync(int file) {
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    struct stat found;
    if (fstat(file, &found) == 0 && S_ISDIR(found.st_mode) && refuses("FSYNC")) return -1;
    return next(file);
}

int flock(int file, int how) {
    int (*next)(int, int) = dlsym(RTLD_NEXT, "flock");
    return refuses("FLOCK") ? -1 : next(file, how);
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *found) {
    int (*next)(int, const char *, int, unsigned, struct statx *) = dlsym(RTLD_NEXT, "statx");
    static unsigned long long number;
    int failed = next(folder, path, flags, mask, found);
    if (!failed && getenv("STATX")) found->stx_ino = ++number;
    return failed;
}
"#;

/// The library, in a folder of its own.
struct Shim(Folder);

impl Shim {
    /// Made by the C compiler that the program needs too.
    fn new() -> Shim {
        let folder = Folder::empty();
        folder.write("shim.c", SHIM);
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "shim.c", "-o", "shim.so", "-ldl"]).current_dir(&folder);
        assert!(cc.status().unwrap().success());
        Shim(folder)
    }

    /// Runs the program where a variable has this value.
    fn run(&self, variable: &str, value: impl ToString, line: &str) -> Ran {
        let (mut command, value) = (process(line), value.to_string());
        command.env("LD_PRELOAD", self.0.file("shim.so")).env(variable, &value);
        Ran::of(&format!("{line} where {variable} is {value}"), &output(&mut command, ""))
    }
}

#[test]
fn files_are_written_where_folders_cannot_be_synced() {
    let shim = Shim::new();
    for error in [libc::EINVAL, libc::EOPNOTSUPP, libc::ENOSYS, libc::EIO] {
        let folder = Folder::empty();
        for line in [
            &format!("picture 'a1WWW b2BBB w' --out {}", folder.file("board.svg")),
            &format!("certify 'a1WWW b2BBB w' --out {}", folder.file("proof")),
            &format!("generate 2-1 --tables {}/new/tables", folder.name()),
        ] {
            shim.run("FSYNC", error, line).exits(0).quietly();
        }
        let tables = files(&folder.join("new/tables"));
        assert!(folder.join("board.svg").exists() && folder.join("proof").exists());
        assert!(tables == files(&Folder::with(&["2-1"])));
    }
    // Everything else is told.
    let folder = Folder::empty();
    let line = format!("picture start --out {}", folder.file("board.svg"));
    shim.run("FSYNC", libc::ENOSPC, &line).exits(2).says("No space left");
}

#[test]
fn tables_are_made_where_there_are_no_locks_and_the_program_says_so_once() {
    let shim = Shim::new();
    for error in [libc::ENOSYS, libc::ENOLCK, libc::EOPNOTSUPP] {
        let folder = Folder::empty();
        let generate = format!("generate 1-1 2-1 2-2 --tables {}", folder.name());
        let made = shim.run("FLOCK", error, &generate).exits(0);
        assert_eq!(made.stderr.matches("cannot be locked").count(), 1, "{}", made.stderr);
        assert_eq!(made.stderr.lines().count(), 1, "{}", made.stderr);
        assert!(files(&folder) == files(&Folder::with(&["1-1", "2-1", "2-2"])));
        // What is there needs no lock.
        shim.run("FLOCK", error, &generate).exits(0).quietly();
    }
    let folder = Folder::empty();
    let line = format!("generate 1-1 --tables {}", folder.name());
    shim.run("FLOCK", libc::EIO, &line).exits(2).says("Input/output error");
}

#[test]
fn files_whose_numbers_change_are_an_error_and_nothing_is_left() {
    let (shim, folder) = (Shim::new(), Folder::empty());
    for line in [
        &format!("picture start --out {}", folder.file("board.svg")),
        &format!("generate 1-1 --tables {}", folder.name()),
    ] {
        shim.run("STATX", 1, line).exits(2).says("the numbers of files seem to change");
    }
    folder.run("generate 1-1").exits(0);
    assert_eq!(folder.names(), ["lasca-1-1.ltbd", "lasca-1-1.ltbw"].map(str::to_owned).into());
}
