//! What is known before anything is executed: the entry state, and constants of the program.

use crate::Automata;
use crate::entry::Entry;
use crate::frame::{ObjectKind, Shape};
use crate::state::State;
use domain::{CellId, Definition, IntType, Nullness, Number, Pointer};
use ir::{Global, int_value};

impl Automata<'_> {
    /// Parameters can be anything, and nothing of it is acknowledged; `main` gets its arguments
    /// from outside. Where the body is entered in a state that callers are in, what these know is known.
    pub fn entry_state(&mut self) -> State {
        // `main` is called, whatever else is.
        let mut st = State {
            forced: self.is_main,
            ..State::default()
        };
        let body = self.frame.body;
        let types = &self.frame.program.types;
        for (i, &param) in body.params.iter().enumerate() {
            let object = self.frame.var_object(param);
            let cell = CellId::whole(object);
            let ty = body.vars[param].ty;
            if self.frame.info(object).whole.is_none() {
                continue;
            }
            if self.is_main {
                match (i, self.frame.shape(ty)) {
                    (0, Shape::Int(_)) if self.options.bounds => {
                        let count =
                            Number::new(0, i64::from(i32::MAX), 1, i64::from(i32::MAX), true);
                        st.bounds.set(cell, count);
                    }
                    (_, Shape::Pointer) if self.options.pointers => st.pointers.set(
                        cell,
                        Pointer {
                            null: Nullness::VALID,
                            ..Pointer::any()
                        },
                    ),
                    _ => {}
                }
            }
            // Whether the function writes what a parameter points to is part of its summary:
            // for that, the pointee counts as unwritten, though not in a way that is an error.
            let pointee = types.pointee(ty);
            if self.options.pointers
                && let Some(pointee) = pointee
                && types.is_scalar(pointee)
                && self.fixed[i]
                && let Some(object) = self.frame.pointee(cell)
                && let Some(target) = self
                    .frame
                    .cell(object, 0, self.store_bits(pointee), pointee)
            {
                let null = st.pointers.value(cell).null;
                st.pointers.set(
                    cell,
                    Pointer {
                        null,
                        ..Pointer::to(object)
                    },
                );
                st.definedness.set(target, Definition::Unclear);
            }
        }
        if let Some(ret) = body.ret
            && self.frame.info(self.frame.var_object(ret)).whole.is_some()
        {
            let cell = CellId::whole(self.frame.var_object(ret));
            st.definedness.set(cell, Definition::Undefined);
        }
        if let Entry::Given(given) = self.entry.clone() {
            self.enter(&mut st, &given);
        }
        for place in self.unwritten.clone() {
            if let Some(cell) = self.cell_at(&mut st, place)
                && st.definedness.value(cell) == Definition::Defined
            {
                st.definedness.set(cell, Definition::Unclear);
            }
        }
        st
    }

    /// The bytes of a constant global.
    fn constant_bytes(&self, cell: CellId) -> Option<(&Global, u64, u64)> {
        let ObjectKind::Global(g) = self.frame.info(cell.object()).kind else {
            return None;
        };
        let global = &self.frame.program.globals[g];
        let info = self.frame.cell_info(cell)?;
        let plain = info.start % 8 == 0 && info.bits % 8 == 0;
        (global.constant && global.init.is_some() && plain)
            .then(|| (global, info.start / 8, u64::from(info.bits / 8)))
    }

    pub fn initial_number(&self, cell: CellId, int: IntType) -> Option<Number> {
        let (global, start, size) = self.constant_bytes(cell)?;
        let init = global.init.as_ref()?;
        let inside = |offset: u64, length: u64| offset < start + size && start < offset + length;
        if size > 8
            || init.unknown.iter().any(|(o, l)| inside(*o, *l))
            || init.relocations.iter().any(|r| inside(r.offset, 8))
        {
            return None;
        }
        let mut bits = 0u128;
        for i in (0..size).rev() {
            let byte = usize::try_from(start + i)
                .ok()
                .and_then(|i| init.bytes.get(i));
            bits = bits << 8 | u128::from(byte.copied().unwrap_or(0));
        }
        let value = int_value(bits, int.width, int.signed);
        Some(Number::constant(i64::try_from(value).ok()?))
    }

    pub fn initial_pointer(&self, cell: CellId) -> Pointer {
        let Some((global, start, _)) = self.constant_bytes(cell) else {
            return Pointer::any();
        };
        let Some(init) = global.init.as_ref() else {
            return Pointer::any();
        };
        if init
            .unknown
            .iter()
            .any(|(o, l)| *o < start + 8 && start < o + l)
        {
            return Pointer::any();
        }
        match init.relocations.iter().find(|r| r.offset == start) {
            Some(_) => {
                let kind = self.frame.info(cell.object()).kind;
                let target = self.frame.constant_target(kind, start * 8);
                let known = target.and_then(|(to, by)| Some((self.frame.known_object(to)?, by)));
                match known {
                    Some((object, by)) => Pointer {
                        offset: Number::constant(by),
                        ..Pointer::to(object)
                    },
                    None => Pointer {
                        null: Nullness::VALID,
                        ..Pointer::any()
                    },
                }
            }
            None => {
                let bytes = init
                    .bytes
                    .iter()
                    .skip(usize::try_from(start).unwrap_or(usize::MAX))
                    .take(8);
                if bytes.copied().all(|b| b == 0) {
                    Pointer::null()
                } else {
                    Pointer::any()
                }
            }
        }
    }
}
