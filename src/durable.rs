//! Replacing files durably: a file stands under its name with all its bytes on disk, or not at all.
//!
//! Everything that this crate writes for later goes through [`NewFile`]. The bytes go to a temporary
//! file, which is synced and then renamed; on Unix the folder is synced too, so that the new name
//! survives a power failure. If anything fails, the temporary file is removed, and whatever stood
//! under the name stays. Some file systems, often those of a network or of another system, cannot sync
//! what is in them: this is no failure, because nobody can do more there. If they say that a device has failed,
//! [`take_unsynced`] tells of it.
//!
//! A process that is killed leaves its temporary file. A process that lives has a lock on its own, which
//! the system takes back when the process ends. So the next writer in the folder removes the temporary
//! files on which it can get a lock. It assumes that all who write there see each other's locks, as on a
//! local file system, and on a network file system unless its locks are switched off. Where there are no
//! locks, nothing is removed.

use crate::file_at::naming;
use std::convert::identity;
#[cfg(not(unix))]
use std::fs::FileType;
use std::fs::{self, File, Permissions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

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
    /// Begins the file `target` as a temporary file beside it that no other program uses. Those that killed
    /// processes left there are removed.
    pub fn create(target: &Path) -> io::Result<NewFile> {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        remove_abandoned(folder_of(target));
        for _ in 0..TRIES {
            let number = CREATED.fetch_add(1, Ordering::Relaxed);
            let path = folder_of(target).join(format!("{}{number}{TEMPORARY_END}", own_names()));
            let file = match File::options().write(true).create_new(true).open(&path) {
                // A process that this one has begun as a copy of itself has the same names.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            // If this is dropped here, another process has just removed the file, as it had no lock yet.
            let temporary = Temporary(path);
            if is_locked(&file, &temporary.0)? {
                return Ok(NewFile::new(file, temporary, target));
            }
        }
        Err(never_the_same())
    }

    /// Begins the file `target` as the file `temporary`, which is on the same file system. What an
    /// earlier run left under that name is overwritten, so only one program at a time may use it.
    pub fn create_as(target: &Path, temporary: &Path) -> io::Result<NewFile> {
        // Opening a pipe would wait for somebody to read from it.
        if fs::metadata(temporary).is_ok_and(|found| found.file_type().is_fifo()) {
            fs::remove_file(temporary)?;
        }
        let file = File::create(temporary)?;
        Ok(NewFile::new(file, Temporary(temporary.to_owned()), target))
    }

    fn new(file: File, temporary: Temporary, target: &Path) -> NewFile {
        NewFile {
            out: BufWriter::with_capacity(BUFFER, file),
            temporary,
            target: target.to_owned(),
            is_synced: false,
        }
    }

    /// Writes all bytes to disk, but leaves the file under its temporary name. Where several files
    /// belong together, all of them are synced before the first one is put in its place.
    pub fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.out.flush()?;
            self.out.get_ref().sync_all().or_else(if_impossible)?;
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
        fs::rename(&temporary.0, &target).map_err(cannot_replace)?;
        // Until here, the file was locked.
        drop(out);
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

/// Makes a folder, and the folders above it where they do not exist, durably.
///
/// # Errors
/// If that cannot be done. The error names the folder.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut missing = Vec::new();
    for path in folder.ancestors().take_while(|path| !path.as_os_str().is_empty()) {
        if path.try_exists().map_err(naming("looking at", path))? {
            break;
        }
        missing.push(path);
    }
    missing.into_iter().rev().try_for_each(|path| {
        match fs::create_dir(path) {
            // Another program has made it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            made => made.map_err(naming("making", path))?,
        }
        // The name of a folder is an entry in the folder above it.
        sync_folder(folder_of(path)).map_err(naming("making", path))
    })
}

/// Where what is saved under a name goes.
enum Target {
    /// To a file of this name, which is no link. It replaces one that has these permissions, if there is one.
    File(PathBuf, Option<Permissions>),
    /// To a pipe or a device such as a terminal, which takes bytes as they come.
    Stream,
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        if path.file_name().is_none() {
            let why = "expected the name of a file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let replaced = match fs::metadata(path) {
            Ok(there) if there.file_type().is_fifo() || there.file_type().is_char_device() => {
                return Ok(Target::Stream);
            }
            // A folder or a disk must not be replaced by a file.
            Ok(there) if !there.is_file() => {
                let why = "expected a file or nothing under this name, found something else";
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
            Ok(there) => {
                // Nor a file that must not be written.
                File::options().write(true).open(path)?;
                Some(there.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let path = behind_links(path)?;
        match fs::metadata(folder_of(&path))?.is_dir() {
            true => Ok(Target::File(path, replaced)),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }
}

/// Fails at once where a file could not be put in its place after long work: its folder does not
/// exist, or a folder, a disk or a file that may not be written has its name.
///
/// # Errors
/// If a file cannot be made under this name.
pub fn check_target(path: &Path) -> io::Result<()> {
    Target::of(path).map(drop)
}

/// Writes the file `path`, which stands under its name with all its bytes or not at all, and returns its
/// length in bytes. Behind a link, this is the file that the link names. A file that is replaced hands on its
/// permissions. What is written to a pipe or a device is passed on as it comes.
///
/// # Errors
/// As [`check_target`]; and if the file cannot be written. Then what stood under the name is unchanged.
pub fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    match Target::of(path)? {
        Target::File(path, replaced) => {
            let mut file = NewFile::create(&path)?;
            // Before anything is written that not everybody may read.
            if let Some(permissions) = replaced {
                let file = file.out.get_ref();
                if file.metadata()?.permissions() != permissions {
                    file.set_permissions(permissions)?;
                }
            }
            write(&mut file)?;
            file.put_in_place()
        }
        Target::Stream => {
            let to = BufWriter::with_capacity(BUFFER, File::options().write(true).open(path)?);
            let mut counted = Counted { to, bytes: 0 };
            write(&mut counted)?;
            counted.flush()?;
            Ok(counted.bytes)
        }
    }
}

/// Counts what is written.
struct Counted<W> {
    to: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The name of the file that stands, or would be made, behind the links of this name.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    // As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("expected a file, found too many links, one behind the other"))
}

/// What files of Unix can be and others cannot.
#[cfg(not(unix))]
trait FileTypeExt {
    fn is_fifo(&self) -> bool {
        false
    }

    fn is_char_device(&self) -> bool {
        false
    }
}

#[cfg(not(unix))]
impl FileTypeExt for FileType {}

/// How the names of temporary files begin and end.
const TEMPORARY: &str = ".lasca-";
const TEMPORARY_END: &str = ".tmp";

/// How the names of this process's temporary files begin. The number of a process would not do: all that are the
/// first in a container have the same.
fn own_names() -> &'static str {
    static OWN: LazyLock<String> = LazyLock::new(|| {
        format!("{TEMPORARY}{:016x}-", RandomState::new().build_hasher().finish())
    });
    &OWN
}

/// Locks a temporary file that was just made. Returns `false` if another process has taken it for an
/// abandoned one. A file system without locks is no reason not to write.
fn is_locked(file: &File, path: &Path) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        _ => is_same_file(file, path),
    }
}

/// Whether this error of a lock says that the file system, or the system around it, has none for this program.
#[cfg(feature = "generate")]
pub fn is_without_locks(error: &io::Error) -> bool {
    // No kind of errors stands for this number.
    const ENOLCK: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    let is_of_unix = || {
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Interrupted)
            || error.raw_os_error() == Some(ENOLCK)
    };
    error.kind() == io::ErrorKind::Unsupported || cfg!(unix) && is_of_unix()
}

/// Removes the temporary files of processes that have ended. What cannot be removed does no harm.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let is_temporary = name.starts_with(TEMPORARY) && name.ends_with(TEMPORARY_END);
        // Some network file systems let a process lock what it has locked already.
        if is_temporary
            && !name.starts_with(own_names())
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Ok(file) = File::options().write(true).open(&path)
            && file.try_lock().is_ok()
            && is_same_file(&file, &path).is_ok_and(identity)
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// How often a file is made that others may remove meanwhile.
pub const TRIES: usize = 1000;

/// The error of a file that was made so often, and was never the one that stood under its name.
pub fn never_the_same() -> io::Error {
    io::Error::other(format!(
        "expected the file that was just made, found another under its name, {TRIES} times: the numbers of \
         files seem to change in this folder"
    ))
}

/// Whether an open file is the one that now stands at `path`.
#[cfg(unix)]
pub fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether an open file is the one that now stands at `path`.
#[cfg(windows)]
pub fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Storage::FileSystem::{
        BY_HANDLE_FILE_INFORMATION, GetFileInformationByHandle,
    };
    let number = |file: &File| {
        let mut found = BY_HANDLE_FILE_INFORMATION::default();
        // SAFETY: the file is open, and what is found is written to what is borrowed.
        let is_told = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) };
        (is_told != 0).then_some((
            found.dwVolumeSerialNumber,
            found.nFileIndexHigh,
            found.nFileIndexLow,
        ))
    };
    Ok(number(file)
        .is_some_and(|open| File::open(path).is_ok_and(|named| number(&named) == Some(open))))
}

/// Whether an open file is the one that now stands at `path`, as far as the system tells.
#[cfg(not(any(unix, windows)))]
pub fn is_same_file(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Windows says only that access is denied where another program has mapped the file that is to be replaced.
fn cannot_replace(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::PermissionDenied if cfg!(windows) => {
            io::Error::new(kind, format!("{error}; another program may have the file open"))
        }
        _ => error,
    }
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
    match cfg!(unix) {
        true => sync_names(folder, || File::open(folder)?.sync_all()),
        false => Ok(()),
    }
}

/// Makes the names in a folder durable, which `sync` does if the folder can be synced.
fn sync_names(folder: &Path, sync: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let is_of_device = |error: &io::Error| error.raw_os_error() == Some(EIO);
    match sync() {
        // The folder may be written to, and not be opened.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        // The system syncs only what is open for writing, which no folder is.
        Err(error) if error.raw_os_error() == Some(EBADF) => Ok(()),
        // A device has written the file, so one that fails now fails at this write: it tells so once. Some file
        // systems answer every time in this way.
        Err(error) if is_of_device(&error) && sync().is_err_and(|error| is_of_device(&error)) => {
            let mut unsynced = UNSYNCED.lock().unwrap_or_else(PoisonError::into_inner);
            unsynced.get_or_insert_with(|| naming("syncing", folder)(error));
            Ok(())
        }
        synced => synced.or_else(if_impossible),
    }
}

/// The error of a device that fails, on every Unix.
const EIO: i32 = 5;
/// The error of a file that is not open for what is asked, on every Unix.
const EBADF: i32 = 9;

/// Why a folder could not be synced, although the work with it went on: for the first one.
static UNSYNCED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Why a folder could not be synced, if the work went on. Then the files in it are whole, but may be gone after a power
/// failure. It is told once.
pub fn take_unsynced() -> Option<io::Error> {
    UNSYNCED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// That a file system cannot sync is no failure.
fn if_impossible(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput => Ok(()),
        _ => Err(error),
    }
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
    fn temporary_files_of_processes_that_have_ended_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for left in [".lasca-1-0.tmp", ".lasca-4294967295-7.tmp"] {
            fs::write(at(left), "half a certificate").unwrap();
        }
        let others = [".lasca-1-0.txt", ".lasca.tmp", "lasca-1-0.tmp"];
        others.iter().for_each(|name| fs::write(at(name), "").unwrap());
        fs::create_dir(at(".lasca-2-0.tmp")).unwrap();
        // As another process that is still at work.
        let at_work = File::create(at(".lasca-3-0.tmp")).unwrap();
        at_work.lock().unwrap();
        let mut own = NewFile::create(&at("own")).unwrap();
        let mut kept = [&others[..], &[".lasca-2-0.tmp", ".lasca-3-0.tmp"]].concat();
        kept.sort_unstable();
        own.write_all(b"own").unwrap();
        save(&at("other"), |file| file.write_all(b"other")).unwrap();
        own.put_in_place().unwrap();
        assert_eq!(names(folder.path()), [&kept[..], &["other", "own"]].concat());
        drop(at_work);
        save(&at("other"), |_| Ok(())).unwrap();
        assert!(!at(".lasca-3-0.tmp").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_with_the_name_of_a_temporary_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(".lasca-1-0.tmp");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        save(&folder.path().join("file"), |_| Ok(())).unwrap();
        assert!(pipe.exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_saved_goes_behind_links_and_into_devices() {
        use std::os::unix::fs::symlink;
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| folder.path().join(name);
        let far = elsewhere.path().join("file");
        symlink(&far, at("absolute")).unwrap();
        symlink("absolute", at("relative")).unwrap();
        // At first, there is no file behind the links.
        for name in ["relative", "absolute"] {
            check_target(&at(name)).unwrap();
            assert_eq!(save(&at(name), |file| file.write_all(name.as_bytes())).unwrap(), 8);
            assert_eq!(fs::read_to_string(&far).unwrap(), name);
        }
        assert_eq!(names(folder.path()), ["absolute", "relative"]);
        assert_eq!(names(elsewhere.path()), ["file"]);
        assert_eq!(save(Path::new("/dev/null"), |file| file.write_all(b"abc")).unwrap(), 3);
        symlink("circle", at("circle")).unwrap();
        save(&at("circle"), |_| Ok(())).unwrap_err();
        symlink(elsewhere.path(), at("folder")).unwrap();
        check_target(&at("folder")).unwrap_err();
        check_target(&at("folder/file/below")).unwrap_err();
        check_target(&at("folder/new")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_hands_on_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page");
        for mode in [0o600, 0o640, 0o666, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            save(&path, |file| file.write_all(b"new")).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
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
    fn that_a_folder_cannot_be_synced_is_no_failure_and_that_its_device_fails_is_one() {
        use std::cell::Cell;
        let synced = |kind: fn(usize) -> io::Result<()>| {
            let asked = Cell::new(0);
            sync_names("folder".as_ref(), || kind(asked.replace(asked.get() + 1)))
        };
        for kind in [io::ErrorKind::Unsupported, io::ErrorKind::InvalidInput] {
            sync_names("folder".as_ref(), || Err(kind.into())).unwrap();
        }
        synced(|_| Err(io::ErrorKind::PermissionDenied.into())).unwrap();
        synced(|_| Err(io::Error::from_raw_os_error(EBADF))).unwrap();
        synced(|_| Err(io::ErrorKind::StorageFull.into())).unwrap_err();
        synced(|_| Err(io::Error::from_raw_os_error(EIO))).unwrap();
        assert!(take_unsynced().is_some_and(|error| error.to_string().contains("syncing folder")));
        let once = |asked| if asked == 0 { Err(io::Error::from_raw_os_error(EIO)) } else { Ok(()) };
        assert_eq!(synced(once).unwrap_err().raw_os_error(), Some(EIO));
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
