//! What a model asks `mcp_load` for.

use serde_json::value::RawValue;

use super::json::{Members, Written, members, read as read_json, unwrapped};

/// Where models write what they look for, folded: the parameter, and those of other searches.
const QUERY: &str = "queries query q names name toolnames toolname tools tool needs need search searches text taskdescription \
    task description";
/// Where a call keeps its arguments.
const ARGUMENTS: [&str; 6] = ["arguments", "input", "args", "parameters", "params", "function"];
/// Queries in one call, each a need or a name.
const MAX_QUERIES: usize = 1_000;
/// Calls within calls.
const MAX_CALLS: usize = 4;

/// Reads what a model wrote into `mcp_load`, as its query.
/// Errors: the right form, for the model.
pub fn read(text: &str, tool: &str) -> Result<String, String> {
    let query = asked(&unwrapped(text), tool, MAX_CALLS).unwrap_or_default();
    if query.trim().is_empty() {
        return Err(format!(
            "Nothing was searched for. Call {tool} with {{\"query\": \"what you want to do\"}}, or with exact tool names in \"query\"."
        ));
    }
    Ok(query)
}

fn asked(text: &str, tool: &str, calls: usize) -> Option<String> {
    match read_json(text) {
        Written::Nothing | Written::Other => None,
        Written::List(list) => lines(&list),
        Written::Text(text) if text.starts_with(['{', '[']) => cut_off(&text),
        Written::Text(text) => Some(text.into_owned()),
        Written::Object(members) => {
            let value = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
            let is_call =
                value("type").is_some() || value("name").is_some_and(|name| text_of(name).is_some_and(|name| name == tool));
            let inner = ARGUMENTS.iter().find_map(|name| value(name)).filter(|_| calls > 0);
            if let Some(inner) = inner.filter(|_| is_call || looked_for(&members).next().is_none()) {
                return asked(&unwrapped(inner.get()), tool, calls - 1);
            }
            looked_for(&members).find_map(|value| {
                if let Written::List(list) = read_json(value.get()) {
                    return lines(&list);
                }
                let text = text_of(value).filter(|text| !text.trim().is_empty())?;
                // Arguments as text where words are expected.
                let is_json = calls > 0 && text.trim_start().starts_with(['{', '[', '"', '`']);
                is_json.then(|| asked(&unwrapped(&text), tool, calls - 1)).flatten().or(Some(text))
            })
        }
    }
}

/// The members that may say what is looked for, the likeliest first.
fn looked_for<'a>(members: &'a Members<'a>) -> impl Iterator<Item = &'a RawValue> {
    let folded = |key: &str| key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let mut found: Vec<(usize, &RawValue)> = members
        .iter()
        .filter_map(|(key, value)| Some((QUERY.split(' ').position(|name| name == folded(key))?, *value)))
        .collect();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, value)| value)
}

fn text_of(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Each element a line: a text, or an object that says one.
fn lines(list: &[&RawValue]) -> Option<String> {
    let one = |value: &&RawValue| text_of(value).or_else(|| looked_for(&members(value.get())?).find_map(text_of));
    let texts: Vec<String> = list.iter().take(MAX_QUERIES).filter_map(one).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The query of JSON that ends early.
fn cut_off(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("\"query\"").or_else(|| text.split_once("\"queries\""))?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().trim_start_matches('[').trim_start().strip_prefix('"')?;
    let mut end = rest.len();
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let written = rest[..end].trim_end_matches('\\');
    serde_json::from_str::<String>(&format!("\"{written}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_that_models_write_is_read() {
        for text in [
            r#"{"query":"create an issue"}"#,
            r#"{"queries":["create an issue"]}"#,
            r#"{"query":["create an issue"],"top_k":5}"#,
            r#"{"q":"create an issue"}"#,
            r#"{"names":"create an issue"}"#,
            r#"{"tool_names":["create an issue"]}"#,
            r#"{"name":"create an issue"}"#,
            r#"["create an issue"]"#,
            r#"[{"query":"create an issue"}]"#,
            r#""create an issue""#,
            "create an issue",
            r#"{"query": "create an issue"#,
            r#""{\"query\":\"create an issue\"}""#,
            "```json\n{\"query\":\"create an issue\"}\n```",
            r#"{"type":"tool_use","id":"t","name":"mcp_load","input":{"query":"create an issue"}}"#,
            r#"{"id":"c","type":"function","function":{"name":"mcp_load","arguments":"{\"query\":\"create an issue\"}"}}"#,
            r#"{"name":"mcp_load","arguments":{"query":"create an issue"}}"#,
            r#"{"arguments":{"query":"create an issue"}}"#,
            r#"{"input":"create an issue"}"#,
            r#"{"Query":"create an issue","limit":5}"#,
            r#"{"task_description":"create an issue"}"#,
            r#"{"query":"{\"queries\": [\"create an issue"}"#,
        ] {
            assert_eq!(read(text, "mcp_load").as_deref(), Ok("create an issue"), "{text}");
        }
        assert_eq!(read(r#"{"names":["a_b","c_d"]}"#, "mcp_load").as_deref(), Ok("a_b\nc_d"));
    }
}
