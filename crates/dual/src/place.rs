//! Places: where a value lies, and what is there.

mod copied;
mod placed;
mod written;

use crate::arithmetic::{Integers, wrapped};
use crate::eval::NARROW;
use crate::facts::Range;
use crate::input::{Aspect, Given, Input, Part, Root};
use crate::linear::Linear;
use crate::memory::{Found, Written};
use crate::path::{Path, Paths};
use crate::run::Run;
use crate::value::{Object, Pointer, Value, part_of};
use ir::{Base, PlaceId, Projection, Type, TypeId};
use smallvec::smallvec;

/// Where a value lies.
#[derive(Clone, Debug)]
pub struct Address {
    /// To the beginning of the place.
    pub pointer: Pointer,
    /// Of a bit-field: lowest bit within the byte, number of bits.
    pub bits: Option<(u16, u16)>,
}

impl Run<'_> {
    /// Where a place is, a case for each way to evaluate what it is made of.
    pub fn address(&mut self, path: Path, place: PlaceId) -> Paths<Address> {
        let body = self.body;
        let types = &self.program.types;
        let place = &body.places[place];
        let object = |object: Object, ty: TypeId| {
            let length = Linear::constant(i128::from(types.size_of(ty)));
            (Pointer::to(object, length), ty)
        };
        let bases: Paths<(Pointer, TypeId)> = match place.base {
            Base::Var(v) => smallvec![(path, object(Object::Variable(v), body.vars[v].ty))],
            Base::Global(g) => {
                let ty = self.program.globals[g].ty;
                smallvec![(path, object(Object::Global(g), ty))]
            }
            Base::Deref(e) => {
                let to = types.pointee(body.exprs[e].ty).unwrap_or(TypeId::VOID);
                let all = self.eval(path, e);
                all.into_iter()
                    .map(|(mut path, value)| {
                        let pointer = self.pointer(&mut path, value);
                        (path, (pointer, to))
                    })
                    .collect()
            }
        };
        let start = |(path, (pointer, ty))| {
            let address = Address {
                pointer,
                bits: None,
            };
            (path, (address, ty))
        };
        let mut all: Paths<(Address, TypeId)> = bases.into_iter().map(start).collect();
        for step in &place.projections {
            all = all
                .into_iter()
                .flat_map(|(path, (address, ty))| self.step(path, address, ty, *step))
                .collect();
        }
        all.into_iter().map(|(path, (a, _))| (path, a)).collect()
    }

    fn step(
        &mut self,
        mut path: Path,
        mut address: Address,
        ty: TypeId,
        step: Projection,
    ) -> Paths<(Address, TypeId)> {
        let types = &self.program.types;
        match step {
            Projection::As(ty) => smallvec![(path, (address, ty))],
            Projection::Field(n) => {
                let field = types.as_struct(ty).and_then(|s| s.fields.get(n as usize));
                let Some(field) = field else {
                    address.pointer.offset = self.any_offset(&mut path);
                    return smallvec![(path, (address, TypeId::VOID))];
                };
                address.bits = field.bits;
                let moved = address
                    .pointer
                    .offset
                    .plus_constant(i128::from(field.offset));
                let ty = field.ty;
                address.pointer.offset = moved.unwrap_or_else(|| self.any_offset(&mut path));
                smallvec![(path, (address, ty))]
            }
            Projection::Index(e) => {
                let elem = match *types.get(ty) {
                    Type::Array { elem, .. } => elem,
                    _ => TypeId::VOID,
                };
                let size = i128::from(types.size_of(elem));
                let index_type = self.body.exprs[e].ty;
                let all = self.eval(path, e);
                let mut moved = Paths::new();
                for (mut path, index) in all {
                    let index = self.number(&mut path, index, index_type);
                    for (path, offset) in self.further(path, &address.pointer.offset, size, &index)
                    {
                        let mut address = address.clone();
                        address.pointer.offset = offset;
                        moved.push((path, (address, elem)));
                    }
                }
                moved
            }
        }
    }

    /// An offset, so many steps further on; as a number of 64 bits, which addresses are.
    pub fn further(
        &mut self,
        path: Path,
        offset: &Linear,
        step: i128,
        index: &Linear,
    ) -> Paths<Linear> {
        let range = match self.integers {
            Integers::Machine => Range::new(i64::MIN.into(), i64::MAX.into()),
            Integers::Unbounded => Range::ANYTHING,
        };
        let moved = offset.plus_times(step, index);
        wrapped(path, &mut self.symbols, moved, range)
    }

    fn any_offset(&mut self, path: &mut Path) -> Linear {
        crate::arithmetic::some_number(path, &mut self.symbols, Range::ANYTHING)
    }

    /// How far into its object a pointer leads, counted as the parts of that are; none if that depends on the run.
    pub fn byte(&self, pointer: &Pointer) -> Option<i128> {
        // What is behind a pointer that was given is told from where it pointed.
        let start = match &pointer.object {
            Object::Behind(given) => self.symbols.find(&Input {
                given: given.clone(),
                aspect: Aspect::Offset,
            }),
            _ => None,
        };
        let start = start.map_or_else(Linear::default, Linear::symbol);
        pointer.offset.minus(&start)?.as_constant()
    }

    /// Which scalar of its object lies at an address; none if that depends on the run, or it is no scalar.
    pub fn part(&self, address: &Address, ty: TypeId) -> Option<Part> {
        let byte = self.byte(&address.pointer)?;
        let part = part_of(&self.program.types, ty, byte)?;
        Some(match address.bits {
            Some((low, bits)) => Part {
                start: part.start + i128::from(low),
                bits: u32::from(bits),
            },
            None => part,
        })
    }

    /// What is at an address, read at a type.
    pub fn load(&mut self, path: &mut Path, address: &Address, ty: TypeId) -> Value {
        let Some(part) = self.part(address, ty) else {
            path.memory.escape_held(&address.pointer.object);
            return self.anything(path, ty);
        };
        let object = &address.pointer.object;
        if let Some(value) = self.constant(object, part, ty) {
            return value;
        }
        match path.memory.read(object, part) {
            Found::Anything => {
                // Parts of pointers, maybe.
                path.memory.escape_held(object);
                self.anything(path, ty)
            }
            Found::Value(value) => {
                let value = value.clone();
                if self.is_of(path, &value, ty) {
                    return value;
                }
                if let Value::Pointer(pointer) = &value {
                    path.memory.escape(&pointer.object);
                }
                self.anything(path, ty)
            }
            Found::Untouched => {
                let Some(given) = initial(object, part) else {
                    return Value::Undefined;
                };
                let value = match self.begun(object, part, ty) {
                    Some(value) => value,
                    None => self.given(path, &given, ty),
                };
                let range = self.range(ty);
                self.symbols.is_put(object, part, range);
                path.memory.learn(object, part, value.clone());
                let is_constant = self.init(object).is_some();
                let unsure = (!is_constant).then_some(Written::Given(given));
                path.memory.mark(object, part, unsure);
                value
            }
        }
    }

    /// Can the value be read at this type as it is?
    fn is_of(&self, path: &Path, value: &Value, ty: TypeId) -> bool {
        match value {
            Value::Number(form) => {
                let range = match self.is_wide(ty) {
                    true => NARROW,
                    false => self.range(ty),
                };
                self.program.types.as_int(ty).is_some() && path.surely_within(form, range)
            }
            Value::Pointer(_) => self.program.types.is_pointer(ty),
            Value::Undefined => true,
            Value::Other => self.program.types.as_float(ty).is_some(),
        }
    }

    /// What is left of a number in a bit-field.
    fn truncated(&mut self, path: &mut Path, form: Linear, bits: u32, ty: TypeId) -> Linear {
        let signed = self
            .program
            .types
            .as_int(ty)
            .is_some_and(|(_, signed)| signed);
        let (least, most) = match (bits, signed) {
            (0 | 97.., _) => return form,
            (bits, true) => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            (bits, false) => (0, (1 << bits) - 1),
        };
        let range = Range::new(least, most);
        let cut = |n: i128| Some(least + n.checked_sub(least)?.rem_euclid(1 << bits));
        match form.as_constant().and_then(cut) {
            Some(left) => Linear::constant(left),
            None if path.surely_within(&form, range) => form,
            None => crate::arithmetic::some_number(path, &mut self.symbols, range),
        }
    }

    /// A scalar is written, maybe with what nobody has written.
    pub fn store_unsure(
        &mut self,
        path: &mut Path,
        address: &Address,
        ty: TypeId,
        value: Value,
        unsure: Option<Written>,
    ) {
        let is_sure = unsure.is_none() && value != Value::Undefined;
        let unsure = unsure.filter(|_| value != Value::Undefined);
        self.store(path, address, ty, value);
        if !is_sure {
            path.memory.spoil(&address.pointer.object);
        }
        if let Some(part) = self.part(address, ty) {
            path.memory.mark(&address.pointer.object, part, unsure);
        }
    }

    /// A scalar is written.
    pub fn store(&mut self, path: &mut Path, address: &Address, ty: TypeId, value: Value) {
        let value = match (address.bits, value) {
            (Some((_, bits)), Value::Number(form)) => {
                Value::Number(self.truncated(path, form, u32::from(bits), ty))
            }
            (_, value) => value,
        };
        let object = &address.pointer.object;
        match self.part(address, ty) {
            Some(part) => {
                let range = self.range(ty);
                self.symbols.is_put(object, part, range);
                let untouched = self.beside(path, address, ty);
                path.memory.write(object, part, value);
                path.memory.place(object, untouched);
            }
            None => {
                if let Value::Pointer(pointer) = &value {
                    path.memory.escape(&pointer.object);
                }
                path.memory.hide(object, value != Value::Undefined);
                path.memory.place(object, self.placed(address, ty, &value));
            }
        }
    }
}

/// What [`Aspect::Filled`] of an object is asked of: the pointer to it, or the global itself. None if it is the function's own.
pub fn whole(object: &Object) -> Option<Given> {
    match object {
        Object::Global(g) => Some(Given {
            root: Root::Global(*g),
            path: Vec::new(),
        }),
        Object::Behind(given) => Some(given.clone()),
        Object::Variable(_) | Object::Fresh(_) | Object::Somewhere | Object::Below => None,
    }
}

/// What is there when the function begins; none if nothing is that anybody has written.
pub fn initial(object: &Object, part: Part) -> Option<Given> {
    match object {
        Object::Variable(_) | Object::Fresh(_) | Object::Somewhere | Object::Below => None,
        Object::Global(g) => Some(Given {
            root: Root::Global(*g),
            path: vec![part],
        }),
        Object::Behind(given) => {
            let mut given = given.clone();
            given.path.push(part);
            Some(given)
        }
    }
}
