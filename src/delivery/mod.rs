//! How attached tools reach a model: the shapes of its provider, and what goes into the messages so that
//! the provider's cache of what stands before them is kept.
//!
//! Nothing here chooses tools. A session says what is usable now; a [`Track`] compares that with what the
//! model was told before, and renders the difference.

mod answer;
mod arguments;
mod budget;
mod fixed;
mod listed;
mod news;
mod own;
mod pair;
mod program;
mod request;
mod saved;
mod shape;
mod told;
mod track;

pub use answer::LoadAnswer;
pub use arguments::{Checked, check as check_arguments};
pub use fixed::{pair as pair_of_tools, printable};
pub use listed::{described, shown};
pub use news::{SERVER_LIST_TOKENS, listed_names};
pub use pair::Pair;
pub use request::{Request, Usable};
pub use saved::SavedTrack;
pub use track::{Rendered, Track};
