//! Which web pages may ask the server, and under which names.
//!
//! Any page in a browser can send requests to any address, also to one that only this machine can reach.
//! It cannot read the answers, but the work would be done.

use super::refusal::Refusal;
use hyper::http::uri::Authority;
use hyper::{HeaderMap, StatusCode, Uri, header, header::HeaderValue};
use std::net::IpAddr;

/// Which web pages may ask, and under which names.
#[derive(Debug)]
pub struct Origins {
    /// Whether only programs on this machine can reach the server. Then browsers of today say of every request
    /// which site it comes from (`Sec-Fetch-Site`). At other addresses without https, and from older browsers,
    /// only POST requests tell.
    pub is_local: bool,
    /// Whether names or pages of others were given, so that more than this machine asks: through a proxy.
    pub is_for_others: bool,
    /// The names under which it may be reached.
    hosts: Vec<String>,
    /// The origins of the pages that may ask beside the page of the server.
    allowed: Vec<AllowedOrigin>,
}

/// An origin whose pages may ask.
#[derive(Clone, Debug)]
pub struct AllowedOrigin {
    /// The origin as browsers write it, or `*` for all.
    pub header: HeaderValue,
    /// The host of the origin; `None` for all.
    host: Option<String>,
}

/// Reads the name of a host.
pub fn host(text: &str) -> Result<String, String> {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match !text.is_empty() && text.chars().all(is_known) {
        true => Ok(text.to_owned()),
        false => Err(format!("expected a name such as tables.example, found {text:?}")),
    }
}

impl AllowedOrigin {
    /// Reads an origin as browsers write it, or `*`.
    pub fn read(text: &str) -> Result<AllowedOrigin, String> {
        if text == "*" {
            return Ok(AllowedOrigin { header: HeaderValue::from_static("*"), host: None });
        }
        let read = || {
            let uri = text.parse::<Uri>().ok()?;
            let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme))?;
            let is_known =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._:[]".contains(c);
            let host = uri.host().filter(|host| !host.is_empty() && host.chars().all(is_known))?;
            let usual = if scheme == "https" { 443 } else { 80 };
            let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
            // There is nothing else in an origin.
            if format!("{scheme}://{host}{port}") != text {
                return None;
            }
            // Browsers leave out the usual port.
            let origin = text.strip_suffix(&format!(":{usual}")).unwrap_or(text);
            let header = HeaderValue::from_str(origin).ok()?;
            Some(AllowedOrigin { header, host: Some(host.to_owned()) })
        };
        read().ok_or_else(|| {
            format!("expected an origin such as https://example.org, or *, found {text:?}")
        })
    }
}

impl Origins {
    /// The server listens at `addrs`, is reached under `hosts` too, and pages of the origins `allowed` may
    /// ask too.
    pub fn new(
        mut addrs: impl Iterator<Item = IpAddr>,
        mut hosts: Vec<String>,
        allowed: Vec<AllowedOrigin>,
    ) -> Origins {
        let is_local = addrs.all(|addr| addr.to_canonical().is_loopback());
        let is_for_others = !hosts.is_empty() || !allowed.is_empty();
        hosts.extend(allowed.iter().filter_map(|allowed| allowed.host.clone()));
        hosts.push("localhost".to_owned());
        Origins { is_local, is_for_others, hosts, allowed }
    }

    fn allows_all(&self) -> bool {
        self.allowed.iter().any(|allowed| allowed.host.is_none())
    }

    /// The header of answers that tells browsers which pages may read them, if there are any but those of the
    /// server: `*` for all, or the origin of the page that asks if that may. Otherwise it is one that may. Also returns
    /// whether another page gets another header.
    pub fn readers(&self, headers: &HeaderMap) -> Option<(&HeaderValue, bool)> {
        let of_all = self.allowed.iter().find(|allowed| allowed.host.is_none());
        let origin = headers.get(header::ORIGIN);
        let of_page = || self.allowed.iter().find(|allowed| Some(&allowed.header) == origin);
        let allowed = of_all.or_else(of_page).or(self.allowed.first())?;
        Some((&allowed.header, of_all.is_none() && self.allowed.len() > 1))
    }

    /// Checks that the request names the server by an address or by one of its names. A web page can point its
    /// own domain at this address, and browsers would then treat the server as part of its site ("DNS
    /// rebinding").
    pub fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        // A browser always sends the header.
        let Some(host) = headers.get(header::HOST) else { return Ok(()) };
        if self.allows_all() {
            return Ok(());
        }
        let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
        let is_expected = authority.is_some_and(|authority| {
            let name = without_dot(authority.host());
            let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
            ip.is_ok_and(|ip| !self.is_local || ip.to_canonical().is_loopback())
                || self.hosts.iter().any(|host| name.eq_ignore_ascii_case(without_dot(host)))
        });
        if is_expected {
            return Ok(());
        }
        Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            format!(
                "expected localhost, {} or a name of --host in the Host header, found {host:?}",
                if self.is_local { "127.0.0.1, [::1]" } else { "an IP address" }
            ),
        ))
    }

    /// Checks that the request does not come from a page of another origin, unless that one is allowed.
    pub fn check_page(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let origin = headers.get(header::ORIGIN);
        // No page can choose the first of these headers, and a proxy may have changed `Host`, with which the
        // second one is compared.
        let is_of_other = match headers.get("sec-fetch-site") {
            Some(site) => site != "same-origin" && site != "none",
            None => origin.is_some_and(|origin| !is_own(origin, headers)),
        };
        let is_named = |allowed: &AllowedOrigin| Some(&allowed.header) == origin;
        let is_allowed = self.allows_all() || self.allowed.iter().any(is_named);
        if is_allowed || !is_of_other {
            return Ok(());
        }
        let found = origin.map_or("one of another site".to_owned(), |origin| format!("{origin:?}"));
        Err(Refusal::new(
            StatusCode::FORBIDDEN,
            format!(
                "expected a request of a program, of the page of this server, or of a page of an \
                 origin that --allow-origin names, found {found}"
            ),
        ))
    }
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
                Origins::new([addr.parse().unwrap()].into_iter(), Vec::new(), Vec::new()).is_local,
                is_local,
                "{addr}"
            );
        }
    }

    #[test]
    fn an_origin_is_read_as_browsers_write_it() {
        for (text, header, host) in [
            ("http://example.org", "http://example.org", "example.org"),
            ("http://example.org:80", "http://example.org", "example.org"),
            ("http://example.org:443", "http://example.org:443", "example.org"),
            ("https://example.org:443", "https://example.org", "example.org"),
            ("https://example.org:8443", "https://example.org:8443", "example.org"),
            ("https://[::1]:443", "https://[::1]", "[::1]"),
            ("https://[::443]", "https://[::443]", "[::443]"),
        ] {
            let origin = AllowedOrigin::read(text).unwrap();
            assert_eq!(origin.header, header);
            assert_eq!(origin.host.as_deref(), Some(host));
        }
        assert_eq!(AllowedOrigin::read("*").unwrap().host, None);
    }

    #[test]
    fn what_no_browser_sends_is_no_origin() {
        let wrong = "example.org HTTPS://Example.org ftp://example.org https:// https://:80 https://a:b:80 \
            https://example.org:443:443 https://example.org/ https://example.org?query \
            https://user@example.org https://*.example.org https://example.org: \
            https://example.org:65536";
        for text in wrong.split(' ') {
            assert!(AllowedOrigin::read(text).is_err(), "{text}");
        }
    }
}
