//! A position drawn as SVG.

use crate::rules::{Color, Column, CounterKind, Position, Square};
use std::fmt::Write;

/// The width of a square, and of the margin for the coordinates at the left and below.
const SQUARE: f64 = 40.0;
const MARGIN: f64 = 20.0;

/// A counter is an ellipse with these radii. `STEP` is the greatest distance between one counter and the
/// next.
const RADIUS_X: f64 = 14.0;
const RADIUS_Y: f64 = 8.0;
const STEP: f64 = 6.5;

/// The colours of a light page. A style sheet can set others by the classes of the parts. `LABEL` is for
/// what stands beside the board, and can be seen on a dark page too.
const GROUND: &str = "#e9dcc3";
const FIELD: &str = "#b98d5b";
const LABEL: &str = "#857660";
const WHITE: &str = "#fdfcf8";
const BLACK: &str = "#26221e";
const EDGE: &str = "#14110e";

/// The board with its columns as stacked counters and with coordinates along the edges. A ring marks a
/// column that an officer commands. `title` describes the picture for those who cannot see it.
///
/// The text is a whole SVG file, and it can stand in a page of HTML. The style sheet of the page can
/// set its size and colours.
///
/// ```
/// use lasca_tablebase::notation::board_svg;
/// let svg = board_svg(&"a1WWW b2BBB w".parse().unwrap(), "White to move");
/// assert!(svg.starts_with("<svg class=\"board\"") && svg.contains("White to move"));
/// ```
pub fn board_svg(position: &Position, title: &str) -> String {
    draw(position, title, None)
}

/// The picture of [`board_svg`] with the side to move, which a counter of its colour in the corner below
/// shows. The title is the position in words.
///
/// ```
/// use lasca_tablebase::notation::position_svg;
/// let svg = position_svg(&"a1WWW b2BBB w".parse().unwrap());
/// assert!(svg.contains("<title>Board: a1WWW b2BBB; White to move</title>"));
/// ```
pub fn position_svg(position: &Position) -> String {
    let side = Some(position.side_to_move());
    draw(position, &in_words(position, side), side)
}

/// A position in words, for those who cannot see the board.
pub(crate) fn in_words(position: &Position, side_to_move: Option<Color>) -> String {
    let text = position.to_string();
    let board = text.rsplit_once(' ').map_or(text.as_str(), |(board, _)| board);
    match side_to_move {
        Some(side) => format!("Board: {board}; {side} to move"),
        None => format!("Board: {board}"),
    }
}

fn draw(position: &Position, title: &str, side_to_move: Option<Color>) -> String {
    let side = 7.0 * SQUARE;
    let (width, height) = (MARGIN + side, side + MARGIN);
    let title = escaped(title);
    let mut svg = format!(
        "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\
         <title>{title}</title>\
         <rect class=\"ground\" fill=\"{GROUND}\" x=\"{MARGIN}\" width=\"{side}\" height=\"{side}\"/>\
         <g text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"14\" fill=\"{LABEL}\">"
    );
    for i in 0..7 {
        let middle = (f64::from(i) + 0.5) * SQUARE;
        let letter = (b'a' + i as u8) as char;
        let _ = write!(
            svg,
            "<text class=\"label\" x=\"{}\" y=\"{}\">{letter}</text>\
             <text class=\"label\" x=\"{}\" y=\"{}\">{}</text>",
            MARGIN + middle,
            height - 5.0,
            MARGIN / 2.0,
            middle + 5.0,
            7 - i
        );
    }
    let _ = write!(svg, "</g><g fill=\"{FIELD}\">");
    for square in Square::all() {
        let (x, y) = corner(square);
        let _ = write!(
            svg,
            "<rect class=\"field\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>"
        );
    }
    svg.push_str("</g>");
    // From the top rank down, so that a high column hides what stands behind it.
    let mut columns: Vec<(Square, Column)> = position.columns().collect();
    columns.sort_by_key(|(square, _)| std::cmp::Reverse(square.rank()));
    for (square, column) in columns {
        draw_column(&mut svg, square, column);
    }
    if let Some(color) = side_to_move {
        let (middle, name, (fill, _)) = (MARGIN / 2.0, color.name(), fill_and_ring(color));
        let _ = write!(
            svg,
            "<circle class=\"{name}\" fill=\"{fill}\" stroke=\"{LABEL}\" stroke-width=\"1.5\" \
             cx=\"{middle}\" cy=\"{}\" r=\"6\"/>",
            height - middle
        );
    }
    svg.push_str("</svg>");
    svg
}

/// The colour of a counter, and of the ring of an officer.
fn fill_and_ring(color: Color) -> (&'static str, &'static str) {
    match color {
        Color::White => (WHITE, BLACK),
        Color::Black => (BLACK, WHITE),
    }
}

fn corner(square: Square) -> (f64, f64) {
    (MARGIN + f64::from(square.file()) * SQUARE, f64::from(6 - square.rank()) * SQUARE)
}

fn draw_column(svg: &mut String, square: Square, column: Column) {
    let (x, y) = corner(square);
    let height = column.height();
    // A high column stays within its square, because its counters stand closer together.
    let room = SQUARE - 2.0 * RADIUS_Y - 6.0;
    let step = STEP.min(room / height.saturating_sub(1).max(1) as f64);
    let middle = x + SQUARE / 2.0;
    let lowest = y + (SQUARE + step * (height - 1) as f64) / 2.0;
    let counters: Vec<_> = column.counters().collect();
    for (above, counter) in counters.iter().rev().enumerate() {
        let class = counter.color.name();
        let (fill, ring) = fill_and_ring(counter.color);
        let at = lowest - step * above as f64;
        let _ = write!(
            svg,
            "<ellipse class=\"{class}\" fill=\"{fill}\" stroke=\"{EDGE}\" cx=\"{middle}\" \
             cy=\"{at:.1}\" rx=\"{RADIUS_X}\" ry=\"{RADIUS_Y}\"/>"
        );
        let is_top = above + 1 == height;
        if is_top && counter.kind == CounterKind::Officer {
            let _ = write!(
                svg,
                "<ellipse class=\"crown-{class}\" fill=\"none\" stroke=\"{ring}\" cx=\"{middle}\" \
                 cy=\"{at:.1}\" rx=\"8\" ry=\"4.2\" stroke-width=\"1.6\"/>"
            );
        }
    }
}

/// A text as it stands in HTML and in SVG, in an attribute too.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_all_its_counters_and_marks_its_officers() {
        let position: Position = "a1WWWWWWWWWWWW b2BBw c3b w".parse().unwrap();
        let svg = board_svg(&position, "a < b");
        assert_eq!(svg.matches("<ellipse class=\"white\"").count(), 13);
        assert_eq!(svg.matches("<ellipse class=\"black\"").count(), 3);
        assert_eq!(svg.matches("crown-").count(), 2);
        assert!(svg.contains("<title>a &lt; b</title>"));
    }
}
