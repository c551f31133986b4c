//! Who knows from where a loop never ends: asked for loops that change something in every turn.
//!
//! A counter that moves on is no sign that a loop ends: `for (unsigned i = n; i >= 0; i--)` counts round and round. Dual analysis
//! (dual.txt, §4) knows: LOOP, the inputs with which a function neither comes back nor fails, is certain of every input in it. Rules know of
//! no engine, so whoever puts checks in says who answers ([`Loops`]); the answer is a condition on numbers, and becomes a check.

use ir::{Body, CompareOp, FuncId, Program};

/// Answers what a rule on loops cannot see by itself.
pub trait Loops: Sync {
    /// For which parameters does a body surely never come to its end? In no other case is anything said. The parameters are
    /// integers, nothing is called in it, and no memory is read.
    fn never_ends(&self, program: &Program, body: &Body) -> Cases;

    /// Does a function that is only declared surely come back?
    fn comes_back(&self, program: &Program, f: FuncId) -> bool;

    /// Is it said of a function that it does not come back, whatever its body shows?
    fn ends(&self, program: &Program, f: FuncId) -> bool;
}

/// One of these holds.
pub type Cases = Vec<Vec<Bound>>;

/// `parameter op than`, of numbers. In a case all hold; one without any always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// The parameter, by position.
    pub of: usize,
    pub op: CompareOp,
    pub than: Than,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Than {
    Number(i128),
    /// Another parameter, of the same type.
    Parameter(usize),
}

/// Knows nothing.
pub struct Nobody;

impl Loops for Nobody {
    fn never_ends(&self, _: &Program, _: &Body) -> Cases {
        Cases::new()
    }

    fn comes_back(&self, _: &Program, _: FuncId) -> bool {
        false
    }

    fn ends(&self, _: &Program, _: FuncId) -> bool {
        false
    }
}
