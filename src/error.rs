//! One error type for the whole crate, and its codes.

use std::fmt;

/// A specialised result.
pub type Result<T> = std::result::Result<T, Error>;

/// A value that was refused: the one shape of a message about a wrong value. Whoever needs another
/// field or wording builds another refusal; nobody reads one back out of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Where the value stood, as in `rank.topK`.
    pub field: String,
    /// What was expected there.
    pub expected: String,
    /// What was received instead, shortened.
    pub got: String,
}

impl Refusal {
    const SHOWN_CHARS: usize = 120;

    /// Names the field and both values.
    pub fn new(field: impl Into<String>, expected: impl Into<String>, got: impl fmt::Display) -> Self {
        Self { field: field.into(), expected: expected.into(), got: shorten(&got.to_string(), Self::SHOWN_CHARS) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, got {}", self.field, self.expected, self.got)
    }
}

/// What lies under an error: of the file system, a parser or the runtime.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong and what lies under it, boxed so that results stay small.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, Option<Source>)>);

/// What went wrong. Match on it, or use [`Error::code`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value is out of range or malformed.
    InvalidArgument(Refusal),
    /// A tool that the catalogue does not hold.
    ToolNotFound {
        /// The name as asked for.
        name: String,
        /// Names that are near.
        near: Vec<String>,
    },
    /// A tool that exists and may not be used here.
    OutOfScope {
        /// The name as asked for.
        name: String,
        /// Why it may not be used.
        reason: String,
    },
    /// A session that is closed, evicted or was never opened.
    SessionNotFound {
        /// The session asked for.
        session_id: String,
    },
    /// A held result that this session does not have, or not any more. The handle is not told: it is the key to it.
    ResultNotFound,
    /// A saved session that cannot be read.
    StateInvalid {
        /// What is wrong with it.
        detail: String,
    },
    /// A saved session from a later version of this library.
    StateVersion {
        /// The version found.
        found: u64,
        /// The newest version that is understood.
        supported: u64,
    },
    /// A configuration file that cannot be read.
    ConfigInvalid {
        /// The file, with line and column where they are known.
        place: String,
        /// What is wrong there.
        detail: String,
    },
    /// Model files that are not where they should be.
    ModelNotFound {
        /// The file or folder that is missing.
        path: String,
    },
    /// Model files that are not what they claim to be.
    ModelInvalid {
        /// The model folder.
        path: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The ONNX Runtime library that is missing or cannot be loaded.
    RuntimeNotFound {
        /// Where it was looked for.
        path: String,
        /// What the loader said.
        detail: String,
    },
    /// The embedder that failed, or whose answer cannot be used.
    EmbeddingFailed {
        /// What happened.
        detail: String,
    },
    /// The queue that is full.
    Busy {
        /// How many jobs it holds.
        capacity: usize,
    },
    /// The event loop, which gave no time to read what a call was given.
    EventLoopBusy {
        /// How long it was waited for.
        waited_seconds: u64,
    },
    /// A defect of this library.
    Internal {
        /// What the defect said.
        detail: String,
    },
}

impl Error {
    /// Builds an invalid-argument error that names the field and both values.
    pub fn invalid(field: impl Into<String>, expected: impl Into<String>, got: impl fmt::Display) -> Self {
        Refusal::new(field, expected, got).into()
    }

    /// The same error with what lies under it, for [`std::error::Error::source`].
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Source>) -> Self {
        self.0.1 = Some(source.into());
        self
    }

    /// The refusal of a value that stood at `field`, whatever went wrong with it.
    pub fn into_refusal(self, field: &str) -> Refusal {
        match self.0.0 {
            ErrorKind::InvalidArgument(refusal) => refusal,
            _ => Refusal::new(field, "a value that can be read", self),
        }
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// The stable code that callers switch on.
    pub fn code(&self) -> &'static str {
        match self.kind() {
            ErrorKind::InvalidArgument(_) => "ERR_INVALID_ARGUMENT",
            ErrorKind::ToolNotFound { .. } => "ERR_TOOL_NOT_FOUND",
            ErrorKind::OutOfScope { .. } => "ERR_OUT_OF_SCOPE",
            ErrorKind::SessionNotFound { .. } => "ERR_SESSION_NOT_FOUND",
            ErrorKind::ResultNotFound => "ERR_RESULT_NOT_FOUND",
            ErrorKind::StateInvalid { .. } => "ERR_STATE_INVALID",
            ErrorKind::StateVersion { .. } => "ERR_STATE_VERSION",
            ErrorKind::ConfigInvalid { .. } => "ERR_CONFIG_INVALID",
            ErrorKind::ModelNotFound { .. } => "ERR_MODEL_NOT_FOUND",
            ErrorKind::ModelInvalid { .. } => "ERR_MODEL_INVALID",
            ErrorKind::RuntimeNotFound { .. } => "ERR_RUNTIME_NOT_FOUND",
            ErrorKind::EmbeddingFailed { .. } => "ERR_EMBEDDING_FAILED",
            ErrorKind::Busy { .. } | ErrorKind::EventLoopBusy { .. } => "ERR_BUSY",
            ErrorKind::Internal { .. } => "ERR_INTERNAL",
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new((kind, None)))
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        ErrorKind::InvalidArgument(refusal).into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::InvalidArgument(refusal) => write!(f, "{refusal}"),
            ErrorKind::ToolNotFound { name, near } if near.is_empty() => {
                write!(f, "no tool is named {:?}; set its server first", shown(name))
            }
            ErrorKind::ToolNotFound { name, near } => {
                write!(f, "no tool is named {:?}; near names: {}", shown(name), near.join(", "))
            }
            ErrorKind::OutOfScope { name, reason } => {
                let name = shown(name);
                write!(f, "tool {name:?} exists but may not be used here ({reason}); enable it or choose another mode")
            }
            ErrorKind::SessionNotFound { session_id } => {
                write!(f, "session {session_id:?} is closed, evicted or was never opened; open one or restore it from its state")
            }
            ErrorKind::ResultNotFound => {
                write!(
                    f,
                    "this session holds no result of that handle; results are dropped after an hour, with their session, or for later ones: call the tool again"
                )
            }
            ErrorKind::StateInvalid { detail } => {
                write!(f, "the saved session cannot be read ({detail}); open a new session")
            }
            ErrorKind::StateVersion { found, supported } => write!(
                f,
                "the saved session has version {found} but this package reads up to {supported}; update the package or open a new session"
            ),
            ErrorKind::ConfigInvalid { place, detail } => write!(f, "{place}: {detail}; correct the file"),
            ErrorKind::ModelNotFound { path } => {
                write!(f, "no model file at {path}; install the model package or pass modelDir")
            }
            ErrorKind::ModelInvalid { path, detail } => {
                write!(
                    f,
                    "the model in {path} cannot be used ({detail}); install the model package again or pass another modelDir"
                )
            }
            ErrorKind::RuntimeNotFound { path, detail } => {
                write!(
                    f,
                    "ONNX Runtime cannot be loaded from {path} ({detail}); install the platform package again or pass runtimePath"
                )
            }
            ErrorKind::EmbeddingFailed { detail } => write!(f, "embedding failed: {detail}"),
            ErrorKind::Busy { capacity } => {
                write!(f, "{capacity} calls are waiting already; try again when earlier calls have settled")
            }
            ErrorKind::EventLoopBusy { waited_seconds } => write!(
                f,
                "the event loop gave no time to read schemas for {waited_seconds} s, and nothing was changed; set the server again, or pass schemas as JSON text"
            ),
            ErrorKind::Internal { detail } => {
                write!(f, "a defect of tool-router ({detail}); please report it to its maintainers")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.1.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

fn shown(name: &str) -> String {
    shorten(name, Refusal::SHOWN_CHARS)
}

/// Cuts text for a message, at a character boundary, and says that it did.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    format!("{head}… ({} bytes)", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_shortened_at_a_character_boundary() {
        let error = Error::invalid("query", "text", "é".repeat(500));
        assert!(error.to_string().ends_with("… (1000 bytes)"));
    }

    #[test]
    fn what_lies_under_an_error_is_its_source() {
        use std::error::Error as _;
        let plain = Error::invalid("a", "b", "c");
        assert!(plain.source().is_none());
        let caused = plain.caused_by(std::io::Error::other("disk full"));
        assert_eq!(caused.source().map(ToString::to_string).as_deref(), Some("disk full"));
        assert_eq!(caused.to_string(), "a: expected b, got c");
    }
}
