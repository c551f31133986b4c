//! The types of expressions and places.

use super::{Validator, label_exists};
use crate::body::Body;
use crate::expr::{
    Base, BinaryOp, CompareOp, Expr, ExprId, ExprKind, Intrinsic, Place, PlaceId, Projection,
    UnaryOp, mask,
};
use crate::types::{Type, TypeId};

impl Validator<'_> {
    pub(super) fn exprs(&mut self, body: &Body) {
        for (id, e) in body.exprs.iter() {
            if !self.has_type(e.ty, "an expression") {
                continue;
            }
            if let Err(problem) = self.expr(body, e) {
                let text = self.expr_text(body, id);
                self.report(format!("`{text}`: {problem}"));
            }
        }
    }

    pub(super) fn places(&mut self, body: &Body) {
        for (id, p) in body.places.iter() {
            if !self.has_type(p.ty, "a place") {
                continue;
            }
            if let Err(problem) = self.place(body, p) {
                let text = self.place_text(body, id);
                self.report(format!("`{text}`: {problem}"));
            }
        }
    }

    pub(super) fn expr_text(&self, body: &Body, id: ExprId) -> String {
        match self.function {
            Some(f) => self.printer.expr(f, body, id),
            None => format!("{id:?}"),
        }
    }

    fn place_text(&self, body: &Body, id: PlaceId) -> String {
        match self.function {
            Some(f) => self.printer.place(f, body, id),
            None => format!("{id:?}"),
        }
    }

    fn is_int(&self, ty: TypeId) -> bool {
        self.program.types.as_int(ty).is_some()
    }

    fn is_float(&self, ty: TypeId) -> bool {
        self.program.types.as_float(ty).is_some()
    }

    /// What must be equal, and what it is called.
    fn same(&self, a: TypeId, b: TypeId, what: &str) -> Result<(), String> {
        match a == b {
            true => Ok(()),
            false => Err(format!(
                "{what}: {} and {}",
                self.type_name(a),
                self.type_name(b)
            )),
        }
    }

    fn must(&self, holds: bool, what: &str) -> Result<(), String> {
        match holds {
            true => Ok(()),
            false => Err(what.to_string()),
        }
    }

    fn expr(&self, body: &Body, e: &Expr) -> Result<(), String> {
        let types = &self.program.types;
        let of = |id: ExprId| body.exprs[id].ty;
        match &e.kind {
            ExprKind::Int(bits) => match types.as_int(e.ty) {
                Some((width, _)) => {
                    self.must(mask(*bits, width) == *bits, "has bits beyond its width")
                }
                None => Err(format!("an integer of type {}", self.type_name(e.ty))),
            },
            ExprKind::Float(bits) => {
                self.must(self.is_float(e.ty), "a float constant of another type")?;
                let width = 8 * types.size_of(e.ty) as u16;
                self.must(mask(*bits, width) == *bits, "has bits beyond its width")
            }
            ExprKind::Null => self.must(types.is_pointer(e.ty), "null must be a pointer"),
            ExprKind::Undef => Ok(()),
            ExprKind::Load(p) => {
                self.same(
                    e.ty,
                    body.places[*p].ty,
                    "a load and its place differ in type",
                )?;
                let void = matches!(types.get(e.ty), Type::Void | Type::Function { .. });
                self.must(!void, "loads what is no object")
            }
            ExprKind::AddrOf(p) => {
                let place = &body.places[*p];
                match types.pointee(e.ty) {
                    Some(to) => self.same(to, place.ty, "an address and its place differ in type"),
                    None => Err("an address must be a pointer".to_string()),
                }?;
                self.must(
                    !self.is_bit_field(body, place),
                    "the address of a bit-field",
                )
            }
            ExprKind::Function(f) => {
                self.must(self.program.functions.get(*f).is_some(), "no such function")?;
                let to = types.pointee(e.ty).map(|t| types.get(t));
                let function = matches!(to, Some(Type::Function { .. }));
                self.must(
                    function,
                    "a function's address must point to a function type",
                )
            }
            ExprKind::Label(f, k) => {
                self.must(label_exists(self.program, *f, *k), "no such label")?;
                self.must(
                    types.is_pointer(e.ty),
                    "a label's address must be a pointer",
                )
            }
            ExprKind::TypeInfo(g) => {
                self.must(
                    self.program.globals.get(*g).is_some(),
                    "no such type-info object",
                )?;
                self.must(self.is_int(e.ty), "a typeid must be an integer")
            }
            ExprKind::Unary(op, a) => {
                self.same(e.ty, of(*a), "the operand has another type than the result")?;
                match op {
                    UnaryOp::Neg => self.must(self.is_float(e.ty), "negation is for floats"),
                    UnaryOp::Not => self.must(e.ty == TypeId::BOOL, "`!` is for bools"),
                    UnaryOp::Complement => self.must(self.is_int(e.ty), "`~` is for integers"),
                }
            }
            ExprKind::Binary(op, a, b) => {
                self.same(
                    e.ty,
                    of(*a),
                    "the left operand has another type than the result",
                )?;
                self.operands(*op, of(*a), of(*b))
            }
            ExprKind::Overflow(op, a, b) => {
                self.same(e.ty, TypeId::BOOL, "`overflow` is a bool")?;
                let fine = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                self.must(fine, "`overflow` is of `+`, `-` or `*`")?;
                self.must(self.is_int(of(*a)), "`overflow` is of integers")?;
                self.operands(*op, of(*a), of(*b))
            }
            ExprKind::Compare(op, a, b) => {
                self.same(e.ty, TypeId::BOOL, "a comparison is a bool")?;
                self.same(of(*a), of(*b), "the operands differ in type")?;
                self.must(types.is_scalar(of(*a)), "only scalars are compared")?;
                let fine = *op != CompareOp::Unordered || self.is_float(of(*a));
                self.must(fine, "`<>` is for floats")
            }
            ExprKind::Cast(a) => {
                let (from, to) = (of(*a), e.ty);
                let scalar = types.is_scalar(from) && types.is_scalar(to);
                let mixed = self.is_float(from) && types.is_pointer(to)
                    || types.is_pointer(from) && self.is_float(to);
                match scalar && !mixed {
                    true => Ok(()),
                    false => Err(format!(
                        "no conversion from {} to {}",
                        self.type_name(from),
                        self.type_name(to)
                    )),
                }
            }
            ExprKind::Select(c, a, b) => {
                self.same(of(*c), TypeId::BOOL, "the condition must be a bool")?;
                self.same(of(*a), of(*b), "the two sides differ in type")?;
                self.same(e.ty, of(*a), "the result has another type than its sides")
            }
            ExprKind::PtrAdd(p, i) => {
                self.must(
                    types.is_pointer(of(*p)),
                    "the left operand must be a pointer",
                )?;
                self.must(self.is_int(of(*i)), "an index must be an integer")?;
                self.same(e.ty, of(*p), "the result has another type than the pointer")
            }
            ExprKind::Intrinsic(op, args) => {
                let n = arity(*op);
                match args.len() == n {
                    true => Ok(()),
                    false => Err(format!("takes {n} operands, not {}", args.len())),
                }
            }
        }
    }

    fn operands(&self, op: BinaryOp, a: TypeId, b: TypeId) -> Result<(), String> {
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if shift {
            return self.must(self.is_int(a) && self.is_int(b), "a shift is of integers");
        }
        self.same(a, b, "the operands differ in type")?;
        let float = matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem
        );
        match self.is_int(a) || float && self.is_float(a) {
            true => Ok(()),
            false => Err(format!("`{}` on {}", op.symbol(), self.type_name(a))),
        }
    }

    fn place(&self, body: &Body, place: &Place) -> Result<(), String> {
        let ty = self.place_type(body, place.base, &place.projections)?;
        let what = "the place says one type and its steps give another";
        self.same(place.ty, ty, what)
    }

    /// The type that some steps lead to.
    fn place_type(&self, body: &Body, base: Base, steps: &[Projection]) -> Result<TypeId, String> {
        let types = &self.program.types;
        let mut ty = match base {
            Base::Var(v) => match body.vars.get(v) {
                Some(v) => v.ty,
                None => return Err("no such variable".to_string()),
            },
            Base::Global(g) => match self.program.globals.get(g) {
                Some(g) => g.ty,
                None => return Err("no such global".to_string()),
            },
            Base::Deref(e) => match types.pointee(body.exprs[e].ty) {
                Some(to) => to,
                None => return Err("what is dereferenced must be a pointer".to_string()),
            },
        };
        for step in steps {
            ty = match step {
                Projection::Field(n) => match types.as_struct(ty) {
                    Some(def) => match def.fields.get(*n as usize) {
                        Some(f) => f.ty,
                        None => return Err(format!("{} has no field {n}", self.type_name(ty))),
                    },
                    None => return Err(format!("{} has no fields", self.type_name(ty))),
                },
                Projection::Index(i) => {
                    let int = self.is_int(body.exprs[*i].ty);
                    self.must(int, "an index must be an integer")?;
                    match types.lookup(ty) {
                        Some(Type::Array { elem, .. }) => *elem,
                        _ => return Err(format!("{} is not an array", self.type_name(ty))),
                    }
                }
                Projection::As(to) => {
                    self.must(types.lookup(*to).is_some(), "no such type")?;
                    *to
                }
            };
        }
        Ok(ty)
    }

    fn is_bit_field(&self, body: &Body, place: &Place) -> bool {
        let Some((Projection::Field(n), steps)) = place.projections.split_last() else {
            return false;
        };
        let before = self.place_type(body, place.base, steps);
        let def = before.ok().and_then(|ty| self.program.types.as_struct(ty));
        let field = def.and_then(|d| d.fields.get(*n as usize));
        field.is_some_and(|f| f.bits.is_some())
    }
}

/// How many operands an intrinsic takes.
fn arity(op: Intrinsic) -> usize {
    match op {
        Intrinsic::Abs
        | Intrinsic::PopCount
        | Intrinsic::LeadingZeros
        | Intrinsic::TrailingZeros
        | Intrinsic::ByteSwap
        | Intrinsic::BitReverse
        | Intrinsic::Sqrt
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Trunc
        | Intrinsic::Round
        | Intrinsic::RoundEven
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Exp
        | Intrinsic::Exp2
        | Intrinsic::Log
        | Intrinsic::Log2
        | Intrinsic::Log10
        | Intrinsic::Bits
        | Intrinsic::Volatile => 1,
        Intrinsic::Min
        | Intrinsic::Max
        | Intrinsic::SatAdd
        | Intrinsic::SatSub
        | Intrinsic::CopySign
        | Intrinsic::Pow
        | Intrinsic::PtrMask
        | Intrinsic::IsClass => 2,
        Intrinsic::FunnelLeft | Intrinsic::FunnelRight | Intrinsic::Fma => 3,
    }
}
