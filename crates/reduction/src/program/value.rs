//! The values of expressions as interval expressions.

use super::Translation;
use crate::expression::{ExpressionId, Node};
use crate::interval::Interval;
use ir::{Base, BinaryOp, ExprId, ExprKind, TypeId, UnaryOp, int_value};

/// An expression that is larger, as a tree, is only known by its type: the bodies' expressions
/// share their parts, and what is done with interval expressions walks trees.
const LARGEST: u32 = 64;

impl Translation<'_> {
    /// All values that the expression can have. Within the range of its type, if that is one that
    /// is followed; anything otherwise.
    pub(super) fn value(&mut self, e: ExprId) -> ExpressionId {
        self.sized_value(e).0
    }

    /// The same, for a place whose type has this range.
    pub(super) fn value_within(&mut self, e: ExprId, range: Interval) -> ExpressionId {
        match self.range(self.body.expr(e).ty) {
            Some(own) if own.is_within(range) => self.value(e),
            _ => self.automaton.expressions.constant(range),
        }
    }

    fn sized_value(&mut self, e: ExprId) -> (ExpressionId, u32) {
        if let Some(&known) = self.values.get(&e) {
            return known;
        }
        let sized = match self.range(self.body.expr(e).ty) {
            Some(range) => match self.followed_value(e, range) {
                Some((value, size)) if size <= LARGEST => (value, size),
                _ => (self.automaton.expressions.constant(range), 1),
            },
            None => (self.automaton.expressions.constant(Interval::FULL), 1),
        };
        self.values.insert(e, sized);
        sized
    }

    /// The value of an expression whose type has a range, if it has an operator here.
    fn followed_value(&mut self, e: ExprId, range: Interval) -> Option<(ExpressionId, u32)> {
        let expr = self.body.expr(e);
        let constant = |this: &mut Self, value: Interval| {
            let id = this.automaton.expressions.constant(value.meet(range));
            Some((id, 1))
        };
        match expr.kind {
            ExprKind::Int(bits) => {
                let (width, signed) = self.types.as_int(expr.ty)?;
                constant(self, Interval::constant(int_value(bits, width, signed)))
            }
            ExprKind::Null => constant(self, Interval::constant(0)),
            ExprKind::AddrOf(place) => match *self.body.place(place) {
                // A variable is somewhere; a weak global may be nowhere.
                ref place if matches!(place.base, Base::Var(_)) && place.projections.is_empty() => {
                    constant(self, Interval::at_least(1))
                }
                _ => None,
            },
            ExprKind::Load(place) => {
                let variable = self.tracked(self.body.place(place).as_var()?)?;
                Some((self.automaton.expressions.variable(variable), 1))
            }
            ExprKind::Compare(..) | ExprKind::Overflow(..) => constant(self, Interval::new(0, 1)),
            ExprKind::Unary(UnaryOp::Not, a) => {
                let (a, size) = self.operand(a, expr.ty)?;
                Some((self.complement(a, 1), size + 4))
            }
            ExprKind::Unary(UnaryOp::Complement, a) => {
                let (_, signed) = self.types.as_int(expr.ty)?;
                let (a, size) = self.operand(a, expr.ty)?;
                let ones = if signed { -1 } else { range.high()? };
                Some((self.complement(a, ones), size + 4))
            }
            ExprKind::Binary(op, a, b) => self.binary(op, (a, b), expr.ty, range),
            ExprKind::Cast(a) => self.cast(a, expr.ty, range),
            ExprKind::Select(_, a, b) => {
                let ((a, m), (b, n)) = (self.operand(a, expr.ty)?, self.operand(b, expr.ty)?);
                Some((self.automaton.expressions.join(a, b), m + n + 1))
            }
            _ => None,
        }
    }

    /// The value of an operand that must have the same range as the result.
    fn operand(&mut self, e: ExprId, ty: TypeId) -> Option<(ExpressionId, u32)> {
        (self.range(self.body.expr(e).ty)? == self.range(ty)?).then(|| self.sized_value(e))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        (a, b): (ExprId, ExprId),
        ty: TypeId,
        range: Interval,
    ) -> Option<(ExpressionId, u32)> {
        let (_, signed) = self.types.as_int(ty)?;
        let wraps = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => !signed,
            BinaryOp::WrapAdd | BinaryOp::WrapSub | BinaryOp::WrapMul => true,
            _ => return self.cut_by_constant(op, (a, b), ty, range),
        };
        let ((x, m), (y, n)) = (self.operand(a, ty)?, self.operand(b, ty)?);
        let raw = match op {
            BinaryOp::Add | BinaryOp::WrapAdd => self.sum(x, y),
            BinaryOp::Sub | BinaryOp::WrapSub => {
                let negated = self.negated(y);
                self.sum(x, negated)
            }
            _ => self.product(x, y),
        };
        let value = if wraps {
            self.guarded(raw, range)
        } else {
            self.cut(raw, range)
        };
        Some((value, m + n + 5))
    }

    /// `x & c`, `x % c`, `x >> c`: no larger than the constant makes it.
    fn cut_by_constant(
        &mut self,
        op: BinaryOp,
        (a, b): (ExprId, ExprId),
        ty: TypeId,
        range: Interval,
    ) -> Option<(ExpressionId, u32)> {
        let constant = |this: &mut Self, e: ExprId| {
            let value = this.value(e);
            this.constant(value)?.as_constant()
        };
        let (_, signed) = self.types.as_int(ty)?;
        let value = match op {
            BinaryOp::And => {
                let mask = match constant(self, b) {
                    Some(mask) => mask,
                    None => constant(self, a)?,
                };
                (mask >= 0).then(|| Interval::new(0, mask))?
            }
            BinaryOp::Rem => {
                let most = constant(self, b).filter(|&c| c > 0)? - 1;
                Interval::new(if signed { -most } else { 0 }, most)
            }
            BinaryOp::Shr if !signed => {
                let by = constant(self, b).filter(|by| (0..64).contains(by))?;
                Interval::new(0, range.high()? >> by)
            }
            _ => return None,
        };
        Some((self.automaton.expressions.constant(value.meet(range)), 1))
    }

    fn cast(&mut self, a: ExprId, to: TypeId, range: Interval) -> Option<(ExpressionId, u32)> {
        let from = self.body.expr(a).ty;
        if self.types.is_pointer(to) || self.types.is_pointer(from) {
            return self.operand(a, to).filter(|_| self.types.is_pointer(to));
        }
        let from = self.range(from)?;
        let (value, size) = self.sized_value(a);
        if from.is_within(range) {
            return Some((value, size));
        }
        Some((self.guarded(value, range), size + 1))
    }

    /// The interval of a constant expression.
    pub(super) fn constant(&self, e: ExpressionId) -> Option<Interval> {
        match self.automaton.expressions.node(e) {
            Node::Constant(a) => Some(a),
            _ => None,
        }
    }

    /// `a + b`, constants added up.
    pub(super) fn sum(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let e = match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => Node::Constant(x.sum(y)),
            _ => Node::Sum(a, b),
        };
        self.automaton.expressions.intern(e)
    }

    fn product(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let e = match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => Node::Constant(x.product(y)),
            _ => Node::Product(a, b),
        };
        self.automaton.expressions.intern(e)
    }

    fn negated(&mut self, a: ExpressionId) -> ExpressionId {
        let minus_one = self.automaton.expressions.constant(Interval::constant(-1));
        self.product(minus_one, a)
    }

    /// `ones - a`
    fn complement(&mut self, a: ExpressionId, ones: i128) -> ExpressionId {
        let negated = self.negated(a);
        let ones = self
            .automaton
            .expressions
            .constant(Interval::constant(ones));
        self.sum(ones, negated)
    }

    fn cut(&mut self, a: ExpressionId, range: Interval) -> ExpressionId {
        if let Some(value) = self.constant(a) {
            return self.automaton.expressions.constant(value.meet(range));
        }
        let range = self.automaton.expressions.constant(range);
        self.automaton.expressions.meet(a, range)
    }

    fn guarded(&mut self, a: ExpressionId, range: Interval) -> ExpressionId {
        match self.constant(a) {
            Some(value) => self.automaton.expressions.constant(value.guarded(range)),
            None => self.automaton.expressions.guarded(a, range),
        }
    }
}
