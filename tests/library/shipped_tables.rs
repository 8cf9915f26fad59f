//! The tables that ship with the source: `tables/*.ltbw` and `tables/*.ltbd`, made by `lasca-tb generate
//! --up-to 6`, with `tables/SHA256SUMS` made by `sha256sum lasca-*.ltb? > SHA256SUMS` in that folder.

use crate::common::checker::run_python;
use crate::common::tables::{Files, field, material, materials_up_to, shipped};
use lasca_tablebase::Silent;
use lasca_tablebase::generate::Generator;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{FileKind, file_name};
use std::fs;

/// All materials of at most so many counters ship.
const COUNTERS: usize = 6;

#[test]
fn all_materials_up_to_six_counters_ship_and_are_made_again_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let generator = Generator::new(folder.path(), RuleSet::Lasca);
    for material in materials_up_to(COUNTERS) {
        generator.generate(material, &Silent).unwrap();
        let of = |folder| Files::read(folder, material, RuleSet::Lasca);
        let (made, ships) = (of(folder.path()), of(shipped()));
        for kind in FileKind::ALL {
            let name = file_name(material, RuleSet::Lasca, kind);
            assert!(made.of(kind) == ships.of(kind), "{name} differs from the one that ships");
        }
    }
}

#[test]
fn the_published_checksums_are_those_of_the_tables() {
    let sums = fs::read_to_string(shipped().join("SHA256SUMS")).unwrap();
    let name = |material| FileKind::ALL.map(|kind| file_name(material, RuleSet::Lasca, kind));
    let mut expected: Vec<String> = materials_up_to(COUNTERS).flat_map(name).collect();
    let mut names: Vec<&str> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
    const SHA256: &str = "\
import hashlib, sys
for line in sys.stdin:
    name = line.rstrip().partition('  ')[2]
    with open('tables/' + name, 'rb') as table:
        print(hashlib.sha256(table.read()).hexdigest(), '', name)
";
    if let Some((printed, _)) = run_python(&["-c", SHA256], sums.as_bytes()) {
        assert_eq!(printed, sums);
    }
}

#[test]
fn a_table_of_another_format_version_is_not_replaced() {
    for newer in FileKind::ALL {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::shipped("2-1");
        files.of_mut(newer)[field::VERSION] = 0xFE;
        files.put(folder.path(), material("2-1"), RuleSet::Lasca);
        let generator = Generator::new(folder.path(), RuleSet::Lasca);
        let made = generator.generate(material("2-1"), &Silent);
        assert!(made.unwrap_err().to_string().contains("found 254"), "{newer}");
        let left = Files::read(folder.path(), material("2-1"), RuleSet::Lasca);
        assert!(left == files, "{newer}");
    }
}
