//! Every setting: a row of `rows`, from which struct, defaults, ranges and documentation follow.

mod check;
pub mod choices;
pub mod curation;
mod providers;
mod rows;

pub use choices::{
    AUTO, ChangedTools, HiddenCharacters, InitialK, MAX_COUNT, MAX_K, ModeScope, OwnNames, Ranker, SchemaDetail, SchemaStyle,
    ScopeBy, WithholdTools,
};
pub use providers::{Delivery, DeliveryChoice, Prices, Provider};
pub use rows::{ROWS, Range, Row, Settings, Slot};
