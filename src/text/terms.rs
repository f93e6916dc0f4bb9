//! Text to terms: the same analysis for tools and for queries.
//!
//! Identifiers are split (`getIssueByID` gives `get`, `issue`, `by`, `id`) and also kept joined
//! (`getissuebyid`), so that a tool is found by its name and by what its name says. Words are
//! normalised (NFKC, lower case, Latin and Greek without diacritics), stop words dropped, the rest stemmed
//! with the English Snowball stemmer. Chinese, Japanese and Korean text, which has no spaces to
//! split at, gives single characters and pairs of neighbours.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Longer identifiers are hashes or data, and are not kept joined.
const MAX_JOINED_BYTES: usize = 64;
/// Longer words are data and have no stem: the time of stemming grows faster than their length. The longest words of any
/// language that is stemmed here have a fifth of it.
const MAX_STEMMED_BYTES: usize = 256;
/// Longer words are rare, and their stems are not kept.
const MAX_KEPT_BYTES: usize = 24;
/// How many stems a thread keeps, a megabyte at most: 3,522 tools have 14,000 words.
const KEPT_STEMS: usize = 16_384;
/// How many characters a text may gain by normalising: far more than any real text does.
const MAX_EXPANSION: usize = 1024;

static STEMMER: Lazy<Stemmer> = Lazy::new(|| Stemmer::create(Algorithm::English));
static STOP_WORDS: Lazy<HashSet<&'static str>> =
    Lazy::new(|| stop_words::get(stop_words::Language::English).iter().copied().collect());

/// One run of letters and digits, with `_`, `-` and `.` inside: a word or an identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its pieces, in lower case, not stemmed.
    pub pieces: Vec<String>,
    /// Whether it is written as an identifier: with a separator or a capital inside.
    pub identifier: bool,
    /// Whether it is Chinese, Japanese or Korean text.
    pub cjk: bool,
}

impl Word {
    /// The pieces as one string.
    pub fn joined(&self) -> String {
        self.pieces.concat()
    }
}

/// Splits text into words and their pieces.
pub fn words(text: &str) -> Vec<Word> {
    crate::fault::point("text");
    // No letter of ASCII has another form.
    let text: Vec<char> = if text.is_ascii() { text.bytes().map(char::from).collect() } else { normal(text).collect() };
    let mut words = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        if is_cjk(text[at]) {
            while at < text.len() && is_cjk(text[at]) {
                at += 1;
            }
            words.push(Word { pieces: vec![text[start..at].iter().collect()], identifier: false, cjk: true });
        } else if is_word(text[at]) {
            while at < text.len() && (is_word(text[at]) || joins(&text, at)) {
                at += 1;
            }
            words.push(identifier(&text[start..at]));
        } else {
            at += 1;
        }
    }
    words
}

/// The terms of a text, in order, repeated as often as they stand there.
pub fn terms(text: &str) -> Vec<String> {
    words(text).iter().flat_map(word_terms).collect()
}

/// The terms of one word.
pub fn word_terms(word: &Word) -> Vec<String> {
    let mut terms = Vec::with_capacity(word.pieces.len() + 1);
    each_term(word, |term| terms.push(term.to_owned()));
    terms
}

/// Calls with each of the terms of one word, in order.
pub fn each_term(word: &Word, mut found: impl FnMut(&str)) {
    if word.cjk {
        for term in &cjk_terms(&word.joined()) {
            found(term);
        }
        return;
    }
    let single = word.pieces.len() == 1;
    for piece in &word.pieces {
        // A letter that was cut out of an identifier says nothing.
        let says_something = single || piece.len() > 1 || piece.as_bytes()[0].is_ascii_digit();
        if says_something && !STOP_WORDS.contains(piece.as_str()) {
            with_stem(piece, &mut found);
        }
    }
    if !single {
        let joined = word.joined();
        if joined.len() <= MAX_JOINED_BYTES {
            found(&joined);
        }
    }
}

thread_local! {
    /// Stems of words that this thread has met: a catalogue repeats itself, and stemming costs ten times a look-up.
    static STEMS: RefCell<HashMap<Box<str>, Box<str>>> = RefCell::default();
}

/// Calls with the stem of a word in lower case, which is kept for the next time. `found` must not ask for another stem.
pub fn with_stem(word: &str, found: impl FnOnce(&str)) {
    if word.len() > MAX_KEPT_BYTES {
        return found(&stem(word));
    }
    STEMS.with_borrow_mut(|stems| {
        if let Some(known) = stems.get(word) {
            return found(known);
        }
        let new = stem(word);
        found(&new);
        if stems.len() >= KEPT_STEMS {
            stems.clear();
        }
        stems.insert(word.into(), new.into());
    });
}

/// The stem of a word in lower case.
pub fn stem(word: &str) -> String {
    if word.len() > MAX_STEMMED_BYTES { word.to_owned() } else { STEMMER.stem(word).into_owned() }
}

/// Whether a word in lower case is too common to say anything.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// A name without case, separators and diacritics: what two spellings of one name share.
pub fn name_key(name: &str) -> String {
    words(name).iter().map(Word::joined).collect()
}

/// Text in lower case, NFKC, Latin and Greek without diacritics: as terms are, but not split.
pub fn fold(text: &str) -> String {
    normal(text).flat_map(char::to_lowercase).collect()
}

/// NFKC, Latin and Greek without diacritics. As many characters as the text has bytes and [`MAX_EXPANSION`] more: some characters
/// become eighteen, and a text of them would cost as much as one of half a megabyte.
fn normal(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().flat_map(without_diacritic).take(text.len() + MAX_EXPANSION)
}

fn without_diacritic(c: char) -> impl Iterator<Item = char> {
    // Latin and Greek only: elsewhere a mark may be half of the letter. No canonical decomposition has more parts than four.
    let mut kept = [None; 4];
    if let Some(plain) = without_stroke(c) {
        kept[0] = Some(plain);
    } else if matches!(c, '\u{c0}'..='\u{24f}' | '\u{386}'..='\u{3ce}' | '\u{1e00}'..='\u{1fff}') {
        let mut free = kept.iter_mut();
        decompose_canonical(c, |part| {
            if !is_combining_mark(part)
                && let Some(place) = free.next()
            {
                *place = Some(part);
            }
        });
    } else if !('\u{300}'..='\u{36f}').contains(&c) {
        kept[0] = Some(c);
    }
    kept.into_iter().flatten()
}

/// The letter that is typed where a keyboard has no such one; Unicode decomposes none of these.
fn without_stroke(c: char) -> Option<char> {
    Some(match c {
        'ł' => 'l',
        'Ł' => 'L',
        'đ' => 'd',
        'Đ' => 'D',
        'ø' => 'o',
        'Ø' => 'O',
        'ı' => 'i',
        _ => return None,
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_cjk(c)
}

/// Whether a character is Chinese, Japanese or Korean.
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' // Hiragana and Katakana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
        | '\u{20000}'..='\u{3134f}'
        | '\u{ac00}'..='\u{d7af}') // Hangul
}

/// Whether the character joins the words on both of its sides into one identifier.
fn joins(text: &[char], at: usize) -> bool {
    matches!(text[at], '_' | '-' | '.') && at > 0 && is_word(text[at - 1]) && text.get(at + 1).is_some_and(|c| is_word(*c))
        || text[at] == '_'
            && at > 0
            && (is_word(text[at - 1]) || text[at - 1] == '_')
            && text.get(at + 1).is_some_and(|c| is_word(*c) || *c == '_')
}

fn identifier(run: &[char]) -> Word {
    let mut pieces: Vec<String> = Vec::new();
    let mut piece = String::new();
    for (at, &c) in run.iter().enumerate() {
        if !is_word(c) {
            flush(&mut pieces, &mut piece);
            continue;
        }
        if at > 0 && starts_piece(run, at) {
            flush(&mut pieces, &mut piece);
        }
        if c.is_ascii() {
            piece.push(c.to_ascii_lowercase());
        } else {
            piece.extend(c.to_lowercase());
        }
    }
    flush(&mut pieces, &mut piece);
    let capital_inside = run.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    Word { identifier: capital_inside || run.iter().any(|c| matches!(c, '_' | '-' | '.')), pieces, cjk: false }
}

fn flush(pieces: &mut Vec<String>, piece: &mut String) {
    if !piece.is_empty() {
        pieces.push(std::mem::take(piece));
    }
}

/// Whether a new piece starts here: at a capital after a small letter, at the last capital of an
/// acronym (`HTTPUrl`), between a letter and a digit. The `s` of `URLs` stays.
fn starts_piece(run: &[char], at: usize) -> bool {
    let (before, here, after) = (run[at - 1], run[at], run.get(at + 1).copied());
    if before.is_numeric() != here.is_numeric() && is_word(before) {
        return true;
    }
    if before.is_lowercase() && here.is_uppercase() {
        return true;
    }
    let plural = after == Some('s') && run.get(at + 2).is_none_or(|c| !c.is_lowercase());
    before.is_uppercase() && here.is_uppercase() && after.is_some_and(char::is_lowercase) && !plural
}

fn cjk_terms(run: &str) -> Vec<String> {
    let chars: Vec<char> = run.chars().collect();
    let singles = chars.iter().map(char::to_string);
    let pairs = chars.windows(2).map(|pair| pair.iter().collect());
    singles.chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! splits {
        ($($rule:ident: $text:expr => $pieces:expr;)*) => {
            $(#[test] fn $rule() {
                let pieces: Vec<String> = words($text).into_iter().flat_map(|word| word.pieces).collect();
                assert_eq!(pieces, $pieces);
            })*
        };
    }

    splits! {
        snake_case_is_split: "search_graph" => ["search", "graph"];
        kebab_case_is_split: "atlas-create-access-list" => ["atlas", "create", "access", "list"];
        camel_case_is_split: "getIssueByID" => ["get", "issue", "by", "id"];
        an_acronym_ends_before_its_last_capital: "parseHTTPUrl" => ["parse", "http", "url"];
        a_plural_acronym_is_one_piece: "listURLs of PRs" => ["list", "urls", "of", "prs"];
        dots_are_split: "pods.list" => ["pods", "list"];
        digits_are_split: "s3 k8s oauth2" => ["s", "3", "k", "8", "s", "oauth", "2"];
        double_underscores_are_split: "mcp__a" => ["mcp", "a"];
        a_full_stop_ends_a_word: "Stop. Go" => ["stop", "go"];
        paths_are_several_words: "src/main.rs" => ["src", "main", "rs"];
        latin_diacritics_are_dropped: "Résumé Größe" => ["resume", "große"];
        greek_accents_and_strokes_are_dropped: "στείλε włącz" => ["στειλε", "wlacz"];
        full_width_letters_are_normalised: "ＡＰＩ" => ["api"];
        cjk_is_apart_from_latin: "GitHubの課題" => ["git", "hub", "の課題"];
        russian_is_kept: "Создай ветку" => ["создай", "ветку"];
    }

    #[test]
    fn identifiers_are_also_kept_joined() {
        assert_eq!(terms("search_graph"), ["search", "graph", "searchgraph"]);
        assert_eq!(terms("k8s"), ["8", "k8s"]);
    }

    #[test]
    fn words_are_stemmed_and_stop_words_dropped() {
        assert_eq!(terms("listing the issues of a repository"), ["list", "issu", "repositori"]);
    }

    #[test]
    fn cjk_gives_characters_and_pairs() {
        assert_eq!(terms("課題を"), ["課", "題", "を", "課題", "題を"]);
    }

    #[test]
    fn all_spellings_of_a_name_fold_to_one() {
        for spelling in ["get_weather", "get-weather", "getWeather", "GetWeather", "get weather", "GET.WEATHER"] {
            assert_eq!(name_key(spelling), "getweather", "{spelling}");
        }
    }

    #[test]
    fn a_text_gains_no_more_than_a_bounded_number_of_characters() {
        assert_eq!(words("½ ㌖").len(), 3);
        let expanding = "\u{fdfa}".repeat(10_922);
        let characters = |text: &str| words(text).iter().map(|word| word.joined().chars().count()).sum::<usize>();
        assert!(fold(&expanding).chars().count() <= expanding.len() + MAX_EXPANSION);
        assert!(characters(&expanding) <= expanding.len() + MAX_EXPANSION);
    }

    #[test]
    fn a_word_that_is_data_is_kept_as_it_is() {
        let long = "running".repeat(50);
        assert_eq!((terms(&long), terms("running")), (vec![long], vec!["run".to_owned()]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_terms_and_the_same_ones_again(text in "\\PC{0,200}") {
            proptest::prop_assert_eq!(terms(&text), terms(&text));
            proptest::prop_assert!(terms(&text).iter().all(|term| !term.is_empty()));
        }
    }
}
