//! What the caller gives for what the callee was given.

use super::Actual;
use crate::arithmetic::some_number;
use crate::facts::Range;
use crate::input::{Aspect, Given, Input, Root};
use crate::linear::Linear;
use crate::memory::{Gone, Written};
use crate::path::Path;
use crate::place::Address;
use crate::run::Run;
use crate::value::{Object, Pointer, Value, part_of};
use ir::TypeId;

impl Run<'_> {
    /// What an input of the callee is.
    pub(super) fn actual(
        &mut self,
        path: &mut Path,
        actual: &mut Actual<'_>,
        input: &Input,
        range: Range,
    ) -> Linear {
        let form = match (input.aspect, input.given.root) {
            (Aspect::Initialized, _) => self.is_initialized(path, actual, &input.given),
            (Aspect::Filled, Root::Global(g)) if input.given.path.is_empty() => {
                self.is_filled(path, &Object::Global(g))
            }
            (aspect, _) => match (self.given_by(path, actual, &input.given), aspect) {
                (Value::Number(form), Aspect::Value) => Some(form),
                (Value::Pointer(pointer), aspect) => Some(match aspect {
                    Aspect::Value => pointer.value,
                    Aspect::Offset => pointer.offset,
                    Aspect::Length => pointer.length,
                    Aspect::Alive => self.is_alive(path, &pointer),
                    Aspect::Initialized => Linear::constant(1),
                    Aspect::Filled => match self.is_filled(path, &pointer.object) {
                        Some(form) => form,
                        None => return some_number(path, &mut self.symbols, range),
                    },
                }),
                _ => None,
            },
        };
        // What the callee takes for impossible is not a number of its input.
        match form.filter(|form| path.surely_within(form, range)) {
            Some(form) => form,
            None => some_number(path, &mut self.symbols, range),
        }
    }

    /// Was all of an object written, 0 or 1? None: nobody knows.
    fn is_filled(&mut self, path: &mut Path, object: &Object) -> Option<Linear> {
        let aspect = Aspect::Filled;
        match self.filled(path, object) {
            None => Some(Linear::constant(1)),
            Some(Written::Filled(given)) => Some(self.input(path, &given, aspect, aspect.range())),
            Some(_) => None,
        }
    }

    /// Is what a pointer points to there, 0 or 1?
    fn is_alive(&mut self, path: &mut Path, pointer: &Pointer) -> Linear {
        match path.memory.gone(&pointer.object) {
            Some(Gone::Surely) => Linear::constant(0),
            Some(Gone::Maybe) => some_number(path, &mut self.symbols, Aspect::Alive.range()),
            None => pointer.alive.clone(),
        }
    }

    /// Was it written, 0 or 1? None: nobody knows.
    fn is_initialized(
        &mut self,
        path: &mut Path,
        actual: &mut Actual<'_>,
        given: &Given,
    ) -> Option<Linear> {
        let aspect = Aspect::Initialized;
        match self.written(path, actual, given) {
            None => Some(Linear::constant(1)),
            Some(Written::Maybe) => None,
            Some(Written::Never) => Some(Linear::constant(0)),
            Some(Written::Given(given)) => Some(self.input(path, &given, aspect, aspect.range())),
            Some(Written::Filled(given)) => {
                let whole = Aspect::Filled;
                let filled = self.input(path, &given, whole, whole.range());
                let written = some_number(path, &mut self.symbols, aspect.range());
                if let Some(fact) = written.minus(&filled) {
                    path.facts.add_not_negative(fact);
                }
                Some(written)
            }
        }
    }

    /// Was what the callee is given there written, as [`crate::memory::Memory::unsure`] has it?
    fn written(
        &mut self,
        path: &mut Path,
        actual: &mut Actual<'_>,
        given: &Given,
    ) -> Option<Written> {
        if let (Root::Parameter(n), []) = (given.root, given.path.as_slice()) {
            let n = n as usize;
            return match actual.arguments.get(n) {
                Some(Value::Undefined) => Some(Written::Never),
                _ => {
                    let unsure = actual.unsure.get(n).cloned();
                    unsure.unwrap_or(Some(Written::Maybe))
                }
            };
        }
        let address = self.address_of(path, actual, given);
        let ty = actual.summary.types.get(given);
        match (address, ty) {
            (Some(address), Some(ty)) => self.written_at(path, &address, *ty),
            _ => Some(Written::Maybe),
        }
    }

    /// What the caller knows of a scalar of which the callee knows this.
    pub(super) fn unsure_of(
        &mut self,
        actual: &mut Actual<'_>,
        callee: Option<&Written>,
    ) -> Option<Written> {
        let mut before = actual.before.clone();
        let known = match callee? {
            Written::Maybe | Written::Never => Some(Written::Maybe),
            Written::Given(given) => self.written(&mut before, actual, given),
            Written::Filled(given) => {
                let object = match (given.root, given.path.as_slice()) {
                    (Root::Global(g), []) => Object::Global(g),
                    _ => match self.given_by(&mut before, actual, given) {
                        Value::Pointer(pointer) => pointer.object,
                        _ => Object::Somewhere,
                    },
                };
                self.filled(&before, &object)
            }
        };
        known.map(|written| match written {
            Written::Never => Written::Maybe,
            written => written,
        })
    }

    /// The value of a scalar that the callee is given.
    fn given_by(&mut self, path: &mut Path, actual: &mut Actual<'_>, given: &Given) -> Value {
        if let Some(known) = actual.given.get(given) {
            return known.clone();
        }
        let ty = actual.summary.types.get(given).copied();
        let ty = ty.unwrap_or(TypeId::VOID);
        let value = match (&given.root, given.path.as_slice()) {
            (Root::Parameter(n), []) => actual.arguments.get(*n as usize).cloned(),
            _ => self
                .address_of(path, actual, given)
                .map(|address| self.load(path, &address, ty)),
        };
        let value = value.unwrap_or_else(|| self.anything(path, ty));
        actual.given.insert(given.clone(), value.clone());
        value
    }

    /// Where a scalar lies that the callee is given; none if it is an argument, or that is not known.
    fn address_of(
        &mut self,
        path: &mut Path,
        actual: &mut Actual<'_>,
        given: &Given,
    ) -> Option<Address> {
        let (part, before) = given.path.split_last()?;
        let mut pointer = match (given.root, before) {
            (Root::Global(g), []) => {
                let size = self.program.types.size_of(self.program.globals[g].ty);
                Pointer::to(Object::Global(g), Linear::constant(i128::from(size)))
            }
            _ => {
                let before = Given {
                    root: given.root,
                    path: before.to_vec(),
                };
                match self.given_by(path, actual, &before) {
                    Value::Pointer(pointer) => *pointer,
                    _ => return None,
                }
            }
        };
        pointer.offset = pointer.offset.plus_constant(part.start.div_euclid(8))?;
        let ty = actual.summary.types.get(given).copied()?;
        let whole = part_of(&self.program.types, ty, 0)?;
        let low = part.start.rem_euclid(8);
        let is_whole = low == 0 && whole.bits == part.bits;
        let bits = match is_whole {
            true => None,
            false => Some((u16::try_from(low).ok()?, u16::try_from(part.bits).ok()?)),
        };
        Some(Address { pointer, bits })
    }
}
