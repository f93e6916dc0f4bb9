//! What callers get, in the order of the core's fields.

use napi::Either;
use napi::bindgen_prelude::Null;

use crate as core;

/// What a value of the core is to callers: as it is, a count as JavaScript has it, a choice by its name, each of several.
pub trait Answer<T> {
    fn answer(self) -> T;
}

/// Writes the conversion of core structs, field by field: by the same name, from a path, or made from the whole.
macro_rules! answers {
    ($($core:ty => $own:ident { $($field:ident $(: $first:ident $(. $more:ident)*)?),* } $(with |$it:ident| { $($made:ident: $value:expr),* $(,)? })?;)+) => {$(
        impl $crate::binding::answers::Answer<$own> for $core {
            fn answer(self) -> $own {
                $($(let $made = { let $it = &self; $value };)*)?
                $own { $($field: $crate::binding::answers::Answer::answer(answers!(@of self $field $($first $($more)*)?)),)* $($($made,)*)? }
            }
        }

        impl From<$core> for $own {
            fn from(core: $core) -> Self {
                $crate::binding::answers::Answer::answer(core)
            }
        }
    )+};
    (@of $core:ident $field:ident) => { $core.$field };
    (@of $core:ident $field:ident $first:ident $($more:ident)*) => { $core.$first$(.$more)* };
}

pub mod catalogue;
pub mod curation;
pub mod delivery;
pub mod lists;
pub mod loads;
pub mod ranking;
pub mod results;
pub mod servers;
pub mod session;
pub mod status;
pub mod tokens;

/// A count as JavaScript has it.
pub fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

macro_rules! as_it_is {
    ($($kind:ty),+) => {$(impl Answer<$kind> for $kind {
        fn answer(self) -> $kind {
            self
        }
    })+};
}

macro_rules! by_name {
    ($($kind:ty),+) => {$(impl Answer<String> for $kind {
        fn answer(self) -> String {
            self.name().into()
        }
    })+};
}

as_it_is!(String, bool, f64, serde_json::Value);
by_name!(
    core::catalogue::warning::WarningCode,
    core::report::advice::Against,
    core::report::price::Tier,
    core::router::ModelState,
    core::schema::accepted::Change,
    core::session::delivering::CallReason,
    core::session::load_result::Unavailable,
    core::session::reroute::RerouteStatus,
    core::session::selection::GateMode,
    core::session::selection::GateRule,
    core::session::selection::NotAttachedReason,
    core::session::selection::RewriteCause,
    core::settings::Ranker,
    core::shield::Check,
    core::shield::Severity
);

impl Answer<String> for &'static str {
    fn answer(self) -> String {
        self.into()
    }
}

impl Answer<u32> for usize {
    fn answer(self) -> u32 {
        small(self)
    }
}

impl Answer<f64> for usize {
    fn answer(self) -> f64 {
        f64::from(small(self))
    }
}

impl Answer<f64> for u64 {
    fn answer(self) -> f64 {
        f64::from(u32::try_from(self).unwrap_or(u32::MAX))
    }
}

impl<T: Answer<B>, B> Answer<Vec<B>> for Vec<T> {
    fn answer(self) -> Vec<B> {
        self.into_iter().map(Answer::answer).collect()
    }
}

impl<T: Answer<B>, B> Answer<Option<B>> for Option<T> {
    fn answer(self) -> Option<B> {
        self.map(Answer::answer)
    }
}

impl Answer<Either<String, Null>> for Option<String> {
    fn answer(self) -> Either<String, Null> {
        self.map_or(Either::B(Null), Either::A)
    }
}
