//! What research reads: the signals of a session's next turn, for `research/measure/ranking/turns.mjs`.

use serde_json::{Value, json};

use super::facade::ToolRouter;
use super::open_sessions::SharedSession;
use crate::index::Index;
use crate::order::workspace::Workspace;
use crate::order::{Ground, Task, in_task};

impl ToolRouter {
    /// What the measures of a later turn would read if the message were the next one. Changes nothing.
    pub fn turn_signals(&self, index: &Index, session: &SharedSession, message: &str) -> Value {
        let (wanted, scope, settings) = {
            let session = session.lock();
            let Some(wanted) = session.ranking_wanted(index, Some(message)) else { return Value::Null };
            (wanted, session.scope(), session.settings.clone())
        };
        let scope = index.in_scope(&scope);
        let ground = Ground::new(index, &scope);
        let ranking = self.rank_as_wanted(ground, &settings, &wanted, &Workspace::default());
        let alone = |text: &str| self.rank_for(ground, &settings, text, &Task::default(), ground.candidates.len());
        let in_task = wanted.before.as_deref().map(|before| in_task(&alone(message), &alone(before), index));
        json!({
            "evidence": ranking.evidence,
            "inTask": in_task.map(|signals| json!({
                "evidence": signals.evidence, "server": signals.server, "scores": signals.scores,
            })),
        })
    }

    /// What the measure of chances would read of each tool if the message were the next one, as JSON. Changes nothing.
    pub fn values_of_chances(&self, index: &Index, session: &SharedSession, message: &str) -> String {
        let (wanted, scope, settings) = {
            let session = session.lock();
            let Some(mut wanted) = session.ranking_wanted(index, Some(message)) else { return "null".to_owned() };
            wanted.top_k = index.tools.len();
            (wanted, session.scope(), session.settings.clone())
        };
        let scope = index.in_scope(&scope);
        let ranking = self.rank_as_wanted(Ground::new(index, &scope), &settings, &wanted, &Workspace::default());
        session.lock().values_of_chances(index, message, &ranking)
    }
}
