//! Values of variables, as forms over symbols.

use crate::facts::Range;
use crate::input::{Given, Part};
use crate::linear::Linear;
use ir::{EdgeId, GlobalId, Type, TypeId, TypeTable, VarId};

/// A piece of memory that pointers lead to. Two that are not equal may still be the same, if both come from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    Variable(VarId),
    Global(GlobalId),
    /// What a pointer pointed to that the function was given.
    Behind(Given),
    /// Made by the function. Of several that were made at the same place this is the last.
    Fresh(Site),
    /// Any of those that others know of.
    Somewhere,
    /// What an activation below is given ([`crate::descend`]); no pointer leads there.
    Below,
}

/// Where the function makes objects: at an edge, and there the how many-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub edge: EdgeId,
    pub index: u32,
}

impl Object {
    /// Can a pointer that the function was given, or that it found somewhere, lead there?
    pub fn is_outside(&self) -> bool {
        matches!(
            self,
            Object::Global(_) | Object::Behind(_) | Object::Somewhere
        )
    }
}

/// A pointer, as [`crate::input`] has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub object: Object,
    /// 0 if it is null, more than 0 if not.
    pub value: Linear,
    pub offset: Linear,
    pub length: Linear,
    pub alive: Linear,
}

impl Pointer {
    pub fn null() -> Pointer {
        let zero = || Linear::constant(0);
        Pointer {
            object: Object::Somewhere,
            value: zero(),
            offset: zero(),
            length: zero(),
            alive: zero(),
        }
    }

    /// Neither null nor into any object: beyond the end of one that has no bytes.
    pub fn wild() -> Pointer {
        Pointer {
            offset: Linear::constant(1),
            ..Pointer::to(Object::Somewhere, Linear::constant(0))
        }
    }

    pub fn is_null(&self) -> bool {
        self.value.as_constant() == Some(0)
    }

    /// To the beginning of an object that is there.
    pub fn to(object: Object, length: Linear) -> Pointer {
        Pointer {
            object,
            value: Linear::constant(1),
            offset: Linear::constant(0),
            length,
            alive: Linear::constant(1),
        }
    }

    /// The numbers that it is made of.
    pub fn numbers(&self) -> [&Linear; 4] {
        [&self.value, &self.offset, &self.length, &self.alive]
    }
}

/// What a scalar holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(Linear),
    Pointer(Box<Pointer>),
    /// Nothing yet.
    Undefined,
    /// A float, or what is too complicated.
    Other,
}

impl From<Pointer> for Value {
    fn from(pointer: Pointer) -> Value {
        Value::Pointer(Box::new(pointer))
    }
}

/// The numbers that a type has; none if it is no integer.
pub fn range_of(types: &TypeTable, ty: TypeId) -> Option<Range> {
    let (width, signed) = types.as_int(ty)?;
    match (width, signed) {
        // Symbols of such a width are not bounded: their products would not fit.
        (97.., _) | (0, _) => Some(Range::ANYTHING),
        (width, true) => Some(Range::new(-1 << (width - 1), (1 << (width - 1)) - 1)),
        (width, false) => Some(Range::new(0, (1 << width) - 1)),
    }
}

/// The scalar of a type at so many bytes.
pub fn part_of(types: &TypeTable, ty: TypeId, byte: i128) -> Option<Part> {
    let bits = match types.lookup(ty)? {
        Type::Int { width: 1, .. } => 8,
        Type::Int { width, .. } => u32::from(*width),
        Type::Pointer(_) => 64,
        Type::Float(_) => u32::try_from(types.size_of(ty).checked_mul(8)?).ok()?,
        _ => return None,
    };
    Some(Part {
        start: byte.checked_mul(8)?,
        bits,
    })
}
