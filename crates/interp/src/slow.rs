//! Expressions that are rare: wide integers, long double, conversions of floats, overflow tests and
//! intrinsics. They are evaluated from the body itself.

use crate::code::{Code, E, Repr};
use crate::eval::{sext, trunc};
use crate::machine::Machine;
use crate::outcome::FaultKind;
use crate::value::{Scalar, Wide, low_bits, low_bits_wide};
use crate::x87::X87;
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, UnaryOp};
use std::cmp::Ordering;

mod intrinsic;

/// A number of any scalar type, on its way from one type to another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Num {
    /// Bits and signedness are known from the type; this is the mathematical value, except that an
    /// unsigned 128-bit one is `U128`.
    Int(i128),
    U128(u128),
    F32(f32),
    F64(f64),
    X87(X87),
}

impl<'p> Machine<'p> {
    fn kind<'c>(&self, c: &'c Code<'p>, e: E) -> Option<&'c ExprKind> {
        c.body.exprs.get(ExprId(e)).map(|e| &e.kind)
    }

    fn repr(&self, c: &Code<'p>, e: E) -> Repr {
        c.reprs
            .get(e as usize)
            .copied()
            .unwrap_or(Repr::Unsupported)
    }

    /// The number that an expression is.
    pub(crate) fn num(&self, c: &Code<'p>, e: E) -> Num {
        match self.repr(c, e) {
            Repr::Int { width, signed } => {
                let x = self.bits(c, e);
                Num::Int(if signed {
                    i128::from(sext(x, 64 - width))
                } else {
                    i128::from(x)
                })
            }
            Repr::Pointer => Num::Int(i128::from(self.bits(c, e))),
            Repr::F32 => Num::F32(f32::from_bits(self.bits(c, e) as u32)),
            Repr::F64 => Num::F64(f64::from_bits(self.bits(c, e))),
            Repr::X87 => Num::X87(X87(self.wide(c, e).bits)),
            Repr::WideInt { width, signed } => {
                let x = self.wide(c, e).bits;
                if signed {
                    Num::Int(ir::expr::int_value(x, u16::from(width), true))
                } else if width == 128 {
                    Num::U128(x)
                } else {
                    Num::Int(x as i128)
                }
            }
            _ => {
                self.bad(c, e);
                Num::Int(0)
            }
        }
    }

    /// An expression of small type.
    pub(crate) fn slow_scalar(&self, c: &Code<'p>, e: E) -> Scalar {
        let repr = self.repr(c, e);
        let sh = repr.sh();
        match self.kind(c, e) {
            Some(ExprKind::Unary(UnaryOp::Neg, a)) => {
                let x = self.bits(c, a.0);
                Scalar::plain(match repr {
                    Repr::F32 => x ^ 1 << 31,
                    Repr::F64 => x ^ 1 << 63,
                    _ => trunc(x.wrapping_neg(), sh),
                })
            }
            Some(ExprKind::Compare(op, a, b)) => {
                Scalar::plain(self.compare_wide(c, *op, a.0, b.0) as u64)
            }
            Some(ExprKind::Overflow(op, a, b)) => {
                Scalar::plain(self.overflows(c, *op, a.0, b.0) as u64)
            }
            Some(ExprKind::Cast(a)) => {
                let from = self.repr(c, a.0);
                if from.is_wide() && from != Repr::X87 && !matches!(repr, Repr::F32 | Repr::F64) {
                    let w = self.wide(c, a.0);
                    return Scalar {
                        bits: trunc(w.bits as u64, sh),
                        undef: trunc(w.undef as u64, sh),
                        ..Scalar::ZERO
                    };
                }
                self.mem_pointer(repr, convert_small(self.num(c, a.0), repr))
            }
            Some(ExprKind::PtrAdd(p, i)) => {
                let stride = match c.body.exprs.get(*p) {
                    Some(p) => self.program.types.stride(p.ty),
                    None => 1,
                };
                let i = self.index(c, i.0);
                self.scalar(c, p.0).offset(i.wrapping_mul(stride))
            }
            Some(ExprKind::Binary(op, a, b)) => {
                // Only shifts get here: their amount may be wide.
                let amount = self.wide(c, b.0).bits;
                let x = self.num(c, a.0);
                let (Num::Int(x), true) = (x, amount < u128::from(64 - sh)) else {
                    return Scalar::ZERO;
                };
                let x = match op {
                    BinaryOp::Shl => x << amount,
                    BinaryOp::Shr => x >> amount,
                    _ => return Scalar::plain(self.bad(c, e)),
                };
                Scalar::plain(trunc(x as u64, sh))
            }
            Some(ExprKind::Intrinsic(op, args)) => self.intrinsic_small(c, *op, args, repr, e),
            _ => Scalar::plain(self.bad(c, e)),
        }
    }

    fn mem_pointer(&self, repr: Repr, bits: u64) -> Scalar {
        match repr {
            Repr::Pointer => self.mem.with_object(Scalar::plain(bits)),
            _ => Scalar::plain(bits),
        }
    }

    fn compare_wide(&self, c: &Code<'p>, op: CompareOp, a: E, b: E) -> bool {
        let order = match (self.num(c, a), self.num(c, b)) {
            (Num::Int(x), Num::Int(y)) => Some(x.cmp(&y)),
            (Num::U128(x), Num::U128(y)) => Some(x.cmp(&y)),
            (Num::X87(x), Num::X87(y)) => x.compare(y),
            _ => {
                self.bad(c, a);
                None
            }
        };
        match op {
            CompareOp::Eq => order == Some(Ordering::Equal),
            CompareOp::Ne => order != Some(Ordering::Equal),
            CompareOp::Lt => order == Some(Ordering::Less),
            CompareOp::Le => order.is_some_and(Ordering::is_le),
            CompareOp::Gt => order == Some(Ordering::Greater),
            CompareOp::Ge => order.is_some_and(Ordering::is_ge),
            CompareOp::Unordered => order.is_none(),
        }
    }

    fn overflows(&self, c: &Code<'p>, op: BinaryOp, a: E, b: E) -> bool {
        let repr = self.repr(c, a);
        let (width, signed) = (repr.width(), repr.is_signed());
        match (self.num(c, a), self.num(c, b)) {
            (Num::Int(x), Num::Int(y)) => {
                let exact = match op {
                    BinaryOp::Add | BinaryOp::WrapAdd => x.checked_add(y),
                    BinaryOp::Sub | BinaryOp::WrapSub => x.checked_sub(y),
                    BinaryOp::Mul | BinaryOp::WrapMul => x.checked_mul(y),
                    BinaryOp::Div | BinaryOp::Rem if y == 0 => return false,
                    BinaryOp::Div | BinaryOp::Rem => x.checked_div(y),
                    _ => return self.bad(c, a) != 0,
                };
                exact.is_none_or(|n| !fits(n, width, signed))
            }
            (Num::U128(x), Num::U128(y)) => match op {
                BinaryOp::Add | BinaryOp::WrapAdd => x.checked_add(y).is_none(),
                BinaryOp::Sub | BinaryOp::WrapSub => x < y,
                BinaryOp::Mul | BinaryOp::WrapMul => x.checked_mul(y).is_none(),
                _ => false,
            },
            _ => self.bad(c, a) != 0,
        }
    }

    /// An expression of wide type.
    pub(crate) fn wide(&self, c: &Code<'p>, e: E) -> Wide {
        let repr = self.repr(c, e);
        let width = repr.width();
        if repr.is_small() {
            let s = self.scalar(c, e);
            return Wide {
                bits: u128::from(s.bits),
                undef: u128::from(s.undef),
            };
        }
        if let Some(crate::code::Op::Bad) | None = c.ops.get(e as usize) {
            self.bad(c, e);
            return Wide::default();
        }
        let cut = |bits: u128| Wide::plain(bits & low_bits_wide(width));
        match self.kind(c, e) {
            Some(ExprKind::Int(bits) | ExprKind::Float(bits)) => cut(*bits),
            Some(ExprKind::Undef) => Wide {
                bits: u128::from_le_bytes([crate::value::FILL; 16]) & low_bits_wide(width),
                undef: low_bits_wide(width),
            },
            Some(ExprKind::Load(p)) => match c.places.get(p.0 as usize) {
                Some(p) => {
                    let address = self.place_address(c, p);
                    let w = self.load_wide(repr, address);
                    Wide {
                        bits: w.bits & low_bits_wide(width),
                        undef: w.undef & low_bits_wide(width),
                    }
                }
                None => cut(u128::from(self.bad(c, e))),
            },
            Some(ExprKind::Unary(op, a)) => match op {
                UnaryOp::Neg if repr == Repr::X87 => Wide::plain((-X87(self.wide(c, a.0).bits)).0),
                UnaryOp::Complement => cut(!self.wide(c, a.0).bits),
                _ => cut(self.wide(c, a.0).bits.wrapping_neg()),
            },
            Some(ExprKind::Binary(op, a, b)) if repr == Repr::X87 => {
                let (x, y) = (X87(self.wide(c, a.0).bits), X87(self.wide(c, b.0).bits));
                Wide::plain(
                    match op {
                        BinaryOp::Add => x + y,
                        BinaryOp::Sub => x - y,
                        BinaryOp::Mul => x * y,
                        BinaryOp::Div => x / y,
                        BinaryOp::Rem => x % y,
                        _ => X87(u128::from(self.bad(c, e))),
                    }
                    .0,
                )
            }
            Some(ExprKind::Binary(op, a, b)) => self.wide_binary(c, *op, a.0, b.0, repr),
            Some(ExprKind::Cast(a)) => {
                let from = self.repr(c, a.0);
                if from.is_wide() && from != Repr::X87 && repr != Repr::X87 {
                    let w = self.wide(c, a.0);
                    if width <= from.width() {
                        return Wide {
                            bits: w.bits & low_bits_wide(width),
                            undef: w.undef & low_bits_wide(width),
                        };
                    }
                }
                convert_wide(self.num(c, a.0), repr)
            }
            Some(ExprKind::Select(k, a, b)) => {
                let chosen = if self.bits(c, k.0) & 1 != 0 { a } else { b };
                self.wide(c, chosen.0)
            }
            Some(ExprKind::Intrinsic(op, args)) => self.intrinsic_wide(c, *op, args, repr, e),
            _ => cut(u128::from(self.bad(c, e))),
        }
    }

    fn wide_binary(&self, c: &Code<'p>, op: BinaryOp, a: E, b: E, repr: Repr) -> Wide {
        let width = repr.width();
        let (wx, wy) = (self.wide(c, a), self.wide(c, b));
        let (x, y) = (wx.bits, wy.bits);
        let signed = |x| ir::expr::int_value(x, width as u16, true);
        let bits = match op {
            BinaryOp::Add | BinaryOp::WrapAdd => x.wrapping_add(y),
            BinaryOp::Sub | BinaryOp::WrapSub => x.wrapping_sub(y),
            BinaryOp::Mul | BinaryOp::WrapMul => x.wrapping_mul(y),
            BinaryOp::Div | BinaryOp::Rem => {
                if y == 0 {
                    self.note_fault(FaultKind::DivisionByZero, || format!("{x} by 0"));
                    return Wide::default();
                }
                let rem = op == BinaryOp::Rem;
                if repr.is_signed() {
                    let (x, y) = (signed(x), signed(y));
                    let smallest = i128::MIN >> (128 - width);
                    if y == -1 && x == smallest {
                        self.note_fault(FaultKind::DivisionOverflow, || format!("{x} by -1"));
                        return Wide::default();
                    }
                    if rem {
                        x.wrapping_rem(y) as u128
                    } else {
                        x.wrapping_div(y) as u128
                    }
                } else if rem {
                    x % y
                } else {
                    x / y
                }
            }
            BinaryOp::Shl if y < u128::from(width) => {
                return Wide {
                    bits: x << y & low_bits_wide(width),
                    undef: wx.undef << y & low_bits_wide(width),
                };
            }
            BinaryOp::Shr if y < u128::from(width) => {
                return Wide {
                    bits: if repr.is_signed() {
                        (signed(x) >> y) as u128 & low_bits_wide(width)
                    } else {
                        x >> y
                    },
                    undef: wx.undef >> y,
                };
            }
            BinaryOp::Shl | BinaryOp::Shr => 0,
            BinaryOp::And => {
                return Wide {
                    bits: x & y,
                    undef: (wx.undef | wy.undef) & (wx.undef | x) & (wy.undef | y),
                };
            }
            BinaryOp::Or => {
                return Wide {
                    bits: x | y,
                    undef: (wx.undef | wy.undef) & (wx.undef | !x) & (wy.undef | !y),
                };
            }
            BinaryOp::Xor => x ^ y,
        };
        Wide::plain(bits & low_bits_wide(width))
    }
}

/// Does the number fit an integer type?
pub(crate) fn fits(n: i128, width: u32, signed: bool) -> bool {
    match (width, signed) {
        (128, true) => true,
        (_, true) => n >> (width - 1) == 0 || n >> (width - 1) == -1,
        (128, false) => n >= 0,
        (_, false) => n >> width == 0,
    }
}

/// Conversion to a small type. A float that does not fit an integer gives what x86-64 gives.
pub(crate) fn convert_small(n: Num, to: Repr) -> u64 {
    match to {
        Repr::F32 => u64::from(
            match n {
                Num::Int(n) => n as f32,
                Num::U128(n) => n as f32,
                Num::F32(x) => x,
                Num::F64(x) => x as f32,
                Num::X87(x) => x.to_f32(),
            }
            .to_bits(),
        ),
        Repr::F64 => match n {
            Num::Int(n) => n as f64,
            Num::U128(n) => n as f64,
            Num::F32(x) => f64::from(x),
            Num::F64(x) => x,
            Num::X87(x) => x.to_f64(),
        }
        .to_bits(),
        _ => {
            let bits = match n {
                Num::Int(n) => n as u64,
                Num::U128(n) => n as u64,
                Num::F32(x) => float_to_int(exact_int(f64::from(x)), to),
                Num::F64(x) => float_to_int(exact_int(x), to),
                Num::X87(x) => float_to_int(x.to_int(), to),
            };
            bits & low_bits(to.width())
        }
    }
}

/// The double cut to an integer, if it is within 127 bits.
fn exact_int(x: f64) -> Option<i128> {
    (x.abs() < 1e38).then_some(x as i128)
}

/// `cvttsd2si` has 32- and 64-bit forms that answer 0x80… when the number does not fit; narrower
/// integers go through the 32-bit one, unsigned 32-bit through the 64-bit one.
fn float_to_int(n: Option<i128>, to: Repr) -> u64 {
    let signed_in = |n: Option<i128>, width: u32| match n {
        Some(n) if fits(n, width, true) => n as u64,
        _ => 1 << (width - 1),
    };
    match (to.width(), to.is_signed()) {
        (0..32, _) | (32, true) => signed_in(n, 32),
        (32..64, _) | (_, true) => signed_in(n, 64),
        (_, false) => match n {
            Some(n) if fits(n, 64, false) => n as u64,
            Some(n) if fits(n, 64, true) => n as u64,
            _ => 1 << 63,
        },
    }
}

pub(crate) fn convert_wide(n: Num, to: Repr) -> Wide {
    if to == Repr::X87 {
        let x = match n {
            Num::Int(n) => X87::from_int(n),
            Num::U128(n) => X87::from_uint(n),
            Num::F32(x) => X87::from_f64(f64::from(x)),
            Num::F64(x) => X87::from_f64(x),
            Num::X87(x) => x,
        };
        return Wide::plain(x.0);
    }
    let bits = match n {
        Num::Int(n) => n as u128,
        Num::U128(n) => n,
        Num::F32(x) if x < 0.0 => x as i128 as u128,
        Num::F32(x) => x as u128,
        Num::F64(x) if x < 0.0 => x as i128 as u128,
        Num::F64(x) => x as u128,
        Num::X87(x) => x.to_int().unwrap_or(i128::MIN) as u128,
    };
    Wide::plain(bits & low_bits_wide(to.width()))
}
