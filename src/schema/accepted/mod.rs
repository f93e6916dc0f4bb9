//! Schemas as providers take them: one tool with a schema that a provider refuses makes it refuse every request. Every way
//! out goes through here: `tools()`, all deliveries, the adapters and the gateway.
//!
//! | change | what is refused | by | source, and when it was seen |
//! | --- | --- | --- | --- |
//! | `type-added` | a root whose `type` is not `"object"` | all | types of the official packages, 2026-11; "schema must have type object" |
//! | `alternatives-merged` | `anyOf`, `oneOf`, `allOf` at the root | all | anthropics/claude-code 27337, langchain-ai/langchainjs 9804, 2026-11 |
//! | `reference-resolved` | a root that is a `$ref` | all | such a root has neither type nor properties, see there |
//! | `invalid-replaced` | what is no JSON Schema of 2020-12 | all | "must match JSON Schema draft 2020-12": anthropics/claude-code 86664, 2026-08; `OpenAI`: smallmain/vscode-unify-chat-provider 162, 2026-05 |
//! | `references-removed` | references to nothing | all | whoever compiles schemas; lbjlaq/Antigravity-Manager 952, 2026-01 |
//! | `surrogates-removed` | half of a surrogate pair, which is no text | all | RFC 8259, 8.2: readers refuse it or replace it |
//! | `depth-cut` | more than 127 levels | all | the bound of common readers of JSON |
//! | `items-added` | a list without `items` | `OpenAI`, VS Code | ruvnet/ruflo 1294, 2026-03; agentscope-ai/ReMe 84, 2026-01; nocobase/nocobase 9411, 2026-05 |
//! | `properties-added` | a root without `properties` | `OpenAI`, VS Code | inboxapi/cli 106, 2026-05; langchain-ai/langchain-mcp-adapters 137, 2025-05 |
//! | `conditions-removed` | `not`, `enum` at the root | `OpenAI`, VS Code | the same answer as for `anyOf`, which names all five |
//! | `patterns-removed` | a `pattern` that Python's `re` does not read | `OpenAI`, VS Code | "is not a 'regex'": BerriAI/litellm 40485, pleaseai/shunt 488, 2026-09 |
//! | `parameters-described` | names of the root's properties other than `^[a-zA-Z0-9_.-]{1,64}$` | Anthropic, Bedrock, VS Code | Anthropic answers 400 with this pattern; the other two pass requests on to it |
//!
//! What is changed accepts what the original accepts, and is told. Where nothing is refused, nothing is touched, byte by byte.

mod keywords;
mod names;
mod read;
mod references;
mod root;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::settings::Provider;
use walk::Walk;

/// Each round mends what the one before laid open: a part that was moved was referred to, and so on.
const MOST_ROUNDS: usize = 8;

/// What was changed in a schema; the table of the module says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// `type: "object"` was added, which says nothing new: arguments are an object.
    TypeAdded,
    /// Alternatives at the root became one object, which takes more.
    AlternativesMerged,
    /// The root is what it referred to.
    ReferenceResolved,
    /// What is no schema says nothing now.
    InvalidReplaced,
    /// References to nothing are gone.
    ReferencesRemoved,
    /// Halves of surrogate pairs are gone, with the parameters that are named by them.
    SurrogatesRemoved,
    /// What lay too deep may be anything.
    DepthCut,
    /// Lists have `items: {}`, which says nothing new.
    ItemsAdded,
    /// The root has `properties: {}`, which says nothing new.
    PropertiesAdded,
    /// `not` and `enum` at the root are gone.
    ConditionsRemoved,
    /// Patterns that the provider cannot read are gone.
    PatternsRemoved,
    /// Parameters with names that the provider refuses are in the description.
    ParametersDescribed,
}

impl Change {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 12] = [
        Self::TypeAdded,
        Self::AlternativesMerged,
        Self::ReferenceResolved,
        Self::InvalidReplaced,
        Self::ReferencesRemoved,
        Self::SurrogatesRemoved,
        Self::DepthCut,
        Self::ItemsAdded,
        Self::PropertiesAdded,
        Self::ConditionsRemoved,
        Self::PatternsRemoved,
        Self::ParametersDescribed,
    ];

    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeAdded => "type-added",
            Self::AlternativesMerged => "alternatives-merged",
            Self::ReferenceResolved => "reference-resolved",
            Self::InvalidReplaced => "invalid-replaced",
            Self::ReferencesRemoved => "references-removed",
            Self::SurrogatesRemoved => "surrogates-removed",
            Self::DepthCut => "depth-cut",
            Self::ItemsAdded => "items-added",
            Self::PropertiesAdded => "properties-added",
            Self::ConditionsRemoved => "conditions-removed",
            Self::PatternsRemoved => "patterns-removed",
            Self::ParametersDescribed => "parameters-described",
        }
    }
}

/// Which rules bind: those of the table that are not everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Those of `OpenAI`: `items`, `properties`, conditions, patterns.
    pub shape: bool,
    /// That of Anthropic: names of properties.
    pub names: bool,
}

impl Rules {
    /// Whoever a definition is passed on to.
    pub const ALL: Self = Self { shape: true, names: true };
    /// How many sets of rules there are.
    pub const SETS: usize = 4;

    /// The rules of a provider.
    #[must_use]
    pub fn of(provider: Provider) -> Self {
        let shape = matches!(provider, Provider::OpenaiChat | Provider::OpenaiResponses | Provider::Vscode);
        Self { shape, names: matches!(provider, Provider::Anthropic | Provider::Bedrock | Provider::Vscode) }
    }

    /// Its number, below [`Self::SETS`].
    #[must_use]
    pub fn number(self) -> usize {
        usize::from(self.shape) + 2 * usize::from(self.names)
    }
}

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
#[must_use]
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
