//! Stores that may hit any of several cells.
//!
//! Where it is not known which cell a store hits, each that may have been hit holds what it held,
//! or the new value: a weak update. So does memory that others may know by another name.

use crate::Automata;
use crate::frame::{Frame, ObjectKind, Shape};
use crate::state::State;
use crate::text::Written;
use crate::value::Value;
use domain::arithmetic::convert;
use domain::{CellId, Change, Definition, Escaped, Number, ObjectId, Pointer, Targets};
use ir::TypeId;

/// What is stored, for whatever it may hit.
pub struct Stored<'v> {
    pub value: &'v Value,
    /// 0: any number of them.
    pub bits: u32,
    pub shape: Shape,
    pub ty: TypeId,
    pub def: Definition,
}

impl Stored<'_> {
    /// Something of any kind.
    pub const ANYTHING: Stored<'static> = Stored {
        value: &Value::Unknown,
        bits: 0,
        shape: Shape::Aggregate,
        ty: TypeId::VOID,
        def: Definition::Defined,
    };

    fn anything(&self) -> bool {
        self.shape == Shape::Aggregate
    }
}

impl Automata<'_> {
    /// Something in the region was written, at an offset that is not known.
    pub fn weaken_range(
        &mut self,
        st: &mut State,
        object: ObjectId,
        start: u64,
        end: u64,
        stored: &Stored<'_>,
    ) {
        self.note_written(st, object);
        self.write_text(st, object, (start / 8, end.div_ceil(8)), |_| {
            Written::Anything
        });
        for cell in self.frame.overlapping(object, start, end) {
            let Some(&info) = self.frame.cell_info(cell) else {
                continue;
            };
            let old = self.cell_value(st, cell);
            let new = if info.bits == stored.bits && info.shape == stored.shape {
                self.either(st, &old, stored.value)
            } else {
                self.lose(st, &old);
                Value::Unknown
            };
            let def = mixed(st.definedness.value(cell), stored.def);
            st.forget_copies(cell);
            self.set_cell(st, cell, new, def);
        }
        self.lose_rest(st, object);
        self.blur_rest(
            st,
            object,
            matches!(stored.value, Value::Number(n) if n.as_constant() == Some(0)),
        );
        if stored.def != Definition::Defined {
            let rest = CellId::rest(object);
            let def = mixed(st.definedness.value(rest), stored.def);
            st.definedness.set(rest, def);
        }
        self.lose(st, stored.value);
    }

    fn lose_rest(&mut self, st: &mut State, object: ObjectId) {
        if let Some(p) = st.pointers.get(CellId::rest(object)).cloned() {
            self.lose(st, &Value::Pointer(p));
        }
    }

    /// The parts without a cell hold something else, perhaps.
    pub fn blur_rest(&mut self, st: &mut State, object: ObjectId, zero: bool) {
        let rest = CellId::rest(object);
        if !zero {
            // The parts without an entry take their value from the rest: they lose it with it.
            st.bounds.remove(rest);
            st.pointers.remove(rest);
        } else {
            st.pointers.remove(rest);
        }
        if let Some(def) = st.definedness.get(rest).copied() {
            st.definedness.set(rest, blurred(def));
        }
    }

    /// A region holds unknown values now; defined ones if it was surely written.
    pub fn blur_region(
        &mut self,
        st: &mut State,
        object: ObjectId,
        start: u64,
        end: u64,
        sure: bool,
    ) {
        self.note_written(st, object);
        self.write_text(st, object, (start / 8, end.div_ceil(8)), |_| {
            Written::Anything
        });
        for cell in self.frame.overlapping(object, start, end) {
            let inside = self
                .frame
                .cell_info(cell)
                .is_some_and(|i| i.is_within(start, end));
            let before = st.definedness.value(cell);
            let def = if sure && inside {
                Definition::Defined
            } else {
                blurred(before)
            };
            if !(sure && inside) {
                let old = self.cell_value(st, cell);
                self.lose(st, &old);
            }
            st.forget_copies(cell);
            self.set_cell(st, cell, Value::Unknown, def);
        }
        let whole = self
            .frame
            .info(object)
            .size
            .is_some_and(|s| start == 0 && s.saturating_mul(8) <= end);
        if sure && whole {
            st.definedness.remove(CellId::rest(object));
            st.bounds.remove(CellId::rest(object));
            st.pointers.remove(CellId::rest(object));
        } else {
            self.lose_rest(st, object);
            self.blur_rest(st, object, false);
        }
        self.weaken_aliases(st, object, &Stored::ANYTHING);
    }

    /// What a store into `object` may have written elsewhere.
    pub fn weaken_aliases(&mut self, st: &mut State, object: ObjectId, stored: &Stored<'_>) {
        let kind = self.frame.info(object).kind;
        let symbolic = matches!(kind, ObjectKind::Pointee(_));
        let exposed = match kind {
            ObjectKind::Pointee(_) | ObjectKind::Global(_) => true,
            _ => st.escaped.get(object).is_some(),
        };
        if exposed {
            self.weaken_where(st, stored, |frame, escaped, other| {
                other != object
                    && match frame.info(other).kind {
                        ObjectKind::Pointee(_) => true,
                        ObjectKind::Global(_) => symbolic,
                        _ => symbolic && escaped.get(other).is_some(),
                    }
            });
        }
    }

    /// A store through a pointer that can point anywhere.
    pub fn write_anywhere(&mut self, st: &mut State, stored: &Stored<'_>) {
        self.conditions.memory_written(st);
        self.weaken_where(st, stored, |frame, escaped, other| {
            match frame.info(other).kind {
                ObjectKind::Pointee(_) | ObjectKind::Global(_) => true,
                _ => escaped.get(other).is_some(),
            }
        });
    }

    fn weaken_where(
        &mut self,
        st: &mut State,
        stored: &Stored<'_>,
        hit: impl Fn(&Frame<'_>, &Escaped, ObjectId) -> bool,
    ) {
        let frame = &self.frame;
        let bits = stored.bits;
        let same_size =
            |cell: CellId| bits == 0 || frame.cell_info(cell).is_none_or(|i| i.bits == bits);
        let fits = |cell: CellId| {
            let info = frame.cell_info(cell);
            info.is_none_or(|i| (bits == 0 || i.bits == bits) && frame.may_share(i.ty, stored.ty))
        };
        let before = st.escaped.clone();
        // That two pointers might be the same is a guess of ours, and no evidence.
        let mut lost = Vec::new();
        if !matches!(stored.value, Value::Number(_)) || stored.anything() {
            let new = match stored.value {
                Value::Pointer(p) => p.without_evidence(),
                _ => Pointer::any(),
            };
            let null = !new.null.may_be_valid;
            st.pointers.update(|cell, old| {
                // The parts of a rest lie anywhere: only what all have in common stays.
                let rest = frame.cell_info(cell).is_none() && !null;
                if !(hit(frame, &before, cell.object()) && fits(cell)) {
                    return Change::Keep;
                }
                let joined = if rest { Pointer::any() } else { old.join(&new) };
                if joined.targets == Targets::Any
                    && let Targets::Known(set) = &old.targets
                {
                    lost.extend(set.iter().copied());
                }
                Change::Set(joined)
            });
            st.pointers.retain(|cell, p| cell.is_part() || !p.is_any());
        }
        if !matches!(stored.value, Value::Pointer(_)) || stored.anything() {
            st.bounds.update(|cell, old| {
                if cell.is_text() {
                    return match hit(frame, &before, cell.object()) {
                        true => Change::Remove,
                        false => Change::Keep,
                    };
                }
                // The size of an object is no memory.
                if cell == CellId::size(cell.object())
                    || !(hit(frame, &before, cell.object()) && same_size(cell))
                {
                    return Change::Keep;
                }
                let new = match (
                    stored.value,
                    stored.shape,
                    frame.cell_info(cell).map(|i| i.shape),
                ) {
                    (Value::Number(n), _, None) if n.as_constant() == Some(0) => {
                        n.without_evidence()
                    }
                    (Value::Number(n), Shape::Int(from), Some(Shape::Int(to))) => {
                        convert(&n.without_evidence(), from, to)
                    }
                    _ => Number::TOP,
                };
                Change::Set(old.join(&new))
            });
            st.bounds.retain(|cell, n| cell.is_part() || !n.is_top());
        }
        st.definedness.update(|cell, old| {
            if *old != Definition::Defined && hit(frame, &before, cell.object()) && same_size(cell)
            {
                Change::Set(blurred(*old))
            } else {
                Change::Keep
            }
        });
        if stored.def != Definition::Defined {
            let hits: Vec<ObjectId> = self.frame.objects().map(|(id, _)| id).collect();
            for object in hits.into_iter().filter(|o| hit(&self.frame, &before, *o)) {
                for cell in self.frame.cells(object) {
                    let old = st.definedness.value(cell);
                    if bits == 0 || self.frame.cell_info(cell).is_some_and(|i| i.bits == bits) {
                        st.definedness.set(cell, mixed(old, stored.def));
                    }
                }
            }
        }
        for object in lost {
            self.escape(st, object);
        }
    }
}

/// What is known of a cell, a part of which was written, perhaps, with something defined or not.
pub fn mixed(before: Definition, def: Definition) -> Definition {
    if before == def {
        before
    } else {
        Definition::Unclear
    }
}

/// Written, perhaps.
pub fn blurred(def: Definition) -> Definition {
    match def {
        Definition::Defined => Definition::Defined,
        _ => Definition::Unclear,
    }
}
