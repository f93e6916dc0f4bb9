//! Requests and tools in other languages get a line of English: what their words stand for.
//!
//! Names and descriptions of tools are English, and so is the model that is recommended.
//! Files of `text/language` say 181 things of software and office work in 22 languages, and most of them a thousand and more of
//! whatever else is asked for, from the words that carry meaning in requests and tools; the words are this project's own.
//! research/notes/languages.md has what each part is worth. 1 of 9,700 English requests is taken for another language; such a
//! one loses nothing, as the gloss only stands behind the request.

use std::ops::RangeInclusive;

use super::cut::{self, Rule};
use super::english::{is_english, is_english_function_word};
use super::language::{LANGUAGES, Language, Script, having_function_word};
use super::lexicon::{Forms, Word, forms_of};
use super::terms::{fold, is_stop_word};

/// Words from the start of a request that are read.
const MOST_WORDS: usize = 300;
/// What a text in another language says in English; `None` for one in English, and for one whose words are all unknown. Words
/// that are known besides stay.
#[must_use]
pub fn gloss(text: &str, is_known: &dyn Fn(&str) -> bool) -> Option<String> {
    let words = words_of(text);
    let language = language_of(text, &words)?;
    let forms = forms_of(language)?;
    let english =
        if forms.runs.is_empty() { gloss_of_words(&words, forms, language, is_known) } else { gloss_of_runs(text, forms) };
    (!english.is_empty()).then(|| english.join(" "))
}

fn words_of(text: &str) -> Vec<Word<'_>> {
    let words = cut::words(text, Rule::Letters).into_iter().take(MOST_WORDS).map(|word| &text[word]);
    words.map(|written| Word { written, folded: fold(written) }).collect()
}

/// The language of a text by its script, otherwise by its function words and own letters and, for half
/// as much, by its words in the lexicon: more of them than function words of English.
fn language_of(text: &str, words: &[Word<'_>]) -> Option<&'static Language> {
    if let Some(script) = script_of(text) {
        let mut written = LANGUAGES.iter().filter(|language| language.script == Some(script));
        let first = written.next();
        return written.find(|language| text.contains(language.own_letters.as_slice())).or(first);
    }
    let english = words.iter().filter(|word| is_english_function_word(&word.folded)).count();
    // Twice the score of function words: one that is English too counts half.
    let mut function_words = vec![0_usize; LANGUAGES.len()];
    for word in words {
        let weight = if is_stop_word(&word.folded) { 1 } else { 2 };
        for place in having_function_word(&word.folded) {
            function_words[*place] += weight;
        }
    }
    let mut best: Option<(usize, &'static Language)> = None;
    for (language, of_function_words) in LANGUAGES.iter().zip(function_words) {
        let may_be = matches!(language.script, None | Some(Script::Devanagari));
        // Own letters are worth a function word.
        let mut score = of_function_words + 2 * usize::from(text.contains(language.own_letters.as_slice()));
        if !may_be || score < 2 {
            continue;
        }
        let others = || words.iter().filter(|word| !language.function_words.contains(&word.folded));
        // Words are looked up only where all of them together would make it this language.
        if score + others().count() <= 2 * english {
            continue;
        }
        let Some(forms) = forms_of(language) else { continue };
        // Names have own letters too: without a function word, words tell that are no English ones.
        let tells = |word: &&Word<'_>| (of_function_words > 0 || !is_english(&word.folded)) && forms.of(&word.folded).is_some();
        let known = others().filter(tells).count();
        if of_function_words == 0 && known < 2 {
            continue;
        }
        score += known;
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, language));
        }
    }
    best.filter(|(score, _)| *score >= 3 && *score > 2 * english).map(|(_, language)| language)
}

/// The script that tells the language of a text: of so many letters that it is no name in another one.
fn script_of(text: &str) -> Option<Script> {
    if text.is_ascii() {
        return None;
    }
    let count = |letters: RangeInclusive<char>| text.chars().filter(|c| letters.contains(c)).count();
    let kana = count('\u{3040}'..='\u{30ff}');
    let hangul = count('\u{ac00}'..='\u{d7a3}');
    let han = count('\u{3400}'..='\u{4dbf}') + count('\u{4e00}'..='\u{9fff}');
    if (kana + hangul + han) * 4 >= text.chars().filter(char::is_ascii_alphabetic).count() {
        if kana >= 1 && kana + han >= 3 {
            return Some(Script::Kana);
        }
        if hangul >= 2 {
            return Some(Script::Hangul);
        }
        if han >= 2 {
            return Some(Script::Han);
        }
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let alphabets = [
        (Script::Cyrillic, '\u{400}'..='\u{4ff}'),
        (Script::Arabic, '\u{620}'..='\u{64a}'),
        (Script::Greek, '\u{370}'..='\u{3ff}'),
        (Script::Hebrew, '\u{5d0}'..='\u{5ea}'),
        (Script::Devanagari, '\u{900}'..='\u{97f}'),
    ];
    let of_it = |letters: &RangeInclusive<char>| count(letters.clone());
    let mut told = alphabets.iter().filter(|(_, range)| of_it(range) >= 3 && of_it(range) * 4 > letters);
    told.next().map(|(script, _)| *script)
}

/// Whether two characters stand in one word: of Hangul or of Katakana, as Chinese has no signs between words.
fn is_same_script(a: char, b: char) -> bool {
    let either = ['\u{ac00}'..='\u{d7a3}', '\u{30a1}'..='\u{30ff}'];
    either.iter().any(|letters| letters.contains(&a) && letters.contains(&b))
}

/// In the order of the request: all English words for each of its words, and those of its words
/// that the catalogue or the list of English words holds, such as names of products.
fn gloss_of_words<'a>(words: &[Word<'a>], forms: &Forms, language: &Language, is_known: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
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
        let (in_catalogue, function_word) = (is_known(word), language.function_words.contains(word));
        let translated = (!function_word || forms.exact.contains_key(word)) && !(in_catalogue && is_english(word));
        if let Some(english) = forms.of(word).filter(|_| translated) {
            gloss.extend(english);
        } else if function_word && !(in_catalogue && !is_stop_word(word) && word.chars().count() > 3) {
            // It says nothing.
        } else if in_catalogue || is_english(word) {
            gloss.push(*written);
        } else if !word.contains('-') {
            gloss.extend(forms.of_joined(word, &language.joints));
        } else {
            for (part, written) in word.split('-').zip(written.split('-')) {
                match forms.of(part) {
                    Some(english) => gloss.extend(english.first()),
                    None if is_known(part) => gloss.push(written),
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
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if first.is_ascii_alphanumeric() {
            let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
            length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
            gloss.push(&rest[..length]);
        } else {
            // A name begins a word: two syllables in the middle of one are an ending.
            let begins_word = before.is_none_or(|before| !is_same_script(before, first));
            let name = begins_word.then(|| forms.names.first_in(rest)).flatten();
            if let Some((run, english)) = name.or_else(|| forms.runs.first_in(rest)) {
                length = run;
                gloss.extend(english);
            }
        }
        before = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
    gloss
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glossed(text: &str) -> String {
        gloss(text, &|word| ["github", "create", "issue", "comment"].contains(&word)).unwrap_or_default()
    }

    #[test]
    fn a_request_in_another_language_is_glossed_in_its_order() {
        for (text, words) in [
            ("Lösche bitte die Datei auf dem Server", ["delete", "file"]),
            ("envía un mensaje al canal de github", ["send", "message"]),
            ("montre-moi le calendrier et crée une réunion", ["create", "meeting"]),
            ("удали этот файл", ["delete", "file"]),
            ("Διάγραψε το αρχείο", ["delete", "file"]),
            ("फ़ाइल को डिलीट करो", ["file", "delete"]),
            ("Tarayıcıda sayfayı aç ve düğmeye tıkla", ["browser", "click"]),
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
    fn a_name_in_another_script_is_read_where_a_word_begins() {
        assert!(glossed("깃허브에 이슈 만들어줘").starts_with("github issue"));
        assert!(glossed("スラックで送信して").starts_with("slack"));
        assert!(glossed("заведи тикет в джире").ends_with("jira"));
        assert!(glossed("지라에 이슈 추가해줘").starts_with("jira"));
        assert!(!glossed("파일이 쓰레기지라도 삭제하지 마세요").contains("jira"));
    }

    #[test]
    fn a_word_that_is_joined_of_two_says_both_or_the_one_that_is_known() {
        let of = |code: &str, word: &str| {
            let language = LANGUAGES.iter().find(|language| language.code == code).unwrap();
            forms_of(language).unwrap().of_joined(word, &language.joints).join(" ")
        };
        assert_eq!(of("de", "kundendatenbank"), "customer database");
        assert_eq!(of("de", "steuerprufung"), "tax exam homework");
        assert_eq!(of("de", "blubbvertrag"), "contract agreement");
        assert_eq!(of("de", "versicherungsdings"), "insurance");
        assert_eq!(of("nl", "klantgegevens"), "customer data");
        assert_eq!(of("de", "zzzzzzzzzz"), "");
        assert_eq!(of("fr", "clientdonnees"), "", "French joins no words");
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
}
