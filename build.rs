//! Links the addon as Node.js wants it (nothing for the core alone), and lists the files of languages.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    #[cfg(feature = "node")]
    napi_build::setup();
    list_languages()
}

/// Writes `languages.rs`: a language is a file in the folder, and nothing else has to name it.
fn list_languages() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&root).join("src/text/language");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let mut list = String::from("/// Every file of a language: its code and its text.\nstatic FILES: &[(&str, &str)] = &[\n");
    for file in files {
        let code = file.file_stem().and_then(|code| code.to_str()).unwrap_or_default();
        let _ = writeln!(list, "    ({code:?}, include_str!({:?})),", file.display().to_string());
    }
    list.push_str("];\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("languages.rs"), list)
}
