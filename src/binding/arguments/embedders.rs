//! Options of the two kinds of embedder: the local model and a function of the host's.

use std::path::PathBuf;
use std::time::Duration;

use super::input::Input;
use crate::binding::assets;
use crate::binding::host_embedder::HostOptions;
use crate::embedding::named::{self, NamedModel};
use crate::embedding::onnx::OnnxOptions;
use crate::error::{Error, Result};

/// A model by its name.
pub fn named_model(name: &str) -> Result<NamedModel> {
    named::find(name).ok_or_else(|| Error::invalid("loadModel.model", format!("one of {}", named::names().join(", ")), name))
}

/// Where a model is, and where its vectors are kept.
pub fn model_options(input: &Input<'_, '_>) -> Result<(OnnxOptions, Option<PathBuf>)> {
    let (model_dir, runtime_path, runtime_pin) = (assets::model_folder(), assets::runtime_file(), assets::runtime_pin());
    let mut options = OnnxOptions { model_dir, runtime_path, runtime_pin, threads: 1, named: None };
    let mut cache_folder = assets::cache_folder();
    if !input.is_undefined() {
        let places = ["model", "download", "modelCacheDir", "modelDir", "runtimePath", "cacheDir"];
        input.only_keys(&[places.as_slice(), &["threads", "signal"]].concat())?;
        options.named = input.field("model", |value| named_model(&value.text()?))?;
        if let Some(folder) = input.field("modelDir", |value| value.name())? {
            options.model_dir = folder.into();
        }
        if let Some(file) = input.field("runtimePath", |value| value.name())? {
            options.runtime_path = file.into();
            options.runtime_pin = None;
        }
        if let Some(threads) = input.field("threads", |value| value.count(1, 64))? {
            options.threads = threads;
        }
        let cache = input.field("cacheDir", |value| {
            if value.is_boolean() && !value.boolean()? {
                return Ok(None);
            }
            if value.is_text() {
                value.name().map(|folder| Some(PathBuf::from(folder)))
            } else {
                Err(value.wrong("a folder or false"))
            }
        })?;
        if let Some(cache) = cache {
            cache_folder = cache;
        }
    }
    Ok((options, cache_folder))
}

/// How a function of the host's is called, and where its vectors are kept.
pub fn embedder_options(input: &Input<'_, '_>) -> Result<(HostOptions, Option<PathBuf>)> {
    let mut options = HostOptions { model_id: None, batch_size: 32, timeout: Duration::from_secs(30) };
    let mut cache_folder = None;
    if !input.is_undefined() {
        input.only_keys(&["modelId", "cacheDir", "batchSize", "timeoutMs", "signal"])?;
        options.model_id = input.field("modelId", |value| value.name())?;
        cache_folder = input.field("cacheDir", |value| value.name())?.map(PathBuf::from);
        if cache_folder.is_some() && options.model_id.is_none() {
            return Err(Error::invalid("setEmbedder.options.modelId", "a name, because cacheDir is given", "undefined"));
        }
        if let Some(size) = input.field("batchSize", |value| value.count(1, 1_000))? {
            options.batch_size = size;
        }
        if let Some(timeout) = input.field("timeoutMs", |value| value.count(1, 600_000))? {
            options.timeout = Duration::from_millis(u64::try_from(timeout).unwrap_or(u64::MAX));
        }
    }
    Ok((options, cache_folder))
}
