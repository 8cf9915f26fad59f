//! Memory: how much is free, how much this process uses, and sizes as users write them.

/// How many bytes are free for this process, within the limit of its container. `None` if the system
/// does not tell.
pub fn available() -> Option<u64> {
    if !sysinfo::IS_SUPPORTED_SYSTEM {
        return None;
    }
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let machine = system.available_memory();
    // The container can give up the memory that caches its files, so that counts as free.
    let container =
        system.cgroup_limits().map_or(u64::MAX, |c| c.total_memory.saturating_sub(c.rss));
    Some(machine.min(container)).filter(|&bytes| bytes > 0)
}

/// The most memory that this process has used so far, in bytes. This is its greatest resident set,
/// without the pages of files that are mapped now, most of which are its own code. `None` if the
/// system does not tell.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = |name| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some(kib("VmHWM:")?.saturating_sub(kib("RssFile:")?) << 10)
}

/// Below this limit, the memory that the allocator keeps for each thread matters.
const SMALL: u64 = 32 << 20;

/// Makes the allocator return freed memory to the system, and keep less for each thread if the limit
/// is small. Call this before any thread is started.
pub fn tune_allocator(limit: Option<u64>) {
    allocator::return_freed_memory();
    if limit.is_some_and(|limit| limit < SMALL) {
        allocator::use_one_arena();
    }
}

/// Without these settings `generate 4-3 --memory 8M` does not keep to its limit, which a test in
/// `tests/program/memory.rs` checks.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod allocator {
    /// Freed pieces larger than this go back to the system.
    const PIECE: libc::c_int = 64 << 10;

    fn set(parameter: libc::c_int, value: libc::c_int) {
        // SAFETY: `mallopt` takes two integers and no pointers; a parameter or value that it refuses
        // changes nothing. It may not run beside other threads that allocate: the only caller does
        // so before any thread is started.
        unsafe { libc::mallopt(parameter, value) };
    }

    pub fn return_freed_memory() {
        set(libc::M_MMAP_THRESHOLD, PIECE);
        set(libc::M_TRIM_THRESHOLD, PIECE);
    }

    pub fn use_one_arena() {
        set(libc::M_ARENA_MAX, 1);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod allocator {
    pub fn return_freed_memory() {}
    pub fn use_one_arena() {}
}

/// Reads a size: bytes, or a number with a unit (`8M`, `1.5G`, `1GiB` in powers of 1024, `1GB` in
/// powers of 1000).
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected =
        || format!("expected a size such as 8M, 12G, 1GiB or a number of bytes, found {text:?}");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (prefix, base) = match unit.strip_suffix('b') {
        None => (unit.as_str(), 1024u64),
        Some(rest) => match rest.strip_suffix('i') {
            Some(prefix) => (prefix, 1024),
            None => (rest, 1000),
        },
    };
    let power = match prefix {
        "" if unit != "ib" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(expected()),
    };
    let factor = base.pow(power);
    let too_large = || format!("expected a size below 16 EiB, found {text:?}");
    if number.contains('.') {
        let number: f64 = number.parse().map_err(|_| expected())?;
        let size = number * factor as f64;
        return if size < u64::MAX as f64 { Ok(size as u64) } else { Err(too_large()) };
    }
    if number.is_empty() {
        return Err(expected());
    }
    number.parse().ok().and_then(|number: u64| number.checked_mul(factor)).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_all_their_forms() {
        let good = [
            ("8M", 8 << 20),
            ("12G", 12 << 30),
            ("1GiB", 1 << 30),
            ("1gib", 1 << 30),
            ("4096", 4096),
            ("4096B", 4096),
            ("1.5K", 1536),
            ("2 MB", 2_000_000),
            ("1T", 1 << 40),
            ("0", 0),
        ];
        for (text, bytes) in good {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "M",
            "-1",
            "1X",
            "1.2.3",
            ".",
            "1ib",
            "1GG",
            "99999999999999999999",
            "20000000T",
            "NaN",
            "1e9",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
