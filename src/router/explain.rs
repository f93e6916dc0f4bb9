//! What gives a tool its rank: for a text, and in a session.

use std::fmt;
use std::sync::Arc;

use super::facade::{ToolRouter, unknown_name, unknown_tool};
use super::open_sessions::SharedSession;
use super::rank::{NamedTool, RankOptions, Snapshot, named};
use super::sessions::started;
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::error::{Error, ErrorKind, Result, shorten};
use crate::index::Index;
use crate::order::workspace::Workspace;
use crate::order::{ADJUST, Ground, Task};
use crate::query::Query;
use crate::ranking::lexical::TermScore;
use crate::ranking::{Corpus, Ranking, Shares};
use crate::session::companions::{LEADERS, companion_of};
use crate::session::origin::{Origin, Placed};
use crate::session::selection::CompanionOf;
use crate::settings::Ranker;
use crate::uses::before::UsedBefore;

/// How much of a text an explanation shows: a line of a terminal or two.
const SHOWN_CHARS: usize = 160;

/// What gives a tool its rank.
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
    /// Its place among its server's ways in, from 1: tools that read, need no id, and give what others ask for.
    pub way_in: Option<usize>,
    /// In a session, how the tool came to be attached.
    pub origin: Option<Origin>,
    /// Of a session: whether the model was told its signature alone.
    pub in_directory: bool,
    /// Of a session: what became of it when the latest text was chosen for.
    pub placed: Option<Placed>,
}

/// What each adjustment of the order added to a score or took from it, by name, in the order of the list; those that did nothing
/// are left out.
pub fn adjustments(shares: &Shares) -> impl Iterator<Item = (&'static str, f64)> {
    ADJUST.iter().map(|row| (row.name, (row.share)(shares))).filter(|(_, share)| *share != 0.0)
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
        write!(f, "  score {:.3} = lexical {:.3}", ranked.score, shares.lexical_share)?;
        write!(f, " + semantic {:.3}", shares.semantic_share)?;
        for (name, share) in adjustments(shares) {
            write!(f, " {} {name} {:.3}", if share < 0.0 { '-' } else { '+' }, share.abs())?;
        }
        writeln!(f)?;
        write!(f, "  BM25 {:.3}", shares.lexical)?;
        if let Some(similarity) = shares.similarity {
            write!(f, ", cosine {similarity:.3}")?;
        }
        writeln!(f, ", named: {}, uses {:.3}", shares.named.how.name(), shares.use_boost)?;
        if let Some(origin) = &self.origin {
            writeln!(f, "  {origin}")?;
        }
        if self.in_directory {
            writeln!(f, "  in the directory")?;
        }
        if let Some(placed) = &self.placed {
            let chance = placed.chance().map_or(String::new(), |chance| format!(", needed with a chance of {chance:.3}"));
            writeln!(f, "  shown as: {}, by \"{}\"{chance}", placed.tier.name(), placed.row)?;
        }
        if let Some(place) = self.way_in {
            writeln!(f, "  way {place} into its server")?;
        }
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
    /// The tool behind a provider name, for [`ToolRouter::explain`] with the same options.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` with near names of the scope alone, `ERR_INVALID_ARGUMENT`.
    pub fn resolve_in_scope(&self, Snapshot { index, .. }: &Snapshot, name: &str, options: &RankOptions) -> Result<ToolId> {
        let found = index.resolve(name).map(|at| index.tools[at].tool.id.clone());
        match found {
            Some(id) => Ok(id),
            None => Err(unknown_name(index, name, self.in_scope(index, options, "explain.hostMode")?.candidates())),
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
        let scope = self.in_scope(index, options, "explain.hostMode")?;
        let ground = Ground::new(index, &scope);
        let position = position_in(ground, tool)?;
        let ask = options.ask(ground, query, settings);
        let ranking = self.rank_tools(ground, &ask, &Task::default(), ground.candidates.len());
        let used = Arc::clone(&self.sessions.lock().used);
        explanation(ground, ranking, ask.query, position, (query, query), &used)
    }

    /// The tool behind a provider name of a session.
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND` with near names of the session's scope.
    pub fn resolve_in_session(&self, index: &Index, session: &SharedSession, name: &str) -> Result<ToolId> {
        let session = session.lock();
        let found = session.resolve(index, name);
        found.ok_or_else(|| unknown_name(index, name, &index.candidates(&session.scope())))
    }

    /// Says for a session's last message, read in its task, which words, vectors and adjustments make a tool's score, and how
    /// the tool came to be attached, if it is. Its tools are ranked, as by
    /// [`ToolRouter::explain`].
    ///
    /// # Errors
    ///
    /// `ERR_TOOL_NOT_FOUND`, `ERR_OUT_OF_SCOPE`, `ERR_INVALID_ARGUMENT`.
    pub fn explain_session(&self, index: &Index, session: &SharedSession, tool: &ToolId) -> Result<Explanation> {
        started(session, "explain")?;
        self.set_host_mode(session, None, "hostMode")?;
        let (scope, settings, wanted, said, used, (origin, in_directory, placed)) = {
            let session = session.lock();
            let scope = index.in_scope(&session.scope());
            let wanted = session.explained(scope.candidates().len());
            let said = session.said();
            let used = Arc::clone(&session.conversation.used_before);
            let origin = session.origin(tool).cloned();
            let in_session = (origin, session.is_in_directory(tool), session.placed(tool));
            (scope, session.settings.clone(), wanted, said, used, in_session)
        };
        let ground = Ground::new(index, &scope);
        let position = position_in(ground, tool)?;
        let ask = RankOptions::default().ask(ground, &wanted.text, &settings);
        let ranking = self.in_task(ground, &settings, &wanted, &Workspace::default(), |task| {
            // By other rules, some tools have no rank.
            self.rank_tools(ground, &ask, task, wanted.top_k)
        });
        let explanation = explanation(ground, ranking, ask.query, position, (&wanted.text, &said), &used)?;
        Ok(Explanation { origin, in_directory, placed, ..explanation })
    }
}

fn position_in(Ground { index, candidates, .. }: Ground<'_>, tool: &ToolId) -> Result<usize> {
    let position = index.position(tool).ok_or_else(|| unknown_tool(index, tool, candidates))?;
    if candidates.contains(&position) {
        return Ok(position);
    }
    let reason = index.tools[position].off.map_or_else(|| "the scope leaves its server out".to_owned(), |off| off.to_string());
    Err(ErrorKind::OutOfScope { name: index.tools[position].name.clone(), reason }.into())
}

/// The place of a tool among its server's ways in, as a task in the scope knows the server.
fn way_in(Ground { index, scope, .. }: Ground<'_>, position: usize) -> Option<usize> {
    let server = index.server_at(position);
    let own = position - index.servers[server].tools.start;
    index.profile_in(scope, server).companions().way_in(own)
}

/// Explains the place of a tool in a ranking of all candidates; `texts` are the request and all that the task said.
fn explanation(
    ground: Ground<'_>,
    ranking: Ranking,
    read: Query,
    position: usize,
    texts: (&str, &str),
    used: &UsedBefore,
) -> Result<Explanation> {
    let index = ground.index;
    let first: Vec<usize> = ranking.tools.iter().take(LEADERS).map(|ranked| ranked.position).collect();
    let companion_of = companion_of((index, ground.scope), &first, position, texts, used);
    let ranked = ranking.tools.into_iter().find(|ranked| ranked.position == position);
    let ranked = ranked.ok_or_else(|| Error::from(ErrorKind::Internal { detail: "a candidate was not ranked".into() }))?;
    let mut negated: Vec<String> = read.negated.products.iter().cloned().collect();
    negated.sort_unstable();
    let clause = ranked.shares.clause.and_then(|at| read.clauses.get(at));
    Ok(Explanation {
        terms: ground.lexical().explain(&read.terms, position),
        rewritten: read.ranked != texts.0,
        pasted_bytes: read.pasted_bytes,
        negated,
        clause: clause.map(|clause| read.ranked[clause.range.clone()].to_owned()),
        tool: named(index, ranked),
        ranker: ranking.ranker,
        degraded: ranking.degraded,
        candidate_count: ranking.candidate_count,
        evidence: ranking.evidence,
        companion_of,
        way_in: way_in(ground, position),
        origin: None,
        in_directory: false,
        placed: None,
        ranked_text: read.ranked,
    })
}
