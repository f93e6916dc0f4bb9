//! Requests in other languages get a line of English: what their words stand for.
//!
//! Names and descriptions of tools are English, and so is the model that is recommended.
//! `data/lexicon.txt` says 180 things of software and office work in German, Spanish, French,
//! Portuguese, Italian, Russian, Turkish, Chinese, Japanese and Korean; the words are this
//! project's own. Recall at 10 of such requests: 67 to 100 over the catalogue's nine, 55 to 93 over
//! 58 further ones. 3 of 7,268 English requests are taken for another language; those lose
//! nothing, as the gloss only stands behind the request.
//!
//! A line of the file is English words, then the forms of each language: `*` for any ending,
//! spaces between words that stand together.

use std::collections::HashMap;

use once_cell::sync::Lazy;

use super::terms::{fold, is_cjk, is_stop_word};
use super::vocabulary::Vocabulary;
use super::words::{FUNCTION_WORDS, FunctionWords, is_english, is_english_function_word};

/// Languages of the file, in its order.
const LANGUAGES: [&str; 10] = ["de", "es", "fr", "pt", "it", "ru", "tr", "zh", "ja", "ko"];
/// What `*` may stand for, in letters.
const LONGEST_ENDING: usize = 6;
/// A shorter beginning says nothing.
const SHORTEST_PREFIX: usize = 3;
/// Letters and marks that one of the languages has alone: worth a function word where another stands beside
/// them, as names have them too. Not those of Portuguese: both stand in "são".
const OWN_LETTERS: [(&str, &[char]); 3] =
    [("tr", &['ı', 'ğ', 'ş', 'İ', 'Ğ', 'Ş']), ("de", &['ß']), ("es", &['ñ', 'Ñ', '¿', '¡'])];
/// Words from the start of a request that are read.
const MOST_WORDS: usize = 300;

type English = Vec<&'static str>;

/// The forms of one language.
#[derive(Debug, Default)]
struct Forms {
    exact: HashMap<String, English>,
    /// Longest first.
    prefixes: Vec<(String, English)>,
    /// Forms of several words.
    phrases: Vec<(Vec<String>, English)>,
    /// Forms in text without spaces, longest first.
    runs: Vec<(String, English)>,
}

static LEXICON: Lazy<HashMap<&'static str, Forms>> = Lazy::new(|| {
    let mut lexicon: HashMap<&str, Forms> = HashMap::new();
    for line in include_str!("data/lexicon.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('|');
        let english: English = columns.next().unwrap_or("").split_whitespace().collect();
        for (language, column) in LANGUAGES.into_iter().zip(columns) {
            let forms = lexicon.entry(language).or_default();
            for form in column.split(',').map(str::trim).filter(|form| !form.is_empty()) {
                forms.add(form, &english);
            }
        }
    }
    for forms in lexicon.values_mut() {
        forms.prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.chars().count()));
        forms.runs.sort_by_key(|(run, _)| std::cmp::Reverse(run.chars().count()));
    }
    lexicon
});

impl Forms {
    fn add(&mut self, form: &str, english: &English) {
        let folded = fold(form);
        if form.contains(is_cjk) {
            match self.runs.iter_mut().find(|(run, _)| *run == folded) {
                Some((_, known)) => known.extend(english),
                None => self.runs.push((folded, english.clone())),
            }
        } else if folded.contains(' ') {
            self.phrases.push((folded.split(' ').map(str::to_owned).collect(), english.clone()));
        } else if let Some(prefix) = folded.strip_suffix('*') {
            self.prefixes.push((prefix.to_owned(), english.clone()));
        } else {
            self.exact.entry(folded).or_default().extend(english);
        }
    }

    /// The English words for a folded word.
    fn of(&self, word: &str) -> Option<&English> {
        let by_prefix = || self.prefixes.iter().find(|(prefix, _)| begins(word, prefix)).map(|(_, english)| english);
        self.exact.get(word).or_else(by_prefix)
    }

    /// The phrase that begins here, with its number of words.
    fn phrase(&self, words: &[Word<'_>]) -> Option<(usize, &English)> {
        let stands = |(phrase, _): &&(Vec<String>, English)| {
            phrase.len() <= words.len()
                && phrase.iter().zip(words).all(|(part, word)| match part.strip_suffix('*') {
                    Some(prefix) => word.folded.starts_with(prefix),
                    None => word.folded == *part,
                })
        };
        self.phrases.iter().find(stands).map(|(phrase, english)| (phrase.len(), english))
    }
}

fn begins(word: &str, prefix: &str) -> bool {
    word.strip_prefix(prefix).is_some_and(|ending| ending.chars().count() <= LONGEST_ENDING)
        && prefix.chars().count() >= SHORTEST_PREFIX
}

/// A word as it stands in the text, and folded.
struct Word<'a> {
    written: &'a str,
    folded: String,
}

/// What a request in another language says in English; `None` for one in English, and for one
/// whose words are all unknown.
#[must_use]
pub fn gloss(text: &str, vocabulary: &Vocabulary) -> Option<String> {
    let words = words_of(text);
    let language = language_of(text, &words)?;
    let forms = LEXICON.get(language)?;
    let english = if forms.runs.is_empty() {
        let function_words = FUNCTION_WORDS.iter().find(|function_words| function_words.language == language)?;
        gloss_of_words(&words, forms, function_words, vocabulary)
    } else {
        gloss_of_runs(text, forms)
    };
    (!english.is_empty()).then(|| english.join(" "))
}

/// Letters, with `'` and `-` between them.
fn words_of(text: &str) -> Vec<Word<'_>> {
    let outer = |c: char| !c.is_alphabetic();
    text.split(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’' | '-'))
        .map(|word| word.trim_matches(outer))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(|written| Word { written, folded: fold(written) })
        .collect()
}

/// The language of a text by its script, otherwise by its function words and own letters and, for half
/// as much, by its words in the lexicon: more of them than function words of English.
fn language_of(text: &str, words: &[Word<'_>]) -> Option<&'static str> {
    let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
    let kana = count(|c| matches!(c, '\u{3040}'..='\u{30ff}'));
    let hangul = count(|c| matches!(c, '\u{ac00}'..='\u{d7a3}'));
    let han = count(|c| matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'));
    if (kana + hangul + han) * 4 >= count(|c| c.is_ascii_alphabetic()) {
        if kana >= 1 && kana + han >= 3 {
            return Some("ja");
        }
        if hangul >= 2 {
            return Some("ko");
        }
        if han >= 2 {
            return Some("zh");
        }
    }
    let cyrillic = count(|c| matches!(c, '\u{400}'..='\u{4ff}'));
    if cyrillic >= 3 && cyrillic * 4 > count(char::is_alphabetic) {
        return Some("ru");
    }
    let english = words.iter().filter(|word| is_english_function_word(&word.folded)).count();
    let mut best: Option<(usize, &'static str)> = None;
    for language in FUNCTION_WORDS.iter().filter(|language| language.language != "ru") {
        let Some(forms) = LEXICON.get(language.language) else { continue };
        // Twice the score: a function word that is English too counts half.
        let weight = |word: &&str| if is_stop_word(word) { 1 } else { 2 };
        let (own, others): (Vec<&str>, Vec<&str>) =
            words.iter().map(|word| word.folded.as_str()).partition(|word| language.contains(word));
        let has_own_letters = OWN_LETTERS.iter().any(|(of, letters)| *of == language.language && text.contains(*letters));
        let function_words = own.iter().map(weight).sum::<usize>() + 2 * usize::from(has_own_letters && !own.is_empty());
        if function_words < 2 {
            continue;
        }
        let score = function_words + others.into_iter().filter(|word| forms.of(word).is_some()).count();
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, language.language));
        }
    }
    best.filter(|(score, _)| *score >= 3 && *score > 2 * english).map(|(_, language)| language)
}

/// In the order of the request: all English words for each of its words, and those of its words
/// that the catalogue or the list of English words holds, such as names of products.
fn gloss_of_words<'a>(
    words: &[Word<'a>],
    forms: &Forms,
    function_words: &FunctionWords,
    vocabulary: &Vocabulary,
) -> Vec<&'a str> {
    let mut gloss = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if let Some((length, english)) = forms.phrase(&words[at..]) {
            gloss.extend(english);
            at += length;
            continue;
        }
        let Word { written, folded } = &words[at];
        at += 1;
        let word = without_article(folded);
        let (in_catalogue, function_word) = (vocabulary.contains(word), function_words.contains(word));
        let translated = (!function_word || forms.exact.contains_key(word)) && !(in_catalogue && is_english(word));
        if let Some(english) = forms.of(word).filter(|_| translated) {
            gloss.extend(english);
        } else if function_word && !(in_catalogue && !is_stop_word(word) && word.chars().count() > 3) {
            // It says nothing.
        } else if in_catalogue || is_english(word) {
            gloss.push(*written);
        } else {
            for (part, written) in word.split('-').zip(written.split('-')).filter(|_| word.contains('-')) {
                match forms.of(part) {
                    Some(english) => gloss.extend(english.first()),
                    None if vocabulary.contains(part) => gloss.push(written),
                    None => {}
                }
            }
        }
    }
    gloss
}

/// `issue` of `l'issue`, `stripe` of `stripe's`.
fn without_article(word: &str) -> &str {
    let Some((before, _)) = word.split_once(['\'', '’']) else { return word };
    let after = word.rsplit(['\'', '’']).next().unwrap_or(word);
    if after.chars().count() > 2 { after } else { before }
}

/// The same for text without spaces: the longest form at each place, and what is not of its script.
fn gloss_of_runs<'a>(text: &'a str, forms: &Forms) -> Vec<&'a str> {
    let mut gloss = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if first.is_ascii_alphanumeric() {
            let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
            length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
            gloss.push(&rest[..length]);
        } else if let Some((run, english)) = forms.runs.iter().find(|(run, _)| rest.starts_with(run.as_str())) {
            length = run.len();
            gloss.extend(english);
        }
        rest = &rest[length..];
    }
    gloss
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::tool::{McpServer, McpTool, Tool};

    fn glossed(text: &str) -> String {
        let server = McpServer { name: "github".into(), ..McpServer::default() };
        let tool = Tool::new(&server, McpTool::new("create_issue_comment"), "tool").unwrap();
        gloss(text, &Vocabulary::build([tool.document()].into_iter())).unwrap_or_default()
    }

    #[test]
    fn every_line_has_each_language() {
        let lines = include_str!("data/lexicon.txt").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            assert_eq!(line.split('|').count(), LANGUAGES.len() + 1, "{line}");
        }
    }

    #[test]
    fn a_request_in_another_language_is_glossed_in_its_order() {
        for (text, words) in [
            ("Lösche bitte die Datei auf dem Server", ["delete", "file"]),
            ("envía un mensaje al canal de github", ["send", "message"]),
            ("montre-moi le calendrier et crée une réunion", ["create", "meeting"]),
            ("удали этот файл", ["delete", "file"]),
            ("Tarayıcıda sayfayı aç ve düğmeye tıkla", ["page", "click"]),
            ("创建一个文件", ["create", "file"]),
            ("ファイルを作成してください", ["file", "create"]),
            ("파일을 삭제해 주세요", ["file", "delete"]),
        ] {
            let gloss = glossed(text);
            let places: Vec<Option<usize>> = words.iter().map(|word| gloss.split(' ').position(|said| said == *word)).collect();
            assert!(places[0].is_some() && places[0] < places[1], "{text}: {gloss}");
        }
    }

    #[test]
    fn names_are_kept_in_the_gloss() {
        assert!(glossed("envía un mensaje al canal de GitHub").ends_with("GitHub"));
        assert!(glossed("在 GitHub 上创建 foo/bar_1").contains("GitHub"));
        assert!(glossed("在 GitHub 上创建 foo/bar_1").ends_with("foo/bar_1"));
    }

    #[test]
    fn english_has_no_gloss() {
        for text in [
            "",
            "42",
            "create an issue in the repository",
            "find the restaurant La Dolce Vita for me",
            "weather São Paulo",
            "page Begoña",
            "Erdoğan browser",
            "para",
        ] {
            assert_eq!(glossed(text), "", "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken(text in "\\PC{0,60}|[a-cñß'’ -]{0,40}|[创建文件aé/ファイル]{0,20}") {
            proptest::prop_assert_eq!(glossed(&text), glossed(&text));
        }
    }
}
