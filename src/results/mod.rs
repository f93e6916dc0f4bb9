//! Results of tools that are too long for a model: what of them is shown, what is read of them, and who holds them.
//!
//! A result is text that nobody trusts: it is read with bounds, never executed, never logged, and what it says to a model is
//! looked at by the shield.

mod block;
mod budget;
mod content;
mod lines;
mod passages;
mod path;
mod rank;
mod read;
mod store;
mod structured;

pub use content::{Bounds, Content, Shown};
pub use lines::range;
pub use read::{Answer, Asked, Quoted, Wanted, read};
pub use store::{Held, Limits, Owner, Store, new_handle};
