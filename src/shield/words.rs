//! Lists of words that the checks look for, read from `data/words.txt`.

pub(super) type Words = Vec<&'static str>;

/// A list by its name; an empty one where there is none.
pub(super) fn list(name: &str) -> Words {
    let lines = include_str!("data/words.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut lines = lines.skip_while(|line| line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) != Some(name));
    lines.next();
    lines.take_while(|line| !line.starts_with('[')).map(|line| line.trim_matches('"')).collect()
}
