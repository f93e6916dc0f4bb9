//! What a ranking shows of whether anything in it serves its text: plain numbers, read and weighed in `evidence`.

use crate::query::OfCode;

/// Declares the signals once: their order, names and types follow from this table.
macro_rules! signals {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// The signals, by name.
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct Values {
            $($(#[$doc])* pub $name: f64,)+
        }

        impl Values {
            /// The names of the signals, in the order of [`Values::all`].
            pub const NAMES: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

            /// The values, in the order of [`Values::NAMES`].
            pub fn all(&self) -> [f64; Self::NAMES.len()] {
                [$(self.$name),+]
            }
        }
    };
}

signals! {
    /// How many words may name something, as ln(1 + n).
    content,
    /// Their share of all words.
    content_share,
    /// Known products that no tool is of, at most 2.
    absent,
    /// How many terms it has, as ln(1 + n).
    terms,
    /// Whether it is English.
    english,
    /// How many clauses it has, as ln(1 + n).
    clauses,
    /// How much shorter than three words of content it is.
    short,
    /// The share of its rarity that no tool of the catalogue holds, times its content.
    unknown_content,
    /// Content in another language.
    foreign_content,
    /// The best tool's share of the request's rarity.
    coverage,
    /// The same, for a short request.
    short_coverage,
    /// The best BM25 score, as ln(1 + score).
    lexical,
    /// How far it stands out, in deviations.
    lexical_z,
    /// That of the first tool.
    top_lexical,
    /// The share of the request's rarity that the best tools lack together.
    missing,
    /// The cosine of the first tool.
    top_cosine,
    /// The cosine of the best clause.
    clause_cosine,
    /// How far the best cosine stands out.
    cosine_z,
    /// Whether the first tool's vector was made here: those that came with the model are nearer to what people say.
    made_here,
    /// By vectors, how near the nearest line is of what people want elsewhere.
    need_cosine,
    /// How much nearer that line is to the request than to any tool.
    unmet,
    /// How much nearer the nearest line of talk is than any need or tool.
    talk_over,
    /// The three again, by words.
    word_need,
    /// See [`Values::unmet`].
    word_unmet,
    /// See [`Values::talk_over`].
    word_talk_over,
    /// How many kinds of tools it implies, where there is one of them: an address, a file.
    implied,
    /// Whether it asks to destroy something and no tool among the best destroys anything.
    undone,
    /// Whether a tool near the head is of a server that it names.
    of_named,
    /// The largest share of what else it says that such a tool holds.
    named_coverage,
}

/// The signals of one ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about a text")]
pub struct Signals {
    pub values: Values,
    /// Whether the first tool is named by the text.
    pub names_a_tool: bool,
    /// How far it speaks of code alone.
    pub of_code: OfCode,
    /// How many of its words say what it is about.
    pub content_words: usize,
    /// Whether it is in another language: by its function words, or since most of its words are not known in English.
    pub is_other_language: bool,
    /// Whether the request asks for an action that is known.
    pub asks_for_action: bool,
    /// Whether cosines are among them, on the scale that the measure knows.
    pub with_vectors: bool,
}

impl Signals {
    /// The values by name, as JSON.
    pub fn json(&self) -> String {
        let named = Values::NAMES.iter().zip(self.values.all());
        let mut members: serde_json::Map<String, serde_json::Value> =
            named.map(|(name, value)| ((*name).to_owned(), value.into())).collect();
        members.insert("namesATool".into(), self.names_a_tool.into());
        members.insert("saysNothing".into(), (self.content_words == 0).into());
        members.insert("withVectors".into(), self.with_vectors.into());
        members.insert("ofCode".into(), format!("{:?}", self.of_code).into());
        serde_json::Value::Object(members).to_string()
    }
}
