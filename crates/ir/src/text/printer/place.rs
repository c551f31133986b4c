//! Places: a base and the steps into it.

use super::expr::{ExprPrinter, precedence as p};
use crate::expr::{Base, Expr, ExprId, ExprKind, Place, Projection};
use crate::program::Program;
use crate::text::names::symbol;
use crate::text::typing::INDEX;
use crate::text::words::quote_name;
use crate::types::{Type, TypeId};

impl ExprPrinter<'_> {
    /// A string literal without further steps.
    pub(super) fn is_whole_literal(&self, place: &Place) -> bool {
        match place.base {
            Base::Global(g) => self.printer.names.is_literal(g) && place.projections.is_empty(),
            _ => false,
        }
    }

    /// `&"text"[0]`, which is written `"text"`, as in C.
    pub(super) fn is_decayed_literal(&self, place: &Place) -> bool {
        let Base::Global(g) = place.base else {
            return false;
        };
        let [Projection::Index(index)] = place.projections.as_slice() else {
            return false;
        };
        let zero = Expr {
            kind: ExprKind::Int(0),
            ty: INDEX,
        };
        self.printer.names.is_literal(g) && self.body.exprs.get(*index) == Some(&zero)
    }

    pub(super) fn place_precedence(&self, place: &Place) -> u8 {
        match (place.base, place.projections.last()) {
            // `(x as T)` brings its own parentheses.
            (_, Some(_)) | (Base::Var(_) | Base::Global(_), None) => p::POSTFIX,
            (Base::Deref(e), None) => match self.body.exprs.get(e).map(|e| &e.kind) {
                Some(ExprKind::PtrAdd(..)) => p::POSTFIX,
                _ => p::UNARY,
            },
        }
    }

    pub(super) fn write_place(&self, out: &mut String, place: &Place, min: u8) {
        if self.place_precedence(place) < min {
            out.push('(');
            self.write_steps(out, place);
            out.push(')');
        } else {
            self.write_steps(out, place);
        }
    }

    fn write_steps(&self, out: &mut String, place: &Place) {
        let program = self.printer.program;
        let types = &program.types;
        let start = out.len();
        let mut steps = place.projections.as_slice();
        let mut ty = self.base_type(place);
        if let (Base::Deref(pointer), Some(Projection::Field(field))) = (place.base, steps.first())
            && !self.is_ptr_add(pointer)
        {
            self.write(out, pointer, None, p::POSTFIX);
            out.push_str("->");
            out.push_str(&field_name(program, ty, *field));
            ty = field_type(program, ty, *field);
            steps = &steps[1..];
        } else {
            self.write_base(out, place);
            if let Base::Deref(e) = place.base
                && !steps.is_empty()
                && !self.is_ptr_add(e)
            {
                out.insert(start, '(');
                out.push(')');
            }
        }
        for step in steps {
            match step {
                Projection::Field(field) => {
                    out.push('.');
                    out.push_str(&field_name(program, ty, *field));
                    ty = field_type(program, ty, *field);
                }
                Projection::Index(index) => {
                    out.push('[');
                    self.write(out, *index, Some(INDEX), 0);
                    out.push(']');
                    ty = match types.lookup(ty) {
                        Some(Type::Array { elem, .. }) => *elem,
                        _ => TypeId::VOID,
                    };
                }
                Projection::As(to) => {
                    out.insert(start, '(');
                    out.push_str(&format!(" as {})", self.type_text(*to)));
                    ty = *to;
                }
            }
        }
    }

    fn is_ptr_add(&self, e: ExprId) -> bool {
        let kind = self.body.exprs.get(e).map(|e| &e.kind);
        matches!(kind, Some(ExprKind::PtrAdd(..)))
    }

    fn base_type(&self, place: &Place) -> TypeId {
        let program = self.printer.program;
        match place.base {
            Base::Var(v) => self.body.vars.get(v).map(|v| v.ty),
            Base::Global(g) => program.globals.get(g).map(|g| g.ty),
            Base::Deref(e) => match program.types.lookup(self.type_of(e)) {
                Some(Type::Pointer(to)) => Some(*to),
                _ => None,
            },
        }
        .unwrap_or(TypeId::VOID)
    }

    pub(super) fn write_base(&self, out: &mut String, place: &Place) {
        match place.base {
            Base::Var(v) => out.push_str(&self.var(v)),
            Base::Global(g) => out.push_str(&self.global_name(g)),
            Base::Deref(e) => match self.body.exprs.get(e).map(|e| &e.kind) {
                Some(ExprKind::PtrAdd(pointer, index)) => {
                    // The literal in `"text"[i]` would be the array itself.
                    let decayed = match self.body.exprs.get(*pointer).map(|e| &e.kind) {
                        Some(ExprKind::AddrOf(place)) => self.body.places.get(*place),
                        _ => None,
                    };
                    match decayed.filter(|p| self.is_decayed_literal(p)) {
                        Some(place) => {
                            out.push_str("(&");
                            self.write_steps(out, place);
                            out.push(')');
                        }
                        None => self.write(out, *pointer, None, p::POSTFIX),
                    }
                    out.push('[');
                    self.write(out, *index, Some(INDEX), 0);
                    out.push(']');
                }
                _ => {
                    out.push('*');
                    self.write(out, e, None, p::UNARY);
                }
            },
        }
    }
}

/// The field by name, or by number where the name does not say which.
fn field_name(program: &Program, ty: TypeId, field: u32) -> String {
    let Some(Type::Struct(s)) = program.types.lookup(ty) else {
        return format!("#{field}");
    };
    let fields = program.types.structs.get(*s).map(|d| d.fields.as_slice());
    let fields = fields.unwrap_or_default();
    match fields.get(field as usize) {
        Some(f) => {
            let name = symbol(program, f.name);
            let unique = fields.iter().filter(|g| g.name == f.name).count() == 1;
            match name.is_empty() || !unique {
                true => format!("#{field}"),
                false => quote_name(name),
            }
        }
        None => format!("#{field}"),
    }
}

fn field_type(program: &Program, ty: TypeId, field: u32) -> TypeId {
    let Some(Type::Struct(s)) = program.types.lookup(ty) else {
        return TypeId::VOID;
    };
    let def = program.types.structs.get(*s);
    def.and_then(|d| d.fields.get(field as usize))
        .map_or(TypeId::VOID, |f| f.ty)
}
