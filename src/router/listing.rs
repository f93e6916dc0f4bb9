//! What is in scope, as a list: every tool with what the model is told and what its server said.

use std::collections::HashSet;

use super::facade::ToolRouter;
use super::rank::RankOptions;
use crate::catalogue::scope::Off;
use crate::catalogue::signatures::{ShownParameters, interfaces};
use crate::document::id::ToolId;
use crate::error::{ErrorKind, Result};
use crate::index::{Index, IndexedTool};
use crate::text::tokens;

/// A tool of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTool {
    /// The tool.
    pub id: ToolId,
    /// Its provider name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// What the model is told.
    pub description: String,
    /// What the server sent, where the host overrides it.
    pub original_description: Option<String>,
    /// Whether it only reads.
    pub read_only: bool,
    /// Whether its server says that it may destroy.
    pub destructive: bool,
    /// Whether it is attached to every dynamic selection.
    pub always_load: bool,
    /// Why the configuration keeps it off, if it does.
    pub off: Option<Off>,
}

/// A tool with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSignature {
    /// The tool.
    pub id: ToolId,
    /// Its provider name.
    pub name: String,
    /// Its signature, in one line.
    pub text: String,
    /// What the line costs.
    pub token_count: usize,
}

/// Signatures of several tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    /// An interface for each server.
    pub text: String,
    /// What the text costs.
    pub token_count: usize,
    /// The tools one by one.
    pub tools: Vec<ToolSignature>,
}

impl ToolRouter {
    /// Signatures of the tools in scope, in catalogue order; of `names` alone, in their order, where there are any.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host, `ERR_TOOL_NOT_FOUND` for a name that no tool in scope has.
    pub fn signatures(&self, options: &RankOptions, names: Option<&[String]>, shown: ShownParameters) -> Result<Signatures> {
        let index = self.index();
        let scope = self.in_scope(&index, options, "signatures.hostMode")?;
        let positions = match names {
            None => scope.candidates().to_vec(),
            Some(names) => named_among(&index, scope.candidates(), names)?,
        };
        let text = interfaces(positions.iter().map(|at| &*index.tools[*at].tool), shown);
        let tool = |at: &usize| {
            let (tool, name) = (&index.tools[*at].tool, index.tools[*at].name.clone());
            let signature = tool.signature_as(shown);
            ToolSignature { id: tool.id.clone(), name, text: signature.text(), token_count: signature.token_count() }
        };
        Ok(Signatures { token_count: tokens::count(&text), text, tools: positions.iter().map(tool).collect() })
    }

    /// Lists the tools in scope in catalogue order; with `with_off`, those that are off too.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn list_tools(&self, options: &RankOptions, with_off: bool) -> Result<Vec<ListedTool>> {
        let index = self.index();
        let scope = self.narrowed_scope_of(options, "listTools.hostMode")?;
        let is_listed = |tool: &&IndexedTool| (with_off || tool.off.is_none()) && scope.allows_tool(&tool.tool.id);
        let listed = index.tools.iter().filter(is_listed).map(|indexed| ListedTool {
            id: indexed.tool.id.clone(),
            name: indexed.name.clone(),
            title: indexed.tool.title.clone(),
            description: indexed.tool.description.clone(),
            original_description: indexed.tool.original_description.clone(),
            read_only: indexed.tool.effects.read_only,
            destructive: indexed.tool.effects.destructive,
            always_load: indexed.always_load,
            off: indexed.off,
        });
        Ok(listed.collect())
    }
}

fn named_among(index: &Index, candidates: &[usize], names: &[String]) -> Result<Vec<usize>> {
    let in_scope: HashSet<usize> = candidates.iter().copied().collect();
    let mut positions: Vec<usize> = Vec::new();
    for name in names {
        let found = index.resolve(name).map_or_else(|| index.named(name), |at| vec![at]);
        let usable: Vec<usize> = found.into_iter().filter(|at| in_scope.contains(at)).collect();
        if usable.is_empty() {
            return Err(ErrorKind::ToolNotFound { name: name.clone(), near: index.near_names(candidates, name) }.into());
        }
        positions.extend(usable.into_iter().filter(|at| !positions.contains(at)).collect::<Vec<_>>());
    }
    Ok(positions)
}
