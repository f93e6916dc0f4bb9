//! A server as rankings of servers see it.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::tool::{Tool, ToolEntry};
use crate::companions::{Companions, ToolText};
use crate::document::entry::ServerEntry;
use crate::document::server::ServerDocument;
use crate::modules::{self, Module};
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
    /// The places of those that the configuration leaves on: others have no part in what ranking reads.
    on: Arc<[usize]>,
    document: OnceCell<ServerDocument>,
    companions: Arc<OnceCell<Companions>>,
    modules: Arc<OnceCell<Vec<Module>>>,
    part: Option<Box<Part>>,
}

/// What is there of a server for who may use only some of its tools: the server that it would be without the others.
#[derive(Debug)]
struct Part {
    alone: ServerProfile,
    /// The places of its tools in the whole server, in order.
    places: Vec<usize>,
}

impl ServerProfile {
    pub(crate) fn new(name: &str, entry: Option<ServerEntry>, instructions: Option<String>, entries: &[ToolEntry]) -> Self {
        let tools = entries.iter().map(|entry| Arc::clone(&entry.tool)).collect();
        Self {
            name: name.to_owned(),
            entry,
            instructions,
            tools,
            on: on(entries),
            document: OnceCell::new(),
            companions: Arc::default(),
            modules: Arc::default(),
            part: None,
        }
    }

    /// The same server for who may use only the tools at these places, which are in order. The others have no part in what
    /// these need of each other, nor in how they are divided.
    pub(crate) fn of_part(&self, places: Vec<usize>) -> Self {
        let is_on = |at: &usize| self.on.binary_search(at).is_ok();
        let renewed = |tools: Arc<[Arc<Tool>]>, on: Arc<[usize]>, part| Self {
            tools,
            on,
            companions: Arc::default(),
            modules: Arc::default(),
            part,
            ..self.with_entry(self.entry.clone())
        };
        let tools = places.iter().map(|at| Arc::clone(&self.tools[*at])).collect();
        let on_alone = places.iter().enumerate().filter(|(_, at)| is_on(at)).map(|(own, _)| own).collect();
        let on = places.iter().copied().filter(is_on).collect();
        let alone = renewed(tools, on_alone, None);
        renewed(Arc::clone(&self.tools), on, Some(Box::new(Part { alone, places })))
    }

    /// The same server with another entry.
    pub(crate) fn with_entry(&self, entry: Option<ServerEntry>) -> Self {
        Self {
            name: self.name.clone(),
            entry,
            instructions: self.instructions.clone(),
            tools: Arc::clone(&self.tools),
            on: Arc::clone(&self.on),
            document: OnceCell::new(),
            companions: Arc::clone(&self.companions),
            modules: Arc::clone(&self.modules),
            part: None,
        }
    }

    /// The same server with other tools on; `None` where they are the same.
    pub(crate) fn with_on(&self, entries: &[ToolEntry]) -> Option<Self> {
        let on = on(entries);
        let renewed = || Self {
            on: Arc::clone(&on),
            companions: Arc::default(),
            modules: Arc::default(),
            ..self.with_entry(self.entry.clone())
        };
        (*on != *self.on).then(renewed)
    }

    fn tools_on(&self) -> impl Iterator<Item = &Tool> {
        self.on.iter().map(|at| &*self.tools[*at])
    }

    /// What the server says about itself.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// What ranking reads of it, worked out at the first call.
    pub fn document(&self) -> &ServerDocument {
        self.document.get_or_init(|| {
            let tool_names: Vec<String> = self.tools_on().map(|tool| tool.id.tool_name.clone()).collect();
            ServerDocument::new(&self.name, self.entry.as_ref(), self.instructions.as_deref(), &tool_names)
        })
    }

    /// What its tools that are on need of each other, by their places; worked out at the first call.
    pub fn companions(&self) -> &Companions {
        self.companions.get_or_init(|| match &self.part {
            None => self.read_companions(),
            Some(part) => part.alone.read_companions().at(&part.places, self.tools.len()),
        })
    }

    fn read_companions(&self) -> Companions {
        let texts: Vec<ToolText<'_>> = self.tools_on().map(text_of).collect();
        Companions::new(&self.name, &texts).at(&self.on, self.tools.len())
    }

    /// Its modules, by name, of all its tools; none where they are few. Worked out at the first call.
    pub fn modules(&self) -> &[Module] {
        self.modules.get_or_init(|| match &self.part {
            None => modules::divide(&self.name, &self.module_tools(), self.companions()),
            Some(part) => part.alone.modules().iter().map(|module| part.in_whole(module)).collect(),
        })
    }

    /// All its tools, those that are off too.
    fn module_tools(&self) -> Vec<ToolText<'_>> {
        self.tools.iter().map(|tool| text_of(tool)).collect()
    }

    /// Places of its tools in the order in which they are worth having where nobody said what for.
    pub fn core_order(&self, members: &[usize]) -> Vec<usize> {
        if let Some(Part { alone, places }) = self.part.as_deref() {
            let own: Vec<usize> = members.iter().filter_map(|at| places.binary_search(at).ok()).collect();
            return alone.core_order(&own).into_iter().map(|at| places[at]).collect();
        }
        let tools = self.module_tools();
        let parts: Vec<_> = tools.iter().map(|tool| name_parts(&self.name, tool.name)).collect();
        modules::core_order(&tools, &parts, self.companions(), members)
    }
}

impl Part {
    fn in_whole(&self, module: &Module) -> Module {
        Module { tools: module.tools.iter().map(|at| self.places[*at]).collect(), ..module.clone() }
    }
}

fn on(entries: &[ToolEntry]) -> Arc<[usize]> {
    entries.iter().enumerate().filter(|(_, entry)| entry.off.is_none()).map(|(at, _)| at).collect()
}

fn text_of(tool: &Tool) -> ToolText<'_> {
    ToolText {
        name: &tool.id.tool_name,
        description: tool.described(),
        schema: &tool.input_schema,
        read_only: tool.effects.read_only,
    }
}
