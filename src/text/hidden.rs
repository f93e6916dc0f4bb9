//! Characters that a person does not see and a model reads: what instructions are hidden with.

/// How many tag characters a flag has after its black flag, its end included: three letters, then up to three.
const FLAG_TAGS: usize = 7;

/// Walks over a text and tells hidden characters from those that scripts and emoji need.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Eye {
    previous: Option<char>,
    flag_tags: usize,
}

impl Eye {
    /// Whether the next character is hidden.
    pub fn is_hidden(&mut self, c: char) -> bool {
        let tags = std::mem::replace(&mut self.flag_tags, if c == '\u{1f3f4}' { FLAG_TAGS } else { 0 });
        let previous = self.previous;
        let hidden = match c {
            '\t' | '\n' | '\r' => false,
            // Joiners shape letters of Arabic and Indic scripts and join emoji; after ASCII they do nothing.
            '\u{200c}' | '\u{200d}' => previous.is_none_or(|c| c.is_ascii()),
            // One selects a form of what stands before it; more of them carry data.
            '\u{fe00}'..='\u{fe0f}' => previous.is_none_or(|c| matches!(c, '\u{fe00}'..='\u{fe0f}' | 'A'..='z')),
            '\u{180b}'..='\u{180d}' | '\u{180f}' => !previous.is_some_and(|c| matches!(c, '\u{1820}'..='\u{18aa}')),
            '\u{e0020}'..='\u{e007f}' if tags > 0 => {
                self.flag_tags = tags - 1;
                false
            }
            _ => {
                c.is_control()
                    || matches!(c,
                        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{3164}' | '\u{ffa0}' | '\u{feff}'
                        | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}'
                        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{200b}' | '\u{200e}'..='\u{200f}'
                        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}'
                        | '\u{e0000}'..='\u{e0fff}')
            }
        };
        if !hidden {
            self.previous = Some(c);
        }
        hidden
    }
}

/// The first hidden character of a text, and how many there are.
pub(crate) fn find(text: &str) -> Option<(char, usize)> {
    // Nearly all texts are ASCII without controls, which this sees at the speed of memory.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')) {
        return None;
    }
    let mut eye = Eye::default();
    let mut hidden = text.chars().filter(|c| eye.is_hidden(*c));
    let first = hidden.next()?;
    Some((first, 1 + hidden.count()))
}

/// The text without hidden characters.
pub(crate) fn strip(text: &str) -> String {
    let mut eye = Eye::default();
    text.chars().filter(|c| !eye.is_hidden(*c)).collect()
}

/// The same two for JSON text, where a hidden character may also be written as `\u200b`.
pub(crate) fn find_in_json(json: &str) -> Option<(char, usize)> {
    if !["\\u", "\\b", "\\f"].iter().any(|escape| json.contains(escape)) {
        return find(json);
    }
    let mut found: Option<(char, usize)> = None;
    scan_json(json, |c, _, hidden| {
        if hidden {
            let (first, count) = found.unwrap_or((c, 0));
            found = Some((first, count + 1));
        }
    });
    found
}

/// See [`find_in_json`].
pub(crate) fn strip_json(json: &str) -> String {
    let mut kept = String::with_capacity(json.len());
    scan_json(json, |_, written, hidden| {
        if !hidden {
            kept.push_str(written);
        }
    });
    kept
}

/// Reads JSON text character by character: what it is, how it is written, whether it is hidden.
fn scan_json<'t>(json: &'t str, mut each: impl FnMut(char, &'t str, bool)) {
    let mut eye = Eye::default();
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        let (c, length) = match escaped(rest) {
            Some(read) => read,
            // An escaped backslash is not the beginning of an escape.
            None if rest.starts_with('\\') => ('\\', 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            None => (c, c.len_utf8()),
        };
        each(c, &rest[..length], eye.is_hidden(c));
        rest = &rest[length..];
    }
}

/// The character of `\uXXXX`, or of two of them, or of `\b` or `\f`, at the start of a text, and its length there.
pub(crate) fn escaped(text: &str) -> Option<(char, usize)> {
    match text.as_bytes() {
        [b'\\', b'b', ..] => return Some(('\u{8}', 2)),
        [b'\\', b'f', ..] => return Some(('\u{c}', 2)),
        _ => {}
    }
    let unit = |at: usize| -> Option<u16> {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    let units = [first, unit(6).unwrap_or(0)];
    let paired = (0xd800..0xdc00).contains(&first);
    let c = char::decode_utf16(units[..if paired { 2 } else { 1 }].iter().copied()).next()?.ok()?;
    Some((c, if paired { 12 } else { 6 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_reads_and_a_person_does_not_see_is_hidden() {
        let hidden = "a\u{34f}b \u{17b4} \u{180b} \u{1d173} \u{1bca0} a\u{200b}b \u{202e}x \u{e0041} \u{1b}[31m a\u{200d}b \
            \u{fe0f}\u{fe0f} \u{ad} \u{0}";
        for text in hidden.split(' ') {
            let (_, count) = find(text).unwrap();
            assert!(count >= 1 && find(&strip(text)).is_none(), "{text:?}");
        }
        assert_eq!(strip("Re\u{200b}ads\u{e0041} a file"), "Reads a file");
    }

    #[test]
    fn what_scripts_and_emoji_need_is_not_hidden() {
        let england = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        for text in [
            "می\u{200c}خواهم",
            "👩\u{200d}💻",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "क\u{94d}\u{200d}ष",
            england,
            "a\tb\r\nc é 日本",
        ] {
            assert_eq!(find(text), None, "{text:?}");
            assert_eq!(strip(text), text);
        }
        assert!(find(&format!("🏴{}", "\u{e0041}".repeat(9))).is_some());
    }

    #[test]
    fn json_hides_characters_as_escapes_too() {
        let json = r#"{"a":"x\u200b\udb40\udc41\\u200by","b":1}"#;
        assert_eq!(find_in_json(json), Some(('\u{200b}', 2)));
        assert_eq!(strip_json(json), r#"{"a":"x\\u200by","b":1}"#);
        assert_eq!(find_in_json(r#"{"a":"\u00e9\n\ud800\\b"}"#), None);
        assert_eq!(strip_json(r#"{"a":"x\by\f"}"#), r#"{"a":"xy"}"#);
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_is_left_and_nothing_else_goes(text in "\\PC{0,40}[\u{200b}-\u{200f}a]{0,5}\\PC{0,20}") {
            let once = strip(&text);
            let mut eye = Eye::default();
            let visible: String = text.chars().filter(|c| !eye.is_hidden(*c)).collect();
            proptest::prop_assert_eq!(&once, &visible);
            let json = serde_json::to_string(&text).unwrap();
            proptest::prop_assert!(serde_json::from_str::<String>(&strip_json(&json)).is_ok());
        }
    }
}
