//! `<math.h>`, in double and single precision; long double where it can be exact.

use super::{Args, Table};
use crate::outcome::Ctl;
use crate::value::{Value, Wide};
use crate::x87::X87;

fn d1(a: &[Value], f: fn(f64) -> f64) -> Result<Value, Ctl> {
    Ok(Value::f64(f(a.f64(0)?)))
}

fn d2(a: &[Value], f: fn(f64, f64) -> f64) -> Result<Value, Ctl> {
    Ok(Value::f64(f(a.f64(0)?, a.f64(1)?)))
}

fn s1(a: &[Value], f: fn(f32) -> f32) -> Result<Value, Ctl> {
    Ok(Value::f32(f(a.f32(0)?)))
}

fn s2(a: &[Value], f: fn(f32, f32) -> f32) -> Result<Value, Ctl> {
    Ok(Value::f32(f(a.f32(0)?, a.f32(1)?)))
}

fn long(a: &[Value], i: usize) -> Result<X87, Ctl> {
    match a.get(i) {
        Some(Value::Wide(w)) => Ok(X87(w.bits)),
        _ => Err(Ctl::malformed("long double argument missing")),
    }
}

fn l1(a: &[Value], f: fn(X87) -> X87) -> Result<Value, Ctl> {
    Ok(Value::Wide(Wide::plain(f(long(a, 0)?).0)))
}

fn l2(a: &[Value], f: fn(X87, X87) -> X87) -> Result<Value, Ctl> {
    Ok(Value::Wide(Wide::plain(f(long(a, 0)?, long(a, 1)?).0)))
}

/// `x * 2^n` with one rounding.
fn scale(x: f64, n: i32) -> f64 {
    let step = |x: f64, n: i32| x * f64::from_bits(((n + 1023) as u64) << 52);
    let mut n = n.clamp(-2200, 2200);
    let mut x = x;
    while n > 1000 {
        x = step(x, 1000);
        n -= 1000;
    }
    // Into the subnormals only once: 53 more bits are kept until the last step.
    while n < -960 {
        x = step(x, -900);
        n += 900;
    }
    step(x, n)
}

/// Fraction in [0.5, 1) and exponent.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (y, extra) = if x.is_subnormal() {
        (x * f64::from_bits((1023 + 64) << 52), -64)
    } else {
        (x, 0)
    };
    let bits = y.to_bits();
    let e = (bits >> 52 & 0x7FF) as i32;
    let fraction = f64::from_bits(bits & !(0x7FF << 52) | 1022 << 52);
    (fraction, e - 1022 + extra)
}

fn gcc_remainder(x: f64, y: f64) -> f64 {
    if y == 0.0 || x.is_infinite() || x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y.is_infinite() {
        return x;
    }
    let y = y.abs();
    let r = (x % (2.0 * y)).abs();
    let r = if 2.0 * y == f64::INFINITY {
        (x % y).abs()
    } else {
        r
    };
    let mut r = r;
    if r > y / 2.0 {
        r -= y;
        if r >= y / 2.0 {
            r -= y;
        }
    }
    if x.is_sign_negative() { -r } else { r }
}

fn next_after(x: f64, to: f64) -> f64 {
    match x.partial_cmp(&to) {
        None => f64::NAN,
        Some(std::cmp::Ordering::Equal) => to,
        Some(std::cmp::Ordering::Less) => x.next_up(),
        Some(std::cmp::Ordering::Greater) => x.next_down(),
    }
}

macro_rules! both {
    ($($name:literal, $single:literal, $f:ident;)*) => {
        &[$(($name, |_, a| d1(a, f64::$f)), ($single, |_, a| s1(a, f32::$f)),)*]
    };
}

const ONE: Table = both![
    "sin", "sinf", sin;
    "cos", "cosf", cos;
    "tan", "tanf", tan;
    "asin", "asinf", asin;
    "acos", "acosf", acos;
    "atan", "atanf", atan;
    "sinh", "sinhf", sinh;
    "cosh", "coshf", cosh;
    "tanh", "tanhf", tanh;
    "asinh", "asinhf", asinh;
    "acosh", "acoshf", acosh;
    "atanh", "atanhf", atanh;
    "exp", "expf", exp;
    "exp2", "exp2f", exp2;
    "expm1", "expm1f", exp_m1;
    "log", "logf", ln;
    "log2", "log2f", log2;
    "log10", "log10f", log10;
    "log1p", "log1pf", ln_1p;
    "sqrt", "sqrtf", sqrt;
    "cbrt", "cbrtf", cbrt;
    "floor", "floorf", floor;
    "ceil", "ceilf", ceil;
    "trunc", "truncf", trunc;
    "round", "roundf", round;
    "rint", "rintf", round_ties_even;
    "nearbyint", "nearbyintf", round_ties_even;
    "fabs", "fabsf", abs;
];

/// The functions of one argument.
pub(super) fn find_one(name: &str) -> Option<super::Native> {
    ONE.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
}

pub(super) const TABLE: Table = &[
    ("pow", |_, a| d2(a, f64::powf)),
    ("powf", |_, a| s2(a, f32::powf)),
    ("fmod", |_, a| d2(a, |x, y| x % y)),
    ("fmodf", |_, a| s2(a, |x, y| x % y)),
    ("atan2", |_, a| d2(a, f64::atan2)),
    ("atan2f", |_, a| s2(a, f32::atan2)),
    ("hypot", |_, a| d2(a, f64::hypot)),
    ("hypotf", |_, a| s2(a, f32::hypot)),
    ("fmin", |_, a| d2(a, f64::min)),
    ("fminf", |_, a| s2(a, f32::min)),
    ("fmax", |_, a| d2(a, f64::max)),
    ("fmaxf", |_, a| s2(a, f32::max)),
    ("fdim", |_, a| d2(a, |x, y| if x > y { x - y } else { 0.0 })),
    ("copysign", |_, a| d2(a, f64::copysign)),
    ("copysignf", |_, a| s2(a, f32::copysign)),
    ("nextafter", |_, a| d2(a, next_after)),
    ("remainder", |_, a| d2(a, gcc_remainder)),
    ("fma", |_, a| {
        Ok(Value::f64(a.f64(0)?.mul_add(a.f64(1)?, a.f64(2)?)))
    }),
    ("fmaf", |_, a| {
        Ok(Value::f32(a.f32(0)?.mul_add(a.f32(1)?, a.f32(2)?)))
    }),
    ("ldexp", |_, a| Ok(Value::f64(scale(a.f64(0)?, a.int(1)?)))),
    ("scalbn", |_, a| Ok(Value::f64(scale(a.f64(0)?, a.int(1)?)))),
    ("ldexpf", |_, a| {
        Ok(Value::f32(scale(f64::from(a.f32(0)?), a.int(1)?) as f32))
    }),
    ("frexp", |h, a| {
        let (fraction, e) = split(a.f64(0)?);
        h.m().write_word(a.at(1)?, 4, e as u32 as u64)?;
        Ok(Value::f64(fraction))
    }),
    ("modf", |h, a| {
        let x = a.f64(0)?;
        let whole = x.trunc();
        h.m().write_word(a.at(1)?, 8, whole.to_bits())?;
        let rest = if x.is_infinite() { 0.0 } else { x - whole };
        Ok(Value::f64(rest.copysign(x)))
    }),
    ("lround", |_, a| Ok(Value::i64(a.f64(0)?.round() as i64))),
    ("llround", |_, a| Ok(Value::i64(a.f64(0)?.round() as i64))),
    ("lrint", |_, a| {
        Ok(Value::i64(a.f64(0)?.round_ties_even() as i64))
    }),
    ("llrint", |_, a| {
        Ok(Value::i64(a.f64(0)?.round_ties_even() as i64))
    }),
    ("ilogb", |_, a| Ok(Value::i32(split(a.f64(0)?).1 - 1))),
    ("isnan", |_, a| Ok(Value::i32(a.f64(0)?.is_nan() as i32))),
    ("__isnan", |_, a| Ok(Value::i32(a.f64(0)?.is_nan() as i32))),
    ("__isnanf", |_, a| Ok(Value::i32(a.f32(0)?.is_nan() as i32))),
    ("isinf", is_infinite),
    ("__isinf", is_infinite),
    ("__isinff", |_, a| {
        Ok(Value::i32(a.f32(0)?.is_infinite() as i32))
    }),
    ("finite", |_, a| {
        Ok(Value::i32(a.f64(0)?.is_finite() as i32))
    }),
    ("__finite", |_, a| {
        Ok(Value::i32(a.f64(0)?.is_finite() as i32))
    }),
    ("__signbit", |_, a| {
        Ok(Value::i32(a.f64(0)?.is_sign_negative() as i32))
    }),
    ("sqrtl", |_, a| l1(a, X87::sqrt)),
    ("fabsl", |_, a| l1(a, X87::abs)),
    ("truncl", |_, a| l1(a, |x| x.round_to_int(0))),
    ("floorl", |_, a| l1(a, |x| x.round_to_int(1))),
    ("ceill", |_, a| l1(a, |x| x.round_to_int(2))),
    ("roundl", |_, a| l1(a, |x| x.round_to_int(3))),
    ("rintl", |_, a| l1(a, |x| x.round_to_int(4))),
    ("fmodl", |_, a| l2(a, |x, y| x % y)),
    ("copysignl", |_, a| l2(a, X87::copysign)),
];

fn is_infinite(_: &mut dyn super::Host<'_>, a: &[Value]) -> Result<Value, Ctl> {
    let x = a.f64(0)?;
    Ok(Value::i32(match (x.is_infinite(), x > 0.0) {
        (true, true) => 1,
        (true, false) => -1,
        _ => 0,
    }))
}
