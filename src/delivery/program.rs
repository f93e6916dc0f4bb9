//! The delivery `program`: as `defer`, and programs that the provider runs may call the tools too.
//!
//! | rule | provider | source |
//! | --- | --- | --- |
//! | a tool says who may call it; without a word the model alone may | both | `allowed_callers` in the types of their packages |
//! | the tool that runs programs stands in the list, of the date that callers name | Anthropic | `CodeExecutionTool20260120`, the last one whose calls the types of answers name |
//! | `programmatic_tool_calling` stands in the list | Responses | `Tool.ProgrammaticToolCalling` |
//! | a search is no call that a program may make: its answer loads definitions into the conversation | both | `tool_reference` and `tool_search_output` are blocks and items of the conversation |

use super::shape::Place;
use super::track::{Declared, Source, Track};
use crate::settings::{Delivery, Provider};

/// Who may call a tool, by provider: the model alone, or programs too.
const MODEL_ALONE: &str = r#","allowed_callers":["direct"]"#;
const WITH_PROGRAMS_OF_MESSAGES: &str = r#","allowed_callers":["direct","code_execution_20260120"]"#;
const WITH_PROGRAMS_OF_RESPONSES: &str = r#","allowed_callers":["direct","programmatic"]"#;

/// The tool that runs programs.
const RUNNER_OF_MESSAGES: &str = r#"{"type":"code_execution_20260120","name":"code_execution"}"#;
const RUNNER_OF_RESPONSES: &str = r#"{"type":"programmatic_tool_calling"}"#;

impl Declared {
    /// Whether a program may call it: what destroys is called by the model itself, which has read the results before it.
    fn is_for_programs(&self) -> bool {
        match &self.source {
            Source::Tool(tool, _) => !tool.effects.destructive && tool.document().act.destroys.is_none(),
            Source::Text(_) | Source::Gone => false,
        }
    }
}

impl Track {
    /// The first entry of the list, where programs call tools.
    pub(super) fn runner(&self) -> Option<String> {
        let of_responses = self.pair.provider == Provider::OpenaiResponses;
        let runner = if of_responses { RUNNER_OF_RESPONSES } else { RUNNER_OF_MESSAGES };
        (self.pair.delivery == Delivery::Program).then(|| runner.to_owned())
    }

    /// A declaration in its provider's shape, with who may call it.
    pub(super) fn declaration(&self, declared: &Declared, place: Place) -> String {
        let mut text = self.shaped(declared.definition(Some(self.pair.provider)), place);
        if self.pair.delivery == Delivery::Program && text.ends_with('}') {
            text.pop();
            text.push_str(match (declared.is_for_programs(), self.pair.provider) {
                (false, _) => MODEL_ALONE,
                (true, Provider::OpenaiResponses) => WITH_PROGRAMS_OF_RESPONSES,
                (true, _) => WITH_PROGRAMS_OF_MESSAGES,
            });
            text.push('}');
        }
        text
    }
}
