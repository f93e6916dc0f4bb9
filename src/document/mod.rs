//! What is indexed of tools and servers: texts and their terms.

pub mod counts;
pub mod destructive;
pub mod entry;
pub mod id;
pub mod lookup;
pub mod purpose;
pub mod schema;
pub mod server;
pub mod tool;
