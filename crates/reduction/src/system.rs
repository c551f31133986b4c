//! Interval equation systems (§2.2): a mapping from variables to expressions.

use crate::expression::{ExpressionId, Expressions};
use crate::interval::Interval;
use std::collections::BTreeMap;
use std::hash::Hash;

/// An interval for every variable of a system.
pub type Valuation<V> = BTreeMap<V, Interval>;

/// Equations `x = φ`. A variable without an equation can be anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System<V> {
    pub expressions: Expressions<V>,
    equations: BTreeMap<V, ExpressionId>,
}

impl<V> Default for System<V> {
    fn default() -> Self {
        System {
            expressions: Expressions::default(),
            equations: BTreeMap::new(),
        }
    }
}

impl<V: Copy + Eq + Hash + Ord> System<V> {
    pub fn new() -> Self {
        System::default()
    }

    /// Sets the equation of a variable, in place of the one that it may have.
    pub fn define(&mut self, variable: V, value: ExpressionId) {
        self.equations.insert(variable, value);
    }

    /// Adds a value to those of a variable: `x = old ⊔ value`.
    pub fn add(&mut self, variable: V, value: ExpressionId) {
        let value = match self.equations.get(&variable) {
            Some(&old) => self.expressions.join(old, value),
            None => value,
        };
        self.equations.insert(variable, value);
    }

    pub fn equation(&self, variable: V) -> Option<ExpressionId> {
        self.equations.get(&variable).copied()
    }

    /// All equations, by variable.
    pub fn equations(&self) -> impl Iterator<Item = (V, ExpressionId)> {
        self.equations.iter().map(|(&x, &e)| (x, e))
    }

    pub fn len(&self) -> usize {
        self.equations.len()
    }

    pub fn is_empty(&self) -> bool {
        self.equations.is_empty()
    }

    /// `⟦φ⟧` under a valuation.
    pub fn evaluate(&self, expression: ExpressionId, valuation: &Valuation<V>) -> Interval {
        self.expressions.evaluate(expression, &|x| {
            valuation.get(&x).copied().unwrap_or(Interval::FULL)
        })
    }

    /// Is every variable exactly what its equation says?
    pub fn is_solution(&self, valuation: &Valuation<V>) -> bool {
        self.equations()
            .all(|(x, e)| valuation.get(&x) == Some(&self.evaluate(e, valuation)))
    }

    /// The equations as text, one a line.
    pub fn show(&self, name: &impl Fn(V) -> String) -> String {
        self.equations()
            .map(|(x, e)| format!("{} = {}\n", name(x), self.expressions.show(e, name)))
            .collect()
    }
}
