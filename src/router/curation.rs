//! The policy `curator`, and the uses that it counts, kept in a file across restarts.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ToolRouter;
use crate::catalogue::tool::ToolId;
use crate::curation::Curation;
use crate::error::Result;
use crate::index::Index;
use crate::ranking::curator::{UseLog, fold_provider_name, is_mcp, is_rescued, keep, order, score, terms};
use crate::ranking::query::Naming;
use crate::ranking::usage::UsageMemory;
use crate::ranking::{RankedTool, Ranker, Ranking, Shares};
use crate::settings::Settings;

/// The largest file of uses: twice what a full one with the longest names has.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// The version that is written and read.
const FILE_VERSION: u64 = 1;

/// Recorded uses and where they are kept.
#[derive(Debug, Default)]
pub(super) struct UseStore {
    log: UseLog,
    file: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct SavedUses {
    version: u64,
    uses: Vec<(String, String)>,
}

/// What a file of uses held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseHistory {
    /// Uses that are remembered now.
    pub use_count: usize,
    /// Why the file was read as empty, or cannot be written.
    pub warning: Option<String>,
}

impl UseStore {
    fn save(&self) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let uses = self.log.iter().map(|id| (id.server_name.clone(), id.tool_name.clone())).collect();
        let text = serde_json::to_vec(&SavedUses { version: FILE_VERSION, uses })?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        // Renamed into its place: a reader sees the file before or the file after, never a part.
        let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, file));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}

fn read_uses(file: &Path) -> std::result::Result<Vec<ToolId>, String> {
    match fs::metadata(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
        // A device may have no end, and a pipe no writer.
        Ok(metadata) if !metadata.is_file() => return Err("expected a regular file".into()),
        Ok(metadata) if metadata.len() > MAX_FILE_BYTES => {
            return Err(format!("expected at most {MAX_FILE_BYTES} bytes, got {}", metadata.len()));
        }
        Ok(_) => {}
    }
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let saved: SavedUses = serde_json::from_str(&text).map_err(|error| error.to_string())?;
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

/// A function of the host's: an MCP tool or one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CuratedFunction {
    /// Its name, as the model sees it.
    pub name: String,
    /// What it does; the catalogue's description when it is left out.
    pub description: Option<String>,
}

/// A function that stays.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptFunction {
    /// Its name.
    pub name: String,
    /// Its place among those given, from 0.
    pub position: usize,
    /// Its place by score among the MCP tools, from 1; `None` for what is not curated.
    pub rank: Option<usize>,
    /// Its score; `None` for what is not curated.
    pub score: Option<f64>,
}

/// What a curation kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Curated {
    /// Functions that stay, in their place.
    pub kept: Vec<KeptFunction>,
    /// Names of MCP tools that are left out of this turn. They are registered as before.
    pub dropped: Vec<String>,
}

impl ToolRouter {
    /// Keeps recorded uses in a file from now on, and takes over those that it holds. A damaged
    /// file is read as empty. `None` keeps them in memory alone.
    pub fn persist_uses(&self, file: Option<PathBuf>) -> UseHistory {
        let mut store = self.uses.lock();
        let mut warning = None;
        if let Some(file) = file.as_ref().filter(|file| Some(*file) != store.file.as_ref()) {
            let earlier = read_uses(file).unwrap_or_else(|why| {
                let kept = set_aside(file).map_or_else(String::new, |aside| format!(" and kept as {}", aside.display()));
                warning = Some(format!("{} is read as empty ({why}){kept}", file.display()));
                Vec::new()
            });
            let own = std::mem::take(&mut store.log);
            let mut memory = UsageMemory::default();
            for tool in earlier.iter().chain(own.iter()) {
                memory.record(tool);
                store.log.record(tool.clone());
            }
            *self.usage.lock() = memory;
        }
        store.file = file;
        if let Err(error) = store.save() {
            let unwritable = format!("uses are not kept: {error}");
            warning = Some(warning.map_or(unwritable.clone(), |before| format!("{before}; {unwritable}")));
        }
        UseHistory { use_count: store.log.iter().len(), warning }
    }

    /// Reads the settings' curation from files, each over the one before.
    ///
    /// # Errors
    ///
    /// `ERR_CONFIG_INVALID`; nothing is changed then.
    pub fn load_curation(&self, files: &[&Path]) -> Result<Curation> {
        let curation = Curation::read(files)?;
        let mut settings = self.settings.write();
        *settings = Arc::new(Settings { curation: curation.clone(), ..(**settings).clone() });
        Ok(curation)
    }

    pub(super) fn log_use(&self, tool: &ToolId) {
        let mut store = self.uses.lock();
        store.log.record(tool.clone());
        // A use that cannot be written is remembered until the process ends; the call it was is done.
        let _ = store.save();
    }

    /// Ranks candidates by the policy `curator`.
    pub(super) fn rank_by_curator(
        &self,
        index: &Index,
        candidates: &[usize],
        message: &str,
        curation: &Curation,
        top_k: usize,
    ) -> Ranking {
        let (terms, recent) = (terms(message), self.uses.lock().log.recent());
        let scores = candidates.iter().map(|at| {
            let tool = &index.tools[*at].tool;
            let uses = recent.get(&tool.id).copied().unwrap_or(0.0);
            score(&terms, &tool.description, uses, is_rescued(&curation.rescue, &tool.id.tool_name))
        });
        let scores: Vec<_> = scores.collect();
        let totals: Vec<f64> = scores.iter().map(|score| score.total()).collect();
        let ranked = order(&totals).into_iter().take(top_k).enumerate().map(|(rank, at)| RankedTool {
            position: candidates[at],
            rank: rank + 1,
            score: totals[at],
            shares: Shares {
                lexical: scores[at].keywords,
                lexical_share: scores[at].keywords,
                naming: Naming::None,
                usage: scores[at].uses + scores[at].rescue,
                supported: totals[at] > 0.0,
                ..Shares::default()
            },
        });
        Ranking {
            tools: ranked.collect(),
            ranker: Ranker::Lexical,
            degraded: None,
            candidate_count: candidates.len(),
            supported_count: totals.iter().filter(|total| **total > 0.0).count(),
            query_cut: crate::ranking::query::Query::new(message).cut,
        }
    }

    /// Leaves MCP tools that a message does not need out of a list of functions. Everything else
    /// stays, and all that stays is in its place. `uses` stand in for the recorded ones.
    #[must_use]
    pub fn curate(
        &self,
        functions: &[CuratedFunction],
        message: &str,
        curation: &Curation,
        uses: Option<HashMap<String, f64>>,
    ) -> Curated {
        let index = self.index();
        let by_folded = |uses: HashMap<String, f64>| uses.into_iter().map(|(name, uses)| (fold_provider_name(&name), uses));
        let uses = uses.map_or_else(|| self.uses.lock().log.recent_by_name(), |uses| by_folded(uses).collect());
        let terms = terms(message);
        let known = |name: &str| index.resolve(name).map_or("", |at| index.tools[at].tool.description.as_str());
        let score_of = |function: &CuratedFunction| {
            let name = &function.name;
            let uses = uses.get(&fold_provider_name(name)).copied().unwrap_or(0.0);
            let description = function.description.as_deref().unwrap_or_else(|| known(name));
            is_mcp(name).then(|| score(&terms, description, uses, is_rescued(&curation.rescue, name)).total())
        };
        let scores: Vec<Option<f64>> = functions.iter().map(score_of).collect();
        let kept = keep(&scores, curation.limit());
        let mut ranks = vec![None; functions.len()];
        let totals: Vec<f64> = scores.iter().map(|score| score.unwrap_or(f64::NEG_INFINITY)).collect();
        for (rank, at) in order(&totals).into_iter().filter(|at| scores[*at].is_some()).enumerate() {
            ranks[at] = Some(rank + 1);
        }
        let mut curated = Curated { kept: Vec::new(), dropped: Vec::new() };
        for (at, function) in functions.iter().enumerate() {
            if kept[at] {
                let (rank, score) = (ranks[at], scores[at]);
                curated.kept.push(KeptFunction { name: function.name.clone(), position: at, rank, score });
            } else {
                curated.dropped.push(function.name.clone());
            }
        }
        curated
    }
}
