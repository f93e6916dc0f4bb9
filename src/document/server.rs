//! What is indexed of a server: its name, its registry entry, its instructions and the names of its tools.

use super::entry::ServerEntry;
use super::tool::{EmbeddedText, ToolDocument};
use crate::text::terms::name_key;

/// The most text of a server's instructions that is indexed: some are manuals.
const MAX_INSTRUCTIONS_CHARS: usize = 2_000;

/// The indexed text of one server.
#[derive(Debug)]
pub struct ServerDocument {
    /// Its terms.
    pub(crate) terms: ToolDocument,
    /// The texts that are embedded: the entry's description, then its synthetic queries. Empty
    /// without an entry: its tools have vectors of their own.
    pub embedded: Vec<EmbeddedText>,
    /// How many of `embedded` come before the synthetic queries.
    pub described: usize,
    /// Its name folded, for exact names.
    pub name_key: String,
}

impl ServerDocument {
    pub(crate) fn new(name: &str, entry: Option<&ServerEntry>, instructions: Option<&str>, tool_names: &[String]) -> Self {
        let title = entry.and_then(|entry| entry.title.as_deref()).unwrap_or("");
        let description = entry.and_then(|entry| entry.description.as_deref()).unwrap_or("");
        let listed = |list: fn(&ServerEntry) -> &[String]| entry.map(list).unwrap_or_default();
        let (capabilities, queries) = (listed(|entry| &entry.capabilities), listed(|entry| &entry.synthetic_queries));
        let instructions: String = instructions.unwrap_or("").chars().take(MAX_INSTRUCTIONS_CHARS).collect();
        let head = [name, title].into_iter().chain(capabilities.iter().map(String::as_str));
        let body = [description].into_iter().chain(queries.iter().map(String::as_str));
        let own = [instructions.as_str()].into_iter().chain(tool_names.iter().map(String::as_str));
        let about = [title, description, &capabilities.join(", ")].map(str::trim).map(str::to_owned);
        let about: Vec<String> = about.into_iter().filter(|text| !text.is_empty()).collect();
        let about = if about.is_empty() { None } else { Some(about.join(". ")) };
        Self {
            terms: ToolDocument::of_texts(head, body.chain(own)),
            described: usize::from(about.is_some()),
            embedded: about.into_iter().chain(queries.iter().cloned()).map(EmbeddedText::new).collect(),
            name_key: name_key(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_embedded_as_its_description_and_each_query_and_nothing_without_one() {
        let entry = ServerEntry {
            description: Some("Sales".into()),
            capabilities: vec!["crm".into(), "leads".into()],
            synthetic_queries: vec!["Who bought?".into()],
            ..ServerEntry::default()
        };
        let texts = |document: &ServerDocument| document.embedded.iter().map(|text| text.text.to_string()).collect::<Vec<_>>();
        let document = ServerDocument::new("s", Some(&entry), Some("Be kind"), &["run_query".into()]);
        assert_eq!(texts(&document), ["Sales. crm, leads", "Who bought?"]);
        for term in ["sale", "crm", "lead", "bought", "kind", "run", "queri"] {
            assert!(document.terms.terms.of(term) > 0, "{term}");
        }
        assert!(texts(&ServerDocument::new("s", None, Some("Be kind"), &[])).is_empty());
    }
}
