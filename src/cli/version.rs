//! What `--version` says.

use crate::json::PROTOCOL;
use lasca_tablebase::table;
use std::sync::LazyLock;

/// The version, and what else people and programs may have to know about this build.
pub fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        // The build script knows the commit, if this is built from a checkout.
        let commit = option_env!("LASCA_TB_COMMIT").map(|commit| format!(" (commit {commit})"));
        let features = [
            ("included", cfg!(feature = "included")),
            ("mpi", cfg!(feature = "mpi")),
            ("server", cfg!(feature = "server")),
        ];
        let features = features.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name);
        let features = features.collect::<Vec<&str>>().join(", ");
        let features = if features.is_empty() { "none" } else { &features };
        format!(
            "{}{}\nfeatures: {features}\ntable format: {}\nprotocol: {PROTOCOL}",
            env!("CARGO_PKG_VERSION"),
            commit.unwrap_or_default(),
            table::VERSION,
        )
    });
    &LONG
}
