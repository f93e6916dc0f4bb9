//! The signature of one tool.

use once_cell::sync::OnceCell;

use super::super::node::Node;
use super::literal::{self, LOST, OTHERS, is_plain, key};
use super::types::{Bounds, Parameters, Writer};
use crate::text::tokens;

/// What stands for the parameters that tools of a server share.
pub const SHARED: &str = "Shared";

/// How much is shown of a schema: the first that fits, or the last.
const DETAILS: [Bounds; 4] = [
    Bounds { depth: 3, optional: 16 },
    Bounds { depth: 2, optional: 10 },
    Bounds { depth: 1, optional: 8 },
    Bounds { depth: 0, optional: 6 },
];
/// So many bytes of parameters fit, about 90 tokens: nine of ten tools of real servers are shown with all that they have.
const FITS: usize = 340;

/// Which parameters a signature shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownParameters {
    /// Optional ones too, as far as they fit.
    Fitting,
    /// Optional ones by name alone, in a comment: who calls a tool by its line can fill in what it needs.
    Named,
    /// Those alone that a call has to have: enough to choose a tool that is loaded or described before it is called.
    Required,
}

/// A tool's name, the types of its arguments, and its first sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    name: String,
    pub(super) parameters: Vec<String>,
    required: Vec<String>,
    /// What stands for parameters that are left out.
    left_out: Option<String>,
    sentence: String,
    token_count: OnceCell<usize>,
}

impl Signature {
    /// The signature of a tool.
    pub fn of(tool_name: &str, description: &str, schema: &str) -> Self {
        let shown = Node::read(schema).map(|tree| {
            let mut all = DETAILS.iter().map(|bounds| Writer::new(&tree, *bounds).parameters());
            let fits = |shown: &Parameters| shown.bytes() <= FITS;
            all.find(fits).unwrap_or_else(|| Writer::new(&tree, DETAILS[DETAILS.len() - 1]).parameters())
        });
        let unread = || Parameters { texts: Vec::new(), required: Vec::new(), is_cut: true };
        let Parameters { texts, required, is_cut } = shown.unwrap_or_else(unread);
        let (name, sentence) = (key(tool_name), literal::sentence(description));
        let left_out = is_cut.then(|| LOST.to_owned());
        Self { name, parameters: texts, required, left_out, sentence, token_count: OnceCell::new() }
    }

    /// The same without optional parameters, of which a mark is left.
    #[must_use]
    pub fn of_required(&self) -> Self {
        let is_cut = self.left_out.is_some() || self.required.len() < self.parameters.len();
        self.with_required(is_cut.then(|| LOST.to_owned()))
    }

    /// The same with the names of optional parameters in their mark: of those whose names end no comment.
    #[must_use]
    pub fn of_named(&self) -> Self {
        let is_kept = |text: &&String| self.required.contains(text) || text.starts_with(OTHERS);
        let optional = self.parameters.iter().filter(|text| !is_kept(text));
        let first: Vec<Option<&str>> =
            optional.map(|text| text.split_once("?: ").map(|(name, _)| name).filter(|name| is_plain(name))).collect();
        let is_cut = self.left_out.is_some() || first.contains(&None);
        let names: Vec<&str> = first.into_iter().flatten().chain(is_cut.then_some("…")).collect();
        let left_out = (!names.is_empty()).then(|| format!("/*{}*/", names.join(", ")));
        let kept = self.parameters.iter().filter(is_kept).cloned().collect();
        Self { parameters: kept, ..self.with_required(left_out) }
    }

    fn with_required(&self, left_out: Option<String>) -> Self {
        Self { parameters: self.required.clone(), left_out, token_count: OnceCell::new(), ..self.clone() }
    }

    /// Whether a mark stands for parameters that are left out.
    pub fn is_shortened(&self) -> bool {
        self.left_out.is_some()
    }

    /// A member of an interface, in one line: `name: {required: type, optional?: type} // First sentence.`
    pub fn text(&self) -> String {
        self.text_beside(&[])
    }

    /// The same under another name: that by which a model calls it.
    pub fn text_named(&self, name: &str) -> String {
        self.text().replacen(&self.name, name, 1)
    }

    /// Tokens of the text, counted at the first call.
    pub fn token_count(&self) -> usize {
        *self.token_count.get_or_init(|| tokens::count(&self.text()))
    }

    /// The text where some parameters are shared with other tools.
    pub(super) fn text_beside(&self, shared: &[&str]) -> String {
        let has_shared = !shared.is_empty() && shared.iter().all(|text| self.has(text));
        let own: Vec<&str> =
            self.parameters.iter().map(String::as_str).filter(|text| !has_shared || !shared.contains(text)).collect();
        let parts: Vec<&str> = own.into_iter().chain(self.left_out.as_deref()).collect();
        let arguments = match (has_shared, parts.is_empty()) {
            (true, true) => SHARED.to_owned(),
            (true, false) => format!("{} & {{{}}}", SHARED, parts.join(", ")),
            (false, _) => format!("{{{}}}", parts.join(", ")),
        };
        let said = if self.sentence.is_empty() { String::new() } else { format!(" // {}", self.sentence) };
        format!("{}: {arguments}{said}", self.name)
    }

    pub(super) fn has(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|known| known == parameter)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
