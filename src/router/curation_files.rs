//! Where the settings' curation was read from.

use std::path::PathBuf;

use crate::curation::policy;
use crate::settings::curation::Curation;

/// Files that the settings' curation was read from, and what they said then.
#[derive(Debug)]
pub struct CurationFiles {
    pub(super) files: Vec<PathBuf>,
    pub(super) stamps: policy::Stamps,
    pub(super) curation: Curation,
}
