//! Why an error of level 1 is not reported: who had the last word on it.

use ir::FuncId;

/// The last word on a check that can fail, and is not reported.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Why {
    /// Refuted by level 1: only merged states fail, and no path is left when they are kept apart.
    Merged,
    /// Refuted by level 2 while it walked the path: a step is false as it stands.
    Walked,
    /// Refuted by the built-in prover.
    Intervals,
    /// Refuted by the solver.
    Solver,
    /// Refuted by refinement: what infeasible paths taught leaves no path.
    Refinement,
    /// Undecided: the budget of states ended.
    SearchBudget,
    /// Undecided: the budget of the solver ended.
    SolverBudget,
    /// Undecided: only a solver could tell, and there is none that works.
    NoSolver,
    /// Undecided: the solver has a run, and the interpreter does not fail in it.
    Replay,
    /// Undecided: it needs values to coincide that nothing in view relates.
    Coincidence,
    /// Undecided: a caller may pass a bad value from so far away that nobody looked.
    Distance,
    /// Undecided: a caller passes a bad value, and the functions on the way are too large to be looked at for it.
    Size,
    /// Undecided: a caller passes a bad value, and the functions on the way cannot be made one body.
    Apart,
    /// Latent: no bad value is acknowledged.
    Unacknowledged,
    /// Latent: the callee may give a bad value, but nothing shows that it does for what it is passed.
    Answered { callee: FuncId },
    /// Latent: the callee may give null, but those who call it rely on that it does not.
    Relied {
        callee: FuncId,
        /// Calls whose result nobody tests.
        untested: u32,
        calls: u32,
    },
}
