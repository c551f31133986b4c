//! The memory of one function as the analysis names it: objects, and cells in them.
//!
//! Objects are the variables, the globals, what was last allocated at a statement, and what a
//! pointer of unknown origin points to (named after the cell that holds the pointer). A cell is
//! a scalar at a fixed place in an object; cells are made when something first speaks of them.

use crate::slots::{Slot, is_in_union};
use domain::{CellId, IntType, ObjectId};
use indexmap::{IndexMap, IndexSet};
use ir::arena::Id;
use ir::{Body, EdgeId, FuncId, GlobalId, PlaceId, Program, Target, Type, TypeId, VarId};
use rustc_hash::FxBuildHasher;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    Var(VarId),
    Global(GlobalId),
    Function(FuncId),
    /// The most recent object that this statement allocated.
    Allocated(EdgeId),
    /// What the unknown pointer in this cell points to.
    Pointee(CellId),
}

/// Parts of an object that get a cell of their own, at most. Beyond these it is all rest.
const PARTS: usize = 128;
/// How many unknown pointers are followed from a variable.
const DEPTH: u8 = 3;

#[derive(Debug)]
pub struct Object {
    pub kind: ObjectKind,
    /// Bytes, where the declaration says it.
    pub size: Option<u64>,
    /// It is one scalar: its only cell is [`CellId::whole`].
    pub whole: Option<CellInfo>,
    parts: IndexMap<(u64, u32, bool), CellInfo, FxBuildHasher>,
    depth: u8,
}

/// Where a cell lies in its object, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellInfo {
    pub start: u64,
    pub bits: u32,
    pub ty: TypeId,
    pub shape: Shape,
    /// It shares bits with a cell that was made before.
    shared: bool,
}

impl Object {
    fn part(&self, object: ObjectId, index: usize) -> CellId {
        match self.parts.get_index(index) {
            Some((_, c)) if c.shared => CellId::shared_part(object, index as u32),
            _ => CellId::part(object, index as u32),
        }
    }
}

impl CellInfo {
    /// Does it share bits with a region?
    pub fn hits(&self, start: u64, end: u64) -> bool {
        self.start < end && start < self.start + u64::from(self.bits)
    }

    /// Does it lie in a region as a whole?
    pub fn is_within(&self, start: u64, end: u64) -> bool {
        start <= self.start && self.start + u64::from(self.bits) <= end
    }
}

/// What kind of value a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Int(IntType),
    Pointer,
    /// Floats, and whatever else fits a register without being tracked.
    Opaque,
    /// Structs, arrays: memory.
    Aggregate,
}

pub struct Frame<'p> {
    pub program: &'p Program,
    pub body: &'p Body,
    objects: IndexMap<ObjectKind, Object, FxBuildHasher>,
    slots: Vec<Option<Slot>>,
    /// Places that are members of a union, or parts of one.
    in_union: Vec<bool>,
    /// Globals whose content this function speaks of.
    globals: IndexSet<ObjectId, FxBuildHasher>,
}

impl<'p> Frame<'p> {
    pub fn new(program: &'p Program, body: &'p Body) -> Frame<'p> {
        let mut frame = Frame {
            program,
            body,
            objects: IndexMap::default(),
            slots: vec![None; body.places.len()],
            in_union: body
                .places
                .values()
                .map(|p| is_in_union(program, body, p))
                .collect(),
            globals: IndexSet::default(),
        };
        // Variables first: their objects have their numbers.
        for (v, _) in body.vars.iter() {
            frame.object(ObjectKind::Var(v));
        }
        // Cells that share bits must know of each other before anything is written to them.
        for (place, _) in body.places.iter() {
            frame.slot(place);
        }
        frame
    }

    /// Is the place part of a union, so that a write to it writes to parts of other sizes?
    pub fn in_union(&self, place: PlaceId) -> bool {
        self.in_union[place.index()]
    }

    pub fn shape(&self, ty: TypeId) -> Shape {
        match *self.program.types.get(ty) {
            Type::Int { width, signed } => Shape::Int(IntType { width, signed }),
            Type::Pointer(_) => Shape::Pointer,
            Type::Float(_) | Type::Void | Type::Function { .. } => Shape::Opaque,
            Type::Array { .. } | Type::Struct(_) | Type::Opaque { .. } => Shape::Aggregate,
        }
    }

    pub fn var_object(&self, v: VarId) -> ObjectId {
        ObjectId(v.index() as u32)
    }

    pub fn as_var(&self, object: ObjectId) -> Option<VarId> {
        match self.info(object).kind {
            ObjectKind::Var(v) => Some(v),
            _ => None,
        }
    }

    pub fn info(&self, object: ObjectId) -> &Object {
        &self.objects[object.0 as usize]
    }

    pub fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// Can code that we do not see get at the object, whoever knows its address?
    pub fn is_shared(&self, object: ObjectId) -> bool {
        matches!(
            self.info(object).kind,
            ObjectKind::Pointee(_) | ObjectKind::Global(_)
        )
    }

    /// The object of a kind, if something spoke of it before.
    pub fn known_object(&self, kind: ObjectKind) -> Option<ObjectId> {
        let index = self.objects.get_index_of(&kind)?;
        Some(ObjectId(index as u32))
    }

    /// The object of a kind; made if it is new.
    pub fn object(&mut self, kind: ObjectKind) -> ObjectId {
        if let Some(i) = self.objects.get_index_of(&kind) {
            return ObjectId(i as u32);
        }
        let types = &self.program.types;
        let declared = match kind {
            ObjectKind::Var(v) => Some(self.body.vars[v].ty),
            ObjectKind::Global(g) => Some(self.program.globals[g].ty),
            _ => None,
        };
        let size = declared.map(|ty| types.size_of(ty)).filter(|s| *s > 0);
        let whole = declared.and_then(|ty| match self.shape(ty) {
            Shape::Aggregate => None,
            shape => Some(CellInfo {
                start: 0,
                bits: bits_of(types.store_size(ty)),
                ty,
                shape,
                shared: false,
            }),
        });
        let depth = match kind {
            ObjectKind::Pointee(cell) => self.info(cell.object()).depth + 1,
            _ => 0,
        };
        let (i, _) = self.objects.insert_full(
            kind,
            Object {
                kind,
                size,
                whole,
                parts: IndexMap::default(),
                depth,
            },
        );
        let id = ObjectId(i as u32);
        if matches!(kind, ObjectKind::Global(_)) {
            self.globals.insert(id);
            if whole.is_some() {
                self.name_target(kind, 0);
            }
        }
        id
    }

    /// What a constant of the program points to gets its object when the constant is first spoken of: a table of
    /// functions, that of a class above all.
    fn name_target(&mut self, kind: ObjectKind, start: u64) {
        if let Some((target, _)) = self.constant_target(kind, start) {
            self.object(target);
        }
    }

    /// Where a constant global points to, with what it has at a bit: the object, and bytes into it.
    pub fn constant_target(&self, kind: ObjectKind, start: u64) -> Option<(ObjectKind, i64)> {
        let ObjectKind::Global(g) = kind else {
            return None;
        };
        let global = &self.program.globals[g];
        let init = global.init.as_ref().filter(|_| global.constant)?;
        let mut relocations = init.relocations.iter();
        let there = relocations.find(|r| r.offset.checked_mul(8) == Some(start))?;
        match there.target {
            Target::Function(f) => Some((ObjectKind::Function(f), there.addend)),
            Target::Global(g) => Some((ObjectKind::Global(g), there.addend)),
            Target::Label(..) => None,
        }
    }

    /// The object that the unknown pointer of a cell points to; none too far away.
    pub fn pointee(&mut self, cell: CellId) -> Option<ObjectId> {
        let kind = ObjectKind::Pointee(cell);
        if let Some(i) = self.objects.get_index_of(&kind) {
            return Some(ObjectId(i as u32));
        }
        (self.info(cell.object()).depth < DEPTH).then(|| self.object(kind))
    }

    /// The cell of a scalar at a fixed place; none if it has no cell of its own.
    pub fn cell(&mut self, object: ObjectId, start: u64, bits: u32, ty: TypeId) -> Option<CellId> {
        let shape = self.shape(ty);
        if shape == Shape::Aggregate {
            return None;
        }
        let info = &mut self.objects[object.0 as usize];
        if let Some(whole) = &info.whole {
            let same_kind = (whole.shape == Shape::Pointer) == (shape == Shape::Pointer)
                && (whole.shape == Shape::Opaque) == (shape == Shape::Opaque);
            return (start == 0 && bits == whole.bits && same_kind).then(|| CellId::whole(object));
        }
        let key = (start, bits, shape == Shape::Pointer);
        let full = info.parts.len() >= PARTS;
        match info.parts.get_index_of(&key) {
            Some(i) => Some(info.part(object, i)),
            None if full => None,
            None => {
                // A bit-field holds no more than its bits.
                let shape = match shape {
                    Shape::Int(int) if bits < u32::from(int.width) => Shape::Int(IntType {
                        width: bits as u16,
                        ..int
                    }),
                    shape => shape,
                };
                let end = start + u64::from(bits);
                let cell = CellInfo {
                    start,
                    bits,
                    ty,
                    shape,
                    shared: info.parts.values().any(|c| c.hits(start, end)),
                };
                let (i, _) = info.parts.insert_full(key, cell);
                let (kind, part) = (info.kind, info.part(object, i));
                if shape == Shape::Pointer {
                    self.name_target(kind, start);
                }
                Some(part)
            }
        }
    }

    /// The cell of a scalar at a fixed place, if something spoke of it before.
    pub fn known_cell(
        &self,
        object: ObjectId,
        start: u64,
        bits: u32,
        pointer: bool,
    ) -> Option<CellId> {
        let info = self.info(object);
        if let Some(whole) = &info.whole {
            let same = (whole.shape == Shape::Pointer) == pointer;
            return (start == 0 && bits == whole.bits && same).then(|| CellId::whole(object));
        }
        let index = info.parts.get_index_of(&(start, bits, pointer))?;
        Some(info.part(object, index))
    }

    /// What a cell is; none for the rest and the size of an object.
    pub fn cell_info(&self, cell: CellId) -> Option<&CellInfo> {
        let object = self.info(cell.object());
        match cell.part_index() {
            Some(i) => object.parts.get_index(i as usize).map(|(_, info)| info),
            None if cell.is_whole() => object.whole.as_ref(),
            None => None,
        }
    }

    /// The cells of an object that overlap a region, in bits.
    pub fn overlapping(&self, object: ObjectId, start: u64, end: u64) -> Vec<CellId> {
        let info = self.info(object);
        if let Some(whole) = &info.whole {
            return if whole.hits(start, end) {
                vec![CellId::whole(object)]
            } else {
                Vec::new()
            };
        }
        let parts = info.parts.values().enumerate();
        parts
            .filter(|(_, c)| c.hits(start, end))
            .map(|(i, _)| info.part(object, i))
            .collect()
    }

    /// Did anything speak of a part of the region, in bits?
    pub fn is_named(&self, object: ObjectId, start: u64, end: u64) -> bool {
        let info = self.info(object);
        let mut cells = info.whole.iter().chain(info.parts.values());
        cells.any(|c| c.hits(start, end))
    }

    /// Can memory of one type be written as another? Two pointers to different things are
    /// different types (C11 6.5p7), except that everybody writes `void *`.
    pub fn may_share(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.program.types;
        match (types.pointee(a), types.pointee(b)) {
            (Some(a), Some(b)) => a == b || a == TypeId::VOID || b == TypeId::VOID,
            _ => true,
        }
    }

    /// All cells of an object, without its rest.
    pub fn cells(&self, object: ObjectId) -> Vec<CellId> {
        self.overlapping(object, 0, u64::MAX)
    }

    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.objects
            .values()
            .enumerate()
            .map(|(i, o)| (ObjectId(i as u32), o))
    }

    /// What a place is, as far as no computation is in it.
    pub fn slot(&mut self, place: PlaceId) -> Slot {
        if let Some(slot) = self.slots[place.index()] {
            return slot;
        }
        let slot = self.find_slot(place);
        self.slots[place.index()] = Some(slot);
        slot
    }
}

/// Bits that a scalar of so many bytes occupies in its object.
pub fn bits_of(bytes: u64) -> u32 {
    u32::try_from(bytes * 8).unwrap_or(u32::MAX)
}
