//! Expressions as terms.

use crate::exception::type_number;
use crate::path::{Opaque, Path};
use crate::value::Shape;
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, Intrinsic, UnaryOp};
use logic::{BinaryOp as Op, Order, Sort, TermId};

impl Path<'_> {
    /// The value of an expression that is no struct or array.
    pub(crate) fn value(&mut self, e: ExprId) -> TermId {
        let body = self.frame.body;
        let expr = &body.exprs[e];
        let ty = expr.ty;
        match expr.kind {
            ExprKind::Int(bits) => match self.shape(ty) {
                Shape::Bool => self.pool.truth(bits & 1 == 1),
                Shape::Int { width, .. } => self.pool.bits(width, bits),
                _ => self.pool.bits(64, bits),
            },
            ExprKind::Float(bits) => match self.shape(ty) {
                Shape::Float { width } => self.pool.bits(width, bits),
                _ => self.cannot(ty, Opaque::Float),
            },
            ExprKind::Null => self.word64(0),
            ExprKind::Undef => match self.shape(ty).sort() {
                Some(Sort::Bits(width)) => self.unwritten(width),
                Some(_) => self.pool.truth(false),
                None => self.cannot(ty, Opaque::Wide),
            },
            ExprKind::Load(place) => self.load(place),
            ExprKind::AddrOf(place) => self.address_of(place),
            ExprKind::Function(f) => {
                let object = self.function_object(f);
                self.object(object).address
            }
            ExprKind::Label(f, k) => self.label_address(f, k),
            ExprKind::Unary(op, a) => self.unary(op, a, e),
            ExprKind::Binary(op, a, b) => self.operation(op, a, b, e),
            ExprKind::Compare(op, a, b) => self.comparison(op, a, b),
            ExprKind::Overflow(op, a, b) => self.overflow(op, a, b),
            ExprKind::Cast(a) => self.cast(a, e),
            ExprKind::Select(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                self.pool.choose(c, a, b)
            }
            ExprKind::PtrAdd(p, index) => {
                let stride = self.program().types.stride(body.exprs[p].ty);
                let pointer = self.value(p);
                let value = self.value(index);
                let index = self.offset_form(body.exprs[index].ty, value);
                let by = self.scaled(index, stride);
                self.displaced(pointer, by)
            }
            ExprKind::Intrinsic(which, ref args) => self.intrinsic(which, args, e),
            ExprKind::TypeInfo(g) => {
                let width = match self.shape(ty).sort() {
                    Some(Sort::Bits(width)) => width,
                    _ => 32,
                };
                self.pool.bits(width, type_number(g))
            }
        }
    }

    fn expr_shape(&self, e: ExprId) -> Shape {
        self.shape(self.frame.body.exprs[e].ty)
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId, e: ExprId) -> TermId {
        let value = self.value(a);
        match (op, self.expr_shape(a)) {
            (UnaryOp::Not, _) | (UnaryOp::Complement, Shape::Bool) => self.pool.not(value),
            (UnaryOp::Complement, _) => self.pool.complement(value),
            (UnaryOp::Neg, Shape::Float { width }) => {
                let sign = self.pool.bits(width, 1 << (width - 1));
                self.pool.binary(Op::Xor, value, sign)
            }
            (UnaryOp::Neg, _) => self.cannot(self.frame.body.exprs[e].ty, Opaque::Operator),
        }
    }

    fn operation(&mut self, op: BinaryOp, a: ExprId, b: ExprId, e: ExprId) -> TermId {
        let (x, y) = (self.value(a), self.value(b));
        let signed = match self.expr_shape(a) {
            Shape::Int { signed, .. } => signed,
            Shape::Pointer => false,
            Shape::Bool => return self.truth_operation(op, x, y, e),
            Shape::Float { width } => {
                let name = op.symbol();
                return self.opaque(Opaque::Float, name, &[x, y], Sort::Bits(width));
            }
            _ => return self.cannot(self.frame.body.exprs[e].ty, Opaque::Wide),
        };
        let op = match op {
            BinaryOp::Add | BinaryOp::WrapAdd => Op::Add,
            BinaryOp::Sub | BinaryOp::WrapSub => return self.difference(x, y),
            BinaryOp::Mul | BinaryOp::WrapMul => Op::Mul,
            BinaryOp::Div if signed => Op::SDiv,
            BinaryOp::Div => Op::UDiv,
            BinaryOp::Rem if signed => Op::SRem,
            BinaryOp::Rem => Op::URem,
            BinaryOp::Shl => Op::Shl,
            BinaryOp::Shr if signed => Op::AShr,
            BinaryOp::Shr => Op::LShr,
            BinaryOp::And => Op::And,
            BinaryOp::Or => Op::Or,
            BinaryOp::Xor => Op::Xor,
        };
        // The amount of a shift may have another type.
        let width = self.pool.width(x);
        let y = match (op, self.expr_shape(b)) {
            (Op::Shl | Op::AShr | Op::LShr, Shape::Int { width: w, .. }) if w != width => {
                if w < width {
                    self.pool.zero_extend(y, width)
                } else {
                    self.pool.extract(y, 0, width)
                }
            }
            _ => y,
        };
        if self.pool.width(y) != width {
            return self.cannot(self.frame.body.exprs[e].ty, Opaque::Operator);
        }
        self.pool.binary(op, x, y)
    }

    /// The distance of two pointers into one object is that of their offsets.
    fn difference(&mut self, x: TermId, y: TermId) -> TermId {
        if self.pool.width(x) == 64 && self.pool.sort(y) == Sort::Bits(64) {
            let (ex, ey) = (self.expand(x), self.expand(y));
            let known = |p: &Self, t: TermId| p.splits.contains_key(&t);
            if known(self, ex) || known(self, ey) {
                let ((bx, ox), (by, oy)) = (self.split(ex), self.split(ey));
                if bx == by {
                    return self.pool.sub(ox, oy);
                }
            }
        }
        self.pool.sub(x, y)
    }

    fn truth_operation(&mut self, op: BinaryOp, x: TermId, y: TermId, e: ExprId) -> TermId {
        match op {
            BinaryOp::And | BinaryOp::Mul | BinaryOp::WrapMul => self.pool.and(x, y),
            BinaryOp::Or => self.pool.or(x, y),
            BinaryOp::Xor
            | BinaryOp::Add
            | BinaryOp::WrapAdd
            | BinaryOp::Sub
            | BinaryOp::WrapSub => {
                let same = self.pool.equal(x, y);
                self.pool.not(same)
            }
            _ => self.cannot(self.frame.body.exprs[e].ty, Opaque::Operator),
        }
    }

    fn comparison(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> TermId {
        let (x, y) = (self.value(a), self.value(b));
        let shape = self.expr_shape(a);
        if self.pool.sort(x) != self.pool.sort(y) {
            return self.opaque(Opaque::Operator, op.symbol(), &[x, y], Sort::Bool);
        }
        if let Shape::Float { .. } = shape {
            return self.float_comparison(op, x, y);
        }
        if shape == Shape::Pointer {
            return self.pointer_comparison(op, x, y);
        }
        if shape == Shape::Bool {
            let (x, y) = (self.pool.from_truth(x, 2), self.pool.from_truth(y, 2));
            return self.ordered(op, x, y, false);
        }
        let signed = matches!(shape, Shape::Int { signed: true, .. });
        self.ordered(op, x, y, signed)
    }

    fn ordered(&mut self, op: CompareOp, x: TermId, y: TermId, signed: bool) -> TermId {
        let (less, less_equal) = if signed {
            (Order::Slt, Order::Sle)
        } else {
            (Order::Ult, Order::Ule)
        };
        match op {
            CompareOp::Eq => self.pool.equal(x, y),
            CompareOp::Ne => self.pool.differ(x, y),
            CompareOp::Lt => self.pool.compare(less, x, y),
            CompareOp::Le => self.pool.compare(less_equal, x, y),
            CompareOp::Gt => self.pool.compare(less, y, x),
            CompareOp::Ge => self.pool.compare(less_equal, y, x),
            CompareOp::Unordered => self.pool.truth(false),
        }
    }

    /// Within one object, offsets decide.
    fn pointer_comparison(&mut self, op: CompareOp, x: TermId, y: TermId) -> TermId {
        if matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return self.ordered(op, x, y, false);
        }
        let (ex, ey) = (self.expand(x), self.expand(y));
        let ((bx, ox), (by, oy)) = (self.split(ex), self.split(ey));
        if bx == by {
            return self.ordered(op, ox, oy, true);
        }
        self.ordered(op, x, y, false)
    }

    fn float_comparison(&mut self, op: CompareOp, x: TermId, y: TermId) -> TermId {
        let (ex, ey) = (self.expand(x), self.expand(y));
        let width = self.pool.width(ex);
        if let (Some(a), Some(b)) = (self.pool.as_bits(ex), self.pool.as_bits(ey))
            && (width == 32 || width == 64)
        {
            let read = |bits: u128| match width {
                32 => f64::from(f32::from_bits(bits as u32)),
                _ => f64::from_bits(bits as u64),
            };
            let (a, b) = (read(a), read(b));
            return self.pool.truth(match op {
                CompareOp::Eq => a == b,
                CompareOp::Ne => a != b,
                CompareOp::Lt => a < b,
                CompareOp::Le => a <= b,
                CompareOp::Gt => a > b,
                CompareOp::Ge => a >= b,
                CompareOp::Unordered => a.is_nan() || b.is_nan(),
            });
        }
        // Of each pair of complements one is the other's negation.
        if op == CompareOp::Ne {
            let equal = self.opaque(Opaque::Float, "==", &[x, y], Sort::Bool);
            return self.pool.not(equal);
        }
        let (op, x, y) = match op {
            CompareOp::Gt => (CompareOp::Lt, y, x),
            CompareOp::Ge => (CompareOp::Le, y, x),
            other => (other, x, y),
        };
        self.opaque(Opaque::Float, op.symbol(), &[x, y], Sort::Bool)
    }

    /// Does the mathematical result not fit?
    pub(crate) fn overflow(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> TermId {
        let (x, y) = (self.value(a), self.value(b));
        let Shape::Int { width, signed } = self.expr_shape(a) else {
            return self.opaque(Opaque::Operator, "overflow", &[x, y], Sort::Bool);
        };
        let (op, wide) = match op {
            BinaryOp::Add | BinaryOp::WrapAdd => (Op::Add, width + 2),
            BinaryOp::Sub | BinaryOp::WrapSub => (Op::Sub, width + 2),
            BinaryOp::Mul | BinaryOp::WrapMul => (Op::Mul, width * 2),
            _ => return self.pool.truth(false),
        };
        if wide > 128 || self.pool.width(y) != width {
            return self.opaque(Opaque::Operator, "overflow", &[x, y], Sort::Bool);
        }
        let (x, y) = (
            self.resize(x, width, signed, wide),
            self.resize(y, width, signed, wide),
        );
        let exact = self.pool.binary(op, x, y);
        // In range: between the least and the greatest value of the type, as signed numbers.
        let (least, most) = if signed {
            (
                (1u128 << (width - 1)).wrapping_neg(),
                (1u128 << (width - 1)) - 1,
            )
        } else {
            (0, logic::term::mask(u128::MAX, width))
        };
        if op == Op::Mul && !signed {
            let most = self.pool.bits(wide, most);
            return self.pool.compare(Order::Ult, most, exact);
        }
        let (least, most) = (self.pool.bits(wide, least), self.pool.bits(wide, most));
        let below = self.pool.compare(Order::Slt, exact, least);
        let above = self.pool.compare(Order::Slt, most, exact);
        self.pool.or(below, above)
    }

    fn cast(&mut self, a: ExprId, e: ExprId) -> TermId {
        let value = self.value(a);
        let to_ty = self.frame.body.exprs[e].ty;
        let (from, to) = (self.expr_shape(a), self.shape(to_ty));
        match (from, to) {
            (Shape::Bool, Shape::Bool) => value,
            (Shape::Bool, Shape::Int { width, .. }) => {
                // A signed bit-field of one bit is 0 or -1; a bool is 0 or 1.
                self.pool.from_truth(value, width)
            }
            (Shape::Bool, Shape::Pointer) => self.pool.from_truth(value, 64),
            (Shape::Int { .. }, Shape::Bool) | (Shape::Pointer, Shape::Bool) => {
                let lowest = self.pool.extract(value, 0, 1);
                self.pool.is_nonzero(lowest)
            }
            (Shape::Int { width, signed }, Shape::Int { width: w, .. }) => {
                self.resize(value, width, signed, w)
            }
            (Shape::Int { width, signed }, Shape::Pointer) => self.resize(value, width, signed, 64),
            (Shape::Pointer, Shape::Pointer) => value,
            (Shape::Pointer, Shape::Int { width, .. }) => self.resize(value, 64, false, width),
            (Shape::Float { width: f }, Shape::Float { width: t }) if f == t => value,
            (_, to) => {
                let sort = to.sort().unwrap_or(Sort::Bits(64));
                let name = format!("cast {from:?} {to:?}");
                self.opaque(Opaque::Float, &name, &[value], sort)
            }
        }
    }

    fn intrinsic(&mut self, which: Intrinsic, args: &[ExprId], e: ExprId) -> TermId {
        let ty = self.frame.body.exprs[e].ty;
        let values: Vec<TermId> = args.iter().map(|a| self.value(*a)).collect();
        let first = args.first().map(|a| self.expr_shape(*a));
        let result = self.shape(ty);
        if let (Some(Shape::Int { width, signed }), Shape::Int { .. }) = (first, result) {
            match (which, values.as_slice()) {
                (Intrinsic::Abs, [x]) if !signed => return *x,
                (Intrinsic::Abs, [x]) => {
                    let zero = self.pool.bits(width, 0);
                    let negative = self.pool.compare(Order::Slt, *x, zero);
                    let negated = self.pool.sub(zero, *x);
                    return self.pool.choose(negative, negated, *x);
                }
                (Intrinsic::Min | Intrinsic::Max, [x, y]) => {
                    let less = if signed { Order::Slt } else { Order::Ult };
                    let first = self.pool.compare(less, *x, *y);
                    return match which {
                        Intrinsic::Min => self.pool.choose(first, *x, *y),
                        _ => self.pool.choose(first, *y, *x),
                    };
                }
                (Intrinsic::ByteSwap, [x]) if width % 8 == 0 => {
                    let mut swapped = self.pool.extract(*x, 0, 8);
                    for i in 1..width / 8 {
                        let byte = self.pool.extract(*x, i * 8, 8);
                        swapped = self.pool.concat(swapped, byte);
                    }
                    return swapped;
                }
                (Intrinsic::SatSub, [x, y]) if !signed => {
                    let less = self.pool.compare(Order::Ult, *x, *y);
                    let zero = self.pool.bits(width, 0);
                    let difference = self.pool.sub(*x, *y);
                    return self.pool.choose(less, zero, difference);
                }
                (Intrinsic::PopCount, [x]) => {
                    let mut count = self.pool.bits(width, 0);
                    for i in 0..width {
                        let bit = self.pool.extract(*x, i, 1);
                        let bit = self.pool.zero_extend(bit, width);
                        count = self.pool.add(count, bit);
                    }
                    return count;
                }
                _ => {}
            }
        }
        if which == Intrinsic::Bits
            && let [x] = values.as_slice()
            && result.sort() == Some(self.pool.sort(*x))
        {
            return *x;
        }
        let sort = result.sort().unwrap_or(Sort::Bits(64));
        let why = match first {
            Some(Shape::Float { .. }) => Opaque::Float,
            _ => Opaque::Operator,
        };
        let name = match which {
            // At each time another one.
            Intrinsic::Volatile => format!("{which:?} {} {}", self.depth, self.step),
            _ => format!("{which:?}"),
        };
        self.opaque(why, &name, &values, sort)
    }
}
