//! File descriptors: how many the server needs, and how many connections fit.
//!
//! Each open connection holds one. If none is left, nobody can connect any more, so the server takes
//! only as many connections as fit.

/// How many connections may be parting at a time: the client has got its answer, but may not have read it.
pub const PARTING_CONNECTIONS: usize = 8;

/// Descriptors for everything but tables and connections: the standard streams, the listener, the
/// event loop and its signals, a connection that waits for a slot, a folder that is looked through, and
/// connections that are parting.
const OTHERS: usize = 12 + PARTING_CONNECTIONS;

/// The descriptors of the two files of a table.
const PER_TABLE: usize = 2;

/// Descriptors for tables that are added later, and for those that replace others: both are open for
/// a moment. If they are missing, a table is replaced when there are fewer connections.
const RESERVE: usize = 16;

/// The reserve is given up for this many connections.
const FEW: usize = 8;

/// What the system is asked for beside what is needed now, as it costs nothing: room for many more
/// tables.
const GENEROUS: usize = 512;

/// Asks the system to allow so many connections, these tables, and more tables later. Call this before
/// tables are opened.
pub fn raise(connections: usize, tables: usize) {
    allow(connections + needed(tables) + GENEROUS);
}

/// How many descriptors the server needs beside those of connections.
fn needed(tables: usize) -> usize {
    PER_TABLE * tables + OTHERS
}

/// How many of these connections fit beside so many tables, with what the system allows; and what to
/// tell the user if these are fewer.
///
/// # Errors
/// If not even one connection fits.
pub fn fitting(connections: usize, tables: usize) -> Result<(usize, Option<String>), String> {
    match allowed() {
        Some(allowed) => within(connections, needed(tables), allowed),
        None => Ok((connections, None)),
    }
}

/// As [`fitting`], if the system allows this many descriptors.
fn within(
    connections: usize,
    needed: usize,
    allowed: usize,
) -> Result<(usize, Option<String>), String> {
    let left = allowed.saturating_sub(needed);
    let fitting = left.saturating_sub(RESERVE).max(left.min(FEW)).min(connections);
    if fitting == connections {
        return Ok((connections, None));
    }
    let about = format!(
        "the system allows {allowed} open files, and {} are for other things",
        needed.max(allowed - fitting)
    );
    if fitting == 0 {
        return Err(format!(
            "expected room for connections, but {about}; ulimit -n sets the limit"
        ));
    }
    let lowered = format!(
        "connections are limited to {fitting} instead of {connections}: {about}; ulimit -n sets the \
         limit"
    );
    Ok((fitting, Some(lowered)))
}

/// Asks the system to allow this many descriptors, if it allows fewer.
#[cfg(unix)]
fn allow(wanted: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = wanted as u64;
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = limit.maximum.map_or(wanted, |most| most.min(wanted));
        let raised = Rlimit { current: Some(raised), maximum: limit.maximum };
        // If it fails, the limit is what it was.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}

#[cfg(not(unix))]
fn allow(_: usize) {}

/// How many descriptors the system allows; `None` if it sets no limit.
#[cfg(unix)]
fn allowed() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    let allowed = getrlimit(Resource::Nofile).current?;
    Some(usize::try_from(allowed).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn allowed() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_connections_are_taken_as_descriptors_are_left() {
        let needed = needed(9);
        assert_eq!(within(512, needed, 1024), Ok((512, None)));
        assert_eq!(within(512, needed, 512 + needed + RESERVE), Ok((512, None)));
        let (fewer, said) = within(512, needed, 64).unwrap();
        assert!(fewer > FEW, "{fewer}");
        let said = said.unwrap();
        assert!(said.contains(&format!(" 64 open files, and {} are for", 64 - fewer)), "{said}");
        // The reserve is given up before connections are refused.
        for (left, fitting) in [(1, 1), (FEW, FEW), (RESERVE, FEW), (RESERVE + FEW + 1, FEW + 1)] {
            let (fewer, said) = within(512, needed, needed + left).unwrap();
            assert_eq!(fewer, fitting);
            let begin = format!("connections are limited to {fitting} instead of 512: ");
            assert!(said.unwrap().starts_with(&begin));
        }
        for allowed in [0, needed] {
            assert!(within(512, needed, allowed).unwrap_err().contains("ulimit -n"));
        }
    }
}
