//! Writing memory in a state.
//!
//! A store to one known cell replaces what is known of it; what any other does is in
//! [`crate::weaken`]. Two things go with every store: an address that is no longer kept track of
//! belongs to others from then on ([`Automata::lose`]), and a value that was never written does not
//! become so by being moved.

use crate::Automata;
use crate::frame::Shape;
use crate::memory::Spot;
use crate::slots::Slot;
use crate::state::State;
use crate::value::Value;
use crate::weaken::{Stored, mixed};
use domain::arithmetic::convert;
use domain::{CellId, Definition, Number, ObjectId, Pointer, Targets};
use ir::{PlaceId, TypeId};

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
            bits: self.spot_bits(spot),
            shape: self.frame.shape(spot.ty),
            ty: spot.ty,
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

    /// The cell has a new value.
    fn note_cell_written(&self, st: &mut State, cell: CellId) {
        // Through a pointer to bytes anything can be written (C11 6.5p7).
        let small = |shape| matches!(shape, Shape::Int(int) if (16..64).contains(&int.width));
        let info = self.frame.cell_info(cell);
        match self.frame.as_var(cell.object()) {
            None if info.is_some_and(|i| small(i.shape)) => self.conditions.number_written(st),
            _ => self.note_written(st, cell.object()),
        }
    }

    /// A strong update, and what it may mean for others.
    pub fn write_cell(&mut self, st: &mut State, cell: CellId, value: Value, def: Definition) {
        let object = cell.object();
        self.note_cell_written(st, cell);
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
            ty: info.map_or(TypeId::VOID, |i| i.ty),
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
        self.write_cell_text(st, cell, &value);
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
        self.note_cell_written(st, cell);
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
    pub fn cell_value(&self, st: &State, cell: CellId) -> Value {
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
}
