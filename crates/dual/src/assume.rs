//! Branches: the part of a path on which a condition holds, or does not.
//!
//! The parts are convex, so `a != b` is two: `a < b` and `a > b`. What is not linear holds on all of the path, and does not on
//! all of it: both outcomes are kept, which is what makes a *may*.

use crate::arithmetic::Integers;
use crate::eval::few_parts;
use crate::facts::Range;
use crate::linear::Linear;
use crate::path::{Path, Way};
use crate::run::Run;
use crate::value::{Object, Pointer};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, TypeId, UnaryOp};
use smallvec::{SmallVec, smallvec};

/// Where a path parts at a number: a check that fails on both sides fails in two ways.
const BELOW: Way = 1;
const ABOVE: Way = 2;

/// The parts of a path.
pub type Parts = SmallVec<[Path; 2]>;

impl Run<'_> {
    /// The parts of the path on which the expression is true, or false.
    pub fn assume(&mut self, path: Path, e: ExprId, truth: bool) -> Parts {
        if !self.is_long(e) {
            return self.parts(path, e, truth);
        }
        let before = path.clone();
        few_parts(before, self.parts(path, e, truth))
    }

    fn parts(&mut self, path: Path, e: ExprId, truth: bool) -> Parts {
        let expr = &self.body.exprs[e];
        match (&expr.kind, truth) {
            (ExprKind::Unary(UnaryOp::Not, a), _) => self.assume(path, *a, !truth),
            (ExprKind::Compare(op, a, b), _) => {
                let types = &self.program.types;
                let ty = self.body.exprs[*a].ty;
                let op = if truth { Some(*op) } else { op.negated() };
                match op {
                    Some(op) if types.as_int(ty).is_some() => self.compare(path, op, *a, *b),
                    Some(op) if types.is_pointer(ty) => self.compare_pointers(path, op, *a, *b),
                    // Floats.
                    _ => smallvec![path.guess()],
                }
            }
            (ExprKind::Binary(BinaryOp::And, a, b), true)
            | (ExprKind::Binary(BinaryOp::Or, a, b), false)
                if expr.ty == TypeId::BOOL =>
            {
                let first = self.assume(path, *a, truth);
                let both = first
                    .into_iter()
                    .flat_map(|path| self.assume(path, *b, truth));
                both.collect()
            }
            (ExprKind::Binary(BinaryOp::And, a, b), false)
            | (ExprKind::Binary(BinaryOp::Or, a, b), true)
                if expr.ty == TypeId::BOOL =>
            {
                let mut all = self.assume(path.clone(), *a, truth);
                for path in self.assume(path, *a, !truth) {
                    all.extend(self.assume(path, *b, truth));
                }
                all
            }
            (ExprKind::Binary(BinaryOp::Xor, a, b), _) if expr.ty == TypeId::BOOL => {
                let mut all = Parts::new();
                for first in [true, false] {
                    for path in self.assume(path.clone(), *a, first) {
                        all.extend(self.assume(path, *b, first != truth));
                    }
                }
                all
            }
            (ExprKind::Select(c, a, b), _) => {
                let mut all = Parts::new();
                for (chosen, side) in [(true, *a), (false, *b)] {
                    for path in self.assume(path.clone(), *c, chosen) {
                        all.extend(self.assume(path, side, truth));
                    }
                }
                all
            }
            (ExprKind::Overflow(op, a, b), _) => self.overflow(path, *op, *a, *b, truth),
            _ => {
                let ty = expr.ty;
                let mut all = Parts::new();
                for (mut path, value) in self.eval(path, e) {
                    let form = self.number(&mut path, value, ty);
                    match truth {
                        true => all.extend(different(path, &form)),
                        false => all.extend(path.where_zero(Some(form))),
                    }
                }
                all
            }
        }
    }

    fn compare(&mut self, path: Path, op: CompareOp, a: ExprId, b: ExprId) -> Parts {
        let mut all = Parts::new();
        for (path, (x, y)) in self.both(path, a, b) {
            all.extend(compared(path, op, &x, &y));
        }
        all
    }

    fn compare_pointers(&mut self, path: Path, op: CompareOp, a: ExprId, b: ExprId) -> Parts {
        let mut all = Parts::new();
        for (mut path, p) in self.eval(path, a) {
            let p = self.pointer(&mut path, p);
            for (mut path, q) in self.eval(path, b) {
                let q = self.pointer(&mut path, q);
                all.extend(related(path, op, &p, &q));
            }
        }
        all
    }

    /// Does the operation not fit the type of its operands?
    fn overflow(&mut self, path: Path, op: BinaryOp, a: ExprId, b: ExprId, truth: bool) -> Parts {
        let range = self.range(self.body.exprs[a].ty);
        let mut all = Parts::new();
        for (path, (x, y)) in self.both(path, a, b) {
            let result = match op {
                BinaryOp::Add => x.plus(&y),
                BinaryOp::Sub => x.minus(&y),
                BinaryOp::Mul => match (x.as_constant(), y.as_constant()) {
                    (_, Some(n)) => x.times(n),
                    (Some(n), _) => y.times(n),
                    _ => None,
                },
                _ => None,
            };
            let is_wide = range == Range::ANYTHING && self.integers == Integers::Machine;
            let Some(result) = result.filter(|_| !is_wide) else {
                all.push(path.guess());
                continue;
            };
            // What is less than the least, and what is more than the most.
            let below = range.least.map(|n| Linear::constant(n - 1).minus(&result));
            let above = range.most.map(|n| result.plus_constant(-n - 1));
            let ends = || [below.clone(), above.clone()].into_iter().flatten();
            if truth {
                let outside = [(BELOW, below.clone()), (ABOVE, above.clone())];
                all.extend(outside.into_iter().filter_map(|(way, end)| {
                    let path = path.clone().where_not_negative(end?)?;
                    Some(Path { way, ..path })
                }));
            } else {
                let opposite = |end: Option<Linear>| end?.times(-1)?.plus_constant(-1);
                let inside = ends().map(opposite);
                let mut inside = inside;
                all.extend(inside.try_fold(path, |path, end| path.where_not_negative(end)));
            }
        }
        all
    }
}

/// The parts on which a form is not zero.
fn different(path: Path, form: &Linear) -> Parts {
    let above = path.clone().where_not_negative(form.plus_constant(-1));
    let below = form.times(-1).and_then(|o| o.plus_constant(-1));
    let below = path.where_not_negative(below);
    let ways = [(ABOVE, above), (BELOW, below)].into_iter();
    ways.filter_map(|(way, path)| Some(Path { way, ..path? }))
        .collect()
}

/// The parts on which two numbers compare so.
pub fn compared(path: Path, op: CompareOp, x: &Linear, y: &Linear) -> Parts {
    let (less, more) = (y.minus(x), x.minus(y));
    let strictly = |form: Option<Linear>| form.and_then(|form| form.plus_constant(-1));
    let part = match op {
        CompareOp::Eq => path.where_zero(more),
        CompareOp::Ne => {
            return match more {
                Some(form) => different(path, &form),
                None => smallvec![path.guess()],
            };
        }
        CompareOp::Lt => path.where_not_negative(strictly(less)),
        CompareOp::Le => path.where_not_negative(less),
        CompareOp::Gt => path.where_not_negative(strictly(more)),
        CompareOp::Ge => path.where_not_negative(more),
        CompareOp::Unordered => None,
    };
    part.into_iter().collect()
}

/// The parts on which two pointers compare so, as far as that is known.
fn related(path: Path, op: CompareOp, p: &Pointer, q: &Pointer) -> Parts {
    let null = |pointer: &Pointer| pointer.value.as_constant() == Some(0);
    match op {
        CompareOp::Eq | CompareOp::Ne if null(p) || null(q) => {
            let other = if null(p) { q } else { p };
            let op = match op {
                CompareOp::Eq => CompareOp::Le,
                _ => CompareOp::Gt,
            };
            compared(path, op, &other.value, &Linear::constant(0))
        }
        // Into the same object: null together, or not.
        _ if p.object == q.object && p.object != Object::Somewhere && p.value == q.value => {
            if matches!(op, CompareOp::Eq | CompareOp::Ne) {
                return compared(path, op, &p.offset, &q.offset);
            }
            // Addresses are not negative: what lies far before its object is beyond all others.
            let near = |form: &Linear| form.plus_constant(LOWEST);
            let far = |form: &Linear| form.times(-1)?.plus_constant(-LOWEST - 1);
            let mut all: Parts = path
                .clone()
                .where_not_negative(far(&p.offset))
                .into_iter()
                .collect();
            let Some(path) = path.where_not_negative(near(&p.offset)) else {
                return all;
            };
            all.extend(path.clone().where_not_negative(far(&q.offset)));
            if let Some(path) = path.where_not_negative(near(&q.offset)) {
                all.extend(compared(path, op, &p.offset, &q.offset));
            }
            all
        }
        _ => smallvec![path.guess()],
    }
}

/// No object lies so low: the first page of memory is nobody's.
const LOWEST: i128 = 4096;
