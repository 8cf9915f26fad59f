//! `report`: writes an HTML page about endgames.

use crate::failure::{Failure, Status};
use crate::folders::Folders;
use crate::hints;
use clap::builder::{PathBufValueParser, TypedValueParser};
use lasca_tablebase::index::Material;
use lasca_tablebase::report::{Endgame, page};
use lasca_tablebase::rules::RuleSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Write an HTML page about endgames
///
/// For each material, the page shows how many positions are won, drawn and lost, how far they are
/// from the end, the longest win with its line, and the most instructive mutual zugzwangs, with
/// boards. The page is a single file and loads nothing from elsewhere. The file appears only when it
/// is complete.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb report --out endgames.html
  lasca-tb report --out endgames.html 3-2 4-3")]
pub struct Args {
    /// The materials [default: all that have a table]
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,

    /// The file to write; an existing file is replaced
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(file_name))]
    out: PathBuf,

    #[command(flatten)]
    folders: Folders,
}

fn file_name(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.file_name().is_some() { Ok(path) } else { Err("expected the name of a file") }
}

/// Writes the page.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let failed = |error| Failure::Wrong(format!("cannot write {}: {error}", args.out.display()));
    check_target(&args.out).map_err(failed)?;
    let rules = rules.unwrap_or_default();
    let tables = args.folders.open(rules)?;
    let mut materials = args.materials.clone();
    if materials.is_empty() {
        let of_rules = tables.tables().iter().filter(|file| file.rules() == rules);
        materials.extend(of_rules.map(|file| file.material()));
    }
    if materials.is_empty() {
        return Err(Failure::Negative(hints::no_tables(&args.folders, Some(rules))));
    }
    let mut endgames = Vec::new();
    for (i, &material) in materials.iter().enumerate() {
        if !materials[..i].contains(&material) {
            endgames.push(Endgame::of(&tables, material)?);
        }
    }
    write_whole(&args.out, &page(rules, &endgames)).map_err(failed)?;
    Ok(Status::Affirmative)
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Checks before the work that the file can be written after it.
fn check_target(path: &Path) -> io::Result<()> {
    if let Ok(found) = fs::metadata(path)
        && !found.is_file()
    {
        let what = if found.is_dir() { "a folder" } else { "a pipe, socket or device" };
        return Err(io::Error::other(format!("expected a regular file, found {what}")));
    }
    fs::read_dir(folder_of(path)).map(|_| ())
}

/// Writes a file. It gets its name only when it is complete.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Like any new file, it gets the permissions that the process mask allows.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.prefix(".lasca-report-").tempfile_in(folder_of(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    if cfg!(unix) { File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}
