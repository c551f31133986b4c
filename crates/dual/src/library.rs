//! Calls of functions without a body: the C library, as far as it is modelled ([`automata::models`]), and others, of which
//! nothing is known.

use crate::arithmetic::some_number;
use crate::call::expose;
use crate::facts::Range;
use crate::input::Aspect;
use crate::linear::Linear;
use crate::memory::Written;
use crate::path::{Path, Paths};
use crate::run::Run;
use crate::statement::Behind;
use crate::value::{Object, Pointer, Site, Value};
use automata::models::{Gives, Model, Size, Writes, model};
use ir::{Call, CallOutcome, Callee, EdgeId, TypeId};
use smallvec::smallvec;

impl Run<'_> {
    /// What is known of a function that is only declared.
    fn model_of(&self, call: &Call) -> Option<Model> {
        let Callee::Direct(f) = call.callee else {
            return None;
        };
        let function = &self.program.functions[f];
        match function.body {
            Some(_) => None,
            None => model(self.program.name(function.name)),
        }
    }

    /// Does it throw an exception?
    pub fn is_throw(&self, call: &Call) -> bool {
        let Callee::Direct(f) = call.callee else {
            return false;
        };
        let name = self.program.name(self.program.functions[f].name);
        matches!(name, "__cxa_throw" | "__cxa_rethrow" | "_Unwind_Resume")
    }

    /// Is it a function that is only declared? Such a one is taken to do nothing wrong.
    pub fn is_library(&self, call: &Call) -> bool {
        let Callee::Direct(f) = call.callee else {
            return false;
        };
        self.program.functions[f].body.is_none()
    }

    /// A call of a function that is not in view.
    pub fn outside_call(&mut self, path: Path, edge: EdgeId, call: &Call) -> Behind {
        let mut behind = Behind::new();
        let known = match call.outcome {
            CallOutcome::Return => self.model_of(call),
            CallOutcome::Unwind | CallOutcome::Again => None,
        };
        for (mut path, arguments) in self.arguments(path, &call.args) {
            match known.map_or(Writes::Anything, |model| model.writes) {
                Writes::Nothing => {}
                Writes::Arguments | Writes::Input => arguments.iter().for_each(|value| {
                    if let Value::Pointer(pointer) = value {
                        path.memory.forget(&pointer.object);
                    }
                }),
                Writes::Anything => expose(&mut path, &arguments),
            }
            if known.is_some_and(|model| model.frees)
                && let Some(Value::Pointer(pointer)) = arguments.first()
            {
                let null = path.clone().where_zero(Some(pointer.value.clone()));
                behind.extend(null);
                let there = pointer.value.plus_constant(-1);
                let Some(rest) = path.where_not_negative(there) else {
                    continue;
                };
                path = rest;
                path.memory.end(&pointer.object);
            }
            let Some(result) = call.result else {
                behind.push(path);
                continue;
            };
            if call.outcome == CallOutcome::Unwind {
                behind.push(path);
                continue;
            }
            let ty = self.body.places[result].ty;
            // What is not in the program knows what it gives.
            let unsure = (!self.is_library(call)).then_some(Written::Maybe);
            for (path, value) in self.result(path, edge, known, &arguments, ty) {
                for (mut path, address) in self.address(path, result) {
                    match self.program.types.is_scalar(ty) {
                        true => {
                            let value = value.clone();
                            self.store_unsure(&mut path, &address, ty, value, unsure.clone());
                        }
                        false => path.memory.forget(&address.pointer.object),
                    }
                    behind.push(path);
                }
            }
        }
        behind
    }

    /// What it gives back.
    fn result(
        &mut self,
        mut path: Path,
        edge: EdgeId,
        known: Option<Model>,
        arguments: &[Value],
        ty: TypeId,
    ) -> Paths<Value> {
        let gives = known.map_or(Gives::Anything, |model| model.gives);
        let is_pointer = self.program.types.is_pointer(ty);
        let value = match gives {
            Gives::Memory {
                size,
                zeroed,
                can_fail,
            } if is_pointer => {
                let number = |at: usize| match arguments.get(at) {
                    Some(Value::Number(form)) => Some(form.clone()),
                    _ => None,
                };
                let length = match size {
                    Size::Argument(at) => number(at),
                    Size::Product(a, b) => number(a).zip(number(b)).and_then(|(a, b)| {
                        match (a.as_constant(), b.as_constant()) {
                            (_, Some(n)) => a.times(n),
                            (Some(n), _) => b.times(n),
                            _ => None,
                        }
                    }),
                    Size::Unknown => None,
                };
                let mut all = Paths::new();
                if can_fail {
                    path = path.guess();
                    all.push((path.clone(), Value::from(Pointer::null())));
                }
                // There is no object that is longer than any can be.
                let fits = |length: Linear| {
                    let most = Aspect::Length.range().most.unwrap_or(i128::MAX);
                    Linear::constant(most).minus(&length)
                };
                let Some(mut path) = path.where_not_negative(length.clone().and_then(fits)) else {
                    return all;
                };
                let length = length.filter(|l| path.surely_within(l, Aspect::Length.range()));
                let pointer = self.fresh(&mut path, Site { edge, index: 0 }, length);
                if zeroed {
                    path.memory.forget(&pointer.object);
                }
                all.push((path, Value::from(pointer)));
                return all;
            }
            Gives::FirstArgument => arguments.first().cloned(),
            Gives::NonNull if is_pointer => match self.anything(&mut path, ty) {
                Value::Pointer(mut pointer) => {
                    pointer.value = Linear::constant(1);
                    pointer.object = Object::Somewhere;
                    Some(Value::Pointer(pointer))
                }
                other => Some(other),
            },
            Gives::Input(low, high) | Gives::Number(low, high) if !is_pointer => {
                // The largest numbers of a model stand for those beyond them, too.
                let bound = |value: i64, end: i64| (value != end).then(|| i128::from(value));
                let range = Range {
                    least: bound(low, i64::MIN),
                    most: bound(high, i64::MAX),
                };
                let range = range.and(self.range(ty));
                Some(Value::Number(some_number(
                    &mut path,
                    &mut self.symbols,
                    range,
                )))
            }
            _ => None,
        };
        let value = value.unwrap_or_else(|| self.anything(&mut path, ty));
        smallvec![(path, value)]
    }
}
