//! What the workspace of a task says about its servers: whoever works in a clone from GitLab means merge requests of GitLab.
//!
//! It is used once and forgotten: nothing of it is in the session, its state, answers or events.

use std::collections::HashMap;

use crate::index::{InScope, Index};
use crate::query::implied;
use crate::text::terms::{Word, name_key, words};

/// What each signal says: where the code comes from is the surest.
const REMOTE: f64 = 1.0;
const DEPENDENCY: f64 = 0.5;
const FILE: f64 = 0.5;
const LANGUAGE: f64 = 0.3;
const BRANCH: f64 = 0.3;
/// Shorter words are parts of too many names.
const SHORTEST_WORD: usize = 4;
/// The most entries of each list that are read, and bytes of each entry.
const MAX_ENTRIES: usize = 200;
const MAX_BYTES: usize = 512;

/// What a host knows about where a task works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// Addresses of the repository's remotes.
    pub remotes: Vec<String>,
    pub languages: Vec<String>,
    /// Names of packages that it depends on.
    pub dependencies: Vec<String>,
    pub open_files: Vec<String>,
    pub branch: Option<String>,
}

impl Workspace {
    /// How much each server in scope is meant, from 0 to 1, by its place in the index; those that nothing says are left out.
    pub fn servers(&self, index: &Index, scope: &InScope) -> HashMap<usize, f64> {
        let mut said: HashMap<String, f64> = HashMap::new();
        let mut say = |text: &str, weight: f64| {
            let text = &text[..text.floor_char_boundary(MAX_BYTES)];
            for word in words(text).iter().flat_map(|word: &Word| word.pieces.iter().cloned().chain([word.joined()])) {
                let known = said.entry(word).or_default();
                *known = known.max(weight);
            }
        };
        for remote in self.remotes.iter().take(MAX_ENTRIES) {
            say(host(remote), REMOTE);
        }
        let lists = [(&self.dependencies, DEPENDENCY), (&self.open_files, FILE), (&self.languages, LANGUAGE)];
        for (list, weight) in lists {
            list.iter().take(MAX_ENTRIES).for_each(|entry| say(entry, weight));
        }
        let ticket = self.branch.iter().flat_map(|branch| branch.split(['/', '_'])).any(|part| {
            let mut pieces = part.splitn(3, '-');
            let id = format!("{}-{}", pieces.next().unwrap_or(""), pieces.next().unwrap_or(""));
            implied::signals(&id, |_| false).contains(&"ticket")
        });
        let mut servers = HashMap::new();
        for (at, server) in index.servers.iter().enumerate().filter(|(at, _)| scope.has_server(*at)) {
            let key = name_key(&server.name);
            let own: Vec<String> = words(&server.name).into_iter().flat_map(|word| word.pieces).collect();
            let named = |word: &String| word.len() >= SHORTEST_WORD && (*word == key || own.contains(word));
            let named = said.iter().filter(|(word, _)| named(word)).map(|(_, weight)| *weight).fold(0.0, f64::max);
            let mut usable = server.tools.clone().filter(|at| scope.holds(*at));
            let tracks = ticket && usable.any(|at| implied::tracks_issues(index.tools[at].tool.document()));
            let weight = named.max(if tracks { BRANCH } else { 0.0 });
            if weight > 0.0 {
                servers.insert(at, weight);
            }
        }
        servers
    }
}

/// The host of a remote: of an address, or of `git@host:path`.
fn host(remote: &str) -> &str {
    let rest = remote.split_once("://").map_or(remote, |(_, rest)| rest);
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    rest.split(['/', ':']).next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_remote_is_known_in_both_spellings() {
        for remote in
            ["https://gitlab.com/acme/api.git", "git@gitlab.com:acme/api.git", "ssh://git@gitlab.com:22/acme/api", "gitlab.com"]
        {
            assert_eq!(host(remote), "gitlab.com", "{remote}");
        }
        assert_eq!(host(""), "");
    }
}
