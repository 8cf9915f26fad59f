//! The header, `include/lasca_tb.h`, is what cbindgen makes of the source and its documentation, which describes each
//! function with its parameters and its result.

use std::fs;
use std::path::Path;

#[test]
fn the_header_is_made_from_the_source() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).unwrap();
    let generated = cbindgen::Builder::new()
        .with_config(config)
        .with_src(crate_folder.join("src/lib.rs"))
        .generate()
        .unwrap();
    let mut made = Vec::new();
    generated.write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let header = crate_folder.join("include/lasca_tb.h");
    if fs::read_to_string(&header).unwrap() != made {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lasca_tb.h");
        fs::write(&new, made).unwrap();
        panic!("the header is not that of the source: cp {} {}", new.display(), header.display());
    }
}

#[test]
fn each_function_is_described_with_its_parameters_and_the_test_program_calls_it() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [header, test] = ["include/lasca_tb.h", "tests/test.c"]
        .map(|name| fs::read_to_string(crate_folder.join(name)).unwrap());
    let mut functions = 0;
    for part in header.split("\n\n") {
        let (comment, code): (Vec<&str>, Vec<&str>) =
            part.lines().partition(|line| line.starts_with("///"));
        let code = code.join(" ");
        // A type, the name of a function, and its parameters.
        let Some((function, parameters)) =
            code.strip_suffix(");").and_then(|code| code.split_once('('))
        else {
            continue;
        };
        if function.starts_with("typedef") {
            continue;
        }
        let name = last_word(function);
        let parameters: Vec<&str> =
            parameters.split(',').map(last_word).filter(|&name| name != "void").collect();
        let described: Vec<&str> = comment
            .iter()
            .filter_map(|line| line.strip_prefix("/// \\param ")?.split(' ').next())
            .collect();
        assert_eq!(described, parameters, "the parameters of {name}");
        let has_result = comment.iter().any(|line| line.starts_with("/// \\return "));
        assert_eq!(has_result, function != format!("void {name}"), "the result of {name}");
        let is_told = comment.first().is_some_and(|line| !line.starts_with("/// \\"));
        assert!(is_told, "what {name} does is not described");
        assert!(test.contains(&format!("{name}(")), "{name} is not called");
        functions += 1;
    }
    assert!(functions > 20, "only {functions} functions were found");
}

/// The name at the end of a declaration in C.
fn last_word(declaration: &str) -> &str {
    declaration.rsplit([' ', '*']).next().unwrap_or_default()
}
