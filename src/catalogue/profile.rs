//! A server as rankings of servers see it.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::tool::Tool;
use crate::companions::{Companions, ToolText};
use crate::document::entry::ServerEntry;
use crate::document::server::ServerDocument;
use crate::modules::{self, Module, ModuleTool};
use crate::text::names::name_parts;

/// What ranking of servers reads of one server. Built when the server or its entry is set; its
/// terms are counted at the first call.
#[derive(Debug)]
pub struct ServerProfile {
    /// The server's name.
    pub name: String,
    /// What the registry says about it, if anything.
    pub entry: Option<ServerEntry>,
    instructions: Option<String>,
    tools: Arc<[Arc<Tool>]>,
    document: OnceCell<ServerDocument>,
    companions: Arc<OnceCell<Companions>>,
    modules: Arc<OnceCell<Vec<Module>>>,
}

impl ServerProfile {
    pub(crate) fn new(
        name: &str,
        entry: Option<ServerEntry>,
        instructions: Option<String>,
        tools: impl IntoIterator<Item = Arc<Tool>>,
    ) -> Self {
        let tools = tools.into_iter().collect();
        Self {
            name: name.to_owned(),
            entry,
            instructions,
            tools,
            document: OnceCell::new(),
            companions: Arc::default(),
            modules: Arc::default(),
        }
    }

    /// The same server with another entry.
    pub(crate) fn with_entry(&self, entry: Option<ServerEntry>) -> Self {
        Self {
            name: self.name.clone(),
            entry,
            instructions: self.instructions.clone(),
            tools: Arc::clone(&self.tools),
            document: OnceCell::new(),
            companions: Arc::clone(&self.companions),
            modules: Arc::clone(&self.modules),
        }
    }

    /// What the server says about itself.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// What ranking reads of it, worked out at the first call.
    pub fn document(&self) -> &ServerDocument {
        self.document.get_or_init(|| {
            let tool_names: Vec<String> = self.tools.iter().map(|tool| tool.id.tool_name.clone()).collect();
            ServerDocument::new(&self.name, self.entry.as_ref(), self.instructions.as_deref(), &tool_names)
        })
    }

    /// What its tools need of each other, by their places; worked out at the first call.
    pub fn companions(&self) -> &Companions {
        self.companions.get_or_init(|| {
            let texts: Vec<ToolText<'_>> = self.tools.iter().map(|tool| text_of(tool)).collect();
            Companions::new(&self.name, &texts)
        })
    }

    /// Its modules, by name, of all its tools; none where they are few. Worked out at the first call.
    pub fn modules(&self) -> &[Module] {
        self.modules.get_or_init(|| modules::divide(&self.name, &self.module_tools(), self.companions()))
    }

    /// Its tools as modules see them.
    fn module_tools(&self) -> Vec<ModuleTool<'_>> {
        self.tools.iter().map(|tool| ModuleTool { text: text_of(tool), read_only: tool.read_only }).collect()
    }

    /// Places of its tools in the order in which they are worth having where nobody said what for.
    #[must_use]
    pub fn core_order(&self, members: &[usize]) -> Vec<usize> {
        let tools = self.module_tools();
        let parts: Vec<_> = tools.iter().map(|tool| name_parts(&self.name, tool.text.name)).collect();
        modules::core_order(&tools, &parts, self.companions(), members)
    }
}

fn text_of(tool: &Tool) -> ToolText<'_> {
    ToolText { name: &tool.id.tool_name, description: tool.described(), schema: &tool.input_schema }
}
