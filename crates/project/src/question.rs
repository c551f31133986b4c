//! What is asked, and how much may be spent on the answer.

use ir::{Body, CheckId, EdgeId, ExprId, FuncId, Program};

/// Which runs fail at a check?
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Where runs begin: at the entry of this function, in any state.
    pub root: FuncId,
    /// The function that the check is in.
    pub function: FuncId,
    pub check: CheckId,
    /// The path on which it was found to fail, as edges of functions. What is tested on it comes first where there is not
    /// room for all facts; its functions are always looked into.
    pub path: &'a [(FuncId, EdgeId)],
    /// The body that the check is in, if it is not the function's own: one that stands for it and others. Then no function is
    /// entered from there.
    pub body: Option<&'a Body>,
    /// Conditions that showed a path to be infeasible: they are kept apart before all others.
    pub learnt: &'a [(FuncId, ExprId)],
}

impl Question<'_> {
    /// The body of a function.
    pub(crate) fn body_of<'p>(&'p self, program: &'p Program, f: FuncId) -> Option<&'p Body> {
        match self.body {
            Some(body) if f == self.function => Some(body),
            _ => program.functions[f].body.as_ref(),
        }
    }
}

/// How much is spent. All are counts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Facts of one function that are kept apart, and facts about globals.
    pub facts: usize,
    pub shared: usize,
    /// Facts that are told apart for what one edge does.
    pub cube: usize,
    /// Functions that are entered, and their edges.
    pub functions: usize,
    pub edges: usize,
    /// Room of the decision diagrams, in nodes.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            facts: 10,
            shared: 4,
            cube: 5,
            functions: 24,
            edges: 20_000,
            nodes: 1 << 21,
        }
    }
}
