//! What a model writes: calls of tools and of `mcp_load`, in every shape that models and providers write them.
//!
//! Nothing here fails: what is not understood comes back as a sentence that says the right form. Values are carried as they
//! were written, numbers digit by digit.

mod call;
mod json;
mod load;

pub use call::{Call, Parameters};
pub use load::read as read_load;
