//! The missing-capability loop: a model says what it cannot do, and gets tools for it or a clear end.
//!
//! Each signal of a task counts, found or not, so a model that signals in a circle comes to an end.

use serde::{Deserialize, Deserializer};

use super::load_result::{LoadedTool, Unavailable};
use super::origin::{Cause, Origin};
use super::task::Session;
use crate::degraded::Degraded;
use crate::error::{Error, Result, shorten};
use crate::index::Index;
use crate::ranking::Ranking;
use crate::settings::Ranker;

/// What a signal says about itself.
pub const MISSING_CAPABILITY: &str = "MISSING_CAPABILITY";
/// Signals of a task that are answered with a search, as the fifth source has it.
pub const MAX_REROUTES: usize = 3;
/// The longest signal: ten times the longest texts of it.
pub const MAX_SIGNAL_BYTES: usize = 256 * 1024;
/// The longest name of a capability: it is a phrase.
const MAX_CAPABILITY_BYTES: usize = 2_000;
/// The longest checkpoint. It is kept for the host, and comes back as it went in.
const MAX_CHECKPOINT_BYTES: usize = 64 * 1024;
/// The most servers or steps in a signal.
const MAX_LIST: usize = 1_000;
/// How much of the original request is added to the missing capability for a ranking.
const MAX_ORIGINAL_CHARS: usize = 2_000;

/// What a model cannot do with the tools it has. Field names as a host or as a model writes them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    /// Always [`MISSING_CAPABILITY`], when it is there.
    #[serde(default)]
    pub status: Option<String>,
    /// What the user asked for.
    #[serde(alias = "original_query")]
    pub original_query: String,
    /// Servers whose tools were tried.
    #[serde(default, deserialize_with = "null_is_empty", alias = "attempted_servers", alias = "attempted_mcps")]
    pub attempted_servers: Vec<String>,
    /// What is done already.
    #[serde(default, deserialize_with = "null_is_empty", alias = "completed_steps")]
    pub completed_steps: Vec<String>,
    /// Where to go on from.
    #[serde(default)]
    pub checkpoint: Option<String>,
    /// What is missing, in a few words.
    #[serde(alias = "missing_capability")]
    pub missing_capability: String,
    /// Why the model thinks so.
    #[serde(default)]
    pub reasoning: Option<String>,
}

/// A model writes null for a list that has nothing in it.
fn null_is_empty<'de, D: Deserializer<'de>>(list: D) -> std::result::Result<Vec<String>, D::Error> {
    Ok(Option::deserialize(list)?.unwrap_or_default())
}

impl Signal {
    /// Reads a signal from JSON text. Unknown fields are ignored: a model may write more.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for text that is no signal, or one that is too large.
    pub fn read(text: &str) -> Result<Self> {
        if text.len() > MAX_SIGNAL_BYTES {
            return Err(Error::invalid("reroute", format!("at most {MAX_SIGNAL_BYTES} bytes of JSON"), text.len()));
        }
        let signal = match serde_json::from_str(text) {
            Ok(signal) => signal,
            Err(error) => within(text).ok_or_else(|| {
                let expected = "a JSON object, bare, in a code fence or within prose";
                if text.trim_start().starts_with('{') {
                    Error::invalid("reroute", format!("a {MISSING_CAPABILITY} signal"), error)
                } else {
                    Error::invalid("reroute", expected, shorten(text, 80))
                }
            })?,
        };
        signal.check()?;
        Ok(signal)
    }

    /// Checks what its types cannot say.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` naming the field and both values.
    pub fn check(&self) -> Result<()> {
        if let Some(status) = self.status.as_ref().filter(|status| *status != MISSING_CAPABILITY) {
            return Err(Error::invalid("reroute.status", format!("{MISSING_CAPABILITY:?}"), format!("{status:?}")));
        }
        if self.missing_capability.trim().is_empty() {
            let got = format!("{:?}", self.missing_capability);
            return Err(Error::invalid("reroute.missingCapability", "what is missing, in a few words", got));
        }
        let checkpoint = self.checkpoint.as_deref().unwrap_or("");
        for (field, bytes, most) in [
            ("missingCapability", self.missing_capability.len(), MAX_CAPABILITY_BYTES),
            ("checkpoint", checkpoint.len(), MAX_CHECKPOINT_BYTES),
        ] {
            if bytes > most {
                return Err(Error::invalid(format!("reroute.{field}"), format!("at most {most} bytes"), bytes));
            }
        }
        for (field, count) in [("attemptedServers", self.attempted_servers.len()), ("completedSteps", self.completed_steps.len())]
        {
            if count > MAX_LIST {
                return Err(Error::invalid(format!("reroute.{field}"), format!("at most {MAX_LIST} elements"), count));
            }
        }
        Ok(())
    }

    /// What is looked for: the missing capability, and the request that it is missing for. What was
    /// tried and done is left out: its words would find the same tools again.
    pub fn enriched_query(&self) -> String {
        let original: String = self.original_query.trim().chars().take(MAX_ORIGINAL_CHARS).collect();
        format!("{}\n{original}", self.missing_capability.trim()).trim_end().to_owned()
    }
}

/// Places of a text where a signal may begin that are tried.
const MOST_BEGINNINGS: usize = 64;

/// The first signal of a text that holds more.
fn within(text: &str) -> Option<Signal> {
    let beginnings = text.match_indices('{').take(MOST_BEGINNINGS);
    beginnings.into_iter().find_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter::<Signal>().next()?.ok())
}

named! {
    /// How a signal was answered.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RerouteStatus {
        /// Tools were attached: go on from the checkpoint.
        Continue = "CONTINUE",
        /// Nothing new was found.
        Incomplete = "INCOMPLETE",
        /// The task has signalled too often.
        MaxReroutesExceeded = "MAX_REROUTES_EXCEEDED",
    }
}

/// The answer to a signal.
#[derive(Debug, Clone, PartialEq)]
pub struct RerouteResult {
    /// How it was answered.
    pub status: RerouteStatus,
    /// The signal's checkpoint, unchanged.
    pub checkpoint: Option<String>,
    /// What is still missing, unless tools were found for it.
    pub missing_capability: Option<String>,
    /// Newly attached tools, best first.
    pub loaded: Vec<LoadedTool>,
    /// Their servers, best first.
    pub servers: Vec<String>,
    /// Provider names of tools that were attached before and are among the five that fit best.
    pub already_attached: Vec<String>,
    /// How many tools were found that the model's API, or the task's budget, has no room for.
    pub over_limit: usize,
    /// What the signal says is done, unchanged.
    pub completed_steps: Vec<String>,
    /// How many signals of this task were answered, this one included.
    pub reroute_count: usize,
    /// How many may be.
    pub max_reroutes: usize,
    /// The ranker.
    pub ranker: Ranker,
    /// Why the ranker is not the one asked for.
    pub degraded: Option<Degraded>,
    /// How likely any tool in scope has what is missing, from 0 to 1; `None` when nothing was searched for.
    pub evidence: Option<f64>,
}

impl RerouteResult {
    /// A sentence for the model.
    pub fn message(&self) -> String {
        let missing = self.missing_capability.as_deref().unwrap_or("");
        match self.status {
            RerouteStatus::Continue => format!("{} tools attached; go on from the checkpoint", self.loaded.len()),
            RerouteStatus::Incomplete if self.over_limit > 0 => {
                format!("{} tools were found for {missing:?} and there is no room for them", self.over_limit)
            }
            RerouteStatus::Incomplete if !self.already_attached.is_empty() => {
                format!("nothing new was found for {missing:?}; look at {}", self.already_attached.join(", "))
            }
            RerouteStatus::Incomplete => format!("no server offers {missing:?}; finish with what is done"),
            RerouteStatus::MaxReroutesExceeded => {
                format!("{} signals were answered, no more are; finish with what is done", self.max_reroutes)
            }
        }
    }
}

impl Session {
    /// How many signals were answered.
    pub fn reroute_count(&self) -> usize {
        self.conversation.reroute_count
    }

    /// Whether the task may signal once more.
    pub fn may_reroute(&self) -> bool {
        self.conversation.reroute_count < MAX_REROUTES
    }

    /// Answers a signal that comes after the last one allowed.
    pub fn refuse_reroute(&self, signal: Signal) -> RerouteResult {
        self.answer(signal, RerouteStatus::MaxReroutesExceeded)
    }

    /// Attaches the best of a ranking of tools that are not attached and that the signal matches.
    /// `known` are attached tools that fit.
    pub fn reroute(&mut self, index: &Index, signal: Signal, ranking: &Ranking, known: &[usize]) -> RerouteResult {
        crate::fault::point("reroute");
        self.conversation.reroute_count += 1;
        let found = ranking.tools.iter().map(|tool| tool.position).take(self.settings.search_k);
        let loaded = self.load_positions(index, found);
        for tool in &loaded.loaded {
            self.roster.origins.insert(tool.id.clone(), Origin { turn: self.conversation.turn, cause: Cause::Rerouted });
        }
        let mut servers: Vec<String> = Vec::new();
        for tool in &loaded.loaded {
            if !servers.contains(&tool.id.server_name) {
                servers.push(tool.id.server_name.clone());
            }
        }
        let found = !loaded.loaded.is_empty();
        let status = if found { RerouteStatus::Continue } else { RerouteStatus::Incomplete };
        let has_no_room = |reason: &Unavailable| matches!(reason, Unavailable::OverLimit | Unavailable::OverBudget);
        let over_limit = loaded.unavailable.iter().filter(|tool| has_no_room(&tool.reason)).count();
        let mut answer = self.answer(signal, status);
        answer.missing_capability = answer.missing_capability.filter(|_| !found);
        let own_name = |at: &usize| self.attached().find(|tool| tool.id == index.tools[*at].tool.id);
        let already_attached = known.iter().filter_map(own_name).map(|tool| tool.name.clone()).collect();
        let Ranking { ranker, degraded, evidence, .. } = *ranking;
        let evidence = Some(evidence);
        RerouteResult { loaded: loaded.loaded, servers, already_attached, over_limit, ranker, degraded, evidence, ..answer }
    }

    fn answer(&self, signal: Signal, status: RerouteStatus) -> RerouteResult {
        RerouteResult {
            status,
            checkpoint: signal.checkpoint,
            missing_capability: Some(signal.missing_capability),
            loaded: Vec::new(),
            servers: Vec::new(),
            already_attached: Vec::new(),
            over_limit: 0,
            completed_steps: signal.completed_steps,
            reroute_count: self.conversation.reroute_count,
            max_reroutes: MAX_REROUTES,
            ranker: Ranker::Lexical,
            degraded: None,
            evidence: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enriched_query_leaves_out_what_was_tried_and_done() {
        let signal = Signal {
            status: None,
            original_query: "mail the report".into(),
            attempted_servers: vec!["salesforce".into()],
            completed_steps: vec!["fetched pipeline".into()],
            checkpoint: None,
            missing_capability: "sending email".into(),
            reasoning: Some("salesforce cannot".into()),
        };
        assert_eq!(signal.enriched_query(), "sending email\nmail the report");
    }
}
