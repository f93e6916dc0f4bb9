//! What is indexed of tools and servers: texts and their terms.

pub mod destructive;
pub mod entry;
pub mod id;
pub mod purpose;
pub mod schema;
pub mod server;
pub mod tool;
