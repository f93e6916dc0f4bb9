//! A session as JSON, for the host's task history, and back.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::listed::Directory;
use super::reroute::MAX_REROUTES;
use super::selection::{Gate, GateMode, GateRule};
use super::task::{Attached, OwnSettings, Session};
use crate::catalogue::name::is_name_of;
use crate::catalogue::scope::Servers;
use crate::delivery::{SavedTrack, Track};
use crate::document::id::ToolId;
use crate::error::{Error, ErrorKind, Result, shorten};
use crate::report::ledger::Ledger;
use crate::settings::{ROWS, Settings};

/// The version that is written, and the newest that is read.
pub const STATE_VERSION: u64 = 3;
/// The most attached tools of a state: with the kill switch a task has all there are, and each is looked up.
const MAX_ATTACHED: usize = 50_000;
/// Maximum number of tools that a state names: those that were unloaded keep their names.
const MAX_ROSTER: usize = 60_000;
/// The last turn of a state: a turn per second for a month.
const MAX_TURN: usize = 3_000_000;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedTool {
    server_name: String,
    tool_name: String,
    name: String,
    /// Not attached any more: its name is kept for its return.
    #[serde(default, skip_serializing_if = "is_false")]
    detached: bool,
    /// Taken away by name: no turn brings it back.
    #[serde(default, skip_serializing_if = "is_false")]
    unloaded: bool,
}

impl SavedTool {
    /// The tool, and whether it is attached.
    fn take_up(self, session: &mut Session) -> (Attached, bool) {
        let id = ToolId::new(self.server_name, self.tool_name);
        if self.unloaded {
            session.roster.unloaded.insert(id.clone());
        }
        (Attached { id, name: self.name }, !self.detached)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedSession {
    version: u64,
    session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host_mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    servers: Option<Servers>,
    gate: Option<GateMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<GateRule>,
    turn: usize,
    /// Turns that said something. Absent from states of versions 1 and 2, where each turn counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<usize>,
    /// Absent from states of version 1, where a turn always made the first selection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selected: Option<bool>,
    mcp_load: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    mcp_load_place: usize,
    /// The directory by rank, and how many of its tools stand in the text of `mcp_load`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    directory: Vec<ToolId>,
    #[serde(default, skip_serializing_if = "is_zero")]
    directory_in_text: usize,
    /// Tools whose signatures an answer told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    told: Vec<ToolId>,
    attached: Vec<SavedTool>,
    #[serde(default, skip_serializing_if = "is_zero")]
    reroute_count: usize,
    settings: Settings,
    /// The settings that are the task's own; absent when all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_settings: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    preferred: Vec<ToolId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    used: Vec<ToolId>,
    /// What the model was told; absent where every request was rendered by `tools()`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deliveries: Vec<SavedTrack>,
    /// What the model was last shown: places in `attached`, each with a hash of the definition. Absent from states of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shown: Option<Vec<(usize, String)>>,
    /// Absent while nothing was counted, and from states of before.
    #[serde(default, skip_serializing_if = "is_empty")]
    ledger: Ledger,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_empty(ledger: &Ledger) -> bool {
    *ledger == Ledger::default()
}

#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

fn invalid(detail: String) -> Error {
    ErrorKind::StateInvalid { detail }.into()
}

impl SavedSession {
    /// Refuses what no session would have saved; so many of its tools are attached.
    fn check(&self, attached: usize) -> Result<()> {
        if self.session_id.is_empty() {
            return Err(invalid("sessionId: expected text, got \"\"".into()));
        }
        check_names(&self.attached).map_err(invalid)?;
        let loader = self.settings.own_names.load();
        if self.gate == Some(GateMode::Dynamic) && !self.mcp_load.as_deref().is_some_and(|text| is_definition(text, loader)) {
            return Err(invalid(format!("mcpLoad: expected the definition of {loader} in dynamic mode")));
        }
        self.settings.check("settings").map_err(|error| invalid(error.to_string()).caused_by(error))?;
        let most = self.settings.most_tools().unwrap_or(MAX_ATTACHED).min(MAX_ATTACHED);
        for (field, most, got) in [
            ("turn", MAX_TURN, self.turn),
            ("window", self.turn, self.window.unwrap_or(0)),
            ("attached", most, attached),
            ("rerouteCount", MAX_REROUTES, self.reroute_count),
        ] {
            if got > most {
                return Err(invalid(format!("{field}: expected at most {most}, got {got}")));
            }
        }
        match (self.gate, self.turn) {
            (Some(_), 0) => {
                return Err(invalid("turn: expected 1 or more for a session that has passed the gate, got 0".into()));
            }
            (None, turn) if turn > 0 => {
                return Err(invalid(format!("turn: expected 0 for a session that has not passed the gate, got {turn}")));
            }
            (None, _) if attached > 0 => {
                return Err(invalid(format!("attached: expected no tools before the first turn, got {attached}")));
            }
            _ => {}
        }
        if let Some(fault) = self.ledger.fault() {
            return Err(invalid(format!("ledger.{fault}")));
        }
        Ok(())
    }
}

impl Session {
    /// The state as JSON text. It holds names and settings, never what a user or model said.
    ///
    /// # Panics
    ///
    /// Never: every field has a JSON form.
    pub fn to_json(&self) -> String {
        let saved_tool = |tool: &Attached, detached: bool| SavedTool {
            server_name: tool.id.server_name.clone(),
            tool_name: tool.id.tool_name.clone(),
            name: tool.name.clone(),
            detached,
            unloaded: self.roster.unloaded.contains(&tool.id),
        };
        let detached = self.roster.all.iter().filter(|tool| !self.roster.known.contains(&tool.id));
        let all: Vec<&Attached> = self.attached().chain(detached).collect();
        let places: HashMap<&ToolId, usize> = all.iter().enumerate().map(|(at, tool)| (&tool.id, at)).collect();
        let attached = all.iter().map(|tool| saved_tool(tool, !self.roster.known.contains(&tool.id)));
        let sorted = |tools: &HashSet<ToolId>| {
            let mut tools: Vec<ToolId> = tools.iter().cloned().collect();
            tools.sort();
            tools
        };
        let saved = SavedSession {
            version: STATE_VERSION,
            session_id: self.id.clone(),
            host_mode: self.host_mode.clone(),
            servers: self.servers.clone(),
            gate: self.chosen.gate.map(|gate| gate.mode),
            rule: self.chosen.gate.map(|gate| gate.rule),
            turn: self.conversation.turn,
            window: Some(self.conversation.window),
            selected: Some(self.chosen.selected),
            mcp_load: self.chosen.mcp_load.clone(),
            mcp_load_place: self.chosen.mcp_load_place,
            directory: self.chosen.directory.tools.clone(),
            directory_in_text: self.chosen.directory.in_text,
            told: self.chosen.directory.told.clone(),
            attached: attached.collect(),
            reroute_count: self.conversation.reroute_count,
            settings: self.settings.clone(),
            own_settings: match &self.own {
                OwnSettings::All => None,
                OwnSettings::Only(names) => Some(names.clone()),
            },
            preferred: sorted(&self.roster.preferred),
            used: sorted(&self.conversation.used),
            deliveries: self.told.tracks.iter().filter_map(Track::save).collect(),
            shown: self.saved_shown(|id| places.get(id).copied()),
            ledger: self.told.ledger,
        };
        serde_json::to_string(&saved).unwrap_or_default()
    }

    /// Reads a state back.
    ///
    /// # Errors
    ///
    /// `ERR_STATE_INVALID` for text that is damaged, `ERR_STATE_VERSION` for a later version.
    pub fn from_json(text: &str) -> Result<Self> {
        let unread = |error: serde_json::Error| invalid(error.to_string()).caused_by(error);
        let versioned: Versioned = serde_json::from_str(text).map_err(unread)?;
        if versioned.version > STATE_VERSION {
            return Err(ErrorKind::StateVersion { found: versioned.version, supported: STATE_VERSION }.into());
        }
        // serde takes a list for a struct; a saved state has none.
        let value: serde_json::Value = serde_json::from_str(text).map_err(unread)?;
        // Before each of them is looked at.
        let count = value["attached"].as_array().map_or(0, Vec::len);
        if count > MAX_ROSTER {
            return Err(invalid(format!("attached: expected at most {MAX_ROSTER} tools, got {count}")));
        }
        let tools = value["attached"].as_array().into_iter().flatten();
        if !tools.chain([&value, &value["settings"]]).all(serde_json::Value::is_object) {
            return Err(invalid("expected objects, got a list".into()));
        }
        let saved: SavedSession = serde_json::from_value(value).map_err(unread)?;
        let attached = saved.attached.iter().filter(|tool| !tool.detached).count();
        saved.check(attached)?;
        let own = match saved.own_settings {
            None => OwnSettings::All,
            Some(names) => {
                if let Some(name) = names.iter().find(|name| !ROWS.iter().any(|row| row.name == **name)) {
                    return Err(invalid(format!("ownSettings: expected names of settings, got {:?}", shorten(name, 80))));
                }
                OwnSettings::Only(names)
            }
        };
        let mut session = Self::new(saved.session_id, saved.host_mode, saved.settings);
        session.own = own;
        session.servers = saved.servers;
        let rule = saved.rule.unwrap_or(match saved.gate {
            Some(GateMode::Dynamic) => GateRule::OverThreshold,
            _ => GateRule::Threshold,
        });
        session.chosen.gate = saved.gate.map(|mode| Gate { mode, rule });
        session.conversation.turn = saved.turn;
        session.conversation.window = saved.window.unwrap_or(saved.turn);
        session.conversation.seen.is_restored = true;
        session.told.ledger = saved.ledger;
        session.conversation.reroute_count = saved.reroute_count;
        session.chosen.selected = saved.selected.unwrap_or(saved.gate == Some(GateMode::Dynamic) && attached > 0);
        session.chosen.mcp_load = saved.mcp_load.filter(|_| saved.gate == Some(GateMode::Dynamic));
        session.chosen.directory = Directory::restored(saved.directory, saved.directory_in_text, saved.told);
        session.roster.preferred = saved.preferred.into_iter().collect();
        session.conversation.used = saved.used.into_iter().collect();
        let tools: Vec<(Attached, bool)> = saved.attached.into_iter().map(|tool| tool.take_up(&mut session)).collect();
        let all: Vec<Attached> = tools.iter().map(|(tool, _)| tool.clone()).collect();
        session.restore_attached(tools).map_err(invalid)?;
        session.chosen.mcp_load_place = saved.mcp_load_place.min(session.roster.order.len());
        if let Some(shown) = saved.shown {
            session.restore_shown(&all, shown).map_err(invalid)?;
        }
        let tracks: std::result::Result<Vec<Track>, String> = saved.deliveries.into_iter().map(Track::restore).collect();
        session.told.tracks = tracks.map_err(invalid)?;
        Ok(session)
    }
}

/// A state is a file that others may have written: a tool in it has a name of its own, or none.
fn check_names(tools: &[SavedTool]) -> std::result::Result<(), String> {
    let is_own = |tool: &&SavedTool| is_name_of(&tool.name, &tool.server_name, &tool.tool_name);
    let Some(tool) = tools.iter().find(|tool| !is_own(tool)) else { return Ok(()) };
    let (name, of) = (shorten(&tool.name, 80), shorten(&tool.tool_name, 80));
    Err(format!("attached: expected a provider name of the tool {of:?}, got {name:?}"))
}

fn is_definition(text: &str, name: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value["function"]["name"] == name)
}
