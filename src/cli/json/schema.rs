//! The schema of all lines of JSON, `docs/output.schema.json`, is made from their types. The comments on
//! the fields are the descriptions of the keys.

use super::*;
use crate::args::Cli;
use crate::global::without_effect;
use crate::serve::endings::Endings;
use clap::CommandFactory;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::fs;

/// A definition for each command, and for the answers that only the server gives: its name, what it is
/// about, and the objects that it can be.
type Definitions = Vec<(&'static str, &'static str, Vec<Schema>)>;

macro_rules! definitions {
    ($generator:ident; $($name:literal: $about:literal [$($object:ty),+];)+) => {
        vec![$(($name, $about, vec![$($generator.subschema_for::<$object>()),+])),+]
    };
}

fn definitions(generator: &mut SchemaGenerator) -> Definitions {
    definitions! { generator;
        "generate": "A line for each table that is there at the end, or with `--dry-run` for each plan."
            [Generated, Planned];
        "probe": "A line for each position; `/probe`." [Answer, Unanswered, Greeting];
        "explain": "A line for each position; `/line`." [Answer, Unanswered, Greeting];
        "solve": "A line for each position; `/solve`, last line." [Answer, Unanswered, Greeting];
        "study": "A line for each study." [Study, Unchecked];
        "certify": "A line for the certificate." [Certified];
        "verify": "A line for each table." [Verified];
        "stats": "A line for each material." [Stats];
        "find": "A line for each position, those with the most choices first." [Find];
        "list": "A line for each table." [Listed];
        "moves": "A line for each position; `/moves`." [Answer, Unanswered, Greeting];
        "progress": "`/solve` with `progress=1`, before the last line." [Progress];
        "endings": "`/endings`." [Endings];
        "tables": "`/tables`." [Tables];
        "refused": "A request that was refused and is not about a position." [Refused];
    }
}

/// The words that the values of a key can be, wherever it stands.
fn words(key: &str) -> Option<Vec<&'static str>> {
    let standings =
        [Standing::OnlyLegal, Standing::Only, Standing::Best, Standing::Keeps, Standing::GivesAway];
    Some(match key {
        "command" => vec!["probe", "explain", "solve", "moves"],
        "excluded" | "side" | "winner" => Color::ALL.map(Color::name).into(),
        "finding" => vec!["confirmed", "refuted", "open", "not in the tables"],
        "kind" => vec!["verdict", "result", "move"],
        "mark" => vec!["!", "!!", "?", "??", "!?", "?!"],
        "program" => vec!["lasca-tb"],
        "rules" => RuleSet::ALL.map(RuleSet::name).into(),
        "searching" => vec!["position", "distance", "moves"],
        "standing" => standings.map(Standing::name).into(),
        "value" => [Wdl::Win, Wdl::Draw].map(Wdl::name).into(),
        "wdl" => [Wdl::Win, Wdl::Draw, Wdl::Loss].map(Wdl::name).into(),
        _ => return None,
    })
}

/// Keys that come together or not at all.
const TOGETHER: [[&str; 2]; 5] = [
    ["wdl", "dtw"],
    ["at_most", "excluded"],
    ["line", "line_end"],
    ["replies", "holding"],
    ["positions", "seconds"],
];

/// Adds to the definition of an object what its types do not say.
fn refine(name: &str, object: &mut Value) {
    let required = object["required"].as_array().cloned().unwrap_or_default();
    let is_required = |key: &str| required.contains(&json!(key));
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (key, property) in &mut *properties {
        let about = property["description"].as_str().unwrap_or_default();
        assert!(!about.is_empty(), "{name}.{key} has no description");
        // A key that can be absent is null only if its description says when.
        if about.contains("`null`") {
            assert!(is_nullable(property), "{name}.{key} is never null");
        } else if !is_required(key) {
            remove_null(property);
        }
        assert!(
            is_nullable(property) == property["description"].as_str().unwrap().contains("`null`")
        );
        let place = if property["type"] == "array" { &mut property["items"] } else { property };
        if let Some(words) = words(key) {
            let null = is_nullable(place).then_some(Value::Null);
            place["enum"] = words.into_iter().map(Value::from).chain(null).collect();
            place.as_object_mut().unwrap().remove("type");
        }
    }
    let has_both = |keys: &[&str; 2]| keys.iter().all(|&key| properties.contains_key(key));
    let optional = |keys: &&[&str; 2]| has_both(keys) && !keys.iter().any(|key| is_required(key));
    let together: Value = TOGETHER
        .iter()
        .filter(optional)
        .flat_map(|&[a, b]| [(a.to_owned(), json!([b])), (b.to_owned(), json!([a]))])
        .collect();
    if has_both(&TOGETHER[0]) {
        // A draw has no distance.
        object["if"] = json!({ "properties": { "wdl": { "enum": ["win", "loss"] } } });
        object["else"] = json!({ "properties": { "dtw": { "type": "null" } } });
    }
    if together != json!({}) {
        object["dependentRequired"] = together;
    }
}

/// Leaves out what is no part of JSON Schema, and the lines of descriptions.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
                object.remove("maximum");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(values) => values.iter_mut().for_each(plain),
        _ => {}
    }
}

fn is_nullable(property: &Value) -> bool {
    let has = |key: &str, null: Value| {
        property[key].as_array().is_some_and(|values| values.contains(&null))
    };
    has("type", json!("null")) || has("anyOf", json!({ "type": "null" }))
}

fn remove_null(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    // What is not null stands first.
    if let Some(Value::Array(kinds)) = property.get_mut("type") {
        let only = kinds.remove(0);
        property.insert("type".to_owned(), only);
    }
    if let Some(Value::Array(mut any)) = property.remove("anyOf") {
        property.insert("$ref".to_owned(), any[0]["$ref"].take());
    }
}

/// A property on a line.
fn pretty(value: &Value, depth: usize) -> String {
    let Some(object) = value.as_object().filter(|_| depth < 4) else { return value.to_string() };
    let indent = "  ".repeat(depth);
    let lines: Vec<String> = object
        .iter()
        .map(|(key, value)| format!("{indent}  {}: {}", json!(key), pretty(value, depth + 1)))
        .collect();
    format!("{{\n{}\n{indent}}}", lines.join(",\n"))
}

/// To write the file: `UPDATE_SCHEMA=1 cargo test -p lasca-tb --bins schema`.
#[test]
fn the_schema_is_made_from_the_types() {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut all = json!({});
    let definitions = definitions(&mut generator);
    let names = definitions.iter().map(|(name, ..)| json!({ "$ref": format!("#/$defs/{name}") }));
    let any: Vec<Value> = names.collect();
    for (name, about, objects) in definitions {
        all[name] = json!({ "description": about, "anyOf": objects });
    }
    for (name, mut object) in generator.take_definitions(true) {
        plain(&mut object);
        refine(&name, &mut object);
        all[name] = object;
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Lines of lasca-tb with --json, protocol {PROTOCOL}"),
        "description": "The definition with the name of a command is what each of its lines is. Values \
            are for the side to move, or of a move for the side that makes it; distances are in plies. \
            Readers ignore keys that they do not know.",
        "anyOf": any,
        "$defs": all,
    });
    let text = pretty(&schema, 0) + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/output.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some_and(|value| value == "1") {
        fs::write(&path, &text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found.replace("\r\n", "\n") == text,
        "docs/output.schema.json is out of date; write it with: UPDATE_SCHEMA=1 cargo test -p lasca-tb \
         --bins schema"
    );
}

#[test]
fn every_command_with_json_has_a_definition() {
    let mut generator = SchemaGenerator::default();
    let defined: Vec<&str> = definitions(&mut generator).iter().map(|one| one.0).collect();
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let commands: Vec<&str> =
        names.filter(|name| !without_effect(name).contains(&"json")).collect();
    assert_eq!(defined[..commands.len()], commands);
}
