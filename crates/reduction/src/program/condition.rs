//! What a condition that holds makes of variables.

use super::{Translation, Updates};
use crate::automaton::Variable;
use crate::expression::ExpressionId;
use crate::interval::Interval;
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, TypeId, UnaryOp};

impl Translation<'_> {
    /// The updates of an edge that is taken only if the condition has this truth.
    pub(super) fn restrict(&mut self, e: ExprId, truth: bool) -> Updates {
        let expr = self.body.expr(e);
        match expr.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.restrict(a, !truth),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b)
                if expr.ty == TypeId::BOOL =>
            {
                let (first, second) = (self.restrict(a, truth), self.restrict(b, truth));
                if (op == BinaryOp::And) == truth {
                    self.both(first, second)
                } else {
                    self.either(first, second)
                }
            }
            ExprKind::Compare(op, a, b) => {
                let op = if truth { Some(op) } else { op.negated() };
                match op {
                    // On floats a negation is no comparison; but floats have no range.
                    Some(op) => self.compare(op, a, b),
                    None => Updates::new(),
                }
            }
            _ if expr.ty == TypeId::BOOL => {
                let op = if truth { CompareOp::Ne } else { CompareOp::Eq };
                self.compare_with(op, e, Interval::constant(0))
            }
            _ => Updates::new(),
        }
    }

    /// Both conditions hold.
    fn both(&mut self, mut first: Updates, second: Updates) -> Updates {
        for (variable, value) in second {
            let known = match first.get(&variable) {
                None => value,
                // Two unrelated values: a sum is empty if one of them is.
                Some(&known) if variable == self.condition => {
                    self.automaton.expressions.sum(known, value)
                }
                Some(&known) => self.automaton.expressions.meet(known, value),
            };
            first.insert(variable, known);
        }
        first
    }

    /// One of the conditions holds: what is known of a variable in either case.
    fn either(&mut self, first: Updates, second: Updates) -> Updates {
        first
            .into_iter()
            .filter_map(|(variable, a)| {
                let &b = second.get(&variable)?;
                Some((variable, self.automaton.expressions.join(a, b)))
            })
            .collect()
    }

    fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> Updates {
        let ty = self.body.expr(a).ty;
        let both_followed = self.range(ty).is_some() && self.range(self.body.expr(b).ty).is_some();
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        // The order of addresses says nothing about null.
        if !both_followed || self.types.is_pointer(ty) && !equality {
            return Updates::new();
        }
        let (x, y) = (self.value(a), self.value(b));
        if let Some(value) = self.constant(y).filter(|v| v.as_constant().is_some()) {
            return self.compare_with(op, a, value);
        }
        if let Some(value) = self.constant(x).filter(|v| v.as_constant().is_some()) {
            return self.compare_with(op.swapped(), b, value);
        }
        let (Some(reach), Some(back)) = (reach(op), reach(op.swapped())) else {
            return Updates::new();
        };
        let (left, right) = (self.shifted_variable(a), self.shifted_variable(b));
        let mut updates = Updates::new();
        if let Some(left) = left {
            updates = self.bounded(left, y, reach);
        }
        if let Some(right) = right {
            let more = self.bounded(right, x, back);
            updates = self.both(updates, more);
        }
        if left.is_none() && right.is_none() {
            let reached = self.shifted(y, reach);
            updates = self.only_possible(x, reached);
        }
        updates
    }

    /// `e op value`, the value being one number.
    fn compare_with(&mut self, op: CompareOp, e: ExprId, value: Interval) -> Updates {
        let Some(number) = value.as_constant() else {
            return Updates::new();
        };
        // A truth value that is compared with 0 or 1.
        if let Some(condition) = self.truth_value(e)
            && let CompareOp::Eq | CompareOp::Ne = op
            && let 0 | 1 = number
        {
            return self.restrict(condition, (op == CompareOp::Eq) == (number == 1));
        }
        let allowed = |number: i128| match op {
            CompareOp::Ne => None,
            _ => Some(reach(op)?.sum(Interval::constant(number))),
        };
        match self.shifted_variable(e) {
            Some((variable, shift)) => match (op, allowed(number - shift)) {
                (CompareOp::Ne, _) => self.differs(variable, number - shift),
                (_, Some(allowed)) => {
                    let allowed = self.automaton.expressions.constant(allowed);
                    self.met(variable, allowed)
                }
                _ => Updates::new(),
            },
            None => {
                let known = self.value(e);
                let allowed = match (op, allowed(number)) {
                    (CompareOp::Ne, _) => {
                        let value = self.without(known, number);
                        return self.possible(value);
                    }
                    (_, Some(allowed)) => allowed,
                    _ => return Updates::new(),
                };
                let allowed = self.automaton.expressions.constant(allowed);
                self.only_possible(known, allowed)
            }
        }
    }

    /// A bool behind conversions that is more than a variable.
    fn truth_value(&self, mut e: ExprId) -> Option<ExprId> {
        loop {
            let expr = self.body.expr(e);
            match expr.kind {
                ExprKind::Cast(a) if expr.ty != TypeId::BOOL => e = a,
                ExprKind::Compare(..) | ExprKind::Unary(UnaryOp::Not, _) => return Some(e),
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                    return (expr.ty == TypeId::BOOL).then_some(e);
                }
                _ => return None,
            }
        }
    }

    /// The variable and the number of which this is the sum, whatever their values are: behind
    /// conversions that keep all values, and signed sums, which do not wrap.
    fn shifted_variable(&self, mut e: ExprId) -> Option<(Variable, i128)> {
        let mut shift: i128 = 0;
        loop {
            let expr = self.body.expr(e);
            match expr.kind {
                ExprKind::Load(place) => {
                    let var = self.body.place(place).as_var()?;
                    return Some((self.tracked(var)?, shift));
                }
                ExprKind::Cast(a) => {
                    let from = self.body.expr(a).ty;
                    let (inner, outer) = (self.range(from)?, self.range(expr.ty)?);
                    let pointers = self.types.is_pointer(from) && self.types.is_pointer(expr.ty);
                    let integers = !self.types.is_pointer(from) && !self.types.is_pointer(expr.ty);
                    if !(pointers || integers && inner.is_within(outer)) {
                        return None;
                    }
                    e = a;
                }
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                    let (width, true) = self.types.as_int(expr.ty)? else {
                        return None;
                    };
                    let ExprKind::Int(bits) = self.body.expr(b).kind else {
                        return None;
                    };
                    let by = ir::int_value(bits, width, true);
                    shift += if op == BinaryOp::Add { by } else { -by };
                    e = a;
                }
                _ => return None,
            }
        }
    }

    /// `variable + shift` lies in `other + reach`.
    fn bounded(
        &mut self,
        (variable, shift): (Variable, i128),
        other: ExpressionId,
        reach: Interval,
    ) -> Updates {
        let allowed = self.shifted(other, reach.sum(Interval::constant(-shift)));
        self.met(variable, allowed)
    }

    fn shifted(&mut self, value: ExpressionId, by: Interval) -> ExpressionId {
        if by == Interval::constant(0) {
            return value;
        }
        let by = self.automaton.expressions.constant(by);
        self.sum(value, by)
    }

    /// `x' = x ⊓ allowed`
    fn met(&mut self, variable: Variable, allowed: ExpressionId) -> Updates {
        let range = self.automaton.range(variable);
        if self.constant(allowed).is_some_and(|a| range.is_within(a)) {
            return Updates::new();
        }
        let own = self.automaton.expressions.variable(variable);
        let value = self.automaton.expressions.meet(own, allowed);
        Updates::from([(variable, value)])
    }

    fn differs(&mut self, variable: Variable, number: i128) -> Updates {
        let range = self.automaton.range(variable);
        let allowed = if range.low() == Some(number) {
            Interval::at_least(number + 1)
        } else if range.high() == Some(number) {
            Interval::at_most(number - 1)
        } else if range.contains(number) {
            let own = self.automaton.expressions.variable(variable);
            let value = self.without(own, number);
            return Updates::from([(variable, value)]);
        } else {
            return Updates::new();
        };
        let allowed = self.automaton.expressions.constant(allowed);
        self.met(variable, allowed)
    }

    /// What is left of a value that is not this number.
    fn without(&mut self, value: ExpressionId, number: i128) -> ExpressionId {
        let e = &mut self.automaton.expressions;
        let below = e.constant(Interval::at_most(number - 1));
        let above = e.constant(Interval::at_least(number + 1));
        let (below, above) = (e.meet(value, below), e.meet(value, above));
        e.join(below, above)
    }

    /// Restricts no variable, but must not be empty.
    fn only_possible(&mut self, value: ExpressionId, allowed: ExpressionId) -> Updates {
        let value = self.automaton.expressions.meet(value, allowed);
        self.possible(value)
    }

    fn possible(&mut self, value: ExpressionId) -> Updates {
        let mut constant = true;
        let expressions = &mut self.automaton.expressions;
        expressions.variables(value, &mut |_| constant = false);
        if constant {
            let value = expressions.evaluate(value, &|_| Interval::FULL);
            if !value.is_empty() {
                return Updates::new();
            }
            let value = expressions.constant(value);
            return Updates::from([(self.condition, value)]);
        }
        Updates::from([(self.condition, value)])
    }
}

/// How far `a` may be from `b` if `a op b`; nothing is known for `!=`.
fn reach(op: CompareOp) -> Option<Interval> {
    Some(match op {
        CompareOp::Eq => Interval::constant(0),
        CompareOp::Lt => Interval::at_most(-1),
        CompareOp::Le => Interval::at_most(0),
        CompareOp::Gt => Interval::at_least(1),
        CompareOp::Ge => Interval::at_least(0),
        CompareOp::Ne | CompareOp::Unordered => return None,
    })
}
