//! What a state becomes when a condition is known to hold.

use crate::Automata;
use crate::eval::operator;
use crate::frame::Shape;
use crate::state::State;
use crate::value::Value;
use domain::arithmetic::{apply, keeps};
use domain::{Bound, MOST, Nullness, Number, Operator, Pointer, Targets};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, TypeId, UnaryOp};

impl Automata<'_> {
    /// Keeps the runs in which the condition has this truth; false if there are none.
    pub fn assume(&mut self, st: &mut State, e: ExprId, truth: bool) -> bool {
        let known = self.truth(st, e);
        if !(if truth {
            known.may_be_true
        } else {
            known.may_be_false
        }) {
            return false;
        }
        let possible = self.narrow(st, e, truth);
        if possible {
            self.conditions.learn(st, e, truth);
        }
        possible
    }

    fn narrow(&mut self, st: &mut State, e: ExprId, truth: bool) -> bool {
        match self.frame.body.exprs[e].kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.assume(st, a, !truth),
            ExprKind::Compare(op, a, b) => {
                let op = if truth {
                    op
                } else {
                    match op.negated() {
                        Some(op) if self.is_discrete(a) => op,
                        _ => return true,
                    }
                };
                self.narrow_compare(st, op, a, b)
            }
            ExprKind::Binary(BinaryOp::And, a, b) if truth && self.type_of(e) == TypeId::BOOL => {
                self.assume(st, a, true) && self.assume(st, b, true)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !truth && self.type_of(e) == TypeId::BOOL => {
                self.assume(st, a, false) && self.assume(st, b, false)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if self.type_of(e) == TypeId::BOOL =>
            {
                // One of the two decides, if the other cannot.
                let decided = op == BinaryOp::Or;
                let fixed = |t: crate::value::Truth| {
                    if decided {
                        !t.may_be_true
                    } else {
                        !t.may_be_false
                    }
                };
                if fixed(self.truth(st, a)) {
                    self.assume(st, b, truth)
                } else if fixed(self.truth(st, b)) {
                    self.assume(st, a, truth)
                } else {
                    true
                }
            }
            ExprKind::Select(c, a, b) if self.type_of(e) == TypeId::BOOL => {
                let c_truth = self.truth(st, c);
                let want = |t: crate::value::Truth| {
                    if truth { t.may_be_true } else { t.may_be_false }
                };
                let first = c_truth.may_be_true && want(self.truth(st, a));
                let second = c_truth.may_be_false && want(self.truth(st, b));
                match (first, second) {
                    (true, false) => self.assume(st, c, true) && self.assume(st, a, truth),
                    (false, true) => self.assume(st, c, false) && self.assume(st, b, truth),
                    (true, true) => true,
                    (false, false) => false,
                }
            }
            _ => {
                // A scalar tested for not being zero.
                match self.eval(st, e) {
                    Value::Number(n) => {
                        let zero = Bound {
                            value: 0,
                            acknowledged: !self.quiet,
                        };
                        let n = if truth {
                            n.exclude_zero()
                        } else {
                            n.restrict(zero, zero)
                        };
                        match n {
                            Some(n) => self.write_back(st, e, n),
                            None => false,
                        }
                    }
                    Value::Pointer(_) => self.narrow_null(st, e, !truth),
                    Value::Unknown => true,
                }
            }
        }
    }

    /// Integers and pointers, on which the negation of `<` is `>=`.
    fn is_discrete(&self, e: ExprId) -> bool {
        matches!(
            self.frame.shape(self.type_of(e)),
            Shape::Int(_) | Shape::Pointer
        )
    }

    fn narrow_compare(&mut self, st: &mut State, op: CompareOp, a: ExprId, b: ExprId) -> bool {
        match (self.eval(st, a), self.eval(st, b)) {
            (Value::Number(x), Value::Number(y)) => {
                let Some(x2) = narrowed(op, &x, &y, self.quiet) else {
                    return false;
                };
                let Some(y2) = narrowed(op.swapped(), &y, &x, self.quiet) else {
                    return false;
                };
                (x2 == x || self.write_back(st, a, x2)) && (y2 == y || self.write_back(st, b, y2))
            }
            (Value::Pointer(x), Value::Pointer(y)) if self.is_one_object(&x, &y) => {
                self.narrow_offsets(st, op, (a, x), (b, y))
            }
            (Value::Pointer(x), Value::Pointer(y)) => match op {
                CompareOp::Eq | CompareOp::Ne => {
                    let equal = op == CompareOp::Eq;
                    if !y.null.may_be_valid {
                        self.narrow_null(st, a, equal)
                    } else if !x.null.may_be_valid {
                        self.narrow_null(st, b, equal)
                    } else if equal {
                        self.narrow_same(st, a, &y) && self.narrow_same(st, b, &x)
                    } else {
                        true
                    }
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// The pointer is equal to another one: not null if that is not.
    fn narrow_same(&mut self, st: &mut State, e: ExprId, other: &Pointer) -> bool {
        if other.null.may_be_null {
            return true;
        }
        self.narrow_null(st, e, false)
    }

    /// The pointer is null, or is not: a test, so a null is acknowledged.
    fn narrow_null(&mut self, st: &mut State, e: ExprId, null: bool) -> bool {
        let p = self.pointer(st, e);
        if !(if null {
            p.null.may_be_null
        } else {
            p.null.may_be_valid
        }) {
            return false;
        }
        let narrowed = if null {
            Pointer {
                null: Nullness {
                    introduced: p.null.introduced,
                    ..Nullness::NULL
                },
                targets: Targets::Known(domain::Objects::NONE),
                offset: Number::constant(0),
            }
        } else {
            Pointer {
                null: Nullness::VALID,
                ..p
            }
        };
        self.write_back_pointer(st, e, narrowed);
        true
    }

    pub(crate) fn write_back_pointer(&mut self, st: &mut State, e: ExprId, p: Pointer) {
        if !self.options.pointers {
            return;
        }
        match self.frame.body.exprs[e].kind {
            ExprKind::Load(place) => {
                if let Some(cell) = self.cell_at(st, place) {
                    for copy in st.copies_of(cell) {
                        st.pointers.set(copy, p);
                    }
                    st.pointers.set(cell, p);
                }
            }
            ExprKind::Cast(inner) if self.frame.shape(self.type_of(inner)) == Shape::Pointer => {
                self.write_back_pointer(st, inner, p);
            }
            _ => {}
        }
    }

    /// The expression is known to have one of these values; false if it cannot.
    fn write_back(&mut self, st: &mut State, e: ExprId, n: Number) -> bool {
        if !self.options.bounds {
            return true;
        }
        match self.frame.body.exprs[e].kind {
            ExprKind::Load(place) => {
                if let Some(cell) = self.cell_at(st, place) {
                    for copy in st.copies_of(cell) {
                        st.bounds.set(copy, n);
                    }
                    st.bounds.set(cell, n);
                }
                true
            }
            ExprKind::Cast(inner) => {
                let (Shape::Int(from), Shape::Int(to)) = (
                    self.frame.shape(self.type_of(inner)),
                    self.frame.shape(self.type_of(e)),
                ) else {
                    // A bool made of something else says no more than the bool.
                    return true;
                };
                let old = self.number(st, inner);
                // What a negative number becomes is larger than any that it was not.
                let kept = from.signed
                    && !to.signed
                    && to.width >= from.width
                    && 0 <= n.low
                    && n.high <= from.bounds().1
                    && n.high != MOST;
                if kept || keeps(&old, from, to) {
                    // Nothing was cut off: the values are the same.
                    let bound = |value, acknowledged| Bound {
                        value,
                        acknowledged,
                    };
                    let narrowed = old.restrict(
                        bound(n.low, n.acknowledges(n.low)),
                        bound(n.high, n.acknowledges(n.high)),
                    );
                    return match narrowed {
                        Some(mut narrowed) => {
                            if n.nonzero && !narrowed.nonzero {
                                match narrowed.exclude_zero() {
                                    Some(x) => narrowed = x,
                                    None => return false,
                                }
                            }
                            self.write_back(st, inner, narrowed)
                        }
                        None => false,
                    };
                }
                true
            }
            ExprKind::Binary(
                op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::WrapAdd | BinaryOp::WrapSub),
                a,
                b,
            ) => {
                let Shape::Int(int) = self.frame.shape(self.type_of(e)) else {
                    return true;
                };
                let (x, y) = (self.number(st, a), self.number(st, b));
                let Some(by) = y.as_constant() else {
                    return true;
                };
                // What wrapped on the way there wraps on the way back: a range that does so as a
                // whole, or not at all, is known, and of any other nothing.
                let (back, wraps) = match operator(op, int) {
                    (Operator::Add, wraps) => (Operator::Sub, wraps),
                    (_, wraps) => (Operator::Add, wraps),
                };
                let before = apply(back, &n, &Number::constant(by), int, wraps);
                let bound = |value, acknowledged| Bound {
                    value,
                    acknowledged,
                };
                match x.restrict(
                    bound(before.low, before.acknowledges(before.low)),
                    bound(before.high, before.acknowledges(before.high)),
                ) {
                    Some(x2) if x2 != x => self.write_back(st, a, x2),
                    Some(_) => true,
                    None => false,
                }
            }
            ExprKind::Compare(..) | ExprKind::Unary(UnaryOp::Not, _) => match n.as_constant() {
                Some(value) => self.assume(st, e, value != 0),
                None => true,
            },
            _ => true,
        }
    }
}

/// The values of `x` for which `x op y` can hold. `quiet`: this is no test of the code.
pub(crate) fn narrowed(op: CompareOp, x: &Number, y: &Number, quiet: bool) -> Option<Number> {
    let low = Bound {
        value: y.low,
        acknowledged: !quiet && y.acknowledges(y.low),
    };
    let high = Bound {
        value: y.high,
        acknowledged: !quiet && y.acknowledges(y.high),
    };
    let less = |b: Bound| Bound {
        value: if b.value == MOST {
            MOST
        } else {
            b.value.saturating_sub(1)
        },
        ..b
    };
    let more = |b: Bound| Bound {
        value: if b.value == domain::LEAST {
            b.value
        } else {
            b.value.saturating_add(1)
        },
        ..b
    };
    match op {
        CompareOp::Eq => {
            let mut n = x.restrict(low, high)?;
            if y.nonzero {
                n = n.exclude_zero()?;
            }
            Some(n)
        }
        CompareOp::Ne => match y.as_constant() {
            Some(c) => x.exclude(c),
            None => Some(*x),
        },
        CompareOp::Lt => x.restrict(Bound::BELOW, less(high)),
        CompareOp::Le => x.restrict(Bound::BELOW, high),
        CompareOp::Gt => x.restrict(more(low), Bound::ABOVE),
        CompareOp::Ge => x.restrict(low, Bound::ABOVE),
        CompareOp::Unordered => Some(*x),
    }
}
