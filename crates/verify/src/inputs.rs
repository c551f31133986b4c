//! Which inputs to try.
//!
//! Most errors of small programs need no particular input, or one that the program compares with. So the values are few:
//! small ones, and the constants of the code with their neighbours. First every input is the same value, then they are
//! drawn from all of these. Nothing is left to chance: the same program is tried with the same values.

use interp::Oracle;
use ir::walk::Item;
use ir::{ExprKind, FuncId, Program};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Constants of the code that are taken into account.
const CONSTANTS: usize = 40;

/// The values that inputs are drawn from.
pub struct Values(Vec<u64>);

impl Values {
    /// Of the functions of a program.
    pub fn of(program: &Program, functions: &BTreeSet<FuncId>) -> Values {
        let mut constants: BTreeSet<i128> = BTreeSet::new();
        for f in functions {
            let Some(body) = program.functions.get(*f).and_then(|f| f.body.as_ref()) else {
                continue;
            };
            ir::walk::used_by_program(body, &mut |item| {
                if let Item::Expr(e) = item
                    && let ExprKind::Compare(_, a, b) = body.exprs[e].kind
                {
                    for side in [a, b].map(|side| &body.exprs[side]) {
                        if let ExprKind::Int(bits) = side.kind
                            && let Some((width, signed)) = program.types.as_int(side.ty)
                        {
                            constants.insert(ir::int_value(bits, width, signed));
                        }
                    }
                }
            });
        }
        let mut all: Vec<u64> = vec![0, 1, u64::MAX, 2];
        // The smallest first: there are more of them in programs, too.
        let mut constants: Vec<i128> = constants.into_iter().collect();
        constants.sort_by_key(|c| (c.unsigned_abs(), *c));
        for c in constants.into_iter().take(CONSTANTS) {
            for near in [c, c + 1, c - 1] {
                let near = near as u64;
                if !all.contains(&near) {
                    all.push(near);
                }
            }
        }
        all.extend([i32::MAX as u64, i32::MIN as u64, 10, 100]);
        Values(all)
    }

    /// The inputs of the n-th try.
    pub fn tried(&self, n: usize) -> Source {
        let state = match n < self.0.len() {
            true => 0,
            // Any odd multiple will do.
            false => (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
        };
        Source(Rc::new(RefCell::new(Draw {
            values: self.0.clone(),
            same: n,
            state,
            first: Vec::new(),
            given: Vec::new(),
        })))
    }

    /// These inputs, and then zeros.
    pub fn exactly(&self, inputs: &[u64]) -> Source {
        Source(Rc::new(RefCell::new(Draw {
            values: vec![0],
            same: 0,
            state: 0,
            first: inputs.to_vec(),
            given: Vec::new(),
        })))
    }
}

/// Gives inputs, and remembers which.
#[derive(Clone)]
pub struct Source(Rc<RefCell<Draw>>);

struct Draw {
    values: Vec<u64>,
    /// The value that all inputs have, if nothing is drawn.
    same: usize,
    /// Of the generator; 0: nothing is drawn.
    state: u64,
    /// What comes before all that.
    first: Vec<u64>,
    given: Vec<u64>,
}

impl Draw {
    fn next(&mut self) -> u64 {
        let value = match self.first.get(self.given.len()) {
            Some(value) => *value,
            None if self.state == 0 => self.values.get(self.same).copied().unwrap_or(0),
            None => self.draw(),
        };
        self.given.push(value);
        value
    }

    /// Marsaglia's xorshift.
    fn bits(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 11
    }

    /// Some runs choose between two values, some among a few, some among all.
    fn draw(&mut self) -> u64 {
        let all = self.values.len().max(1);
        let of = match self.same % 3 {
            0 => 2,
            1 => all.min(8),
            _ => all,
        };
        let at = self.bits() as usize % of;
        match self.same % 3 == 2 && self.bits().is_multiple_of(4) {
            true => (self.bits() % 64).wrapping_sub(16),
            false => self.values.get(at).copied().unwrap_or(0),
        }
    }
}

impl Source {
    /// What was given.
    pub fn given(&self) -> Vec<u64> {
        self.0.borrow().given.clone()
    }
}

impl Oracle for Source {
    fn nondet(&mut self, _: &str) -> Option<u64> {
        Some(self.0.borrow_mut().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(values: &Values, n: usize) -> Vec<u64> {
        let mut source = values.tried(n);
        (0..6).for_each(|_| {
            source.nondet("");
        });
        source.given()
    }

    #[test]
    fn the_same_try_gives_the_same_inputs() {
        let values = Values(vec![0, 1, 7]);
        assert_eq!(first(&values, 2), [7; 6]);
        assert_eq!(first(&values, 40), first(&values, 40));
        assert_ne!(first(&values, 41), first(&values, 44));
        let mut exactly = values.exactly(&[5, 6]);
        let given: Vec<_> = (0..3).filter_map(|_| exactly.nondet("")).collect();
        assert_eq!(given, [5, 6, 0]);
    }
}
