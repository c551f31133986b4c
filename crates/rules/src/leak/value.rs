//! Which expressions carry what some variables hold.
//!
//! A pointer is carried by copies, conversions, and steps within the object: whoever has a pointer to the middle of a block can
//! find its beginning, so nothing is lost. What is *read* through it is another value, unless one asks for the content, too.

use super::walk::Cx;
use crate::temporal::is_ghost_name;
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{
    Base, BinaryOp, Body, ExprId, ExprKind, Intrinsic, Place, PlaceId, Projection, Stmt, Type,
    TypeId, TypeTable, VarId, VarKind, program::SymbolTable,
};

/// How an expression has to do with the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carry {
    No,
    /// It is the address of a variable that holds it.
    Address,
    /// It is the value, or leads to where it leads.
    Value,
}

/// Conversions and steps that are looked through.
const DEPTH: usize = 32;

/// What must be known of a body to say what carries a value.
pub struct Values<'a> {
    pub types: &'a TypeTable,
    pub body: &'a Body,
    /// Values are numbers (descriptors), not pointers.
    pub numbers: bool,
    /// What is behind the value is asked for, too.
    pub deep: bool,
    /// `q` that is the address of one variable, always.
    aliases: Vec<Option<VarId>>,
    /// Others may know the variable's address.
    exposed: Vec<bool>,
    /// What automata remember is no holder.
    ghosts: Vec<bool>,
}

impl<'a> Values<'a> {
    pub fn new(
        types: &'a TypeTable,
        symbols: &SymbolTable,
        body: &'a Body,
        numbers: bool,
    ) -> Values<'a> {
        let ghost = |v: &ir::Var| {
            v.kind == VarKind::Temp && symbols.lookup(v.name).is_some_and(is_ghost_name)
        };
        Values {
            types,
            body,
            numbers,
            deep: false,
            aliases: vec![None; body.vars.len()],
            exposed: vec![false; body.vars.len()],
            ghosts: body.vars.values().map(ghost).collect(),
        }
    }

    /// Finds out whose address is known to whom. A call may keep an address unless it is said to hand it back.
    pub fn find_exposed(&mut self, cx: &Cx<'_>) {
        if !self.body.vars.values().any(|v| v.address_taken) {
            return;
        }
        let mut written = vec![0u32; self.body.vars.len()];
        for edge in self.body.edges().values() {
            let place = match &edge.stmt {
                Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
                Stmt::Call(call) => call.result,
                _ => None,
            };
            if let Some(Base::Var(v)) = place.map(|p| self.body.places[p].base) {
                written[v.0 as usize] += 1;
            }
        }
        for edge in self.body.edges().values() {
            let mut harmless: Vec<ExprId> = Vec::new();
            match &edge.stmt {
                Stmt::Assign { place, value } => {
                    if let Some(of) = self.address_of(*value)
                        && let Some(q) = self.body.places[*place].as_var()
                        && written[q.0 as usize] == 1
                        && !self.body.vars[q].address_taken
                        && !self.body.params.contains(&q)
                        && Some(q) != self.body.ret
                    {
                        self.aliases[q.0 as usize] = Some(of);
                        harmless.push(*value);
                    }
                }
                Stmt::Copy { target, source, .. } => harmless.extend([*target, *source]),
                Stmt::Fill { target, .. } => harmless.push(*target),
                Stmt::Call(call) => {
                    for (i, arg) in call.args.iter().enumerate() {
                        if cx.gives_through(call, i) || cx.borrows(self.body, call, i) {
                            harmless.push(*arg);
                        }
                    }
                }
                _ => {}
            }
            let mut work: Vec<Item> = Vec::new();
            statement_items(self.body, &edge.stmt, &mut |item| work.push(item));
            work.retain(|item| !matches!(item, Item::Expr(e) if harmless.contains(e)));
            while let Some(item) = work.pop() {
                match item {
                    Item::Expr(e) => match &self.body.exprs[e].kind {
                        ExprKind::AddrOf(place) => {
                            if let Base::Var(v) = self.body.places[*place].base {
                                self.exposed[v.0 as usize] = true;
                            } else {
                                work.push(Item::Place(*place));
                            }
                        }
                        ExprKind::Compare(..) => {}
                        _ => expr_items(&self.body.exprs[e], &mut |item| work.push(item)),
                    },
                    // `(&v)->f` is `v.f`.
                    Item::Place(p) => {
                        place_items(&self.body.places[p], &mut |item| match item {
                            Item::Expr(e) if self.address_of(e).is_some() => {}
                            item => work.push(item),
                        });
                    }
                }
            }
        }
        // Who knows the alias knows the address.
        for edge in self.body.edges().values() {
            let told: Vec<ExprId> = match &edge.stmt {
                Stmt::Assign { value, .. } => vec![*value],
                Stmt::Call(call) => {
                    let all = call.args.iter().enumerate();
                    all.filter(|(i, _)| {
                        !cx.gives_through(call, *i) && !cx.borrows(self.body, call, *i)
                    })
                    .map(|(_, e)| *e)
                    .collect()
                }
                _ => continue,
            };
            for e in told {
                if let Some(q) = self.body.loaded(e)
                    && let Some(q) = self.body.places[q].as_var()
                    && let Some(of) = self.aliases[q.0 as usize]
                {
                    self.exposed[of.0 as usize] = true;
                }
            }
        }
    }

    fn address_of(&self, mut e: ExprId) -> Option<VarId> {
        for _ in 0..DEPTH {
            match self.body.exprs[e].kind {
                ExprKind::Cast(inner) => e = inner,
                ExprKind::AddrOf(place) => {
                    return match self.body.places[place].base {
                        Base::Var(v) => Some(v),
                        _ => None,
                    };
                }
                _ => return None,
            }
        }
        None
    }

    /// The local variable that a place is in, and whether it is all of it.
    pub fn local(&self, place: PlaceId) -> Option<(VarId, bool)> {
        self.local_of(&self.body.places[place], DEPTH)
    }

    fn local_of(&self, place: &Place, depth: usize) -> Option<(VarId, bool)> {
        let whole = place.projections.is_empty();
        match place.base {
            Base::Var(v) => Some((v, whole)),
            Base::Global(_) => None,
            Base::Deref(e) => {
                let depth = depth.checked_sub(1)?;
                match self.body.exprs[e].kind {
                    ExprKind::AddrOf(inner) => {
                        let (v, all) = self.local_of(&self.body.places[inner], depth)?;
                        Some((v, all && whole))
                    }
                    ExprKind::Load(q) => {
                        let q = self.body.places[q].as_var()?;
                        let of = self.aliases[q.0 as usize]?;
                        let same = self.body.vars[of].ty == place.ty;
                        Some((of, whole && same))
                    }
                    _ => None,
                }
            }
        }
    }

    pub fn is_exposed(&self, v: VarId) -> bool {
        self.exposed[v.0 as usize]
    }

    pub fn is_ghost(&self, v: VarId) -> bool {
        self.ghosts[v.0 as usize]
    }

    pub fn is_ghost_value(&self, e: ExprId) -> bool {
        let place = self.body.loaded(e);
        let var = place.and_then(|p| self.body.places[p].as_var());
        var.is_some_and(|v| self.is_ghost(v))
    }

    /// Can something of this type be the value, or have it in it?
    pub fn can_be(&self, ty: TypeId) -> bool {
        match self.types.lookup(ty) {
            Some(Type::Pointer(_) | Type::Struct(_) | Type::Array { .. } | Type::Opaque { .. }) => {
                true
            }
            Some(Type::Int { width, .. }) => *width >= if self.numbers { 8 } else { 64 },
            _ => false,
        }
    }

    pub fn carries(&self, e: ExprId, holds: &dyn Fn(VarId) -> bool) -> Carry {
        self.carried(e, holds, DEPTH)
    }

    fn carried(&self, e: ExprId, holds: &dyn Fn(VarId) -> bool, depth: usize) -> Carry {
        let Some(depth) = depth.checked_sub(1) else {
            return Carry::No;
        };
        let expr = &self.body.exprs[e];
        let of = |e: ExprId| self.carried(e, holds, depth);
        match &expr.kind {
            ExprKind::Load(place) => {
                if !self.can_be(expr.ty) {
                    return Carry::No;
                }
                match self.local(*place) {
                    Some((v, _)) if holds(v) => Carry::Value,
                    Some((v, _)) => match self.aliases[v.0 as usize] {
                        Some(of) if holds(of) => Carry::Address,
                        _ => Carry::No,
                    },
                    None => match self.body.places[*place].base {
                        Base::Deref(p) if self.deep => of(p),
                        _ => Carry::No,
                    },
                }
            }
            ExprKind::AddrOf(place) => match self.local(*place) {
                Some((v, _)) if holds(v) => Carry::Address,
                Some(_) => Carry::No,
                None => match self.body.places[*place].base {
                    Base::Deref(p) => of(p),
                    _ => Carry::No,
                },
            },
            ExprKind::Cast(inner) if self.can_be(expr.ty) => of(*inner),
            ExprKind::PtrAdd(p, _) => of(*p),
            ExprKind::Select(_, a, b) => of(*a).max(of(*b)),
            ExprKind::Binary(
                BinaryOp::Add | BinaryOp::WrapAdd | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
                a,
                b,
            ) if !self.numbers => of(*a).max(of(*b)),
            ExprKind::Intrinsic(
                Intrinsic::PtrMask | Intrinsic::Volatile | Intrinsic::Bits,
                args,
            ) => args.first().map_or(Carry::No, |a| of(*a)),
            _ => Carry::No,
        }
    }

    /// Does the place lie within what the value leads to?
    pub fn is_within(&self, place: PlaceId, holds: &dyn Fn(VarId) -> bool) -> bool {
        match self.body.places[place].base {
            Base::Deref(p) => self.carries(p, holds) == Carry::Value,
            _ => false,
        }
    }

    /// Is the place one of many, of which nobody knows which?
    pub fn is_element(&self, place: PlaceId) -> bool {
        let fixed = |e: &ExprId| matches!(self.body.exprs[*e].kind, ExprKind::Int(_));
        let mut steps = self.body.places[place].projections.iter();
        steps.any(|s| matches!(s, Projection::Index(i) if !fixed(i)))
    }
}
