//! Random expressions and places. What they need checked is noted, to be emitted before the
//! statement that uses them.

use crate::world::{ARRAY, INTS, World};
use ir::{
    Base, BinaryOp, BodyBuilder, CompareOp, Condition, ExprId, ExprKind, Family, FuncId, Intrinsic,
    PlaceId, Type, TypeId, UnaryOp, VarId,
};

pub struct Scope {
    pub b: BodyBuilder,
    /// Variables that may be read and written.
    pub vars: Vec<VarId>,
    /// Loop counters: read only.
    pub counters: Vec<VarId>,
    /// Checks that the next statement needs.
    pub checks: Vec<(&'static str, Condition)>,
    /// Conditions that were tested before and need no checks: programs test things twice.
    pub tested: Vec<ExprId>,
    /// The function itself, if it may call itself.
    pub itself: Option<(FuncId, TypeId)>,
}

impl World {
    /// A value of any scalar type.
    pub fn expr(&mut self, s: &mut Scope, ty: TypeId, depth: u32) -> ExprId {
        if self.program.types.is_pointer(ty) {
            return self.pointer(s, ty);
        }
        if self.program.types.as_float(ty).is_some() {
            return self.float(s, ty, depth);
        }
        if ty == TypeId::BOOL {
            return self.condition(s, depth);
        }
        if depth == 0 || self.rng.one_in(4) {
            return self.leaf(s, ty);
        }
        match self.rng.below(12) {
            0..=5 => self.arithmetic(s, ty, depth - 1),
            6 | 7 => {
                let from = self.int_type();
                let e = self.expr(s, from, depth - 1);
                s.b.cast(&self.program.types, e, ty)
            }
            8 => {
                let c = self.condition(s, depth - 1);
                let a = self.expr(s, ty, depth - 1);
                let b = self.expr(s, ty, depth - 1);
                s.b.expr(ExprKind::Select(c, a, b), ty)
            }
            9 => {
                let a = self.expr(s, ty, depth - 1);
                s.b.expr(ExprKind::Unary(UnaryOp::Complement, a), ty)
            }
            10 => {
                let ops = [Intrinsic::PopCount, Intrinsic::LeadingZeros, Intrinsic::Abs];
                let op = self.rng.pick(&ops).unwrap_or(Intrinsic::Abs);
                let a = self.expr(s, ty, depth - 1);
                s.b.intrinsic(op, &[a], ty)
            }
            _ => {
                let ops = [Intrinsic::Min, Intrinsic::Max, Intrinsic::SatAdd];
                let op = self.rng.pick(&ops).unwrap_or(Intrinsic::Min);
                let a = self.expr(s, ty, depth - 1);
                let b = self.expr(s, ty, depth - 1);
                s.b.intrinsic(op, &[a, b], ty)
            }
        }
    }

    fn constant(&mut self, s: &mut Scope, ty: TypeId) -> ExprId {
        let value = match self.rng.below(6) {
            0..=3 => i128::from(self.rng.below(10)) - 2,
            4 => i128::from(self.rng.bits() as i64),
            _ => (1 << self.rng.below(63)) - i128::from(self.rng.below(2)),
        };
        s.b.int(&self.program.types, value, ty)
    }

    fn leaf(&mut self, s: &mut Scope, ty: TypeId) -> ExprId {
        if self.rng.one_in(3) {
            return self.constant(s, ty);
        }
        if self.rng.one_in(4)
            && let Some(v) = self.rng.pick(&s.counters)
        {
            let e = s.b.load_var(v);
            return s.b.cast(&self.program.types, e, ty);
        }
        let place = self.scalar_place(s);
        let e = s.b.load(place);
        match self.program.types.is_pointer(s.b.type_of(e)) {
            true => self.constant(s, ty),
            false => s.b.cast(&self.program.types, e, ty),
        }
    }

    fn arithmetic(&mut self, s: &mut Scope, ty: TypeId, depth: u32) -> ExprId {
        let (width, signed) = self.program.types.as_int(ty).unwrap_or((32, true));
        let a = self.expr(s, ty, depth);
        let b = self.expr(s, ty, depth);
        match self.rng.below(10) {
            0..=4 => {
                let plain = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];
                let wrapping = [BinaryOp::WrapAdd, BinaryOp::WrapSub, BinaryOp::WrapMul];
                let checked = signed && self.rng.one_in(8);
                let ops = if signed && !checked { wrapping } else { plain };
                let op = self.rng.pick(&ops).unwrap_or(BinaryOp::WrapAdd);
                if checked {
                    let overflow = s.b.expr(ExprKind::Overflow(op, a, b), TypeId::BOOL);
                    let fine = s.b.not(&self.program.types, overflow);
                    s.checks.push(("integer-overflow", Condition::Holds(fine)));
                }
                s.b.binary(op, a, b)
            }
            5 => {
                let op = self.rng.pick(&[BinaryOp::Div, BinaryOp::Rem]);
                let one = s.b.int(&self.program.types, 1, ty);
                // Mostly odd, so mostly not 0.
                let b = match self.rng.one_in(6) {
                    true => b,
                    false => s.b.binary(BinaryOp::Or, b, one),
                };
                let zero = s.b.int(&self.program.types, 0, ty);
                let fine = s.b.compare(CompareOp::Ne, b, zero);
                s.checks.push(("division-by-zero", Condition::Holds(fine)));
                if signed {
                    let all = s.b.int(&self.program.types, -1, ty);
                    let fine = s.b.compare(CompareOp::Ne, b, all);
                    s.checks.push(("integer-overflow", Condition::Holds(fine)));
                }
                s.b.binary(op.unwrap_or(BinaryOp::Div), a, b)
            }
            6 => {
                let op = self.rng.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
                let most = s.b.int(&self.program.types, i128::from(width) - 1, ty);
                let amount = s.b.binary(BinaryOp::And, b, most);
                s.b.binary(op.unwrap_or(BinaryOp::Shr), a, amount)
            }
            _ => {
                let ops = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
                let op = self.rng.pick(&ops).unwrap_or(BinaryOp::And);
                s.b.binary(op, a, b)
            }
        }
    }

    /// The condition of a branch: sometimes one that was tested before.
    pub fn test(&mut self, s: &mut Scope, depth: u32) -> ExprId {
        if self.rng.one_in(3)
            && let Some(c) = self.rng.pick(&s.tested)
        {
            return c;
        }
        let pending = s.checks.len();
        let c = self.condition(s, depth);
        if s.checks.len() == pending {
            s.tested.push(c);
        }
        c
    }

    pub fn condition(&mut self, s: &mut Scope, depth: u32) -> ExprId {
        match self.rng.below(8) {
            0 if depth > 0 => {
                let a = self.condition(s, depth - 1);
                let b = self.condition(s, depth - 1);
                let op = self.rng.pick(&[BinaryOp::And, BinaryOp::Or]);
                s.b.binary(op.unwrap_or(BinaryOp::And), a, b)
            }
            1 => {
                let to = self.program.types.pointer_to(TypeId::I32);
                let (a, b) = (self.pointer(s, to), self.pointer(s, to));
                s.b.compare(CompareOp::Eq, a, b)
            }
            2 => {
                let a = self.float(s, TypeId::F64, depth);
                let b = self.float(s, TypeId::F64, 0);
                s.b.compare(CompareOp::Lt, a, b)
            }
            _ => {
                let ty = self.int_type();
                let ops = [
                    CompareOp::Eq,
                    CompareOp::Ne,
                    CompareOp::Lt,
                    CompareOp::Le,
                    CompareOp::Gt,
                    CompareOp::Ge,
                ];
                let op = self.rng.pick(&ops).unwrap_or(CompareOp::Lt);
                let a = self.expr(s, ty, depth.saturating_sub(1));
                let b = self.expr(s, ty, depth.saturating_sub(1));
                s.b.compare(op, a, b)
            }
        }
    }

    fn float(&mut self, s: &mut Scope, ty: TypeId, depth: u32) -> ExprId {
        match self.rng.below(4) {
            0 | 1 if depth > 0 => {
                let a = self.float(s, ty, depth - 1);
                let b = self.float(s, ty, depth - 1);
                let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];
                let op = self.rng.pick(&ops).unwrap_or(BinaryOp::Add);
                s.b.binary(op, a, b)
            }
            2 => {
                let from = self.int_type();
                let e = self.leaf(s, from);
                s.b.cast(&self.program.types, e, ty)
            }
            3 if depth > 0 => {
                let a = self.float(s, ty, depth - 1);
                s.b.expr(ExprKind::Unary(UnaryOp::Neg, a), ty)
            }
            _ => {
                let value = (f64::from(self.rng.below(1000)) - 500.0) / 8.0;
                let bits = match ty {
                    TypeId::F32 => u128::from((value as f32).to_bits()),
                    _ => u128::from(value.to_bits()),
                };
                s.b.expr(ExprKind::Float(bits), ty)
            }
        }
    }

    /// A pointer: to a variable, a global or an element; a loaded one; sometimes null.
    pub fn pointer(&mut self, s: &mut Scope, ty: TypeId) -> ExprId {
        let to = self.program.types.pointee(ty).unwrap_or(TypeId::VOID);
        match self.rng.below(24) {
            0 => return s.b.null(ty),
            1..=17 => {
                if let Some(place) = self.place_of(s, to) {
                    return s.b.addr_of(&mut self.program.types, place);
                }
            }
            _ => {
                let loaded: Vec<VarId> = vars_of(s, |t| t == ty);
                if let Some(v) = self.rng.pick(&loaded) {
                    return s.b.load_var(v);
                }
            }
        }
        // Some global has every type that pointers point to.
        let globals = self.globals.clone();
        match globals.iter().find(|g| self.program.globals[**g].ty == to) {
            Some(&g) => {
                let place = s.b.global_place(g, to);
                s.b.addr_of(&mut self.program.types, place)
            }
            None => s.b.null(ty),
        }
    }

    /// A place of exactly this type.
    fn place_of(&mut self, s: &mut Scope, ty: TypeId) -> Option<PlaceId> {
        let vars = vars_of(s, |t| t == ty);
        if let Some(v) = self.rng.pick(&vars)
            && self.rng.one_in(2)
        {
            return Some(s.b.var_place(v));
        }
        for _ in 0..8 {
            let place = self.place(s);
            if s.b.place_ref(place).ty == ty && !self.is_bit_field(s, place) {
                return Some(place);
            }
        }
        let v = self.rng.pick(&vars)?;
        Some(s.b.var_place(v))
    }

    fn is_bit_field(&self, s: &Scope, place: PlaceId) -> bool {
        // Only bit-fields have this type and no cast.
        matches!(
            s.b.place_ref(place).projections.last(),
            Some(ir::Projection::Field(2 | 3))
        )
    }

    /// A place of a scalar type.
    pub fn scalar_place(&mut self, s: &mut Scope) -> PlaceId {
        loop {
            let place = self.place(s);
            let ty = s.b.place_ref(place).ty;
            if INTS.contains(&ty) || self.program.types.is_pointer(ty) {
                return place;
            }
        }
    }

    /// Any place: a variable, a global, or a part of one or of what a pointer points to.
    pub fn place(&mut self, s: &mut Scope) -> PlaceId {
        let mut place = match self.rng.below(5) {
            0 | 1 => self.global_place(s),
            2 => self.dereferenced(s),
            _ => None,
        };
        if place.is_none() {
            place = self.rng.pick(&s.vars).map(|v| s.b.var_place(v));
        }
        let mut place = match place.or_else(|| self.global_place(s)) {
            Some(place) => place,
            None => s.b.global_place(ir::GlobalId(0), TypeId::I32),
        };
        loop {
            let ty = s.b.place_ref(place).ty;
            place = match self.program.types.get(ty) {
                Type::Array { .. } => {
                    let index = self.index(s);
                    s.b.index(&self.program.types, place, index)
                }
                Type::Struct(_) if !self.rng.one_in(6) => {
                    let n = self
                        .program
                        .types
                        .as_struct(ty)
                        .map_or(0, |d| d.fields.len());
                    let field = self.rng.below(n as u32);
                    s.b.field(&self.program.types, place, field)
                }
                _ => return place,
            };
        }
    }

    fn global_place(&mut self, s: &mut Scope) -> Option<PlaceId> {
        let g = self.rng.pick(&self.globals.clone())?;
        let ty = self.program.globals[g].ty;
        Some(s.b.global_place(g, ty))
    }

    /// `*p`, behind its checks.
    fn dereferenced(&mut self, s: &mut Scope) -> Option<PlaceId> {
        let types = &self.program.types;
        let pointers = vars_of(s, |t| types.is_pointer(t));
        let v = self.rng.pick(&pointers)?;
        let p = s.b.load_var(v);
        let null = s.b.null(s.b.type_of(p));
        let fine = s.b.compare(CompareOp::Ne, p, null);
        s.checks.push(("null-dereference", Condition::Holds(fine)));
        s.checks.push(("use-after-free", Condition::Alive(p)));
        // Both mostly fail, and what fails ends the run: seldom, or nothing else is tried.
        if self.rng.one_in(128) {
            let family = self.rng.pick(&Family::ALL).unwrap_or(Family::Malloc);
            let condition = Condition::Freeable { pointer: p, family };
            s.checks.push(("invalid-free", condition));
        }
        if self.rng.one_in(64)
            && let Some(other) = self.rng.pick(&pointers)
        {
            let other = s.b.load_var(other);
            s.checks
                .push(("dangling-return", Condition::Apart(p, other)));
        }
        if self.rng.one_in(3) {
            let size = self.program.types.stride(s.b.type_of(p));
            let size = s.b.int(&self.program.types, i128::from(size), TypeId::U64);
            let condition = Condition::InBounds { pointer: p, size };
            s.checks.push(("out-of-bounds", condition));
        }
        Some(s.b.deref(&self.program.types, p))
    }

    /// An index that is within bounds, or is checked to be.
    fn index(&mut self, s: &mut Scope) -> ExprId {
        if self.rng.one_in(3) {
            let i = i128::from(self.rng.below(ARRAY as u32));
            return s.b.int(&self.program.types, i, TypeId::I64);
        }
        let loose = self.rng.pick(&s.counters);
        let Some(v) = loose.or_else(|| {
            let ints = vars_of(s, |t| INTS.contains(&t));
            self.rng.pick(&ints)
        }) else {
            return s.b.int(&self.program.types, 0, TypeId::I64);
        };
        let e = s.b.load_var(v);
        let e = s.b.cast(&self.program.types, e, TypeId::I64);
        if self.rng.one_in(24) {
            let unsigned = s.b.cast(&self.program.types, e, TypeId::U64);
            let bound = s.b.int(&self.program.types, ARRAY as i128, TypeId::U64);
            let fine = s.b.compare(CompareOp::Lt, unsigned, bound);
            s.checks.push(("out-of-bounds", Condition::Holds(fine)));
            return e;
        }
        let mask = s.b.int(&self.program.types, ARRAY as i128 - 1, TypeId::I64);
        s.b.binary(BinaryOp::And, e, mask)
    }
}

/// The variables of a fitting type.
pub fn vars_of(s: &Scope, fits: impl Fn(TypeId) -> bool) -> Vec<VarId> {
    let vars = s.vars.iter().copied();
    vars.filter(|&v| fits(s.b.var_type(v))).collect()
}

/// Is the place a whole variable?
pub fn is_var(s: &Scope, place: PlaceId) -> bool {
    let p = s.b.place_ref(place);
    matches!(p.base, Base::Var(_)) && p.projections.is_empty()
}
