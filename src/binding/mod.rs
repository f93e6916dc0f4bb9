//! The door to Node.js. The rules that hold here:
//!
//! 1. A method converts, calls the core once, converts back. What ranks, scopes or keeps sessions
//!    is in the core.
//! 2. Every value comes in through [`arguments::input`], which knows its path: a wrong one is
//!    `ERR_INVALID_ARGUMENT` naming the field, what was expected and what was received. `undefined` means
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
// Docs here are read in TypeScript, which has other names and marks; napi hands over `&Env`, `self`
// and arguments in its own way.
#![allow(
    clippy::doc_markdown,
    clippy::elidable_lifetime_names,
    clippy::missing_errors_doc,
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    reason = "see the comment above"
)]
// Functions that napi registers look unused where tests compile them.
#![cfg_attr(test, allow(dead_code, reason = "see the comment above"))]

mod answers;
mod arguments;
mod assets;
mod cancellation;
mod classes;
mod concealed;
mod crew;
mod error;
mod exit;
mod helpers;
mod host_embedder;
mod lanes;
mod memory;
mod rendered;
mod slices;
mod worker;
