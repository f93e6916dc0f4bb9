//! Servers as the unit: their registry, and rankings of them.

use std::collections::HashSet;

use super::ask::Ask;
use super::facade::ToolRouter;
use super::rank::{NamedTool, RankOptions, Snapshot, named};
use crate::catalogue::scope::Scope;
use crate::catalogue::synthetic_queries::query_prompt;
use crate::degraded::Degraded;
use crate::document::entry::ServerEntry;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::order::Ground;
use crate::query::QueryCut;
use crate::ranking::servers::{RankedServer, ServerCandidate, rank_servers};
use crate::ranking::{NAMED_BONUS, Ranking};
use crate::report::advice::{Advice, Circumstances, Offer};
use crate::session::{Session, mcp_load_text};
use crate::settings::Ranker;
use crate::text::tokens;

/// Servers of a ranking when the caller does not say how many.
pub const DEFAULT_TOP_K: usize = 5;
/// Best tools of each server when the caller does not say how many.
pub const DEFAULT_TOOLS_PER_SERVER: usize = 5;

/// What limits a ranking of servers.
#[derive(Debug, Clone, Default)]
pub struct ServerRankOptions {
    /// How many servers, and everything that limits a ranking of tools.
    pub rank: RankOptions,
    /// How many of each server's tools to answer with.
    pub tools_per_server: Option<usize>,
}

/// A ranked server by name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedServer {
    /// Its name.
    pub name: String,
    /// How many of its tools are in scope.
    pub tool_count: usize,
    /// Its best tools, best first.
    pub tools: Vec<NamedTool>,
    /// The synthetic query nearest to the query, when one is nearer than the description.
    pub nearest_query: Option<String>,
    /// Its rank, score and shares; its own `tools` is empty.
    pub ranked: RankedServer,
}

impl NamedServer {
    /// What gives it its rank, in a line for a person.
    pub fn why(&self) -> String {
        let ranked = &self.ranked;
        let mut parts = Vec::new();
        if ranked.boost >= NAMED_BONUS {
            parts.push("named in the query".to_owned());
        }
        if let Some(best) = self.tools.first() {
            parts.push(format!("best tool {}, order of tools {:+.2}", best.id.tool_name, ranked.tool_share));
        }
        match (&self.nearest_query, ranked.similarity) {
            (Some(query), Some(similarity)) => parts.push(format!("like {query:?} (cosine {similarity:.2})")),
            (None, Some(similarity)) => parts.push(format!("like its description (cosine {similarity:.2})")),
            _ => {}
        }
        parts.push(format!("terms and vectors {:+.2}", ranked.evidence_share));
        parts.join("; ")
    }
}

/// A ranking of servers.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerRanking {
    /// The servers, best first.
    pub servers: Vec<NamedServer>,
    /// What they were ranked by.
    pub ranker: Ranker,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
    /// How many servers were ranked.
    pub candidate_count: usize,
    /// How many of them something in the query matches.
    pub supported_count: usize,
    /// How likely any tool of them serves the query, from 0 to 1.
    pub evidence: f64,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

impl ToolRouter {
    /// Sets registry entries by server name, or removes one with `None`.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT`; nothing is changed then.
    pub fn set_server_entries(&self, entries: Vec<(String, Option<ServerEntry>)>, path: &str) -> Result<()> {
        let names: HashSet<String> = entries.iter().map(|(name, _)| name.clone()).collect();
        let mut catalogue = self.catalogue.lock();
        catalogue.set_entries(entries, path)?;
        let index = self.publish_entries(&catalogue);
        drop(catalogue);
        self.embedding.want(index.entry_texts(&names));
        Ok(())
    }

    /// The registry's entry for a server.
    pub fn server_entry(&self, name: &str) -> Option<ServerEntry> {
        self.catalogue.lock().entry(name).cloned()
    }

    /// What to ask a model for synthetic queries of a server.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a server that the catalogue lacks.
    pub fn synthetic_query_prompt(&self, name: &str) -> Result<String> {
        let index = self.index();
        let Some(server) = index.servers.iter().find(|server| server.name == name) else {
            let expected = "the name of a server that is set";
            return Err(Error::invalid("syntheticQueryPrompt.serverName", expected, format!("{name:?}")));
        };
        let entry = server.profile.entry.as_ref();
        let described = entry.and_then(|entry| entry.description.as_deref()).or(server.profile.instructions());
        let usable = server.tools.clone().filter(|at| index.tools[*at].off.is_none());
        Ok(query_prompt(name, described.unwrap_or("none"), usable.map(|at| &*index.tools[at].tool)))
    }

    /// Says whether routing pays for the catalogue as it is, for turns that may take `most_ms` longer.
    pub fn advise(&self, most_ms: Option<f64>) -> Advice {
        let (index, settings) = (self.index(), self.settings());
        let candidates = index.candidates(&Scope::All);
        let servers: HashSet<&str> = candidates.iter().map(|at| index.tools[*at].tool.id.server_name.as_str()).collect();
        let count = |at: &usize| index.tools[*at].tool.token_count_as(&index.tools[*at].name, settings.schema_detail);
        let mcp_load = mcp_load_text::definition(&index, &Scope::All, "", settings.own_names);
        let task = Session::new(String::new(), None, (*settings).clone());
        let offer = Offer {
            tool_count: candidates.len(),
            tokens: candidates.iter().map(count).sum(),
            mcp_load: tokens::count(&mcp_load),
            first_k: settings.first_k().mean(),
            directory_tokens: settings.directory_tokens,
        };
        let circumstances = Circumstances { routes: task.would_route(&index), added_ms: self.ranking_times.mean_ms(), most_ms };
        Advice::new(servers.len(), &offer, &circumstances)
    }

    /// Ranks the servers in scope for a query, as they were in a snapshot: by their best tools and by their entries.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn rank_servers(&self, snapshot: &Snapshot, query: &str, options: &ServerRankOptions) -> Result<ServerRanking> {
        let Snapshot { index, settings } = snapshot;
        let scope = self.in_scope(index, &options.rank, "rankServers.hostMode")?;
        let ground = Ground::new(index, &scope);
        let ask = options.rank.ask(ground, query, settings);
        let (ranking, ranked) = self.ranked_servers(ground, &ask);
        let tools_per_server = options.tools_per_server.unwrap_or(DEFAULT_TOOLS_PER_SERVER);
        Ok(ServerRanking {
            candidate_count: ranked.len(),
            supported_count: ranked.iter().filter(|server| server.supported).count(),
            servers: ranked
                .into_iter()
                .take(options.rank.top_k.unwrap_or(DEFAULT_TOP_K))
                .map(|server| named_server(index, server, tools_per_server))
                .collect(),
            ranker: ranking.ranker,
            degraded: ranking.degraded,
            evidence: ranking.evidence,
            query_cut: ranking.query_cut,
        })
    }

    /// Ranks candidates, and the servers they belong to. The ranking's own `tools` is empty: the
    /// tools stand with their servers.
    pub(super) fn ranked_servers(&self, ground: Ground<'_>, ask: &Ask) -> (Ranking, Vec<RankedServer>) {
        let Ground { index, scope, candidates } = ground;
        // Servers are compared by their best cosines, so without all vectors the answer is the lexical one. Those of entries
        // come after those of tools.
        let entries_pending = || {
            let model = self.embedding.vectors()?;
            let servers = index.servers.iter().enumerate().filter(|(at, _)| scope.has_server(*at));
            let mut texts = servers.flat_map(|(_, server)| &server.profile.document().embedded);
            texts.any(|text| !model.has(&text.hash)).then_some(Degraded::VectorsPending(100))
        };
        let known = self.tool_vectors(index).map(|vectors| vectors.count(candidates));
        let pending = known.map_or_else(Some, |known| self.missing_vectors(known, candidates.len())).or_else(entries_pending);
        let mut ranking = if ask.wants_vectors() && pending.is_some() {
            Ranking { degraded: pending, ..self.rank_for_servers(ground, ask, false) }
        } else {
            self.rank_for_servers(ground, ask, ask.wants_vectors())
        };
        let model = self.embedding.vectors().filter(|_| ranking.ranker != Ranker::Lexical);
        let vectors = ask.used_vectors().filter(|_| model.is_some());
        let mut tools: Vec<Vec<_>> = index.servers.iter().map(|_| Vec::new()).collect();
        let server_of: Vec<usize> =
            index.servers.iter().enumerate().flat_map(|(at, server)| server.tools.clone().map(move |_| at)).collect();
        for tool in std::mem::take(&mut ranking.tools) {
            tools[server_of[tool.position]].push(tool);
        }
        let candidates = tools.into_iter().enumerate().filter(|(_, tools)| !tools.is_empty()).map(|(position, tools)| {
            let document = index.servers[position].profile.document();
            let vector = |hash| model.as_ref().and_then(|model| model.document(hash));
            let vectors = document.embedded.iter().map_while(|text| vector(&text.hash)).collect();
            ServerCandidate { position, document, tools, vectors }
        });
        let ranked = rank_servers(&ask.query, index.server_lexical_of(scope), candidates.collect(), vectors);
        (ranking, ranked)
    }
}

fn named_server(index: &Index, mut ranked: RankedServer, tools_per_server: usize) -> NamedServer {
    let server = &index.servers[ranked.position];
    let tools = std::mem::take(&mut ranked.tools);
    let tool_count = tools.len();
    let numbered = tools.into_iter().take(tools_per_server).enumerate().map(|(at, mut tool)| {
        tool.rank = at + 1;
        named(index, tool)
    });
    let queries = server.profile.entry.as_ref().map(|entry| entry.synthetic_queries.as_slice()).unwrap_or_default();
    NamedServer {
        name: server.name.clone(),
        tool_count,
        tools: numbered.collect(),
        nearest_query: ranked.nearest_query.and_then(|at| queries.get(at)).cloned(),
        ranked,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalogue::ServerPath;
    use crate::catalogue::mcp::{McpServer, McpTool};

    #[test]
    fn an_entry_costs_no_new_index_of_tools_and_ranks_as_one_that_was_there_before() {
        let server = |name: &str| McpServer { name: name.into(), tools: vec![McpTool::new("run")], ..McpServer::default() };
        let servers = || ["a", "b", "c"].map(server).to_vec();
        let entry = || ServerEntry { description: Some("weather forecasts".into()), ..ServerEntry::default() };
        let [first, later] = [ToolRouter::new(), ToolRouter::new()];
        first.set_server_entries(vec![("b".into(), Some(entry()))], "path").unwrap();
        first.set_servers(servers(), false, ServerPath::List("servers")).unwrap();
        later.set_servers(servers(), false, ServerPath::List("servers")).unwrap();
        let before = later.index();
        later.set_server_entries(vec![("b".into(), Some(entry()))], "path").unwrap();
        let after = later.index();
        assert!(Arc::ptr_eq(&before.tools, &after.tools) && before.generation < after.generation);
        let ranked = |router: &ToolRouter| {
            router.rank_servers(&router.snapshot(), "weather forecasts", &ServerRankOptions::default()).unwrap().servers
        };
        assert_eq!(ranked(&first), ranked(&later));
        assert_eq!(ranked(&later)[0].name, "b");
    }
}
