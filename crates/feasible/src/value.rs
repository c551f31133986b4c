//! Values of the program's types as terms, and as words in memory.
//!
//! A `bool` is a truth value, an integer of width w a word of w bits, a pointer a word of 64, a float the
//! word of its bits. In memory all of them take whole bytes.

use crate::contents::Word;
use crate::path::{Opaque, Path};
use ir::{Type, TypeId};
use logic::{Sort, TermId};

/// How a value of a type is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Bool,
    Int {
        width: u16,
        signed: bool,
    },
    Pointer,
    Float {
        width: u16,
    },
    /// A struct, an array: it is copied, not computed with.
    Region(u64),
    /// Nothing, or wider than any word.
    Other,
}

impl Shape {
    pub fn sort(self) -> Option<Sort> {
        Some(match self {
            Shape::Bool => Sort::Bool,
            Shape::Int { width, .. } | Shape::Float { width } => Sort::Bits(width),
            Shape::Pointer => Sort::Bits(64),
            Shape::Region(_) | Shape::Other => return None,
        })
    }
}

impl Path<'_> {
    pub(crate) fn shape(&self, ty: TypeId) -> Shape {
        let types = &self.program().types;
        match *types.get(ty) {
            Type::Int { width: 1, .. } => Shape::Bool,
            Type::Int { width, signed } if (2..=128).contains(&width) => {
                Shape::Int { width, signed }
            }
            Type::Float(_) => Shape::Float {
                width: types.store_size(ty).min(16) as u16 * 8,
            },
            Type::Pointer(_) => Shape::Pointer,
            Type::Struct(_) | Type::Array { .. } | Type::Opaque { .. } => {
                Shape::Region(types.size_of(ty))
            }
            _ => Shape::Other,
        }
    }

    /// An unknown value of a type; a region has none.
    pub(crate) fn unknown(&mut self, ty: TypeId, meaning: crate::path::Meaning) -> TermId {
        let sort = self.shape(ty).sort().unwrap_or(Sort::Bits(64));
        self.fresh(sort, meaning)
    }

    /// Bytes that a value of this type takes in memory; 0 if it is no scalar.
    pub(crate) fn bytes(&self, ty: TypeId) -> u64 {
        match self.shape(ty) {
            Shape::Region(_) | Shape::Other => 0,
            _ => self.program().types.store_size(ty).min(16),
        }
    }

    /// A value, as it lies in memory.
    pub(crate) fn memory_form(&mut self, ty: TypeId, value: TermId) -> TermId {
        let width = self.bytes(ty) as u16 * 8;
        match self.pool.sort(value) {
            Sort::Bool => self.pool.from_truth(value, width.max(8)),
            Sort::Bits(w) if w < width => self.pool.zero_extend(value, width),
            Sort::Bits(w) if w > width && width > 0 => self.pool.extract(value, 0, width),
            _ => value,
        }
    }

    /// The value of what lies in memory.
    pub(crate) fn value_form(&mut self, ty: TypeId, word: TermId) -> TermId {
        match self.shape(ty) {
            Shape::Bool => {
                let lowest = self.pool.extract(word, 0, 1);
                self.pool.is_nonzero(lowest)
            }
            Shape::Int { width, .. } if width < self.pool.width(word) => {
                self.pool.extract(word, 0, width)
            }
            _ => word,
        }
    }

    /// The shadow of a value in memory: what does not belong to the value is written.
    pub(crate) fn shadow_bits(&mut self, ty: TypeId, word: Word) -> TermId {
        match self.shape(ty) {
            Shape::Bool => self.pool.extract(word.shadow, 0, 1),
            Shape::Int { width, .. } if width < self.pool.width(word.shadow) => {
                self.pool.extract(word.shadow, 0, width)
            }
            _ => word.shadow,
        }
    }

    /// An integer taken at its mathematical value, as a word of 64 bits.
    pub(crate) fn offset_form(&mut self, ty: TypeId, value: TermId) -> TermId {
        match self.shape(ty) {
            Shape::Bool => self.pool.from_truth(value, 64),
            Shape::Int { width, signed } => self.resize(value, width, signed, 64),
            _ => value,
        }
    }

    /// A word of another width.
    pub(crate) fn resize(&mut self, value: TermId, from: u16, signed: bool, to: u16) -> TermId {
        if to < from {
            self.pool.extract(value, 0, to)
        } else if signed {
            self.pool.sign_extend(value, to)
        } else {
            self.pool.zero_extend(value, to)
        }
    }

    /// Of a sort that was wanted and cannot be made: any value.
    pub(crate) fn cannot(&mut self, ty: TypeId, why: Opaque) -> TermId {
        let meaning = crate::path::Meaning::Opaque(why);
        self.unknown(ty, meaning)
    }
}
