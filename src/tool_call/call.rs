//! A call of a tool as a model, a provider or a framework writes it.
//!
//! | where | the call | its arguments |
//! | --- | --- | --- |
//! | Chat Completions | `{ id, type, function: { name, arguments } }` | JSON text |
//! | Responses | `{ type: 'function_call', call_id, name, arguments }` | JSON text |
//! | Messages | `{ type: 'tool_use', id, name, input }` | an object |
//! | `generateContent` | `{ functionCall: { name, args } }` | an object |
//! | Converse | `{ toolUse: { toolUseId, name, input } }` | an object |
//! | `mcp_call`, and models by themselves | `{ name, arguments }`, `parameters`, or the arguments beside the name | either |
//!
//! Which members are arguments can only be said beside the tool's parameters: [`Call::arguments`].

use std::borrow::Cow;

use super::json::{Members, Written, is_flat_enough, members, read, twice, unwrapped};
use crate::error::shorten;

/// Where a tool's name stands, and where its server's.
const NAME: [&str; 6] = ["name", "tool", "tool_name", "toolName", "function", "function_name"];
const SERVER: [&str; 3] = ["server", "server_name", "serverName"];
/// What holds a call.
const HOLDERS: [&str; 7] = ["function", "functionCall", "function_call", "toolUse", "tool_use", "tool_call", "toolCall"];
/// What holds its arguments.
const ARGUMENTS: [&str; 8] = ["arguments", "input", "args", "parameters", "params", "arguments_json", "tool_input", "toolInput"];
/// What a provider writes beside a call.
const ENVELOPE: &str = "type id call_id callId tool_call_id toolCallId toolUseId tool_use_id index status caller \
    thought_signature thoughtSignature cache_control namespace title";
/// By these a provider's block is known, whose id and type are not the model's: a tool may have parameters of these names.
const BLOCK_TYPES: &str = "function function_call custom custom_tool_call tool_use server_tool_use mcp_tool_use tool_call \
    tool-call";
const BLOCK_IDS: [&str; 6] = ["call_id", "callId", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id"];
/// The longest call that is read.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Calls within calls.
const MAX_CALLS: usize = 5;
/// Parameters that are listed in an answer.
const MAX_LISTED: usize = 20;

/// A call, read as far as it can be without its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name as written, behind its server's where that is said apart.
    pub name: String,
    /// What may be its arguments, by the member that holds it: JSON text each.
    held: Vec<(String, String)>,
    /// Other members, which may be its arguments too.
    beside: Vec<(String, String)>,
}

/// What a tool takes, as far as that decides how a call is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    pub names: Vec<String>,
    /// Whether it takes members that are no parameters, or may: its schema says so, or says it in a way that is not looked into.
    pub is_open: bool,
}

impl Call {
    /// Reads a call: JSON of one, or JSON text. `through` is the tool that calls others by name: its arguments are the call.
    /// Errors: the right form, for the model.
    pub fn read(text: &str, through: &str) -> Result<Self, String> {
        let expected = "expected an object with the tool's \"name\" and its \"arguments\"";
        if text.len() > MAX_BYTES {
            return Err(format!("{expected}, of at most {MAX_BYTES} bytes, got {}", text.len()));
        }
        let mut text: String = unwrapped(text).into_owned();
        let mut is_held = false;
        for _ in 0..MAX_CALLS {
            let parsed = match read(&text) {
                Written::List(list) if list.len() == 1 => Err(list[0].get().to_owned()),
                Written::Object(members) => match holder(&members) {
                    Some(inner) => {
                        is_held = true;
                        Err(inner)
                    }
                    None => Ok(Self::of(&members, is_held, expected)?),
                },
                _ => return Err(format!("{expected}, got {}", shorten(&text, 80))),
            };
            match parsed {
                Err(inner) => text = unwrapped(&inner).into_owned(),
                Ok(call) if call.name == through => match call.inner() {
                    Some(inner) => (text, is_held) = (inner, false),
                    None => return Err(format!("{expected}, got {through} without them")),
                },
                Ok(call) => return Ok(call),
            }
        }
        Err(format!("{expected}, got calls within calls"))
    }

    fn of(members: &Members<'_>, is_held: bool, expected: &str) -> Result<Self, String> {
        let value = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value.get());
        let text = |names: &[&'static str]| {
            let found = names.iter().find_map(|name| Some((*name, serde_json::from_str::<String>(value(name)?).ok()?)));
            found.filter(|(_, text)| !text.trim().is_empty())
        };
        let Some((of_name, name)) = text(&NAME) else {
            let got = NAME.iter().find_map(|name| value(name));
            let got = got.map_or_else(|| "no name".to_owned(), |got| format!("the name {}", shorten(got, 80)));
            return Err(format!("{expected}, got {got}"));
        };
        let name = name.trim().to_owned();
        let said = text(&SERVER).map(|(key, server)| (key, server.trim().to_owned()));
        let is_qualified = |server: &str| name.strip_prefix(server).is_some_and(|rest| rest.starts_with(['.', '/', ':']));
        let is_whole = |server: &str| is_qualified(server) || name.starts_with("mcp--") || name.starts_with("mcp__");
        let whole = said.as_ref().filter(|(_, server)| !is_whole(server)).map(|(_, server)| format!("{server}.{name}"));
        let has_arguments = ARGUMENTS.iter().any(|name| value(name).is_some());
        let is_typed = text(&["type"]).is_some_and(|(_, kind)| is_one_of(BLOCK_TYPES, &kind));
        let is_block = is_held || is_typed || (has_arguments && BLOCK_IDS.iter().any(|name| value(name).is_some()));
        let (mut held, mut beside) = (Vec::new(), Vec::new());
        for (key, value) in members {
            let is_name = key == of_name || said.as_ref().is_some_and(|(of_server, _)| key == of_server);
            if ARGUMENTS.contains(&key.as_str()) {
                held.push((key.clone(), value.get().to_owned()));
            } else if !(is_name || is_block && is_one_of(ENVELOPE, key)) {
                beside.push((key.clone(), value.get().to_owned()));
            }
        }
        held.sort_by_key(|(key, _)| ARGUMENTS.iter().position(|name| name == key));
        Ok(Self { name: whole.unwrap_or(name), held, beside })
    }

    /// What `mcp_call` calls.
    fn inner(&self) -> Option<String> {
        let of = |(_, text): &(String, String)| Some(unwrapped(text).into_owned()).filter(|text| text.starts_with(['{', '[']));
        self.held.iter().find_map(of).filter(|text| text != "{}")
    }

    /// The arguments as JSON text of an object, each value as it was written.
    /// Errors: what is wrong, for the model, one sentence each. Arguments of which none is a parameter are no arguments.
    pub fn arguments(&self, known: &Parameters) -> Result<String, Vec<String>> {
        let is_parameter = |name: &str| known.names.iter().any(|parameter| parameter == name);
        let Held { chosen, mut strange, wrong } = self.held_arguments(known);
        let beside: Vec<&(String, String)> =
            self.beside.iter().chain(self.held.iter().filter(|(key, _)| is_parameter(key))).collect();
        let own: Vec<&str> = beside.iter().map(|(key, _)| key.as_str()).filter(|key| is_parameter(key)).collect();
        if let Some((text, names)) = chosen {
            let left: Vec<&str> =
                own.into_iter().filter(|key| !names.iter().any(|name| name == key) && !self.is_held(key)).collect();
            if !left.is_empty() {
                return Err(vec![format!("{} stands beside the arguments; put it into \"arguments\"", left.join(", "))]);
            }
            return once(text);
        }
        if let Some(wrong) = wrong {
            return Err(vec![wrong]);
        }
        let flat: Vec<&&(String, String)> =
            beside.iter().filter(|(key, _)| is_parameter(key) || !is_one_of(ENVELOPE, key)).collect();
        if !flat.is_empty() && (!own.is_empty() || known.is_open || known.names.is_empty()) && strange.is_empty() {
            let member = |(key, value): &&&(String, String)| format!("{}:{value}", serde_json::Value::from(key.as_str()));
            let members: Vec<String> = flat.iter().map(member).collect();
            return once(format!("{{{}}}", members.join(",")));
        }
        strange.extend(flat.iter().map(|(key, _)| key.clone()));
        if strange.is_empty() {
            return Ok("{}".to_owned());
        }
        strange.truncate(MAX_LISTED);
        let listed: Vec<String> = strange.iter().map(|name| shorten(name, 80)).collect();
        Err(vec![format!(
            "none of {} is a parameter of the tool; write {{\"name\": …, \"arguments\": {{…}}}}",
            listed.join(", ")
        )])
    }

    /// What the members hold that hold arguments.
    fn held_arguments(&self, known: &Parameters) -> Held {
        let is_parameter = |name: &str| known.names.iter().any(|parameter| parameter == name);
        let mut held = Held::default();
        for (key, text) in &self.held {
            let mut text: Cow<'_, str> = unwrapped(text);
            for _ in 0..MAX_CALLS {
                let Some(inner) = wrapped_again(&text, known) else { break };
                text = Cow::Owned(inner);
            }
            if is_parameter(key) && !is_object_of(&text, known) {
                continue; // the argument itself, beside the name
            }
            match read(&text) {
                Written::Nothing => {}
                Written::Object(members) => {
                    let names: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
                    if names.is_empty() {
                        continue;
                    }
                    if known.is_open || known.names.is_empty() || names.iter().any(|name| is_parameter(name)) {
                        held.chosen = held.chosen.or_else(|| Some((text.trim().to_owned(), names)));
                    } else {
                        held.strange.extend(names);
                    }
                }
                other => held.wrong = held.wrong.or_else(|| Some(not_an_object(&text, !matches!(other, Written::Text(_))))),
            }
        }
        held
    }

    fn is_held(&self, key: &str) -> bool {
        self.held.iter().any(|(held, _)| held == key)
    }
}

#[derive(Debug, Default)]
struct Held {
    /// The arguments, and the names of them.
    chosen: Option<(String, Vec<String>)>,
    /// Names of which none is a parameter.
    strange: Vec<String>,
    /// What is no object.
    wrong: Option<String>,
}

fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

fn holder(members: &Members<'_>) -> Option<String> {
    let found = HOLDERS.iter().find_map(|name| members.iter().find(|(key, _)| key == name));
    found.map(|(_, value)| value.get()).filter(|text| text.starts_with('{')).map(str::to_owned)
}

/// Arguments within arguments: `{ "arguments": { … } }` for a tool that has no such parameter.
fn wrapped_again(text: &str, known: &Parameters) -> Option<String> {
    if !text.starts_with('{') || !is_flat_enough(text) {
        return None;
    }
    let members = members(text)?;
    let [(name, value)] = members.as_slice() else { return None };
    let is_holder = ARGUMENTS.contains(&name.as_str()) && !known.is_open && !known.names.contains(name);
    let inner = unwrapped(value.get());
    (is_holder && inner.starts_with('{')).then(|| inner.into_owned())
}

/// Whether a text is an object that holds a parameter of the tool.
fn is_object_of(text: &str, known: &Parameters) -> bool {
    matches!(read(text), Written::Object(members) if members.iter().any(|(name, _)| known.names.contains(name)))
}

fn not_an_object(text: &str, is_json: bool) -> String {
    let got = if is_json { "" } else { "text that is not JSON: " };
    format!("arguments: expected an object, got {got}{}", shorten(text, 80))
}

/// Refuses a name that stands twice: the server may read the other value.
fn once(text: String) -> Result<String, Vec<String>> {
    match twice(&text) {
        Some(name) => Err(vec![format!("arguments: {} stands twice", shorten(&name, 80))]),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILTER: &str = r#"{"filter":"old","limit":12345678901234567890}"#;

    fn known() -> Parameters {
        Parameters { names: vec!["filter".into(), "limit".into(), "id".into()], is_open: false }
    }

    fn arguments(call: &str) -> Result<String, Vec<String>> {
        let call = Call::read(call, "mcp_call").map_err(|error| vec![error])?;
        assert_eq!(call.name, "mcp--s--clean");
        call.arguments(&known())
    }

    #[test]
    fn every_shape_that_is_written_holds_the_same_arguments() {
        let text = serde_json::Value::from(FILTER).to_string();
        for call in [
            format!(r#"{{"name":"mcp--s--clean","arguments":{FILTER}}}"#),
            format!(r#"{{"name":"mcp--s--clean","arguments":{text}}}"#),
            format!(r#"{{"name":"mcp--s--clean","input":{FILTER}}}"#),
            format!(r#"{{"name":"mcp--s--clean","args":{FILTER}}}"#),
            format!(r#"{{"name":"mcp--s--clean","parameters":{text}}}"#),
            format!(r#"{{"tool":"mcp--s--clean","arguments":{{"arguments":{FILTER}}}}}"#),
            format!(r#"{{"name":"mcp--s--clean","arguments":{{}},"input":{FILTER}}}"#),
            format!(r#"{{"type":"tool_use","id":"toolu_1","name":"mcp--s--clean","input":{FILTER}}}"#),
            format!(r#"{{"id":"c","type":"function","function":{{"name":"mcp--s--clean","arguments":{text}}}}}"#),
            format!(r#"{{"type":"function_call","call_id":"c","name":"mcp--s--clean","arguments":{text}}}"#),
            format!(r#"{{"functionCall":{{"name":"mcp--s--clean","args":{FILTER}}}}}"#),
            format!(r#"{{"toolUse":{{"toolUseId":"t","name":"mcp--s--clean","input":{FILTER}}}}}"#),
            format!(r#"{{"callId":"c","name":"mcp--s--clean","input":{FILTER}}}"#),
            format!(r#"{{"name":"mcp_call","arguments":{{"name":"mcp--s--clean","arguments":{FILTER}}}}}"#),
            format!(r#"{{"type":"tool_use","id":"t","name":"mcp_call","input":{{"name":"mcp--s--clean","input":{FILTER}}}}}"#),
            format!(r#"[{{"name":"mcp--s--clean","arguments":{FILTER}}}]"#),
            serde_json::Value::from(format!(r#"{{"name":"mcp--s--clean","arguments":{FILTER}}}"#)).to_string(),
            r#"{"name":"mcp--s--clean","filter":"old","limit":12345678901234567890}"#.to_owned(),
        ] {
            assert_eq!(arguments(&call).as_deref(), Ok(FILTER), "{call}");
        }
        assert_eq!(arguments(r#"{"name":"mcp--s--clean","id":"5"}"#).as_deref(), Ok(r#"{"id":"5"}"#));
        assert_eq!(arguments(r#"{"functionCall":{"id":"c","name":"mcp--s--clean"}}"#).as_deref(), Ok("{}"));
    }

    #[test]
    fn parameters_that_are_called_as_a_providers_own_fields_are_arguments_of_a_model() {
        let known = Parameters { names: vec!["type".into(), "call_id".into(), "id".into()], is_open: false };
        let arguments = |call: &str| Call::read(call, "mcp_call").unwrap().arguments(&known).unwrap();
        assert_eq!(arguments(r#"{"name":"t","type":"old"}"#), r#"{"type":"old"}"#);
        assert_eq!(arguments(r#"{"name":"t","call_id":"5"}"#), r#"{"call_id":"5"}"#);
        assert_eq!(
            arguments(r#"{"type":"function_call","call_id":"c","name":"t","arguments":{"type":"old"}}"#),
            r#"{"type":"old"}"#
        );
        assert_eq!(arguments(r#"{"type":"tool_use","id":"c","name":"t","input":{}}"#), "{}");
    }

    #[test]
    fn nothing_is_no_arguments() {
        for call in [
            r#"{"name":"mcp--s--clean"}"#,
            r#"{"name":"mcp--s--clean","arguments":""}"#,
            r#"{"name":"mcp--s--clean","arguments":"  "}"#,
            r#"{"name":"mcp--s--clean","arguments":null}"#,
            r#"{"name":"mcp--s--clean","arguments":"{}"}"#,
            r#"{"type":"tool_use","id":"t","name":"mcp--s--clean","input":{}}"#,
            r#"{"toolUse":{"toolUseId":"t","name":"mcp--s--clean","input":{}}}"#,
        ] {
            assert_eq!(arguments(call).as_deref(), Ok("{}"), "{call}");
        }
    }

    #[test]
    fn arguments_that_cannot_be_meant_are_no_call() {
        for (call, said) in [
            (r#"{"name":"mcp--s--clean","arguments":{"filtr":"x"}}"#, "none of filtr is a parameter"),
            (r#"{"name":"mcp--s--clean","filtr":"x"}"#, "none of filtr is a parameter"),
            (r#"{"name":"mcp--s--clean","arguments":{"limit":1},"filter":"x"}"#, "filter stands beside"),
            (r#"{"name":"mcp--s--clean","arguments":[1]}"#, "expected an object, got [1]"),
            (r#"{"name":"mcp--s--clean","arguments":"{\"filter\": \"ol"}"#, "not JSON"),
            (r#"{"name":"mcp--s--clean","arguments":{"filter":{"a":1,"a":2}}}"#, "stands twice"),
        ] {
            assert!(arguments(call).unwrap_err().join("").contains(said), "{call}: {:?}", arguments(call));
        }
    }

    #[test]
    fn what_is_no_call_is_told_the_right_form() {
        for call in ["", "x", "[]", "5", "{}", r#"{"name":5}"#, r#"{"arguments":{}}"#, r#"{"name":"mcp_call"}"#] {
            assert!(Call::read(call, "mcp_call").unwrap_err().contains("the tool's \"name\""), "{call}");
        }
        assert!(Call::read(&"[".repeat(1_000_000), "mcp_call").is_err());
    }

    #[test]
    fn a_server_that_is_said_apart_stands_before_the_name() {
        let name = |call| Call::read(call, "mcp_call").unwrap().name;
        assert_eq!(name(r#"{"server_name":"files","tool_name":"read","arguments":{}}"#), "files.read");
        assert_eq!(name(r#"{"server":"files","name":"mcp--files--read"}"#), "mcp--files--read");
        assert_eq!(name(r#"{"server":"files","tool":"files_read"}"#), "files.files_read");
        assert_eq!(name(r#"{"server":"files","tool":"files.read"}"#), "files.read");
    }
}
