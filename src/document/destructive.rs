//! Which tools destroy, and what they have in common with tools that do not.

use std::collections::BTreeSet;

use once_cell::sync::Lazy;

use crate::companions::split_name;
use crate::text::terms::stem;

/// Words that destroy, of tools and of requests; written in lower case.
const DESTROYS: [&str; 26] = [
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "erase",
    "wipe",
    "revoke",
    "uninstall",
    "terminate",
    "truncate",
    "discard",
    "trash",
    "prune",
    "nuke",
    "kill",
    "clean",
    "clear",
    "eliminar",
    "borrar",
    "supprimer",
    "loschen",
    "excluir",
    "apagar",
    "eliminare",
    "cancellare",
];
/// Words of tools that change things as everybody asks for: servers say that those may destroy too, and who asks to fix a
/// file wants it edited.
const ORDINARY: [&str; 22] = [
    "update", "edit", "write", "set", "patch", "modify", "change", "replace", "move", "rename", "create", "add", "insert", "put",
    "save", "apply", "push", "merge", "deploy", "execute", "run", "send",
];
static STEMS: Lazy<BTreeSet<String>> = Lazy::new(|| DESTROYS.iter().map(|word| stem(word)).collect());

/// What a tool does to what.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Act {
    /// The stem of its verb, where it destroys.
    pub destroys: Option<String>,
    /// A hash of its server and of the things of its name: equal for siblings. `None` where it names no thing.
    pub thing: Option<u64>,
}

/// Whether a term of a request asks for destruction.
#[must_use]
pub fn asks(term: &str) -> bool {
    STEMS.contains(term)
}

/// Reads a tool's name; `hinted` is what its server says about it.
#[must_use]
pub fn act(server_name: &str, tool_name: &str, hinted: bool) -> Act {
    let (verb, things) = split_name(server_name, tool_name);
    let harms = |verb: &String| STEMS.contains(&stem(verb)) || hinted && !ORDINARY.contains(&verb.as_str());
    let destroys = verb.filter(harms).map(|verb| stem(&verb));
    let hash = |things: &[String]| *blake3::hash(format!("{server_name}\0{}", things.join(" ")).as_bytes()).as_bytes();
    let thing = (!things.is_empty()).then(|| hash(&things).iter().take(8).fold(0, |key, byte| key << 8 | u64::from(*byte)));
    Act { destroys, thing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_destroys_by_its_words_or_because_its_server_says_so() {
        let (delete, get) = (act("git", "delete_branches", false), act("git", "get_branch", false));
        assert_eq!((delete.destroys.as_deref(), get.destroys), (Some("delet"), None));
        assert!(delete.thing.is_some() && delete.thing == get.thing);
        assert!(get.thing != act("git", "get_tag", false).thing && get.thing != act("hub", "get_branch", false).thing);
        assert_eq!(act("git", "delete", false).thing, None);
        assert_eq!(act("git", "reset_branch", true).destroys.as_deref(), Some("reset"));
        assert_eq!(act("files", "edit_file", true).destroys, None);
        assert!(asks("delet") && asks("remov") && !asks("updat"));
    }
}
