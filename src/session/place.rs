//! How each tool that may come is shown: one list of rows, each of which changes what the rows above it say.
//!
//! First selections, later turns, what comes into scope, a switched mode and a compaction read the same list. An explanation
//! names the row that changed a tool last.

use super::chances::Candidate;
use super::task::Session;
use crate::index::Index;
use crate::report::price::{Price, Tier};

/// A row of the list.
pub struct Row {
    /// What explanations call it.
    pub name: &'static str,
    place: fn(&Places, &Here<'_>, Tier) -> Tier,
}

/// The row that takes a definition back for which there is no room.
pub(super) const ROOM: &str = "room";

/// Of a text in another language, so many tools are shown in doubt.
const FIRST_OF_OTHER: usize = 12;

/// What decides how a tool is shown, in this order.
pub static PLACE: [Row; 11] = [
    Row { name: "price", place: |places, here, _| places.price.cheapest(here.candidate.chance, here.definition, here.line) },
    // Of a language that is known in part, chances say little: what stands first may be meant.
    Row {
        name: "other language",
        place: |places, here, tier| if places.is_other && here.is_first() { here.a_line(tier) } else { tier },
    },
    // A ranking by servers says no chances: what it chose is needed.
    Row { name: "server", place: |places, _, tier| if places.by_chance { tier } else { Tier::Definition } },
    Row { name: "rewrite", place: |places, here, tier| if places.pays { tier } else { here.at_most_a_line(tier) } },
    Row { name: "unsure", place: |places, here, tier| if places.is_unsure { here.at_most_a_line(tier) } else { tier } },
    Row { name: "number", place: |places, here, tier| places.number.of(places.counted, here, tier) },
    Row { name: "talk", place: |places, _, tier| if places.speaks { tier } else { Tier::Nothing } },
    Row { name: "named", place: |_, here, tier| if here.candidate.named { Tier::Definition } else { tier } },
    // The freeze keeps the provider's cache: lines stand in messages, behind what is cached.
    Row { name: "frozen", place: |places, here, tier| if places.is_frozen { here.at_most_a_line(tier) } else { tier } },
    Row { name: "removed", place: |_, here, tier| if here.is_removed { Tier::Nothing } else { tier } },
    Row { name: ROOM, place: |places, here, tier| if places.has_room(here) { tier } else { places.without_room(here, tier) } },
];

/// How many tools are definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Number {
    /// As many as are worth it.
    #[default]
    Any,
    /// Of those that are worth it, so many.
    AtMost(usize),
    /// So many, the likeliest, whatever they are worth.
    Exactly(usize),
}

impl Number {
    fn of(self, counted: usize, here: &Here<'_>, tier: Tier) -> Tier {
        match self {
            Self::Exactly(most) if counted < most => Tier::Definition,
            Self::AtMost(most) | Self::Exactly(most) if counted >= most => here.at_most_a_line(tier),
            _ => tier,
        }
    }
}

/// What the rows read besides the tool.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is what one row asks")]
pub(super) struct Places {
    pub price: Price,
    /// Whether the ranking says chances.
    pub by_chance: bool,
    /// Whether definitions are worth what they have written again.
    pub pays: bool,
    /// Whether the text says too little to choose by.
    pub is_unsure: bool,
    /// Whether it is in another language, and chances find next to nothing in it.
    pub is_other: bool,
    /// Whether only `mcp_load` adds definitions.
    pub is_frozen: bool,
    /// Whether the text says that it needs anything.
    pub speaks: bool,
    pub number: Number,
    /// Definitions that the number counts, so far.
    pub counted: usize,
    /// Tokens that are left for definitions.
    pub budget: usize,
    /// Whether the model's API takes one more.
    pub has_room: bool,
}

/// A tool as the rows read it.
struct Here<'a> {
    candidate: &'a Candidate,
    /// Tokens of its definition, and of its line; no line where there is no directory.
    definition: usize,
    line: Option<usize>,
    /// Whether the model or the user took it away.
    is_removed: bool,
}

impl Here<'_> {
    fn is_first(&self) -> bool {
        self.candidate.place <= FIRST_OF_OTHER
    }

    /// What is not shown becomes a line, where there are lines.
    fn a_line(&self, tier: Tier) -> Tier {
        if tier == Tier::Nothing && self.line.is_some() { Tier::Line } else { tier }
    }

    /// A definition becomes a line, where there are lines.
    fn at_most_a_line(&self, tier: Tier) -> Tier {
        match tier {
            Tier::Definition if self.line.is_some() => Tier::Line,
            Tier::Definition => Tier::Nothing,
            other => other,
        }
    }
}

impl Places {
    fn has_room(&self, here: &Here<'_>) -> bool {
        self.has_room && here.definition <= self.budget
    }

    /// What is no definition for want of room is a line where it is worth one, whatever number of definitions is asked for.
    fn without_room(&self, here: &Here<'_>, tier: Tier) -> Tier {
        let is_wanted = here.candidate.named || !self.by_chance;
        let worth = if is_wanted { tier } else { self.price.cheapest(here.candidate.chance, here.definition, here.line) };
        if tier == Tier::Definition { here.at_most_a_line(worth) } else { tier }
    }

    /// How a tool is shown by the first of the rows, and the row that changed that last.
    fn through(&self, here: &Here<'_>, rows: usize) -> Shown {
        let first = Shown { tier: Tier::Nothing, row: &PLACE[0].name };
        PLACE[..rows].iter().fold(first, |shown, row| {
            let tier = (row.place)(self, here, shown.tier);
            if tier == shown.tier { shown } else { Shown { tier, row: &row.name } }
        })
    }
}

/// How a tool is shown, and by which row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    pub tier: Tier,
    pub row: &'static &'static str,
}

impl Session {
    fn here<'a>(&self, index: &Index, candidate: &'a Candidate) -> Here<'a> {
        let tool = &index.tools[candidate.position].tool;
        let has_lines = self.settings.directory_tokens > 0;
        Here {
            candidate,
            definition: self.tokens_of(index, candidate.position),
            line: has_lines.then(|| 1 + tool.signature_as(crate::delivery::shown(self.delivery())).token_count()),
            is_removed: self.roster.unloaded.contains(&tool.id),
        }
    }

    /// How a tool is shown now.
    pub(super) fn shown_as(&self, index: &Index, candidate: &Candidate, places: &Places) -> Shown {
        places.through(&self.here(index, candidate), PLACE.len())
    }

    /// Who would be a definition if there were room, in the order of the ranking, named ones first; then the others, the likeliest
    /// first.
    pub(super) fn definitions_first(&self, index: &Index, candidates: Vec<Candidate>, mut places: Places) -> Vec<Candidate> {
        let before_room = PLACE.len() - 1;
        let (mut chosen, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| {
            let is_chosen = places.through(&self.here(index, candidate), before_room).tier == Tier::Definition;
            places.counted += usize::from(is_chosen && !candidate.named);
            is_chosen
        });
        chosen.sort_by_key(|candidate| (!candidate.named, candidate.rank));
        chosen.into_iter().chain(others).collect()
    }
}
