//! A position drawn as SVG.

use super::scan::excerpt;
use crate::rules::{Color, Column, Counter, CounterKind, Move, Position, Square};
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::str::FromStr;
use thiserror::Error;

/// The width of a square. All lengths in the picture are in this unit: a hundredth of a square.
const SQUARE: f64 = 100.0;

/// The margin for the coordinates at the left and below, and the room for the line around the board.
const MARGIN: f64 = 46.0;
const FRAME: f64 = 4.0;

/// A counter is a disc with these radii, seen at an angle, and this thickness.
const RADIUS_X: f64 = 36.0;
const RADIUS_Y: f64 = 14.0;
const THICKNESS: f64 = 13.0;

/// A pile of discs is at most so high. It then covers the unused square behind its own square, where no other
/// column can stand. The discs of a higher column are thinner.
const HIGHEST: f64 = 164.0;

/// Numbers stand beside a column of at least this many counters.
const COUNTED: usize = 4;

/// The colour of what stands beside the board. It can be read on a light page and on a dark one.
const LABEL: &str = "#757575";

/// How a position is drawn.
///
/// Each column is drawn as a pile of discs. An officer has a ring on its top and a mark on its side, so
/// officers and soldiers differ on paper without colours too. Columns of four or more counters have numbers
/// beside them: how many counters of each colour there are, from the top down. High columns rise above their
/// square. If one does so on the last rank, the picture is higher.
///
/// ```
/// use lasca_tablebase::notation::{Palette, Picture, parse_move};
/// use lasca_tablebase::rules::{Position, RuleSet};
///
/// let position: Position = "a1WWW b2BBB w".parse()?;
/// let (arrow, _) = parse_move("a1-c3", &position, RuleSet::Lasca)?;
/// let picture = Picture { size: 500, palette: Palette::WOOD, arrow: Some(arrow), ..Picture::default() };
/// let svg = picture.svg(&position);
/// assert!(svg.starts_with("<svg class=\"board\"") && svg.contains("width=\"500\""));
/// assert!(svg.contains("<title>Board: a1WWW b2BBB; White to move; arrow a1-b2-c3</title>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The width in pixels.
    pub size: u16,
    /// The colours.
    pub palette: Palette,
    /// Whether letters and numbers stand beside the board.
    pub coordinates: bool,
    /// Whether a counter in the corner below shows the side to move.
    pub side_to_move: bool,
    /// The move that an arrow shows. It need not be legal.
    pub arrow: Option<Move>,
    #[doc(hidden)]
    pub _more: (),
}

impl Default for Picture {
    fn default() -> Picture {
        Picture {
            size: 360,
            palette: Palette::PRINT,
            coordinates: true,
            side_to_move: true,
            arrow: None,
            _more: (),
        }
    }
}

impl Picture {
    /// The sizes that can be read well, and that programs can show.
    pub const SIZES: RangeInclusive<u16> = 100..=10_000;

    /// The picture of a position: a whole SVG file, which can stand in a page of HTML too. It has a
    /// description for those who cannot see it. A style sheet can set the colours by the classes of the
    /// parts.
    pub fn svg(&self, position: &Position) -> String {
        let side = 7.0 * SQUARE;
        let top = |(square, column): (Square, Column)| {
            let (lowest, step) = pile(column.height());
            2.0 + RADIUS_Y + step * column.height() as f64 - lowest - middle(square).1
        };
        let above = position.columns().map(top).fold(FRAME, f64::max).ceil();
        let margin = if self.coordinates || self.side_to_move { MARGIN } else { FRAME };
        let (width, height) = (margin + side + FRAME, above + side + margin);
        let title = escaped(&self.title(position));
        let pixels = (f64::from(self.size) * height / width).round();
        let Palette { ground, field, black: edge, .. } = self.palette;
        let mut svg = format!(
            "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{pixels}\" \
             viewBox=\"{} {} {width} {height}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>\
             <rect class=\"ground\" fill=\"{ground}\" width=\"{side}\" height=\"{side}\"/>\
             <path class=\"field\" fill=\"{field}\" d=\"",
            self.size, -margin, -above
        );
        for square in Square::all() {
            let (x, y) = middle(square);
            let _ = write!(svg, "M{} {}h{SQUARE}v{SQUARE}h-{SQUARE}z", x - 50.0, y - 50.0);
        }
        let _ = write!(
            svg,
            "\"/><rect fill=\"none\" stroke=\"{edge}\" stroke-width=\"3\" width=\"{side}\" \
             height=\"{side}\"/><g font-family=\"sans-serif\" font-size=\"28\">"
        );
        if self.coordinates {
            push_coordinates(&mut svg);
        }
        // From the top rank down, so that a high column hides what stands behind it.
        let mut columns: Vec<(Square, Column)> = position.columns().collect();
        columns.sort_by_key(|(square, _)| std::cmp::Reverse(square.rank()));
        for (square, column) in columns {
            self.push_column(&mut svg, square, column);
        }
        svg.push_str("</g>");
        if let Some(played) = &self.arrow {
            self.push_arrow(&mut svg, played);
        }
        if self.side_to_move {
            let (fill, _) = self.palette.of(position.side_to_move());
            let (x, y) = (-MARGIN / 2.0, side + MARGIN / 2.0);
            let _ = write!(
                svg,
                "<circle fill=\"{fill}\" stroke=\"{LABEL}\" stroke-width=\"4\" cx=\"{x}\" cy=\"{y}\" r=\"14\"/>"
            );
        }
        svg.push_str("</svg>");
        svg
    }

    /// The picture in words.
    fn title(&self, position: &Position) -> String {
        let text = position.to_string();
        let board = text.rsplit_once(' ').map_or(text.as_str(), |(board, _)| board);
        let mut title = format!("Board: {board}");
        if self.side_to_move {
            let _ = write!(title, "; {} to move", position.side_to_move());
        }
        if let Some(arrow) = self.arrow {
            let _ = write!(title, "; arrow {arrow}");
        }
        title
    }

    fn push_column(&self, svg: &mut String, square: Square, column: Column) {
        let (x, y) = middle(square);
        let (lowest, step) = pile(column.height());
        let line = (step / 4.0).min(2.5);
        let (rx, ry, across) = (RADIUS_X, RADIUS_Y, 2.0 * RADIUS_X);
        let counters: Vec<Counter> = column.counters().collect();
        let top_of = |from_top: usize| lowest - step * (counters.len() - from_top) as f64;
        let _ = write!(svg, "<g transform=\"translate({x} {y})\" stroke-width=\"{line:.1}\">");
        for (from_top, counter) in counters.iter().enumerate().rev() {
            let (fill, contrast) = self.palette.of(counter.color);
            let (class, top) = (counter.color.name(), top_of(from_top));
            let _ = write!(
                svg,
                "<path class=\"{class}\" fill=\"{fill}\" stroke=\"{contrast}\" d=\"M-{rx} {top:.1}v{step:.1}\
                 a{rx} {ry} 0 0 0 {across} 0v-{step:.1}a{rx} {ry} 0 0 0-{across} 0\
                 a{rx} {ry} 0 0 0 {across} 0\"/>"
            );
            if counter.kind == CounterKind::Officer {
                let (front, flat) = (top + ry + step / 2.0, 0.27 * step);
                let _ = write!(
                    svg,
                    "<ellipse class=\"mark\" fill=\"{contrast}\" cy=\"{front:.1}\" rx=\"12\" ry=\"{flat:.1}\"/>"
                );
                if from_top == 0 {
                    let _ = write!(
                        svg,
                        "<ellipse class=\"ring\" fill=\"none\" stroke=\"{contrast}\" stroke-width=\"3.5\" \
                         cy=\"{top:.1}\" rx=\"23\" ry=\"8\"/>"
                    );
                }
            }
        }
        if counters.len() >= COUNTED {
            // To the right of each run of counters of one colour, or on the last file to the left. An edge tells it
            // from the square beside it.
            let (anchor, x) = if square.file() == 6 { ("end", -40) } else { ("start", 40) };
            let mut above = 0;
            for run in counters.chunk_by(|one, next| one.color == next.color) {
                let y = (top_of(above) + top_of(above + run.len())) / 2.0 + 16.0;
                // Not all programs draw the edge of a text before the text itself, so it is a text of its own.
                let (white, black, count) = (self.palette.white, self.palette.black, run.len());
                let place = format!("x=\"{x}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"");
                let _ = write!(
                    svg,
                    "<text class=\"edge\" fill=\"{white}\" stroke=\"{white}\" stroke-width=\"6\" \
                     stroke-linejoin=\"round\" aria-hidden=\"true\" {place}>{count}</text>\
                     <text class=\"count\" fill=\"{black}\" {place}>{count}</text>"
                );
                above += run.len();
            }
        }
        svg.push_str("</g>");
    }

    /// A line through the squares on which the column lands, with an edge that stands out from the columns.
    fn push_arrow(&self, svg: &mut String, played: &Move) {
        let points: Vec<(f64, f64)> =
            std::iter::once(played.from()).chain(played.landings()).map(middle).collect();
        let [.., from, to] = points.as_slice() else { return };
        let (dx, dy) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        // The line ends where the head begins.
        let end = (to.0 - 24.0 * dx, to.1 - 24.0 * dy);
        let mut line = String::new();
        for (x, y) in points[..points.len() - 1].iter().chain([&end]) {
            let _ = write!(line, "{}{x} {y}", if line.is_empty() { 'M' } else { 'L' });
        }
        let head = format!(
            "M{} {}L{} {}L{} {}z",
            to.0 + 4.0 * dx,
            to.1 + 4.0 * dy,
            end.0 - 18.0 * dy,
            end.1 + 18.0 * dx,
            end.0 + 18.0 * dy,
            end.1 - 18.0 * dx
        );
        for (color, wider) in [(self.palette.white, 8), (self.palette.arrow, 0)] {
            let _ = write!(
                svg,
                "<g class=\"arrow\" stroke=\"{color}\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\
                 <path fill=\"none\" stroke-width=\"{}\" d=\"{line}\"/>\
                 <path fill=\"{color}\" stroke-width=\"{}\" d=\"{head}\"/></g>",
                9 + wider,
                2 + wider
            );
        }
    }
}

/// How far below the middle of its square the underside of a column of this height is, and how high each of
/// its discs is.
fn pile(height: usize) -> (f64, f64) {
    let step = THICKNESS.min(HIGHEST / height as f64);
    // A low column stands in the middle of its square, a higher one at the edge in front.
    ((step * height as f64 / 2.0).min(SQUARE / 2.0 - RADIUS_Y - 4.0), step)
}

/// The middle of a square.
fn middle(square: Square) -> (f64, f64) {
    let at = |squares: i32| (f64::from(squares) + 0.5) * SQUARE;
    (at(square.file()), at(6 - square.rank()))
}

fn push_coordinates(svg: &mut String) {
    for (i, file) in ('a'..='g').enumerate() {
        let middle = (i as f64 + 0.5) * SQUARE;
        let _ = write!(
            svg,
            "<text class=\"label\" fill=\"{LABEL}\" text-anchor=\"middle\" x=\"{middle}\" y=\"{}\">{file}</text>\
             <text class=\"label\" fill=\"{LABEL}\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
            7.0 * SQUARE + 32.0,
            -MARGIN / 2.0,
            middle + 10.0,
            7 - i
        );
    }
}

/// The colours of a picture.
///
/// ```
/// use lasca_tablebase::notation::Palette;
/// assert_eq!("wood".parse(), Ok(Palette::WOOD));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The squares that are not used.
    ground: &'static str,
    /// The squares that are used.
    field: &'static str,
    /// White counters, and the marks on black ones.
    white: &'static str,
    /// Black counters, and the marks on white ones.
    black: &'static str,
    arrow: &'static str,
}

impl Palette {
    /// Black, white and grey, for printing.
    pub const PRINT: Palette = Palette {
        ground: "#ffffff",
        field: "#cccccc",
        white: "#ffffff",
        black: "#000000",
        arrow: "#000000",
    };

    /// The colours of a wooden board. Its squares are those of the page of `lasca-tb serve`.
    pub const WOOD: Palette = Palette {
        ground: "#7d5b3c",
        field: "#ecd9b6",
        white: "#fdfcf8",
        black: "#26221e",
        arrow: "#a42f1c",
    };

    /// The colour of a counter, and of its marks and edges.
    fn of(self, color: Color) -> (&'static str, &'static str) {
        match color {
            Color::White => (self.white, self.black),
            Color::Black => (self.black, self.white),
        }
    }
}

/// A text is no palette.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected print or wood, found {found:?}")]
pub struct ParsePaletteError {
    /// The text.
    pub found: String,
}

impl FromStr for Palette {
    type Err = ParsePaletteError;

    /// Reads `print` or `wood`.
    fn from_str(text: &str) -> Result<Palette, ParsePaletteError> {
        match text {
            "print" => Ok(Palette::PRINT),
            "wood" => Ok(Palette::WOOD),
            _ => Err(ParsePaletteError { found: excerpt(text) }),
        }
    }
}

/// A text as it stands in HTML and in SVG, in an attribute too.
pub fn escaped(text: &str) -> String {
    // No page or picture may hold these.
    let text = text.replace(|c: char| c.is_control() && !matches!(c, '\n' | '\t'), "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_pages_and_pictures_have_no_control_characters() {
        assert_eq!(escaped("a <b>\u{1b}[31m\n\u{9b}&"), "a &lt;b&gt;\u{fffd}[31m\n\u{fffd}&amp;");
    }

    #[test]
    fn a_picture_has_all_its_counters_and_tells_officers_from_soldiers() {
        let position: Position = "a1WWWWwwwwwbbB b2BBw c3b w".parse().unwrap();
        let svg = Picture::default().svg(&position);
        let count = |part: &str| svg.matches(part).count();
        let counted =
            ["white", "black", "mark", "ring", "count"].map(|class| count(&format!("\"{class}\"")));
        assert_eq!(counted, [10, 6, 7, 2, 2]);
        assert!(svg.contains(">9</text>") && svg.contains(">3</text>"));
    }
}
