//! What a later turn adds.

use super::companions::{LEADERS_OF_STEP, LIKELY};
use super::origin::Cause;
use super::selection::{NotAttached, NotAttachedReason};
use super::task::Session;
use crate::document::id::ToolId;
use crate::evidence::thresholds;
use crate::index::Index;
use crate::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::settings::InitialK;

/// A later turn looks at this many tools for what its text implies.
const LOOKED_AT_IMPLIED: usize = 5;

impl Session {
    /// Attaches what a later turn adds: its best tools that are not attached yet, named ones first of
    /// all. A turn without evidence adds nothing; where adding has the context written again, what that costs decides.
    pub(super) fn attach_step(&mut self, index: &Index, ranking: Option<&Ranking>, left: &mut Vec<NotAttached>) {
        let Some(ranking) = ranking else { return };
        let named = |tool: &RankedTool| tool.shares.naming != Naming::None;
        let is_priced = self.context_counts().is_some();
        let (looked_at, most) = match self.settings.first_k() {
            _ if !is_priced && !thresholds::turn_adds(ranking) => (0, 0),
            InitialK::Auto => {
                let pinned = |id: &ToolId| index.position(id).is_some_and(|at| index.tools[at].always_load);
                let chosen = self.attached().filter(|tool| !pinned(&tool.id)).count();
                (thresholds::turn_count(ranking), self.settings.turn_k.min(thresholds::turn_room(chosen)))
            }
            InitialK::Fixed(_) => (usize::MAX, self.settings.turn_k),
        };
        let of_rank = ranking.tools.iter().filter(|tool| !named(tool));
        let near = |(place, tool): &(usize, &RankedTool)| {
            *place < looked_at || (*place < LOOKED_AT_IMPLIED && looked_at > 0 && tool.shares.beside_words() > 0.0)
        };
        let of_rank = of_rank.enumerate().filter(near).map(|(_, tool)| tool).filter(|tool| tool.shares.supported);
        let of_rank: Vec<&RankedTool> = of_rank.collect();
        let is_new = |at: usize| !self.is_attached(&index.tools[at].tool.id);
        let new: Vec<&RankedTool> = of_rank.iter().copied().filter(|tool| is_new(tool.position)).collect();
        let new: Vec<usize> = new.into_iter().map(|tool| tool.position).collect();
        let worth = self.worth_adding(index, ranking, &new, most);
        let new: Vec<usize> = new.into_iter().filter(|at| worth.contains(at)).collect();
        // What pays for its rewrite may be more than a turn takes by itself.
        let most = most.max(new.len());
        let named: Vec<usize> = ranking.tools.iter().filter(|tool| named(tool)).map(|tool| tool.position).collect();
        let leaders = named.len() + LEADERS_OF_STEP;
        // What is not attached itself brings nothing along, and one of the places may be for company.
        let comes = &new[..new.len().min(most - most / 2)];
        let mut of_rank: Vec<&RankedTool> =
            of_rank.into_iter().filter(|tool| !is_new(tool.position) || comes.contains(&tool.position)).collect();
        // What a tool needs does not depend on whether another server has a better one.
        let alone = |tool: &RankedTool| tool.score - tool.shares.of_twins;
        of_rank.sort_by(|a, b| alone(b).total_cmp(&alone(a)).then_with(|| a.position.cmp(&b.position)));
        let order: Vec<usize> = named.iter().copied().chain(of_rank.iter().map(|tool| tool.position)).collect();
        // A step may have its tool and lack what comes before it.
        let paid = !worth.is_empty() || !is_priced;
        let mut company = if most == 0 || !paid { Vec::new() } else { self.company_of(index, &order, leaders, LIKELY) };
        company.truncate((most / 2).max(most - new.len()));
        self.note_brought(index, &company);
        let new = new.into_iter().take(most - company.len());
        let coming: Vec<usize> = named.into_iter().chain(new).chain(company.iter().map(|brought| brought.position)).collect();
        self.attach_within_limits(index, ranking, &coming, left);
    }

    /// Attaches what comes as far as limit and budget have room.
    fn attach_within_limits(&mut self, index: &Index, ranking: &Ranking, coming: &[usize], left: &mut Vec<NotAttached>) {
        let mut budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
        for position in coming.iter().copied() {
            let id = &index.tools[position].tool.id;
            if self.is_attached(id) || self.unloaded.contains(id) {
                continue;
            }
            let is_named = ranking.tools.iter().any(|tool| tool.position == position && tool.shares.naming != Naming::None);
            if is_named {
                self.make_room(index, position);
                budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
            }
            let tokens = self.tokens_of(index, position);
            if !self.has_room(index) {
                left.push(NotAttached::new(index, position, NotAttachedReason::OverLimit));
            } else if tokens > budget {
                left.push(NotAttached::new(index, position, NotAttachedReason::OverBudget));
            } else {
                budget -= tokens;
                let cause = self.brought_or(id, if is_named { Cause::Named } else { Cause::Ranked });
                self.attach(index, position, cause);
            }
        }
    }
}
