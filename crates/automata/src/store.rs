//! Writing memory in a state.
//!
//! A store to one known cell replaces what is known of it. Any other *weakens*: each cell that may
//! have been hit holds what it held, or the new value. Two things go with every store: an address
//! that is no longer kept track of belongs to others from then on ([`Automata::lose`]), and a value
//! that was never written does not become so by being moved.

use crate::Automata;
use crate::frame::{ObjectKind, Shape, Slot};
use crate::memory::Spot;
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::convert;
use domain::{CellId, Change, Definition, Escaped, Number, ObjectId, Pointer, Targets};
use ir::{PlaceId, TypeId};

/// What is stored, for whatever it may hit.
struct Stored<'v> {
    value: &'v Value,
    /// 0: any number of them.
    bits: u32,
    shape: Shape,
    def: Definition,
}

impl Stored<'_> {
    const ANYTHING: Stored<'static> = Stored {
        value: &Value::Unknown,
        bits: 0,
        shape: Shape::Aggregate,
        def: Definition::Defined,
    };

    fn anything(&self) -> bool {
        self.shape == Shape::Aggregate
    }
}

impl Automata<'_> {
    /// Stores a value at a place.
    pub fn store(&mut self, st: &mut State, place: PlaceId, value: Value, def: Definition) {
        let slot = self.frame.slot(place);
        let targets = match slot {
            Slot::Cell(cell) => {
                let value = self.as_stored(cell, value, self.frame.body.places[place].ty);
                self.write_cell(st, cell, value, def);
                Targets::one(cell.object())
            }
            Slot::Region(object, start, bits) => {
                self.blur_region(st, object, start, start.saturating_add(bits), true);
                return;
            }
            Slot::Computed => {
                let spot = self.locate(st, place);
                self.store_spot(st, &spot, value, def);
                spot.pointer.targets
            }
        };
        if self.frame.in_union(place) {
            self.write_union(st, &targets, def);
        }
    }

    /// A member of a union was written: elsewhere the same memory may be known by other members.
    fn write_union(&mut self, st: &mut State, targets: &Targets, def: Definition) {
        let stored = Stored {
            def,
            ..Stored::ANYTHING
        };
        match targets {
            Targets::Any => self.write_anywhere(st, &stored),
            Targets::Known(objects) => {
                for &object in objects {
                    self.weaken_aliases(st, object, &stored);
                }
            }
        }
    }

    /// A value of some type as the cell keeps it, which may be of the other signedness, or a
    /// bit-field.
    fn as_stored(&self, cell: CellId, value: Value, ty: TypeId) -> Value {
        match (
            value,
            self.frame.cell_info(cell).map(|i| i.shape),
            self.frame.shape(ty),
        ) {
            (Value::Number(n), Some(Shape::Int(to)), Shape::Int(from)) if from != to => {
                Value::Number(convert(&n, from, to))
            }
            (value, _, _) => value,
        }
    }

    pub fn store_spot(&mut self, st: &mut State, spot: &Spot, value: Value, def: Definition) {
        self.let_escape_into(st, &spot.pointer.targets, &value);
        if let Some(cell) = self.spot_cell(spot) {
            let value = self.as_stored(cell, value, spot.ty);
            return self.write_cell(st, cell, value, def);
        }
        let value = match value {
            Value::Unknown => Value::unknown(self.frame.shape(spot.ty)),
            value => value,
        };
        let stored = Stored {
            value: &value,
            bits: self.store_bits(spot.ty),
            shape: self.frame.shape(spot.ty),
            def,
        };
        match &spot.pointer.targets {
            Targets::Any => self.write_anywhere(st, &stored),
            Targets::Known(objects) => {
                for &object in objects {
                    match self.extent(spot) {
                        Some((start, bits)) => {
                            let aggregate = stored.shape == Shape::Aggregate;
                            let length = if aggregate {
                                self.frame.program.types.size_of(spot.ty).saturating_mul(8)
                            } else {
                                u64::from(bits)
                            };
                            let sure = objects.len() == 1;
                            match self.frame.cell(object, start, bits, spot.ty) {
                                Some(cell) => self.weaken_cell(st, cell, &value, spot.ty, def),
                                None => self.blur_region(st, object, start, start + length, sure),
                            }
                        }
                        None => {
                            let (start, end) = self.range_of(spot);
                            self.weaken_range(st, object, start, end, &stored);
                        }
                    }
                    self.weaken_aliases(st, object, &stored);
                }
            }
        }
    }

    /// Something in the object has a new value.
    pub fn note_written(&self, st: &mut State, object: ObjectId) {
        match self.frame.as_var(object) {
            Some(v) => {
                self.conditions.written(st, v);
                if self.frame.body.vars[v].address_taken {
                    self.conditions.memory_written(st);
                }
            }
            None => self.conditions.memory_written(st),
        }
    }

    /// A strong update, and what it may mean for others.
    pub fn write_cell(&mut self, st: &mut State, cell: CellId, value: Value, def: Definition) {
        let object = cell.object();
        self.note_written(st, object);
        st.forget_copies(cell);
        let info = self.frame.cell_info(cell).copied();
        if cell.is_part()
            && let Some(info) = info
        {
            self.write_over(st, cell, info.start, info.start + u64::from(info.bits), def);
        }
        let stored = Stored {
            value: &value,
            bits: info.map_or(0, |i| i.bits),
            shape: info.map_or(Shape::Opaque, |i| i.shape),
            def,
        };
        self.weaken_aliases(st, object, &stored);
        self.let_escape_into(st, &Targets::one(object), &value);
        self.set_cell(st, cell, value, def);
    }

    /// The other cells that share bits with one that is written (in a union).
    fn write_over(&mut self, st: &mut State, cell: CellId, start: u64, end: u64, def: Definition) {
        for other in self.frame.overlapping(cell.object(), start, end) {
            if other != cell {
                let before = st.definedness.value(other);
                let after = match self.frame.cell_info(other) {
                    Some(i) if i.is_within(start, end) => def,
                    _ => mixed(before, def),
                };
                self.set_cell(st, other, Value::Unknown, after);
            }
        }
    }

    /// Only the entries of the cell itself.
    pub fn set_cell(&mut self, st: &mut State, cell: CellId, value: Value, def: Definition) {
        let shape = self.frame.cell_info(cell).map(|i| i.shape);
        match (shape, value) {
            (Some(Shape::Int(_)), Value::Number(n)) if self.options.bounds => {
                st.bounds.set(cell, n);
            }
            (Some(Shape::Pointer), Value::Pointer(p)) if self.options.pointers => {
                st.pointers.set(cell, p);
            }
            (Some(Shape::Pointer), _) => st.pointers.set(cell, Pointer::any()),
            (Some(Shape::Int(_)), _) => st.bounds.set(cell, Number::TOP),
            _ => {}
        }
        if def != Definition::Defined || !st.definedness.is_empty() {
            st.definedness.set(cell, def);
        }
    }

    fn weaken_cell(
        &mut self,
        st: &mut State,
        cell: CellId,
        value: &Value,
        ty: TypeId,
        def: Definition,
    ) {
        let Some(&info) = self.frame.cell_info(cell) else {
            return;
        };
        self.note_written(st, cell.object());
        st.forget_copies(cell);
        if cell.is_part() {
            let end = info.start + u64::from(info.bits);
            for other in self.frame.overlapping(cell.object(), info.start, end) {
                if other != cell {
                    let before = st.definedness.value(other);
                    self.set_cell(st, other, Value::Unknown, mixed(before, def));
                }
            }
        }
        let old = self.cell_value(st, cell);
        let before = st.definedness.value(cell);
        let value = self.as_stored(cell, value.clone(), ty);
        let joined = self.either(st, &old, &value);
        self.set_cell(st, cell, joined, Definition::join(before, def));
    }

    /// What a cell holds, as its own type.
    fn cell_value(&self, st: &State, cell: CellId) -> Value {
        match self.frame.cell_info(cell).map(|i| i.shape) {
            Some(Shape::Int(int)) if self.options.bounds => {
                Value::Number(st.bounds.lookup(cell).copied().unwrap_or(int.any()))
            }
            Some(Shape::Pointer) if self.options.pointers => {
                Value::Pointer(st.pointers.value(cell))
            }
            Some(shape) => Value::unknown(shape),
            None => Value::Unknown,
        }
    }

    /// Something in the region was written, at an offset that is not known.
    fn weaken_range(
        &mut self,
        st: &mut State,
        object: ObjectId,
        start: u64,
        end: u64,
        stored: &Stored<'_>,
    ) {
        self.note_written(st, object);
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
    fn weaken_aliases(&mut self, st: &mut State, object: ObjectId, stored: &Stored<'_>) {
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
    fn write_anywhere(&mut self, st: &mut State, stored: &Stored<'_>) {
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
        hit: impl Fn(&crate::frame::Frame<'_>, &Escaped, ObjectId) -> bool,
    ) {
        let frame = &self.frame;
        let bits = stored.bits;
        let same_size =
            |cell: CellId| bits == 0 || frame.cell_info(cell).is_none_or(|i| i.bits == bits);
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
                if !(hit(frame, &before, cell.object()) && same_size(cell)) {
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

    /// An address that is stored where others can find it is out.
    pub fn let_escape_into(&mut self, st: &mut State, into: &Targets, value: &Value) {
        let Value::Pointer(p) = value else { return };
        let Targets::Known(objects) = &p.targets else {
            return;
        };
        let visible = match into {
            Targets::Any => true,
            Targets::Known(set) => set.iter().any(|o| match self.frame.info(*o).kind {
                ObjectKind::Pointee(_) | ObjectKind::Global(_) => true,
                _ => st.escaped.get(*o).is_some(),
            }),
        };
        if visible {
            for &object in objects {
                self.escape(st, object);
            }
        }
    }

    /// Somebody else knows the object's address, and through it what it points to.
    pub fn escape(&mut self, st: &mut State, object: ObjectId) {
        let mut work = vec![object];
        while let Some(o) = work.pop() {
            let ours = matches!(
                self.frame.info(o).kind,
                ObjectKind::Var(_) | ObjectKind::Allocated(_)
            );
            if !ours || st.escaped.get(o).is_some() {
                continue;
            }
            st.escaped.insert(o, ());
            for (cell, p) in st.pointers.iter() {
                if cell.object() == o
                    && let Targets::Known(set) = &p.targets
                {
                    work.extend(set.iter().copied());
                }
            }
        }
    }
}

/// What is known of a cell, a part of which was written, perhaps, with something defined or not.
fn mixed(before: Definition, def: Definition) -> Definition {
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
