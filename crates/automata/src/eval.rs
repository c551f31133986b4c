//! The value of an expression in a state, and the truth of a condition.

use crate::Automata;
use crate::frame::{ObjectKind, Shape};
use crate::state::State;
use crate::value::{Truth, Value};
use domain::arithmetic::{apply, convert, overflows};
use domain::{Bound, IntType, LEAST, MOST, Nullness, Number, Operator, Pointer, Targets};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, Intrinsic, TypeId, UnaryOp, int_value};

impl Automata<'_> {
    pub fn eval(&mut self, st: &mut State, e: ExprId) -> Value {
        let expr = &self.frame.body.exprs[e];
        let ty = expr.ty;
        match expr.kind {
            ExprKind::Int(bits) => match self.frame.shape(ty) {
                Shape::Int(int) => {
                    let value = int_value(bits, int.width, int.signed);
                    Value::Number(Number::constant(
                        value.clamp(i128::from(LEAST), i128::from(MOST)) as i64,
                    ))
                }
                shape => Value::unknown(shape),
            },
            ExprKind::Null => Value::Pointer(Pointer::null()),
            ExprKind::Load(place) => self.load(st, place),
            ExprKind::AddrOf(place) => Value::Pointer(self.address(st, place)),
            ExprKind::Function(f) => {
                Value::Pointer(Pointer::to(self.frame.object(ObjectKind::Function(f))))
            }
            ExprKind::Label(..) => Value::Pointer(Pointer {
                null: Nullness::VALID,
                ..Pointer::any()
            }),
            ExprKind::Unary(UnaryOp::Not, a) => Value::Number(self.truth(st, a).negated().number()),
            ExprKind::Unary(UnaryOp::Complement, a) => match self.frame.shape(ty) {
                Shape::Int(int) => {
                    let a = self.number(st, a);
                    let all = if int.signed { -1 } else { int.bounds().1 };
                    let all = Number::constant(all);
                    if int.width >= 64 && !int.signed {
                        Value::Number(int.any())
                    } else {
                        Value::Number(apply(Operator::Sub, &all, &a, int, false))
                    }
                }
                shape => Value::unknown(shape),
            },
            ExprKind::Binary(op, a, b) => self.binary(st, op, a, b, ty),
            ExprKind::Compare(..) | ExprKind::Overflow(..) => {
                Value::Number(self.truth(st, e).number())
            }
            ExprKind::Cast(a) => self.cast(st, a, ty),
            ExprKind::Select(c, a, b) => {
                let c = self.truth(st, c);
                match (c.may_be_true, c.may_be_false) {
                    (true, false) => self.eval(st, a),
                    (false, _) => self.eval(st, b),
                    (true, true) => {
                        let (a, b) = (self.eval(st, a), self.eval(st, b));
                        self.either(st, &a, &b)
                    }
                }
            }
            ExprKind::PtrAdd(base, index) => {
                let mut p = self.pointer(st, base);
                let index = self.number(st, index);
                let pointee = self.frame.program.types.pointee(self.type_of(base));
                p.offset = self.scaled(&p.offset, &index, pointee.unwrap_or(TypeId::VOID));
                // Null plus something is nothing that is tested for, and not null.
                if p.null.may_be_null && index.as_constant() != Some(0) {
                    p.null.acknowledged = false;
                    if !p.null.may_be_valid {
                        p = Pointer::any();
                    }
                }
                Value::Pointer(p)
            }
            ExprKind::Intrinsic(which, ref args) => self.intrinsic(st, which, args, ty),
            ExprKind::Float(_)
            | ExprKind::Undef
            | ExprKind::TypeInfo(_)
            | ExprKind::Unary(UnaryOp::Neg, _) => Value::unknown(self.frame.shape(ty)),
        }
    }

    pub fn type_of(&self, e: ExprId) -> TypeId {
        self.frame.body.exprs[e].ty
    }

    /// The value as a number; any of the type if it is none.
    pub fn number(&mut self, st: &mut State, e: ExprId) -> Number {
        match self.eval(st, e) {
            Value::Number(n) => n,
            _ => match self.frame.shape(self.type_of(e)) {
                Shape::Int(int) => int.any(),
                _ => Number::TOP,
            },
        }
    }

    pub fn pointer(&mut self, st: &mut State, e: ExprId) -> Pointer {
        match self.eval(st, e) {
            Value::Pointer(p) => p,
            _ => Pointer::any(),
        }
    }

    /// The address of a place.
    fn address(&mut self, st: &mut State, place: ir::PlaceId) -> Pointer {
        let mut p = self.locate_address(st, place).pointer;
        // What lies behind a null pointer has an address that is tested by nobody.
        if p.null.may_be_null && !p.offset.contains(0) {
            p.null = Nullness::VALID;
        }
        p
    }

    fn binary(&mut self, st: &mut State, op: BinaryOp, a: ExprId, b: ExprId, ty: TypeId) -> Value {
        let int = match self.frame.shape(ty) {
            Shape::Int(int) => int,
            shape => return Value::unknown(shape),
        };
        if int.width == 1 && matches!(op, BinaryOp::And | BinaryOp::Or) {
            let (a, b) = (self.truth(st, a), self.truth(st, b));
            let both = if op == BinaryOp::And {
                a.and(b)
            } else {
                a.or(b)
            };
            return Value::Number(both.number());
        }
        let (a, b) = (self.number(st, a), self.number(st, b));
        let (operator, wraps) = operator(op, int);
        Value::Number(apply(operator, &a, &b, int, wraps))
    }

    fn cast(&mut self, st: &mut State, a: ExprId, ty: TypeId) -> Value {
        let value = self.eval(st, a);
        match (value, self.frame.shape(ty)) {
            (Value::Number(n), Shape::Int(int)) if int.width == 1 => {
                // To bool keeps the lowest bit: only 0 and 1 are common.
                match (n.low >= 0 && n.high <= 1, n.as_constant()) {
                    (true, _) => Value::Number(n),
                    (_, Some(c)) => Value::Number(Number::constant(c & 1)),
                    _ => Value::Number(int.any()),
                }
            }
            (Value::Number(n), Shape::Int(int)) => match self.frame.shape(self.type_of(a)) {
                Shape::Int(from) => Value::Number(convert(&n, from, int)),
                _ => Value::Number(int.any()),
            },
            (Value::Pointer(p), Shape::Pointer) => Value::Pointer(p),
            (Value::Pointer(p), Shape::Int(int)) => {
                if let Targets::Known(objects) = p.targets {
                    // From here on the address can come back from anywhere.
                    objects.iter().for_each(|o| self.escape(st, *o));
                }
                let mut n = int.any();
                if !p.null.may_be_valid {
                    n = Number::constant(0);
                } else if int.width == 64 && !p.null.may_be_null {
                    n.nonzero = true;
                    n.low = n.low.max(if int.signed { n.low } else { 1 });
                }
                Value::Number(n)
            }
            (Value::Number(n), Shape::Pointer) if n.as_constant() == Some(0) => {
                Value::Pointer(Pointer::null())
            }
            (_, shape) => Value::unknown(shape),
        }
    }

    fn intrinsic(
        &mut self,
        st: &mut State,
        which: Intrinsic,
        args: &[ExprId],
        ty: TypeId,
    ) -> Value {
        if let (Intrinsic::Volatile, [read]) = (which, args) {
            // Anything; what the program put there is one of it.
            let stored = self.eval(st, *read);
            let anything = Value::unknown(self.frame.shape(ty));
            return self.either(st, &stored, &anything);
        }
        let Shape::Int(int) = self.frame.shape(ty) else {
            return Value::unknown(self.frame.shape(ty));
        };
        let mut arg = |i: usize| match args.get(i) {
            Some(e) => self.number(st, *e),
            None => int.any(),
        };
        let n = match which {
            Intrinsic::Abs => {
                let a = arg(0);
                let (least, most) = int.bounds();
                if int.signed && a.low <= least {
                    // The least number stays itself.
                    int.any()
                } else if a.low >= 0 {
                    a
                } else {
                    let low = if a.high < 0 {
                        -a.high
                    } else {
                        i64::from(a.nonzero)
                    };
                    Number::range(low, a.high.max(a.low.saturating_neg()).min(most))
                }
            }
            Intrinsic::Min => {
                let (a, b) = (arg(0), arg(1));
                let least = if a.high < b.high { a } else { b };
                let high = Bound {
                    value: least.high,
                    acknowledged: least.acknowledges(least.high),
                };
                a.join(&b).restrict(Bound::BELOW, high).unwrap_or(int.any())
            }
            Intrinsic::Max => {
                let (a, b) = (arg(0), arg(1));
                let most = if a.low > b.low { a } else { b };
                let low = Bound {
                    value: most.low,
                    acknowledged: most.acknowledges(most.low),
                };
                a.join(&b).restrict(low, Bound::ABOVE).unwrap_or(int.any())
            }
            Intrinsic::PopCount | Intrinsic::LeadingZeros | Intrinsic::TrailingZeros => {
                Number::range(0, i64::from(int.width))
            }
            _ => int.any(),
        };
        Value::Number(n)
    }

    /// The truth of a condition: a bool, or any number or pointer tested for not being zero.
    pub fn truth(&mut self, st: &mut State, e: ExprId) -> Truth {
        if let Some((fact, positive)) = self.conditions.fact(e)
            && let Some(known) = st.facts.get(fact)
        {
            return Truth::certain(*known == positive);
        }
        match self.frame.body.exprs[e].kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.truth(st, a).negated(),
            ExprKind::Compare(op, a, b) => self.compare(st, op, a, b),
            ExprKind::Overflow(op, a, b) => {
                let Shape::Int(int) = self.frame.shape(self.type_of(a)) else {
                    return Truth::UNKNOWN;
                };
                let (x, y) = (self.number(st, a), self.number(st, b));
                let o = overflows(operator(op, int).0, &x, &y, int);
                Truth::new(o.possible, !o.certain, o.acknowledged, !o.possible)
            }
            ExprKind::Binary(BinaryOp::And, a, b) if self.type_of(e) == TypeId::BOOL => {
                self.truth(st, a).and(self.truth(st, b))
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if self.type_of(e) == TypeId::BOOL => {
                self.truth(st, a).or(self.truth(st, b))
            }
            ExprKind::Select(c, a, b) if self.type_of(e) == TypeId::BOOL => {
                let (c, a, b) = (self.truth(st, c), self.truth(st, a), self.truth(st, b));
                c.choose(a, b)
            }
            _ => match self.eval(st, e) {
                Value::Number(n) => Truth::of(&n),
                Value::Pointer(p) => Truth::new(
                    p.null.may_be_valid,
                    p.null.may_be_null,
                    false,
                    p.null.acknowledged,
                ),
                Value::Unknown => Truth::UNKNOWN,
            },
        }
    }

    fn compare(&mut self, st: &mut State, op: CompareOp, a: ExprId, b: ExprId) -> Truth {
        if let CompareOp::Eq | CompareOp::Ne = op
            && self.are_copies(st, a, b)
        {
            return Truth::certain(op == CompareOp::Eq);
        }
        match (self.eval(st, a), self.eval(st, b)) {
            (Value::Number(x), Value::Number(y)) => {
                // Beyond 64 bits there are different numbers that seem the same infinity.
                let far = |n: &Number| n.low == MOST || n.high == LEAST;
                if matches!(self.frame.shape(self.type_of(a)), Shape::Int(IntType { width, .. }) if width > 64)
                    && (far(&x) || far(&y))
                {
                    return Truth::UNKNOWN;
                }
                compare_numbers(op, &x, &y)
            }
            (Value::Pointer(x), Value::Pointer(y)) => self.compare_pointers(op, &x, &y),
            _ => Truth::UNKNOWN,
        }
    }

    /// Are both the value of one variable, one of them by assignments, or the same conversion of it?
    fn are_copies(&self, st: &State, mut a: ExprId, mut b: ExprId) -> bool {
        if st.copies.is_empty() {
            return false;
        }
        let exprs = &self.frame.body.exprs;
        while let (ExprKind::Cast(x), ExprKind::Cast(y)) = (&exprs[a].kind, &exprs[b].kind)
            && self.type_of(*x) == self.type_of(*y)
        {
            (a, b) = (*x, *y);
        }
        let (Some(a), Some(b)) = (self.copied_variable(a), self.copied_variable(b)) else {
            return false;
        };
        st.copies_of(a).contains(&b)
    }

    fn compare_pointers(&self, op: CompareOp, x: &Pointer, y: &Pointer) -> Truth {
        let equal = match (x.null.may_be_valid, y.null.may_be_valid) {
            // One is null: the other's nullness decides.
            (_, false) => Truth::new(
                x.null.may_be_null,
                x.null.may_be_valid,
                x.null.acknowledged,
                false,
            ),
            (false, true) => Truth::new(
                y.null.may_be_null,
                y.null.may_be_valid,
                y.null.acknowledged,
                false,
            ),
            (true, true) => {
                let both_null = x.null.may_be_null && y.null.may_be_null;
                match (x.targets.single(), y.targets.single()) {
                    (Some(a), Some(b)) if a == b && !x.null.may_be_null && !y.null.may_be_null => {
                        return compare_numbers(op, &x.offset, &y.offset);
                    }
                    // If they point anywhere, then to the same: they differ only if one is null.
                    (Some(a), Some(b)) if a == b && same_offset(x, y) => {
                        Truth::new(true, true, true, false)
                    }
                    (Some(a), Some(b)) if a != b && self.distinct(a, b) => {
                        Truth::new(both_null, true, false, !both_null)
                    }
                    _ => Truth::UNKNOWN,
                }
            }
        };
        match op {
            CompareOp::Eq => equal,
            CompareOp::Ne => equal.negated(),
            _ => Truth::UNKNOWN,
        }
    }

    /// Can two objects not be the same memory?
    fn distinct(&self, a: domain::ObjectId, b: domain::ObjectId) -> bool {
        let ours = |o| !matches!(self.frame.info(o).kind, ObjectKind::Pointee(_));
        // One-past-the-end of one may be the start of the other; nobody tests for that.
        ours(a) && ours(b)
    }
}

/// Do two pointers into one object point to the same byte?
fn same_offset(x: &Pointer, y: &Pointer) -> bool {
    let offset = x.offset.as_constant();
    offset.is_some() && offset == y.offset.as_constant()
}

/// The domain's operator, and whether it wraps.
pub fn operator(op: BinaryOp, int: IntType) -> (Operator, bool) {
    let wraps = !int.signed;
    match op {
        BinaryOp::Add => (Operator::Add, wraps),
        BinaryOp::Sub => (Operator::Sub, wraps),
        BinaryOp::Mul => (Operator::Mul, wraps),
        BinaryOp::WrapAdd => (Operator::Add, true),
        BinaryOp::WrapSub => (Operator::Sub, true),
        BinaryOp::WrapMul => (Operator::Mul, true),
        BinaryOp::Div => (Operator::Div, false),
        BinaryOp::Rem => (Operator::Rem, false),
        BinaryOp::Shl => (Operator::Shl, true),
        BinaryOp::Shr => (Operator::Shr, false),
        BinaryOp::And => (Operator::And, true),
        BinaryOp::Or => (Operator::Or, true),
        BinaryOp::Xor => (Operator::Xor, true),
    }
}

/// The ends of the bounds stand for infinities: a bound there decides nothing on its own side.
pub fn compare_numbers(op: CompareOp, x: &Number, y: &Number) -> Truth {
    let seen = x.acknowledged().zip(y.acknowledged());
    match op {
        CompareOp::Lt => Truth::new(
            x.low < y.high || y.high == MOST,
            x.high >= y.low,
            seen.is_some_and(|(a, b)| a.0 < b.1),
            seen.is_some_and(|(a, b)| a.1 >= b.0),
        ),
        CompareOp::Gt => compare_numbers(CompareOp::Lt, y, x),
        CompareOp::Ge => compare_numbers(CompareOp::Lt, x, y).negated(),
        CompareOp::Le => compare_numbers(CompareOp::Lt, y, x).negated(),
        CompareOp::Eq => {
            let overlap = x.low <= y.high && y.low <= x.high;
            let apart =
                x.nonzero && y.as_constant() == Some(0) || y.nonzero && x.as_constant() == Some(0);
            let same = x.as_constant().is_some() && x.as_constant() == y.as_constant();
            Truth::new(
                overlap && !apart,
                !same,
                seen.is_some_and(|(a, b)| {
                    [b.0, b.1].iter().any(|v| x.acknowledges(*v))
                        || [a.0, a.1].iter().any(|v| y.acknowledges(*v))
                }),
                seen.is_some_and(|(a, b)| a != b || a.0 != a.1),
            )
        }
        CompareOp::Ne => compare_numbers(CompareOp::Eq, x, y).negated(),
        CompareOp::Unordered => Truth::UNKNOWN,
    }
}
