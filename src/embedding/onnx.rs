//! The local model: `fastembed` over ONNX Runtime, which is loaded from a file at run time.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fastembed::{InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use once_cell::sync::OnceCell;
use ort::logging::LogLevel;
use serde::Deserialize;

use super::named::NamedModel;
use super::runtime_library::{self, Pinned};
use super::shipped::{Shipped, ShippedVectors};
use super::{Batch, Embedder};
use crate::ablation;
use crate::error::{Error, ErrorKind, Result};
use crate::regular_file;

/// The largest `model.json`: ours has 300 bytes.
const MAX_MANIFEST_BYTES: u64 = 64 * 1024;
/// The largest file of a model: thirty times ours. It is read whole into memory.
const MAX_MODEL_BYTES: u64 = 1024 * 1024 * 1024;

/// What `model.json` in a model folder says. Every field has the default of all-MiniLM-L6-v2.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Manifest {
    name: String,
    /// What its vectors are kept under, of a model that gives the same ones as another; by default its name and a hash of it.
    id: Option<String>,
    dimensions: Option<usize>,
    max_tokens: usize,
    pooling: String,
    pad_token: String,
    /// Sizes of files, so that a truncated one is told before it is parsed.
    model_bytes: Option<u64>,
    tokenizer_bytes: Option<u64>,
    /// SHA-256 of files, in hexadecimal digits: a flipped bit gives other vectors, and no error.
    model_sha256: Option<String>,
    tokenizer_sha256: Option<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            name: "unnamed".into(),
            id: None,
            dimensions: None,
            max_tokens: 256,
            pooling: "mean".into(),
            pad_token: "[PAD]".into(),
            model_bytes: None,
            tokenizer_bytes: None,
            model_sha256: None,
            tokenizer_sha256: None,
        }
    }
}

impl From<&NamedModel> for Manifest {
    fn from(model: &NamedModel) -> Self {
        let pooling = if matches!(model.pooling, Pooling::Cls) { "cls" } else { "mean" };
        Self { name: model.name.clone(), dimensions: Some(model.dimensions), pooling: pooling.into(), ..Self::default() }
    }
}

/// Where the model and its runtime are, and how to run them.
#[derive(Debug, Clone)]
pub struct OnnxOptions {
    /// Folder with `model.onnx`, `tokenizer.json` and optionally `model.json`.
    pub model_dir: PathBuf,
    /// The ONNX Runtime library. Ignored once a runtime is loaded in this process.
    pub runtime_path: PathBuf,
    /// What the library is, when it is ours; one of the host's is checked by its structure.
    pub runtime_pin: Option<Pinned>,
    /// Threads of one embedding. 1 leaves the machine to the editor.
    pub threads: usize,
    /// The model that the folder holds, when it is one of `fastembed`'s: `model.json` is not read then.
    pub named: Option<NamedModel>,
}

/// See the module.
pub struct OnnxEmbedder {
    id: String,
    dimensions: usize,
    model: TextEmbedding,
    /// Whether a vector is the mean of its tokens': only then parts have vectors.
    mean: bool,
    prefix: &'static str,
    batch: Batch,
    /// The vectors beside the model, until they are taken.
    shipped: Option<Shipped>,
}

/// The largest batch, in bytes with padding: as many tokens as the longest text has, so that a query never waits for more
/// than for such a text. 1.24 times as fast as one text a run on two cores without VNNI; four times as many bytes gave 1.04.
const BATCH_BYTES: usize = 1024;
/// Names of tools are the shortest texts, of about 40 bytes.
const BATCH_TEXTS: usize = 16;
/// Texts of different lengths, by which a model shows whether a vector depends on its neighbours. With weights of 8 bits
/// and activations that are quantised by batch they differ by more than 1 %.
const PROBES: [&str; 2] = ["search the issues of a repository by label, author and state", "probe"];
/// How far numbers of a unit vector may differ: rounding of 32 bits, at most.
const MOST_ROUNDING: f32 = 1e-5;

/// How far a part's vector is moved away from the whole's: tokens carry their neighbours' meaning,
/// and without it every part says much of what the whole says. 1 to 2 are alike, 0 finds 0.2
/// points fewer complete answers.
const SHARPENING: f32 = 1.5;

static ENVIRONMENT: OnceCell<ort::environment::Environment> = OnceCell::new();

impl OnnxEmbedder {
    /// Loads the runtime, once per process, and the model. Takes about a second.
    ///
    /// # Errors
    ///
    /// `ERR_RUNTIME_NOT_FOUND`, `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`.
    pub fn load(options: &OnnxOptions) -> Result<Self> {
        let folder = &options.model_dir;
        let invalid = |detail: String| invalid(folder, detail);
        let named = options.named.as_ref();
        let manifest = named.map_or_else(|| read_manifest(folder), |named| Ok(named.into()))?;
        let model_name = named.map_or("model.onnx", |named| &named.model_file);
        let model_file = read(folder, model_name, manifest.model_bytes, manifest.model_sha256.as_deref())?;
        let tokenizer_file = read(folder, "tokenizer.json", manifest.tokenizer_bytes, manifest.tokenizer_sha256.as_deref())?;
        let pooling = match manifest.pooling.as_str() {
            "mean" => Pooling::Mean,
            "cls" => Pooling::Cls,
            other => return Err(invalid(format!("model.json pooling: expected \"mean\" or \"cls\", got {other:?}"))),
        };
        let own_id = || {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&model_file).update(&tokenizer_file).update(manifest.pooling.as_bytes());
            hasher.update(&manifest.max_tokens.to_le_bytes());
            format!("{}-{}", manifest.name, &hasher.finalize().to_hex()[..16])
        };
        let id = manifest.id.clone().unwrap_or_else(own_id);

        let environment = environment(&options.runtime_path, options.runtime_pin.as_ref())?;
        let pad_token = &manifest.pad_token;
        let files = TokenizerFiles {
            tokenizer_file,
            config_file: b"{}".to_vec(),
            special_tokens_map_file: b"{}".to_vec(),
            tokenizer_config_file: serde_json::json!({ "model_max_length": manifest.max_tokens, "pad_token": pad_token })
                .to_string()
                .into_bytes(),
        };
        let prefix = named.map_or("", |named| named.prefix);
        // Parts of a text have their places in it, which a prefix would move.
        let mean = matches!(pooling, Pooling::Mean) && prefix.is_empty();
        let model = UserDefinedEmbeddingModel::new(model_file, files).with_pooling(pooling);
        let settings = InitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(manifest.max_tokens)
            // Without an arena, which keeps what the longest text needed, and buys no time.
            .with_execution_providers(vec![ort::ep::CPU::default().with_arena_allocator(false).build()])
            .with_intra_threads(options.threads);
        let mut model = TextEmbedding::try_new_from_user_defined(model, settings).map_err(|error| invalid(error.to_string()))?;
        let alone = model.embed(PROBES, Some(1)).map_err(|error| invalid(error.to_string()))?;
        let dimensions = alone.first().map_or(0, Vec::len);
        if let Some(expected) = manifest.dimensions
            && expected != dimensions
        {
            return Err(invalid(format!("model.json says {expected} dimensions, the model gives {dimensions}")));
        }
        // A model that refuses a batch gets one text a run too.
        let is_free = model.embed(PROBES, Some(PROBES.len())).is_ok_and(|together| alike(&alone, &together));
        let batch =
            if is_free { Batch { texts: BATCH_TEXTS, bytes: Some(BATCH_BYTES) } } else { Batch { texts: 1, bytes: None } };
        let shipped = if named.is_none() && !ablation::is_off("vectors that ship") {
            ShippedVectors::open(folder, &id, dimensions)
        } else {
            None
        };
        Ok(Self { id, dimensions, model, mean, prefix, batch, shipped })
    }
}

fn alike(one: &[Vec<f32>], other: &[Vec<f32>]) -> bool {
    let numbers = |vectors: &[Vec<f32>]| vectors.concat();
    let (one, other) = (numbers(one), numbers(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| (a - b).abs() <= MOST_ROUNDING)
}

impl Embedder for OnnxEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn batch(&self) -> Batch {
        self.batch
    }

    fn take_shipped(&mut self) -> Option<Shipped> {
        self.shipped.take()
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let batch = Some(self.batch.texts);
        if self.prefix.is_empty() {
            return self.model.embed(texts, batch).map_err(failed);
        }
        let prefixed: Vec<String> = texts.iter().map(|text| format!("{}{text}", self.prefix)).collect();
        self.model.embed(prefixed, batch).map_err(failed)
    }

    /// One run for all: each part is the mean of its own tokens, sharpened. As good as a run for
    /// each part (93.5 and 93.7 complete answers in 30), at the price of one.
    fn embed_parts(&mut self, text: &str, parts: &[Range<usize>]) -> Result<Option<Vec<Vec<f32>>>> {
        if !self.mean {
            return Ok(None);
        }
        let encoding = self.model.tokenizer.encode(text, true).map_err(failed)?;
        let offsets = encoding.get_offsets();
        let outputs = self.model.transform([text], Some(1)).map_err(failed)?.into_raw();
        let Some((_, hidden)) = outputs.first().and_then(|batch| batch.outputs.iter().find(|(name, _)| name == HIDDEN)) else {
            return Ok(None); // a model that pools by itself
        };
        let (_, hidden) = hidden.try_extract_tensor::<f32>().map_err(failed)?;
        if offsets.is_empty() || hidden.len() != offsets.len() * self.dimensions {
            return Ok(None);
        }
        let tokens: Vec<&[f32]> = hidden.chunks_exact(self.dimensions).collect();
        let whole = mean(tokens.iter().copied(), self.dimensions);
        let part = |part: &Range<usize>| {
            let inside = |(start, end): (usize, usize)| start < end && start >= part.start && end <= part.end;
            let own: Vec<&[f32]> =
                tokens.iter().zip(offsets).filter(|(_, offset)| inside(**offset)).map(|(token, _)| *token).collect();
            if own.is_empty() {
                return whole.clone(); // past the end of what the model reads
            }
            let sharpened = mean(own.into_iter(), self.dimensions).into_iter().zip(&whole);
            sharpened.map(|(part, whole)| part + SHARPENING * (part - whole)).collect()
        };
        let parts: Vec<Vec<f32>> = parts.iter().map(part).collect();
        Ok(Some([whole].into_iter().chain(parts).collect()))
    }
}

/// The output of transformer models that holds a vector a token.
const HIDDEN: &str = "last_hidden_state";

#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
fn failed(error: impl ToString) -> Error {
    ErrorKind::EmbeddingFailed { detail: error.to_string() }.into()
}

fn mean<'a>(vectors: impl ExactSizeIterator<Item = &'a [f32]>, dimensions: usize) -> Vec<f32> {
    #[expect(clippy::cast_precision_loss, reason = "a few hundred tokens")]
    let share = 1.0 / vectors.len().max(1) as f32;
    let mut mean = vec![0.0; dimensions];
    for vector in vectors {
        for (total, number) in mean.iter_mut().zip(vector) {
            *total += number;
        }
    }
    mean.into_iter().map(|total: f32| total * share).collect()
}

fn read_manifest(folder: &Path) -> Result<Manifest> {
    let detail = |error: &dyn std::fmt::Display| format!("model.json: {error}");
    match regular_file::read(&folder.join("model.json"), MAX_MANIFEST_BYTES) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| invalid(folder, detail(&error)).caused_by(error)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Manifest::default()),
        Err(error) => Err(invalid(folder, detail(&error)).caused_by(error)),
    }
}

/// Reads a file of the model, and compares it with what the manifest says: its size first, which tells more.
fn read(folder: &Path, name: &str, expected_bytes: Option<u64>, expected_hash: Option<&str>) -> Result<Vec<u8>> {
    let file = folder.join(name);
    let bytes = regular_file::read(&file, MAX_MODEL_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge => invalid(folder, format!("{name}: {error}")).caused_by(error),
        _ => Error::from(ErrorKind::ModelNotFound { path: file.display().to_string() }).caused_by(error),
    })?;
    if let Some(expected) = expected_bytes.filter(|expected| *expected != bytes.len() as u64) {
        return Err(invalid(folder, format!("{name}: expected {expected} bytes, got {}", bytes.len())));
    }
    if let Some(expected) = expected_hash {
        let got = runtime_library::sha256(&bytes);
        if !expected.eq_ignore_ascii_case(&got) {
            return Err(invalid(folder, format!("{name}: expected content with SHA-256 {expected}, got {got}")));
        }
    }
    Ok(bytes)
}

fn invalid(folder: &Path, detail: String) -> Error {
    ErrorKind::ModelInvalid { path: folder.display().to_string(), detail }.into()
}

fn environment(library: &Path, pinned: Option<&Pinned>) -> Result<ort::environment::Environment> {
    let not_found = |detail: String| Error::from(ErrorKind::RuntimeNotFound { path: library.display().to_string(), detail });
    ENVIRONMENT
        .get_or_try_init(|| {
            // Loading a library that was cut short ends the process with SIGBUS.
            runtime_library::check(library, pinned).map_err(|error| not_found(error.to_string()).caused_by(error))?;
            let builder = ort::init_from(library).map_err(|error| not_found(error.to_string()).caused_by(error))?;
            // What it writes goes nowhere: standard error is the host's, and each failure comes back as an error too.
            let silent = Arc::new(|_: LogLevel, _: &str, _: &str, _: &str, _: &str| {});
            builder
                .with_telemetry(false)
                .with_logger(silent)
                .build()
                .map_err(|error| not_found(error.to_string()).caused_by(error))
        })
        .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::{embed_checked, embed_parts_checked, similarity};

    fn embedder() -> OnnxEmbedder {
        let npm = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm");
        let runtime_path =
            std::env::var("TOOL_ROUTER_RUNTIME").map_or_else(|_| npm.join("linux-x64-gnu/libonnxruntime.so"), PathBuf::from);
        let options = OnnxOptions { model_dir: npm.join("model"), runtime_path, runtime_pin: None, threads: 1, named: None };
        OnnxEmbedder::load(&options).unwrap()
    }

    #[test]
    #[ignore = "needs the model and the runtime: node scripts/assets.mjs"]
    fn a_text_with_parts_has_the_vector_that_it_has_alone() {
        let mut embedder = embedder();
        let text = "Résumé the failing build of today 🙂, then tell the team in Slack";
        let at = text.find("tell").unwrap();
        let apart = embed_checked(&mut embedder, &[text, "tell the team in Slack"]).unwrap();
        let parts = embed_parts_checked(&mut embedder, text, &[0..at, at..text.len()]).unwrap();
        assert!(similarity(&parts[0], &apart[0]) > 0.9999);
        assert!(similarity(&parts[2], &apart[1]) > similarity(&parts[1], &apart[1]) + 0.2);
        let past = embed_parts_checked(&mut embedder, &format!("{text}{}", " more".repeat(900)), &[0..9, 4000..4004]).unwrap();
        assert!(similarity(&past[2], &past[0]) > 0.9999);
    }
}
