//! What no row of the settings can see by itself.

use super::choices::{InitialK, MAX_K, ScopeBy};
use super::providers::{Delivery, DeliveryChoice};
use super::rows::{ROWS, Range, Settings, Slot};
use crate::error::{Error, Result};

/// What a first selection attaches of chosen servers: the upper end of the focused set of the fifth source, under what models
/// choose well from.
const FOCUSED_TOOLS: usize = 15;

impl Settings {
    /// These settings with some of another's, by the names that callers use.
    #[must_use]
    pub fn with(&self, other: &Self, names: &[String]) -> Self {
        let value = |settings: &Self| serde_json::to_value(settings).unwrap_or_default();
        let (mut mine, other) = (value(self), value(other));
        for name in names {
            mine[name.as_str()] = other[name.as_str()].clone();
        }
        serde_json::from_value(mine).unwrap_or_else(|_| self.clone())
    }

    /// How many tools a first selection attaches, pins not counted.
    pub fn first_k(&self) -> InitialK {
        match self.scope_by {
            ScopeBy::Tool => self.initial_k,
            ScopeBy::Server => InitialK::Fixed(FOCUSED_TOOLS),
        }
    }

    /// How many tools the model's list may have; `None` without a limit. A list of two tools has none.
    pub fn most_tools(&self) -> Option<usize> {
        self.max_tools.filter(|_| self.delivery != DeliveryChoice::Fixed(Delivery::Call))
    }

    /// A task has the router's tools beside those of the host: there must be room for them.
    fn check_max_tools(&self, path: &str) -> Result<()> {
        let Some(max_tools) = self.max_tools else { return Ok(()) };
        let mut own = vec![self.own_names.load()];
        own.extend((self.delivery == DeliveryChoice::Fixed(Delivery::Call)).then_some(self.own_names.call()));
        let least = self.native_tool_count + own.len();
        if max_tools >= least {
            return Ok(());
        }
        let expected = format!("at least {least} (nativeToolCount {} and {})", self.native_tool_count, own.join(" and "));
        Err(Error::invalid(format!("{path}.maxTools"), expected, max_tools))
    }

    /// Checks all ranges, and what no single field can see.
    ///
    /// # Errors
    ///
    /// `ERR_INVALID_ARGUMENT` for a number out of its range, or when `max_tools` leaves no room for `mcp_load`.
    pub fn check(&self, path: &str) -> Result<()> {
        let mut copy = self.clone();
        for (row, slot) in ROWS.iter().zip(copy.slots()) {
            let refuse = |got: &dyn std::fmt::Display| Error::invalid(format!("{path}.{}", row.name), row.range.expected(), got);
            match (row.range, slot) {
                (Range::Count { least, most }, Slot::Count(&mut value) | Slot::Optional(&mut Some(value)))
                    if !(least..=most).contains(&value) =>
                {
                    return Err(refuse(&value));
                }
                _ => {}
            }
        }
        if let InitialK::Fixed(value) = self.initial_k
            && value > MAX_K
        {
            return Err(Error::invalid(format!("{path}.initialK"), format!("an integer from 0 to {MAX_K}, or 'auto'"), value));
        }
        self.curation.check(&format!("{path}.curation"))?;
        self.check_max_tools(path)?;
        if !self.provider.deliveries().contains(&self.delivery.with(self.provider)) {
            let own: Vec<String> = self.provider.deliveries().iter().map(|own| format!("'{}'", own.name())).collect();
            let expected = format!("a delivery of {}: {}", self.provider.name(), own.join(" or "));
            return Err(Error::invalid(format!("{path}.delivery"), expected, format!("{:?}", self.delivery.name())));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_field_under_its_name() {
        let defaults = serde_json::to_value(Settings::default()).unwrap();
        let mut names: Vec<&str> = defaults.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut rows: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        rows.sort_unstable();
        assert_eq!(names, rows);
        assert!(ROWS.iter().all(|row| row.says.ends_with('.') && !row.says.contains("*/")));
    }
}
