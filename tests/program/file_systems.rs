//! What the program does on file systems that lack something. A library that is loaded before all others stands in
//! for them: it answers some calls as they do.

#![cfg(target_os = "linux")]

use crate::common::files::files;
use crate::run::{Folder, Ran, output, process};
use std::process::Command;

/// Answers as the variables say, each of which is the error of a call, or with `24@3` that of the third call alone:
/// `FSYNC` of `fsync` for folders, `FLOCK` and `OPENDIR` of these functions, `OPEN` of opening what is there for writing,
/// `TABLE` of `read` of a file of a table, and `WRITE` of `pwrite` of a file in `.work`.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuses(const char *call, int *calls) {
    const char *with = getenv(call), *at = with ? strchr(with, '@') : 0;
    if (!with || (at && __atomic_add_fetch(calls, 1, __ATOMIC_SEQ_CST) != atoi(at + 1))) return 0;
    errno = atoi(with);
    return 1;
}

#define REFUSES(call) ({ static int calls; refuses(call, &calls); })

static int has(int file, const char *part) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t len = readlink(link, path, sizeof path - 1);
    path[len < 0 ? 0 : len] = 0;
    return strstr(path, part) != 0;
}

DIR *opendir(const char *path) {
    DIR *(*next)(const char *) = dlsym(RTLD_NEXT, "opendir");
    return REFUSES("OPENDIR") ? 0 : next(path);
}

int open64(const char *path, int flags, ...) {
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    if ((flags & O_ACCMODE) == O_WRONLY && !(flags & O_CREAT) && REFUSES("OPEN")) return -1;
    return next(path, flags, mode);
}

ssize_t pwrite64(int file, const void *bytes, size_t len, off64_t at) {
    ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    return has(file, "/.work/") && REFUSES("WRITE") ? -1 : next(file, bytes, len, at);
}

ssize_t read(int file, void *bytes, size_t len) {
    ssize_t (*next)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    return has(file, ".ltb") && REFUSES("TABLE") ? -1 : next(file, bytes, len);
}

int fsync(int file) {
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    struct stat found;
    if (fstat(file, &found) == 0 && S_ISDIR(found.st_mode) && REFUSES("FSYNC")) return -1;
    return next(file);
}

int flock(int file, int how) {
    int (*next)(int, int) = dlsym(RTLD_NEXT, "flock");
    return REFUSES("FLOCK") ? -1 : next(file, how);
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
        let (value, mut command) = (value.to_string(), process(line));
        command.env("LD_PRELOAD", self.0.file("shim.so")).env(variable, &value);
        Ran::of(&format!("{line} where {variable} is {value}"), &output(&mut command, ""))
    }
}

#[test]
fn files_are_written_where_folders_cannot_be_synced() {
    let shim = Shim::new();
    for error in [libc::EINVAL, libc::EOPNOTSUPP, libc::ENOSYS, libc::EBADF, libc::EIO] {
        let folder = Folder::empty();
        let line = format!("generate 2-1 --tables {}/new/tables", folder.name());
        shim.run("FSYNC", error, &line).exits(0).quietly();
        assert!(files(&folder.join("new/tables")) == files(&Folder::with(&["2-1"])));
    }
    // Another error is told.
    let line = format!("generate 2-1 --tables {}", Folder::empty().name());
    shim.run("FSYNC", libc::ENOSPC, &line).exits(2).says("No space left");
}

#[test]
fn tables_are_made_where_there_are_no_locks_and_the_program_says_so_once() {
    let shim = Shim::new();
    for error in [libc::ENOSYS, libc::ENOLCK, libc::EOPNOTSUPP, libc::EPERM, libc::EINTR] {
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

/// Solved values in files, which take little memory.
const IN_FILES: &str = "--threads 1 --memory 2600K";

#[test]
fn a_folder_that_cannot_be_listed_once_costs_nothing_that_is_saved() {
    let (shim, tables) = (Shim::new(), files(&Folder::with(&["3-2"])));
    for time in 1..=4 {
        let folder = Folder::empty();
        let line = format!("generate 3-2 {IN_FILES} --tables {}", folder.name());
        let ran = shim.run("OPENDIR", format!("{}@{time}", libc::EMFILE), &line).exits(0);
        ran.says("warning: ").says(".work/lasca-3-2: Too many open files");
        assert!(files(&folder) == tables, "{time}");
    }
}

#[test]
fn a_disk_that_is_full_while_values_are_in_files_is_an_error_that_names_them() {
    let (shim, folder) = (Shim::new(), Folder::empty());
    let line = format!("generate 3-2 {IN_FILES} --tables {}", folder.name());
    let why = format!("writing a scratch file in {}/.work/lasca-3-2: No space left", folder.name());
    shim.run("WRITE", libc::ENOSPC, &line).exits(2).says(&why);
}

/// Files that were open before a file server was away can no longer be read.
#[test]
fn a_table_of_which_a_file_went_stale_is_read_on() {
    let (shim, folder) = (Shim::new(), Folder::with(&["4-2"]));
    let line = format!("probe a1WW c1WW g7BB b --no-included --tables {}", folder.name());
    let right = shim.run("NOTHING", "", &line).exits(0).quietly().stdout;
    // Of both files, the header, directory, page list and pages.
    for time in 1..=8 {
        let ran = shim.run("TABLE", format!("{}@{time}", libc::ESTALE), &line);
        assert_eq!(ran.exits(0).quietly().stdout, right, "{time}");
    }
    shim.run("TABLE", libc::EIO, &line).exits(2).says("lasca-4-2.ltbw: Input/output error");
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    let (shim, folder) = (Shim::new(), Folder::empty());
    let line = format!("picture start --out {}", folder.file("board.svg"));
    shim.run("OPEN", libc::EACCES, &line).exits(0);
    folder.write("board.svg", "kept");
    shim.run("OPEN", libc::EACCES, &line).exits(2).says("board.svg: Permission denied");
    assert_eq!(folder.read("board.svg"), b"kept");
}
