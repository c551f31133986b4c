//! Loops that run any number of turns: what they write is unknown afterwards.

use crate::contents::Layer;
use crate::object::ObjectId;
use crate::path::{Meaning, Path};
use ir::{EdgeId, Stmt};
use logic::{Label, SymbolId};

/// Steps at the end of a loop that its test takes: `i < n && a[i]` is two tests with checks.
const EXIT_TESTS: Label = 3;

impl Path<'_> {
    /// The edges of some turns of a loop, any number of times.
    pub(crate) fn any_turns(&mut self, edges: &[EdgeId]) {
        let body = self.frame.body;
        let first = (self.pool.symbol_count(), self.sources.len());
        for &edge in edges {
            match &body.edges()[edge].stmt {
                Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => {
                    for target in self.locate(*place).targets {
                        self.forget(target.object);
                    }
                }
                Stmt::Copy { target, .. } | Stmt::Fill { target, .. } => {
                    let pointer = self.value(*target);
                    for target in self.targets(pointer) {
                        self.forget(target.object);
                    }
                }
                Stmt::Call(call) => {
                    self.call(call);
                    if let Some(place) = call.result {
                        for target in self.locate(place).targets {
                            self.forget(target.object);
                        }
                    }
                }
                _ => {}
            }
        }
        let end = (self.pool.symbol_count(), self.sources.len());
        self.looped.push((first.0..end.0, first.1..end.1));
    }

    /// A loop is left at this step.
    pub(crate) fn leave_loop(&mut self, step: usize) {
        self.left.push(step as Label);
    }

    /// All of it was written, with anything.
    fn forget(&mut self, object: ObjectId) {
        if !self.is_constant(object) {
            let source = self.source(object, true);
            self.cover(object, Layer::Unknown(source));
        }
    }

    /// Does a fact depend on what a loop left, other than the test with which it is left? Then the
    /// error may well have to do with the loop.
    pub(crate) fn depends_on_loop(&self) -> bool {
        self.facts.iter().any(|&(label, fact)| {
            let exit = self
                .left
                .iter()
                .any(|at| (*at..at + EXIT_TESTS).contains(&label));
            let symbols = self.pool.closure(&[fact]).into_iter();
            let mut symbols = symbols.filter_map(|t| self.pool.as_symbol(t));
            !exit && symbols.any(|s| self.is_looped(s))
        })
    }

    fn is_looped(&self, symbol: SymbolId) -> bool {
        let source = match self.meanings.get(&symbol) {
            Some(Meaning::Bytes { source, .. }) => Some(source.0 as usize),
            _ => None,
        };
        self.looped.iter().any(|(symbols, sources)| {
            symbols.contains(&(symbol.0 as usize)) || source.is_some_and(|s| sources.contains(&s))
        })
    }
}
