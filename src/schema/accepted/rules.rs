//! Which rules bind for whom, and what they change.

use crate::settings::Provider;

/// What was changed in a schema; the table of `accepted` says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// `type: "object"` was added, which says nothing new: arguments are an object.
    TypeAdded,
    /// Alternatives at the root became one object, which takes more.
    AlternativesMerged,
    /// The root is what it referred to.
    ReferenceResolved,
    /// What is no schema says nothing now.
    InvalidReplaced,
    /// References to nothing are gone.
    ReferencesRemoved,
    /// Halves of surrogate pairs are gone, with the parameters that are named by them.
    SurrogatesRemoved,
    /// What lay too deep may be anything.
    DepthCut,
    /// Lists have `items: {}`, which says nothing new.
    ItemsAdded,
    /// The root has `properties: {}`, which says nothing new.
    PropertiesAdded,
    /// `not` and `enum` at the root are gone.
    ConditionsRemoved,
    /// `true` and `false` as schemas are written `{}` and `{"not":{}}`, which mean the same.
    BooleansReplaced,
    /// Whole numbers that no 64 bits hold are gone, with the bound or the value that they were.
    NumbersRemoved,
    /// Patterns that the provider cannot read are gone.
    PatternsRemoved,
    /// Parameters with names that the provider refuses are in the description.
    ParametersDescribed,
}

impl Change {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 14] = [
        Self::TypeAdded,
        Self::AlternativesMerged,
        Self::ReferenceResolved,
        Self::InvalidReplaced,
        Self::ReferencesRemoved,
        Self::SurrogatesRemoved,
        Self::DepthCut,
        Self::ItemsAdded,
        Self::PropertiesAdded,
        Self::ConditionsRemoved,
        Self::BooleansReplaced,
        Self::NumbersRemoved,
        Self::PatternsRemoved,
        Self::ParametersDescribed,
    ];

    /// The stable name that callers see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeAdded => "type-added",
            Self::AlternativesMerged => "alternatives-merged",
            Self::ReferenceResolved => "reference-resolved",
            Self::InvalidReplaced => "invalid-replaced",
            Self::ReferencesRemoved => "references-removed",
            Self::SurrogatesRemoved => "surrogates-removed",
            Self::DepthCut => "depth-cut",
            Self::ItemsAdded => "items-added",
            Self::PropertiesAdded => "properties-added",
            Self::ConditionsRemoved => "conditions-removed",
            Self::BooleansReplaced => "booleans-replaced",
            Self::NumbersRemoved => "numbers-removed",
            Self::PatternsRemoved => "patterns-removed",
            Self::ParametersDescribed => "parameters-described",
        }
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
    #[must_use]
    pub fn of(provider: Provider) -> Self {
        let shape = matches!(provider, Provider::OpenaiChat | Provider::OpenaiResponses | Provider::Vscode);
        let names = matches!(provider, Provider::Anthropic | Provider::Bedrock | Provider::Vscode);
        Self { shape, names, numbers: names, composition: true }
    }

    /// Its number, below [`Self::SETS`].
    #[must_use]
    pub fn number(self) -> usize {
        usize::from(self.shape) + 2 * usize::from(self.names) + 4 * usize::from(self.composition) + 8 * usize::from(self.numbers)
    }
}
