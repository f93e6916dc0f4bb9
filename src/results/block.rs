//! A block of a result: which of it is text, which is data that nobody reads as text, and what is said beside both.

use serde_json::{Map, Value};

use crate::text::base64;

#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// What is searched. Data is text too where it can be read: some clients show it to their model.
    pub texts: Vec<String>,
    /// The block itself, where it can stay as it is: with data, or a link.
    pub kept: Option<Value>,
    /// What reaches a client beside texts and data: addresses, types, annotations, `_meta`, unknown members. Empty for nothing.
    pub aside: String,
}

/// Bytes of data by which it is told whether it is text.
const TELLING_BYTES: usize = 4_096;
/// What types of text contain.
const TEXTUAL: [&str; 13] =
    ["text/", "json", "xml", "yaml", "javascript", "ecmascript", "csv", "toml", "sql", "html", "markdown", "graphql", "x-sh"];

impl Block {
    /// As a server wrote it.
    pub fn of(block: Value) -> Self {
        let kind = block["type"].as_str().unwrap_or("");
        let strings = |at: &Value, keys: &[&str]| keys.iter().any(|key| at[*key].is_string());
        match kind {
            "text" if block["text"].is_string() => Self::of_members(&block, &block, &["text"], None),
            "image" | "audio" if block["data"].is_string() => Self::of_members(&block, &block, &[], Some("data")),
            "resource" if strings(&block["resource"], &["text", "blob"]) => {
                Self::of_members(&block, &block["resource"], &["text"], Some("blob"))
            }
            "resource_link" => Self { texts: Vec::new(), aside: block.to_string(), kept: Some(block) },
            _ => Self { texts: vec![block.to_string()], kept: None, aside: String::new() },
        }
    }

    /// Of a block whose `holder`, the block itself or a member of it, has texts and data by these keys.
    fn of_members(block: &Value, holder: &Value, texts: &[&str], data: Option<&str>) -> Self {
        let mut found: Vec<String> = texts.iter().filter_map(|key| holder[*key].as_str()).map(str::to_owned).collect();
        let mut taken: Vec<&str> = texts.to_vec();
        let given = data.and_then(|key| Some((key, holder[key].as_str()?)));
        let mut has_data = false;
        if let Some((key, given)) = given {
            match text_of(given, holder["mimeType"].as_str()) {
                Some(text) => found.push(text),
                None => has_data = true,
            }
            taken.push(key);
        }
        let bare = without(block, &taken);
        let aside = if bare.is_empty() { String::new() } else { Value::Object(bare).to_string() };
        let kept = has_data.then(|| stripped(block, texts));
        Self { texts: found, kept, aside }
    }
}

/// The members of a block without its type, and without some of it or of its resource. An empty resource is none.
fn without(block: &Value, taken: &[&str]) -> Map<String, Value> {
    let Value::Object(members) = block else { return Map::new() };
    let mut left = Map::new();
    for (key, value) in members {
        match value {
            _ if key == "type" || taken.contains(&key.as_str()) => {}
            Value::Object(_) if key == "resource" => {
                let inner = without(value, taken);
                if !inner.is_empty() {
                    left.insert(key.clone(), inner.into());
                }
            }
            _ => {
                left.insert(key.clone(), value.clone());
            }
        }
    }
    left
}

/// A block of data without the texts that a resource may have beside it: they are held.
fn stripped(block: &Value, texts: &[&str]) -> Value {
    let mut block = block.clone();
    if let Some(resource) = block.get_mut("resource").and_then(Value::as_object_mut) {
        resource.retain(|key, _| !texts.contains(&key.as_str()));
    }
    block
}

/// What data says, if it is text: by its type, by what it is, or as it is no base64 at all.
fn text_of(data: &str, mime_type: Option<&str>) -> Option<String> {
    let data = data.split_once(";base64,").filter(|(before, _)| before.starts_with("data:")).map_or(data, |(_, rest)| rest);
    let Some(beginning) = base64::decode(data, TELLING_BYTES) else { return Some(data.to_owned()) };
    let mime_type = mime_type.unwrap_or("").to_ascii_lowercase();
    let is_textual = TEXTUAL.iter().any(|each| mime_type.contains(each));
    if beginning.is_empty() || !(is_textual || is_readable(&beginning)) {
        return None;
    }
    Some(String::from_utf8_lossy(&base64::decode(data, usize::MAX)?).into_owned())
}

/// Whether these bytes, which may end within a character, are text: pictures and sounds never are.
fn is_readable(bytes: &[u8]) -> bool {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        Err(_) => return false,
    };
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `hello hello hello` in base64.
    const HELLO: &str = "aGVsbG8gaGVsbG8gaGVsbG8=";

    #[test]
    fn data_that_can_be_read_is_text_whatever_it_is_called() {
        for block in [
            json!({ "type": "image", "data": HELLO, "mimeType": "image/png" }),
            json!({ "type": "audio", "data": HELLO }),
            json!({ "type": "resource", "resource": { "uri": "a:b", "blob": HELLO, "mimeType": "application/octet-stream" } }),
            json!({ "type": "resource", "resource": { "blob": format!("data:text/plain;base64,{HELLO}") } }),
        ] {
            let made = Block::of(block.clone());
            assert_eq!((made.texts, made.kept), (vec!["hello hello hello".into()], None), "{block}");
        }
        let plain = Block::of(json!({ "type": "image", "data": "not base64, but words" }));
        assert_eq!(plain.texts, ["not base64, but words"]);
        let other =
            Block::of(json!({ "type": "resource", "resource": { "blob": "AAECAw==", "mimeType": "TEXT/Plain; charset=x" } }));
        assert_eq!((other.texts.len(), other.kept), (1, None));
    }

    #[test]
    fn what_stands_beside_texts_and_data_is_told() {
        let aside = |block: Value| Block::of(block).aside;
        assert_eq!(aside(json!({ "type": "text", "text": "x" })), "");
        assert_eq!(aside(json!({ "type": "text", "text": "x", "_meta": { "a": 1 } })), r#"{"_meta":{"a":1}}"#);
        assert_eq!(aside(json!({ "type": "image", "data": "AAAA", "mimeType": "m" })), r#"{"mimeType":"m"}"#);
        let both = json!({ "type": "resource", "resource": { "uri": "u", "text": "said", "blob": "AAAA" } });
        let made = Block::of(both);
        assert_eq!((made.texts, made.aside), (vec!["said".into()], r#"{"resource":{"uri":"u"}}"#.into()));
        assert_eq!(made.kept.unwrap(), json!({ "type": "resource", "resource": { "uri": "u", "blob": "AAAA" } }));
    }
}
