//! Where the runtime and the model are when nobody says so: the loader (`index.js`) tells.

use std::path::PathBuf;

use parking_lot::RwLock;
use serde_json::Value;

use crate::embedding::runtime_library::Pinned;

#[derive(Default)]
struct Folders {
    runtime: Option<PathBuf>,
    model: Option<PathBuf>,
}

static FOLDERS: RwLock<Folders> = RwLock::new(Folders { runtime: None, model: None });

/// The file of ONNX Runtime on this platform, as our platform packages name it.
const RUNTIME_FILE: &str = if cfg!(target_os = "windows") {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

pub fn set(runtime: Option<String>, model: Option<String>) {
    *FOLDERS.write() = Folders { runtime: runtime.map(PathBuf::from), model: model.map(PathBuf::from) };
}

/// The library beside the addon.
pub fn runtime_file() -> PathBuf {
    FOLDERS.read().runtime.clone().unwrap_or_default().join(RUNTIME_FILE)
}

/// What was packaged, with sizes and hashes.
const LOCK: &str = include_str!("../../scripts/assets.lock.json");

/// What the library beside the addon is; `None` on platforms where users put one there themselves.
pub fn runtime_pin() -> Option<Pinned> {
    let lock: Value = serde_json::from_str(LOCK).ok()?;
    let files = lock.get("runtime")?.get(platform())?.get("files")?.as_array()?;
    let is_library = |file: &&Value| file["path"].as_str().is_some_and(|path| path.ends_with(RUNTIME_FILE));
    let file = files.iter().find(is_library)?;
    Some(Pinned { bytes: file["bytes"].as_u64()?, sha256: file["sha256"].as_str()?.to_owned() })
}

fn platform() -> String {
    let os = match std::env::consts::OS {
        "windows" => "win32",
        "macos" => "darwin",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let abi = if cfg!(target_os = "windows") {
        "-msvc"
    } else if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_os = "linux") {
        "-gnu"
    } else {
        ""
    };
    format!("{os}-{arch}{abi}")
}

/// The folder of the model package.
pub fn model_folder() -> PathBuf {
    FOLDERS.read().model.clone().unwrap_or_else(|| PathBuf::from("@zoo-code/tool-router-model"))
}

/// The user's cache folder, if the platform has one.
pub fn cache_folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|folder| folder.join("zoo-tool-router"))
}
