//! The terms of each line of standard input, for `research/make/words.py`.

use std::io::{self, BufRead, Write};

use tool_router::text::terms::terms;

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", terms(&line?).join(" "))?;
    }
    out.flush()
}
