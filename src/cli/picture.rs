//! `picture`: draws a position.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::output::{check_file, save_as};
use crate::parsers;
use crate::positions::OnePosition;
use lasca_tablebase::notation::{Palette, Picture, parse_move};
use std::path::PathBuf;

/// Draw a position as an SVG file
///
/// An officer has a ring on its top and a mark on its side. Numbers beside a column of four or more
/// counters say how many of each colour there are, from the top down. A counter in the corner below shows
/// the side to move. The command needs no tables, and the position may have soldiers.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb picture \"a1WWW b2BBB w\" --out board.svg
  lasca-tb picture \"a1WWW b2BBB w\" --arrow a1-c3 --palette wood > board.svg
  lasca-tb picture start --size 200 -o small.svg")]
pub struct Args {
    #[command(flatten)]
    position: OnePosition,

    /// The SVG file to write, which replaces an existing one; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    out: PathBuf,

    /// The width in pixels
    #[arg(long, value_name = "N", default_value_t = Picture::default().size,
        value_parser = parsers::number::<u16>((*Picture::SIZES.start()).into()..=(*Picture::SIZES.end()).into()))]
    size: u16,

    /// The colours: print, or wood as on the page
    #[arg(long, value_name = "COLOURS", default_value = "print")]
    palette: Palette,

    /// A legal move, which an arrow shows
    #[arg(long, value_name = "MOVE")]
    arrow: Option<String>,

    /// Leave out the letters and numbers of the squares
    #[arg(long)]
    no_coordinates: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    let position = args.position.read()?;
    let arrow = args.arrow.as_deref().map(|text| parse_move(text, &position, global.rules()));
    let arrow = arrow
        .transpose()
        .map_err(|error| Failure::wrong(error.reason(), format!("--arrow: {error}")))?;
    let picture = Picture {
        size: args.size,
        palette: args.palette,
        coordinates: !args.no_coordinates,
        arrow: arrow.map(|(played, _)| played),
        ..Picture::default()
    };
    if args.out.extension().is_some_and(|extension| !extension.eq_ignore_ascii_case("svg")) {
        let found = args.out.display();
        return Err(Failure::usage(format!("expected a file such as board.svg, found {found}")));
    }
    check_file(&args.out)?;
    save_as(&args.out, &(picture.svg(&position) + "\n"))?;
    Ok(Status::Affirmative)
}
