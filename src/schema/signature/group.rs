//! Signatures of several tools: an interface for each server, with the parameters that many of its tools share once.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::line::{SHARED, Signature};
use super::literal::{comment, is_plain};
use crate::text::terms::name_key;
use crate::text::tokens;

/// What naming them costs a tool: ` & ` and the name.
const COST_OF_NAMING: usize = 2;
/// A parameter that fewer tools have is not shared.
const FEWEST: usize = 3;
/// So many are shared at most.
const MOST_SHARED: usize = 8;
const MOST_OF_NAME: usize = 64;

/// What a name has behind it that no interface may have.
fn ending(name: &str) -> &'static str {
    match name {
        "any" | "arguments" | "as" | "async" | "await" | "bigint" | "boolean" | "break" | "case" | "catch" | "class"
        | "const" | "continue" | "debugger" | "declare" | "default" | "delete" | "do" | "else" | "enum" | "eval" | "export"
        | "extends" | "false" | "finally" | "for" | "function" | "if" | "implements" | "import" | "in" | "instanceof"
        | "interface" | "let" | "never" | "new" | "null" | "number" | "object" | "package" | "private" | "protected"
        | "public" | "return" | "static" | "string" | "super" | "switch" | "symbol" | "this" | "throw" | "true" | "try"
        | "type" | "typeof" | "undefined" | "unknown" | "var" | "void" | "while" | "with" | "yield" | "module" => "_",
        _ => "",
    }
}

/// Interfaces of one text: each server has a name of its own.
#[derive(Debug, Default)]
pub struct Groups {
    taken: HashSet<String>,
}

impl Groups {
    /// The interface of a server with these tools.
    pub fn interface(&mut self, server_name: &str, signatures: &[&Signature]) -> String {
        let (name, note) = self.name(server_name);
        let shared = shared(signatures);
        let mut text = format!("interface {name}");
        if !shared.is_empty() {
            let _ = write!(text, "<{SHARED} = {{{}}}>", shared.join(", "));
        }
        text.push_str(" {");
        text.push_str(&note);
        for signature in signatures {
            text.push('\n');
            text.push_str(&signature.text_beside(&shared));
        }
        text.push_str("\n}");
        text
    }

    /// The names of servers in one text, in their order.
    #[must_use]
    pub fn names(server_names: &[String]) -> Vec<String> {
        let mut groups = Self::default();
        server_names.iter().map(|server_name| groups.name(server_name).0).collect()
    }

    /// A name that no other server of this text has, and a word on what it stands for where it does not say so.
    fn name(&mut self, server_name: &str) -> (String, String) {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' };
        let mut base: String = server_name.chars().take(MOST_OF_NAME).map(safe).collect();
        if !is_plain(&base) {
            base.insert(0, '_');
        }
        base.push_str(ending(&base));
        let mut name = base.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}_{count}");
        }
        let note = if name_key(&name) == name_key(server_name) {
            String::new()
        } else {
            let shown: String = comment(server_name).chars().take(MOST_OF_NAME).collect();
            format!(" // server {shown}")
        };
        (name, note)
    }
}

/// The parameters that are best said once: from those that most tools have on, as many as save most. One alone saves next to
/// nothing, and reads worse.
fn shared<'a>(signatures: &[&'a Signature]) -> Vec<&'a str> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for text in signatures.iter().flat_map(|signature| &signature.parameters) {
        let at = *places.entry(text).or_insert_with(|| {
            counts.push((text, 0));
            counts.len() - 1
        });
        counts[at].1 += 1;
    }
    counts.retain(|(_, count)| *count >= FEWEST);
    // Stable: of equal counts, the one that stands first.
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut best: (usize, usize) = (0, 0);
    let mut chosen: Vec<&str> = Vec::new();
    let mut having: Vec<&Signature> = signatures.to_vec();
    for (text, _) in counts.iter().take(MOST_SHARED) {
        chosen.push(text);
        having.retain(|signature| signature.has(text));
        let once = tokens::count(&chosen.join(", "));
        let saved = (having.len() * once.saturating_sub(COST_OF_NAMING)).saturating_sub(once + COST_OF_NAMING + 3);
        if having.len() >= FEWEST && chosen.len() > 1 && saved > best.0 {
            best = (saved, chosen.len());
        }
    }
    chosen.truncate(best.1);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(name: &str, schema: &str) -> Signature {
        Signature::of(name, "", schema)
    }

    #[test]
    fn what_many_tools_share_is_said_once() {
        let schema = |more: &str| {
            format!(
                r#"{{"properties":{{"owner":{{"type":"string"}},"repo":{{"type":"string"}}{more}}},"required":["owner","repo"]}}"#
            )
        };
        let tools = [
            signature("list", &schema("")),
            signature("get", &schema(r#","number":{"type":"integer"}"#)),
            signature("close", &schema("")),
            signature("reopen", &schema("")),
            signature("whoami", "{}"),
        ];
        let text = Groups::default().interface("git hub", &tools.iter().collect::<Vec<_>>());
        assert_eq!(
            text,
            "interface git_hub<Shared = {owner: string, repo: string}> {\nlist: Shared\nget: Shared & {number?: number}\n\
             close: Shared\nreopen: Shared\nwhoami: {}\n}"
        );
    }
}
