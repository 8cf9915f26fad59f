//! Which web pages may ask the server, and under which names.
//!
//! Any page in a browser can send requests to any address, also to one that only this machine can reach.
//! It cannot read the answers, but the work would be done.

use super::refusal::Refusal;
use hyper::http::uri::{Authority, Uri};
use hyper::{HeaderMap, StatusCode, header, header::HeaderValue};
use std::net::IpAddr;

/// Which web pages may ask, and under which names.
#[derive(Debug)]
pub struct Origins {
    /// Whether only programs on this machine can reach the server.
    is_local: bool,
    /// The origin of the pages that may ask beside the page of the server, or `*`.
    pub allowed: Option<HeaderValue>,
    /// The host of `allowed`.
    allowed_host: Option<String>,
}

impl Origins {
    /// The server listens at `addr`, and pages of the origin `allowed` may ask too.
    pub fn new(addr: IpAddr, allowed: Option<HeaderValue>) -> Origins {
        let allowed_host = allowed.as_ref().and_then(|origin| {
            let origin: Uri = origin.to_str().ok()?.parse().ok()?;
            Some(origin.host()?.to_owned())
        });
        Origins { is_local: addr.is_loopback(), allowed, allowed_host }
    }

    fn allows_all(&self) -> bool {
        self.allowed.as_ref().is_some_and(|origin| origin == "*")
    }

    /// Checks that the request names this machine, if only this machine can reach the server. Otherwise,
    /// a page of another site could give its own name this address, and would pass for the page of the
    /// server ("DNS rebinding").
    pub fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        // A browser always sends the header.
        let Some(host) = headers.get(header::HOST) else { return Ok(()) };
        if !self.is_local || self.allows_all() {
            return Ok(());
        }
        let authority = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
        let is_expected = authority.is_some_and(|authority| {
            let name = authority.host();
            let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
            ip.is_ok_and(|ip| ip.is_loopback())
                || name.eq_ignore_ascii_case("localhost")
                || self.allowed_host.as_ref().is_some_and(|host| name.eq_ignore_ascii_case(host))
        });
        if is_expected {
            return Ok(());
        }
        Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            format!(
                "expected localhost, 127.0.0.1, [::1] or the host of --allow-origin in the Host \
                 header, found {host:?}"
            ),
        ))
    }

    /// Checks that the request does not come from a page of another origin, unless that one is allowed.
    pub fn check_page(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let origin = headers.get(header::ORIGIN);
        let of_other_site = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site != "same-origin" && site != "none");
        let of_other_origin = origin.is_some_and(|origin| !is_own(origin, headers));
        let is_allowed = self.allows_all() || (origin.is_some() && origin == self.allowed.as_ref());
        if is_allowed || !(of_other_site || of_other_origin) {
            return Ok(());
        }
        let found = origin.map_or("one of another site".to_owned(), |origin| format!("{origin:?}"));
        Err(Refusal::new(
            StatusCode::FORBIDDEN,
            format!(
                "expected a request of a program, of the page of this server, or of a page of the \
                 origin that --allow-origin names, found {found}"
            ),
        ))
    }
}

/// Whether this is the origin of the server, as the request names it. A proxy may have changed the scheme.
fn is_own(origin: &HeaderValue, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let name = origin.as_bytes();
    let name = name.strip_prefix(b"https://").or_else(|| name.strip_prefix(b"http://"));
    name.zip(host).is_some_and(|(name, host)| name.eq_ignore_ascii_case(host))
}
