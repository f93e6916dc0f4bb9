//! The curation of a host's own list of functions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::curation_files::CurationFiles;
use super::facade::ToolRouter;
use crate::catalogue::name::underscored;
use crate::curation::files::{self, default_files};
use crate::curation::score::{LowerText, Terms, is_mcp, is_rescued, keep, order, score};
use crate::curation::uses::UseHistory;
use crate::error::Result;
use crate::settings::Settings;
use crate::settings::curation::Curation;

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
    /// Keeps recorded uses in a file from now on; see [`Uses::persist`].
    ///
    /// [`Uses::persist`]: crate::curation::uses::Uses::persist
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` where something is that is not a regular file.
    pub fn persist_uses(&self, file: Option<PathBuf>) -> Result<UseHistory> {
        self.uses.lock().persist(file)
    }

    /// Reads the settings' curation from files, each over the previous one; of none from the default places. What is edited
    /// later is read when it is used.
    ///
    /// # Errors
    ///
    /// `ERR_CONFIG_INVALID`; nothing is changed then.
    pub fn load_curation(&self, files: Vec<PathBuf>) -> Result<Curation> {
        let files = if files.is_empty() { default_files() } else { files };
        let stamps = files::stamps(&files);
        let curation = files::read(&files)?;
        self.take_curation(&curation);
        *self.curation_files.lock() = Some(CurationFiles { files, stamps, curation: curation.clone() });
        Ok(curation)
    }

    fn take_curation(&self, curation: &Curation) {
        let mut settings = self.settings.write();
        *settings = Arc::new(Settings { curation: curation.clone(), ..(**settings).clone() });
    }

    /// Reads the files again if one was written since. Curation that was configured in between stays, and so does what was
    /// read last where a file is wrong now: somebody is writing it.
    pub fn follow_curation_files(&self) {
        let mut known = self.curation_files.lock();
        let Some(CurationFiles { files, stamps, curation }) = &mut *known else { return };
        if self.settings().curation != *curation {
            *known = None;
            return;
        }
        let now = files::stamps(files);
        if now == *stamps {
            return;
        }
        *stamps = now;
        if let Ok(read) = files::read(files) {
            self.take_curation(&read);
            *curation = read;
        }
    }

    /// Leaves MCP tools that a message does not need out of a list of functions. Everything else
    /// stays, and all that stays is in its place. `uses` stand in for the recorded ones.
    pub fn curate(
        &self,
        functions: &[CuratedFunction],
        message: &str,
        curation: &Curation,
        uses: Option<HashMap<String, f64>>,
    ) -> Curated {
        let index = self.index();
        let by_underscored = |uses: HashMap<String, f64>| uses.into_iter().map(|(name, uses)| (underscored(&name), uses));
        let uses = uses.map_or_else(|| self.uses.lock().recent_by_name(), |uses| by_underscored(uses).collect());
        let terms = Terms::read(message);
        let known = |name: &str| index.resolve(name).map_or("", |at| index.tools[at].tool.description.as_str());
        let score_of = |function: &CuratedFunction| {
            let name = &function.name;
            let uses = uses.get(&underscored(name)).copied().unwrap_or(0.0);
            let description = function.description.as_deref().unwrap_or_else(|| known(name));
            is_mcp(name).then(|| score(&terms, &LowerText::new(description), uses, is_rescued(&curation.rescue, name)).total())
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
