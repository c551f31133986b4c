//! Weight domains, one file each.

mod boolean;
mod common;
mod min_plus;
mod product;
mod relations;
mod vocabulary;

pub use boolean::Boolean;
pub use min_plus::MinPlus;
pub use product::Product;
pub use relations::{Kind, RelationTest, RelationWeight, Relations, StoreSet};
pub use vocabulary::{Bit, Formula, Vocabulary};
