//! Dual analysis answers what rules ask of loops: neither knows of the other.

use crate::noreturn::is_named;
use automata::models::model;
use dual::endless::{Comparison, Side, never_ends};
use ir::{Body, FuncId, Program};
use rules::endless::{Bound, Cases, Loops, Than};

/// By LOOP conditions.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByDual<'n> {
    /// Functions that do not come back, by linkage or display name (`Settings::noreturn`).
    pub noreturn: &'n [String],
}

impl Loops for ByDual<'_> {
    fn never_ends(&self, program: &Program, body: &Body) -> Cases {
        let bound = |c: Comparison| Bound {
            of: c.a,
            op: c.op,
            than: match c.b {
                Side::Number(n) => Than::Number(n),
                Side::Parameter(i) => Than::Parameter(i),
            },
        };
        let cases = never_ends(program, body).into_iter();
        cases
            .map(|case| case.into_iter().map(bound).collect())
            .collect()
    }

    fn comes_back(&self, program: &Program, f: FuncId) -> bool {
        let Some(function) = program.functions.get(f) else {
            return false;
        };
        let known = model(program.name(function.name));
        !function.noreturn && known.is_some_and(|model| model.returns && !model.throws)
    }

    fn ends(&self, program: &Program, f: FuncId) -> bool {
        is_named(program, f, self.noreturn)
    }
}
