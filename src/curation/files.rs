//! The settings of a curation from TOML files, a project's over a global one.
//!
//! ```toml
//! [mcp]
//! curation = { kind = "top_k", k = 15 }
//! ```

use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::catalogue::name;
use crate::config_file::{line_and_column, read_file};
use crate::error::{Error, ErrorKind, Result, shorten};
use crate::settings::MAX_K;
use crate::settings::curation::{Curation, CurationKind, MAX_RESCUE};

/// Reads the files over the defaults, each over the previous one, key by key. A file that is not
/// there says nothing.
///
/// # Errors
///
/// `ERR_CONFIG_INVALID` naming file, line and column.
pub fn read(files: &[PathBuf]) -> Result<Curation> {
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
    let config = DeTable::parse(text).map_err(|error| {
        let detail = error.message().lines().next().unwrap_or("it cannot be read").to_owned();
        invalid(text, file, error.span(), detail).caused_by(error)
    })?;
    let wrong = |key: &str, expected: &str, value: &Spanned<DeValue<'_>>| {
        let got = shorten(text.get(value.span()).unwrap_or("").lines().next().unwrap_or(""), MOST_SHOWN);
        invalid(text, file, Some(value.span()), format!("{key}: expected {expected}, got {got}"))
    };
    let Some(mcp) = config.get_ref().get("mcp") else { return Ok(()) };
    let mcp = mcp.get_ref().as_table().ok_or_else(|| wrong("mcp", "a table", mcp))?;
    let keys = match mcp.get("curation") {
        None => DeTable::new(),
        Some(keys) => keys.get_ref().as_table().ok_or_else(|| wrong("mcp.curation", CURATION, keys))?.clone(),
    };
    if let Some((key, _)) = keys.iter().find(|(key, _)| !KEYS.contains(&key.get_ref().as_ref())) {
        let near = name::near(key.get_ref(), KEYS.into_iter(), 1);
        let hint = near.first().map(|near| format!("; near: {near}")).unwrap_or_default();
        let detail = format!("mcp.curation: expected {}, got the key {}{hint}", KEYS.join(", "), key.get_ref());
        return Err(invalid(text, file, Some(key.span()), detail));
    }
    if let Some(k) = keys.get("k") {
        let number = k.get_ref().as_integer().and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok());
        let range = format!("an integer from 1 to {MAX_K}");
        curation.k = number.filter(|k| (1..=MAX_K).contains(k)).ok_or_else(|| wrong("mcp.curation.k", &range, k))?;
        // Who says how many wants so many, whatever an earlier file said.
        curation.kind = CurationKind::TopK;
    }
    if let Some(kind) = keys.get("kind") {
        let known = CurationKind::NAMES.iter().find(|(name, _)| kind.get_ref().as_str() == Some(*name));
        curation.kind = known.ok_or_else(|| wrong("mcp.curation.kind", "\"top_k\" or \"off\"", kind))?.1;
    }
    for (key, rescue) in [("mcp.rescue", mcp.get("rescue")), ("mcp.curation.rescue", keys.get("rescue"))] {
        let Some(rescue) = rescue else { continue };
        let expected = format!("a list of at most {MAX_RESCUE} names");
        let names = rescue.get_ref().as_array().filter(|names| names.len() <= MAX_RESCUE);
        let names = names.and_then(|names| names.iter().map(|name| name.get_ref().as_str().map(str::to_owned)).collect());
        curation.rescue = names.ok_or_else(|| wrong(key, &expected, rescue))?;
    }
    Ok(())
}

const KEYS: [&str; 3] = ["kind", "k", "rescue"];
const CURATION: &str = "a table such as { kind = \"top_k\", k = 15 }";
const MOST_SHOWN: usize = 40;

/// Files of the default places: one for all projects, in the user's configuration, and one of the project that the process runs in.
pub fn default_files() -> Vec<PathBuf> {
    let own = dirs::home_dir().map(|home| home.join(".config/wayland-core/config.toml"));
    own.into_iter().chain([PathBuf::from(".wayland-core.toml")]).collect()
}

/// When files were last written, and how long they are: another one has other stamps.
pub type Stamps = Vec<Option<(SystemTime, u64)>>;

/// The stamps of files as they are now.
pub fn stamps(files: &[PathBuf]) -> Stamps {
    let stamp = |file: &PathBuf| std::fs::metadata(file).ok().and_then(|known| Some((known.modified().ok()?, known.len())));
    files.iter().map(stamp).collect()
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
    fn off_is_off_whatever_the_number_and_rescue_tools_in_curation_come_before_those_below_mcp() {
        assert_eq!(read(&["[mcp]\ncuration = { kind = \"off\", k = 7 }"]).unwrap().limit(), None);
        assert_eq!(read(&["[mcp]\nrescue = [\"a\"]\ncuration = { rescue = [\"b\"] }"]).unwrap().rescue, ["b"]);
    }
}
