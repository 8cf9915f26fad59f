//! Copies the tables of up to five counters to where maturin takes them from into the wheel.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let tables = Path::new("../../tables");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("tables");
    fs::create_dir_all(&out).expect("OUT_DIR can be written to");
    for material in ["1-1", "2-1", "3-1", "2-2", "4-1", "3-2"] {
        for kind in ["ltbw", "ltbd"] {
            let name = format!("lasca-{material}.{kind}");
            let from = tables.join(&name);
            println!("cargo::rerun-if-changed={}", from.display());
            if let Err(error) = fs::copy(&from, out.join(&name)) {
                panic!("cannot copy {} into the package: {error}", from.display());
            }
        }
    }
}
