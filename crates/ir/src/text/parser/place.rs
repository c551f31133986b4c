//! From syntax trees to places.

use super::elaborate::BodyScope;
use super::tree::{FieldName, Id, Syntax, Tree};
use super::{Entity, Parser, Result};
use crate::expr::{Base, ExprId, ExprKind, Place, Projection};
use crate::text::print_type;
use crate::text::typing::INDEX;
use crate::types::Type;
use smallvec::smallvec;

impl Parser<'_> {
    pub(super) fn elaborate_place(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        id: Id,
    ) -> Result<Place> {
        let at = tree.at(id);
        let plain = |base, ty| Place {
            base,
            projections: smallvec![],
            ty,
        };
        match tree.get(id) {
            Syntax::Name { name, outer } => {
                if let (false, 1, Some(&v)) = (outer, name.rank, scope.vars.get(&name.text)) {
                    return Ok(plain(Base::Var(v), scope.builder.var_type(v)));
                }
                match self.resolve(scope.unit, name) {
                    Some(Entity::Global(g)) => {
                        Ok(plain(Base::Global(g), self.program.globals[g].ty))
                    }
                    Some(Entity::Function(_)) => {
                        self.error_at(at, format!("`{}` is a function, not a place", name.text))
                    }
                    None => self.error_at(at, format!("no variable or global `{}`", name.text)),
                }
            }
            Syntax::Text(text) => {
                let g = self.literal(scope.unit, text.clone());
                Ok(plain(Base::Global(g), self.program.globals[g].ty))
            }
            Syntax::Deref(a) => {
                let pointer = self.elaborate(scope, tree, *a, None)?;
                self.dereference(scope, at, pointer)
            }
            Syntax::Index(a, i) => {
                let place = match is_place(tree, *a) {
                    true if !self.is_function(scope, tree, *a) => {
                        Some(self.elaborate_place(scope, tree, *a)?)
                    }
                    _ => None,
                };
                match place {
                    Some(mut place) => match *self.program.types.get(place.ty) {
                        Type::Array { elem, .. } => {
                            let index = self.elaborate(scope, tree, *i, Some(INDEX))?;
                            place.projections.push(Projection::Index(index));
                            place.ty = elem;
                            Ok(place)
                        }
                        _ => {
                            let place = scope.builder.place(place);
                            let pointer = scope.builder.load(place);
                            self.element(scope, tree, pointer, *a, *i)
                        }
                    },
                    None => {
                        let pointer = self.elaborate(scope, tree, *a, None)?;
                        self.element(scope, tree, pointer, *a, *i)
                    }
                }
            }
            Syntax::Field { of, field, arrow } => {
                let mut place = match arrow {
                    true => {
                        let pointer = self.elaborate(scope, tree, *of, None)?;
                        self.dereference(scope, at, pointer)?
                    }
                    false => self.elaborate_place(scope, tree, *of)?,
                };
                let Some(def) = self.program.types.as_struct(place.ty) else {
                    let ty = print_type(&self.program, place.ty);
                    return self.error_at(at, format!("{ty} has no fields"));
                };
                let number = match field {
                    FieldName::Number(n) => Some(*n),
                    FieldName::Name(name) => {
                        let symbol = self.program.symbols.get(name);
                        let found = def.fields.iter().position(|f| Some(f.name) == symbol);
                        found.map(|n| n as u32)
                    }
                };
                match number.and_then(|n| Some((n, def.fields.get(n as usize)?.ty))) {
                    Some((n, ty)) => {
                        place.projections.push(Projection::Field(n));
                        place.ty = ty;
                        Ok(place)
                    }
                    None => {
                        let ty = print_type(&self.program, place.ty);
                        self.error_at(at, format!("{ty} has no such field"))
                    }
                }
            }
            Syntax::As(a, ty) => {
                let mut place = self.elaborate_place(scope, tree, *a)?;
                place.projections.push(Projection::As(*ty));
                place.ty = *ty;
                Ok(place)
            }
            _ => self.error_at(at, "expected a place: a variable, `*p`, `p->field`, `a[i]`"),
        }
    }

    fn is_function(&self, scope: &BodyScope, tree: &Tree, id: Id) -> bool {
        match tree.get(id) {
            Syntax::Name { name, outer } => {
                (*outer || name.rank > 1 || !scope.vars.contains_key(&name.text))
                    && matches!(self.resolve(scope.unit, name), Some(Entity::Function(_)))
            }
            _ => false,
        }
    }

    fn dereference(&mut self, scope: &BodyScope, at: usize, pointer: ExprId) -> Result<Place> {
        let ty = scope.builder.type_of(pointer);
        match self.program.types.pointee(ty) {
            Some(to) => Ok(Place {
                base: Base::Deref(pointer),
                projections: smallvec![],
                ty: to,
            }),
            None => {
                let ty = print_type(&self.program, ty);
                self.error_at(at, format!("expected a pointer, found {ty}"))
            }
        }
    }

    /// `p[i]` of a pointer.
    fn element(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        pointer: ExprId,
        a: Id,
        i: Id,
    ) -> Result<Place> {
        let ty = scope.builder.type_of(pointer);
        if self.program.types.pointee(ty).is_none() {
            let ty = print_type(&self.program, ty);
            return self.error_at(
                tree.at(a),
                format!("expected an array or a pointer, found {ty}"),
            );
        }
        let index = self.elaborate(scope, tree, i, Some(INDEX))?;
        let moved = scope.builder.expr(ExprKind::PtrAdd(pointer, index), ty);
        self.dereference(scope, tree.at(a), moved)
    }
}

fn is_place(tree: &Tree, id: Id) -> bool {
    matches!(
        tree.get(id),
        Syntax::Name { .. }
            | Syntax::Text(_)
            | Syntax::Deref(_)
            | Syntax::Index(..)
            | Syntax::Field { .. }
            | Syntax::As(..)
    )
}
