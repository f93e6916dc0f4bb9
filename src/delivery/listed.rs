//! The directory in a message: signatures of tools that the model may ask for by name.

use super::fixed::printable;
use super::pair::Pair;
use super::request::{Request, ServerNews, Usable};
use super::track::Track;
use crate::catalogue::signatures::{ShownParameters, interfaces};
use crate::catalogue::tool::Tool;
use crate::document::id::ToolId;
use crate::settings::Delivery;

/// What the model reads before signatures.
const INTRODUCTION: &str = "Further tools, as TypeScript: in the interface of each server, a tool's name and its arguments";
/// What stands for arguments that are left out.
const OF_OPTIONAL: &str = " (/*…*/ stands for more optional ones)";
/// What names them.
const OF_NAMED: &str = " (/*a, b*/ names optional ones, … stands for more)";

/// What a directory shows of a tool: the definition of one that is loaded before it is called says the rest.
pub fn shown(delivery: Delivery) -> ShownParameters {
    if delivery == Delivery::Call { ShownParameters::Named } else { ShownParameters::Required }
}

/// Signatures with what a model is told of them.
pub fn described<'t>(tools: impl IntoIterator<Item = &'t Tool>, pair: Pair) -> String {
    let (tools, shown): (Vec<&Tool>, _) = (tools.into_iter().collect(), shown(pair.delivery));
    let optional = match shown {
        _ if !tools.iter().any(|tool| tool.signature_as(shown).is_shortened()) => "",
        ShownParameters::Named => OF_NAMED,
        _ => OF_OPTIONAL,
    };
    let interfaces = interfaces(tools, shown);
    let how = match pair.delivery {
        Delivery::Call => {
            format!("Call them with {}, named server.tool; {} with a name shows all of it.", pair.names.call(), pair.loader())
        }
        _ => format!("To use some, call {} with their names as server.tool, all in one call.", pair.loader()),
    };
    format!("{INTRODUCTION}{optional}. {how}\n{interfaces}")
}

impl Track {
    /// Adds a message on what is new in the directory, and what of it is gone. Tools that are attached, and that no list and no
    /// answer shows, stand first.
    pub(super) fn directory_news(&mut self, request: &Request<'_>, servers: &ServerNews) -> Vec<String> {
        let is_there = |id: &ToolId| request.directory.iter().chain(request.usable).any(|tool| tool.id == *id);
        let (kept, gone): (Vec<ToolId>, Vec<ToolId>) = std::mem::take(&mut self.listed).into_iter().partition(is_there);
        self.listed = kept;
        let unseen: Vec<&Usable> = request.usable.iter().filter(|tool| self.is_unseen(&tool.id)).collect();
        let lines = unseen.into_iter().chain(request.directory);
        let new: Vec<&Usable> = lines.filter(|tool| !self.listed.contains(&tool.id)).collect();
        self.listed.extend(new.iter().map(|tool| tool.id.clone()));
        let mut parts = Vec::new();
        if !new.is_empty() {
            parts.push(described(new.iter().map(|tool| &*tool.tool), self.pair));
        }
        let name = |id: &ToolId| format!("{}.{}", printable(&id.server_name), printable(&id.tool_name));
        let names: Vec<String> = gone.iter().filter(|id| !servers.covers(id)).map(name).collect();
        if !names.is_empty() {
            parts.push(format!("No longer available: {}.", names.join(", ")));
        }
        parts
    }

    /// Whether a tool that the task may use stands where no model reads it: declared for a search to find.
    fn is_unseen(&self, id: &ToolId) -> bool {
        self.pair.delivery.defers() && self.declared.iter().any(|declared| declared.id == *id && !declared.offered)
    }
}
