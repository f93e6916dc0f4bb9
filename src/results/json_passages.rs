//! Passages of JSON: records and members, with the paths that find them again.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::json::{Member, Members, Type, compact, unescaped};
use super::kind::Kind;
use super::passages::{MOST, Passage, Passages, place_of_lines};

/// Records smaller than that are one passage with their neighbours.
const LEAST: usize = 100;
/// The same for an array of numbers and short texts.
const LEAST_PLAIN: usize = 400;
/// A path is written in so many bytes at most: keys may be of any length.
const PATH_BYTES: usize = 400;
/// A value that says what an object is, and how much of them is shown.
const LABEL_VALUE: usize = 60;
const LABEL_BYTES: usize = 140;
const LABEL_MEMBERS: usize = 4;
/// Levels that are cut by their members; what lies deeper is cut as text. Each level is a call of its own, and reads all that
/// lies below it.
const MOST_LEVELS: usize = 32;

/// A path with one step more.
pub fn step(text: &str, path: &str, member: &Member, index: usize) -> String {
    let mut made = path.to_owned();
    match &member.key {
        None => _ = write!(made, "[{index}]"), // writing to a string cannot fail
        Some(key) => {
            let written = text.get(key.clone()).unwrap_or("");
            let plain = written.trim_matches('"');
            let is_name = !plain.is_empty() && plain.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
            _ = if is_name { write!(made, ".{plain}") } else { write!(made, "[{written}]") };
        }
    }
    if made.len() > PATH_BYTES {
        made.truncate(made.floor_char_boundary(PATH_BYTES));
        made.push('…');
    }
    made
}

/// What an object says about itself in a few short values: those that name it, or `any` where none does.
pub fn label(text: &str, value: &Range<usize>, any: bool) -> Option<String> {
    const TELLING: [&str; 9] = ["id", "number", "key", "name", "title", "path", "file", "version", "type"];
    if Type::of(text, value) != Type::Object {
        return None;
    }
    let is_short = |member: &Member| {
        let kind = Type::of(text, &member.value);
        member.value.len() <= LABEL_VALUE && !matches!(kind, Type::Object | Type::Array | Type::Null | Type::Boolean)
    };
    let short: Vec<Member> = Members::of(text, value).take(64).filter(is_short).collect();
    let telling = |member: &&Member| {
        let key = member.key.as_ref().map(|key| unescaped(text, key).to_lowercase());
        key.is_some_and(|key| TELLING.contains(&key.as_str()))
    };
    let mut chosen: Vec<&Member> = short.iter().filter(telling).take(LABEL_MEMBERS).collect();
    if chosen.is_empty() && any {
        chosen = short.iter().take(2).collect();
    }
    let written: Vec<String> = chosen.iter().filter_map(|member| Some(compact(text.get(member.whole())?, LABEL_BYTES))).collect();
    let mut label = format!("{{{}}}", written.join(","));
    label.truncate(label.floor_char_boundary(LABEL_BYTES));
    (!written.is_empty()).then_some(label)
}

/// Neighbours that become one passage.
struct Group {
    range: Range<usize>,
    first: usize,
    last: usize,
    path: String,
}

impl Passages {
    /// Cuts a JSON value.
    pub(super) fn cut_json(&mut self, text: usize, value: Range<usize>, path: &str, context: Option<usize>) {
        self.cut_level(text, value, path, context, MOST_LEVELS);
    }

    fn cut_level(&mut self, text: usize, value: Range<usize>, path: &str, context: Option<usize>, levels: usize) {
        let source = Arc::clone(&self.texts[text]);
        let kind = Type::of(&source, &value);
        if value.len() <= MOST || !matches!(kind, Type::Object | Type::Array | Type::Text) {
            self.add_json(text, value, path.to_owned(), context);
            return;
        }
        if kind == Type::Text {
            return self.cut_text_within(unescaped(&source, &value).into_owned(), path, context);
        }
        if levels == 0 {
            return self.cut_text_within(source.get(value).unwrap_or("").to_owned(), path, context);
        }
        let context = label(&source, &value, path != "$").map(|label| self.add_context(&label)).or(context);
        let mut group: Option<Group> = None;
        for (index, member) in Members::of(&source, &value).enumerate() {
            let whole = member.whole();
            let is_large = member.value.len() > MOST;
            if let Some(open) = group.take_if(|open| is_large || whole.end - open.range.start > MOST) {
                self.add_group(text, open, path, kind, context);
            }
            if is_large {
                self.cut_level(text, member.value.clone(), &step(&source, path, &member, index), context, levels - 1);
                continue;
            }
            if let Some(open) = &mut group {
                (open.range.end, open.last) = (whole.end, index);
            } else {
                let path = step(&source, path, &member, index);
                group = Some(Group { range: whole, first: index, last: index, path });
            }
            let is_record = matches!(Type::of(&source, &member.value), Type::Object | Type::Array);
            let least = if kind == Type::Object {
                MOST
            } else if is_record {
                LEAST
            } else {
                LEAST_PLAIN
            };
            if let Some(full) = group.take_if(|open| open.range.len() >= least) {
                self.add_group(text, full, path, kind, context);
            }
        }
        if let Some(open) = group {
            self.add_group(text, open, path, kind, context);
        }
    }

    fn add_group(&mut self, text: usize, group: Group, path: &str, kind: Type, context: Option<usize>) {
        let Group { range, first, last, path: own } = group;
        let place = if first == last {
            own
        } else if kind == Type::Array {
            format!("{path}[{first}:{}]", last + 1)
        } else {
            format!("{path}, {} members", last - first + 1)
        };
        self.add_json(text, range, place, context);
    }

    fn add_json(&mut self, text: usize, range: Range<usize>, place: String, context: Option<usize>) {
        // A number of a megabyte is cut nowhere: nobody reads more of it.
        let end = self.texts[text].floor_char_boundary(range.end.min(range.start + 2 * MOST));
        self.list.push(Passage { text, range: range.start..end, place, context, is_json: true });
    }

    /// Cuts a long text that stands in JSON. JSON in it is read as text: its quotation marks are part of what it says.
    fn cut_text_within(&mut self, inside: String, path: &str, context: Option<usize>) {
        let kind = match Kind::of(&inside) {
            Kind::Json | Kind::JsonLines => Kind::Text,
            kind => kind,
        };
        let begun = self.list.len();
        let text = self.add_text(inside.into());
        self.cut_lines(text, kind, &|lines| format!("{path}, {}", place_of_lines(lines, 1)));
        for passage in &mut self.list[begun..] {
            passage.context = passage.context.or(context);
        }
    }
}
