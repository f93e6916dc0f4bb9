//! The answer to a call of `report_missing_capability`, as its provider and delivery take it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{LoadAnswer, LoadedName, NothingFitsMessage};
use super::fixed;
use super::request::Usable;
use super::shape;
use super::track::Track;
use crate::error::{Error, Result, shorten};
use crate::settings::{Delivery, Provider};

/// The longest result: a checkpoint, a thousand steps and the tools that were found.
const MAX_RESULT_BYTES: usize = 1024 * 1024;

/// What a signal was answered with: the fields of the result that a model is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RerouteAnswer {
    /// `CONTINUE`, `INCOMPLETE` or `MAX_REROUTES_EXCEEDED`.
    pub status: String,
    /// What to do now.
    pub message: String,
    /// Where to go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// What is still missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_capability: Option<String>,
    /// Tools that were attached.
    pub loaded: Vec<LoadedName>,
    /// Tools that had been attached before and fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub already_attached: Vec<String>,
}

impl RerouteAnswer {
    /// Reads the result of a signal from its JSON.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for another value, or one that is too large.
    pub fn read(text: &str) -> Result<Self> {
        let expected = "the result of reroute()";
        let wrong = |got: String| Error::invalid("answerReroute.result", expected, got);
        if text.len() > MAX_RESULT_BYTES {
            return Err(wrong(format!("{} bytes", text.len())));
        }
        let value: Value = serde_json::from_str(text).map_err(|_| wrong(shorten(text, 80).clone()))?;
        if !value.get("status").is_some_and(Value::is_string) || !value.get("loaded").is_some_and(Value::is_array) {
            return Err(wrong(shorten(text, 80).clone()));
        }
        serde_json::from_value(value).map_err(|error| wrong(error.to_string()))
    }

    /// What a model reads where tools themselves go another way.
    fn text(&self) -> String {
        let checkpoint = self.checkpoint.as_ref().map_or_else(String::new, |at| format!(" Checkpoint: {at}."));
        format!("{}: {}.{checkpoint}", self.status, self.message)
    }

    /// As what a load found, with the text for the model beside it.
    fn as_load(&self) -> LoadAnswer {
        LoadAnswer {
            loaded: self.loaded.clone(),
            already_attached: self.already_attached.clone(),
            nothing_fits: Some(NothingFitsMessage { message: self.text() }),
            ..LoadAnswer::default()
        }
    }
}

impl Track {
    /// The answer to a call of `report_missing_capability`: JSON text of an array of messages, items, blocks or parts.
    pub fn answer_reroute(&mut self, result: &RerouteAnswer, usable: &[Usable], call_id: &str) -> String {
        let provider = self.pair.provider;
        let result_of = |text: &str| shape::tool_result(provider, fixed::REPORT_MISSING, call_id, text).to_string();
        let answer: Vec<String> = match self.pair.delivery {
            Delivery::Append | Delivery::Changes => vec![result_of(&serde_json::to_string(result).unwrap_or_default())],
            Delivery::Call => {
                let load = result.as_load();
                let tools: Vec<&Usable> = load.names().filter_map(|name| usable.iter().find(|tool| tool.name == name)).collect();
                let (new, known) = self.untold(&tools);
                let new: Vec<String> = new.into_iter().map(|tool| self.tell_one(tool)).collect();
                let parts: Vec<String> = fixed::news(&new, &[], &[]).into_iter().chain(load.notes(&known)).collect();
                vec![result_of(&parts.join("\n\n"))]
            }
            // A result of a search has to answer a search: the model makes one with the names.
            Delivery::Defer | Delivery::Program if provider == Provider::OpenaiResponses => {
                let names: Vec<&str> = result.loaded.iter().map(|tool| tool.name.as_str()).collect();
                let search = if names.is_empty() { String::new() } else { format!(" Search for: {}.", names.join(", ")) };
                vec![result_of(&format!("{}{search}", result.text()))]
            }
            Delivery::Defer | Delivery::Program => {
                let load = result.as_load();
                let tools: Vec<&Usable> = load.names().filter_map(|name| usable.iter().find(|tool| tool.name == name)).collect();
                self.referenced(&load, &tools, call_id).iter().map(Value::to_string).collect()
            }
        };
        format!("[{}]", answer.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_result_of_a_signal_is_refused() {
        for text in ["[]", "{}", "x", r#"{"status":"CONTINUE"}"#, r#"{"status":5,"loaded":[]}"#] {
            let error = RerouteAnswer::read(text).unwrap_err().to_string();
            assert!(error.starts_with("answerReroute.result: expected the result of reroute()"), "{error}");
        }
        let read = RerouteAnswer::read(r#"{"status":"CONTINUE","message":"go on","loaded":[],"rerouteCount":1}"#).unwrap();
        assert_eq!(read.text(), "CONTINUE: go on.");
    }
}
