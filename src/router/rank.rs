//! Rankings of the catalogue by name.

use std::sync::Arc;

use super::ask::Ask;
use super::facade::ToolRouter;
use crate::catalogue::scope::{Scope, Servers};
use crate::document::id::ToolId;
use crate::error::{Error, Result};
use crate::index::{InScope, Index};
use crate::order::{Ground, Task};
use crate::ranking::{RankedTool, Ranking};
use crate::settings::{Ranker, Settings};

/// What limits a ranking.
#[derive(Debug, Clone, Default)]
pub struct RankOptions {
    /// How many tools to answer with.
    pub top_k: Option<usize>,
    /// What to rank by; the settings' ranker when absent.
    pub ranker: Option<Ranker>,
    /// A mode of the host, whose scope holds.
    pub host_mode: Option<String>,
    /// Only these servers, within the scope.
    pub servers: Option<Servers>,
    /// How long to wait for the query's vector.
    pub deadline_ms: Option<usize>,
}

impl RankOptions {
    /// Reads a request as these options and the settings say.
    pub(super) fn ask(&self, ground: Ground<'_>, text: &str, settings: &Settings) -> Ask {
        let deadline_ms = self.deadline_ms.unwrap_or(settings.deadline_ms);
        Ask::new(ground, text, self.ranker.unwrap_or(settings.ranker), deadline_ms)
    }
}

/// See [`ToolRouter::snapshot`].
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(super) index: Arc<Index>,
    pub(super) settings: Arc<Settings>,
}

/// A ranked tool by name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTool {
    /// The tool.
    pub id: ToolId,
    /// Its provider name.
    pub name: String,
    /// Its rank, score and shares.
    pub ranked: RankedTool,
}

/// A ranking by name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRanking {
    /// The tools, best first.
    pub tools: Vec<NamedTool>,
    /// Everything else; its own `tools` is empty.
    pub ranking: Ranking,
}

impl ToolRouter {
    pub(super) fn scope_of(&self, options: &RankOptions, path: &str) -> Result<Scope> {
        let Some(mode) = &options.host_mode else { return Ok(Scope::All) };
        let settings = self.settings();
        let known = settings.host_modes.get(mode).ok_or_else(|| unknown_mode(&settings, mode, path))?;
        Ok(Scope::of_mode(known))
    }

    pub(super) fn narrowed_scope_of(&self, options: &RankOptions, path: &str) -> Result<Scope> {
        let scope = self.scope_of(options, path)?;
        Ok(options.servers.as_ref().map_or_else(|| scope.clone(), |servers| scope.within(servers)))
    }

    /// Checks the mode of the host that options name.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown one.
    pub fn check_host_mode(&self, options: &RankOptions, path: &str) -> Result<()> {
        self.scope_of(options, path).map(|_| ())
    }

    pub(super) fn in_scope(&self, index: &Index, options: &RankOptions, path: &str) -> Result<Arc<InScope>> {
        Ok(index.in_scope(&self.narrowed_scope_of(options, path)?))
    }

    /// Ranks the tools in scope for a query.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn rank(&self, query: &str, options: &RankOptions) -> Result<NamedRanking> {
        self.rank_in(&self.snapshot(), query, options)
    }

    /// What rankings read, as it is now: for one that is worked out elsewhere, while calls after it go on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { index: self.index(), settings: self.settings() }
    }

    /// Ranks the tools in scope for a query, as they were in a snapshot.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn rank_in(&self, snapshot: &Snapshot, query: &str, options: &RankOptions) -> Result<NamedRanking> {
        let Snapshot { index, settings } = snapshot;
        let scope = self.in_scope(index, options, "rank.hostMode")?;
        let ground = Ground::new(index, &scope);
        let top_k = options.top_k.unwrap_or(settings.search_k);
        let mut ranking = self.rank_tools(ground, &options.ask(ground, query, settings), &Task::default(), top_k);
        let tools = std::mem::take(&mut ranking.tools).into_iter().map(|ranked| named(index, ranked)).collect();
        Ok(NamedRanking { tools, ranking })
    }
}

pub(super) fn named(index: &Index, ranked: RankedTool) -> NamedTool {
    let tool = &index.tools[ranked.position];
    NamedTool { id: tool.tool.id.clone(), name: tool.name.clone(), ranked }
}

pub(super) fn unknown_mode(settings: &Settings, mode: &str, path: &str) -> Error {
    let known: Vec<&str> = settings.host_modes.keys().map(String::as_str).collect();
    let expected = if known.is_empty() {
        "a mode, but settings.host_modes has none".to_owned()
    } else {
        format!("one of {}", known.join(", "))
    };
    Error::invalid(path, expected, format!("{mode:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ServerPath;
    use crate::catalogue::mcp::{McpServer, McpTool};
    use crate::query::prepare::PREPARATIONS;
    use crate::router::{CuratedFunction, ServerRankOptions};
    use crate::session::reroute::Signal;

    /// How often a call reads a request.
    fn readings<T>(call: impl FnOnce() -> T) -> usize {
        let before = PREPARATIONS.get();
        call();
        PREPARATIONS.get() - before
    }

    #[test]
    fn every_call_reads_a_request_once() {
        let router = ToolRouter::new();
        let tools = ["create_issue", "list_pods", "send_message"].map(McpTool::new).to_vec();
        let server = McpServer { name: "s".into(), tools, ..McpServer::default() };
        router.set_servers(vec![server], false, ServerPath::List("servers")).unwrap();
        let initial_k = crate::settings::InitialK::Fixed(2);
        let settings = Settings { threshold: 0, initial_k, ..Settings::default() };
        let by_server = Settings { scope_by: crate::settings::ScopeBy::Server, ..settings.clone() };
        let (query, options) = ("create an issue about the pods", RankOptions::default());
        let id = ToolId::new("s", "create_issue");
        assert_eq!(readings(|| router.rank(query, &options).unwrap()), 1);
        assert_eq!(readings(|| router.explain(query, &id, &options).unwrap()), 1);
        assert_eq!(readings(|| router.rank_servers(&router.snapshot(), query, &ServerRankOptions::default()).unwrap()), 1);
        let texts = || vec![("a".to_owned(), "issues".to_owned()), ("b".to_owned(), "pods".to_owned())];
        assert_eq!(readings(|| router.rank_texts(query, texts(), &options, "texts").unwrap()), 1);
        for settings in [settings, by_server] {
            let session = router.open_session(None, None, settings).unwrap();
            assert_eq!(readings(|| router.advance(&session, query)), 1);
            assert_eq!(readings(|| router.explain_session(&router.index(), &session, &id).unwrap()), 1);
            // Two texts: a message that says little by itself, and what the task said before it.
            assert_eq!(readings(|| router.advance(&session, "and do the same for the issues")), 2);
            assert_eq!(readings(|| router.advance(&session, "create_issue")), 1);
            assert_eq!(readings(|| router.load(&session, "send a message to the team").unwrap()), 1);
            assert_eq!(readings(|| router.load(&session, "create_issue, list_pods").unwrap()), 0);
            // Two texts at most: what is missing and, if anything serves that, the request around it.
            let signal = r#"{"originalQuery":"create an issue","missingCapability":"send mail"}"#;
            assert!(readings(|| router.reroute(&router.index(), &session, Signal::read(signal).unwrap()).unwrap()) <= 2);
        }
        let functions = [CuratedFunction { name: "mcp--s--create_issue".into(), description: None }];
        let curation = Settings::default().curation;
        assert_eq!(readings(|| router.curate(&functions, query, &curation, None)), 0);
    }
}
