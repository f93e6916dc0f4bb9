//! Curation: what callers pass and get, and the methods of `ToolRouter` for it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use super::input::{Input, Reader};
use super::tool_router::ToolRouter;
use super::types::small;
use super::worker::on_worker;
use crate as core;
use crate::curation::{self, CurationKind, MAX_RESCUE};
use crate::error::Result;
use crate::router::{CuratedFunction, ToolRouter as Core};
use crate::settings::MAX_K;

/// Functions of one call: bounded like the tools of a catalogue.
const MAX_FUNCTIONS: usize = 100_000;

/// Changes of a curation over another. Unknown keys are refused.
pub fn curation(input: &Input<'_, '_>, base: curation::Curation) -> Result<curation::Curation> {
    let mut curation = base;
    input.only_keys(&["kind", "k", "rescue"])?;
    if let Some(kind) = input.field("kind", |value| value.one_of(&CurationKind::NAMES))? {
        curation.kind = kind;
    }
    if let Some(k) = input.field("k", |value| value.count(1, MAX_K))? {
        curation.k = k;
    }
    if let Some(rescue) = input.field("rescue", |value| value.texts(MAX_RESCUE))? {
        curation.rescue = rescue;
    }
    Ok(curation)
}

/// A function as OpenAI's API takes it, or with name and description at the top, or a bare name.
fn function(input: &Input<'_, '_>) -> Result<CuratedFunction> {
    if input.is_text() {
        return Ok(CuratedFunction { name: input.name()?, description: None });
    }
    let named = |input: &Input<'_, '_>| {
        let description = input.field("description", |text| text.text())?;
        Ok(CuratedFunction { name: input.required("name", |name| name.name())?, description })
    };
    match input.field("function", |function| named(&function))? {
        Some(function) => Ok(function),
        None => named(input),
    }
}

/// A function that {@link ToolRouter.curate} keeps.
#[napi(object, object_from_js = false)]
pub struct KeptFunction {
    /// Its name.
    pub name: String,
    /// Its place among those given, from 0: `functions[position]` is the one.
    pub position: u32,
    /// Its place by score among the MCP tools, from 1; absent from what is not curated.
    pub rank: Option<u32>,
    /// Its score; absent from what is not curated.
    pub score: Option<f64>,
}

/// An answer of {@link ToolRouter.curate}.
#[napi(object, object_from_js = false)]
pub struct Curated {
    /// What stays, in the order in which it was given.
    pub kept: Vec<KeptFunction>,
    /// Names of MCP tools that are left out of this turn. They are registered as before.
    pub dropped: Vec<String>,
}

impl From<core::router::Curated> for Curated {
    fn from(curated: core::router::Curated) -> Self {
        let kept = |kept: core::router::KeptFunction| KeptFunction {
            name: kept.name,
            position: small(kept.position),
            rank: kept.rank.map(small),
            score: kept.score,
        };
        Self { kept: curated.kept.into_iter().map(kept).collect(), dropped: curated.dropped }
    }
}

/// What {@link ToolRouter.persistUses} found.
#[napi(object, object_from_js = false)]
pub struct UseHistory {
    /// Uses that are remembered now.
    pub use_count: u32,
    /// Why the file was read as empty, or cannot be written.
    pub warning: Option<String>,
}

#[napi]
impl ToolRouter {
    /// Leaves MCP tools that a message does not need out of a list of functions: the best `k` stay, and everything that
    /// is no MCP tool (by the prefix `mcp--` or `mcp__`) stays, all in its place. A tool's score is 10 for each word of
    /// the message, of four characters or more, that stands in its description, 0.5 for each recent use, and 100 for a
    /// rescue tool. Nothing is unregistered: the next message is curated from all of them again.
    ///
    /// @param functions - the functions of a request: MCP tools and the host's own
    /// @param message - the user's message
    /// @param options - what differs from `settings.curation`
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(
        catch_unwind,
        ts_args_type = "functions: CuratedFunction[], message: string, options?: CurateOptions",
        ts_return_type = "Promise<Curated>"
    )]
    pub fn curate<'env>(
        &self,
        env: &'env Env,
        functions: Unknown<'env>,
        message: Unknown<'env>,
        options: Unknown<'env>,
    ) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let functions =
                reader.root(functions, "curate.functions").elements(MAX_FUNCTIONS, |_, element| function(&element))?;
            let message = reader.root(message, "curate.message").text()?;
            let options = reader.root(options, "curate.options");
            let base = self.core.settings().curation.clone();
            let mut uses = None;
            let chosen = if options.is_undefined() {
                base
            } else {
                options.only_keys(&["curation", "recentUses"])?;
                uses = options.field("recentUses", |uses| uses.entries(|count| count.ratio(0.0, 1e9)))?;
                options.field("curation", |value| curation(&value, base.clone()))?.unwrap_or(base)
            };
            let uses = uses.map(|uses| uses.into_iter().collect::<HashMap<String, f64>>());
            Ok(move |core: &Core| Ok(Curated::from(core.curate(&functions, &message, &chosen, uses))))
        })
    }

    /// Reads `settings.curation` from TOML files: `[mcp]`, then `curation = { kind = "top_k", k = 15 }` or
    /// `curation = { kind = "off" }`, and `rescue`, a list of names. A project's file overrides the global one key by
    /// key; what neither says has its default; a file that is not there says nothing. Anything else in the files is
    /// left alone. Open sessions keep their settings.
    ///
    /// @param files - where the files are
    /// @returns the curation now in force
    /// @throws {ToolRouterError} `ERR_CONFIG_INVALID` naming file, line and column; `ERR_INVALID_ARGUMENT`; `ERR_BUSY`;
    /// nothing is changed then
    #[napi(catch_unwind, ts_args_type = "files: CurationFiles", ts_return_type = "Promise<Curation>")]
    pub fn load_curation<'env>(&self, env: &'env Env, files: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let files = reader.root(files, "loadCuration");
            files.only_keys(&["globalPath", "projectPath"])?;
            let global = files.field("globalPath", |file| file.name())?.map(PathBuf::from);
            let project = files.field("projectPath", |file| file.name())?.map(PathBuf::from);
            Ok(move |core: &Core| {
                let files: Vec<&Path> = [&global, &project].into_iter().filter_map(|file| file.as_deref()).collect();
                let curation = core.load_curation(&files)?;
                Ok(serde_json::to_value(curation).unwrap_or_default())
            })
        })
    }

    /// Keeps what {@link ToolRouter.recordUse} remembers in a file, across restarts: the last 500 uses, tool names
    /// alone, written anew and renamed into place with each use. Uses that the file holds count as earlier ones. A
    /// damaged file is read as empty, with a warning. Of two processes with one file the last writer wins.
    ///
    /// @param file - the file, or `null` to keep uses in memory alone
    /// @returns how many uses are remembered now, and a warning
    /// @throws {ToolRouterError} `ERR_INVALID_ARGUMENT`, `ERR_BUSY`
    #[napi(catch_unwind, ts_args_type = "file: string | null", ts_return_type = "Promise<UseHistory>")]
    pub fn persist_uses<'env>(&self, env: &'env Env, file: Unknown<'env>) -> napi::Result<Object<'env>> {
        on_worker(env, || {
            let reader = Reader::new(env)?;
            let file = reader.root(file, "persistUses.file");
            let file = if file.is_null() { None } else { Some(PathBuf::from(file.name()?)) };
            Ok(move |core: &Core| {
                let history = core.persist_uses(file);
                Ok(UseHistory { use_count: small(history.use_count), warning: history.warning })
            })
        })
    }
}
