//! A tool as a line of TypeScript: its name, the type of its arguments, and the first sentence of what it says. A fifth to
//! a tenth of the tokens of its definition.
//!
//! No required parameter is left out. `/*…*/` stands wherever something is: values of a long enum, optional parameters, a
//! nested object, a condition. What a type cannot say (bounds, patterns, formats, defaults) and the descriptions of
//! parameters are left out without a mark; the definition has them.

mod group;
mod line;
mod literal;
mod types;

pub use group::Groups;
pub use line::{ShownParameters, Signature};
pub use literal::LOST;
