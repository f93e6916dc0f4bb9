//! The one cutter of written text into words, with their places.
//!
//! Steps that read a request need other words: a clause ends at words between white space, a product
//! is a word with hyphens, a language is told by letters alone. What differs is the rule; the cutting
//! is here. Terms, which documents and queries share, are another thing: see [`super::terms`].

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// What belongs to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// All but white space. A Chinese comma ends a word and belongs to it.
    Spaced,
    /// Letters and digits; apostrophes, hyphens and underscores inside and behind.
    Written,
    /// Letters, with apostrophes and hyphens between them.
    Letters,
    /// Letters of ASCII.
    Ascii,
}

impl Rule {
    fn begins(self, c: char) -> bool {
        match self {
            Self::Spaced => !c.is_whitespace(),
            Self::Written => c.is_alphanumeric(),
            Self::Letters => c.is_alphabetic(),
            Self::Ascii => c.is_ascii_alphabetic(),
        }
    }

    fn continues(self, c: char) -> bool {
        let inside = matches!(c, '\'' | '’' | '-');
        match self {
            Self::Spaced | Self::Ascii => self.begins(c),
            Self::Written => self.begins(c) || is_combining_mark(c) || inside || c == '_',
            Self::Letters => self.begins(c) || is_combining_mark(c) || inside,
        }
    }

    fn ends_with(self, c: char) -> bool {
        self == Self::Spaced && matches!(c, '、' | '，')
    }
}

/// The places of the words of a text, in order.
pub fn words(text: &str, rule: Rule) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(word) if open && rule.continues(c) => word.end = end,
            _ if rule.begins(c) => {
                words.push(at..end);
                open = true;
            }
            _ => open = false,
        }
        open &= !rule.ends_with(c);
    }
    if rule == Rule::Letters {
        for word in &mut words {
            let is_outside = |c| !rule.begins(c) && !is_combining_mark(c);
            word.end = word.start + text[word.clone()].trim_end_matches(is_outside).len();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, rule: Rule) -> Vec<&str> {
        words(text, rule).into_iter().map(|word| &text[word]).collect()
    }

    #[test]
    fn each_rule_cuts_as_it_says() {
        let text = "Don't re-run `get_x`, l'été -- 42 días， ok";
        assert_eq!(cut(text, Rule::Spaced), ["Don't", "re-run", "`get_x`,", "l'été", "--", "42", "días，", "ok"]);
        assert_eq!(cut(text, Rule::Written), ["Don't", "re-run", "get_x", "l'été", "42", "días", "ok"]);
        assert_eq!(cut(text, Rule::Letters), ["Don't", "re-run", "get", "x", "l'été", "días", "ok"]);
        assert_eq!(cut(text, Rule::Ascii), ["Don", "t", "re", "run", "get", "x", "l", "t", "d", "as", "ok"]);
        assert_eq!(cut("a，b、c", Rule::Spaced), ["a，", "b、", "c"]);
        assert_eq!(cut("say 'cheese' - now-", Rule::Letters), ["say", "cheese", "now"]);
        assert_eq!(cut("कार्य बंद", Rule::Letters), ["कार्य", "बंद"]);
    }

    proptest::proptest! {
        #[test]
        fn words_are_disjoint_ranges_in_order(text in "[a-zé0-9 ,'’_、，-]{0,60}") {
            for rule in [Rule::Spaced, Rule::Written, Rule::Letters, Rule::Ascii] {
                let words = words(&text, rule);
                proptest::prop_assert!(words.iter().all(|word| word.start < word.end && text.get(word.clone()).is_some()));
                proptest::prop_assert!(words.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
        }
    }
}
