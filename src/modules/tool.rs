//! A tool, as far as modules read it.

use crate::companions::ToolText;

/// A tool as its server described it.
#[derive(Debug, Clone, Copy)]
pub struct ModuleTool<'t> {
    /// Name, description and schema.
    pub text: ToolText<'t>,
    /// Whether its annotations say that it only reads.
    pub read_only: bool,
}
