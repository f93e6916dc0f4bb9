//! What a session answers about the requests of a provider.

use napi_derive::napi;

use super::Answer;
use super::catalogue::ToolRef;
use crate as core;

/// The tools of the next request in its provider's shape, and what goes into its messages.
#[napi(object, object_from_js = false)]
pub struct RenderedRequest {
    /// JSON text: `tools` of Chat Completions, Responses and Messages, `config.tools` of Gemini, `toolConfig.tools` of Converse.
    pub tools: String,
    /// JSON text of an array of messages to add once, behind the newest message and the results of tools. Mostly empty.
    pub messages: String,
    /// Betas that the request must name (`anthropic-beta`).
    pub betas: Vec<String>,
    /// How many entries of the list stand in the prefix that the provider caches: a breakpoint belongs on the last of them.
    pub cached_count: u32,
    /// Tools whose definitions were changed because the provider would refuse them as they were sent.
    pub adapted: Vec<AdaptedTool>,
    /// Whether the provider writes what stands before the newest message to its cache again.
    pub rewritten: bool,
}

/// A tool whose definition a provider is sent changed.
#[napi(object, object_from_js = false)]
pub struct AdaptedTool {
    /// Its provider name.
    pub name: String,
    /// What was changed, and why: docs/delivery.md, "What a provider refuses".
    #[napi(ts_type = "AdaptedChange[]")]
    pub changes: Vec<String>,
}

/// An input schema as providers take it.
#[napi(object, object_from_js = false)]
pub struct AcceptedSchema {
    /// JSON text: the schema as it was given where nothing is refused, byte by byte for a text.
    pub input_schema: String,
    /// The description, where one was given or the schema leaves something to say.
    pub description: Option<String>,
    /// What was changed, and why: docs/delivery.md, "What a provider refuses".
    #[napi(ts_type = "AdaptedChange[]")]
    pub changes: Vec<String>,
}

impl AcceptedSchema {
    /// What was given, or what takes its place.
    pub fn new(schema: String, description: Option<String>, accepted: Option<core::schema::accepted::Accepted>) -> Self {
        let Some(accepted) = accepted else { return Self { input_schema: schema, description, changes: Vec::new() } };
        Self {
            input_schema: accepted.schema,
            description: if accepted.description.is_empty() { description } else { Some(accepted.description) },
            changes: accepted.changes.answer(),
        }
    }
}

impl Answer<AdaptedTool> for (String, Vec<core::schema::accepted::Change>) {
    fn answer(self) -> AdaptedTool {
        AdaptedTool { name: self.0, changes: self.1.answer() }
    }
}

/// Why a call may not be made: a text for the model, and its parts.
#[napi(object, object_from_js = false)]
pub struct CallProblem {
    /// What is wrong: the call itself, the name, that it has to be loaded first, its scope, its server, or its arguments.
    #[napi(
        ts_type = "'invalid-call' | 'unknown' | 'not-attached' | 'disabled' | 'out-of-scope' | 'server-gone' | 'tool-gone' | 'invalid-arguments'"
    )]
    pub reason: String,
    /// The result to give to the model: what is wrong, and what to do next.
    pub message: String,
    /// Provider names that are similar to an unknown name.
    pub near: Vec<String>,
}

/// A call as it may be made, or why it may not be.
#[napi(object, object_from_js = false)]
pub struct CallCheck {
    /// The tool, when the name stands for one.
    pub tool: Option<ToolRef>,
    /// The JSON text of the arguments to send, an object; absent when there is a problem.
    pub arguments: Option<String>,
    /// Whether the arguments were compared with the schema; one that is invalid or too large is left to the server.
    pub validated: bool,
    /// Why the call may not be made.
    pub problem: Option<CallProblem>,
}

answers! {
    core::delivery::Rendered => RenderedRequest { tools, messages, betas, cached_count, adapted, rewritten };
    core::session::delivering::CallCheck => CallCheck { tool, arguments, validated, problem };
    core::session::delivering::CallProblem => CallProblem { reason, message, near };
}
