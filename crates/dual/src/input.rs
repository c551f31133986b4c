//! What a function is given, as numbers.
//!
//! A scalar parameter is a number. A pointer is several: its *value* (0 if it is null, some larger number if not), the *length*
//! of the object that it points into, and its *offset* in there; so that `p[i]` is in bounds if `0 <= offset + 4 i` and
//! `offset + 4 i + 4 <= length`. What it points to is given as well, unless two pointers may lead there. Two things that are
//! no numbers become ones: whether the memory is *initialised*, and whether it is *alive*, 0 or 1. (dual.txt §2: "we rely
//! exclusively on an arithmetic constraint form": null is 0, an array has a length.)

use crate::facts::{Facts, Range};
use crate::linear::Symbol;
use crate::value::Object;
use ir::{GlobalId, TypeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// A parameter, by position.
    Parameter(u32),
    /// The contents of a global, before the call.
    Global(GlobalId),
}

/// A scalar in memory: at so many bits of an object, so many bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    pub start: i128,
    pub bits: u32,
}

/// A scalar that the function is given: a parameter, or what is found by following pointers from one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Given {
    pub root: Root,
    /// Through the pointer so far, this part of the object. Of a global the first is a part of itself.
    pub path: Vec<Part>,
}

/// What of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// Its value; of a pointer, 0 if it is null, and more than 0 if not.
    Value,
    /// Bytes of the object that a pointer points into.
    Length,
    /// Bytes from the beginning of that object to where the pointer points.
    Offset,
    /// Is that object there (1), or freed or out of scope (0)?
    Alive,
    /// Has it been written (1)?
    Initialized,
    /// Has all of the object been written that a pointer points into (1)? Asked where it is not known which part is read.
    Filled,
}

/// One number that the function is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input {
    pub given: Given,
    pub aspect: Aspect,
}

impl Aspect {
    /// Is it a bool that an object in good order has as 1?
    pub fn is_truth(self) -> bool {
        matches!(self, Aspect::Alive | Aspect::Initialized | Aspect::Filled)
    }

    /// What is known of it, whatever the type.
    pub fn range(self) -> Range {
        match self {
            Aspect::Value => Range::ANYTHING,
            // No machine has room for more.
            Aspect::Length | Aspect::Offset => Range::new(0, 1 << ROOM),
            Aspect::Alive | Aspect::Initialized | Aspect::Filled => Range::new(0, 1),
        }
    }
}

/// Bytes that a machine has room for, as a power of two.
const ROOM: u32 = 48;

/// How many times as much a function may be given that calls no other. So `offset + 4 i` is an offset that the callee of a
/// function can be given, too, and needs no case in which it is not.
const HEADROOM: u32 = 12;

/// The symbols of one analysis: inputs, each once, and what is unknown.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// How many calls are below this function, one within the other: the more, the less it may be given.
    pub height: u32,
    inputs: Vec<(Input, Symbol, Range)>,
    known: FxHashMap<Input, usize>,
    types: BTreeMap<Given, TypeId>,
    cells: FxHashMap<(Object, Part), Range>,
    born: FxHashMap<Symbol, Range>,
    next: u32,
}

impl Symbols {
    /// A number of which nothing is known.
    pub fn unknown(&mut self) -> Symbol {
        self.next += 1;
        Symbol(self.next - 1)
    }

    /// A number of which only this is known.
    pub fn unknown_within(&mut self, range: Range) -> Symbol {
        let symbol = self.unknown();
        self.born.insert(symbol, range);
        symbol
    }

    /// Do the facts say nothing of what is unknown that was not known of it from the beginning? Then they are a condition on the
    /// inputs alone.
    pub fn are_of_inputs(&self, facts: &Facts) -> bool {
        let is_input = |symbol: &Symbol| self.inputs.iter().any(|(_, s, _)| s == symbol);
        let forms = facts.zero().iter().chain(facts.not_negative());
        let mentioned = forms.flat_map(|form| form.terms().iter().map(|t| t.0));
        let mut mentioned = mentioned;
        mentioned.all(|s| is_input(&s))
            && facts.symbols().iter().all(|symbol| {
                is_input(symbol) || self.born.get(symbol) == Some(&facts.range(*symbol))
            })
    }

    /// The symbol of an input, and what its type says of it. The first range counts.
    pub fn input(&mut self, input: Input, range: Range) -> (Symbol, Range) {
        if let Some(at) = self.known.get(&input) {
            let (_, symbol, range) = &self.inputs[*at];
            return (*symbol, *range);
        }
        let symbol = self.unknown();
        let range = range.and(match input.aspect {
            Aspect::Length | Aspect::Offset => {
                let room = ROOM + HEADROOM.saturating_sub(self.height);
                Range::new(0, 1 << room)
            }
            aspect => aspect.range(),
        });
        self.known.insert(input.clone(), self.inputs.len());
        self.inputs.push((input, symbol, range));
        (symbol, range)
    }

    /// A scalar that is given is of this type; the first one counts.
    pub fn is_of_type(&mut self, given: &Given, ty: TypeId) {
        if !self.types.contains_key(given) {
            self.types.insert(given.clone(), ty);
        }
    }

    /// A number of this range was put into a scalar of memory, on some path.
    pub fn is_put(&mut self, object: &Object, part: Part, range: Range) {
        let known = self.cells.get_mut(&(object.clone(), part));
        match known {
            Some(known) => *known = known.or(range),
            None => {
                self.cells.insert((object.clone(), part), range);
            }
        }
    }

    /// The numbers that a scalar can hold, whatever the path: those of the types it was written at.
    pub fn range_in(&self, object: &Object, part: Part) -> Range {
        let known = self.cells.get(&(object.clone(), part));
        known.copied().unwrap_or(Range::ANYTHING)
    }

    /// The type of a scalar that was asked for.
    pub fn type_of(&self, given: &Given) -> Option<TypeId> {
        self.types.get(given).copied()
    }

    /// The types of all scalars that were asked for.
    pub fn types(&self) -> &BTreeMap<Given, TypeId> {
        &self.types
    }

    /// The symbol of an input that was asked for.
    pub fn find(&self, input: &Input) -> Option<Symbol> {
        self.known.get(input).map(|at| self.inputs[*at].1)
    }

    /// Is it an input that says yes or no, or whether a pointer is null?
    pub fn is_flag(&self, symbol: Symbol) -> bool {
        let found = self.inputs.iter().find(|(_, s, _)| *s == symbol);
        found.is_some_and(|(input, _, _)| match input.aspect {
            Aspect::Alive | Aspect::Initialized | Aspect::Filled => true,
            Aspect::Length | Aspect::Offset => false,
            Aspect::Value => self.known.contains_key(&Input {
                given: input.given.clone(),
                aspect: Aspect::Length,
            }),
        })
    }

    /// Is it a number of the program, or something unknown: no flag, and no size of an object?
    pub fn is_plain(&self, symbol: Symbol) -> bool {
        let found = self.inputs.iter().find(|(_, s, _)| *s == symbol);
        let is_size = |aspect| matches!(aspect, Aspect::Length | Aspect::Offset);
        !self.is_flag(symbol) && !found.is_some_and(|(input, _, _)| is_size(input.aspect))
    }

    /// Of each pointer that the function is given, what says whether it is null.
    pub fn pointers(&self) -> impl Iterator<Item = Symbol> {
        let values = self.inputs.iter();
        let values = values.filter(|(input, _, _)| input.aspect == Aspect::Value);
        let is_flag = |symbol: &Symbol| self.is_flag(*symbol);
        values.map(|(_, symbol, _)| *symbol).filter(is_flag)
    }

    /// All inputs that were asked for, in that order.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = (&Input, Symbol, Range)> {
        self.inputs.iter().map(|(i, s, r)| (i, *s, *r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_has_one_symbol() {
        let mut symbols = Symbols::default();
        let input = |aspect| Input {
            given: Given {
                root: Root::Parameter(0),
                path: Vec::new(),
            },
            aspect,
        };
        let length = symbols.input(input(Aspect::Length), Range::ANYTHING);
        let unknown = symbols.unknown();
        assert_eq!(length.1, Range::new(0, 1 << 60));
        assert_eq!(
            symbols.input(input(Aspect::Length), Range::new(5, 6)),
            length
        );
        let value = symbols.input(input(Aspect::Value), Range::new(0, 9));
        assert!(value.0 != length.0 && value.0 != unknown && unknown != length.0);
        assert_eq!(value.1, Range::new(0, 9));
        assert_eq!(symbols.inputs().len(), 2);
    }
}
