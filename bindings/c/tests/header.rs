//! The header that is checked in, `include/lasca_tb.h`, is the one that the source gives.
//! `UPDATE_HEADER=1 cargo test -p lasca-tb-c --test header` writes it anew.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_the_one_that_the_source_gives() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = crate_folder.join("include/lasca_tb.h");
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).unwrap();
    let generated = cbindgen::Builder::new()
        .with_config(config)
        .with_src(crate_folder.join("src/lib.rs"))
        .generate()
        .unwrap();
    let mut made = Vec::new();
    generated.write(&mut made);
    let made = String::from_utf8(made).unwrap();
    if env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&header, &made).unwrap();
    }
    let found = fs::read_to_string(&header).unwrap_or_default();
    assert!(
        found == made,
        "bindings/c/include/lasca_tb.h is stale; make it anew with: \
         UPDATE_HEADER=1 cargo test -p lasca-tb-c --test header"
    );
}
