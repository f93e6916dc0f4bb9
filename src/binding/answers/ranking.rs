//! Rankings of tools, and explanations.

use napi_derive::napi;

use super::catalogue::ToolRef;
use super::small;
use crate as core;

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

impl From<core::degraded::Degraded> for Degraded {
    fn from(reason: core::degraded::Degraded) -> Self {
        Self { code: reason.code().into(), message: reason.message().into(), share: reason.share() }
    }
}

/// How much of a query was read, when it was longer than 32 KiB.
#[napi(object, object_from_js = false)]
pub struct QueryCut {
    /// Bytes that were read.
    pub used_bytes: u32,
    /// Bytes that were given.
    pub given_bytes: u32,
}

impl From<core::query::QueryCut> for QueryCut {
    fn from(cut: core::query::QueryCut) -> Self {
        Self { used_bytes: small(cut.used_bytes), given_bytes: small(cut.given_bytes) }
    }
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
            entry_share: shares.of_entries,
            boost: shares.boost(),
        }
    }
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

impl From<core::router::NamedRanking> for Ranking {
    fn from(named: core::router::NamedRanking) -> Self {
        let ranking = named.ranking;
        Self {
            tools: named.tools.into_iter().map(Into::into).collect(),
            ranker: ranking.ranker.name().into(),
            degraded: ranking.degraded.map(Into::into),
            candidate_count: small(ranking.candidate_count),
            supported_count: small(ranking.supported_count),
            evidence: ranking.evidence,
            query_cut: ranking.query_cut.map(Into::into),
        }
    }
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

impl From<core::session::origin::Origin> for Origin {
    fn from(origin: core::session::origin::Origin) -> Self {
        let (turn, cause) = (small(origin.turn), origin.cause.name().to_owned());
        let (of, by) = match origin.cause {
            core::session::origin::Cause::Companion { of, by } => (Some(of.into()), Some(by)),
            _ => (None, None),
        };
        Self { turn, cause, of, by }
    }
}

/// How a tool is shown to the model of a task, and why.
#[napi(object, object_from_js = false)]
pub struct Placed {
    /// As a definition, as a line of the directory as far as that has room, or not at all.
    #[napi(ts_type = "'definition' | 'line' | 'nothing'")]
    pub shown_as: String,
    /// The row that decided last; docs/inside/ranking.md has the list.
    #[napi(ts_type = "'price' | 'server' | 'rewrite' | 'unsure' | 'number' | 'talk' | 'named' | 'removed' | 'room'")]
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

impl From<core::router::Explanation> for Explanation {
    fn from(explanation: core::router::Explanation) -> Self {
        let text = explanation.to_string();
        let shares = explanation.tool.ranked.shares;
        let adjustments = core::router::adjustments(&shares).map(|(name, share)| Adjustment { name: name.into(), share });
        let adjustments = adjustments.collect();
        let term = |term: core::ranking::lexical::TermScore| TermScore {
            term: term.term,
            idf: term.idf,
            weight: term.weight,
            score: term.score,
        };
        Self {
            named: shares.named.how.name().into(),
            use_boost: shares.use_boost,
            tool: explanation.tool.into(),
            terms: explanation.terms.into_iter().map(term).collect(),
            adjustments,
            way_in: explanation.way_in.map(small),
            origin: explanation.origin.map(Into::into),
            in_directory: explanation.in_directory,
            placed: explanation.placed.map(|core::session::origin::Placed { chance, tier, row, .. }| Placed {
                shown_as: tier.name().into(),
                by: row.into(),
                chance,
            }),
            ranker: explanation.ranker.name().into(),
            degraded: explanation.degraded.map(Into::into),
            candidate_count: small(explanation.candidate_count),
            evidence: explanation.evidence,
            ranked_text: explanation.ranked_text,
            pasted_bytes: small(explanation.pasted_bytes),
            negated: explanation.negated,
            clause: explanation.clause,
            companion_of: explanation.companion_of.into_iter().map(Into::into).collect(),
            text,
        }
    }
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

impl From<core::session::selection::CompanionOf> for CompanionOf {
    fn from(companion: core::session::selection::CompanionOf) -> Self {
        Self { name: companion.name, of: companion.of, by: companion.by }
    }
}
