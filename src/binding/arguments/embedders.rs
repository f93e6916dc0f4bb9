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
    let places = ["model", "download", "modelCacheDir", "modelDir", "runtimePath", "cacheDir"];
    input.only_options(&[places.as_slice(), &["threads", "signal"]].concat())?;
    options.named = input.field("model", |value| named_model(&value.text()?))?;
    input.set("modelDir", &mut options.model_dir, |value| value.name().map(PathBuf::from))?;
    if let Some(file) = input.field("runtimePath", |value| value.name())? {
        options.runtime_path = file.into();
        options.runtime_pin = None;
    }
    input.set("threads", &mut options.threads, |value| value.count(1, 64))?;
    input.set("cacheDir", &mut cache_folder, |value| {
        if value.is_boolean() && !value.boolean()? {
            return Ok(None);
        }
        if value.is_text() { value.name().map(|folder| Some(folder.into())) } else { Err(value.wrong("a folder or false")) }
    })?;
    Ok((options, cache_folder))
}

/// How a function of the host's is called, and where its vectors are kept.
pub fn embedder_options(input: &Input<'_, '_>) -> Result<(HostOptions, Option<PathBuf>)> {
    let mut options = HostOptions { model_id: None, batch_size: 32, timeout: Duration::from_secs(30) };
    input.only_options(&["modelId", "cacheDir", "batchSize", "timeoutMs", "signal"])?;
    options.model_id = input.field("modelId", |value| value.name())?;
    let cache_folder = input.field("cacheDir", |value| value.name())?.map(PathBuf::from);
    if cache_folder.is_some() && options.model_id.is_none() {
        return Err(Error::invalid("setEmbedder.options.modelId", "a name, because cacheDir is given", "undefined"));
    }
    input.set("batchSize", &mut options.batch_size, |value| value.count(1, 1_000))?;
    input.set("timeoutMs", &mut options.timeout, |value| value.milliseconds(1, 600_000))?;
    Ok((options, cache_folder))
}
