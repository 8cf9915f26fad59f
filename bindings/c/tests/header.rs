//! The header, `include/lasca_tb.h`, is written by hand. It declares what the source has.

use std::fs;
use std::path::Path;

/// The declarations of a header, in order, without comments, and without the macros that set up structs:
/// no source in Rust can have those.
fn declarations(header: &str) -> Vec<String> {
    let code = header.split_once("\n */\n").map_or(header, |(_, code)| code);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    let words = lines.filter(|line| !line.contains("_INIT {")).flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ").split_inclusive(';').map(str::to_owned).collect()
}

#[test]
fn the_header_declares_what_the_source_has() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).unwrap();
    let generated = cbindgen::Builder::new()
        .with_config(config)
        .with_src(crate_folder.join("src/lib.rs"))
        .generate()
        .unwrap();
    let mut made = Vec::new();
    generated.write(&mut made);
    let of_source = declarations(&String::from_utf8(made).unwrap());
    let header = fs::read_to_string(crate_folder.join("include/lasca_tb.h")).unwrap();
    let of_header = declarations(&header);
    for (declared, expected) in of_header.iter().zip(&of_source) {
        assert_eq!(declared, expected, "the header declares the first, and the source the second");
    }
    assert_eq!(of_header.len(), of_source.len());
    assert!(of_source.len() > 100, "only {} declarations were found", of_source.len());
}
