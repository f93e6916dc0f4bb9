//! The answer to a call of `mcp_load`, as its provider and delivery take it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::fixed;
use super::pair::Pair;
use super::request::Usable;
use super::shape::{self, Place};
use super::track::{Declared, Track};
use crate::catalogue::name;
use crate::error::{Error, Result, shorten};
use crate::settings::{Delivery, Provider};

/// Functions of one namespace: models were trained on fewer than ten.
const MOST_OF_NAMESPACE: usize = 9;
/// The longest name of a server in a namespace's: room for a number within 64.
const MAX_NAMESPACE_BASE: usize = 48;
/// Unavailable names that are told one by one where they have one reason.
const MAX_ALIKE: usize = 3;
/// The longest result: a thousand names with their descriptions.
const MAX_RESULT_BYTES: usize = 1024 * 1024;

/// What `mcp_load` found: the fields of its result that a model is told.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LoadAnswer {
    /// Tools that the call attached.
    pub loaded: Vec<LoadedName>,
    /// Tools that had been attached before.
    pub already_attached: Vec<String>,
    /// What is unavailable.
    pub unavailable: Vec<UnavailableName>,
    /// Whether more matched.
    pub truncated: bool,
    /// How likely anything serves the search; absent where names were asked for.
    #[serde(skip_serializing)]
    pub evidence: Option<f64>,
    /// Set when it is doubtful that what was found fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// Set when nothing fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nothing_fits: Option<NothingFitsMessage>,
    /// Modules of the server that was asked for, or those that were listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<ModuleLine>,
    /// Tools of the server or module that were not attached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Tools that were found and not attached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<SignedName>,
    /// Tools that were taken away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unloaded: Vec<String>,
    /// Names to take away that were not attached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_attached: Vec<String>,
    /// What could be taken away, where there was no room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_unload: Vec<String>,
}

/// A module in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModuleLine {
    pub name: String,
    /// What is in it.
    pub description: String,
    /// How many tools it has.
    pub tool_count: usize,
    /// How many of them the task has.
    pub attached_count: usize,
}

/// A tool that was attached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadedName {
    /// The name to call.
    pub name: String,
    pub description: String,
    /// What the model reads instead of its definition.
    #[serde(skip_serializing)]
    pub signature: Option<String>,
}

/// A tool that was found and not attached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SignedName {
    /// The name to load.
    pub name: String,
    pub signature: String,
}

/// A tool that is unavailable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnavailableName {
    pub name: String,
    pub reason: String,
    pub near: Vec<String>,
}

/// What the model should do now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NothingFitsMessage {
    pub message: String,
}

impl LoadAnswer {
    /// Reads the result of a load from its JSON.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for another value, or one that is too large.
    pub fn read(text: &str) -> Result<Self> {
        let expected = "the result of load()";
        if text.len() > MAX_RESULT_BYTES {
            return Err(Error::invalid("answerLoad.result", format!("{expected}, at most {MAX_RESULT_BYTES} bytes"), text.len()));
        }
        let value: Value =
            serde_json::from_str(text).map_err(|_| Error::invalid("answerLoad.result", expected, shorten(text, 80)))?;
        if !value.get("loaded").is_some_and(Value::is_array) {
            return Err(Error::invalid("answerLoad.result", expected, shorten(text, 80)));
        }
        serde_json::from_value(value).map_err(|error| Error::invalid("answerLoad.result", expected, error))
    }

    /// Every tool of the answer that the model may call.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.loaded.iter().map(|tool| tool.name.as_str()).chain(self.already_attached.iter().map(String::as_str))
    }

    /// What is said beside definitions.
    pub(super) fn notes(&self, known: &[&str], pair: Pair) -> Vec<String> {
        let (loader, calls) = (pair.loader(), pair.delivery == Delivery::Call);
        let mut notes = Vec::new();
        if !known.is_empty() {
            notes.push(format!("You have these already: {}.", known.join(", ")));
        }
        for UnavailableName { name, reason, near } in &condensed(&self.unavailable) {
            let near = if near.is_empty() { String::new() } else { format!("; near names: {}", near.join(", ")) };
            let are = if name.contains(", ") { "are" } else { "is" };
            notes.push(format!("{name} {are} unavailable: {reason}{near}."));
        }
        if !self.may_unload.is_empty() {
            let names = self.may_unload.join(", ");
            notes.push(format!(
                "To free places, take away what you do not need: {loader} with the query \"unload: {names}\", or some of these."
            ));
        }
        if !self.modules.is_empty() {
            let line = |module: &ModuleLine| {
                let ModuleLine { name, description, tool_count, attached_count } = module;
                format!("{name} ({tool_count} tools, {attached_count} attached): {description}")
            };
            let lines: Vec<String> = self.modules.iter().map(line).collect();
            notes.push(format!("Modules; load one by name:\n{}", lines.join("\n")));
        }
        if !self.others.is_empty() {
            notes.push(format!("Not attached; load by name: {}.", self.others.join(", ")));
        } else if self.truncated && self.next.is_empty() {
            notes.push("More tools matched; ask more precisely for others.".to_owned());
        }
        if !self.next.is_empty() {
            let lines: Vec<&str> = self.next.iter().map(|tool| tool.signature.as_str()).collect();
            let call = format!("call them with {}, too", pair.names.call());
            let how = if calls { call.as_str() } else { "load the ones you need by name" };
            notes.push(format!("Also found, as signatures; {how}:\n{}", lines.join("\n")));
        }
        if !self.unloaded.is_empty() {
            notes.push(format!("Taken away: {}.", self.unloaded.join(", ")));
        }
        if !self.not_attached.is_empty() {
            notes.push(format!("Not attached before: {}.", self.not_attached.join(", ")));
        }
        notes.extend(self.doubt.clone());
        notes.extend(self.nothing_fits.iter().map(|nothing| nothing.message.clone()));
        notes
    }
}

/// Names without a hint, of which many have one reason, in one entry: each is read in every later request.
fn condensed(unavailable: &[UnavailableName]) -> Vec<UnavailableName> {
    let mut all: Vec<UnavailableName> = Vec::new();
    for tool in unavailable {
        let alike = |known: &UnavailableName| known.reason == tool.reason && known.near.is_empty() && tool.near.is_empty();
        let count = unavailable.iter().filter(|known| alike(known)).count();
        match all.iter().position(alike).filter(|_| count > MAX_ALIKE) {
            Some(at) if all[at].name.matches(", ").count() + 1 < MAX_ALIKE => {
                all[at].name = format!("{}, {}", all[at].name, tool.name);
            }
            Some(at) if !all[at].name.ends_with(" more") => {
                all[at].name = format!("{} and {} more", all[at].name, count - MAX_ALIKE);
            }
            Some(_) => {}
            None => all.push(tool.clone()),
        }
    }
    all
}

impl Track {
    /// The answer to a call of `mcp_load`: JSON text of an array of messages, items, blocks or parts.
    pub fn answer(&mut self, result: &LoadAnswer, usable: &[Usable], call_id: &str) -> String {
        let tools: Vec<&Usable> = result.names().filter_map(|name| usable.iter().find(|tool| tool.name == name)).collect();
        let Pair { provider, names, .. } = self.pair;
        let texts = |values: Vec<Value>| values.iter().map(Value::to_string).collect();
        let answer: Vec<String> = match self.pair.delivery {
            Delivery::Append | Delivery::Changes => {
                let told = LoadAnswer { unavailable: condensed(&result.unavailable), ..result.clone() };
                let text = serde_json::to_string(&told).unwrap_or_default();
                texts(vec![shape::tool_result(provider, names.load(), call_id, &text)])
            }
            Delivery::Call => {
                let text = self.as_text(result, &tools);
                texts(vec![shape::tool_result(provider, names.load(), call_id, &text)])
            }
            Delivery::Defer | Delivery::Program if provider == Provider::OpenaiResponses => {
                self.searched(result, &tools, call_id)
            }
            Delivery::Defer | Delivery::Program => texts(self.referenced(result, &tools, call_id)),
        };
        format!("[{}]", answer.join(","))
    }

    /// Tools that the model was not told yet, and names of the others. Within the limit of the model's API.
    pub(super) fn untold<'a>(&self, tools: &[&'a Usable]) -> (Vec<&'a Usable>, Vec<&'a str>) {
        let is_known = |tool: &Usable| {
            self.declared.iter().any(|known| known.id == tool.id && known.offered && (known.told.is_some() || !known.deferred))
        };
        let offered = self.declared.iter().filter(|declared| declared.offered).count();
        let room = self.room.map_or(usize::MAX, |room| (room + 1).saturating_sub(offered));
        let (known, new): (Vec<&Usable>, Vec<&Usable>) = tools.iter().copied().partition(|tool| is_known(tool));
        let room = if self.pair.delivery == Delivery::Call { usize::MAX } else { room };
        (new.into_iter().take(room).collect(), known.into_iter().map(|tool| tool.name.as_str()).collect())
    }

    /// Marks a tool as offered by a message.
    fn offer(&mut self, tool: &Usable) {
        if self.find(&tool.id).is_none() {
            self.declared.push(Declared::of(tool, true));
        }
        if let Some(declared) = self.find(&tool.id) {
            declared.deferred |= !declared.offered;
            (declared.offered, declared.named) = (true, true);
            declared.told = Some(tool.hash());
        }
    }

    /// References, which the provider expands in place.
    pub(super) fn referenced(&mut self, result: &LoadAnswer, tools: &[&Usable], call_id: &str) -> Vec<Value> {
        let (new, known) = self.untold(tools);
        for tool in &new {
            self.offer(tool);
        }
        let notes = result.notes(&known, self.pair).join("\n\n");
        if new.is_empty() {
            return vec![shape::tool_result(Provider::Anthropic, self.pair.names.load(), call_id, &notes)];
        }
        let references: Vec<Value> = new.iter().map(|tool| json!({ "type": "tool_reference", "tool_name": tool.name })).collect();
        let mut blocks = vec![json!({ "type": "tool_result", "tool_use_id": call_id, "content": references })];
        blocks.extend((!notes.is_empty()).then(|| json!({ "type": "text", "text": notes })));
        blocks
    }

    /// Definitions in namespaces, one or more per server.
    fn searched(&mut self, result: &LoadAnswer, tools: &[&Usable], call_id: &str) -> Vec<String> {
        let (new, known) = self.untold(tools);
        let mut by_server: Vec<(&str, Vec<&Usable>)> = Vec::new();
        for tool in &new {
            self.offer(tool);
            let server = tool.id.server_name.as_str();
            match by_server.iter_mut().find(|(name, _)| *name == server) {
                Some((_, tools)) => tools.push(tool),
                None => by_server.push((server, vec![tool])),
            }
        }
        // As text: schemas go out unchanged.
        let mut namespaces: Vec<String> = Vec::new();
        for (server, tools) in by_server {
            for tools in tools.chunks(MOST_OF_NAMESPACE) {
                let name = namespace_name(&mut self.namespaces, server);
                let function = |tool: &&Usable| self.declaration(&Declared::of(tool, true), Place::Deferred);
                let functions: Vec<String> = tools.iter().map(function).collect();
                let description = Value::from(format!("Tools of the MCP server {}.", fixed::printable(server)));
                namespaces.push(format!(
                    r#"{{"type":"namespace","name":"{name}","description":{description},"tools":[{}]}}"#,
                    functions.join(",")
                ));
            }
        }
        let output = format!(
            r#"{{"type":"tool_search_output","call_id":{},"execution":"client","status":"completed","tools":[{}]}}"#,
            Value::from(call_id),
            namespaces.join(",")
        );
        let notes = result.notes(&known, self.pair).join("\n\n");
        let notes = (!notes.is_empty()).then(|| shape::user_message(Provider::OpenaiResponses, &notes).to_string());
        [output].into_iter().chain(notes).collect()
    }
}

/// A name that no namespace of this conversation has.
fn namespace_name(given: &mut HashMap<String, usize>, server: &str) -> String {
    let safe = name::safe_part(server);
    let base = &safe[..safe.len().min(MAX_NAMESPACE_BASE)];
    let mut name = base.to_owned();
    let mut count = given.get(base).copied().unwrap_or(1);
    while given.contains_key(&name) {
        count += 1;
        name = format!("{base}_{count}");
    }
    given.insert(name.clone(), 1);
    given.insert(base.to_owned(), count);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_of_a_conversation_have_names_of_their_own() {
        let mut given = HashMap::new();
        let mut name = |server: &str| namespace_name(&mut given, server);
        assert_eq!([name("a"), name("a"), name("a_2"), name("a"), name("a_2")], ["a", "a_2", "a_2_2", "a_3", "a_2_3"]);
    }
}
