//! Readers of the values of options.

use clap::builder::TypedValueParser;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The parser of an option that is a whole number in this range.
pub fn number<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let found = match text.parse::<i128>() {
                Ok(_) => text.to_owned(),
                Err(_) => format!("{text:?}"),
            };
            format!("expected a whole number from {least} to {most}, found {found}")
        })
    }
}

/// A number of seconds, at least 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("expected a number of seconds such as 10 or 0.5, found {text:?}"))
}

/// Reads a size: bytes, or a number with a unit (`8M`, `1.5G`, `1GiB` in powers of 1024, `1GB` in
/// powers of 1000).
pub fn size(text: &str) -> Result<u64, String> {
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
        let bytes = number * factor as f64;
        return if bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(too_large()) };
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
            assert_eq!(size(text), Ok(bytes), "{text}");
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
            assert!(size(text).is_err(), "{text}");
        }
    }
}
