//! Gives the dynamic library the name under which programs find it when they start.

use std::env;

/// The version in the name: `LASCA_TB_ABI_VERSION`.
const ABI_VERSION: u32 = 3;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liblasca_tb.so.{ABI_VERSION}");
    }
}
