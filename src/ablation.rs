//! Mechanisms that a measure switches off one by one, to see what each is worth: `npm run eval -- ablation`. Without the feature
//! `ablation`, which nothing published has, all are on.

/// What can be off beside the rows of `order::ADJUST` and the steps of reading, which have names of their own.
pub const OTHERS: [&str; 5] = ["company", "places of parts", "lines of needs", "lines of talk", "vectors that ship"];

/// Whether a mechanism is off: where the variable `TOOL_ROUTER_OFF` names it, among others by commas.
#[cfg(feature = "ablation")]
pub(crate) fn is_off(name: &str) -> bool {
    use once_cell::sync::Lazy;

    static OFF: Lazy<String> = Lazy::new(|| std::env::var("TOOL_ROUTER_OFF").unwrap_or_default());
    OFF.split(',').any(|off| off == name)
}

/// None is.
#[cfg(not(feature = "ablation"))]
pub(crate) const fn is_off(_name: &str) -> bool {
    false
}
