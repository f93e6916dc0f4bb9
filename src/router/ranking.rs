//! Rankings by name, of the catalogue and of lists given in a call; explanations.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{ToolRouter, find};
use crate::catalogue::scope::Scope;
use crate::catalogue::tool::{McpServer, ToolId};
use crate::catalogue::{Catalogue, ServerPath};
use crate::embedding::service::Degraded;
use crate::embedding::vectors::Vector;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::ranking::lexical::TermScore;
use crate::ranking::query::Query;
use crate::ranking::{Corpus, RankedTool, Ranker, Ranking, SemanticInput, rank};
use crate::settings::{Policy, RankingMode, Settings};

/// Lists of tools given in a call that stay indexed: one a mode of the host, with room.
const KEPT_LISTS: usize = 8;

/// What limits a ranking.
#[derive(Debug, Clone, Default)]
pub struct RankOptions {
    /// How many tools to answer with.
    pub top_k: Option<usize>,
    /// How to rank; the settings' mode when absent.
    pub mode: Option<RankingMode>,
    /// A mode of the host, whose scope holds.
    pub host_mode: Option<String>,
    /// Only these servers, within the scope.
    pub servers: Option<Vec<String>>,
    /// How long to wait for the query's vector.
    pub deadline_ms: Option<usize>,
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
}

/// For a person: the shares, then the terms.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranked, shares) = (&self.tool.ranked, &self.tool.ranked.shares);
        writeln!(f, "{} is rank {} of {} ({})", self.tool.name, ranked.rank, self.candidate_count, self.ranker.name())?;
        if let Some(reason) = self.degraded {
            writeln!(f, "  not by vectors: {}", reason.message())?;
        }
        let (score, lexical, boost) = (ranked.score, shares.lexical_share, shares.boost());
        writeln!(f, "  score {score:.3} = lexical {lexical:.3} + semantic {:.3} + boost {boost:.3}", shares.semantic_share)?;
        write!(f, "  BM25 {:.3}", shares.lexical)?;
        if let Some(similarity) = shares.similarity {
            write!(f, ", cosine {similarity:.3}")?;
        }
        writeln!(f, ", named: {}, usage {:.3}", shares.naming.name(), shares.usage)?;
        for term in &self.terms {
            writeln!(f, "  {:<20} {:.3} = idf {:.3} x weight {:.3}", term.term, term.score, term.idf, term.weight)?;
        }
        Ok(())
    }
}

impl ToolRouter {
    pub(super) fn semantic_state(&self, index: &Index) -> std::result::Result<Arc<Vec<Vector>>, Degraded> {
        let Some(model) = self.embedding.vectors() else {
            return Err(if self.embedding.loading() { Degraded::ModelLoading } else { Degraded::ModelNotLoaded });
        };
        index.vectors(&model).ok_or_else(|| {
            if self.embedding.last_error().is_some() { Degraded::EmbeddingFailed } else { Degraded::VectorsPending }
        })
    }

    pub(super) fn rank_positions(
        &self,
        index: &Index,
        candidates: &[usize],
        text: &str,
        mode: RankingMode,
        deadline: Duration,
        top_k: usize,
    ) -> Ranking {
        let query = Query::prepare(text, index.vocabulary());
        let usage = self.usage.lock().clone();
        let lexically = || rank(index, candidates, &query, None, &usage, top_k);
        if mode == RankingMode::Lexical {
            return lexically();
        }
        let of_query = || self.embedding.query(&query.ranked, &query.clause_ranges(), deadline);
        let vectors = self.semantic_state(index).and_then(|tools| Ok((tools, of_query()?)));
        match vectors {
            Ok((tools, vectors)) => {
                let input = SemanticInput { query: &vectors, tools: &tools, alone: mode == RankingMode::Semantic };
                rank(index, candidates, &query, Some(input), &usage, top_k)
            }
            Err(reason) => Ranking { degraded: Some(reason), ..lexically() },
        }
    }

    pub(super) fn scope_of(&self, options: &RankOptions, path: &str) -> Result<Scope> {
        let Some(mode) = &options.host_mode else { return Ok(Scope::All) };
        let settings = self.settings();
        let known = settings.modes.get(mode).ok_or_else(|| unknown_mode(&settings, mode, path))?;
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
        let index = self.index();
        let candidates = self.candidates(&index, options, "rank.hostMode")?;
        let settings = self.settings();
        let deadline = Duration::from_millis(options.deadline_ms.unwrap_or(settings.deadline_ms) as u64);
        let mode = options.mode.unwrap_or(settings.ranking_mode);
        let top_k = options.top_k.unwrap_or(settings.search_k);
        // Who asks for a mode asks for that ranking, whatever the policy of tasks is.
        let mut ranking = if settings.policy == Policy::Curator && options.mode.is_none() {
            self.rank_by_curator(&index, &candidates, query, &settings.curation, top_k)
        } else {
            self.rank_positions(&index, &candidates, query, mode, deadline, top_k)
        };
        let tools = std::mem::take(&mut ranking.tools).into_iter().map(|ranked| named(&index, ranked)).collect();
        Ok(NamedRanking { tools, ranking })
    }

    /// Says which terms, which cosine and which boosts make a tool's score for a query.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`.
    pub fn explain(&self, query: &str, tool: &ToolId, options: &RankOptions) -> Result<Explanation> {
        let index = self.index();
        let position = find(&index, tool)?;
        let candidates = self.candidates(&index, options, "explain.hostMode")?;
        if !candidates.contains(&position) {
            let reason =
                index.tools[position].off.map_or_else(|| "the scope leaves its server out".to_owned(), |off| off.to_string());
            return Err(ErrorKind::OutOfScope { name: index.tools[position].name.clone(), reason }.into());
        }
        let settings = self.settings();
        let deadline = Duration::from_millis(options.deadline_ms.unwrap_or(settings.deadline_ms) as u64);
        let mode = options.mode.unwrap_or(settings.ranking_mode);
        let ranking = self.rank_positions(&index, &candidates, query, mode, deadline, candidates.len());
        let ranked = ranking.tools.into_iter().find(|ranked| ranked.position == position);
        let ranked = ranked.ok_or_else(|| Error::from(ErrorKind::Internal { detail: "a candidate was not ranked".into() }))?;
        Ok(Explanation {
            terms: index.lexical().explain(&Query::prepare(query, index.vocabulary()).terms, position),
            tool: named(&index, ranked),
            ranker: ranking.ranker,
            degraded: ranking.degraded,
            candidate_count: candidates.len(),
        })
    }

    /// Ranks tools given in the call; the same list again costs no new index. Names come back.
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
        let index = self.list_index(servers, path)?;
        let candidates = index.candidates(&Scope::All);
        let settings = self.settings();
        let deadline = Duration::from_millis(settings.deadline_ms as u64);
        let ranking = self.rank_positions(&index, &candidates, query, settings.ranking_mode, deadline, k);
        let kept = ranking.tools.into_iter().filter(|tool| !supported_only || tool.shares.supported);
        Ok(kept.map(|tool| index.tools[tool.position].name.clone()).collect())
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
        if let Some(refused) = change.refused.first() {
            let (expected, got) = refused.reason.split_once(", got ").unwrap_or((&refused.reason, ""));
            let (_, expected) = expected.split_once(": expected ").unwrap_or(("", expected));
            return Err(Error::invalid(format!("{path} ({}, {:?})", refused.server_name, refused.tool_name), expected, got));
        }
        let settings = self.settings();
        let index = Arc::new(Index::new(&catalogue, 0, (settings.k1, settings.b)));
        self.embedding.want(index.texts());
        let mut lists = self.lists.lock();
        lists.push_front((hash, Arc::clone(&index)));
        lists.truncate(KEPT_LISTS);
        Ok(index)
    }
}

pub(super) fn named(index: &Index, ranked: RankedTool) -> NamedTool {
    let tool = &index.tools[ranked.position];
    NamedTool { id: tool.tool.id.clone(), name: tool.name.clone(), ranked }
}

pub(super) fn unknown_mode(settings: &Settings, mode: &str, path: &str) -> Error {
    let known: Vec<&str> = settings.modes.keys().map(String::as_str).collect();
    let expected =
        if known.is_empty() { "a mode, but settings.modes has none".to_owned() } else { format!("one of {}", known.join(", ")) };
    Error::invalid(path, expected, format!("{mode:?}"))
}
