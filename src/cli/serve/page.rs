//! The files of the page. The program contains them all, and the page loads nothing from elsewhere.

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
pub const ASSETS: [Asset; 13] = [
    asset!("/", "text/html; charset=utf-8", "page.html"),
    asset!("text/css; charset=utf-8", "page.css"),
    asset!("image/svg+xml", "icon.svg"),
    asset!("page.js"),
    asset!("board.js"),
    asset!("edits.js"),
    asset!("endings.js"),
    asset!("game.js"),
    asset!("lists.js"),
    asset!("position.js"),
    asset!("practice.js"),
    asset!("search.js"),
    asset!("words.js"),
];
