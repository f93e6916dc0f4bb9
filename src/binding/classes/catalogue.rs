//! `ToolRouter`: the servers and their tools.

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::catalogue::CatalogueChange;
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::arguments::servers::LateTool;
use crate::binding::slices::{Later, receive};
use crate::binding::worker::{give_back_after, on_catalogue};
use crate::catalogue::ServerPath;
use crate::catalogue::change::CatalogueChange as Change;
use crate::catalogue::mcp::McpServer;
use crate::error::Result;
use crate::router::ToolRouter as Core;

#[napi]
impl ToolRouter {
    /// Sets a server, and replaces the one of the same name and source. Call it when a server connects, reconnects, or
    /// announces `list_changed`. Unchanged tools keep their terms, vectors and token counts; a tool that cannot be used is refused
    /// alone. Costs 0.2 ms per tool, off the JavaScript thread. Do not change schemas until the promise settles.
    ///
    /// @param server - the server with what `tools/list` returned
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed then
    #[napi(catch_unwind, ts_args_type = "server: McpServer", ts_return_type = "Promise<CatalogueChange>")]
    pub fn set_server<'env>(&self, env: &'env Env, server: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_catalogue(env, || {
            let reader = Reader::new(env)?;
            let later = Later::new();
            let servers = vec![arguments::servers::server(&reader.root(server, "setServer"), 0, Some(&later))?];
            set(env, servers, later, false, ServerPath::One("setServer"))
        })
    }

    /// Sets several servers in one call: all of them, or none if one cannot be read.
    ///
    /// @param servers - each name at most once per source
    /// @param options - `replace` removes every other server
    /// @returns what was added, changed, removed and refused
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`; nothing is changed in that case
    /// @internal
    #[napi(
        catch_unwind,
        ts_args_type = "servers: McpServer[], options?: { replace?: boolean }",
        ts_return_type = "Promise<CatalogueChange>"
    )]
    pub fn set_servers<'env>(
        &self,
        env: &'env Env,
        servers: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_catalogue(env, || {
            let reader = Reader::new(env)?;
            let options = reader.root(options, "setServers.options");
            options.only_options(&["replace"])?;
            let replace = options.field("replace", |replace| replace.boolean())?.unwrap_or(false);
            let later = Later::new();
            let servers = arguments::servers::servers(&reader.root(servers, "setServers"), &later)?;
            set(env, servers, later, replace, ServerPath::List("setServers"))
        })
    }

    /// Removes a server, if it is there. Sessions keep the places of its tools and stop rendering them.
    ///
    /// @param name - the server's name
    /// @param source - only the project's server or only the global one; both if left out
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "name: string, source?: ServerSource", ts_return_type = "Promise<CatalogueChange>")]
    pub fn remove_server<'env>(&self, env: &'env Env, name: Unknown<'env>, source: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_catalogue(env, || {
            let reader = Reader::new(env)?;
            let name = reader.root(name, "removeServer.name").name()?;
            let source = arguments::servers::source(&reader.root(source, "removeServer.source"))?;
            Ok((0, move |core: &Core| Ok(changed(core, core.remove_server(&name, source)))))
        })
    }
}

/// How many tools are set, and what sets them once all of them are read.
fn set<'env>(
    env: &'env Env,
    mut servers: Vec<McpServer>,
    later: Later<'env, LateTool>,
    replace: bool,
    path: ServerPath<'static>,
) -> Result<(usize, impl FnOnce(&Core) -> Result<CatalogueChange> + Send + use<>)> {
    let tools = servers.iter().map(|server| server.tools.len()).sum::<usize>() + later.count();
    let late = later.begin(env)?;
    let set = move |core: &Core| {
        arguments::servers::fill_in(&mut servers, receive(late)?)?;
        Ok(changed(core, core.set_servers(servers, replace, path)?))
    };
    Ok((tools, set))
}

fn changed(core: &Core, change: Change) -> CatalogueChange {
    give_back_after(core, change.removed.len());
    change.into()
}
