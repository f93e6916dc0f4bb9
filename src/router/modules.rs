//! Modules of large servers.

use super::facade::ToolRouter;
use crate::catalogue::scope::{Scope, ServerScope};
use crate::error::{Error, Result};
use crate::session::modules::{ModuleView, modules_of};

impl ToolRouter {
    /// The modules of all servers, or of some, by name. A server of few tools has none.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a server that is not set.
    pub fn modules(&self, servers: Option<&[ServerScope]>) -> Result<Vec<ModuleView>> {
        let index = self.index();
        let Some(servers) = servers else {
            return Ok((0..index.servers.len()).flat_map(|at| modules_of(&index, &Scope::All, at)).collect());
        };
        let scope = Scope::Only(servers.iter().cloned().collect());
        let mut found = Vec::new();
        for (place, ServerScope::Whole(name) | ServerScope::Part { name, .. }) in servers.iter().enumerate() {
            let Some(at) = index.servers.iter().position(|server| server.name == *name) else {
                let path = format!("listModules.servers[{place}]");
                return Err(Error::invalid(path, "the name of a server that is set", format!("{name:?}")));
            };
            found.extend(modules_of(&index, &scope, at));
        }
        Ok(found)
    }
}
