//! One task: its attached tools, which only ever grow, and its window of ranked turns.

pub mod evidence;
pub mod mcp_load;
pub mod reroute;
pub mod selection;
pub mod state;

use std::collections::{HashMap, HashSet};

use crate::catalogue::name::Names;
use crate::catalogue::scope::Scope;
use crate::catalogue::tool::{Tool, ToolId};
use crate::index::Index;
use crate::ranking::query::Naming;
use crate::ranking::{RankedTool, Ranking};
use crate::report::tokens;
use crate::settings::{InitialK, Policy, Settings};
use selection::{GateMode, NotAttached, NotAttachedReason, Selection};

/// A tool that a session attached, under the name that the model was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// The tool.
    pub id: ToolId,
    /// The name it was attached under; it stays, whatever happens to the catalogue.
    pub name: String,
}

/// The state of one task. All methods take the generation they work on; nothing here waits.
#[derive(Debug, Clone)]
pub struct Session {
    /// The session's id.
    pub id: String,
    /// The host's mode, by slug.
    pub host_mode: Option<String>,
    /// The settings, fixed when the session was opened.
    pub settings: Settings,
    attached: Vec<Attached>,
    known: HashSet<ToolId>,
    names: Names,
    gate: Option<GateMode>,
    turn: usize,
    mcp_load: Option<String>,
    last_message: String,
    last_selection: Option<Selection>,
    reroute_count: usize,
}

impl Session {
    /// A session before its first turn.
    #[must_use]
    pub fn new(id: String, host_mode: Option<String>, settings: Settings) -> Self {
        Self {
            id,
            host_mode,
            settings,
            attached: Vec::new(),
            known: HashSet::new(),
            names: Names::default(),
            gate: None,
            turn: 0,
            mcp_load: None,
            last_message: String::new(),
            last_selection: None,
            reroute_count: 0,
        }
    }

    /// Which servers this task may use.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.host_mode.as_ref().and_then(|mode| self.settings.modes.get(mode)).map(Scope::of_mode).unwrap_or_default()
    }

    /// Tools attached so far, in the order of attachment.
    #[must_use]
    pub fn attached(&self) -> &[Attached] {
        &self.attached
    }

    /// The definition of `mcp_load`, while the mode is dynamic.
    #[must_use]
    pub fn mcp_load(&self) -> Option<&str> {
        self.mcp_load.as_deref()
    }

    /// The turn, 0 before the first.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// The mode, once the gate has been passed.
    #[must_use]
    pub fn gate(&self) -> Option<GateMode> {
        self.gate
    }

    /// What the user or model last said: orders the tools of a server that is loaded by name.
    #[must_use]
    pub fn last_message(&self) -> &str {
        &self.last_message
    }

    /// The last selection; after restoring, what it would be.
    #[must_use]
    pub fn last_selection(&self, index: &Index) -> Option<Selection> {
        let restored = || (self.turn > 0).then(|| self.selection(index, self.attached.len(), Vec::new()));
        self.last_selection.clone().or_else(restored)
    }

    /// Brings the last selection up to date after `mcp_load` attached something.
    pub(crate) fn refresh_loaded(&mut self, index: &Index, loaded: &mcp_load::LoadResult) {
        let now = self.selection(index, self.attached.len() - loaded.loaded.len(), Vec::new());
        self.last_selection =
            Some(Selection { ranker: loaded.ranker, degraded: loaded.degraded, query_cut: loaded.query_cut, ..now });
    }

    /// The same after a ranking attached `added` tools outside a turn.
    pub(crate) fn refresh(&mut self, index: &Index, added: usize, ranking: &Ranking) {
        let now = self.selection(index, self.attached.len() - added, Vec::new());
        let Ranking { ranker, degraded, query_cut, .. } = *ranking;
        self.last_selection = Some(Selection { ranker, degraded, query_cut, ..now });
    }

    /// Whether no later turn attaches anything by itself.
    #[must_use]
    pub fn frozen(&self) -> bool {
        self.turn >= self.settings.search_turns.max(1) || self.settings.turn_k == 0
    }

    /// Whether this turn needs a ranking, and of how many tools.
    #[must_use]
    pub fn ranking_wanted(&self, index: &Index) -> Option<usize> {
        let next = self.turn + 1;
        if self.attached.is_empty() || self.gate.is_none() {
            let count = index.candidates(&self.scope()).len();
            let all = self.gate_of(index, count) == GateMode::All;
            // All of them are attached in catalogue order; only a hard limit needs a ranking.
            return (!all || self.room(GateMode::All).is_some_and(|room| room < count)).then_some(count);
        }
        self.turn_attaches(next).then_some(self.settings.turn_k + self.attached.len() + 1)
    }

    fn turn_attaches(&self, turn: usize) -> bool {
        self.settings.turn_k > 0 && turn <= self.settings.search_turns
    }

    /// Takes the next turn. `ranking` answers for [`Session::ranking_wanted`].
    pub fn advance(&mut self, index: &Index, message: &str, ranking: Option<&Ranking>) -> Selection {
        self.turn += 1;
        message.clone_into(&mut self.last_message);
        let candidates = index.candidates(&self.scope());
        let before = self.attached.len();
        let mut not_attached = Vec::new();
        // While nothing was rendered no prefix can break, so the gate is passed again: a task may
        // start before its servers are connected.
        if self.attached.is_empty() && self.gate != Some(GateMode::Dynamic) {
            let gate = self.gate_of(index, candidates.len());
            self.gate = Some(gate);
            self.mcp_load =
                (gate == GateMode::Dynamic).then(|| mcp_load::definition(index, &self.scope(), self.settings.server_list_tokens));
        }
        match self.gate {
            Some(GateMode::All) if before == 0 || self.gate_of(index, candidates.len()) == GateMode::All => {
                self.attach_all(index, &candidates, ranking, &mut not_attached);
            }
            _ if before == 0 => self.attach_first(index, &candidates, ranking, &mut not_attached),
            _ if self.turn_attaches(self.turn) => self.attach_step(index, ranking, &mut not_attached),
            _ => {}
        }
        let mut selection = self.selection(index, before, not_attached);
        if let Some(ranking) = ranking {
            selection.ranker = ranking.ranker;
            selection.degraded = ranking.degraded;
            selection.query_cut = ranking.query_cut;
        }
        self.last_selection = Some(selection.clone());
        selection
    }

    fn gate_of(&self, index: &Index, count: usize) -> GateMode {
        let settings = &self.settings;
        // A curator keeps k tools or all of them: there is no other threshold.
        let threshold = match settings.policy {
            Policy::Auto => settings.threshold,
            Policy::Curator => settings.curation.limit().unwrap_or(usize::MAX),
        };
        let few = count <= threshold || settings.search_turns == 0;
        if few {
            return GateMode::All;
        }
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let small = settings.context_share > 0.0
            && settings.context_window.is_some_and(|window| {
                let scoped: usize = index.candidates(&self.scope()).iter().map(|at| index.tools[*at].tool.token_count()).sum();
                (scoped as f64) < settings.context_share * window as f64
            });
        if small { GateMode::All } else { GateMode::Dynamic }
    }

    /// How many MCP tools the model's API has room for; `None` without a limit.
    fn room(&self, gate: GateMode) -> Option<usize> {
        let mcp_load = usize::from(gate == GateMode::Dynamic);
        self.settings.max_tools.map(|most| most.saturating_sub(self.settings.native_tool_count + mcp_load))
    }

    pub(crate) fn has_room(&self) -> bool {
        self.room(self.gate.unwrap_or(GateMode::Dynamic)).is_none_or(|room| self.attached.len() < room)
    }

    /// Whether a tool is attached.
    #[must_use]
    pub fn is_attached(&self, id: &ToolId) -> bool {
        self.known.contains(id)
    }

    /// The tool behind a provider name: of this session first, then of the catalogue.
    #[must_use]
    pub fn resolve(&self, index: &Index, name: &str) -> Option<ToolId> {
        let own = self.names.resolve(name).map(|at| self.attached[at].id.clone());
        own.or_else(|| index.resolve(name).map(|at| index.tools[at].tool.id.clone()))
    }

    /// Attaches a tool, once, under a name that no tool of this session has.
    pub(crate) fn attach(&mut self, index: &Index, position: usize) {
        let tool = &index.tools[position];
        let id = &tool.tool.id;
        if !self.known.insert(id.clone()) {
            return;
        }
        let name = self.names.assign(&tool.name, &id.server_name, &id.tool_name, self.attached.len());
        self.attached.push(Attached { id: id.clone(), name });
    }

    fn attach_all(&mut self, index: &Index, candidates: &[usize], ranking: Option<&Ranking>, left: &mut Vec<NotAttached>) {
        let room = self.room(GateMode::All).unwrap_or(usize::MAX).saturating_sub(self.attached.len());
        let new: Vec<usize> = candidates.iter().copied().filter(|at| !self.is_attached(&index.tools[*at].tool.id)).collect();
        let chosen: HashSet<usize> = if new.len() <= room {
            new.iter().copied().collect()
        } else {
            // Pins first, then the best; attached in catalogue order all the same.
            let pins = new.iter().copied().filter(|at| index.tools[*at].always_load);
            let ranked = ranking.into_iter().flat_map(|ranking| ranking.tools.iter().map(|tool| tool.position));
            let mut seen = HashSet::new();
            pins.chain(ranked).chain(new.iter().copied()).filter(|at| new.contains(at) && seen.insert(*at)).take(room).collect()
        };
        for at in new {
            if chosen.contains(&at) {
                self.attach(index, at);
            } else {
                left.push(NotAttached::new(index, at, NotAttachedReason::OverLimit));
            }
        }
    }

    fn attach_first(&mut self, index: &Index, candidates: &[usize], ranking: Option<&Ranking>, left: &mut Vec<NotAttached>) {
        let room = self.room(GateMode::Dynamic).unwrap_or(usize::MAX);
        let mut budget = self.settings.token_budget.unwrap_or(usize::MAX);
        let pins = candidates.iter().map(|at| (*at, index.tools[*at].always_load)).filter(|(_, pinned)| *pinned);
        let named = |naming: Naming| naming != Naming::None;
        let ranked =
            ranking.into_iter().flat_map(|ranking| ranking.tools.iter().map(|tool| (tool.position, named(tool.shares.naming))));
        let most = match self.settings.first_k() {
            InitialK::Fixed(most) => most,
            InitialK::Auto => ranking.map_or(0, |ranking| evidence::first_count(ranking, |at| index.tools[at].always_load)),
        };
        let mut seen = HashSet::new();
        let mut counted = 0;
        for (at, pinned) in pins.chain(ranked) {
            if !pinned && counted >= most {
                break;
            }
            if !seen.insert(at) {
                continue;
            }
            let tokens = index.tools[at].tool.token_count_as(&index.tools[at].name);
            if self.attached.len() >= room {
                // Only pins are reported: what a limit leaves of the ranking is what K leaves.
                if pinned {
                    left.push(NotAttached::new(index, at, NotAttachedReason::OverLimit));
                }
            } else if tokens > budget {
                left.push(NotAttached::new(index, at, NotAttachedReason::OverBudget));
            } else {
                budget -= tokens;
                counted += usize::from(!pinned);
                self.attach(index, at);
            }
            if self.attached.len() >= room && !pinned {
                let cut = most - counted;
                if cut > 0 {
                    self.report_cut(index, ranking, cut, left);
                }
                break;
            }
        }
    }

    /// Reports the tools that K would have taken and the hard limit did not.
    fn report_cut(&self, index: &Index, ranking: Option<&Ranking>, most: usize, left: &mut Vec<NotAttached>) {
        let reported: HashSet<ToolId> = left.iter().map(|tool| tool.id.clone()).collect();
        let ranked = ranking.into_iter().flat_map(|ranking| ranking.tools.iter().map(|tool| tool.position));
        let cut = ranked.filter(|at| {
            let id = &index.tools[*at].tool.id;
            !self.is_attached(id) && !reported.contains(id)
        });
        left.extend(cut.take(most).map(|at| NotAttached::new(index, at, NotAttachedReason::OverLimit)));
    }

    /// Attaches what a later turn adds: its best tools that are not attached yet, named ones first of all.
    fn attach_step(&mut self, index: &Index, ranking: Option<&Ranking>, left: &mut Vec<NotAttached>) {
        let Some(ranking) = ranking else { return };
        let named = |tool: &RankedTool| tool.shares.naming != Naming::None;
        let (looked_at, most) = match self.settings.first_k() {
            // A task that began with all tools has no room to share, nor `mcp_load` to ask for more.
            InitialK::Auto if self.gate == Some(GateMode::Dynamic) => {
                let pinned = |tool: &Attached| index.position(&tool.id).is_some_and(|at| index.tools[at].always_load);
                let chosen = self.attached.iter().filter(|tool| !pinned(tool)).count();
                (evidence::turn_count(ranking), self.settings.turn_k.min(evidence::turn_room(chosen)))
            }
            _ => (usize::MAX, self.settings.turn_k),
        };
        let of_rank = ranking.tools.iter().filter(|tool| !named(tool)).take(looked_at).filter(|tool| tool.shares.supported);
        let new = of_rank.filter(|tool| !self.is_attached(&index.tools[tool.position].tool.id)).take(most);
        let new: HashSet<usize> = new.map(|tool| tool.position).collect();
        for tool in ranking.tools.iter().filter(|tool| named(tool) || new.contains(&tool.position)) {
            if self.is_attached(&index.tools[tool.position].tool.id) {
                continue;
            }
            if self.has_room() {
                self.attach(index, tool.position);
            } else {
                left.push(NotAttached::new(index, tool.position, NotAttachedReason::OverLimit));
            }
        }
    }

    /// The selection as it stands. `before` is how many tools were attached before.
    #[must_use]
    pub fn selection(&self, index: &Index, before: usize, not_attached: Vec<NotAttached>) -> Selection {
        let names: Vec<String> = self.attached.iter().map(|attached| attached.name.clone()).collect();
        let candidates = index.candidates(&self.scope());
        Selection {
            session_id: self.id.clone(),
            mode: self.gate.unwrap_or(GateMode::All),
            ranker: crate::ranking::Ranker::Lexical,
            degraded: None,
            added: names[before..].to_vec(),
            attached: names,
            mcp_load: self.mcp_load.clone(),
            scoped_count: candidates.len(),
            turn: self.turn,
            frozen: self.frozen(),
            tokens: self.receipt(index, &candidates),
            not_attached,
            query_cut: None,
        }
    }

    /// What is attached and usable now, in order: servers that are gone or out of scope are left out.
    pub fn usable<'a>(&'a self, index: &'a Index) -> impl Iterator<Item = (&'a Attached, usize)> {
        let scope = self.scope();
        self.attached.iter().filter_map(move |attached| {
            let position = index.position(&attached.id)?;
            (index.tools[position].off.is_none() && scope.allows(&attached.id.server_name)).then_some((attached, position))
        })
    }

    /// The array of function definitions as JSON text: `mcp_load` first, then tools in order.
    #[must_use]
    pub fn tools(&self, index: &Index) -> String {
        let usable: Vec<(&str, &Tool)> =
            self.usable(index).map(|(attached, at)| (attached.name.as_str(), &*index.tools[at].tool)).collect();
        let size = usable.iter().map(|(name, tool)| tool.definition_bytes(name) + 1).sum::<usize>();
        let mut text = String::with_capacity(size + self.mcp_load.as_deref().map_or(0, str::len) + 3);
        text.push('[');
        if let Some(mcp_load) = &self.mcp_load {
            text.push_str(mcp_load);
        }
        for (name, tool) in usable {
            if text.len() > 1 {
                text.push(',');
            }
            tool.push_definition(name, &mut text);
        }
        text.push(']');
        text
    }

    fn receipt(&self, index: &Index, candidates: &[usize]) -> tokens::TokenReceipt {
        let scope = self.scope();
        let attached: HashMap<usize, &str> = self.usable(index).map(|(attached, at)| (at, attached.name.as_str())).collect();
        let mut receipt =
            tokens::TokenReceipt { mcp_load: self.mcp_load.as_deref().map_or(0, tokens::count), ..Default::default() };
        let in_scope: HashSet<usize> = candidates.iter().copied().collect();
        for server in index.servers.iter().filter(|server| scope.allows(&server.name)) {
            let mut row = tokens::ServerTokens { server_name: server.name.clone(), scoped: 0, attached: 0, attached_count: 0 };
            for at in server.tools.clone().filter(|at| in_scope.contains(at)) {
                row.scoped += index.tools[at].tool.token_count_as(&index.tools[at].name);
                if let Some(name) = attached.get(&at) {
                    row.attached += index.tools[at].tool.token_count_as(name);
                    row.attached_count += 1;
                }
            }
            receipt.scoped += row.scoped;
            receipt.attached += row.attached;
            receipt.servers.push(row);
        }
        receipt.saved = receipt.scoped.saturating_sub(receipt.attached + receipt.mcp_load);
        receipt
    }

    /// Names that other tools may not take: used when a saved session is read.
    pub(crate) fn restore_attached(&mut self, attached: Vec<Attached>) -> Result<(), String> {
        for entry in attached {
            if !self.known.insert(entry.id.clone()) {
                return Err(format!("attached holds {} of {} twice", entry.id.tool_name, entry.id.server_name));
            }
            let given = self.names.assign(&entry.name, &entry.id.server_name, &entry.id.tool_name, self.attached.len());
            if given != entry.name {
                return Err(format!("attached holds the name {} twice", entry.name));
            }
            self.attached.push(entry);
        }
        Ok(())
    }
}
