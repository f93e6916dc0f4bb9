//! What research reads: the signals of a session's next turn, for `research/measure/ranking/turns.mjs`.

use serde_json::{Value, json};

use super::facade::ToolRouter;
use super::open_sessions::SharedSession;
use crate::evidence::needed::Needed;
use crate::index::Index;
use crate::order::workspace::Workspace;
use crate::order::{Ground, Task, in_task};
use crate::query::Naming;

/// How many of the new tools are told.
const TOLD: usize = 6;

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
        let is_new = |at: usize| wanted.attached.as_ref().is_none_or(|attached| !attached.contains(&at));
        let by_rank = ranking.tools.iter().filter(|tool| tool.shares.naming == Naming::None && tool.shares.supported);
        let new: Vec<usize> = by_rank.map(|tool| tool.position).filter(|at| is_new(*at)).take(TOLD).collect();
        let needed = Needed::read(&ranking, &new);
        json!({
            "evidence": ranking.evidence,
            "inTask": in_task.map(|signals| json!({
                "evidence": signals.evidence, "server": signals.server, "scores": signals.scores,
            })),
            "needed": needed.map(|signals| json!({
                "score": signals.score,
                "implied": signals.implied,
                "content": signals.content,
                "best": signals.best,
                "evidence": signals.evidence,
                "withVectors": signals.with_vectors,
            })),
            "new": new.iter().map(|at| &index.tools[*at].name).collect::<Vec<_>>(),
        })
    }
}
