//! One task: its settings, its attached tools and their names.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::listed::Directory;
use super::origin::{Cause, Origin, Placed};
use super::pending::Beginning;
use super::seen::Seen;
use super::selection::{Gate, GateMode, Selection};
use super::told::Told;
use crate::catalogue::name::Names;
use crate::catalogue::scope::{Scope, Servers};
use crate::document::id::ToolId;
use crate::error::{ErrorKind, Result};
use crate::index::Index;
use crate::settings::Settings;
use crate::uses::before::UsedBefore;

/// Texts of a task that are remembered: the first, which says what it is about, and the latest.
const REMEMBERED_TEXTS: usize = 4;
/// The most of each: what a ranking reads of a request, cut short.
pub(super) const REMEMBERED_BYTES: usize = 4 * 1024;

/// Calls of one turn that a later one is remembered as coming after.
const REMEMBERED_CALLS: usize = 8;

/// Who brought a tool, of what one call brought.
pub(super) type Notes = Vec<(ToolId, ToolId, String)>;

/// A tool that a session attached, under the name that the model was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// The tool.
    pub id: ToolId,
    /// The name it was attached under; it stays, whatever happens to the catalogue.
    pub name: String,
}

/// Which settings a task has of its own; the others follow the router's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OwnSettings {
    /// All of them.
    #[default]
    All,
    /// These, by the name that callers use.
    Only(Vec<String>),
}

/// The tools of a task, attached or not, by the names that the model was told.
#[derive(Debug, Clone, Default)]
pub(super) struct Roster {
    /// Every tool that was ever attached: a name is given once.
    pub(super) all: Vec<Attached>,
    /// The attached ones, by their place in `all`, in the order of attachment.
    pub(super) order: Vec<usize>,
    pub(super) known: HashSet<ToolId>,
    /// How they came.
    pub(super) origins: HashMap<ToolId, Origin>,
    pub(super) names: Names,
    /// Tools that were unloaded: only `mcp_load` brings them back.
    pub(super) unloaded: HashSet<ToolId>,
    /// Tools of the parent task: of equal worth they come first.
    pub(super) preferred: HashSet<ToolId>,
    /// Tools that came along with others in the call under way.
    pub(super) brought: Notes,
}

/// What the task said and did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    pub(super) turn: usize,
    /// How many turns said something: `search_turns` counts those.
    pub(super) window: usize,
    /// What the last ranking of what the task said has seen.
    pub(super) seen: Seen,
    pub(super) first_text: String,
    pub(super) latest_texts: Vec<String>,
    /// The latest text that said something, but too little to choose by.
    pub(super) unsure_text: String,
    /// Tools that the task called: a compaction keeps them.
    pub(super) used: HashSet<ToolId>,
    /// Those that it called since its last text.
    pub(super) called: Vec<ToolId>,
    /// What tools were called after, in all tasks.
    pub(crate) used_before: Arc<UsedBefore>,
    pub(super) reroute_count: usize,
}

/// What was chosen for the task, and what it is offered beside that.
#[derive(Debug, Clone, Default)]
pub(super) struct Chosen {
    pub(super) gate: Option<Gate>,
    /// Settings or host mode changed since the gate was passed.
    pub(super) stale: bool,
    /// Whether the first selection was made.
    pub(super) selected: bool,
    pub(super) last: Option<Selection>,
    /// What became of the tools that the latest text was chosen from.
    pub(super) placed: Arc<[Placed]>,
    pub(super) mcp_load: Option<String>,
    /// How many attached tools stand before `mcp_load`: those that were shown when the task became dynamic.
    pub(super) mcp_load_place: usize,
    pub(super) directory: Directory,
}

/// The state of one task. All methods take the generation they work on; nothing here waits.
#[derive(Debug, Clone)]
pub struct Session {
    /// The session's id.
    pub id: String,
    /// The host's mode, by slug.
    pub host_mode: Option<String>,
    /// The servers that the host opened it for; `None` for all. The host mode narrows them further.
    pub servers: Option<Servers>,
    /// The settings that apply now.
    pub settings: Settings,
    /// Which of them are the task's own.
    pub own: OwnSettings,
    pub(super) roster: Roster,
    pub(crate) conversation: Conversation,
    pub(super) chosen: Chosen,
    pub(super) told: Told,
    /// First turns that are not answered yet.
    pub(super) beginning: Beginning,
    is_over: bool,
}

impl Session {
    /// A session before its first turn.
    pub fn new(id: String, host_mode: Option<String>, settings: Settings) -> Self {
        Self {
            id,
            host_mode,
            servers: None,
            settings,
            own: OwnSettings::All,
            roster: Roster::default(),
            conversation: Conversation::default(),
            chosen: Chosen::default(),
            told: Told::default(),
            beginning: Beginning::default(),
            is_over: false,
        }
    }

    /// The task is over, and the JavaScript engine collects its handle when it sees fit: nothing stays but the id, and no tool
    /// is in scope.
    pub fn let_go(&mut self) {
        let over = Self::new(std::mem::take(&mut self.id), None, Settings::default());
        *self = Self { servers: Some(Servers::default()), is_over: true, ..over };
    }

    /// Refuses a session that another thread closed since it was looked up.
    ///
    /// # Errors
    ///
    /// `ERR_SESSION_NOT_FOUND`.
    pub fn check_there(&self) -> Result<()> {
        if self.is_over { Err(ErrorKind::SessionNotFound { session_id: self.id.clone() }.into()) } else { Ok(()) }
    }

    /// Which servers this task may use: none while its host mode is unknown.
    pub fn scope(&self) -> Scope {
        let scope = match &self.host_mode {
            None => Scope::All,
            Some(mode) => self.settings.host_modes.get(mode).map_or_else(|| Scope::Only(Servers::default()), Scope::of_mode),
        };
        match &self.servers {
            Some(servers) => scope.within(servers),
            None => scope,
        }
    }

    /// The host's mode, when the settings do not have it.
    pub fn unknown_host_mode(&self) -> Option<&str> {
        self.host_mode.as_deref().filter(|mode| !self.settings.host_modes.contains_key(*mode))
    }

    /// Takes over the router's settings except for the task's own, and perhaps another host mode.
    pub fn follow(&mut self, settings: Settings, host_mode: Option<Option<String>>) {
        self.chosen.stale |= settings != self.settings;
        let is_same = (settings.provider, settings.delivery) == (self.settings.provider, self.settings.delivery);
        self.told.rendered = self.told.rendered.filter(|_| is_same);
        self.settings = settings;
        if let Some(mode) = host_mode {
            let is_another = mode != self.host_mode;
            self.chosen.stale |= is_another;
            self.conversation.seen.another_mode |= is_another;
            self.host_mode = mode;
        }
    }

    /// Tools attached now, in the order of attachment.
    pub fn attached(&self) -> impl ExactSizeIterator<Item = &Attached> + DoubleEndedIterator {
        self.roster.order.iter().map(|at| &self.roster.all[*at])
    }

    /// The definition of `mcp_load`, while the mode is dynamic.
    pub fn mcp_load(&self) -> Option<&str> {
        self.chosen.mcp_load.as_deref()
    }

    /// The turn, 0 before the first.
    pub fn turn(&self) -> usize {
        self.conversation.turn
    }

    /// What the gate decided, once it has been passed.
    pub fn gate(&self) -> Option<GateMode> {
        self.chosen.gate.map(|gate| gate.mode)
    }

    /// What the user or model last said: orders the tools of a server that is loaded by name.
    pub fn last_message(&self) -> &str {
        self.conversation.latest_texts.last().map_or("", String::as_str)
    }

    /// What a plan reads: the latest message, or while nothing is chosen all that was said.
    pub(super) fn read_now(&self) -> String {
        if self.chosen.selected { self.last_message().to_owned() } else { self.said() }
    }

    /// Remembers what was said. Never part of the saved state.
    pub(super) fn remember(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(REMEMBERED_BYTES)];
        if self.conversation.first_text.is_empty() {
            text.clone_into(&mut self.conversation.first_text);
        }
        self.conversation.latest_texts.push(text.to_owned());
        if self.conversation.latest_texts.len() > REMEMBERED_TEXTS {
            self.conversation.latest_texts.remove(0);
        }
    }

    /// What the task has said: its first text and the latest ones, each once.
    pub fn said(&self) -> String {
        self.said_in(&self.conversation.latest_texts)
    }

    /// The same without the last text; empty where there is no other.
    pub(super) fn said_before(&self) -> String {
        match self.conversation.latest_texts.split_last() {
            Some((last, rest)) if *last != self.conversation.first_text || !rest.is_empty() => self.said_in(rest),
            _ => String::new(),
        }
    }

    fn said_in(&self, latest: &[String]) -> String {
        let mut texts: Vec<&str> = vec![&self.conversation.first_text];
        texts.extend(latest.iter().map(String::as_str).filter(|text| *text != self.conversation.first_text));
        texts.join("\n")
    }

    /// Whether a tool is attached.
    pub fn is_attached(&self, id: &ToolId) -> bool {
        self.roster.known.contains(id)
    }

    /// The tool behind a provider name: of this session first, then of the catalogue.
    pub fn resolve(&self, index: &Index, name: &str) -> Option<ToolId> {
        let own = self.roster.names.resolve(name).map(|at| self.roster.all[at].id.clone());
        own.or_else(|| index.resolve(name).map(|at| index.tools[at].tool.id.clone()))
    }

    /// As [`Session::resolve`], for a call: a tool that is out of the task's scope or switched off is not found. One whose server
    /// is gone still has its name.
    pub fn resolve_in_scope(&self, index: &Index, name: &str) -> Option<ToolId> {
        self.resolve(index, name).filter(|id| self.why_out_of_scope(index, id).is_none())
    }

    /// Refuses a tool that the task may not use.
    ///
    /// # Errors
    ///
    /// `ERR_OUT_OF_SCOPE`.
    pub fn check_in_scope(&self, index: &Index, id: &ToolId) -> Result<()> {
        let Some(reason) = self.why_out_of_scope(index, id) else { return Ok(()) };
        let name = index.position(id).map_or_else(|| id.tool_name.clone(), |at| index.tools[at].name.clone());
        Err(ErrorKind::OutOfScope { name, reason }.into())
    }

    fn why_out_of_scope(&self, index: &Index, id: &ToolId) -> Option<String> {
        let scope = self.scope();
        if !scope.allows(&id.server_name) {
            return Some("the scope leaves its server out".to_owned());
        }
        if !scope.allows_tool(id) {
            return Some("the scope leaves it out".to_owned());
        }
        index.position(id).and_then(|at| index.tools[at].off).map(|off| off.to_string())
    }

    /// Attaches a tool, once, under a name that no other tool of this session has or had.
    pub(crate) fn attach(&mut self, index: &Index, position: usize, cause: Cause) {
        let tool = &index.tools[position];
        let id = &tool.tool.id;
        if !self.roster.known.insert(id.clone()) {
            return;
        }
        self.roster.unloaded.remove(id);
        let at = self.roster.all.iter().position(|attached| attached.id == *id).unwrap_or_else(|| {
            let name = self.roster.names.assign(&tool.name, &id.server_name, &id.tool_name, self.roster.all.len());
            self.roster.all.push(Attached { id: id.clone(), name });
            self.roster.all.len() - 1
        });
        self.roster.order.push(at);
        self.roster.origins.insert(id.clone(), Origin { turn: self.conversation.turn, cause });
        self.drop_unusable_over_limit(index);
    }

    /// A limit counts what waits for its server or scope too, once there is no room for both.
    pub(super) fn drop_unusable_over_limit(&mut self, index: &Index) {
        let most = self.settings.most_tools().unwrap_or(usize::MAX);
        while self.roster.order.len() > most {
            let Some(id) = self.first_unusable(index) else { break };
            self.detach(&id);
        }
    }

    /// The first attached tool that is not rendered now.
    fn first_unusable(&self, index: &Index) -> Option<ToolId> {
        let scope = self.scope();
        let is_usable = |id: &ToolId| index.position(id).is_some_and(|at| index.is_usable(at, &scope));
        self.attached().map(|tool| &tool.id).find(|id| !is_usable(id)).cloned()
    }

    /// Whether no tool was called since the last text.
    pub fn has_called_nothing(&self) -> bool {
        self.conversation.called.is_empty()
    }

    /// Remembers that the task called a tool.
    pub fn note_use(&mut self, tool: ToolId) {
        self.conversation.used_before.record(&tool, &self.conversation.called);
        if self.conversation.called.len() < REMEMBERED_CALLS && !self.conversation.called.contains(&tool) {
            self.conversation.called.push(tool.clone());
        }
        self.conversation.used.insert(tool);
    }

    /// Has tools of a parent task come first among equals.
    pub fn prefer(&mut self, tools: HashSet<ToolId>) {
        self.roster.preferred = tools;
    }

    /// Takes attached tools away; `false` for one that is not attached.
    pub(super) fn detach(&mut self, id: &ToolId) -> bool {
        let before = self.roster.order.iter().take(self.chosen.mcp_load_place);
        self.chosen.mcp_load_place -= before.filter(|at| self.roster.all[**at].id == *id).count();
        self.roster.order.retain(|at| self.roster.all[*at].id != *id);
        self.roster.known.remove(id)
    }

    /// Takes all attached tools away: another set is chosen.
    pub(super) fn detach_all(&mut self) {
        self.roster.order.clear();
        self.chosen.mcp_load_place = 0;
        self.roster.known.clear();
    }

    /// Names that other tools may not take: used when a saved session is read. What is not attached
    /// any more keeps its name.
    pub(crate) fn restore_attached(&mut self, tools: Vec<(Attached, bool)>) -> std::result::Result<(), String> {
        let mut seen = HashSet::new();
        for (entry, attached) in tools {
            if !seen.insert(entry.id.clone()) {
                return Err(format!("attached holds {} of {} twice", entry.id.tool_name, entry.id.server_name));
            }
            let given = self.roster.names.assign(&entry.name, &entry.id.server_name, &entry.id.tool_name, self.roster.all.len());
            if given != entry.name {
                return Err(format!("attached holds the name {} twice", entry.name));
            }
            if attached {
                self.roster.known.insert(entry.id.clone());
                self.roster.order.push(self.roster.all.len());
            }
            self.roster.all.push(entry);
        }
        Ok(())
    }
}
