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
use crate::trust::is_stranger;
use crate::value::{Pointer, Site, Value};
use automata::models::{Frees, Gives, LONGEST_OBJECT, Model, Size, Writes, model};
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

    /// May it throw for want of memory? (`new` never gives null; `new (std::nothrow)` does instead.)
    pub fn may_throw(&self, call: &Call) -> bool {
        self.model_of(call).is_some_and(|model| model.throws)
    }

    /// Is it a function that is only declared? Such a one is taken to do nothing wrong.
    pub fn is_library(&self, call: &Call) -> bool {
        let Callee::Direct(f) = call.callee else {
            return false;
        };
        self.program.functions[f].body.is_none()
    }

    /// Is it only declared, and nobody knows whether it comes back?
    pub fn is_stranger(&self, call: &Call) -> bool {
        match call.callee {
            Callee::Direct(f) => !call.noreturn && is_stranger(self.program, f),
            Callee::Indirect(_) => false,
        }
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
                        path.memory.hide(&pointer.object, true);
                    }
                }),
                // What is only declared does nothing wrong; what is called by a pointer may be anything.
                Writes::Anything => expose(&mut path, &arguments, self.is_library(call)),
            }
            let frees = known.map_or(Frees::Never, |model| model.frees);
            if let Frees::Always(at) = frees
                && let Some(first) = arguments.get(at).cloned()
            {
                let (nothing, rest) = self.freed(path, first);
                behind.extend(nothing);
                let Some(rest) = rest else { continue };
                path = rest;
            }
            let Some(result) = call.result else {
                let block = match frees {
                    Frees::UnlessNull(at) => arguments.get(at),
                    _ => None,
                };
                match block {
                    Some(block) => {
                        let moved = self.reallocated(path, block.clone());
                        behind.extend(moved.into_iter().map(|(path, _)| path));
                    }
                    None => behind.push(path),
                }
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

    /// What a pointer points to is freed: the part on which it is null, and nothing is; and the other one.
    fn freed(&mut self, mut path: Path, value: Value) -> (Option<Path>, Option<Path>) {
        let pointer = self.pointer(&mut path, value);
        let null = path.clone().where_zero(Some(pointer.value.clone()));
        let there = path.where_not_negative(pointer.value.plus_constant(-1));
        let ended = there.map(|mut path| {
            path.memory.end(&pointer.object);
            path
        });
        (null, ended)
    }

    /// `realloc`: it gives null and nothing happens, or the block is another one now. Nobody knows which.
    fn reallocated(&mut self, path: Path, block: Value) -> Paths<Value> {
        let path = path.guess();
        let mut all: Paths<Value> = smallvec![(path.clone(), Value::from(Pointer::null()))];
        let (nothing, ended) = self.freed(path, block);
        for mut path in nothing.into_iter().chain(ended) {
            let value = self.something(&mut path);
            all.push((path, value));
        }
        all
    }

    /// A pointer that is not null.
    fn something(&mut self, path: &mut Path) -> Value {
        let mut pointer = self.pointer(path, Value::Other);
        pointer.value = Linear::constant(1);
        Value::from(pointer)
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
        let moved = known.and_then(|model| match model.frees {
            Frees::UnlessNull(at) => Some(at),
            _ => None,
        });
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
                    Size::Constant(n) => Some(Linear::constant(i128::from(n))),
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
                    path.memory.hide(&pointer.object, true);
                    path.memory.fill(&pointer.object);
                }
                all.push((path, Value::from(pointer)));
                return all;
            }
            Gives::Argument(at) => arguments.get(at).cloned(),
            Gives::Length(at) if !is_pointer => match arguments.get(at) {
                Some(Value::Pointer(pointer)) => {
                    let mut all = Paths::new();
                    if let Some(path) = path.clone().where_zero(Some(pointer.value.clone())) {
                        all.push((path, Value::Number(Linear::constant(0))));
                    }
                    let there = path.where_not_negative(pointer.value.plus_constant(-1));
                    if let Some(mut path) = there {
                        let length = pointer.length.minus(&pointer.offset);
                        let length = length.filter(|l| path.surely_within(l, self.range(ty)));
                        let range = Aspect::Length.range();
                        let length = length
                            .unwrap_or_else(|| some_number(&mut path, &mut self.symbols, range));
                        all.push((path, Value::Number(length)));
                    }
                    return all;
                }
                _ => None,
            },
            Gives::NonNull | Gives::Same if is_pointer => Some(self.something(&mut path)),
            Gives::PointerOrNull if is_pointer && moved.is_some() => {
                let block = moved.and_then(|at| arguments.get(at)).cloned();
                return self.reallocated(path, block.unwrap_or(Value::Other));
            }
            Gives::Input(..) | Gives::Number(..) | Gives::Characters(..) if !is_pointer => {
                let (low, high) = match gives {
                    Gives::Input(low, high) | Gives::Number(low, high) => (low, high),
                    _ => (0, LONGEST_OBJECT),
                };
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
