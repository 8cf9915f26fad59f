//! Who asks.

use hyper::HeaderMap;
use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, SocketAddr};

/// The client of a request.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    addr: SocketAddr,
    /// The one for which a proxy asks.
    named: Option<IpAddr>,
}

impl Client {
    /// Whoever has connected from this address. A proxy on this machine names the client that it asks for.
    pub fn of(addr: SocketAddr, headers: &HeaderMap) -> Client {
        let named = headers.get_all("x-forwarded-for").iter().next_back();
        let named =
            named.and_then(|list| list.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
        Client { addr, named: named.filter(|_| addr.ip().to_canonical().is_loopback()) }
    }

    /// The address of the client.
    pub fn ip(&self) -> IpAddr {
        self.named.unwrap_or(self.addr.ip())
    }
}

impl Display for Client {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.named {
            Some(ip) => ip.fmt(f),
            None => self.addr.fmt(f),
        }
    }
}
