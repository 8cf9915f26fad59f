//! Checkpoints: the state of an unfinished slice, on disk.
//!
//! A checkpoint is read only by a solver of the same [version](super::WORK_VERSION), for the same
//! slice and division into partitions. One that does not fit, or is damaged, is set aside under another
//! name. One that cannot be read ends the run.
//!
//! ```text
//! version (4 bytes), length of the head (4), head,
//! then for each partition: length of its agenda (8), checksum of that length (8), agenda,
//! its bytes if its starting state is known, and the checksum of all that (8)
//! ```
//!
//! The head and the agendas are [checked bytes](crate::durable::to_checked_bytes).

use super::partitions::Partitions;
use super::resources::{Checkpoints, Settings};
use super::state::Agenda;
use crate::Progress;
use crate::durable::{
    Interval, NewFile, Pace, aside_name, from_checked_bytes, is_damage, naming, to_checked_bytes,
};
use crate::index::SliceIndex;
use crate::values::bytes::{Bytes, BytesPart};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::time::Instant;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Identity {
    /// The rule set's number.
    pub rules: u8,
    /// The counters of the side to move and of the other side.
    pub counters: (u8, u8),
    /// The number of columns.
    pub columns: u8,
    /// The first ply whose positions are listed apart from the bytes.
    pub first_late: u8,
    /// A partition holds `1 << orbit_shift` orbits.
    pub orbit_shift: u32,
}

impl Identity {
    /// What a checkpoint is of for a solver with these settings, of the slice that `index` numbers for its
    /// first stored side to move.
    pub fn of(settings: &Settings, index: &SliceIndex, partitions: Partitions) -> Identity {
        Identity {
            rules: settings.rules.id(),
            counters: (index.mover_counters() as u8, index.other_counters() as u8),
            columns: index.columns() as u8,
            first_late: settings.first_late as u8,
            orbit_shift: partitions.orbit_shift,
        }
    }
}

/// How far the slice is, once the starting state of all its positions is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Reached {
    /// The ply that is being expanded.
    pub ply: u16,
    /// How many partitions have been expanded at this ply, and the updates that they sent made.
    pub expanded: u64,
    /// How many positions have been expanded, at all plies.
    pub settled: u64,
}

/// What stands where the checkpoint of a slice is looked for.
#[derive(Debug, PartialEq)]
pub enum Found {
    /// There is no checkpoint.
    Nothing,
    /// There is a file that cannot be used, for this reason.
    Unfit(&'static str),
    /// This is how far the slice is.
    State(Reached),
}

const DAMAGED: Found = Found::Unfit("it is damaged");

/// Upper limit for the length of a head.
const MAX_HEAD: u32 = 1 << 10;

/// Writes a checkpoint in place of the one at `path`, durably. If that fails, the old one stays.
pub fn save(
    path: &Path,
    identity: &Identity,
    reached: Reached,
    partitions: Partitions,
    state: (&[Agenda], &[Bytes]),
) -> io::Result<()> {
    save_with_head(path, (identity, reached), partitions, state)
}

/// The same with another head.
pub fn save_with_head(
    path: &Path,
    head: impl bincode::Encode,
    partitions: Partitions,
    (agendas, bytes): (&[Agenda], &[Bytes]),
) -> io::Result<()> {
    let mut out = NewFile::create_as(path, &path.with_extension("tmp"))?;
    let head = to_checked_bytes(head)?;
    out.write_all(&super::WORK_VERSION.to_le_bytes())?;
    out.write_all(&(head.len() as u32).to_le_bytes())?;
    out.write_all(&head)?;
    let mut buffer = Vec::new();
    for (i, agenda) in agendas.iter().enumerate() {
        let mut sum = Xxh3::new();
        let mut put = |part: &[u8]| {
            sum.update(part);
            out.write_all(part)
        };
        let agenda_bytes = to_checked_bytes(agenda)?;
        let length = (agenda_bytes.len() as u64).to_le_bytes();
        put(&length)?;
        put(&xxh3_64(&length).to_le_bytes())?;
        put(&agenda_bytes)?;
        if agenda.is_started() {
            let side = partitions.side_and_orbit(i).0;
            put(bytes[side].read(partitions.own_range(i), &mut buffer)?)?;
        }
        out.write_all(&sum.digest().to_le_bytes())?;
    }
    out.put_in_place()?;
    Ok(())
}

/// Gives a file that cannot be used another name, and says why.
///
/// # Errors
/// If it cannot be renamed.
pub fn pass_over(path: &Path, why: &str, progress: &dyn Progress) -> io::Result<()> {
    let aside = aside_name(path)?;
    fs::rename(path, path.with_file_name(&aside))?;
    progress.work_ignored(path, &format!("{why}; it is now called {aside}"));
    Ok(())
}

/// Reads the checkpoint at `path` into `agendas` and `bytes`, if there is one of this slice and it is
/// sound. If not, neither is of any use afterwards.
///
/// # Errors
/// If there is one that cannot be read, or `bytes` are in a scratch file that cannot be written.
pub fn load(
    path: &Path,
    identity: &Identity,
    partitions: Partitions,
    agendas: &mut [Agenda],
    bytes: &mut [Bytes],
) -> io::Result<Found> {
    let mut from = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(naming(path, &error)),
    };
    match load_from(&mut from, identity, partitions, agendas, bytes) {
        Err(error) if is_damage(&error) => Ok(DAMAGED),
        loaded => loaded.map_err(|error| naming(path, &error)),
    }
}

/// The same from an open file. An error may be of [damage](is_damage).
fn load_from(
    from: &mut impl Read,
    identity: &Identity,
    partitions: Partitions,
    agendas: &mut [Agenda],
    bytes: &mut [Bytes],
) -> io::Result<Found> {
    let (found, reached): (Identity, Reached) = match read_head(from)? {
        Ok(head) => head,
        Err(why) => return Ok(Found::Unfit(why)),
    };
    if found != *identity {
        let same_slice = Identity { orbit_shift: identity.orbit_shift, ..found };
        return Ok(Found::Unfit(match *identity == same_slice {
            true => "it was saved under another memory limit",
            false => "it is of another slice",
        }));
    }
    let parts = bytes.iter_mut().flat_map(|bytes| bytes.parts(partitions.positions()));
    let mut buffer = Vec::new();
    for (agenda, part) in agendas.iter_mut().zip(parts) {
        read_partition(from, agenda, part, &mut buffer)?;
    }
    Ok(Found::State(reached))
}

/// Reads a partition of which nothing was known.
///
/// # Errors
/// If it cannot be read, or is damaged, or its bytes are in a scratch file that cannot be written.
pub fn read_partition(
    from: &mut impl Read,
    agenda: &mut Agenda,
    part: BytesPart,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let mut sum = Xxh3::new();
    *agenda = read_agenda(from, agenda, part.len(), &mut sum)?;
    if agenda.is_started() {
        part.change::<io::Error>(buffer, |part| {
            from.read_exact(part)?;
            sum.update(part);
            Ok(())
        })?;
    }
    match u64::from_le_bytes(read_array(from)?) == sum.digest() {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Passes over a partition of as many positions as `fresh` was made for. Its bytes are not looked at.
///
/// # Errors
/// If it cannot be read, or is damaged.
pub fn skip_partition(from: &mut BufReader<File>, fresh: &Agenda, len: usize) -> io::Result<()> {
    let agenda = read_agenda(from, fresh, len, &mut Xxh3::new())?;
    let bytes = if agenda.is_started() { len as i64 } else { 0 };
    from.seek_relative(bytes + size_of::<u64>() as i64)
}

/// The head, or why the file cannot be used.
///
/// # Errors
/// If it cannot be read, or is damaged.
pub fn read_head<T: bincode::Decode<()>>(
    from: &mut impl Read,
) -> io::Result<Result<T, &'static str>> {
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    if u32::from_le_bytes(read_array(from)?) != super::WORK_VERSION {
        return Ok(Err("another version of the program saved it"));
    }
    let len = Some(u32::from_le_bytes(read_array(from)?)).filter(|&len| len <= MAX_HEAD);
    let mut head = vec![0; len.ok_or_else(damaged)? as usize];
    from.read_exact(&mut head)?;
    from_checked_bytes(&head).map(Ok).ok_or_else(damaged)
}

/// The agenda of a partition of `len` positions that has had none yet but `fresh`. `sum` gets all that
/// is read, because the checksum of the whole partition follows later.
fn read_agenda(
    from: &mut impl Read,
    fresh: &Agenda,
    len: usize,
    sum: &mut Xxh3,
) -> io::Result<Agenda> {
    let length: [u8; 8] = read_array(from)?;
    let sum_of_length: [u8; 8] = read_array(from)?;
    // A damaged length would have the rest of the file read.
    if sum_of_length != xxh3_64(&length).to_le_bytes() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    sum.update(&length);
    sum.update(&sum_of_length);
    // The file may have been cut short, so only what is there is read.
    let mut bytes = Vec::new();
    from.by_ref().take(u64::from_le_bytes(length)).read_to_end(&mut bytes)?;
    sum.update(&bytes);
    let agenda = from_checked_bytes(&bytes).filter(|agenda: &Agenda| agenda.fits(fresh, len));
    agenda.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn read_array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Saves the state of a slice when it is time.
#[derive(Clone, Copy, Debug)]
pub struct Saver<'a> {
    path: Option<&'a Path>,
    pace: Pace,
}

impl<'a> Saver<'a> {
    /// The slice is begun now.
    pub fn new(checkpoints: Option<&'a Checkpoints>) -> Saver<'a> {
        let interval = checkpoints.map_or(Interval::Never, |checkpoints| checkpoints.interval);
        let path = checkpoints.map(|checkpoints| &*checkpoints.path);
        Saver { path, pace: Pace::new(interval) }
    }

    /// Where checkpoints are, if there may be any.
    pub fn path(&self) -> Option<&'a Path> {
        self.path
    }

    /// Whether it is time to save the state.
    pub fn is_due(&self) -> bool {
        self.pace.is_due()
    }

    /// Saves the state with `save`, unless none is ever saved. If it cannot be saved, a later run
    /// loses time and nothing else, so the work goes on.
    pub fn save(&mut self, progress: &dyn Progress, save: impl FnOnce(&Path) -> io::Result<()>) {
        let Some(path) = self.path.filter(|_| self.pace.is_ever_due()) else { return };
        let begun = Instant::now();
        if let Err(error) = save(path) {
            progress.checkpoint_failed(path, &error);
        }
        self.pace.saved(begun);
    }
}
