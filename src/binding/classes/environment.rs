//! What the loader calls: where the assets are, and when an environment begins and ends.

use std::path::Path;
use std::thread::Builder;

use napi::Env;
use napi::bindgen_prelude::{External, Object, Unknown};
use napi_derive::napi;
use serde_json::json;

use crate::binding::arguments::input::Reader;
use crate::binding::cancellation::Call;
use crate::binding::error::sync;
use crate::binding::exit::ends_with;
use crate::binding::worker::{READY, enter, leave, on_worker, on_worker_later, wait_on};
use crate::binding::{arguments, assets, helpers};
use crate::embedding::named::NamedModel;
use crate::error::Result;
use crate::evidence::prototypes::vectors as prototypes;
use crate::knowledge;
use crate::router::ToolRouter as Core;
use crate::settings::{ROWS, Range, Row, Settings};

/// Tells where the runtime and the model are, and lends functions. Called by the loader alone, once an environment.
#[napi(catch_unwind, skip_typescript, js_name = "__setAssetFolders")]
pub fn set_asset_folders(
    env: &Env,
    runtime: Option<String>,
    model: Option<String>,
    lent: Option<Object<'_>>,
) -> napi::Result<()> {
    if let Some(model) = &model {
        knowledge::set_folder(Path::new(model).join("knowledge"));
        prototypes::set_folder(Path::new(model).to_path_buf());
    }
    assets::set(runtime, model);
    if let Some(lent) = lent {
        helpers::keep(&lent)?;
    }
    enter(env)
}

/// Says that this environment ends, and with which code the process does. Called by the loader alone.
#[napi(catch_unwind, skip_typescript, js_name = "__leave")]
pub fn leave_environment(code: Option<i32>) {
    ends_with(code);
    leave();
}

/// What the loader cancels a call with, when the signal of its caller is aborted. Not passed on by the loader.
#[napi(catch_unwind, skip_typescript, js_name = "__call")]
pub fn new_call() -> External<Call> {
    External::new(Call::default())
}

/// Cancels a call. False when it has taken effect already. Not passed on by the loader.
#[napi(catch_unwind, skip_typescript, js_name = "__cancel")]
pub fn cancel(call: &External<Call>) -> bool {
    call.cancel()
}

/// The files of a model by its name, as JSON text, and where they are kept. Called by the loader alone.
#[napi(catch_unwind, skip_typescript, js_name = "__namedModel")]
pub fn named_model(env: &Env, name: Unknown<'_>) -> napi::Result<String> {
    sync(env, || {
        let reader = Reader::new(env)?;
        let NamedModel { name, repository, model_file, .. } =
            arguments::embedders::named_model(&reader.root(name, "loadModel.model").text()?)?;
        let folder = assets::cache_folder().map(|folder| folder.join("models"));
        Ok(json!({ "name": name, "repository": repository, "files": [model_file, "tokenizer.json"], "folder": folder })
            .to_string())
    })
}

/// Panics on the worker: tests use it to see what a defect of the router looks like. The loader does not export it.
#[napi(catch_unwind, skip_typescript, js_name = "__panic")]
pub fn panic_for_test(env: &Env) -> napi::Result<Object<'_>> {
    on_worker(env, || Ok(|_: &Core| -> Result<()> { panic!("asked for by a test") }))
}

/// Waits on a thread that needs more memory than there is: the test of what happens when none can be started. Not passed
/// on by the loader.
#[napi(catch_unwind, skip_typescript, js_name = "__waitWithoutThread")]
pub fn wait_without_thread_for_test(env: &Env) -> napi::Result<Object<'_>> {
    let too_large = || Builder::new().stack_size(usize::MAX / 4);
    on_worker_later(env, || Ok(()), move |_, (), promise| wait_on(too_large(), &READY, promise, || || Ok(())))
}

/// The rows of the settings as JSON text. Called by `scripts/generate.mjs`, which writes `index.d.ts`; not passed on by
/// the loader.
#[napi(catch_unwind, skip_typescript, js_name = "__settingRows")]
pub fn setting_rows() -> String {
    let defaults = serde_json::to_value(Settings::default()).unwrap_or_default();
    let row = |row: &Row| {
        let (kind, range) = match row.range {
            Range::Count { least, most } => ("number", Some((json!(least), json!(most)))),
            Range::Other(kind) => (kind, None),
        };
        json!({ "name": row.name, "type": kind, "range": range, "default": defaults.get(row.name), "says": row.says })
    };
    serde_json::Value::from(ROWS.iter().map(row).collect::<Vec<_>>()).to_string()
}
