//! Turns texts into vectors with the local model, for evaluations that need vectors as they are.
//!
//! ```sh
//! cargo run --release --example embed --no-default-features --features onnx -- <model folder> <runtime library>
//! ```
//!
//! Each line of standard input is a JSON string. Each line of standard output is its unit vector as
//! a JSON array, in order and at once, so that a caller can also ask for one text after the other.
//! A line that cannot be read, or a text that the model refuses, ends the program with status 1.

use std::io::{BufRead, BufWriter, Error, Write};
use std::path::PathBuf;

use tool_router::embedding::embed_checked;
use tool_router::embedding::onnx::{OnnxEmbedder, OnnxOptions};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(model_dir), Some(runtime_path)) = (arguments.next(), arguments.next()) else {
        return Err(Error::other("usage: embed <model folder> <runtime library>"));
    };
    let mut embedder = OnnxEmbedder::load(&OnnxOptions { model_dir, runtime_path, runtime_pin: None, threads: 1, named: None })
        .map_err(Error::other)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        for vector in embed_checked(&mut embedder, &[&text]).map_err(Error::other)? {
            serde_json::to_writer(&mut out, &vector)?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
    }
    Ok(())
}
