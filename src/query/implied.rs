//! What a request implies: a path asks for tools that read files, an address for a browser, `#team` for chat.
//!
//! Read from the text as it was written, without pasted code; text is not changed. Which signal asks for which tools, and
//! how much, stands in `data/implied.txt`.

use std::collections::HashMap;

use once_cell::sync::Lazy;
use regex::{Regex, RegexSet};

use super::foreign;
use super::request::Query;
use super::vocabulary::Vocabulary;
use crate::document::purpose::{self, Purpose};
use crate::document::tool::ToolDocument;
use crate::text::terms::name_key;

/// The most bytes of a request that are looked at: signals stand in what a person wrote.
const MAX_BYTES: usize = 4 * 1024;

/// Signals and what their text looks like, in the same order. A word is what stands between white space, without the marks
/// around it.
const SIGNALS: [(&str, &str); 15] = [
    ("address", r"^https?://\S+$"),
    ("address", r"(?i)^(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d{2,5})?(?:/\S*)?$|^:\d{4,5}(?:/\S*)?$"),
    (
        "file",
        r"(?i)^(?:[\w.@~+-]*/)*[\w.@+-]*\w\.(?:js|ts|tsx|jsx|mjs|cjs|py|rs|go|java|kt|swift|rb|php|cs|c|h|cpp|css|scss|html?|vue|svelte|mdx?|json|ya?ml|toml|ini|conf|cfg|env|lock|xml|csv|sql|sh|txt|log|ipynb|tf|proto|gradle)(?::\d+)*$",
    ),
    ("file", r"^(?:[\w.@~+-]*/)*(?:Dockerfile|Makefile|(?i:README|CHANGELOG|LICEN[CS]E)|\.env(?:\.\w+)?|\.gitignore)$"),
    (
        "pattern",
        r"(?i)^(?:[\w.*@~+-]*/)*[\w.*+-]*\*[\w.*/+-]*\.\w+$|^[\w.@/+-]+/\*\*(?:/\S*)?$|^(?:[\w.-]+\.(?:jsons|ymls|yamls|mds))$|^\*\*/",
    ),
    (
        "path",
        r"^(?:\.{1,2}|~)/[\w.@+-][\w.@/+-]*$|^/(?:etc|usr|var|home|tmp|opt|src|app|mnt|Users)/[\w.@/+-]+$|^[\w.@+-]+/[\w.@+-]+/[\w.@/+-]*$|^[\w.@+-]+/$",
    ),
    (
        "path",
        r"^(?:src|lib|libs|docs?|packages|apps?|tests?|spec|scripts|config|public|assets|components|styles|server|client|backend|frontend|internal|cmd|migrations|templates)/[\w.@/+-]+$",
    ),
    ("channel", r"^#[a-z][a-z0-9_-]*[a-z][a-z0-9_-]*$"),
    ("person", r"^@[A-Za-z][\w.-]*$"),
    ("ticket", r"^[A-Z][A-Z0-9]{1,9}-\d{1,6}$"),
    ("merge-request", r"^!\d{1,6}$"),
    ("number", r"^#\d{1,6}$"),
    ("repository", r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$"),
    (
        "domain",
        r"(?i)^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|dev|app|co|ai|de|fr|es|it|nl|pl|pt|br|eu|uk|us|ch|at|jp|cn|in|shop|store|cloud|me|info|biz)$",
    ),
    ("unique", r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"),
];

/// Signals in runs of words, in English; the files of other languages have theirs.
const PHRASES: [(&str, &str); 21] = [
    (
        "device",
        r"(?i)\b(?:on|for|in) (?:a |an |the |my )?(?:phones?|mobile|tablets?|iphone|ipad|android|small screens?|safari|firefox|chrome|edge)\b|\bviewport\b|\b(?:dark|light) mode\b|\b\d{3,4} ?(?:px )?wide\b",
    ),
    ("address", r"(?i)\bport \d{4,5}\b"),
    ("record", r"\b(?:MX|TXT|NS|SRV)\b|\bA records?\b|(?i:\b(?:dns|nameservers?|cname|aaaa|spf|dkim|dmarc)\b)"),
    (
        "notify",
        r"(?i)\b(?:tell|ping|notify|inform|message|dm) (?:the|them|him|her|everyone|everybody|all|our|my|@\w+)\b|\b(?:tell|ping|notify) (?-i:\p{Lu})\p{L}+|\blet (?:\w+ ){1,3}know\b|\b(?:announce|share) (?:it|this|that)\b",
    ),
    (
        "look",
        r"(?i)\bhow (?:it|that|this|the page|the site) looks?\b|\blooks? (?:broken|off|wrong|weird|strange)\b|\breproduce (?:it|this|that) on\b",
    ),
    ("edit", r"(?i)\b(?:fix|patch|refactor) (?:it|that|this|them)\b"),
    (
        "someone",
        r"(?i)\b(?:tell|ping|notify|inform|message|dm|ask) (?:him|her|them|(?-i:\p{Lu})\p{L}+)\b|\blet (?:him|her|them) know\b",
    ),
    (
        "state",
        r"(?i)\b(?:move|set|put|mark|push|flip|change|transition) (?:\S+ ){0,5}?(?:to|as|in|into|back to) (?:the )?\W?(?:done|in progress|(?:in |code |peer )?review|ready|qa|closed|resolved|blocked|to ?do|testing|in test|deployed|released|won'?t (?:fix|do)|cancel+ed|backlog|triage|staging|doing)\b|\b(?:close|resolve|reopen) [A-Z][A-Z0-9]{1,9}-\d|\bin review\b",
    ),
    ("pull-request", r"\b(?i:PR|pull request) ?#?\d{1,6}\b"),
    ("console", r"(?i)\bconsole\b"),
    ("network", r"(?i)\bnetwork (?:calls?|requests?|tab|traffic)\b|\b(?:XHR|HAR)\b"),
    ("database", r"(?i)\b(?:db|database|sql|postgres|mysql|sqlite)\b|\btables?\b"),
    (
        "red-build",
        r"(?i)\b(?:CI|pipelines?|builds?|jobs?)\b (?:\S+ ){0,6}?(?:red|fail\w*|broken|breaks?|flaky|stuck)\b|\b(?:red|failing|failed|broken|flaky) (?:CI|pipelines?|builds?|jobs?)\b",
    ),
    ("failure", r"(?i)\b50[0234]s?\b|\b(?:crash\w*|outage|timeouts?|stack ?trace)\b"),
    (
        "open-request",
        r"(?i)\b(?:open|create|make|raise|submit|send) (?:\S+ ){0,3}?(?:PR|MR|(?:pull|merge) request)\b|\b(?:PR|MR) (?:against|into|onto)\b",
    ),
    ("push", r"(?i)\bpush (?:it|that|this|them|to|the|my)\b"),
    ("assign", r"(?i)\b(?:re)?assign\b|\breviewers?\b|\bassignees?\b|\bgive (?:it|this|that|them|those) to\b"),
    (
        "attach",
        r"\b(?i:attach|upload)\b|\b(?i:screenshots?|recordings?|pictures?|images?|logs?) (?:\S+ ){0,16}?(?:on|to|in) [A-Z][A-Z0-9]{1,9}-\d{1,6}\b",
    ),
    (
        "library",
        r"(?i)\b(?:official|proper|right|current|recommended|idiomatic) (?:docs?|documentation|guide|way|api|setup|cleanup)\b|\b(?:migration|upgrade) guide\b|\bdocs (?:say|for|of|on)\b",
    ),
    ("self", r"(?i)\b(?:my|mine|myself)\b|\b(?:to|on|from|by|of|for|with|=) me\b|\bi'?ll take\b"),
    (
        "online",
        r"(?i)\b(?:google|online|on the web|release notes|changelog of|breaking changes|latest version|current prices?|with (?:links|sources))\b",
    ),
];

/// Standards that are written as tickets are.
const NO_TICKETS: [&str; 14] =
    ["UTF", "SHA", "ISO", "HTTP", "RFC", "CVE", "GPT", "AES", "RSA", "TLS", "WCAG", "COVID", "ES", "IPV"];

static WORDS: Lazy<RegexSet> =
    Lazy::new(|| RegexSet::new(SIGNALS.map(|(_, pattern)| pattern)).unwrap_or_else(|_| RegexSet::empty()));
static RUNS: Lazy<Vec<(&str, Regex)>> =
    Lazy::new(|| PHRASES.into_iter().filter_map(|(signal, pattern)| Some((signal, Regex::new(pattern).ok()?))).collect());
static ASKS: Lazy<HashMap<&'static str, Vec<(Purpose, f64)>>> = Lazy::new(|| {
    let mut asks: HashMap<&str, Vec<(Purpose, f64)>> = HashMap::new();
    for line in include_str!("data/implied.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(signal), Some(purpose), Some(weight)) = (words.next(), words.next().and_then(purpose::purpose), words.next())
        else {
            continue;
        };
        if let Ok(weight) = weight.parse() {
            asks.entry(signal).or_default().push((purpose, weight));
        }
    }
    asks
});

/// The step: finds the signals of what is ranked, and the purposes that they ask for.
pub(super) fn read(query: &mut Query, vocabulary: &Vocabulary) {
    for signal in signals(&query.ranked, |host| vocabulary.is_product(host)) {
        for (purpose, weight) in ASKS.get(signal).into_iter().flatten() {
            match query.implied.iter_mut().find(|(known, _)| known == purpose) {
                Some((_, known)) => *known = known.max(*weight),
                None => query.implied.push((*purpose, *weight)),
            }
        }
    }
}

/// Whether a tool serves what a ticket asks for.
pub fn tracks_issues(tool: &ToolDocument) -> bool {
    let asked = ASKS.get("ticket").map_or(&[][..], Vec::as_slice);
    tool.serves.iter().any(|serves| asked.iter().any(|(purpose, _)| *purpose == serves.purpose))
}

/// Whether punctuation surrounds words and is not part of one.
fn is_around(c: char) -> bool {
    matches!(
        c,
        '(' | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '<'
            | '>'
            | '"'
            | '\''
            | '`'
            | ','
            | ';'
            | '!'
            | '?'
            | '“'
            | '”'
            | '„'
            | '«'
            | '»'
            | '，'
            | '。'
            | '、'
    )
}

/// The signals of a text, each once. An address at a product that is connected is that product's.
pub fn signals(text: &str, is_product: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let mut found: Vec<&'static str> = Vec::new();
    let mut add = |signal: &'static str| {
        if !found.contains(&signal) {
            found.push(signal);
        }
    };
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '，' | '。' | '、' | '（' | '）')) {
        let bare = word.trim_matches(is_around).trim_end_matches(['.', ':']);
        if bare.len() < 2 || bare.len() > 512 || bare.bytes().all(|c| c.is_ascii_lowercase()) {
            continue;
        }
        // `!218` begins with a mark that others end with.
        let bare = if word.trim_start_matches(['(', '"', '`']).starts_with('!') {
            word.trim_matches(['(', ')', '"', '`', ',', '.', '?', ':'])
        } else {
            bare
        };
        let host = bare.trim_start_matches("https://").trim_start_matches("http://");
        let of_product = || host.split(['/', ':']).next().unwrap_or("").split('.').any(|label| is_product(&name_key(label)));
        let matched = WORDS.matches(bare);
        let Some(at) = matched.iter().next() else { continue };
        match SIGNALS[at].0 {
            "ticket" if NO_TICKETS.contains(&bare.split('-').next().unwrap_or("")) => {}
            "address" | "domain" | "path" if host.contains('.') && of_product() => {}
            signal => add(signal),
        }
    }
    let of_others = foreign::signals(text);
    for (signal, pattern) in RUNS.iter() {
        if of_others.contains(signal) || pattern.is_match(text) {
            add(signal);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::language::LANGUAGES;

    fn found(text: &str) -> Vec<&'static str> {
        signals(text, |host| host == "figma")
    }

    #[test]
    fn every_line_asks_for_a_purpose_and_every_pattern_is_read() {
        let lines = include_str!("data/implied.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(ASKS.values().map(Vec::len).sum::<usize>(), lines);
        assert_eq!((WORDS.len(), RUNS.len()), (SIGNALS.len(), PHRASES.len()));
        for signal in ASKS.keys() {
            assert!(SIGNALS.iter().chain(&PHRASES).any(|(known, _)| known == signal), "{signal}");
        }
    }

    #[test]
    fn a_request_implies_what_its_names_are_of() {
        for (text, signal) in [
            ("fix it in styles/pricing.css", "file"),
            ("bump typescript in all the package.jsons", "pattern"),
            ("it's in packages/ui/src", "path"),
            ("how do the modules in packages/ depend on each other", "path"),
            ("login on http://localhost:5173/login does nothing", "address"),
            ("look at localhost:3000, please", "address"),
            ("the page is broken on phones", "device"),
            ("post that in #standup", "channel"),
            ("ask @marina about it", "person"),
            ("move OPS-61 to done", "ticket"),
            ("CI of MR !218 is red", "merge-request"),
            ("which pipelines ran in shop/api", "repository"),
            ("add a CNAME for the shop", "record"),
            ("move the ticket to \"Ready for QA\"", "state"),
            ("close SEC-41", "state"),
            ("and let him know", "someone"),
            ("ask Marina", "someone"),
            ("are spf / dkim right?", "record"),
            ("which of the two is cheaper? current prices please", "online"),
            ("look at PR 64", "pull-request"),
            ("acme-kaffee.de expires soon", "domain"),
            ("any errors in the console?", "console"),
            ("what do the network calls say", "network"),
            ("look her up in the db", "database"),
            ("CI of the branch is red again", "red-build"),
            ("we get 502s since noon", "failure"),
            ("open a draft PR", "open-request"),
            ("push it to the same branch", "push"),
            ("assign Sven", "assign"),
            ("assegna PLAT-12 a Giulia", "assign"),
            ("put a screenshot of the empty state on WEB-512", "attach"),
            ("anything in the release notes that could bite us", "online"),
            ("préviens l'équipe", "notify"),
            ("the pricing page in dark mode", "device"),
            ("what's the current way to do that in next/image", "library"),
            ("which of my PRs wait", "self"),
            ("weis das mir zu", "self"),
            ("assign both to me", "self"),
            ("corrige o build", "edit"),
            ("and the Changelog, too", "file"),
        ] {
            assert!(found(text).contains(&signal), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn other_languages_imply_signals_that_exist() {
        for language in LANGUAGES.iter() {
            for (signal, words) in &language.words.implied {
                assert!(PHRASES.iter().any(|(known, _)| known == signal) && !words.is_empty(), "{}: {signal}", language.code);
            }
        }
        for (text, signal) in [
            ("passe le ticket en revue", "state"),
            ("laat Bas weten dat het klaar is", "notify"),
            ("сообщите команде", "notify"),
            ("通知大家", "notify"),
            ("was steht in der Konsole", "console"),
            ("öffne es im dunkelmodus", "device"),
            ("내가 한 것", "self"),
        ] {
            assert!(found(text).contains(&signal), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn prose_implies_nothing() {
        for text in
            ["list the open issues, please", "encode it as UTF-8 and SHA-256", "and/or", "50% of it, e.g. this", "", "well..."]
        {
            assert!(found(text).iter().all(|signal| *signal == "repository"), "{text}: {:?}", found(text));
        }
        assert!(found("see https://figma.com/file/Q/Home").is_empty());
    }
}
