//! What sessions are asked with.

use super::MAX_LIST;
use super::input::Input;
use super::ranking::{server_scopes, tool_reference};
use super::settings::settings;
use crate::catalogue::scope::Servers;
use crate::error::Result;
use crate::order::workspace::Workspace;
use crate::report::ledger::MAX_CONTEXT_TOKENS;
use crate::session::OwnSettings;
use crate::session::attach::ToolReference;
use crate::settings::{ROWS, Settings};

/// What a model wrote, as JSON or as text of any kind: what it got wrong is answered, so nothing of it is refused here.
pub fn written(input: &Input<'_, '_>) -> String {
    if input.is_undefined() || input.is_null() { String::new() } else { input.json().unwrap_or_default() }
}

/// Names in one call: more than a model's API takes.
const MAX_NAMES: usize = 1_000;

/// A mode of the host, or none.
pub fn host_mode(input: &Input<'_, '_>) -> Result<Option<String>> {
    if input.is_null() { Ok(None) } else { input.name().map(Some) }
}

fn context_tokens(input: &Input<'_, '_>) -> Result<Option<usize>> {
    input.field("contextTokens", |tokens| tokens.count(0, MAX_CONTEXT_TOKENS))
}

/// What the host says about its context.
pub fn context(input: &Input<'_, '_>) -> Result<Option<usize>> {
    input.only_options(&["contextTokens"])?;
    context_tokens(input)
}

/// What a session adopts: another mode of the host, if it is given, and how long its context is.
pub fn sync_options(input: &Input<'_, '_>) -> Result<(Option<Option<String>>, Option<usize>)> {
    input.only_options(&["hostMode", "contextTokens"])?;
    Ok((input.field("hostMode", |mode| host_mode(&mode))?, context_tokens(input)?))
}

/// Id and mode of the host of a subtask, if they are given.
pub fn fork_options(input: &Input<'_, '_>) -> Result<(Option<String>, Option<Option<String>>)> {
    input.only_options(&["sessionId", "hostMode"])?;
    Ok((input.field("sessionId", |id| id.name())?, input.field("hostMode", |mode| host_mode(&mode))?))
}

/// The most entries of a list of a workspace that a host may send; fewer are read.
const MAX_WORKSPACE_LIST: usize = 10_000;

/// Where a task works, if it is given.
pub fn start_options(input: &Input<'_, '_>) -> Result<(Workspace, Option<usize>)> {
    input.only_options(&["workspace", "contextTokens"])?;
    let read = |workspace: Input<'_, '_>| {
        workspace.only_keys(&["remotes", "languages", "dependencies", "openFiles", "branch"])?;
        let list = |name: &str| -> Result<Vec<String>> {
            Ok(workspace.field(name, |list| list.texts(MAX_WORKSPACE_LIST))?.unwrap_or_default())
        };
        Ok(Workspace {
            remotes: list("remotes")?,
            languages: list("languages")?,
            dependencies: list("dependencies")?,
            open_files: list("openFiles")?,
            branch: workspace.field("branch", |branch| branch.text())?,
        })
    };
    Ok((input.field("workspace", read)?.unwrap_or_default(), context_tokens(input)?))
}

/// Tools to attach: as many as one catalogue may have.
pub fn tools(input: &Input<'_, '_>) -> Result<Vec<ToolReference>> {
    input.elements(MAX_LIST, |_, element| tool_reference(&element))
}

/// Names of tools.
pub fn names(input: &Input<'_, '_>) -> Result<Vec<String>> {
    input.elements(MAX_NAMES, |_, element| element.name())
}

/// Options of a session: id, mode of the host, servers, settings over the router's.
pub type SessionOptions = (Option<String>, Option<String>, Option<Servers>, Settings, OwnSettings);

/// Reads them. The settings that are given are the task's own, the others follow the router's.
pub fn session_options(input: &Input<'_, '_>, base: Settings) -> Result<SessionOptions> {
    input.only_options(&["sessionId", "hostMode", "servers", "settings"])?;
    let id = input.field("sessionId", |value| value.name())?;
    let host_mode = input.field("hostMode", |value| value.name())?;
    let servers = input.field("servers", |value| server_scopes(&value))?;
    let mut own = Vec::new();
    let read = |value: Input<'_, '_>| {
        let given = |name: &str| value.field(name, |_| Ok(())).map(|given| given.is_some());
        for row in ROWS {
            if given(row.name)? {
                own.push(row.name.to_owned());
            }
        }
        settings(&value, base.clone())
    };
    let settings = input.field("settings", read)?.unwrap_or(base);
    Ok((id, host_mode, servers, settings, OwnSettings::Only(own)))
}
