//! The parameters of a request.

use super::refusal::Refusal;
use hyper::StatusCode;

/// A position, for messages.
pub const POSITION: &str = "a1WWW+b2BBB+w";

/// The refusal of a request with wrong parameters.
pub fn wrong(error: impl Into<String>) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, error)
}

/// The values of the parameters of these names. Each may be given once, and no other may be given. If
/// there is an example of the first, it must be given.
pub fn read<const N: usize>(
    query: Option<String>,
    names: [&str; N],
    example: Option<&str>,
) -> Result<[Option<String>; N], Refusal> {
    let mut values = [const { None }; N];
    let known = || names.map(|name| format!("{name}=")).join(", ");
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let Some(at) = names.iter().position(|&known| known == name) else {
            return Err(wrong(format!("expected {}, found {name}=", known())));
        };
        if values[at].replace(value.into_owned()).is_some() {
            return Err(wrong(format!("expected one {name}=, found two")));
        }
    }
    match example {
        Some(example) if values[0].is_none() => {
            let first = names[0];
            let others = if N > 1 { format!(" (of {})", known()) } else { String::new() };
            Err(wrong(format!("expected {first}= such as {first}={example}{others}, found none")))
        }
        _ => Ok(values),
    }
}

/// Reads `name=1` or `name=0`; `false` if it is not given.
pub fn flag(name: &str, value: Option<&str>) -> Result<bool, Refusal> {
    match value {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(wrong(format!("expected {name}=1 or {name}=0, found {other:?}"))),
    }
}
