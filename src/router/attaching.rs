//! What a host asks by name: to attach tools to a task, and what a wrong name may mean.

use super::facade::ToolRouter;
use super::open_sessions::SharedSession;
use super::rank::RankOptions;
use super::sessions::started;
use crate::catalogue::scope::{Scope, Servers};
use crate::document::id::ToolId;
use crate::error::Result;
use crate::index::Index;
use crate::session::attach::ToolReference;
use crate::session::load_result::LoadResult;
use crate::session::spelled::find_in;
use crate::settings::Ranker;

impl ToolRouter {
    /// Attaches tools by name.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a session that has not started.
    pub fn attach(&self, index: &Index, session: &SharedSession, wanted: &[ToolReference]) -> Result<LoadResult> {
        started(session, "attach")?;
        self.set_host_mode(session, None, "hostMode")?;
        let mut session = session.lock();
        let before = session.known().clone();
        let result = session.attach_wanted(index, wanted);
        session.refresh(index, &before, (Ranker::Lexical, None, None));
        Ok(result)
    }

    /// Provider names of tools in scope that a wrong name may mean, the best first.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown mode of the host.
    pub fn near_names(&self, wanted: &str, options: &RankOptions) -> Result<Vec<String>> {
        let index = self.index();
        Ok(index.near_names(self.in_scope(&index, options, "nearNames.hostMode")?.candidates(), wanted))
    }
    /// The tools of some servers, on or off, that a name may mean as a model writes it.
    #[must_use]
    pub fn tools_meant(&self, name: &str, servers: &Servers) -> Vec<ToolId> {
        let index = self.index();
        find_in(&index, &Scope::All.within(servers), name).into_iter().map(|at| index.tools[at].tool.id.clone()).collect()
    }
}
