//! Which rules bind for whom, and what they change.

use crate::settings::Provider;

named! {
    /// What was changed in a schema; the table of `accepted` says why.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Change {
        /// `type: "object"` was added, which says nothing new: arguments are an object.
        TypeAdded = "type-added",
        /// Alternatives at the root became one object, which takes more.
        AlternativesMerged = "alternatives-merged",
        /// The root is what it referred to.
        ReferenceResolved = "reference-resolved",
        /// What is no schema says nothing now.
        InvalidReplaced = "invalid-replaced",
        /// References to nothing are gone.
        ReferencesRemoved = "references-removed",
        /// Halves of surrogate pairs are gone, with the parameters that are named by them.
        SurrogatesRemoved = "surrogates-removed",
        /// What lay too deep may be anything.
        DepthCut = "depth-cut",
        /// Lists have `items: {}`, which says nothing new.
        ItemsAdded = "items-added",
        /// The root has `properties: {}`, which says nothing new.
        PropertiesAdded = "properties-added",
        /// `not` and `enum` at the root are gone.
        ConditionsRemoved = "conditions-removed",
        /// `true` and `false` as schemas are written `{}` and `{"not":{}}`, which mean the same.
        BooleansReplaced = "booleans-replaced",
        /// Whole numbers that no 64 bits hold are gone, with the bound or the value that they were.
        NumbersRemoved = "numbers-removed",
        /// Patterns that the provider cannot read are gone.
        PatternsRemoved = "patterns-removed",
        /// Parameters with names that the provider refuses are in the description.
        ParametersDescribed = "parameters-described",
    }
}

/// Which rules bind: those of the table that are not everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule")]
pub struct Rules {
    /// Those of `OpenAI`: `items`, `properties`, conditions, patterns.
    pub shape: bool,
    /// That of Anthropic: names of properties.
    pub names: bool,
    /// Numbers of 64 bits, which only clients of MCP do without.
    pub numbers: bool,
    /// Alternatives and conditions at the root, which only clients of MCP take.
    pub composition: bool,
}

impl Rules {
    /// Whoever a definition is passed on to.
    pub const ALL: Self = Self { shape: true, names: true, numbers: false, composition: true };
    /// All that anybody has: what they leave as it is, every set does.
    pub const STRICTEST: Self = Self { numbers: true, ..Self::ALL };
    /// How many sets of rules there are.
    pub const SETS: usize = 16;

    /// The rules of a provider.
    pub fn of(provider: Provider) -> Self {
        let shape = matches!(provider, Provider::OpenaiChat | Provider::OpenaiResponses | Provider::Vscode);
        let names = matches!(provider, Provider::Anthropic | Provider::Bedrock | Provider::Vscode);
        Self { shape, names, numbers: names, composition: true }
    }

    /// Its number, below [`Self::SETS`].
    pub fn number(self) -> usize {
        usize::from(self.shape) + 2 * usize::from(self.names) + 4 * usize::from(self.composition) + 8 * usize::from(self.numbers)
    }
}
