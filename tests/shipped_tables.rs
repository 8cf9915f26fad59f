//! The tables that ship with the source: `tables/*.ltb`, made by `lasca-tb generate --up-to 5`, with
//! `tables/SHA256SUMS` made by `sha256sum lasca-*.ltb > SHA256SUMS` in that folder.

use lasca_tablebase::Silent;
use lasca_tablebase::generate::Generator;
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::file_name;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

fn shipped() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tables"))
}

#[test]
fn all_materials_up_to_five_counters_ship_and_are_made_again_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let generator = Generator::new(folder.path(), RuleSet::Lasca);
    for material in (2..=5).flat_map(Material::with_total) {
        let name = file_name(material, RuleSet::Lasca);
        generator.generate(material, &Silent).unwrap();
        let (made, ships) = (fs::read(folder.path().join(&name)), fs::read(shipped().join(&name)));
        assert!(made.unwrap() == ships.unwrap(), "{name} differs from the one that ships");
    }
}

#[test]
fn the_published_checksums_are_those_of_the_tables() {
    let sums = fs::read_to_string(shipped().join("SHA256SUMS")).unwrap();
    let mut names = Vec::new();
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let digest = Sha256::digest(fs::read(shipped().join(name)).unwrap());
        let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, sum, "{name}");
        names.push(name.to_owned());
    }
    let expected: Vec<String> =
        (2..=5).flat_map(Material::with_total).map(|m| file_name(m, RuleSet::Lasca)).collect();
    names.sort();
    let mut sorted = expected.clone();
    sorted.sort();
    assert_eq!(names, sorted);
}

#[test]
fn a_table_of_another_format_version_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let name = file_name("2-1".parse().unwrap(), RuleSet::Lasca);
    let mut newer = fs::read(shipped().join(&name)).unwrap();
    newer[8] = 0xFE;
    fs::write(folder.path().join(&name), &newer).unwrap();
    let made =
        Generator::new(folder.path(), RuleSet::Lasca).generate("2-1".parse().unwrap(), &Silent);
    assert!(made.unwrap_err().to_string().contains("found 254"));
    assert!(fs::read(folder.path().join(&name)).unwrap() == newer);
}
