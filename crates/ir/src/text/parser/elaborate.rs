//! From syntax trees to typed expressions, by the rule of `typing`.

use super::tree::{Id, Syntax, Tree};
use super::{Entity, Parser, Result};
use crate::body::VarId;
use crate::build::BodyBuilder;
use crate::expr::{Base, BinaryOp, ExprId, ExprKind, Place, PlaceId, Projection, UnaryOp, mask};
use crate::program::{FuncId, UnitId};
use crate::text::typing::{self, Expected, INDEX};
use crate::types::{FloatKind, Type, TypeId};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// The body being read.
pub(super) struct BodyScope {
    pub builder: BodyBuilder,
    pub vars: FxHashMap<String, VarId>,
    pub function: FuncId,
    pub unit: UnitId,
}

/// The bits of an integer constant, if it fits.
pub(super) fn int_bits(negative: bool, value: u128, width: u16, signed: bool) -> Option<u128> {
    let fits = match (negative && value != 0, signed) {
        (true, false) => false,
        (true, true) => width > 0 && (width > 128 || value <= 1 << (width - 1)),
        (false, true) => width > 128 || width > 0 && value < 1 << (width - 1),
        (false, false) => mask(value, width) == value,
    };
    let bits = match negative {
        true => value.wrapping_neg(),
        false => value,
    };
    fits.then(|| mask(bits, width))
}

pub(super) fn float_bits(negative: bool, text: &str, kind: FloatKind) -> u128 {
    let sign = if negative { -1.0 } else { 1.0 };
    match kind {
        FloatKind::F32 => {
            let value: f32 = text.parse().unwrap_or(f32::NAN);
            u128::from((value * sign as f32).to_bits())
        }
        _ => {
            let value: f64 = text.parse().unwrap_or(f64::NAN);
            u128::from((value * sign).to_bits())
        }
    }
}

impl Parser<'_> {
    /// An expression, its syntax read and given its meaning.
    pub(super) fn expr(&mut self, scope: &mut BodyScope, expected: Expected) -> Result<ExprId> {
        let mut tree = Tree::default();
        let id = self.syntax(&mut tree)?;
        self.elaborate(scope, &tree, id, expected)
    }

    /// A place, likewise.
    pub(super) fn place(&mut self, scope: &mut BodyScope) -> Result<PlaceId> {
        let mut tree = Tree::default();
        let id = self.syntax(&mut tree)?;
        let place = self.elaborate_place(scope, &tree, id)?;
        Ok(scope.builder.place(place))
    }

    pub(super) fn elaborate(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        id: Id,
        expected: Expected,
    ) -> Result<ExprId> {
        let at = tree.at(id);
        let types = &mut self.program.types;
        let (kind, ty) = match tree.get(id) {
            Syntax::Int {
                negative,
                value,
                suffix,
            } => {
                let ty = match suffix {
                    Some((width, signed)) => types.int(*width, *signed),
                    None => typing::int_constant(types, expected),
                };
                let (width, signed) = types.as_int(ty).unwrap_or((32, true));
                match int_bits(*negative, *value, width, signed) {
                    Some(bits) => (ExprKind::Int(bits), ty),
                    None => {
                        let sign = if *negative { "-" } else { "" };
                        let ty = crate::text::print_type(&self.program, ty);
                        return self.error_at(at, format!("{sign}{value} does not fit {ty}"));
                    }
                }
            }
            Syntax::Float {
                negative,
                text,
                suffix,
            } => {
                let ty = match suffix {
                    Some(kind) => types.intern(Type::Float(*kind)),
                    None => typing::float_constant(types, expected),
                };
                let kind = types.as_float(ty).unwrap_or(FloatKind::F64);
                let bits = float_bits(*negative, text, kind);
                (ExprKind::Float(bits), ty)
            }
            Syntax::FloatBits(kind, bits) => {
                (ExprKind::Float(*bits), types.intern(Type::Float(*kind)))
            }
            Syntax::Bool(value) => (ExprKind::Int(u128::from(*value)), TypeId::BOOL),
            Syntax::Null(ty) => match ty.or(expected.filter(|&t| types.is_pointer(t))) {
                Some(ty) => (ExprKind::Null, ty),
                None => return self.error_at(at, "expected the type of `null`: `(T*)null`"),
            },
            Syntax::Undef(ty) => match ty.or(expected) {
                Some(ty) => (ExprKind::Undef, ty),
                None => return self.error_at(at, "expected the type of `undef`: `(T)undef`"),
            },
            Syntax::Name { .. } => return self.name_expression(scope, tree, id),
            Syntax::Text(text) => {
                // As in C, the address of its first character.
                let global = self.literal(scope.unit, text.clone());
                let zero = scope.builder.expr(ExprKind::Int(0), INDEX);
                let place = scope.builder.place(Place {
                    base: Base::Global(global),
                    projections: smallvec![Projection::Index(zero)],
                    ty: TypeId::I8,
                });
                let ty = self.program.types.pointer_to(TypeId::I8);
                (ExprKind::AddrOf(place), ty)
            }
            Syntax::Deref(_) | Syntax::Index(..) | Syntax::Field { .. } | Syntax::As(..) => {
                let place = self.elaborate_place(scope, tree, id)?;
                let ty = place.ty;
                (ExprKind::Load(scope.builder.place(place)), ty)
            }
            Syntax::Load(a) => {
                let place = self.elaborate_place(scope, tree, *a)?;
                let ty = place.ty;
                (ExprKind::Load(scope.builder.place(place)), ty)
            }
            Syntax::AddrOf(a) => {
                let place = self.elaborate_place(scope, tree, *a)?;
                let ty = self.program.types.pointer_to(place.ty);
                (ExprKind::AddrOf(scope.builder.place(place)), ty)
            }
            Syntax::Unary(UnaryOp::Neg, a) => {
                let a = self.elaborate(scope, tree, *a, expected)?;
                let ty = scope.builder.type_of(a);
                if self.program.types.as_int(ty).is_some() {
                    let zero = scope.builder.expr(ExprKind::Int(0), ty);
                    (ExprKind::Binary(BinaryOp::Sub, zero, a), ty)
                } else {
                    (ExprKind::Unary(UnaryOp::Neg, a), ty)
                }
            }
            Syntax::Unary(op, a) => {
                let expected = match op {
                    UnaryOp::Not => Some(TypeId::BOOL),
                    _ => expected,
                };
                let a = self.elaborate(scope, tree, *a, expected)?;
                (ExprKind::Unary(*op, a), scope.builder.type_of(a))
            }
            Syntax::Binary(..) => return self.chain(scope, tree, id, expected),
            Syntax::Compare(op, a, b) => {
                let (a, b) = self.pair(scope, tree, *a, *b, None)?;
                (ExprKind::Compare(*op, a, b), TypeId::BOOL)
            }
            Syntax::Overflow(inner) => {
                let Syntax::Binary(op, a, b) = tree.get(*inner) else {
                    return self.error_at(at, "expected an operation, as in `overflow(a + b)`");
                };
                let (a, b) = self.pair(scope, tree, *a, *b, None)?;
                (ExprKind::Overflow(*op, a, b), TypeId::BOOL)
            }
            Syntax::Cast(ty, a) => (ExprKind::Cast(self.elaborate(scope, tree, *a, None)?), *ty),
            Syntax::Select(c, a, b) => {
                let c = self.elaborate(scope, tree, *c, Some(TypeId::BOOL))?;
                let (a, b) = self.pair(scope, tree, *a, *b, expected)?;
                (ExprKind::Select(c, a, b), scope.builder.type_of(a))
            }
            Syntax::Ascribed(a, ty) => {
                let inner = self.elaborate(scope, tree, *a, None)?;
                let kind = scope.builder.kind(inner).clone();
                match kind {
                    ExprKind::Function(_) | ExprKind::Label(..) | ExprKind::TypeInfo(_) => {
                        (kind, *ty)
                    }
                    _ => {
                        return self.error_at(
                            at,
                            "expected a function, label or typeid before `:` (a conversion is written `(T)x`)",
                        );
                    }
                }
            }
            Syntax::Intrinsic(op, explicit, args) => {
                let mut values: SmallVec<[ExprId; 3]> = smallvec![];
                let mut first = None;
                for &a in args {
                    let expected = match (first, explicit) {
                        (Some(ty), _) => Some(typing::further_argument(*op, ty)),
                        (None, None) => typing::first_argument(*op, expected),
                        (None, Some(_)) => None,
                    };
                    let value = self.elaborate(scope, tree, a, expected)?;
                    first.get_or_insert(scope.builder.type_of(value));
                    values.push(value);
                }
                match explicit.or(typing::intrinsic_result(*op, first)) {
                    Some(ty) => (ExprKind::Intrinsic(*op, values), ty),
                    None => {
                        return self.error_at(at, "expected the type of the result: `bits:f32(x)`");
                    }
                }
            }
            Syntax::Label(name, k) => {
                let function = match name {
                    Some(name) => self.function_named(scope.unit, name)?,
                    None => scope.function,
                };
                (ExprKind::Label(function, *k), TypeId::VOID_PTR)
            }
            Syntax::TypeInfo(name) => {
                let global = self.global_named(scope.unit, name)?;
                (ExprKind::TypeInfo(global), TypeId::I32)
            }
            Syntax::TypeInfoText(text) => {
                let global = self.literal(scope.unit, text.clone());
                (ExprKind::TypeInfo(global), TypeId::I32)
            }
            Syntax::Call(..) => {
                return self.error_at(at, "a call is a statement of its own, not an expression");
            }
        };
        Ok(scope.builder.expr(kind, ty))
    }

    fn name_expression(&mut self, scope: &mut BodyScope, tree: &Tree, id: Id) -> Result<ExprId> {
        if let Syntax::Name { name, outer } = tree.get(id)
            && (*outer || !scope.vars.contains_key(&name.text) || name.rank > 1)
            && let Some(Entity::Function(f)) = self.resolve(scope.unit, name)
        {
            let signature = self.program.functions[f].signature;
            let types = &mut self.program.types;
            return Ok(scope.builder.function(types, f, signature));
        }
        let place = self.elaborate_place(scope, tree, id)?;
        let place = scope.builder.place(place);
        Ok(scope.builder.load(place))
    }

    /// Operators of one precedence class in a row, from the innermost left one outwards.
    fn chain(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        top: Id,
        expected: Expected,
    ) -> Result<ExprId> {
        let mut links = Vec::new();
        let mut id = top;
        while let Syntax::Binary(op, a, b) = tree.get(id) {
            links.push((*op, *a, *b));
            id = *a;
        }
        let mut left: Option<ExprId> = None;
        for (op, a, b) in links.into_iter().rev() {
            left = Some(self.link(scope, tree, op, left, a, b, expected)?);
        }
        match left {
            Some(e) => Ok(e),
            None => self.error_at(tree.at(top), "expected an operator"),
        }
    }

    /// One operator; `left` is its left operand `a`, if that has been elaborated already.
    #[allow(clippy::too_many_arguments)]
    fn link(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        op: BinaryOp,
        left: Option<ExprId>,
        a: Id,
        b: Id,
        expected: Expected,
    ) -> Result<ExprId> {
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let left = match left {
            None if !shift && is_bare(tree, a) && !is_bare(tree, b) => {
                let right = self.elaborate(scope, tree, b, expected)?;
                let ty = scope.builder.type_of(right);
                let left = self.elaborate(scope, tree, a, Some(ty))?;
                let ty = scope.builder.type_of(left);
                return Ok(scope.builder.expr(ExprKind::Binary(op, left, right), ty));
            }
            None => self.elaborate(scope, tree, a, expected)?,
            Some(left) => left,
        };
        let ty = scope.builder.type_of(left);
        if !self.program.types.is_pointer(ty) {
            let right = self.elaborate(scope, tree, b, Some(ty))?;
            return Ok(scope.builder.expr(ExprKind::Binary(op, left, right), ty));
        }
        let index = match (op, tree.get(b)) {
            (BinaryOp::Add, _) => self.elaborate(scope, tree, b, Some(INDEX))?,
            // `p - 1` steps back.
            (
                BinaryOp::Sub,
                Syntax::Int {
                    negative: false,
                    value,
                    suffix: None,
                },
            ) => match int_bits(true, *value, 64, true) {
                Some(bits) => scope.builder.expr(ExprKind::Int(bits), INDEX),
                None => return self.error_at(tree.at(b), format!("{value} does not fit i64")),
            },
            _ => {
                return self.error_at(tree.at(b), "a pointer takes `+ index` or `- constant` only");
            }
        };
        Ok(scope.builder.expr(ExprKind::PtrAdd(left, index), ty))
    }

    /// Two operands of one type.
    fn pair(
        &mut self,
        scope: &mut BodyScope,
        tree: &Tree,
        a: Id,
        b: Id,
        expected: Expected,
    ) -> Result<(ExprId, ExprId)> {
        if is_bare(tree, a) && !is_bare(tree, b) {
            let right = self.elaborate(scope, tree, b, expected)?;
            let ty = scope.builder.type_of(right);
            Ok((self.elaborate(scope, tree, a, Some(ty))?, right))
        } else {
            let left = self.elaborate(scope, tree, a, expected)?;
            let ty = scope.builder.type_of(left);
            Ok((left, self.elaborate(scope, tree, b, Some(ty))?))
        }
    }
}

/// A constant that does without a type.
fn is_bare(tree: &Tree, id: Id) -> bool {
    matches!(
        tree.get(id),
        Syntax::Int { suffix: None, .. }
            | Syntax::Float { suffix: None, .. }
            | Syntax::Null(None)
            | Syntax::Undef(None)
    )
}
