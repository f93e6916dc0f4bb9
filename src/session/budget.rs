//! What the definitions of a dynamic task may cost.

use super::selection::GateMode;
use super::task::Session;
use crate::index::Index;

/// The bound of a first selection where no window is known: a tenth of the 200,000 tokens that current
/// models have.
const DEFAULT_BUDGET: usize = 20_000;
/// A tenth of a window leaves a conversation its room, and thirty tools of ordinary size fit in.
const SHARE_OF_WINDOW: usize = 10;
/// Definitions, lines and our own tools take at most a quarter of a window: a pair, and the names of servers.
const WHOLE_SHARE: usize = 4;
const OWN_TOKENS: usize = 450;
/// With fewer tokens no tool could be shown at all.
const LEAST_FOR_TOOLS: usize = 350;
/// What the tools cost that a search names and does not attach: some fifteen signatures, or ten that are called by; and the share of
/// a small window.
const TOKENS_OF_NEXT: usize = 400;
const SHARE_OF_NEXT: usize = 40;
/// A task's whole set costs at most so many first selections.
const WHOLE_TASK: usize = 2;

impl Session {
    /// Maximum number of tokens of the definitions that a first selection attaches.
    pub fn budget(&self) -> usize {
        let settings = &self.settings;
        let own = |window: usize| (window / SHARE_OF_WINDOW).min(self.for_tools().unwrap_or(usize::MAX) / 2);
        settings.token_budget.unwrap_or_else(|| settings.context_window.map_or(DEFAULT_BUDGET, own))
    }

    /// What a known window leaves for definitions and lines.
    fn for_tools(&self) -> Option<usize> {
        self.settings.context_window.map(|window| (window / WHOLE_SHARE).saturating_sub(OWN_TOKENS).max(LEAST_FOR_TOOLS))
    }

    /// Maximum number of tokens of a first selection's lines.
    pub(super) fn most_of_directory(&self) -> usize {
        let left = self.for_tools().map_or(usize::MAX, |tokens| tokens.saturating_sub(self.budget().min(tokens / 2)));
        self.settings.directory_tokens.min(left)
    }

    /// Maximum number of tokens of the lines that a search adds to what it attaches.
    pub(super) fn most_of_next(&self) -> usize {
        self.settings.context_window.map_or(usize::MAX, |window| window / SHARE_OF_NEXT).min(TOKENS_OF_NEXT)
    }

    /// Maximum number of tokens of all definitions that a dynamic task attaches, what the model loads included.
    pub fn most_tokens(&self) -> usize {
        self.budget().saturating_mul(WHOLE_TASK)
    }

    /// What the definitions that the model sees cost now.
    pub(super) fn attached_tokens(&self, index: &Index) -> usize {
        self.usable(index)
            .map(|(attached, at)| index.tools[at].tool.token_count_as(&attached.name, self.settings.schema_detail))
            .sum()
    }

    /// What the definition of a tool costs, at the detail of the settings.
    pub(super) fn tokens_of(&self, index: &Index, position: usize) -> usize {
        let tool = &index.tools[position];
        tool.tool.token_count_as(&tool.name, self.settings.schema_detail)
    }

    /// Whether the budget lets one more tool in. It binds dynamic tasks alone.
    pub(super) fn can_afford(&self, index: &Index, position: usize) -> bool {
        self.gate() != Some(GateMode::Dynamic)
            || self.attached_tokens(index) + self.tokens_of(index, position) <= self.most_tokens()
    }

    /// Whether the model's API takes one more tool: tools that it does not see take no room.
    pub(crate) fn has_room(&self, index: &Index) -> bool {
        let room = self.room(self.gate().unwrap_or(GateMode::Dynamic));
        room.is_none_or(|room| self.usable(index).count() < room)
    }
}
