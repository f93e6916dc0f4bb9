//! Places where a test makes us panic. Without the feature `fault-injection`, which nothing published has, they are
//! nothing at all.

/// All places, in the order of the stages.
pub const POINTS: [&str; 20] = [
    "text",
    "document",
    "cache",
    "embedding",
    "query",
    "catalogue",
    "index",
    "scope",
    "lexical",
    "semantic",
    "fusion",
    "ranking",
    "servers",
    "curation",
    "gate",
    "turn",
    "mcp-load",
    "reroute",
    "rendering",
    "report",
];

#[cfg(feature = "fault-injection")]
mod armed {
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// 0 for none, otherwise one more than its place among the points.
    static ARMED: AtomicUsize = AtomicUsize::new(0);
    static HITS: AtomicUsize = AtomicUsize::new(0);

    /// From now on this place panics, each time; `None` for none. Answers how often one did since the last call.
    pub fn arm(point: Option<&str>) -> usize {
        let at = point.and_then(|point| super::POINTS.iter().position(|known| *known == point));
        assert!(at.is_some() == point.is_some(), "expected one of {:?}, got {point:?}", super::POINTS);
        ARMED.store(at.map_or(0, |at| at + 1), Ordering::SeqCst);
        HITS.swap(0, Ordering::SeqCst)
    }

    pub(crate) fn point(name: &str) {
        let armed = ARMED.load(Ordering::Relaxed);
        if armed > 0 && super::POINTS[armed - 1] == name {
            HITS.fetch_add(1, Ordering::SeqCst);
            panic!("injected at {name}");
        }
    }
}

#[cfg(feature = "fault-injection")]
pub use armed::arm;
#[cfg(feature = "fault-injection")]
pub(crate) use armed::point;

/// A place of its own name.
#[cfg(not(feature = "fault-injection"))]
#[inline(always)]
pub(crate) fn point(_name: &str) {}
