//! The definition of a tool as a model's API takes it, at each detail and for each provider.

use super::definition::{ByRules, DEFINITION_HEAD, Shown};
use super::host_schema;
use super::tool::Tool;
use crate::schema;
use crate::schema::accepted::{Accepted, Change, Rules, accepted};
use crate::settings::{Provider, SchemaDetail, SchemaStyle};
use crate::text::tokens;

impl Tool {
    /// The function definition as a provider takes it, under the given name.
    pub fn definition(&self, name: &str, detail: SchemaDetail, provider: Provider) -> String {
        let mut text = String::with_capacity(self.definition_bytes(name, detail, provider));
        self.push_definition(name, detail, provider, &mut text);
        text
    }

    /// Appends the definition to a text.
    pub fn push_definition(&self, name: &str, detail: SchemaDetail, provider: Provider, text: &mut String) {
        text.push_str(DEFINITION_HEAD);
        text.push_str(name); // a provider name has no character that JSON escapes
        text.push_str(&self.taken(detail, Rules::of(provider)).tail);
    }

    /// How long the definition is.
    pub fn definition_bytes(&self, name: &str, detail: SchemaDetail, provider: Provider) -> usize {
        DEFINITION_HEAD.len() + name.len() + self.taken(detail, Rules::of(provider)).tail.len()
    }

    /// The description as a JSON string, and the schema, as a model is shown them in a text, which no provider checks.
    pub fn parts(&self, detail: SchemaDetail) -> (&str, &str) {
        self.shown(detail).parts()
    }

    /// The same as a provider takes them.
    pub fn parts_for(&self, detail: SchemaDetail, provider: Provider) -> (&str, &str) {
        self.taken(detail, Rules::of(provider)).parts()
    }

    /// What is changed for whoever has these rules.
    pub fn changes_for(&self, detail: SchemaDetail, rules: Rules) -> &[Change] {
        self.mended(detail, rules).map_or(&[], |(_, changes)| changes)
    }

    /// Works out now what is costly in a definition: whoever sets servers does so off the JavaScript thread.
    pub(super) fn prepare(&self) {
        if self.schema_style == SchemaStyle::Host {
            self.shown(SchemaDetail::Full);
        }
    }

    fn taken(&self, detail: SchemaDetail, rules: Rules) -> &Shown {
        self.mended(detail, rules).map_or_else(|| self.shown(detail), |(shown, _)| shown)
    }

    fn mended(&self, detail: SchemaDetail, rules: Rules) -> Option<&(Shown, Vec<Change>)> {
        let mend = |rules: Rules| {
            let (description, schema) = self.texts_at(detail);
            let Accepted { description: said, schema, changes } = accepted(rules, &description, &schema)?;
            let is_left_out = said.is_empty() && self.leaves_out_nothing_said();
            Some((Shown::new((!is_left_out).then_some(&*said), &schema), changes))
        };
        let by_rules = self.read.definitions.accepted[detail as usize].get_or_init(|| {
            let strictest = mend(Rules::STRICTEST)?;
            let by_rules = Box::<ByRules>::default();
            let _ = by_rules[Rules::STRICTEST.number()].set(Some(strictest));
            Some(by_rules)
        });
        by_rules.as_ref()?[rules.number()].get_or_init(|| mend(rules)).as_ref()
    }

    fn leaves_out_nothing_said(&self) -> bool {
        self.schema_style == SchemaStyle::Host && self.description.is_empty()
    }

    fn shown(&self, detail: SchemaDetail) -> &Shown {
        self.read.definitions.shown[detail as usize].get_or_init(|| self.make_shown(detail))
    }

    fn make_shown(&self, detail: SchemaDetail) -> Shown {
        let (description, schema) = self.texts_at(detail);
        Shown::new((!self.leaves_out_nothing_said()).then_some(&*description), &schema)
    }

    fn texts_at(&self, detail: SchemaDetail) -> (String, String) {
        let normalised = match self.schema_style {
            SchemaStyle::Sent => None,
            SchemaStyle::Host if self.is_without_schema => Some(host_schema::NO_INPUT.to_owned()),
            SchemaStyle::Host => host_schema::normalised(&self.input_schema),
        };
        let sent = normalised.as_deref().unwrap_or(&self.input_schema);
        let schema = match detail {
            SchemaDetail::Full => sent.to_owned(),
            SchemaDetail::Compact => schema::compact(&self.id.tool_name, &self.description, sent, false),
        };
        (self.description.clone(), schema)
    }

    /// Tokens of the definition under its base name, counted at the first call.
    pub fn token_count(&self, detail: SchemaDetail) -> usize {
        let count = self.read.definitions.token_counts[detail as usize].get_or_init(|| {
            // All tools are counted and few are shown: a whole definition, which is made quickly, is not kept for this.
            let count = |shown: &Shown| tokens::count(&[DEFINITION_HEAD, &self.base_name, &shown.tail].concat());
            let is_kept = detail != SchemaDetail::Full || self.read.definitions.shown[detail as usize].get().is_some();
            let count = if is_kept { count(self.shown(detail)) } else { count(&self.make_shown(detail)) };
            u32::try_from(count).unwrap_or(u32::MAX)
        });
        *count as usize
    }

    /// Whether the tokens have been counted.
    pub fn is_counted(&self, detail: SchemaDetail) -> bool {
        self.read.definitions.token_counts[detail as usize].get().is_some()
    }

    /// Tokens of the definition under a name: counted each time for a name with a suffix.
    pub fn token_count_as(&self, name: &str, detail: SchemaDetail) -> usize {
        if name == self.base_name {
            return self.token_count(detail);
        }
        tokens::count(&[DEFINITION_HEAD, name, &self.shown(detail).tail].concat())
    }
}
