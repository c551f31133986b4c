//! Does an error need somebody to do the unexpected?
//!
//! A path that can be taken may still rely on what nobody would grant: that a caller hands over null where the
//! function never asks for it, or that a call in the middle changes a word that the path has just tested,
//! somewhere deep below, though neither the callee nor what it calls by name writes it. So the path is walked once
//! more, with parameters that are as the function takes them to be, and with calls that write only what is
//! near. What cannot be taken then is no error of this function that anybody could show.

use crate::path::Path;
use automata::Context;
use ir::{Body, EdgeId, FuncId, VarId};
use logic::{Answer, Label, Prover};

/// What is granted.
#[derive(Clone, Copy, Debug)]
pub enum Granted<'a> {
    /// These parameters are not null.
    Valid(&'a [VarId]),
    /// Calls write only what the statements of the callee write, and of the functions that it calls by name.
    Calm,
}

/// The steps that contradict what is granted; none if the path can be taken, or nobody can tell.
pub fn contradiction<'p>(
    context: &'p Context<'p>,
    function: FuncId,
    body: &'p Body,
    edges: &[EdgeId],
    granted: Granted<'_>,
    prover: &mut dyn Prover,
    budget: u64,
) -> Option<Vec<Label>> {
    let mut path = Path::new(context, function, body);
    match granted {
        Granted::Valid(params) => {
            for param in params {
                path.assume_valid(*param);
            }
        }
        Granted::Calm => path.calm = true,
    }
    path.steps(edges, 0..edges.len());
    if let Some(&(label, _)) = path.facts.last().filter(|_| path.is_contradictory()) {
        return Some(vec![label]);
    }
    prover.reset();
    for &(label, fact) in &path.facts {
        prover.assert(&path.pool, label, fact);
    }
    match prover.check(&path.pool, budget) {
        Answer::Unsatisfiable(mut core) => {
            core.dedup();
            Some(core)
        }
        _ => None,
    }
}

impl Path<'_> {
    /// The parameter that the path begins with is not null.
    pub(crate) fn assume_valid(&mut self, param: VarId) {
        let object = self.var_object(param);
        let start = self.word64(0);
        let word = self.read(object, start, 8).value;
        let valid = self.pool.is_nonzero(word);
        self.assume(valid);
    }
}
