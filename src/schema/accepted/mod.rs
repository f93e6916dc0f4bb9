//! Schemas as providers take them: one tool with a schema that a provider refuses makes it refuse every request. Every way
//! out goes through here: `tools()`, all deliveries, the adapters and the gateway.
//!
//! | change | what is refused | by | source, and when it was seen |
//! | --- | --- | --- | --- |
//! | `type-added` | a root whose `type` is not `"object"` | all | types of the official packages, 2026-11; "schema must have type object" |
//! | `alternatives-merged` | `anyOf`, `oneOf`, `allOf` at the root | all | anthropics/claude-code 27337, langchain-ai/langchainjs 9804, 2026-11 |
//! | `reference-resolved` | a root that is a `$ref` | all | such a root has neither type nor properties, see there |
//! | `invalid-replaced` | what JSON Schema of 2020-12 does not know | all | "must match JSON Schema draft 2020-12": anthropics/claude-code 86664, 2026-08; `OpenAI`: smallmain/vscode-unify-chat-provider 162, 2026-05 |
//! | `references-removed` | references to nothing | all | whoever compiles schemas; lbjlaq/Antigravity-Manager 952, 2026-01 |
//! | `surrogates-removed` | half of a surrogate pair, which is no text | all | RFC 8259, 8.2: readers refuse it or replace it |
//! | `depth-cut` | more than 127 levels | all | the bound of common readers of JSON |
//! | `items-added` | a list without `items` | `OpenAI`, VS Code | ruvnet/ruflo 1294, 2026-03; agentscope-ai/ReMe 84, 2026-01; nocobase/nocobase 9411, 2026-05 |
//! | `properties-added` | a root without `properties` | `OpenAI`, VS Code | inboxapi/cli 106, 2026-05; langchain-ai/langchain-mcp-adapters 137, 2025-05 |
//! | `conditions-removed` | `not`, `enum` at the root | `OpenAI`, VS Code | the same answer as for `anyOf`, which names all five |
//! | `booleans-replaced` | `true` or `false` where a schema stands, except for further properties | all | can1357/oh-my-pi 4488, mezmo/aura 358, 2026-07 |
//! | `numbers-removed` | whole numbers beyond 64 bits | Anthropic, Bedrock, VS Code | "int too big to convert": RevenueCat/ai-toolkit 26, windmill-labs/windmill 9116 |
//! | `patterns-removed` | a `pattern` that Python's `re` or the grammars of local engines do not read | `OpenAI`, VS Code | "is not a 'regex'": BerriAI/litellm 40485, pleaseai/shunt 488, 2026-09; codefuturist/email-mcp 58, containers/kubernetes-mcp-server 758 |
//! | `parameters-described` | names of the root's properties other than `^[a-zA-Z0-9_.-]{1,64}$` | Anthropic, Bedrock, VS Code | Anthropic answers 400 with this pattern; the other two pass requests on to it |
//!
//! What is changed accepts what the original accepts, and is told. Where nothing is refused, nothing is touched, byte by byte.

mod keywords;
mod names;
mod read;
mod references;
mod root;
mod rules;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::BTreeSet;

use serde_json::{Value, json};

pub use rules::{Change, Rules};
use walk::Walk;

/// Each round mends what the previous round laid open: a part that was moved was referred to, and so on.
const MOST_ROUNDS: usize = 8;

/// A definition as a provider takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Its description.
    pub description: String,
    /// Its schema, a JSON object.
    pub schema: String,
    /// What was changed.
    pub changes: Vec<Change>,
}

/// Makes a definition one that a provider takes; `None` where it is one as it stands.
pub fn accepted(rules: Rules, description: &str, schema: &str) -> Option<Accepted> {
    let mut changes = BTreeSet::new();
    let mut root = read::value(schema, &mut changes);
    let is_mended = (0..MOST_ROUNDS).any(|_| !round(&mut root, rules, &mut changes));
    if !is_mended {
        root = json!({ "type": "object", "properties": {} });
    }
    let described = if rules.names { names::describe_odd(&mut root, description) } else { None };
    if described.is_some() {
        changes.insert(Change::ParametersDescribed);
    }
    if changes.is_empty() {
        return None;
    }
    let schema = read::text(&root, &changes);
    let description = described.unwrap_or_else(|| description.to_owned());
    Some(Accepted { description, schema, changes: changes.into_iter().collect() })
}

/// One pass over the schema. Whether it changed something.
fn round(root: &mut Value, rules: Rules, changes: &mut BTreeSet<Change>) -> bool {
    let mut walk = Walk::new(root, rules);
    walk.schema(root);
    root::mend(root, &mut walk);
    walk.loosen(root);
    let is_changed = !walk.changes.is_empty();
    changes.extend(walk.changes);
    is_changed
}
