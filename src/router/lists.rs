//! Rankings of what is given in the call: tools, and any named texts.

use std::collections::HashMap;
use std::sync::Arc;

use super::facade::ToolRouter;
use super::rank::RankOptions;
use crate::catalogue::mcp::{McpServer, McpTool};
use crate::catalogue::scope::Scope;
use crate::catalogue::{Catalogue, ServerPath};
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::error::{Refusal, Result};
use crate::index::Index;
use crate::order::{Ground, Task};
use crate::settings::{MAX_K, Ranker};

/// Lists of tools given in a call that stay indexed: one per mode of the host, with room.
const KEPT_LISTS: usize = 8;
/// Stands for the server of texts: it has no letters that a request could match.
const NAMELESS: &str = "_";

/// A ranked text by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedText {
    /// Its name.
    pub name: String,
    /// Its place, from 1.
    pub rank: usize,
    /// What it was ordered by. Comparable within one ranking only.
    pub score: f64,
    /// Its cosine with the query, when vectors were used.
    pub similarity: Option<f64>,
    /// Whether anything in the query matches it.
    pub supported: bool,
}

/// A ranking of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRanking {
    /// The texts, best first.
    pub texts: Vec<NamedText>,
    /// What they were ranked by.
    pub ranker: Ranker,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
}

impl ToolRouter {
    /// Ranks tools given in the call; the same list again costs no new index. Names come back, of equal scores in the
    /// order given.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a tool without a name.
    pub fn rank_list(
        &self,
        query: &str,
        servers: Vec<McpServer>,
        k: usize,
        supported_only: bool,
        path: &str,
    ) -> Result<Vec<String>> {
        let tools = servers.iter().flat_map(|server| server.tools.iter().map(move |tool| (&server.name, tool)));
        let place = |(server, tool): (&String, &McpTool)| (ToolId::new(server, &tool.name), tool.position.unwrap_or(0));
        let places: HashMap<ToolId, usize> = tools.map(place).collect();
        let index = self.list_index(servers, path)?;
        let scope = index.in_scope(&Scope::All);
        let ground = Ground::new(&index, &scope);
        let ask = RankOptions::default().ask(ground, query, &self.settings());
        // All of them: of equal ones the first given are kept.
        let mut ranked = self.rank_tools(ground, &ask, &Task::default(), ground.candidates.len().max(1)).tools;
        ranked.sort_by(|a, b| {
            let place = |at: usize| places.get(&index.tools[at].tool.id);
            b.score.total_cmp(&a.score).then_with(|| place(a.position).cmp(&place(b.position)))
        });
        let kept = ranked.into_iter().filter(|tool| !supported_only || tool.shares.supported);
        Ok(kept.take(k).map(|tool| index.tools[tool.position].name.clone()).collect())
    }

    pub(super) fn list_index(&self, servers: Vec<McpServer>, path: &str) -> Result<Arc<Index>> {
        let mut hasher = blake3::Hasher::new();
        for server in &servers {
            for tool in &server.tools {
                for part in [&server.name, &tool.name, tool.description.as_deref().unwrap_or("")] {
                    hasher.update(&(part.len() as u64).to_le_bytes());
                    hasher.update(part.as_bytes());
                }
            }
        }
        let hash = hasher.finalize();
        if let Some((_, index)) = self.lists.lock().iter().find(|(known, _)| *known == hash) {
            return Ok(Arc::clone(index));
        }
        let mut catalogue = Catalogue::default();
        let change = catalogue.set(servers, ServerPath::List(path))?;
        if let Some(refused) = change.refused.into_iter().next() {
            let field = format!("{path} ({}, {:?})", refused.server_name, refused.tool_name);
            return Err(Refusal { field, ..refused.reason }.into());
        }
        let index = Arc::new(Index::of_list(&catalogue));
        self.embedding.want(index.texts());
        let mut lists = self.lists.lock();
        lists.push_front((hash, Arc::clone(&index)));
        lists.truncate(KEPT_LISTS);
        Ok(index)
    }
}

impl ToolRouter {
    /// Ranks named texts given in the call; a name counts as a tool's does. The same texts again cost
    /// no new index.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a name that is empty, too long, or there twice.
    pub fn rank_texts(
        &self,
        query: &str,
        texts: Vec<(String, String)>,
        options: &RankOptions,
        path: &str,
    ) -> Result<TextRanking> {
        let tools = texts.into_iter().map(|(name, text)| McpTool { description: Some(text), ..McpTool::new(name) });
        let server = McpServer { name: NAMELESS.into(), tools: tools.collect(), ..McpServer::default() };
        let index = self.list_index(vec![server], path)?;
        let scope = index.in_scope(&Scope::All);
        let ground = Ground::new(&index, &scope);
        let ask = options.ask(ground, query, &self.settings());
        let ranking = self.rank_tools(ground, &ask, &Task::default(), options.top_k.unwrap_or(MAX_K));
        let named = ranking.tools.iter().map(|ranked| NamedText {
            name: index.tools[ranked.position].tool.id.tool_name.clone(),
            rank: ranked.rank,
            score: ranked.score,
            similarity: ranked.shares.similarity,
            supported: ranked.shares.supported,
        });
        Ok(TextRanking { texts: named.collect(), ranker: ranking.ranker, degraded: ranking.degraded })
    }
}
