//! The lines of JSON are what the schema in `docs` says.

use crate::ROOT;
use crate::run::{Ran, copies, path, run, run_with_input, tables, write_wrong_table};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::slice;
use std::sync::LazyLock;
use tempfile::TempDir;

/// `docs/output.schema.json`.
pub static OUTPUT: LazyLock<Schema> = LazyLock::new(Schema::closed);

/// The definitions of what only the server answers.
const OF_SERVER: [&str; 4] = ["progress", "endings", "tables", "refused"];

/// A schema whose objects have no other keys than those that it names. Of JSON Schema it knows what the
/// schema of the lines uses: packages that know all of it take longer to compile than all others that the
/// tests need. `.ci/run` lets such a package check the schema itself.
pub struct Schema(Value);

impl Schema {
    /// The schema, closed.
    fn closed() -> Schema {
        let path = Path::new(ROOT).join("docs/output.schema.json");
        let text = fs::read_to_string(path).unwrap();
        let mut root: Value = serde_json::from_str(&text).unwrap();
        for definition in root["$defs"].as_object_mut().unwrap().values_mut() {
            if definition.get("properties").is_some() {
                definition["additionalProperties"] = json!(false);
            }
        }
        Schema(root)
    }

    /// The definition of the lines of a command, if the word is one.
    pub fn of_command<'a>(&self, word: &'a str) -> Option<&'a str> {
        let word = if word == "line" { "explain" } else { word };
        self.0["$defs"].get(word).map(|_| word)
    }

    pub fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        self.fits(&self.0["$defs"][definition], value)
    }

    /// Whether a value is what a schema says. Panics at a word of the schema that is unknown here.
    fn fits(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let words = schema.as_object().unwrap_or_else(|| panic!("{schema} is no schema"));
        let expect = |holds: bool, what: &str| {
            if holds { Ok(()) } else { Err(format!("expected {what} in {value}")) }
        };
        let nothing = Map::new();
        let keys = value.as_object().unwrap_or(&nothing);
        let has_all = |names: &Value| {
            let mut names = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            names.try_for_each(|name| expect(keys.contains_key(name), &format!("required {name}")))
        };
        let elements = value.as_array().map_or(&[][..], Vec::as_slice);
        for (word, says) in words {
            let at_least = |number: f64| number >= says.as_f64().unwrap();
            let count = says.as_u64().unwrap_or(0) as usize;
            let described = format!("{word} {says}");
            match word.as_str() {
                "title" | "description" => {}
                "$ref" => {
                    let definition = says.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.check(definition, value)?;
                }
                "type" => {
                    let one = slice::from_ref(says);
                    let mut types = says.as_array().map_or(one, Vec::as_slice).iter();
                    expect(types.any(|name| is_of_type(value, name)), &described)?;
                }
                "const" => expect(value == says, &described)?,
                "enum" => expect(says.as_array().unwrap().contains(value), &described)?,
                "minimum" => expect(value.as_f64().is_none_or(at_least), &described)?,
                "minLength" => {
                    expect(value.as_str().is_none_or(|text| text.len() >= count), &described)?;
                }
                "minItems" => expect(!value.is_array() || elements.len() >= count, &described)?,
                "maxItems" => expect(!value.is_array() || elements.len() <= count, &described)?,
                "items" => elements.iter().try_for_each(|element| self.fits(says, element))?,
                "prefixItems" => {
                    let mut pairs = elements.iter().zip(says.as_array().unwrap());
                    pairs.try_for_each(|(element, schema)| self.fits(schema, element))?;
                }
                "required" => has_all(says)?,
                "dependentRequired" => {
                    let present = |name: &&String| keys.contains_key(*name);
                    let names = says.as_object().unwrap();
                    names.keys().filter(present).try_for_each(|name| has_all(&names[name]))?;
                }
                "properties" => {
                    for (name, schema) in says.as_object().unwrap() {
                        keys.get(name).map_or(Ok(()), |value| self.fits(schema, value))?;
                    }
                }
                "additionalProperties" => {
                    assert_eq!(*says, json!(false));
                    let unknown = keys.keys().find(|name| words["properties"].get(name).is_none());
                    let what = format!("no key {}", unknown.map_or("", String::as_str));
                    expect(unknown.is_none(), &what)?;
                }
                "anyOf" | "oneOf" => {
                    let found = says.as_array().unwrap().iter().map(|any| self.fits(any, value));
                    let (fitting, others): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
                    let why: Vec<_> = others.into_iter().filter_map(Result::err).collect();
                    let what = format!("{word} ({})", why.join("; "));
                    let enough = if word == "anyOf" { 1..=usize::MAX } else { 1..=1 };
                    expect(enough.contains(&fitting.len()), &what)?;
                }
                "if" => {
                    let branch = if self.fits(says, value).is_ok() { "then" } else { "else" };
                    words.get(branch).map_or(Ok(()), |schema| self.fits(schema, value))?;
                }
                "then" | "else" => assert!(words.contains_key("if")),
                _ => panic!("the tests do not know the word {word} of JSON Schema"),
            }
        }
        Ok(())
    }

    #[track_caller]
    pub fn accepts(&self, definition: &str, value: &Value) {
        if let Err(why) = self.check(definition, value) {
            panic!("{definition}: {why}\n{value}");
        }
    }

    /// The keys that the lines of the commands can have, each with the names of the objects around it.
    fn keys(&self) -> BTreeSet<String> {
        let commands = self.0["anyOf"].as_array().unwrap().iter().filter_map(name);
        let mut keys = BTreeSet::new();
        for command in commands.filter(|command| !OF_SERVER.contains(command)) {
            self.add_keys(&self.0["$defs"][command], None, &mut keys);
        }
        keys
    }

    /// Adds the keys of a schema: all of them, or those that a value has of the objects that it fits.
    fn add_keys(&self, schema: &Value, value: Option<&Value>, keys: &mut BTreeSet<String>) {
        if value.is_some_and(|value| self.fits(schema, value).is_err()) {
            return;
        }
        let any = ["anyOf", "oneOf"].iter().filter_map(|word| schema[word].as_array()).flatten();
        any.for_each(|schema| self.add_keys(schema, value, keys));
        if let Some(items) = schema.get("items") {
            let elements = value.map(|value| value.as_array().map_or(&[][..], Vec::as_slice));
            match elements {
                None => self.add_keys(items, None, keys),
                Some(elements) => {
                    elements.iter().for_each(|element| self.add_keys(items, Some(element), keys));
                }
            }
        }
        let Some(object) = name(schema) else { return };
        let definition = &self.0["$defs"][object];
        let Some(properties) = definition["properties"].as_object() else {
            return self.add_keys(definition, value, keys);
        };
        for (key, schema) in properties {
            let inner = value.map(|value| value.get(key));
            // An object can hold others like itself.
            if inner.is_none_or(|inner| inner.is_some())
                && (keys.insert(format!("{object}.{key}")) || value.is_some())
            {
                self.add_keys(schema, inner.flatten(), keys);
            }
        }
    }
}

/// The name of the definition that a schema refers to.
fn name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Whether a value is of the type of this name.
fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
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
            OUTPUT.add_keys(&OUTPUT.0["$defs"][command], Some(&line), &mut seen);
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

    let keys = OUTPUT.keys();
    assert!(keys.len() > 100 && keys.contains("Answer.line_end"), "{keys:?}");
    assert_eq!(keys.difference(&seen).collect::<Vec<_>>(), [""; 0], "keys that no run has printed");
}

#[test]
fn every_command_that_takes_json_has_a_definition_in_the_schema() {
    let help = run(&["--help"]).stdout;
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    // What goes on in a second line stands further to the right.
    let lines = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let words = lines.filter_map(|line| line.split(' ').next()).filter(|word| !word.is_empty());
    let takes_json = |command: &&str| run(&[command, "--help"]).stdout.contains("\n      --json");
    let taking: Vec<&str> = words.filter(|word| *word != "help").filter(takes_json).collect();
    assert!(taking.contains(&"probe") && taking.len() > 8, "{taking:?}");
    assert!(taking.iter().all(|command| OUTPUT.of_command(command).is_some()), "{taking:?}");
}
