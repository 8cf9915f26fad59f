//! What the fuzz targets do, on the inputs that are kept: `fuzz/README.md` tells how to look for more.

#[path = "../../fuzz/targets/bodies.rs"]
mod bodies;
use crate::ROOT;
use crate::common::tables::Files;
use std::fs;
use std::path::Path;

#[test]
fn every_kept_input_is_read_or_refused() {
    type Body = fn(&[u8]);
    let targets: [(&str, Body); 3] = [
        ("position_text", bodies::position_text),
        ("move_text", bodies::move_text),
        ("table_bytes", bodies::table_bytes),
    ];
    let mut kept = 0;
    for (target, body) in targets {
        let folder = Path::new(ROOT).join("fuzz/corpus").join(target);
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            // Shown if the test fails: the input that it failed on is the last.
            println!("{}", path.display());
            body(&fs::read(path).unwrap());
            kept += 1;
        }
    }
    assert!(kept > 50, "{kept} inputs");
}

#[test]
fn any_bytes_are_opened_as_a_table_or_refused() {
    for name in ["1-1", "2-1", "2-2"] {
        let files = Files::shipped(name);
        let whole = [&files.wdl[..], &files.dtw].concat();
        assert_eq!(bodies::two_files(&whole), (&files.wdl[..], Some(&files.dtw[..])));
        bodies::table_bytes(&whole);
        bodies::table_bytes(&whole[..whole.len() / 2]);
    }
}
