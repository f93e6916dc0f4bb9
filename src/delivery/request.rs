//! What a session says about the next request.

use super::track::Usable;

/// See the module.
#[derive(Debug)]
pub struct Request<'a> {
    /// The tools that the task may use, in order.
    pub usable: &'a [Usable],
    /// `mcp_load` where the task has it now, and how many usable tools stand before it.
    pub mcp_load: Option<(&'a str, usize)>,
    /// `mcp_load` for deliveries that always have it.
    pub search: &'a str,
    /// `report_missing_capability` where the task has it now.
    pub report: Option<&'a str>,
    /// `report_missing_capability` for deliveries that always have `mcp_load`.
    pub report_always: Option<&'a str>,
    /// How many tools the model's API takes beside `mcp_load`.
    pub room: Option<usize>,
}

impl<'a> Request<'a> {
    /// The session's own tools, as the task has them now.
    pub(super) fn own(&self) -> [Option<&'a str>; 2] {
        [self.mcp_load.map(|(text, _)| text), self.report]
    }
}
