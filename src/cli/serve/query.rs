//! The parameters of a request.

use super::refusal::Refusal;
use crate::parsers;
use hyper::StatusCode;
use lasca_tablebase::index::Material;

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
    let known = || match N {
        0 => "no parameter".to_owned(),
        _ => names.map(|name| format!("{name}=")).join(", "),
    };
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        let Some(at) = names.iter().position(|&known| known == name) else {
            return Err(wrong(format!("expected {}, found {name}=", known())));
        };
        // A blank may be written as "+", and that again as "%2B". No position has another "+".
        let value = if name == "position" { value.replace('+', " ") } else { value.into_owned() };
        if values[at].replace(value).is_some() {
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

/// Reads the parameter of this name as an option of the command line is read; `None` if it is not given.
pub fn option<T>(
    name: &str,
    value: Option<String>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Refusal> {
    let read = value.as_deref().map(read).transpose();
    read.map_err(|why| wrong(format!("{name}=: {why}")))
}

/// Reads `name=1` or `name=0`; `false` if it is not given.
pub fn flag(name: &str, value: Option<String>) -> Result<bool, Refusal> {
    Ok(option(name, value, parsers::yes)?.unwrap_or(false))
}

/// A material.
pub fn material(text: &str) -> Result<Material, Refusal> {
    text.parse::<Material>().map_err(|error| wrong(format!("material=: {error}")))
}
