//! What a table would take if it were coded in other ways: the figures behind `docs/FORMAT.md`.
//!
//! ```sh
//! cargo run --release --manifest-path tools/dev/encodings/Cargo.toml -- tables/lasca-3-3.ltbw
//! ```
//!
//! reads both files of a table, and prints, for each way to code its values, how many bits each position
//! to store would take. Nothing is written. Every way but the first is the chosen one with one thing or two
//! changed. Symbols count as the logarithm of how often they occur, as if an arithmetic coder were
//! perfect; the codes themselves, the rows and the directories of blocks are in the column `rest`.
//! For pairs and zstd there is nothing that tells where the cells of a row are.

mod coders;
mod slice;

use coders::Cost;
use lasca_tablebase::table::Table;
use slice::Section;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// One way to code a table.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Whether positions in which the mover must take have cells, too.
    captures: bool,
    /// Which quiet positions have no DTW.
    left_out: LeftOut,
    /// Whether sets stand in snake order, or by their numbers.
    snake: bool,
    /// Whether the halves have chunks of their own.
    apart: bool,
    /// The sets of a chunk.
    chunk: usize,
    /// How many classes of rows there are at the most.
    classes: usize,
    /// How WDLs become symbols.
    wdl: WdlCells,
    /// What a DTW's code depends on.
    dtw: DtwContext,
    /// How symbols become bits.
    coder: Coder,
}

/// Which quiet positions have no DTW, since it follows by a ply of search.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LeftOut {
    Nothing,
    /// Those with one side to move, for each number of columns the one that takes more.
    Side,
    /// Those with sets of one half, for each number of columns the one that takes more.
    Half,
}

/// How the WDLs of a row become symbols.
#[derive(Clone, Copy, Debug)]
enum WdlCells {
    /// Runs of equal ones.
    Runs,
    /// Each by itself, its code depending on the two before.
    AfterTwo,
}

/// What the code of a halved DTW depends on, beside the result.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DtwContext {
    Nothing,
    /// The last one of this result.
    Last,
    /// The last one, in 24 kinds.
    LastKind,
    /// The kind of the last one, and how far it is from the one before.
    LastTwo,
    /// The mean of the last one and those of sets before that differ by one column.
    Neighbours,
}

/// How symbols become bits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coder {
    /// As an arithmetic coder would with fixed frequencies, at its best.
    Arithmetic,
    /// Prefix codes.
    Prefix,
    /// Pairs that are frequent become new symbols, again and again; then prefix codes.
    Pairs,
    /// A byte for each value, 32 768 of them a block, zstd of level 9.
    Zstd,
}

const CHOSEN: Way = Way {
    captures: false,
    left_out: LeftOut::Half,
    snake: true,
    apart: true,
    chunk: 512,
    classes: 8,
    wdl: WdlCells::Runs,
    dtw: DtwContext::LastKind,
    coder: Coder::Arithmetic,
};

const WAYS: &[(&str, Way)] = &[
    ("chosen", CHOSEN),
    ("captures too, all DTWs", Way { captures: true, left_out: LeftOut::Nothing, ..CHOSEN }),
    ("all DTWs", Way { left_out: LeftOut::Nothing, ..CHOSEN }),
    ("DTWs of one side", Way { left_out: LeftOut::Side, ..CHOSEN }),
    ("sets by number", Way { snake: false, ..CHOSEN }),
    ("halves in one sequence", Way { apart: false, ..CHOSEN }),
    ("both of these", Way { snake: false, apart: false, ..CHOSEN }),
    ("chunks of 256", Way { chunk: 256, ..CHOSEN }),
    ("chunks of 1024", Way { chunk: 1024, ..CHOSEN }),
    ("1 class", Way { classes: 1, ..CHOSEN }),
    ("4 classes", Way { classes: 4, ..CHOSEN }),
    ("16 classes", Way { classes: 16, ..CHOSEN }),
    ("WDL after the two before", Way { wdl: WdlCells::AfterTwo, ..CHOSEN }),
    ("the same, prefix codes", Way { wdl: WdlCells::AfterTwo, coder: Coder::Prefix, ..CHOSEN }),
    ("DTW by itself", Way { dtw: DtwContext::Nothing, ..CHOSEN }),
    ("DTW after the last one", Way { dtw: DtwContext::Last, ..CHOSEN }),
    ("DTW after the last two", Way { dtw: DtwContext::LastTwo, ..CHOSEN }),
    ("DTW after neighbours' mean", Way { dtw: DtwContext::Neighbours, ..CHOSEN }),
    ("prefix codes", Way { coder: Coder::Prefix, ..CHOSEN }),
    ("pairs", Way { coder: Coder::Pairs, ..CHOSEN }),
    ("zstd", Way { coder: Coder::Zstd, ..CHOSEN }),
];

/// What the WDLs and the DTWs take together; `None` if nothing can be left out in this way.
fn cost(sections: &[Section], way: &Way) -> Option<(Cost, Cost)> {
    let wdl = sections.iter().map(|section| section.wdl(way)).sum();
    let sides = 1 + sections.iter().map(|section| section.side).max()?;
    // What may be kept: the sides and the halves.
    let kept: &[(&[usize], &[usize])] = match way.left_out {
        LeftOut::Nothing => &[(&[0, 1], &[0, 1])],
        LeftOut::Side if sides == 1 => return None,
        LeftOut::Side => &[(&[0], &[0, 1]), (&[1], &[0, 1])],
        LeftOut::Half => &[(&[0, 1], &[0]), (&[0, 1], &[1])],
    };
    let columns = sections.chunk_by(|a, b| a.columns == b.columns).map(|same| {
        let of = |&(sides, halves): &(&[usize], &[usize])| -> Cost {
            let kept = same.iter().filter(|section| sides.contains(&section.side));
            kept.map(|section| section.dtw(way, halves)).sum()
        };
        kept.iter().map(of).min_by(|a, b| a.total().total_cmp(&b.total())).unwrap_or_default()
    });
    Some((wdl, columns.sum()))
}

/// The bits of the blocks of a file, and of all else in it.
fn of_file(path: &Path) -> Result<Cost, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let number = |at: usize, len: usize| -> usize {
        bytes[at..at + len].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    let (entries, directory) = (number(16, 4), number(32, 8));
    let blocks: usize = (0..entries).map(|entry| number(directory + 96 * entry + 48, 8)).sum();
    Ok(Cost { symbols: 8.0 * blocks as f64, rest: 8.0 * (bytes.len() - blocks) as f64 })
}

fn run(path: &Path) -> Result<(), Box<dyn Error>> {
    let table = Table::open_file(path)?;
    let (wdl, dtw) = (of_file(path)?, of_file(&path.with_extension("ltbd"))?);
    let sections = slice::read(&table)?;
    let positions = sections.iter().map(Section::positions).sum::<usize>();
    println!("{}, {positions} positions to store: bits for each", table.material());
    println!("{:28}{:>7}{:>7}{:>7}{:>7}", "", "WDL", "DTW", "rest", "all");
    let print = |name: &str, wdl: Cost, dtw: Cost| {
        let bits = [wdl.symbols, dtw.symbols, wdl.rest + dtw.rest, wdl.total() + dtw.total()];
        let [wdl, dtw, rest, all] = bits.map(|bits| bits / positions as f64);
        println!("{name:28}{wdl:7.3}{dtw:7.3}{rest:7.3}{all:7.3}");
    };
    print("the files", wdl, dtw);
    for (name, way) in WAYS {
        match cost(&sections, way) {
            Some((wdl, dtw)) => print(name, wdl, dtw),
            None => println!("{name:28}{:>7}{:>7}{:>7}{:>7}", "–", "–", "–", "–"),
        }
    }
    print("the first format", Cost::default(), sections.iter().map(Section::first_format).sum());
    Ok(())
}

fn main() -> ExitCode {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: lasca-encodings TABLE.ltbw…");
        return ExitCode::from(2);
    }
    for path in paths.iter().map(Path::new) {
        if let Err(error) = run(path) {
            eprintln!("error: {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_no_less_than_their_symbols_and_not_much_more() {
        let path: &Path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../tables/lasca-3-2.ltbw").as_ref();
        let sections = slice::read(&Table::open_file(path).unwrap()).unwrap();
        let (wdl, dtw) = cost(&sections, &CHOSEN).unwrap();
        for (best, path) in [(wdl, path.to_owned()), (dtw, path.with_extension("ltbd"))] {
            let ratio = of_file(&path).unwrap().symbols / best.symbols;
            assert!((1.0..1.15).contains(&ratio), "{}: {ratio}", path.display());
        }
    }
}
