//! Tokens as the language model counts them: `o200k_base`, exactly.

mod ranks;
mod split;

/// Counts the tokens of a text. Special tokens are counted as the text they are. About 20 MB per second; the first call
/// makes a table of 3 MB, in 10 ms.
pub fn count(text: &str) -> usize {
    split::pieces(text).map(|piece| ranks::RANKS.count(piece.as_bytes())).sum()
}

/// The longest token, in bytes.
const LONGEST: usize = 128;

/// How many bytes of a text are its longest beginning of so many tokens. No more of the text is read than that takes.
pub fn prefix(text: &str, most: usize) -> usize {
    let (mut left, mut end) = (most, 0);
    for piece in split::pieces(text) {
        let is_too_long = piece.len() > left.saturating_mul(LONGEST);
        let tokens = if is_too_long { usize::MAX } else { ranks::RANKS.count(piece.as_bytes()) };
        if tokens > left {
            // Of a piece that begins the text, some is better than nothing: a byte is a token at most.
            return if end == 0 { text.floor_char_boundary(left.min(text.len())) } else { end };
        }
        left -= tokens;
        end += piece.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expected(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    proptest! {
        /// The oracle is another implementation of the same encoding.
        #[test]
        fn counts_equal_a_second_library(text in "\\PC{0,80}") {
            prop_assert_eq!(count(&text), expected(&text));
        }

        /// Texts of few characters, where every rule of the splitting meets every other.
        #[test]
        fn counts_of_entangled_texts_equal_a_second_library(text in "[A-Ca-csStTrRvVeElLmMdDſ'ªƻ\u{300}\u{e000}é ı1²\t\r\n\u{a0}\u{2028}/.\"{-]{0,60}") {
            prop_assert_eq!(count(&text), expected(&text));
        }

        #[test]
        fn counts_of_long_words_equal_a_second_library(word in "[a-f]{50,400}|[ \n]{1,300}|[#=-]{1,300}|[éあ한]{20,80}") {
            prop_assert_eq!(count(&word), expected(&word));
        }
    }

    proptest! {
        #[test]
        fn a_beginning_has_so_many_tokens_and_the_next_piece_would_be_too_much(text in "[a-zA-Z0-9 é,.\n]{0,80}", most in 0..40_usize) {
            let end = prefix(&text, most);
            prop_assert!(count(&text[..end]) <= most);
            prop_assert!(end == text.len() || count(&text) > most);
        }
    }

    #[test]
    fn a_word_of_a_megabyte_is_not_counted_to_know_that_it_is_too_long() {
        assert_eq!(prefix(&"x".repeat(1 << 20), 100), 100);
        assert_eq!((prefix("one two", 1), prefix("one two", 2), prefix("", 5)), (3, 7, 0));
    }

    #[test]
    fn special_tokens_are_plain_text() {
        assert!(count("<|endoftext|>") > 1);
        assert_eq!(count(""), 0);
    }
}
