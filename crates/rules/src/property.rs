//! What `rigel verify` can be asked about a program: properties, each a set of checks.
//!
//! The names are those of the Competition on Software Verification (SV-COMP). A property holds if no run from `main` comes
//! to one of its checks with a condition that is false. Termination has no checks: it is about runs that have no end.

use crate::Selection;
use ir::{Body, Callee, CheckId, Program, Stmt};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// No call of an error function.
    UnreachCall,
    /// No access to what is not there, no bad `free`, nothing lost.
    Memsafety,
    /// No signed operation whose result its type cannot hold.
    NoOverflow,
    /// Every run ends.
    Termination,
}

/// Calling one of these is the error that `unreach-call` is about.
const ERRORS: [&str; 3] = ["reach_error", "__VERIFIER_error", "__VERIFIER_assert"];

impl Property {
    /// The rules that have its checks.
    fn rules(self) -> &'static [&'static str] {
        match self {
            Property::UnreachCall => &["assertion"],
            Property::Memsafety => &[
                "null-dereference",
                "use-after-free",
                "double-free",
                "out-of-bounds",
            ],
            Property::NoOverflow => &["integer-overflow"],
            Property::Termination => &[],
        }
    }

    /// The rules to put in for a proof. Others would end runs that the property counts.
    pub fn selection(self) -> Selection {
        let rules = self.rules();
        Selection::of_ids(|id| rules.contains(&id))
    }

    /// Is the check one that the property asks for?
    pub fn asks_for(self, program: &Program, body: &Body, check: CheckId) -> bool {
        let Some(rule) = body.checks.get(check).map(|c| program.name(c.rule)) else {
            return false;
        };
        self.rules().contains(&rule)
            && (self != Property::UnreachCall || calls_error(program, body, check))
    }
}

/// Does the check stand before the call of an error function? (`abort` and failed assertions of the C library end a run, and
/// that is all.)
fn calls_error(program: &Program, body: &Body, check: CheckId) -> bool {
    let is_it = |stmt: &Stmt| matches!(stmt, Stmt::Check(id) if *id == check);
    let Some(edge) = body.edges().values().find(|edge| is_it(&edge.stmt)) else {
        return false;
    };
    // All checks of a statement stand before it, one after the other.
    let mut at = edge.to;
    for _ in 0..body.checks.len() {
        let Some((_, next)) = body.out_edges(at).next() else {
            return false;
        };
        match &next.stmt {
            Stmt::Check(_) => at = next.to,
            Stmt::Call(call) => {
                return match call.callee {
                    Callee::Direct(f) => ERRORS.contains(&program.function_name(f)),
                    Callee::Indirect(_) => false,
                };
            }
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"unit "a.c"
fn f(x: i32) -> void {
    0: check assertion x > 0
    1: check assertion x > 1
    2: call reach_error()
    3: check assertion x > 2
    4: call abort()
    5: check integer-overflow x > 3
    6: exit
}
extern fn reach_error() -> void
extern fn abort() -> void
"#;

    #[test]
    fn only_error_functions_are_errors() {
        let program = ir::text::parse(SOURCE).unwrap_or_else(|e| panic!("{e}"));
        let (_, _, body) = program.bodies().next().unwrap();
        let asked = |property: Property| {
            let all = body.checks.ids();
            let asked = all.filter(|c| property.asks_for(&program, body, *c));
            asked.map(|c| c.0).collect::<Vec<_>>()
        };
        assert_eq!(asked(Property::UnreachCall), [0, 1]);
        assert_eq!(asked(Property::NoOverflow), [3]);
        assert_eq!(asked(Property::Memsafety), []);
        assert_eq!(asked(Property::Termination), []);
    }

    #[test]
    fn the_rules_are_there() {
        for property in [
            Property::UnreachCall,
            Property::Memsafety,
            Property::NoOverflow,
            Property::Termination,
        ] {
            for rule in property.rules() {
                assert!(crate::find(rule).is_some(), "{rule}");
                assert!(property.selection().shows(rule), "{rule}");
            }
            assert!(!property.selection().shows("uninitialized-use"));
        }
    }
}
