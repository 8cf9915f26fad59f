//! `tables/FORMAT.md` against the files that the program writes.
//!
//! The byte tables are read out of the document, and files are read at the offsets that they name. The
//! numbering of positions is written again here from the document alone.

use lasca_tablebase::generate::Generator;
use lasca_tablebase::index::{Material, OccupiedSets, SliceIndex};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::{OfficerPosition, Position, RuleSet, Square};
use lasca_tablebase::table::{SectionInfo, Table, TableError, VERSION, file_name};
use lasca_tablebase::{Silent, Value};
use std::fs;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

const DOCUMENT: &str = include_str!("../tables/FORMAT.md");

/// The fixed structures, with their length, as the document's headings name them.
const STRUCTURES: [(&str, usize); 4] =
    [("Header", 64), ("Directory entry", 96), ("Histogram entry", 16), ("Block index entry", 24)];

#[test]
fn the_byte_tables_cover_each_structure_without_gaps() {
    for (name, len) in STRUCTURES {
        let mut end = 0;
        for field in Layout::of(name).fields {
            assert_eq!(field.at, end, "{name}: {}", field.name);
            end = field.at + field.len;
        }
        assert_eq!(end, len, "{name}");
    }
}

#[test]
fn the_header_has_its_fields_at_the_documented_offsets() {
    for (material, rules) in [("1-1", RuleSet::Lasca), ("2-1", RuleSet::Rejump)] {
        let written = Written::new(material, rules);
        let (file, table) = (&written.file, &written.table);
        let header = Layout::of("Header");
        let number = |field| header.number(file, field);
        assert_eq!(header.bytes(file, "magic"), b"\x89LTB\r\n\x1a\n");
        assert_eq!(number("version"), u64::from(VERSION));
        assert_eq!(number("rule set"), u64::from(rules.id()));
        assert_eq!(number("white counters"), table.material().white() as u64);
        assert_eq!(number("black counters"), table.material().black() as u64);
        assert_eq!(number("number of sections"), table.sections().len() as u64);
        assert_eq!(number("file length"), file.len() as u64);
        let directory = &file[64..64 + 96 * table.sections().len()];
        assert_eq!(number("directory checksum"), xxh3_64(directory));
        assert_eq!(number("header checksum"), xxh3_64(&file[..56]));
        assert!(header.reserved_are_zero(file));
    }
}

#[test]
fn directory_entries_have_their_fields_at_the_documented_offsets() {
    let written = Written::new("2-1", RuleSet::Lasca);
    for (entry, section) in written.entries() {
        let number = |field| Layout::of("Directory entry").number(entry, field);
        let stats = section.stats();
        assert_eq!(number("side to move"), section.side() as u64);
        assert_eq!(number("columns"), section.columns() as u64);
        assert_eq!(number("width"), 1);
        assert_eq!(number("positions"), section.index().positions());
        assert_eq!(number("blocks"), section.blocks() as u64);
        assert_eq!(number("blocks"), number("positions").div_ceil(number("positions a block")));
        assert_eq!(number("histogram entries"), stats.histogram.len() as u64);
        assert_eq!(number("win"), stats.win);
        assert_eq!(number("draw"), stats.draw);
        assert_eq!(number("loss"), stats.loss);
        assert_eq!(number("capture"), stats.capture);
        assert!(Layout::of("Directory entry").reserved_are_zero(entry));
    }
}

#[test]
fn histograms_stand_where_the_directory_says() {
    let written = Written::new("2-1", RuleSet::Lasca);
    for (entry, section) in written.entries() {
        let entry = |field| Layout::of("Directory entry").number(entry, field);
        let len = 16 * entry("histogram entries");
        let histogram = written.part(entry("histogram offset"), len);
        assert_eq!(entry("histogram checksum"), xxh3_64(histogram));
        let layout = Layout::of("Histogram entry");
        let found: Vec<(u64, u64)> = histogram
            .chunks(16)
            .map(|bytes| (layout.number(bytes, "plies"), layout.number(bytes, "positions")))
            .collect();
        let counts = section.stats().histogram.iter();
        let expected: Vec<(u64, u64)> = counts.map(|(&dtw, &n)| (u64::from(dtw), n)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn parts_follow_one_another_without_gaps() {
    let written = Written::new("2-1", RuleSet::Lasca);
    let mut end = 64 + 96 * written.table.sections().len() as u64;
    for (entry, _) in written.entries() {
        let field = |field| Layout::of("Directory entry").number(entry, field);
        assert_eq!(field("histogram offset"), end);
        end += 16 * field("histogram entries");
        for block in written.block_index(entry) {
            let number = |field| Layout::of("Block index entry").number(block, field);
            assert_eq!(number("block offset"), end);
            end += number("block length");
        }
        assert_eq!(field("block index offset"), end);
        end += 24 * field("blocks");
    }
    assert_eq!(end, written.file.len() as u64);
}

#[test]
fn a_reader_made_from_the_document_gives_every_value_of_small_tables() {
    for material in ["2-1", "2-2", "3-2"] {
        let written = Written::new(material, RuleSet::Lasca);
        let reader = Reader::new(&written);
        let tables = Tablebase::open(&[written.folder.path()], RuleSet::Lasca).unwrap();
        for section in written.table.sections() {
            let index = section.index();
            for number in 0..index.positions() {
                let position = index.position(number);
                let expected = tables.officers_value(&position).unwrap();
                assert_eq!(reader.value(&position), expected, "{position:?}");
            }
        }
    }
}

#[test]
fn the_worked_example_has_the_number_and_the_value_that_the_document_works_out() {
    const EXAMPLE: &str = "a1WB a5BW b6W w";
    assert!(DOCUMENT.contains(&format!("`{EXAMPLE}`: the mover is White")));
    let position: Position = EXAMPLE.parse().unwrap();
    let officers = OfficerPosition::try_from(&position).unwrap();
    let number = SliceIndex::new(3, 2, 3).unwrap().number(&officers).unwrap();
    assert!(DOCUMENT.contains(&format!("= 270 + 18 + 8 × 3 + 1 = {number}\n")));
    assert_eq!(Numbering::new(3, 2, 3).number(&officers), number);

    let written = Written::new("3-2", RuleSet::Lasca);
    let table = &written.table;
    let section = table.section(0, 3).unwrap();
    let value = table.value(section, number).unwrap();
    let code = value.dtw().map_or(0, |dtw| dtw + 1);
    assert!(DOCUMENT.contains(&format!("code at number {number} is {code}: a {value}\n")));
}

#[test]
fn a_number_that_no_position_has_is_an_error() {
    let table = Written::new("2-1", RuleSet::Lasca).table;
    for section in table.sections() {
        let positions = section.index().positions();
        assert!(table.value(section, positions - 1).is_ok());
        for number in [positions, positions + (1 << 47), u64::MAX] {
            assert!(matches!(
                table.value(section, number),
                Err(TableError::NoPosition { number: found, .. }) if found == number
            ));
        }
        for block in [section.blocks(), usize::MAX] {
            assert!(matches!(table.block_bytes(section, block), Err(TableError::Place(_))));
        }
    }
}

#[test]
fn there_are_as_many_representatives_as_the_document_says() {
    let row = |name: &str| -> Vec<u64> {
        let line = DOCUMENT.lines().find(|line| line.starts_with(&format!("| {name} | "))).unwrap();
        cells(line)[1..].iter().map(|cell| cell.parse().unwrap()).collect()
    };
    let columns: Vec<u64> = (2..=Material::MAX_COUNTERS as u64).collect();
    assert_eq!(row("columns"), columns);
    let blocks = columns.iter().map(|&k| OccupiedSets::blocks_of(k as usize));
    assert_eq!(row("representatives"), blocks.collect::<Vec<_>>());
}

#[test]
fn the_version_log_ends_with_the_version_that_is_written() {
    let last = DOCUMENT.lines().rfind(|line| line.starts_with('|')).unwrap();
    assert_eq!(cells(last)[0], VERSION.to_string());
    assert!(DOCUMENT.contains(&format!("Format version **{VERSION}**.")));
}

/// A field of a byte table in the document.
struct Field {
    at: usize,
    len: usize,
    name: &'static str,
}

/// A byte table of the document.
struct Layout {
    fields: Vec<Field>,
}

impl Layout {
    /// The byte table under the heading of this structure.
    fn of(structure: &str) -> Layout {
        let len = STRUCTURES.iter().find(|(name, _)| *name == structure).unwrap().1;
        let heading = format!("### {structure} ({len} bytes)");
        let fields = DOCUMENT
            .lines()
            .skip_while(|line| *line != heading)
            .skip_while(|line| !line.starts_with('|'))
            .take_while(|line| line.starts_with('|'))
            .skip(2) // the head of the table and the rule beneath
            .map(|line| {
                let cells = cells(line);
                let number = |cell: usize| cells[cell].parse().unwrap();
                Field { at: number(0), len: number(1), name: cells[2] }
            })
            .collect();
        Layout { fields }
    }

    fn bytes<'a>(&self, from: &'a [u8], name: &str) -> &'a [u8] {
        let found = self.fields.iter().find(|field| field.name == name);
        let field = found.unwrap_or_else(|| panic!("the document names no field {name:?}"));
        &from[field.at..field.at + field.len]
    }

    fn number(&self, from: &[u8], name: &str) -> u64 {
        self.bytes(from, name).iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn reserved_are_zero(&self, from: &[u8]) -> bool {
        let mut reserved = self.fields.iter().filter(|field| field.name == "reserved");
        reserved.all(|field| from[field.at..field.at + field.len].iter().all(|&byte| byte == 0))
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// A table that was generated into a folder of its own.
struct Written {
    folder: TempDir,
    file: Vec<u8>,
    table: Table<Vec<u8>>,
}

impl Written {
    fn new(material: &str, rules: RuleSet) -> Written {
        let folder = TempDir::new().unwrap();
        let material: Material = material.parse().unwrap();
        Generator::new(folder.path(), rules).generate(material, &Silent).unwrap();
        let file = fs::read(folder.path().join(file_name(material, rules))).unwrap();
        let table = Table::open(file.clone()).unwrap();
        Written { folder, file, table }
    }

    fn part(&self, at: u64, len: u64) -> &[u8] {
        &self.file[at as usize..(at + len) as usize]
    }

    /// The directory's entries, with what the library says of each section.
    fn entries(&self) -> impl Iterator<Item = (&[u8], &SectionInfo)> {
        self.file[64..].chunks(96).zip(self.table.sections())
    }

    /// The entries of a section's block index.
    fn block_index(&self, entry: &[u8]) -> impl Iterator<Item = &[u8]> {
        let number = |field| Layout::of("Directory entry").number(entry, field);
        let index = self.part(number("block index offset"), 24 * number("blocks"));
        assert_eq!(number("block index checksum"), xxh3_64(index));
        index.chunks(24)
    }
}

/// A reader as the document describes it: all values of a table, by side and columns.
struct Reader {
    sections: Vec<ReadSection>,
}

struct ReadSection {
    side: u64,
    numbering: Numbering,
    codes: Vec<u64>,
}

impl Reader {
    fn new(written: &Written) -> Reader {
        let header = Layout::of("Header");
        let white = header.number(&written.file, "white counters") as usize;
        let black = header.number(&written.file, "black counters") as usize;
        let sections = written.entries().map(|(entry, _)| {
            let number = |field| Layout::of("Directory entry").number(entry, field);
            let width = number("width") as usize;
            let mut codes = Vec::new();
            for (i, block) in (0..).zip(written.block_index(entry)) {
                let field = |field| Layout::of("Block index entry").number(block, field);
                let bytes = written.part(field("block offset"), field("block length"));
                assert_eq!(field("block checksum"), xxh3_64(bytes));
                let first = i * number("positions a block");
                let positions = (number("positions") - first).min(number("positions a block"));
                let decoded = zstd::decode_all(bytes).unwrap();
                assert_eq!(decoded.len(), positions as usize * width);
                codes.extend(decoded.chunks(width).map(|code| {
                    code.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
                }));
            }
            let side = number("side to move");
            let (n, m) = if side == 0 { (white, black) } else { (black, white) };
            let numbering = Numbering::new(n, m, number("columns") as usize);
            assert_eq!(numbering.positions(), number("positions"));
            ReadSection { side, numbering, codes }
        });
        Reader { sections: sections.collect() }
    }

    fn value(&self, position: &OfficerPosition) -> Value {
        let sum = |counts: &[u8]| counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        let (n, m) = (sum(position.mover_counters()), sum(position.other_counters()));
        let columns = position.placement().occupied().len();
        let side = u64::from(n < m);
        let is_wanted = |s: &&ReadSection| s.side == side && s.numbering.k == columns;
        let section = self.sections.iter().find(is_wanted).unwrap();
        match section.codes[section.numbering.number(position) as usize] {
            0 => Value::Draw,
            code if (code - 1) % 2 == 0 => Value::Loss((code - 1) as u16),
            code => Value::Win((code - 1) as u16),
        }
    }
}

/// The numbering of a section, step by step as in the document.
struct Numbering {
    n: usize,
    m: usize,
    k: usize,
    representatives: Vec<u32>,
}

/// The binomial coefficient.
fn c(a: usize, b: usize) -> u64 {
    if b > a { 0 } else { (0..b).fold(1, |product, i| product * (a - i) as u64 / (i as u64 + 1)) }
}

/// How many stackings of `s` spare counters there are on `k` columns.
fn stackings(k: usize, s: usize) -> u64 {
    c(s + k - 1, k - 1)
}

/// The image of a square under symmetry `g`.
fn image(g: u32, square: usize) -> usize {
    let (mut x, mut y) = (2 * square % 7, 2 * square / 7);
    if g & 0b100 != 0 {
        (x, y) = (y, x);
    }
    if g & 0b001 != 0 {
        x = 6 - x;
    }
    if g & 0b010 != 0 {
        y = 6 - y;
    }
    (7 * y + x) / 2
}

fn image_of_set(g: u32, set: u32) -> u32 {
    (0..25).filter(|square| set >> square & 1 != 0).fold(0, |images, s| images | 1 << image(g, s))
}

impl Numbering {
    fn new(n: usize, m: usize, k: usize) -> Numbering {
        let is_representative = |&set: &u32| {
            set.count_ones() as usize == k && (0..8).all(|g| image_of_set(g, set) >= set)
        };
        let representatives = (0..1 << Square::COUNT).filter(is_representative).collect();
        Numbering { n, m, k, representatives }
    }

    /// `P(c)` for each `c` there is.
    fn parts(&self) -> impl Iterator<Item = (usize, u64)> {
        let &Numbering { n, m, k, .. } = self;
        (k.saturating_sub(m).max(1)..=n.min(k - 1)).map(move |commanded| {
            let spare = stackings(k, n - commanded) * stackings(k, m + commanded - k);
            (commanded, c(k, commanded) * spare)
        })
    }

    /// `L`.
    fn of_one_representative(&self) -> u64 {
        self.parts().map(|(_, positions)| positions).sum()
    }

    fn positions(&self) -> u64 {
        self.representatives.len() as u64 * self.of_one_representative()
    }

    fn number(&self, position: &OfficerPosition) -> u64 {
        let k = self.k;
        let occupied = position.placement().occupied().bits();
        // The last symmetry that will do; the library takes the first.
        let g = (0..8).max_by_key(|&g| (!image_of_set(g, occupied), g)).unwrap();
        let representative = image_of_set(g, occupied);
        let b = self.representatives.binary_search(&representative).unwrap() as u64;
        let mut columns: Vec<Square> = position.placement().occupied().into_iter().collect();
        columns.sort_by_key(|square| image(g, square.index()));

        let owned = |square: &Square| position.placement().mover.contains(*square);
        let commanded: Vec<usize> = (0..k).filter(|&column| owned(&columns[column])).collect();
        let count = commanded.len();
        let f: u64 = self.parts().take_while(|part| part.0 < count).map(|part| part.1).sum();
        let mask = (1..).zip(&commanded).map(|(i, &column)| c(column, i)).sum::<u64>();

        let spare = |counters: &[u8; Square::COUNT], commands: bool| -> Vec<usize> {
            let of = |square: &Square| {
                usize::from(counters[square.index()]) - usize::from(owned(square) == commands)
            };
            columns.iter().map(of).collect()
        };
        let mover_spare = spare(position.mover_counters(), true);
        let other_spare = spare(position.other_counters(), false);
        b * self.of_one_representative()
            + f
            + (mask * stackings(k, self.n - count) + stacking_rank(&mover_spare))
                * stackings(k, self.m + count - k)
            + stacking_rank(&other_spare)
    }
}

fn stacking_rank(spare: &[usize]) -> u64 {
    let k = spare.len();
    let rest = |i: usize| spare[i..].iter().sum::<usize>();
    (0..k - 1)
        .map(|i| {
            let j = k - 1 - i;
            c(rest(i) + j, j) - c(rest(i + 1) + j, j)
        })
        .sum()
}
