//! Any bytes as a table.

#![no_main]

mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::table_bytes(data));
