//! The turns of a task: what each of them does, and what the first selection attaches.

use std::collections::HashSet;

use super::chances::{Candidate, LOOKED_AT};
use super::origin::Cause;
use super::selection::{GateMode, NotAttached, NotAttachedReason, Selection};
use super::task::Session;
use super::tiers::Moment;
use super::worth::Charged;
use crate::delivery::Track;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::order::Parent;
use crate::query::implied;
use crate::ranking::Ranking;
use crate::settings::InitialK;

/// What a turn needs ranked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The text.
    pub text: String,
    /// How many tools.
    pub top_k: usize,
    /// What the task said before, for a later turn: "and now the same for staging" says little by itself.
    pub before: Option<String>,
    /// Whether it is for a first selection.
    pub is_first: bool,
    /// For a first selection: what the parent task had.
    pub parent: Option<Parent>,
}

/// What was ranked for a step of a task.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranked<'a> {
    /// Answers for [`Session::ranking_wanted`].
    pub text: Option<&'a Ranking>,
    /// Answers for [`Session::ranking_of_scope`].
    pub said: Option<&'a Ranking>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Turn,
    Sync,
    /// The set is chosen again.
    Compaction,
}

impl Session {
    /// Whether no later turn attaches anything by itself, except for what comes into scope.
    pub fn frozen(&self) -> bool {
        self.conversation.turn > 0 && !self.turn_attaches()
    }

    /// What the next turn needs ranked, if anything; `None` for the message stands for a change of the
    /// host's between two turns.
    pub fn ranking_wanted(&self, index: &Index, message: Option<&str>) -> Option<Wanted> {
        let candidates = index.candidates(&self.scope());
        let stays = self.gate() == Some(GateMode::Dynamic) && !self.chosen.stale && !self.roster.order.is_empty();
        let mode = if stays { GateMode::Dynamic } else { self.gate_of(&candidates).mode };
        if mode == GateMode::All || self.loads_only() {
            return None;
        }
        if !self.chosen.selected {
            // A task that becomes dynamic is chosen for by all that it said.
            let text = match message {
                Some(message) if self.conversation.turn == 0 => message.to_owned(),
                Some(message) => format!("{}\n{message}", self.said()).trim().to_owned(),
                None if self.conversation.latest_texts.is_empty() => self.conversation.unsure_text.clone(),
                None => self.said(),
            };
            return (!text.is_empty() || message.is_some()).then(|| self.first_wanted(text, candidates.len()));
        }
        let message = message.filter(|_| self.turn_attaches() || self.settings.directory_tokens > 0)?;
        let before = Some(self.said()).filter(|said| !said.is_empty());
        // What comes into scope with this turn is attached before its own tools.
        // What it implies may stand anywhere in the order.
        let needs_all = self.is_new_in_scope(index, &candidates) || !implied::signals(message, |_| false).is_empty();
        let comes = if needs_all { candidates.len() } else { 0 };
        let top_k = LOOKED_AT + self.roster.order.len() + comes + self.chosen.directory.tools.len();
        Some(Wanted { text: message.to_owned(), top_k, before, is_first: false, parent: None })
    }

    /// What a first selection for a text needs ranked.
    pub fn first_wanted(&self, text: String, top_k: usize) -> Wanted {
        let first_k = match self.settings.first_k() {
            InitialK::Fixed(most) => Some(most),
            InitialK::Auto => None,
        };
        let parent = (!self.roster.preferred.is_empty()).then(|| Parent { tools: self.roster.preferred.clone(), first_k });
        Wanted { text, top_k, before: None, is_first: true, parent }
    }

    /// Whether only `mcp_load` attaches anything.
    pub(super) fn loads_only(&self) -> bool {
        self.settings.first_k() == InitialK::Fixed(0)
    }

    fn turn_attaches(&self) -> bool {
        self.conversation.window < self.settings.search_turns
    }

    /// Takes the next turn.
    pub fn advance(&mut self, index: &Index, message: &str, ranked: Ranked<'_>) -> Selection {
        self.conversation.turn += 1;
        self.conversation.called.clear();
        let before = (self.conversation.first_text.clone(), self.conversation.latest_texts.clone());
        self.remember(message);
        crate::fault::point("turn");
        let selection = self.settle(index, ranked, Step::Turn);
        // Talk, and work on code, say nothing of the tools that a task needs later, unless a server comes that works on files.
        if !self.chosen.selected && self.gate() == Some(GateMode::Dynamic) {
            (self.conversation.first_text, self.conversation.latest_texts) = before;
        }
        selection
    }

    /// Applies host changes made between turns.
    pub fn sync(&mut self, index: &Index, ranked: Ranked<'_>) -> Selection {
        self.settle(index, ranked, Step::Sync)
    }

    /// Chooses the set again, from what the task said and used: the host has condensed its conversation.
    pub fn compact(&mut self, index: &Index, ranking: Option<&Ranking>) -> Selection {
        let kept: Vec<ToolId> =
            self.attached().map(|tool| tool.id.clone()).filter(|id| self.conversation.used.contains(id)).collect();
        self.detach_all();
        for id in kept {
            if let Some(at) = index.position(&id).filter(|_| self.gate() == Some(GateMode::Dynamic)) {
                self.attach(index, at, Cause::Kept);
            }
        }
        self.chosen.selected = false;
        self.forget_directory();
        self.chosen.mcp_load = None;
        self.chosen.mcp_load_place = 0;
        self.chosen.stale = true;
        self.told.tracks.iter_mut().for_each(Track::restart);
        self.settle(index, Ranked { text: ranking, said: None }, Step::Compaction)
    }

    fn settle(&mut self, index: &Index, ranked: Ranked<'_>, step: Step) -> Selection {
        let candidates = index.candidates(&self.scope());
        let is_compaction = step == Step::Compaction;
        let before: HashSet<ToolId> = if is_compaction { HashSet::new() } else { self.roster.known.clone() };
        let mut left = Vec::new();
        self.forget_brought();
        let by_settings = self.chosen.stale;
        self.pass_gate(&candidates);
        let mut of_scope = None;
        if self.gate() == Some(GateMode::All) {
            (self.chosen.mcp_load, self.chosen.mcp_load_place, self.chosen.selected) = (None, 0, false);
            self.forget_directory();
            self.attach_all(index, &candidates, &mut left);
            self.conversation.seen.another_mode = false;
        } else {
            if let Some(said) = ranked.said.filter(|_| self.chosen.selected) {
                self.keep_within_limit(index);
                of_scope = self.take_in(index, &candidates, (said, by_settings), &mut left);
            }
            self.attach_chosen(index, &candidates, (ranked.text, step), &mut left);
        }
        let rewrite = self.note_rewrite(index, is_compaction, of_scope);
        let begins = is_compaction || (step == Step::Turn && self.conversation.turn == 1);
        let charged = if begins {
            Charged::Begin
        } else if step == Step::Turn {
            Charged::Turn
        } else {
            Charged::Sync
        };
        self.charge(index, &before, rewrite.as_ref(), charged);
        let mut selection = Selection { rewrite, ..self.selection(index, &before, left) };
        if let Some(ranking) = ranked.text.or(ranked.said) {
            selection.ranker = ranking.ranker;
            selection.degraded = ranking.degraded;
            selection.query_cut = ranking.query_cut;
            selection.evidence = Some(ranking.evidence);
        }
        self.chosen.last = Some(selection.clone());
        selection
    }

    /// Attaches what a dynamic task chooses: its first selection, or what a later turn adds.
    fn attach_chosen(
        &mut self,
        index: &Index,
        candidates: &[usize],
        (ranking, step): (Option<&Ranking>, Step),
        left: &mut Vec<NotAttached>,
    ) {
        let is_turn = step == Step::Turn;
        if self.chosen.mcp_load.is_none() {
            // A mode that chooses among its tools: what another mode had attached goes, unless the task uses it.
            let chooses_again = self.conversation.seen.another_mode && ranking.is_some();
            if chooses_again {
                self.release(index, candidates, |_| false);
            }
            self.chosen.mcp_load = Some(self.mcp_load_definition(index));
            // What was shown before keeps its place; what comes later stands behind.
            let is_behind = self.told.shown.is_some() && step != Step::Compaction && !chooses_again;
            self.chosen.mcp_load_place = if is_behind { self.roster.order.len() } else { 0 };
        }
        self.keep_within_limit(index);
        let count = self.roster.order.len();
        let speaks = if self.loads_only() {
            self.chosen.selected = true;
            true
        } else if !self.chosen.selected {
            self.attach_first(index, candidates, ranking, left);
            self.note_seen(index, candidates);
            self.chosen.selected
        } else {
            ranking.filter(|_| is_turn).is_some_and(|ranking| self.attach_step(index, ranking, left))
        };
        // "ok, go on" uses up none of the turns.
        self.conversation.window += usize::from(is_turn && (speaks || self.roster.order.len() > count));
    }

    /// Takes the latest tools away that the model's API has no room for beside `mcp_load`, which is new, or because the limit
    /// was lowered.
    fn keep_within_limit(&mut self, index: &Index) {
        let room = self.room(GateMode::Dynamic).unwrap_or(usize::MAX);
        let surplus: Vec<ToolId> = self.usable_of_any_number(index).skip(room).map(|(tool, _)| tool.id.clone()).collect();
        for id in surplus {
            self.detach(&id);
        }
        self.drop_unusable_over_limit(index);
    }

    fn attach_all(&mut self, index: &Index, candidates: &[usize], left: &mut Vec<NotAttached>) {
        let new: Vec<usize> = candidates.iter().copied().filter(|at| !self.is_attached(&index.tools[*at].tool.id)).collect();
        for at in new.into_iter().filter(|at| !self.roster.unloaded.contains(&index.tools[*at].tool.id)).collect::<Vec<_>>() {
            if self.has_room(index) {
                self.attach(index, at, Cause::All);
            } else {
                left.push(NotAttached::new(index, at, NotAttachedReason::OverLimit));
            }
        }
    }

    /// The first selection: pins, what the text names, and what is worth a definition; then the directory. A text that says
    /// nothing attaches pins alone, and the next one is asked.
    pub(super) fn attach_first(
        &mut self,
        index: &Index,
        candidates: &[usize],
        ranking: Option<&Ranking>,
        left: &mut Vec<NotAttached>,
    ) {
        let plan = ranking.map(|ranking| self.first_plan(index, ranking));
        self.chosen.selected = plan.as_ref().is_some_and(|plan| plan.is_sure);
        // What comes into scope is chosen by the last text that says anything.
        let speaks = plan.as_ref().is_some_and(|plan| plan.places.speaks);
        if !self.chosen.selected && !self.last_message().is_empty() && (speaks || self.conversation.unsure_text.is_empty()) {
            self.conversation.unsure_text = self.last_message().to_owned();
        }
        let mut budget = self.budget().saturating_sub(self.attached_tokens(index));
        let pins: Vec<usize> = candidates.iter().copied().filter(|at| index.tools[*at].always_load).collect();
        let most_pins = self.most_pins(pins.len());
        for at in pins.iter().take(most_pins) {
            self.attach_pin(index, *at, &mut budget, left);
        }
        let surplus = pins.iter().skip(most_pins).copied().filter(|at| !self.is_attached(&index.tools[*at].tool.id));
        left.extend(surplus.map(|at| NotAttached::new(index, at, NotAttachedReason::OverLimit)));
        let lines = plan.map(|plan| self.attach_plan(index, plan, (budget, Moment::First), left)).unwrap_or_default();
        self.choose_directory(index, &lines);
    }

    /// Attaches a pin as far as limit and budget have room.
    fn attach_pin(&mut self, index: &Index, at: usize, budget: &mut usize, left: &mut Vec<NotAttached>) {
        let id = &index.tools[at].tool.id;
        if self.is_attached(id) || self.roster.unloaded.contains(id) {
            return;
        }
        let tokens = self.tokens_of(index, at);
        if !self.has_room(index) {
            left.push(NotAttached::new(index, at, NotAttachedReason::OverLimit));
        } else if tokens > *budget {
            left.push(NotAttached::new(index, at, NotAttachedReason::OverBudget));
        } else {
            *budget -= tokens;
            self.attach(index, at, Cause::Pinned);
        }
    }

    /// Why a tool is attached: what needs it, where that brought it forward.
    pub(super) fn cause_of(&mut self, index: &Index, candidate: &Candidate) -> Cause {
        let Candidate { brought, place, rank, .. } = candidate;
        let Some(brought) = brought.as_ref().filter(|_| place < rank) else { return Cause::Ranked };
        self.note_brought(index, std::slice::from_ref(brought));
        Cause::Companion { of: index.tools[brought.of].tool.id.clone(), by: brought.by.clone() }
    }

    /// Attaches what a later turn adds, and adds lines to the directory. Says whether the turn needs anything.
    fn attach_step(&mut self, index: &Index, ranking: &Ranking, left: &mut Vec<NotAttached>) -> bool {
        let plan = self.turn_plan(index, ranking);
        let speaks = plan.places.speaks;
        let budget = self.most_tokens().saturating_sub(self.attached_tokens(index));
        let lines = self.attach_plan(index, plan, (budget, Moment::Turn), left);
        self.extend_directory(index, &lines);
        speaks
    }
}
