//! Where the settings' curation was read from.

use std::path::PathBuf;

use crate::curation::files::Stamps;
use crate::settings::curation::Curation;

/// Files that the settings' curation was read from, and what they said then.
#[derive(Debug)]
pub struct CurationFiles {
    pub(super) files: Vec<PathBuf>,
    pub(super) stamps: Stamps,
    pub(super) curation: Curation,
}
