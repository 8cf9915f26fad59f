//! Checkpoints of several ranks.
//!
//! Each rank writes what it owns to a file of its own, a [checkpoint](super::checkpoint) of its
//! partitions. When all ranks have done so, rank 0 writes a note, and from then on these files are the
//! checkpoint of the slice; those that the note named before are removed. The files hold
//! partitions, so another number of ranks can read them: each rank reads the partitions that it owns from
//! the files that hold them. Each file names its rank, how many there were and the number of its
//! checkpoint, so that one of another checkpoint is never taken for it.

use super::checkpoint::{self, Found, Identity, Reached};
use super::error::SolveError;
use super::partitions::Partitions;
use super::state::Agenda;
use crate::durable::{from_checked_bytes, write_checked};
use crate::ranks::{Failure, Ranks, agree_on, share};
use crate::values::bytes::Bytes;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// Which files are the checkpoint of a slice.
#[derive(Clone, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Note {
    version: u32,
    identity: Identity,
    /// How far the slice is.
    pub reached: Reached,
    /// Whether the slice is solved.
    pub is_finished: bool,
    /// What the names of the files have in common.
    generation: u32,
    /// How many ranks have written a file.
    ranks: u32,
}

/// What the file of a rank is of.
#[derive(Debug, PartialEq, bincode::Encode, bincode::Decode)]
struct PartHead {
    identity: Identity,
    reached: Reached,
    is_finished: bool,
    generation: u32,
    /// The rank that wrote it, and how many there were: they say which partitions it holds.
    rank: u32,
    ranks: u32,
}

/// The checkpoint of a slice, as one of the ranks sees it.
pub struct SharedCheckpoint<'a> {
    ranks: &'a dyn Ranks,
    /// Where the note is.
    path: &'a Path,
    identity: Identity,
    /// The note that all ranks know.
    pub note: Option<Note>,
    /// The last generation that was begun.
    generation: u32,
}

impl<'a> SharedCheckpoint<'a> {
    /// Looks for the checkpoint that the note at `path` names. If there is one that cannot be used, rank 0
    /// tells `ignored` why.
    ///
    /// # Errors
    /// If there is a note that cannot be read, because its files would be replaced by others; or the ranks
    /// cannot exchange data.
    pub fn find(
        ranks: &'a dyn Ranks,
        path: &'a Path,
        identity: Identity,
        ignored: impl FnOnce(&'static str),
    ) -> Result<SharedCheckpoint<'a>, SolveError> {
        let is_first = ranks.rank() == 0;
        let bytes = if is_first { read_if_there(path) } else { Ok(None) };
        let bytes = bytes.map_err(|error| Failure::Own(SolveError::Scratch(error)));
        let bytes = agree_on(ranks, bytes)?;
        let note = is_first.then(|| {
            let note = bytes.map(|bytes| note_of(&bytes, &identity)).transpose();
            note.unwrap_or_else(|why| {
                ignored(why);
                None
            })
        });
        let note = share(ranks, Ok(note)).map_err(SolveError::Exchange)?;
        let generation = note.as_ref().map_or(0, |note: &Note| note.generation);
        Ok(SharedCheckpoint { ranks, path, identity, note, generation })
    }

    /// The ranks that share it.
    pub fn ranks(&self) -> &'a dyn Ranks {
        self.ranks
    }

    /// Reads what this rank owns. Returns whether all ranks could do so; if not, what is in `agendas` and
    /// `bytes` then is of no use on any of them.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn load(
        &self,
        partitions: Partitions,
        agendas: &mut [Agenda],
        bytes: &mut [Bytes],
    ) -> io::Result<Result<(), &'static str>> {
        let Some(note) = &self.note else { return Ok(Err("there is none")) };
        let loaded = self.load_own(note, partitions, agendas, bytes);
        match agree_on(self.ranks, loaded.map_err(Failure::Own)) {
            Ok(()) => Ok(Ok(())),
            Err(Failure::Own(why)) => Ok(Err(why)),
            Err(Failure::OnRank(_) | Failure::Stopped) => {
                Ok(Err("another rank cannot read its part"))
            }
            Err(Failure::Exchange(error)) => Err(error),
        }
    }

    fn load_own(
        &self,
        note: &Note,
        own: Partitions,
        agendas: &mut [Agenda],
        bytes: &mut [Bytes],
    ) -> Result<(), &'static str> {
        const DAMAGED: &str = "a part of it is damaged";
        let (sides, ranks) = (bytes.len(), note.ranks as usize);
        let parts = bytes.iter_mut().flat_map(|bytes| bytes.parts(own.positions()));
        let mut parts: Vec<_> = parts.map(Some).collect();
        let mut buffer = Vec::new();
        for rank in 0..ranks {
            let theirs = own.of_rank(rank, ranks);
            let numbers = (0..theirs.own_count(sides)).map(|i| theirs.number(i));
            if !numbers.clone().any(|number| own.owns(number)) {
                continue;
            }
            let file = File::open(self.part(note.generation, rank));
            let mut from = BufReader::new(file.map_err(|_| "a part of it cannot be opened")?);
            match checkpoint::read_head::<PartHead>(&mut from) {
                Ok(head) if head == note.head_of(rank) => {}
                Ok(_) => return Err("a part of it belongs to another one"),
                Err(Found::Unfit(why)) => return Err(why),
                Err(_) => return Err(DAMAGED),
            }
            for (i, number) in numbers.enumerate() {
                let is_sound = if own.owns(number) {
                    let place = own.place(number);
                    let Some(part) = parts[place].take() else { return Err(DAMAGED) };
                    checkpoint::read_partition(&mut from, &mut agendas[place], part, &mut buffer)
                        .unwrap_or(false)
                } else {
                    let len = theirs.orbits(i) * theirs.rows;
                    let Some(agenda) = agendas.first() else { return Err(DAMAGED) };
                    let fresh = Agenda::new(agenda.codes(), len);
                    let fresh = fresh.map_err(|_| "there is not enough memory to read it")?;
                    checkpoint::skip_partition(&mut from, &fresh, len)
                };
                if !is_sound {
                    return Err(DAMAGED);
                }
            }
        }
        Ok(())
    }

    /// Saves the state of the slice, which replaces what was saved before. If it cannot be saved on
    /// some rank, what was saved before stays, the first such rank gets the error, and the others learn that
    /// the result is false.
    ///
    /// # Errors
    /// If this rank cannot write its part, or the ranks cannot exchange data.
    pub fn save(
        &mut self,
        (reached, is_finished): (Reached, bool),
        partitions: Partitions,
        state: (&[Agenda], &[Bytes]),
    ) -> io::Result<bool> {
        // A number is never used again: even if the note cannot be written durably, it may be on disk.
        self.generation += 1;
        let (generation, rank) = (self.generation, self.ranks.rank());
        let note = Note {
            version: super::WORK_VERSION,
            identity: self.identity.clone(),
            reached,
            is_finished,
            generation,
            ranks: self.ranks.count() as u32,
        };
        let path = self.part(generation, rank);
        let written = checkpoint::save_with_head(&path, note.head_of(rank), partitions, state);
        if !all_have(self.ranks, written)? {
            let _ = fs::remove_file(path);
            return Ok(false);
        }
        let is_first = self.ranks.rank() == 0;
        let noted = if is_first { write_checked(self.path, &note) } else { Ok(()) };
        if !all_have(self.ranks, noted)? {
            return Ok(false);
        }
        if is_first {
            self.remove_others(generation);
        }
        self.note = Some(note);
        Ok(true)
    }

    /// The file that a rank has written.
    fn part(&self, generation: u32, rank: usize) -> PathBuf {
        self.path.with_file_name(format!("{}{generation}-{rank}", self.prefix()))
    }

    /// How the names of all files begin that ranks write.
    fn prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}-part-")
    }

    /// Removes the files of other generations. One that stays does no harm.
    fn remove_others(&self, generation: u32) {
        let folder = self.path.parent().map(fs::read_dir);
        let (all, kept) = (self.prefix(), format!("{}{generation}-", self.prefix()));
        for entry in folder.into_iter().flatten().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&all) && !name.starts_with(&kept) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Note {
    /// How the file of a rank begins.
    fn head_of(&self, rank: usize) -> PartHead {
        let Note { ref identity, reached, is_finished, generation, ranks, .. } = *self;
        let (identity, rank) = (identity.clone(), rank as u32);
        PartHead { identity, reached, is_finished, generation, rank, ranks }
    }
}

/// Whether a step has succeeded on all ranks. The first rank on which it has not gets its error.
fn all_have(ranks: &dyn Ranks, result: io::Result<()>) -> io::Result<bool> {
    match agree_on(ranks, result.map_err(Failure::Own)) {
        Ok(()) => Ok(true),
        Err(Failure::OnRank(_) | Failure::Stopped) => Ok(false),
        Err(Failure::Own(error) | Failure::Exchange(error)) => Err(error),
    }
}

/// The bytes of the file at `path`; `None` if there is no such file.
fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let why = format!("{} cannot be read: {error}", path.display());
            Err(io::Error::new(error.kind(), why))
        }
    }
}

/// The note that these bytes hold, if it is of this slice; or why it cannot be used.
fn note_of(bytes: &[u8], identity: &Identity) -> Result<Note, &'static str> {
    let note = from_checked_bytes::<Note>(bytes)
        .filter(|note| note.version == super::WORK_VERSION)
        .ok_or("it is damaged, or another version of the program wrote it")?;
    if note.identity != *identity {
        return Err("it is of another table, or another version of the program wrote it");
    }
    Ok(note)
}
