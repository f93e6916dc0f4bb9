//! Which tools destroy, and what they have in common with tools that do not.

use crate::text::names::{Mark, split_name, verbs};
use crate::text::terms::stem;

/// What a tool does to what.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Act {
    /// The stem of its verb, where it destroys.
    pub destroys: Option<String>,
    /// A hash of its server and of the things of its name: equal for siblings. `None` where it names no thing.
    pub thing: Option<u64>,
}

/// Whether a term of a request asks for destruction.
pub fn asks(term: &str) -> bool {
    verbs::destroys(term)
}

/// Reads a tool's name; `hinted` is what its server says about it.
pub fn act(server_name: &str, tool_name: &str, hinted: bool) -> Act {
    let (verb, things) = split_name(server_name, tool_name);
    let harms = |verb: &String| verbs::destroys(&stem(verb)) || hinted && !verbs::is(Mark::Ordinary, verb);
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
