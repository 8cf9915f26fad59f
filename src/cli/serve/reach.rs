//! Who can reach the server under which names, and that no page of another site starts work.
//!
//! Any page in a browser can send requests to any address, also to one that only this machine can reach.
//! It cannot read the answers, but the work would be done.

use super::refusal::Refusal;
use hyper::http::uri::Authority;
use hyper::{HeaderMap, StatusCode, header, header::HeaderValue};
use std::net::IpAddr;

/// Who can reach the server, and under which names.
#[derive(Debug)]
pub struct Reach {
    /// Whether only programs on this machine can reach the server. Then browsers of today say of every request
    /// which site it comes from (`Sec-Fetch-Site`). At other addresses without https, and from older browsers,
    /// only POST requests tell.
    pub is_local: bool,
    /// Whether only this machine asks: no other reaches the server, and no names were given, as for a proxy.
    pub is_for_one: bool,
    /// The names under which it may be reached.
    hosts: Vec<String>,
}

/// Reads the name of a host.
pub fn host(text: &str) -> Result<String, String> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match !text.is_empty() && text.chars().all(is_known) {
        true => Ok(text.to_owned()),
        false => Err(format!("expected a name such as tables.example, found {text:?}")),
    }
}

impl Reach {
    /// The server listens at `addrs`, and is reached under `hosts` too.
    pub fn new(mut addrs: impl Iterator<Item = IpAddr>, mut hosts: Vec<String>) -> Reach {
        let is_local = addrs.all(|addr| addr.to_canonical().is_loopback());
        let is_for_one = is_local && hosts.is_empty();
        hosts.push("localhost".to_owned());
        Reach { is_local, is_for_one, hosts }
    }

    /// Checks that the request names the server by an address or by one of its names. A web page can point its
    /// own domain at this address, and browsers would then treat the server as part of its site ("DNS
    /// rebinding").
    pub fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_expected = |host: &&HeaderValue| {
            let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
            authority.is_some_and(|authority| {
                let name = without_dot(authority.host());
                let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
                ip.is_ok_and(|ip| !self.is_local || ip.to_canonical().is_loopback())
                    || self.hosts.iter().any(|host| name.eq_ignore_ascii_case(without_dot(host)))
            })
        };
        // A browser always sends the header. If there are several, each must be expected.
        let mut hosts = headers.get_all(header::HOST).iter();
        let Some(host) = hosts.find(|host| !is_expected(host)) else { return Ok(()) };
        Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            format!(
                "expected localhost, {} or a name of --host in the Host header, found {host:?}",
                if self.is_local { "127.0.0.1, [::1]" } else { "an IP address" }
            ),
        ))
    }
}

/// Checks that the request does not come from a page of another origin.
pub fn check_page(headers: &HeaderMap) -> Result<(), Refusal> {
    let origin = headers.get(header::ORIGIN);
    // No page can choose the first of these headers, and a proxy may have changed `Host`, with which the
    // second one is compared.
    let is_of_other = match headers.get("sec-fetch-site") {
        Some(site) => site != "same-origin" && site != "none",
        None => origin.is_some_and(|origin| !is_own(origin, headers)),
    };
    if !is_of_other {
        return Ok(());
    }
    let found = origin.map_or("one of another site".to_owned(), |origin| format!("{origin:?}"));
    Err(Refusal::new(
        StatusCode::FORBIDDEN,
        format!("expected a request of a program or of the page of this server, found {found}"),
    ))
}

/// The name of a host, which may end with a dot, without it.
fn without_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// Whether this is the origin of the server, as the request names it. A proxy may have changed the scheme.
fn is_own(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let name = origin.as_bytes();
    let name = name.strip_prefix(b"https://").or_else(|| name.strip_prefix(b"http://"));
    name.zip(host).is_some_and(|(name, host)| name.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_address_of_ipv4_written_as_ipv6_is_local() {
        for (addr, is_local) in
            [("::ffff:127.0.0.1", true), ("::1", true), ("::ffff:10.0.0.1", false), ("::", false)]
        {
            assert_eq!(
                Reach::new([addr.parse().unwrap()].into_iter(), Vec::new()).is_local,
                is_local,
                "{addr}"
            );
        }
    }
}
