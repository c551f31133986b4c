//! What a function is given when it is run: numbers and memory, by the inputs that dual analysis names.

use dual::input::{Aspect, Given, Input, Root};
use interp::{Fresh, Interpreter, Kind, Observer, Scalar};
use ir::{Program, Type, TypeId};
use std::collections::BTreeMap;

/// Bytes of an object that nobody knows the size of.
const ROOM: u64 = 4096;

/// The inputs of a run.
pub(super) struct Inputs<'m> {
    pub program: &'m Program,
    pub inputs: BTreeMap<&'m Input, i128>,
}

impl Inputs<'_> {
    /// Puts into globals what they hold when the function is called.
    pub fn set_globals<O: Observer>(&self, run: &mut Interpreter<'_, O>) {
        for input in self.inputs.keys() {
            if let Root::Global(g) = input.given.root
                && let [part] = input.given.path.as_slice()
                && input.aspect == Aspect::Value
                && let Some(object) = run.global(g)
            {
                let value = self.of_part(run, &input.given, part.bits);
                write(run, object, part.start, part.bits, value);
            }
        }
    }

    fn of(&self, given: &Given, aspect: Aspect) -> Option<i128> {
        let input = Input {
            given: given.clone(),
            aspect,
        };
        self.inputs.get(&input).copied()
    }

    /// A value of a type.
    pub fn value<O: Observer>(
        &self,
        run: &mut Interpreter<'_, O>,
        given: &Given,
        ty: TypeId,
    ) -> Scalar {
        match self.program.types.lookup(ty) {
            Some(Type::Int { width, .. }) => self.of_part(run, given, u32::from(*width)),
            Some(Type::Pointer(_)) => self.pointer(run, given),
            _ => Scalar::ZERO,
        }
    }

    /// A number of so many bits, or a pointer.
    fn of_part<O: Observer>(
        &self,
        run: &mut Interpreter<'_, O>,
        given: &Given,
        bits: u32,
    ) -> Scalar {
        if self.of(given, Aspect::Length).is_some() || self.of(given, Aspect::Offset).is_some() {
            return self.pointer(run, given);
        }
        let number = self.of(given, Aspect::Value).unwrap_or(0);
        let mask = u64::MAX >> (64 - bits.clamp(1, 64));
        Scalar::plain(number as u64 & mask)
    }

    /// A pointer, with the object that it points into.
    fn pointer<O: Observer>(&self, run: &mut Interpreter<'_, O>, given: &Given) -> Scalar {
        if self.of(given, Aspect::Value) == Some(0) {
            return Scalar::ZERO;
        }
        let number = |aspect, otherwise| {
            let number = self.of(given, aspect).and_then(|n| u64::try_from(n).ok());
            number.unwrap_or(otherwise)
        };
        let offset = number(Aspect::Offset, 0);
        let size = number(Aspect::Length, ROOM);
        let made = run
            .memory_mut()
            .allocate(size, 16, Kind::Global, Fresh::Zero);
        let Some(object) = made else {
            return Scalar::ZERO;
        };
        let within = self.inputs.keys().filter(|input| {
            let path = input.given.path.split_last();
            let is_in_it = path.is_some_and(|(_, before)| before == given.path.as_slice());
            is_in_it && input.given.root == given.root && input.aspect == Aspect::Value
        });
        for input in within {
            if let Some(part) = input.given.path.last() {
                let value = self.of_part(run, &input.given, part.bits);
                let start = part.start + 8 * i128::from(offset);
                write(run, object, start, part.bits, value);
            }
        }
        run.memory().address(object).offset(offset)
    }
}

/// What `main` is given when the program is started by its name alone: 1, the name, no environment.
pub(super) fn of_main<O: Observer>(run: &mut Interpreter<'_, O>, at: u32) -> Scalar {
    if at == 0 {
        return Scalar::plain(1);
    }
    let mut object = |size| {
        run.memory_mut()
            .allocate(size, 16, Kind::Global, Fresh::Zero)
    };
    let (Some(list), Some(name)) = (object(16), object(2)) else {
        return Scalar::ZERO;
    };
    if at == 1 {
        write(run, name, 0, 8, Scalar::plain(u64::from(b'a')));
        let pointer = run.memory().address(name);
        write(run, list, 0, 64, pointer);
    }
    run.memory().address(list)
}

/// Writes a part of an object, if it is one of whole bytes and lies in there.
fn write<O: Observer>(
    run: &mut Interpreter<'_, O>,
    object: interp::ObjId,
    start: i128,
    bits: u32,
    value: Scalar,
) {
    if let (Ok(at), true, 1..=8) = (u64::try_from(start), bits.is_multiple_of(8), bits / 8) {
        // What does not fit is as it was.
        let _ = run
            .memory_mut()
            .write(object, at / 8, bits as usize / 8, value);
    }
}
