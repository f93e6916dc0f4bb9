//! What servers say about each other's tools: who names whom, and who is a copy of whom.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::change::{CatalogueChange, Found};
use super::scope::Off;
use super::tool::Tool;
use super::warning::{self, MAX_WARNINGS, Warning, WarningCode};
use super::{Catalogue, Server};
use crate::document::id::ToolId;
use crate::shield::{Check, Finding, Mention, Severity, mentions, shadows};
use crate::text::terms::{is_stop_word, words};

/// Words of two descriptions, of which so many must be the same.
const LEAST_WORDS: usize = 4;
const LEAST_SHARE: f64 = 0.75;
/// Two servers that share this many tools, at least half of each, count as the same server configured twice.
const SAME_SERVER: usize = 3;

/// Tools by what their names are hashed to: alone, and behind their server's.
struct Names<'c>(HashMap<u64, Vec<&'c Tool>>);

impl<'c> Names<'c> {
    fn new(tools: &[&'c Tool]) -> Self {
        let mut names: HashMap<u64, Vec<&Tool>> = HashMap::with_capacity(2 * tools.len());
        for tool in tools {
            for hash in tool.name_hashes() {
                names.entry(hash).or_default().push(tool);
            }
        }
        Self(names)
    }

    /// A tool of another server that a text of a server's names, if one of the two is new.
    fn foreign(&self, server: &str, mention: &Mention, is_new: impl Fn(&Tool) -> bool) -> Option<&'c Tool> {
        let named = self.0.get(&mention.key)?;
        if named.iter().any(|tool| tool.id.server_name == server) {
            return None;
        }
        named.iter().copied().find(|tool| is_new(tool))
    }
}

impl Catalogue {
    /// Compares what was set with everything else: names of servers, and texts that are about tools of other servers.
    pub(super) fn look_around(&mut self, set: &HashSet<&str>, change: &mut CatalogueChange) {
        let new: HashSet<ToolId> = change.added.iter().chain(&change.changed).cloned().collect();
        let mut flagged: Vec<(ToolId, Finding)> = Vec::new();
        {
            let servers: Vec<_> = self.servers.values().map(|server| (server.name.as_str(), &server.name_keys)).collect();
            change.warnings.extend(warning::of_names(&servers, set));
            if !new.is_empty() {
                let tools: Vec<&Tool> =
                    self.servers.values().flat_map(|server| server.entries.iter().map(|entry| &*entry.tool)).collect();
                let names = Names::new(&tools);
                for tool in &tools {
                    warn_of(tool, &names, &new, change, &mut flagged);
                }
                for server in self.servers.values() {
                    warn_of_instructions(server, &names, set, &new, change);
                }
                flagged.extend(copies(&tools, &new));
            }
        }
        change.warnings.truncate(MAX_WARNINGS);
        for (id, finding) in flagged {
            self.flag(&id, &finding);
            let found = Found { server_name: id.server_name, tool_name: Some(id.tool_name), finding };
            change.findings.push(found);
        }
        change.findings.sort_by_key(|found| std::cmp::Reverse(found.finding.severity));
        change.findings.truncate(MAX_WARNINGS);
    }

    /// Takes a tool away for what was found in it, as the settings say.
    fn flag(&mut self, id: &ToolId, finding: &Finding) {
        let (from, accepted) = (self.intake.withholds_from, &self.accepted);
        for server in self.servers.values_mut().filter(|server| server.name == id.server_name) {
            for entry in server.entries.iter_mut().filter(|entry| entry.tool.id == *id) {
                if entry.off.is_none() && from.is_some_and(|from| finding.severity >= from) && !accepted.is_cleared(&entry.tool) {
                    entry.off = Some(Off::Flagged);
                }
            }
            server.renew_profile();
        }
    }
}

fn warn_of(
    tool: &Tool,
    names: &Names<'_>,
    new: &HashSet<ToolId>,
    change: &mut CatalogueChange,
    flagged: &mut Vec<(ToolId, Finding)>,
) {
    let (server, name) = (tool.id.server_name.as_str(), Some(tool.id.tool_name.as_str()));
    let is_new = new.contains(&tool.id);
    let foreign = |mention: &Mention| names.foreign(server, mention, |other| is_new || new.contains(&other.id));
    if let Some((mention, _)) = tool.mentions().iter().find_map(|mention| Some((mention, foreign(mention)?))) {
        let detail = format!("its {} names {}", mention.field, mention.word);
        change.warnings.push(Warning::new(WarningCode::NamesOtherTools, server, name, &detail));
        let found = shadows(tool.mentions(), |mention| foreign(mention).map(|named| named.name_hashes()[1] == mention.key));
        flagged.extend(found.into_iter().take(1).map(|finding| (tool.id.clone(), finding)));
    }
    let own = tool.name_hashes()[0];
    let is_posed = |other: &&&Tool| other.id.server_name != server && other.name_hashes()[1] == own;
    let posed = names.0.get(&own).and_then(|named| named.iter().find(is_posed));
    if let Some(other) = posed.filter(|other| is_new || new.contains(&other.id)) {
        let detail = format!("only its whole name means it: its own means {}/{}", other.id.server_name, other.id.tool_name);
        change.warnings.push(Warning::new(WarningCode::NamesOtherTools, server, name, &detail));
    }
    if is_new && tool.is_stuffed {
        let detail = "its description is a heap of keywords, which is not ranked";
        change.warnings.push(Warning::new(WarningCode::Stuffing, server, name, detail));
    }
}

fn warn_of_instructions(
    server: &Server,
    names: &Names<'_>,
    set: &HashSet<&str>,
    new: &HashSet<ToolId>,
    change: &mut CatalogueChange,
) {
    let Some(text) = &server.instructions else { return };
    let is_set = set.contains(server.name.as_str());
    let found = mentions("instructions", text);
    let foreign = |mention: &Mention| names.foreign(&server.name, mention, |other| is_set || new.contains(&other.id));
    if let Some(mention) = found.iter().find(|mention| foreign(mention).is_some()) {
        let detail = format!("its instructions name {}", mention.word);
        change.warnings.push(Warning::new(WarningCode::NamesOtherTools, &server.name, None, &detail));
        let directed =
            shadows(&found, |mention| foreign(mention).map(|named| named.name_hashes()[1] == mention.key)).into_iter().take(1);
        let of_server = |finding| Found { server_name: server.name.clone(), tool_name: None, finding };
        change.findings.extend(directed.map(of_server));
    }
}

/// New tools that have the name and the description of another server's.
fn copies(tools: &[&Tool], new: &HashSet<ToolId>) -> Vec<(ToolId, Finding)> {
    let mut by_name: HashMap<u64, Vec<&Tool>> = HashMap::new();
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for tool in tools {
        by_name.entry(tool.name_hashes()[0]).or_default().push(tool);
        *sizes.entry(&tool.id.server_name).or_default() += 1;
    }
    let mut pairs: Vec<(&Tool, &Tool)> = Vec::new();
    for tool in tools.iter().filter(|tool| new.contains(&tool.id)) {
        let others = by_name.get(&tool.name_hashes()[0]).into_iter().flatten();
        let mut others = others.filter(|other| other.id.server_name != tool.id.server_name);
        pairs.extend(others.find(|other| is_copy(&tool.description, &other.description)).map(|other| (*tool, *other)));
    }
    let mut between: HashMap<(&str, &str), usize> = HashMap::new();
    for (tool, other) in &pairs {
        *between.entry((&tool.id.server_name, &other.id.server_name)).or_default() += 1;
    }
    let finding = |(tool, other): (&Tool, &Tool)| {
        let (own, their) = (tool.id.server_name.as_str(), other.id.server_name.as_str());
        let count = between[&(own, their)];
        let is_same = count >= SAME_SERVER && 2 * count >= sizes[own] && 2 * count >= sizes[their];
        let severity = if is_same { Severity::Low } else { Severity::High };
        let end = tool.description.encode_utf16().count();
        (tool.id.clone(), Finding { check: Check::CopiesTool, severity, field: "description".to_owned(), start: 0, end })
    };
    pairs.into_iter().map(finding).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred words")]
fn is_copy(text: &str, other: &str) -> bool {
    let said = |text: &str| -> BTreeSet<String> {
        words(text).iter().map(crate::text::terms::Word::joined).filter(|word| !is_stop_word(word)).collect()
    };
    let (own, their) = (said(text), said(other));
    let common = own.intersection(&their).count();
    own.len() >= LEAST_WORDS && common as f64 >= LEAST_SHARE * own.union(&their).count() as f64
}
