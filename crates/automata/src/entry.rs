//! Entry states: what a caller's state says about what a callee can observe.
//!
//! A function is analysed once for any caller, and again in the states in which callers in view enter it,
//! where that can make a difference ([`crate::sensitive`]). This is the state *at the boundary*: entry
//! states of the recursive state machine of incremental.txt (§2), projected onto what the callee
//! can observe. It speaks of parameters and of scalars behind them, by position, and so does not depend on
//! the names that either frame has for its objects, nor on ids of the program: the same call gives the same
//! entry after an edit elsewhere.
//!
//! What an entry does not mention can be anything, is written, and carries no evidence. Entries form a
//! lattice: [`Entry::merge`] is an upper bound that knows no order and of which no chain is endless.

use domain::{Definition, Nullness, Number};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// How many pointers are followed from a parameter.
pub const DEPTH: usize = 2;

/// In which state a function is entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Entry {
    /// Parameters can be anything, and nothing of it is acknowledged.
    #[default]
    Anything,
    Given(Given),
}

/// What is known, by place; never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Given {
    /// Sorted, each place once, none that says nothing.
    known: Vec<(Access, Content)>,
}

/// A scalar that caller and callee both know: a parameter, or what lies behind it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Access {
    pub param: u32,
    /// Empty: the parameter itself. Else a scalar that it points to, then one that this points to, at
    /// most [`DEPTH`] of them; all but the last are pointers.
    pub path: SmallVec<[Part; DEPTH]>,
}

/// A scalar in memory, as seen from a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Part {
    /// Bits from where the pointer points to.
    pub start: i64,
    pub bits: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    Pointer,
    Signed,
    Unsigned,
    Float,
}

/// What is known of one scalar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Content {
    pub value: Known,
    /// `Defined`, `Undefined` or `Possibly`: only what is evidence is told.
    pub definition: Definition,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Known {
    Nothing,
    Number(Number),
    Pointer(Reference),
}

/// What is known of a pointer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Reference {
    pub null: Nullness,
    /// The object that it points into, if it is not null.
    pub room: Option<Room>,
    /// The functions that it may point to, if it is not null, sorted; none: not known.
    pub functions: Vec<Named>,
}

/// An object of known size, and where in it a pointer points to; in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Room {
    pub before: u64,
    pub size: u64,
}

/// A function by its linkage name, and its unit if that is needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Named {
    pub name: String,
    pub unit: Option<String>,
}

impl Access {
    pub fn param(param: u32) -> Access {
        Access {
            param,
            path: SmallVec::new(),
        }
    }

    /// A scalar behind this pointer; none too far away.
    pub fn then(&self, part: Part) -> Option<Access> {
        (self.path.len() < DEPTH).then(|| {
            let mut path = self.path.clone();
            path.push(part);
            Access {
                param: self.param,
                path,
            }
        })
    }

    /// The pointers on the way, the parameter first.
    fn holders(&self) -> impl Iterator<Item = Access> + '_ {
        (0..self.path.len()).map(|n| Access {
            param: self.param,
            path: SmallVec::from_slice(&self.path[..n]),
        })
    }
}

impl Content {
    /// Of what is not mentioned.
    pub const ANY: Content = Content {
        value: Known::Nothing,
        definition: Definition::Defined,
    };

    pub(crate) fn says_something(&self) -> bool {
        let value = match &self.value {
            Known::Nothing => false,
            Known::Number(n) => *n != Number::TOP,
            Known::Pointer(r) => *r != Reference::ANY,
        };
        value || self.definition != Definition::Defined
    }
}

static ANY: Content = Content::ANY;

impl Reference {
    pub const ANY: Reference = Reference {
        null: Nullness::ANY,
        room: None,
        functions: Vec::new(),
    };
}

/// It may be null, and the code introduced that or acknowledges it.
pub fn is_null_on_evidence(null: Nullness) -> bool {
    null.may_be_null && (null.acknowledged || null.introduced)
}

impl Given {
    /// The places with what is known of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Access, &Content)> {
        self.known.iter().map(|(access, content)| (access, content))
    }

    pub fn get(&self, access: &Access) -> Option<&Content> {
        let at = self.known.binary_search_by(|(a, _)| a.cmp(access));
        at.ok().map(|i| &self.known[i].1)
    }

    /// None where nothing is: behind a pointer that is surely null.
    fn content(&self, access: &Access) -> Option<&Content> {
        let nowhere = |holder: Access| match self.get(&holder).map(|c| &c.value) {
            Some(Known::Pointer(r)) => !r.null.may_be_valid,
            _ => false,
        };
        if access.holders().any(nowhere) {
            return None;
        }
        Some(self.get(access).unwrap_or(&ANY))
    }
}

impl Entry {
    /// What is known, in any order; places that say nothing are left out. (Of a place that is there twice
    /// the first counts.)
    pub fn given(known: impl IntoIterator<Item = (Access, Content)>) -> Entry {
        let mut known: Vec<(Access, Content)> = known.into_iter().collect();
        known.retain_mut(|(_, content)| {
            let value = std::mem::replace(&mut content.value, Known::Nothing);
            content.value = value.or_nothing();
            *content != Content::ANY
        });
        known.sort_by(|a, b| a.0.cmp(&b.0));
        known.dedup_by(|later, first| later.0 == first.0);
        Entry::in_order(known)
    }

    /// The same for what is in order, each place once, and says something.
    pub(crate) fn in_order(known: Vec<(Access, Content)>) -> Entry {
        debug_assert!(known.is_sorted_by(|a, b| a.0 < b.0));
        debug_assert!(known.iter().all(|(_, content)| content.says_something()));
        match known.is_empty() {
            true => Entry::Anything,
            false => Entry::Given(Given { known }),
        }
    }

    /// What is known of a place; none where nothing is.
    fn content(&self, access: &Access) -> Option<&Content> {
        match self {
            Entry::Anything => Some(&ANY),
            Entry::Given(given) => given.content(access),
        }
    }

    fn accesses(&self) -> impl Iterator<Item = &Access> {
        let known = match self {
            Entry::Anything => &[][..],
            Entry::Given(given) => &given.known,
        };
        known.iter().map(|(access, _)| access)
    }

    /// Does it stand for all runs of the other, with at least its evidence?
    pub fn covers(&self, other: &Entry) -> bool {
        let covered = |access: &Access| match (self.content(access), other.content(access)) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(a), Some(b)) => a.covers(b),
        };
        self.accesses().chain(other.accesses()).all(covered)
    }

    /// An upper bound: it covers each of them. It does not depend on their order or number, and chains of
    /// ever larger bounds (of a bound, and what came of it) end.
    pub fn merge(all: &[Entry]) -> Entry {
        let accesses: BTreeSet<&Access> = all.iter().flat_map(Entry::accesses).collect();
        let known = accesses.into_iter().filter_map(|access| {
            let contents: Vec<&Content> = all.iter().filter_map(|e| e.content(access)).collect();
            (!contents.is_empty()).then(|| (access.clone(), Content::bound_of(&contents)))
        });
        Entry::given(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: Number) -> Content {
        Content {
            value: Known::Number(n.settled()),
            definition: Definition::Defined,
        }
    }

    fn pointer(null: Nullness) -> Content {
        Content {
            value: Known::Pointer(Reference {
                null,
                ..Reference::ANY
            }),
            definition: Definition::Defined,
        }
    }

    fn behind(param: u32, start: i64) -> Access {
        let part = Part {
            start,
            bits: 32,
            kind: Kind::Signed,
        };
        Access::param(param).then(part).unwrap_or(Access::param(99))
    }

    #[test]
    fn what_says_nothing_is_anything() {
        let known = [
            (Access::param(0), Content::ANY),
            (Access::param(1), number(Number::TOP)),
            (Access::param(2), pointer(Nullness::ANY)),
        ];
        assert_eq!(Entry::given(known), Entry::Anything);
        assert_eq!(Entry::merge(&[]), Entry::Anything);
    }

    #[test]
    fn the_order_in_which_things_are_told_does_not_matter() {
        let (a, b) = (
            (Access::param(0), number(Number::constant(1))),
            (behind(1, 0), number(Number::constant(2))),
        );
        let one = Entry::given([a.clone(), b.clone()]);
        assert_eq!(one, Entry::given([b, a]));
    }

    #[test]
    fn evidence_is_not_covered_by_anything() {
        let null = Entry::given([(Access::param(0), pointer(Nullness::NULL))]);
        assert!(!Entry::Anything.covers(&null));
        assert!(!null.covers(&Entry::Anything));
        let both = Entry::merge(&[null.clone(), Entry::Anything]);
        assert!(both.covers(&null) && both.covers(&Entry::Anything));
        assert_eq!(
            both,
            Entry::given([(Access::param(0), pointer(Nullness::FALLIBLE))])
        );
        // A valid pointer is nothing new.
        let valid = Entry::given([(Access::param(0), pointer(Nullness::VALID))]);
        assert!(Entry::Anything.covers(&valid));
    }

    #[test]
    fn what_lies_behind_null_does_not_blur_what_lies_behind_others() {
        let null = Entry::given([(Access::param(0), pointer(Nullness::NULL))]);
        let twelve = Entry::given([
            (Access::param(0), pointer(Nullness::VALID)),
            (behind(0, 0), number(Number::constant(12))),
        ]);
        let merged = Entry::merge(&[null.clone(), twelve.clone()]);
        let expected = Entry::given([
            (Access::param(0), pointer(Nullness::FALLIBLE)),
            (behind(0, 0), number(Number::constant(12))),
        ]);
        assert_eq!(merged, expected);
        assert!(merged.covers(&null) && merged.covers(&twelve));
        assert!(!twelve.covers(&merged));
    }

    #[test]
    fn something_unwritten_beside_something_written_is_possibly_unwritten() {
        let unwritten = Content {
            value: Known::Nothing,
            definition: Definition::Undefined,
        };
        let a = Entry::given([(behind(0, 0), unwritten)]);
        let Entry::Given(merged) = Entry::merge(&[a.clone(), Entry::Anything]) else {
            panic!("it says something");
        };
        let content = merged.get(&behind(0, 0)).expect("told");
        assert_eq!(content.definition, Definition::Possibly);
    }

    #[test]
    fn more_functions_than_a_few_are_any() {
        let entry = |names: &[&str]| {
            let functions = names.iter().map(|n| Named {
                name: (*n).to_string(),
                unit: None,
            });
            let value = Known::Pointer(Reference {
                null: Nullness::VALID,
                room: None,
                functions: functions.collect(),
            });
            Entry::given([(
                Access::param(0),
                Content {
                    value,
                    definition: Definition::Defined,
                },
            )])
        };
        let two = Entry::merge(&[entry(&["b"]), entry(&["a"])]);
        assert_eq!(two, entry(&["a", "b"]));
        assert!(two.covers(&entry(&["a"])) && !entry(&["a"]).covers(&two));
        let many = Entry::merge(&[two, entry(&["c"]), entry(&["d"]), entry(&["e"])]);
        assert_eq!(many, entry(&[]));
    }

    #[test]
    fn a_recursion_that_counts_comes_to_rest() {
        let entry = |n: Number| Entry::given([(Access::param(0), number(n))]);
        let mut bound = entry(Number::constant(0));
        let mut turns = 0;
        loop {
            let Entry::Given(given) = &bound else {
                panic!("the counter is known");
            };
            let Some(Known::Number(n)) = given.get(&Access::param(0)).map(|c| c.value.clone())
            else {
                panic!("a number");
            };
            let int = domain::IntType {
                width: 32,
                signed: true,
            };
            let one = Number::constant(1);
            let next = domain::arithmetic::apply(domain::Operator::Add, &n, &one, int, false);
            let next = entry(next);
            if bound.covers(&next) {
                break;
            }
            bound = Entry::merge(&[next, bound, entry(Number::constant(0))]);
            turns += 1;
            assert!(turns < 8, "{bound:?}");
        }
    }
}
