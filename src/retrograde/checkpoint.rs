//! Checkpoints: the state of an unfinished slice between two plies, on disk.
//!
//! A checkpoint is read only by a solver of the same [version](super::WORK_VERSION), for the same
//! slice and division into partitions. One that does not fit, or is damaged, is passed over.
//!
//! ```text
//! length of the head (8 bytes), checksum of the head (8), head (bincode),
//! then for each side to move its bytes, and last their checksum (8)
//! ```

use super::state::Agenda;
use crate::durable::NewFile;
use crate::values::bytes::Bytes;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Identity {
    /// The version of the solver and of this layout.
    pub version: u32,
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

/// How far the slice is.
#[derive(Clone, Copy, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Reached {
    /// The next ply to expand.
    pub ply: u16,
    /// How many positions have been expanded.
    pub settled: u64,
}

#[derive(bincode::Encode)]
struct Head<'a> {
    identity: &'a Identity,
    reached: Reached,
    agendas: &'a [Agenda],
}

#[derive(bincode::Decode)]
struct ReadHead {
    identity: Identity,
    reached: Reached,
    agendas: Vec<Agenda>,
}

/// How many bytes are written or read at once.
const AT_ONCE: u64 = 1 << 18;
/// Upper limit for the length of a head: the agendas of the largest slice need a fraction of this.
const MAX_HEAD: u64 = 1 << 34;

/// Writes a checkpoint in place of the one at `path`, durably. If that fails, the old one stays.
pub fn save(
    path: &Path,
    identity: &Identity,
    reached: Reached,
    agendas: &[Agenda],
    bytes: &[Bytes],
) -> io::Result<()> {
    let mut out = NewFile::create_as(path, &path.with_extension("tmp"))?;
    let head = Head { identity, reached, agendas };
    let head =
        bincode::encode_to_vec(head, bincode::config::standard()).map_err(io::Error::other)?;
    out.write_all(&(head.len() as u64).to_le_bytes())?;
    out.write_all(&xxh3_64(&head).to_le_bytes())?;
    out.write_all(&head)?;
    let (mut sum, mut buffer) = (Xxh3::new(), Vec::new());
    for bytes in bytes {
        for at in (0..bytes.len()).step_by(AT_ONCE as usize) {
            let part = bytes.read(at..(at + AT_ONCE).min(bytes.len()), &mut buffer)?;
            sum.update(part);
            out.write_all(part)?;
        }
    }
    out.write_all(&sum.digest().to_le_bytes())?;
    out.put_in_place()?;
    Ok(())
}

/// Reads the checkpoint at `path` into `agendas` and `bytes`, if there is one of this slice and it is
/// sound. If not, `agendas` are as they were, and what `bytes` hold does not matter.
///
/// # Errors
/// If `bytes` are in a scratch file that cannot be written.
pub fn load(
    path: &Path,
    identity: &Identity,
    agendas: &mut Vec<Agenda>,
    bytes: &mut [Bytes],
) -> io::Result<Option<Reached>> {
    let Some((head, mut rest)) = read_head(path) else { return Ok(None) };
    if head.identity != *identity || head.agendas.len() != agendas.len() {
        return Ok(None);
    }
    let mut sum = Xxh3::new();
    let mut buffer = Vec::new();
    for bytes in bytes {
        for part in bytes.parts(AT_ONCE as usize) {
            let mut whole = true;
            part.change::<io::Error>(&mut buffer, |part| {
                whole = rest.read_exact(part).is_ok();
                sum.update(part);
                Ok(())
            })?;
            if !whole {
                return Ok(None);
            }
        }
    }
    if read_u64(&mut rest) != Some(sum.digest()) {
        return Ok(None);
    }
    *agendas = head.agendas;
    Ok(Some(head.reached))
}

fn read_head(path: &Path) -> Option<(ReadHead, impl Read)> {
    let mut file = BufReader::new(File::open(path).ok()?);
    let (len, sum) = (read_u64(&mut file)?, read_u64(&mut file)?);
    if len > MAX_HEAD || len > fs::metadata(path).ok()?.len() {
        return None;
    }
    let mut head = vec![0; len as usize];
    file.read_exact(&mut head).ok()?;
    if xxh3_64(&head) != sum {
        return None;
    }
    let (head, _) = bincode::decode_from_slice(&head, bincode::config::standard()).ok()?;
    Some((head, file))
}

fn read_u64(from: &mut impl Read) -> Option<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).ok()?;
    Some(u64::from_le_bytes(bytes))
}
