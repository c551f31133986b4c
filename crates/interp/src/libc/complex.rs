//! `<complex.h>`, and what the compiler calls to multiply and divide complex numbers.
//!
//! A `double _Complex` is passed as two arguments and returned as a pair; a `float _Complex` as
//! one pair, 8 bytes.

use super::{Args, Table};
use crate::outcome::Ctl;
use crate::value::{Blob, Value};

type Complex = (f64, f64);

fn pair(z: Complex) -> Value {
    let mut bytes = z.0.to_le_bytes().to_vec();
    bytes.extend(z.1.to_le_bytes());
    Value::Blob(Box::new(Blob {
        bytes,
        ..Blob::default()
    }))
}

fn single(z: Complex) -> Value {
    let mut bytes = (z.0 as f32).to_le_bytes().to_vec();
    bytes.extend((z.1 as f32).to_le_bytes());
    Value::Blob(Box::new(Blob {
        bytes,
        ..Blob::default()
    }))
}

/// The i-th complex argument.
fn double_at(a: &[Value], i: usize) -> Result<Complex, Ctl> {
    Ok((a.f64(2 * i)?, a.f64(2 * i + 1)?))
}

fn single_at(a: &[Value], i: usize) -> Result<Complex, Ctl> {
    Ok((f64::from(a.f32(2 * i)?), f64::from(a.f32(2 * i + 1)?)))
}

fn single_pair(a: &[Value]) -> Result<Complex, Ctl> {
    let Some(Value::Blob(blob)) = a.first() else {
        return Err(Ctl::malformed("complex argument missing"));
    };
    let part = |i: usize| -> Option<f64> {
        let bytes = blob.bytes.get(4 * i..4 * i + 4)?.try_into().ok()?;
        Some(f64::from(f32::from_le_bytes(bytes)))
    };
    match (part(0), part(1)) {
        (Some(re), Some(im)) => Ok((re, im)),
        _ => Err(Ctl::malformed("complex argument too short")),
    }
}

/// `__muldc3`: only called where the plain formula gives two NaNs; infinities are recovered.
fn multiply((a, b): Complex, (c, d): Complex) -> Complex {
    let (re, im) = (a * c - b * d, a * d + b * c);
    if !(re.is_nan() && im.is_nan()) {
        return (re, im);
    }
    let unit = |x: f64| f64::from(u8::from(x.is_infinite())).copysign(x);
    let zero = |x: f64| if x.is_nan() { 0f64.copysign(x) } else { x };
    let (mut a, mut b, mut c, mut d) = (a, b, c, d);
    let mut recover = false;
    if a.is_infinite() || b.is_infinite() {
        (a, b, c, d) = (unit(a), unit(b), zero(c), zero(d));
        recover = true;
    }
    if c.is_infinite() || d.is_infinite() {
        (c, d, a, b) = (unit(c), unit(d), zero(a), zero(b));
        recover = true;
    }
    if recover {
        let big = f64::INFINITY;
        return (big * (a * c - b * d), big * (a * d + b * c));
    }
    (re, im)
}

/// `__divdc3`, as compiler-rt and libgcc do it: the larger part of the divisor scales.
fn divide((a, b): Complex, (c, d): Complex) -> Complex {
    let (re, im) = if c.abs() < d.abs() {
        let ratio = c / d;
        let denominator = c * ratio + d;
        ((a * ratio + b) / denominator, (b * ratio - a) / denominator)
    } else {
        let ratio = d / c;
        let denominator = d * ratio + c;
        ((b * ratio + a) / denominator, (b - a * ratio) / denominator)
    };
    if re.is_nan() && im.is_nan() && c == 0.0 && d == 0.0 && !(a.is_nan() && b.is_nan()) {
        let big = f64::INFINITY.copysign(c);
        return (big * a, big * b);
    }
    (re, im)
}

pub(super) const TABLE: Table = &[
    ("__muldc3", |_, a| {
        Ok(pair(multiply(double_at(a, 0)?, double_at(a, 1)?)))
    }),
    ("__divdc3", |_, a| {
        Ok(pair(divide(double_at(a, 0)?, double_at(a, 1)?)))
    }),
    ("__mulsc3", |_, a| {
        Ok(single(multiply(single_at(a, 0)?, single_at(a, 1)?)))
    }),
    ("__divsc3", |_, a| {
        Ok(single(divide(single_at(a, 0)?, single_at(a, 1)?)))
    }),
    ("creal", |_, a| Ok(Value::f64(a.f64(0)?))),
    ("cimag", |_, a| Ok(Value::f64(a.f64(1)?))),
    ("cabs", |_, a| {
        let (re, im) = double_at(a, 0)?;
        Ok(Value::f64(re.hypot(im)))
    }),
    ("carg", |_, a| {
        let (re, im) = double_at(a, 0)?;
        Ok(Value::f64(im.atan2(re)))
    }),
    ("conj", |_, a| {
        let (re, im) = double_at(a, 0)?;
        Ok(pair((re, -im)))
    }),
    ("crealf", |_, a| Ok(Value::f32(single_pair(a)?.0 as f32))),
    ("cimagf", |_, a| Ok(Value::f32(single_pair(a)?.1 as f32))),
    ("cabsf", |_, a| {
        let (re, im) = single_pair(a)?;
        Ok(Value::f32(re.hypot(im) as f32))
    }),
    ("conjf", |_, a| {
        let (re, im) = single_pair(a)?;
        Ok(single((re, -im)))
    }),
];
