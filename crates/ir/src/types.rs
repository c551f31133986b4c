//! Types: machine integers, floats, pointers, arrays, structs and unions, with their layout.
//!
//! Types are interned: equal types have equal ids. Structs are nominal. Pointers carry their
//! pointee so that a path can be written `p->next`, but a pointer-to-pointer cast never changes
//! a value.

use crate::arena::Arena;
use crate::define_id;
use crate::program::Symbol;
use serde::{Deserialize, Serialize};

define_id!(
    /// An interned type (`TypeTable`).
    TypeId
);
define_id!(
    /// A struct or union definition (`TypeTable::structs`).
    StructId
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FloatKind {
    F16,
    BF16,
    F32,
    F64,
    /// x87 80-bit extended, stored in 16 bytes.
    X87,
    F128,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    Void,
    /// `bool` is the unsigned integer of width 1.
    Int {
        width: u16,
        signed: bool,
    },
    Float(FloatKind),
    Pointer(TypeId),
    Array {
        elem: TypeId,
        len: u64,
    },
    Struct(StructId),
    Function {
        ret: TypeId,
        params: Vec<TypeId>,
        variadic: bool,
    },
    /// Bytes that rigel has no better view of.
    Opaque {
        size: u64,
        align: u32,
    },
}

/// A struct, class or union. In a union every field has offset 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StructDef {
    pub name: Symbol,
    pub union: bool,
    pub size: u64,
    pub align: u32,
    pub fields: Vec<Field>,
    /// False for a type that is only declared (`struct s;`): no fields, size 0.
    pub complete: bool,
}

/// A member. A bit-field's type is its declared integer type, its offset is that of the byte
/// that holds its lowest bit, and `bits` says where in there it lies.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    pub name: Symbol,
    pub ty: TypeId,
    pub offset: u64,
    /// (lowest bit within the byte at `offset`, number of bits).
    pub bits: Option<(u16, u16)>,
}

/// All types of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TypeTable {
    types: indexmap::IndexSet<Type, rustc_hash::FxBuildHasher>,
    pub structs: Arena<StructId, StructDef>,
}

macro_rules! common_types {
    ($($name:ident = $index:literal => $ty:expr;)*) => {
        impl TypeId {
            $(pub const $name: TypeId = TypeId($index);)*
        }
        fn common() -> Vec<Type> {
            vec![$($ty),*]
        }
    };
}

common_types! {
    VOID = 0 => Type::Void;
    BOOL = 1 => Type::Int { width: 1, signed: false };
    I8 = 2 => Type::Int { width: 8, signed: true };
    U8 = 3 => Type::Int { width: 8, signed: false };
    I16 = 4 => Type::Int { width: 16, signed: true };
    U16 = 5 => Type::Int { width: 16, signed: false };
    I32 = 6 => Type::Int { width: 32, signed: true };
    U32 = 7 => Type::Int { width: 32, signed: false };
    I64 = 8 => Type::Int { width: 64, signed: true };
    U64 = 9 => Type::Int { width: 64, signed: false };
    I128 = 10 => Type::Int { width: 128, signed: true };
    U128 = 11 => Type::Int { width: 128, signed: false };
    F32 = 12 => Type::Float(FloatKind::F32);
    F64 = 13 => Type::Float(FloatKind::F64);
    X87 = 14 => Type::Float(FloatKind::X87);
    VOID_PTR = 15 => Type::Pointer(TypeId::VOID);
}

impl Default for TypeTable {
    fn default() -> Self {
        TypeTable {
            types: common().into_iter().collect(),
            structs: Arena::new(),
        }
    }
}

impl TypeTable {
    pub fn intern(&mut self, ty: Type) -> TypeId {
        TypeId(self.types.insert_full(ty).0 as u32)
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// Like `get`, for ids that may be out of range.
    pub fn lookup(&self, id: TypeId) -> Option<&Type> {
        self.types.get_index(id.0 as usize)
    }

    /// The id of a type, if some part of the program already uses it.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.types.get_index_of(ty).map(|i| TypeId(i as u32))
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types
            .iter()
            .enumerate()
            .map(|(i, t)| (TypeId(i as u32), t))
    }

    pub fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.intern(Type::Pointer(ty))
    }

    pub fn array_of(&mut self, elem: TypeId, len: u64) -> TypeId {
        self.intern(Type::Array { elem, len })
    }

    pub fn int(&mut self, width: u16, signed: bool) -> TypeId {
        self.intern(Type::Int { width, signed })
    }

    /// (width, signed) of an integer type.
    pub fn as_int(&self, id: TypeId) -> Option<(u16, bool)> {
        match *self.lookup(id)? {
            Type::Int { width, signed } => Some((width, signed)),
            _ => None,
        }
    }

    pub fn as_float(&self, id: TypeId) -> Option<FloatKind> {
        match *self.lookup(id)? {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match *self.lookup(id)? {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    pub fn as_struct(&self, id: TypeId) -> Option<&StructDef> {
        match *self.lookup(id)? {
            Type::Struct(s) => self.structs.get(s),
            _ => None,
        }
    }

    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    /// May a value of type `from` go where `to` is wanted? Pointers go anywhere pointers do: what
    /// they point to is for readers and for address arithmetic, not for moving them.
    pub fn assignable(&self, to: TypeId, from: TypeId) -> bool {
        to == from || self.is_pointer(to) && self.is_pointer(from)
    }

    /// An integer, float or pointer: what fits one register.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(
            self.get(id),
            Type::Int { .. } | Type::Float(_) | Type::Pointer(_)
        )
    }

    /// Bytes that an object of this type occupies, padding included; 0 for void, functions and
    /// incomplete types.
    pub fn size_of(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Void | Type::Function { .. } => 0,
            Type::Int { width, .. } => int_bytes(width),
            Type::Float(kind) => kind.size(),
            Type::Pointer(_) => 8,
            Type::Array { elem, len } => self.size_of(elem).saturating_mul(len),
            Type::Struct(s) => self.structs[s].size,
            Type::Opaque { size, .. } => size,
        }
    }

    /// Bytes that a load or store of this type touches: an `i48` is 6 of its 8 bytes, an x87
    /// number 10 of its 16.
    pub fn store_size(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Int { width, .. } => u64::from(width).div_ceil(8),
            Type::Float(FloatKind::X87) => 10,
            _ => self.size_of(id),
        }
    }

    pub fn align_of(&self, id: TypeId) -> u32 {
        match *self.get(id) {
            Type::Void | Type::Function { .. } => 1,
            Type::Int { width, .. } => int_bytes(width).min(16) as u32,
            Type::Float(kind) => kind.size() as u32,
            Type::Pointer(_) => 8,
            Type::Array { elem, .. } => self.align_of(elem),
            Type::Struct(s) => self.structs[s].align.max(1),
            Type::Opaque { align, .. } => align.max(1),
        }
    }

    /// Size of what a pointer of this type steps over: `sizeof *p`, 1 for `void *`.
    pub fn stride(&self, pointer: TypeId) -> u64 {
        match self.pointee(pointer) {
            Some(to) if *self.get(to) == Type::Void => 1,
            Some(to) if matches!(self.get(to), Type::Function { .. }) => 1,
            Some(to) => self.size_of(to),
            None => 1,
        }
    }
}

/// Bytes an integer of this width takes in memory (a power of two up to 8, then multiples of 16).
pub fn int_bytes(width: u16) -> u64 {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        w => u64::from(w).div_ceil(128) * 16,
    }
}

impl FloatKind {
    /// Bytes in memory.
    pub fn size(self) -> u64 {
        match self {
            FloatKind::F16 | FloatKind::BF16 => 2,
            FloatKind::F32 => 4,
            FloatKind::F64 => 8,
            FloatKind::X87 | FloatKind::F128 => 16,
        }
    }
}
