//! The header, `include/lasca_tb.h`, is what cbindgen makes of the source and its documentation.

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
