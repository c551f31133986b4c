//! The intrinsics of `ir::Intrinsic`.

use super::{Num, convert_small, convert_wide, fits};
use crate::code::{Code, E, Repr};
use crate::machine::Machine;
use crate::value::{Scalar, Wide, low_bits_wide};
use crate::x87::X87;
use ir::{ExprId, Intrinsic};

impl<'p> Machine<'p> {
    fn arg(&self, args: &[ExprId], i: usize) -> E {
        args.get(i).map_or(u32::MAX, |a| a.0)
    }

    pub(super) fn intrinsic_small(
        &self,
        c: &Code<'p>,
        op: Intrinsic,
        args: &[ExprId],
        repr: Repr,
        e: E,
    ) -> Scalar {
        let first = self.arg(args, 0);
        match op {
            Intrinsic::PtrMask => {
                let p = self.scalar(c, first);
                Scalar::pointer(p.bits & self.index(c, self.arg(args, 1)), p.prov)
            }
            // The marks stay: the same bytes at another type.
            Intrinsic::Bits | Intrinsic::Volatile if self.repr(c, first).is_small() => {
                self.scalar(c, first)
            }
            Intrinsic::IsClass => {
                let mask = self.bits(c, self.arg(args, 1));
                Scalar::plain((class_bit(self.num(c, first)) & mask != 0) as u64)
            }
            _ => match self.intrinsic(c, op, args, repr) {
                Some(Num::Int(n)) => Scalar::plain(n as u64 & crate::value::low_bits(repr.width())),
                Some(n) => Scalar::plain(convert_small(n, repr)),
                None => Scalar::plain(self.bad(c, e)),
            },
        }
    }

    pub(super) fn intrinsic_wide(
        &self,
        c: &Code<'p>,
        op: Intrinsic,
        args: &[ExprId],
        repr: Repr,
        e: E,
    ) -> Wide {
        if matches!(op, Intrinsic::Bits | Intrinsic::Volatile) {
            return self.wide(c, self.arg(args, 0));
        }
        match self.intrinsic(c, op, args, repr) {
            Some(n) => convert_wide(n, repr),
            None => Wide::plain(u128::from(self.bad(c, e))),
        }
    }

    fn intrinsic(&self, c: &Code<'p>, op: Intrinsic, args: &[ExprId], repr: Repr) -> Option<Num> {
        let a = self.arg(args, 0);
        let from = self.repr(c, a);
        match from {
            Repr::F32 | Repr::F64 | Repr::X87 => self.float_intrinsic(c, op, args),
            Repr::Int { .. } | Repr::WideInt { .. } => {
                let width = from.width();
                let x = self.wide(c, a).bits;
                let b = self.arg(args, 1);
                let bits = |n: u128| Some(Num::Int((n & low_bits_wide(width)) as i128));
                match op {
                    Intrinsic::Abs => match self.num(c, a) {
                        Num::Int(n) => bits(n.wrapping_abs() as u128),
                        _ => bits(x),
                    },
                    Intrinsic::Min | Intrinsic::Max => {
                        let less = match (self.num(c, a), self.num(c, b)) {
                            (Num::Int(x), Num::Int(y)) => x < y,
                            (Num::U128(x), Num::U128(y)) => x < y,
                            _ => return None,
                        };
                        let chosen = if less == (op == Intrinsic::Min) { a } else { b };
                        bits(self.wide(c, chosen).bits)
                    }
                    Intrinsic::PopCount => Some(Num::Int(i128::from(x.count_ones()))),
                    Intrinsic::LeadingZeros => {
                        Some(Num::Int(i128::from(x.leading_zeros() - (128 - width))))
                    }
                    Intrinsic::TrailingZeros => {
                        Some(Num::Int(i128::from(x.trailing_zeros().min(width))))
                    }
                    Intrinsic::ByteSwap => bits(x.swap_bytes() >> (128 - width)),
                    Intrinsic::BitReverse => bits(x.reverse_bits() >> (128 - width)),
                    Intrinsic::FunnelLeft | Intrinsic::FunnelRight => {
                        let y = self.wide(c, b).bits;
                        let n = self.wide(c, self.arg(args, 2)).bits % u128::from(width);
                        let rest = u128::from(width) - n;
                        bits(match (op, n) {
                            (Intrinsic::FunnelLeft, 0) => x,
                            (_, 0) => y,
                            (Intrinsic::FunnelLeft, _) => x << n | y >> rest,
                            _ => x << rest | y >> n,
                        })
                    }
                    Intrinsic::SatAdd | Intrinsic::SatSub => self.saturate(c, op, a, b, repr),
                    Intrinsic::Bits => bits(x),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn saturate(&self, c: &Code<'p>, op: Intrinsic, a: E, b: E, repr: Repr) -> Option<Num> {
        let (width, signed) = (repr.width(), repr.is_signed());
        let add = op == Intrinsic::SatAdd;
        match (self.num(c, a), self.num(c, b)) {
            (Num::Int(x), Num::Int(y)) => {
                let exact = if add {
                    x.checked_add(y)
                } else {
                    x.checked_sub(y)
                };
                Some(Num::Int(match exact {
                    Some(n) if fits(n, width, signed) => n,
                    _ => {
                        let down = if add { y < 0 } else { y > 0 };
                        match (signed, down) {
                            (true, true) => i128::MIN >> (128 - width),
                            (true, false) => i128::MAX >> (128 - width),
                            (false, true) => 0,
                            (false, false) => low_bits_wide(width) as i128,
                        }
                    }
                }))
            }
            (Num::U128(x), Num::U128(y)) => Some(Num::U128(if add {
                x.saturating_add(y)
            } else {
                x.saturating_sub(y)
            })),
            _ => None,
        }
    }

    fn float_intrinsic(&self, c: &Code<'p>, op: Intrinsic, args: &[ExprId]) -> Option<Num> {
        let n = |i| self.num(c, self.arg(args, i));
        Some(match n(0) {
            Num::F64(x) => match op {
                Intrinsic::Bits => Num::Int(i128::from(x.to_bits())),
                _ => Num::F64(float(op, x, || f64_of(n(1)), || f64_of(n(2)))?),
            },
            Num::F32(x) => match op {
                Intrinsic::Bits => Num::Int(i128::from(x.to_bits())),
                Intrinsic::Fma => Num::F32(x.mul_add(f32_of(n(1)), f32_of(n(2)))),
                Intrinsic::Sqrt => Num::F32(x.sqrt()),
                Intrinsic::Round => Num::F32(x.round()),
                Intrinsic::Sin => Num::F32(x.sin()),
                Intrinsic::Cos => Num::F32(x.cos()),
                Intrinsic::Exp => Num::F32(x.exp()),
                Intrinsic::Exp2 => Num::F32(x.exp2()),
                Intrinsic::Log => Num::F32(x.ln()),
                Intrinsic::Log2 => Num::F32(x.log2()),
                Intrinsic::Log10 => Num::F32(x.log10()),
                Intrinsic::Pow => Num::F32(x.powf(f32_of(n(1)))),
                // Exact, so that the way through double changes nothing.
                _ => Num::F32(float(op, f64::from(x), || f64_of(n(1)), || f64_of(n(2)))? as f32),
            },
            Num::X87(x) => {
                let y = || match n(1) {
                    Num::X87(y) => y,
                    _ => X87(0),
                };
                Num::X87(match op {
                    Intrinsic::Abs => x.abs(),
                    Intrinsic::Sqrt => x.sqrt(),
                    Intrinsic::CopySign => x.copysign(y()),
                    Intrinsic::Trunc => x.round_to_int(0),
                    Intrinsic::Floor => x.round_to_int(1),
                    Intrinsic::Ceil => x.round_to_int(2),
                    Intrinsic::Round => x.round_to_int(3),
                    Intrinsic::RoundEven => x.round_to_int(4),
                    Intrinsic::Min | Intrinsic::Max => {
                        let y = y();
                        match x.compare(y) {
                            None if x.is_nan() => y,
                            None => x,
                            Some(o) if o.is_lt() == (op == Intrinsic::Min) => x,
                            Some(_) => y,
                        }
                    }
                    // To double precision only.
                    _ => X87::from_f64(float(op, x.to_f64(), || f64_of(n(1)), || f64_of(n(2)))?),
                })
            }
            _ => return None,
        })
    }
}

fn float(op: Intrinsic, x: f64, y: impl Fn() -> f64, z: impl Fn() -> f64) -> Option<f64> {
    Some(match op {
        Intrinsic::Abs => x.abs(),
        Intrinsic::Min => x.min(y()),
        Intrinsic::Max => x.max(y()),
        Intrinsic::Sqrt => x.sqrt(),
        Intrinsic::Floor => x.floor(),
        Intrinsic::Ceil => x.ceil(),
        Intrinsic::Trunc => x.trunc(),
        Intrinsic::Round => x.round(),
        Intrinsic::RoundEven => x.round_ties_even(),
        Intrinsic::CopySign => x.copysign(y()),
        Intrinsic::Fma => x.mul_add(y(), z()),
        Intrinsic::Sin => x.sin(),
        Intrinsic::Cos => x.cos(),
        Intrinsic::Exp => x.exp(),
        Intrinsic::Exp2 => x.exp2(),
        Intrinsic::Log => x.ln(),
        Intrinsic::Log2 => x.log2(),
        Intrinsic::Log10 => x.log10(),
        Intrinsic::Pow => x.powf(y()),
        _ => return None,
    })
}

fn f64_of(n: Num) -> f64 {
    f64::from_bits(convert_small(n, Repr::F64))
}

fn f32_of(n: Num) -> f32 {
    f32::from_bits(convert_small(n, Repr::F32) as u32)
}

/// LLVM's class bit of a float: signalling and quiet NaN, then -inf, -normal, -subnormal, -0, +0,
/// +subnormal, +normal, +inf.
fn class_bit(n: Num) -> u64 {
    let (nan, quiet, infinite, zero, subnormal, negative) = match n {
        Num::F32(x) => (
            x.is_nan(),
            x.to_bits() >> 22 & 1 == 1,
            x.is_infinite(),
            x == 0.0,
            x.is_subnormal(),
            x.is_sign_negative(),
        ),
        Num::F64(x) => (
            x.is_nan(),
            x.to_bits() >> 51 & 1 == 1,
            x.is_infinite(),
            x == 0.0,
            x.is_subnormal(),
            x.is_sign_negative(),
        ),
        Num::X87(x) => (
            x.is_nan(),
            x.0 >> 62 & 1 == 1,
            x.is_infinite(),
            x.is_zero(),
            x.is_subnormal(),
            x.is_negative(),
        ),
        _ => return 0,
    };
    let place = match (nan, infinite, subnormal, zero) {
        (true, ..) => return if quiet { 2 } else { 1 },
        (_, true, ..) => 0,
        (_, _, true, _) => 2,
        (_, _, _, true) => 3,
        _ => 1,
    };
    if negative { 4 << place } else { 512 >> place }
}
