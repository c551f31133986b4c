//! Places: where they are, what lies there, and writing to them.

use crate::address::{Target, Targets};
use crate::contents::Word;
use crate::path::{Opaque, Path};
use crate::value::Shape;
use ir::{Base, PlaceId, Projection, Type, TypeId};
use logic::{Order, TermId};

/// A place, found.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub targets: Targets,
    pub ty: TypeId,
    /// Of a bit-field: its lowest bit within its first byte, and its width.
    pub bits: Option<(u16, u16)>,
}

impl Path<'_> {
    /// The distance of a place from its base, and whether it is a bit-field.
    fn distance(&mut self, place: PlaceId) -> (TermId, Option<(u16, u16)>) {
        let place = &self.frame.body.places[place];
        let types = &self.program().types;
        let mut ty = match place.base {
            Base::Var(v) => self.frame.body.vars[v].ty,
            Base::Global(g) => self.program().globals[g].ty,
            Base::Deref(e) => {
                let pointer = self.frame.body.exprs[e].ty;
                types.pointee(pointer).unwrap_or(TypeId::VOID)
            }
        };
        let mut offset = self.word64(0);
        let mut bits = None;
        for projection in &place.projections {
            bits = None;
            match *projection {
                Projection::Field(n) => {
                    let field = types.as_struct(ty).and_then(|s| s.fields.get(n as usize));
                    let Some(field) = field else { continue };
                    let by = self.word64(field.offset);
                    offset = self.pool.add(offset, by);
                    bits = field.bits;
                    ty = field.ty;
                }
                Projection::Index(e) => {
                    let elem = match *types.get(ty) {
                        Type::Array { elem, .. } => elem,
                        _ => ty,
                    };
                    let index = self.value(e);
                    let index_ty = self.frame.body.exprs[e].ty;
                    let index = self.offset_form(index_ty, index);
                    let by = self.scaled(index, types.size_of(elem));
                    offset = self.pool.add(offset, by);
                    ty = elem;
                }
                Projection::As(to) => ty = to,
            }
        }
        (offset, bits)
    }

    pub(crate) fn scaled(&mut self, index: TermId, size: u64) -> TermId {
        let size = self.word64(size);
        self.pool.binary(logic::BinaryOp::Mul, index, size)
    }

    /// The address of a place.
    pub(crate) fn address_of(&mut self, place: PlaceId) -> TermId {
        let (offset, _) = self.distance(place);
        let base = match self.frame.body.places[place].base {
            Base::Var(v) => {
                let object = self.var_object(v);
                self.object(object).address
            }
            Base::Global(g) => {
                let object = self.global_object(g);
                self.object(object).address
            }
            Base::Deref(e) => self.value(e),
        };
        self.displaced(base, offset)
    }

    pub(crate) fn locate(&mut self, place: PlaceId) -> Located {
        let (offset, bits) = self.distance(place);
        let ty = self.frame.body.places[place].ty;
        let always = self.pool.truth(true);
        let at = |object, offset| {
            let mut targets = Targets::new();
            targets.push(Target {
                when: always,
                object,
                offset,
            });
            targets
        };
        let targets = match self.frame.body.places[place].base {
            Base::Var(v) => {
                let object = self.var_object(v);
                at(object, self.expand(offset))
            }
            Base::Global(g) => {
                let object = self.global_object(g);
                at(object, self.expand(offset))
            }
            Base::Deref(e) => {
                let pointer = self.value(e);
                self.looked_at(pointer, e);
                let address = self.displaced(pointer, offset);
                self.targets(address)
            }
        };
        Located { targets, ty, bits }
    }

    /// What a pointer points to is of its type, if it says one and points to the first byte.
    fn looked_at(&mut self, pointer: TermId, e: ir::ExprId) {
        let types = &self.program().types;
        let Some(ty) = types.pointee(self.frame.body.exprs[e].ty) else {
            return;
        };
        if !matches!(types.get(ty), Type::Struct(_)) {
            return;
        }
        if let Some(target) = self.single_target(pointer)
            && self.object(target.object).ty.is_none()
            && self.pool.as_bits(target.offset) == Some(0)
        {
            self.object_mut(target.object).ty = Some(ty);
        }
    }

    /// The bytes that a scalar place takes: for a bit-field, those that it lies in.
    fn extent(&self, located: &Located) -> u64 {
        match located.bits {
            Some((low, width)) => u64::from(low + width).div_ceil(8),
            None => self.bytes(located.ty),
        }
    }

    /// What lies at a scalar place, in memory's form, cut to the bits of a bit-field.
    pub(crate) fn load_word(&mut self, located: &Located) -> Word {
        let size = self.extent(located);
        if size == 0 || size > 16 {
            return self.anything(8);
        }
        let mut word: Option<Word> = None;
        for target in located.targets.iter().rev() {
            let here = self.read_aliased(target.object, target.offset, size);
            word = Some(match word {
                None => here,
                Some(other) => self.choice(target.when, here, other),
            });
        }
        let word = match word {
            Some(word) => word,
            None => self.anything(size),
        };
        match located.bits {
            Some((low, width)) => Word {
                value: self.pool.extract(word.value, low, width),
                shadow: self.pool.extract(word.shadow, low, width),
            },
            None => word,
        }
    }

    /// The value of a scalar place.
    pub(crate) fn load(&mut self, place: PlaceId) -> TermId {
        let located = self.locate(place);
        let word = self.load_word(&located);
        match (located.bits, self.shape(located.ty)) {
            (_, Shape::Region(_) | Shape::Other) => self.cannot(located.ty, Opaque::Wide),
            (Some((_, width)), Shape::Int { width: to, signed }) => {
                self.resize(word.value, width, signed, to)
            }
            (Some(_), Shape::Bool) => self.pool.is_nonzero(word.value),
            _ => self.value_form(located.ty, word.value),
        }
    }

    /// Writes a value to a scalar place. `shadow` is that of the value, none if all is written.
    pub(crate) fn store(&mut self, place: PlaceId, value: TermId, shadow: Option<TermId>) {
        let located = self.locate(place);
        let size = self.extent(&located);
        if size == 0 || size > 16 {
            return;
        }
        let word = self.memory_form(located.ty, value);
        if located.targets.is_empty() {
            // To a fixed address: where that is the program does not say.
            self.approximations.opaque += 1;
        }
        for target in located.targets.clone() {
            let mut new = self.defined(word);
            if let Some(shadow) = shadow
                && self.pool.width(shadow) == self.pool.width(word)
            {
                new.shadow = shadow;
            }
            if let Some((low, width)) = located.bits {
                let old = self.read_aliased(target.object, target.offset, size);
                new = self.insert_bits(old, new, low, width, size);
            } else if self.pool.width(new.value) as u64 != size * 8 {
                continue;
            }
            if self.pool.as_bool(target.when) != Some(true) {
                let old = self.read_aliased(target.object, target.offset, size);
                new = self.choice(target.when, new, old);
            }
            self.write_aliased(target.object, target.offset, size, new);
        }
        self.escape_stored(&located, value);
    }

    /// A bit-field within the bytes around it.
    fn insert_bits(&mut self, old: Word, new: Word, low: u16, width: u16, size: u64) -> Word {
        let whole = size as u16 * 8;
        let mut part = |old: TermId, new: TermId| {
            let field = self.pool.extract(new, 0, width);
            let mut result = field;
            if low > 0 {
                let below = self.pool.extract(old, 0, low);
                result = self.pool.concat(result, below);
            }
            if low + width < whole {
                let above = self.pool.extract(old, low + width, whole - low - width);
                result = self.pool.concat(above, result);
            }
            result
        };
        Word {
            value: part(old.value, new.value),
            shadow: part(old.shadow, new.shadow),
        }
    }

    /// Whoever can read where an address was put can write what lies there.
    fn escape_stored(&mut self, located: &Located, value: TermId) {
        let outside = located
            .targets
            .iter()
            .any(|t| self.object(t.object).escaped);
        if outside && self.pool.sort(value) == logic::Sort::Bits(64) {
            self.escape(value, false);
        }
    }

    /// Does an access of some bytes stay within the object?
    pub(crate) fn fits(&mut self, target: &Target, size: TermId) -> Option<TermId> {
        let room = self.object(target.object).size?;
        let inside = self.pool.compare(Order::Ule, target.offset, room);
        let rest = self.pool.sub(room, target.offset);
        let enough = self.pool.compare(Order::Ule, size, rest);
        Some(self.pool.and(inside, enough))
    }
}
