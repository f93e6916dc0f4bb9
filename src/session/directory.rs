//! The directory of a task: signatures of the tools that come behind its definitions, for the model to ask for by name.
//!
//! It is chosen with the first selection, by the same order. A list that may be written again has it in the text of `mcp_load`,
//! and what comes later in messages; one that keeps its bytes has all of it in messages.

use std::collections::HashSet;

use super::load_result::{LoadResult, NextTool};
use super::mcp_load_text;
use super::selection::GateMode;
use super::task::Session;
use crate::delivery::{Pair, described, listed_names, pair_of_tools, shown};
use crate::document::id::ToolId;
use crate::index::Index;
use crate::settings::Delivery;
use crate::text::tokens;

/// What an interface of a server costs beside its members.
const TOKENS_OF_SERVER: usize = 6;
/// After so many tools that do not fit, no other is tried: what stands so far behind is hardly ever needed.
const MOST_SKIPPED: usize = 8;
/// What comes into scope later adds to it until it costs so many first ones.
const WHOLE_TASK: usize = 2;
/// A first text that says little has this share of the tokens of a directory.
const SHARE_OF_UNSURE: usize = 3;
/// A later turn adds this share of a first directory.
const SHARE_OF_TURN: usize = 2;

/// So many tools are remembered that answers told.
const MOST_TOLD: usize = 1_000;

/// What a text costs inside of JSON.
fn tokens_inside(text: &str) -> usize {
    tokens::count(serde_json::Value::from(text).to_string().trim_matches('"'))
}

impl Session {
    /// The tools of the directory that the task may use and that it does not have, by rank.
    pub(super) fn directory_now<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = usize> + 'a {
        self.directory_at(index, 0)
    }

    /// Those of them that go into a message.
    pub(super) fn directory_of_messages<'a>(&'a self, index: &'a Index, pair: Pair) -> impl Iterator<Item = usize> + 'a {
        let in_text = if pair.delivery == Delivery::Append { self.chosen.directory.in_text } else { 0 };
        self.directory_at(index, in_text)
    }

    fn directory_at<'a>(&'a self, index: &'a Index, from: usize) -> impl Iterator<Item = usize> + 'a {
        let scope = self.scope();
        let is_open = |id: &&ToolId| !self.is_attached(id) && !self.roster.unloaded.contains(*id);
        let tools = self.chosen.directory.tools.iter().skip(from).filter(is_open);
        let positions = tools.filter_map(|id| index.position(id));
        positions.filter(move |at| index.is_usable(*at, &scope))
    }

    /// All tools of which the model was told the signature.
    pub fn known_by_signature(&self) -> HashSet<ToolId> {
        self.chosen.directory.tools.iter().chain(&self.chosen.directory.told).cloned().collect()
    }

    /// Whether the model reads of a tool in the directory, and has it nowhere else.
    pub fn is_in_directory(&self, id: &ToolId) -> bool {
        let is_told = self.chosen.directory.tools.contains(id) || self.chosen.directory.told.contains(id);
        is_told && !self.is_attached(id) && !self.roster.unloaded.contains(id)
    }

    /// Whether the model was told the signature of a tool: in the directory, or where a search attached it.
    pub(super) fn is_known_by_signature(&self, id: &ToolId) -> bool {
        self.is_in_directory(id) || self.chosen.directory.told.contains(id)
    }

    /// Where tools are called by text, a search answers signatures: the model calls by them, and asks for the definition of
    /// what it is unsure of by its name.
    pub(super) fn sign(&mut self, index: &Index, result: &mut LoadResult) {
        if self.delivery() != Delivery::Call {
            return;
        }
        for loaded in &mut result.loaded {
            let Some(at) = index.position(&loaded.id) else { continue };
            loaded.signature = Some(index.tools[at].tool.signature().text_named(&loaded.name));
            self.tell_signature(&loaded.id);
        }
    }

    /// What a search found and did not attach, within a few tokens.
    pub(super) fn tell_next(&mut self, index: &Index, positions: &[usize]) -> Vec<NextTool> {
        let mut left = self.most_of_next();
        let mut next = Vec::new();
        for at in positions.iter().copied() {
            if self.is_attached(&index.tools[at].tool.id) {
                continue;
            }
            let name = index.tools[at].name.clone();
            let signature = index.tools[at].tool.signature_as(shown(self.delivery())).text_named(&name);
            let cost = tokens::count(&signature);
            if cost > left {
                continue;
            }
            left -= cost;
            self.tell_signature(&index.tools[at].tool.id);
            next.push(NextTool { name, signature });
        }
        next
    }

    fn tell_signature(&mut self, id: &ToolId) {
        if self.chosen.directory.told.len() < MOST_TOLD && !self.chosen.directory.told.contains(id) {
            self.chosen.directory.told.push(id.clone());
        }
    }

    /// What stands in the text of `mcp_load` in a list that may be written again.
    pub(super) fn directory_text(&self, index: &Index) -> String {
        let scope = self.scope();
        let positions = self.chosen.directory.of_text().iter().filter_map(|id| index.position(id));
        let tools: Vec<_> = positions.filter(|at| index.is_usable(*at, &scope)).map(|at| &*index.tools[at].tool).collect();
        let pair = Pair { delivery: Delivery::Append, ..self.pair(None) };
        if tools.is_empty() { String::new() } else { described(tools, pair) }
    }

    /// What the directory costs as it is sent now.
    pub(super) fn directory_tokens(&self, index: &Index) -> usize {
        let in_text = if self.delivery() == Delivery::Append { tokens_inside(&self.directory_text(index)) } else { 0 };
        in_text + self.directory_tokens_of_messages(index)
    }

    /// What messages tell of it.
    pub(super) fn directory_tokens_of_messages(&self, index: &Index) -> usize {
        let pair = self.pair_now();
        let listed: Vec<_> = self.directory_of_messages(index, pair).map(|at| &*index.tools[at].tool).collect();
        if listed.is_empty() { 0 } else { tokens_inside(&described(listed, pair)) }
    }

    /// What `mcp_load` costs as it is sent now, with what is sent with it, and without the directory.
    pub(super) fn mcp_load_tokens(&self, index: &Index) -> usize {
        let Some(mcp_load) = &self.chosen.mcp_load else { return 0 };
        let scope = self.scope();
        match self.delivery() {
            Delivery::Append => tokens::count(mcp_load).saturating_sub(tokens_inside(&self.directory_text(index))),
            delivery => {
                let servers = tokens::count(&listed_names(&mcp_load_text::servers(index, &scope)));
                let pair = Pair { delivery, ..self.pair(None) };
                let fixed = mcp_load_text::fixed(index, &scope, pair);
                let text: usize = if delivery == Delivery::Call {
                    pair_of_tools(&fixed, pair.names).iter().map(|text| tokens::count(text)).sum()
                } else {
                    tokens::count(&fixed)
                };
                text + servers
            }
        }
    }

    /// `mcp_load` as the task offers it from now on.
    pub(super) fn mcp_load_definition(&self, index: &Index) -> String {
        mcp_load_text::definition(index, &self.scope(), &self.directory_text(index), self.settings.own_names)
    }

    /// Another set is chosen.
    pub(super) fn forget_directory(&mut self) {
        self.chosen.directory = self.chosen.directory.forgotten();
    }

    /// Chooses the directory of a first selection: the tools that are worth a line, the likeliest first. Where the list of tools keeps
    /// its bytes, what stands in the text of `mcp_load` stays there.
    pub(super) fn choose_directory(&mut self, index: &Index, lines: &[usize]) {
        // What stands in the text of `mcp_load` stays there until it is written again.
        self.chosen.directory = match self.delivery() {
            Delivery::Append => self.chosen.directory.forgotten(),
            _ => std::mem::take(&mut self.chosen.directory).in_text_alone(),
        };
        let most = self.most_of_directory();
        if most == 0 || self.gate() != Some(GateMode::Dynamic) {
            return;
        }
        let budget = if self.chosen.selected { most } else { most / SHARE_OF_UNSURE };
        let chosen = self.fitting(index, lines, budget);
        let is_told = self.chosen.directory.in_text > 0;
        let chosen = chosen.iter().map(|at| &index.tools[*at].tool.id);
        let new: Vec<ToolId> = chosen.filter(|id| !self.chosen.directory.tools.contains(id)).cloned().collect();
        self.chosen.directory.tools.extend(new);
        if !is_told {
            self.chosen.directory.in_text = self.chosen.directory.tools.len();
            self.chosen.mcp_load = Some(self.mcp_load_definition(index));
        }
    }

    /// Takes over the directory that the task would have if it began now, with the text of `mcp_load`, which is written again.
    pub(super) fn write_directory(&mut self, fresh: &Self) {
        self.chosen.directory.tools = fresh.chosen.directory.tools.iter().filter(|id| !self.is_attached(id)).cloned().collect();
        self.chosen.directory.in_text = self.chosen.directory.tools.len();
    }

    /// Adds what is new in scope and would be in the directory if the task began now, in messages: a server may bring lines alone.
    pub(super) fn take_directory(&mut self, index: &Index, fresh: &Self) {
        let most = WHOLE_TASK * self.most_of_directory();
        for id in &fresh.chosen.directory.tools {
            let is_new = index.position(id).is_some_and(|at| self.conversation.seen.is_new(index, at));
            if !is_new || self.is_attached(id) || self.chosen.directory.tools.contains(id) {
                continue;
            }
            self.chosen.directory.tools.push(id.clone());
            if self.directory_tokens(index) > most {
                self.chosen.directory.tools.pop();
                break;
            }
        }
    }

    /// What a later turn adds to it.
    pub(super) fn extend_directory(&mut self, index: &Index, lines: &[usize]) {
        let most = self.most_of_directory();
        if most == 0 || lines.is_empty() {
            return;
        }
        let known: HashSet<&ToolId> = self.chosen.directory.tools.iter().collect();
        let new: Vec<usize> = lines.iter().copied().filter(|at| !known.contains(&index.tools[*at].tool.id)).collect();
        let chosen = self.fitting(index, &new, most / SHARE_OF_TURN);
        self.chosen.directory.tools.extend(chosen.iter().map(|at| index.tools[*at].tool.id.clone()));
    }

    /// The first of an order whose signatures fit into a number of tokens.
    fn fitting(&self, index: &Index, order: &[usize], budget: usize) -> Vec<usize> {
        let pair = self.pair_now();
        let delivery = pair.delivery;
        let mut left = budget.saturating_sub(tokens_inside(&described([], pair)));
        let (mut chosen, mut servers, mut skipped) = (Vec::new(), HashSet::new(), 0);
        for at in order.iter().copied() {
            let tool = &index.tools[at].tool;
            if self.is_attached(&tool.id) || self.roster.unloaded.contains(&tool.id) {
                continue;
            }
            let of_server = if servers.contains(&index.server_at(at)) { 0 } else { TOKENS_OF_SERVER };
            let cost = 1 + tool.signature_as(shown(delivery)).token_count() + of_server;
            if cost > left {
                skipped += 1;
                if skipped == MOST_SKIPPED {
                    break;
                }
                continue;
            }
            left -= cost;
            servers.insert(index.server_at(at));
            chosen.push(at);
        }
        // Counted one by one is nearly right; the text decides.
        let cost = |chosen: &[usize]| {
            let tools = chosen.iter().map(|at| &*index.tools[*at].tool);
            tokens_inside(&described(tools, pair))
        };
        while !chosen.is_empty() && cost(&chosen) > budget {
            chosen.pop();
        }
        chosen
    }
}
