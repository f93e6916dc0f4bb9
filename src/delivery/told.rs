//! The delivery `call`: what the model is told of tools as text.

use super::answer::LoadAnswer;
use super::fixed;
use super::request::{ServerNews, Usable};
use super::track::{Declared, Track};

impl Track {
    /// `call`: says as text what is new, back or gone.
    pub(super) fn tell(&mut self, usable: &[Usable], servers: &ServerNews) -> Vec<String> {
        let mut gone: Vec<String> = Vec::new();
        for declared in &mut self.declared {
            if declared.offered && !usable.iter().any(|tool| tool.id == declared.id) {
                declared.offered = false;
                if !servers.covers(&declared.id) {
                    gone.push(declared.name.clone());
                }
            }
        }
        let mut back: Vec<String> = Vec::new();
        let mut new = Vec::new();
        for tool in usable {
            let known = self.find(&tool.id).map(|known| {
                let offered = std::mem::replace(&mut known.offered, true);
                (offered, known.told == Some(tool.hash()))
            });
            match known {
                Some((true, true)) => {}
                Some((false, true)) => back.push(tool.name.clone()),
                _ => new.push(self.tell_one(tool)),
            }
        }
        fixed::news(&new, &back, &gone, self.pair.names)
    }

    /// The definition of a tool as text, which the model knows from now on.
    pub(super) fn tell_one(&mut self, usable: &Usable) -> String {
        let mut declared = Declared::of(usable, true);
        (declared.offered, declared.named, declared.told) = (true, true, declared.hash());
        let line = fixed::line(declared.definition(None));
        self.declared.retain(|known| known.id != usable.id);
        self.listed.retain(|id| *id != usable.id);
        self.declared.push(declared);
        line
    }

    /// The answer to a call of `mcp_load` where tools are called by text: found tools by their signatures, those that were
    /// asked for by name by their definitions, also where the model knows the signature already.
    pub(super) fn as_text(&mut self, result: &LoadAnswer, tools: &[&Usable]) -> String {
        let (mut new, mut known) = self.untold(tools);
        if result.evidence.is_none() {
            new.extend(
                tools.iter().copied().filter(|tool| known.contains(&tool.name.as_str()) && self.listed.contains(&tool.id)),
            );
            known.retain(|name| !new.iter().any(|tool| tool.name == *name));
        }
        let (mut signed, mut defined) = (Vec::new(), Vec::new());
        for tool in new {
            let loaded = result.loaded.iter().find(|loaded| loaded.name == tool.name);
            let definition = self.tell_one(tool);
            match loaded.and_then(|loaded| loaded.signature.clone()) {
                Some(signature) => {
                    self.listed.push(tool.id.clone());
                    signed.push(signature);
                }
                None => defined.push(definition),
            }
        }
        let mut parts = fixed::news(&defined, &[], &[], self.pair.names);
        parts.extend(fixed::signed(&signed, self.pair.names));
        parts.extend(result.notes(&known, self.pair));
        parts.join("\n\n")
    }
}
