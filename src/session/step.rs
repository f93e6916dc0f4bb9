//! What a later turn adds.

use super::companions::LEADERS_OF_STEP;
use super::evidence;
use super::selection::{NotAttached, NotAttachedReason};
use super::task::Session;
use crate::companions::split_name;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::query::Naming;
use crate::ranking::{Corpus, RankedTool, Ranking};
use crate::settings::InitialK;
use crate::text::terms::{Word, words};

/// A later turn looks at this many tools for what its text implies.
const LOOKED_AT_IMPLIED: usize = 5;
/// Among so many of its tools, one that does for another server what a better one does stands back.
const LOOKED_AT_TWINS: usize = 20;
/// Attached tools are looked at as far as here: these have what the message asks for.
const ATTACHED_TWINS: usize = 6;
/// What each better twin leaves of its score. A turn adds three tools: half as many messages gain by 0.9, and 0.5 loses one.
const PER_TWIN: f64 = 0.75;

impl Session {
    /// Attaches what a later turn adds: its best tools that are not attached yet, named ones first of
    /// all. A turn without evidence adds nothing; where adding has the context written again, what that costs decides.
    pub(super) fn attach_step(&mut self, index: &Index, ranking: Option<&Ranking>, left: &mut Vec<NotAttached>) {
        let Some(ranking) = ranking else { return };
        let named = |tool: &RankedTool| tool.shares.naming != Naming::None;
        let is_priced = self.context_counts().is_some();
        let (looked_at, most) = match self.settings.first_k() {
            _ if !is_priced && !evidence::turn_adds(ranking) => (0, 0),
            InitialK::Auto => {
                let pinned = |id: &ToolId| index.position(id).is_some_and(|at| index.tools[at].always_load);
                let chosen = self.attached().filter(|tool| !pinned(&tool.id)).count();
                (evidence::turn_count(ranking), self.settings.turn_k.min(evidence::turn_room(chosen)))
            }
            InitialK::Fixed(_) => (usize::MAX, self.settings.turn_k),
        };
        let of_rank = ranking.tools.iter().filter(|tool| !named(tool));
        let near = |(place, tool): &(usize, &RankedTool)| {
            *place < looked_at || (*place < LOOKED_AT_IMPLIED && looked_at > 0 && tool.shares.implied_share > 0.0)
        };
        let of_rank = of_rank.enumerate().filter(near).map(|(_, tool)| tool).filter(|tool| tool.shares.supported);
        let of_rank: Vec<&RankedTool> = of_rank.collect();
        let is_new = |at: usize| !self.is_attached(&index.tools[at].tool.id);
        let new: Vec<&RankedTool> = of_rank.iter().copied().filter(|tool| is_new(tool.position)).collect();
        let new = behind_twins(index, &new, &of_rank);
        let worth = self.worth_adding(index, ranking, &new, most);
        let new: Vec<usize> = new.into_iter().filter(|at| worth.contains(at)).collect();
        // What pays for its rewrite may be more than a turn takes by itself.
        let most = most.max(new.len());
        let named: Vec<usize> = ranking.tools.iter().filter(|tool| named(tool)).map(|tool| tool.position).collect();
        let leaders = named.len() + LEADERS_OF_STEP;
        // What is not attached itself brings nothing along, and one of the places may be for company.
        let comes = &new[..new.len().min(most - most / 2)];
        let of_rank = of_rank.iter().map(|tool| tool.position).filter(|at| !is_new(*at) || comes.contains(at));
        let order: Vec<usize> = named.iter().copied().chain(of_rank).collect();
        // A step may have its tool and lack what comes before it.
        let paid = !worth.is_empty() || !is_priced;
        let mut company = if most == 0 || !paid { Vec::new() } else { self.company_of(index, &order, leaders) };
        company.truncate((most / 2).max(most - new.len()));
        self.note_brought(index, &company);
        let new = new.into_iter().take(most - company.len());
        let coming: Vec<usize> = named.into_iter().chain(new).chain(company.iter().map(|brought| brought.position)).collect();
        let mut budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
        for position in coming {
            let id = &index.tools[position].tool.id;
            if self.is_attached(id) || self.unloaded.contains(id) {
                continue;
            }
            let tokens = self.tokens_of(index, position);
            if !self.has_room(index) {
                left.push(NotAttached::new(index, position, NotAttachedReason::OverLimit));
            } else if tokens > budget {
                left.push(NotAttached::new(index, position, NotAttachedReason::OverBudget));
            } else {
                budget -= tokens;
                self.attach(index, position);
            }
        }
    }
}

/// The best of a turn's new tools in order, those behind that do the same for another server as one that stands before them: of
/// three places, two for taking screenshots are one too many.
fn behind_twins(index: &Index, new: &[&RankedTool], of_rank: &[&RankedTool]) -> Vec<usize> {
    let (near, rest) = new.split_at(new.len().min(LOOKED_AT_TWINS));
    let is_new = |at: usize| new.iter().any(|tool| tool.position == at);
    let attached = of_rank.iter().take(ATTACHED_TWINS).map(|tool| tool.position).filter(|at| !is_new(*at));
    let mut before: Vec<Does> = attached.map(|at| Does::of(index, at)).collect();
    let mut left: Vec<(f64, Does)> =
        near.iter().map(|tool| (tool.score - tool.shares.boost(), Does::of(index, tool.position))).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let score = |(score, does): &(f64, Does)| {
            let twins = before.iter().filter(|other| other.is_twin_of(does)).count();
            score * PER_TWIN.powi(i32::try_from(twins).unwrap_or(i32::MAX))
        };
        let scores: Vec<f64> = left.iter().map(score).collect();
        let best = (1..left.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best });
        let (_, does) = left.remove(best);
        order.push(does.position);
        before.push(does);
    }
    order.into_iter().chain(rest.iter().map(|tool| tool.position)).collect()
}

/// What a tool does, for comparison with those of other servers.
struct Does<'a> {
    position: usize,
    index: &'a Index,
    server: usize,
    /// The verb of its name, and what it names but for its server.
    verb: Option<String>,
    things: Vec<String>,
}

impl<'a> Does<'a> {
    fn of(index: &'a Index, position: usize) -> Self {
        let id = &index.tools[position].tool.id;
        let (verb, mut things) = split_name(&id.server_name, &id.tool_name);
        let server: Vec<String> = words(&id.server_name).iter().map(Word::joined).collect();
        things.retain(|thing| !server.iter().any(|word| word.starts_with(thing.as_str())));
        things.sort_unstable();
        things.dedup();
        let server = index.server_of(position).map_or(usize::MAX, |server| server.tools.start);
        Self { position, index, server, verb, things }
    }

    fn is_twin_of(&self, other: &Self) -> bool {
        let serves = |at: usize| &self.index.document(at).serves;
        let same_purpose =
            || serves(self.position).iter().any(|one| serves(other.position).iter().any(|two| one.purpose == two.purpose));
        let same_name =
            || self.verb.is_some() && !self.things.is_empty() && (&self.verb, &self.things) == (&other.verb, &other.things);
        self.server != other.server && (same_purpose() || same_name())
    }
}
