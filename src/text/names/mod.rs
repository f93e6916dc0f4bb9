//! How the name of a tool is read: what it does, and to what things.

mod kind;
pub mod verbs;
pub mod words;

pub use kind::{Kind, Told, kind};
pub use verbs::{Mark, Verb};

use super::terms::{stem, words as split};

/// A tool's name, read by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameParts {
    /// What its verb does.
    pub does: Option<Verb>,
    /// The words of the things that it is about, as written, in order: what they stand in, then they themselves.
    pub words: Vec<String>,
    /// Whether the last one is a plural.
    pub plural: bool,
}

/// Reads a name by itself, with its words as they are written.
pub fn name_parts(server_name: &str, tool_name: &str) -> NameParts {
    let (name, of_server) = (whole_words(tool_name), pieces(server_name));
    let name = without_server(&name, &of_server);
    let (verb, group, things) = split_at_verb(name, false);
    let words: Vec<String> = things_of(group).into_iter().chain(things_of(things)).cloned().collect();
    let plural = words.last().is_some_and(|last| words::is_plural(last));
    NameParts { does: verb.map(|(_, does)| does), words, plural }
}

/// The words of a name as people say them: `d1` and `pull-request` are one word each.
fn whole_words(name: &str) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for piece in split(name).into_iter().flat_map(|word| word.pieces) {
        let is_number = piece.chars().all(|c| c.is_ascii_digit());
        match whole.last_mut() {
            Some(last) if is_number && last.chars().count() == 1 => last.push_str(&piece),
            Some(last) if COMPOUNDS.contains(&(last.as_str(), piece.as_str())) => *last = format!("{last}-{piece}"),
            _ if is_number => {}
            _ => whole.push(piece),
        }
    }
    whole
}

/// Two words that are one thing, of which the first alone says something else.
const COMPOUNDS: [(&str, &str); 8] = [
    ("pull", "request"),
    ("pull", "requests"),
    ("merge", "request"),
    ("merge", "requests"),
    ("work", "item"),
    ("work", "items"),
    ("web", "hook"),
    ("web", "hooks"),
];

/// A name without the words of its server that it begins with.
fn without_server<'n>(name: &'n [String], of_server: &[String]) -> &'n [String] {
    let is_prefix = |word: &&String| verbs::does(word).is_none() && of_server.contains(word);
    &name[name.iter().take_while(is_prefix).count().min(name.len().saturating_sub(1))..]
}

/// The words of a name, without numbers and versions.
pub fn pieces(name: &str) -> Vec<String> {
    let mut pieces: Vec<String> = split(name).into_iter().flat_map(|word| word.pieces).collect();
    pieces.retain(|piece| !piece.chars().all(|c| c.is_ascii_digit()));
    if pieces.len() > 1 && pieces.last().is_some_and(|last| last == "v") {
        pieces.pop();
    }
    pieces
}

/// The verb of a name, what comes before it, and the things. With `by_http`, a name may begin with the method of an address.
pub fn split_at_verb(name: &[String], by_http: bool) -> (Option<(String, Verb)>, &[String], &[String]) {
    let is_verb = |at: usize| name.get(at).is_some_and(|word| verbs::does(word).is_some());
    let mut at = (0..name.len()).find(|at| is_verb(*at));
    let mut start = 0;
    // `post-search` is a search that an HTTP API calls by POST.
    if let Some(first) = at.filter(|_| by_http)
        && ["post", "get", "patch", "put", "delete"].contains(&name[first].as_str())
        && is_verb(first + 1)
    {
        (at, start) = (Some(first + 1), first + 1);
    }
    let verb = at.and_then(|at| Some((name[at].clone(), verbs::does(&name[at])?)));
    let after = at.map_or(name, |at| &name[at + 1..]);
    let (group, things) = match at {
        Some(at) if things_of(after).is_empty() => (&[][..], &name[start..at]),
        Some(at) => (&name[start..at], after),
        None => (&[][..], after),
    };
    (verb, group, things)
}

/// The words of things: up to a preposition, without what says nothing; ids are no things of their own.
pub fn things_of(words: &[String]) -> Vec<&String> {
    let things = words.iter().take_while(|word| !words::is("until", word));
    let things: Vec<&String> = things.filter(|word| !words::is("empty", word)).collect();
    let without_ids: Vec<&String> = things.iter().copied().filter(|word| !words::is("identifies", word)).collect();
    if without_ids.is_empty() { things } else { without_ids }
}

/// The verb of a tool's name, and the stems of the things that it names.
pub fn split_name(server_name: &str, tool_name: &str) -> (Option<String>, Vec<String>) {
    let (name, of_server) = (pieces(tool_name), pieces(server_name));
    let (verb, group, things) = split_at_verb(without_server(&name, &of_server), true);
    let things = group.iter().chain(things_of(things)).map(|word| stem(word)).collect();
    (verb.map(|(verb, _)| verb), things)
}

/// Whether a word says nothing about a thing.
pub fn is_empty_word(word: &str) -> bool {
    words::is("empty", word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_verb_and_things() {
        assert_eq!(split_name("hub", "hub_list_branches"), (Some("list".into()), vec!["branch".into()]));
        assert_eq!(split_name("hub", "branch_delete"), (Some("delete".into()), vec!["branch".into()]));
        let parts = name_parts("git", "list_pull_requests");
        assert_eq!((parts.does, parts.words, parts.plural), (Some(Verb::Finds), vec!["pull-requests".to_owned()], true));
    }
}
