//! File descriptors: how many the server needs, and how many connections fit.
//!
//! Each open connection holds one. If none is left, nobody can connect any more, so the server takes
//! only as many connections as fit.

/// Descriptors for everything but tables and connections: the standard streams, the listener, the
/// event loop and its signals, a connection that waits for a place, and a folder that is looked through.
const OTHERS: usize = 12;

/// The descriptors of the two files of a table.
const PER_TABLE: usize = 2;

/// Descriptors for tables that are added later, and for those that replace others: both are open for
/// a moment. If they are missing, a table is replaced when there are fewer connections.
const RESERVE: usize = 16;

/// What the system is asked for beside what is needed now, as it costs nothing: room for many more
/// tables.
const GENEROUS: usize = 512;

/// Asks the system to allow these connections and tables, and more tables later. Returns how many
/// descriptors it allows. Call this before tables are opened.
pub fn allowed(connections: usize, tables: usize) -> usize {
    let wanted = connections + PER_TABLE * tables + OTHERS + GENEROUS;
    let allowed = rlimit::increase_nofile_limit(wanted as u64);
    // Who cannot be asked sets no limit that is known.
    allowed.map_or(wanted, |allowed| usize::try_from(allowed).unwrap_or(usize::MAX))
}

/// How many of these connections fit beside so many tables, if the system allows so many descriptors.
///
/// # Errors
/// If not even one connection fits.
pub fn fitting(connections: usize, tables: usize, allowed: usize) -> Result<usize, String> {
    let left = allowed.saturating_sub(PER_TABLE * tables + OTHERS);
    // If few are left, connections need half of them more than the reserve does.
    match (left - RESERVE.min(left / 2)).min(connections) {
        0 => Err(format!("expected room for connections, but {}", about(allowed, 0))),
        fitting => Ok(fitting),
    }
}

/// What the user may want to know if only so many connections fit.
pub fn about(allowed: usize, fitting: usize) -> String {
    let others = allowed - fitting;
    format!(
        "the system allows {allowed} open files, and {others} are for other things; ulimit -n sets the \
         limit"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_connections_are_taken_as_descriptors_are_left() {
        let needed = PER_TABLE * 9 + OTHERS;
        for (left, fits) in [
            (1, 1),
            (2, 1),
            (10, 5),
            (2 * RESERVE, RESERVE),
            (100, 84),
            (512 + RESERVE, 512),
            (999, 512),
        ] {
            assert_eq!(fitting(512, 9, needed + left), Ok(fits));
        }
        for allowed in [0, needed] {
            assert!(fitting(512, 9, allowed).unwrap_err().contains("ulimit -n"));
        }
    }
}
