//! The directory in a message: signatures of tools that the model may ask for by name.

use serde_json::Value;

use super::answer::LoadAnswer;
use super::fixed::{self, printable};
use super::request::{Request, Usable};
use super::shape;
use super::track::{Rendered, Track};
use crate::catalogue::signatures::interfaces;
use crate::document::id::ToolId;
use crate::settings::Delivery;

/// What the model reads before signatures.
const INTRODUCTION: &str =
    "Further tools, as TypeScript: in the interface of each server, a tool's name and the type of its arguments.";
/// How it uses them where tools have to be loaded.
const TO_LOAD: &str = " To use some, call mcp_load with their names as server.tool, all in one call.";
/// And where tools are called by name.
const TO_CALL: &str = " Call them with mcp_call, named server.tool.";

/// Signatures with what a model is told of them.
#[must_use]
pub fn described(signatures: &str, delivery: Delivery) -> String {
    let how = if delivery == Delivery::Call { TO_CALL } else { TO_LOAD };
    format!("{INTRODUCTION}{how}\n{signatures}")
}

impl Track {
    /// The answer to a call of `mcp_load` where tools are called by text: found tools by their signatures, those that were
    /// asked for by name by their definitions, also where the model knows the signature already.
    pub(super) fn as_text(&mut self, result: &LoadAnswer, tools: &[&Usable]) -> String {
        let (mut new, mut known) = self.untold(tools);
        if result.evidence.is_none() {
            new.extend(
                tools.iter().copied().filter(|tool| known.contains(&tool.name.as_str()) && self.listed.contains(&tool.id)),
            );
            known.retain(|name| !new.iter().any(|tool| tool.name == *name));
        }
        let (mut signed, mut defined) = (Vec::new(), Vec::new());
        for tool in new {
            let loaded = result.loaded.iter().find(|loaded| loaded.name == tool.name);
            let definition = self.tell_one(tool);
            match loaded.and_then(|loaded| loaded.signature.clone()) {
                Some(signature) => {
                    self.listed.push(tool.id.clone());
                    signed.push(signature);
                }
                None => defined.push(definition),
            }
        }
        let news = [fixed::news(&defined, &[], &[]), fixed::signed(&signed)];
        let parts: Vec<String> = news.into_iter().flatten().chain(result.notes(&known)).collect();
        parts.join("\n\n")
    }

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
    let told = (!new.is_empty()).then(|| described(&interfaces(new.iter().map(|tool| &*tool.tool)), delivery));
    let name = |id: &ToolId| format!("{}.{}", printable(&id.server_name), printable(&id.tool_name));
    let names: Vec<String> = gone.iter().map(name).collect();
    let withdrawn = (!names.is_empty()).then(|| format!("No longer available: {}.", names.join(", ")));
    let parts: Vec<String> = told.into_iter().chain(withdrawn).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
