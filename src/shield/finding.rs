//! What was found: what it is about, how sure and how bad it is, and where.

named! {
    /// What a finding is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Check {
        /// It tells the model to drop its orders, or gives it new ones.
        Instructs = "instructs",
        /// It hides something from the person, or takes a decision away.
        HidesFromUser = "hides-from-user",
        /// It asks for secrets or for what was said, or sends it away.
        TakesSecrets = "takes-secrets",
        /// It wants to be called first or always, or changes what other tools do.
        CommandsCalls = "commands-calls",
        /// It runs commands, or destroys.
        RunsCommands = "runs-commands",
        /// It has an order or a command in an encoding.
        HiddenPayload = "hidden-payload",
        /// It has characters that nobody sees.
        HiddenCharacters = "hidden-characters",
        /// A word has letters of two scripts that look alike.
        LookAlikeLetters = "look-alike-letters",
        /// It reads what its name says nothing about.
        BeyondItsName = "beyond-its-name",
        /// It says how a tool of another server is to be used.
        ShadowsTools = "shadows-tools",
        /// It is a copy of a tool of another server.
        CopiesTool = "copies-tool",
        /// A parameter asks for what was said or thought.
        AsksForContext = "asks-for-context",
        /// It is worded as texts are that act against the person.
        Manipulates = "manipulates",
    }
}

named! {
    /// How sure a finding is, and how bad.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Severity {
        /// For a person who looks closely: honest texts have it too.
        Low = "low",
        /// Suspicious.
        Medium = "medium",
        /// No honest tool of 3,522 needs to say it, but a few do.
        High = "high",
    }
}

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub check: Check,
    /// How sure, and how bad.
    pub severity: Severity,
    /// Which text: `name`, `title`, `description`, `instructions`, or a path into the schema.
    pub field: String,
    /// Where it begins in that text, in UTF-16 code units, as JavaScript counts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The texts of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolTexts<'t> {
    /// Its server's name.
    pub server_name: &'t str,
    /// Its name.
    pub tool_name: &'t str,
    /// Its title.
    pub title: &'t str,
    /// Its description.
    pub description: &'t str,
    /// Its input schema, JSON text.
    pub input_schema: &'t str,
}

/// A place in bytes as one in UTF-16 code units.
pub(super) fn units(text: &str, at: usize) -> usize {
    if text.is_ascii() { at } else { text[..text.floor_char_boundary(at)].encode_utf16().count() }
}
