//! Settings, and the curation that is part of them.

use super::MAX_LIST;
use super::input::Input;
use crate::error::Result;
use crate::settings::curation::{Curation, CurationKind, MAX_RESCUE};
use crate::settings::{
    AUTO, ChangedTools, DeliveryChoice, HiddenCharacters, InitialK, MAX_K, ModeScope, OwnNames, Provider, ROWS, Range, Ranker,
    SchemaDetail, SchemaStyle, ScopeBy, Settings, Slot, WithholdTools,
};

/// Changes of settings over others. Unknown keys are refused.
pub fn settings(input: &Input<'_, '_>, base: Settings) -> Result<Settings> {
    let mut settings = base;
    if input.is_undefined() {
        return Ok(settings);
    }
    let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    input.only_keys(&known)?;
    for (row, slot) in ROWS.iter().zip(settings.slots()) {
        match (row.range, slot) {
            (Range::Count { least, most }, Slot::Count(target)) => {
                *target = input.field(row.name, |value| value.count(least, most))?.unwrap_or(*target);
            }
            (Range::Count { least, most }, Slot::Optional(target)) => {
                *target = input.field(row.name, |value| value.count(least, most))?.or(*target);
            }
            _ => {}
        }
    }
    if let Some(k) = input.field("initialK", |value| initial_k(&value))? {
        settings.initial_k = k;
    }
    if let Some(changed) = input.field("curation", |value| curation(&value, settings.curation.clone()))? {
        settings.curation = changed;
    }
    if let Some(modes) = input.field("hostModes", |value| value.entries(|mode| mode_scope(&mode)))? {
        settings.host_modes = modes.into_iter().collect();
    }
    choices(input, &mut settings)?;
    Ok(settings)
}

fn choices(input: &Input<'_, '_>, settings: &mut Settings) -> Result<()> {
    if let Some(ranker) = input.field("ranker", |value| value.one_of(&Ranker::NAMES))? {
        settings.ranker = ranker;
    }
    if let Some(scope_by) = input.field("scopeBy", |value| value.one_of(&ScopeBy::NAMES))? {
        settings.scope_by = scope_by;
    }
    if let Some(detail) = input.field("schemaDetail", |value| value.one_of(&SchemaDetail::NAMES))? {
        settings.schema_detail = detail;
    }
    if let Some(provider) = input.field("provider", |value| value.one_of(&Provider::NAMES))? {
        settings.provider = provider;
    }
    if let Some(delivery) = input.field("delivery", |value| value.one_of(&DeliveryChoice::NAMES))? {
        settings.delivery = delivery;
    }
    if let Some(hidden) = input.field("hiddenCharacters", |value| value.one_of(&HiddenCharacters::NAMES))? {
        settings.hidden_characters = hidden;
    }
    if let Some(changed) = input.field("changedTools", |value| value.one_of(&ChangedTools::NAMES))? {
        settings.changed_tools = changed;
    }
    if let Some(severity) = input.field("withholdTools", |value| value.one_of(&WithholdTools::NAMES))? {
        settings.withhold_tools = severity;
    }
    if let Some(names) = input.field("ownNames", |value| value.one_of(&OwnNames::NAMES))? {
        settings.own_names = names;
    }
    if let Some(style) = input.field("schemaStyle", |value| value.one_of(&SchemaStyle::NAMES))? {
        settings.schema_style = style;
    }
    Ok(())
}

fn initial_k(input: &Input<'_, '_>) -> Result<InitialK> {
    if input.is_text() { input.one_of(&[(AUTO, InitialK::Auto)]) } else { input.count(0, MAX_K).map(InitialK::Fixed) }
}

fn mode_scope(input: &Input<'_, '_>) -> Result<ModeScope> {
    input.only_keys(&["allowedMcpServers", "blockedMcpServers"])?;
    Ok(ModeScope {
        allowed_mcp_servers: input.field("allowedMcpServers", |list| list.texts(MAX_LIST))?,
        blocked_mcp_servers: input.field("blockedMcpServers", |list| list.texts(MAX_LIST))?,
    })
}

/// Changes of a curation over another. Unknown keys are refused.
pub fn curation(input: &Input<'_, '_>, base: Curation) -> Result<Curation> {
    let mut curation = base;
    input.only_keys(&["kind", "k", "rescue"])?;
    if let Some(kind) = input.field("kind", |value| value.one_of(&CurationKind::NAMES))? {
        curation.kind = kind;
    }
    if let Some(k) = input.field("k", |value| value.count(1, MAX_K))? {
        curation.k = k;
    }
    if let Some(rescue) = input.field("rescue", |value| value.texts(MAX_RESCUE))? {
        curation.rescue = rescue;
    }
    Ok(curation)
}
