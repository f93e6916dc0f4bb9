//! What a tool does to the world, as far as its server, its name and its first sentence say: the worst of them. A server may be
//! wrong, or lie, and nobody would call `delete_repository` harmless.

use super::verbs::{self, Mark, Verb};
use crate::text::terms::words;

named! {
    /// What a tool does to the world.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Kind {
        /// It reads.
        Read = "read",
        /// It makes, changes or sends something.
        Write = "write",
        /// What was there may be gone afterwards, or it may do anything.
        Destructive = "destructive",
    }
}

/// What is known of a tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told<'t> {
    /// Its name.
    pub name: &'t str,
    /// What its server says about it.
    pub description: &'t str,
    /// Whether its server says that it only reads.
    pub reads: Option<bool>,
    /// Whether its server says that it destroys.
    pub destroys: Option<bool>,
}

/// What stands between two deeds: `get_or_create`, "finds and replaces".
const LINKS: [&str; 3] = ["and", "or", "then"];
/// Descriptions of tools that only read begin with these too: "Run a query", "Open the page of".
const SAID_OF_READING: [&str; 6] = ["run", "execute", "download", "export", "connect", "open"];
/// A second deed stands this near to the beginning of a sentence.
const SECOND_DEED: usize = 3;

/// What a tool does. A hint that it only reads is believed where nothing else says that it changes something; without a hint and a
/// word that tells, it writes.
pub fn kind(told: Told<'_>) -> Kind {
    let name = pieces(told.name);
    let changes = change_in_name(&name);
    match (changes, told.reads, told.destroys) {
        (Some(Kind::Destructive), ..) | (_, Some(false) | None, Some(true)) => Kind::Destructive,
        (Some(_), ..) => Kind::Write,
        _ if begins_with_change(told.description) => Kind::Write,
        (None, Some(true), _) => Kind::Read,
        (None, None, None) if name.iter().any(|word| verbs::is(Mark::Reads, word)) => Kind::Read,
        (None, ..) => Kind::Write,
    }
}

fn pieces(text: &str) -> Vec<String> {
    words(text).into_iter().flat_map(|word| word.pieces).collect()
}

/// The worst change that a name speaks of, wherever it stands: `issue_delete`, `list_item_add`, `get_and_lock`.
fn change_in_name(name: &[String]) -> Option<Kind> {
    let reader = name.iter().position(|word| verbs::is(Mark::Reads, word) && !verbs::is(Mark::Thing, word));
    let change = |(at, word): (usize, &String)| {
        let before = at.checked_sub(1).map(|before| name[before].as_str());
        let is_linked = before.is_some_and(|before| LINKS.contains(&before));
        // `get_workflow_run`, `list_comment_links`; `check_out` is no reading.
        let is_noun = verbs::is(Mark::Thing, word) && reader.is_some_and(|reader| reader < at) && !is_linked;
        if word == "out" && before == Some("check") { Some(Kind::Write) } else { deed(word).filter(|_| !is_noun) }
    };
    name.iter().enumerate().filter_map(change).max()
}

/// Whether the first sentence of a description begins with a change: "Creates", "Read or update", "Set up".
fn begins_with_change(description: &str) -> bool {
    let sentence = description.trim_start().split(['.', '\n']).next().unwrap_or_default();
    let said: Vec<String> = pieces(sentence.get(..200.min(sentence.len())).unwrap_or(sentence));
    said.iter().take(SECOND_DEED + 1).enumerate().any(|(at, word)| {
        let forms = [Some(word.as_str()), word.strip_suffix('s'), word.strip_suffix("es")];
        let Some(verb) = forms.into_iter().flatten().find(|verb| deed(verb).is_some()) else { return false };
        let is_second = at > 0 && LINKS.contains(&said[at - 1].as_str()) && !verbs::is(Mark::Thing, verb);
        (at == 0 || is_second) && !SAID_OF_READING.contains(&verb)
    })
}

fn deed(word: &str) -> Option<Kind> {
    let is = |mark| verbs::is(mark, word);
    let changes = matches!(verbs::does(word), Some(Verb::Creates | Verb::Changes)) || is(Mark::Ordinary) || is(Mark::Writes);
    if is(Mark::Reads) || is(Mark::Idle) {
        None
    } else if is(Mark::Destroys) || is(Mark::Harms) {
        Some(Kind::Destructive)
    } else {
        changes.then_some(Kind::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, reads: Option<bool>, destroys: Option<bool>) -> Kind {
        kind(Told { name, reads, destroys, ..Told::default() })
    }

    #[test]
    fn the_worst_of_name_and_hints_counts() {
        assert_eq!(of("delete_repository", Some(true), Some(false)), Kind::Destructive);
        assert_eq!(of("list_issues", None, None), Kind::Read);
        assert_eq!(of("list_issues", None, Some(true)), Kind::Destructive);
        assert_eq!(of("list_issues", Some(false), None), Kind::Write);
        assert_eq!(of("frobnicate", Some(true), None), Kind::Read);
        assert_eq!(of("frobnicate", None, None), Kind::Write);
        assert_eq!(of("send_email", Some(true), None), Kind::Write);
        assert_eq!(of("run_command", Some(true), None), Kind::Destructive);
    }

    #[test]
    fn a_change_counts_wherever_it_stands_and_a_noun_behind_a_reading_verb_is_none() {
        for name in ["get_or_create_label", "search_replace", "status_update", "list_item_add", "check_out", "preview_deploy"] {
            assert_eq!(of(name, None, None), Kind::Write, "{name}");
        }
        for name in ["getAndDelete", "rm_rf", "flush_db", "shell", "apply_or_run"] {
            assert_eq!(of(name, Some(true), None), Kind::Destructive, "{name}");
        }
        for name in ["list_import", "get_workflow_run", "getComment", "show_commit", "read_terminal"] {
            assert_eq!(of(name, None, None), Kind::Read, "{name}");
        }
        assert_eq!(of("comment_get", None, None), Kind::Write);
    }

    #[test]
    fn a_first_sentence_that_begins_with_a_change_counts() {
        let said = |description| kind(Told { name: "get_page", description, reads: Some(true), destroys: None });
        for change in ["Creates a page. Fast.", "Read or update the page", "Set up the page", "Deletes pages"] {
            assert_eq!(said(change), Kind::Write, "{change}");
        }
        for reading in ["", "Gets a page and nothing else", "Run a query over pages", "The page. Creates nothing"] {
            assert_eq!(said(reading), Kind::Read, "{reading}");
        }
    }

    #[test]
    fn names_in_other_languages_and_scripts_are_read() {
        assert_eq!(of("eliminar-archivo", Some(true), None), Kind::Destructive);
        assert_eq!(of("crear_nota", None, None), Kind::Write);
        assert_eq!(
            of("\u{ff24}\u{ff25}\u{ff2c}\u{ff25}\u{ff34}\u{ff25}_\u{ff21}\u{ff2c}\u{ff2c}", Some(true), None),
            Kind::Destructive
        );
    }
}
