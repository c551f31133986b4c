//! What is not treated conservatively, or not exactly, by number (Orion §4 names its own such list).
//!
//! Two lists. [`Constructs`] are in the program, whatever is found in it: places where what happens is
//! not known, and something is taken for granted. [`Inexact`] is what level 2 did not compute on the
//! paths that it judged: it may take one for possible that is not.

use feasible::{Meaning, Opaque, Path};
use ir::{CallGraph, CallOutcome, Callee, FuncId, HavocReason, Program, Stmt};
use std::collections::BTreeMap;

/// A kind of construct that is not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Construct {
    /// `setjmp` and what returns twice like it.
    ReturnsTwice,
    Jump,
    /// A call through a pointer to which no function in view fits.
    UnresolvedPointer,
    /// A call of a function that is not in view and has no model.
    UnknownFunction,
    InlineAssembly,
    /// Another value that the front end could not say.
    UnknownValue,
}

/// How often, and in how many functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    pub statements: usize,
    pub functions: usize,
}

/// The constructs in the functions of a program that `counts` wants.
pub fn constructs(
    program: &Program,
    counts: impl Fn(FuncId) -> bool,
) -> BTreeMap<Construct, Occurrences> {
    let graph = CallGraph::new(program);
    let mut all: BTreeMap<Construct, Occurrences> = BTreeMap::new();
    for (_, _, body) in program.bodies().filter(|(f, ..)| counts(*f)) {
        let mut here: BTreeMap<Construct, usize> = BTreeMap::new();
        for edge in body.edges().values() {
            let found = match &edge.stmt {
                Stmt::Havoc { reason, .. } => Some(match reason {
                    HavocReason::InlineAssembly => Construct::InlineAssembly,
                    _ => Construct::UnknownValue,
                }),
                Stmt::Call(call) => match (call.outcome, call.callee) {
                    (CallOutcome::Again, _) => Some(Construct::ReturnsTwice),
                    // The same call once more.
                    (CallOutcome::Unwind, _) => None,
                    (CallOutcome::Return, Callee::Direct(callee)) => {
                        let is_again = |e: &ir::Edge| matches!(&e.stmt, Stmt::Call(c) if c.outcome == CallOutcome::Again);
                        let twice = body.out_edges(edge.from).any(|(_, e)| is_again(e));
                        (!twice).then(|| called(program, callee)).flatten()
                    }
                    (CallOutcome::Return, Callee::Indirect(_)) => graph
                        .targets(program, body, call)
                        .is_empty()
                        .then_some(Construct::UnresolvedPointer),
                },
                _ => None,
            };
            if let Some(found) = found {
                *here.entry(found).or_default() += 1;
            }
        }
        for (construct, statements) in here {
            let entry = all.entry(construct).or_default();
            entry.statements += statements;
            entry.functions += 1;
        }
    }
    all
}

fn called(program: &Program, callee: FuncId) -> Option<Construct> {
    let function = program.functions.get(callee)?;
    let name = program.name(function.name);
    if library::function(name).is_some_and(|f| f.jumps) {
        return Some(Construct::Jump);
    }
    if ["__asm__", "__rigel_barrier"].contains(&name) {
        return Some(Construct::InlineAssembly);
    }
    let known = function.body.is_some() || function.noreturn;
    (!known && automata::models::model(name).is_none()).then_some(Construct::UnknownFunction)
}

/// What was not treated exactly on the paths that were judged, by number. A prefix that paths share counts for
/// each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Inexact {
    /// Results of floating-point arithmetic.
    pub floats: usize,
    /// Other values that have no form in the solver's logic.
    pub operators: usize,
    /// Reads that could have met too many writes.
    pub reads: usize,
    /// Case splits on aliases that were given up.
    pub splits: usize,
    /// Calls that were not entered: only their summary counts, if there is one.
    pub calls: usize,
}

impl Inexact {
    pub(crate) fn add(&mut self, path: &Path<'_>) {
        // The order of the table does not show in a count.
        let count = |wanted: &[Opaque]| {
            let is_it = |m: &&Meaning| matches!(m, Meaning::Opaque(why) if wanted.contains(why));
            path.meanings.values().filter(is_it).count()
        };
        self.floats += count(&[Opaque::Float]);
        self.operators += count(&[Opaque::Operator, Opaque::Wide]);
        self.reads += count(&[Opaque::Memory]);
        self.splits += path.approximations.splits_dropped as usize;
        self.calls += path.approximations.calls as usize;
    }
}

impl std::ops::AddAssign for Inexact {
    fn add_assign(&mut self, other: Inexact) {
        self.floats += other.floats;
        self.operators += other.operators;
        self.reads += other.reads;
        self.splits += other.splits;
        self.calls += other.calls;
    }
}
