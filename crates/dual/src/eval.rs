//! Expressions on a path.

mod cases;

use crate::arithmetic::{division, floor_division, low_bits, some_number, wrapped};
use crate::facts::Range;
use crate::linear::Linear;
use crate::memory::Written;
use crate::nonlinear::bounds;
use crate::path::{Path, Paths};
use crate::run::Run;
use crate::value::{Object, Pointer, Value};
use ir::{BinaryOp, ExprId, ExprKind, TypeId, UnaryOp};
use smallvec::smallvec;

pub(crate) use cases::few_parts;

/// Each case with what a function makes of its number.
pub fn numbers(all: Paths<Linear>) -> Paths<Value> {
    all.into_iter()
        .map(|(path, n)| (path, Value::Number(n)))
        .collect()
}

impl Run<'_> {
    /// What an expression is, a case for each way.
    pub fn eval(&mut self, path: Path, e: ExprId) -> Paths<Value> {
        if !self.is_long(e) {
            return self.cases(path, e);
        }
        let before = path.clone();
        let all = self.cases(path, e);
        self.few(before, all, self.body.exprs[e].ty)
    }

    fn cases(&mut self, mut path: Path, e: ExprId) -> Paths<Value> {
        let body = self.body;
        let expr = &body.exprs[e];
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Int(bits) => match self.program.types.as_int(ty) {
                Some((width, signed)) if width < 128 || signed || *bits >> 127 == 0 => {
                    let n = ir::int_value(*bits, width, signed);
                    smallvec![(path, Value::Number(Linear::constant(n)))]
                }
                _ => self.any(path, ty),
            },
            ExprKind::Null => smallvec![(path, Value::from(Pointer::null()))],
            ExprKind::Undef => smallvec![(path, Value::Undefined)],
            ExprKind::Load(place) => {
                let all = self.address(path, *place).into_iter();
                all.flat_map(|(path, address)| self.found(path, &address, ty))
                    .collect()
            }
            ExprKind::AddrOf(place) => {
                let all = self.address(path, *place);
                let is_part = !body.places[*place].projections.is_empty();
                let pointers = all.into_iter().flat_map(|(path, address)| {
                    let pointer = address.pointer;
                    if !is_part || pointer.offset.as_constant() == Some(0) {
                        return smallvec![(path, Value::from(pointer))];
                    }
                    // A part of what is at null is not at null, but nowhere.
                    let mut cases = Paths::new();
                    if let Some(null) = path.clone().where_zero(Some(pointer.value.clone())) {
                        let first = null.clone().where_zero(Some(pointer.offset.clone()));
                        cases.extend(first.map(|path| (path, Value::from(pointer.clone()))));
                        cases.push((null, Value::from(Pointer::wild())));
                    }
                    let there = path.where_not_negative(pointer.value.plus_constant(-1));
                    cases.extend(there.map(|path| (path, Value::from(pointer))));
                    cases
                });
                pointers.collect()
            }
            ExprKind::Function(_) | ExprKind::Label(..) => {
                let code = Pointer::to(Object::Somewhere, Linear::constant(0));
                smallvec![(path, Value::from(code))]
            }
            ExprKind::Compare(..) | ExprKind::Overflow(..) => self.truth(path, e),
            ExprKind::Unary(UnaryOp::Not, _) => self.truth(path, e),
            ExprKind::Unary(UnaryOp::Complement, a) => {
                let range = self.range(ty);
                if self.is_wide(ty) {
                    return self.any(path, ty);
                }
                self.map(path, *a, |run, path, form| {
                    // -1 - x, which is 2^n - 1 - x where there are no negative numbers.
                    let opposite = Linear::constant(-1).minus(&form);
                    wrapped(path, &mut run.symbols, opposite, range)
                })
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..)
                if ty == TypeId::BOOL =>
            {
                self.truth(path, e)
            }
            ExprKind::Binary(op, a, b) => self.binary(path, *op, *a, *b, ty),
            ExprKind::Cast(a) => self.cast(path, *a, ty),
            ExprKind::Select(c, a, b) => {
                let mut all = Paths::new();
                for (truth, side) in [(true, *a), (false, *b)] {
                    for path in self.assume(path.clone(), *c, truth) {
                        all.extend(self.eval(path, side));
                    }
                }
                all
            }
            ExprKind::PtrAdd(p, i) => self.pointer_sum(path, *p, *i, ty),
            ExprKind::Intrinsic(op, args) => self.intrinsic(path, *op, args, ty),
            ExprKind::Unary(UnaryOp::Neg, _) | ExprKind::Float(_) | ExprKind::TypeInfo(_) => {
                let value = self.anything(&mut path, ty);
                smallvec![(path, value)]
            }
        }
    }

    /// Was what an expression gives written, beyond what its value says? Copies and what moves bits hand on what was not;
    /// arithmetic makes a number of anything.
    pub fn unsure(&mut self, path: &Path, e: ExprId) -> Option<Written> {
        let body = self.body;
        let expr = &body.exprs[e];
        let maybe = |written: Option<Written>| written.map(|_| Written::Maybe);
        match &expr.kind {
            ExprKind::Load(place) => self.is_unsure(path, *place),
            ExprKind::Undef => Some(Written::Maybe),
            ExprKind::Unary(UnaryOp::Complement, a) => self.unsure(path, *a),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, a, _) => maybe(self.unsure(path, *a)),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, a, b)
            | ExprKind::Select(_, a, b) => {
                let a = self.unsure(path, *a);
                maybe(a.or_else(|| self.unsure(path, *b)))
            }
            ExprKind::Cast(a) => {
                let types = &self.program.types;
                let from = body.exprs[*a].ty;
                if [from, expr.ty].iter().any(|t| types.as_float(*t).is_some()) {
                    return None;
                }
                let shorter = types.size_of(expr.ty) < types.size_of(from);
                let written = self.unsure(path, *a);
                if shorter { maybe(written) } else { written }
            }
            _ => None,
        }
    }

    /// Anything of the type.
    pub fn any(&mut self, mut path: Path, ty: TypeId) -> Paths<Value> {
        let value = self.anything(&mut path, ty);
        smallvec![(path, value)]
    }

    /// A bool: 1 where it holds, 0 where it does not.
    fn truth(&mut self, path: Path, e: ExprId) -> Paths<Value> {
        let mut all = Paths::new();
        for truth in [true, false] {
            for path in self.assume(path.clone(), e, truth) {
                let value = Value::Number(Linear::constant(i128::from(truth)));
                all.push((path, value));
            }
        }
        all
    }

    /// What is made of the number that an expression is.
    pub fn map(
        &mut self,
        path: Path,
        e: ExprId,
        mut then: impl FnMut(&mut Self, Path, Linear) -> Paths<Linear>,
    ) -> Paths<Value> {
        let ty = self.body.exprs[e].ty;
        let all = self.eval(path, e);
        let each = all.into_iter().flat_map(|(mut path, value)| {
            let form = self.number(&mut path, value, ty);
            then(self, path, form)
        });
        numbers(each.collect())
    }

    /// Both sides as numbers.
    pub fn both(&mut self, path: Path, a: ExprId, b: ExprId) -> Paths<(Linear, Linear)> {
        let types = (self.body.exprs[a].ty, self.body.exprs[b].ty);
        let mut all = Paths::new();
        for (mut path, x) in self.eval(path, a) {
            let x = self.number(&mut path, x, types.0);
            for (mut path, y) in self.eval(path, b) {
                let y = self.number(&mut path, y, types.1);
                all.push((path, (x.clone(), y)));
            }
        }
        all
    }

    fn binary(
        &mut self,
        path: Path,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        ty: TypeId,
    ) -> Paths<Value> {
        let Some((width, signed)) = self.program.types.as_int(ty) else {
            return self.any(path, ty);
        };
        let range = self.range(ty);
        let is_wide = self.is_wide(ty);
        let mut all = Paths::new();
        for (mut path, (x, y)) in self.both(path, a, b) {
            let symbols = &mut self.symbols;
            let constants = (x.as_constant(), y.as_constant());
            let product = || match constants {
                (_, Some(n)) => x.times(n),
                (Some(n), _) => y.times(n),
                _ => None,
            };
            if is_wide {
                let any = some_number(&mut path, symbols, range);
                all.push((path, any));
                continue;
            }
            all.extend(match (op, constants.1) {
                // Where it would not fit, the run has ended at a check.
                (BinaryOp::Add, _) if signed => fitting(path, symbols, x.plus(&y), range),
                (BinaryOp::Sub, _) if signed => fitting(path, symbols, x.minus(&y), range),
                (BinaryOp::Mul, _) if signed => fitting(path, symbols, product(), range),
                (BinaryOp::Add | BinaryOp::WrapAdd, _) => wrapped(path, symbols, x.plus(&y), range),
                (BinaryOp::Sub | BinaryOp::WrapSub, _) => {
                    wrapped(path, symbols, x.minus(&y), range)
                }
                (BinaryOp::Mul | BinaryOp::WrapMul, _) => wrapped(path, symbols, product(), range),
                (BinaryOp::Div | BinaryOp::Rem, Some(divisor)) => {
                    let parts = division(path, symbols, &x, divisor);
                    let chosen = |(path, (quotient, remainder))| match op {
                        BinaryOp::Div => wrapped(path, symbols, Some(quotient), range),
                        _ => smallvec![(path, remainder)],
                    };
                    parts.into_iter().flat_map(chosen).collect()
                }
                (BinaryOp::Shl, Some(n)) if (0..i128::from(width).min(64)).contains(&n) => {
                    wrapped(path, symbols, x.times(1 << n), range)
                }
                (BinaryOp::Shr, Some(n)) if (0..i128::from(width).min(64)).contains(&n) => {
                    let shifted = floor_division(path, symbols, &x, 1 << n);
                    shifted
                        .into_iter()
                        .map(|(path, quotient, _)| (path, quotient))
                        .collect()
                }
                (BinaryOp::And, Some(mask)) if is_low_mask(mask) => {
                    low_bits(path, symbols, x, (mask + 1).trailing_zeros())
                }
                _ => {
                    let bounds = bounds(&path, op, &x, &y, range);
                    let any = some_number(&mut path, symbols, bounds.range);
                    let mut facts = bounds.at_most.into_iter();
                    let path = facts
                        .try_fold(path, |path, most| path.where_not_negative(most.minus(&any)));
                    path.into_iter().map(|path| (path, any.clone())).collect()
                }
            });
        }
        numbers(all)
    }

    fn cast(&mut self, path: Path, a: ExprId, ty: TypeId) -> Paths<Value> {
        let types = &self.program.types;
        let from = self.body.exprs[a].ty;
        if types.as_int(from).is_some() && types.as_int(ty).is_some() {
            let range = self.range(ty);
            let is_wide = self.is_wide(ty);
            return self.map(path, a, |run, path, form| {
                // What is not negative, and not as wide itself, is the same at any wider type.
                let form = match is_wide {
                    true => Some(form).filter(|form| path.surely_within(form, NARROW)),
                    false => Some(form),
                };
                wrapped(path, &mut run.symbols, form, range)
            });
        }
        let pointers = (types.is_pointer(from), types.is_pointer(ty));
        let is_float = |ty| types.as_float(ty).is_some();
        let is_copy = !is_float(from) && !is_float(ty);
        let is_int = types.as_int(from).is_some();
        let all = self.eval(path, a);
        let mut cases = Paths::new();
        for (mut path, value) in all {
            let value = match (&value, pointers) {
                (Value::Undefined, _) if is_copy => value,
                (Value::Pointer(_), (true, true)) => value,
                (Value::Number(n), (false, true)) if is_int && n.as_constant() == Some(0) => {
                    Value::from(Pointer::null())
                }
                (Value::Pointer(p), (true, false)) => {
                    // Its address may be kept as a number.
                    path.memory.escape(&p.object);
                    match p.value.as_constant() {
                        Some(0) => Value::Number(Linear::constant(0)),
                        _ => self.anything(&mut path, ty),
                    }
                }
                _ => self.anything(&mut path, ty),
            };
            cases.push((path, value));
        }
        cases
    }

    fn pointer_sum(&mut self, path: Path, p: ExprId, i: ExprId, ty: TypeId) -> Paths<Value> {
        let step = i128::from(self.program.types.stride(ty));
        let index_type = self.body.exprs[i].ty;
        let mut all = Paths::new();
        for (mut path, base) in self.eval(path, p) {
            let base = self.pointer(&mut path, base);
            for (mut path, index) in self.eval(path, i) {
                let index = self.number(&mut path, index, index_type);
                // Null that is moved is null no more, and leads nowhere.
                let is_there = base.value.plus_constant(-1);
                let sure = |form: &Linear| path.facts.is_surely_not_negative(form);
                if index.as_constant() != Some(0) && !is_there.as_ref().is_some_and(sure) {
                    if let Some(null) = path.clone().where_zero(Some(base.value.clone())) {
                        // By nothing, or all around.
                        let turn = Range::new(1 - (1 << 64), (1 << 64) - 1);
                        let bytes = index.times(step);
                        let stays = match bytes.is_some_and(|n| null.surely_within(&n, turn)) {
                            true => null.clone().where_zero(Some(index.clone())),
                            false => Some(null.clone()),
                        };
                        all.extend(stays.map(|path| (path, Value::from(base.clone()))));
                        if step != 0 {
                            all.push((null, Value::from(Pointer::wild())));
                        }
                    }
                    match path.where_not_negative(is_there) {
                        Some(there) => path = there,
                        None => continue,
                    }
                }
                for (path, offset) in self.further(path, &base.offset, step, &index) {
                    let pointer = Pointer {
                        offset,
                        ..base.clone()
                    };
                    all.push((path, Value::from(pointer)));
                }
            }
        }
        all
    }
}

/// A number that fits, since a check has seen to it.
fn fitting(
    mut path: Path,
    symbols: &mut crate::input::Symbols,
    form: Option<Linear>,
    range: Range,
) -> Paths<Linear> {
    let Some(form) = form else {
        let any = some_number(&mut path, symbols, range);
        return smallvec![(path, any)];
    };
    if path.surely_within(&form, range) {
        return smallvec![(path, form)];
    }
    let above = range.least.map(|n| form.plus_constant(-n));
    let below = range.most.map(|n| Linear::constant(n).minus(&form));
    let mut ends = above.into_iter().chain(below);
    let path = ends.try_fold(path, |path, end| path.where_not_negative(end));
    path.into_iter().map(|path| (path, form.clone())).collect()
}

/// What is the same number at any type that is wide.
pub const NARROW: Range = Range {
    least: Some(0),
    most: Some(1 << 95),
};

/// Ones, from the lowest bit on.
fn is_low_mask(n: i128) -> bool {
    n > 0 && n < 1 << 64 && (n & (n + 1)) == 0
}
