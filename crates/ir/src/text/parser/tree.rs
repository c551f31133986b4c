//! Expressions as trees without types.

use super::Name;
use crate::expr::{BinaryOp, CompareOp, Intrinsic, UnaryOp};
use crate::types::{FloatKind, TypeId};

/// A node of `Tree`.
pub(super) type Id = u32;

#[derive(Clone, Debug)]
pub(super) enum Syntax {
    Int {
        negative: bool,
        value: u128,
        suffix: Option<(u16, bool)>,
    },
    Float {
        negative: bool,
        text: String,
        suffix: Option<FloatKind>,
    },
    FloatBits(FloatKind, u128),
    Bool(bool),
    Null(Option<TypeId>),
    Undef(Option<TypeId>),
    Name {
        name: Name,
        /// `::x`: not a variable.
        outer: bool,
    },
    Text(Vec<u8>),
    Unary(UnaryOp, Id),
    Deref(Id),
    AddrOf(Id),
    Binary(BinaryOp, Id, Id),
    Compare(CompareOp, Id, Id),
    Overflow(Id),
    Cast(TypeId, Id),
    Select(Id, Id, Id),
    Index(Id, Id),
    Field {
        of: Id,
        field: FieldName,
        arrow: bool,
    },
    As(Id, TypeId),
    Ascribed(Id, TypeId),
    Intrinsic(Intrinsic, Option<TypeId>, Vec<Id>),
    Load(Id),
    Label(Option<Name>, u32),
    TypeInfo(Name),
    TypeInfoText(Vec<u8>),
    Call(Id, Vec<Id>),
}

#[derive(Clone, Debug)]
pub(super) enum FieldName {
    Name(String),
    Number(u32),
}

/// The expressions of one statement: a flat list, so that dropping a deep one does not recurse.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

pub(super) struct Node {
    pub syntax: Syntax,
    /// The token it starts at.
    pub at: usize,
    /// How deep whoever walks it will have to recurse.
    pub depth: u32,
}

impl Tree {
    pub fn get(&self, id: Id) -> &Syntax {
        // Ids come from `push` alone.
        &self.nodes[id as usize].syntax
    }

    pub fn at(&self, id: Id) -> usize {
        self.nodes[id as usize].at
    }

    fn depth(&self, id: Id) -> u32 {
        self.nodes[id as usize].depth
    }

    pub fn children_depth(&self, syntax: &Syntax) -> u32 {
        let deepest = |ids: &[Id]| ids.iter().map(|&i| self.depth(i)).max().unwrap_or(0);
        match syntax {
            // A chain of operators that leans to the left is walked in a loop.
            Syntax::Binary(_, a, b) if matches!(self.get(*a), Syntax::Binary(..)) => {
                (self.depth(*a).saturating_sub(1)).max(self.depth(*b))
            }
            Syntax::Unary(_, a)
            | Syntax::Deref(a)
            | Syntax::AddrOf(a)
            | Syntax::Overflow(a)
            | Syntax::Cast(_, a)
            | Syntax::Field { of: a, .. }
            | Syntax::As(a, _)
            | Syntax::Ascribed(a, _)
            | Syntax::Load(a) => self.depth(*a),
            Syntax::Binary(_, a, b) | Syntax::Compare(_, a, b) | Syntax::Index(a, b) => {
                deepest(&[*a, *b])
            }
            Syntax::Select(c, a, b) => deepest(&[*c, *a, *b]),
            Syntax::Intrinsic(_, _, args) => deepest(args),
            Syntax::Call(f, args) => self.depth(*f).max(deepest(args)),
            Syntax::Int { .. }
            | Syntax::Float { .. }
            | Syntax::FloatBits(..)
            | Syntax::Bool(_)
            | Syntax::Null(_)
            | Syntax::Undef(_)
            | Syntax::Name { .. }
            | Syntax::Text(_)
            | Syntax::Label(..)
            | Syntax::TypeInfo(_)
            | Syntax::TypeInfoText(_) => 0,
        }
    }
}
