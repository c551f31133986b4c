//! Building bodies: hash-consed expressions and places, nodes and edges.
//!
//! The constructors fold what is trivially equal (`(i32)(i32)x`, `!!b`, casts of constants) and
//! nothing else: a path must still read like the source.

use crate::arena::{Arena, Id};
use crate::body::{Body, Edge, NodeId, Parts, Var, VarId, VarKind};
use crate::expr::{
    Base, BinaryOp, CompareOp, Expr, ExprId, ExprKind, Intrinsic, Place, PlaceId, Projection,
    UnaryOp, int_value, mask,
};
use crate::program::{FuncId, Global, GlobalId, SymbolTable};
use crate::span::Span;
use crate::stmt::{Check, CheckId, Stmt};
use crate::types::{Type, TypeId, TypeTable};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// Makes one [`Body`].
#[derive(Default)]
pub struct BodyBuilder {
    vars: Arena<VarId, Var>,
    params: Vec<VarId>,
    ret: Option<VarId>,
    exprs: Interner<ExprId, Expr>,
    places: Interner<PlaceId, Place>,
    checks: Arena<CheckId, Check>,
    labels: Vec<NodeId>,
    node_count: u32,
    edges: Vec<Edge>,
    unwind: Option<NodeId>,
    names: FxHashMap<String, u32>,
}

/// Items by id, and ids by item: equal items have equal ids.
pub(crate) struct Interner<I, T> {
    pub(crate) items: Arena<I, T>,
    ids: FxHashMap<T, I>,
}

impl<I: Id, T> Default for Interner<I, T> {
    fn default() -> Self {
        Interner {
            items: Arena::new(),
            ids: FxHashMap::default(),
        }
    }
}

impl<I: Id, T: Clone + Eq + std::hash::Hash> Interner<I, T> {
    pub(crate) fn intern(&mut self, item: T) -> I {
        if let Some(&id) = self.ids.get(&item) {
            return id;
        }
        let id = self.items.push(item.clone());
        self.ids.insert(item, id);
        id
    }
}

impl BodyBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    // Variables, nodes, edges.

    /// Adds a variable; a name already taken gets a number behind a dot.
    pub fn var(
        &mut self,
        symbols: &mut SymbolTable,
        name: &str,
        ty: TypeId,
        kind: VarKind,
    ) -> VarId {
        let name = self.unique_name(name);
        let name = symbols.intern(&name);
        let id = self.vars.push(Var {
            name,
            ty,
            kind,
            address_taken: false,
        });
        if kind == VarKind::Param {
            self.params.push(id);
        }
        id
    }

    fn unique_name(&mut self, name: &str) -> String {
        match self.names.get_mut(name) {
            None => {
                self.names.insert(name.to_string(), 0);
                name.to_string()
            }
            Some(_) => loop {
                let n = self.names.get_mut(name).map_or(1, |n| {
                    *n += 1;
                    *n
                });
                let candidate = format!("{name}.{n}");
                if !self.names.contains_key(&candidate) {
                    self.names.insert(candidate.clone(), 0);
                    return candidate;
                }
            },
        }
    }

    pub fn set_return(&mut self, var: VarId) {
        self.ret = Some(var);
    }

    pub fn set_unwind(&mut self, node: NodeId) {
        self.unwind = Some(node);
    }

    pub fn unwind(&self) -> Option<NodeId> {
        self.unwind
    }

    pub fn ret(&self) -> Option<VarId> {
        self.ret
    }

    pub fn var_type(&self, var: VarId) -> TypeId {
        self.vars[var].ty
    }

    pub fn node(&mut self) -> NodeId {
        self.node_count += 1;
        NodeId(self.node_count - 1)
    }

    pub fn edge(&mut self, from: NodeId, to: NodeId, stmt: Stmt, span: Span) {
        self.edges.push(Edge {
            from,
            to,
            stmt,
            span,
        });
    }

    /// Adds an edge to a fresh node and returns that node.
    pub fn step(&mut self, from: NodeId, stmt: Stmt, span: Span) -> NodeId {
        let to = self.node();
        self.edge(from, to, stmt, span);
        to
    }

    pub fn check(&mut self, check: Check) -> CheckId {
        self.checks.push(check)
    }

    /// Numbers a label for `&&label`.
    pub fn label(&mut self, node: NodeId) -> u32 {
        match self.labels.iter().position(|&n| n == node) {
            Some(i) => i as u32,
            None => {
                self.labels.push(node);
                self.labels.len() as u32 - 1
            }
        }
    }

    // Expressions.

    pub fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        if let ExprKind::AddrOf(place) = kind
            && let Base::Var(v) = self.places.items[place].base
        {
            self.vars[v].address_taken = true;
        }
        self.exprs.intern(Expr { kind, ty })
    }

    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.exprs.items[id].kind
    }

    pub fn type_of(&self, id: ExprId) -> TypeId {
        self.exprs.items[id].ty
    }

    pub fn place_ref(&self, id: PlaceId) -> &Place {
        &self.places.items[id]
    }

    pub fn int(&mut self, types: &TypeTable, value: i128, ty: TypeId) -> ExprId {
        let width = types.as_int(ty).map_or(128, |(w, _)| w);
        self.expr(ExprKind::Int(mask(value as u128, width)), ty)
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.expr(ExprKind::Int(value as u128), TypeId::BOOL)
    }

    pub fn null(&mut self, ty: TypeId) -> ExprId {
        self.expr(ExprKind::Null, ty)
    }

    pub fn load(&mut self, place: PlaceId) -> ExprId {
        let ty = self.places.items[place].ty;
        self.expr(ExprKind::Load(place), ty)
    }

    pub fn load_var(&mut self, var: VarId) -> ExprId {
        let place = self.var_place(var);
        self.load(place)
    }

    /// The address of a place; `&*p` is `p`.
    pub fn addr_of(&mut self, types: &mut TypeTable, place: PlaceId) -> ExprId {
        let p = &self.places.items[place];
        if let (Base::Deref(ptr), true) = (p.base, p.projections.is_empty()) {
            return ptr;
        }
        let ty = types.pointer_to(p.ty);
        self.expr(ExprKind::AddrOf(place), ty)
    }

    pub fn function(&mut self, types: &mut TypeTable, f: FuncId, signature: TypeId) -> ExprId {
        let ty = types.pointer_to(signature);
        self.expr(ExprKind::Function(f), ty)
    }

    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.type_of(a);
        self.expr(ExprKind::Binary(op, a, b), ty)
    }

    pub fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprId {
        self.expr(ExprKind::Compare(op, a, b), TypeId::BOOL)
    }

    /// The negation of a bool, pushed into comparisons of integers and pointers.
    pub fn not(&mut self, types: &TypeTable, e: ExprId) -> ExprId {
        match *self.kind(e) {
            ExprKind::Int(bits) => self.bool(bits & 1 == 0),
            ExprKind::Unary(UnaryOp::Not, inner) => inner,
            ExprKind::Compare(op, a, b) => {
                let float = types.as_float(self.type_of(a)).is_some();
                match op.negated() {
                    Some(n) if !float || matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                        self.compare(n, a, b)
                    }
                    _ => self.expr(ExprKind::Unary(UnaryOp::Not, e), TypeId::BOOL),
                }
            }
            _ => self.expr(ExprKind::Unary(UnaryOp::Not, e), TypeId::BOOL),
        }
    }

    /// Conversion, with the casts that change nothing left out.
    pub fn cast(&mut self, types: &TypeTable, e: ExprId, to: TypeId) -> ExprId {
        let from = self.type_of(e);
        if from == to {
            return e;
        }
        let kind = self.kind(e).clone();
        if let (ExprKind::Int(bits), Some((w, s)), Some((tw, _))) =
            (&kind, types.as_int(from), types.as_int(to))
        {
            let value = int_value(*bits, w, s);
            return self.expr(ExprKind::Int(mask(value as u128, tw)), to);
        }
        match kind {
            ExprKind::Null if types.is_pointer(to) => return self.null(to),
            ExprKind::Undef => return self.expr(ExprKind::Undef, to),
            ExprKind::Cast(inner) if self.cast_skips(types, inner, from, to) => {
                return self.cast(types, inner, to);
            }
            _ => {}
        }
        self.expr(ExprKind::Cast(e), to)
    }

    /// Is `(to)(mid)inner` the same as `(to)inner`?
    fn cast_skips(&self, types: &TypeTable, inner: ExprId, mid: TypeId, to: TypeId) -> bool {
        let from = self.type_of(inner);
        if types.is_pointer(from) && types.is_pointer(mid) && types.is_pointer(to) {
            return true;
        }
        let (Some((fw, fs)), Some((mw, ms)), Some((tw, _))) =
            (types.as_int(from), types.as_int(mid), types.as_int(to))
        else {
            return false;
        };
        // The value survives the middle type, or the bits that the middle type keeps are enough.
        let value_kept = mw > fw && (ms || !fs) || mw == fw && fs == ms;
        value_kept || tw <= mw
    }

    pub fn ptr_add(&mut self, ptr: ExprId, index: ExprId) -> ExprId {
        if let ExprKind::Int(0) = self.kind(index) {
            return ptr;
        }
        let ty = self.type_of(ptr);
        self.expr(ExprKind::PtrAdd(ptr, index), ty)
    }

    pub fn intrinsic(&mut self, op: Intrinsic, args: &[ExprId], ty: TypeId) -> ExprId {
        self.expr(ExprKind::Intrinsic(op, SmallVec::from_slice(args)), ty)
    }

    // Places.

    pub fn place(&mut self, place: Place) -> PlaceId {
        self.places.intern(place)
    }

    pub fn var_place(&mut self, var: VarId) -> PlaceId {
        let ty = self.vars[var].ty;
        self.place(Place {
            base: Base::Var(var),
            projections: smallvec![],
            ty,
        })
    }

    pub fn global_place(&mut self, global: GlobalId, ty: TypeId) -> PlaceId {
        self.place(Place {
            base: Base::Global(global),
            projections: smallvec![],
            ty,
        })
    }

    /// What a pointer points to; `*&x` is `x`.
    pub fn deref(&mut self, types: &TypeTable, ptr: ExprId) -> PlaceId {
        if let ExprKind::AddrOf(place) = *self.kind(ptr) {
            return place;
        }
        let ty = types.pointee(self.type_of(ptr)).unwrap_or(TypeId::VOID);
        self.place(Place {
            base: Base::Deref(ptr),
            projections: smallvec![],
            ty,
        })
    }

    /// A field; the place must have a struct type with that field.
    pub fn field(&mut self, types: &TypeTable, place: PlaceId, field: u32) -> PlaceId {
        let ty = types
            .as_struct(self.places.items[place].ty)
            .and_then(|s| s.fields.get(field as usize))
            .map_or(TypeId::VOID, |f| f.ty);
        self.project(place, Projection::Field(field), ty)
    }

    /// An element; the place must have an array type.
    pub fn index(&mut self, types: &TypeTable, place: PlaceId, index: ExprId) -> PlaceId {
        let ty = match *types.get(self.places.items[place].ty) {
            Type::Array { elem, .. } => elem,
            _ => TypeId::VOID,
        };
        self.project(place, Projection::Index(index), ty)
    }

    /// The place as mere bytes of its own type: moving them is no use of a value.
    pub fn as_bytes(&mut self, place: PlaceId) -> PlaceId {
        let p = &self.places.items[place];
        let ty = p.ty;
        match p.projections.last() {
            Some(Projection::As(_)) => place,
            _ => self.project(place, Projection::As(ty), ty),
        }
    }

    /// The same address at another type.
    pub fn reinterpret(&mut self, place: PlaceId, ty: TypeId) -> PlaceId {
        let p = &self.places.items[place];
        if p.ty == ty {
            return place;
        }
        if let Some(Projection::As(_)) = p.projections.last() {
            let mut q = p.clone();
            q.projections.pop();
            q.projections.push(Projection::As(ty));
            q.ty = ty;
            return self.place(q);
        }
        self.project(place, Projection::As(ty), ty)
    }

    /// Type of what the last projection of a place steps into.
    pub fn place_owner(
        &self,
        types: &TypeTable,
        globals: &Arena<GlobalId, Global>,
        place: PlaceId,
    ) -> Option<TypeId> {
        let p = &self.places.items[place];
        let mut ty = match p.base {
            Base::Var(v) => self.vars[v].ty,
            Base::Global(g) => globals.get(g)?.ty,
            Base::Deref(e) => types.pointee(self.type_of(e))?,
        };
        let (_, before) = p.projections.split_last()?;
        for step in before {
            ty = match *step {
                Projection::Field(f) => types.as_struct(ty)?.fields.get(f as usize)?.ty,
                Projection::Index(_) => match *types.get(ty) {
                    Type::Array { elem, .. } => elem,
                    _ => return None,
                },
                Projection::As(t) => t,
            };
        }
        Some(ty)
    }

    pub fn project(&mut self, place: PlaceId, step: Projection, ty: TypeId) -> PlaceId {
        let mut p = self.places.items[place].clone();
        p.projections.push(step);
        p.ty = ty;
        self.place(p)
    }

    pub fn finish(self, entry: NodeId, exit: NodeId) -> Body {
        Body::new(self.parts(entry, exit))
    }

    /// Finishes with the clean-up of [`crate::tidy`].
    pub fn finish_tidy(self, entry: NodeId, exit: NodeId, labels: Vec<NodeId>) -> Body {
        let mut parts = self.parts(entry, exit);
        parts.labels = labels;
        crate::tidy::tidy(&mut parts);
        Body::new(parts)
    }

    fn parts(self, entry: NodeId, exit: NodeId) -> Parts {
        Parts {
            vars: self.vars,
            params: self.params,
            ret: self.ret,
            exprs: self.exprs.items,
            places: self.places.items,
            checks: self.checks,
            node_count: self.node_count,
            entry,
            exit,
            unwind: self.unwind,
            labels: self.labels,
            edges: self.edges,
        }
    }
}
