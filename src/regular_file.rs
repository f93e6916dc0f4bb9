//! Files that are read and written on behalf of a host: regular ones alone, within a bound, replaced as a whole.
//!
//! A pipe has no writer and a device no end: opening either would hold a thread for good. A name that can be guessed
//! may be a link that someone else has prepared.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};

/// What is said about a pipe, a socket, a device or a folder.
const EXPECTED: &str = "expected a regular file";

/// Reads a whole file of at most `most` bytes.
/// Errors: those of the file system; `InvalidInput` for what is not a regular file, `FileTooLarge` for more bytes.
pub(crate) fn read(file: &Path, most: u64) -> Result<Vec<u8>> {
    let opened = open(file)?;
    let size = opened.metadata()?.len();
    let mut bytes = Vec::new();
    if size <= most {
        // Read by the bound rather than by the size: the file may grow meanwhile.
        opened.take(most + 1).read_to_end(&mut bytes)?;
    }
    let size = size.max(bytes.len() as u64);
    if size > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("expected at most {most} bytes, got {size}")));
    }
    Ok(bytes)
}

/// Opens a regular file to read, without ever waiting for somebody to write.
pub(crate) fn open(file: &Path) -> Result<File> {
    // Before opening, because opening alone acts on some devices; and after it, because it may have been replaced.
    check(&std::fs::metadata(file)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let opened = options.open(file)?;
    check(&opened.metadata()?)?;
    Ok(opened)
}

/// Opens a regular file to append to. A link in its place is not followed.
pub(crate) fn open_to_append(file: &Path) -> Result<File> {
    check(&std::fs::symlink_metadata(file)?)?;
    let mut options = OpenOptions::new();
    options.append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOFOLLOW);
    let opened = options.open(file)?;
    check(&opened.metadata()?)?;
    Ok(opened)
}

fn check(metadata: &std::fs::Metadata) -> Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(Error::new(ErrorKind::InvalidInput, EXPECTED)) }
}

/// Where a file is written: itself, or what it is a link to. `None` for what is there and is not a regular file.
pub(crate) fn target(file: &Path) -> Option<PathBuf> {
    match std::fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => Some(std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned())),
        Ok(_) => None,
        // A link to nothing: a rename would replace the link, and whoever made it meant something else.
        Err(_) if std::fs::symlink_metadata(file).is_ok() => None,
        Err(_) => Some(file.to_owned()),
    }
}

/// Writes a file as a whole, private to the user: a reader sees the previous one or the new one, never a part.
/// Errors: those of the file system; `InvalidInput` where something is that is not a regular file. Nothing is left behind then.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    if let Ok(metadata) = std::fs::symlink_metadata(file) {
        check(&metadata)?;
    }
    let folder = match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
        Some(folder) => folder,
        None => return Err(Error::new(ErrorKind::InvalidInput, EXPECTED)),
    };
    create_private(folder)?;
    // Under a random name, created exclusively: a link that was prepared there is not followed.
    let mut temporary = tempfile::Builder::new().prefix(".").suffix(".tmp").tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Creates what is missing of a folder, for the user alone.
fn create_private(folder: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b");
        replace(&file, b"12345").unwrap();
        assert_eq!(read(&file, 5).unwrap(), b"12345");
        assert_eq!(read(&file, 4).unwrap_err().to_string(), "expected at most 4 bytes, got 5");
        assert_eq!(read(folder.path(), 9).unwrap_err().to_string(), EXPECTED);
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing else is left beside it");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_neither_waited_for_nor_replaced_and_links_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link, dangling, real] = ["pipe", "link", "dangling", "real"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        symlink(&real, &link).unwrap();
        symlink(folder.path().join("nothing"), &dangling).unwrap();
        replace(&real, b"1").unwrap();
        assert!(read(&pipe, 9).is_err() && replace(&pipe, b"x").is_err() && replace(&dangling, b"x").is_err());
        assert_eq!([&pipe, &dangling].map(|file| target(file)), [None, None]);
        assert_eq!(target(&link), Some(fs::canonicalize(&real).unwrap()));
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
