//! Expressions: choosing the operation for each.

use super::{Compiler, repr_of};
use crate::code::{Exact, FloatOp, Op, Repr, Root};
use crate::value::low_bits;
use ir::{BinaryOp, CompareOp, Expr, ExprId, ExprKind, PlaceId, UnaryOp};

impl Compiler<'_, '_> {
    /// The operation of an expression whose operands are known to come before it.
    pub(super) fn op(&self, e: &Expr) -> Option<Op> {
        let repr = repr_of(self.program, e.ty);
        if repr == Repr::Unsupported {
            return None;
        }
        if !repr.is_small() {
            return Some(Op::Slow);
        }
        Some(match &e.kind {
            ExprKind::Int(bits) => Op::Const(*bits as u64 & low_bits(repr.width())),
            ExprKind::Float(bits) => Op::Const(*bits as u64 & low_bits(repr.width())),
            ExprKind::Null => Op::Const(0),
            ExprKind::Undef => Op::Undef {
                width: repr.width() as u8,
            },
            ExprKind::Load(p) => self.load(*p)?,
            ExprKind::AddrOf(p) => self.address(*p)?,
            ExprKind::Function(f) => {
                let (bits, obj) = self.addresses.function(*f)?;
                Op::Addr { bits, obj }
            }
            ExprKind::Label(f, k) => {
                let (bits, obj) = self.addresses.function(*f)?;
                Op::Addr {
                    bits: bits + 1 + u64::from(*k),
                    obj,
                }
            }
            ExprKind::Unary(op, a) => match (op, self.repr(*a)?) {
                (UnaryOp::Not, Repr::Int { .. }) => Op::Not { a: a.0 },
                (UnaryOp::Complement, Repr::Int { .. }) => Op::Complement {
                    a: a.0,
                    sh: repr.sh(),
                },
                _ => Op::Slow,
            },
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b)?,
            ExprKind::Compare(op, a, b) => self.compare(*op, *a, *b)?,
            ExprKind::Cast(a) => self.cast(*a, repr)?,
            ExprKind::Select(c, a, b) => {
                if !self.repr(*c)?.is_small() || !self.repr(*a)?.is_small() {
                    return None;
                }
                self.repr(*b)?.is_small().then_some(Op::Select {
                    c: c.0,
                    a: a.0,
                    b: b.0,
                })?
            }
            ExprKind::PtrAdd(p, i) => {
                let ty = self.checked(self.body.exprs[*p].ty)?;
                let stride = self.program.types.stride(ty);
                match (self.repr(*p)?, self.repr(*i)?, u32::try_from(stride)) {
                    (Repr::Pointer, Repr::Int { width, signed }, Ok(stride)) => Op::PtrAdd {
                        p: p.0,
                        i: i.0,
                        stride,
                        sh: 64 - width,
                        signed,
                    },
                    (Repr::Pointer, Repr::Int { .. } | Repr::WideInt { .. }, _) => Op::Slow,
                    _ => return None,
                }
            }
            ExprKind::TypeInfo(g) => Op::Const(u64::from(g.0) + 1),
            ExprKind::Overflow(op, a, b) => match (op, self.repr(*a)?, self.repr(*b)?) {
                (
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                    Repr::Int { width, signed },
                    Repr::Int { .. },
                ) => Op::Overflow {
                    op: match op {
                        BinaryOp::Add => Exact::Add,
                        BinaryOp::Sub => Exact::Sub,
                        _ => Exact::Mul,
                    },
                    a: a.0,
                    b: b.0,
                    sh: 64 - width,
                    signed,
                },
                _ => Op::Slow,
            },
            ExprKind::Intrinsic(..) => Op::Slow,
        })
    }

    fn repr(&self, e: ExprId) -> Option<Repr> {
        self.code.reprs.get(e.0 as usize).copied()
    }

    fn load(&self, p: PlaceId) -> Option<Op> {
        let place = self.code.places.get(p.0 as usize)?;
        if !place.repr.is_small() {
            return None;
        }
        let sh = place.repr.sh();
        let simple = place.indices.is_empty() && place.bits.is_none();
        let size = place.size as u8;
        let offset = u32::try_from(place.offset);
        Some(match (place.root, offset) {
            (Root::Reg(v), _) => Op::Reg(v),
            (Root::Bad, _) => return None,
            (Root::Var(var), Ok(offset)) if simple => Op::LoadVar {
                var,
                offset,
                size,
                sh,
            },
            (Root::Global(obj), Ok(offset)) if simple => Op::LoadGlobal {
                obj,
                offset,
                size,
                sh,
            },
            (Root::Deref(ptr), _) if simple && i32::try_from(place.offset).is_ok() => {
                Op::LoadDeref {
                    ptr,
                    offset: place.offset as i32,
                    size,
                    sh,
                }
            }
            _ => Op::LoadPlace { place: p.0, sh },
        })
    }

    fn address(&self, p: PlaceId) -> Option<Op> {
        let place = self.code.places.get(p.0 as usize)?;
        let simple = place.indices.is_empty();
        Some(match (place.root, u32::try_from(place.offset)) {
            (Root::Bad | Root::Reg(_), _) => return None,
            (Root::Var(var), Ok(offset)) if simple => Op::AddrVar { var, offset },
            (Root::Global(obj), _) if simple => Op::Addr {
                bits: self.addresses.base(obj)?.wrapping_add(place.offset as u64),
                obj,
            },
            _ => Op::AddrPlace { place: p.0 },
        })
    }

    fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Op> {
        let (ra, rb) = (self.repr(a)?, self.repr(b)?);
        let (a, b) = (a.0, b.0);
        let sh = ra.sh();
        if let Repr::F64 | Repr::F32 = ra {
            let op = match op {
                BinaryOp::Add => FloatOp::Add,
                BinaryOp::Sub => FloatOp::Sub,
                BinaryOp::Mul => FloatOp::Mul,
                BinaryOp::Div => FloatOp::Div,
                BinaryOp::Rem => FloatOp::Rem,
                _ => return None,
            };
            return (ra == rb).then_some(float(ra, op, a, b));
        }
        // Pointers too: `p & 7` after a cast that was left out costs nothing to accept.
        if !ra.is_small() || !rb.is_small() {
            // A shift by a wide amount, say.
            return (ra.is_small() && rb.is_wide()).then_some(Op::Slow);
        }
        let signed = ra.is_signed();
        Some(match op {
            BinaryOp::Add | BinaryOp::WrapAdd => Op::Add { a, b, sh },
            BinaryOp::Sub | BinaryOp::WrapSub => Op::Sub { a, b, sh },
            BinaryOp::Mul | BinaryOp::WrapMul => Op::Mul { a, b, sh },
            BinaryOp::Div if signed => Op::DivS { a, b, sh },
            BinaryOp::Div => Op::DivU { a, b },
            BinaryOp::Rem if signed => Op::RemS { a, b, sh },
            BinaryOp::Rem => Op::RemU { a, b },
            BinaryOp::Shl => Op::Shl { a, b, sh },
            BinaryOp::Shr if signed => Op::ShrS { a, b, sh },
            BinaryOp::Shr => Op::ShrU { a, b, sh },
            BinaryOp::And => Op::And { a, b },
            BinaryOp::Or => Op::Or { a, b },
            BinaryOp::Xor => Op::Xor { a, b },
        })
    }

    fn compare(&self, op: CompareOp, a: ExprId, b: ExprId) -> Option<Op> {
        let (ra, rb) = (self.repr(a)?, self.repr(b)?);
        if let Repr::F64 | Repr::F32 = ra {
            let op = match op {
                CompareOp::Eq => FloatOp::Eq,
                CompareOp::Ne => FloatOp::Ne,
                CompareOp::Lt => FloatOp::Lt,
                CompareOp::Le => FloatOp::Le,
                CompareOp::Gt => FloatOp::Gt,
                CompareOp::Ge => FloatOp::Ge,
                CompareOp::Unordered => FloatOp::Unordered,
            };
            return (ra == rb).then_some(float(ra, op, a.0, b.0));
        }
        if ra.is_wide() && rb.is_wide() {
            return Some(Op::Slow);
        }
        if !ra.is_small() || !rb.is_small() {
            return None;
        }
        let (signed, sh) = (ra.is_signed(), ra.sh());
        let (a, b) = (a.0, b.0);
        Some(match (op, signed) {
            (CompareOp::Eq, _) => Op::Eq { a, b },
            (CompareOp::Ne, _) => Op::Ne { a, b },
            (CompareOp::Lt, true) => Op::LtS { a, b, sh },
            (CompareOp::Le, true) => Op::LeS { a, b, sh },
            (CompareOp::Gt, true) => Op::LtS { a: b, b: a, sh },
            (CompareOp::Ge, true) => Op::LeS { a: b, b: a, sh },
            (CompareOp::Lt, false) => Op::LtU { a, b },
            (CompareOp::Le, false) => Op::LeU { a, b },
            (CompareOp::Gt, false) => Op::LtU { a: b, b: a },
            (CompareOp::Ge, false) => Op::LeU { a: b, b: a },
            (CompareOp::Unordered, _) => return None,
        })
    }

    fn cast(&self, a: ExprId, to: Repr) -> Option<Op> {
        let from = self.repr(a)?;
        Some(match (from, to) {
            (Repr::Pointer, Repr::Pointer) => Op::Trunc { a: a.0, sh: 0 },
            (Repr::Int { width, signed }, Repr::Pointer) => {
                if width == 64 || !signed {
                    Op::IntToPtr { a: a.0 }
                } else {
                    Op::Slow
                }
            }
            (Repr::Int { .. } | Repr::Pointer, Repr::Int { width, .. }) => {
                if from.is_signed() && u32::from(width) > from.width() {
                    Op::Sext {
                        a: a.0,
                        from: from.sh(),
                        to: to.sh(),
                    }
                } else {
                    Op::Trunc {
                        a: a.0,
                        sh: to.sh(),
                    }
                }
            }
            (Repr::Blob { .. } | Repr::Void | Repr::Unsupported, _) => return None,
            _ => Op::Slow,
        })
    }
}

fn float(repr: Repr, op: FloatOp, a: u32, b: u32) -> Op {
    match repr {
        Repr::F32 => Op::F32 { op, a, b },
        _ => Op::F64 { op, a, b },
    }
}
