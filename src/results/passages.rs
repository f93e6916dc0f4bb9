//! A result in passages: what a need finds, and what an answer quotes. Rows, objects, records, hunks and paragraphs are
//! one passage each; small neighbours are one together, and what is larger is cut.

use std::ops::Range;
use std::sync::Arc;

use super::kind::{Kind, begins_record, heading};
use super::lines::{Line, lines};
use super::part::Part;

/// A piece of a result, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Which of [`Passages::texts`] it is of.
    pub text: usize,
    /// Its bytes there.
    pub range: Range<usize>,
    /// Its place, for whoever reads it.
    pub place: String,
    /// What stands above it, as a place among [`Passages::contexts`].
    pub context: Option<usize>,
    /// Whether it is JSON.
    pub is_json: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Passages {
    /// The texts of the result, and texts that stand in its JSON.
    pub texts: Vec<Arc<str>>,
    /// Headings, files, rows of names, and what an object says about itself.
    pub contexts: Vec<String>,
    /// In the order of the result.
    pub list: Vec<Passage>,
}

/// The longest passage, in bytes: about 200 tokens, so that ten needs fit into an answer.
pub(super) const MOST: usize = 800;
/// A line behind which so much of a heading, or of another context, is left out.
const CONTEXT_BYTES: usize = 160;

/// How much a passage has at least before another one begins.
fn least(kind: Kind) -> usize {
    match kind {
        Kind::Table(_) | Kind::JsonLines => 40,
        Kind::Log => 100,
        // An item of a list, or a line of output, says something of its own.
        Kind::Page => 120,
        _ => 200,
    }
}

impl Passages {
    /// Those of all texts of a result.
    pub fn of(parts: &[Part]) -> Self {
        let mut passages = Self::default();
        for part in parts {
            let text = passages.add_text(Arc::clone(&part.text));
            let first_line = part.first_line;
            match part.kind {
                Kind::Json => passages.cut_json(text, part.value(), "$", None),
                kind => passages.cut_lines(text, kind, &|line| place_of_lines(line, first_line)),
            }
        }
        passages
    }

    /// Those of one JSON value of a part.
    pub fn of_values(part: &Part, values: &[(String, Range<usize>)]) -> Self {
        let mut passages = Self::default();
        let text = passages.add_text(Arc::clone(&part.text));
        for (path, value) in values {
            passages.cut_json(text, value.clone(), path, None);
        }
        passages
    }

    pub(super) fn add_text(&mut self, text: Arc<str>) -> usize {
        self.texts.push(text);
        self.texts.len() - 1
    }

    pub(super) fn add_context(&mut self, context: &str) -> usize {
        self.contexts.push(context[..context.floor_char_boundary(CONTEXT_BYTES)].to_owned());
        self.contexts.len() - 1
    }

    /// The text of a passage.
    pub fn text_of(&self, passage: &Passage) -> &str {
        self.texts[passage.text].get(passage.range.clone()).unwrap_or("")
    }

    /// What stands above a passage.
    pub fn context_of(&self, passage: &Passage) -> &str {
        passage.context.map_or("", |context| &self.contexts[context])
    }

    /// Cuts a text that is not JSON; `place` writes a place by the lines.
    pub(super) fn cut_lines(&mut self, text: usize, kind: Kind, place: &dyn Fn(Lines) -> String) {
        let source = Arc::clone(&self.texts[text]);
        let is_lines = kind == Kind::Text && has_no_paragraphs(&source);
        let least = if is_lines { LEAST_LINES } else { least(kind) };
        let mut cutter = Cutter { passages: self, text, place, least, context: None, open: None };
        let mut above = Above::new(kind);
        for line in lines(&source) {
            if let Some(context) = above.changed_by(&line) {
                cutter.close();
                cutter.context = context.map(|context| cutter.passages.add_context(&context));
            }
            if line.text.trim().is_empty() {
                cutter.pause(kind);
            } else if kind == Kind::JsonLines && line.range.len() > MOST {
                cutter.close();
                let path = format!("{} $", (cutter.place)(Lines { first: line.number, last: line.number, part: None }));
                cutter.passages.cut_json(text, line.range, &path, None);
            } else {
                cutter.push(&line, begins(kind, line.text) || (is_lines && !line.text.starts_with(char::is_whitespace)));
            }
        }
        cutter.close();
    }
}

/// Lines of a text, for its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    pub first: usize,
    pub last: usize,
    /// Which piece of a line that is too long, and of how many bytes each, from 1.
    pub part: Option<usize>,
}

/// The place of lines; `first_line` is that of the text in the whole result.
pub(super) fn place_of_lines(lines: Lines, first_line: usize) -> String {
    let (first, last) = (lines.first + first_line - 1, lines.last + first_line - 1);
    let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    lines.part.map_or_else(|| place.clone(), |part| format!("{place}, part {part}"))
}

/// Whether a line begins something of its own.
fn begins(kind: Kind, line: &str) -> bool {
    match kind {
        Kind::Table(_) | Kind::JsonLines => true,
        Kind::Log => begins_record(line),
        Kind::Diff => line.starts_with("@@ ") || line.starts_with("diff --git ") || line.starts_with("commit "),
        Kind::Trace => !line.starts_with(char::is_whitespace),
        Kind::Page => heading(line).is_some() || is_item(line),
        Kind::Json | Kind::Text => false,
    }
}

/// The same of lines of output.
const LEAST_LINES: usize = 120;
/// How many lines are looked at for blank ones.
const SAMPLE: usize = 400;

/// Whether a text is line after line, as programs write them.
fn has_no_paragraphs(text: &str) -> bool {
    let (all, blank) =
        lines(text).take(SAMPLE).fold((0, 0), |(all, blank), line| (all + 1, blank + usize::from(line.text.trim().is_empty())));
    blank * 20 < all
}

/// Whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let number = text.bytes().take_while(u8::is_ascii_digit).count();
    line.len() - text.len() < 4
        && (text.starts_with(['-', '*', '+']) && text[1..].starts_with(' ')
            || (1..4).contains(&number) && text[number..].starts_with(". "))
}

/// What stands above the lines to come.
struct Above {
    kind: Kind,
    headings: Vec<(usize, String)>,
    is_code: bool,
    has_names: bool,
}

impl Above {
    fn new(kind: Kind) -> Self {
        Self { kind, headings: Vec::new(), is_code: false, has_names: false }
    }

    /// The new context, where a line changes it.
    fn changed_by(&mut self, line: &Line<'_>) -> Option<Option<String>> {
        match self.kind {
            Kind::Page => self.heading(line.text),
            Kind::Diff => {
                let file = line.text.strip_prefix("diff --git ").or_else(|| line.text.strip_prefix("+++ "));
                if line.text.starts_with("commit ") {
                    return Some(Some(line.text.to_owned()));
                }
                let name =
                    |file: &str| file.rsplit_once(" b/").map_or(file.trim_start_matches("b/"), |(_, file)| file).to_owned();
                file.map(|file| Some(name(file)))
            }
            Kind::Table(_) if !self.has_names && !line.text.trim().is_empty() => {
                self.has_names = true;
                Some(Some(line.text.to_owned()))
            }
            _ => None,
        }
    }

    fn heading(&mut self, line: &str) -> Option<Option<String>> {
        self.is_code ^= line.trim_start().starts_with("```");
        let (level, text) = heading(line).filter(|_| !self.is_code)?;
        self.headings.retain(|(above, _)| *above < level);
        // Without the heading itself, which its first passage has.
        self.headings.push((level, text.to_owned()));
        let path: Vec<&str> = self.headings.iter().map(|(_, text)| text.as_str()).collect();
        Some(Some(path.join(" > ")))
    }
}

struct Open {
    range: Range<usize>,
    first: usize,
    last: usize,
}

struct Cutter<'p> {
    passages: &'p mut Passages,
    text: usize,
    place: &'p dyn Fn(Lines) -> String,
    least: usize,
    context: Option<usize>,
    open: Option<Open>,
}

impl Cutter<'_> {
    fn push(&mut self, line: &Line<'_>, begins: bool) {
        let is_full = |open: &Open| (begins && open.range.len() >= self.least) || line.range.end - open.range.start > MOST;
        if self.open.as_ref().is_some_and(is_full) {
            self.close();
        }
        if line.range.len() > MOST {
            return self.push_long(line);
        }
        match &mut self.open {
            Some(open) => (open.range.end, open.last) = (line.range.end, line.number),
            None => self.open = Some(Open { range: line.range.clone(), first: line.number, last: line.number }),
        }
    }

    /// A line that is longer than a passage, in pieces that end between words where they can.
    fn push_long(&mut self, line: &Line<'_>) {
        let (mut at, mut part) = (0, 1);
        while at < line.text.len() {
            let rest = &line.text[at..];
            let most = rest.floor_char_boundary(MOST).max(rest.chars().next().map_or(1, char::len_utf8));
            let end = if rest.len() > MOST {
                let between = |c: char| c.is_whitespace() || matches!(c, '>' | ',' | ';');
                rest[..most].rfind(between).filter(|end| *end > MOST / 2).map_or(most, |end| end + 1).min(most.max(1))
            } else {
                rest.len()
            };
            let end = rest.ceil_char_boundary(end);
            let range = line.range.start + at..line.range.start + at + end;
            self.add(range, Lines { first: line.number, last: line.number, part: Some(part) });
            at += end;
            part += 1;
        }
    }

    /// At a blank line.
    fn pause(&mut self, kind: Kind) {
        let is_paragraph = matches!(kind, Kind::Page | Kind::Text | Kind::Trace);
        if is_paragraph && self.open.as_ref().is_some_and(|open| open.range.len() >= self.least) {
            self.close();
        }
    }

    fn close(&mut self) {
        if let Some(Open { range, first, last }) = self.open.take() {
            self.add(range, Lines { first, last, part: None });
        }
    }

    fn add(&mut self, range: Range<usize>, lines: Lines) {
        let place = (self.place)(lines);
        self.passages.list.push(Passage { text: self.text, range, place, context: self.context, is_json: false });
    }
}

#[cfg(test)]
#[path = "passages_tests.rs"]
mod tests;
