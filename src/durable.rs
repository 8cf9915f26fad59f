//! Replacing files durably: a file stands under its name with all its bytes on disk, or not at all.
//!
//! Everything that this crate writes for later goes through [`NewFile`]. The bytes go to a temporary file, which is synced
//! and then renamed; on Unix the folder is synced too, so that the new name survives a power failure. If anything fails
//! before the file is renamed, the temporary file is removed, and whatever stood under the name stays. Some file systems,
//! often those of a network or of another system, cannot sync what is in them: this is no failure, because nobody can do
//! more there. A process that is killed leaves its temporary file.

#[cfg(not(unix))]
use std::fs::FileType;
use std::fs::{self, File, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

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
    fn create(target: &Path) -> io::Result<NewFile> {
        let random = RandomState::new().build_hasher().finish();
        let path = folder_of(target).join(format!(".lasca-{random:016x}.tmp"));
        let file = File::options().write(true).create_new(true).open(&path)?;
        Ok(NewFile::new(file, Temporary(path), target))
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
        fs::rename(&self.temporary.0, &self.target).map_err(cannot_replace)?;
        sync_folder(folder_of(&self.target))?;
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
/// As [`check_target`]; and if the file cannot be written. Then what stood under the name is unchanged, unless only
/// syncing the folder has failed.
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

/// Makes the names in a folder durable. Windows cannot open folders, and does so by itself.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // The folder may be written to, and not be opened.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        // The system syncs only what is open for writing, which no folder is; or its file system answers so for every
        // folder. A device that has just begun to fail cannot be told from that.
        Err(error) if matches!(error.raw_os_error(), Some(EBADF | EIO)) => Ok(()),
        synced => synced.or_else(if_impossible),
    }
}

/// The error of a device that fails, on every Unix.
const EIO: i32 = 5;
/// The error of a file that is not open for what is asked, on every Unix.
const EBADF: i32 = 9;

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
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let pipe = at("pipe");
        let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
        assert_eq!(save(&at("pipe"), |file| file.write_all(b"abc")).unwrap(), 3);
        assert_eq!(reader.join().unwrap(), b"abc");
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
