//! Arithmetic of the x87 80-bit format (`long double` on x86-64) in software.
//!
//! A number is a sign, a 15-bit exponent and a 64-bit significand whose top bit is explicit. All
//! operations round to nearest, ties to even, as the hardware does by default; NaN payloads are not
//! kept (every NaN is the default one).

use std::cmp::Ordering;

/// The 80 bits, in the low end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct X87(pub u128);

/// `mant * 2^exp`, with the top bit of `mant` set.
#[derive(Clone, Copy, Debug)]
struct Finite {
    neg: bool,
    mant: u64,
    exp: i32,
}

#[derive(Clone, Copy, Debug)]
enum Class {
    Zero(bool),
    Finite(Finite),
    Inf(bool),
    Nan,
}

const BIAS: i32 = 16383 + 63;
const MIN_EXP: i32 = 1 - BIAS;
const NAN: X87 = X87(0xFFFF_C000_0000_0000_0000);

/// Rounds `mant * 2^exp` (plus a bit more if `sticky`) to `precision` bits with an exponent not
/// below `min_exp`. Needs two spare bits in `mant` if `sticky`.
fn round(mant: u128, exp: i32, sticky: bool, precision: i32, min_exp: i32) -> (u64, i32) {
    let bits = 128 - mant.leading_zeros() as i32;
    let mut shift = bits - precision;
    if exp + shift < min_exp {
        shift = min_exp - exp;
    }
    if shift <= 0 {
        return ((mant << -shift) as u64, exp + shift);
    }
    if shift > 128 {
        return (0, exp + shift);
    }
    let (q, rest) = if shift == 128 {
        (0, mant)
    } else {
        (mant >> shift, mant & ((1 << shift) - 1))
    };
    let half = 1u128 << (shift - 1);
    let up = rest > half || rest == half && (sticky || q & 1 == 1);
    let q = q + u128::from(up);
    let exp = exp + shift;
    if q >> precision != 0 {
        ((q >> 1) as u64, exp + 1)
    } else {
        (q as u64, exp)
    }
}

fn pack(neg: bool, mant: u128, exp: i32, sticky: bool) -> X87 {
    if mant == 0 {
        return zero(neg);
    }
    let (q, exp) = round(mant, exp, sticky, 64, MIN_EXP);
    if q >> 63 == 0 {
        return X87(u128::from(neg) << 79 | u128::from(q));
    }
    let e = exp + BIAS;
    if e >= 0x7FFF {
        return infinity(neg);
    }
    X87(u128::from(neg) << 79 | (e as u128) << 64 | u128::from(q))
}

fn zero(neg: bool) -> X87 {
    X87(u128::from(neg) << 79)
}

fn infinity(neg: bool) -> X87 {
    X87(u128::from(neg) << 79 | 0x7FFF << 64 | 1 << 63)
}

impl X87 {
    fn class(self) -> Class {
        let neg = self.0 >> 79 & 1 == 1;
        let e = (self.0 >> 64 & 0x7FFF) as i32;
        let m = self.0 as u64;
        if e == 0x7FFF {
            return if m << 1 == 0 {
                Class::Inf(neg)
            } else {
                Class::Nan
            };
        }
        if e != 0 && m >> 63 == 0 {
            // The processor refuses such an encoding.
            return Class::Nan;
        }
        if m == 0 {
            return Class::Zero(neg);
        }
        let lz = m.leading_zeros();
        Class::Finite(Finite {
            neg,
            mant: m << lz,
            exp: e.max(1) - BIAS - lz as i32,
        })
    }

    pub fn is_nan(self) -> bool {
        matches!(self.class(), Class::Nan)
    }

    pub fn is_infinite(self) -> bool {
        matches!(self.class(), Class::Inf(_))
    }

    pub fn is_zero(self) -> bool {
        matches!(self.class(), Class::Zero(_))
    }

    pub fn is_negative(self) -> bool {
        self.0 >> 79 & 1 == 1
    }

    pub fn is_subnormal(self) -> bool {
        self.0 >> 64 & 0x7FFF == 0 && !self.is_zero()
    }

    /// Significand and exponent of a finite number other than zero.
    pub fn parts(self) -> Option<(u64, i32)> {
        match self.class() {
            Class::Finite(f) => Some((f.mant, f.exp)),
            _ => None,
        }
    }

    pub fn abs(self) -> X87 {
        X87(self.0 & !(1 << 79))
    }

    pub fn copysign(self, sign: X87) -> X87 {
        X87(self.0 & !(1 << 79) | sign.0 & 1 << 79)
    }

    fn add_(self, other: X87) -> X87 {
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => NAN,
            (Class::Inf(a), Class::Inf(b)) if a != b => NAN,
            (Class::Inf(_), _) => self,
            (_, Class::Inf(_)) => other,
            (Class::Zero(a), Class::Zero(b)) => zero(a && b),
            (Class::Zero(_), _) => other,
            (_, Class::Zero(_)) => self,
            (Class::Finite(a), Class::Finite(b)) => add_finite(a, b),
        }
    }

    fn sub_(self, other: X87) -> X87 {
        if other.is_nan() {
            return NAN;
        }
        self.add_(-other)
    }

    fn mul_(self, other: X87) -> X87 {
        let neg = self.is_negative() != other.is_negative();
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => NAN,
            (Class::Inf(_), Class::Zero(_)) | (Class::Zero(_), Class::Inf(_)) => NAN,
            (Class::Inf(_), _) | (_, Class::Inf(_)) => infinity(neg),
            (Class::Zero(_), _) | (_, Class::Zero(_)) => zero(neg),
            (Class::Finite(a), Class::Finite(b)) => {
                let product = u128::from(a.mant) * u128::from(b.mant);
                pack(neg, product, a.exp + b.exp, false)
            }
        }
    }

    fn div_(self, other: X87) -> X87 {
        let neg = self.is_negative() != other.is_negative();
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => NAN,
            (Class::Inf(_), Class::Inf(_)) | (Class::Zero(_), Class::Zero(_)) => NAN,
            (Class::Inf(_), _) | (_, Class::Zero(_)) => infinity(neg),
            (Class::Zero(_), _) | (_, Class::Inf(_)) => zero(neg),
            (Class::Finite(a), Class::Finite(b)) => {
                let (n, d) = (u128::from(a.mant) << 64, u128::from(b.mant));
                let (q, r) = (n / d, n % d);
                // Two more bits, so that the remainder decides only ties.
                let (q, r) = ((q << 2) | ((r << 2) / d), (r << 2) % d);
                pack(neg, q, a.exp - b.exp - 66, r != 0)
            }
        }
    }

    /// C's `fmod`: exact.
    fn rem_(self, other: X87) -> X87 {
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => NAN,
            (Class::Inf(_), _) | (_, Class::Zero(_)) => NAN,
            (Class::Zero(_), _) | (_, Class::Inf(_)) => self,
            (Class::Finite(a), Class::Finite(b)) => {
                if a.exp < b.exp && b.exp - a.exp > 64 {
                    return self;
                }
                let mut r = u128::from(a.mant);
                let mut d = u128::from(b.mant);
                let mut steps = a.exp - b.exp;
                let exp = a.exp.min(b.exp);
                if steps < 0 {
                    if -steps >= 64 {
                        return self;
                    }
                    d <<= -steps;
                    steps = 0;
                }
                r %= d;
                while steps > 0 && r != 0 {
                    let k = steps.min(60);
                    r = (r << k) % d;
                    steps -= k;
                }
                if r == 0 {
                    zero(a.neg)
                } else {
                    pack(a.neg, r, exp, false)
                }
            }
        }
    }

    pub fn sqrt(self) -> X87 {
        match self.class() {
            Class::Zero(_) | Class::Inf(false) => self,
            Class::Finite(f) if !f.neg => {
                // An even exponent, and a radicand of 127 or 128 bits: the root has 64.
                let up = if f.exp.rem_euclid(2) == 1 { 63 } else { 64 };
                let n = u128::from(f.mant) << up;
                let r = n.isqrt();
                let root = r + u128::from(n - r * r > r);
                pack(false, root, (f.exp - up) / 2, false)
            }
            _ => NAN,
        }
    }

    /// None if one of them is NaN.
    pub fn compare(self, other: X87) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        // Sign and magnitude order like integers, once zero has one sign.
        let key = |x: X87| {
            let magnitude = (x.0 & !(1 << 79) & ((1 << 80) - 1)) as i128;
            if x.is_negative() {
                -magnitude
            } else {
                magnitude
            }
        };
        Some(key(self).cmp(&key(other)))
    }

    pub fn from_int(n: i128) -> X87 {
        pack(n < 0, n.unsigned_abs(), 0, false)
    }

    pub fn from_uint(n: u128) -> X87 {
        pack(false, n, 0, false)
    }

    /// Rounded to an integer: 0 towards zero, 1 down, 2 up, 3 nearest (ties away), 4 nearest even.
    pub fn round_to_int(self, mode: u8) -> X87 {
        let Class::Finite(f) = self.class() else {
            return self;
        };
        if f.exp >= 0 {
            return self;
        }
        let shift = -f.exp;
        let (whole, rest, half) = if shift > 64 {
            (0u128, 1u128, 4u128)
        } else {
            let m = u128::from(f.mant);
            (m >> shift, m & ((1 << shift) - 1), 1 << (shift - 1))
        };
        let up = match mode {
            1 => f.neg && rest != 0,
            2 => !f.neg && rest != 0,
            3 => rest >= half,
            4 => rest > half || rest == half && whole & 1 == 1,
            _ => false,
        };
        pack(f.neg, whole + u128::from(up), 0, false)
    }

    /// Towards zero; none if it does not fit.
    pub fn to_int(self) -> Option<i128> {
        match self.class() {
            Class::Zero(_) => Some(0),
            Class::Finite(f) if f.exp < 63 => {
                let magnitude = if f.exp >= 0 {
                    u128::from(f.mant) << f.exp
                } else if f.exp > -64 {
                    u128::from(f.mant) >> -f.exp
                } else {
                    0
                };
                let n = i128::try_from(magnitude).ok()?;
                Some(if f.neg { -n } else { n })
            }
            _ => None,
        }
    }

    pub fn from_f64(x: f64) -> X87 {
        let neg = x.is_sign_negative();
        if x.is_nan() {
            return NAN;
        }
        if x.is_infinite() {
            return infinity(neg);
        }
        let bits = x.to_bits();
        let e = (bits >> 52 & 0x7FF) as i32;
        let m = bits & ((1 << 52) - 1) | u64::from(e != 0) << 52;
        pack(neg, u128::from(m), e.max(1) - 1075, false)
    }

    pub fn to_f64(self) -> f64 {
        let magnitude = match self.class() {
            Class::Nan => return f64::NAN,
            Class::Inf(_) => f64::INFINITY,
            Class::Zero(_) => 0.0,
            Class::Finite(f) => {
                let (q, exp) = round(u128::from(f.mant), f.exp, false, 53, -1074);
                if q >> 52 == 0 {
                    f64::from_bits(q)
                } else if exp + 1075 >= 0x7FF {
                    f64::INFINITY
                } else {
                    f64::from_bits(((exp + 1075) as u64) << 52 | q & ((1 << 52) - 1))
                }
            }
        };
        if self.is_negative() {
            -magnitude
        } else {
            magnitude
        }
    }

    pub fn to_f32(self) -> f32 {
        let magnitude = match self.class() {
            Class::Nan => return f32::NAN,
            Class::Inf(_) => f32::INFINITY,
            Class::Zero(_) => 0.0,
            Class::Finite(f) => {
                let (q, exp) = round(u128::from(f.mant), f.exp, false, 24, -149);
                let q = q as u32;
                if q >> 23 == 0 {
                    f32::from_bits(q)
                } else if exp + 150 >= 0xFF {
                    f32::INFINITY
                } else {
                    f32::from_bits(((exp + 150) as u32) << 23 | q & ((1 << 23) - 1))
                }
            }
        };
        if self.is_negative() {
            -magnitude
        } else {
            magnitude
        }
    }
}

macro_rules! operators {
    ($($trait:ident, $name:ident, $f:ident;)*) => {
        $(impl std::ops::$trait for X87 {
            type Output = X87;
            fn $name(self, other: X87) -> X87 {
                self.$f(other)
            }
        })*
    };
}

operators! {
    Add, add, add_;
    Sub, sub, sub_;
    Mul, mul, mul_;
    Div, div, div_;
    Rem, rem, rem_;
}

impl std::ops::Neg for X87 {
    type Output = X87;
    fn neg(self) -> X87 {
        X87(self.0 ^ 1 << 79)
    }
}

fn add_finite(a: Finite, b: Finite) -> X87 {
    let (a, b) = if a.exp >= b.exp { (a, b) } else { (b, a) };
    let distance = a.exp - b.exp;
    // 62 bits below the larger one's significand; what falls off is sticky.
    let x = u128::from(a.mant) << 62;
    let full = u128::from(b.mant) << 62;
    let (y, sticky) = if distance >= 127 {
        (0, true)
    } else {
        let y = full >> distance;
        (y, y << distance != full)
    };
    let exp = a.exp - 62;
    if a.neg == b.neg {
        return pack(a.neg, x + y, exp, sticky);
    }
    if x == y && !sticky {
        return zero(false);
    }
    if x > y {
        // x - (y + a bit) is one less and a bit.
        pack(a.neg, x - y - u128::from(sticky), exp, sticky)
    } else {
        pack(b.neg, y - x, exp, sticky)
    }
}
