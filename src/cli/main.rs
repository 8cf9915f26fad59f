//! The command line of the Lasca tablebases.

fn main() {}
