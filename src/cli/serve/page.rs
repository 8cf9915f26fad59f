//! The files of the page. The program contains them all, and the page loads nothing from elsewhere.

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use hyper::header::{self, HeaderName};
use hyper::{HeaderMap, StatusCode};
use std::hash::{DefaultHasher, Hasher};

/// How much work packing is. The files are small, and packed once.
const LEVEL: i32 = 19;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The path on the server.
    pub path: &'static str,
    /// The media type, for the header `Content-Type`.
    pub kind: &'static str,
    /// The content.
    pub text: &'static str,
}

/// A file of the page as it is sent.
#[derive(Clone, Debug)]
pub struct Sent {
    asset: Asset,
    /// The content, packed by zstd.
    packed: Option<Bytes>,
    /// The header `ETag`. It is a weak tag, because it is the same for the content and the packed content.
    tag: String,
}

impl Asset {
    /// The file as it is sent.
    pub fn sent(self) -> Sent {
        let mut hasher = DefaultHasher::new();
        hasher.write(self.text.as_bytes());
        let tag = format!("W/\"{:016x}\"", hasher.finish());
        let packed = zstd::bulk::compress(self.text.as_bytes(), LEVEL);
        Sent { asset: self, packed: packed.ok().map(Bytes::from), tag }
    }
}

impl Sent {
    /// Answers a request for the file. A browser that has it gets no copy.
    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let always = [(header::ETAG, self.tag.as_str()), (header::VARY, "Accept-Encoding")];
        let bare = |tag: &str| tag.trim_start_matches("W/").to_owned();
        let mut known = items(headers, header::IF_NONE_MATCH);
        if known.any(|known| known == "*" || bare(known) == bare(&self.tag)) {
            return (StatusCode::NOT_MODIFIED, always).into_response();
        }
        let kind = (header::CONTENT_TYPE, self.asset.kind);
        match &self.packed {
            Some(packed) if items(headers, header::ACCEPT_ENCODING).any(is_zstd) => {
                let encoding = (header::CONTENT_ENCODING, "zstd");
                (always, [kind, encoding], packed.clone()).into_response()
            }
            _ => (always, [kind], self.asset.text).into_response(),
        }
    }
}

/// The items of the lists that are the values of a header.
fn items(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(name).into_iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim)
}

/// Whether an item of `Accept-Encoding` says that the client unpacks zstd.
fn is_zstd(item: &str) -> bool {
    let (name, weight) = item.split_once(';').unwrap_or((item, ""));
    let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
    name.trim().eq_ignore_ascii_case("zstd") && weight != Some(0.0)
}

macro_rules! asset {
    ($path:expr, $kind:literal, $file:literal) => {
        Asset { path: $path, kind: $kind, text: include_str!(concat!("../page/", $file)) }
    };
    ($kind:literal, $file:literal) => {
        asset!(concat!("/", $file), $kind, $file)
    };
    ($file:literal) => {
        asset!("text/javascript; charset=utf-8", $file)
    };
}

/// All files of the page.
pub const ASSETS: [Asset; 28] = [
    asset!("/", "text/html; charset=utf-8", "page.html"),
    asset!("text/css; charset=utf-8", "page.css"),
    asset!("image/svg+xml", "icon.svg"),
    asset!("page.js"),
    asset!("address.js"),
    asset!("asking.js"),
    asset!("board.js"),
    asset!("edits.js"),
    asset!("endings.js"),
    asset!("game.js"),
    asset!("keys.js"),
    asset!("lists.js"),
    asset!("moving.js"),
    asset!("pictures.js"),
    asset!("playing.js"),
    asset!("position.js"),
    asset!("practice.js"),
    asset!("practising.js"),
    asset!("record.js"),
    asset!("refused.js"),
    asset!("reviewing.js"),
    asset!("values.js"),
    asset!("setup.js"),
    asset!("source.js"),
    asset!("state.js"),
    asset!("statistics.js"),
    asset!("view.js"),
    asset!("words.js"),
];
