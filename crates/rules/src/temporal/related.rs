//! Which values of a body can be known to be the same.
//!
//! Two pointers of unknown origin may always be equal; that is a guess, and no evidence
//! (design.md §6). What a body can *know* to be equal came from one place by assignments, or was
//! compared. So the names of values are put into classes, once for a body: `q = p` and `p == q`
//! join two. A value is followed only through the labels of its own class. Fields and elements go by
//! their kind, whatever object they are in: coarse, cheap, and never too narrow.

use super::label::Subject;
use ir::{Base, Body, CompareOp, Edge, ExprId, ExprKind, PlaceId, Projection, Stmt, TypeId, VarId};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    Var(u32),
    Global(u32),
    Field(u32, TypeId),
    Element(TypeId),
    Behind(TypeId),
    /// The address of what has this name.
    Address(u32),
}

/// A class of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class(u32);

pub(crate) struct Related<'a> {
    body: &'a Body,
    names: FxHashMap<Name, u32>,
    /// Union-find.
    parent: Vec<u32>,
    size: Vec<u32>,
}

/// Conversions and steps that are looked through.
const DEPTH: usize = 32;

impl<'a> Related<'a> {
    pub fn of(body: &'a Body, edges: &[Edge]) -> Related<'a> {
        let mut related = Related {
            body,
            names: FxHashMap::default(),
            parent: Vec::new(),
            size: Vec::new(),
        };
        for edge in edges {
            if let Stmt::Assign { place, value } = edge.stmt {
                let to = related.of_place(place);
                related.flows(to, value, DEPTH);
            }
        }
        for expr in body.exprs.values() {
            if let ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) = expr.kind
                && let (Some(a), Some(b)) = (related.of_name(a), related.of_name(b))
            {
                related.join(a, b);
            }
        }
        related
    }

    /// The class of a value; none if it has no name that anything else could have.
    pub fn class(&mut self, value: Subject) -> Option<Class> {
        let name = match value {
            Subject::Expr(e) => self.of_name(e)?,
            Subject::Content(place) => self.of_place(place),
        };
        Some(Class(self.find(name)))
    }

    /// The one variable that has values of the class, where no other name has: what is written
    /// into it ends the class's knowledge of the value before.
    pub fn only_variable(&mut self, class: Class) -> Option<VarId> {
        if self.size[class.0 as usize] != 1 {
            return None;
        }
        let mut names = self.names.iter();
        let (name, _) = names.find(|(_, id)| **id == class.0)?;
        match *name {
            Name::Var(v) if !self.body.vars[VarId(v)].address_taken => Some(VarId(v)),
            _ => None,
        }
    }

    fn flows(&mut self, to: u32, value: ExprId, depth: usize) {
        if let (Some(ExprKind::Select(_, a, b)), Some(depth)) = (
            self.body.exprs.get(value).map(|e| &e.kind),
            depth.checked_sub(1),
        ) {
            self.flows(to, *a, depth);
            self.flows(to, *b, depth);
        } else if let Some(from) = self.of_name(value) {
            self.join(to, from);
        }
    }

    /// The name of a value. A constant has none: two variables that are both -1 have nothing in
    /// common, and who closes descriptor 0 wants the next one to be it.
    fn of_name(&mut self, mut e: ExprId) -> Option<u32> {
        for _ in 0..DEPTH {
            match self.body.exprs.get(e)?.kind {
                ExprKind::Cast(inner) | ExprKind::PtrAdd(inner, _) => e = inner,
                ExprKind::Load(place) => return Some(self.of_place(place)),
                ExprKind::AddrOf(place) => {
                    let of = self.of_place(place);
                    return Some(self.named(Name::Address(of)));
                }
                _ => return None,
            }
        }
        None
    }

    fn of_place(&mut self, place: PlaceId) -> u32 {
        let Some(p) = self.body.places.get(place) else {
            return self.named(Name::Behind(TypeId::VOID));
        };
        let name = match (p.projections.last(), p.base) {
            (Some(Projection::Field(k)), _) => Name::Field(*k, p.ty),
            (Some(Projection::Index(_)), _) => Name::Element(p.ty),
            (Some(Projection::As(_)), _) | (None, Base::Deref(_)) => Name::Behind(p.ty),
            (None, Base::Var(v)) => Name::Var(v.0),
            (None, Base::Global(g)) => Name::Global(g.0),
        };
        self.named(name)
    }

    fn named(&mut self, name: Name) -> u32 {
        let next = self.parent.len() as u32;
        let id = *self.names.entry(name).or_insert(next);
        if id == next {
            self.parent.push(id);
            self.size.push(1);
        }
        id
    }

    fn find(&mut self, mut id: u32) -> u32 {
        while self.parent[id as usize] != id {
            let up = self.parent[self.parent[id as usize] as usize];
            self.parent[id as usize] = up;
            id = up;
        }
        id
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            let (from, to) = if self.size[a as usize] < self.size[b as usize] {
                (a, b)
            } else {
                (b, a)
            };
            self.parent[from as usize] = to;
            self.size[to as usize] += self.size[from as usize];
        }
    }
}
