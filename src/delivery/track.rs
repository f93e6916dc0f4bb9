//! What a model was told about tools in one conversation, and how the next request continues it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::fixed;
use super::pair::Pair;
use super::request::{Request, ServerNews, Usable};
use super::shape::{self, Definition, Place};
use crate::catalogue::tool::Tool;
use crate::document::id::ToolId;
use crate::schema::accepted::{Change, Rules};
use crate::settings::{Delivery, Provider, SchemaDetail};

/// What stands for a tool that a conversation names and that no server has since the session was restored.
const GONE_DESCRIPTION: &str = r#""This tool is not connected.""#;
const GONE_SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

/// Tells definitions apart, at the detail that a model is shown.
pub(super) fn hash(tool: &Tool, detail: SchemaDetail) -> u64 {
    tool.short_hash() ^ detail as u64
}

impl Usable {
    pub(super) fn hash(&self) -> u64 {
        hash(&self.tool, self.detail)
    }
}

/// Where a definition comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Tool(Arc<Tool>, SchemaDetail),
    /// A definition of Chat Completions: `mcp_load`.
    Text(String),
    /// A tool of a saved session that no server has.
    Gone,
}

/// A tool of the conversation.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) id: ToolId,
    pub(super) source: Source,
    /// Stands outside the prefix that the provider caches.
    pub(super) deferred: bool,
    /// The model can call it: it is in the prefix, or a message offered it.
    pub(super) offered: bool,
    /// A message names it. The provider refuses a message that names what is not declared.
    pub(super) named: bool,
    /// Hash of the definition that the model was told in a message.
    pub(super) told: Option<u64>,
}

impl Declared {
    fn new(name: &str, id: ToolId, source: Source, deferred: bool) -> Self {
        Self { name: name.to_owned(), id, source, deferred, offered: !deferred, named: false, told: None }
    }

    pub(super) fn of(usable: &Usable, deferred: bool) -> Self {
        Self::new(&usable.name, usable.id.clone(), Source::Tool(Arc::clone(&usable.tool), usable.detail), deferred)
    }

    /// As a text of a message has it, or as a provider takes it.
    pub(super) fn definition(&self, provider: Option<Provider>) -> Definition<'_> {
        let gone = Definition { name: &self.name, description: GONE_DESCRIPTION, schema: GONE_SCHEMA };
        match &self.source {
            Source::Tool(tool, detail) => {
                let parts = |provider| tool.parts_for(*detail, provider);
                let (description, schema) = provider.map_or_else(|| tool.parts(*detail), parts);
                Definition { name: &self.name, description, schema }
            }
            Source::Text(text) => shape::of_chat(text).unwrap_or(gone),
            Source::Gone => gone,
        }
    }

    pub(super) fn hash(&self) -> Option<u64> {
        match &self.source {
            Source::Tool(tool, detail) => Some(hash(tool, *detail)),
            Source::Text(_) | Source::Gone => None,
        }
    }

    fn own(text: &str, deferred: bool) -> Option<Self> {
        let name = shape::of_chat(text)?.name.to_owned();
        Some(Self::new(&name, ToolId::new("", &*name), Source::Text(text.to_owned()), deferred))
    }

    pub(super) fn is_own(&self) -> bool {
        matches!(self.source, Source::Text(_))
    }

    /// Whether a message refers to it that was read by another definition: its provider reads all references by the list of now.
    pub(super) fn refers_to_another(&self, now: u64) -> bool {
        self.deferred && self.named && self.told.is_some_and(|told| told != now)
    }
}

/// The tools of a request, and what goes into its messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// The request's `tools`, JSON text.
    pub tools: String,
    /// Messages to add behind the newest one, JSON text of an array.
    pub messages: String,
    /// Betas that the request must name.
    pub betas: Vec<&'static str>,
    /// How many entries of the list the provider caches; deferred ones stand behind them.
    pub cached_count: usize,
    /// Tools whose definitions were changed because the provider would refuse them, with what was changed.
    pub adapted: Vec<(String, Vec<Change>)>,
    /// Whether what stands before the newest message differs from the previous request, so that the provider
    /// writes it to its cache again.
    pub rewritten: bool,
}

/// See the module. A session has one for each pair that it is rendered for.
#[derive(Debug, Clone)]
pub struct Track {
    pub(super) pair: Pair,
    pub(super) declared: Vec<Declared>,
    /// `mcp_load` as the pair of `call` began with it: it never changes.
    pub(super) search: Option<String>,
    /// Hash of what the provider caches of the list, at the previous request.
    pub(super) front: Option<blake3::Hash>,
    /// Tools whose signatures the model was told, and not taken back since.
    pub(super) listed: Vec<ToolId>,
    /// Servers that it was told, as a text names them.
    pub(super) servers: Vec<String>,
    /// Tools of the prefix and of answers that it was told it cannot use now.
    pub(super) away: HashSet<ToolId>,
    /// Namespaces that were given out, by server.
    pub(super) namespaces: HashMap<String, usize>,
    pub(super) room: Option<usize>,
    pub(super) begun: bool,
    /// Was read from a state, and had no request since.
    pub(super) restored: bool,
}

impl Track {
    /// A conversation in which nothing was said yet.
    pub fn new(pair: Pair) -> Self {
        Self {
            pair,
            declared: Vec::new(),
            listed: Vec::new(),
            servers: Vec::new(),
            away: HashSet::new(),
            search: None,
            front: None,
            namespaces: HashMap::new(),
            room: None,
            begun: false,
            restored: false,
        }
    }

    /// Its pair.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// The conversation was condensed: the next request begins one. What messages named stays declared, because the host
    /// may have kept some of them.
    pub fn restart(&mut self) {
        let keeps = self.pair.delivery != Delivery::Call;
        self.declared.retain(|declared| keeps && declared.named && !declared.is_own());
        for declared in &mut self.declared {
            (declared.deferred, declared.offered, declared.told) = (true, false, None);
        }
        (self.front, self.begun, self.search) = (None, false, None);
        (self.listed, self.servers, self.away) = (Vec::new(), Vec::new(), HashSet::new());
    }

    /// Gives the tools of a restored conversation, which has names alone, their definitions back before its first request, though
    /// the task may not use them now: so what the provider caches stays as it was.
    pub fn recall(&mut self, known: impl Fn(&ToolId) -> Option<(Arc<Tool>, SchemaDetail)>) {
        let restored = std::mem::take(&mut self.restored);
        for declared in self.declared.iter_mut().filter(|declared| restored && matches!(declared.source, Source::Gone)) {
            if let Some((tool, detail)) = known(&declared.id) {
                declared.source = Source::Tool(tool, detail);
            }
        }
    }

    /// Renders the next request.
    pub fn render(&mut self, request: &Request<'_>) -> Rendered {
        let first = !self.begun;
        (self.begun, self.room) = (true, request.room);
        let servers = self.servers_news(request, first);
        let (rendered, mut messages, told) = self.rendered(request, first, &servers);
        let away = if self.pair.delivery.defers() { self.definitions_news(request, &servers) } else { Vec::new() };
        let listed = self.directory_news(request, &servers);
        let paragraphs: Vec<String> = servers.told.into_iter().chain(told).chain(away).chain(listed).collect();
        if !paragraphs.is_empty() {
            messages.push(shape::user_message(self.pair.provider, &paragraphs.join("\n\n")));
        }
        let messages = Value::from(messages).to_string();
        Rendered { adapted: self.adapted(request.usable), messages, ..rendered }
    }

    /// What the provider would refuse of the usable tools. Those of `call` are text, which nobody checks.
    fn adapted(&self, usable: &[Usable]) -> Vec<(String, Vec<Change>)> {
        if self.pair.delivery == Delivery::Call {
            return Vec::new();
        }
        let rules = Rules::of(self.pair.provider);
        let changes = |tool: &Usable| (tool.name.clone(), tool.tool.changes_for(tool.detail, rules).to_vec());
        usable.iter().map(changes).filter(|(_, changes)| !changes.is_empty()).collect()
    }

    /// The list, the messages that a provider has for it, and what a text says besides.
    fn rendered(&mut self, request: &Request<'_>, first: bool, servers: &ServerNews) -> (Rendered, Vec<Value>, Vec<String>) {
        match self.pair.delivery {
            Delivery::Append => (self.append(request), Vec::new(), Vec::new()),
            Delivery::Call => {
                let told = self.tell(request.usable, servers);
                let search = self.search.get_or_insert_with(|| request.search.to_owned());
                let pair = fixed::pair(search, self.pair.names);
                let own = pair.iter().map(String::as_str);
                let definitions = own.filter_map(shape::of_chat);
                let tools: Vec<String> = definitions.map(|definition| self.shaped(definition, Place::Listed)).collect();
                let cached = tools.len();
                (self.finish(request, tools, cached, false), Vec::new(), told)
            }
            Delivery::Defer | Delivery::Program => {
                let changed = self.follow(request, first);
                let (tools, cached) = self.listed();
                (self.finish(request, tools, cached, changed), Vec::new(), Vec::new())
            }
            Delivery::Changes => {
                let (messages, changed) = self.change(request, first);
                let (tools, cached) = self.listed();
                let rendered = Rendered { betas: vec![fixed::CHANGES_BETA], ..self.finish(request, tools, cached, changed) };
                (rendered, messages, Vec::new())
            }
        }
    }

    pub(super) fn shaped(&self, definition: Definition<'_>, place: Place) -> String {
        let mut text = String::new();
        shape::push(self.pair.provider, definition, place, &mut text);
        text
    }

    fn finish(&mut self, request: &Request<'_>, mut tools: Vec<String>, mut cached_count: usize, changed: bool) -> Rendered {
        let reader = request.holds_results.then(fixed::read_result);
        if let Some(definition) = reader.as_deref().and_then(shape::of_chat) {
            tools.insert(cached_count, self.shaped(definition, Place::Listed));
            cached_count += 1;
        }
        let mut hasher = blake3::Hasher::new();
        for text in tools.iter().take(cached_count) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let front = hasher.finalize();
        let rewritten = self.front.replace(front).is_some_and(|before| before != front);
        Rendered {
            tools: shape::list(self.pair.provider, &tools),
            messages: String::new(),
            betas: Vec::new(),
            cached_count,
            adapted: Vec::new(),
            rewritten: rewritten || changed,
        }
    }

    fn append(&mut self, request: &Request<'_>) -> Rendered {
        let own = request.usable.iter().map(|usable| Declared::of(usable, false)).collect::<Vec<_>>();
        let mut definitions: Vec<_> = own.iter().map(|declared| declared.definition(Some(self.pair.provider))).collect();
        if let Some((text, place)) = request.mcp_load
            && let Some(load) = shape::of_chat(text)
        {
            let place = place.min(definitions.len());
            definitions.insert(place, load);
        }
        let tools: Vec<String> = definitions.into_iter().map(|definition| self.shaped(definition, Place::Listed)).collect();
        let cached = tools.len();
        self.finish(request, tools, cached, false)
    }

    /// The list of a delivery that defers: the prefix, then deferred declarations. With the count of the former.
    fn listed(&self) -> (Vec<String>, usize) {
        let is_responses = self.pair.provider == Provider::OpenaiResponses;
        let hidden = |declared: &&Declared| self.pair.delivery.defers() && !declared.offered;
        let front = self.declared.iter().filter(|declared| !declared.deferred && !hidden(declared));
        let front = front.map(|declared| match &declared.source {
            Source::Text(text) if is_responses && declared.is_own() => fixed::search_tool(text, GONE_DESCRIPTION, GONE_SCHEMA),
            _ => self.declaration(declared, Place::Listed),
        });
        let mut tools: Vec<String> = self.runner().into_iter().chain(front).collect();
        let cached = tools.len();
        // Responses are told of loaded tools in items of their own.
        let deferred = self.declared.iter().filter(|declared| declared.deferred && !is_responses);
        tools.extend(deferred.map(|declared| self.declaration(declared, Place::Deferred)));
        (tools, cached)
    }

    pub(super) fn find(&mut self, id: &ToolId) -> Option<&mut Declared> {
        self.declared.iter_mut().find(|declared| declared.id == *id)
    }

    /// Adopts the definitions of now. Says whether one changed that the model was told in the messages.
    fn refresh(&mut self, usable: &[Usable]) -> bool {
        let mut changed = false;
        for usable in usable {
            if let Some(declared) = self.find(&usable.id) {
                declared.source = Source::Tool(Arc::clone(&usable.tool), usable.detail);
                let now = usable.hash();
                changed |= declared.refers_to_another(now);
                if declared.told.is_some() || declared.named {
                    declared.told = Some(now);
                }
            }
        }
        changed
    }

    /// Puts the tools of a conversation that begins into the prefix. What earlier messages named leaves the deferred ones.
    fn begin(&mut self, request: &Request<'_>, mcp_load: Option<&str>) {
        let room = if self.pair.delivery.defers() { request.room.unwrap_or(usize::MAX) } else { usize::MAX };
        let front: Vec<&Usable> = request.usable.iter().take(room).collect();
        let kept = std::mem::take(&mut self.declared);
        let own = mcp_load.and_then(|text| Declared::own(text, false));
        self.declared = own.into_iter().chain(front.iter().map(|usable| Declared::of(usable, false))).collect();
        if self.declared.is_empty() {
            return; // deferred ones alone are refused
        }
        let named = kept.into_iter().filter(|declared| !front.iter().any(|usable| usable.id == declared.id));
        self.declared.extend(named.collect::<Vec<_>>());
    }

    /// `defer`: declares what is new outside the prefix; a line of a message names it, and the model loads it.
    fn follow(&mut self, request: &Request<'_>, first: bool) -> bool {
        if first {
            self.begin(request, Some(request.search));
        }
        let changed = self.refresh(request.usable);
        let is_usable = |id: &ToolId| request.usable.iter().any(|usable| usable.id == *id);
        for declared in self.declared.iter_mut().filter(|declared| !declared.deferred && !declared.is_own()) {
            // What is away stays where it is, and a message says so: it may be back with the next request.
            let stays = is_usable(&declared.id) || request.away.contains(&declared.id);
            declared.offered = stays && !matches!(declared.source, Source::Gone);
            // What was taken away comes back as any later tool does: the prefix is not written again for it.
            declared.deferred = !stays;
        }
        self.declared.retain(|declared| !declared.deferred || declared.named || is_usable(&declared.id));
        for usable in request.usable {
            if self.find(&usable.id).is_none() {
                self.declared.push(Declared::of(usable, true));
            }
        }
        changed
    }

    /// `changes`: offers and withdraws by a message.
    fn change(&mut self, request: &Request<'_>, first: bool) -> (Vec<Value>, bool) {
        if first {
            self.begin(request, request.mcp_load.map(|(text, _)| text));
        }
        let changed = self.refresh(request.usable);
        let own = request.mcp_load.and_then(|(text, _)| Declared::own(text, true));
        let wanted: Vec<Declared> =
            own.into_iter().chain(request.usable.iter().map(|usable| Declared::of(usable, true))).collect();
        let mut blocks = Vec::new();
        let block = |kind: &str, name: &str| json!({ "type": kind, "tool": { "type": "tool_reference", "name": name } });
        for declared in &mut self.declared {
            if declared.offered && !wanted.iter().any(|tool| tool.id == declared.id) {
                (declared.offered, declared.named) = (false, true);
                blocks.push(block("tool_removal", &declared.name));
            }
        }
        for mut tool in wanted {
            if let Some(known) = self.find(&tool.id) {
                if !known.offered {
                    (known.offered, known.named, known.told) = (true, true, known.hash());
                    blocks.push(block("tool_addition", &known.name));
                }
            } else if self.declared.iter().all(|declared| declared.deferred) {
                // One tool at least must not be deferred: the first of a task that began without any.
                (tool.deferred, tool.offered) = (false, true);
                let at = self.declared.iter().take_while(|declared| !declared.deferred).count();
                self.declared.insert(at, tool);
            } else {
                (tool.offered, tool.named, tool.told) = (true, true, tool.hash());
                blocks.push(block("tool_addition", &tool.name));
                self.declared.push(tool);
            }
        }
        let messages = if blocks.is_empty() { Vec::new() } else { vec![json!({ "role": "system", "content": blocks })] };
        (messages, changed)
    }
}
