//! What a text asks of a model in languages beside English: meanings of words that stand together in a sentence.
//!
//! Order of words and endings differ between languages, so a sentence is read as the set of meanings that its words have in one
//! language; `ASKS` says which of them together no honest text needs.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use once_cell::sync::Lazy;
use unicode_normalization::UnicodeNormalization;

use super::finding::{Check, Severity};
use super::pattern::{self, Kinds};
use super::token::Token;

type Place = (Check, Severity, usize, usize);
/// Meanings, one bit each.
type Meanings = u32;

/// Names of meanings in `data/languages.txt`; the last two are known by their form.
const MEANINGS: &str = "drop orders prior hush user unasked read put send secret talk call ahead param @secretpath @address";
const SECRET_PATH: &str = "@secretpath";
const ADDRESS: &str = "@address";

/// What no honest text asks for.
const ASKS: [(Check, Severity, &[&str]); 11] = [
    (Check::Instructs, Severity::High, &["drop", "orders", "prior"]),
    (Check::HidesFromUser, Severity::High, &["hush", "user"]),
    (Check::HidesFromUser, Severity::Medium, &["unasked", "user"]),
    (Check::TakesSecrets, Severity::High, &["read", SECRET_PATH, "put"]),
    (Check::TakesSecrets, Severity::High, &["read", SECRET_PATH, "send"]),
    (Check::TakesSecrets, Severity::High, &["send", SECRET_PATH]),
    (Check::TakesSecrets, Severity::High, &["put", SECRET_PATH, "param"]),
    (Check::TakesSecrets, Severity::High, &["send", "secret", ADDRESS]),
    (Check::TakesSecrets, Severity::High, &["send", "talk", ADDRESS]),
    (Check::TakesSecrets, Severity::Medium, &["put", "talk", "param"]),
    (Check::CommandsCalls, Severity::High, &["call", "ahead"]),
];

/// Without one of these, or a path where secrets are kept, nothing is asked for.
const KEYS: [&str; 6] = ["drop", "hush", "unasked", "secret", "talk", "ahead"];

/// Bytes between the parts of one entry.
const CLOSE: usize = 40;

/// A beginning of a word, or several close behind each other.
struct Entry {
    language: usize,
    meaning: Meanings,
    /// What the searcher finds, by number.
    parts: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Part {
    /// Anywhere within a word.
    is_anywhere: bool,
    is_whole: bool,
}

struct Languages {
    entries: Vec<Entry>,
    parts: Vec<Part>,
    /// The entry that each part is of.
    entry_of: Vec<usize>,
    searcher: Option<AhoCorasick>,
    /// Finds the longest part of what `KEYS` say.
    keys: Option<AhoCorasick>,
    count: usize,
    asks: Vec<(Check, Severity, Meanings)>,
}

static LANGUAGES: Lazy<Languages> = Lazy::new(Languages::read);

/// The bit of a meaning; none of a name that there is not.
fn meaning(name: &str) -> Meanings {
    MEANINGS.split(' ').position(|known| known == name).map_or(0, |at| 1 << at)
}

impl Languages {
    fn read() -> Self {
        let mut read = Self {
            entries: Vec::new(),
            parts: Vec::new(),
            entry_of: Vec::new(),
            searcher: None,
            keys: None,
            count: 0,
            asks: Vec::new(),
        };
        let (mut texts, mut keys) = (Vec::new(), Vec::new());
        let mut is_anywhere = false;
        for line in include_str!("data/languages.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('[') {
                read.count += 1;
                is_anywhere = line.ends_with('*');
                continue;
            }
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let meaning = meaning(name);
            for word in words {
                let mut parts = Vec::new();
                for part in word.split('+') {
                    parts.push(texts.len());
                    read.entry_of.push(read.entries.len());
                    read.parts.push(Part { is_anywhere, is_whole: part.starts_with('=') });
                    texts.push(folded(part.trim_start_matches('=')));
                }
                if KEYS.contains(&name) {
                    keys.extend(parts.iter().map(|part| texts[*part].clone()).max_by_key(String::len));
                }
                read.entries.push(Entry { language: read.count - 1, meaning, parts });
            }
        }
        read.searcher = AhoCorasickBuilder::new().match_kind(MatchKind::Standard).build(&texts).ok();
        read.keys = AhoCorasick::new(&keys).ok();
        let bits = |names: &[&str]| names.iter().map(|name| meaning(name)).sum();
        read.asks = ASKS.iter().map(|(check, severity, names)| (*check, *severity, bits(names))).collect();
        read
    }

    fn meanings(&self, sentence: &str) -> Vec<Meanings> {
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        for hit in self.searcher.iter().flat_map(|searcher| searcher.find_overlapping_iter(sentence)) {
            let part = self.parts[hit.pattern()];
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let begins = part.is_anywhere || !is_letter(sentence[..hit.start()].chars().next_back());
            let ends = !part.is_whole || !is_letter(sentence[hit.end()..].chars().next());
            if begins && ends {
                found.push((hit.pattern().as_usize(), hit.start(), hit.end()));
            }
        }
        found.sort_unstable();
        let mut meanings = vec![0; if found.is_empty() { 0 } else { self.count }];
        for (part, _, end) in &found {
            let entry = &self.entries[self.entry_of[*part]];
            let is_new = meanings[entry.language] & entry.meaning == 0;
            if is_new && entry.parts[0] == *part && follows(&entry.parts[1..], &found, *end) {
                meanings[entry.language] |= entry.meaning;
            }
        }
        meanings
    }
}

/// Whether the further parts of an entry stand close behind each other, from a place on.
fn follows(parts: &[usize], found: &[(usize, usize, usize)], after: usize) -> bool {
    let Some((first, rest)) = parts.split_first() else { return true };
    let from = found.partition_point(|hit| (hit.0, hit.1) < (*first, after));
    let close = found[from..].iter().take_while(|hit| hit.0 == *first && hit.1 <= after + CLOSE);
    close.into_iter().any(|hit| follows(rest, found, hit.2))
}

/// Without case and accents; vowel signs of other scripts stay.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_accent = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}' | '\u{591}'..='\u{5c7}');
    text.nfkd().flat_map(char::to_lowercase).filter(|c| !is_accent(c)).map(|c| if c == '’' { '\'' } else { c }).collect()
}

/// The places of sentences that ask for what no honest text asks for.
pub(super) fn find(text: &str, tokens: &[Token<'_>], kinds: &[Kinds<'_>]) -> Vec<Place> {
    let mut places = Vec::new();
    let is_key = |text: &str| LANGUAGES.keys.as_ref().is_some_and(|keys| keys.is_match(text));
    if !kinds.iter().any(pattern::is_secret_path) && !is_key(&folded(text)) {
        return places;
    }
    let mut from = 0;
    while from < tokens.len() {
        let to = tokens[from..].iter().position(Token::ends).map_or(tokens.len(), |at| from + at);
        if to > from {
            let (start, end) = (tokens[from].start, tokens.get(to).map_or(text.len(), |token| token.start));
            let forms = kinds[from..to].iter().fold(0, |forms, kinds| {
                let is = |has, name| if has { meaning(name) } else { 0 };
                forms | is(pattern::is_secret_path(kinds), SECRET_PATH) | is(pattern::is_address(kinds), ADDRESS)
            });
            let meanings = LANGUAGES.meanings(&folded(&text[start..end]));
            for (check, severity, asked) in &LANGUAGES.asks {
                if meanings.iter().any(|meanings| (meanings | forms) & asked == *asked) {
                    places.push((*check, *severity, start, end));
                }
            }
        }
        from = to + 1;
    }
    places
}
