//! A provider with one of its deliveries.

use crate::catalogue::name;
use crate::error::{Error, Result};
use crate::settings::{Delivery, OwnNames, Provider};

const NEAR_NAMES: usize = 2;

/// A valid pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Whose shapes.
    pub provider: Provider,
    /// Which way.
    pub delivery: Delivery,
    /// What our own tools are called there.
    pub names: OwnNames,
}

impl Pair {
    /// Reads both names. Without a delivery it is the one that `own` has for the provider, as has `own` for none.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for an unknown name, with near ones, and for a delivery that the provider does
    /// not take, with those that it takes.
    pub fn read(
        path: &str,
        provider: Option<&str>,
        delivery: Option<&str>,
        own: impl Fn(Option<Provider>) -> Self,
    ) -> Result<Self> {
        let provider = provider.map(|asked| find(&format!("{path}.provider"), asked, &Provider::NAMES)).transpose()?;
        let delivery = delivery.map(|asked| find(&format!("{path}.delivery"), asked, &Delivery::NAMES)).transpose()?;
        let own = own(provider);
        Self { delivery: delivery.unwrap_or(own.delivery), ..own }.checked(path)
    }

    /// The pair, if it is valid.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` naming the provider's deliveries.
    pub fn checked(self, path: &str) -> Result<Self> {
        let Self { provider, delivery, .. } = self;
        if provider.deliveries().contains(&delivery) {
            return Ok(self);
        }
        let own = listed(provider.deliveries().iter().map(|delivery| delivery.name()));
        let expected = format!("a delivery of {}: {own}", provider.name());
        Err(Error::invalid(format!("{path}.delivery"), expected, format!("{:?}", delivery.name())))
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" or ")
}

fn find<T: Copy>(path: &str, asked: &str, names: &[(&str, T)]) -> Result<T> {
    if let Some((_, value)) = names.iter().find(|(name, _)| *name == asked) {
        return Ok(*value);
    }
    // A prefix or a part of a name is near too: people write `openai`.
    let folded = asked.trim().to_lowercase();
    let part = |name: &&str| folded.len() > 2 && (name.contains(folded.as_str()) || folded.contains(*name));
    let mut near = name::near(asked, names.iter().map(|(name, _)| *name), NEAR_NAMES);
    near.extend(names.iter().map(|(name, _)| *name).filter(part).map(str::to_owned));
    near.dedup();
    let expected = listed(names.iter().map(|(name, _)| *name));
    let hint = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
    Err(Error::invalid(path, expected, format!("{:?}{hint}", crate::error::shorten(asked, 80))))
}
