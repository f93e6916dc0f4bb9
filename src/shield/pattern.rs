//! Patterns of words in a sentence, read from `data/patterns.txt`.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use once_cell::sync::Lazy;

use super::finding::{Check, Severity};
use super::token::Token;
use super::words::{Words, list};

type Kind = u16;
type Place = (Check, Severity, usize, usize);

/// Kinds of words that are known by their form.
const SECRET_PATH: Kind = 0;
const URL: Kind = 1;
const MAIL: Kind = 2;
const FORMS: [(&str, Kind); 3] = [("@secretpath", SECRET_PATH), ("@url", URL), ("@mail", MAIL)];

/// Parts of paths where secrets are kept.
static SECRETS: Lazy<Words> = Lazy::new(|| list("secrets"));

/// Tokens before a pattern that are looked at: each pattern looks back, and a text may be one sentence.
const LONGEST_SENTENCE: usize = 100;
/// Words before a pattern that turn it round: so many tokens before it.
const NEGATING: usize = 3;
const LACKING: usize = 12;
/// Between a word that says that a text is about attacks and what it is about.
const DESCRIBING: usize = 7;
static DESCRIBES: Lazy<Words> = Lazy::new(|| list("describes"));
static DESCRIBED: Lazy<Words> = Lazy::new(|| list("described"));
/// What one does with the content of a file, beside reading it.
const USES: [&str; 4] = ["use", "uses", "using", "used"];
static LABELS: Lazy<Words> = Lazy::new(|| list("labels"));
static LABELLED: Lazy<Words> = Lazy::new(|| list("labelled"));

/// Words that give what somebody else wrote.
static REPORTS: Lazy<Words> = Lazy::new(|| list("reports"));

struct Part {
    /// Words that may stand before it.
    gap: usize,
    kinds: Vec<Kind>,
}

struct Pattern {
    check: Check,
    severity: Severity,
    parts: Vec<Part>,
    negates: bool,
    /// It begins with "without": "never without" is the opposite.
    lacks: bool,
}

struct Patterns {
    kinds: HashMap<&'static str, Vec<Kind>>,
    all: Vec<Pattern>,
    /// Patterns by the kinds of their first part.
    by_first: Vec<Vec<usize>>,
    /// Texts that are looked for unchanged, except for case.
    marks: Option<AhoCorasick>,
    of_marks: Vec<(Check, Severity)>,
    never: Kind,
    take: Kind,
}

static PATTERNS: Lazy<Patterns> = Lazy::new(Patterns::read);

impl Patterns {
    fn read() -> Self {
        let mut classes: HashMap<&str, Kind> = FORMS.into_iter().collect();
        let mut read = Self {
            kinds: HashMap::new(),
            all: Vec::new(),
            by_first: Vec::new(),
            marks: None,
            of_marks: Vec::new(),
            never: Kind::MAX,
            take: Kind::MAX,
        };
        let mut marks = Vec::new();
        let mut next: Kind = MAIL + 1;
        let lines = include_str!("data/patterns.txt").lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('@')
                && let Some((class, words)) = line.split_once('=')
            {
                classes.insert(class.trim(), next);
                for word in words.split_whitespace() {
                    read.kinds.entry(word).or_default().push(next);
                }
                next += 1;
                continue;
            }
            let mut parts = line.split_whitespace();
            let check = parts.next().and_then(|name| Check::NAMES.iter().find(|(known, _)| *known == name));
            let severity = match parts.next() {
                Some("high") => Severity::High,
                Some("medium") => Severity::Medium,
                _ => Severity::Low,
            };
            let Some((_, check)) = check else { continue };
            if let Some((_, text)) = line.split_once(" = ") {
                read.of_marks.push((*check, severity));
                marks.push(text);
                continue;
            }
            read.add(*check, severity, parts, &mut classes, &mut next);
        }
        read.marks = AhoCorasick::builder().ascii_case_insensitive(true).build(&marks).ok();
        read.by_first.resize(usize::from(next), Vec::new());
        read.never = classes.get("@never").copied().unwrap_or(Kind::MAX);
        read.take = classes.get("@take").copied().unwrap_or(Kind::MAX);
        for at in 0..read.all.len() {
            let first: Vec<Kind> = read.all[at].parts.first().map(|part| part.kinds.clone()).unwrap_or_default();
            let without = read.kinds.get("without").map_or(&[][..], Vec::as_slice);
            read.all[at].negates = first.contains(&read.never) || without.iter().any(|kind| first.contains(kind));
            read.all[at].lacks = read.all[at]
                .parts
                .first()
                .is_some_and(|part| !part.kinds.contains(&read.never) && part.kinds.iter().any(|kind| without.contains(kind)));
            for kind in first {
                read.by_first[usize::from(kind)].push(at);
            }
        }
        read
    }

    fn add(
        &mut self,
        check: Check,
        severity: Severity,
        words: std::str::SplitWhitespace<'static>,
        classes: &mut HashMap<&'static str, Kind>,
        next: &mut Kind,
    ) {
        let mut parts = Vec::new();
        let mut gap = 0;
        for word in words {
            if let Some(words) = word.strip_prefix("..") {
                gap = words.parse().unwrap_or(0);
                continue;
            }
            let mut kinds = Vec::new();
            for one in word.split('|') {
                // A word that stands for itself is a class of one.
                let kind = *classes.entry(one).or_insert_with(|| {
                    self.kinds.entry(one).or_default().push(*next);
                    *next += 1;
                    *next - 1
                });
                kinds.push(kind);
            }
            parts.push(Part { gap, kinds });
            gap = 0;
        }
        self.all.push(Pattern { check, severity, parts, negates: false, lacks: false });
    }

    fn kinds_of(&self, word: &str) -> Kinds<'_> {
        let words = self.kinds.get(word).map_or(&[][..], Vec::as_slice);
        let mut form = None;
        if word.contains(['/', '.', '_', '@', ':']) {
            if word == ".env" || word.starts_with(".env.") || SECRETS.iter().any(|part| word.contains(part)) {
                form = Some(SECRET_PATH);
            } else if word.contains("://") {
                form = Some(URL);
            } else if word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
                form = Some(MAIL);
            }
        }
        Kinds { words, form }
    }
}

impl Pattern {
    /// Where the pattern ends that may begin at a token.
    fn end(&self, tokens: &[Token<'_>], kinds: &[Kinds<'_>], at: usize) -> Option<usize> {
        self.rest(tokens, kinds, 1, at + 1)
    }

    fn rest(&self, tokens: &[Token<'_>], kinds: &[Kinds<'_>], part: usize, from: usize) -> Option<usize> {
        let Some(Part { gap, kinds: wanted }) = self.parts.get(part) else { return Some(from) };
        for at in from..=from + gap {
            if kinds.get(at)?.any(|kind| wanted.contains(&kind))
                && let Some(end) = self.rest(tokens, kinds, part + 1, at + 1)
            {
                return Some(end);
            }
            if tokens[at].ends() {
                return None;
            }
        }
        None
    }
}

/// What a word may stand for: by itself, and by its form.
#[derive(Clone, Copy)]
pub(super) struct Kinds<'p> {
    words: &'p [Kind],
    form: Option<Kind>,
}

impl Kinds<'_> {
    fn all(&self) -> impl Iterator<Item = Kind> {
        self.words.iter().copied().chain(self.form)
    }

    fn any(&self, is: impl Fn(Kind) -> bool) -> bool {
        self.all().any(is)
    }
}

/// Whether a word is a path where secrets are kept.
pub(super) fn is_secret_path(kinds: &Kinds<'_>) -> bool {
    kinds.form == Some(SECRET_PATH)
}

/// Whether a word is an address of the web or of mail.
pub(super) fn is_address(kinds: &Kinds<'_>) -> bool {
    matches!(kinds.form, Some(URL | MAIL))
}

/// What the words of a text may stand for.
pub(super) fn kinds(tokens: &[Token<'_>]) -> Vec<Kinds<'static>> {
    let all = &*PATTERNS;
    tokens.iter().map(|token| all.kinds_of(&token.word)).collect()
}

/// All patterns in a text.
pub(super) fn find(text: &str, tokens: &[Token<'_>], kinds: &[Kinds<'_>]) -> Vec<Place> {
    let all = &*PATTERNS;
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let first = kinds[at].all().filter_map(|kind| all.by_first.get(usize::from(kind)));
        for pattern in first.flatten().map(|at| &all.all[*at]) {
            let Some(end) = pattern.end(tokens, kinds, at) else { continue };
            let window = if pattern.lacks { LACKING } else { NEGATING };
            let turned = (!pattern.negates || pattern.lacks) && is_negated(tokens, kinds, at, window);
            let is_about = turned || is_described(text, tokens, at);
            let severity = if is_about { Severity::Low } else { pattern.severity };
            found.push((pattern.check, severity, tokens[at].start, tokens[end - 1].end));
        }
    }
    for hit in all.marks.iter().flat_map(|marks| marks.find_iter(text)) {
        let (check, severity) = all.of_marks[hit.pattern()];
        found.push((check, severity, hit.start(), hit.end()));
    }
    found
}

/// The first token of the sentence that a token is in, as far as it is looked at.
fn sentence(tokens: &[Token<'_>], at: usize) -> usize {
    let from = at.saturating_sub(LONGEST_SENTENCE);
    tokens[from..at].iter().rposition(Token::ends).map_or(from, |end| from + end + 1)
}

/// Whether a quotation that began in a text is still open at its end.
fn is_quotation(text: &str) -> bool {
    let count = |mark: char| text.matches(mark).count();
    count('"') % 2 == 1 || count('“') > count('”')
}

fn is_negated(tokens: &[Token<'_>], kinds: &[Kinds<'_>], at: usize, window: usize) -> bool {
    let from = sentence(tokens, at).max(at.saturating_sub(window));
    kinds[from..at].iter().any(|kinds| kinds.any(|kind| kind == PATTERNS.never))
}

/// Whether the sentence is about such texts: it detects or explains them, quotes one, or gives one as a sample.
fn is_described(text: &str, tokens: &[Token<'_>], at: usize) -> bool {
    let before = &tokens[sentence(tokens, at)..at];
    if before.first().is_some_and(|first| is_quotation(&text[first.start..tokens[at].start]))
        && before.iter().any(|token| REPORTS.contains(&&*token.word))
    {
        return true;
    }
    before.iter().enumerate().any(|(place, token)| {
        let next = &before[place + 1..];
        let describes = DESCRIBES.iter().any(|stem| token.word.starts_with(stem))
            && next.iter().take(DESCRIBING).any(|token| DESCRIBED.contains(&&*token.word));
        let is_label = LABELS.contains(&&*token.word)
            && next.first().is_some_and(|next| LABELLED.contains(&&*next.word) && text[next.end..].trim_start().starts_with(':'));
        describes || is_label
    })
}

/// A path where secrets are kept that a text says it reads.
pub(super) fn secret_that_is_read(tokens: &[Token<'_>], kinds: &[Kinds<'_>]) -> Option<(usize, usize)> {
    const BEFORE: usize = 8;
    (0..tokens.len()).filter(|at| kinds[*at].form == Some(SECRET_PATH)).find_map(|at| {
        let from = sentence(tokens, at).max(at.saturating_sub(BEFORE));
        let takes = |verb: usize| kinds[verb].any(|kind| kind == PATTERNS.take) || USES.contains(&&*tokens[verb].word);
        let verb = (from..at).find(|verb| takes(*verb) && !is_negated(tokens, kinds, *verb, NEGATING))?;
        Some((tokens[verb].start, tokens[at].end))
    })
}
