//! A path as a straight line of actions, and its two calculi (Orion §3.1).
//!
//! Once every load, store and alias on a path is resolved, what is left are definitions `x := e` of
//! symbols, each defined once, and tests. The strongest postcondition goes forwards: every test with
//! the definitions before it put in. The weakest liberal precondition goes backwards: it starts
//! with *false* and substitutes, and a definition of what nobody asks for is passed over, which is
//! the slicing the paper describes. By theorems 4 and 5 the path is feasible iff `wlp(π, false)` is
//! not valid iff `sp(π, true)` is satisfiable.

use logic::{Label, Pool, Substitution, SymbolId, TermId};
use rustc_hash::FxHashSet;

/// One step of a resolved path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The symbol stands for the term from here on. It occurs nowhere before.
    Define(SymbolId, TermId),
    /// The path goes on only if this holds. The label says which step of the path it is.
    Assume(Label, TermId),
}

/// The tests of `sp(π, true)`, over the symbols that nothing defines: the path is feasible iff all
/// of them can be true at once.
pub fn strongest_postcondition(pool: &mut Pool, actions: &[Action]) -> Vec<(Label, TermId)> {
    let mut definitions = Substitution::new();
    let mut tests = Vec::new();
    for action in actions {
        match *action {
            Action::Define(symbol, term) => {
                let term = definitions.apply(pool, term);
                definitions.define(symbol, term);
            }
            Action::Assume(label, test) => tests.push((label, definitions.apply(pool, test))),
        }
    }
    tests
}

/// What a backwards calculation gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precondition {
    /// `wlp(π, after)`, over the symbols that nothing defines.
    pub condition: TermId,
    /// The definitions that it took, by their index, in ascending order: the slice.
    pub slice: Vec<usize>,
}

/// `wlp(π, after)`: from exactly these states every run along the path ends in `after`.
pub fn weakest_liberal_precondition(
    pool: &mut Pool,
    actions: &[Action],
    after: TermId,
) -> Precondition {
    // Backwards, what is asked for: the tests and `after`, and what their definitions ask for.
    // Substituting at each definition would walk the growing condition once per statement; noting
    // the definitions that are asked for and substituting once at the end is the same, since each
    // symbol is defined once.
    let mut asked: FxHashSet<SymbolId> = FxHashSet::default();
    let ask = |pool: &Pool, term: TermId, asked: &mut FxHashSet<SymbolId>| {
        for t in pool.closure(&[term]) {
            asked.extend(pool.as_symbol(t));
        }
    };
    ask(pool, after, &mut asked);
    let mut slice = Vec::new();
    for (i, action) in actions.iter().enumerate().rev() {
        match *action {
            Action::Define(symbol, term) if asked.contains(&symbol) => {
                ask(pool, term, &mut asked);
                slice.push(i);
            }
            Action::Define(..) => {}
            Action::Assume(_, test) => ask(pool, test, &mut asked),
        }
    }
    slice.reverse();
    let mut definitions = Substitution::new();
    for &i in &slice {
        if let Action::Define(symbol, term) = actions[i] {
            let term = definitions.apply(pool, term);
            definitions.define(symbol, term);
        }
    }
    let mut condition = definitions.apply(pool, after);
    for action in actions.iter().rev() {
        if let Action::Assume(_, test) = *action {
            // Valid already: what comes before need not be looked at.
            if pool.as_bool(condition) == Some(true) {
                break;
            }
            let test = definitions.apply(pool, test);
            condition = pool.implies(test, condition);
        }
    }
    Precondition { condition, slice }
}
