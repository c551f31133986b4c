//! What one statement writes, callees apart.

use super::{Fields, Written};
use crate::bits::Bits;
use crate::models::{Writes, model};
use ir::arena::Id;
use ir::{Base, Body, Callee, ExprId, ExprKind, PlaceId, Program, Projection, Stmt, Type, TypeId};

/// A body whose statements are looked at one by one.
pub(super) struct Scan<'a> {
    pub program: &'a Program,
    pub body: &'a Body,
    pub fields: &'a Fields,
    pub exposed: &'a Bits,
    pub written: &'a mut Written,
}

impl Scan<'_> {
    pub fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => self.place(*place),
            Stmt::Copy { target, .. } | Stmt::Fill { target, .. } => self.through(*target),
            Stmt::VaStart(e) => self.through(*e),
            Stmt::Call(call) => {
                if let Some(place) = call.result {
                    self.place(place);
                }
                let writes = match call.callee {
                    Callee::Direct(f) if self.program.functions[f].body.is_none() => {
                        let name = self.program.function_name(f);
                        model(name).map_or(Writes::Arguments, |m| m.writes)
                    }
                    _ => Writes::Nothing,
                };
                if writes != Writes::Nothing {
                    for &arg in &call.args {
                        if self.program.types.is_pointer(self.body.exprs[arg].ty) {
                            self.through(arg);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn place(&mut self, place: PlaceId) {
        let place = &self.body.places[place];
        let types = &self.program.types;
        let mut ty = match place.base {
            Base::Var(_) => return,
            Base::Global(g) => {
                self.written.globals.insert(g.index());
                if !self.exposed.contains(g.index()) {
                    return;
                }
                self.program.globals[g].ty
            }
            Base::Deref(e) => types.pointee(self.body.exprs[e].ty).unwrap_or(TypeId::VOID),
        };
        let mut field = None;
        for projection in &place.projections {
            match *projection {
                Projection::Field(n) => {
                    let definition = match types.lookup(ty) {
                        Some(Type::Struct(s)) => Some(*s),
                        _ => None,
                    };
                    field = definition.map(|s| (s, n));
                    let fields = types.as_struct(ty).map(|d| &d.fields);
                    let found = fields.and_then(|f| f.get(n as usize));
                    ty = found.map_or(TypeId::VOID, |f| f.ty);
                }
                Projection::Index(_) => {
                    if let Some(Type::Array { elem, .. }) = types.lookup(ty) {
                        ty = *elem;
                    }
                }
                Projection::As(to) => {
                    // Another view of the bytes: all that they are.
                    self.whole(ty);
                    ty = to;
                }
            }
        }
        match (types.is_scalar(place.ty), field) {
            (true, Some((s, n))) => {
                self.written.fields.insert(self.fields.number(s, n));
            }
            (true, None) => {
                let size = types.store_size(place.ty);
                self.written.plain.insert(size as usize);
            }
            (false, _) => self.whole(place.ty),
        }
    }

    /// Something at a pointer is written, byte by byte.
    fn through(&mut self, mut e: ExprId) {
        loop {
            match self.body.exprs[e].kind {
                ExprKind::Cast(inner) if self.is_pointer(inner) => e = inner,
                ExprKind::PtrAdd(inner, _) => e = inner,
                _ => break,
            }
        }
        if let ExprKind::AddrOf(place) = self.body.exprs[e].kind {
            return match self.body.places[place].base {
                Base::Var(_) => {}
                _ => {
                    self.place(place);
                    self.whole(self.body.places[place].ty);
                }
            };
        }
        let to = self.program.types.pointee(self.body.exprs[e].ty);
        self.whole(to.unwrap_or(TypeId::VOID));
    }

    fn is_pointer(&self, e: ExprId) -> bool {
        self.program.types.is_pointer(self.body.exprs[e].ty)
    }

    /// All of an object of this type.
    fn whole(&mut self, ty: TypeId) {
        let types = &self.program.types;
        match types.lookup(ty) {
            Some(Type::Struct(s)) => {
                let Some(definition) = types.structs.get(*s) else {
                    return;
                };
                for (n, field) in definition.fields.iter().enumerate() {
                    // A struct that was seen is complete: recursion ends with it.
                    if self.written.fields.insert(self.fields.number(*s, n as u32)) {
                        self.whole(field.ty);
                    }
                }
            }
            Some(Type::Array { elem, .. }) => self.whole(*elem),
            Some(Type::Void | Type::Function { .. } | Type::Opaque { .. }) | None => {
                self.written.plain.insert(1);
            }
            Some(_) => {
                let size = types.store_size(ty);
                self.written.plain.insert(size as usize);
            }
        }
    }
}
