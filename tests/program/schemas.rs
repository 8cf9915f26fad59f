//! The lines of JSON are what the schema in `docs` says, and it is made from the structs that are printed.

use crate::ROOT;
use crate::common::checker::run_python;
use crate::common::python::not_checked;
use crate::run::{Folder, Ran, run, run_with_input, write_wrong_table};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// `docs/output.schema.json`.
fn schema() -> Value {
    let path = Path::new(ROOT).join("docs/output.schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What the package `jsonschema` of Python says of lines, each with the command that answered with it: the
/// errors, and the keys of the schema that no line has. `None` if there is no such Python.
///
/// Lines may have no other keys than those that the schema names. Readers must ignore others, but this
/// program writes none.
fn checked(lines: &[(String, Value)]) -> Option<Value> {
    const CHECK: &str = "\
import json, sys
try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit('this Python has no jsonschema')
definitions, lines = json.load(sys.stdin)
for definition in definitions.values():
    if 'properties' in definition:
        definition['additionalProperties'] = False

def errors(schema, value):
    return Draft202012Validator({**schema, '$defs': definitions}).iter_errors(value)

def add_keys(schema, value, keys):
    'Adds the keys of a schema: all of them, or those that a list of one value has of what it fits.'
    if value and any(errors(schema, value[0])):
        return
    for one in schema.get('anyOf', []) + schema.get('oneOf', []):
        add_keys(one, value, keys)
    if 'items' in schema:
        for element in [None] if not value else [[e] for e in value[0] or []]:
            add_keys(schema['items'], element, keys)
    name = schema.get('$ref', '').removeprefix('#/$defs/')
    definition = definitions.get(name, {})
    if 'properties' not in definition:
        return name and add_keys(definition, value, keys)
    for key, inner in definition['properties'].items():
        if value and key not in value[0] or not value and f'{name}.{key}' in keys:
            continue
        keys.add(f'{name}.{key}')
        add_keys(inner, value and [value[0][key]], keys)

wrong, seen, all_keys = [], set(), set()
for command, line in lines:
    schema = {'$ref': '#/$defs/' + command}
    wrong += [f'{command}: {error.message} at {error.json_path} in {line}' for error in errors(schema, line)]
    add_keys(schema, [line], seen)
    add_keys(schema, None, all_keys)
print(json.dumps({'wrong': wrong, 'keys': len(all_keys), 'unseen': sorted(all_keys - seen)}))
";
    let input = json!([schema()["$defs"], lines]).to_string();
    let (printed, status) = run_python(&["-c", CHECK], input.as_bytes())?;
    if printed.contains("this Python has no jsonschema") {
        not_checked("Python has no jsonschema, which checks the lines of JSON");
        return None;
    }
    assert_eq!(status, 0, "{printed}");
    Some(serde_json::from_str(&printed).unwrap())
}

#[test]
fn every_line_is_as_the_schema_says() {
    let mut lines: Vec<(String, Value)> = Vec::new();
    let mut add = |ran: Ran| {
        let found = ran.json();
        assert!(!found.is_empty(), "{}: {}", ran.line, ran.stderr);
        let command = ran.line.split(' ').next().unwrap().to_owned();
        lines.extend(found.into_iter().map(|line| (command.clone(), line)));
    };

    let new = Folder::empty();
    for line in [
        "generate 1-1 2-1 --dry-run",
        "generate 3-3 --columns 3 --dry-run",
        "generate 1-1",
        "generate 1-1 6-1 --columns 3",
        "list",
        "verify",
        "verify --bytes-only",
        "verify 4-4",
        "stats 6-1",
        "stats 3-2 --by pieces,stackings --longest 2 --zugzwang",
    ] {
        add(new.run(format!("{line} --json")));
    }
    let damaged = Folder::with(&["1-1", "2-2"]);
    write_wrong_table(&damaged);
    add(damaged.run("verify --json"));
    damaged.damage("lasca-1-1.ltbw", 50..60);
    damaged.damage("lasca-2-2.ltbd", 10..20);
    add(damaged.run("list --json"));
    add(damaged.run("verify --json"));
    let damaged = Folder::of_bignor(&["2-2"]);
    damaged.damage("bignor-2-2.ltbd", 10..20);
    add(damaged.run_with_input("study - --json", "c3W e5W c5B e3B b loses\n"));

    let input = "protocol\na1WW b2B w\nid=1 c3WB w\n\na1w b2B w\nid=2 a1WWWWWW b2BBBBBB w\n";
    for line in [
        "probe",
        "probe --line",
        "probe --brief",
        "explain",
        "solve --seconds 0.01",
        "solve --moves --exact --seconds 0.01",
        "probe --rules rejump --seconds 0.01",
        "probe --line --rules rejump --seconds 0.01",
        "explain --rules rejump --seconds 0.01",
        "moves",
    ] {
        add(run_with_input(format!("{line} --json --stdin"), input));
        add(run(format!("{line} --json 'a1WW b2B w'")));
        add(run(format!("{line} --json 'a1WW b2B x'")));
    }
    add(run_with_input("solve --json --stdin", "id=2 protocol\n"));
    for line in [
        "find 3-2 --only-moves 2 --limit 3 --columns 2..5",
        "find 3-2 --value draw --limit 3 --columns 2..4",
        "find 2-2 --only-moves 1 --value draw --columns 2..4",
        "study tests/studies/05-two-oppositions.study",
        "review tests/studies/07-the-inner-ring.study tests/studies/09-three-officers-each.study",
        &format!("certify 'a1WW e3BB w' --out {}", new.file("proof")),
        &format!("certify 'a1W c3W g7B b' --out {}", new.file("proof")),
    ] {
        add(run(format!("{line} --json")));
    }
    for study in ["Leap\na1WW c1W b2B w\n1. c1-d2! a5-a6 1-0\n", "no study at all"] {
        add(run_with_input("study - --json", study));
        add(run_with_input("study - --json --seconds 0.1", study));
        add(run_with_input("review - --json", study));
    }
    #[cfg(feature = "server")]
    lines.extend(of_server());

    let Some(checked) = checked(&lines) else { return };
    assert_eq!(checked["wrong"], json!([]));
    assert!(checked["keys"].as_u64() > Some(100), "{checked}");
    // Elsewhere, no run is stopped.
    if cfg!(unix) {
        assert_eq!(checked["unseen"], json!([]), "keys that no run has printed");
    }
    // A key that the schema does not name is found.
    let (command, mut line) = lines.swap_remove(0);
    line["unknown"] = json!(1);
    let wrong = self::checked(&[(command, line)]).unwrap()["wrong"].to_string();
    assert!(wrong.contains("unknown"), "{wrong}");
}

#[test]
fn every_command_that_takes_json_has_a_definition_in_the_schema() {
    let mut taking = crate::setup::commands();
    let others = ["serve", "perft", "picture", "completions", "man"];
    taking.retain(|name| !others.contains(&name.as_str()));
    let schema = schema();
    assert!(taking.iter().all(|command| schema["$defs"].get(command).is_some()), "{taking:?}");
}

#[test]
#[cfg(feature = "schema")]
fn the_schema_is_made_from_the_source() {
    let made = lasca_tb_cli::schema::text();
    let path = Path::new(ROOT).join("docs/output.schema.json");
    if fs::read_to_string(&path).unwrap() != made {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("output.schema.json");
        fs::write(&new, made).unwrap();
        panic!("the schema is not that of the source: cp {} {}", new.display(), path.display());
    }
}

/// Answers of the server.
#[cfg(feature = "server")]
fn of_server() -> Vec<(String, Value)> {
    let server = crate::server::Server::start(&[]);
    let mut found: Vec<(&str, Value)> = [
        ("probe", "/probe?position=c3WW+e3BW+b6B+w"),
        ("explain", "/explain?position=c3WW+e3BW+b6B+w"),
        ("moves", "/moves?position=c3WW+e3BW+b6B+w"),
        ("known", "/known?position=c3WW+e3BW+b6B+w"),
        ("known", "/known?position=d2W+d4W+f2B+f4B+b"),
        ("known", "/known?position=a1w+b2b+w"),
        ("known", "/known?position=a1WWWWWW+b2BBBBBB+w"),
        ("known", "/known?position=x"),
        ("tables", "/tables"),
        ("version", "/version"),
        ("stats", "/stats?material=2-3"),
        ("refused", "/stats?material=x"),
        ("endings", "/endings?material=3-3&choices=3..&seed=1"),
        ("endings", "/endings?material=2-3&value=draw"),
        ("endings", "/endings?material=1-1&choices=..20"),
        ("refused", "/endings?material=9"),
        ("refused", "/endings?material=6-6"),
        ("solve", "/solve?position=a1w+b2b+w&moves=1&exact=1"),
        ("probe", "/probe?position=a1WWWWWW+b2BBBBBB+w"),
        ("explain", "/explain?position=x"),
        ("refused", "/probe"),
        ("refused", "/nothing"),
    ]
    .map(|(definition, target)| (definition, server.get(target).json()))
    .into();
    let mut client = server.connect();
    let text = "# T\nc3WW e3BW b6B w, wins {C} 7. c3-b4! {D} b6-a5 1/2 (b6-c5) (b6-c7) c3-b4";
    found.push(("studies", client.post("/studies", "", text).json()));
    found.push(("refused", client.post("/studies", "", "c3W").json()));
    let mut client = server.connect();
    client.ask("/solve?position=start&seconds=0.6&moves=1&progress=1");
    let mut progress = client.lines();
    found.push(("solve", progress.pop().unwrap()));
    found.extend(progress.into_iter().map(|line| ("progress", line)));
    found.into_iter().map(|(definition, line)| (definition.to_owned(), line)).collect()
}
