//! The keys of tools' vectors, for `research/make/shipped-vectors.mjs`.
//!
//! ```sh
//! cargo run --release --example tool_keys --no-default-features -- <model id>
//! ```
//!
//! Each line of standard input is a tool: `{"server","name","description"?,"inputSchema"?}`. Each line of standard output is
//! the key that its vector is cached under, as hexadecimal digits.

use std::io::{self, BufRead, BufWriter, Error, Write};

use serde_json::Value;
use tool_router::document::tool::{ToolDocument, ToolText};
use tool_router::embedding::cache::key;

fn main() -> io::Result<()> {
    let model_id = std::env::args().nth(1).ok_or_else(|| Error::other("usage: tool_keys <model id>"))?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let tool: Value = serde_json::from_str(&line?)?;
        let text = |field: &str| tool[field].as_str().unwrap_or("");
        let schema = tool.get("inputSchema").map(Value::to_string).unwrap_or_default();
        let document = ToolDocument::new(&ToolText {
            server_name: text("server"),
            tool_name: text("name"),
            described: text("description"),
            input_schema: &schema,
            ..ToolText::default()
        });
        let embedded = document.embedded.ok_or_else(|| Error::other("a tool without a text"))?;
        for byte in key(&model_id, &embedded.hash) {
            write!(out, "{byte:02x}")?;
        }
        writeln!(out)?;
    }
    out.flush()
}
