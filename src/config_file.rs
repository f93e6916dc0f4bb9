//! Configuration files: read whole, bounded, and the place of a mistake in one.

use std::io::ErrorKind as IoKind;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::regular_file;

/// The largest configuration file: real ones have a few KiB.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Line and column of a byte, both from 1; a column is a character.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The text of a configuration file; `None` when there is none.
pub(crate) fn read_file(file: &Path) -> Result<Option<String>> {
    let place = || file.display().to_string();
    let failed = |error: std::io::Error| {
        Error::from(ErrorKind::ConfigInvalid { place: place(), detail: error.to_string() }).caused_by(error)
    };
    let bytes = match regular_file::read(file, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), IoKind::NotFound | IoKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    String::from_utf8(bytes).map(Some).map_err(|error| failed(std::io::Error::new(IoKind::InvalidData, error)))
}
