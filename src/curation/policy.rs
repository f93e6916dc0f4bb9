//! The settings of the policy `curator` from TOML files, a project's over a global one.
//!
//! ```toml
//! [mcp]
//! curation = { kind = "top_k", k = 15 }
//! ```

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use crate::config_file::{line_and_column, read_file};
use crate::error::{Error, ErrorKind, Result};
use crate::settings::MAX_K;
use crate::settings::curation::{Curation, CurationKind, MAX_RESCUE};

/// Reads the files over the defaults, each over the previous one, key by key. A file that is not
/// there says nothing.
///
/// # Errors
///
/// `ERR_CONFIG_INVALID` naming file, line and column.
pub fn read(files: &[&Path]) -> Result<Curation> {
    let mut curation = Curation::default();
    for file in files {
        if let Some(text) = read_file(file)? {
            apply(&mut curation, &text, &file.display().to_string())?;
        }
    }
    Ok(curation)
}

/// Takes over what a TOML text says; anything else in it is another's.
fn apply(curation: &mut Curation, text: &str, file: &str) -> Result<()> {
    let config: ConfigFile = toml::from_str(text).map_err(|error| {
        let detail = error.message().lines().next().unwrap_or("it cannot be read").to_owned();
        invalid(text, file, error.span(), detail).caused_by(error)
    })?;
    let Some(keys) = config.mcp.and_then(|mcp| mcp.curation) else { return Ok(()) };
    if let Some(kind) = keys.kind {
        curation.kind = kind;
    }
    if let Some(k) = keys.k {
        let range = format!("mcp.curation.k: expected an integer from 1 to {MAX_K}, got {}", k.get_ref());
        let read = usize::try_from(*k.get_ref()).ok().filter(|k| (1..=MAX_K).contains(k));
        curation.k = read.ok_or_else(|| invalid(text, file, Some(k.span()), range))?;
    }
    if let Some(rescue) = keys.rescue {
        if rescue.get_ref().len() > MAX_RESCUE {
            let got = rescue.get_ref().len();
            let detail = format!("mcp.curation.rescue: expected at most {MAX_RESCUE} elements, got {got}");
            return Err(invalid(text, file, Some(rescue.span()), detail));
        }
        curation.rescue = rescue.into_inner();
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Curation> {
        let mut curation = Curation::default();
        for text in texts {
            apply(&mut curation, text, "config.toml")?;
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
