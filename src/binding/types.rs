//! What callers get, in the order of the core's fields.

use napi_derive::napi;

use crate as core;

/// A tool by its server's and its own name.
#[napi(object, object_from_js = false, js_name = "ToolId")]
pub struct ToolId {
    /// The server's name.
    pub server_name: String,
    /// The tool's name, as its server gave it.
    pub tool_name: String,
}

impl From<core::catalogue::tool::ToolId> for ToolId {
    fn from(id: core::catalogue::tool::ToolId) -> Self {
        Self { server_name: id.server_name, tool_name: id.tool_name }
    }
}

/// A tool that was left out of the catalogue, and why; its siblings are in.
#[napi(object, object_from_js = false)]
pub struct RefusedTool {
    /// The server's name.
    pub server_name: String,
    /// The tool's name, empty when it has none that can be read.
    pub tool_name: String,
    /// Its place in the server's list, from 0.
    pub position: u32,
    /// Why, naming the field and both values.
    pub reason: String,
}

/// What setting or removing servers changed.
#[napi(object, object_from_js = false)]
pub struct CatalogueChange {
    /// Tools that are new.
    pub added: Vec<ToolId>,
    /// Tools whose text or schema differs from before.
    pub changed: Vec<ToolId>,
    /// Tools that are gone.
    pub removed: Vec<ToolId>,
    /// How many tools stayed as they were and kept their terms, vectors and token counts.
    pub unchanged: u32,
    /// Tools that could not be taken in.
    pub refused: Vec<RefusedTool>,
}

pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn ids(ids: Vec<core::catalogue::tool::ToolId>) -> Vec<ToolId> {
    ids.into_iter().map(Into::into).collect()
}

impl From<core::catalogue::CatalogueChange> for CatalogueChange {
    fn from(change: core::catalogue::CatalogueChange) -> Self {
        let refused = |tool: core::catalogue::tool::RefusedTool| RefusedTool {
            server_name: tool.server_name,
            tool_name: tool.tool_name,
            position: small(tool.position),
            reason: tool.reason,
        };
        Self {
            added: ids(change.added),
            changed: ids(change.changed),
            removed: ids(change.removed),
            unchanged: small(change.unchanged),
            refused: change.refused.into_iter().map(refused).collect(),
        }
    }
}

/// Why an answer is lexical although vectors were asked for.
#[napi(object, object_from_js = false)]
pub struct Degraded {
    /// The reason, from a closed set.
    #[napi(ts_type = "DegradedReason")]
    pub code: String,
    /// The same for a person.
    pub message: String,
}

impl From<core::embedding::service::Degraded> for Degraded {
    fn from(reason: core::embedding::service::Degraded) -> Self {
        Self { code: reason.code().into(), message: reason.message().into() }
    }
}

/// How much of a query was read: it was longer than 32 KiB.
#[napi(object, object_from_js = false)]
pub struct QueryCut {
    /// Bytes that were read.
    pub used_bytes: u32,
    /// Bytes that were given.
    pub given_bytes: u32,
}

impl From<core::ranking::query::QueryCut> for QueryCut {
    fn from(cut: core::ranking::query::QueryCut) -> Self {
        Self { used_bytes: small(cut.used_bytes), given_bytes: small(cut.given_bytes) }
    }
}

/// One ranked tool. `score` is `lexicalShare + semanticShare + boost`.
#[napi(object, object_from_js = false)]
pub struct RankedTool {
    /// The server's name.
    pub server_name: String,
    /// The tool's name.
    pub tool_name: String,
    /// The name that a model's API sees.
    pub name: String,
    /// Its place in the answer, from 1.
    pub rank: u32,
    /// What it was ordered by; higher is better. Comparable within one answer only.
    pub score: f64,
    /// Its BM25 score, 0 or more.
    pub lexical_score: f64,
    /// Its cosine with the query, from -1 to 1; absent from a lexical answer.
    pub similarity: Option<f64>,
    /// What terms added to `score`: the BM25 score, standardised and weighted.
    pub lexical_share: f64,
    /// What vectors added to `score`: the cosine, standardised and weighted.
    pub semantic_share: f64,
    /// What exact names and usage added to `score`.
    pub boost: f64,
}

impl From<core::router::NamedTool> for RankedTool {
    fn from(tool: core::router::NamedTool) -> Self {
        let shares = tool.ranked.shares;
        Self {
            server_name: tool.id.server_name,
            tool_name: tool.id.tool_name,
            name: tool.name,
            rank: small(tool.ranked.rank),
            score: tool.ranked.score,
            lexical_score: shares.lexical,
            similarity: shares.similarity,
            lexical_share: shares.lexical_share,
            semantic_share: shares.semantic_share,
            boost: shares.boost(),
        }
    }
}

/// An answer of {@link ToolRouter.rank}: tools in scope, best first. The order is total, and the same on every run.
#[napi(object, object_from_js = false)]
pub struct Ranking {
    /// The tools.
    pub tools: Vec<RankedTool>,
    /// What they were ranked by.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why they were not ranked by what was asked for.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: u32,
    /// How many of them something in the query speaks for.
    pub supported_count: u32,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

impl From<core::router::NamedRanking> for Ranking {
    fn from(named: core::router::NamedRanking) -> Self {
        let ranking = named.ranking;
        Self {
            tools: named.tools.into_iter().map(Into::into).collect(),
            ranker: ranking.ranker.name().into(),
            degraded: ranking.degraded.map(Into::into),
            candidate_count: small(ranking.candidate_count),
            supported_count: small(ranking.supported_count),
            query_cut: ranking.query_cut.map(Into::into),
        }
    }
}

/// What one term of a query gave a tool.
#[napi(object, object_from_js = false)]
pub struct TermScore {
    /// The term, stemmed.
    pub term: String,
    /// How rare it is in the catalogue.
    pub idf: f64,
    /// Its saturated frequency in the tool's text, times its weight in the query (a synonym's is 0.3).
    pub weight: f64,
    /// What it added to the BM25 score.
    pub score: f64,
}

/// Why a tool stands where it stands.
#[napi(object, object_from_js = false)]
pub struct Explanation {
    /// The tool with its rank among all candidates.
    pub tool: RankedTool,
    /// Terms that it shares with the query, the weightiest first.
    pub terms: Vec<TermScore>,
    /// How the query names the tool.
    #[napi(ts_type = "'none' | 'tool' | 'server-and-tool'")]
    pub named: String,
    /// What usage added to the score.
    pub usage_boost: f64,
    /// The ranker.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: u32,
    /// All of it in a few lines for a person.
    pub text: String,
}

impl From<core::router::Explanation> for Explanation {
    fn from(explanation: core::router::Explanation) -> Self {
        let text = explanation.to_string();
        let shares = explanation.tool.ranked.shares;
        let term = |term: core::ranking::lexical::TermScore| TermScore {
            term: term.term,
            idf: term.idf,
            weight: term.weight,
            score: term.score,
        };
        Self {
            named: shares.naming.name().into(),
            usage_boost: shares.usage,
            tool: explanation.tool.into(),
            terms: explanation.terms.into_iter().map(term).collect(),
            ranker: explanation.ranker.name().into(),
            degraded: explanation.degraded.map(Into::into),
            candidate_count: small(explanation.candidate_count),
            text,
        }
    }
}

/// What definitions of one server cost.
#[napi(object, object_from_js = false)]
pub struct ServerTokens {
    /// The server's name.
    pub server_name: String,
    /// Tokens of all its definitions in scope.
    pub scoped: u32,
    /// Tokens of those attached.
    pub attached: u32,
    /// How many of its tools are attached.
    pub attached_count: u32,
}

/// What a selection cost and what it saved, in tokens of `o200k_base`, counted exactly.
#[napi(object, object_from_js = false)]
pub struct TokenReceipt {
    /// The encoding.
    #[napi(ts_type = "'o200k_base'")]
    pub encoding: String,
    /// All definitions in scope: what static loading costs.
    pub scoped: u32,
    /// The definitions attached.
    pub attached: u32,
    /// The definition of `mcp_load`.
    pub mcp_load: u32,
    /// `scoped` less `attached` and `mcpLoad`, or 0.
    pub saved: u32,
    /// The same by server, in catalogue order.
    pub servers: Vec<ServerTokens>,
}

impl From<core::report::tokens::TokenReceipt> for TokenReceipt {
    fn from(receipt: core::report::tokens::TokenReceipt) -> Self {
        let server = |server: core::report::tokens::ServerTokens| ServerTokens {
            server_name: server.server_name,
            scoped: small(server.scoped),
            attached: small(server.attached),
            attached_count: small(server.attached_count),
        };
        Self {
            encoding: core::report::tokens::ENCODING.into(),
            scoped: small(receipt.scoped),
            attached: small(receipt.attached),
            mcp_load: small(receipt.mcp_load),
            saved: small(receipt.saved),
            servers: receipt.servers.into_iter().map(server).collect(),
        }
    }
}

/// A tool that a limit left out of a selection.
#[napi(object, object_from_js = false)]
pub struct NotAttached {
    /// The server's name.
    pub server_name: String,
    /// The tool's name.
    pub tool_name: String,
    /// Its provider name.
    pub name: String,
    /// Which limit.
    #[napi(ts_type = "'over-limit' | 'over-budget'")]
    pub reason: String,
}

/// What a turn attached, and what everything costs.
#[napi(object, object_from_js = false)]
pub struct Selection {
    /// The session's id.
    pub session_id: String,
    /// `all`: few tools, all attached. `dynamic`: the best attached, the rest through `mcp_load`.
    #[napi(ts_type = "'all' | 'dynamic'")]
    pub mode: String,
    /// The ranker of this turn; `lexical` when nothing had to be ranked.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// Provider names of all tools attached so far, in order. It only ever grows.
    pub attached: Vec<String>,
    /// Those that this turn added.
    pub added: Vec<String>,
    /// The function definition of `mcp_load` as JSON text; `null` in mode `all`.
    #[napi(ts_type = "string | null")]
    pub mcp_load: napi::Either<String, napi::bindgen_prelude::Null>,
    /// How many tools are in scope.
    pub scoped_count: u32,
    /// The turn, from 1.
    pub turn: u32,
    /// Whether no later turn attaches anything by itself.
    pub frozen: bool,
    /// Pins and first choices that a limit left out.
    pub not_attached: Vec<NotAttached>,
    /// What it cost.
    pub tokens: TokenReceipt,
    /// Set when the message was too long.
    pub query_cut: Option<QueryCut>,
}

impl From<core::session::selection::Selection> for Selection {
    fn from(selection: core::session::selection::Selection) -> Self {
        let not_attached = |tool: core::session::selection::NotAttached| NotAttached {
            server_name: tool.id.server_name,
            tool_name: tool.id.tool_name,
            name: tool.name,
            reason: tool.reason.name().into(),
        };
        Self {
            session_id: selection.session_id,
            mode: selection.mode.name().into(),
            ranker: selection.ranker.name().into(),
            degraded: selection.degraded.map(Into::into),
            attached: selection.attached,
            added: selection.added,
            mcp_load: selection.mcp_load.map_or(napi::Either::B(napi::bindgen_prelude::Null), napi::Either::A),
            scoped_count: small(selection.scoped_count),
            turn: small(selection.turn),
            frozen: selection.frozen,
            not_attached: selection.not_attached.into_iter().map(not_attached).collect(),
            tokens: selection.tokens.into(),
            query_cut: selection.query_cut.map(Into::into),
        }
    }
}

/// A tool that `mcp_load` attached.
#[napi(object, object_from_js = false)]
pub struct LoadedTool {
    /// The name to call it by.
    pub name: String,
    /// The server's name.
    pub server_name: String,
    /// The tool's name.
    pub tool_name: String,
    /// What it does, in one line.
    pub description: String,
}

/// A tool that was asked for by name and cannot be had.
#[napi(object, object_from_js = false)]
pub struct UnavailableTool {
    /// The name as asked for.
    pub name: String,
    /// Why.
    #[napi(ts_type = "'unknown' | 'disabled' | 'out-of-scope' | 'server-gone' | 'over-limit'")]
    pub reason: String,
    /// Provider names that are near an unknown one.
    pub near: Vec<String>,
}

/// The answer to `mcp_load`; `JSON.stringify` of it is a good result for the model.
#[napi(object, object_from_js = false)]
pub struct LoadResult {
    /// Newly attached tools.
    pub loaded: Vec<LoadedTool>,
    /// Provider names of tools found that were attached before.
    pub already_attached: Vec<String>,
    /// Tools asked for by name that cannot be had.
    pub unavailable: Vec<UnavailableTool>,
    /// How many tools matched.
    pub matched: u32,
    /// Whether more matched than are named here.
    pub truncated: bool,
    /// The ranker, when the query was searched for.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

impl From<core::session::mcp_load::LoadedTool> for LoadedTool {
    fn from(tool: core::session::mcp_load::LoadedTool) -> Self {
        let (server_name, tool_name) = (tool.id.server_name, tool.id.tool_name);
        Self { name: tool.name, server_name, tool_name, description: tool.description }
    }
}

impl From<core::session::mcp_load::LoadResult> for LoadResult {
    fn from(result: core::session::mcp_load::LoadResult) -> Self {
        let unavailable = |tool: core::session::mcp_load::UnavailableTool| UnavailableTool {
            name: tool.name,
            reason: tool.reason.name().into(),
            near: tool.near,
        };
        Self {
            loaded: result.loaded.into_iter().map(Into::into).collect(),
            already_attached: result.already_attached,
            unavailable: result.unavailable.into_iter().map(unavailable).collect(),
            matched: small(result.matched),
            truncated: result.truncated,
            ranker: result.ranker.name().into(),
            degraded: result.degraded.map(Into::into),
            query_cut: result.query_cut.map(Into::into),
        }
    }
}

/// The embedder in force.
#[napi(object, object_from_js = false)]
pub struct EmbedderInfo {
    /// Names the model and its version; vectors of two ids are never compared.
    pub model_id: String,
    /// Numbers in a vector.
    pub dimensions: u32,
}

impl From<core::embedding::service::EmbedderInfo> for EmbedderInfo {
    fn from(info: core::embedding::service::EmbedderInfo) -> Self {
        Self { model_id: info.model_id, dimensions: small(info.dimensions) }
    }
}

/// The state of the router, for an indicator.
#[napi(object, object_from_js = false)]
pub struct Status {
    /// `cold`: no model was asked for. `loading`: it is being loaded, or vectors are being made. `ready`: all vectors
    /// are there. `degraded`: it fails; see `lastError`.
    #[napi(ts_type = "'cold' | 'loading' | 'ready' | 'degraded'")]
    pub state: String,
    /// What a ranking in mode `auto` would use now.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why not both.
    pub degraded: Option<Degraded>,
    /// The embedder in force.
    pub embedder: Option<EmbedderInfo>,
    /// What the embedder last failed with, until it succeeds again.
    pub last_error: Option<String>,
    /// Servers in force.
    pub server_count: u32,
    /// Their tools, those that are off included.
    pub tool_count: u32,
    /// How many of the tools have vectors.
    pub vector_count: u32,
    /// Open sessions.
    pub session_count: u32,
    /// Counts up with each change of the catalogue.
    pub generation: f64,
}

impl From<core::router::Status> for Status {
    fn from(status: core::router::Status) -> Self {
        Self {
            state: status.state.name().into(),
            ranker: status.ranker.name().into(),
            degraded: status.degraded.map(Into::into),
            embedder: status.embedder.map(Into::into),
            last_error: status.last_error,
            server_count: small(status.server_count),
            tool_count: small(status.tool_count),
            vector_count: small(status.vector_count),
            session_count: small(status.session_count),
            generation: f64::from(u32::try_from(status.generation).unwrap_or(u32::MAX)),
        }
    }
}

/// Tokens of one part of a context.
#[napi(object, object_from_js = false)]
pub struct SectionTokens {
    /// The section's or server's name.
    pub name: String,
    /// Its tokens.
    pub tokens: u32,
    /// Its share of `window`, 0 or more.
    pub share: f64,
}

/// What fills a context, for a panel.
#[napi(object, object_from_js = false)]
pub struct ContextUsage {
    /// All tokens counted.
    pub total: u32,
    /// What shares refer to: the context window, or `total` when none is known.
    pub window: f64,
    /// The sections, in the order given.
    pub sections: Vec<SectionTokens>,
    /// MCP tools by server, in catalogue order.
    pub servers: Vec<SectionTokens>,
}

impl From<core::report::tokens::ContextUsage> for ContextUsage {
    fn from(usage: core::report::tokens::ContextUsage) -> Self {
        let rows = |rows: Vec<core::report::tokens::SectionTokens>| {
            rows.into_iter().map(|row| SectionTokens { name: row.name, tokens: small(row.tokens), share: row.share }).collect()
        };
        Self {
            total: small(usage.total),
            window: f64::from(small(usage.window)),
            sections: rows(usage.sections),
            servers: rows(usage.servers),
        }
    }
}
