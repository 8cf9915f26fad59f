//! Makes `docs/output.schema.json`, `docs/protocol.schema.json` and `docs/OUTPUT.md` from the types of
//! the lines. The comments on their fields are the descriptions of the keys.

use super::*;
use crate::args::Cli;
use crate::global::without_effect;
use crate::serve::endings::Endings;
use clap::CommandFactory;
use lasca_tablebase::probe::Standing;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::fs;

/// What stands above the tables of the page.
const PREFACE: &str = "\
# What the commands print with `--json`

With `--json`, a command prints one JSON object per line on standard output. This page lists the keys of these objects.
[output.schema.json](output.schema.json) says the same as a JSON Schema (2020-12): the definition with the name of a
command describes the lines of this command, and allows no other keys. Programs that use `--stdin` or HTTP should read the
[protocol](PROTOCOL.md) and [its schema](protocol.schema.json): later versions of this program may add keys, and a
reader must ignore keys that it does not know.

Values are for the side to move, or of a move for the side that makes it. Distances are in plies.

This page and both schemas are made from the types in the program's source, by one of its tests.
";

/// Definitions by name, each with what it is about and the objects that it can be.
type Definitions = Vec<(&'static str, &'static str, Vec<Schema>)>;

macro_rules! definitions {
    ($generator:ident; $($name:literal: $about:literal [$($object:ty),+];)+) => {
        vec![$(($name, $about, vec![$($generator.subschema_for::<$object>()),+])),+]
    };
}

/// The lines of each command.
fn of_commands(generator: &mut SchemaGenerator) -> Definitions {
    definitions! { generator;
        "generate": "A line for each table that is there at the end, or with `--dry-run` for each plan."
            [Generated, Planned];
        "probe": "A line for each position."
            [Probe, Brief, SearchedProbe, Unanswered, Greeting];
        "explain": "A line for each position."
            [Alternatives, SearchedAlternatives, Unanswered, Greeting];
        "solve": "A line for each position."
            [Solved, Unanswered, Greeting];
        "study": "A line for each study."
            [Study, UncheckedStudy, UnreadStudies];
        "certify": "A line for the certificate."
            [Certified];
        "verify": "A line for each table."
            [Verified];
        "stats": "A line for each material."
            [Stats];
        "find": "A line for each position, those with the most choices first."
            [Find];
        "list": "A line for each table."
            [Listed];
        "moves": "A line for each position."
            [Moves, Unanswered, Greeting];
    }
}

/// The lines of the protocol, over standard input and over HTTP.
fn of_protocol(generator: &mut SchemaGenerator) -> Definitions {
    definitions! { generator;
        "greeting": "The answer to the line `protocol`: who answers." [Greeting];
        "probe": "`probe --json`, `/probe`." [Probe];
        "brief": "`probe --brief --json`." [Brief];
        "line": "`explain --json`, `/line`." [Alternatives];
        "searchedProbe": "`probe --seconds --json`, if the tables have no answer." [SearchedProbe];
        "searchedLine": "`explain --seconds --json`, if the tables have no answer."
            [SearchedAlternatives];
        "solve": "`solve --json`, `/solve`." [Solved<'_>];
        "progress": "`/solve` with `progress=1`, before the last line." [Progress<Solved<'_>>];
        "moves": "`moves --json`, `/moves`." [Moves];
        "endings": "`/endings`." [Endings];
        "tables": "`/tables`." [Tables];
        "unanswered": "A line, or a request, about a position that has no answer." [Unanswered<'_>];
        "refused": "A request that was refused and is not about a position." [Refused<'_>];
    }
}

/// A schema with these definitions. If it is `closed`, objects have no other keys.
fn schema(
    title: &str,
    description: &str,
    definitions: fn(&mut SchemaGenerator) -> Definitions,
    closed: bool,
) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut all = json!({});
    let names = definitions(&mut generator);
    for (name, about, objects) in &names {
        all[name] = match objects.as_slice() {
            [object] => json!({ "description": about, "$ref": object.get("$ref") }),
            objects => json!({ "description": about, "anyOf": objects }),
        };
    }
    for (name, mut object) in generator.take_definitions(true) {
        refine(&name, &mut object, closed);
        all[name] = object;
    }
    let any: Vec<Value> =
        names.iter().map(|(name, ..)| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description,
        "anyOf": any,
        "$defs": all,
    })
}

/// The words that the values of a key can be, wherever it stands.
fn words(key: &str) -> Option<Vec<&'static str>> {
    let standings =
        [Standing::OnlyLegal, Standing::Only, Standing::Best, Standing::Keeps, Standing::GivesAway];
    Some(match key {
        "command" => vec!["probe", "line", "solve", "moves"],
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

/// Adds to the definition of an object what its types do not say.
fn refine(name: &str, object: &mut Value, closed: bool) {
    plain(object);
    let has = |object: &Value, key: &str| object["properties"].get(key).is_some();
    let required = object["required"].as_array().cloned().unwrap_or_default();
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (key, property) in &mut *properties {
        // A key that can be absent is null only if its description says when.
        let told = property["description"].as_str().unwrap_or_default().contains("`null`");
        if !told && !required.contains(&json!(key)) {
            remove_null(property);
        }
        assert!(property.get("description").is_some(), "{name}.{key} has no description");
        assert_eq!(
            told,
            is_nullable(property),
            "{name}.{key}: the description says when it is null"
        );
        let place = if property["type"] == "array" { &mut property["items"] } else { property };
        if let Some(words) = words(key).filter(|_| place.get("enum").is_none()) {
            let null = is_nullable(place).then_some(Value::Null);
            place["enum"] = words.into_iter().map(Value::from).chain(null).collect();
        }
        if let Some(place) = place.as_object_mut().filter(|place| place.contains_key("enum")) {
            place.remove("type");
        }
        let limit = match key.as_str() {
            "error" => ("minLength", 1),
            "max_columns" => ("minimum", 2),
            "move" => ("minLength", 5),
            "protocol" => ("const", i64::from(PROTOCOL)),
            _ => continue,
        };
        place[limit.0] = json!(limit.1);
    }
    if has(object, "wdl") && has(object, "dtw") {
        // A draw has no distance.
        object["if"] = json!({ "properties": { "wdl": { "enum": ["win", "loss"] } } });
        object["else"] = json!({ "properties": { "dtw": { "type": "null" } } });
    }
    if has(object, "line_end") && !required.contains(&json!("line_end")) {
        object["dependentRequired"] = json!({ "line": ["line_end"], "line_end": ["line"] });
    }
    if closed {
        object["additionalProperties"] = json!(false);
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
    let types = property["type"].as_array();
    let any = property["anyOf"].as_array();
    types.is_some_and(|types| types.contains(&json!("null")))
        || any.is_some_and(|any| any.contains(&json!({ "type": "null" })))
}

fn remove_null(property: &mut Value) {
    let Some(property) = property.as_object_mut() else { return };
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        let only = types.remove(0);
        property.insert("type".to_owned(), only);
    }
    if let Some(Value::Array(mut any)) = property.remove("anyOf") {
        property.insert("$ref".to_owned(), any[0]["$ref"].take());
    }
}

/// The name of the definition that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The page that lists all keys.
struct Page<'a> {
    schema: &'a Value,
    shown: Vec<String>,
    text: String,
}

impl Page<'_> {
    fn of(schema: &Value) -> String {
        let mut page = Page { schema, shown: Vec::new(), text: PREFACE.to_owned() };
        for name in schema["anyOf"].as_array().unwrap().iter().filter_map(referred) {
            let definition = &schema["$defs"][name];
            let objects: Vec<&str> = match definition["anyOf"].as_array() {
                Some(any) => any.iter().filter_map(referred).collect(),
                None => referred(definition).into_iter().collect(),
            };
            page.add(&format!("\n## `lasca-tb {name} --json`\n\n"));
            page.add(definition["description"].as_str().unwrap());
            if objects.len() > 1 {
                page.add(" It is one of these objects:\n\n| object | what it is |\n| --- | --- |");
                for object in &objects {
                    let about = page.description(object);
                    page.add(&format!("\n| {} | {about} |", link(object)));
                }
            }
            page.add("\n");
            objects.into_iter().for_each(|object| page.show(object));
        }
        page.text
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn description(&self, object: &str) -> String {
        cell(&self.schema["$defs"][object]["description"])
    }

    /// The keys of an object, and then those of its parts, unless they are there already.
    fn show(&mut self, object: &str) {
        let definition = &self.schema["$defs"][object];
        let Some(properties) = definition["properties"].as_object() else { return };
        if self.shown.iter().any(|shown| shown == object) {
            return;
        }
        self.shown.push(object.to_owned());
        let about = self.description(object);
        self.add(&format!(
            "\n### {object}\n\n{about}\n\n| key | value | meaning |\n| --- | --- | --- |\n"
        ));
        let required = definition["required"].as_array().unwrap();
        let mut parts = Vec::new();
        for (key, property) in properties {
            let mut values = self.values(property, &mut parts);
            if !required.contains(&json!(key)) {
                values.push("absent".to_owned());
            }
            let value = either(&values);
            self.add(&format!("| `{key}` | {value} | {} |\n", cell(&property["description"])));
        }
        parts.iter().for_each(|part| self.show(part));
    }

    /// What a value can be, in words: one of these. Objects in it are added to `parts`.
    fn values(&self, schema: &Value, parts: &mut Vec<String>) -> Vec<String> {
        let word = |value: &Value| match value.as_str() {
            Some(word) => format!("`{word}`"),
            None => value.to_string(),
        };
        if let Some(name) = referred(schema) {
            let definition = &self.schema["$defs"][name];
            if let Some(variants) = definition["oneOf"].as_array() {
                return variants.iter().map(|variant| word(&variant["const"])).collect();
            }
            parts.push(name.to_owned());
            return vec![link(name)];
        }
        if let Some(words) = schema["enum"].as_array() {
            return words.iter().map(word).collect();
        }
        if let Some(any) = schema["anyOf"].as_array() {
            return any.iter().flat_map(|one| self.values(one, parts)).collect();
        }
        if let Some(constant) = schema.get("const") {
            return vec![word(constant)];
        }
        if let Some(items) = schema["prefixItems"].as_array() {
            let items: Vec<String> =
                items.iter().map(|item| either(&self.values(item, parts))).collect();
            return vec![format!("[{}]", items.join(", "))];
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        };
        let of_kind = |kind: &Value| match kind.as_str().unwrap() {
            "array" => {
                let items = either(&self.values(&schema["items"], parts));
                let plural = if schema["items"]["type"] == "string" { "s" } else { "" };
                format!("list of {items}{plural}")
            }
            kind => kind.to_owned(),
        };
        kinds.into_iter().map(of_kind).collect()
    }
}

/// `a, b or c`.
fn either(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.concat(),
    }
}

fn link(object: &str) -> String {
    format!("[{object}](#{})", object.to_lowercase())
}

/// A text in a cell of a table.
fn cell(text: &Value) -> String {
    text.as_str().unwrap().replace('|', "\\|")
}

/// To write the files: `UPDATE_SCHEMA=1 cargo test -p lasca-tb --bins schema`.
#[test]
fn the_schemas_and_the_page_of_keys_are_made_from_the_types() {
    let output = schema(
        "Lines of lasca-tb with --json",
        "Each line that a command of lasca-tb writes with --json. The definition with the name of a \
         command is what its lines are. Values are for the side to move, or of a move for the side \
         that makes it; distances are in plies.",
        of_commands,
        true,
    );
    let protocol = schema(
        &format!("Lines of lasca-tb, protocol {PROTOCOL}"),
        "Each line that lasca-tb probe, explain, solve and moves write with --json, and each body that \
         lasca-tb serve sends as JSON, or line of such a body, is one of these objects. Values are for \
         the side to move, or of a move for the side that makes it; distances are in plies. Readers \
         ignore keys that they do not know.",
        of_protocol,
        false,
    );
    let pretty = |schema: &Value| serde_json::to_string_pretty(schema).unwrap() + "\n";
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    for (name, text) in [
        ("output.schema.json", pretty(&output)),
        ("protocol.schema.json", pretty(&protocol)),
        ("OUTPUT.md", Page::of(&output)),
    ] {
        let path = Path::new(docs).join(name);
        if std::env::var_os("UPDATE_SCHEMA").is_some_and(|value| value == "1") {
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        let same = found.replace("\r\n", "\n") == text;
        assert!(
            same,
            "docs/{name} is out of date; write it with: UPDATE_SCHEMA=1 cargo test -p lasca-tb \
             --bins schema"
        );
    }
}

#[test]
fn every_command_with_json_has_a_definition() {
    let mut generator = SchemaGenerator::default();
    let defined: Vec<&str> = of_commands(&mut generator).iter().map(|one| one.0).collect();
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let commands: Vec<&str> =
        names.filter(|name| !without_effect(name).contains(&"json")).collect();
    assert_eq!(defined, commands);
}
