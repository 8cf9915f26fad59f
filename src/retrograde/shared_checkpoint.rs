//! Checkpoints of several ranks.
//!
//! Each rank writes what it owns to a file of its own, a [checkpoint](super::checkpoint) of its
//! partitions. When all ranks have done so, rank 0 writes a note, and from then on these files are the
//! checkpoint of the slice; those that the note named before are removed. The files hold
//! partitions, so another number of ranks can read them: each rank reads the partitions that it owns from
//! the files that hold them. Each file names its rank, how many there were and the number of its
//! checkpoint, so that one of another checkpoint is never taken for it.

use super::checkpoint::{self, Identity, Reached};
use super::error::SolveError;
use super::partitions::Partitions;
use super::state::Agenda;
use crate::Progress;
use crate::durable::{
    aside_name, from_checked_bytes, is_damage, naming, read_if_there, write_checked,
};
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
    /// sets it aside, and tells `progress` why.
    ///
    /// # Errors
    /// If there is a note that cannot be read or set aside, because its files would be replaced by others;
    /// or the ranks cannot exchange data.
    pub fn find(
        ranks: &'a dyn Ranks,
        path: &'a Path,
        identity: Identity,
        progress: &dyn Progress,
    ) -> Result<SharedCheckpoint<'a>, SolveError> {
        let is_first = ranks.rank() == 0;
        let mut found = SharedCheckpoint { ranks, path, identity, note: None, generation: 0 };
        let bytes = if is_first { read_if_there(path) } else { Ok(None) };
        let note = bytes.and_then(|bytes| match bytes.map(|b| note_of(&b, &found.identity)) {
            Some(Ok(note)) => Ok(Some(note)),
            Some(Err(why)) => found.set_aside(why, progress).map(|()| None),
            None => Ok(None),
        });
        let note = agree_on(ranks, note.map_err(|error| Failure::Own(SolveError::Scratch(error))))?;
        found.note = share(ranks, Ok(is_first.then_some(note))).map_err(SolveError::Exchange)?;
        found.generation = found.note.as_ref().map_or(0, |note| note.generation);
        Ok(found)
    }

    /// Gives the note and all files that ranks have written other names, so that they are not
    /// overwritten or removed, and says why. Only rank 0 may do so.
    fn set_aside(&self, why: &str, progress: &dyn Progress) -> io::Result<()> {
        let aside = aside_name(self.path)?;
        let prefix = self.prefix();
        // The note comes last: as long as it is there, it says whose these files are.
        for part in self.parts(&prefix)? {
            let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rest = name.strip_prefix(&prefix).unwrap_or_default();
            fs::rename(&part, part.with_file_name(format!("{aside}-part-{rest}")))?;
        }
        fs::rename(self.path, self.path.with_file_name(&aside))?;
        progress.work_ignored(self.path, &format!("{why}; it is now called {aside}"));
        Ok(())
    }

    /// The ranks that share it.
    pub fn ranks(&self) -> &'a dyn Ranks {
        self.ranks
    }

    /// Reads what this rank owns. Returns whether all ranks could do so; if not, what is in `agendas` and
    /// `bytes` then is of no use on any of them, and the checkpoint has been set aside.
    ///
    /// # Errors
    /// If some rank cannot read its part, or rank 0 cannot set it aside, or the ranks cannot exchange data.
    pub fn load(
        &mut self,
        partitions: Partitions,
        agendas: &mut [Agenda],
        bytes: &mut [Bytes],
        progress: &dyn Progress,
    ) -> Result<bool, SolveError> {
        let Some(note) = &self.note else { return Ok(false) };
        let own = |error| Failure::Own(SolveError::Scratch(error));
        let loaded = self.load_own(note, partitions, agendas, bytes);
        let loaded = agree_on(self.ranks, loaded.map_err(own))?;
        let is_first = self.ranks.rank() == 0;
        let why = match agree_on(self.ranks, loaded.map_err(Failure::Own)) {
            Ok(()) => return Ok(true),
            Err(Failure::Exchange(error)) => return Err(SolveError::Exchange(error)),
            Err(Failure::Own(why)) => why,
            Err(Failure::OnRank(_) | Failure::Stopped) => {
                "a part of it that another rank reads is unfit"
            }
        };
        self.note = None;
        let aside = if is_first { self.set_aside(why, progress) } else { Ok(()) };
        agree_on(self.ranks, aside.map_err(own))?;
        Ok(false)
    }

    fn load_own(
        &self,
        note: &Note,
        own: Partitions,
        agendas: &mut [Agenda],
        bytes: &mut [Bytes],
    ) -> io::Result<Result<(), &'static str>> {
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
            let path = self.part(note.generation, rank);
            let mut read = || -> io::Result<Result<(), &'static str>> {
                let mut from = BufReader::new(File::open(&path)?);
                match checkpoint::read_head::<PartHead>(&mut from)? {
                    Ok(head) if head == note.head_of(rank) => {}
                    Ok(_) => return Ok(Err("a part of it belongs to another one")),
                    Err(why) => return Ok(Err(why)),
                }
                for (i, number) in numbers.clone().enumerate() {
                    if own.owns(number) {
                        let place = own.place(number);
                        let Some(part) = parts[place].take() else {
                            unreachable!("each partition is in the file of one rank")
                        };
                        let agenda = &mut agendas[place];
                        checkpoint::read_partition(&mut from, agenda, part, &mut buffer)?;
                    } else if let Some(agenda) = agendas.first() {
                        let len = theirs.orbits(i) * theirs.rows;
                        let fresh = Agenda::new(agenda.codes(), len);
                        checkpoint::skip_partition(&mut from, &fresh, len)?;
                    }
                }
                Ok(Ok(()))
            };
            match read() {
                Ok(Ok(())) => {}
                Ok(Err(why)) => return Ok(Err(why)),
                Err(error) if is_damage(&error) => return Ok(Err("a part of it is damaged")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Err("a part of it is not there"));
                }
                Err(error) => return Err(naming(&path, &error)),
            }
        }
        Ok(Ok(()))
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
        let kept = self.parts(&format!("{}{generation}-", self.prefix())).unwrap_or_default();
        for part in self.parts(&self.prefix()).unwrap_or_default() {
            if !kept.contains(&part) {
                let _ = fs::remove_file(part);
            }
        }
    }

    /// The files beside the note whose names begin like this.
    fn parts(&self, prefix: &str) -> io::Result<Vec<PathBuf>> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut parts = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                parts.push(entry.path());
            }
        }
        Ok(parts)
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
