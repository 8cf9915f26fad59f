//! `lasca-tb list`, and where the program looks for tables.

use crate::run::{Folder, Ran, command};
use std::fs;

#[test]
fn list_shows_each_table() {
    let folder = Folder::with(&["1-1", "3-2"]);
    let listed = folder.run("list --json").exits(0).json();
    assert_eq!((listed.len(), listed[0]["material"].as_str()), (2, Some("1-1")));
    folder.run("list").exits(0).prints("301,260");
    assert_eq!(folder.run("list --rules bignor").exits(0).says("no tables").stdout, "");
    // A file that cannot be read is told from a damaged one, and no answer of no.
    fs::create_dir(folder.join("lasca-2-1.ltbw")).unwrap();
    folder.write("lasca-3-1.ltbw", "damaged");
    let listed = folder.run("list").exits(1).stdout;
    let errors: Vec<&str> = listed.lines().filter(|line| line.contains(": ")).collect();
    assert!(errors[0].starts_with("cannot be read: "), "{errors:?}");
    assert!(errors[1].starts_with("damaged: "), "{errors:?}");
    for command in ["probe 'a1WW c3B w'", "explain 'a1WW c3B w'", "stats 2-1"] {
        folder.run(command).exits(2).says("lasca-2-1.ltbw");
    }
}

#[test]
fn the_folder_is_the_option_else_the_variable_else_tables_else_that_of_the_user() {
    let (tables, elsewhere, here) =
        (Folder::with(&["1-1", "2-1"]), Folder::with(&["1-1"]), Folder::empty());
    let data = Folder::empty();
    let list = |args: &str, variable: Option<&str>| {
        let line = format!("list --json {args}");
        let mut command = command(&line);
        command.current_dir(&here).env("XDG_DATA_HOME", data.name());
        variable.map(|folder| command.env("LASCA_TABLES", folder));
        Ran::of(&line, &command.output().unwrap())
    };
    let count = |ran: Ran| ran.exits(0).json().len();
    assert_eq!(count(list("", Some(elsewhere.name()))), 1);
    assert_eq!(count(list(&format!("--tables {}", tables.name()), Some(elsewhere.name()))), 2);
    if !cfg!(target_os = "linux") {
        return;
    }
    let of_user = data.join("lasca-tb");
    for variable in [None, Some("")] {
        let missing = list("", variable).exits(1);
        let folder = of_user.display();
        missing
            .says(&format!("there is no folder `{folder}`\nhint: lasca-tb generate --up-to 6\n"));
    }
    // It is made when tables are.
    let mut generate = command("generate 1-1 2-1 3-1");
    let generated = generate.current_dir(&here).env("XDG_DATA_HOME", data.name()).output().unwrap();
    let says = format!("tables are written to {}\n", of_user.display());
    Ran::of("generate", &generated).exits(0).says(&says);
    assert_eq!((count(list("", None)), here.names().len()), (3, 0));
    fs::create_dir(here.join("tables")).unwrap();
    assert_eq!(count(list("", None)), 0);
}
