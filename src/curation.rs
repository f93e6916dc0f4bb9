//! Curation: how many MCP tools the policy `curator` keeps, from settings or from TOML files.
//!
//! ```toml
//! [mcp]
//! curation = { kind = "top_k", k = 15 }
//! ```

use std::io::ErrorKind as IoKind;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::error::{Error, ErrorKind, Result};
use crate::settings::MAX_K;

/// The largest configuration file: real ones have a few KiB.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The most rescue tools, and the longest name of one: a tool's name has at most 512 bytes.
pub const MAX_RESCUE: usize = 1_000;

/// Tools that are kept whatever the message says: with them a coding model can always look at and
/// change files. The six of the second source.
pub const RESCUE: [&str; 6] = ["Read", "Grep", "Glob", "Edit", "Write", "Bash"];

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurationKind {
    /// The best `k` MCP tools of each turn.
    #[default]
    TopK,
    /// All of them.
    Off,
}

impl CurationKind {
    /// Both by the name that callers and files use.
    pub const NAMES: [(&'static str, Self); 2] = [("top_k", Self::TopK), ("off", Self::Off)];
}

/// The policy `curator`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Curation {
    /// What is kept.
    pub kind: CurationKind,
    /// How many MCP tools. 15, as the second source.
    pub k: usize,
    /// Names of tools that are kept first.
    pub rescue: Vec<String>,
}

impl Default for Curation {
    fn default() -> Self {
        Self { kind: CurationKind::TopK, k: 15, rescue: RESCUE.map(str::to_owned).to_vec() }
    }
}

impl Curation {
    /// How many MCP tools are kept; `None` for all of them.
    #[must_use]
    pub fn limit(&self) -> Option<usize> {
        match self.kind {
            CurationKind::TopK => Some(self.k),
            CurationKind::Off => None,
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` naming the field and both values.
    pub fn check(&self, path: &str) -> Result<()> {
        if !(1..=MAX_K).contains(&self.k) {
            return Err(Error::invalid(format!("{path}.k"), format!("an integer from 1 to {MAX_K}"), self.k));
        }
        if self.rescue.len() > MAX_RESCUE {
            return Err(Error::invalid(format!("{path}.rescue"), format!("at most {MAX_RESCUE} elements"), self.rescue.len()));
        }
        Ok(())
    }

    /// Reads the files over the defaults, each over the one before, key by key. A file that is not
    /// there says nothing.
    ///
    /// # Errors
    ///
    /// `ERR_CONFIG_INVALID` naming file, line and column.
    pub fn read(files: &[&Path]) -> Result<Self> {
        let mut curation = Self::default();
        for file in files {
            if let Some(text) = read_file(file)? {
                curation.apply(&text, &file.display().to_string())?;
            }
        }
        Ok(curation)
    }

    /// Takes over what a TOML text says; anything else in it is another's.
    fn apply(&mut self, text: &str, file: &str) -> Result<()> {
        let config: ConfigFile = toml::from_str(text).map_err(|error| {
            let detail = error.message().lines().next().unwrap_or("it cannot be read").to_owned();
            invalid(text, file, error.span(), detail)
        })?;
        let Some(keys) = config.mcp.and_then(|mcp| mcp.curation) else { return Ok(()) };
        if let Some(kind) = keys.kind {
            self.kind = kind;
        }
        if let Some(k) = keys.k {
            let range = format!("mcp.curation.k: expected an integer from 1 to {MAX_K}, got {}", k.get_ref());
            let read = usize::try_from(*k.get_ref()).ok().filter(|k| (1..=MAX_K).contains(k));
            self.k = read.ok_or_else(|| invalid(text, file, Some(k.span()), range))?;
        }
        if let Some(rescue) = keys.rescue {
            if rescue.get_ref().len() > MAX_RESCUE {
                let got = rescue.get_ref().len();
                let detail = format!("mcp.curation.rescue: expected at most {MAX_RESCUE} elements, got {got}");
                return Err(invalid(text, file, Some(rescue.span()), detail));
            }
            self.rescue = rescue.into_inner();
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct ConfigFile {
    mcp: Option<McpTable>,
}

#[derive(Deserialize)]
struct McpTable {
    curation: Option<CurationKeys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CurationKeys {
    kind: Option<CurationKind>,
    k: Option<Spanned<i64>>,
    rescue: Option<Spanned<Vec<String>>>,
}

fn invalid(text: &str, file: &str, span: Option<Range<usize>>, detail: String) -> Error {
    let (line, column) = line_and_column(text, span.map_or(0, |span| span.start));
    ErrorKind::ConfigInvalid { place: format!("{file}:{line}:{column}"), detail }.into()
}

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
    let unreadable = |detail: String| Error::from(ErrorKind::ConfigInvalid { place: file.display().to_string(), detail });
    let size = match std::fs::metadata(file) {
        // A device may have no end, and a pipe no writer.
        Ok(metadata) if !metadata.is_file() => return Err(unreadable("expected a regular file".into())),
        Ok(metadata) => metadata.len(),
        Err(error) if matches!(error.kind(), IoKind::NotFound | IoKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    if size > MAX_FILE_BYTES {
        return Err(unreadable(format!("expected at most {MAX_FILE_BYTES} bytes, got {size}")));
    }
    std::fs::read_to_string(file).map(Some).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Curation> {
        let mut curation = Curation::default();
        for text in texts {
            curation.apply(text, "config.toml")?;
        }
        Ok(curation)
    }

    #[test]
    fn a_project_overrides_the_global_key_by_key() {
        let global = "[other]\nx = 1\n[mcp]\nservers = []\ncuration = { kind = \"top_k\", k = 20, rescue = [\"Look\"] }";
        assert_eq!(read(&[]).unwrap(), Curation::default());
        assert_eq!(read(&[global]).unwrap().k, 20);
        let both = read(&[global, "[mcp.curation]\nk = 5"]).unwrap();
        assert_eq!((both.kind, both.k, both.rescue), (CurationKind::TopK, 5, vec!["Look".to_owned()]));
        let off = read(&[global, "mcp.curation.kind = \"off\""]).unwrap();
        assert_eq!((off.kind, off.k, off.limit()), (CurationKind::Off, 20, None));
    }

    #[test]
    fn a_malformed_file_is_named_with_line_and_column() {
        for (text, expected) in [
            ("[mcp]\ncuration = { kind = \"best\" }", "config.toml:2:21: unknown variant `best`"),
            ("[mcp]\ncuration = { k = 0 }", "config.toml:2:18: mcp.curation.k: expected an integer from 1 to 1000, got 0"),
            ("[mcp]\ncuration = { limit = 3 }", "config.toml:2:14: unknown field `limit`"),
            ("[mcp]\ncuration = 3", "config.toml:2:12: invalid type"),
            ("[mcp\n", "config.toml:1:5: "),
            ("é = 1\né é", "config.toml:2:"),
        ] {
            let error = read(&[text]).unwrap_err();
            assert_eq!(error.code(), "ERR_CONFIG_INVALID");
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }
}
