//! Tools as signatures, for a model that reads many of them.

use std::collections::HashMap;

use super::tool::Tool;
use crate::schema::{Groups, Signature};
pub use crate::schema::{LOST, ShownParameters};

impl Tool {
    /// Its name, arguments and first sentence as TypeScript, worked out at the first call.
    pub fn signature(&self) -> &Signature {
        self.read.signatures[0].get_or_init(|| Box::new(Signature::of(&self.id.tool_name, &self.description, &self.input_schema)))
    }

    /// The same, or with less of its optional parameters.
    pub fn signature_as(&self, shown: ShownParameters) -> &Signature {
        match shown {
            ShownParameters::Fitting => self.signature(),
            ShownParameters::Named => self.read.signatures[2].get_or_init(|| Box::new(self.signature().of_named())),
            ShownParameters::Required => self.read.signatures[1].get_or_init(|| Box::new(self.signature().of_required())),
        }
    }
}

/// An interface for each server, in the order of its first tool.
pub fn interfaces<'t>(tools: impl IntoIterator<Item = &'t Tool>, shown: ShownParameters) -> String {
    let mut servers: Vec<(&str, Vec<&Signature>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for tool in tools {
        let server = tool.id.server_name.as_str();
        let place = *places.entry(server).or_insert(servers.len());
        if place == servers.len() {
            servers.push((server, Vec::new()));
        }
        servers[place].1.push(tool.signature_as(shown));
    }
    let mut groups = Groups::default();
    let texts = servers.iter().map(|(server, signatures)| groups.interface(server, signatures));
    texts.collect::<Vec<_>>().join("\n")
}
