//! What is certain of one check (design.md §7).

use crate::execute::Failure;
use crate::function::Outcomes;
use isl::{Result, Set};

impl Outcomes {
    /// A run can fail in this way. Empty if it is proved not to.
    pub fn err_at(&self, failure: Failure) -> Result<Set> {
        match self.failures.get(&failure) {
            Some(set) => Ok(set.clone()),
            None => Set::empty(&self.ok.context(), self.ok.dimensions()),
        }
    }

    /// Every run fails in this very way, or never ends: ERR of it ∧ ¬(OK ∨ EXIT ∨ ERR of any other).
    pub fn must_at(&self, failure: Failure) -> Result<Set> {
        let mut others = self.ok.union(&self.exit)?;
        for (_, err) in self.failures.iter().filter(|(other, _)| **other != failure) {
            others = others.union(err)?;
        }
        self.err_at(failure)?
            .subtract(&others.coalesce()?)?
            .coalesce()
    }

    /// A run may fail in this way, or do something else that is an end.
    pub fn may_at(&self, failure: Failure) -> Result<Set> {
        self.err_at(failure)?
            .subtract(&self.must_at(failure)?)?
            .coalesce()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::Integers;
    use crate::execute::Limits;
    use crate::function::outcomes;
    use ir::CheckId;
    use isl::Context;

    /// The first assertion fails surely where it is reached; the second stands behind what nobody knows.
    const SOURCE: &str = r#"unit "f.c"
fn f(x: i32) -> void {
    temp $unknown: i32
    0: check assertion x < 10
    1: check assertion x != 5
    2: $unknown = g()
    3: assume $unknown != 0
    3: assume $unknown == 0       -> 5
    4: check assertion x < 0
    5: exit
}
extern fn g() -> i32
"#;

    #[test]
    fn a_check_must_fail_where_nothing_else_can_happen() {
        let program = ir::text::parse(SOURCE).unwrap_or_else(|e| panic!("{e}"));
        let (_, _, body) = program.bodies().next().unwrap();
        let context = Context::new();
        let limits = Limits::default();
        let all = outcomes(&context, &program, body, Integers::Unbounded, limits).unwrap();
        let at = |check| Failure::Here(CheckId(check));
        let is = |set: Set, wanted: &str| {
            let wanted = Set::parse(&context, wanted).unwrap();
            assert!(set.is_equal(&wanted).unwrap(), "{set}, not {wanted}");
        };
        is(all.must_at(at(0)).unwrap(), "{ [x] : x >= 10 }");
        is(all.may_at(at(0)).unwrap(), "{ [x] : false }");
        is(all.must_at(at(1)).unwrap(), "{ [x] : x = 5 }");
        is(all.must_at(at(2)).unwrap(), "{ [x] : false }");
        is(
            all.may_at(at(2)).unwrap(),
            "{ [x] : 0 <= x <= 9 and x != 5 }",
        );
        is(all.err_at(at(7)).unwrap(), "{ [x] : false }");
    }
}
