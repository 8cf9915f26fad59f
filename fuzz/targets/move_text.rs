//! Any text as a move of a position.

#![no_main]

mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::move_text(data));
