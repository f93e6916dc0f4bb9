//! What calls of tools teach: which tools are used, what requests led to, and what was called before what.

pub mod before;
mod fading;
mod learned;
pub mod preference;

pub use learned::Learned;
