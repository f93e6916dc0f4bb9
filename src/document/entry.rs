//! What a registry says about a server: how people talk about it, beside what its tools say.

use crate::error::Refusal;

/// The longest display name of an entry.
pub const MAX_TITLE_BYTES: usize = 512;
/// The longest description of an entry: past it, it is a manual.
pub const MAX_ENTRY_DESCRIPTION_BYTES: usize = 16 * 1024;
/// The most capabilities of an entry, and the longest one: they are tags.
pub const MAX_CAPABILITIES: usize = 100;
/// See [`MAX_CAPABILITIES`].
pub const MAX_CAPABILITY_BYTES: usize = 200;
/// The most synthetic queries of an entry. A model is asked for 15 to 20; each is embedded.
pub const MAX_SYNTHETIC_QUERIES: usize = 100;
/// The longest synthetic query: the embedding model reads about 1,200 characters.
pub const MAX_SYNTHETIC_QUERY_BYTES: usize = 1_000;

/// An entry of the registry. All of it is optional, indexed and never shown to a model by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerEntry {
    /// Its name for people.
    pub title: Option<String>,
    /// What the server is for.
    pub description: Option<String>,
    /// Tags of what it can do.
    pub capabilities: Vec<String>,
    /// Requests as a user would write them that need this server.
    pub synthetic_queries: Vec<String>,
}

impl ServerEntry {
    /// All that it says, as one text.
    pub fn text(&self) -> String {
        let own = [self.title.as_deref(), self.description.as_deref()].into_iter().flatten();
        let lists = self.capabilities.iter().chain(&self.synthetic_queries).map(String::as_str);
        own.chain(lists).collect::<Vec<_>>().join("\n")
    }

    /// Checks the sizes. `names` are the names of the four fields, as the caller wrote them.
    ///
    /// # Errors
    ///
    /// A refusal that names the field and both values.
    pub fn check(&self, path: &str, names: [&str; 4]) -> Result<(), Refusal> {
        let [title, description, capabilities, queries] = names.map(|name| format!("{path}.{name}"));
        text(self.title.as_deref(), &title, MAX_TITLE_BYTES)?;
        text(self.description.as_deref(), &description, MAX_ENTRY_DESCRIPTION_BYTES)?;
        list(&self.capabilities, &capabilities, MAX_CAPABILITIES, MAX_CAPABILITY_BYTES)?;
        list(&self.synthetic_queries, &queries, MAX_SYNTHETIC_QUERIES, MAX_SYNTHETIC_QUERY_BYTES)
    }
}

fn text(text: Option<&str>, path: &str, most: usize) -> Result<(), Refusal> {
    match text.map(str::len).filter(|bytes| *bytes > most) {
        Some(bytes) => Err(Refusal::new(path, format!("at most {most} bytes"), bytes)),
        None => Ok(()),
    }
}

fn list(texts: &[String], path: &str, most: usize, most_bytes: usize) -> Result<(), Refusal> {
    if texts.len() > most {
        return Err(Refusal::new(path, format!("at most {most} elements"), texts.len()));
    }
    for (at, element) in texts.iter().enumerate() {
        if element.trim().is_empty() {
            return Err(Refusal::new(format!("{path}[{at}]"), "text with something in it", format!("{element:?}")));
        }
        text(Some(element), &format!("{path}[{at}]"), most_bytes)?;
    }
    Ok(())
}
