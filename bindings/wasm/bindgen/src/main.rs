//! Writes the JavaScript that loads a WebAssembly file made by `bindings/wasm`, and the file as it is loaded:
//! `lasca-tb-bindgen FILE.wasm OUT_FOLDER`.

use std::env;
use std::error::Error;
use std::path::Path;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [wasm, out] = arguments.as_slice() else {
        return Err("usage: lasca-tb-bindgen FILE.wasm OUT_FOLDER".into());
    };
    let name = Path::new(wasm).file_stem().and_then(|name| name.to_str()).unwrap_or("lasca_tb");
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name(name).web(true)?.typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(out)?;
    Ok(())
}
