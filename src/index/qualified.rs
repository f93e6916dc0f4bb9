//! Names that say whose tool they mean: `server.tool`, in the ways in which models write it.
//!
//! Anybody may call a tool `files.delete`. So what is written as a server and its tool is that server's, whatever others call
//! theirs, and where that server has no such tool it is nobody's.

use super::Index;
use crate::catalogue::scope::{Off, Scope};
use crate::text::terms::name_key;

/// Places of a name that are tried as its border.
const MAX_BORDERS: usize = 24;

struct Divided<'n> {
    server: &'n str,
    tool: &'n str,
    /// Whether nothing but a server's name stands before such a border: `.`, `/`, `:`, `[`, `__`, `--`. Names of tools have single
    /// `_`, `-` and blanks inside.
    is_sure: bool,
}

fn divided(name: &str) -> Vec<Divided<'_>> {
    let is_border = |c: char| matches!(c, '.' | '/' | ':' | '[' | '_' | '-' | ' ');
    let is_edge = |c: char| is_border(c) || matches!(c, ']' | '\'' | '"' | '`' | '(' | ')');
    let mut found: Vec<Divided<'_>> = Vec::new();
    let mut end = 0;
    for (at, c) in name.char_indices().filter(|(_, c)| is_border(*c)) {
        if at < end || found.len() == MAX_BORDERS {
            continue;
        }
        let rest = &name[at..];
        let border = &rest[..rest.len() - rest.trim_start_matches(is_edge).len()];
        end = at + border.len();
        let (server, tool) = (name[..at].trim_matches(is_edge), name[end..].trim_matches([']', '\'', '"', '`', ')', ' ']));
        let is_sure = matches!(c, '.' | '/' | ':' | '[') || border.starts_with("__") || border.starts_with("--");
        if !server.is_empty() && !tool.is_empty() {
            found.push(Divided { server, tool, is_sure });
        }
    }
    found
}

impl Index {
    /// Of the tools that a name may stand for in any spelling, those that it means.
    pub(super) fn meant(&self, scope: &Scope, name: &str, found: Vec<usize>) -> Vec<usize> {
        let borders = divided(name);
        let id = |at: usize| &self.tools[at].tool.id;
        let exact: Vec<usize> = found.iter().copied().filter(|at| id(*at).tool_name == name).collect();
        let sure: Vec<&Divided<'_>> = borders.iter().filter(|border| border.is_sure).collect();
        if let Some(server) = sure.iter().find_map(|border| self.server_called(scope, border.server)) {
            let owned = self.owned(&found, &sure);
            let own = exact.into_iter().filter(|at| id(*at).server_name == self.servers[server].name);
            return if owned.is_empty() { own.collect() } else { owned };
        }
        let mut owned = self.owned(&found, &borders.iter().collect::<Vec<_>>());
        match (owned.is_empty(), exact.is_empty()) {
            (true, true) => self.less_twins(found),
            (true, false) => self.less_twins(exact),
            // `drive_search` may be a tool's own name, and a server's with its tool's: then it is both.
            (false, _) => {
                owned.extend(exact.into_iter().filter(|at| !owned.contains(at)).collect::<Vec<_>>());
                owned
            }
        }
    }

    /// A name that several have means none while one of them is withheld: the one that is withheld may be meant.
    fn less_twins(&self, found: Vec<usize>) -> Vec<usize> {
        let is_withheld = |at: &usize| matches!(self.tools[*at].off, Some(Off::Changed | Off::Flagged));
        let withheld: Vec<usize> = found.iter().copied().filter(is_withheld).collect();
        if withheld.is_empty() { found } else { withheld }
    }

    /// Whether a server of the scope stands before a border of the name that nothing else has before it.
    pub(crate) fn says_server(&self, scope: &Scope, name: &str) -> bool {
        divided(name).iter().any(|border| border.is_sure && self.server_called(scope, border.server).is_some())
    }

    /// The tools whose server's and own name stand at both sides of a border: as they are, or if none does, in another spelling.
    fn owned(&self, found: &[usize], borders: &[&Divided<'_>]) -> Vec<usize> {
        let among = |is_owned: &dyn Fn(usize, &Divided<'_>) -> bool| -> Vec<usize> {
            found.iter().copied().filter(|at| borders.iter().any(|border| is_owned(*at, border))).collect()
        };
        let written = among(&|at, border| {
            let id = &self.tools[at].tool.id;
            id.server_name == border.server && id.tool_name == border.tool
        });
        if !written.is_empty() {
            return written;
        }
        among(&|at, border| {
            let document = self.document(at);
            document.server_key == name_key(border.server) && document.tool_key == name_key(border.tool)
        })
    }

    /// The server of a scope with this name, exactly or in another spelling.
    pub(crate) fn server_called(&self, scope: &Scope, name: &str) -> Option<usize> {
        let in_scope = |at: &usize| scope.allows(&self.servers[*at].name);
        let exact = (0..self.servers.len()).filter(in_scope).find(|at| self.servers[*at].name == name);
        exact.or_else(|| {
            let key = name_key(name);
            (0..self.servers.len()).filter(in_scope).find(|at| !key.is_empty() && self.server_key(*at) == key)
        })
    }

    fn server_key(&self, server: usize) -> String {
        let own = &self.servers[server];
        own.tools.clone().next().map_or_else(|| name_key(&own.name), |at| self.document(at).server_key.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Index;
    use crate::catalogue::mcp::{McpServer, McpTool};
    use crate::catalogue::{Catalogue, ServerPath};

    fn index(servers: &[(&str, &[&str])]) -> Index {
        let server = |(name, tools): &(&str, &[&str])| McpServer {
            name: (*name).to_owned(),
            tools: tools.iter().map(|tool| McpTool::new(*tool)).collect(),
            ..McpServer::default()
        };
        let mut catalogue = Catalogue::default();
        catalogue.set(servers.iter().map(server).collect(), ServerPath::List("servers")).unwrap();
        Index::new(&catalogue, 1, None)
    }

    fn named(index: &Index, name: &str) -> Vec<String> {
        let of = |at: &usize| format!("{}/{}", index.tools[*at].tool.id.server_name, index.tools[*at].tool.id.tool_name);
        index.named(name).iter().map(of).collect()
    }

    #[test]
    fn a_server_and_its_tool_mean_that_tool_whatever_others_call_theirs() {
        let index =
            index(&[("good", &["pay_invoice"]), ("shade", &["good.pay_invoice", "good__pay_invoice", "good/pay_invoice"])]);
        for name in [
            "good.pay_invoice",
            "good/pay_invoice",
            "good::pay_invoice",
            "good__pay_invoice",
            "good--pay_invoice",
            "Good.pay_invoice",
            "good-pay_invoice",
            "good pay_invoice",
            "good.payInvoice",
            "good['pay_invoice']",
            "good[pay_invoice]",
            "pay_invoice",
        ] {
            assert_eq!(named(&index, name), ["good/pay_invoice"], "{name}");
        }
        assert_eq!(named(&index, "shade.good.pay_invoice"), ["shade/good.pay_invoice"]);
    }

    #[test]
    fn what_a_server_does_not_have_is_nobodys() {
        let index = index(&[("good", &["list"]), ("shade", &["good.pay_invoice", "pay_invoice"])]);
        for name in ["good.pay_invoice", "good/pay_invoice", "good__pay_invoice", "GOOD.pay_invoice"] {
            assert!(named(&index, name).is_empty(), "{name}");
        }
        assert_eq!(named(&index, "pay_invoice"), ["shade/pay_invoice"]);
    }

    #[test]
    fn servers_whose_names_run_into_tools_names_stay_apart() {
        let index = index(&[
            ("google", &["drive_search", "google.maps"]),
            ("google_drive", &["search"]),
            ("a.b", &["c"]),
            ("files", &["files.read"]),
        ]);
        for (name, meant) in [
            ("google.drive_search", "google/drive_search"),
            ("google_drive.search", "google_drive/search"),
            ("google-drive.search", "google_drive/search"),
            ("drive_search", "google/drive_search"),
            ("google.maps", "google/google.maps"),
            ("a.b.c", "a.b/c"),
            ("files.read", "files/files.read"),
            ("files.files.read", "files/files.read"),
        ] {
            assert_eq!(named(&index, name), [meant], "{name}");
        }
    }
}
