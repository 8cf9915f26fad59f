//! `report`: writes an HTML page about endgames.

use crate::failure::{Failure, Status, no_tables};
use crate::global::Global;
use crate::make::{FOR_ONE, ToBeMade};
use crate::memory::{ValuesMemory, largest_slices};
use crate::output::{check_file, save_as};
use crate::parsers;
use crate::progress::Bars;
use lasca_analysis::report::{Endgame, page};
use lasca_tablebase::index::Material;
use std::convert::identity;
use std::path::PathBuf;

/// Write an HTML page about endgames
///
/// For each material, the page shows how many positions are won, drawn and lost, how far they are
/// from the end, the longest win with its line, wins and draws by only moves, and the most instructive
/// mutual zugzwangs, with boards. The page is a single file and loads nothing from elsewhere. The file
/// appears only when it is complete.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb report --out endgames.html
  lasca-tb report --out endgames.html 3-2 4-3")]
pub struct Args {
    /// The materials [default: all that have a table]
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,

    /// The file to write, which replaces an existing one; - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: PathBuf,

    #[command(flatten)]
    make: ToBeMade,

    #[command(flatten)]
    memory: ValuesMemory,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    check_file(&args.out)?;
    let rules = global.rules();
    let tables = global.folders.open(rules)?;
    let mut materials = args.materials.clone();
    if materials.is_empty() {
        let of_rules = tables.tables().into_iter().filter(|file| file.rules() == rules);
        materials.extend(of_rules.map(|file| file.material()));
    }
    if materials.is_empty() {
        return Err(no_tables(&global.folders.paths()?, Some(rules)));
    }
    let materials = parsers::each_once(materials, identity);
    let maker = args.make.maker(FOR_ONE, global);
    materials.iter().try_for_each(|&material| maker.make_whole(&tables, material))?;
    // What cannot be done is said before the work, and the bar knows how much there is.
    let (mut positions, mut at_a_time) = (0, 0);
    for &material in &materials {
        let table = tables.table(material)?;
        positions += table.positions();
        at_a_time = at_a_time.max(largest_slices(table));
    }
    let also = || "; no page is written".to_owned();
    let bars = Bars::of_values(positions, at_a_time, also)?;
    let mut endgames = Vec::new();
    for material in materials {
        let table = tables.table(material)?;
        let beside = Endgame::BYTES_A_POSITION * table.positions();
        let kept = args.memory.keep("counting", table, beside)?;
        endgames.push(kept.work(|keep| Endgame::of(&tables, material, keep, &bars))?);
    }
    drop(bars);
    save_as(&args.out, &page(rules, &endgames))?;
    Ok(Status::Affirmative)
}
