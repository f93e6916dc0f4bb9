//! Where the runtime and the model are when nobody says so: the loader (`index.js`) tells.

use std::path::PathBuf;

use parking_lot::RwLock;

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

/// The folder of the model package.
pub fn model_folder() -> PathBuf {
    FOLDERS.read().model.clone().unwrap_or_else(|| PathBuf::from("@zoo-code/tool-router-model"))
}

/// The user's cache folder, if the platform has one.
pub fn cache_folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|folder| folder.join("zoo-tool-router"))
}
