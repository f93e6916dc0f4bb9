//! The door to Node.js. The rules that hold here:
//!
//! 1. A method converts, calls the core once, converts back. What ranks, scopes or keeps sessions
//!    is in the core.
//! 2. Every value comes in through [`input`], which knows its path: a wrong one is
//!    `ERR_INVALID_ARGUMENT` naming the field, what was expected and what came. `undefined` means
//!    the default, `null` is a value of its own and mostly wrong.
//! 3. Every body runs in [`error::sync`] or on the worker; a panic there is `ERR_INTERNAL`.
//! 4. What may take longer than a property read is a promise, settled from the thread
//!    `tool-router`; nothing runs on libuv's threads, which the whole host shares.
//! 5. Results are plain objects, converted on the worker and only written out on the JavaScript
//!    thread.
//! 6. Nothing prints, nothing keeps the process alive.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::print_stdout,
    clippy::print_stderr
)]
// Docs here are read in TypeScript, where `# Errors` is no heading; napi takes arguments by value.
#![expect(clippy::missing_errors_doc, clippy::needless_pass_by_value, reason = "see the comment above")]

mod assets;
mod error;
mod host_embedder;
mod input;
mod requests;
mod session;
mod tool_router;
mod types;
mod worker;
