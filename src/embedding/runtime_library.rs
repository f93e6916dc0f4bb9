//! Whether a file may be loaded as the ONNX Runtime library.
//!
//! A loader maps what the file's headers promise. Where the file is shorter than that, the first use of a missing page
//! ends the process, and no error handling sees it. So a library is looked at before it is loaded: ours is compared with
//! what was pinned, one of the host's by its structure.

use std::fmt::Write;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::regular_file;

/// A runtime library that the router can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// SHA-256 in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
        text
    })
}

/// Refuses a library that loading would end the process with, or that is not the one that was pinned.
///
/// # Errors
///
/// Those of the file system; `InvalidData` naming what was expected and what was found.
pub fn check(library: &Path, pinned: Option<&Pinned>) -> Result<()> {
    let mut file = match regular_file::open(library) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(Error::new(ErrorKind::NotFound, "no such file")),
        opened => opened?,
    };
    let size = file.metadata()?.len();
    let Some(pinned) = pinned else { return check_elf(&mut file, size) };
    if size != pinned.bytes {
        return Err(wrong(format!("expected {} bytes, got {size}", pinned.bytes)));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let got = sha256(&bytes);
    if got != pinned.sha256 {
        return Err(wrong(format!("expected content with SHA-256 {}, got {got}", pinned.sha256)));
    }
    Ok(())
}

fn wrong(detail: String) -> Error {
    Error::new(ErrorKind::InvalidData, detail)
}

const ELF_MAGIC: &[u8] = b"\x7fELF";
const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: u64 = 56;

/// Checks that all that an ELF file promises is inside it. The loaders of Windows and macOS check that themselves, and
/// what is not ELF at all is refused by the loader as an error.
fn check_elf(file: &mut (impl Read + Seek), size: u64) -> Result<()> {
    let mut header = [0_u8; HEADER_BYTES];
    let short = || wrong(format!("expected a whole library, got one that was cut short, of {size} bytes"));
    file.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut start)?;
    if !start.starts_with(ELF_MAGIC) {
        return if cfg!(target_os = "linux") { Err(wrong("expected an ELF library".into())) } else { Ok(()) };
    }
    if start.len() < HEADER_BYTES {
        return Err(short());
    }
    header.copy_from_slice(&start);
    let (is_64_bit, is_little_endian) = (header[4] == 2, header[5] == 1);
    if !is_64_bit || !is_little_endian {
        return Err(wrong("expected a library for a 64-bit little-endian machine".into()));
    }
    let (segments_at, sections_at) = (number(&header, 32, 8), number(&header, 40, 8));
    let (segment_bytes, segments) = (number(&header, 54, 2), number(&header, 56, 2));
    let (section_bytes, sections) = (number(&header, 58, 2), number(&header, 60, 2));
    let end = |at: u64, count: u64| at.checked_add(count).filter(|end| *end <= size);
    end(sections_at, section_bytes * sections).ok_or_else(short)?;
    end(segments_at, segment_bytes * segments).ok_or_else(short)?;
    if segments > 0 && segment_bytes != SEGMENT_BYTES {
        return Err(wrong(format!("expected segment headers of {SEGMENT_BYTES} bytes, got {segment_bytes}")));
    }
    file.seek(SeekFrom::Start(segments_at))?;
    let mut table = Vec::new();
    file.take(segment_bytes * segments).read_to_end(&mut table)?;
    for segment in table.chunks_exact(56) {
        end(number(segment, 8, 8), number(segment, 32, 8)).ok_or_else(short)?;
    }
    Ok(())
}

/// A little-endian number of up to eight bytes.
fn number(bytes: &[u8], at: usize, count: usize) -> u64 {
    bytes[at..at + count].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn checked(bytes: &[u8], pinned: Option<&Pinned>) -> std::result::Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("library");
        fs::write(&file, bytes).unwrap();
        check(&file, pinned).map_err(|error| error.to_string())
    }

    #[test]
    fn a_pinned_library_is_known_by_size_and_content() {
        let pinned = Pinned { bytes: 3, sha256: sha256(b"abc") };
        assert_eq!(pinned.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(checked(b"abc", Some(&pinned)), Ok(()));
        assert_eq!(checked(b"ab", Some(&pinned)).unwrap_err(), "expected 3 bytes, got 2");
        assert!(checked(b"abd", Some(&pinned)).unwrap_err().starts_with("expected content with SHA-256 ba7816bf"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_that_was_cut_short_anywhere_is_refused_before_it_is_loaded() {
        // This very program is a whole ELF file.
        let whole = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(checked(&whole, None), Ok(()));
        for cut in [0, 1, 4, 63, 64, 4096, whole.len() / 2, whole.len() - 1] {
            assert!(checked(&whole[..cut], None).is_err(), "cut at {cut}");
        }
        for at in 0..64 {
            let mut flipped = whole[..whole.len().min(65_536)].to_vec();
            flipped[at] ^= 0xff;
            assert!(checked(&flipped, None).is_err(), "byte {at}");
        }
        assert_eq!(checked(b"a text", None).unwrap_err(), "expected an ELF library");
    }
}
