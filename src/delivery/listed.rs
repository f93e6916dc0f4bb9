//! The directory in a message: signatures of tools that the model may ask for by name.

use serde_json::Value;

use super::fixed::printable;
use super::request::{Request, Usable};
use super::shape;
use super::track::{Rendered, Track};
use crate::catalogue::signatures::{ShownParameters, interfaces};
use crate::catalogue::tool::Tool;
use crate::document::id::ToolId;
use crate::settings::Delivery;

/// What the model reads before signatures.
const INTRODUCTION: &str =
    "Further tools, as TypeScript: in the interface of each server, a tool's name and the type of its arguments.";
/// And before those of tools that are loaded first: the definition has the rest.
const INTRODUCTION_OF_REQUIRED: &str =
    "Further tools, as TypeScript: in the interface of each server, a tool's name and the arguments that it requires.";
/// How it uses them where tools have to be loaded.
const TO_LOAD: &str = " To use some, call mcp_load with their names as server.tool, all in one call.";
/// And where tools are called by name.
const TO_CALL: &str = " Call them with mcp_call, named server.tool.";

/// What a directory shows of a tool: the definition of one that is loaded before it is called says the rest.
#[must_use]
pub fn shown(delivery: Delivery) -> ShownParameters {
    if delivery == Delivery::Call { ShownParameters::Fitting } else { ShownParameters::Required }
}

/// Signatures with what a model is told of them.
#[must_use]
pub fn described<'t>(tools: impl IntoIterator<Item = &'t Tool>, delivery: Delivery) -> String {
    let shown = shown(delivery);
    let (what, how) = match shown {
        ShownParameters::Fitting => (INTRODUCTION, TO_CALL),
        ShownParameters::Required => (INTRODUCTION_OF_REQUIRED, TO_LOAD),
    };
    format!("{what}{how}\n{}", interfaces(tools, shown))
}

impl Track {
    /// Adds a message on what is new in the directory, and what of it is gone.
    pub(super) fn with_directory(&mut self, request: &Request<'_>, rendered: Rendered) -> Rendered {
        let is_there = |id: &ToolId| request.directory.iter().chain(request.usable).any(|tool| tool.id == *id);
        let (kept, gone): (Vec<ToolId>, Vec<ToolId>) = std::mem::take(&mut self.listed).into_iter().partition(is_there);
        self.listed = kept;
        let new: Vec<&Usable> = request.directory.iter().filter(|tool| !self.listed.contains(&tool.id)).collect();
        self.listed.extend(new.iter().map(|tool| tool.id.clone()));
        let Some(text) = news(&new, &gone, self.pair.delivery) else { return rendered };
        let Ok(Value::Array(mut messages)) = serde_json::from_str(&rendered.messages) else { return rendered };
        messages.push(shape::user_message(self.pair.provider, &text));
        Rendered { messages: Value::from(messages).to_string(), ..rendered }
    }
}

fn news(new: &[&Usable], gone: &[ToolId], delivery: Delivery) -> Option<String> {
    let told = (!new.is_empty()).then(|| described(new.iter().map(|tool| &*tool.tool), delivery));
    let name = |id: &ToolId| format!("{}.{}", printable(&id.server_name), printable(&id.tool_name));
    let names: Vec<String> = gone.iter().map(name).collect();
    let withdrawn = (!names.is_empty()).then(|| format!("No longer available: {}.", names.join(", ")));
    let parts: Vec<String> = told.into_iter().chain(withdrawn).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
