//! Exceptions of built-in types on a path, from `throw` to their handler.
//!
//! What `throw n` throws reaches the first clause for its very type, or `catch (...)`: a built-in
//! type has no bases. An object of a class may be caught as one of its bases, at another address,
//! and a pointer by value: those stay unknown. Only what the function itself throws and catches is
//! followed; what leaves a callee is unknown, too.

use crate::contents::Layer;
use crate::object::ObjectKind;
use crate::path::Path;
use ir::{Call, CallOutcome, CatchClause, FuncId, GlobalId, VarId};
use logic::TermId;

/// An exception whose value and type are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thrown {
    pointer: TermId,
    ty: GlobalId,
}

/// The exceptions of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exceptions {
    in_flight: Option<Thrown>,
    /// Those whose handlers are executed, innermost last; none for an unknown one.
    handled: Vec<Option<Thrown>>,
}

impl Path<'_> {
    /// A call of the C++ runtime that is known exactly; false: it is treated as any other call.
    pub(crate) fn runtime_call(
        &mut self,
        call: &Call,
        callee: Option<FuncId>,
        args: &[Option<TermId>],
    ) -> bool {
        if self.depth > 0 {
            return false;
        }
        let program = self.program();
        let callee = callee.filter(|f| program.functions[*f].body.is_none());
        let name = callee.map_or("", |f| program.function_name(f));
        match (name, call.outcome) {
            ("__cxa_throw", CallOutcome::Unwind) => {
                self.exceptions.in_flight = self.builtin(args);
                self.exceptions.in_flight.is_some()
            }
            ("__cxa_rethrow", CallOutcome::Unwind) => {
                self.exceptions.in_flight = self.exceptions.handled.last().copied().flatten();
                self.exceptions.in_flight.is_some()
            }
            (_, CallOutcome::Unwind) => {
                self.exceptions.in_flight = None;
                false
            }
            ("__cxa_begin_catch", _) => {
                let caught = args.first().copied().flatten().map(|a| self.expand(a));
                let known = self.exceptions.in_flight.take();
                let known = known.filter(|t| caught == Some(t.pointer));
                self.exceptions.handled.push(known);
                if let (Some(thrown), Some(place)) = (known, call.result) {
                    self.store(place, thrown.pointer, None);
                }
                known.is_some()
            }
            ("__cxa_end_catch", _) => self.exceptions.handled.pop().flatten().is_some(),
            _ => false,
        }
    }

    /// What `__cxa_throw(pointer, &type, …)` throws, if its type is a built-in one.
    fn builtin(&mut self, args: &[Option<TermId>]) -> Option<Thrown> {
        let (pointer, ty) = ((*args.first()?)?, (*args.get(1)?)?);
        let target = self.single_target(ty)?;
        let ObjectKind::Global(ty) = self.object(target.object).kind else {
            return None;
        };
        // Of the Itanium ABI's names only those of built-in types are one letter long.
        let program = self.program();
        let name = program.name(program.globals[ty].name);
        let letter = name.strip_prefix("_ZTI")?;
        let pointer = self.expand(pointer);
        (letter.len() == 1).then_some(Thrown { pointer, ty })
    }

    /// The start of a handler: the exception, and which clause catches it.
    pub(crate) fn land(&mut self, exception: VarId, selector: VarId, clauses: &[CatchClause]) {
        let known = self.exceptions.in_flight.filter(|_| self.depth == 0);
        let known = known.and_then(|thrown| Some((thrown, clause(thrown.ty, clauses)?)));
        let Some((thrown, number)) = known else {
            return self.land_anywhere(exception, selector);
        };
        let zero = self.word64(0);
        let pointer = self.defined(thrown.pointer);
        let object = self.var_object(exception);
        self.write(object, zero, 8, pointer);
        let size = self.bytes(self.frame.body.vars[selector].ty).clamp(1, 8);
        let number = self.pool.bits(size as u16 * 8, number);
        let number = self.defined(number);
        let object = self.var_object(selector);
        self.write(object, zero, size, number);
    }

    fn land_anywhere(&mut self, exception: VarId, selector: VarId) {
        for var in [exception, selector] {
            let object = self.var_object(var);
            let source = self.source(object, true);
            self.cover(object, Layer::Unknown(source));
        }
        let object = self.var_object(selector);
        let zero = self.word64(0);
        let size = self.bytes(self.frame.body.vars[selector].ty);
        let word = self.read(object, zero, size.clamp(1, 8));
        self.record(|r| r.result = Some(word.value));
    }
}

/// The number by which a type is known to handlers.
pub(crate) fn type_number(ty: GlobalId) -> u128 {
    u128::from(ty.0) + 1
}

/// What the selector is for an exception of a built-in type; none where that is not known.
fn clause(thrown: GlobalId, clauses: &[CatchClause]) -> Option<u128> {
    for clause in clauses {
        match clause {
            CatchClause::Catch(None) => break,
            CatchClause::Catch(Some(ty)) if *ty == thrown => return Some(type_number(*ty)),
            CatchClause::Catch(Some(_)) => {}
            CatchClause::Filter(_) => return None,
        }
    }
    Some(0)
}
