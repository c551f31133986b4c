//! Errors that need a coincidence: several values at once that the program may well tie together
//! where rigel does not see it.
//!
//! On a path a solver chooses what a call gives back and, apart from it, what the call leaves in
//! memory; and what a structure holds in one field and in another. `p = get(&status)` gives null only
//! with a status that says so; whoever asks the status has asked for the pointer. That a solution
//! exists says nothing then: the values are those of one call, or of one invariant, and nobody has
//! shown that they go together (design.md §6: a bad value must be introduced or acknowledged, and
//! here it is only one half of it). Such an error is *undecided* until something relates the two:
//! the callee's body where it is small, its summary.
//!
//! Only a branch that decides counts: one whose other side does not come to the check. And only one
//! that is taken after the bad value was made: what was tested before cannot be about it.

mod courtesy;
pub(crate) mod outside;
mod strict;
mod ways;

use crate::origin::{Kind, Origin, leads_to, origin};
use automata::Context;
use automata::failing::written_when_null;
use feasible::Path;
use feasible::object::{ObjectId, ObjectKind};
use feasible::unknown::{From, Unknown, unknowns};
use ir::walk::{Item, Once};
use ir::{
    Body, Call, Callee, CheckId, CompareOp, Composed, Condition, EdgeId, ExprId, ExprKind, Stmt,
};
use logic::TermId;
use std::collections::BTreeSet;
pub(crate) use strict::Demand;

/// What stands between the bad value and the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// Nothing: once the value is made, the check comes.
    Nothing,
    /// Branches, or nobody knows where the value was made.
    Something,
    /// Branches that need values to coincide that nothing in view relates.
    Coincidence,
}

/// What stands between the bad value and the check at the end of a path that has a solution?
pub(crate) fn between(
    context: &Context<'_>,
    body: &Body,
    composed: Option<&Composed>,
    path: &Path<'_>,
    edges: &[EdgeId],
    check: CheckId,
) -> Between {
    let condition = &body.checks[check].condition;
    if courtesy::is_all(context, composed, body, edges, condition) {
        return Between::Coincidence;
    }
    if is_range(body, condition) && is_invented(context, body, path, edges) {
        return Between::Coincidence;
    }
    let Some(origin) = origin(body, edges, condition) else {
        return Between::Something;
    };
    let case = Case {
        context,
        body,
        path,
        edges,
        condition,
        origin: &origin,
    };
    let after = path
        .facts
        .iter()
        .map(|(step, fact)| (*step as usize, *fact))
        .filter(|(step, _)| (origin.step..edges.len() - 1).contains(step));
    let (guards, others): (Vec<(usize, TermId)>, Vec<_>) =
        after.partition(|(step, _)| *step > origin.step && case.decides(*step));
    if guards
        .iter()
        .flat_map(|(_, fact)| unknowns(path, *fact))
        .any(|u| case.is_of_one_call(&u))
    {
        return Between::Coincidence;
    }
    // Who was handed the place may have left it as it was: then it was bad before.
    match origin.kind {
        Kind::Handed => return Between::Something,
        Kind::Result if guards.is_empty() => return Between::Nothing,
        Kind::Result => return Between::Something,
        Kind::Constant | Kind::Unset => {}
    }
    // What nothing sets is bad under any condition.
    if !case.is_set_on_some_way() {
        return Between::Something;
    }
    // Two conditions: one under which the value would have been set, and one under which it is used.
    // Where they share their unknowns, the solver has related them.
    let (setting, guards): (Vec<_>, Vec<_>) = guards
        .into_iter()
        .partition(|(step, _)| case.other_side_writes(*step));
    // Which side of a branch in a loop some turn takes says nothing of the first one.
    if setting
        .iter()
        .chain(&others)
        .filter(|(step, _)| case.is_first_turn(*step) && case.other_side_writes(*step))
        .any(|(step, fact)| {
            let foreign = unknowns(path, *fact).into_iter();
            let foreign = foreign.filter(|u| case.is_foreign(u)).count();
            foreign > usize::from(!case.leaves_loop(*step))
        })
    {
        return Between::Coincidence;
    }
    if setting.is_empty() && guards.is_empty() {
        return Between::Nothing;
    }
    let related: BTreeSet<TermId> = others
        .iter()
        .chain(&setting)
        .flat_map(|(_, fact)| unknowns(path, *fact))
        .map(|u| u.term)
        .collect();
    let apart = guards
        .iter()
        .flat_map(|(_, fact)| unknowns(path, *fact))
        .any(|u| case.is_foreign(&u) && !related.contains(&u.term));
    match apart {
        true => Between::Coincidence,
        false => Between::Something,
    }
}

/// Must something that is computed lie between bounds? (What a callee states itself, `return -1`, it means.)
fn is_range(body: &Body, condition: &Condition) -> bool {
    match condition {
        Condition::InBounds { .. } => true,
        Condition::Holds(e) => {
            let mut items = Once::default();
            items.push(Item::Expr(*e));
            while let Some(item) = items.pop() {
                let Item::Expr(e) = item else { continue };
                match body.exprs[e].kind {
                    ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, ..) => return false,
                    ExprKind::Compare(_, a, b) => {
                        return body.loaded(a).is_none() && body.loaded(b).is_none();
                    }
                    _ => items.push_parts(body, item),
                }
            }
            false
        }
        _ => false,
    }
}

/// Does an access go wrong only for a number that a callee in view gives back, as far as its summary knows?
/// Which numbers it really gives, its body says.
fn is_invented(context: &Context<'_>, body: &Body, path: &Path<'_>, edges: &[EdgeId]) -> bool {
    let last = edges.len() - 1;
    let fails = path.facts.iter().filter(|(step, _)| *step as usize == last);
    let mut unknown = fails.flat_map(|(_, fact)| unknowns(path, *fact));
    unknown.any(|u| match u.from {
        From::Result { step } => match &body.edges()[edges[step as usize]].stmt {
            Stmt::Call(call) => match call.callee {
                Callee::Direct(f) => context.program.functions[f].body.is_some(),
                Callee::Indirect(_) => false,
            },
            _ => false,
        },
        _ => false,
    })
}

struct Case<'a, 'p> {
    context: &'a Context<'p>,
    body: &'a Body,
    path: &'a Path<'p>,
    edges: &'a [EdgeId],
    condition: &'a Condition,
    origin: &'a Origin,
}

impl Case<'_, '_> {
    /// Could the other side of the branch have given the place a value?
    fn other_side_writes(&self, step: usize) -> bool {
        let mut writes = false;
        self.other_side(step, |stmt| {
            writes |= stmt.is_some_and(|stmt| self.writes(stmt));
            true
        });
        writes
    }

    fn writes(&self, stmt: &Stmt) -> bool {
        let places = &self.origin.places;
        match stmt {
            Stmt::Assign { place, .. } => places.contains(place),
            Stmt::Call(call) => {
                let result = call.result.is_some_and(|p| places.contains(&p));
                let handed = |e: &ExprId| places.iter().any(|p| leads_to(self.body, *e, *p));
                result || call.args.iter().any(handed)
            }
            _ => false,
        }
    }

    /// Is the unknown another output of the call that made the bad value, or one of a call that was
    /// handed it?
    fn is_of_one_call(&self, unknown: &Unknown) -> bool {
        let made = self.origin.step;
        match (unknown.from, self.origin.kind) {
            (From::Memory { .. }, Kind::Result | Kind::Handed) => {
                self.is_in_view(made) && self.is_left_by_failure(unknown)
            }
            (From::Result { step }, kind) => {
                let step = step as usize;
                let other = step == made && kind == Kind::Handed;
                let asked = step > made && self.is_asked(step);
                let told = step > made && self.is_handed_the_value(step);
                told && self.is_about_the_value(step)
                    || (other || asked || told) && self.is_in_view(step)
            }
            _ => false,
        }
    }

    /// May the call that made the bad value have written this word when it did?
    fn is_left_by_failure(&self, unknown: &Unknown) -> bool {
        let From::Memory {
            object,
            step,
            offset,
            size,
        } = unknown.from
        else {
            return false;
        };
        if self.is_held_by(object) {
            return false;
        }
        let later = step.is_some_and(|s| s as usize >= self.origin.step);
        let (Some(call), Kind::Result) = (self.call_at(self.origin.step), self.origin.kind) else {
            return later;
        };
        let (Callee::Direct(f), Some(offset)) = (call.callee, offset) else {
            return later;
        };
        let object = &self.path.objects[object.0 as usize];
        let (global, ty) = match object.kind {
            ObjectKind::Global(g) => (Some(g), Some(self.context.program.globals[g].ty)),
            _ => (None, object.ty),
        };
        match (written_when_null(self.context, f), ty) {
            (Some(written), Some(ty)) => {
                let (effects, program) = (self.context.effects(), self.context.program);
                effects.touches(&written, program, global, ty, offset, size)
            }
            _ => later,
        }
    }

    fn call_at(&self, step: usize) -> Option<&Call> {
        match &self.body.edges()[self.edges[step]].stmt {
            Stmt::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Is the call at a step handed a pointer that the call which made the bad value was handed, too?
    /// Then it may know of the failure.
    fn is_asked(&self, step: usize) -> bool {
        let (Some(made), Some(call)) = (self.call_at(self.origin.step), self.call_at(step)) else {
            return false;
        };
        let pointer = |e: &&ExprId| {
            let types = &self.context.program.types;
            types.is_pointer(self.body.exprs[**e].ty)
        };
        let shared = |e: &ExprId| call.args.contains(e) && self.body.loaded(*e).is_some();
        made.args.iter().filter(pointer).any(shared)
    }

    /// Is it the memory of a variable that held the bad value?
    fn is_held_by(&self, object: ObjectId) -> bool {
        self.origin.places.iter().any(|place| {
            let base = self.body.places.get(*place).map(|p| p.base);
            matches!(base, Some(ir::Base::Var(v)) if self.path.object_of(v) == Some(object))
        })
    }

    /// Is the bad value an argument of the call at a step?
    fn is_handed_the_value(&self, step: usize) -> bool {
        let Some(call) = self.call_at(step) else {
            return false;
        };
        let held = |e| {
            self.body
                .loaded(e)
                .is_some_and(|p| self.origin.places.contains(&p))
        };
        call.args.iter().any(|arg| held(*arg))
    }

    /// Has the call at a step no other pointer among its arguments? `strlen(p)` speaks of `p`, and of nothing
    /// else.
    fn is_about_the_value(&self, step: usize) -> bool {
        let types = &self.context.program.types;
        self.call_at(step).is_some_and(|call| {
            let pointers = call.args.iter();
            let pointers = pointers.filter(|e| types.is_pointer(self.body.exprs[**e].ty));
            pointers.count() == 1
        })
    }

    /// Does the call at a step run code of the program?
    fn is_in_view(&self, step: usize) -> bool {
        self.call_at(step).is_some_and(|call| match call.callee {
            Callee::Direct(f) => self.context.program.functions[f].body.is_some(),
            Callee::Indirect(_) => true,
        })
    }

    /// Does the value come from data that pointers lead to, or from code of the program?
    fn is_foreign(&self, unknown: &Unknown) -> bool {
        match unknown.from {
            From::Parameter | From::Unset | From::Allocated | From::Other => false,
            From::Memory { object, .. } => {
                let kind = &self.path.objects[object.0 as usize].kind;
                matches!(kind, ObjectKind::Pointee(_))
            }
            From::Result { step } => self.is_in_view(step as usize),
        }
    }
}
