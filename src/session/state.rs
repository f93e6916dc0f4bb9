//! A session as JSON, for the host's task history, and back.

use serde::{Deserialize, Serialize};

use super::selection::GateMode;
use super::{Attached, Session};
use crate::catalogue::name::MAX_PROVIDER_NAME;
use crate::catalogue::tool::ToolId;
use crate::error::{Error, ErrorKind, Result, shorten};
use crate::settings::Settings;

/// The version that is written, and the newest that is read.
pub const STATE_VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedTool {
    server_name: String,
    tool_name: String,
    name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SavedSession {
    version: u64,
    session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host_mode: Option<String>,
    gate: Option<GateMode>,
    turn: usize,
    mcp_load: Option<String>,
    attached: Vec<SavedTool>,
    #[serde(default, skip_serializing_if = "is_zero")]
    reroute_count: usize,
    settings: Settings,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Deserialize)]
struct Versioned {
    version: u64,
}

impl Session {
    /// The state as JSON. It holds names and settings, never what a user or model said.
    ///
    /// # Panics
    ///
    /// Never: every field has a JSON form.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let attached = self.attached.iter().map(|attached| SavedTool {
            server_name: attached.id.server_name.clone(),
            tool_name: attached.id.tool_name.clone(),
            name: attached.name.clone(),
        });
        let saved = SavedSession {
            version: STATE_VERSION,
            session_id: self.id.clone(),
            host_mode: self.host_mode.clone(),
            gate: self.gate,
            turn: self.turn,
            mcp_load: self.mcp_load.clone(),
            attached: attached.collect(),
            reroute_count: self.reroute_count,
            settings: self.settings.clone(),
        };
        serde_json::to_value(saved).unwrap_or_default()
    }

    /// Reads a state back.
    ///
    /// # Errors
    ///
    /// `ERR_STATE_INVALID` for text that is damaged, `ERR_STATE_VERSION` for a later version.
    pub fn from_json(text: &str) -> Result<Self> {
        let invalid = |detail: String| Error::from(ErrorKind::StateInvalid { detail });
        let versioned: Versioned = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        if versioned.version > STATE_VERSION {
            return Err(ErrorKind::StateVersion { found: versioned.version, supported: STATE_VERSION }.into());
        }
        // serde takes a list for a struct; a state of ours has none.
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        let tools = value["attached"].as_array().into_iter().flatten();
        if !tools.chain([&value, &value["settings"]]).all(serde_json::Value::is_object) {
            return Err(invalid("expected objects, got a list".into()));
        }
        let saved: SavedSession = serde_json::from_value(value).map_err(|error| invalid(error.to_string()))?;
        if saved.session_id.is_empty() {
            return Err(invalid("sessionId: expected text, got \"\"".into()));
        }
        let is_name = |name: &str| {
            (1..=MAX_PROVIDER_NAME).contains(&name.len())
                && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'))
        };
        if let Some(tool) = saved.attached.iter().find(|tool| !is_name(&tool.name)) {
            return Err(invalid(format!(
                "attached: expected 1 to {MAX_PROVIDER_NAME} letters, digits, _ or -, got {:?}",
                shorten(&tool.name, 80)
            )));
        }
        if saved.gate == Some(GateMode::Dynamic) && !saved.mcp_load.as_deref().is_some_and(is_definition) {
            return Err(invalid("mcpLoad: expected the definition of mcp_load in dynamic mode".into()));
        }
        saved.settings.check("settings").map_err(|error| invalid(error.to_string()))?;
        let mut session = Self::new(saved.session_id, saved.host_mode, saved.settings);
        session.gate = saved.gate;
        session.turn = saved.turn;
        session.reroute_count = saved.reroute_count;
        session.mcp_load = saved.mcp_load.filter(|_| saved.gate == Some(GateMode::Dynamic));
        let attached = saved
            .attached
            .into_iter()
            .map(|tool| Attached { id: ToolId::new(tool.server_name, tool.tool_name), name: tool.name });
        session.restore_attached(attached.collect()).map_err(invalid)?;
        Ok(session)
    }
}

fn is_definition(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value["function"]["name"] == "mcp_load")
}
