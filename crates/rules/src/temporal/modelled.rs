//! Automata whose labels speak of functions of the library by what is known of them ([`library`]): "whatever closes a stream".

use super::{Automaton, Outcome, Pattern};
use library::{Function, Library, When};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Automata that are made of what is known of functions, when they are first asked for, and again if something else is known
/// (a user's models). What was made before stays: programs may be woven with it.
pub struct Modelled {
    make: fn(&'static Library) -> Vec<Automaton>,
    made: Mutex<Option<Made>>,
}

type Made = (&'static Library, &'static [Automaton]);

impl Modelled {
    pub const fn new(make: fn(&'static Library) -> Vec<Automaton>) -> Modelled {
        Modelled {
            make,
            made: Mutex::new(None),
        }
    }

    pub fn automata(&self) -> &'static [Automaton] {
        let library = library::current();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match *made {
            Some((of, automata)) if std::ptr::eq(of, library) => automata,
            _ => {
                let automata = (self.make)(library).leak();
                *made = Some((library, automata));
                automata
            }
        }
    }
}

/// Patterns for arguments of functions: their positions, and the ends of the call that count, by what is known of a function.
pub fn arguments<I>(library: &'static Library, of: impl Fn(&'static Function) -> I) -> Vec<Pattern>
where
    I: IntoIterator<Item = (usize, When)>,
{
    let mut all: BTreeMap<(usize, When), Vec<&'static str>> = BTreeMap::new();
    for f in library.functions() {
        for which in of(f) {
            all.entry(which).or_default().push(&f.name);
        }
    }
    let pattern = |((position, when), functions): (_, Vec<_>)| Pattern::Argument {
        functions: functions.leak(),
        position,
        outcome: match when {
            When::Always => Outcome::Any,
            When::Zero => Outcome::Zero,
            When::NotZero => Outcome::NotZero,
        },
    };
    all.into_iter().map(pattern).collect()
}

/// A pattern for what functions give back.
pub fn results(library: &'static Library, which: impl Fn(&Function) -> bool) -> Pattern {
    Pattern::Result {
        functions: library.named(which).leak(),
    }
}
