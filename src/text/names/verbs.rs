//! The verbs of requests and of tools' names, from one table: `data/verbs.txt`, which says what its columns mean.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use crate::text::language;
use crate::text::terms::stem;

/// What the verb of a tool's name says that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Answers with several things, or looks one up.
    Finds,
    /// Answers with one thing, or with several where its name says so.
    Gets,
    /// Makes or opens what was not there.
    Creates,
    /// Changes, sends or ends what is there.
    Changes,
}

/// What else the table says about a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// What it works on is gone afterwards.
    Destroys,
    /// It changes things as everybody asks for, though servers may call it destructive.
    Ordinary,
    /// It opens what other tools then work on.
    Opens,
    /// It ends what was opened, or goes on with it.
    Closes,
    /// A search by it, of nothing named, may find anything.
    Anything,
    /// A tool of this name reads, and does nothing else.
    Reads,
    /// A tool of this name writes, though the verb does not tell what.
    Writes,
    /// A tool of this name may do anything, or what was there is lost.
    Harms,
    /// It changes nothing, whatever it does.
    Idle,
    /// It is a noun too.
    Thing,
}

const KINDS: [(&str, Verb); 4] =
    [("finds", Verb::Finds), ("gets", Verb::Gets), ("creates", Verb::Creates), ("changes", Verb::Changes)];
const MARKS: [(&str, Mark); 10] = [
    ("destroys", Mark::Destroys),
    ("ordinary", Mark::Ordinary),
    ("opens", Mark::Opens),
    ("closes", Mark::Closes),
    ("anything", Mark::Anything),
    ("reads", Mark::Reads),
    ("writes", Mark::Writes),
    ("harms", Mark::Harms),
    ("idle", Mark::Idle),
    ("thing", Mark::Thing),
];

#[derive(Debug)]
struct Row {
    verb: &'static str,
    does: Option<Verb>,
    action: Option<&'static str>,
    marks: Vec<Mark>,
    synonyms: Vec<&'static str>,
}

static ROWS: Lazy<Vec<Row>> = Lazy::new(|| {
    let lines = include_str!("../data/verbs.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(row).collect()
});
static BY_VERB: Lazy<HashMap<&'static str, &'static Row>> = Lazy::new(|| ROWS.iter().map(|row| (row.verb, row)).collect());
static ACTIONS: Lazy<HashMap<String, &'static str>> =
    Lazy::new(|| ROWS.iter().filter_map(|row| Some((stem(row.verb), row.action?))).collect());
/// Stems of what destroys, in every language.
static DESTROYING: Lazy<HashSet<String>> = Lazy::new(|| {
    let destroying = ROWS.iter().filter(|row| row.marks.contains(&Mark::Destroys)).map(|row| row.verb);
    destroying.flat_map(|verb| language::in_names(verb).chain([verb])).map(stem).collect()
});

fn row(line: &'static str) -> Option<Row> {
    let mut columns = line.split_whitespace();
    let mut column = || columns.next().map(|column| Some(column).filter(|column| *column != "-"));
    let (verb, kind, action, marks, synonyms) = (column()??, column()?, column()?, column()?, column()?);
    let list = |column: Option<&'static str>| column.into_iter().flat_map(|list| list.split(','));
    let mark = |name: &str| MARKS.into_iter().find(|(known, _)| *known == name).map(|(_, mark)| mark);
    Some(Row {
        verb,
        does: KINDS.into_iter().find(|(known, _)| Some(*known) == kind).map(|(_, verb)| verb),
        action,
        marks: list(marks).filter_map(mark).collect(),
        synonyms: list(synonyms).collect(),
    })
}

fn find(word: &str) -> Option<&'static Row> {
    BY_VERB.get(word).or_else(|| BY_VERB.get(language::english_in_names(word)?)).copied()
}

/// What a verb does, by a word of a tool's name in lower case.
pub fn does(word: &str) -> Option<Verb> {
    find(word)?.does
}

/// Whether the table says this about a verb of a tool's name.
pub fn is(mark: Mark, word: &str) -> bool {
    find(word).is_some_and(|row| row.marks.contains(&mark))
}

/// Whether a stem is one of a verb that destroys.
pub fn destroys(stem: &str) -> bool {
    DESTROYING.contains(stem)
}

/// The action that a stem of a request asks for: verbs of one action ask for the same.
pub fn action(stem: &str) -> Option<&'static str> {
    ACTIONS.get(stem).copied()
}

/// Every verb that has other verbs beside it, with them.
pub fn synonyms() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    ROWS.iter().filter(|row| !row.synonyms.is_empty()).map(|row| (row.verb, row.synonyms.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_whole_and_each_verb_has_one() {
        let lines: Vec<&str> = include_str!("../data/verbs.txt").lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!((lines.len(), BY_VERB.len()), (ROWS.len(), ROWS.len()));
        for (line, row) in lines.iter().zip(ROWS.iter()) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(columns.len(), 5, "{line}");
            assert_eq!(row.does.is_some(), columns[1] != "-", "{line}");
            assert_eq!(row.marks.len(), if columns[3] == "-" { 0 } else { columns[3].split(',').count() }, "{line}");
            // An action is named by a verb that asks for it, and a synonym by a verb.
            assert!(row.action.is_none_or(|action| BY_VERB[action].action == Some(action)), "{line}");
            assert!(row.synonyms.iter().all(|other| *other != row.verb && BY_VERB.contains_key(other)), "{line}");
        }
    }

    #[test]
    fn what_destroys_or_opens_or_closes_does_something() {
        let of_requests = [Mark::Destroys, Mark::Opens, Mark::Closes, Mark::Anything];
        let marked = |row: &&Row| row.marks.iter().any(|mark| of_requests.contains(mark));
        assert!(ROWS.iter().filter(marked).all(|row| row.does.is_some()));
    }

    #[test]
    fn a_verb_is_read_in_every_language_of_names() {
        assert_eq!((does("listar"), does("crear"), does("branch")), (Some(Verb::Finds), Some(Verb::Creates), None));
        assert!(is(Mark::Destroys, "eliminar") && is(Mark::Anything, "buscar") && !is(Mark::Destroys, "update"));
        assert!(destroys(&stem("delete")) && destroys(&stem("supprimer")) && !destroys(&stem("update")));
        assert_eq!(action(&stem("removing")), action(&stem("delete")));
    }
}
