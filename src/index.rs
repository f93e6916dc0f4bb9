//! One generation of the catalogue with everything that ranking needs, immutable once published.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

use crate::catalogue::Catalogue;
use crate::catalogue::name::{Names, Wanted};
use crate::catalogue::profile::ServerProfile;
use crate::catalogue::scope::{Off, Scope};
use crate::catalogue::tool::Tool;
use crate::document::id::ToolId;
use crate::document::tool::ToolDocument;
use crate::embedding::service::WantedText;
use crate::embedding::vectors::{ModelVectors, Vector};
use crate::query::vocabulary::Vocabulary;
use crate::ranking::Corpus;
use crate::ranking::lexical::LexicalIndex;
use crate::text::terms::name_key;

/// A tool at its position.
#[derive(Debug)]
pub struct IndexedTool {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Its provider name.
    pub name: String,
    /// Why the configuration keeps it off, if it does.
    pub off: Option<Off>,
    /// Whether it is attached to every dynamic selection.
    pub always_load: bool,
}

/// A server of this generation.
#[derive(Debug)]
pub struct IndexedServer {
    /// Its name.
    pub name: String,
    /// The positions of its tools.
    pub tools: std::ops::Range<usize>,
    /// What ranking of servers reads of it.
    pub profile: Arc<ServerProfile>,
}

/// The vectors of all tools, of one model.
type VectorsOf = (Arc<ModelVectors>, Arc<Vec<Vector>>);

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
    bm25: (f64, f64),
    server_lexical: OnceLock<LexicalIndex>,
}

/// What depends on tools alone: generations that differ in registry entries share it.
#[derive(Debug)]
struct OfTools {
    names: Names,
    /// The position of each tool, in the order in which names were given.
    by_rule: Vec<usize>,
    by_id: HashMap<ToolId, usize>,
    by_name: OnceLock<HashMap<String, Vec<usize>>>,
    lexical: OnceLock<LexicalIndex>,
    vocabulary: OnceLock<Vocabulary>,
    vectors: RwLock<Option<VectorsOf>>,
}

impl Index {
    /// Takes the servers in force. Terms are counted at the first ranking.
    #[must_use]
    pub fn new(catalogue: &Catalogue, generation: u64, bm25: (f64, f64)) -> Self {
        let mut tools = Vec::new();
        let mut by_id = HashMap::new();
        let mut indexed = Vec::new();
        let mut by_rule = Vec::new();
        for (place, server) in catalogue.in_order() {
            by_rule.extend(server.entries.iter().enumerate().map(|(at, _)| (place, tools.len() + at)));
            let start = tools.len();
            for entry in &server.entries {
                let id = &entry.tool.id;
                by_id.insert(id.clone(), tools.len());
                let tool = Arc::clone(&entry.tool);
                tools.push(IndexedTool { tool, name: String::new(), off: entry.off, always_load: entry.always_load });
            }
            let profile = Arc::clone(&server.profile);
            indexed.push(IndexedServer { name: server.name.clone(), tools: start..tools.len(), profile });
        }
        // Names do not depend on places that a host gave: a collision is resolved in the order of the rule.
        by_rule.sort_unstable();
        let wanted: Vec<Wanted<'_>> = by_rule
            .iter()
            .map(|(_, at)| &tools[*at])
            .map(|IndexedTool { tool, .. }| Wanted {
                base: &tool.base_name,
                server_name: &tool.id.server_name,
                tool_name: &tool.id.tool_name,
            })
            .collect();
        let (names, given) = Names::assign_all(&wanted);
        for ((_, at), name) in by_rule.iter().zip(given) {
            tools[*at].name = name;
        }
        let of_tools = OfTools {
            names,
            by_rule: by_rule.iter().map(|(_, at)| *at).collect(),
            by_id,
            by_name: OnceLock::new(),
            lexical: OnceLock::new(),
            vocabulary: OnceLock::new(),
            vectors: RwLock::default(),
        };
        let (tools, of_tools) = (tools.into(), Arc::new(of_tools));
        Self { generation, tools, servers: indexed, of_tools, bm25, server_lexical: OnceLock::new() }
    }

    /// The next generation after registry entries were set: its tools are the same, so it costs as much as there are
    /// servers, not tools.
    #[must_use]
    pub fn with_entries(&self, catalogue: &Catalogue, generation: u64) -> Self {
        let profiles = catalogue.in_order().into_iter().map(|(_, server)| Arc::clone(&server.profile));
        let with_profile = |(server, profile): (&IndexedServer, _)| IndexedServer {
            name: server.name.clone(),
            tools: server.tools.clone(),
            profile,
        };
        Self {
            generation,
            tools: Arc::clone(&self.tools),
            servers: self.servers.iter().zip(profiles).map(with_profile).collect(),
            of_tools: Arc::clone(&self.of_tools),
            bm25: self.bm25,
            server_lexical: OnceLock::new(),
        }
    }

    /// The position of a tool.
    #[must_use]
    pub fn position(&self, id: &ToolId) -> Option<usize> {
        self.of_tools.by_id.get(id).copied()
    }

    /// The position of the tool with a provider name, as a model wrote it.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<usize> {
        self.of_tools.names.resolve(name).map(|given| self.of_tools.by_rule[given])
    }

    /// The positions of all tools that a name stands for, in any spelling: of one server if the
    /// name says which, exactly as written if there is one, otherwise by letters alone.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<usize> {
        let by_name = self.of_tools.by_name.get_or_init(|| {
            let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, tool) in self.tools.iter().enumerate() {
                let document = tool.tool.document();
                by_name.entry(format!("{}{}", document.server_key, document.tool_key)).or_default().push(at);
                if !document.server_key.is_empty() {
                    by_name.entry(document.tool_key.clone()).or_default().push(at);
                }
            }
            by_name
        });
        let folded = name_key(name.strip_prefix("mcp--").unwrap_or(name));
        let found = by_name.get(&folded).filter(|_| !folded.is_empty()).cloned().unwrap_or_default();
        let exact: Vec<usize> = found.iter().copied().filter(|at| self.tools[*at].tool.id.tool_name == name).collect();
        if exact.is_empty() { found } else { exact }
    }

    /// The positions of tools that are on and in scope, in order.
    #[must_use]
    pub fn candidates(&self, scope: &Scope) -> Vec<usize> {
        let in_scope = self.servers.iter().filter(|server| scope.allows(&server.name));
        in_scope.flat_map(|server| server.tools.clone()).filter(|position| self.tools[*position].off.is_none()).collect()
    }

    /// The words of all tools, for correcting a query's. Collected at the first ranking.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.of_tools.vocabulary.get_or_init(|| Vocabulary::build(self.tools.iter().map(|tool| tool.tool.document())))
    }

    /// The vectors of all tools, or `None` when one is missing.
    #[must_use]
    pub fn vectors(&self, model: &Arc<ModelVectors>) -> Option<Arc<Vec<Vector>>> {
        if let Some((of, vectors)) = &*self.of_tools.vectors.read()
            && Arc::ptr_eq(of, model)
        {
            return Some(Arc::clone(vectors));
        }
        if self.vector_count(model) < self.tools.len() {
            return None;
        }
        let vector =
            |tool: &IndexedTool| model.weighted(tool.tool.document().embedded.iter().map(|text| (&text.hash, text.weight)));
        let vectors: Option<Vec<Vector>> = self.tools.iter().map(vector).collect();
        let vectors = Arc::new(vectors?);
        *self.of_tools.vectors.write() = Some((Arc::clone(model), Arc::clone(&vectors)));
        Some(vectors)
    }

    /// How many tools have all of their vectors. It works nothing out: the JavaScript thread asks, and what is not worked
    /// out yet has no vector.
    #[must_use]
    pub fn vector_count(&self, model: &ModelVectors) -> usize {
        let is_known = |tool: &&IndexedTool| {
            tool.tool.known_document().is_some_and(|document| document.embedded.iter().all(|text| model.has(&text.hash)))
        };
        self.tools.iter().filter(is_known).count()
    }

    /// BM25 over servers: their names, entries and instructions. Counted at the first ranking.
    pub fn server_lexical(&self) -> &LexicalIndex {
        self.server_lexical.get_or_init(|| {
            let documents = self.servers.iter().map(|server| &server.profile.document().terms);
            LexicalIndex::build(documents, self.bm25.0, self.bm25.1)
        })
    }

    /// The texts to embed: of tools, then of registry entries.
    pub fn texts(&self) -> impl Iterator<Item = WantedText> + '_ {
        let of_tools = self.tools.iter().flat_map(|tool| &tool.tool.document().embedded);
        let embedded = of_tools.chain(self.servers.iter().flat_map(|server| &server.profile.document().embedded));
        embedded.map(|text| WantedText { hash: text.hash, text: Arc::clone(&text.text) })
    }

    /// The texts to embed of the registry entries of some servers.
    pub fn entry_texts<'a>(&'a self, names: &'a HashSet<String>) -> impl Iterator<Item = WantedText> + 'a {
        let servers = self.servers.iter().filter(|server| names.contains(&server.name));
        let embedded = servers.flat_map(|server| &server.profile.document().embedded);
        embedded.map(|text| WantedText { hash: text.hash, text: Arc::clone(&text.text) })
    }
}

impl Corpus for Index {
    fn lexical(&self) -> &LexicalIndex {
        self.of_tools
            .lexical
            .get_or_init(|| LexicalIndex::build(self.tools.iter().map(|tool| tool.tool.document()), self.bm25.0, self.bm25.1))
    }

    fn document(&self, position: usize) -> &ToolDocument {
        self.tools[position].tool.document()
    }

    fn id(&self, position: usize) -> &ToolId {
        &self.tools[position].tool.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::ServerPath;
    use crate::catalogue::mcp::{McpServer, McpTool};

    #[test]
    fn a_hosts_order_changes_places_and_no_names() {
        let server = |name: &str, position: Option<usize>| McpServer {
            name: name.into(),
            position,
            tools: vec![McpTool::new("read"), McpTool::new("re-ad"), McpTool::new("re_ad")],
            ..McpServer::default()
        };
        let index = |positions: [Option<usize>; 3]| {
            let mut catalogue = Catalogue::default();
            let servers = ["a", "b", "c"].into_iter().zip(positions).map(|(name, at)| server(name, at)).collect();
            catalogue.set(servers, ServerPath::List("servers")).unwrap();
            Index::new(&catalogue, 1, (1.5, 0.75))
        };
        let (plain, placed) = (index([None; 3]), index([None, Some(1), Some(0)]));
        let order = |index: &Index| index.servers.iter().map(|server| server.name.clone()).collect::<Vec<_>>();
        assert_eq!((order(&plain).join(""), order(&placed).join("")), ("abc".to_owned(), "cba".to_owned()));
        for tool in plain.tools.iter() {
            let at = placed.position(&tool.tool.id).unwrap();
            assert_eq!(placed.tools[at].name, tool.name);
            assert_eq!(placed.resolve(&tool.name), Some(at));
        }
    }
}
