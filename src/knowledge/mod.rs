//! What is known of well-known servers: what is usually called before each of their tools, where neither a schema nor a
//! description says so.
//!
//! `npm/model/knowledge` has a file for each server, and comes with the model package; its README.md describes the format.
//! The files are read when the first server is set. Where they are missing, nothing is known, and all else works.

mod file;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use once_cell::sync::OnceCell;

use crate::regular_file;
use crate::text::terms::name_key;
use file::KnownServer;

/// This share of a server's tools must be known.
const LEAST_SHARE: f64 = 0.5;
/// A server that is not called what it is called here has as many tools that are: `search` alone is anybody's.
const FEWEST_UNNAMED: usize = 3;
/// Files that are read, and bytes of each: ten times what there is.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 1024 * 1024;

static FOLDER: OnceCell<PathBuf> = OnceCell::new();
static KNOWLEDGE: OnceCell<Knowledge> = OnceCell::new();

/// Says where the files are. The first word counts.
#[cfg(any(feature = "node", test))]
pub fn set_folder(folder: PathBuf) {
    let _ = FOLDER.set(folder); // another environment has said so before
}

/// What is known in this process.
pub fn knowledge() -> &'static Knowledge {
    #[cfg(test)]
    set_folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/model/knowledge"));
    KNOWLEDGE.get_or_init(|| FOLDER.get().map_or_else(Knowledge::default, |folder| Knowledge::read(folder)))
}

#[derive(Debug, Default)]
pub struct Knowledge {
    servers: Vec<KnownServer>,
    /// Which servers have a tool of a name.
    by_tool: HashMap<String, Vec<usize>>,
}

impl Knowledge {
    /// Reads a folder. What cannot be read is left out: it makes rankings less informed, and no call fail.
    pub fn read(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder.join("servers")).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_text(path)).take(MAX_FILES).collect();
        files.sort_unstable_by(|a, b| a.file_stem().cmp(&b.file_stem()));
        let text = |file: &PathBuf| String::from_utf8(regular_file::read(file, MAX_BYTES).ok()?).ok();
        Self::of(files.iter().filter_map(text).filter_map(|text| file::parse(&text).ok()).collect())
    }

    fn of(servers: Vec<KnownServer>) -> Self {
        let mut by_tool: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, server) in servers.iter().enumerate() {
            for tool in server.tools.keys() {
                by_tool.entry(tool.clone()).or_default().push(at);
            }
        }
        Self { servers, by_tool }
    }

    /// The known server that most of the tools are of; of several, one that is called so, then one with fewer other tools.
    pub fn recognise(&self, server_name: &str, tools: &[&str]) -> Option<&KnownServer> {
        let called = name_key(server_name);
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for at in tools.iter().filter_map(|tool| self.by_tool.get(*tool)).flatten() {
            *counts.entry(*at).or_default() += 1;
        }
        let is_called = |at: usize| self.servers[at].names.iter().any(|name| called.contains(name.as_str()));
        #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
        let is_known = |at: usize, count: usize| {
            count as f64 >= LEAST_SHARE * tools.len() as f64 && (count >= FEWEST_UNNAMED || is_called(at))
        };
        let known = counts.into_iter().filter(|(at, count)| is_known(*at, *count));
        let best =
            known.max_by_key(|(at, count)| (*count, is_called(*at), std::cmp::Reverse((self.servers[*at].tools.len(), *at))));
        best.map(|(at, _)| &self.servers[at])
    }
}

fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised<'k>(knowledge: &'k Knowledge, server: &str, tools: &[&str]) -> Option<&'k [String]> {
        knowledge.recognise(server, tools).map(|server| server.names.as_slice())
    }

    #[test]
    fn every_file_that_comes_with_the_model_is_read_whole() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/model/knowledge");
        let files: Vec<PathBuf> = std::fs::read_dir(folder.join("servers")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() > 100 && files.len() < MAX_FILES / 5);
        for path in &files {
            assert!(is_text(path) && std::fs::metadata(path).unwrap().len() < MAX_BYTES / 5, "{}", path.display());
            let server = file::parse(&std::fs::read_to_string(path).unwrap());
            let server = server.unwrap_or_else(|line| panic!("{}: {line}", path.display()));
            for (tool, first) in &server.tools {
                assert!(first.len() <= 3 && !first.contains(tool), "{}: {tool}", path.display());
                assert!(first.iter().all(|name| server.tools.contains_key(name)), "{}: {tool} {first:?}", path.display());
            }
        }
        let knowledge = Knowledge::read(&folder);
        assert_eq!(knowledge.servers.len(), files.len());
        assert!(knowledge.by_tool.len() > 3_000);
    }

    #[test]
    fn a_server_is_recognised_by_its_tools_whatever_it_is_called() {
        let tools = ["slack_list_channels", "slack_post_message", "slack_get_users", "our_own"];
        assert!(recognised(knowledge(), "chat", &tools).is_some());
        assert_eq!(recognised(knowledge(), "chat", &tools[..2]), None, "two names may be anybody's");
        let strangers = ["slack_list_channels", "slack_post_message", "slack_get_users", "a", "b", "c", "d"];
        assert_eq!(recognised(knowledge(), "slack", &strangers), None, "most of its tools are others");
        assert_eq!(recognised(knowledge(), "", &[]), None);
    }

    #[test]
    fn a_server_of_two_tools_is_recognised_by_the_name_that_users_give_it() {
        for name in ["slack", "my-slack", "Slack (work)"] {
            assert!(recognised(knowledge(), name, &["slack_list_channels", "slack_post_message"]).is_some(), "{name}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_knows_nothing_and_a_broken_file_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Knowledge::read(folder.path()).servers.is_empty());
        let servers = folder.path().join("servers");
        std::fs::create_dir(&servers).unwrap();
        std::fs::create_dir(servers.join("folder.txt")).unwrap();
        std::fs::write(servers.join("broken.txt"), [0xff]).unwrap();
        std::fs::write(servers.join("README.md"), "named: x\n\na\nb\nc\n").unwrap();
        std::fs::write(servers.join("good.txt"), "named: good\nwritten: today\n\na: b\nb\nc\n").unwrap();
        let knowledge = Knowledge::read(folder.path());
        assert_eq!(knowledge.servers.len(), 1);
        assert_eq!(recognised(&knowledge, "x", &["a", "b", "c"]), Some(["good".to_owned()].as_slice()));
    }
}
