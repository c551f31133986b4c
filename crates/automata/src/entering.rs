//! From an [`Entry`] to the state in which a body begins: the other side of [`crate::project`].
//!
//! What a pointer parameter points to is the object that an unknown pointer in that parameter would get
//! ([`ObjectKind::Pointee`](crate::frame::ObjectKind)), of which now more is known. So two parameters
//! that point to one object are two objects that may be the same, as always, and nothing that is known of
//! one survives a write through the other.

use crate::Automata;
use crate::entry::{Access, Given, Kind, Known, Part, Reference};
use crate::frame::{ObjectKind, Shape};
use crate::project::find;
use crate::state::State;
use domain::{CellId, Definition, Number, Pointer, Targets};
use ir::TypeId;

impl Automata<'_> {
    /// Adds what is given to the state for any caller.
    pub(crate) fn enter(&mut self, st: &mut State, given: &Given) {
        for (access, content) in given.iter() {
            let Some(cell) = self.cell_of(st, access) else {
                continue;
            };
            let shape = self.frame.cell_info(cell).map(|i| i.shape);
            match (&content.value, shape) {
                (Known::Number(n), Some(Shape::Int(_))) if self.options.bounds => {
                    st.bounds.set(cell, *n);
                }
                (Known::Pointer(r), Some(Shape::Pointer)) if self.options.pointers => {
                    self.set_pointer(st, cell, r);
                }
                _ => {}
            }
            if content.definition != Definition::Defined {
                st.definedness.set(cell, content.definition);
            }
        }
    }

    /// Where a scalar of the caller's is in this frame.
    fn cell_of(&mut self, st: &mut State, access: &Access) -> Option<CellId> {
        let param = *self.frame.body.params.get(access.param as usize)?;
        let object = self.frame.var_object(param);
        self.frame.info(object).whole?;
        let mut cell = CellId::whole(object);
        for part in &access.path {
            if !self.options.pointers {
                return None;
            }
            let mut pointer = st.pointers.value(cell);
            if !pointer.null.may_be_valid {
                return None;
            }
            if pointer.targets == Targets::Any {
                let null = pointer.null;
                let object = self.frame.pointee(cell)?;
                pointer = Pointer {
                    null,
                    ..Pointer::to(object)
                };
                st.pointers.set(cell, pointer);
            }
            let start = pointer.offset.as_constant()?.checked_mul(8)?;
            let start = u64::try_from(start.checked_add(part.start)?).ok()?;
            let object = pointer.targets.single()?;
            cell = self
                .frame
                .cell(object, start, part.bits, type_for(*part)?)?;
        }
        Some(cell)
    }

    fn set_pointer(&mut self, st: &mut State, cell: CellId, known: &Reference) {
        let before = st.pointers.value(cell);
        let null = known.null;
        if !null.may_be_valid {
            let nowhere = Pointer {
                null,
                ..Pointer::null()
            };
            return st.pointers.set(cell, nowhere);
        }
        let program = self.frame.program;
        let functions: Option<Vec<_>> = known.functions.iter().map(|f| find(program, f)).collect();
        if let Some(functions) = functions.filter(|f| !f.is_empty()) {
            let objects = functions.into_iter().map(|f| {
                let object = self.frame.object(ObjectKind::Function(f));
                Pointer::to(object)
            });
            if let Some(target) = objects.reduce(|a, b| a.join(&b)) {
                return st.pointers.set(cell, Pointer { null, ..target });
            }
        }
        if let Some(room) = known.room
            && let Some(object) = self.frame.pointee(cell)
            && let (Ok(offset), Ok(size)) = (i64::try_from(room.before), i64::try_from(room.size))
        {
            let offset = Number::constant(offset);
            st.bounds.set(CellId::size(object), Number::constant(size));
            let target = Pointer {
                null,
                offset,
                ..Pointer::to(object)
            };
            st.pointers.set(cell, target);
            return self.leave_open(st, cell, room.before);
        }
        st.pointers.set(cell, Pointer { null, ..before });
    }

    /// For the summary the pointee of a parameter counts as unwritten, though not in a way that is an
    /// error: also where it is not at the start of its object.
    fn leave_open(&mut self, st: &mut State, holder: CellId, before: u64) {
        let ty = self.frame.cell_info(holder).map(|i| i.ty);
        let types = &self.frame.program.types;
        let Some(pointee) = ty.and_then(|t| types.pointee(t)) else {
            return;
        };
        let Some(object) = self.frame.pointee(holder) else {
            return;
        };
        let noted = st.definedness.iter().any(|(c, _)| c.object() == object);
        let Some(start) = before.checked_mul(8).filter(|_| noted && before > 0) else {
            return;
        };
        let bits = self.store_bits(pointee);
        if let Some(cell) = self.frame.cell(object, start, bits, pointee) {
            st.definedness.set(cell, Definition::Unclear);
        }
    }
}

/// A type of which there is such a scalar.
fn type_for(part: Part) -> Option<TypeId> {
    let fits = |bits: u32| part.bits <= bits;
    match part.kind {
        Kind::Pointer => Some(TypeId::VOID_PTR),
        Kind::Signed => [
            (8, TypeId::I8),
            (16, TypeId::I16),
            (32, TypeId::I32),
            (64, TypeId::I64),
            (128, TypeId::I128),
        ]
        .into_iter()
        .find_map(|(bits, ty)| fits(bits).then_some(ty)),
        Kind::Unsigned => [
            (8, TypeId::U8),
            (16, TypeId::U16),
            (32, TypeId::U32),
            (64, TypeId::U64),
            (128, TypeId::U128),
        ]
        .into_iter()
        .find_map(|(bits, ty)| fits(bits).then_some(ty)),
        Kind::Float => [(32, TypeId::F32), (64, TypeId::F64), (128, TypeId::X87)]
            .into_iter()
            .find_map(|(bits, ty)| fits(bits).then_some(ty)),
    }
}
