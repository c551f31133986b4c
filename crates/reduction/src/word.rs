//! The interval equations of a word, or of a fragment of one (§4.2, (4) and (5)).
//!
//! A variable of the equations is an [`Instance`]: a variable of the automaton, as it was written
//! on the way into a location. An update becomes one expression, in which every variable is the
//! instance written last before it (4); all expressions of one instance are joined (5). So a
//! location that comes again adds no variable, and a loop that is taken once more adds no equation.
//!
//! What was not written before in the fragment is a constant, the variable's range. (The paper has
//! a variable x at l₀ for it, which would be lost if the word came back to l₀ and wrote x there.)

use crate::automaton::{Automaton, Edge, Location, Variable};
use crate::expression::{ExpressionId, Expressions, Replacement};
use crate::strategy;
use crate::system::System;
use rustc_hash::FxHashSet;

/// A variable as it is written on the way into a location: `x_l`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    pub variable: Variable,
    pub location: Location,
}

/// Where each variable was written last.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    locations: Vec<Option<Location>>,
}

impl Current {
    pub fn new(automaton: &Automaton) -> Current {
        Current {
            locations: vec![None; automaton.variable_count()],
        }
    }

    pub fn write(&mut self, variable: Variable, location: Location) {
        self.locations[variable.0 as usize] = Some(location);
    }

    pub fn of(&self, automaton: &Automaton, variable: Variable) -> Replacement<Instance> {
        match self.locations[variable.0 as usize] {
            Some(location) => Replacement::Variable(Instance { variable, location }),
            None => Replacement::Constant(automaton.range(variable)),
        }
    }
}

/// `IE_w`: the equations of a word or a fragment; expressions in the order of the word.
pub fn equations(automaton: &Automaton, word: &[Edge]) -> System<Instance> {
    let mut system = System::new();
    let mut seen = FxHashSet::default();
    for (instance, value) in expressions(automaton, word, &mut system.expressions) {
        if seen.insert((instance, value)) {
            system.add(instance, value);
        }
    }
    system
}

/// `expr_w`: what each update of the word writes, and where.
pub fn expressions(
    automaton: &Automaton,
    word: &[Edge],
    into: &mut Expressions<Instance>,
) -> Vec<(Instance, ExpressionId)> {
    let mut current = Current::new(automaton);
    let mut written = Vec::new();
    for &edge in word {
        let location = automaton.target(edge);
        for update in automaton.updates(edge) {
            let value = into.substitute(&automaton.expressions, update.value, &mut |x| {
                current.of(automaton, x)
            });
            let variable = update.variable;
            written.push((Instance { variable, location }, value));
        }
        for update in automaton.updates(edge) {
            current.write(update.variable, location);
        }
    }
    written
}

/// Does the least solution of the word's equations show that no run takes it (Lemma 1)?
pub fn is_spurious(automaton: &Automaton, word: &[Edge]) -> bool {
    strategy::solve(&equations(automaton, word))
        .values()
        .any(|value| value.is_empty())
}
