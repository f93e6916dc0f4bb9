//! A session as the requests of a provider: its tools, what goes into messages, and calls by name.

use std::sync::Arc;

use super::mcp_load_text;
use super::selection::GateMode;
use super::spelled::find;
use super::task::Session;
use crate::catalogue::tool::Tool;
use crate::delivery::{LoadAnswer, Pair, Rendered, Request, Track, Usable, check_arguments, printable};
use crate::document::id::ToolId;
use crate::error::{Error, Result, shorten};
use crate::index::Index;
use crate::settings::{Delivery, DeliveryChoice, Provider};
use crate::text::terms::name_key;
use crate::tool_call::Call;

named! {
    /// Why a call may not be made.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CallReason {
        /// It is no call: an object with a name is expected.
        InvalidCall = "invalid-call",
        /// No tool has this name.
        Unknown = "unknown",
        /// It exists, and the task does not have it yet.
        NotAttached = "not-attached",
        /// The configuration keeps it off.
        Disabled = "disabled",
        /// The task's mode leaves its server out.
        OutOfScope = "out-of-scope",
        /// Its server is gone.
        ServerGone = "server-gone",
        /// Its server, which is there, has it no more.
        ToolGone = "tool-gone",
        /// The arguments do not fit its schema.
        InvalidArguments = "invalid-arguments",
    }
}

/// Why a call may not be made, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallProblem {
    /// Why.
    pub reason: CallReason,
    /// What the model should do, in a few sentences.
    pub message: String,
    /// Provider names that are near.
    pub near: Vec<String>,
}

/// A call as it may be made, or why it may not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCheck {
    /// The tool, when it is known and may be used.
    pub tool: Option<ToolId>,
    /// The arguments to send, JSON text of an object.
    pub arguments: Option<String>,
    /// Whether they were compared with the tool's schema.
    pub validated: bool,
    /// Why the call may not be made.
    pub problem: Option<CallProblem>,
}

impl CallCheck {
    fn refused(tool: Option<ToolId>, reason: CallReason, message: String, near: Vec<String>) -> Self {
        Self { tool, arguments: None, validated: false, problem: Some(CallProblem { reason, message, near }) }
    }
}

impl Session {
    /// A provider, that of the settings by default, with the delivery of the settings. By itself a session that chooses among its
    /// tools keeps the provider's cache.
    pub fn pair(&self, provider: Option<Provider>) -> Pair {
        let provider = provider.unwrap_or(self.settings.provider);
        let appends = self.settings.delivery == DeliveryChoice::Auto && self.gate() != Some(GateMode::Dynamic);
        Pair {
            provider,
            delivery: if appends { Delivery::Append } else { self.settings.delivery.with(provider) },
            names: self.settings.own_names,
        }
    }

    /// How tools reach the model: as the settings say, or as the provider keeps its cache. A host that renders for another
    /// provider than that of the settings, or reads `tools()`, has what it renders.
    pub(super) fn pair_now(&self) -> Pair {
        let rendered = self.told.rendered.or_else(|| Some((self.told.tracks.last()?.pair(), false)));
        match (self.settings.delivery, rendered) {
            // While it has all its tools a task is a list, whatever it will be.
            (DeliveryChoice::Auto, Some((Pair { provider, delivery: Delivery::Append, .. }, false))) => self.pair(Some(provider)),
            (DeliveryChoice::Auto, Some((pair, _))) => pair,
            (DeliveryChoice::Auto, None) if self.told.reads_list => Pair { delivery: Delivery::Append, ..self.pair(None) },
            _ => self.pair(None),
        }
    }

    /// See [`Session::pair_now`].
    pub(super) fn delivery(&self) -> Delivery {
        match self.settings.delivery {
            DeliveryChoice::Fixed(delivery) => delivery,
            DeliveryChoice::Auto => self.pair_now().delivery,
        }
    }

    /// The tool by which the model loads others.
    pub fn loader(&self) -> &'static str {
        self.pair_now().loader()
    }

    /// The host reads the list of tools instead of rendering requests.
    pub fn note_list(&mut self) {
        self.told.reads_list = self.told.rendered.is_none();
    }

    /// A result is held for the task: from now on `render` declares the tool that reads it.
    pub fn note_held(&mut self) {
        self.told.holds_results = true;
    }

    /// Renders the next request for a provider.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` before the first turn, where the delivery is not `append`.
    pub fn render(&mut self, index: &Index, pair: Pair) -> Result<Rendered> {
        let usable = self.usable_now(index, pair, "render")?;
        self.told.rendered = Some((pair, pair != self.pair(Some(pair.provider))));
        let is_list = pair.delivery == Delivery::Append;
        let scope = self.scope();
        let search = mcp_load_text::fixed(index, &scope, pair);
        let mcp_load = self.chosen.mcp_load.clone().map(|text| if is_list { text } else { search.clone() });
        let room = self.room(GateMode::Dynamic);
        let directory: Vec<Usable> = self.directory_of_messages(index, pair).map(|at| self.usable_at(index, at)).collect();
        let is_dynamic = self.gate() == Some(GateMode::Dynamic);
        let servers = if is_list || !is_dynamic { Vec::new() } else { mcp_load_text::servers(index, &scope) };
        let is_shown = |id: &ToolId| index.position(id).is_none_or(|at| index.tools[at].off.is_none());
        let away = self.attached().map(|tool| tool.id.clone()).filter(is_shown).collect();
        let request = Request {
            usable: &usable,
            directory: &directory,
            away: &away,
            servers: &servers,
            mcp_load: mcp_load.as_deref().map(|text| (text, self.place_of_mcp_load(index))),
            search: &search,
            holds_results: self.told.holds_results && room.is_none_or(|room| usable.len() < room),
            room,
        };
        let detail = self.settings.schema_detail;
        let track = self.track(pair);
        // What the configuration keeps off is shown to nobody.
        let known = |id: &ToolId| index.position(id).map(|at| &index.tools[at]).filter(|tool| tool.off.is_none());
        track.recall(|id| known(id).map(|known| (Arc::clone(&known.tool), detail)));
        Ok(track.render(&request))
    }

    /// The answer to the model's call of `mcp_load`, in the provider's shape.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` before the first turn.
    pub fn answer_load(&mut self, index: &Index, pair: Pair, result: &LoadAnswer, call_id: &str) -> Result<String> {
        if self.conversation.turn == 0 {
            return Err(not_started("answerLoad"));
        }
        let usable = self.usable_now(index, pair, "answerLoad")?;
        Ok(self.track(pair).answer(result, &usable, call_id))
    }

    fn usable_now(&self, index: &Index, pair: Pair, call: &str) -> Result<Vec<Usable>> {
        let of = |id: &ToolId, name: &str, at: usize| Usable {
            id: id.clone(),
            name: name.to_owned(),
            tool: Arc::clone(&index.tools[at].tool),
            detail: self.settings.schema_detail,
        };
        if self.conversation.turn > 0 {
            return Ok(self.usable(index).map(|(attached, at)| of(&attached.id, &attached.name, at)).collect());
        }
        if pair.delivery != Delivery::Append {
            return Err(not_started(call));
        }
        let positions = self.before_start_positions(index);
        Ok(positions.into_iter().map(|at| self.usable_at(index, at)).collect())
    }

    /// A tool of the catalogue under its own name.
    fn usable_at(&self, index: &Index, at: usize) -> Usable {
        let Tool { id, .. } = &*index.tools[at].tool;
        let name = index.tools[at].name.clone();
        Usable { id: id.clone(), name, tool: Arc::clone(&index.tools[at].tool), detail: self.settings.schema_detail }
    }

    fn track(&mut self, pair: Pair) -> &mut Track {
        let at = self.told.tracks.iter().position(|track| track.pair() == pair).unwrap_or_else(|| {
            self.told.tracks.push(Track::new(pair));
            self.told.tracks.len() - 1
        });
        &mut self.told.tracks[at]
    }

    /// Checks a call by name: `mcp_call` of the delivery `call`, or a tool's own call in any delivery. What the model got
    /// wrong is an answer for it, never an error.
    pub fn check_call(&self, index: &Index, call: &str) -> CallCheck {
        let invalid = |message: String| CallCheck::refused(None, CallReason::InvalidCall, message, Vec::new());
        let own = self.settings.own_names;
        let call = match Call::read(call, own.call()) {
            Ok(call) => call,
            Err(message) => return invalid(message),
        };
        let asked = call.name.clone();
        if asked == own.load() || asked == own.call() {
            return invalid(format!("{asked} is called directly, not through {}", own.call()));
        }
        let at = match self.callable(index, &asked) {
            Ok(at) => at,
            Err(refused) => return *refused,
        };
        let tool = &index.tools[at].tool;
        match check_arguments(&tool.input_schema, &call) {
            Ok(checked) => CallCheck {
                tool: Some(tool.id.clone()),
                arguments: Some(checked.arguments),
                validated: checked.validated,
                problem: None,
            },
            Err(errors) => {
                let why = format!("The call was not made. {}.", errors.join(". "));
                // What stands in the directory alone was never defined: the answer has the schema.
                let message = if self.is_known_by_signature(&tool.id) {
                    let (_, schema) = tool.parts(self.settings.schema_detail);
                    format!("{why} Call it again with arguments that fit its schema: {schema}")
                } else {
                    format!("{why} Call it again with arguments that fit.")
                };
                CallCheck::refused(Some(tool.id.clone()), CallReason::InvalidArguments, message, Vec::new())
            }
        }
    }

    /// The tool that a name stands for, if the task may call it now.
    fn callable(&self, index: &Index, asked: &str) -> std::result::Result<usize, Box<CallCheck>> {
        let shown = shorten(asked, 80);
        let refused = |id, reason, message: String| Box::new(CallCheck::refused(id, reason, message, Vec::new()));
        let Some(id) = self.meant(index, asked) else {
            let near = index.near_names(&index.candidates(&self.scope()), asked);
            let hint = if near.is_empty() { String::new() } else { format!(" Near names: {}.", near.join(", ")) };
            let loader = self.loader();
            let message = format!("No tool is named {shown}.{hint} Call {loader} with what you want to do to find one.");
            return Err(Box::new(CallCheck::refused(None, CallReason::Unknown, message, near)));
        };
        let Some(at) = index.position(&id) else {
            if let Some(near) = self.near_in_server(index, &id) {
                let hint =
                    if near.is_empty() { String::new() } else { format!(" It has these near names: {}.", near.join(", ")) };
                let server = printable(&id.server_name);
                let message = format!(
                    "The server {server} is connected and has no tool {shown} any more.{hint} Call {} to find another.",
                    self.loader()
                );
                return Err(Box::new(CallCheck::refused(Some(id), CallReason::ToolGone, message, near)));
            }
            let message = format!("The server of {shown} is not connected now. Go on without it, or tell the user.");
            return Err(refused(Some(id), CallReason::ServerGone, message));
        };
        if index.tools[at].off.is_some() {
            let message = format!("{shown} is disabled. Use another tool, or ask the user to enable it.");
            return Err(refused(Some(id), CallReason::Disabled, message));
        }
        if !self.scope().allows_tool(&id) {
            let message =
                format!("{shown} is out of scope in the current mode. Use another tool, or ask the user to switch the mode.");
            return Err(refused(Some(id), CallReason::OutOfScope, message));
        }
        let calls_listed = self.is_in_directory(&id) && self.delivery() == Delivery::Call;
        if !calls_listed && !self.usable(index).any(|(attached, _)| attached.id == id) {
            let (name, loader) = (&index.tools[at].name, self.loader());
            let message =
                format!("{shown} is not loaded. Call {loader} with the query {name:?}, read its definition, then call it.");
            return Err(refused(Some(id), CallReason::NotAttached, message));
        }
        Ok(at)
    }

    /// The tool of a line whose server, or which itself, is gone since.
    fn was_listed(&self, asked: &str) -> Option<ToolId> {
        let key = name_key(asked.strip_prefix("mcp").unwrap_or(asked));
        let is_named = |id: &&ToolId| key == name_key(&format!("{} {}", id.server_name, id.tool_name)) || id.tool_name == asked;
        self.chosen.directory.all().find(is_named).cloned()
    }

    /// A provider name in any spelling, or a name that one attached tool has, or one of the directory.
    fn meant(&self, index: &Index, asked: &str) -> Option<ToolId> {
        if let Some(id) = self.resolve(index, asked) {
            return Some(id);
        }
        let found = find(index, &self.scope(), asked);
        let ids: Vec<ToolId> = found.iter().map(|at| index.tools[*at].tool.id.clone()).collect();
        let known = |is_known: &dyn Fn(&ToolId) -> bool| ids.iter().filter(|id| is_known(id)).collect::<Vec<_>>();
        let attached = known(&|id| self.is_attached(id));
        let known = if attached.is_empty() { known(&|id| self.is_in_directory(id)) } else { attached };
        match (known.as_slice(), ids.as_slice()) {
            ([one], _) => Some((*one).clone()),
            ([], [one]) if self.scope().allows_tool(one) => Some(one.clone()),
            ([], []) => self.was_listed(asked),
            _ => None,
        }
    }
}

fn not_started(call: &str) -> Error {
    Error::invalid(call, "a started session", "one that has not started; call start() first")
}
