//! Inputs by chance, for whoever runs programs at random.

use crate::observe::Oracle;
use crate::value::Value;
use crate::{Interpreter, Observer, Scalar};
use ir::{FuncId, HavocReason, Program, Type, TypeId};

/// Answers every question by chance, from a source of random bits.
pub struct Chance<F>(pub F);

impl<F: FnMut() -> u64> Oracle for Chance<F> {
    fn havoc(&mut self, _: &HavocReason, _: TypeId) -> Option<Value> {
        Some(Value::int(match (self.0)() % 2 {
            0 => (self.0)(),
            _ => (self.0)() % 16,
        }))
    }

    fn choose(&mut self, count: usize) -> usize {
        ((self.0)() % (count as u64).max(1)) as usize
    }
}

/// A number of so many bits: any, or one near 0, where programs have their limits.
pub fn number(width: u16, mut bits: impl FnMut() -> u64) -> Value {
    let number = match bits() % 2 {
        0 => bits(),
        _ => (bits() % 12).wrapping_sub(2),
    };
    Value::int(number & (u64::MAX >> (64 - u32::from(width.clamp(1, 64)))))
}

/// Arguments for a function, from anywhere: numbers, null, and addresses of globals.
pub fn arguments<O: Observer>(
    program: &Program,
    interpreter: &Interpreter<'_, O>,
    f: FuncId,
    mut bits: impl FnMut() -> u64,
) -> Vec<Value> {
    let Type::Function { params, .. } = program.types.get(program.functions[f].signature) else {
        return Vec::new();
    };
    let argument = |ty: &TypeId| match *program.types.get(*ty) {
        Type::Int { width, .. } => number(width, &mut bits),
        Type::Pointer(to) if !bits().is_multiple_of(8) => {
            let mut all = program.globals.iter().filter(|(_, g)| g.ty == to);
            let global = all.next().and_then(|(g, _)| interpreter.global(g));
            Value::Scalar(global.map_or(Scalar::ZERO, |g| interpreter.memory().address(g)))
        }
        _ => Value::int(0),
    };
    params.iter().map(argument).collect()
}
