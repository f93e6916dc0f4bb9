//! Rankings of tools, and explanations.

use napi_derive::napi;

use super::catalogue::ToolRef;
use crate as core;
use crate::session::origin::Cause;

/// Why an answer is lexical, or uses only some vectors, although vectors were asked for.
#[napi(object, object_from_js = false)]
pub struct Degraded {
    /// The reason, from a closed set.
    #[napi(ts_type = "DegradedReason")]
    pub code: String,
    /// The reason in words, for a person.
    pub message: String,
    /// Of `vectors-pending`: the share of tools that have vectors, from 0 to 1.
    pub share: Option<f64>,
}

/// How much of a query was read, when it was longer than 32 KiB.
#[napi(object, object_from_js = false)]
pub struct QueryCut {
    /// Bytes that were read.
    pub used_bytes: u32,
    /// Bytes that were given.
    pub given_bytes: u32,
}

/// One ranked tool. `score` is `lexicalShare + semanticShare + entryShare + boost`.
#[napi(object, object_from_js = false)]
pub struct RankedTool {
    pub server_name: String,
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
    /// What the registry's entry of its server added to `score`.
    pub entry_share: f64,
    /// What exact names and earlier uses added to `score`, less what unwanted products and destruction took from it.
    pub boost: f64,
}

/// Tools in scope, best first. The order is total, and the same on every run.
#[napi(object, object_from_js = false)]
pub struct Ranking {
    /// The tools.
    pub tools: Vec<RankedTool>,
    /// What they were ranked by.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why they were not ranked as asked.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: u32,
    /// How many of them match something in the query.
    pub supported_count: u32,
    /// How likely any of them serves the query, from 0 to 1.
    pub evidence: f64,
    /// Set when the query was too long.
    pub query_cut: Option<QueryCut>,
}

/// What one term of a query contributed to a tool's score.
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

/// What one adjustment of the order did to a tool's score.
#[napi(object, object_from_js = false)]
pub struct Adjustment {
    /// Which one; the last three are in sessions alone.
    #[napi(
        ts_type = "'named' | 'unwanted' | 'used before' | 'first of its name' | 'destroys' | 'registry entry' | 'task' | 'workspace' | 'parent task'"
    )]
    pub name: String,
    /// What it added to the score, or took from it.
    pub share: f64,
}

/// How a tool came to be attached to a session.
#[napi(object, object_from_js = false)]
pub struct Origin {
    /// The turn, from 1.
    pub turn: u32,
    /// Why; `kept` is what the task had called when a compaction chose again.
    #[napi(ts_type = "'all' | 'pinned' | 'named' | 'ranked' | 'companion' | 'loaded' | 'rerouted' | 'kept'")]
    pub cause: String,
    /// Of a companion: the tool that needs it.
    pub of: Option<ToolRef>,
    /// Of a companion: the parameter or phrase of that tool that says so.
    pub by: Option<String>,
}

/// How a tool is shown to the model of a task, and why.
#[napi(object, object_from_js = false)]
pub struct Placed {
    /// As a definition, as a line of the directory as far as that has room, or not at all.
    #[napi(ts_type = "'definition' | 'line' | 'nothing'")]
    pub shown_as: String,
    /// The row that decided last; docs/inside/ranking.md has the list.
    #[napi(
        ts_type = "'price' | 'other language' | 'server' | 'rewrite' | 'unsure' | 'number' | 'talk' | 'named' | 'frozen' | 'removed' | 'room'"
    )]
    pub by: String,
    /// How likely the task needs it, from 0 to 1; absent with `scopeBy: 'server'`.
    pub chance: Option<f64>,
}

/// Why a tool has its rank.
#[napi(object, object_from_js = false)]
pub struct Explanation {
    /// The tool with its rank among all candidates.
    pub tool: RankedTool,
    /// Terms that it shares with the query, the weightiest first.
    pub terms: Vec<TermScore>,
    /// What else decided its place, in the order in which it is applied; what did nothing is left out.
    pub adjustments: Vec<Adjustment>,
    /// How the query names the tool.
    #[napi(ts_type = "'none' | 'tool' | 'server-and-tool'")]
    pub named: String,
    /// What recorded uses added to the score.
    pub use_boost: f64,
    /// The ranker.
    #[napi(ts_type = "Ranker")]
    pub ranker: String,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How many tools were ranked.
    pub candidate_count: u32,
    /// How likely any of them serves the query, from 0 to 1; the same as in {@link ToolRouter.rank}.
    pub evidence: f64,
    /// The text as it was ranked: with corrected spelling, a line of English, and without pasted code.
    pub ranked_text: String,
    /// Bytes of pasted code and logs that were left out.
    pub pasted_bytes: u32,
    /// Products that the query does not want ("not in Jira"). Their tools are ranked lower.
    pub negated: Vec<String>,
    /// The part of the query that suits the tool best, when the query asks for several things.
    pub clause: Option<String>,
    /// Tools among the first that need this one: a session would attach it with them.
    pub companion_of: Vec<CompanionOf>,
    /// Its place among its server's ways in, from 1; absent for others (docs/inside/ranking.md).
    pub way_in: Option<u32>,
    /// Of {@link Session.explain}: how it came to be attached, if it is.
    pub origin: Option<Origin>,
    /// Of {@link Session.explain}: whether the model was told its signature alone.
    pub in_directory: bool,
    /// Of {@link Session.explain}: what became of it when the latest text was chosen for, where it was looked at.
    pub placed: Option<Placed>,
    /// All of this in a few lines, for a person.
    pub text: String,
}

/// A tool that is attached because another one needs it.
#[napi(object, object_from_js = false)]
pub struct CompanionOf {
    /// The provider name of the tool that came along.
    pub name: String,
    /// The provider name of the tool that needs it; of a server's hub, the best tool of its server.
    pub of: String,
    /// The parameter or phrase of that tool that says so: `channel_id`, `call first`.
    pub by: String,
}

answers! {
    core::degraded::Degraded => Degraded {} with |it| { code: it.code().into(), message: it.message().into(), share: it.share() };
    core::session::origin::Origin => Origin { turn } with |it| {
        cause: it.cause.name().into(),
        of: if let Cause::Companion { of, .. } = &it.cause { Some(of.clone().into()) } else { None },
        by: if let Cause::Companion { by, .. } = &it.cause { Some(by.clone()) } else { None },
    };
    core::query::QueryCut => QueryCut { used_bytes, given_bytes };
    core::router::NamedTool => RankedTool {
        server_name: id.server_name, tool_name: id.tool_name, name, rank: ranked.rank, score: ranked.score,
        lexical_score: ranked.shares.lexical, similarity: ranked.shares.similarity, lexical_share: ranked.shares.lexical_share,
        semantic_share: ranked.shares.semantic_share, entry_share: ranked.shares.of_entries
    } with |it| { boost: it.ranked.shares.boost() };
    core::router::NamedRanking => Ranking {
        tools, ranker: ranking.ranker, degraded: ranking.degraded, candidate_count: ranking.candidate_count,
        supported_count: ranking.supported_count, evidence: ranking.evidence, query_cut: ranking.query_cut
    };
    core::router::Explanation => Explanation {
        tool, terms, way_in, origin, in_directory, placed, ranker, degraded, candidate_count, evidence, ranked_text, pasted_bytes, negated,
        clause, companion_of
    } with |it| {
        text: it.to_string(),
        named: it.tool.ranked.shares.named.how.name().to_owned(),
        use_boost: it.tool.ranked.shares.use_boost,
        adjustments: core::router::adjustments(&it.tool.ranked.shares).map(|(name, share)| Adjustment { name: name.into(), share }).collect(),
    };
    core::ranking::lexical::TermScore => TermScore { term, idf, weight, score };
    core::session::origin::Placed => Placed { shown_as: tier } with |it| { by: (*it.row).into(), chance: it.chance() };
    core::session::selection::CompanionOf => CompanionOf { name, of, by };
}
