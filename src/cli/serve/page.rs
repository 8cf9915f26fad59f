//! The files of the page. The program contains them all, and the page loads nothing from elsewhere.

use axum::response::{IntoResponse, Response};
use hyper::header;
use hyper::{HeaderMap, StatusCode};
use std::hash::{DefaultHasher, Hasher};

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

impl Asset {
    /// Answers requests for the file. A browser that has it gets no copy.
    pub fn answer(self, headers: &HeaderMap) -> Response {
        let mut hasher = DefaultHasher::new();
        hasher.write(self.text.as_bytes());
        let tag = format!("\"{:016x}\"", hasher.finish());
        // There may be several tags, and a proxy that packs the file makes them weak ones: `W/"…"`.
        let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
        let is_known = known.is_some_and(|tags| tags.contains(&tag));
        let tag = [(header::ETAG, tag)];
        if is_known {
            return (StatusCode::NOT_MODIFIED, tag).into_response();
        }
        (tag, [(header::CONTENT_TYPE, self.kind)], self.text).into_response()
    }
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
pub const ASSETS: [Asset; 30] = [
    asset!("/", "text/html; charset=utf-8", "page.html"),
    asset!("text/css; charset=utf-8", "page.css"),
    asset!("image/svg+xml", "icon.svg"),
    asset!("page.js"),
    asset!("address.js"),
    asset!("asking.js"),
    asset!("board.js"),
    asset!("edits.js"),
    asset!("endings.js"),
    asset!("file.js"),
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
    asset!("settings.js"),
    asset!("setup.js"),
    asset!("source.js"),
    asset!("state.js"),
    asset!("statistics.js"),
    asset!("view.js"),
    asset!("words.js"),
];
