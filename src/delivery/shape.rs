//! Definitions and messages in the shapes of the providers' requests.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::settings::Provider;

/// A tool as its provider takes it, each part JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Definition<'a> {
    /// The name that the model calls, plain: it has no character that JSON escapes.
    pub name: &'a str,
    /// Its description, a JSON string.
    pub description: &'a str,
    /// Its input schema, a JSON object.
    pub schema: &'a str,
}

/// The definition of `mcp_load` as sessions keep it, taken apart.
#[derive(Deserialize)]
struct Chat<'a> {
    #[serde(borrow)]
    function: ChatFunction<'a>,
}

#[derive(Deserialize)]
struct ChatFunction<'a> {
    name: &'a str,
    #[serde(borrow)]
    description: &'a RawValue,
    #[serde(borrow)]
    parameters: &'a RawValue,
}

/// A definition of Chat Completions, taken apart; `None` for anything else.
pub fn of_chat(text: &str) -> Option<Definition<'_>> {
    let Chat { function } = serde_json::from_str(text).ok()?;
    Some(Definition { name: function.name, description: function.description.get(), schema: function.parameters.get() })
}

/// Where a definition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the list of tools.
    Listed,
    /// In the list, outside the prefix that the provider caches.
    Deferred,
}

/// Appends a definition in its provider's shape.
pub fn push(provider: Provider, definition: Definition<'_>, place: Place, out: &mut String) {
    let Definition { name, description, schema } = definition;
    let text = match provider {
        Provider::OpenaiChat => {
            format!(r#"{{"type":"function","function":{{"name":"{name}","description":{description},"parameters":{schema}}}"#)
        }
        Provider::OpenaiResponses => {
            format!(r#"{{"type":"function","name":"{name}","description":{description},"parameters":{schema},"strict":false"#)
        }
        Provider::Anthropic => {
            format!(r#"{{"name":"{name}","description":{description},"input_schema":{schema}"#)
        }
        Provider::Gemini => format!(r#"{{"name":"{name}","description":{description},"parametersJsonSchema":{schema}"#),
        Provider::Bedrock => {
            // Converse refuses an empty description, and takes a tool without one.
            let described = if description == "\"\"" { String::new() } else { format!(r#""description":{description},"#) };
            format!(r#"{{"toolSpec":{{"name":"{name}",{described}"inputSchema":{{"json":{schema}}}}}"#)
        }
        Provider::Vscode => format!(r#"{{"name":"{name}","description":{description},"inputSchema":{schema}"#),
    };
    out.push_str(&text);
    if place == Place::Deferred {
        out.push_str(r#","defer_loading":true"#);
    }
    out.push('}');
}

/// The value of a request's `tools`, from definitions in its shape.
pub fn list(provider: Provider, definitions: &[String]) -> String {
    if definitions.is_empty() {
        return "[]".to_owned();
    }
    let (open, close) = if provider == Provider::Gemini { (r#"[{"functionDeclarations":["#, "]}]") } else { ("[", "]") };
    let mut text = String::with_capacity(definitions.iter().map(|text| text.len() + 1).sum::<usize>() + 32);
    text.push_str(open);
    for (at, definition) in definitions.iter().enumerate() {
        text.push_str(if at > 0 { "," } else { "" });
        text.push_str(definition);
    }
    text.push_str(close);
    text
}

/// A message of the user's that holds a text.
pub fn user_message(provider: Provider, text: &str) -> Value {
    match provider {
        Provider::OpenaiChat | Provider::OpenaiResponses => json!({ "role": "user", "content": text }),
        Provider::Anthropic => json!({ "role": "user", "content": [{ "type": "text", "text": text }] }),
        Provider::Gemini => json!({ "role": "user", "parts": [{ "text": text }] }),
        Provider::Bedrock => json!({ "role": "user", "content": [{ "text": text }] }),
        // `LanguageModelChatMessageRole.User`.
        Provider::Vscode => json!({ "role": 1, "content": [{ "value": text }] }),
    }
}

/// The result of a call of a tool, as text.
pub fn tool_result(provider: Provider, tool: &str, call_id: &str, text: &str) -> Value {
    match provider {
        Provider::OpenaiChat => json!({ "role": "tool", "tool_call_id": call_id, "content": text }),
        Provider::OpenaiResponses => json!({ "type": "function_call_output", "call_id": call_id, "output": text }),
        Provider::Anthropic => json!({ "type": "tool_result", "tool_use_id": call_id, "content": text }),
        Provider::Gemini => json!({ "functionResponse": { "id": call_id, "name": tool, "response": { "output": text } } }),
        Provider::Bedrock => json!({ "toolResult": { "toolUseId": call_id, "content": [{ "text": text }] } }),
        Provider::Vscode => json!({ "callId": call_id, "content": [{ "value": text }] }),
    }
}
