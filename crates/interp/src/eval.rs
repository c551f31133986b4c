//! Evaluating expressions and places.
//!
//! `bits` gives only the bits of a small value: all that arithmetic needs, and quick. `scalar` also
//! keeps the marks (unwritten bits, a pointer's object), for everything that copies. `value` (in
//! `place`) is for any shape.
//!
//! Evaluation has no effect, so an operation that has no meaning (a load through null, a division by
//! zero) only notes a fault and yields 0; the statement looks at the note before it does anything.

use crate::code::{Code, E, Exact, FloatOp, Op, Repr};
use crate::machine::Machine;
use crate::memory::ObjId;
use crate::outcome::FaultKind;
use crate::value::Scalar;

/// Sign-extends a value whose sign is `sh` bits from the top.
#[inline]
pub fn sext(x: u64, sh: u8) -> i64 {
    ((x << (sh & 63)) as i64) >> (sh & 63)
}

/// Cuts a value to `64 - sh` bits.
#[inline]
pub fn trunc(x: u64, sh: u8) -> u64 {
    (x << (sh & 63)) >> (sh & 63)
}

impl<'p> Machine<'p> {
    #[inline]
    pub(crate) fn reg(&self, var: u32) -> Scalar {
        match self.regs.get(self.base + var as usize) {
            Some(r) => *r,
            None => Scalar::ZERO,
        }
    }

    #[inline]
    pub(crate) fn set_reg(&mut self, var: u32, value: Scalar) {
        if let Some(r) = self.regs.get_mut(self.base + var as usize) {
            *r = value;
        }
    }

    /// The bits of an operand: most are variables and constants, which need no call.
    #[inline(always)]
    fn leaf(&self, c: &Code<'p>, e: E) -> u64 {
        match c.ops.get(e as usize) {
            Some(Op::Reg(v)) => self.reg(*v).bits,
            Some(Op::Const(n)) => *n,
            _ => self.bits(c, e),
        }
    }

    /// The bits of a small expression.
    pub(crate) fn bits(&self, c: &Code<'p>, e: E) -> u64 {
        let Some(op) = c.ops.get(e as usize) else {
            return self.bad(c, e);
        };
        match *op {
            Op::Const(n) => n,
            Op::Reg(v) => self.reg(v).bits,
            Op::Addr { bits, .. } => bits,
            Op::Add { a, b, sh } => trunc(self.leaf(c, a).wrapping_add(self.leaf(c, b)), sh),
            Op::Sub { a, b, sh } => trunc(self.leaf(c, a).wrapping_sub(self.leaf(c, b)), sh),
            Op::Mul { a, b, sh } => trunc(self.leaf(c, a).wrapping_mul(self.leaf(c, b)), sh),
            Op::And { a, b } => self.leaf(c, a) & self.leaf(c, b),
            Op::Or { a, b } => self.leaf(c, a) | self.leaf(c, b),
            Op::Xor { a, b } => self.leaf(c, a) ^ self.leaf(c, b),
            Op::Eq { a, b } => (self.leaf(c, a) == self.leaf(c, b)) as u64,
            Op::Ne { a, b } => (self.leaf(c, a) != self.leaf(c, b)) as u64,
            Op::LtS { a, b, sh } => (sext(self.leaf(c, a), sh) < sext(self.leaf(c, b), sh)) as u64,
            Op::LeS { a, b, sh } => (sext(self.leaf(c, a), sh) <= sext(self.leaf(c, b), sh)) as u64,
            Op::LtU { a, b } => (self.leaf(c, a) < self.leaf(c, b)) as u64,
            Op::LeU { a, b } => (self.leaf(c, a) <= self.leaf(c, b)) as u64,
            Op::Not { a } => self.leaf(c, a) & 1 ^ 1,
            Op::Complement { a, sh } => trunc(!self.leaf(c, a), sh),
            Op::Trunc { a, sh } => trunc(self.leaf(c, a), sh),
            Op::Sext { a, from, to } => trunc(sext(self.leaf(c, a), from) as u64, to),
            Op::Shl { a, b, sh } => {
                let (x, n) = (self.leaf(c, a), self.leaf(c, b));
                if n < u64::from(64 - sh) {
                    trunc(x << n, sh)
                } else {
                    0
                }
            }
            Op::ShrS { a, b, sh } => {
                let (x, n) = (self.leaf(c, a), self.leaf(c, b));
                if n < u64::from(64 - sh) {
                    trunc((sext(x, sh) >> n) as u64, sh)
                } else {
                    0
                }
            }
            Op::ShrU { a, b, sh } => {
                let (x, n) = (self.leaf(c, a), self.leaf(c, b));
                if n < u64::from(64 - sh) { x >> n } else { 0 }
            }
            Op::DivS { a, b, sh } | Op::RemS { a, b, sh } => {
                let (x, y) = (sext(self.leaf(c, a), sh), sext(self.leaf(c, b), sh));
                self.divide_signed(x, y, sh, matches!(op, Op::RemS { .. }))
            }
            Op::DivU { a, b } | Op::RemU { a, b } => {
                let (x, y) = (self.leaf(c, a), self.leaf(c, b));
                if y == 0 {
                    return self.note_fault(FaultKind::DivisionByZero, || format!("{x} by 0"));
                }
                if matches!(op, Op::RemU { .. }) {
                    x % y
                } else {
                    x / y
                }
            }
            Op::Select { c: cond, a, b } => {
                if self.leaf(c, cond) & 1 != 0 {
                    self.leaf(c, a)
                } else {
                    self.leaf(c, b)
                }
            }
            Op::F64 { op, a, b } => {
                let (x, y) = (self.leaf(c, a), self.leaf(c, b));
                float64(op, f64::from_bits(x), f64::from_bits(y))
            }
            Op::F32 { op, a, b } => {
                let (x, y) = (self.leaf(c, a), self.leaf(c, b));
                float32(op, f32::from_bits(x as u32), f32::from_bits(y as u32))
            }
            Op::Overflow {
                op,
                a,
                b,
                sh,
                signed,
            } => overflows(op, self.leaf(c, a), self.leaf(c, b), sh, signed) as u64,
            Op::Undef { .. }
            | Op::LoadVar { .. }
            | Op::LoadGlobal { .. }
            | Op::LoadDeref { .. }
            | Op::LoadPlace { .. }
            | Op::AddrVar { .. }
            | Op::AddrPlace { .. }
            | Op::IntToPtr { .. }
            | Op::PtrAdd { .. } => self.scalar(c, e).bits,
            Op::Slow => self.slow_scalar(c, e).bits,
            Op::Bad => self.bad(c, e),
        }
    }

    fn divide_signed(&self, x: i64, y: i64, sh: u8, remainder: bool) -> u64 {
        if y == 0 {
            return self.note_fault(FaultKind::DivisionByZero, || format!("{x} by 0"));
        }
        if y == -1 && x == i64::MIN >> (sh & 63) {
            return self.note_fault(FaultKind::DivisionOverflow, || format!("{x} by -1"));
        }
        trunc(if remainder { x % y } else { x / y } as u64, sh)
    }

    /// A small expression with its marks.
    pub(crate) fn scalar(&self, c: &Code<'p>, e: E) -> Scalar {
        let Some(op) = c.ops.get(e as usize) else {
            return Scalar::plain(self.bad(c, e));
        };
        match *op {
            Op::Reg(v) => self.reg(v),
            Op::Const(n) => Scalar::plain(n),
            Op::Addr { bits, obj } => Scalar::pointer(bits, obj),
            Op::LoadVar {
                var,
                offset,
                size,
                sh,
            } => {
                let obj = self.reg(var).prov;
                self.load(c, obj, u64::from(offset), size, sh, e)
            }
            Op::LoadGlobal {
                obj,
                offset,
                size,
                sh,
            } => self.load(c, obj, u64::from(offset), size, sh, e),
            Op::LoadDeref {
                ptr,
                offset,
                size,
                sh,
            } => {
                let p = self.scalar(c, ptr).offset(i64::from(offset) as u64);
                match self.mem.resolve(p, u64::from(size)) {
                    Ok((obj, at)) => self.load(c, obj, at, size, sh, e),
                    Err(err) => self.note_access(err, p, u64::from(size)),
                }
            }
            Op::LoadPlace { place, sh } => {
                let s = self.load_place(c, place);
                Scalar {
                    bits: trunc(s.bits, sh),
                    ..s
                }
            }
            Op::AddrVar { var, offset } => self.reg(var).offset(u64::from(offset)),
            Op::AddrPlace { place } => match c.places.get(place as usize) {
                Some(p) => self.place_address(c, p),
                None => Scalar::plain(self.bad(c, e)),
            },
            Op::PtrAdd {
                p,
                i,
                stride,
                sh,
                signed,
            } => {
                let p = self.scalar(c, p);
                let i = self.bits(c, i);
                let i = if signed { sext(i, sh) as u64 } else { i };
                p.offset(i.wrapping_mul(u64::from(stride)))
            }
            Op::IntToPtr { a } => self.mem.with_object(self.scalar(c, a)),
            Op::Undef { width } => Scalar::undefined(u32::from(width)),
            Op::Trunc { a, sh } => {
                let s = self.scalar(c, a);
                Scalar {
                    bits: trunc(s.bits, sh),
                    undef: trunc(s.undef, sh),
                    prov: if sh == 0 { s.prov } else { ObjId::NONE },
                }
            }
            Op::Sext { a, from, to } => {
                let s = self.scalar(c, a);
                Scalar {
                    bits: trunc(sext(s.bits, from) as u64, to),
                    undef: trunc(sext(s.undef, from) as u64, to),
                    prov: ObjId::NONE,
                }
            }
            Op::Select { c: cond, a, b } => {
                if self.bits(c, cond) & 1 != 0 {
                    self.scalar(c, a)
                } else {
                    self.scalar(c, b)
                }
            }
            Op::And { a, b } | Op::Or { a, b } | Op::Xor { a, b } => {
                let (x, y) = (self.scalar(c, a), self.scalar(c, b));
                combine(op, x, y)
            }
            Op::Shl { a, b, sh } | Op::ShrU { a, b, sh } | Op::ShrS { a, b, sh } => {
                let bits = self.bits(c, e);
                let (x, n) = (self.scalar(c, a), self.bits(c, b));
                let undef = match op {
                    _ if x.undef == 0 || n >= u64::from(64 - sh) => 0,
                    Op::Shl { .. } => trunc(x.undef << n, sh),
                    Op::ShrS { .. } => trunc((sext(x.undef, sh) >> n) as u64, sh),
                    _ => x.undef >> n,
                };
                Scalar {
                    bits,
                    undef,
                    prov: ObjId::NONE,
                }
            }
            Op::Complement { a, sh } => {
                let s = self.scalar(c, a);
                Scalar {
                    bits: trunc(!s.bits, sh),
                    undef: s.undef,
                    prov: ObjId::NONE,
                }
            }
            Op::Slow => self.slow_scalar(c, e),
            _ => Scalar::plain(self.bits(c, e)),
        }
    }

    #[inline]
    fn load(&self, c: &Code<'p>, obj: ObjId, at: u64, size: u8, sh: u8, e: E) -> Scalar {
        match self.mem.read(obj, at, size as usize) {
            Ok(s) => {
                let s = Scalar {
                    bits: trunc(s.bits, sh),
                    undef: trunc(s.undef, sh),
                    prov: s.prov,
                };
                if size == 8 && s.prov.is_none() && c.reprs.get(e as usize) == Some(&Repr::Pointer)
                {
                    return self.mem.with_object(s);
                }
                s
            }
            Err(err) => {
                let p = self.mem.address(obj).offset(at);
                self.note_access(err, p, u64::from(size))
            }
        }
    }
}

/// Is the exact result outside the type of the operands?
fn overflows(op: Exact, x: u64, y: u64, sh: u8, signed: bool) -> bool {
    if signed {
        let (x, y) = (sext(x, sh), sext(y, sh));
        let (r, over) = match op {
            Exact::Add => x.overflowing_add(y),
            Exact::Sub => x.overflowing_sub(y),
            Exact::Mul => x.overflowing_mul(y),
        };
        over || sext(r as u64, sh) != r
    } else {
        let (r, over) = match op {
            Exact::Add => x.overflowing_add(y),
            Exact::Sub => x.overflowing_sub(y),
            Exact::Mul => x.overflowing_mul(y),
        };
        over || trunc(r, sh) != r
    }
}

/// Bits of the result that were never written: an operand's known 0 (and) or 1 (or) decides.
fn combine(op: &Op, x: Scalar, y: Scalar) -> Scalar {
    let (bits, undef) = match op {
        Op::And { .. } => (
            x.bits & y.bits,
            (x.undef | y.undef) & (x.undef | x.bits) & (y.undef | y.bits),
        ),
        Op::Or { .. } => (
            x.bits | y.bits,
            (x.undef | y.undef) & (x.undef | !x.bits) & (y.undef | !y.bits),
        ),
        _ => (x.bits ^ y.bits, x.undef | y.undef),
    };
    Scalar {
        bits,
        undef,
        prov: ObjId::NONE,
    }
}

fn float64(op: FloatOp, x: f64, y: f64) -> u64 {
    match op {
        FloatOp::Add => (x + y).to_bits(),
        FloatOp::Sub => (x - y).to_bits(),
        FloatOp::Mul => (x * y).to_bits(),
        FloatOp::Div => (x / y).to_bits(),
        FloatOp::Rem => (x % y).to_bits(),
        FloatOp::Eq => (x == y) as u64,
        FloatOp::Ne => (x != y) as u64,
        FloatOp::Lt => (x < y) as u64,
        FloatOp::Le => (x <= y) as u64,
        FloatOp::Gt => (x > y) as u64,
        FloatOp::Ge => (x >= y) as u64,
        FloatOp::Unordered => (x.is_nan() || y.is_nan()) as u64,
    }
}

fn float32(op: FloatOp, x: f32, y: f32) -> u64 {
    let r = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
        // Comparisons are exact in double.
        _ => return float64(op, f64::from(x), f64::from(y)),
    };
    u64::from(r.to_bits())
}
