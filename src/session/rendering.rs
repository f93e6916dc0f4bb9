//! A task as the model and its host see it: definitions, selections, receipts.

use std::collections::{HashMap, HashSet};

use super::selection::{CompanionOf, GateMode, NotAttached, Selection};
use super::task::{Attached, Session};
use super::worth::Charged;
use crate::catalogue::tool::Tool;
use crate::degraded::Degraded;
use crate::document::id::ToolId;
use crate::index::Index;
use crate::query::QueryCut;
use crate::report::receipt::{ServerTokens, TokenReceipt};
use crate::settings::{InitialK, Ranker, Settings};

/// See [`Session::shape`].
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    order: Vec<usize>,
    has_started: bool,
    mcp_load: Option<String>,
    mcp_load_place: usize,
    host_mode: Option<String>,
    settings: Settings,
}

impl Session {
    /// The last selection; after restoring, what it would be.
    pub fn last_selection(&self, index: &Index) -> Option<Selection> {
        let restored = || (self.conversation.turn > 0).then(|| self.selection(index, &self.roster.known, Vec::new()));
        self.chosen.last.clone().or_else(restored)
    }

    /// Brings the last selection up to date after something was attached or taken away outside a turn.
    /// `before` holds the tools that were attached before.
    pub(crate) fn refresh(&mut self, index: &Index, before: &HashSet<ToolId>, by: (Ranker, Option<Degraded>, Option<QueryCut>)) {
        let rewrite = self.note_rewrite(index, false, None);
        self.charge(index, before, rewrite.as_ref(), Charged::Load);
        let (ranker, degraded, query_cut) = by;
        let now = self.selection(index, before, Vec::new());
        self.chosen.last = Some(Selection { ranker, degraded, rewrite, query_cut, ..now });
    }

    /// What is attached, by identity.
    pub fn known(&self) -> &HashSet<ToolId> {
        &self.roster.known
    }

    /// The selection as it stands. `before` holds the tools that were attached before.
    pub fn selection(&self, index: &Index, before: &HashSet<ToolId>, not_attached: Vec<NotAttached>) -> Selection {
        let candidates = index.candidates(&self.scope());
        let added = self.attached().filter(|attached| !before.contains(&attached.id));
        Selection {
            session_id: self.id.clone(),
            mode: self.gate().unwrap_or(GateMode::All),
            rule: self.chosen.gate.map(|gate| gate.rule),
            ranker: Ranker::Lexical,
            degraded: None,
            evidence: None,
            attached: self.attached().map(|attached| attached.name.clone()).collect(),
            directory: self.directory_now(index).map(|at| index.tools[at].name.clone()).collect(),
            added: added.map(|attached| attached.name.clone()).collect(),
            mcp_load: self.chosen.mcp_load.clone(),
            scoped_count: candidates.len(),
            turn: self.conversation.turn,
            frozen: self.frozen(),
            tokens: self.receipt(index, &candidates),
            not_attached,
            companions: self.companions(index, before),
            rewrite: None,
            unknown_host_mode: self.unknown_host_mode().map(str::to_owned),
            query_cut: None,
        }
    }

    /// Of the tools that were not attached before, those that others brought along.
    fn companions(&self, index: &Index, before: &HashSet<ToolId>) -> Vec<CompanionOf> {
        let name = |id: &ToolId| self.attached().find(|attached| attached.id == *id).map(|attached| attached.name.clone());
        let of_catalogue = |id: &ToolId| index.position(id).map(|at| index.tools[at].name.clone());
        let new = self.roster.brought.iter().filter(|(id, ..)| !before.contains(id));
        let companion = |(id, of, by): &(ToolId, ToolId, String)| {
            Some(CompanionOf { name: name(id)?, of: name(of).or_else(|| of_catalogue(of))?, by: by.clone() })
        };
        new.filter_map(companion).collect()
    }

    /// What is attached and usable now, in order: servers that are gone or out of scope are left out.
    pub fn usable<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = (&'a Attached, usize)> {
        // A limit that was lowered within the task holds too: the latest tools are left out.
        self.usable_of(index, self.gate().unwrap_or(GateMode::Dynamic))
    }

    /// As [`Session::usable`], with the room that another mode of the gate has.
    pub(super) fn usable_of<'a>(&'a self, index: &'a Index, gate: GateMode) -> impl Iterator<Item = (&'a Attached, usize)> {
        self.usable_of_any_number(index).take(self.room(gate).unwrap_or(usize::MAX))
    }

    /// As [`Session::usable`], without a limit.
    pub(super) fn usable_of_any_number<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = (&'a Attached, usize)> {
        let scope = self.scope();
        self.attached().filter_map(move |attached| {
            let position = index.position(&attached.id)?;
            index.is_usable(position, &scope).then_some((attached, position))
        })
    }

    /// What [`Session::tools`] depends on, beside the catalogue.
    pub fn shape(&self) -> Shape {
        Shape {
            order: self.roster.order.clone(),
            has_started: self.conversation.turn > 0,
            mcp_load: self.chosen.mcp_load.clone(),
            mcp_load_place: self.chosen.mcp_load_place,
            host_mode: self.host_mode.clone(),
            settings: self.settings.clone(),
        }
    }

    /// Whether definitions that were rendered with this shape are the same now, over the same catalogue.
    pub fn has_shape(&self, shape: &Shape) -> bool {
        self.roster.order == shape.order && self.shape() == *shape
    }

    /// The array of function definitions as JSON text: `mcp_load` first, then tools in order; where the task became
    /// dynamic later, `mcp_load` behind those that were there.
    pub fn tools(&self, index: &Index) -> String {
        crate::fault::point("rendering");
        let usable: Vec<(&str, &Tool)> = if self.conversation.turn == 0 {
            self.before_start(index)
        } else {
            self.usable(index).map(|(attached, at)| (attached.name.as_str(), &*index.tools[at].tool)).collect()
        };
        let place = self.place_of_mcp_load(index);
        let (detail, provider) = (self.settings.schema_detail, self.settings.provider);
        let size = usable.iter().map(|(name, tool)| tool.definition_bytes(name, detail, provider) + 1).sum::<usize>();
        let mut text = String::with_capacity(size + self.chosen.mcp_load.as_deref().map_or(0, str::len) + 3);
        text.push('[');
        let separate = |text: &mut String| text.push_str(if text.len() > 1 { "," } else { "" });
        for at in 0..=usable.len() {
            if let Some(mcp_load) = self.chosen.mcp_load.as_deref().filter(|_| at == place) {
                separate(&mut text);
                text.push_str(mcp_load);
            }
            if let Some((name, tool)) = usable.get(at) {
                separate(&mut text);
                tool.push_definition(name, detail, provider, &mut text);
            }
        }
        text.push(']');
        text
    }

    /// How many rendered tools stand before `mcp_load`.
    pub(crate) fn place_of_mcp_load(&self, index: &Index) -> usize {
        let before: HashSet<&ToolId> = self.attached().take(self.chosen.mcp_load_place).map(|tool| &tool.id).collect();
        if before.is_empty() { 0 } else { self.usable(index).filter(|(tool, _)| before.contains(&tool.id)).count() }
    }

    /// Before the first turn nothing was chosen: all tools in scope, as without a router, as many as the
    /// model's API takes.
    fn before_start<'a>(&self, index: &'a Index) -> Vec<(&'a str, &'a Tool)> {
        let tools = self.before_start_positions(index).into_iter().map(|at| &index.tools[at]);
        tools.map(|tool| (tool.name.as_str(), &*tool.tool)).collect()
    }

    pub(super) fn before_start_positions(&self, index: &Index) -> Vec<usize> {
        if self.settings.first_k() == InitialK::Fixed(0) {
            return Vec::new();
        }
        let room = self.room(GateMode::All).unwrap_or(usize::MAX);
        index.candidates(&self.scope()).into_iter().take(room).collect()
    }

    fn receipt(&self, index: &Index, candidates: &[usize]) -> TokenReceipt {
        let scope = index.in_scope(&self.scope());
        let attached: HashMap<usize, &str> = self.usable(index).map(|(attached, at)| (at, attached.name.as_str())).collect();
        let mut receipt = TokenReceipt {
            mcp_load: self.mcp_load_tokens(index),
            budget: self.budget(),
            ledger: self.told.ledger,
            ..TokenReceipt::default()
        };
        let in_scope: HashSet<usize> = candidates.iter().copied().collect();
        let servers = index.servers.iter().enumerate().filter(|(at, _)| scope.has_server(*at));
        for (_, server) in servers {
            let mut row = ServerTokens { server_name: server.name.clone(), scoped: 0, attached: 0, attached_count: 0 };
            for at in server.tools.clone().filter(|at| in_scope.contains(at)) {
                row.scoped += self.tokens_of(index, at);
                if let Some(name) = attached.get(&at) {
                    row.attached += index.tools[at].tool.token_count_as(name, self.settings.schema_detail);
                    row.attached_count += 1;
                }
            }
            receipt.scoped += row.scoped;
            receipt.attached += row.attached;
            receipt.servers.push(row);
        }
        receipt.directory = self.directory_tokens(index);
        receipt.saved = receipt.scoped.saturating_sub(receipt.attached + receipt.mcp_load + receipt.directory);
        receipt
    }
}
