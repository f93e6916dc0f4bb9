//! Base64 as it is met in the wild: both alphabets, with and without padding and line breaks.

/// What breaks lines of base64 has at least so many characters in one; words below each other have fewer.
const LEAST_LINE: usize = 60;

/// The first bytes that a text stands for; `None` where it is no base64.
pub fn decode(text: &str, most: usize) -> Option<Vec<u8>> {
    let mut lines = text.trim_ascii().lines();
    let last = lines.next_back().unwrap_or("");
    let is_line = |line: &str| line.bytes().all(|c| value(c).is_some() || c == b'=');
    if !is_line(last) || !lines.all(|line| line.len() >= LEAST_LINE && is_line(line)) {
        return None;
    }
    let mut bytes = Vec::with_capacity(most.min(text.len() * 3 / 4));
    let (mut bits, mut count) = (0_u32, 0);
    for six in text.bytes().filter_map(value) {
        if bytes.len() >= most {
            break;
        }
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

const fn value(c: u8) -> Option<u8> {
    Some(match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_padding_and_line_breaks_are_read_and_other_texts_are_none() {
        for text in ["aGk/IGhpPg==", "aGk/IGhpPg", "aGk_IGhpPg==\n", "aGk_IGhpPg"] {
            assert_eq!(decode(text, 100).unwrap(), b"hi? hi>");
        }
        let broken = format!("{}\r\naGk/\n", "YWJj".repeat(19));
        assert_eq!(decode(&broken, 100).unwrap(), format!("{}hi?", "abc".repeat(19)).as_bytes());
        assert_eq!(decode("aGk/IGhpPg==", 2).unwrap(), b"hi");
        assert_eq!(decode("", 9), Some(Vec::new()));
        for words in ["no, base64", "é", "words of letters", "words\nof\nletters"] {
            assert_eq!(decode(words, 9), None, "{words}");
        }
    }
}
