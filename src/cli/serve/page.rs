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

/// All files of the page.
pub const ASSETS: [Asset; 13] = [
    Asset { path: "/", kind: "text/html; charset=utf-8", text: include_str!("../page/page.html") },
    Asset {
        path: "/page.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("../page/page.css"),
    },
    Asset { path: "/page.js", kind: SCRIPT, text: include_str!("../page/page.js") },
    Asset { path: "/board.js", kind: SCRIPT, text: include_str!("../page/board.js") },
    Asset { path: "/edits.js", kind: SCRIPT, text: include_str!("../page/edits.js") },
    Asset { path: "/endings.js", kind: SCRIPT, text: include_str!("../page/endings.js") },
    Asset { path: "/game.js", kind: SCRIPT, text: include_str!("../page/game.js") },
    Asset { path: "/lists.js", kind: SCRIPT, text: include_str!("../page/lists.js") },
    Asset { path: "/position.js", kind: SCRIPT, text: include_str!("../page/position.js") },
    Asset { path: "/practice.js", kind: SCRIPT, text: include_str!("../page/practice.js") },
    Asset { path: "/search.js", kind: SCRIPT, text: include_str!("../page/search.js") },
    Asset { path: "/words.js", kind: SCRIPT, text: include_str!("../page/words.js") },
    Asset { path: "/icon.svg", kind: "image/svg+xml", text: include_str!("../page/icon.svg") },
];

const SCRIPT: &str = "text/javascript; charset=utf-8";
