//! Bars of shares, and histograms, as SVG.

use super::{escaped, grouped, percent};
use crate::statistics::Tally;
use lasca_tablebase::table::SliceStats;
use std::fmt::Write;

/// The shares of wins, draws and losses as one bar.
pub(super) fn shares_svg(tally: Tally, title: &str) -> String {
    let whole = tally.positions().max(1) as f64;
    let title = escaped(title);
    let mut svg = format!(
        "<svg viewBox=\"0 0 1000 20\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>"
    );
    let mut x = 0.0;
    for (class, count) in [("win", tally.win), ("draw", tally.draw), ("loss", tally.loss)] {
        let width = 1000.0 * count as f64 / whole;
        if count > 0 {
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"20\"/>"
            );
        }
        x += width;
    }
    svg.push_str("</svg>");
    svg
}

/// What a bar of shares shows, in words.
pub(super) fn shares_text(tally: Tally) -> String {
    let share = |count| percent(count, tally.positions());
    format!(
        "won {}, drawn {}, lost {} of {} positions",
        share(tally.win),
        share(tally.draw),
        share(tally.loss),
        grouped(tally.positions())
    )
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 42.0;

/// The greatest width of a digit or a comma on the scale, and the space beside the numbers.
const DIGIT: f64 = 6.6;
const BESIDE: f64 = 26.0;

/// How many positions have each distance: one bar for each ply, on a logarithmic scale.
pub(super) fn histogram_svg(stats: &SliceStats, title: &str) -> String {
    let title = escaped(title);
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>"
    );
    let longest = stats.max_dtw().unwrap_or(0);
    let most = stats.histogram.values().copied().max().unwrap_or(1);
    // The scale goes from 1 to the first power of ten that no count exceeds.
    let decades = (0..).find(|&n| 10u64.checked_pow(n).is_none_or(|power| power >= most));
    let decades = decades.unwrap_or(1).max(1);
    let (floor, room) = (HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP);
    // The floor is half a decade below 1, so that a single position has a bar.
    let height = |count: u64| room * ((count as f64).log10() + 0.5) / (f64::from(decades) + 0.5);
    let widest = grouped(10u64.saturating_pow(decades)).len();
    let left = BESIDE + DIGIT * widest as f64;
    let slot = (WIDTH - left - RIGHT) / f64::from(u32::from(longest) + 1);
    push_scale(&mut svg, decades, left, &|count| floor - height(count));
    for (&plies, &count) in &stats.histogram {
        let class = if plies % 2 == 1 { "win" } else { "loss" };
        let (x, height) = (left + slot * f64::from(plies), height(count));
        let _ = write!(
            svg,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" \
             height=\"{height:.1}\"/>",
            x + slot * 0.08,
            floor - height,
            slot * 0.84
        );
    }
    let plies_per_label = [1u16, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        .into_iter()
        .find(|&step| f64::from(step) * slot >= 26.0)
        .unwrap_or(5000);
    for plies in (0..=longest).step_by(usize::from(plies_per_label)) {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" font-size=\"11\" text-anchor=\"middle\">{plies}</text>",
            left + slot * (f64::from(plies) + 0.5),
            floor + 15.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\">plies to the end</text>\
         <text transform=\"translate(12 {}) rotate(-90)\" font-size=\"12\" \
         text-anchor=\"middle\">positions</text></svg>",
        (left + WIDTH - RIGHT) / 2.0,
        HEIGHT - 8.0,
        TOP + room / 2.0
    );
    svg
}

/// Adds the lines and numbers of the logarithmic scale. `y_of` is the y of a count.
fn push_scale(svg: &mut String, decades: u32, left: f64, y_of: &dyn Fn(u64) -> f64) {
    let decades_per_line = if decades > 6 { 2 } else { 1 };
    for decade in (0..=decades).step_by(decades_per_line) {
        let y = y_of(10u64.saturating_pow(decade));
        let _ = write!(
            svg,
            "<line x1=\"{left:.1}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            left - 6.0,
            y + 4.0,
            grouped(10u64.saturating_pow(decade))
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_on_the_scale_have_the_room_that_they_need() {
        for decades in 1..16 {
            let mut stats = SliceStats { win: 1, ..SliceStats::default() };
            stats.histogram = [(1, 10u64.pow(decades))].into();
            let svg = histogram_svg(&stats, "t");
            let labels = svg.split("<text x=\"").filter(|text| text.contains("\"end\""));
            for text in labels {
                let end: f64 = text.split_once('"').unwrap().0.parse().unwrap();
                let number = text.split_once('>').unwrap().1.split_once('<').unwrap().0;
                assert!(end - DIGIT * number.len() as f64 > 16.0, "{text}");
            }
        }
    }

    #[test]
    fn every_distance_has_a_bar() {
        let mut stats = SliceStats { win: 1002, loss: 5, ..SliceStats::default() };
        stats.histogram = [(0, 5), (1, 1000), (65_533, 2)].into();
        let svg = histogram_svg(&stats, "t");
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains(">1,000</text>") && !svg.contains("NaN"));
        let svg = histogram_svg(&SliceStats::default(), "t");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
