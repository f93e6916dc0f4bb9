//! The file of one server.
//!
//! ```text
//! named: slack, slack-mcp                     what users call it
//! from: slack-mcp-server 1.2.0                whose tools were looked at; `checked:` and `written:` as well
//!
//! post_message: list_channels, search_users   a tool, and what is usually called before it, the surest first
//!   tell the team | post the update           what developers say, for the vectors that come with the model
//! old_tool (gone 2.0.0)                       a tool that a later version does not have
//! ```

use std::collections::HashMap;

use crate::text::terms::name_key;

/// What is known of one server.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KnownServer {
    /// What users call it, without case and separators.
    pub names: Vec<String>,
    /// Its tools, each with what is usually called before it.
    pub tools: HashMap<String, Vec<String>>,
}

const HEADER: [&str; 4] = ["named", "from", "written", "checked"];

/// Reads a file; the first line that does not belong there is the error.
pub fn parse(text: &str) -> Result<KnownServer, String> {
    let (header, body) = text.split_once("\n\n").ok_or("expected a header, an empty line, and tools")?;
    let mut server = KnownServer::default();
    for line in header.lines() {
        let (key, value) = line.split_once(": ").ok_or_else(|| line.to_owned())?;
        if !HEADER.contains(&key) || value.trim().is_empty() {
            return Err(line.to_owned());
        }
        if key == "named" {
            server.names.extend(value.split(',').map(name_key).filter(|name| !name.is_empty()));
        }
    }
    let mut has_tool = false;
    for line in body.lines() {
        if let Some(said) = line.strip_prefix("  ") {
            if !has_tool || said.trim().is_empty() {
                return Err(line.to_owned());
            }
            continue;
        }
        let (tool, first) = line.split_once(": ").unwrap_or((line, ""));
        let tool = tool.split_once(" (gone ").map_or(tool, |(tool, _)| tool);
        let first = first.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let is_new = !tool.is_empty() && !tool.contains(char::is_whitespace);
        if !is_new || server.tools.insert(tool.to_owned(), first).is_some() {
            return Err(line.to_owned());
        }
        has_tool = true;
    }
    if server.names.is_empty() || server.tools.is_empty() { Err("expected `named` and tools".into()) } else { Ok(server) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_a_server_is_called_and_what_comes_before_its_tools() {
        let text =
            "named: slack, Slack MCP\nfrom: x 1.0.0\nwritten: today, by us\n\nb\n  say b | and b\na: b, c\nc (gone 2.0.0): b\n";
        let server = parse(text).unwrap();
        assert_eq!(server.names, ["slack", "slackmcp"]);
        assert_eq!(server.tools["a"], ["b", "c"]);
        assert_eq!(server.tools["c"], ["b"]);
        assert!(server.tools["b"].is_empty() && server.tools.len() == 3);
    }

    #[test]
    fn what_is_not_in_the_format_is_told() {
        for (text, told) in [
            ("", "expected a header"),
            ("named: a\n\n", "expected `named`"),
            ("from: a 1\n\nx\n", "expected `named`"),
            ("named: a\nby: us\n\nx\n", "by: us"),
            ("named: a\n\n  said before a tool\n", "  said before a tool"),
            ("named: a\n\nx\nx: y\n", "x: y"),
            ("named: a\n\ntwo words\n", "two words"),
            ("named: a\n\nx\n\ny\n", ""),
        ] {
            assert!(parse(text).unwrap_err().contains(told), "{text:?}");
        }
    }
}
