//! Tokens as the language model counts them: `o200k_base`, exactly.

/// Counts the tokens of a text. Special tokens are counted as the text they are. About 10 MB a
/// second; the first call reads the vocabulary, a tenth of a second.
#[must_use]
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The oracle is another implementation of the same encoding.
        #[test]
        fn counts_equal_a_second_library(text in "\\PC{0,80}") {
            let expected = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len();
            prop_assert_eq!(count(&text), expected);
        }
    }

    #[test]
    fn special_tokens_are_plain_text() {
        assert!(count("<|endoftext|>") > 1);
        assert_eq!(count(""), 0);
    }
}
