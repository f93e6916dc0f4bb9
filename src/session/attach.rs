//! What a host attaches by name: nothing is ranked, and nobody is told that the model asked.

use super::load_result::{LoadResult, UnavailableTool};
use super::spelled::find;
use super::task::Session;
use crate::catalogue::name;
use crate::document::id::ToolId;
use crate::error::{ErrorKind, Result};
use crate::index::Index;

/// A tool as a host names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolReference {
    /// By its server's name and its own.
    Id(ToolId),
    /// By its provider name, or by its own name alone.
    Name(String),
}

impl ToolReference {
    /// The tool, by what a name stands for.
    ///
    /// # Errors
    ///
    /// That of the name.
    pub fn resolved(self, resolve: impl FnOnce(&str) -> Result<ToolId>) -> Result<ToolId> {
        match self {
            Self::Id(id) => Ok(id),
            Self::Name(name) => resolve(&name),
        }
    }
}

impl Session {
    /// The tool that a model called by a name.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND`, with near names in scope.
    pub fn tool_called(&self, index: &Index, name: &str) -> Result<ToolId> {
        let near = || index.near_names(&index.candidates(&self.scope()), name);
        self.resolve(index, name).ok_or_else(|| ErrorKind::ToolNotFound { name: name.to_owned(), near: near() }.into())
    }

    /// Attaches tools in this order. One that is attached keeps its place.
    pub fn attach_wanted(&mut self, index: &Index, wanted: &[ToolReference]) -> LoadResult {
        let mut result = LoadResult::empty();
        let scope = self.scope();
        let mut lookups = name::MAX_NEAR_LOOKUPS;
        self.forget_brought();
        for wanted in wanted {
            let (name, found) = match wanted {
                ToolReference::Name(name) => (name.clone(), find(index, &scope, name)),
                ToolReference::Id(id) => {
                    let at = index.position(id);
                    let name =
                        at.map_or_else(|| name::provider_name(&id.server_name, &id.tool_name), |at| index.tools[at].name.clone());
                    (name, at.into_iter().collect())
                }
            };
            let usable: Vec<usize> = found.iter().copied().filter(|at| index.is_usable(*at, &scope)).collect();
            if usable.is_empty() {
                let (reason, near) = self.why_not(index, &scope, &name, &found, &mut lookups);
                result.unavailable.push(UnavailableTool { name: name.clone(), reason, near });
            }
            for at in usable {
                self.load_one(index, at, &name, &mut result);
            }
        }
        result
    }
}
