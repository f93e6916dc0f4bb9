//! One generation of the catalogue with everything that ranking needs, immutable once published.

mod counted;
mod in_scope;
mod indexed;
mod near;
mod qualified;
mod scopes;

use std::collections::HashSet;
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::catalogue::scope::Scope;
use crate::document::id::ToolId;
use crate::document::lookup::{Lookup, key_hash};
use crate::document::tool::{EmbeddedText, ToolDocument};
use crate::embedding::service::WantedText;
use crate::embedding::vectors::ModelVectors;
use crate::ranking::semantic::ToolVectors;
use crate::text::terms::name_key;

mod of_tools;

pub use in_scope::InScope;
use in_scope::Scopes;
pub use indexed::{IndexedServer, IndexedTool};
use of_tools::{OfTools, VectorsOf};

/// See the module.
#[derive(Debug)]
pub struct Index {
    /// Counts up with each change of the catalogue.
    pub generation: u64,
    /// Tools by position: the catalogue's order.
    pub tools: Arc<[IndexedTool]>,
    /// Servers in order.
    pub servers: Vec<IndexedServer>,
    of_tools: Arc<OfTools>,
    /// Whether a call brought its tools along.
    is_list: bool,
    scopes: Scopes,
}

impl Index {
    /// Takes the active servers. What the previous generation knows of tools that stayed is kept; the rest is worked
    /// out at the first ranking, or by [`Index::warm`].
    pub fn new(catalogue: &Catalogue, generation: u64, previous: Option<&Self>) -> Self {
        crate::fault::point("index");
        let mut tools = Vec::new();
        let mut indexed = Vec::new();
        let mut by_rule = Vec::new();
        for (place, server) in catalogue.in_order() {
            by_rule.extend(server.entries.iter().enumerate().map(|(at, _)| (place, tools.len() + at)));
            let start = tools.len();
            for entry in &server.entries {
                let tool = Arc::clone(&entry.tool);
                tools.push(IndexedTool { tool, name: String::new(), off: entry.off, always_load: entry.always_load });
            }
            let profile = Arc::clone(&server.profile);
            let (name, on) = (server.name.clone(), !server.disabled);
            indexed.push(IndexedServer { name, tools: start..tools.len(), on, profile });
        }
        // Names do not depend on places that a host gave: a collision is resolved in the order of the rule.
        by_rule.sort_unstable();
        let by_rule: Vec<usize> = by_rule.into_iter().map(|(_, at)| at).collect();
        let of_tools = previous.and_then(|previous| previous.of_same_tools(&mut tools)).unwrap_or_else(|| {
            let same_ids = previous.filter(|previous| previous.has_ids_of(&tools));
            let mut of_tools = OfTools::new(&mut tools, by_rule, same_ids.map(|known| (&*known.tools, &*known.of_tools)));
            if let Some(previous) = previous {
                of_tools.keep(&tools, (&previous.tools, &previous.of_tools));
            }
            Arc::new(of_tools)
        });
        let scopes = Scopes::default();
        let new = Self { generation, tools: tools.into(), servers: indexed, of_tools, is_list: false, scopes };
        if let Some(previous) = previous {
            new.keep_scopes(previous);
        }
        new
    }

    /// Takes a list of tools that a call brings along.
    pub fn of_list(catalogue: &Catalogue) -> Self {
        Self { is_list: true, ..Self::new(catalogue, 0, None) }
    }

    /// What depends on tools alone, if the tools are the same; they get their names.
    fn of_same_tools(&self, tools: &mut [IndexedTool]) -> Option<Arc<OfTools>> {
        let same = |(old, new): (&IndexedTool, &IndexedTool)| Arc::ptr_eq(&old.tool, &new.tool);
        if self.tools.len() != tools.len() || !self.tools.iter().zip(&*tools).all(same) {
            return None;
        }
        for (tool, old) in tools.iter_mut().zip(&*self.tools) {
            tool.name.clone_from(&old.name);
        }
        Some(Arc::clone(&self.of_tools))
    }

    /// Whether the tools are known by the same names, in the same order.
    fn has_ids_of(&self, tools: &[IndexedTool]) -> bool {
        let same = |(old, new): (&IndexedTool, &IndexedTool)| Arc::ptr_eq(&old.tool, &new.tool) || old.tool.id == new.tool.id;
        self.tools.len() == tools.len() && self.tools.iter().zip(tools).all(same)
    }

    /// Works out what the first ranking needs.
    pub fn warm(&self) {
        self.by_name();
        let all = self.in_scope(&Scope::All);
        self.vocabulary_of(&all);
        self.lexical_of(&all);
    }

    /// Whether it is of the servers of this catalogue: one that is being set is not published yet.
    pub fn has_servers_of(&self, catalogue: &Catalogue) -> bool {
        self.servers.iter().map(|server| &server.name).eq(catalogue.active().map(|server| &server.name))
    }

    /// The next generation after registry entries were set: its tools are the same, so it costs as much as there are
    /// servers, not tools.
    #[must_use]
    pub fn with_entries(&self, catalogue: &Catalogue, generation: u64) -> Self {
        let profiles = catalogue.in_order().into_iter().map(|(_, server)| Arc::clone(&server.profile));
        let with_profile = |(server, profile): (&IndexedServer, _)| IndexedServer {
            name: server.name.clone(),
            tools: server.tools.clone(),
            on: server.on,
            profile,
        };
        let new = Self {
            generation,
            tools: Arc::clone(&self.tools),
            servers: self.servers.iter().zip(profiles).map(with_profile).collect(),
            of_tools: Arc::clone(&self.of_tools),
            is_list: self.is_list,
            scopes: Scopes::default(),
        };
        new.keep_scopes(self);
        new
    }

    /// The place of the server of the tool at a position.
    pub fn server_at(&self, position: usize) -> usize {
        self.servers.partition_point(|server| server.tools.end <= position)
    }

    /// The server of the tool at a position.
    pub fn server_of(&self, position: usize) -> Option<&IndexedServer> {
        self.servers.get(self.server_at(position)).filter(|server| server.tools.contains(&position))
    }

    /// The position of a tool.
    pub fn position(&self, id: &ToolId) -> Option<usize> {
        self.of_tools.by_id.get(id.key_hash()).find(|at| self.tools[*at].tool.id == *id)
    }

    /// The position of the tool with a provider name, as a model wrote it.
    pub fn resolve(&self, name: &str) -> Option<usize> {
        self.of_tools.names.resolve(name).map(|at| self.of_tools.by_rule[at])
    }

    /// Positions by folded name, alone and behind the server's. Collected at the first ranking.
    fn by_name(&self) -> &Lookup {
        self.of_tools.by_name.get_or_init(|| {
            let hashes = |at: usize| self.tools[at / 2].tool.document().key_hashes[at % 2];
            Lookup::new((0..2 * self.tools.len()).map(|at| (hashes(at), at / 2)))
        })
    }

    /// The positions of all tools that a name stands for, in any spelling. A name that says whose tool it is means that server's
    /// tool alone; another name the tools that have it exactly, or else by letters alone.
    pub fn named(&self, name: &str) -> Vec<usize> {
        self.named_in(&Scope::All, name)
    }

    /// The same among the tools of a scope, on or off.
    pub fn named_in(&self, scope: &Scope, name: &str) -> Vec<usize> {
        let bare = name.strip_prefix("mcp--").unwrap_or(name);
        let folded = name_key(bare);
        let mut found = if folded.is_empty() { Vec::new() } else { self.with_key(&folded) };
        // A pattern is no name, but of a tool that is called so.
        let may_mean = |id: &ToolId| scope.allows_tool(id) && (!name.contains('*') || id.tool_name.contains('*'));
        found.retain(|at| may_mean(&self.tools[*at].tool.id));
        self.meant(scope, bare, found)
    }

    /// The positions of tools by a folded name, their own alone or behind their server's.
    pub fn with_key(&self, key: &str) -> Vec<usize> {
        let mut found: Vec<usize> = self.by_name().get(key_hash(&[key])).filter(|at| self.document(*at).has_key(key)).collect();
        found.dedup(); // a server without letters: both of a tool's keys are one
        found
    }

    /// The indexed text of the tool at a position.
    pub fn document(&self, position: usize) -> &ToolDocument {
        self.tools[position].tool.document()
    }

    /// Whether the tool at a position serves something that requests imply.
    pub fn serves_what_is_implied(&self, position: usize) -> bool {
        self.of_tools.serves_what_is_implied(&self.tools, position)
    }

    /// The positions of tools that are on and in scope, in order.
    pub fn candidates(&self, scope: &Scope) -> Vec<usize> {
        crate::fault::point("scope");
        let in_scope = self.servers.iter().filter(|server| scope.allows(&server.name));
        in_scope.flat_map(|server| server.tools.clone()).filter(|position| self.is_usable(*position, scope)).collect()
    }

    /// Whether the tool at a position is on and in scope.
    pub fn is_usable(&self, position: usize, scope: &Scope) -> bool {
        let tool = &self.tools[position];
        tool.off.is_none() && scope.allows_tool(&tool.tool.id)
    }

    /// The vectors of all tools, as far as they are there.
    pub fn vectors(&self, model: &Arc<ModelVectors>) -> Arc<ToolVectors> {
        // Before the vectors: one that comes meanwhile is seen at the next ranking.
        let revision = Some(model.revision());
        let known = self.of_tools.vectors.read().clone().filter(|known| Arc::ptr_eq(&known.model, model));
        if let Some(known) = &known
            && (known.vectors.missing() == 0 || known.revision == revision)
        {
            return Arc::clone(&known.vectors);
        }
        let vector = |(at, tool): (usize, &IndexedTool)| {
            let known = known.as_ref().and_then(|known| known.vectors.get(at).cloned());
            known.or_else(|| model.document(&tool.tool.document().embedded.as_ref()?.hash))
        };
        let vectors = Arc::new(ToolVectors::new(self.tools.iter().enumerate().map(vector).collect()));
        let known = VectorsOf { model: Arc::clone(model), revision, vectors: Arc::clone(&vectors) };
        *self.of_tools.vectors.write() = Some(known);
        vectors
    }

    /// Forgets vectors: they would stay in memory with their model's, which nobody asks for any more.
    pub fn forget_vectors(&self) {
        *self.of_tools.vectors.write() = None;
    }

    /// How many tools have a vector. It works nothing out: the JavaScript thread asks, and what is not worked
    /// out yet has no vector.
    pub fn vector_count(&self, model: &ModelVectors) -> usize {
        let is_known = |tool: &&IndexedTool| {
            tool.tool.known_document().is_some_and(|document| document.embedded.iter().all(|text| model.has(&text.hash)))
        };
        self.tools.iter().filter(is_known).count()
    }

    /// The texts to embed: of tools, then of registry entries.
    pub fn texts(&self) -> impl Iterator<Item = WantedText> + '_ {
        let of_tools = self.tools.iter().flat_map(|tool| tool.tool.document().embedded.iter().map(wanted));
        of_tools.chain(self.servers.iter().flat_map(|server| server.profile.document().embedded.iter().map(wanted)))
    }

    /// The texts to embed of the registry entries of some servers.
    pub fn entry_texts<'a>(&'a self, names: &'a HashSet<String>) -> impl Iterator<Item = WantedText> + 'a {
        let servers = self.servers.iter().filter(|server| names.contains(&server.name));
        servers.flat_map(|server| server.profile.document().embedded.iter().map(wanted))
    }
}

fn wanted(text: &EmbeddedText) -> WantedText {
    WantedText { hash: text.hash, text: Arc::clone(&text.text), name_bytes: text.name_bytes }
}
