//! `report_missing_capability`: the tool by which a model signals what it cannot do, where a host wants it offered.

use once_cell::sync::Lazy;
use serde_json::json;

use super::task::Session;

/// Its definition, the same for every task.
static DEFINITION: Lazy<String> = Lazy::new(|| {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let list = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    json!({
        "type": "function",
        "function": {
            "name": crate::delivery::REPORT_MISSING,
            "description": "Say that the tools you have, and mcp_load, cannot do what is missing. Servers that you did not \
                            try are searched. CONTINUE: go on from the checkpoint with the tools in the answer. \
                            INCOMPLETE or MAX_REROUTES_EXCEEDED: finish with what is done, and tell the user what is missing.",
            "parameters": {
                "type": "object",
                "properties": {
                    "original_query": text("What the user asked for."),
                    "missing_capability": text("What is missing, in a few words."),
                    "attempted_servers": list("Servers whose tools you tried."),
                    "completed_steps": list("What is done."),
                    "checkpoint": text("Where to go on from."),
                    "reasoning": text("Why you think so.")
                },
                "required": ["original_query", "missing_capability"],
                "additionalProperties": false
            }
        }
    })
    .to_string()
});

impl Session {
    /// The definition, where the settings have it offered and the task is dynamic.
    pub(super) fn report_missing(&self) -> Option<&'static str> {
        self.chosen.mcp_load.as_ref().and_then(|_| self.report_missing_always())
    }

    /// The definition where the settings have it offered, for deliveries whose list never changes.
    pub(super) fn report_missing_always(&self) -> Option<&'static str> {
        self.settings.missing_capability_tool.then_some(DEFINITION.as_str())
    }
}
