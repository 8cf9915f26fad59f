//! Damaged tables: thousands of mutants of tables that ship, the same in every run. Whatever was done to
//! the bytes, a table is refused, or answers right, or says what is damaged: never a wrong value.
//!
//! Nothing here knows the format.

use lasca_tablebase::Value;
use lasca_tablebase::table::{SectionInfo, Table};
use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// How many mutants of each kind are made of each table.
const MUTANTS: usize = 500;

/// How many values of each section are known; a mutant is asked for some of them.
const KNOWN: u64 = 64;

/// How many values of each section a mutant is asked for.
const ASKED: usize = 4;

#[test]
fn a_table_with_flipped_bits_never_gives_a_wrong_value() {
    each_mutant("flips", |numbers, bytes| {
        for _ in 0..*numbers.choose(&[1, 1, 1, 2, 3, 8, 100]) {
            let at = numbers.below(bytes.len());
            bytes[at] ^= 1 << numbers.below(8);
        }
    });
}

#[test]
fn a_table_with_bytes_overwritten_never_gives_a_wrong_value() {
    each_mutant("overwritten bytes", |numbers, bytes| {
        let range = numbers.range(bytes.len(), 40);
        let same = *numbers.choose(&[Some(0), Some(0xFF), None]);
        for byte in &mut bytes[range] {
            *byte = same.unwrap_or_else(|| numbers.below(256) as u8);
        }
    });
}

#[test]
fn a_table_that_is_cut_never_gives_a_wrong_value() {
    each_mutant("a cut", |numbers, bytes| {
        let longest = *numbers.choose(&[1, 8, 1 << 20]);
        let range = numbers.range(bytes.len(), longest);
        match numbers.below(4) {
            0 => drop(bytes.drain(range)),
            1 => bytes[range.start..].fill(0),
            _ => bytes.truncate(range.start),
        }
    });
}

#[test]
fn a_table_with_bytes_added_never_gives_a_wrong_value() {
    each_mutant("added bytes", |numbers, bytes| {
        let added: Vec<u8> = (0..=numbers.below(40)).map(|_| numbers.below(256) as u8).collect();
        let within = numbers.below(bytes.len());
        let at = *numbers.choose(&[bytes.len(), within]);
        bytes.splice(at..at, added);
    });
}

#[test]
fn a_table_with_ranges_exchanged_or_copied_never_gives_a_wrong_value() {
    each_mutant("exchanged or copied ranges", |numbers, bytes| {
        let len = *numbers.choose(&[1, 2, 4, 8, 16, 24, 64, 96, 200]);
        let [a, b] = [(); 2].map(|()| numbers.below(bytes.len() - len));
        if numbers.below(2) == 0 {
            bytes.copy_within(a..a + len, b);
        } else {
            (0..len).for_each(|i| bytes.swap(a + i, b + i));
        }
    });
}

#[test]
fn a_table_cut_anywhere_is_refused() {
    let sound = Sound::read("lasca-2-1.ltb");
    for len in 0..sound.bytes.len() {
        assert!(Table::open(&sound.bytes[..len]).is_err(), "cut to {len} bytes");
    }
}

#[test]
fn damage_in_one_block_leaves_the_rest_usable() {
    // The largest of the tables that ship, for more than one block in a section.
    let sound = Sound::read("lasca-3-2.ltb");
    let mut numbers = Numbers(0);
    let (mut damaged_blocks, mut in_shared_sections) = (HashSet::new(), 0);
    for _ in 0..60 {
        let mut bytes = sound.bytes.clone();
        let at = numbers.below(bytes.len());
        bytes[at] ^= 1 << numbers.below(8);
        let what = format!("byte {at} of {}", sound.name);
        // What opening reads is checked then, and is not a block.
        let Ok(table) = Table::open(&bytes) else { continue };
        let damage = table.check_bytes().expect_err(&what).to_string();
        let mut refused = 0;
        for (section, known) in table.sections().iter().zip(&sound.values) {
            let mut wrong = 0;
            for &(number, value) in known {
                match table.value(section, number) {
                    Ok(found) => assert_eq!(found, value, "{what}: number {number}"),
                    Err(error) => {
                        assert_eq!(error.to_string(), damage, "{what}: number {number}");
                        wrong += 1;
                    }
                }
            }
            refused += usize::from(wrong > 0);
            in_shared_sections += usize::from(wrong > 0 && wrong < known.len());
        }
        assert!(refused <= 1, "{what}: {damage}");
        damaged_blocks.insert(damage);
    }
    assert!(damaged_blocks.len() > 1, "{damaged_blocks:?}");
    let several = sound.table().sections().iter().any(|section| section.blocks() > 1);
    assert!(in_shared_sections > 0 || !several);
}

/// Makes mutants of some small tables and asks each for values.
fn each_mutant(what: &str, mutate: impl Fn(&mut Numbers, &mut Vec<u8>)) {
    let mut opened = 0;
    for name in ["lasca-2-1.ltb", "lasca-2-2.ltb"] {
        let sound = Sound::read(name);
        let mut numbers = Numbers(0);
        for mutant in 0..MUTANTS {
            let mut bytes = sound.bytes.clone();
            mutate(&mut numbers, &mut bytes);
            let named = Named(format!("{what}, mutant {mutant} of {name}"));
            opened += usize::from(sound.answers_alike(&bytes, &mut numbers, &named.0));
        }
    }
    println!("{what}: {opened} mutants were opened");
}

/// Tells which mutant a test was at when the library panicked.
struct Named(String);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("at {}", self.0);
        }
    }
}

/// A table whose bytes are intact, and some of its values.
struct Sound {
    name: &'static str,
    bytes: Vec<u8>,
    /// For each section, numbers of positions with their values.
    values: Vec<Vec<(u64, Value)>>,
}

impl Sound {
    fn read(name: &'static str) -> Sound {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
        let mut sound =
            Sound { name, bytes: fs::read(folder.join(name)).unwrap(), values: Vec::new() };
        let table = sound.table();
        table.check_bytes().unwrap();
        let known = |section: &SectionInfo| {
            let last = section.index().positions() - 1;
            let numbers = (0..KNOWN).map(|i| last * i / (KNOWN - 1));
            numbers.map(|number| (number, table.value(section, number).unwrap())).collect()
        };
        sound.values = table.sections().iter().map(known).collect();
        sound
    }

    fn table(&self) -> Table<Vec<u8>> {
        Table::open(self.bytes.clone()).unwrap()
    }

    /// Opens a mutant, and expects right answers or errors that tell where the damage is. Returns
    /// whether it could be opened.
    fn answers_alike(&self, bytes: &[u8], numbers: &mut Numbers, what: &str) -> bool {
        let table = match Table::open(bytes) {
            Ok(table) => table,
            Err(error) => {
                assert!(bytes != self.bytes && !error.to_string().is_empty(), "{what}");
                return false;
            }
        };
        let intact = table.check_bytes();
        // Every byte is covered by a checksum.
        assert_eq!(intact.is_ok(), bytes == self.bytes, "{what}");
        assert_eq!(table.sections().len(), self.values.len(), "{what}");
        for (place, (section, known)) in table.sections().iter().zip(&self.values).enumerate() {
            for _ in 0..ASKED {
                let &(number, value) = numbers.choose(known);
                match table.value(section, number) {
                    Ok(found) => assert_eq!(found, value, "{what}: number {number}"),
                    Err(error) => {
                        let error = error.to_string();
                        assert!(error.contains(&format!("section {place}")), "{what}: {error}");
                        assert!(intact.is_err(), "{what}: {error}");
                    }
                }
            }
        }
        true
    }
}

/// The same numbers in every run (splitmix64).
struct Numbers(u64);

impl Numbers {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    /// A range of 1 to `longest` numbers below `end`.
    fn range(&mut self, end: usize, longest: usize) -> Range<usize> {
        let start = self.below(end);
        let len = 1 + self.below(longest);
        start..(start + len).min(end)
    }

    fn choose<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
