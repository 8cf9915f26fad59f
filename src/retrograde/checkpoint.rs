//! Checkpoints: what is saved of a slice, on disk. A solved slice is a finished checkpoint.
//!
//! Each process writes what it owns to a file of its own, a *part*. When all processes have done so,
//! process 0 writes a note, and from then on these files are the checkpoint of the slice; those that the
//! note named before are removed. The parts hold partitions, so another number of processes can read them:
//! each process reads the partitions that it owns from the parts that hold them. Each part names its
//! process, how many there were and the number of its checkpoint, so that one of another checkpoint is
//! never taken for it.
//!
//! A checkpoint is read only by a solver of the same [version](VERSION), for the same slice.
//! One that does not fit, or is damaged, is set aside under another name. One that cannot be read ends
//! the run.
//!
//! ```text
//! a part: version (4 bytes), length of the head (4), head,
//! the bytes of all partitions of the process, for one side to move after the other;
//! then for each partition: length of its agenda (8), checksum of that length (8), agenda,
//! checksum of its bytes (8)
//! ```
//!
//! The note, the head and the agendas are [checked bytes](crate::checked::to_checked_bytes).

use super::SliceSolver;
use super::codes::Codes;
use super::error::{Failure, SolveError, agree};
use super::partitions::Partitions;
use super::state::{Agenda, State};
use crate::Progress;
use crate::checked::{
    MAX_NOTE, aside_name, from_checked_bytes, is_damage, read_if_there, to_checked_bytes,
    write_checked,
};
use crate::durable::NewFile;
use crate::file_at::{FileExt, naming, open_regular};
use crate::index::SliceIndex;
use crate::processes::{Processes, StepFailure, agree_on, tell_all};
use crate::values::Distance;
use crate::values::bytes::{Bytes, BytesPart, FileBytes, FileOf};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The version of checkpoints. Raise it whenever the solver or their layout changes, so that no run goes on from a
/// state that another program left.
const VERSION: u32 = 11;

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
}

impl Identity {
    /// What a checkpoint is of for this solver, of the slice that `index` numbers for its first stored side to
    /// move.
    pub fn of(solver: &SliceSolver, index: &SliceIndex) -> Identity {
        Identity {
            rules: solver.rules.id(),
            counters: (index.mover_counters() as u8, index.other_counters() as u8),
            columns: index.columns() as u8,
            first_late: solver.codes.late(),
        }
    }
}

/// How far the slice is. The starting state of all its positions is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Reached {
    /// The ply that is being expanded.
    pub ply: u16,
    /// How many positions have been expanded, at all plies.
    pub expanded: u64,
}

/// Which files are the checkpoint of a slice.
#[derive(Clone, Debug, PartialEq, bincode::Encode, bincode::Decode)]
pub struct Note {
    version: u32,
    identity: Identity,
    /// A partition holds `1 << orbit_shift` orbits.
    pub orbit_shift: u32,
    /// How far the slice is.
    pub reached: Reached,
    /// Whether the slice is solved.
    pub is_finished: bool,
    /// What the names of the files have in common.
    generation: u32,
    /// How many processes have written a part.
    pub processes: u32,
}

/// The most processes that can have written a checkpoint.
const MAX_PROCESSES: u32 = 1 << 20;

impl Note {
    /// Whether these numbers can be those of the slice that `index` numbers for its first stored side to move.
    fn fits(&self, index: &SliceIndex) -> bool {
        let Reached { ply, expanded } = self.reached;
        Partitions::can_have(index, self.orbit_shift)
            && (1..=MAX_PROCESSES).contains(&self.processes)
            && (self.is_finished || ply <= Distance::MAX_DTW)
            && expanded <= 2 * index.positions()
            && self.generation < u32::MAX
    }
}

/// What a part says of itself: which process wrote it, and with which note.
#[derive(PartialEq, bincode::Encode, bincode::Decode)]
struct Head {
    note: Note,
    process: u32,
}

/// The checkpoint of a slice, as one of the processes sees it.
pub struct Checkpoint<'a> {
    processes: &'a dyn Processes,
    /// Where the note is.
    pub path: &'a Path,
    identity: Identity,
    /// The note that all processes know.
    pub note: Option<Note>,
    /// The last generation that was begun.
    generation: u32,
}

impl<'a> Checkpoint<'a> {
    /// Looks for the checkpoint of the slice of this `identity` that the note at `path` names. `index` numbers the
    /// slice for its first stored side to move. If there is one that cannot be used, process
    /// 0 sets it aside, and tells `progress` why.
    ///
    /// # Errors
    /// If there is a note that cannot be read or set aside, because its files would be replaced by others.
    pub fn open(
        processes: &'a dyn Processes,
        path: &'a Path,
        identity: Identity,
        index: &SliceIndex,
        progress: &dyn Progress,
    ) -> Result<Checkpoint<'a>, Failure> {
        let is_first = processes.number() == 0;
        let mut found = Checkpoint { processes, path, identity, note: None, generation: 0 };
        let bytes = if is_first { read_if_there(path) } else { Ok(None) };
        let note =
            bytes.and_then(|bytes| match bytes.map(|b| note_of(&b, &found.identity, index)) {
                Some(Ok(note)) => Ok(Some(note)),
                Some(Err(why)) => found.set_aside(why, progress).map(|()| None),
                None => Ok(None),
            });
        let note = agree(processes, note.map_err(SolveError::File))?;
        found.note =
            tell_all(processes, Ok(is_first.then_some(note))).map_err(StepFailure::Exchange)?;
        found.generation = found.note.as_ref().map_or(0, |note| note.generation);
        Ok(found)
    }

    /// Gives the note and all parts other names, so that they are not overwritten or removed, and says
    /// why. Only process 0 may do so.
    fn set_aside(&self, why: &str, progress: &dyn Progress) -> io::Result<()> {
        let aside = aside_name(self.path)?;
        let prefix = self.prefix();
        // The note comes last: as long as it is there, it says whose these files are.
        for part in self.parts(&prefix)? {
            let name = part.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let rest = name.strip_prefix(&prefix).unwrap_or_default();
            fs::rename(&part, part.with_file_name(format!("{aside}-part-{rest}")))
                .map_err(naming("renaming", &part))?;
        }
        fs::rename(self.path, self.path.with_file_name(&aside))
            .map_err(naming("renaming", self.path))?;
        progress.noted(&format!(
            "{} is not used: {why}; it is now called {aside}; this part is solved again",
            self.path.display()
        ));
        Ok(())
    }

    /// Sets the checkpoint aside if there is one, because of something that all processes know.
    pub fn forget(&mut self, why: &str, progress: &dyn Progress) -> Result<(), Failure> {
        let is_there = self.note.take().is_some() && self.processes.number() == 0;
        let aside = if is_there { self.set_aside(why, progress) } else { Ok(()) };
        agree(self.processes, aside.map_err(SolveError::File))
    }

    /// Reads what this process owns, in the division that the note names. If the state has no bytes, those in
    /// the files are only checked. Returns whether all processes could do so; if not, what has been read then is
    /// of no use on any of them, and the checkpoint has been set aside.
    pub fn load(&mut self, into: &mut State, progress: &dyn Progress) -> Result<bool, Failure> {
        let Some(note) = &self.note else { return Ok(false) };
        let loaded = self.load_own(note, into);
        let loaded = agree(self.processes, loaded.map_err(SolveError::File))?;
        let why = match agree_on(self.processes, loaded.map_err(StepFailure::Own)) {
            Ok(()) => return Ok(true),
            Err(StepFailure::Exchange(error)) => return Err(StepFailure::Exchange(error)),
            Err(StepFailure::Own(why)) => why,
            Err(_) => "another process cannot use its part".to_owned(),
        };
        self.forget(&why, progress)?;
        Ok(false)
    }

    /// Reads what this process owns; or says why that cannot be used.
    fn load_own(&self, note: &Note, into: &mut State) -> io::Result<Result<(), String>> {
        for process in 0..note.processes as usize {
            let theirs = into.partitions.of_process(process, note.processes as usize);
            if !(0..theirs.own_count()).any(|i| into.partitions.owns(theirs.number(i))) {
                continue;
            }
            let head = Head { note: note.clone(), process: process as u32 };
            let path = self.part(note.generation, process);
            match read_part(&path, &head, theirs, into) {
                Ok(()) => {}
                Err(error) if is_damage(&error) => {
                    let why = error.get_ref().map(|why| why.to_string());
                    return Ok(Err(why.unwrap_or_else(|| "a part of it is damaged".to_owned())));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Err("a part of it is not there".to_owned()));
                }
                Err(error) => return Err(naming("reading", &path)(error)),
            }
        }
        Ok(Ok(()))
    }

    /// For each stored side to move, the bytes of this process where they stand in its part. As many
    /// processes as there are now have written the checkpoint.
    pub fn bytes_in_place(&self, own: Partitions) -> io::Result<Vec<Bytes>> {
        let generation = self.note.as_ref().map_or(0, |note| note.generation);
        let path = self.part(generation, self.processes.number());
        let bytes = |side: usize| {
            let mut file = open_regular(File::options().read(true), &path)?;
            let start = read_head(&mut file)?.1;
            let len = own.own_positions();
            let (start, of) = (start + side as u64 * len, FileOf::Work(path.clone()));
            Ok(Bytes::File(FileBytes { file, start, len, of }))
        };
        let bytes = (0..own.sides).map(bytes).collect::<io::Result<_>>();
        bytes.map_err(naming("reading", &path))
    }

    /// Saves the state of the slice, which replaces what was saved before. If it cannot be saved on
    /// some process, what was saved before stays, the first such process gets the error, and the others
    /// learn that the result is false. `progress` is told if what was saved before cannot be removed.
    ///
    /// # Errors
    /// If this process cannot write its part, or the processes cannot exchange data.
    pub fn save(
        &mut self,
        state: &State,
        reached: Reached,
        is_finished: bool,
        progress: &dyn Progress,
    ) -> io::Result<bool> {
        // A number is never used again: even if the note cannot be written durably, it may be on disk.
        self.generation += 1;
        let (generation, process) = (self.generation, self.processes.number());
        let note = Note {
            version: VERSION,
            identity: self.identity.clone(),
            orbit_shift: state.partitions.orbit_shift,
            reached,
            is_finished,
            generation,
            processes: self.processes.count() as u32,
        };
        let path = self.part(generation, process);
        let head = Head { note, process: process as u32 };
        // A part has another name each time. This one stays, so that a warning is said once.
        let written = write_part(&path, &head, state).map_err(naming("writing", self.path));
        if !all_have(self.processes, written)? {
            let _ = fs::remove_file(path);
            return Ok(false);
        }
        let is_first = self.processes.number() == 0;
        let noted = if is_first { write_checked(self.path, &head.note) } else { Ok(()) };
        if !all_have(self.processes, noted)? {
            return Ok(false);
        }
        if is_first && let Err(error) = self.remove_others(generation) {
            progress.warned(&format!(
                "older parts of saved work stay where they are: {error}; the work goes on"
            ));
        }
        self.note = Some(head.note);
        Ok(true)
    }

    /// The part of a process.
    fn part(&self, generation: u32, process: usize) -> PathBuf {
        self.path.with_file_name(format!("{}{generation}-{process}", self.prefix()))
    }

    /// How the names of all parts begin.
    fn prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}-part-")
    }

    /// Removes the parts of other generations. One that stays does no harm.
    fn remove_others(&self, generation: u32) -> io::Result<()> {
        let kept = format!("{}{generation}-", self.prefix());
        for part in self.parts(&self.prefix())? {
            let name = part.file_name().unwrap_or_default();
            if !name.to_string_lossy().starts_with(&kept) {
                let _ = fs::remove_file(part);
            }
        }
        Ok(())
    }

    /// The files beside the note whose names begin like this.
    fn parts(&self, prefix: &str) -> io::Result<Vec<PathBuf>> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let listed = fs::read_dir(folder).and_then(|entries| {
            let mut parts = Vec::new();
            for entry in entries {
                let entry = entry?;
                if entry.file_name().to_string_lossy().starts_with(prefix) {
                    parts.push(entry.path());
                }
            }
            Ok(parts)
        });
        listed.map_err(naming("listing", folder))
    }
}

/// Whether a step has succeeded on all processes. The first process on which it has not gets its error.
fn all_have(processes: &dyn Processes, result: io::Result<()>) -> io::Result<bool> {
    match agree_on(processes, result.map_err(StepFailure::Own)) {
        Ok(()) => Ok(true),
        Err(StepFailure::OnProcess(_) | StepFailure::Stopped) => Ok(false),
        Err(StepFailure::Own(error) | StepFailure::Exchange(error)) => Err(error),
    }
}

/// The note that these bytes hold, if it is of this slice; or why it cannot be used.
fn note_of(bytes: &[u8], identity: &Identity, index: &SliceIndex) -> Result<Note, &'static str> {
    let note = from_checked_bytes::<Note>(bytes)
        .filter(|note| note.version == VERSION)
        .ok_or("it is damaged, or another version of the program wrote it")?;
    if note.identity != *identity {
        return Err("it is of another table, or another version of the program wrote it");
    }
    if !note.fits(index) {
        return Err("it is damaged: its numbers cannot be those of this table");
    }
    Ok(note)
}

/// How many of the positions of a slice the checkpoint saves whose note is at `path`: all if the slice is solved, and
/// otherwise those that have been expanded. `None` if there is no such note of this version.
pub fn saved_positions(path: &Path, all: u64) -> Option<u64> {
    let note = from_checked_bytes::<Note>(&read_if_there(path).ok()??)?;
    let of = if note.is_finished { all } else { note.reached.expanded.min(all) };
    (note.version == VERSION).then_some(of)
}

/// Writes a part in place of the one at `path`, durably. If that fails, the old one stays.
fn write_part(path: &Path, head: &Head, state: &State) -> io::Result<()> {
    let State { partitions, agendas, bytes, .. } = state;
    let mut out = NewFile::create_as(path, &path.with_extension("tmp"))?;
    let head = to_checked_bytes(head)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&(head.len() as u32).to_le_bytes())?;
    out.write_all(&head)?;
    let (mut buffer, mut sums) = (Vec::new(), Vec::with_capacity(agendas.len()));
    for i in 0..agendas.len() {
        let (side, range) = (partitions.side_and_orbit(i).0, partitions.own_range(i));
        let bytes = bytes[side].read(range, &mut buffer)?;
        sums.push(xxh3_64(bytes));
        out.write_all(bytes)?;
    }
    for (agenda, sum) in agendas.iter().zip(sums) {
        let agenda = to_checked_bytes(agenda)?;
        let length = (agenda.len() as u64).to_le_bytes();
        out.write_all(&length)?;
        out.write_all(&xxh3_64(&length).to_le_bytes())?;
        out.write_all(&agenda)?;
        out.write_all(&sum.to_le_bytes())?;
    }
    out.put_in_place()
}

/// The error of a part that cannot be used, of the kind that [`is_damage`] knows.
fn unusable(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Reads from a part the partitions that one process owns.
fn read_part(path: &Path, head: &Head, theirs: Partitions, into: &mut State) -> io::Result<()> {
    let State { codes, partitions: own, ref mut agendas, bytes: ref mut into } = *into;
    let sides = own.sides as u64;
    let mut from = BufReader::new(open_regular(File::options().read(true), path)?);
    let (found, start) = read_head(&mut from)?;
    if found != *head {
        return Err(unusable("a part of it belongs to another one"));
    }
    let len = theirs.own_positions();
    from.seek(SeekFrom::Start(start + sides * len))?;
    let mut wanted = Vec::new();
    for i in 0..theirs.own_count() {
        let (number, range) = (theirs.number(i), theirs.own_range(i));
        let agenda = read_agenda(&mut from, codes, (range.end - range.start) as usize)?;
        let sum = u64::from_le_bytes(read_array(&mut from)?);
        if own.owns(number) {
            let side_start = theirs.side_and_orbit(i).0 as u64 * len;
            wanted.push((own.place(number), side_start + range.start, range, sum));
            agendas[own.place(number)] = agenda;
        }
    }
    let file = from.into_inner();
    let parts = into.iter_mut().flat_map(|bytes| bytes.parts(own.positions()));
    let mut parts: Vec<Option<BytesPart>> = parts.map(Some).collect();
    let (mut read, mut buffer) = (Vec::new(), Vec::new());
    for (place, at, range, sum) in wanted {
        let len = (range.end - range.start) as usize;
        read.resize(len, 0);
        file.read_exact_at(&mut read, start + at)?;
        if xxh3_64(&read) != sum {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if let Some(part) = parts.get_mut(place).and_then(Option::take) {
            part.change::<io::Error>(&mut buffer, |bytes| {
                bytes.copy_from_slice(&read);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// The head of a part, and where the bytes begin after it.
fn read_head(from: &mut impl Read) -> io::Result<(Head, u64)> {
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    if u32::from_le_bytes(read_array(from)?) != VERSION {
        return Err(unusable("another version of the program saved a part of it"));
    }
    let len = Some(u32::from_le_bytes(read_array(from)?)).filter(|&len| len <= MAX_NOTE);
    let mut head = vec![0; len.ok_or_else(damaged)? as usize];
    from.read_exact(&mut head)?;
    let start = 2 * size_of::<u32>() as u64 + head.len() as u64;
    from_checked_bytes(&head).map(|head| (head, start)).ok_or_else(damaged)
}

/// The agenda of a partition of `len` positions.
fn read_agenda(from: &mut impl Read, codes: Codes, len: usize) -> io::Result<Agenda> {
    let fresh = Agenda::new(codes, len);
    let length: [u8; 8] = read_array(from)?;
    // A damaged length would have the rest of the file read.
    if read_array(from)? != xxh3_64(&length).to_le_bytes() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // The file may have been cut short, so only what is there is read.
    let mut bytes = Vec::new();
    from.by_ref().take(u64::from_le_bytes(length)).read_to_end(&mut bytes)?;
    let agenda = from_checked_bytes(&bytes).filter(|agenda: &Agenda| agenda.fits(&fresh, len));
    agenda.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn read_array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The same note and part with absurd numbers and sound checksums, one after another.
#[cfg(test)]
pub(super) fn forged(note: &[u8], part: &[u8]) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
    let sound: Note = from_checked_bytes(note).unwrap();
    let mut rest = part;
    read_head(&mut rest).unwrap();
    let with = |change: &dyn Fn(&mut Note)| {
        let mut note = sound.clone();
        change(&mut note);
        note
    };
    let shifts = [31, 32, 63, 64, u32::MAX];
    let notes = shifts.map(|shift| with(&|note| note.orbit_shift = shift)).into_iter();
    let others: [&dyn Fn(&mut Note); 8] = [
        &|note| note.processes = 0,
        &|note| note.processes = u32::MAX,
        &|note| note.reached.ply = u16::MAX,
        &|note| note.reached.expanded = u64::MAX,
        &|note| note.generation = u32::MAX,
        &|note| note.identity.columns = u8::MAX,
        &|note| note.identity.rules ^= 1,
        &|note| note.identity.counters.1 += 1,
    ];
    let notes: Vec<Note> = notes.chain(others.map(with)).collect();
    let rest = rest.to_vec();
    notes.into_iter().map(move |note| {
        let noted = to_checked_bytes(&note).unwrap();
        let head = to_checked_bytes(Head { note, process: 0 }).unwrap();
        let start = [VERSION, head.len() as u32].map(u32::to_le_bytes);
        (noted, [start.as_flattened(), &head, &rest].concat())
    })
}
