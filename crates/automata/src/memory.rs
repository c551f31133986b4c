//! Reading and writing memory in a state.
//!
//! A pointer whose origin is unknown gets an object of its own when it is first followed, named
//! after the cell that holds it: so `if (p->next) p->next->x` speaks twice of one thing. Such an
//! object stands for one concrete object, that of the most recent value of the cell. Two of them
//! may be the same memory, or a global, or a local whose address is out: a store through one
//! weakens what is known of the others at cells of the same kind.

use crate::Automata;
use crate::frame::{ObjectKind, Shape};
use crate::slots::Slot;
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::{apply, convert};
use domain::{CellId, Change, IntType, Number, ObjectId, Operator, Pointer, Targets};
use ir::{Base, ExprId, ExprKind, PlaceId, Projection, Type, TypeId};

/// Where a place is, in a state.
#[derive(Clone, Debug)]
pub struct Spot {
    pub pointer: Pointer,
    /// Of a bit-field: its lowest bit within the byte, and its width.
    pub field: Option<(u16, u16)>,
    pub ty: TypeId,
}

/// Offsets are computed as 64-bit numbers.
pub const OFFSET: IntType = IntType {
    width: 64,
    signed: true,
};

impl Automata<'_> {
    /// Where a place is that is read or written.
    pub fn locate(&mut self, st: &mut State, place: PlaceId) -> Spot {
        self.locate_up_to(st, place, 0)
    }

    /// Where a place is whose address is taken: that may be one past the end of an array.
    pub fn locate_address(&mut self, st: &mut State, place: PlaceId) -> Spot {
        self.locate_up_to(st, place, 1)
    }

    /// `past`: how many elements past its end an array may be left with the last step.
    fn locate_up_to(&mut self, st: &mut State, place: PlaceId, past: i64) -> Spot {
        let body = self.frame.body;
        let program = self.frame.program;
        let p = &body.places[place];
        let (mut pointer, mut ty) = match p.base {
            Base::Var(v) => (Pointer::to(self.frame.var_object(v)), body.vars[v].ty),
            Base::Global(g) => (
                Pointer::to(self.frame.object(ObjectKind::Global(g))),
                program.globals[g].ty,
            ),
            Base::Deref(e) => {
                let pointee = program.types.pointee(body.exprs[e].ty);
                (self.follow(st, e), pointee.unwrap_or(TypeId::VOID))
            }
        };
        let mut field = None;
        for (i, step) in p.projections.iter().enumerate() {
            field = None;
            let past = if i + 1 == p.projections.len() {
                past
            } else {
                0
            };
            match *step {
                Projection::Field(n) => {
                    let def = program.types.as_struct(ty);
                    let Some(f) = def.and_then(|s| s.fields.get(n as usize)) else {
                        pointer = Pointer::any();
                        continue;
                    };
                    let by = Number::constant(i64::try_from(f.offset).unwrap_or(i64::MAX));
                    pointer.offset = apply(Operator::Add, &pointer.offset, &by, OFFSET, false);
                    field = f.bits;
                    ty = f.ty;
                }
                Projection::Index(e) => {
                    let mut index = self.number(st, e);
                    let elem = match *program.types.get(ty) {
                        Type::Array { elem, len } => {
                            // The index was checked; what follows happens inside the array.
                            if len > 0
                                && let Ok(len) = i64::try_from(len)
                                && let Some(inside) = index.restrict(
                                    domain::Bound {
                                        value: 0,
                                        acknowledged: false,
                                    },
                                    domain::Bound {
                                        value: len - 1 + past,
                                        acknowledged: false,
                                    },
                                )
                            {
                                index = inside;
                            }
                            elem
                        }
                        _ => ty,
                    };
                    pointer.offset = self.scaled(&pointer.offset, &index, elem);
                    ty = elem;
                }
                Projection::As(to) => ty = to,
            }
        }
        Spot { pointer, field, ty }
    }

    /// `offset + index * sizeof(elem)`.
    pub fn scaled(&self, offset: &Number, index: &Number, elem: TypeId) -> Number {
        let types = &self.frame.program.types;
        let size = match types.size_of(elem) {
            0 => 1,
            size => size,
        };
        let size = Number::constant(i64::try_from(size).unwrap_or(i64::MAX));
        let by = apply(Operator::Mul, index, &size, OFFSET, false);
        apply(Operator::Add, offset, &by, OFFSET, false)
    }

    /// The value of a pointer that is about to be followed: one of unknown origin gets an object
    /// to point to.
    pub fn follow(&mut self, st: &mut State, e: ExprId) -> Pointer {
        let body = self.frame.body;
        match body.exprs[e].kind {
            ExprKind::Load(place) => {
                // A place is located once: a chain p->a->b->c would double its cost at each link.
                let cell = match self.frame.slot(place) {
                    Slot::Cell(cell) => cell,
                    Slot::Region(..) => return Pointer::any(),
                    Slot::Computed => {
                        let spot = self.locate(st, place);
                        match self.spot_cell(&spot) {
                            Some(cell) => cell,
                            None => {
                                return match self.load_spot(st, &spot) {
                                    Value::Pointer(p) => p,
                                    _ => Pointer::any(),
                                };
                            }
                        }
                    }
                };
                let value = match self.read_cell(st, cell, body.exprs[e].ty) {
                    Value::Pointer(p) => p,
                    _ => Pointer::any(),
                };
                if value.targets == Targets::Any {
                    self.materialize(st, cell, value)
                } else {
                    value
                }
            }
            ExprKind::Cast(inner) if self.frame.shape(body.exprs[inner].ty) == Shape::Pointer => {
                self.follow(st, inner)
            }
            ExprKind::PtrAdd(base, index) => {
                let mut p = self.follow(st, base);
                let index = self.number(st, index);
                let pointee = self.frame.program.types.pointee(body.exprs[base].ty);
                p.offset = self.scaled(&p.offset, &index, pointee.unwrap_or(TypeId::VOID));
                p
            }
            _ => self.pointer(st, e),
        }
    }

    fn materialize(&mut self, st: &mut State, cell: CellId, value: Pointer) -> Pointer {
        if !self.options.pointers {
            return value;
        }
        let Some(object) = self.frame.pointee(cell) else {
            return value;
        };
        self.refresh(st, object);
        let value = Pointer {
            null: value.null,
            ..Pointer::to(object)
        };
        st.pointers.set(cell, value);
        value
    }

    /// The object begins anew: nothing is known of it, and what pointed to the old one points
    /// to something else.
    pub fn refresh(&mut self, st: &mut State, object: ObjectId) {
        self.forget_object(st, object);
        st.lifetimes.remove(object);
        st.escaped.remove(object);
        let mut lost: Vec<ObjectId> = Vec::new();
        st.pointers.update(|_, p| match &p.targets {
            Targets::Known(set) if set.contains(&object) => {
                lost.extend(set.iter().filter(|o| **o != object));
                Change::Set(Pointer {
                    targets: Targets::Any,
                    offset: Number::TOP,
                    ..*p
                })
            }
            _ => Change::Keep,
        });
        for other in lost {
            self.escape(st, other);
        }
        st.pointers.retain(|cell, p| cell.is_part() || !p.is_any());
    }

    /// Any defined content.
    pub fn forget_object(&mut self, st: &mut State, object: ObjectId) {
        st.bounds.retain(|c, _| c.object() != object);
        st.pointers.retain(|c, _| c.object() != object);
        st.definedness.retain(|c, _| c.object() != object);
        st.forget_copies(CellId::whole(object));
    }

    /// The one cell that a place is here; none if it is none or could be several.
    pub fn cell_at(&mut self, st: &mut State, place: PlaceId) -> Option<CellId> {
        match self.frame.slot(place) {
            Slot::Cell(cell) => Some(cell),
            Slot::Region(..) => None,
            Slot::Computed => {
                let spot = self.locate(st, place);
                self.spot_cell(&spot)
            }
        }
    }

    pub fn spot_cell(&mut self, spot: &Spot) -> Option<CellId> {
        let object = spot.pointer.targets.single()?;
        let (start, bits) = self.extent(spot)?;
        self.frame.cell(object, start, bits, spot.ty)
    }

    /// Start and length in bits, if the offset is known.
    pub fn extent(&self, spot: &Spot) -> Option<(u64, u32)> {
        let offset = u64::try_from(spot.pointer.offset.as_constant()?).ok()?;
        let low = spot.field.map_or(0, |(low, _)| u64::from(low));
        Some((offset.checked_mul(8)? + low, self.spot_bits(spot)))
    }

    /// Its length in bits: of a bit-field, only those that are its own.
    pub fn spot_bits(&self, spot: &Spot) -> u32 {
        match spot.field {
            Some((_, bits)) => u32::from(bits),
            None => self.store_bits(spot.ty),
        }
    }

    pub fn store_bits(&self, ty: TypeId) -> u32 {
        let bytes = self.frame.program.types.store_size(ty);
        u32::try_from(bytes.saturating_mul(8)).unwrap_or(u32::MAX)
    }

    /// The value stored in a place.
    pub fn load(&mut self, st: &mut State, place: PlaceId) -> Value {
        let ty = self.frame.body.places[place].ty;
        match self.frame.slot(place) {
            Slot::Cell(cell) => self.read_cell(st, cell, ty),
            Slot::Region(..) => Value::unknown(self.frame.shape(ty)),
            Slot::Computed => {
                let spot = self.locate(st, place);
                self.load_spot(st, &spot)
            }
        }
    }

    pub fn load_spot(&mut self, st: &mut State, spot: &Spot) -> Value {
        let shape = self.frame.shape(spot.ty);
        let Targets::Known(objects) = &spot.pointer.targets else {
            return Value::unknown(shape);
        };
        let mut result: Option<Value> = None;
        for &object in objects {
            let one = match self.extent(spot) {
                Some((start, bits)) => match self.frame.cell(object, start, bits, spot.ty) {
                    Some(cell) => self.read_cell(st, cell, spot.ty),
                    None => Value::unknown(shape),
                },
                None => self.read_range(st, object, spot),
            };
            result = Some(match result {
                None => one,
                Some(r) => self.either(st, &r, &one),
            });
        }
        result.unwrap_or(Value::unknown(shape))
    }

    /// The value at an unknown offset: what any part that could be meant says.
    fn read_range(&mut self, st: &mut State, object: ObjectId, spot: &Spot) -> Value {
        let shape = self.frame.shape(spot.ty);
        let bits = self.spot_bits(spot);
        let rest = CellId::rest(object);
        let mut result = match shape {
            Shape::Int(_) => match st.bounds.get(rest) {
                Some(n) => Value::Number(*n),
                None => return Value::unknown(shape),
            },
            Shape::Pointer => match st.pointers.get(rest) {
                Some(p) => Value::Pointer(*p),
                None => return Value::unknown(shape),
            },
            _ => return Value::unknown(shape),
        };
        let (start, end) = self.range_of(spot);
        for cell in self.frame.overlapping(object, start, end) {
            let info = self.frame.cell_info(cell).copied();
            if info.is_none_or(|i| i.bits != bits || i.shape != shape) {
                return Value::unknown(shape);
            }
            let one = self.read_cell(st, cell, spot.ty);
            result = self.either(st, &result, &one);
        }
        result
    }

    /// One of two values. Where that makes a pointer any pointer, it may still be one to what it
    /// pointed to: then others may reach that object.
    pub fn either(&mut self, st: &mut State, a: &Value, b: &Value) -> Value {
        let joined = a.join(b);
        if !matches!(&joined, Value::Pointer(p) if p.targets != Targets::Any) {
            for value in [a, b] {
                self.lose(st, value);
            }
        }
        joined
    }

    /// The value is somewhere where nobody keeps track of it.
    pub fn lose(&mut self, st: &mut State, value: &Value) {
        if let Value::Pointer(p) = value
            && let Targets::Known(objects) = &p.targets
        {
            for &object in objects {
                self.escape(st, object);
            }
        }
    }

    /// The bits that an access at an unknown offset may touch.
    pub fn range_of(&self, spot: &Spot) -> (u64, u64) {
        let offset = &spot.pointer.offset;
        let start = u64::try_from(offset.low.max(0))
            .unwrap_or(0)
            .saturating_mul(8);
        let size = self.frame.program.types.size_of(spot.ty).max(1);
        let end = match u64::try_from(offset.high) {
            Ok(high) if offset.high != domain::MOST => high.saturating_add(size).saturating_mul(8),
            _ => u64::MAX,
        };
        (start, end)
    }

    /// The value of a cell, read at a type of the same size.
    pub fn read_cell(&self, st: &State, cell: CellId, ty: TypeId) -> Value {
        let shape = self.frame.shape(ty);
        let info = self.frame.cell_info(cell);
        match shape {
            Shape::Int(int) => {
                if !self.options.bounds {
                    return Value::Number(int.any());
                }
                let number = match st.bounds.lookup(cell) {
                    Some(n) => *n,
                    None => match self.initial_number(cell, int) {
                        Some(n) => n,
                        None => return Value::Number(int.any()),
                    },
                };
                let stored = match info.map(|i| i.shape) {
                    Some(Shape::Int(stored)) => stored,
                    _ => int,
                };
                let (low, high) = stored.bounds();
                let bound = |value| domain::Bound {
                    value,
                    acknowledged: false,
                };
                let number = number.restrict(bound(low), bound(high));
                Value::Number(convert(&number.unwrap_or(stored.any()), stored, int))
            }
            Shape::Pointer if !self.options.pointers => Value::Pointer(Pointer::any()),
            Shape::Pointer => Value::Pointer(match st.pointers.lookup(cell) {
                Some(p) => *p,
                None => self.initial_pointer(cell),
            }),
            _ => Value::Unknown,
        }
    }
}
