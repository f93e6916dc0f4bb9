//! `ToolRouter`: curation of a list of functions of the host.

use std::collections::HashMap;
use std::path::PathBuf;

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::router::ToolRouter;
use crate::binding::answers::curation::{Curated, UseHistory};
use crate::binding::arguments;
use crate::binding::arguments::input::Reader;
use crate::binding::slices::{Later, elements, receive};
use crate::binding::worker::{on_worker, on_worker_or_reader};
use crate::error::Result;
use crate::router::ToolRouter as Core;

/// Functions of one call: bounded like the tools of a catalogue.
const MAX_FUNCTIONS: usize = 100_000;

#[napi]
impl ToolRouter {
    /// Leaves MCP tools that a message does not need out of a list of functions: the best `k` stay, and so does every function
    /// without the prefix `mcp--` or `mcp__`, all in their original order. docs/curation.md has the score, and what another list
    /// for each message costs.
    ///
    /// @param functions - the functions of a request: MCP tools and the host's own
    /// @param message - the user's message
    /// @param options - values that differ from `settings.curation`; recent uses by tool name, instead of recorded ones
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "functions: CuratedFunction[], message: string, options?: { curation?: Curation; recentUses?: Record<string, number> }",
        ts_return_type = "Promise<Curated>"
    )]
    pub fn curate<'env>(
        &self,
        env: &'env Env,
        functions: Unknown<'env>,
        message: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker_or_reader(env, false, || {
            let reader = Reader::new(env)?;
            let later = Later::new();
            let functions = reader.root(functions, "curate.functions");
            let mut functions = elements(&functions, MAX_FUNCTIONS, &later, arguments::curation::function)?;
            let message = reader.root(message, "curate.message").text()?;
            let options = reader.root(options, "curate.options");
            self.core.follow_curation_files();
            let base = self.core.settings().curation.clone();
            options.only_options(&["curation", "recentUses"])?;
            let uses = options.field("recentUses", |uses| uses.entries(|count| count.ratio(0.0, 1e9)))?;
            let mut chosen = base.clone();
            options.set("curation", &mut chosen, |value| arguments::settings::curation(&value, base))?;
            let uses = uses.map(|uses| uses.into_iter().collect::<HashMap<String, f64>>());
            let is_late = later.count() > 0;
            let late = later.begin(env)?;
            let curate = move |core: &Core| {
                functions.extend(receive(late)?.into_iter().collect::<Result<Vec<_>>>()?);
                Ok(Curated::from(core.curate(&functions, &message, &chosen, uses)))
            };
            Ok((is_late, curate))
        })
    }

    /// Reads `settings.curation` from TOML files (docs/curation.md): a project's file overrides the global one key by key, and a
    /// missing file sets nothing. What is edited later holds from the next use; while a file is wrong, what was read before.
    ///
    /// @param files - where the files are; without any, `~/.config/wayland-core/config.toml` and `.wayland-core.toml`
    /// @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "files?: { globalPath?: string; projectPath?: string }",
        ts_return_type = "Promise<Curation>"
    )]
    pub fn load_curation<'env>(&self, env: &'env Env, files: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let files = reader.root(files, "loadCuration");
            files.only_options(&["globalPath", "projectPath"])?;
            let paths = [files.field("globalPath", |file| file.name())?, files.field("projectPath", |file| file.name())?];
            let files: Vec<PathBuf> = paths.into_iter().flatten().map(PathBuf::from).collect();
            Ok(move |core: &Core| {
                let curation = core.load_curation(files)?;
                Ok(serde_json::to_value(curation).unwrap_or_default())
            })
        })
    }

    /// Keeps what {@link ToolRouter.recordUse} remembers in a file, across restarts: the last 500 uses, as tool names only. A
    /// damaged file is read as empty, with a warning. If two processes share a file, the last writer wins.
    ///
    /// @param file - the file, or `null` to keep uses in memory only
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "file: string | null", ts_return_type = "Promise<UseHistory>")]
    pub fn persist_uses<'env>(&self, env: &'env Env, file: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let file = reader.root(file, "persistUses.file");
            let file = if file.is_null() { None } else { Some(PathBuf::from(file.name()?)) };
            Ok(move |core: &Core| Ok(UseHistory::from(core.persist_uses(file)?)))
        })
    }
}
