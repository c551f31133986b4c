//! Was it written, what lies somewhere?
//!
//! Of a scalar at a known place its cell says so. Else it depends on the whole object: on what was put there since the function began,
//! and on whether all of it had been written before ([`crate::input::Aspect::Filled`]). A constant always was.

use super::{Address, initial, whole};
use crate::input::Part;
use crate::linear::Linear;
use crate::memory::{Found, Rest, Written};
use crate::path::Path;
use crate::run::Run;
use crate::value::{Object, Pointer, Value};
use ir::{Init, Linkage, PlaceId, Target, TypeId};

impl Run<'_> {
    /// Was what lies in a place written, beyond what its value says?
    pub fn is_unsure(&mut self, path: &Path, place: PlaceId) -> Option<Written> {
        if path.checked.contains(&place) {
            return None;
        }
        let ty = self.body.places[place].ty;
        let one;
        let (path, address) = match self.body.places[place].as_var() {
            Some(v) => (path, self.variable(v)),
            None => {
                let mut all = self.address(path.clone(), place);
                match (all.pop(), all.is_empty()) {
                    (Some((path, address)), true) => {
                        one = path;
                        (&one, address)
                    }
                    _ => return Some(Written::Maybe),
                }
            }
        };
        match self.written_at(path, &address, ty)? {
            Written::Never => Some(Written::Maybe),
            written => Some(written),
        }
    }

    /// Was what lies at an address written?
    pub fn written_at(&self, path: &Path, address: &Address, ty: TypeId) -> Option<Written> {
        let object = &address.pointer.object;
        let Some(part) = self.part(address, ty) else {
            return self.filled(path, object);
        };
        match path.memory.read(object, part) {
            Found::Value(Value::Undefined) => Some(Written::Never),
            Found::Value(_) => path.memory.unsure(object, part).cloned(),
            Found::Anything => self.filled(path, object),
            Found::Untouched if self.init(object).is_some() => None,
            Found::Untouched => Some(initial(object, part).map_or(Written::Never, Written::Given)),
        }
    }

    /// Was all of an object written, as far as it is not known of its scalars?
    pub fn filled(&self, path: &Path, object: &Object) -> Option<Written> {
        let types = &self.program.types;
        let size = match object {
            Object::Variable(v) => Some(types.size_of(self.body.vars[*v].ty)),
            Object::Global(g) => Some(types.size_of(self.program.globals[*g].ty)),
            _ => None,
        };
        let bits = size.and_then(|bytes| bytes.checked_mul(8));
        match (path.memory.rest(object, bits), whole(object)) {
            _ if self.init(object).is_some() => None,
            (Rest::Written, _) => None,
            (Rest::Kept, Some(given)) => Some(Written::Filled(given)),
            _ => Some(Written::Maybe),
        }
    }

    /// What a constant of the program holds; none if the object is none.
    pub(super) fn init(&self, object: &Object) -> Option<&Init> {
        let Object::Global(g) = object else {
            return None;
        };
        let global = &self.program.globals[*g];
        global.init.as_ref().filter(|_| global.constant)
    }

    /// A number or null that a constant of the program holds; none if it is none, or an address.
    pub(super) fn constant(&self, object: &Object, part: Part, ty: TypeId) -> Option<Value> {
        self.held(self.init(object)?, object, part, ty)
    }

    /// What a global holds when the program begins, if it begins here: a number, null, or the address of another; none if that is not known.
    pub(super) fn begun(&self, object: &Object, part: Part, ty: TypeId) -> Option<Value> {
        let Object::Global(g) = object else {
            return None;
        };
        let globals = &self.program.globals;
        // A weak definition is one that another may replace.
        let is_last = self.begins && globals[*g].linkage != Linkage::Weak;
        let init = globals[*g].init.as_ref().filter(|_| is_last)?;
        let held = self.held(init, object, part, ty);
        let byte = u64::try_from(part.start).ok().filter(|n| n % 8 == 0)? / 8;
        held.or_else(|| {
            let mut all = init.relocations.iter();
            let relocation = all.find(|r| r.offset == byte && r.addend == 0)?;
            let Target::Global(to) = relocation.target else {
                return None;
            };
            let is_pointer = self.program.types.is_pointer(ty);
            let ty = globals.get(to).filter(|_| is_pointer)?.ty;
            let size = i128::from(self.program.types.size_of(ty));
            let length = Linear::constant(size);
            (size > 0).then(|| Value::from(Pointer::to(Object::Global(to), length)))
        })
    }

    /// A number or null of an initial value.
    fn held(&self, init: &Init, object: &Object, part: Part, ty: TypeId) -> Option<Value> {
        let from = u64::try_from(part.start).ok().filter(|n| n % 8 == 0)? / 8;
        let to = from + u64::from(part.bits.div_ceil(8));
        let overlaps =
            |offset: u64, length: u64| offset < to && from < offset.saturating_add(length);
        let is_open = init
            .unknown
            .iter()
            .any(|(at, length)| overlaps(*at, *length));
        let is_address = init.relocations.iter().any(|r| overlaps(r.offset, 8));
        let size = self.program.globals.get(match object {
            Object::Global(g) => *g,
            _ => return None,
        });
        let size = self.program.types.size_of(size?.ty);
        if is_open || is_address || part.bits > 64 || to > size {
            return None;
        }
        let mut bits = 0;
        for at in (from..to).rev() {
            let byte = usize::try_from(at).ok().and_then(|at| init.bytes.get(at));
            bits = bits << 8 | u128::from(byte.copied().unwrap_or(0));
        }
        match self.program.types.as_int(ty) {
            Some((width, signed)) if part.bits == u32::from(width) || width == 1 => {
                let number = ir::int_value(ir::expr::mask(bits, width), width, signed);
                Some(Value::Number(Linear::constant(number)))
            }
            None if self.program.types.is_pointer(ty) && bits == 0 => {
                Some(Value::from(Pointer::null()))
            }
            _ => None,
        }
    }
}
