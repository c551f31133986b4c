//! What is known where a path begins.
//!
//! A function is called by anybody, with anything in memory. A program is started once: its globals hold their initial values, and
//! `main` is given what a system gives it: `argc` is positive, `argv` has so many strings and then null.

use crate::path::Path;
use crate::value::Shape;
use interp::replay::{Script, ScriptTarget, ScriptValue};
use ir::{CallGraph, FuncId, Program};
use logic::Order;

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With a call of the function, by anybody.
    Called,
    /// With the program: the function is its `main`.
    Program,
}

impl Start {
    /// Where paths begin that begin in a function: with the program if it is its `main`, and nobody else calls it.
    pub fn of(program: &Program, graph: &CallGraph, function: FuncId) -> Start {
        let called = !graph.callers(function).is_empty() || graph.is_address_taken(function);
        match program.is_start(function) && !called {
            true => Start::Program,
            false => Start::Called,
        }
    }
}

impl Path<'_> {
    /// Says what is known at the start. Before any step.
    pub(crate) fn begin(&mut self, start: Start) {
        self.start = start;
        if start != Start::Program {
            return;
        }
        let body = self.frame.body;
        let zero = self.word64(0);
        if let Some(&argc) = body.params.first()
            && let Shape::Int { width, .. } = self.shape(body.vars[argc].ty)
        {
            let object = self.var_object(argc);
            let word = self.read(object, zero, u64::from(width / 8)).value;
            let one = self.pool.bits(width, 1);
            let some = self.pool.compare(Order::Sle, one, word);
            self.assume(some);
        }
        for &pointer in body.params.iter().skip(1) {
            if self.program().types.is_pointer(body.vars[pointer].ty) {
                self.assume_valid(pointer);
            }
        }
    }
}

/// Could a system start a program so? The strings of `argv` are there, and null ends them. What nobody looks at is not in a script.
pub fn can_be_started(script: &Script) -> bool {
    let Some(ScriptValue::Bits(count)) = script.args.first() else {
        return script.args.is_empty();
    };
    let strings = script.args.iter().skip(1).all(|list| match list {
        ScriptValue::Pointer {
            target: ScriptTarget::Object(n),
            offset,
        } => {
            let writes = script.objects.get(*n).map(|object| &object.writes);
            writes.into_iter().flatten().all(|write| {
                let at = i128::from(write.offset) - i128::from(*offset);
                let is_null = write.value == ScriptValue::Bits(0);
                at % 8 == 0 && at >= 0 && is_null == (at as u128 / 8 >= *count)
            })
        }
        // Nobody looks behind it.
        ScriptValue::Bits(address) => *address != 0,
        _ => false,
    });
    (1..1 << 20).contains(count) && strings
}
