//! Recorded uses of tools: one memory, kept in a file across restarts when the host wants it.
//!
//! Rankings read a preference from it, a curation counts the recent ones.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalogue::name::{provider_name, underscored};
use crate::document::id::ToolId;
use crate::error::{Error, Result};
use crate::regular_file;
use crate::uses::preference::UsePreference;

/// Uses that are recent. 100 of them add 50: use alone never reaches a rescue tool's floor.
pub const RECENT_USES: usize = 100;
/// Uses that are kept: enough to fill the memory that ranking prefers tools by.
const CAPACITY: usize = 500;
/// The largest file of uses: twice what a full one with the longest names has.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
const FILE_VERSION: u64 = 1;

/// See the module.
#[derive(Debug, Default)]
pub struct Uses {
    /// Oldest first.
    log: VecDeque<ToolId>,
    preference: Arc<UsePreference>,
    file: Option<PathBuf>,
    /// Files that uses of this process were written to: what they hold may be in the log already.
    written: HashSet<PathBuf>,
}

/// What a file of uses held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseHistory {
    /// Uses that are remembered now.
    pub use_count: usize,
    /// Why the file was read as empty, or cannot be written.
    pub warning: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SavedUses {
    version: u64,
    uses: Vec<(String, String)>,
}

impl Uses {
    /// Adds one use, and writes the file if there is one. A use that cannot be written is
    /// remembered until the process ends: the call that it stands for is done.
    pub fn record(&mut self, tool: ToolId) {
        self.remember(tool);
        let _ = self.save();
    }

    /// The same after a request of these terms, which are not written. `is_first` for the first call of a request.
    pub fn record_after(&mut self, tool: ToolId, terms: &[String], is_first: bool) {
        Arc::make_mut(&mut self.preference).learn(&tool, terms, is_first);
        self.record(tool);
    }

    /// Forgets tools. The answer is those that were remembered. A file is not written: the next use is.
    pub fn forget(&mut self, is_gone: &dyn Fn(&ToolId) -> bool) -> HashSet<ToolId> {
        let mut gone: HashSet<ToolId> = Arc::make_mut(&mut self.preference).forget(is_gone).into_iter().collect();
        gone.extend(self.log.iter().filter(|id| is_gone(id)).cloned());
        self.log.retain(|id| !is_gone(id));
        gone
    }

    /// Keeps uses in a file from now on, and takes over those that it holds, as older ones. A damaged file is read as
    /// empty. A file that this process wrote before adds only what the log does not end with. `None` keeps uses in memory
    /// alone.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` where something is that is not a regular file; it and everything else stay as they were.
    pub fn persist(&mut self, file: Option<PathBuf>) -> Result<UseHistory> {
        let mut warning = None;
        let file = match file {
            None => None,
            Some(file) => Some(regular_file::target(&file).ok_or_else(|| {
                let got = format!("a pipe, a device, a folder or a link to nothing at {}", file.display());
                Error::invalid("persistUses.file", "a regular file, or a name that nothing has", got)
            })?),
        };
        if let Some(file) = file.as_ref().filter(|file| Some(*file) != self.file.as_ref()) {
            let earlier = read_uses(file).unwrap_or_else(|why| {
                let kept = set_aside(file).map_or_else(String::new, |aside| format!(" and kept as {}", aside.display()));
                warning = Some(format!("{} is read as empty ({why}){kept}", file.display()));
                Vec::new()
            });
            let own = std::mem::take(&mut self.log);
            Arc::make_mut(&mut self.preference).forget_uses();
            let known = if self.written.contains(file) { overlap(&earlier, &own) } else { 0 };
            for tool in earlier.into_iter().chain(own.into_iter().skip(known)) {
                self.remember(tool);
            }
        }
        self.file = file;
        if let Err(error) = self.save() {
            let unwritable = format!("uses are not kept: {error}");
            warning = Some(warning.map_or(unwritable.clone(), |before| format!("{before}; {unwritable}")));
        } else if let Some(file) = self.file.as_deref().and_then(regular_file::target) {
            // By the path that it has now that it is there: the same file may be given in another spelling.
            self.written.insert(file.clone());
            self.file = Some(file);
        }
        Ok(UseHistory { use_count: self.log.len(), warning })
    }

    /// What rankings prefer tools by.
    pub fn preference(&self) -> Arc<UsePreference> {
        Arc::clone(&self.preference)
    }

    /// How often each tool was used recently.
    pub fn recent(&self) -> HashMap<ToolId, f64> {
        let mut recent = HashMap::new();
        for tool in self.log.iter().rev().take(RECENT_USES) {
            *recent.entry(tool.clone()).or_default() += 1.0;
        }
        recent
    }

    /// The same by provider name, in the spelling of [`underscored`].
    pub fn recent_by_name(&self) -> HashMap<String, f64> {
        let mut by_name = HashMap::new();
        for (id, uses) in self.recent() {
            *by_name.entry(underscored(&provider_name(&id.server_name, &id.tool_name))).or_default() += uses;
        }
        by_name
    }

    fn remember(&mut self, tool: ToolId) {
        Arc::make_mut(&mut self.preference).record(&tool);
        self.log.push_back(tool);
        if self.log.len() > CAPACITY {
            self.log.pop_front();
        }
    }

    /// Writes the file, if there is one.
    pub(crate) fn save(&self) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let uses = self.log.iter().map(|id| (id.server_name.clone(), id.tool_name.clone())).collect();
        let text = serde_json::to_vec(&SavedUses { version: FILE_VERSION, uses })?;
        regular_file::replace(file, &text)
    }
}

/// How many of the first uses of `own` are the last ones of `earlier`.
fn overlap(earlier: &[ToolId], own: &VecDeque<ToolId>) -> usize {
    let fits = |count: &usize| earlier[earlier.len() - count..].iter().eq(own.iter().take(*count));
    (0..=earlier.len().min(own.len())).rev().find(fits).unwrap_or(0)
}

fn read_uses(file: &Path) -> std::result::Result<Vec<ToolId>, String> {
    let bytes = match regular_file::read(file, MAX_FILE_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|error| error.to_string())?,
    };
    let saved: SavedUses = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if saved.version != FILE_VERSION {
        return Err(format!("expected version {FILE_VERSION}, got {}", saved.version));
    }
    Ok(saved.uses.into_iter().map(|(server, tool)| ToolId::new(server, tool)).collect())
}

/// Renames a file that cannot be read as uses, so that it is not written over: it may be another
/// program's, or of a later version.
fn set_aside(file: &Path) -> Option<PathBuf> {
    let mut aside = file.as_os_str().to_owned();
    aside.push(".damaged");
    let aside = PathBuf::from(aside);
    (file.is_file() && fs::rename(file, &aside).is_ok()).then_some(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_bounded_and_only_the_last_uses_are_recent() {
        let mut uses = Uses::default();
        for _ in 0..CAPACITY {
            uses.record(ToolId::new("s", "old"));
        }
        for _ in 0..RECENT_USES - 1 {
            uses.record(ToolId::new("s", "new"));
        }
        assert_eq!(uses.log.len(), CAPACITY);
        let recent = uses.recent();
        assert_eq!((recent[&ToolId::new("s", "new")], recent[&ToolId::new("s", "old")]), (99.0, 1.0));
        assert_eq!(uses.recent_by_name()["mcp__s__new"].to_bits(), 99.0_f64.to_bits());
    }
}
