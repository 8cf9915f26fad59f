//! The parameters of a request.

use super::refusal::Refusal;
use hyper::StatusCode;

/// The refusal of a request with wrong parameters.
pub fn wrong(error: impl Into<String>) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, error)
}

/// The values of the parameters of these names. Each may be given once, and no other may be given.
pub fn read<const N: usize>(query: &str, names: [&str; N]) -> Result<[Option<String>; N], Refusal> {
    let mut values = [const { None }; N];
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some(at) = names.iter().position(|&known| known == name) else {
            let names = names.map(|name| format!("{name}=")).join(", ");
            return Err(wrong(format!("expected {names}, found {name}=")));
        };
        if values[at].replace(value.into_owned()).is_some() {
            return Err(wrong(format!("expected one {name}=, found two")));
        }
    }
    Ok(values)
}

/// The text of the position, which must be given.
pub fn position(value: Option<String>) -> Result<String, Refusal> {
    value.ok_or_else(|| {
        let error = "expected ?position= and a position such as a1WWW+b2BBB+w, found none";
        wrong(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_one_position() {
        let read = |query| {
            let [text] = read(query, ["position"]).map_err(|refusal| refusal.error)?;
            position(text).map_err(|refusal| refusal.error)
        };
        assert_eq!(read("position=a1W+b2B%20w"), Ok("a1W b2B w".to_owned()));
        assert_eq!(read("position="), Ok(String::new()));
        for (query, found) in
            [("", "none"), ("pos=a1W", "pos="), ("position=a&position=b", "two"), ("&&", "none")]
        {
            let error = read(query).unwrap_err();
            assert!(error.contains(&format!("found {found}")), "{error}");
        }
    }
}
