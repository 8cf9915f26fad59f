//! File descriptors: how many the server needs, and how many connections fit.
//!
//! Each open connection holds one. If none is left, nobody can connect any more, so the server takes
//! only as many connections as fit.

/// Descriptors for everything but tables, threads and connections: the standard streams, the listener,
/// the event loop and its signals, a connection that waits for a slot, folders that are looked
/// through, and what the program inherited.
const OTHERS: usize = 24;

/// The descriptors of the two files of a table, and of those that replace them: both are open for a
/// moment.
const PER_TABLE: usize = 4;

/// What a thread that looks positions up may open for a moment: the two files of a table.
const PER_WORKER: usize = 2;

/// How many descriptors the server needs beside those of connections.
pub fn reserved(tables: usize, workers: usize) -> usize {
    PER_TABLE * tables + PER_WORKER * workers + OTHERS
}

/// How many of these connections fit, with what the system is asked to allow; and what to tell the user
/// if these are fewer.
///
/// # Errors
/// If not even one connection fits.
pub fn fitting(connections: usize, reserved: usize) -> Result<(usize, Option<String>), String> {
    match allow(connections + reserved) {
        Some(allowed) => within(connections, reserved, allowed),
        None => Ok((connections, None)),
    }
}

/// As [`fitting`], if the system allows this many descriptors.
fn within(
    connections: usize,
    reserved: usize,
    allowed: usize,
) -> Result<(usize, Option<String>), String> {
    let left = allowed.saturating_sub(reserved);
    if left >= connections {
        return Ok((connections, None));
    }
    let about =
        format!("the system allows {allowed} open files, and {reserved} are for other things");
    if left == 0 {
        return Err(format!(
            "expected room for connections, but {about}; ulimit -n sets the limit"
        ));
    }
    let lowered = format!(
        "connections are limited to {left} instead of {connections}: {about}; ulimit -n sets the limit"
    );
    Ok((left, Some(lowered)))
}

/// Asks the system to allow this many descriptors. Returns how many it allows; `None` if it sets no
/// limit.
#[cfg(unix)]
fn allow(wanted: usize) -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current?;
    let wanted = wanted as u64;
    if current < wanted {
        let raised = limit.maximum.map_or(wanted, |most| most.min(wanted));
        let raised = Rlimit { current: Some(raised), maximum: limit.maximum };
        // If it fails, the limit is what it was.
        let _ = setrlimit(Resource::Nofile, raised);
    }
    getrlimit(Resource::Nofile)
        .current
        .map(|allowed| usize::try_from(allowed).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn allow(_: usize) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_connections_are_taken_as_descriptors_are_left() {
        let reserved = reserved(9, 2);
        assert_eq!(within(512, reserved, 1024), Ok((512, None)));
        assert_eq!(within(512, reserved, 512 + reserved), Ok((512, None)));
        let (fewer, said) = within(512, reserved, reserved + 1).unwrap();
        assert_eq!(fewer, 1);
        assert!(said.unwrap().starts_with("connections are limited to 1 instead of 512: "));
        for allowed in [0, reserved] {
            assert!(within(512, reserved, allowed).unwrap_err().contains("ulimit -n"));
        }
    }
}
