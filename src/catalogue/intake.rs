//! What the configuration makes of texts and wishes of servers, before a tool is a tool.

use super::mcp::{McpServer, McpTool};
use super::tool::Tool;
use super::warning::hidden_detail;
use crate::error::Refusal;
use crate::settings::{ChangedTools, HiddenCharacters, SchemaStyle, Settings, WithholdTools};
use crate::shield::Severity;
use crate::text::hidden;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Intake {
    /// What happens to characters that nobody sees.
    pub hidden: HiddenCharacters,
    /// Whether a tool that changes is off until the host has looked at it.
    pub withholds: bool,
    /// From which severity of findings on a tool is off until the host has looked at it.
    pub withholds_from: Option<Severity>,
    /// How definitions show their schemas.
    pub schema_style: SchemaStyle,
}

impl Default for Intake {
    fn default() -> Self {
        Self::of(&Settings::default())
    }
}

impl Intake {
    /// As the settings say.
    pub fn of(settings: &Settings) -> Self {
        Self {
            hidden: settings.hidden_characters,
            withholds: settings.changed_tools == ChangedTools::Withhold,
            withholds_from: match settings.withhold_tools {
                WithholdTools::Never => None,
                WithholdTools::High => Some(Severity::High),
                WithholdTools::Medium => Some(Severity::Medium),
            },
            schema_style: settings.schema_style,
        }
    }

    /// Takes a tool in; tells where its first hidden characters were.
    pub(super) fn tool(self, server: &McpServer, mut sent: McpTool, path: &str) -> Result<(Tool, Option<String>), Refusal> {
        let detail = self.clean(&mut sent, path)?;
        Ok((Tool::new(server, sent, path)?.styled(self.schema_style), detail))
    }

    /// Strips or refuses hidden characters of a tool; tells where the first ones were.
    fn clean(self, tool: &mut McpTool, path: &str) -> Result<Option<String>, Refusal> {
        type Find = fn(&str) -> Option<(char, usize)>;
        type Strip = fn(&str) -> String;
        let in_text: (Find, Strip) = (hidden::find, hidden::strip);
        let in_json: (Find, Strip) = (hidden::find_in_json, hidden::strip_json);
        let mut first = hidden::find(&tool.name).map(|found| hidden_detail("its name", found));
        let texts = [
            ("title", &mut tool.title, in_text),
            ("description", &mut tool.description, in_text),
            ("inputSchema", &mut tool.input_schema, in_json),
            ("_meta[\"anthropic/searchHint\"]", &mut tool.search_hint, in_text),
        ];
        for (field, text, (find, strip)) in texts {
            let Some(value) = text else { continue };
            let Some(found) = find(value) else { continue };
            let detail = hidden_detail(field, found);
            match self.hidden {
                HiddenCharacters::Keep => {}
                HiddenCharacters::Strip => *value = strip(value),
                HiddenCharacters::Refuse => {
                    let expected = "text without hidden characters, because hiddenCharacters is 'refuse'";
                    return Err(Refusal::new(format!("{path}.{field}"), expected, detail));
                }
            }
            first.get_or_insert(detail);
        }
        Ok(first)
    }

    /// The same for what a server says about itself: nothing of it is kept where it is refused.
    pub(super) fn clean_instructions(self, instructions: Option<String>) -> (Option<String>, Option<String>) {
        let Some(text) = instructions else { return (None, None) };
        let Some(found) = hidden::find(&text) else { return (Some(text), None) };
        let kept = match self.hidden {
            HiddenCharacters::Keep => Some(text),
            HiddenCharacters::Strip => Some(hidden::strip(&text)),
            HiddenCharacters::Refuse => None,
        };
        (kept, Some(hidden_detail("instructions", found)))
    }
}
