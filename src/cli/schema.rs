//! The schema of the lines of JSON, `docs/output.schema.json`. It is made from the structs that are printed and the first
//! paragraphs of their documentation. A test compares it with the file.

use crate::json::{Answer, Failed, Greeting, Unanswered};
use crate::{certify, find, generate, json, list, review, serve, stats, studies, study, verify};
use lasca_analysis::answer::json::Searching;
use lasca_analysis::find::json::Endings;
use lasca_analysis::study::json::Studies;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value, json};

/// The text of the schema.
pub fn text() -> String {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(finish))
        .into_generator();
    let mut defs = Map::new();
    macro_rules! lines {
        ($($name:literal: $($type:ty),+; $about:literal)+) => {$(
            let any_of = [$(generator.subschema_for::<$type>()),+];
            defs.insert($name.to_owned(), json!({ "description": $about, "anyOf": any_of }));
        )+};
    }
    lines! {
        "generate": generate::Made, generate::Planned;
            "A line for each table that is there at the end, or with `--dry-run` for each plan."
        "probe": Answer, Unanswered, Greeting; "A line for each position; `/probe`."
        "explain": Answer, Unanswered, Greeting; "A line for each position; `/explain`."
        "solve": Answer, Unanswered, Greeting; "A line for each position; `/solve`, last line."
        "study": study::Checked, studies::Unchecked; "A line for each study."
        "review": review::Ply, studies::Unchecked; "A line for each position of each game."
        "certify": certify::Certified; "A line for the certificate."
        "verify": verify::Verified; "A line for each table."
        "stats": stats::Counts; "A line for each material."
        "find": find::Found; "A line for each position, those with the most choices first."
        "list": list::Listed; "A line for each table."
        "moves": Answer, Unanswered, Greeting; "A line for each position; `/moves`."
        "known": Answer, serve::Untold, Unanswered; "`/known`."
        "progress": Searching; "`/solve` with `progress=1`, before the last line."
        "making": serve::Making; "`/make`, before the last line."
        "endings": Endings; "`/endings`."
        "studies": Studies; "`/studies`."
        "tables": serve::Tables; "`/tables`."
        "version": Greeting; "`/version`."
        "refused": Failed; "A request that was refused and is not about a position."
    }
    let any_of: Vec<Value> =
        defs.keys().map(|name| json!({ "$ref": format!("#/$defs/{name}") })).collect();
    defs.append(&mut generator.take_definitions(true));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Lines of lasca-tb with --json, protocol {}", json::PROTOCOL),
        "description": "The definition with the name of a command is what each of its lines is. Values are for the side to \
            move, or of a move for the side that makes it; distances are in plies. Readers ignore keys that they do not know.",
        "anyOf": any_of,
        "$defs": defs,
    });
    let mut text = String::new();
    write(&schema, 0, &mut text);
    text + "\n"
}

/// Keys that come together: where one is, the other is too.
const PAIRS: [[&str; 2]; 5] = [
    ["wdl", "dtw"],
    ["at_most", "excluded"],
    ["line", "line_end"],
    ["positions", "seconds"],
    ["replies", "holding"],
];

/// Adds what the types do not tell, and removes what tells only how Rust stores a number.
fn finish(schema: &mut Schema) {
    let Some(keys) = schema.as_object_mut() else { return };
    if let Some(Value::String(about)) = keys.get_mut("description") {
        *about = about.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    }
    keys.remove("format");
    keys.retain(|key, value| key != "maximum" || *value != json!(u16::MAX));
    keys.remove("nullable");
    let may_be_null = keys.get("type").and_then(Value::as_array).is_some();
    if let Some(Value::Array(words)) = keys.get_mut("enum").filter(|_| may_be_null) {
        words.push(Value::Null);
    }
    let required = keys.get("required").cloned().unwrap_or_default();
    let is_required =
        |key: &str| required.as_array().is_some_and(|keys| keys.contains(&json!(key)));
    let Some(Value::Object(properties)) = keys.get_mut("properties") else { return };
    for (key, property) in properties.iter_mut() {
        if !is_required(key) && property.get("nullable").is_none() {
            forbid_null(property);
        }
    }
    let together = |pair: &&[&str; 2]| {
        pair.iter().all(|&key| properties.contains_key(key) && !is_required(key))
    };
    let pairs =
        PAIRS.iter().filter(together).flat_map(|&[one, other]| [(one, other), (other, one)]);
    let pairs: Map<String, Value> =
        pairs.map(|(one, other)| (one.into(), json!([other]))).collect();
    if properties.contains_key("wdl") && properties.contains_key("dtw") {
        keys.insert("if".into(), json!({ "properties": { "wdl": { "enum": ["win", "loss"] } } }));
        keys.insert("else".into(), json!({ "properties": { "dtw": { "type": "null" } } }));
    }
    if !pairs.is_empty() {
        keys.insert("dependentRequired".into(), pairs.into());
    }
}

/// Removes `null` from what a key may be.
fn forbid_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [name] = &types[..] {
            schema["type"] = name.clone();
        }
    }
    if let Some(Value::Array(any_of)) = schema.get_mut("anyOf") {
        any_of.retain(|schema| *schema != json!({ "type": "null" }));
        if let [one] = &any_of[..] {
            let (one, keys) = (one.clone(), schema.as_object_mut());
            keys.into_iter().for_each(|keys| {
                keys.remove("anyOf");
                keys.extend(one.as_object().cloned().unwrap_or_default());
            });
        }
    }
}

/// Writes a value. Each key of a definition has a line of its own.
fn write(value: &Value, depth: usize, text: &mut String) {
    let line = value.to_string();
    match value {
        Value::Object(keys) if depth < 4 && line.len() > 100 => {
            for (i, (key, value)) in keys.iter().enumerate() {
                let (begin, indent) = (if i == 0 { "{" } else { "," }, "  ".repeat(depth + 1));
                text.push_str(&format!("{begin}\n{indent}{}: ", json!(key)));
                write(value, depth + 1, text);
            }
            text.push_str(&format!("\n{}}}", "  ".repeat(depth)));
        }
        _ => text.push_str(&line),
    }
}
