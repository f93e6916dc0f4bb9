//! How near a request is to what people want elsewhere, and to what they say that needs no tool.
//!
//! How near the best tool is says little by itself: "send a fax" stands near "send a message". Beside lines that say what
//! tools of the world do, it says more: where the request is nearer to such a line than the tools at hand are, they are not
//! what it asks for. In the literature, prototypes for finding what is out of scope.

pub mod vectors;
pub(super) mod words;

/// What people ask tools for, whichever tool has it.
const NEEDS: &str = include_str!("../data/needs.txt");
/// What they say to a model that needs no tool.
const TALK: &str = include_str!("../data/talk.txt");

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

/// Where a request stands, by vectors or by words. Zeros where they say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Standing {
    /// How near the nearest need is, from 0 to 1.
    pub need: f64,
    /// How much nearer one of the nearest needs is to the request than to any of the tools at hand.
    pub unmet: f64,
    /// How much nearer the nearest line of talk is than any need; by vectors, than any tool too. 0 or more.
    pub talk_over: f64,
}
