//! Floating-point conversions of printf: exact decimals, correctly rounded.
//!
//! A finite number is `mant * 2^exp`. Its decimal expansion is finite, so it is computed in full
//! with big integers and then rounded (ties to even) at the digit that is asked for.

use super::{Spec, pad, sign_of};
use crate::x87::X87;

#[derive(Clone, Copy)]
pub(super) enum Number {
    Double(f64),
    Extended(X87),
}

impl Number {
    fn negative(self) -> bool {
        match self {
            Number::Double(x) => x.is_sign_negative(),
            Number::Extended(x) => x.is_negative(),
        }
    }

    fn nan(self) -> bool {
        match self {
            Number::Double(x) => x.is_nan(),
            Number::Extended(x) => x.is_nan(),
        }
    }

    fn infinite(self) -> bool {
        match self {
            Number::Double(x) => x.is_infinite(),
            Number::Extended(x) => x.is_infinite(),
        }
    }

    /// Significand and exponent; (0, 0) for zero.
    fn parts(self) -> (u64, i32) {
        match self {
            Number::Double(x) => X87::from_f64(x).parts(),
            Number::Extended(x) => x.parts(),
        }
        .unwrap_or((0, 0))
    }
}

const BASE: u64 = 1_000_000_000;

/// A decimal: digits, and how many of them stand before the point (may be negative or beyond).
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

/// A number in base 10^9, least significant digit first.
fn big(mut n: u64) -> Vec<u32> {
    let mut digits = Vec::new();
    while n > 0 {
        digits.push((n % BASE) as u32);
        n /= BASE;
    }
    digits
}

fn multiply(n: &mut Vec<u32>, by: u32) {
    let mut carry = 0u64;
    for d in n.iter_mut() {
        let v = u64::from(*d) * u64::from(by) + carry;
        *d = (v % BASE) as u32;
        carry = v / BASE;
    }
    while carry > 0 {
        n.push((carry % BASE) as u32);
        carry /= BASE;
    }
}

/// The exact decimal expansion of `mant * 2^exp`.
fn expand(mant: u64, exp: i32) -> Decimal {
    if mant == 0 {
        return Decimal {
            digits: vec![0],
            point: 1,
        };
    }
    // A big integer, and the decimal places in it. Dividing by 2 is multiplying by 5, one decimal
    // place further right.
    let zeros = mant.trailing_zeros().min(exp.min(0).unsigned_abs());
    let mut n = big(mant >> zeros);
    let mut places = 0i64;
    if exp >= 0 {
        for _ in 0..exp / 29 {
            multiply(&mut n, 1 << 29);
        }
        multiply(&mut n, 1 << (exp % 29));
    } else {
        let shift = exp.unsigned_abs() - zeros;
        for _ in 0..shift / 13 {
            multiply(&mut n, 1_220_703_125);
        }
        multiply(&mut n, 5u32.pow(shift % 13));
        places = i64::from(shift);
    }
    let mut digits = Vec::new();
    for d in n.iter().rev() {
        let text = format!("{d:09}");
        digits.extend(text.bytes().map(|b| b - b'0'));
    }
    let lead = digits.iter().take_while(|&&d| d == 0).count();
    digits.drain(..lead.min(digits.len() - 1));
    let point = digits.len() as i64 - places;
    Decimal { digits, point }
}

impl Decimal {
    /// Keeps `keep` digits, rounding the last.
    fn round(&mut self, keep: i64) {
        if keep < 0 {
            self.digits = vec![0];
            self.point = 1;
            return;
        }
        let keep = keep as usize;
        if keep >= self.digits.len() {
            return;
        }
        let rest = &self.digits[keep..];
        let up = match rest.first() {
            Some(&d) if d > 5 => true,
            Some(&5) => {
                rest[1..].iter().any(|&d| d != 0) || keep > 0 && self.digits[keep - 1] & 1 == 1
            }
            _ => false,
        };
        self.digits.truncate(keep);
        if up {
            for d in self.digits.iter_mut().rev() {
                if *d < 9 {
                    *d += 1;
                    return;
                }
                *d = 0;
            }
            self.digits.insert(0, 1);
            self.point += 1;
        } else if self.digits.is_empty() {
            self.digits.push(0);
            self.point = 1;
        }
    }

    /// The digit `i` places right of the point's left neighbour (0: the one before the point).
    fn digit(&self, i: i64) -> char {
        let at = self.point - 1 + i;
        let d = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
        char::from(b'0' + d.copied().unwrap_or(0))
    }
}

pub(super) fn print(out: &mut Vec<u8>, spec: &Spec, conversion: u8, x: Number) {
    let upper = conversion.is_ascii_uppercase();
    let sign = sign_of(x.negative(), spec);
    if x.nan() || x.infinite() {
        let text = match (x.nan(), upper) {
            (true, false) => "nan",
            (true, true) => "NAN",
            (false, false) => "inf",
            (false, true) => "INF",
        };
        return pad(out, spec, sign, text.as_bytes(), false);
    }
    let (mant, exp) = x.parts();
    let mut text = match conversion.to_ascii_lowercase() {
        b'f' => fixed(expand(mant, exp), spec.precision.unwrap_or(6), spec.alt),
        b'e' => scientific(expand(mant, exp), spec.precision.unwrap_or(6), spec.alt),
        b'a' => {
            let text = hexadecimal(x, mant, exp, spec);
            let prefix = format!("{sign}0x");
            let (prefix, text) = if upper {
                (prefix.to_uppercase(), text.to_uppercase())
            } else {
                (prefix, text)
            };
            return pad(out, spec, &prefix, text.as_bytes(), true);
        }
        _ => general(expand(mant, exp), spec),
    };
    if upper {
        text.make_ascii_uppercase();
    }
    pad(out, spec, sign, text.as_bytes(), true);
}

fn fixed(mut d: Decimal, precision: usize, alt: bool) -> String {
    let keep = d.point + precision as i64;
    d.round(keep);
    let mut text = String::new();
    for i in (1 - d.point.max(1))..=0 {
        text.push(d.digit(i));
    }
    if precision > 0 || alt {
        text.push('.');
    }
    for i in 1..=precision as i64 {
        text.push(d.digit(i));
    }
    text
}

fn scientific(mut d: Decimal, precision: usize, alt: bool) -> String {
    d.round(precision as i64 + 1);
    let zero = d.digits.iter().all(|&x| x == 0);
    let exponent = if zero { 0 } else { d.point - 1 };
    let mut text = String::new();
    for i in 0..=precision {
        if i == 1 {
            text.push('.');
        }
        text.push(char::from(b'0' + d.digits.get(i).copied().unwrap_or(0)));
    }
    if precision == 0 && alt {
        text.push('.');
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", exponent.abs()));
    text
}

/// `%g`: the shorter of the two styles, without trailing zeros unless `#`.
fn general(d: Decimal, spec: &Spec) -> String {
    let precision = spec.precision.unwrap_or(6).max(1);
    let mut rounded = Decimal {
        digits: d.digits.clone(),
        point: d.point,
    };
    rounded.round(precision as i64);
    let zero = rounded.digits.iter().all(|&x| x == 0);
    let exponent = if zero { 0 } else { rounded.point - 1 };
    let use_fixed = exponent >= -4 && exponent < precision as i64;
    let text = if use_fixed {
        fixed(
            rounded,
            (precision as i64 - 1 - exponent) as usize,
            spec.alt,
        )
    } else {
        scientific(rounded, precision - 1, spec.alt)
    };
    if spec.alt {
        return text;
    }
    let (mantissa, tail) = match text.split_once('e') {
        Some((m, e)) => (m, format!("e{e}")),
        None => (text.as_str(), String::new()),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{tail}")
}

/// Digits and exponent of `%a`: a double has one bit before the point, a long double four.
fn hexadecimal(x: Number, mant: u64, exp: i32, spec: &Spec) -> String {
    let (lead_bits, min_exp) = match x {
        Number::Double(_) => (1, -1022),
        Number::Extended(_) => (4, -16385),
    };
    if mant == 0 {
        let zeros = "0".repeat(spec.precision.unwrap_or(0));
        let dot = if spec.alt || !zeros.is_empty() {
            "."
        } else {
            ""
        };
        return format!("0{dot}{zeros}p+0");
    }
    // The value is lead.fraction * 2^exponent, the fraction left-aligned in 64 bits.
    let mut exponent = exp + 64 - lead_bits;
    let mut wide = u128::from(mant) << lead_bits;
    if exponent < min_exp {
        wide >>= (min_exp - exponent).min(127);
        exponent = min_exp;
    }
    let digits = spec.precision.unwrap_or(16).min(16);
    if digits < 16 {
        let drop = 64 - digits as u32 * 4;
        let (rest, half) = (wide & ((1 << drop) - 1), 1u128 << (drop - 1));
        wide >>= drop;
        if rest > half || rest == half && wide & 1 == 1 {
            wide += 1;
        }
        wide <<= drop;
    }
    let lead = (wide >> 64) as u64;
    let mut fraction = format!("{:016x}", wide as u64);
    match spec.precision {
        Some(p) if p <= 16 => fraction.truncate(p),
        Some(p) => fraction.push_str(&"0".repeat(p - 16)),
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
    }
    let dot = if fraction.is_empty() && !spec.alt {
        ""
    } else {
        "."
    };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{lead:x}{dot}{fraction}p{sign}{}", exponent.abs())
}
