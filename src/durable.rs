//! Replacing files durably: a file stands under its name with all its bytes on disk, or not at all.
//!
//! Everything that this crate writes for later goes through [`NewFile`]. The bytes go to a temporary
//! file, which is synced and then renamed; on Unix the folder is synced too, so that the new name
//! survives a power failure. If anything fails, the temporary file is removed, and whatever stood
//! under the name stays.

#[cfg(feature = "generate")]
use crate::reserve::reserve;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(feature = "generate")]
use std::time::{Duration, Instant};
#[cfg(feature = "generate")]
use xxhash_rust::xxh3::xxh3_64;

/// How many bytes are collected before they are written.
const BUFFER: usize = 1 << 16;

/// A file that is being written and does not stand under its name yet.
///
/// If it is dropped before [`NewFile::put_in_place`], its temporary file is removed.
pub struct NewFile {
    out: BufWriter<File>,
    temporary: Temporary,
    target: PathBuf,
    /// Whether all bytes are on disk.
    is_synced: bool,
}

/// The name of a file that is removed when this value is dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After the file was renamed, nothing has this name.
        let _ = fs::remove_file(&self.0);
    }
}

impl NewFile {
    /// Begins the file `target` as a temporary file beside it that no other program uses.
    ///
    /// # Errors
    /// If the temporary file cannot be made, for example because the folder does not exist.
    pub fn create(target: &Path) -> io::Result<NewFile> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = CREATED.fetch_add(1, Ordering::Relaxed);
            let name = format!(".lasca-{}-{number}.tmp", process::id());
            let temporary = folder_of(target).join(name);
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok(NewFile::new(file, temporary, target)),
                // A process that had the same number left it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Begins the file `target` as the file `temporary`, which is on the same file system. What an
    /// earlier run left under that name is overwritten, so only one program at a time may use it.
    ///
    /// # Errors
    /// If the temporary file cannot be made.
    pub fn create_as(target: &Path, temporary: &Path) -> io::Result<NewFile> {
        let file = File::create(temporary)?;
        Ok(NewFile::new(file, temporary.to_owned(), target))
    }

    fn new(file: File, temporary: PathBuf, target: &Path) -> NewFile {
        NewFile {
            out: BufWriter::with_capacity(BUFFER, file),
            temporary: Temporary(temporary),
            target: target.to_owned(),
            is_synced: false,
        }
    }

    /// Writes all bytes to disk, but leaves the file under its temporary name. Where several files
    /// belong together, all of them are synced before the first one is put in its place.
    ///
    /// # Errors
    /// If writing fails.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.out.flush()?;
            self.out.get_ref().sync_all()?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Puts the file in its place, durably, and returns its length in bytes.
    ///
    /// # Errors
    /// If writing or renaming fails; then what stood under the name is unchanged. If only syncing
    /// the folder fails, the new file stands there, but may not survive a power failure.
    pub fn put_in_place(mut self) -> io::Result<u64> {
        self.sync()?;
        let length = self.out.get_ref().metadata()?.len();
        let NewFile { out, temporary, target, .. } = self;
        // Windows does not rename a file that is open.
        drop(out);
        fs::rename(&temporary.0, &target)?;
        sync_folder(folder_of(&target))?;
        Ok(length)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_synced = false;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// How often the state of unfinished work is saved.
#[cfg(feature = "generate")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interval {
    /// After five seconds of work, and from then on so that saving takes at most three per cent of the
    /// time.
    #[default]
    Adapted,
    /// After so much work.
    Every(Duration),
    /// Never: if the run is stopped, a later one begins the piece of work again.
    Never,
}

/// Decides when the state of unfinished work is saved.
#[cfg(feature = "generate")]
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    interval: Interval,
    /// When the run was begun.
    begun: Instant,
    /// When the state was saved last, or this piece of work was begun.
    since: Instant,
    /// How much later it is saved next; `None` if never.
    wait: Option<Duration>,
}

#[cfg(feature = "generate")]
impl Pace {
    /// The work before the first save, and the least between two saves, unless the user sets it.
    const LEAST: Duration = Duration::from_secs(5);
    /// The work that is worth a save of its own when it is finished.
    const PART: Duration = Duration::from_secs(1);
    /// How many seconds are worked for each second that the last save took.
    const SECONDS_FOR_ONE: u32 = 32;

    /// A piece of work is begun now, in a run that was begun at this time.
    pub fn new(interval: Interval, begun: Instant) -> Pace {
        let wait = match interval {
            Interval::Never => None,
            Interval::Every(time) => Some(time),
            Interval::Adapted => Some(Pace::LEAST),
        };
        Pace { interval, begun, since: Instant::now(), wait }
    }

    /// Whether the state is ever saved.
    pub fn is_ever_due(&self) -> bool {
        self.wait.is_some()
    }

    /// Whether it is time to save the state.
    pub fn is_due(&self) -> bool {
        self.wait.is_some_and(|wait| self.since.elapsed() >= wait)
    }

    /// Whether to save this piece of work now that it is finished: so much has been done since the state was
    /// saved that a later run should not have to do it again, and the run is not a short one; or it is time.
    /// What is finished is saved even if the state never is.
    pub fn is_due_at_end(&self) -> bool {
        let is_long = self.begun.elapsed() >= Pace::LEAST;
        self.is_due() || is_long && self.since.elapsed() >= Pace::PART
    }

    /// The state has been saved, which was begun at this time, or it cannot be.
    pub fn saved(&mut self, begun: Instant) {
        self.since = Instant::now();
        if self.interval == Interval::Adapted {
            let took = self.since.duration_since(begun);
            self.wait = Some(Pace::LEAST.max(Pace::SECONDS_FOR_ONE * took));
        }
    }
}

/// Bytes that are written one after another. Where there is no memory for more, that is an error.
#[cfg(feature = "generate")]
struct Growing(Vec<u8>);

#[cfg(feature = "generate")]
impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        reserve(&mut self.0, bytes.len())?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A value as bytes for [`from_checked_bytes`]: their checksum (8 bytes), then the value (bincode).
///
/// # Errors
/// If the value cannot be encoded, or there is not enough memory.
#[cfg(feature = "generate")]
pub fn to_checked_bytes(value: impl bincode::Encode) -> io::Result<Vec<u8>> {
    let mut growing = Growing(vec![0; 8]);
    bincode::encode_into_std_write(value, &mut growing, bincode::config::standard())
        .map_err(io::Error::other)?;
    let Growing(mut bytes) = growing;
    let sum = xxh3_64(&bytes[8..]);
    bytes[..8].copy_from_slice(&sum.to_le_bytes());
    Ok(bytes)
}

/// The value of which [`to_checked_bytes`] made these bytes; `None` if they have changed since.
///
/// The checksum is compared first. bincode reserves memory for the length that a list claims, and so a
/// damaged length would cost as much memory as it says.
#[cfg(feature = "generate")]
pub fn from_checked_bytes<T: bincode::Decode<()>>(bytes: &[u8]) -> Option<T> {
    let (sum, rest) = bytes.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*sum) != xxh3_64(rest) {
        return None;
    }
    bincode::decode_from_slice(rest, bincode::config::standard()).ok().map(|(value, _)| value)
}

/// Puts the [checked bytes](to_checked_bytes) of a value in place of the file at `path`, durably. Only one
/// program at a time may do so.
///
/// # Errors
/// If the value cannot be encoded or the file cannot be written.
#[cfg(feature = "generate")]
pub fn write_checked(path: &Path, value: impl bincode::Encode) -> io::Result<()> {
    let bytes = to_checked_bytes(value)?;
    let mut file = NewFile::create_as(path, &path.with_extension("tmp"))?;
    file.write_all(&bytes)?;
    file.put_in_place().map(drop)
}

/// The bytes of the file at `path`; `None` if there is no such file.
///
/// # Errors
/// If it is there and cannot be read. The error names it.
#[cfg(feature = "generate")]
pub fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(naming(path, &error)),
    }
}

/// The same error, with the file that could not be read.
#[cfg(feature = "generate")]
pub fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{} cannot be read: {error}", path.display()))
}

/// Whether an error of reading says that a file does not hold what was written, so that reading it again
/// is of no use.
#[cfg(feature = "generate")]
pub fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

/// The name under which the file at `path`, which cannot be used, is kept so that it is not overwritten:
/// `.aside` and the first free number follow its own.
///
/// # Errors
/// If the folder cannot be read.
#[cfg(feature = "generate")]
pub fn aside_name(path: &Path) -> io::Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 1;
    loop {
        let aside = format!("{name}.aside-{number}");
        if !path.with_file_name(&aside).try_exists()? {
            return Ok(aside);
        }
        number += 1;
    }
}

/// Makes a folder, and the folders above it where they do not exist, durably.
///
/// # Errors
/// If a folder cannot be made or synced.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
        .collect();
    fs::create_dir_all(folder)?;
    // The name of a folder is an entry in the folder above it.
    missing.into_iter().rev().try_for_each(|made| sync_folder(folder_of(made)))
}

/// Fails at once where a file could not be put in its place after long work: its folder does not
/// exist, or something other than a file has its name.
///
/// # Errors
/// If a file cannot be made under this name.
pub fn check_target(path: &Path) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected the name of a file"));
    }
    match fs::metadata(path) {
        // A device or a folder must not be replaced by a file.
        Ok(there) if !there.is_file() => {
            let why = "expected a file or nothing under this name, found something else";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        _ => {}
    }
    fs::read_dir(folder_of(path)).map(drop)
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows cannot open folders, and makes names durable by itself.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_file_stands_under_its_name_when_it_is_put_in_place_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let (path, fixed) = (folder.path().join("table"), folder.path().join("table.tmp"));
        fs::write(&path, "old").unwrap();
        // Left behind by a run that was killed.
        fs::write(&fixed, "something longer than what is written now").unwrap();
        for create in
            [NewFile::create, |path: &Path| NewFile::create_as(path, &path.with_extension("tmp"))]
        {
            let mut file = create(&path).unwrap();
            file.write_all(b"new").unwrap();
            file.sync().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(file.put_in_place().unwrap(), 3);
            assert_eq!(fs::read(&path).unwrap(), b"new");
            fs::write(&path, "old").unwrap();
        }
        assert_eq!(names(folder.path()), ["table"]);
    }

    #[test]
    fn a_file_that_is_given_up_or_cannot_be_put_in_place_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        fs::create_dir(&path).unwrap();
        drop(NewFile::create(&path).unwrap());
        NewFile::create(&path).unwrap().put_in_place().unwrap_err();
        let temporary = path.with_extension("tmp");
        NewFile::create_as(&path, &temporary).unwrap().put_in_place().unwrap_err();
        assert_eq!(names(folder.path()), ["table"]);
        assert!(path.is_dir());
    }

    #[test]
    fn saving_takes_a_small_share_of_the_time() {
        let mut pace = Pace::new(Interval::Adapted, Instant::now());
        pace.saved(Instant::now() - Duration::from_secs(2));
        assert!(pace.wait.unwrap() >= Duration::from_secs(64));
        pace.saved(Instant::now());
        assert_eq!(pace.wait, Some(Pace::LEAST));
        let mut pace = Pace::new(Interval::Every(Duration::ZERO), Instant::now());
        pace.saved(Instant::now() - Duration::from_secs(2));
        assert!(pace.is_due());
        assert!(!Pace::new(Interval::Never, Instant::now()).is_ever_due());
    }

    #[cfg(feature = "generate")]
    #[test]
    fn changed_bytes_are_refused_before_they_are_decoded() {
        let value = (7u8, vec![1u16, 2, 300]);
        let bytes = to_checked_bytes(&value).unwrap();
        assert_eq!(from_checked_bytes(&bytes), Some(value));
        let claims_much = bincode::encode_to_vec((7u8, 1u64 << 60), bincode::config::standard());
        let unchecked = [[0; 8].as_slice(), &claims_much.unwrap()].concat();
        assert_eq!(from_checked_bytes::<(u8, Vec<u16>)>(&unchecked), None);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x80;
            assert_eq!(from_checked_bytes::<(u8, Vec<u16>)>(&changed), None, "{at}");
            assert_eq!(from_checked_bytes::<(u8, Vec<u16>)>(&bytes[..at]), None, "{at}");
        }
    }

    #[test]
    fn folders_are_made_with_those_above_them() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("a/b/c");
        create_folder(&made).unwrap();
        create_folder(&made).unwrap();
        assert!(made.is_dir());
        fs::write(folder.path().join("file"), "").unwrap();
        create_folder(&folder.path().join("file/below")).unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn files_have_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (plain, path) = (folder.path().join("plain"), folder.path().join("table"));
        fs::write(&plain, "").unwrap();
        NewFile::create(&path).unwrap().put_in_place().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain));
    }
}
