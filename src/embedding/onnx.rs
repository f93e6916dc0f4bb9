//! The local model: `fastembed` over ONNX Runtime, which is loaded from a file at run time.

use std::fs;
use std::path::{Path, PathBuf};

use fastembed::{InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use once_cell::sync::OnceCell;
use serde::Deserialize;

use super::Embedder;
use crate::error::{Error, ErrorKind, Result};

/// What `model.json` in a model folder says. Every field has the default of all-MiniLM-L6-v2.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Manifest {
    name: String,
    dimensions: Option<usize>,
    max_tokens: usize,
    pooling: String,
    pad_token: String,
    /// Sizes of files, so that a truncated one is told before it is parsed.
    model_bytes: Option<u64>,
    tokenizer_bytes: Option<u64>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            name: "unnamed".into(),
            dimensions: None,
            max_tokens: 256,
            pooling: "mean".into(),
            pad_token: "[PAD]".into(),
            model_bytes: None,
            tokenizer_bytes: None,
        }
    }
}

/// Where the model and its runtime are, and how to run them.
#[derive(Debug, Clone)]
pub struct OnnxOptions {
    /// Folder with `model.onnx`, `tokenizer.json` and optionally `model.json`.
    pub model_dir: PathBuf,
    /// The ONNX Runtime library. Ignored once a runtime is loaded in this process.
    pub runtime_path: PathBuf,
    /// Threads of one embedding. 1 leaves the machine to the editor.
    pub threads: usize,
}

/// See the module.
pub struct OnnxEmbedder {
    id: String,
    dimensions: usize,
    model: TextEmbedding,
}

static ENVIRONMENT: OnceCell<ort::environment::Environment> = OnceCell::new();

impl OnnxEmbedder {
    /// Loads the runtime, once a process, and the model. Takes about a second.
    ///
    /// # Errors
    ///
    /// `ERR_RUNTIME_NOT_FOUND`, `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`.
    pub fn load(options: &OnnxOptions) -> Result<Self> {
        let folder = &options.model_dir;
        let invalid = |detail: String| Error::from(ErrorKind::ModelInvalid { path: folder.display().to_string(), detail });
        let manifest = read_manifest(folder)?;
        let model_file = read(folder, "model.onnx", manifest.model_bytes)?;
        let tokenizer_file = read(folder, "tokenizer.json", manifest.tokenizer_bytes)?;
        let pooling = match manifest.pooling.as_str() {
            "mean" => Pooling::Mean,
            "cls" => Pooling::Cls,
            other => return Err(invalid(format!("model.json pooling: expected \"mean\" or \"cls\", got {other:?}"))),
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&model_file).update(&tokenizer_file).update(manifest.pooling.as_bytes());
        hasher.update(&manifest.max_tokens.to_le_bytes());
        let id = format!("{}-{}", manifest.name, &hasher.finalize().to_hex()[..16]);

        let environment = environment(&options.runtime_path)?;
        let pad_token = &manifest.pad_token;
        let files = TokenizerFiles {
            tokenizer_file,
            config_file: b"{}".to_vec(),
            special_tokens_map_file: b"{}".to_vec(),
            tokenizer_config_file: serde_json::json!({ "model_max_length": manifest.max_tokens, "pad_token": pad_token })
                .to_string()
                .into_bytes(),
        };
        let model = UserDefinedEmbeddingModel::new(model_file, files).with_pooling(pooling);
        let settings = InitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(manifest.max_tokens)
            .with_intra_threads(options.threads);
        let mut model = TextEmbedding::try_new_from_user_defined(model, settings).map_err(|error| invalid(error.to_string()))?;
        let probe = model.embed(["probe"], Some(1)).map_err(|error| invalid(error.to_string()))?;
        let dimensions = probe.first().map_or(0, Vec::len);
        if let Some(expected) = manifest.dimensions
            && expected != dimensions
        {
            return Err(invalid(format!("model.json says {expected} dimensions, the model gives {dimensions}")));
        }
        Ok(Self { id, dimensions, model })
    }
}

impl Embedder for OnnxEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        // One text a run: the vectors of a quantised model depend on their neighbours.
        self.model.embed(texts, Some(1)).map_err(|error| ErrorKind::EmbeddingFailed { detail: error.to_string() }.into())
    }
}

fn read_manifest(folder: &Path) -> Result<Manifest> {
    let file = folder.join("model.json");
    match fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
            ErrorKind::ModelInvalid { path: folder.display().to_string(), detail: format!("model.json: {error}") }.into()
        }),
        Err(_) => Ok(Manifest::default()),
    }
}

fn read(folder: &Path, name: &str, expected_bytes: Option<u64>) -> Result<Vec<u8>> {
    let file = folder.join(name);
    let bytes = fs::read(&file).map_err(|_| Error::from(ErrorKind::ModelNotFound { path: file.display().to_string() }))?;
    match expected_bytes {
        Some(expected) if expected != bytes.len() as u64 => Err(ErrorKind::ModelInvalid {
            path: folder.display().to_string(),
            detail: format!("{name}: expected {expected} bytes, got {}", bytes.len()),
        }
        .into()),
        _ => Ok(bytes),
    }
}

fn environment(library: &Path) -> Result<ort::environment::Environment> {
    let not_found = |detail: String| Error::from(ErrorKind::RuntimeNotFound { path: library.display().to_string(), detail });
    ENVIRONMENT
        .get_or_try_init(|| {
            if !library.is_file() {
                return Err(not_found("no such file".into()));
            }
            let builder = ort::init_from(library).map_err(|error| not_found(error.to_string()))?;
            builder.with_telemetry(false).build().map_err(|error| not_found(error.to_string()))
        })
        .cloned()
}
