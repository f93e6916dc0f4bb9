//! The keys and types of a JSON value in a line: `{total: number, items: [120 × {id: number, title: string, labels?: [string]}]}`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use super::json::{Members, Type, unescaped};

/// Elements that are looked at, and members that are listed.
const ELEMENTS: usize = 20;
const MEMBERS: usize = 32;
/// How deep it is looked at.
const DEPTH: usize = 5;
const KEY_CHARS: usize = 40;

/// What values of one place have in common.
#[derive(Debug, Default, Clone)]
struct Shape {
    plain: BTreeSet<Type>,
    /// How many of the values are objects, and their members by key, each with how many objects have it.
    objects: usize,
    members: Vec<(String, Self, usize)>,
    more_members: bool,
    /// The least and the greatest number of elements, where some are arrays.
    counts: Option<(usize, usize)>,
    elements: Option<Box<Self>>,
}

impl Shape {
    fn add(&mut self, text: &str, value: &Range<usize>, depth: usize) {
        match Type::of(text, value) {
            Type::Object => self.add_object(text, value, depth),
            Type::Array => {
                let count = Members::of(text, value).count();
                self.counts = Some(self.counts.map_or((count, count), |(least, most)| (least.min(count), most.max(count))));
                let elements = self.elements.get_or_insert_default();
                for member in Members::of(text, value).take(if depth < DEPTH { ELEMENTS } else { 0 }) {
                    elements.add(text, &member.value, depth + 1);
                }
            }
            plain => _ = self.plain.insert(plain),
        }
    }

    fn add_object(&mut self, text: &str, value: &Range<usize>, depth: usize) {
        self.objects += 1;
        if depth >= DEPTH {
            return;
        }
        for member in Members::of(text, value) {
            let Some(key) = &member.key else { continue };
            let key: String = unescaped(text, key).chars().take(KEY_CHARS).collect();
            let known = self.members.iter().position(|(known, ..)| *known == key);
            let at = known.unwrap_or(self.members.len());
            if at == self.members.len() {
                if at == MEMBERS {
                    self.more_members = true;
                    break;
                }
                self.members.push((key, Self::default(), 0));
            }
            let (_, shape, times) = &mut self.members[at];
            shape.add(text, &member.value, depth + 1);
            *times += 1;
        }
    }

    fn write(&self, made: &mut String) {
        let mut is_first = true;
        let mut or = |made: &mut String| {
            if !std::mem::take(&mut is_first) {
                made.push('|');
            }
        };
        if self.objects > 0 {
            or(made);
            self.write_object(made);
        }
        if let Some((least, most)) = self.counts {
            or(made);
            let count = if least == most { most.to_string() } else { format!("{least}-{most}") };
            _ = write!(made, "[{count} × "); // writing to a string cannot fail
            self.elements.iter().for_each(|elements| elements.write(made));
            made.push(']');
        }
        for plain in &self.plain {
            or(made);
            made.push_str(plain.name());
        }
    }

    fn write_object(&self, made: &mut String) {
        made.push('{');
        for (at, (key, shape, times)) in self.members.iter().enumerate() {
            let mark = if *times < self.objects { "?" } else { "" };
            _ = write!(made, "{}{key}{mark}: ", if at == 0 { "" } else { ", " });
            shape.write(made);
        }
        made.push_str(if self.more_members { ", …}" } else { "}" });
    }
}

/// The outline of a value, in so many bytes at most.
pub fn outline(text: &str, value: &Range<usize>, most: usize) -> String {
    let mut shape = Shape::default();
    shape.add(text, value, 0);
    let mut made = String::new();
    shape.write(&mut made);
    if made.len() > most {
        made.truncate(made.floor_char_boundary(most));
        made.push('…');
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_types_and_counts_stand_in_a_line() {
        let text = r#"{"total": 2, "items": [{"id": 1, "tags": []}, {"id": "x", "tags": ["a", "b"], "note": null}], "none": {}}"#;
        assert_eq!(
            outline(text, &(0..text.len()), 500),
            "{total: number, items: [2 × {id: string|number, tags: [0-2 × string], note?: null}], none: {}}"
        );
        assert_eq!(outline("[1, 2, 3]", &(0..9), 500), "[3 × number]");
        assert_eq!(outline("[[], {}, 1]", &(0..11), 500), "[3 × {}|[0 × ]|number]");
    }

    #[test]
    fn it_is_bounded() {
        let wide: Vec<String> = (0..1_000).map(|at| format!("\"key{at}\": 1")).collect();
        let wide = format!("{{{}}}", wide.join(","));
        assert!(outline(&wide, &(0..wide.len()), 5_000).ends_with("key31: number, …}"));
        assert!(outline(&wide, &(0..wide.len()), 50).len() < 60);
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert!(outline(&deep, &(0..deep.len()), 5_000).len() < 100);
    }
}
