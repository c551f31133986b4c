//! What a function's open checks depend on of what its callers pass.
//!
//! To analyse a function in every state that a caller enters it in would be the product of the whole program.
//! Most of it makes no difference: a check that holds for any caller holds for each. So a function tells
//! its callers on which parameters, and on which scalars behind them, a check depends that was not
//! proved for all; and a caller asks for another analysis only if it knows something bad of one of these
//! ([`crate::project`]). What a function passes on to a callee that is sensitive to it counts the same.
//!
//! [`Matters::guards`] are what branches depend on. They are no reason to ask, but belong into what is
//! asked: `f(0, 0)` of `f(p, n) { if (n) *p = 1; }`.

use crate::entry::{Access, Kind, Part};
use ir::{Body, Program};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Scalars behind parameters that are told, at most; the first that are found, what can be a reason to ask
/// before what guards.
pub const CELLS: usize = 32;

/// What of a scalar matters.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Matters {
    /// An open check depends on its value: on a number, or on whether a pointer is null.
    pub value: bool,
    /// It is read, and must be written before.
    pub definition: bool,
    /// How much memory a pointer points to.
    pub room: bool,
    /// Which function a pointer points to.
    pub target: bool,
    /// A branch depends on it.
    pub guards: bool,
    /// Memory is used there at offsets that the text states: from the first byte up to this last one.
    pub from: i64,
    pub to: i64,
}

impl Matters {
    /// Can something bad of it be a reason to look at the function again?
    pub fn triggers(&self) -> bool {
        self.value || self.definition || self.room || self.target
    }

    /// Is the only reason that it may not be written?
    pub(crate) fn only_definition(&self) -> bool {
        self.definition && !self.value && !self.room && !self.target
    }

    pub(crate) fn add(&mut self, other: &Matters) {
        self.value |= other.value;
        self.definition |= other.definition;
        self.room |= other.room;
        self.target |= other.target;
        self.guards |= other.guards;
        self.from = self.from.min(other.from);
        self.to = self.to.max(other.to);
    }
}

/// What matters, sorted, each once. The same for the same function and callees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sensitive {
    all: Vec<(Access, Matters)>,
}

impl Sensitive {
    /// Of a function that is not analysed yet: whether its pointers are null.
    pub fn unknown(program: &Program, body: &Body) -> Sensitive {
        let mut all = Vec::new();
        for (i, v) in body.params.iter().enumerate() {
            if program.types.is_pointer(body.vars[*v].ty) {
                let value = Matters {
                    value: true,
                    ..Matters::default()
                };
                all.push((Access::param(i as u32), value));
            }
        }
        Sensitive { all }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Access, &Matters)> {
        self.all.iter().map(|(access, matters)| (access, matters))
    }

    pub(crate) fn of(found: FxHashMap<Access, Matters>) -> Sensitive {
        let mut all: Vec<(Access, Matters)> = found.into_iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Sensitive { all }
    }
}

/// The same scalar, seen from so many bytes before.
pub fn moved(part: Part, bytes: i64) -> Part {
    Part {
        start: part.start.saturating_add(bytes.saturating_mul(8)),
        ..part
    }
}

/// What kind of scalar a type is.
pub fn kind_of(program: &Program, ty: ir::TypeId) -> Option<Kind> {
    let types = &program.types;
    if types.is_pointer(ty) {
        return Some(Kind::Pointer);
    }
    match types.as_int(ty) {
        Some((_, true)) => Some(Kind::Signed),
        Some((_, false)) => Some(Kind::Unsigned),
        None => types.as_float(ty).map(|_| Kind::Float),
    }
}
