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
    let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    input.only_options(&known)?;
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
    let of_curation = settings.curation.clone();
    input.set("initialK", &mut settings.initial_k, |value| initial_k(&value))?;
    input.set("curation", &mut settings.curation, |value| curation(&value, of_curation))?;
    input
        .set("hostModes", &mut settings.host_modes, |value| Ok(value.entries(|mode| mode_scope(&mode))?.into_iter().collect()))?;
    choice(input, "ranker", &mut settings.ranker, &Ranker::NAMES)?;
    choice(input, "scopeBy", &mut settings.scope_by, &ScopeBy::NAMES)?;
    choice(input, "schemaDetail", &mut settings.schema_detail, &SchemaDetail::NAMES)?;
    choice(input, "provider", &mut settings.provider, &Provider::NAMES)?;
    choice(input, "delivery", &mut settings.delivery, &DeliveryChoice::NAMES)?;
    choice(input, "hiddenCharacters", &mut settings.hidden_characters, &HiddenCharacters::NAMES)?;
    choice(input, "changedTools", &mut settings.changed_tools, &ChangedTools::NAMES)?;
    choice(input, "withholdTools", &mut settings.withhold_tools, &WithholdTools::NAMES)?;
    choice(input, "ownNames", &mut settings.own_names, &OwnNames::NAMES)?;
    choice(input, "schemaStyle", &mut settings.schema_style, &SchemaStyle::NAMES)?;
    Ok(settings)
}

/// A setting that is one of a few names.
fn choice<T: Copy>(input: &Input<'_, '_>, name: &str, place: &mut T, names: &[(&str, T)]) -> Result<()> {
    input.set(name, place, |value| value.one_of(names))
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
    choice(input, "kind", &mut curation.kind, &CurationKind::NAMES)?;
    input.set("k", &mut curation.k, |value| value.count(1, MAX_K))?;
    input.set("rescue", &mut curation.rescue, |value| value.texts(MAX_RESCUE))?;
    Ok(curation)
}
