//! Rankings of the catalogue by name, and explanations.

use std::fmt;
use std::sync::Arc;

use super::ask::Ask;
use super::facade::{ToolRouter, unknown_name, unknown_tool};
use crate::catalogue::scope::Scope;
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::error::{Error, ErrorKind, Result, shorten};
use crate::index::Index;
use crate::order::{Ground, Task};
use crate::ranking::lexical::TermScore;
use crate::ranking::{Corpus, RankedTool, Ranking};
use crate::session::companions::{LEADERS, companion_of};
use crate::session::selection::CompanionOf;
use crate::settings::{Policy, Ranker, Settings};

/// How much of a text an explanation shows: a line of a terminal or two.
const SHOWN_CHARS: usize = 160;

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
    pub servers: Option<Vec<String>>,
    /// How long to wait for the query's vector.
    pub deadline_ms: Option<usize>,
}

impl RankOptions {
    /// Reads a request as these options and the settings say.
    pub(super) fn ask(&self, index: &Index, text: &str, settings: &Settings) -> Ask {
        let deadline_ms = self.deadline_ms.unwrap_or(settings.deadline_ms);
        Ask::new(index, text, self.ranker.unwrap_or(settings.ranker), deadline_ms)
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

/// Why a tool stands where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The tool with rank, score and shares.
    pub tool: NamedTool,
    /// What each term of the query gave it, largest first.
    pub terms: Vec<TermScore>,
    /// The ranker.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: usize,
    /// How likely any of them serves the query, from 0 to 1.
    pub evidence: f64,
    /// The text that was ranked: with spelling corrected, a line of English for another language,
    /// and without what was left out.
    pub ranked_text: String,
    /// Whether that differs from the query.
    pub rewritten: bool,
    /// Bytes of pasted code and logs that were left out.
    pub pasted_bytes: usize,
    /// Products that the query does not want, in the order of the alphabet.
    pub negated: Vec<String>,
    /// The part of the query that suits the tool best, when it has parts.
    pub clause: Option<String>,
    /// The tools among the first that need it: it would come along with them.
    pub companion_of: Vec<CompanionOf>,
}

/// For a person: the shares, then the terms.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranked, shares) = (&self.tool.ranked, &self.tool.ranked.shares);
        writeln!(f, "{} is rank {} of {} ({})", self.tool.name, ranked.rank, self.candidate_count, self.ranker.name())?;
        writeln!(f, "  evidence {:.2}: how likely any of them serves the query", self.evidence)?;
        if let Some(reason) = self.degraded {
            writeln!(f, "  not by vectors: {}", reason.message())?;
        }
        if self.rewritten {
            writeln!(f, "  read as: {:?}", shorten(&self.ranked_text, SHOWN_CHARS))?;
        }
        if self.pasted_bytes > 0 {
            writeln!(f, "  left out: {} bytes of pasted code or output", self.pasted_bytes)?;
        }
        if !self.negated.is_empty() {
            let here = if shares.negated { ", which this tool is of" } else { "" };
            writeln!(f, "  not wanted: {}{here}", self.negated.join(", "))?;
        }
        if let Some(clause) = &self.clause {
            writeln!(f, "  best part: {:?}", shorten(clause, SHOWN_CHARS))?;
        }
        let (score, lexical, boost) = (ranked.score, shares.lexical_share, shares.boost());
        write!(f, "  score {score:.3} = lexical {lexical:.3} + semantic {:.3}", shares.semantic_share)?;
        if shares.implied_share > 0.0 {
            write!(f, " + implied {:.3}", shares.implied_share)?;
        }
        writeln!(f, " + boost {boost:.3}")?;
        write!(f, "  BM25 {:.3}", shares.lexical)?;
        if let Some(similarity) = shares.similarity {
            write!(f, ", cosine {similarity:.3}")?;
        }
        writeln!(f, ", named: {}, uses {:.3}", shares.naming.name(), shares.use_boost)?;
        for need in &self.companion_of {
            writeln!(f, "  comes along with {} ({})", need.of, need.by)?;
        }
        for term in &self.terms {
            writeln!(f, "  {:<20} {:.3} = idf {:.3} x weight {:.3}", term.term, term.score, term.idf, term.weight)?;
        }
        Ok(())
    }
}

impl ToolRouter {
    pub(super) fn scope_of(&self, options: &RankOptions, path: &str) -> Result<Scope> {
        let Some(mode) = &options.host_mode else { return Ok(Scope::All) };
        let settings = self.settings();
        let known = settings.host_modes.get(mode).ok_or_else(|| unknown_mode(&settings, mode, path))?;
        Ok(Scope::of_mode(known))
    }

    /// Checks the mode of the host that options name.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown one.
    pub fn check_host_mode(&self, options: &RankOptions, path: &str) -> Result<()> {
        self.scope_of(options, path).map(|_| ())
    }

    pub(super) fn candidates(&self, index: &Index, options: &RankOptions, path: &str) -> Result<Vec<usize>> {
        let scope = self.scope_of(options, path)?;
        let mut candidates = index.candidates(&scope);
        if let Some(servers) = &options.servers {
            candidates.retain(|at| servers.contains(&index.tools[*at].tool.id.server_name));
        }
        Ok(candidates)
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
    #[must_use]
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
        let candidates = self.candidates(index, options, "rank.hostMode")?;
        let top_k = options.top_k.unwrap_or(settings.search_k);
        // Who asks for a ranker gets that ranking, whatever the policy of tasks is.
        let mut ranking = if settings.policy == Policy::Curator && options.ranker.is_none() {
            self.rank_by_curator(Ground { index, candidates: &candidates }, query, &settings.curation, top_k)
        } else {
            let ground = Ground { index, candidates: &candidates };
            self.rank_tools(ground, &options.ask(index, query, settings), &Task::default(), top_k)
        };
        let tools = std::mem::take(&mut ranking.tools).into_iter().map(|ranked| named(index, ranked)).collect();
        Ok(NamedRanking { tools, ranking })
    }

    /// The tool behind a provider name, for [`ToolRouter::explain`] with the same options.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` with near names of the scope alone, `ERR_INVALID_ARGUMENT`.
    pub fn resolve_in(&self, Snapshot { index, .. }: &Snapshot, name: &str, options: &RankOptions) -> Result<ToolId> {
        let found = index.resolve(name).map(|at| index.tools[at].tool.id.clone());
        match found {
            Some(id) => Ok(id),
            None => Err(unknown_name(index, name, &self.candidates(index, options, "explain.hostMode")?)),
        }
    }

    /// Says which terms, which cosine and which boosts make a tool's score for a query.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`.
    pub fn explain(&self, query: &str, tool: &ToolId, options: &RankOptions) -> Result<Explanation> {
        self.explain_in(&self.snapshot(), query, tool, options)
    }

    /// The same for the tools as they were in a snapshot.
    ///
    /// # Errors
    ///
    /// As [`ToolRouter::explain`].
    pub fn explain_in(&self, snapshot: &Snapshot, query: &str, tool: &ToolId, options: &RankOptions) -> Result<Explanation> {
        let Snapshot { index, settings } = snapshot;
        let candidates = self.candidates(index, options, "explain.hostMode")?;
        let position = index.position(tool).ok_or_else(|| unknown_tool(index, tool, &candidates))?;
        if !candidates.contains(&position) {
            let reason =
                index.tools[position].off.map_or_else(|| "the scope leaves its server out".to_owned(), |off| off.to_string());
            return Err(ErrorKind::OutOfScope { name: index.tools[position].name.clone(), reason }.into());
        }
        let ask = options.ask(index, query, settings);
        let ground = Ground { index, candidates: &candidates };
        let ranking = self.rank_tools(ground, &ask, &Task::default(), candidates.len());
        let first: Vec<usize> = ranking.tools.iter().take(LEADERS).map(|ranked| ranked.position).collect();
        let companion_of = companion_of(index, &first, position, query, &self.sessions.lock().used);
        let ranked = ranking.tools.into_iter().find(|ranked| ranked.position == position);
        let ranked = ranked.ok_or_else(|| Error::from(ErrorKind::Internal { detail: "a candidate was not ranked".into() }))?;
        let read = ask.query;
        let mut negated: Vec<String> = read.negated.products.iter().cloned().collect();
        negated.sort_unstable();
        let clause = ranked.shares.clause.and_then(|at| read.clauses.get(at));
        Ok(Explanation {
            terms: index.lexical().explain(&read.terms, position),
            rewritten: read.ranked != query,
            pasted_bytes: read.pasted_bytes,
            negated,
            clause: clause.map(|clause| read.ranked[clause.range.clone()].to_owned()),
            tool: named(index, ranked),
            ranker: ranking.ranker,
            degraded: ranking.degraded,
            candidate_count: candidates.len(),
            evidence: ranking.evidence,
            companion_of,
            ranked_text: read.ranked,
        })
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
    use crate::settings::ModeScope;

    /// How often a call reads a request.
    fn readings<T>(call: impl FnOnce() -> T) -> usize {
        let before = PREPARATIONS.get();
        call();
        PREPARATIONS.get() - before
    }

    #[test]
    fn what_is_out_of_scope_is_near_nothing_that_is_explained() {
        let router = ToolRouter::new();
        let server = |name: &str, tool| McpServer { name: name.into(), tools: vec![McpTool::new(tool)], ..McpServer::default() };
        let servers = vec![server("secret", "get_issue"), server("open", "get_pull")];
        router.set_servers(servers, false, ServerPath::List("servers")).unwrap();
        let safe = ModeScope { blocked_mcp_servers: Some(vec!["secret".into()]), ..ModeScope::default() };
        router.configure(Settings { host_modes: [("safe".to_owned(), safe)].into(), ..Settings::default() }).unwrap();
        let options = RankOptions { host_mode: Some("safe".into()), ..RankOptions::default() };
        let by_name = |name: &str| router.resolve_in(&router.snapshot(), name, &options).unwrap_err().to_string();
        let by_id = |tool: &str| router.explain("q", &ToolId::new("x", tool), &options).unwrap_err().to_string();
        for message in [by_name("mcp--secret--get_isue"), by_id("get_isue")] {
            assert!(!message.contains("get_issue"), "{message}");
        }
        assert!(by_name("mcp--open--get_pul").contains("mcp--open--get_pull"));
        assert!(by_id("get_pul").contains("get_pull"));
    }

    #[test]
    fn every_call_reads_a_request_once() {
        let router = ToolRouter::new();
        let tools = ["create_issue", "list_pods", "send_message"].map(McpTool::new).to_vec();
        let server = McpServer { name: "s".into(), tools, ..McpServer::default() };
        router.set_servers(vec![server], false, ServerPath::List("servers")).unwrap();
        let settings = Settings { threshold: 0, ..Settings::default() };
        let by_server = Settings { scope_by: crate::settings::ScopeBy::Server, ..settings.clone() };
        let (query, options) = ("create an issue about the pods", RankOptions::default());
        let id = ToolId::new("s", "create_issue");
        assert_eq!(readings(|| router.rank(query, &options).unwrap()), 1);
        assert_eq!(readings(|| router.explain(query, &id, &options).unwrap()), 1);
        assert_eq!(readings(|| router.rank_servers(query, &ServerRankOptions::default()).unwrap()), 1);
        let texts = || vec![("a".to_owned(), "issues".to_owned()), ("b".to_owned(), "pods".to_owned())];
        assert_eq!(readings(|| router.rank_texts(query, texts(), &options, "texts").unwrap()), 1);
        for settings in [settings, by_server] {
            let session = router.open_session(None, None, settings).unwrap();
            assert_eq!(readings(|| router.advance(&session, query)), 1);
            // Two texts: a message that says little by itself, and what the task said before it.
            assert_eq!(readings(|| router.advance(&session, "and do the same for the issues")), 2);
            assert_eq!(readings(|| router.advance(&session, "create_issue")), 1);
            assert_eq!(readings(|| router.load(&session, "send something to the team").unwrap()), 1);
            assert_eq!(readings(|| router.load(&session, "create_issue, list_pods").unwrap()), 0);
            // Two texts at most: what is missing and, if anything serves that, the request around it.
            let signal = r#"{"originalQuery":"create an issue","missingCapability":"send mail"}"#;
            assert!(readings(|| router.reroute(&session, Signal::read(signal).unwrap()).unwrap()) <= 2);
        }
        let functions = [CuratedFunction { name: "mcp--s--create_issue".into(), description: None }];
        let curation = Settings::default().curation;
        assert_eq!(readings(|| router.curate(&functions, query, &curation, None)), 0);
    }
}
