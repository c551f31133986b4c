//! Random inputs of a function: what its callers could have made.
//!
//! Integers small, at the edges of their types, near the constants of the body, and equal to one another. Pointers to objects of
//! any length, to their middle and beyond their end, to globals, to each other's targets, to what is gone, to nothing. Memory that
//! was written, or not, or in part.

use interp::{Fresh, Interpreter, Kind, ObjId, Scalar, State, Value};
use ir::{Body, ExprKind, Program, Type, TypeId};
use random_cfa::Rng;

/// One thing in how many is odd: never written, freed, no pointer at all.
const ODD: u32 = 14;

/// Makes inputs in the memory of a run.
pub struct Scene<'a, 'p> {
    pub run: &'a mut Interpreter<'p>,
    pub program: &'p Program,
    pub rng: &'a mut Rng,
    /// Objects that pointers may lead to.
    pub objects: Vec<ObjId>,
    /// Pointers and numbers that were made.
    pointers: Vec<Scalar>,
    numbers: Vec<i128>,
}

impl<'a, 'p> Scene<'a, 'p> {
    pub fn new(
        run: &'a mut Interpreter<'p>,
        program: &'p Program,
        body: &Body,
        rng: &'a mut Rng,
    ) -> Scene<'a, 'p> {
        let constants = body.exprs.values().filter_map(|e| match e.kind {
            ExprKind::Int(bits) => {
                let (width, signed) = program.types.as_int(e.ty)?;
                Some(ir::int_value(bits, width, signed))
            }
            _ => None,
        });
        let numbers = constants.collect();
        Scene {
            run,
            program,
            rng,
            objects: Vec::new(),
            pointers: Vec::new(),
            numbers,
        }
    }

    /// The arguments of a call; memory is made with them.
    pub fn arguments(&mut self, body: &Body) -> Vec<Value> {
        let program = self.program;
        let types: Vec<TypeId> = body.params.iter().map(|p| body.vars[*p].ty).collect();
        let pointees: Vec<TypeId> = types
            .iter()
            .filter_map(|ty| program.types.pointee(*ty))
            .collect();
        for (id, _) in program.globals.iter() {
            self.objects.extend(self.run.global(id));
        }
        let mut made = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            let ty = self.rng.pick(&pointees).unwrap_or(TypeId::I32);
            let count = u64::from(self.rng.below(6));
            let odd = if self.rng.one_in(4) {
                u64::from(self.rng.below(12))
            } else {
                0
            };
            let size = count * program.types.size_of(ty) + odd;
            let memory = self.run.memory_mut();
            if let Some(id) = memory.allocate(size, 16, Kind::Heap, Fresh::Undefined) {
                self.objects.push(id);
                made.push((id, ty, count));
            }
        }
        for (id, ty, count) in &made {
            let step = program.types.size_of(*ty);
            (0..*count).for_each(|i| self.fill(*id, i * step, *ty));
        }
        for (id, global) in program.globals.iter() {
            if let Some(object) = self.run.global(id)
                && !self.rng.one_in(3)
            {
                self.fill(object, 0, global.ty);
            }
        }
        for (id, _, _) in &made {
            if self.rng.one_in(ODD) {
                self.run.memory_mut().kill(*id, State::Freed);
            }
        }
        types.iter().map(|ty| self.argument(*ty)).collect()
    }

    fn argument(&mut self, ty: TypeId) -> Value {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Int { .. } | Type::Pointer(_) => Value::Scalar(self.scalar(ty)),
            _ => Value::int(self.rng.bits()),
        }
    }

    /// Random contents of the type at some bytes of an object.
    fn fill(&mut self, object: ObjId, at: u64, ty: TypeId) {
        let program = self.program;
        match program.types.get(ty) {
            Type::Array { elem, len } => {
                let step = program.types.size_of(*elem);
                (0..*len).for_each(|i| self.fill(object, at + i * step, *elem));
            }
            Type::Struct(_) => {
                let fields = program.types.as_struct(ty).map(|s| s.fields.clone());
                for field in fields.unwrap_or_default() {
                    match field.bits {
                        Some((low, count)) => {
                            let (low, count) = (u32::from(low), u32::from(count));
                            let value = Scalar::plain(self.rng.bits());
                            let memory = self.run.memory_mut();
                            let _ = memory.write_bits(object, at + field.offset, low, count, value);
                        }
                        None => self.fill(object, at + field.offset, field.ty),
                    }
                }
            }
            Type::Int { .. } | Type::Pointer(_) => {
                let value = self.scalar(ty);
                let size = program.types.size_of(ty) as usize;
                let _ = self.run.memory_mut().write(object, at, size, value);
            }
            _ => {}
        }
    }

    fn scalar(&mut self, ty: TypeId) -> Scalar {
        match self.program.types.as_int(ty) {
            Some((width, signed)) => {
                if self.rng.one_in(ODD) {
                    return Scalar::undefined(u32::from(width));
                }
                let n = self.number(width, signed);
                Scalar::plain(n as u64 & (u64::MAX >> (64 - u32::from(width))))
            }
            None => self.pointer(ty),
        }
    }

    /// A number that fits, as likely as not.
    fn number(&mut self, width: u16, signed: bool) -> i128 {
        let near = i128::from(self.rng.below(3)) - 1;
        let most = (1 << (width - u16::from(signed))) - 1;
        let least = if signed { -1 - most } else { 0 };
        let n = match self.rng.below(8) {
            0..=2 => i128::from(self.rng.below(14)) - 3,
            3 => most - i128::from(self.rng.below(2)),
            4 => least + i128::from(self.rng.below(2)),
            5 | 6 => self.rng.pick(&self.numbers).unwrap_or(0) + near,
            _ => i128::from(self.rng.bits()),
        };
        self.numbers.push(n);
        n
    }

    fn pointer(&mut self, ty: TypeId) -> Scalar {
        if self.rng.one_in(8) {
            return Scalar::ZERO;
        }
        if self.rng.one_in(3)
            && let Some(p) = self.rng.pick(&self.pointers)
        {
            return p;
        }
        if self.rng.one_in(2 * ODD) {
            return Scalar::undefined(64);
        }
        let Some(object) = self.rng.pick(&self.objects) else {
            return Scalar::ZERO;
        };
        let memory = self.run.memory();
        let (size, step) = (memory.size(object), self.program.types.stride(ty).max(1));
        let offset = match self.rng.below(6) {
            0..=2 => 0,
            3 | 4 => step * u64::from(self.rng.below((size / step) as u32 + 1)),
            _ => u64::from(self.rng.below(size as u32 + 9)),
        };
        let pointer = self.run.memory().address(object).offset(offset);
        self.pointers.push(pointer);
        pointer
    }
}
