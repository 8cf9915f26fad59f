//! The lines of JSON are what the schema in `docs` says.

use crate::ROOT;
use crate::run::{Ran, copies, path, run, run_with_input, tables, write_wrong_table};
use jsonschema::ValidatorMap;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// `docs/output.schema.json`.
pub static OUTPUT: LazyLock<Schema> = LazyLock::new(Schema::closed);

/// The definitions of what only the server answers.
const OF_SERVER: [&str; 4] = ["progress", "endings", "tables", "refused"];

/// A schema whose objects have no other keys than those that it names.
pub struct Schema {
    root: Value,
    definitions: ValidatorMap,
}

impl Schema {
    /// The schema, closed.
    fn closed() -> Schema {
        let path = Path::new(ROOT).join("docs/output.schema.json");
        let text = fs::read_to_string(path).unwrap();
        let mut root: Value = serde_json::from_str(&text).unwrap();
        jsonschema::meta::validate(&root).unwrap();
        for definition in root["$defs"].as_object_mut().unwrap().values_mut() {
            if definition.get("properties").is_some() {
                definition["additionalProperties"] = json!(false);
            }
        }
        let definitions = jsonschema::validator_map_for(&root).unwrap();
        Schema { root, definitions }
    }

    /// The definition of the lines of a command, if the word is one.
    pub fn of_command<'a>(&self, word: &'a str) -> Option<&'a str> {
        let word = if word == "line" { "explain" } else { word };
        self.root["$defs"].get(word).map(|_| word)
    }

    pub fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        let validator = self.definitions.get(&format!("#/$defs/{definition}"));
        let validator = validator.unwrap_or_else(|| panic!("no definition of {definition}"));
        validator.validate(value).map_err(|error| error.to_string())
    }

    #[track_caller]
    pub fn accepts(&self, definition: &str, value: &Value) {
        if let Err(why) = self.check(definition, value) {
            panic!("{definition}: {why}\n{value}");
        }
    }

    /// The names of the objects that the lines of the commands can be.
    fn objects(&self) -> BTreeSet<String> {
        let name = |object: &Value| {
            let name = object["$ref"].as_str()?.strip_prefix("#/$defs/")?;
            Some(name.to_owned())
        };
        let commands = self.root["anyOf"].as_array().unwrap().iter().filter_map(name);
        commands
            .filter(|command| !OF_SERVER.contains(&command.as_str()))
            .flat_map(|command| self.root["$defs"][&command]["anyOf"].as_array().unwrap())
            .filter_map(name)
            .collect()
    }
}

/// Adds a key to the object of this number, counted from the outside in. `false` if there are not so
/// many.
fn add_key(value: &mut Value, number: &mut usize) -> bool {
    match value {
        Value::Object(object) => {
            if *number == 0 {
                object.insert("unknown".to_owned(), json!(1));
                return true;
            }
            *number -= 1;
            object.values_mut().any(|value| add_key(value, number))
        }
        Value::Array(values) => values.iter_mut().any(|value| add_key(value, number)),
        _ => false,
    }
}

#[test]
fn every_line_of_every_command_is_as_the_schema_says() {
    let mut seen = BTreeSet::new();
    let mut check = |ran: Ran, command: &str| {
        let lines = ran.json();
        assert!(!lines.is_empty(), "{}: {}", ran.args, ran.stderr);
        for line in lines {
            OUTPUT.accepts(command, &line);
            let fitting =
                OUTPUT.objects().into_iter().filter(|name| OUTPUT.check(name, &line).is_ok());
            seen.extend(fitting);
            for number in 0..40 {
                let mut changed = line.clone();
                if !add_key(&mut changed, &mut number.clone()) {
                    break;
                }
                assert!(OUTPUT.check(command, &changed).is_err(), "{changed}");
            }
        }
    };

    let new = TempDir::new().unwrap();
    let new = ["--json", "--tables", path(&new)];
    for args in [
        &["generate", "1-1", "2-1", "--dry-run"][..],
        &["generate", "6-6", "--columns", "3", "--dry-run"],
        &["generate", "1-1"],
        &["generate", "1-1", "3-2", "--columns", "3"],
        &["list"],
        &["verify"],
        &["verify", "--bytes-only"],
        &["verify", "4-4"],
        &["stats", "3-2"],
        &["stats", "3-2", "--by", "pieces,stackings", "--longest", "2", "--zugzwang"],
        &["stats", "2-3", "--histogram", "--without-takes"],
    ] {
        check(run(&[args, &new].concat()), args[0]);
    }

    let folder = TempDir::new().unwrap();
    write_wrong_table(folder.path());
    check(run(&["verify", "--json", "--tables", path(&folder)]), "verify");
    let damaged = copies(&["lasca-2-1", "lasca-2-2"]);
    for (file, bytes) in [("lasca-2-1.ltbw", 50..60), ("lasca-2-2.ltbd", 10..20)] {
        let file = damaged.path().join(file);
        let mut changed = fs::read(&file).unwrap();
        changed[bytes].fill(0x5a);
        fs::write(&file, changed).unwrap();
    }
    let damaged = ["--json", "--tables", path(&damaged)];
    for args in [&["list"][..], &["verify"]] {
        check(run(&[args, &damaged].concat()), args[0]);
    }
    let study = "c3W e5W c5B e3B b loses\n";
    check(run_with_input(&[&["study", "-"][..], &damaged].concat(), study), "study");

    let tables = tables();
    let with_tables = ["--json", "--tables", path(&tables)];
    let lines = "protocol\na1WW b2B w\nid=1 c3WB w\n\na1w b2B w\nid=2 a1WWWWWW b2BBBBBB w\n";
    let searching = [&with_tables[..], &["--rules", "rejump", "--seconds", "0.01"]].concat();
    for args in [
        &["probe"][..],
        &["probe", "--line"],
        &["probe", "--brief"],
        &["probe", "--row-form"],
        &["explain"],
        &["solve", "--seconds", "0.01"],
        &["solve", "--moves", "--exact", "--seconds", "0.01"],
    ] {
        check(run_with_input(&[args, &with_tables, &["--stdin"]].concat(), lines), args[0]);
        check(run(&[args, &with_tables, &["a1WW b2B w"]].concat()), args[0]);
        check(run(&[args, &with_tables, &["a1WW b2B x"]].concat()), args[0]);
        if args[0] != "solve" {
            check(run_with_input(&[args, &searching, &["--stdin"]].concat(), lines), args[0]);
        }
    }
    for args in [
        &["find", "3-2", "--only-moves", "2", "--limit", "3", "--columns", "2..5"][..],
        &["find", "3-2", "--value", "draw", "--limit", "3", "--columns", "2..4"],
        &["find", "2-2", "--only-moves", "1", "--value", "draw", "--columns", "2..4"],
    ] {
        check(run(&[args, &with_tables].concat()), "find");
    }
    check(run_with_input(&["moves", "--json", "--stdin"], lines), "moves");
    check(run(&["moves", "--json", "start", "--row-form"]), "moves");

    let study = "Leap\na1WW c1W b2B w\n1. c1-d2! a5-a6 1-0\n";
    for args in [&["study", "-"][..], &["study", "-", "--seconds", "0.1"]] {
        check(run_with_input(&[args, &with_tables].concat(), study), "study");
        check(run_with_input(&[args, &with_tables].concat(), "no study at all"), "study");
    }
    check(run(&[&["study", "tests/studies/10-lasker.study"][..], &with_tables].concat()), "study");
    let out = TempDir::new().unwrap();
    let out = out.path().join("certificate");
    for position in ["a1WW e3BB w", "a1W c3W g7B b"] {
        let args = ["certify", position, "--out", out.to_str().unwrap()];
        check(run(&[&args[..], &with_tables].concat()), "certify");
    }

    assert_eq!(seen, OUTPUT.objects(), "objects that no run has printed");
}
